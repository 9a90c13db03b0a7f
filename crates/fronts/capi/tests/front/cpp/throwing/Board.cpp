#include "Board.h"

#include <cstddef>

int Board::readsLeft = -1;

Board::Board(int nHoles, int nInitialBeansPerHole)
{
    for (std::vector<int>& beans : m_beans)
    {
        beans.assign(static_cast<std::size_t>(nHoles) + 1, nInitialBeansPerHole);
        beans[POT] = 0;
    }
}

int Board::holes() const
{
    return static_cast<int>(m_beans[NORTH].size()) - 1;
}

int Board::beans(Side s, int hole) const
{
    if (readsLeft >= 0 && readsLeft-- == 0)
        throw ReadError();
    return hole < 0 || hole > holes() ? -1 : m_beans[s][static_cast<std::size_t>(hole)];
}

int Board::beansInPlay(Side s) const
{
    int sum = 0;
    for (int hole = 1; hole <= holes(); hole++)
        sum += beans(s, hole);
    return sum;
}

int Board::totalBeans() const
{
    return beansInPlay(NORTH) + beansInPlay(SOUTH) + beans(NORTH, POT) + beans(SOUTH, POT);
}

bool Board::sow(Side s, int hole, Side& endSide, int& endHole)
{
    // Moves one bean to the next hole, which is enough for the reads after a sowing.
    if (hole < 1 || hole >= holes())
        return false;
    const std::size_t at = static_cast<std::size_t>(hole);
    m_beans[s][at] -= 1;
    m_beans[s][at + 1] += 1;
    endSide = s;
    endHole = hole + 1;
    return true;
}

bool Board::moveToPot(Side s, int hole, Side potOwner)
{
    m_beans[potOwner][POT] += m_beans[s][static_cast<std::size_t>(hole)];
    m_beans[s][static_cast<std::size_t>(hole)] = 0;
    return true;
}

bool Board::setBeans(Side s, int hole, int beans)
{
    m_beans[s][static_cast<std::size_t>(hole)] = beans;
    return true;
}
