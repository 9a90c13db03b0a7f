#ifndef KIT_OUTCOME_H
#define KIT_OUTCOME_H

#include "Game.h"
#include "Side.h"
#include "model.h"

#include <cstddef>
#include <string>
#include <vector>

// Assertions about a game. Each of them fails the check if it does not hold; `where` names the steps
// before.
namespace kit {

// "1 time", "2 times".
std::string times_text(std::size_t count);

// "3, 1".
std::string answers_text(const std::vector<int>& answers);

// A model of these holes, from left to right, and pots.
Model position(const std::vector<int>& north, const std::vector<int>& south, int north_pot = 0,
               int south_pot = 0);

// The game has the counts of the model.
void need_same(const Model& right, const Game& game, const std::string& where);

// The game is not over, and status leaves its other arguments unchanged.
void need_not_over(const Game& game, const std::string& where);

// The game is over and this side has won it.
void need_won(const Game& game, Side right, const std::string& where);

// The game is over and a tie.
void need_tie(const Game& game, const std::string& where);

}

#endif
