/* The rules of a game without a board, as a program: so many moves are legal at each
   ply, a0, a1, ..., and after so many plies the game is drawn. It reads positions and
   answers queries like any rules program, and does nothing else: what is left is
   what asking costs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 17], out[1 << 16], moves[1 << 12];

int main(int argc, char **argv) {
	int plies = argc > 1 ? atoi(argv[1]) : 0, count = argc > 2 ? atoi(argv[2]) : 0, n = 0;
	if (plies < 1 || count < 1 || count > 500)
		return 1;
	char *end = moves + sprintf(moves, "response");
	for (int i = 0; i < count; i++)
		end += sprintf(end, " a%d", i);
	setvbuf(stdout, out, _IOFBF, sizeof out);
	while (fgets(line, sizeof line, stdin)) {
		if (!strncmp(line, "position", 8)) {
			char *p = strstr(line, " moves ");
			n = 0;
			if (p)
				for (p += 6; *p; p++)
					n += *p == ' ';
		} else if (!strncmp(line, "query ", 6)) {
			char *fact = line + 6;
			if (!strncmp(fact, "gameover", 8))
				puts(n < plies ? "response false" : "response true");
			else if (!strncmp(fact, "p1turn", 6))
				puts(n % 2 ? "response false" : "response true");
			else if (!strncmp(fact, "result", 6))
				puts(n < plies ? "response none" : "response draw");
			else if (!strncmp(fact, "moves", 5))
				puts(n < plies ? moves : "response");
			else
				puts("response unknown");
		} else if (!strncmp(line, "isready", 7)) {
			puts("readyok");
			fflush(stdout);
		} else if (!strncmp(line, "ugi", 3) && line[3] <= ' ') {
			puts("ugiok");
			fflush(stdout);
		} else if (!strncmp(line, "quit", 4)) {
			return 0;
		}
	}
	return 0;
}
