// A board that throws while the library reads it: the exception reaches the caller.

#include "Board.h"
#include "Game.h"
#include "Player.h"
#include "Side.h"
#include "expect.h"

namespace {

// Sows hole 1 without reading the board.
class FirstHolePlayer : public Player
{
public:
    FirstHolePlayer() : Player("First hole")
    {
    }
    int chooseMove(const Board&, Side) const override
    {
        return 1;
    }
};

// More reads than any of these calls makes, so that the loop ends.
const int MAX_READS = 200;

// Calls call with a board that throws at the first read, then at the second, and so on until no read
// throws. Every exception must reach the caller. Returns the number of reads.
template<typename Call>
int countReads(Call call)
{
    for (int reads = 0; reads < MAX_READS; reads++)
    {
        Board::readsLeft = reads;
        try
        {
            call();
            Board::readsLeft = -1;
            return reads;
        }
        catch (const Board::ReadError&)
        {
        }
    }
    expect(false, "an end of the reads");
    return MAX_READS;
}

}

int main()
{
    OutputCapture out(std::cout);
    FirstHolePlayer south, north;
    const Board board(4, 2);

    const int moveReads = countReads([&] {
        Game game(board, &south, &north);
        expect(game.move(SOUTH), "the turn to be completed");
    });
    expect(moveReads > 4, "reads by the library");

    const SmartPlayer smart("Lisa");
    const int chooseReads = countReads([&] { smart.chooseMove(board, NORTH); });
    expect(chooseReads >= 10, "a read of each hole and pot");

    Game game(board, &south, &north);
    expect(game.move(SOUTH), "all to be well afterwards");
    expectEqual(game.beans(SOUTH, 2), 3, "beans in hole 2");
}
