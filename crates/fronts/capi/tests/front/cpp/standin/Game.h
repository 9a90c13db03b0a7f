// A stand-in: an independent implementation of the rules.
#ifndef GAME_INCLUDED
#define GAME_INCLUDED
#include "Board.h"
#include "Side.h"

class Player;

class Game
{
public:
    Game(const Board& b, Player* south, Player* north);
    void display() const;
    void status(bool& over, bool& hasWinner, Side& winner) const;
    bool move(Side s);
    void play();
    int beans(Side s, int hole) const;

private:
    Board board;
    Player* players[NSIDES];
    bool over;
};
#endif
