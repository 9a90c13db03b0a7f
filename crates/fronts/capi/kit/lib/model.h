#ifndef KIT_MODEL_H
#define KIT_MODEL_H

#include "Board.h"
#include "Side.h"
#include "checker.h"
#include "rng.h"

#include <string>
#include <vector>

// A simple implementation of the game, with which the code under test must agree.
namespace kit {

// "North" or "South".
std::string side_name(Side s);

// "South's hole 3", "North's pot".
std::string pit_name(Side s, int hole);

// "1 hole", "2 holes".
std::string holes_text(int holes);

// "1 bean", "2 beans".
std::string beans_text(int beans);

// A board as two rows of numbers, each from left to right, and two pots.
struct Model
{
    std::vector<int> row[NSIDES];
    int pot[NSIDES];

    // The same number of beans in all holes, and empty pots.
    static Model full(int holes, int beans);

    // A random board with these maximum numbers of holes a side and of beans in each hole.
    static Model random(Rng& rng, int most_holes, int most_beans);

    // Reads the counts of a board.
    static Model of(const Board& b);

    int holes() const;
    int& at(Side s, int hole);
    int at(Side s, int hole) const;
    int in_play(Side s) const;
    int total() const;

    // Returns whether side s can sow the hole.
    bool can_sow(Side s, int hole) const;
    // The first hole that side s can sow, or -1.
    int first_hole(Side s) const;
    // All holes that side s can sow.
    std::vector<int> legal_holes(Side s) const;

    // The hole or pot of the last bean of a sowing.
    struct End
    {
        Side side;
        int hole;
    };
    // Sows a hole that can be sown.
    End sow(Side s, int hole);

    // The effect of a sowing under the rules of the assignment.
    enum Effect { TURN_PASSES, BONUS_TURN };
    // Sows a hole that can be sown, and captures.
    Effect play(Side s, int hole);
    // Moves each row into the pot of its side.
    void sweep();

    // Creates a board with these counts through setBeans.
    Board board() const;

    // The numbers, as one line.
    std::string text() const;
};

// Names the member that a difference reads.
inline const char* beans_member(const Board&)
{
    return "Board::beans";
}
template<typename Counts>
const char* beans_member(const Counts&)
{
    return "Game::beans";
}

// Describes the first difference between the model and the counts of a Board or a Game; empty if
// there is none.
template<typename Counts>
std::string difference(const Model& right, const Counts& counts)
{
    for (Side s : { NORTH, SOUTH })
        for (int hole = 0; hole <= right.holes(); hole++)
        {
            const int beans = CALL(beans_member(counts), counts.beans(s, hole));
            if (beans != right.at(s, hole))
                return pit_name(s, hole) + " should hold " + beans_text(right.at(s, hole))
                       + "; yours says " + std::to_string(beans);
        }
    return "";
}

}

#endif
