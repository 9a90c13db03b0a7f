#include "Side.h"

#include "Board.h"
#include "kalah.h"

#include <exception>

static_assert(static_cast<int>(NORTH) == KALAH_NORTH, "the library must mean the same side");
static_assert(static_cast<int>(SOUTH) == KALAH_SOUTH, "the library must mean the same side");
static_assert(POT == KALAH_POT, "the library must mean the same pot");

namespace {

// A board that the library reads, and the first exception of a read.
struct ReadContext
{
    const Board& board;
    std::exception_ptr exception;
};

// Calls one member of the board for the library. An exception must not cross the library, so it is
// stored until the library has returned.
template<typename Member>
int readMember(const void* context, Member member)
{
    // The library passes the pointer of callLibrary unchanged, which points to a variable.
    ReadContext& reads = *const_cast<ReadContext*>(static_cast<const ReadContext*>(context));
    if (reads.exception)
        return 0;
    try
    {
        return member(reads.board);
    }
    catch (...)
    {
        reads.exception = std::current_exception();
        return 0;
    }
}

extern "C" {

static int32_t kalahFrontBeans(const void* context, KalahSide side, int32_t hole)
{
    return readMember(context,
                      [=](const Board& b) { return b.beans(static_cast<Side>(side), hole); });
}

static int32_t kalahFrontBeansInPlay(const void* context, KalahSide side)
{
    return readMember(context,
                      [=](const Board& b) { return b.beansInPlay(static_cast<Side>(side)); });
}

}

// Calls function with a struct that reads b, and rethrows the exception of a failed read.
template<typename Function>
auto callLibrary(const Board& b, Function function) -> decltype(function(nullptr))
{
    ReadContext context = { b, nullptr };
    const KalahPits pits = { &context, b.holes(), kalahFrontBeans, kalahFrontBeansInPlay };
    const auto result = function(&pits);
    if (context.exception)
        std::rethrow_exception(context.exception);
    return result;
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
    const KalahSowEffect effect = callLibrary(b, [=](const KalahPits* pits) {
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
    return callLibrary(b, [=](const KalahPits* pits) { return kalah_is_over(pits, toMove); });
}

bool findWinner(int southBeans, int northBeans, Side& winner)
{
    const KalahSide winningSide = kalah_winner(southBeans, northBeans);
    if (winningSide == KALAH_NO_SIDE)
        return false;
    winner = static_cast<Side>(winningSide);
    return true;
}

int engineHole(const Board& b, Side s, unsigned int milliseconds)
{
    const int hole = callLibrary(b, [=](const KalahPits* pits) {
        return kalah_smart_choose(pits, s, milliseconds);
    });
    if (hole == KALAH_TOO_LARGE)
        return firstHole(b, s);
    return hole == KALAH_CANNOT_MOVE ? -1 : hole;
}

}
