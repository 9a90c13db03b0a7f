// Behaviour of Game that the assignment does not prescribe.

#include "Board.h"
#include "Game.h"
#include "Player.h"
#include "Side.h"
#include "expect.h"

#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

namespace {

BadPlayer south("Marge");
BadPlayer north("Homer");

std::vector<std::string> lines(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> result;
    for (std::string line; std::getline(stream, line);)
        result.push_back(line);
    return result;
}

std::string displayText(const Board& b)
{
    OutputCapture out(std::cout);
    Game(b, &south, &north).display();
    return out.text();
}

void displayDrawsTheBoard()
{
    Board b(3, 2);
    b.setBeans(NORTH, 1, 10);
    b.setBeans(SOUTH, POT, 7);
    expect(displayText(b)
               == "North: Homer\n"
                  "     1    2    3\n"
                  "  +----+----+----+\n"
                  "  | 10 |  2 |  2 |\n"
                  "0 +----+----+----+ 7\n"
                  "  |  2 |  2 |  2 |\n"
                  "  +----+----+----+\n"
                  "South: Marge\n",
           "this drawing, not\n" + displayText(b));
}

void displayWrapsWideBoards()
{
    for (int holes : { 19, 20, 99, 100, 101, 5000 })
        for (const std::string& line : lines(displayText(Board(holes, 1000))))
            expect(line.size() <= 80, "lines of 80 characters, not " + line);
    expect(displayText(Board(100, 1)).find("not shown") == std::string::npos,
           "100 holes to be shown");
    expect(displayText(Board(101, 1)).find("... holes 51 to 51 are not shown ...")
               != std::string::npos,
           "the middle of 101 holes not to be shown");
}

void displayRestoresTheStreamState()
{
    OutputCapture out(std::cout);
    Board b(1, 26);
    std::cout << std::hex << std::showbase << std::setfill('*');
    Game(b, &south, &north).display();
    std::cout << 255 << std::dec << std::noshowbase << std::setfill(' ');
    expect(out.text().find("| 26 |") != std::string::npos, "decimal numbers");
    expect(out.text().find("0xff") != std::string::npos, "the state of cout as it was");
}

void playContinuesAGame()
{
    OutputCapture out(std::cout);
    Game game(Board(6, 4), &south, &north);
    game.move(SOUTH);
    Game copy(game);
    Game alternating(game);

    game.play();
    expect(copy.beans(SOUTH, 1) == 0 && copy.beans(NORTH, 1) == 4, "the copy to be as it was");
    copy.play();
    for (Side s = NORTH; alternating.move(s); s = opponent(s))
        ;
    for (Side s : { NORTH, SOUTH })
    {
        expectEqual(game.beans(s, POT), alternating.beans(s, POT), "beans in the pot");
        expectEqual(copy.beans(s, POT), alternating.beans(s, POT), "beans in the copy's pot");
    }
    copy = Game(Board(3, 2), &south, &north);
    expectEqual(copy.beans(SOUTH, 1), 2, "beans after an assignment");
}

void playOfAFinishedGameAnnouncesTheWinner()
{
    Board b(3, 0);
    b.setBeans(NORTH, POT, 5);
    b.setBeans(SOUTH, POT, 4);
    Game game(b, &south, &north);
    {
        OutputCapture out(std::cout);
        game.move(SOUTH);
    }
    OutputCapture out(std::cout);
    game.play();
    expect(out.text() == "The game is over: Homer (North) wins, 5 to 4.\n",
           "the announcement alone, not " + out.text());
}

void playWaitsForEnter()
{
    OutputCapture out(std::cout);
    // Two lines, and then the end of input.
    InputRedirect in("\nsomething\n");
    Game game(Board(6, 4), &south, &north);
    game.play();
    std::size_t prompts = 0;
    for (const std::string& line : lines(out.text()))
        if (line.find("Press ENTER") != std::string::npos)
            prompts++;
    expectEqual(static_cast<long long>(prompts), 3, "how often ENTER is asked for");
}

}

int main()
{
    displayDrawsTheBoard();
    displayWrapsWideBoards();
    displayRestoresTheStreamState();
    playContinuesAGame();
    playOfAFinishedGameAnnouncesTheWinner();
    playWaitsForEnter();
}
