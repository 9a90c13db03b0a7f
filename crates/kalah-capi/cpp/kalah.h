#ifndef KALAH_H
#define KALAH_H

// The C interface of Kalah. Holes are numbered from 1 in columns from left to right on both sides.
//
// Made by cbindgen from the Rust sources: do not edit. cbindgen.toml says how to make it anew.

#include <stdbool.h>
#include <stdint.h>

// The number of the pot among the holes of a side.
#define KALAH_POT 0

// What `kalah_smart_choose` answers for a side that has nothing to sow.
#define KALAH_CANNOT_MOVE -1

// What `kalah_smart_choose` answers for a board that is too large to think about.
#define KALAH_TOO_LARGE 0

// The most holes a side that `kalah_smart_choose` thinks about.
#define KALAH_MOST_HOLES 26

// What a sowing can mean.
typedef enum KalahMeaningKind {
  // The turn passes to the other side.
  KALAH_MEANING_KIND_TURN_PASSES,
  // The same side sows again.
  KALAH_MEANING_KIND_BONUS_TURN,
  // The beans of two holes go to the mover's pot, and the turn passes to the other side.
  KALAH_MEANING_KIND_CAPTURE,
} KalahMeaningKind;

// A board, held by the library: made by `kalah_board_new` and `kalah_board_clone`, and given back
// with `kalah_board_free`. It knows sowing, and no rule of the game beyond it.
typedef struct KalahBoard KalahBoard;

// A side of the board: `KALAH_NORTH` or `KALAH_SOUTH`.
typedef int32_t KalahSide;

// What a sowing that has just ended means: one of the kinds, and the two holes of a capture.
typedef struct KalahMeaning {
  // What it means.
  enum KalahMeaningKind kind;
  // Of a capture: the mover's hole in which the last bean lies. Otherwise 0.
  int32_t hole;
  // Of a capture: the hole of the other side whose beans are captured with it. Otherwise 0.
  int32_t from;
} KalahMeaning;

// A board that the library only reads, whatever keeps it: C tells how.
//
// The two functions are handed `board` as it is. They are called during the call that the struct
// is given to, on the same thread, and never with a hole that the board does not have. They must
// return: neither an exception nor a `longjmp` may leave them. A negative count counts as none.
typedef struct KalahPits {
  // What the functions are to read; the library does not look at it.
  const void *board;
  // How many holes a side has, the pot not counted; fewer than 1 count as 1.
  int32_t holes;
  // How many beans lie in a hole, or in the pot for hole `KALAH_POT`.
  int32_t (*beans)(const void *board, KalahSide side, int32_t hole);
  // How many beans lie in all holes of a side.
  int32_t (*beans_in_play)(const void *board, KalahSide side);
} KalahPits;

// The side at the top, whose pot is at the left.
#define KALAH_NORTH 0

// The side at the bottom, whose pot is at the right. It moves first.
#define KALAH_SOUTH 1

// Neither side: nobody wins a tie.
#define KALAH_NOBODY -1

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// A new board of `holes` holes a side with `beans` beans in each and empty pots. Fewer holes than
// 1 count as 1, and fewer beans than 0 as 0. Costs the same at any size.
struct KalahBoard *kalah_board_new(int32_t holes, int32_t beans);

// A copy of `board`, to be given back on its own. Null for null.
//
// # Safety
// `board` is null or a board of this library that has not been given back.
struct KalahBoard *kalah_board_clone(const struct KalahBoard *board);

// Gives `board` back. Null is no board and nothing happens.
//
// # Safety
// `board` is null or a board of this library that has not been given back; it must not be used
// any more.
void kalah_board_free(struct KalahBoard *board);

// How many holes a side has, the pot not counted. 0 for null.
//
// # Safety
// `board` is null or a board of this library that has not been given back.
int32_t kalah_board_holes(const struct KalahBoard *board);

// How many beans lie in a hole, or in the pot for hole `KALAH_POT`. -1 for a hole or a side that
// does not exist, and for null.
//
// # Safety
// `board` is null or a board of this library that has not been given back.
int32_t kalah_board_beans(const struct KalahBoard *board, KalahSide side, int32_t hole);

// How many beans lie in all holes of a side. 0 for a side that does not exist, and for null.
//
// # Safety
// `board` is null or a board of this library that has not been given back.
int32_t kalah_board_beans_in_play(const struct KalahBoard *board, KalahSide side);

// How many beans lie on the board, in holes and pots. 0 for null.
//
// # Safety
// `board` is null or a board of this library that has not been given back.
int32_t kalah_board_total_beans(const struct KalahBoard *board);

// Sows a hole of `side` counterclockwise, one bean a hole, into the own pot and past the other's,
// and writes where the last bean fell. False, and nothing is changed or written, for an empty
// hole, the pot, a hole or a side that does not exist, and for null. Nothing is captured.
//
// # Safety
// `board` is null or a board of this library that has not been given back and that nobody else
// uses during the call. `end_side` and `end_hole` may each be null and are written to otherwise.
bool kalah_board_sow(struct KalahBoard *board,
                     KalahSide side,
                     int32_t hole,
                     KalahSide *end_side,
                     int32_t *end_hole);

// Moves all beans of a hole into the pot of `pot_owner`; of an empty hole there are none to move,
// and that is no failure. False, and nothing is changed, for the pot, a hole or a side that does
// not exist, and for null.
//
// # Safety
// `board` is null or a board of this library that has not been given back and that nobody else
// uses during the call.
bool kalah_board_move_to_pot(struct KalahBoard *board,
                             KalahSide side,
                             int32_t hole,
                             KalahSide pot_owner);

// Puts exactly `beans` beans into a hole, or into the pot for hole `KALAH_POT`; the totals follow.
// False, and nothing is changed, for a negative count, a hole or a side that does not exist, null,
// and for more beans in all than 64 bits can count.
//
// # Safety
// `board` is null or a board of this library that has not been given back and that nobody else
// uses during the call.
bool kalah_board_set_beans(struct KalahBoard *board, KalahSide side, int32_t hole, int32_t beans);

// What it means that the last bean of a sowing of `mover` has just fallen into `end_hole` of
// `end_side`; `pits` is the board right after the sowing. Null, a missing function and a hole or
// a side that does not exist mean that the turn passes.
//
// # Safety
// `pits` is null or its functions may be called with its `board`.
struct KalahMeaning kalah_meaning(const struct KalahPits *pits,
                                  KalahSide mover,
                                  KalahSide end_side,
                                  int32_t end_hole);

// Whether the game is over with `to_move` about to sow. All beans left in the holes of a side go
// to its pot then. Null, a missing function and a side that does not exist are a game that is over.
//
// # Safety
// `pits` is null or its functions may be called with its `board`.
bool kalah_is_over(const struct KalahPits *pits, KalahSide to_move);

// The side that wins with these beans in the two pots at the end of the game, `KALAH_NOBODY` for
// a tie.
KalahSide kalah_winner(int32_t south_beans, int32_t north_beans);

// The hole that the library's engine would sow for `to_move`, found within about `milliseconds`.
//
// `KALAH_CANNOT_MOVE` if all its holes are empty, and where there is no board: null, a missing
// function or a side that does not exist. `KALAH_TOO_LARGE` for a board of more than
// `KALAH_MOST_HOLES` holes a side or more than 65,535 beans in all. It keeps nothing from one call
// to the next, so that any number of threads may call it at once. It reads the board with `beans`
// alone.
//
// # Safety
// `pits` is null or its functions may be called with its `board`.
int32_t kalah_smart_choose(const struct KalahPits *pits, KalahSide to_move, uint32_t milliseconds);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* KALAH_H */
