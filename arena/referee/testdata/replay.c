/* A bot that knows no rules: it answers the n-th go of a game with its n-th
   argument. It is what a benchmark of the referee plays with. */
#include <stdio.h>
#include <string.h>

static char line[1 << 17], out[1 << 16];

int main(int argc, char **argv) {
	int n = 0;
	setvbuf(stdout, out, _IOFBF, sizeof out);
	while (fgets(line, sizeof line, stdin)) {
		if (!strncmp(line, "go", 2)) {
			if (++n >= argc)
				n = 1;
			fputs("bestmove ", stdout);
			puts(argv[n]);
		} else if (!strncmp(line, "uginewgame", 10)) {
			n = 0;
		} else if (!strncmp(line, "isready", 7)) {
			puts("readyok");
		} else if (!strncmp(line, "ugi", 3)) {
			puts("ugiok");
		} else if (!strncmp(line, "quit", 4)) {
			return 0;
		} else {
			continue;
		}
		fflush(stdout);
	}
	return 0;
}
