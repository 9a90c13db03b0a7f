#include "Game.h"

#include "Board.h"
#include "Player.h"
#include "Side.h"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

// The number of illegal answers after which a hole is sown for the player.
const int MAX_ANSWERS = 3;

std::string sideName(Side s)
{
    return s == NORTH ? "North" : "South";
}

std::string beansText(int beans)
{
    return std::to_string(beans) + (beans == 1 ? " bean" : " beans");
}

// A board as text: North's row above South's, each pot at its end of the board. A board that is
// wider than a line is drawn in blocks below one another. Of a board with more than
// 2 * MAX_HOLES_AT_AN_END holes a side only the two ends are drawn.
class Drawing
{
public:
    explicit Drawing(const Board& b)
     : m_board(b), m_northPot(std::to_string(b.beans(NORTH, POT))),
       m_southPot(std::to_string(b.beans(SOUTH, POT))),
       m_width(std::to_string(b.holes()).size())
    {
        const int holes = b.holes();
        if (holes <= 2 * MAX_HOLES_AT_AN_END)
        {
            measure(1, holes);
            draw(1, holes);
            return;
        }
        const int left = MAX_HOLES_AT_AN_END;
        const int right = holes - (MAX_HOLES_AT_AN_END - 1);
        measure(1, left);
        measure(right, holes);
        draw(1, left);
        m_text += "... holes " + std::to_string(left + 1) + " to " + std::to_string(right - 1)
                  + " are not shown ...\n";
        draw(right, holes);
    }

    const std::string& text() const
    {
        return m_text;
    }

private:
    static const int MAX_HOLES_AT_AN_END = 50;
    static const std::size_t LINE_WIDTH = 80;

    // Widens the columns for the counts of these holes.
    void measure(int first, int last)
    {
        for (int i = 0; i <= last - first; i++)
            for (Side s : { NORTH, SOUTH })
                m_width = std::max(m_width, std::to_string(m_board.beans(s, first + i)).size());
    }

    // Draws these holes in as many blocks as they take.
    void draw(int first, int last)
    {
        const std::size_t pots = m_northPot.size() + m_southPot.size() + 3;
        const std::size_t room = LINE_WIDTH > pots ? LINE_WIDTH - pots : 0;
        const int most = std::max(1, static_cast<int>(room / (m_width + 3)));
        for (;;)
        {
            const int end = first + std::min(most - 1, last - first);
            drawBlock(first, end);
            if (end == last)
                return;
            first = end + 1;
        }
    }

    void drawBlock(int first, int last)
    {
        const std::string margin(m_northPot.size() + 1, ' ');
        std::string numbers, north, south, rule;
        for (int i = 0; i <= last - first; i++)
        {
            const int hole = first + i;
            numbers += (i == 0 ? "  " : "   ") + padded(hole);
            north += "| " + padded(m_board.beans(NORTH, hole)) + " ";
            south += "| " + padded(m_board.beans(SOUTH, hole)) + " ";
            rule += "+" + std::string(m_width + 2, '-');
        }
        const std::string northPot = first == 1 ? m_northPot + " " : margin;
        const std::string southPot = last == m_board.holes() ? " " + m_southPot : "";
        m_text += margin + numbers + "\n";
        m_text += margin + rule + "+\n";
        m_text += margin + north + "|\n";
        m_text += northPot + rule + "+" + southPot + "\n";
        m_text += margin + south + "|\n";
        m_text += margin + rule + "+\n";
    }

    std::string padded(int number) const
    {
        const std::string digits = std::to_string(number);
        return std::string(m_width - std::min(m_width, digits.size()), ' ') + digits;
    }

    const Board& m_board;
    const std::string m_northPot;
    const std::string m_southPot;
    std::size_t m_width;
    std::string m_text;
};

}

Game::Game(const Board& b, Player* south, Player* north)
 : m_board(b), m_south(south), m_north(north), m_toMove(SOUTH), m_over(false)
{
}

void Game::display() const
{
    std::cout << "North: " << m_north->name() << "\n"
              << Drawing(m_board).text() << "South: " << m_south->name() << std::endl;
}

void Game::status(bool& over, bool& hasWinner, Side& winner) const
{
    over = m_over;
    if (m_over)
        hasWinner = kalah_front::findWinner(beans(SOUTH, POT), beans(NORTH, POT), winner);
}

