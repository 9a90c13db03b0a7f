#include "Board.h"

// The ring: South's holes 1 to size, South's pot, North's holes size to 1, North's pot.
size_t Board::index(Side s, int hole) const
{
    if (s == SOUTH)
        return hole == POT ? size : hole - 1;
    return hole == POT ? 2 * size + 1 : 2 * size + 1 - hole;
}

Board::Board(int nHoles, int nInitialBeansPerHole)
 : size(nHoles < 1 ? 1 : nHoles), ring(2 * size_t(size) + 2, 0)
{
    for (int hole = 1; hole <= size; hole++)
        for (Side s : { NORTH, SOUTH })
            ring[index(s, hole)] = nInitialBeansPerHole < 0 ? 0 : nInitialBeansPerHole;
}

int Board::holes() const
{
    return size;
}

int Board::beans(Side s, int hole) const
{
    return hole == POT || isHole(hole) ? int(ring[index(s, hole)]) : -1;
}

int Board::beansInPlay(Side s) const
{
    int sum = 0;
    for (int hole = 1; hole <= size; hole++)
        sum += beans(s, hole);
    return sum;
}

int Board::totalBeans() const
{
    return beansInPlay(NORTH) + beansInPlay(SOUTH) + beans(NORTH, POT) + beans(SOUTH, POT);
}

bool Board::sow(Side s, int hole, Side& endSide, int& endHole)
{
    if (!isHole(hole) || beans(s, hole) == 0)
        return false;
    size_t at = index(s, hole);
    long long left = ring[at];
    ring[at] = 0;
    while (left > 0)
    {
        at = (at + 1) % ring.size();
        if (at == index(opponent(s), POT))
            continue;
        ring[at]++;
        left--;
    }
    const int place = int(at);
    endSide = place <= size ? SOUTH : NORTH;
    endHole = place == size || place == 2 * size + 1 ? POT
              : place < size                          ? place + 1
                                                      : 2 * size + 1 - place;
    return true;
}

bool Board::moveToPot(Side s, int hole, Side potOwner)
{
    if (!isHole(hole))
        return false;
    ring[index(potOwner, POT)] += ring[index(s, hole)];
    ring[index(s, hole)] = 0;
    return true;
}

bool Board::setBeans(Side s, int hole, int beans)
{
    if ((hole != POT && !isHole(hole)) || beans < 0)
        return false;
    ring[index(s, hole)] = beans;
    return true;
}
