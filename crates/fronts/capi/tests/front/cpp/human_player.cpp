// The answers that a HumanPlayer accepts.

#include "Board.h"
#include "Player.h"
#include "Side.h"
#include "expect.h"

#include <string>

namespace {

const HumanPlayer MARGE("Marge");

// Returns the choice after this line and a final line 6; hole 1 is empty.
int answer(const std::string& line)
{
    Board b(6, 4);
    b.setBeans(SOUTH, 1, 0);
    InputRedirect in(line + "\n6\n");
    return MARGE.chooseMove(b, SOUTH);
}

}

int main()
{
    OutputCapture out(std::cout);
    for (const std::string line : { "3", " 3 ", "3\r", "\t3", "003", "+3" })
        expectEqual(answer(line), 3, "the answer to \"" + line + "\"");
    // A line with more than one number is refused: the second hole would be meant for a bonus turn
    // that may not happen.
    for (const std::string line :
         { "3 4", "3x", "x3", "3.0", "0x3", "3,", "", " ", "-3", "1", "7", "0", "2147483648",
           "4294967299", "-4294967293", "three", "3\n" })
        expectEqual(answer(line), line == "3\n" ? 3 : 6, "the answer to \"" + line + "\"");

    // An earlier failure of main to read a number does not end the input.
    {
        InputRedirect in("word\n5\n");
        int number = 0;
        std::cin >> number;
        expectEqual(MARGE.chooseMove(Board(6, 4), SOUTH), 5, "the answer after a failure");
    }
    // After the end of input every call returns a hole.
    {
        OutputCapture err(std::cerr);
        InputRedirect in("");
        for (int i = 0; i < 3; i++)
            expectEqual(MARGE.chooseMove(Board(6, 4), NORTH), 1, "the answer after the end");
        expect(err.text().find("The input has ended: hole 1 is chosen for Marge.")
                   != std::string::npos,
               "the end of input on cerr");
    }
    expect(out.text().find("Marge, choose a hole (1 to 6): ") == 0, "a question");
    expect(out.text().find("Hole 1 is empty.") != std::string::npos, "a reason");
    expect(out.text().find("There is no hole 7.") != std::string::npos, "a reason");
}
