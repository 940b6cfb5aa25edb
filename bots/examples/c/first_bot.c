/* A complete first bot for arena. It needs no rules: arena sends the legal moves.
 * Copy this file, change choose(), and run:
 *     cc -O2 -o first_bot first_bot.c && arena check ./first_bot
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "first-c"
#define MAX_LINE (64 * 1024 + 2) /* no line of the protocol is longer */
#define MAX_MOVES 16384

static unsigned long long state = 1;

/* A number below n that depends on nothing but the seed (splitmix64). */
static size_t random_below(size_t n) {
    unsigned long long z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (size_t)((z ^ (z >> 31)) % n);
}

/* Picks one of the n legal moves. THIS IS THE FUNCTION TO CHANGE.
 * game is its name with its size, such as "breakthrough:6x6"; position is what
 * arena sent: "position startpos moves a2a3 ..." */
static const char *choose(const char *game, char **legal, size_t n, const char *position) {
    (void)game;
    (void)position;
    return legal[random_below(n)];
}

int main(void) {
    static char line[MAX_LINE], game[MAX_LINE], position[MAX_LINE], moves[MAX_LINE];
    static char *legal[MAX_MOVES];
    size_t n = 0;

    setvbuf(stdout, NULL, _IOLBF, 0); /* a line kept in a buffer is a bot that hangs */
    while (fgets(line, sizeof line, stdin)) { /* ends when arena closes our input */
        line[strcspn(line, "\r\n")] = '\0';
        if (strcmp(line, "ugi") == 0) {
            puts("id name " NAME);
            puts("id author me");
            puts("option name UGI_Variant type string default breakthrough");
            puts("option name UGI_LegalMoves type check default false");
            puts("option name Seed type spin default 1 min 0 max 2147483647");
            puts("ugiok");
        } else if (strncmp(line, "setoption name Seed value ", 26) == 0) {
            state = strtoull(line + 26, NULL, 10);
        } else if (strncmp(line, "setoption name UGI_Variant value ", 33) == 0) {
            strcpy(game, line + 33);
        } else if (strcmp(line, "isready") == 0) {
            puts("readyok");
        } else if (strncmp(line, "position ", 9) == 0) {
            strcpy(position, line);
        } else if (strncmp(line, "legal ", 6) == 0) {
            strcpy(moves, line + 6);
            n = 0;
            for (char *m = strtok(moves, " "); m && n < MAX_MOVES; m = strtok(NULL, " "))
                legal[n++] = m;
        } else if (strncmp(line, "go", 2) == 0 && n > 0) {
            printf("bestmove %s\n", choose(game, legal, n, position));
        } else if (strcmp(line, "quit") == 0) {
            return 0;
        }
    }
    return 0;
}
