/* A UCI engine that knows no rules: it plays the one game that its argument
   names, a file of moves apart by blanks. Which move is due it finds by counting
   the moves on the position line, and from the FEN's side and move number. It
   is what the benchmark of arena's overhead plays with, on both sides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLIES 1024

static char line[1 << 17], out[1 << 12], game[MAX_PLIES][8];
static int plies;

/* The number of moves played before the position on a position line. */
static int played(char *p) {
	int n = 0;
	char *moves = strstr(p, " moves ");
	if (!strncmp(p, "position fen ", 13)) {
		char side;
		int number;
		if (sscanf(p + 13, "%*s %c %*s %*s %*s %d", &side, &number) != 2)
			exit(1);
		n = 2 * (number - 1) + (side == 'b');
	}
	if (moves)
		for (p = moves + 6; *p; p++)
			n += *p == ' ';
	return n;
}

int main(int argc, char **argv) {
	int n = 0;
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	if (!f)
		return 1;
	while (plies < MAX_PLIES && fscanf(f, "%7s", game[plies]) == 1)
		plies++;
	fclose(f);
	setvbuf(stdout, out, _IOFBF, sizeof out);
	while (fgets(line, sizeof line, stdin)) {
		if (!strncmp(line, "position", 8)) {
			n = played(line);
			continue;
		}
		if (!strncmp(line, "go", 2)) {
			if (n >= plies)
				return 1;
			printf("info depth 1 score cp 0 nodes 1\nbestmove %s\n", game[n]);
		} else if (!strncmp(line, "isready", 7)) {
			puts("readyok");
		} else if (!strncmp(line, "ucinewgame", 10)) {
			continue;
		} else if (!strncmp(line, "uci", 3)) {
			puts("id name replay\nuciok");
		} else if (!strncmp(line, "quit", 4)) {
			return 0;
		} else {
			continue;
		}
		fflush(stdout);
	}
	return 0;
}
