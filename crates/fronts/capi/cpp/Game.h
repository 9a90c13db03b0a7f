#ifndef KALAH_GAME_H
#define KALAH_GAME_H

#include "Board.h"
#include "Player.h"
#include "Side.h"

#include <string>

// A game of two players on its own copy of a board. The players must outlive the game. A copy of a
// game continues independently, with the same players.
class Game
{
public:
    // South moves first.
    Game(const Board& b, Player* south, Player* north);

    // Shows the board with the names of both players.
    void display() const;

    // Sets over to whether move has returned false. If it has, sets hasWinner to whether a side has
    // won, and in that case winner to that side. The other arguments keep their values.
    void status(bool& over, bool& hasWinner, Side& winner) const;

    // Makes one complete turn of the player of side s: sowing, bonus turns, capture. Returns false
    // if s has no beans to sow before the turn is complete: then the remaining beans have been
    // moved into the pots of their sides, and the game is over.
    //
    // A player that answers with a hole that cannot be sown is asked again. After three such
    // answers the first nonempty hole is sown for it.
    bool move(Side s);

    // Plays the game to its end, from the side to move on, and announces the winner.
    void play();

    // Returns the result of Board::beans.
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
