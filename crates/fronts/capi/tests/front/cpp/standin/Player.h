// A stand-in with only the assignment's members and the fewest possible includes.
#ifndef PLAYER_INCLUDED
#define PLAYER_INCLUDED
#include "Side.h"
#include <string>

class Board;

class Player
{
public:
    Player(std::string name) : nm(name) {}
    virtual ~Player() {}
    std::string name() const { return nm; }
    virtual bool isInteractive() const { return false; }
    virtual int chooseMove(const Board& b, Side s) const = 0;

private:
    std::string nm;
};

class HumanPlayer : public Player
{
public:
    HumanPlayer(std::string name) : Player(name) {}
    virtual bool isInteractive() const { return true; }
    virtual int chooseMove(const Board& b, Side s) const;
};

class BadPlayer : public Player
{
public:
    BadPlayer(std::string name) : Player(name) {}
    virtual int chooseMove(const Board& b, Side s) const;
};

class SmartPlayer : public Player
{
public:
    SmartPlayer(std::string name) : Player(name) {}
    virtual int chooseMove(const Board& b, Side s) const;
};
#endif
