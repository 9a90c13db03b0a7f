#ifndef KALAH_SIDE_H
#define KALAH_SIDE_H

enum Side { NORTH, SOUTH };

const int NSIDES = 2;
const int POT = 0;

inline Side opponent(Side s)
{
    return s == NORTH ? SOUTH : NORTH;
}

class Board;

// What Board.cpp, Player.cpp and Game.cpp share; a program for the assignment needs none of it.
// Boards are reached through the public members of Board alone, and whatever those throw comes
// through unharmed.
namespace kalah_front {

// The first hole of side s that can be sown, or -1.
int firstHole(const Board& b, Side s);

// What a sowing that has just ended means. Of a capture: the mover's hole in which the last bean
// lies, and the other side's hole whose beans are captured with it.
struct Meaning
{
    enum Kind { TURN_PASSES, BONUS_TURN, CAPTURE };
    Kind kind;
    int hole;
    int from;
};

// What it means that the last bean of a sowing of mover has just fallen into that hole of b.
Meaning meaningOf(const Board& b, Side mover, Side endSide, int endHole);

// Whether the game is over with side toMove about to sow.
bool isOver(const Board& b, Side toMove);

// Whether somebody wins with these beans in the pots at the end of the game; if so, winner is who.
bool findWinner(int southBeans, int northBeans, Side& winner);

// The hole that the engine sows for side s after at most about that many milliseconds, or -1 if s
// cannot move. Reads b through holes and beans alone, unless b is too large for the engine: then
// it is the first hole that can be sown.
int engineHole(const Board& b, Side s, unsigned int milliseconds);

}

#endif
