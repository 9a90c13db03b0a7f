/* Tests of the bot. */

#define BOT_TEST
#include "bot.c"

static void check(int is_right, const char *name) {
    if (!is_right) {
        fprintf(stderr, "wrong: %s\n", name);
        exit(1);
    }
}

int main(void) {
    struct position position;
    check(read_position("position <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s rules cs32", &position), "start");
    check(choose(&position) == 2, "a bonus turn is preferred");
    check(read_position("position <2,0,1,3,4,0,6> n rules cs32", &position), "position of North");
    check(position.own[1] == 6 && position.other[0] == 3, "the row of North is first");
    check(choose(&position) == 1, "the only house with seeds is chosen");
    check(!read_position("position <6,garbage> s", &position), "garbage is no position");
    return 0;
}
