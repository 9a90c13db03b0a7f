// A stand-in: holes and pots lie in one ring, with North's pot last.
#ifndef BOARD_INCLUDED
#define BOARD_INCLUDED
#include "Side.h"
#include <vector>
using namespace std;

class Board
{
public:
    Board(int nHoles, int nInitialBeansPerHole);
    int holes() const;
    int beans(Side s, int hole) const;
    int beansInPlay(Side s) const;
    int totalBeans() const;
    bool sow(Side s, int hole, Side& endSide, int& endHole);
    bool moveToPot(Side s, int hole, Side potOwner);
    bool setBeans(Side s, int hole, int beans);

private:
    size_t index(Side s, int hole) const;
    bool isHole(int hole) const { return hole > 0 && hole <= size; }
    int size;
    vector<long long> ring;
};
#endif
