// Custom players: one that plays, and some that answer nonsense or throw.

#include "Board.h"
#include "Game.h"
#include "Player.h"
#include "Side.h"
#include "expect.h"

#include <climits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Sows the fullest hole.
class GreedyPlayer : public Player
{
public:
    GreedyPlayer(std::string name) : Player(name)
    {
    }
    int chooseMove(const Board& b, Side s) const override
    {
        int best = -1;
        for (int hole = 1; hole <= b.holes(); hole++)
            if (b.beans(s, hole) > (best == -1 ? 0 : b.beans(s, best)))
                best = hole;
        return best;
    }
};

// Answers with invalid numbers, in a cycle.
class IllegalPlayer : public Player
{
public:
    IllegalPlayer(std::string name, bool interactive) : Player(name), m_interactive(interactive)
    {
    }
    bool isInteractive() const override
    {
        return m_interactive;
    }
    int chooseMove(const Board& b, Side) const override
    {
        const std::vector<int> numbers = { -1, 0, b.holes() + 1, INT_MAX, INT_MIN, -2, 1000000 };
        return numbers[m_requests++ % numbers.size()];
    }

private:
    bool m_interactive;
    mutable std::size_t m_requests = 0;
};

// Sows the first hole, but throws on request.
class ThrowingPlayer : public Player
{
public:
    ThrowingPlayer(std::string name) : Player(name)
    {
    }
    int chooseMove(const Board& b, Side s) const override
    {
        if (throwsIn-- == 0)
            throw std::runtime_error("no idea");
        return BadPlayer("").chooseMove(b, s);
    }
    mutable int throwsIn = 0;
};

int total(const Game& game, int holes)
{
    int sum = 0;
    for (Side s : { NORTH, SOUTH })
        for (int hole = 0; hole <= holes; hole++)
            sum += game.beans(s, hole);
    return sum;
}

void customPlayerPlays()
{
    OutputCapture out(std::cout);
    GreedyPlayer south("Marge");
    BadPlayer north("Homer");
    Game game(Board(6, 4), &south, &north);
    game.play();
    bool over = false, hasWinner = false;
    Side winner = NORTH;
    game.status(over, hasWinner, winner);
    expect(over, "the game to be over");
    expectEqual(game.beans(SOUTH, POT) + game.beans(NORTH, POT), 48, "beans in the pots");
    if (hasWinner)
        expect(out.text().find(winner == SOUTH ? "Marge (South) wins" : "Homer (North) wins")
                   != std::string::npos,
               "the winner to be announced");
}

void illegalAnswersAreReplaced(bool interactive)
{
    OutputCapture out(std::cout), err(std::cerr);
    InputRedirect in("kept\n");
    IllegalPlayer south("Bart", interactive), north("Homer", interactive);
    Game game(Board(4, 3), &south, &north);
    Side s = SOUTH;
    while (game.move(s))
    {
        expectEqual(total(game, 4), 24, "beans on the board");
        s = opponent(s);
    }
    expectEqual(total(game, 4), 24, "beans on the board at the end");
    expect(err.text().find("Bart (South) answers -1") != std::string::npos,
           "the illegal answer to be quoted");
    Game again(Board(4, 3), &south, &north);
    again.play();
    std::string line;
    const bool read = !std::getline(std::cin, line);
    expect(read != interactive, "play to read cin only when no player is interactive");
}

void exceptionsOfAPlayerReachTheCaller()
{
    OutputCapture out(std::cout), err(std::cerr);
    ThrowingPlayer south("Marge");
    BadPlayer north("Homer");
    // Hole 1 gives South a bonus turn on this board, and then hole 2 does not.
    Board b(2, 2);
    b.setBeans(SOUTH, 2, 3);
    const Game before(b, &south, &north);

    Game game(before);
    south.throwsIn = 0;
    bool caught = false;
    try
    {
        game.move(SOUTH);
    }
    catch (const std::runtime_error& thrown)
    {
        caught = thrown.what() == std::string("no idea");
    }
    expect(caught, "the player's own exception");
    expectEqual(game.beans(SOUTH, 1), 2, "beans in hole 1 as before");

    south.throwsIn = 1;
    caught = false;
    try
    {
        game.play();
    }
    catch (const std::runtime_error&)
    {
        caught = true;
    }
    expect(caught, "the player's own exception at its bonus turn");
    expectEqual(total(game, 2), 9, "beans on the board");
    bool over = true, hasWinner = true;
    Side winner = NORTH;
    game.status(over, hasWinner, winner);
    expect(!over, "the game to go on");

    south.throwsIn = -1;
    game.play();
    expectEqual(game.beans(SOUTH, POT) + game.beans(NORTH, POT), 9, "beans in the pots");
    expectEqual(before.beans(SOUTH, 1), 2, "beans of the game that was copied from");
}

}

int main()
{
    customPlayerPlays();
    illegalAnswersAreReplaced(false);
    illegalAnswersAreReplaced(true);
    exceptionsOfAPlayerReachTheCaller();
}
