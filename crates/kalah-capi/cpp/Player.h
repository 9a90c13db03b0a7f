#ifndef KALAH_PLAYER_H
#define KALAH_PLAYER_H

#include "Board.h"
#include "Side.h"

#include <string>

// Somebody who chooses moves.
class Player
{
public:
    Player(std::string name);
    virtual ~Player();

    std::string name() const;

    // Whether a person answers, at the keyboard.
    virtual bool isInteractive() const;

    // The hole of side s to sow on board b, or -1 when s cannot move.
    virtual int chooseMove(const Board& b, Side s) const = 0;

private:
    std::string m_name;
};

// A person: asked on cout, answers on cin, a line at a time, until the answer is a hole that can
// be sown. At the end of input the first such hole is the answer, and cerr says so.
class HumanPlayer : public Player
{
public:
    HumanPlayer(std::string name);
    bool isInteractive() const override;
    int chooseMove(const Board& b, Side s) const override;
};

// Sows the first hole that it can.
class BadPlayer : public Player
{
public:
    BadPlayer(std::string name);
    int chooseMove(const Board& b, Side s) const override;
};

// Sows what the engine says, after a few seconds at the most.
class SmartPlayer : public Player
{
public:
    SmartPlayer(std::string name);
    int chooseMove(const Board& b, Side s) const override;
};

#endif
