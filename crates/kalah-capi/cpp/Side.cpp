#include "Side.h"

#include "Board.h"
#include "kalah.h"

#include <exception>

static_assert(static_cast<int>(NORTH) == KALAH_NORTH, "the library must mean the same side");
static_assert(static_cast<int>(SOUTH) == KALAH_SOUTH, "the library must mean the same side");
static_assert(POT == KALAH_POT, "the library must mean the same pot");

namespace {

// A board that the library reads, and the first exception of a read.
struct Reading
{
    const Board& board;
    std::exception_ptr thrown;
};

// Calls one member of the board for the library. An exception must not cross the library, so it is
// stored until the library has returned.
template<typename Member>
int read(const void* context, Member member)
{
    // The library passes the pointer of askLibrary unchanged, which points to a variable.
    Reading& reading = *const_cast<Reading*>(static_cast<const Reading*>(context));
    if (reading.thrown)
        return 0;
    try
    {
        return member(reading.board);
    }
    catch (...)
    {
        reading.thrown = std::current_exception();
        return 0;
    }
}

extern "C" {

static int32_t kalahFrontBeans(const void* context, KalahSide side, int32_t hole)
{
    return read(context, [=](const Board& b) { return b.beans(static_cast<Side>(side), hole); });
}

static int32_t kalahFrontBeansInPlay(const void* context, KalahSide side)
{
    return read(context, [=](const Board& b) { return b.beansInPlay(static_cast<Side>(side)); });
}

}

// Calls question with a struct that reads b, and rethrows the exception of a failed read.
template<typename Question>
auto askLibrary(const Board& b, Question question) -> decltype(question(nullptr))
{
    Reading reading = { b, nullptr };
    const KalahPits pits = { &reading, b.holes(), kalahFrontBeans, kalahFrontBeansInPlay };
    const auto answer = question(&pits);
    if (reading.thrown)
        std::rethrow_exception(reading.thrown);
    return answer;
}

}

namespace kalah_front {

int firstHole(const Board& b, Side s)
{
    // An empty row is not searched, because a row may have two thousand million holes.
    if (b.beansInPlay(s) <= 0)
        return -1;
    const int holes = b.holes();
    int hole = 1;
    while (hole < holes && b.beans(s, hole) <= 0)
        hole++;
    return b.beans(s, hole) > 0 ? hole : -1;
}

SowEffect sowEffectOf(const Board& b, Side mover, Side endSide, int endHole)
{
    const KalahSowEffect effect = askLibrary(b, [=](const KalahPits* pits) {
        return kalah_sow_effect(pits, mover, endSide, endHole);
    });
    switch (effect.kind)
    {
    case KALAH_SOW_EFFECT_KIND_BONUS_TURN:
        return { SowEffect::BONUS_TURN, 0, 0 };
    case KALAH_SOW_EFFECT_KIND_CAPTURE:
        return { SowEffect::CAPTURE, effect.hole, effect.from };
    case KALAH_SOW_EFFECT_KIND_TURN_PASSES:
        break;
    }
    return { SowEffect::TURN_PASSES, 0, 0 };
}

bool isOver(const Board& b, Side toMove)
{
    return askLibrary(b, [=](const KalahPits* pits) { return kalah_is_over(pits, toMove); });
}

bool findWinner(int southBeans, int northBeans, Side& winner)
{
    const KalahSide won = kalah_winner(southBeans, northBeans);
    if (won == KALAH_NO_SIDE)
        return false;
    winner = static_cast<Side>(won);
    return true;
}

int engineHole(const Board& b, Side s, unsigned int milliseconds)
{
    const int hole = askLibrary(b, [=](const KalahPits* pits) {
        return kalah_smart_choose(pits, s, milliseconds);
    });
    if (hole == KALAH_TOO_LARGE)
        return firstHole(b, s);
    return hole == KALAH_CANNOT_MOVE ? -1 : hole;
}

}
