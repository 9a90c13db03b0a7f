#ifndef KALAH_BOARD_H
#define KALAH_BOARD_H

#include "Side.h"

// What the library keeps a board in.
struct KalahBoard;

// Two rows of holes with a pot each. Holes are numbered from 1 in columns from left to right on
// both sides, and POT is the pot. A board knows no rules beyond sowing. Every int is a size and a
// count that it can have; a sum that no int holds is told as the largest int.
class Board
{
public:
    // Fewer holes than 1 count as 1, and fewer beans than 0 as 0.
    Board(int nHoles, int nInitialBeansPerHole);
    Board(const Board& other);
    Board& operator=(const Board& other);
    ~Board();

    // How many holes a side has, the pot not counted.
    int holes() const;

    // How many beans lie in the hole or pot, -1 if there is no such hole.
    int beans(Side s, int hole) const;

    // How many beans lie in the holes of that side.
    int beansInPlay(Side s) const;

    // How many beans there are, in holes and pots.
    int totalBeans() const;

    // Sows that hole counterclockwise, into the pot of s and past the other, and says where the
    // last bean fell. False, and nothing is changed, for an empty hole, a pot or no such hole.
    bool sow(Side s, int hole, Side& endSide, int& endHole);

    // Moves all beans of that hole into the pot of potOwner. False, and nothing is changed, for a
    // pot or no such hole.
    bool moveToPot(Side s, int hole, Side potOwner);

    // Puts that many beans into the hole or pot. False, and nothing is changed, for no such hole
    // and for a negative count (and for more beans in all than 64 bits can count).
    bool setBeans(Side s, int hole, int beans);

private:
    KalahBoard* m_board; // owned, never null
};

#endif
