// A board whose reads throw an exception of its own on request.
#ifndef THROWING_BOARD
#define THROWING_BOARD

#include "Side.h"

#include <vector>

class Board
{
public:
    // The number of reads that succeed before one throws; negative for no limit.
    static int readsLeft;
    struct ReadError
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
