// Players and boards that threads share.

#include "Board.h"
#include "Player.h"
#include "Side.h"
#include "expect.h"

#include <atomic>
#include <functional>
#include <thread>

namespace {

std::atomic<int> illegalAnswers(0);

void ask(const Player& player, const Board& shared)
{
    for (Side s : { SOUTH, NORTH })
    {
        Board own(shared);
        const int hole = player.chooseMove(shared, s);
        Side endSide = NORTH;
        int endHole = 0;
        if (!own.sow(s, hole, endSide, endHole))
            illegalAnswers++;
    }
}

}

int main()
{
    const Board board(4, 3);
    const SmartPlayer lisa("Lisa"), maggie("Maggie");
    std::thread first(ask, std::cref(lisa), std::cref(board));
    std::thread second(ask, std::cref(maggie), std::cref(board));
    // Two threads ask one player.
    std::thread third(ask, std::cref(lisa), std::cref(board));
    first.join();
    second.join();
    third.join();
    expectEqual(illegalAnswers, 0, "illegal answers");
}
