#include "Player.h"
#include "Board.h"
#include <cstdlib>
#include <iostream>
#include <string>

// Returns the last nonempty hole, or -1.
static int lastHole(const Board& b, Side s)
{
    int hole = b.holes();
    while (hole > 0 && b.beans(s, hole) == 0)
        hole--;
    return hole > 0 ? hole : -1;
}

int HumanPlayer::chooseMove(const Board& b, Side s) const
{
    if (lastHole(b, s) == -1)
        return -1;
    for (;;)
    {
        std::cout << name() << "? ";
        std::string line;
        if (!std::getline(std::cin, line))
        {
            std::cerr << "no more input\n";
            int hole = 1;
            while (b.beans(s, hole) == 0)
                hole++;
            return hole;
        }
        char* end = nullptr;
        const long hole = std::strtol(line.c_str(), &end, 10);
        if (end != line.c_str() && *end == '\0' && hole > 0 && hole <= b.holes()
            && b.beans(s, int(hole)) > 0)
            return int(hole);
    }
}

int BadPlayer::chooseMove(const Board& b, Side s) const
{
    return lastHole(b, s);
}

int SmartPlayer::chooseMove(const Board& b, Side s) const
{
    return lastHole(b, s);
}
