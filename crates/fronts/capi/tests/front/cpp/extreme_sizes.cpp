// Boards up to the largest int of holes and beans, without a loop over their holes.

#include "Board.h"
#include "Game.h"
#include "Player.h"
#include "Side.h"
#include "expect.h"

#include <climits>
#include <ctime>
#include <string>

namespace {

// A loop over the holes of the largest board takes longer than this limit; all of these tests take
// less than a second. The limit is processor time, which does not depend on the load of the machine.
const std::clock_t MAX_SECONDS = 20;

// The maximum length of a readable drawing.
const std::size_t MAX_TEXT = 20000;

void boards()
{
    Board b(INT_MAX, INT_MAX);
    expectEqual(b.holes(), INT_MAX, "holes of the largest board");
    expectEqual(b.beans(NORTH, INT_MAX), INT_MAX, "beans in its last hole");
    expectEqual(b.beans(NORTH, INT_MIN), -1, "beans in no hole");
    expectEqual(b.beansInPlay(SOUTH), INT_MAX, "beans in play, which no int holds");
    expectEqual(b.totalBeans(), INT_MAX, "total beans, which no int holds");

    Side endSide = NORTH;
    int endHole = 0;
    expect(b.sow(SOUTH, 1, endSide, endHole), "hole 1 to be sown");
    expect(endSide == SOUTH && endHole == POT, "2^31-1 beans from hole 1 to end in the pot");
    expectEqual(b.beans(SOUTH, 1), 0, "beans in the hole that was sown");
    expectEqual(b.beans(SOUTH, 2), INT_MAX, "beans in a hole that holds more than an int");
    expectEqual(b.beans(SOUTH, POT), 1, "beans in the pot");

    const Board copy(b);
    expect(b.moveToPot(SOUTH, 2, NORTH) && b.moveToPot(NORTH, 2, NORTH), "moves to the pot");
    expectEqual(b.beans(NORTH, POT), INT_MAX, "beans in a pot that holds more than an int");
    expectEqual(copy.beans(NORTH, POT), 0, "beans in the pot of the copy");
    expect(b.setBeans(NORTH, POT, 3) && b.beans(NORTH, POT) == 3, "the pot to be set");
    b = copy;
    expectEqual(b.beans(NORTH, POT), 0, "beans in the pot after an assignment");

    Board least(INT_MIN, INT_MIN);
    expectEqual(least.holes(), 1, "holes of the smallest board");
    expectEqual(least.totalBeans(), 0, "its beans");

    Board laps(1, INT_MAX);
    expect(laps.sow(NORTH, 1, endSide, endHole), "715827882 laps to be sown");
    expectEqual(laps.totalBeans(), INT_MAX, "a total of 2^32-2");
    expectEqual(laps.beans(NORTH, POT), 715827883, "beans in the pot after the laps");
    expect(endSide == NORTH && endHole == POT, "2^31-1 = 3 * 715827882 + 1 beans to end in the pot");
}

// Never answers with a hole.
class IllegalPlayer : public Player
{
public:
    IllegalPlayer() : Player("Illegal")
    {
    }
    int chooseMove(const Board&, Side) const override
    {
        return INT_MIN;
    }
};

void games()
{
    const BadPlayer bad("Bart");
    const SmartPlayer smart("Lisa");
    BadPlayer south("Marge");
    IllegalPlayer north;
    OutputCapture out(std::cout), err(std::cerr);

    Game game(Board(INT_MAX, 4), &south, &north);
    game.display();
    const std::string text = out.text();
    expect(text.size() < MAX_TEXT, "a display of the largest board that ends");
    expect(text.find("2147483647") != std::string::npos, "the last hole to be shown");
    for (int turn = 0; turn < 6; turn++)
        for (Side s : { SOUTH, NORTH, NORTH, SOUTH })
            expect(game.move(s), "the game to go on");
    expect(out.text().size() < 100 * MAX_TEXT, "a report of turns in a few words");

    // An empty row is not searched.
    const Board empty(INT_MAX, 0);
    expectEqual(bad.chooseMove(empty, SOUTH), -1, "a bad player's move on an empty board");
    expectEqual(smart.chooseMove(empty, NORTH), -1, "a smart player's move on an empty board");
    Game stuck(empty, &south, &north);
    expect(!stuck.move(NORTH), "nothing to be sown on an empty board");

    // The sweep of a row ends when no beans are left.
    for (int hole : { 1, 30, INT_MAX - 30, INT_MAX })
    {
        Board b(empty);
        b.setBeans(SOUTH, hole, INT_MAX);
        Game swept(b, &south, &north);
        expect(!swept.move(NORTH), "North to have nothing to sow");
        expectEqual(swept.beans(SOUTH, hole), 0, "beans after the sweep");
        expectEqual(swept.beans(SOUTH, POT), INT_MAX, "beans swept into the pot");
        bool over = false, hasWinner = false;
        Side winner = NORTH;
        swept.status(over, hasWinner, winner);
        expect(over && hasWinner && winner == SOUTH, "South to win");
    }

    // A row with more beans than the largest int is swept completely.
    Board crowded(40, 0);
    for (int hole = 1; hole <= 40; hole++)
        crowded.setBeans(NORTH, hole, INT_MAX);
    Game heavy(crowded, &south, &north);
    expect(!heavy.move(SOUTH), "South to have nothing to sow");
    for (int hole = 1; hole <= 40; hole++)
        expectEqual(heavy.beans(NORTH, hole), 0, "beans after the sweep of 40 full holes");

    BadPlayer other("Homer");
    Game laps(Board(1, INT_MAX), &south, &other);
    laps.play();
    expectEqual(laps.beans(SOUTH, 1), 0, "beans after a game of many laps");
}

void smartPlayerAcceptsBoardsBeyondTheEngine()
{
    const SmartPlayer smart("Lisa");
    expect(Board(27, 1).beans(SOUTH, smart.chooseMove(Board(27, 1), SOUTH)) == 1,
           "a legal move on 27 holes");
    Board b(26, 0);
    b.setBeans(NORTH, 25, 65536);
    expectEqual(smart.chooseMove(b, NORTH), 25, "the only move with 65536 beans");
    b.setBeans(NORTH, 25, 2);
    b.setBeans(SOUTH, POT, INT_MAX);
    b.setBeans(NORTH, POT, INT_MAX);
    expectEqual(smart.chooseMove(b, NORTH), 25, "the only move with full pots");
    expectEqual(smart.chooseMove(b, SOUTH), -1, "no move");
    const int hole = smart.chooseMove(Board(INT_MAX, INT_MAX), NORTH);
    expect(hole >= 1, "a legal move on the largest board");
}

void humanPlayers()
{
    const HumanPlayer marge("Marge");
    OutputCapture out(std::cout);
    InputRedirect in("2147483648\n-2147483649\n0\n2147483647\n");
    expectEqual(marge.chooseMove(Board(INT_MAX, 1), SOUTH), INT_MAX, "the last hole");
    expectEqual(marge.chooseMove(Board(INT_MAX, 0), SOUTH), -1, "no move on an empty board");
}

}

int main()
{
    const std::clock_t start = std::clock();
    boards();
    games();
    smartPlayerAcceptsBoardsBeyondTheEngine();
    humanPlayers();
    const std::clock_t elapsed = std::clock() - start;
    expect(elapsed < MAX_SECONDS * CLOCKS_PER_SEC, "no loop over all holes");
}
