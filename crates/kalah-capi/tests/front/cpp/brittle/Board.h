// A board whose reads fail when they are told to: it has something of its own to throw.
#ifndef BRITTLE_BOARD
#define BRITTLE_BOARD

#include "Side.h"

#include <vector>

class Board
{
public:
    // How many reads go well until one fails; fewer than 0: all.
    static int readsLeft;
    struct Broken
    {
    };

    Board(int nHoles, int nInitialBeansPerHole);
    int holes() const;
    int beans(Side s, int hole) const;
    int beansInPlay(Side s) const;
    int totalBeans() const;
    bool sow(Side s, int hole, Side& endSide, int& endHole);
    bool moveToPot(Side s, int hole, Side potOwner);
    bool setBeans(Side s, int hole, int beans);

private:
    std::vector<int> m_beans[NSIDES];
};

#endif
