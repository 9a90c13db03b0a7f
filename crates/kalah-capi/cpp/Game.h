#ifndef KALAH_GAME_H
#define KALAH_GAME_H

#include "Board.h"
#include "Player.h"
#include "Side.h"

#include <string>

// A game of two players on a board of its own. The players must outlive the game; a copy of a game
// goes on by itself, with the same players.
class Game
{
public:
    // South moves first.
    Game(const Board& b, Player* south, Player* north);

    // Shows the board with the names of both players.
    void display() const;

    // over is whether move has returned false. If so, hasWinner is whether somebody has won, and
    // if so, winner is who; what is not said is not touched.
    void status(bool& over, bool& hasWinner, Side& winner) const;

    // Makes one complete turn of the player on side s: sowing, bonus turns, capture. False if s
    // came to have nothing to sow: the beans on the board have been swept, and the game is over.
    //
    // A player that answers with a hole that cannot be sown is asked again, and after three such
    // answers the first hole that can be is sown for it.
    bool move(Side s);

    // Plays the game to its end and announces who has won. Goes on with the side whose turn it is.
    void play();

    // As Board's.
    int beans(Side s, int hole) const;

private:
    std::string title(Side s) const;
    void sowOneHole(Side s, Side& endSide, int& endHole);
    bool sow(Side s, int hole, Side& endSide, int& endHole);
    void sweep(Side s);
    void announce() const;

    Board m_board;
    Player* m_south;
    Player* m_north;
    Side m_toMove;
    bool m_over;
};

#endif
