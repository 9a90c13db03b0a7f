/* A Kalah bot that speaks UKI. It receives the current position, so that it needs no rules. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HOUSES 26
#define MAX_LINE 20000

/* The rows of the player to move and of the opponent, each in its owner's sowing order: house 0 is
   the farthest from its owner's store. */
struct position {
    int houses;
    int own[MAX_HOUSES];
    int other[MAX_HOUSES];
    int is_south;
};

/* Returns how good it is to sow a house: PUT YOUR IDEAS HERE. */
static int score(const struct position *position, int house) {
    int houses = position->houses;
    int last = (house + position->own[house]) % (2 * houses + 1);
    if (last == houses) {
        return 1000 + house; /* The last seed falls into the store: a bonus turn. */
    }
    if (last < houses && position->own[last] == 0 && position->other[houses - 1 - last] > 0) {
        return 100 + position->other[houses - 1 - last]; /* A capture. */
    }
    return house;
}

/* Returns the house to sow, -1 if all own houses are empty. */
static int choose(const struct position *position) {
    int best = -1;
    for (int house = 0; house < position->houses; house++) {
        if (position->own[house] > 0 && (best < 0 || score(position, house) > score(position, best))) {
            best = house;
        }
    }
    return best;
}

/* Parses "position <houses,stores,South's houses,North's houses> s rules ...". Returns whether the
   line is a position; if it is not, the position keeps its value. */
static int read_position(const char *line, struct position *position) {
    int numbers[3 + 2 * MAX_HOUSES];
    int count = 0;
    const char *at = strchr(line, '<');
    if (at == NULL) {
        return 0;
    }
    while (*at == '<' || *at == ',') {
        char *end;
        long number = strtol(at + 1, &end, 10);
        if (end == at + 1 || count == 3 + 2 * MAX_HOUSES) {
            return 0;
        }
        numbers[count++] = (int)number;
        at = end;
    }
    if (count < 5 || *at != '>' || numbers[0] < 1 || count != 3 + 2 * numbers[0]) {
        return 0;
    }
    position->houses = numbers[0];
    position->is_south = strncmp(at, "> s", 3) == 0;
    for (int house = 0; house < numbers[0]; house++) {
        int south = numbers[3 + house], north = numbers[3 + numbers[0] + house];
        position->own[house] = position->is_south ? south : north;
        position->other[house] = position->is_south ? north : south;
    }
    return 1;
}

#ifndef BOT_TEST
int main(void) {
    static char line[MAX_LINE];
    struct position position = {0};
    /* Every line has to be flushed, or the host never sees it. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strcmp(line, "uki") == 0) {
            puts("id name My bot");
            puts("option name Position type combo default now var now var moves");
            puts("ukiok");
        } else if (strcmp(line, "isready") == 0) {
            puts("readyok");
        } else if (strncmp(line, "position ", 9) == 0) {
            if (!read_position(line, &position)) {
                puts("error not a position");
            }
        } else if (strncmp(line, "go", 2) == 0) {
            int house = choose(&position);
            if (house < 0) {
                puts("bestmove none");
            } else {
                printf("bestmove %c\n", (position.is_south ? 'A' : 'a') + house);
            }
        } else if (strcmp(line, "quit") == 0) {
            break;
        }
    }
    return 0;
}
#endif
