#ifndef KIT_OUTCOME_H
#define KIT_OUTCOME_H

#include "Game.h"
#include "Side.h"
#include "model.h"

#include <cstddef>
#include <string>
#include <vector>

// What has become of a game. Each of these ends the check if it is not so; where says after what.
namespace kit {

// "1 time", "2 times".
std::string times(std::size_t count);

// "3, 1".
std::string answers_text(const std::vector<int>& answers);

// A board of these holes, from left to right, and pots.
Model position(const std::vector<int>& north, const std::vector<int>& south, int north_pot = 0,
               int south_pot = 0);

// The game holds what the model holds.
void need_same(const Model& right, const Game& game, const std::string& where);

// The game is not over, and status touches nothing else.
void need_not_over(const Game& game, const std::string& where);

// The game is over and this side has won it.
void need_won(const Game& game, Side right, const std::string& where);

// The game is over and nobody has won it.
void need_tie(const Game& game, const std::string& where);

}

#endif
