#include "Player.h"

#include "Board.h"
#include "Side.h"

#include <iostream>
#include <locale>
#include <sstream>
#include <string>
#include <utility>

namespace {

// The maximum search time of SmartPlayer. The assignment demands a move within five seconds, which
// a busy machine must keep, too.
const unsigned int THINKING_MILLISECONDS = 2000;

// Returns whether the line is exactly one number that fits an int, and sets number to it if so.
bool readNumber(const std::string& line, int& number)
{
    std::istringstream words(line);
    words.imbue(std::locale::classic());
    int read;
    if (!(words >> read))
        return false;
    words >> std::ws;
    if (!words.eof())
        return false;
    number = read;
    return true;
}

}

Player::Player(std::string name)
 : m_name(std::move(name))
{
}

Player::~Player()
{
}

std::string Player::name() const
{
    return m_name;
}

bool Player::isInteractive() const
{
    return false;
}

HumanPlayer::HumanPlayer(std::string name)
 : Player(std::move(name))
{
}

bool HumanPlayer::isInteractive() const
{
    return true;
}

int HumanPlayer::chooseMove(const Board& b, Side s) const
{
    if (b.beansInPlay(s) <= 0)
        return -1;
    // An earlier failure of the program to read a number does not end the input.
    if (!std::cin.eof() && !std::cin.bad())
        std::cin.clear();

    const std::string holes = b.holes() == 1 ? "1" : "1 to " + std::to_string(b.holes());
    for (;;)
    {
        std::cout << name() << ", choose a hole (" << holes << "): " << std::flush;
        std::string line;
        if (!std::getline(std::cin, line))
        {
            const int hole = kalah_front::firstHole(b, s);
            std::cout << std::endl;
            std::cerr << "The input has ended: hole " << hole << " is chosen for " << name() << "."
                      << std::endl;
            return hole;
        }
        int hole;
        if (!readNumber(line, hole))
            std::cout << "Please type the number of one hole." << std::endl;
        else if (hole == POT || b.beans(s, hole) < 0)
            std::cout << "There is no hole " << hole << "." << std::endl;
        else if (b.beans(s, hole) == 0)
            std::cout << "Hole " << hole << " is empty." << std::endl;
        else
            return hole;
    }
}

BadPlayer::BadPlayer(std::string name)
 : Player(std::move(name))
{
}

int BadPlayer::chooseMove(const Board& b, Side s) const
{
    return kalah_front::firstHole(b, s);
}

SmartPlayer::SmartPlayer(std::string name)
 : Player(std::move(name))
{
}

int SmartPlayer::chooseMove(const Board& b, Side s) const
{
    return kalah_front::engineHole(b, s, THINKING_MILLISECONDS);
}
