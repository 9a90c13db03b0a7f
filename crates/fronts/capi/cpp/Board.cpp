#include "Board.h"

#include "kalah.h"

#include <new>
#include <utility>

namespace {

// The exception of a board that has no memory.
class OutOfMemory : public std::bad_alloc
{
public:
    const char* what() const noexcept override
    {
        return "Board::Board: out of memory";
    }
};

// Checks the result of a constructor of the library: null means that memory ran out.
KalahBoard* checkNotNull(KalahBoard* board)
{
    if (board == nullptr)
        throw OutOfMemory();
    return board;
}

}

Board::Board(int nHoles, int nInitialBeansPerHole)
 : m_board(checkNotNull(kalah_board_new(nHoles, nInitialBeansPerHole)))
{
}

Board::Board(const Board& other)
 : m_board(checkNotNull(kalah_board_clone(other.m_board)))
{
}

Board& Board::operator=(const Board& other)
{
    Board copy(other);
    std::swap(m_board, copy.m_board);
    return *this;
}

Board::~Board()
{
    kalah_board_free(m_board);
}

int Board::holes() const
{
    return kalah_board_holes(m_board);
}

int Board::beans(Side s, int hole) const
{
    return kalah_board_beans(m_board, s, hole);
}

int Board::beansInPlay(Side s) const
{
    return kalah_board_beans_in_play(m_board, s);
}

int Board::totalBeans() const
{
    return kalah_board_total_beans(m_board);
}

bool Board::sow(Side s, int hole, Side& endSide, int& endHole)
{
    KalahSide side = KALAH_NO_SIDE;
    if (!kalah_board_sow(m_board, s, hole, &side, &endHole))
        return false;
    endSide = static_cast<Side>(side);
    return true;
}

bool Board::moveToPot(Side s, int hole, Side potOwner)
{
    return kalah_board_move_to_pot(m_board, s, hole, potOwner);
}

bool Board::setBeans(Side s, int hole, int beans)
{
    return kalah_board_set_beans(m_board, s, hole, beans);
}
