#ifndef KALAH_PLAYER_H
#define KALAH_PLAYER_H

#include "Board.h"
#include "Side.h"

#include <string>

// A player, which chooses moves.
class Player
{
public:
    Player(std::string name);
    virtual ~Player();

    std::string name() const;

    // Returns whether a person answers at the keyboard.
    virtual bool isInteractive() const;

    // Returns the hole of side s to sow on board b, or -1 if s cannot move.
    virtual int chooseMove(const Board& b, Side s) const = 0;

private:
    std::string m_name;
};

// A person at the keyboard. Asks on cout and reads lines from cin until a line is a hole that can be
// sown. At the end of input it chooses the first such hole and reports that on cerr.
class HumanPlayer : public Player
{
public:
    HumanPlayer(std::string name);
    bool isInteractive() const override;
    int chooseMove(const Board& b, Side s) const override;
};

// Sows the first nonempty hole.
class BadPlayer : public Player
{
public:
    BadPlayer(std::string name);
    int chooseMove(const Board& b, Side s) const override;
};

// Sows the choice of the engine, within five seconds.
class SmartPlayer : public Player
{
public:
    SmartPlayer(std::string name);
    int chooseMove(const Board& b, Side s) const override;
};

#endif
