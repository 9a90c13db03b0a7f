#ifndef KALAH_BOARD_H
#define KALAH_BOARD_H

#include "Side.h"

// A board of the library.
struct KalahBoard;

// Two rows of holes with a pot each. Holes are numbered from 1 in columns from left to right on
// both sides, and POT is the pot. The only rule of a board is the sowing. Sizes and counts may be any
// int; a sum that does not fit an int is returned as the largest int.
class Board
{
public:
    // A number of holes below 1 counts as 1, and a negative number of beans as 0.
    Board(int nHoles, int nInitialBeansPerHole);
    Board(const Board& other);
    Board& operator=(const Board& other);
    ~Board();

    // Returns the number of holes a side, without the pot.
    int holes() const;

    // Returns the number of beans in the hole or pot, or -1 if there is no such hole.
    int beans(Side s, int hole) const;

    // Returns the number of beans in the holes of that side.
    int beansInPlay(Side s) const;

    // Returns the number of beans in holes and pots.
    int totalBeans() const;

    // Sows the hole counterclockwise, into the pot of s and past the other pot, and sets endSide
    // and endHole to the place of the last bean. Returns false, and changes nothing, for an empty
    // hole, a pot or a hole that does not exist.
    bool sow(Side s, int hole, Side& endSide, int& endHole);

    // Moves all beans of the hole into the pot of potOwner. Returns false, and changes nothing, for
    // a pot or a hole that does not exist.
    bool moveToPot(Side s, int hole, Side potOwner);

    // Sets the number of beans in the hole or pot. Returns false, and changes nothing, for a hole
    // that does not exist, a negative count, and a total that does not fit 64 bits.
    bool setBeans(Side s, int hole, int beans);

private:
    KalahBoard* m_board; // owned, never null
};

#endif
