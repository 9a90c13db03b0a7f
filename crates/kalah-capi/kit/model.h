#ifndef KIT_MODEL_H
#define KIT_MODEL_H

#include "Board.h"
#include "Side.h"
#include "chance.h"

#include <string>
#include <vector>

// The game once more, in the most obvious way: what the code under test must agree with.
namespace kit {

// "North" or "South".
std::string side_name(Side s);

// "South's hole 3", "North's pot".
std::string pit_name(Side s, int hole);

// "1 bean", "2 beans".
std::string counted(int beans);

// A board as two rows of numbers, each from left to right, and two pots.
struct Model
{
    std::vector<int> row[NSIDES];
    int pot[NSIDES];

    // All holes alike, and empty pots.
    static Model full(int holes, int beans);

    // Any board of up to that many holes with up to that many beans in each.
    static Model random(Chance& chance, int most_holes, int most_beans);

    // What a board holds, as it says itself.
    static Model of(const Board& b);

    int holes() const;
    int& at(Side s, int hole);
    int at(Side s, int hole) const;
    int in_play(Side s) const;
    int total() const;

    // Whether that is a hole that side s can sow.
    bool can_sow(Side s, int hole) const;
    // The first hole that side s can sow, or -1.
    int first_hole(Side s) const;
    // All holes that side s can sow.
    std::vector<int> legal_holes(Side s) const;

    // Where the last bean of a sowing fell.
    struct End
    {
        Side side;
        int hole;
    };
    // Sows a hole that can be sown.
    End sow(Side s, int hole);

    // What a sowing brings about by the rules of the assignment.
    enum Effect { TURN_PASSES, BONUS_TURN };
    // Sows a hole that can be sown, and captures.
    Effect play(Side s, int hole);
    // Moves each row into the pot of its side.
    void sweep();

    // A board that holds this, made with setBeans.
    Board board() const;

    // The numbers, as one line.
    std::string text() const;
};

// What differs between a board and what it should be, in words, or nothing. Whoever tells the
// number of beans in a hole is asked: a Board or a Game.
template<typename Teller>
std::string difference(const Model& right, const Teller& teller)
{
    for (Side s : { NORTH, SOUTH })
        for (int hole = 0; hole <= right.holes(); hole++)
        {
            const int beans = teller.beans(s, hole);
            if (beans != right.at(s, hole))
                return pit_name(s, hole) + " should hold " + counted(right.at(s, hole))
                       + "; yours says " + std::to_string(beans);
        }
    return "";
}

}

#endif
