/* The C interface from C. */

#include "kalah.h"

#include <stddef.h>
#include <stdio.h>

/* The two callbacks with which the library reads a board. */
static int32_t beans(const void *board, KalahSide side, int32_t hole)
{
    return kalah_board_beans((const KalahBoard *)board, side, hole);
}

static int32_t beans_in_play(const void *board, KalahSide side)
{
    return kalah_board_beans_in_play((const KalahBoard *)board, side);
}

static int failed = 0;

static void expect(int condition, const char *words)
{
    if (!condition) {
        fprintf(stderr, "expected: %s\n", words);
        failed = 1;
    }
}

int main(void)
{
    KalahBoard *board = kalah_board_new(6, 4);
    KalahBoard *copy = kalah_board_clone(board);
    KalahPits pits = { NULL, 6, beans, beans_in_play };
    KalahSowEffect effect;
    KalahSide side = KALAH_NO_SIDE;
    int32_t hole = -1;

    pits.board = board;
    expect(kalah_board_sow(board, KALAH_SOUTH, 3, &side, &hole), "hole 3 to be sown");
    expect(side == KALAH_SOUTH && hole == KALAH_POT, "the last bean in South's pot");
    effect = kalah_sow_effect(&pits, KALAH_SOUTH, side, hole);
    expect(effect.kind == KALAH_SOW_EFFECT_KIND_BONUS_TURN, "a bonus turn");
    expect(!kalah_is_over(&pits, KALAH_SOUTH), "the game to go on");
    hole = kalah_smart_choose(&pits, KALAH_SOUTH, 50);
    expect(hole >= 1 && hole <= 6 && hole != 3, "a legal choice");
    expect(kalah_board_beans(copy, KALAH_SOUTH, 3) == 4, "a copy of its own");
    kalah_board_free(copy);
    kalah_board_free(board);
    kalah_board_free(NULL);
    return failed;
}