bool Game::move(Side s)
{
    while (!kalah_front::isOver(m_board, s))
    {
        Side endSide = s;
        int endHole = POT;
        sowOneHole(s, endSide, endHole);
        const kalah_front::SowEffect effect =
            kalah_front::sowEffectOf(m_board, s, endSide, endHole);
        if (effect.kind == kalah_front::SowEffect::BONUS_TURN)
        {
            std::cout << "The last bean falls into the own pot: a bonus turn for " << title(s)
                      << "." << std::endl;
            display();
            continue;
        }
        if (effect.kind == kalah_front::SowEffect::CAPTURE)
        {
            std::cout << title(s) << " captures " << beansText(beans(opponent(s), effect.from))
                      << " from hole " << effect.from << "." << std::endl;
            m_board.moveToPot(s, effect.hole, s);
            m_board.moveToPot(opponent(s), effect.from, s);
        }
        m_toMove = opponent(s);
        return true;
    }

    const int left = m_board.beansInPlay(opponent(s));
    std::cout << title(s) << " has nothing to sow. The remaining " << beansText(left)
              << " go to the pot of " << title(opponent(s)) << "." << std::endl;
    for (Side owner : { NORTH, SOUTH })
        sweep(owner);
    m_over = true;
    return false;
}

void Game::play()
{
    if (!m_over)
    {
        bool waits = !m_south->isInteractive() && !m_north->isInteractive();
        display();
        while (move(m_toMove))
        {
            display();
            if (waits)
            {
                std::cout << "Press ENTER to continue. " << std::flush;
                std::string line;
                if (!std::getline(std::cin, line))
                {
                    // The input has ended.
                    std::cout << std::endl;
                    waits = false;
                }
            }
        }
        display();
    }
    announce();
}

int Game::beans(Side s, int hole) const
{
    return m_board.beans(s, hole);
}

std::string Game::title(Side s) const
{
    return (s == NORTH ? m_north : m_south)->name() + " (" + sideName(s) + ")";
}

// Sows the hole that the player of side s chooses, or the first nonempty hole after MAX_ANSWERS
// illegal answers.
void Game::sowOneHole(Side s, Side& endSide, int& endHole)
{
    const Player& player = *(s == NORTH ? m_north : m_south);
    for (int answers = 1; answers <= MAX_ANSWERS; answers++)
    {
        const int hole = player.chooseMove(m_board, s);
        if (sow(s, hole, endSide, endHole))
            return;
        std::cerr << title(s) << " answers " << hole << ", which is no hole of " << sideName(s)
                  << " with beans in it." << std::endl;
    }
    const int hole = kalah_front::firstHole(m_board, s);
    std::cerr << "Hole " << hole << " is sown for " << title(s) << "." << std::endl;
    if (!sow(s, hole, endSide, endHole))
        throw std::logic_error(
            "Game::move: Board::beansInPlay counts beans that Board::sow does not find");
}

// Sows the hole and reports it, or returns false if the board refuses.
bool Game::sow(Side s, int hole, Side& endSide, int& endHole)
{
    const int beansToSow = m_board.beans(s, hole);
    if (!m_board.sow(s, hole, endSide, endHole))
        return false;
    std::cout << title(s) << " sows " << beansText(beansToSow) << " from hole " << hole << "."
              << std::endl;
    return true;
}

// Moves all beans in the holes of side s into its pot.
void Game::sweep(Side s)
{
    // A row may have two thousand million holes. The search runs from both ends and stops when no
    // beans are left. A total that does not fit an int is read as the largest int, so the count is
    // read again when it reaches 0.
    int first = 1;
    int last = m_board.holes();
    int left = 0;
    while (first <= last && (left > 0 || (left = m_board.beansInPlay(s)) > 0))
    {
        for (int hole : { first, last })
        {
            left -= std::min(left, m_board.beans(s, hole));
            m_board.moveToPot(s, hole, s);
        }
        first++;
        last--;
    }
}

void Game::announce() const
{
    const int south = beans(SOUTH, POT);
    const int north = beans(NORTH, POT);
    Side winner;
    if (kalah_front::findWinner(south, north, winner))
        std::cout << "The game is over: " << title(winner) << " wins, "
                  << std::max(south, north) << " to " << std::min(south, north) << "."
                  << std::endl;
    else
        std::cout << "The game is over: a tie, " << beansText(south) << " each." << std::endl;
}
