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

// Functions that Board.cpp, Player.cpp and Game.cpp share; programs for the assignment do not need
// them. They read boards through the public members of Board only, and the exceptions of those reach
// the caller.
namespace kalah_front {

// Returns the first nonempty hole of side s, or -1.
int firstHole(const Board& b, Side s);

// The effect of a sowing. For a capture, hole is the mover's hole with the last bean, and from the
// other side's hole whose beans are captured.
struct SowEffect
{
    enum Kind { TURN_PASSES, BONUS_TURN, CAPTURE };
    Kind kind;
    int hole;
    int from;
};

// Returns the effect of a sowing of mover whose last bean fell into that hole of b.
SowEffect sowEffectOf(const Board& b, Side mover, Side endSide, int endHole);

// Returns whether the game is over when side toMove is to move.
bool isOver(const Board& b, Side toMove);

// Returns whether a side wins a game that ended with these beans in the pots, and sets winner to it
// if so.
bool findWinner(int southBeans, int northBeans, Side& winner);

// Searches for about that number of milliseconds and returns the hole for side s, or -1 if s cannot
// move. Reads b through holes and beans only. For a board that is too large for the engine it returns
// the first nonempty hole.
int engineHole(const Board& b, Side s, unsigned int milliseconds);

}

#endif
