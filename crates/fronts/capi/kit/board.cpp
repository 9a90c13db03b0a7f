// The checks of Board.

#include "Board.h"
#include "Side.h"
#include "checker.h"
#include "model.h"
#include "rng.h"

#include <climits>
#include <string>
#include <vector>

using namespace kit;

namespace {

const Side SIDES[] = { NORTH, SOUTH };

std::string constructor_text(int holes, int beans)
{
    return "Board(" + std::to_string(holes) + ", " + std::to_string(beans) + ")";
}

std::string upper_name(Side s)
{
    return s == NORTH ? "NORTH" : "SOUTH";
}

std::string yes_no(bool b)
{
    return b ? "true" : "false";
}

std::string wrong_count_text(const std::string& where, const std::string& what, int right,
                             int yours)
{
    return where + ": " + what + " should be " + std::to_string(right) + "; yours says "
           + std::to_string(yours);
}

// Compares all counts of a board with the model.
void need_same(const Model& right, const Board& b, const std::string& where)
{
    if (CALL("Board::holes", b.holes()) != right.holes())
        fail(wrong_count_text(where, "holes()", right.holes(), b.holes()));
    const std::string wrong_pit = difference(right, b);
    need(wrong_pit.empty(), where + ": " + wrong_pit);
    for (Side s : SIDES)
        if (CALL("Board::beansInPlay", b.beansInPlay(s)) != right.in_play(s))
            fail(wrong_count_text(where, "beansInPlay(" + upper_name(s) + ")", right.in_play(s),
                                  CALL("Board::beansInPlay", b.beansInPlay(s))));
    if (CALL("Board::totalBeans", b.totalBeans()) != right.total())
        fail(wrong_count_text(where, "totalBeans()", right.total(), b.totalBeans()));
}

// Sows on a board with the counts of the model, and compares the results.
void need_same_sowing(Model right, Board& b, Side s, int hole, const std::string& where)
{
    const std::string what = where + ", sowing " + beans_text(right.at(s, hole))
                             + " from " + pit_name(s, hole);
    set_step(what);
    Side end_side = opponent(s);
    int end_hole = -99;
    const bool sown = CALL("Board::sow", b.sow(s, hole, end_side, end_hole));
    need(sown, what + " should return true; yours returns false");
    const Model::End end = right.sow(s, hole);
    if (end_side != end.side || end_hole != end.hole)
        fail(what + " should end in " + pit_name(end.side, end.hole) + "; your board says "
             + pit_name(end_side, end_hole));
    need_same(right, b, what);
}

// Hole numbers outside a board.
std::vector<int> invalid_holes(int holes)
{
    return { -1, holes + 1, 1000000, INT_MAX, INT_MIN };
}

void new_board()
{
    for (int holes : { 1, 2, 3, 6, 15 })
        for (int beans : { 0, 1, 2, 4, 100 })
        {
            set_step(constructor_text(holes, beans));
            set_call("Board::Board");
            const Board b(holes, beans);
            need_same(Model::full(holes, beans), b, constructor_text(holes, beans));
        }
}

void impossible_board()
{
    for (int holes : { 0, -1, INT_MIN })
    {
        set_step(constructor_text(holes, 2));
        set_call("Board::Board");
        const Board b(holes, 2);
        need_same(Model::full(1, 2), b, constructor_text(holes, 2));
    }
    for (int beans : { -1, INT_MIN })
    {
        set_step(constructor_text(3, beans));
        set_call("Board::Board");
        const Board b(3, beans);
        need_same(Model::full(3, 0), b, constructor_text(3, beans));
    }
    set_step(constructor_text(-1, -1));
    need_same(Model::full(1, 0), Board(-1, -1), constructor_text(-1, -1));
}

void beans_of_no_hole()
{
    for (int holes : { 1, 3, 6 })
    {
        set_call("Board::Board");
        const Board b(holes, 4);
        for (Side s : SIDES)
            for (int hole : invalid_holes(holes))
            {
                const std::string call =
                    "on a board of " + holes_text(holes) + ", beans(" + upper_name(s)
                    + ", " + std::to_string(hole) + ")";
                set_step(call);
                const int beans = CALL("Board::beans", b.beans(s, hole));
                need(beans == -1, call + " should be -1; yours says " + std::to_string(beans));
            }
    }
}

void setting_beans()
{
    Model right = Model::full(3, 2);
    set_call("Board::Board");
    Board b(3, 2);
    int beans = 10;
    for (Side s : SIDES)
        for (int hole = 0; hole <= 3; hole++)
        {
            const std::string call = "setBeans(" + upper_name(s) + ", " + std::to_string(hole)
                                     + ", " + std::to_string(beans) + ")";
            set_step(call);
            const bool set = CALL("Board::setBeans", b.setBeans(s, hole, beans));
            need(set, call + " should return true; yours returns false");
            right.at(s, hole) = beans;
            need_same(right, b, "after " + call);
            beans += 7;
        }
    need(CALL("Board::setBeans", b.setBeans(SOUTH, 2, 0)),
         "setBeans(SOUTH, 2, 0) should return true; yours returns false");
    right.at(SOUTH, 2) = 0;
    need_same(right, b, "after setBeans(SOUTH, 2, 0)");
}

void setting_no_beans()
{
    const Model right = Model::full(3, 2);
    set_call("Board::Board");
    Board b(3, 2);
    for (Side s : SIDES)
    {
        for (int hole : invalid_holes(3))
        {
            const std::string call =
                "setBeans(" + upper_name(s) + ", " + std::to_string(hole) + ", 5)";
            set_step(call);
            need(!CALL("Board::setBeans", b.setBeans(s, hole, 5)),
                 call + " on a board of 3 holes should return false");
            need_same(right, b, "after " + call + ", which must change nothing");
        }
        for (int hole : { 0, 1, 3 })
        {
            const std::string call =
                "setBeans(" + upper_name(s) + ", " + std::to_string(hole) + ", -1)";
            set_step(call);
            need(!CALL("Board::setBeans", b.setBeans(s, hole, -1)), call + " should return false");
            need_same(right, b, "after " + call + ", which must change nothing");
        }
    }
}

void sowing()
{
    for (int holes : { 1, 2, 3, 6, 7 })
        for (int beans : { 1, 2, 3, 4 })
            for (Side s : SIDES)
                for (int hole = 1; hole <= holes; hole++)
                {
                    set_call("Board::Board");
                    Board b(holes, beans);
                    need_same_sowing(Model::full(holes, beans), b, s, hole,
                                     "on a new " + constructor_text(holes, beans));
                }
}

void sowing_far(const std::vector<int>& boards, int least_laps, int most_laps)
{
    for (int holes : boards)
        for (Side s : SIDES)
            for (int hole = 1; hole <= holes; hole++)
            {
                const int lap = 2 * holes + 1;
                for (int beans = least_laps * lap; beans <= most_laps * lap; beans++)
                {
                    Model right = Model::full(holes, 1);
                    right.at(s, hole) = beans;
                    Board b = right.board();
                    need_same_sowing(right, b, s, hole, "on the board " + right.text());
                }
            }
}

void sowing_past_the_other_pot()
{
    for (int holes : { 2, 3, 6 })
        for (Side s : SIDES)
            for (int hole = 1; hole <= holes; hole++)
            {
                // Enough beans to reach the own side again, but fewer than a lap.
                Model right = Model::full(holes, 0);
                right.at(s, hole) = 2 * holes;
                Board b = right.board();
                need_same_sowing(right, b, s, hole, "on the board " + right.text());
            }
}

void sowing_a_lap()
{
    sowing_far({ 1, 2, 3, 6 }, 1, 2);
}

void sowing_many_laps()
{
    sowing_far({ 1, 2, 4 }, 3, 7);
    Model right = Model::full(5, 0);
    right.at(NORTH, 2) = 1000000;
    Board b = right.board();
    need_same_sowing(right, b, NORTH, 2, "on the board " + right.text());
}

void sowing_nothing()
{
    Model right = Model::full(3, 2);
    for (Side s : SIDES)
    {
        right.at(s, 2) = 0;
        right.pot[s] = 5;
    }
    Board b = right.board();
    for (Side s : SIDES)
    {
        std::vector<int> holes = invalid_holes(3);
        holes.push_back(POT);
        holes.push_back(2);
        for (int hole : holes)
        {
            const std::string call =
                "on the board " + right.text() + ", sow(" + upper_name(s) + ", "
                + std::to_string(hole) + ", endSide, endHole)";
            set_step(call);
            for (Side before : SIDES)
            {
                Side end_side = before;
                int end_hole = -99;
                const bool sown = CALL("Board::sow", b.sow(s, hole, end_side, end_hole));
                need(!sown, call + " should return false; yours returns true");
                need(end_side == before && end_hole == -99,
                     call + " should leave endSide and endHole alone; yours changes them");
                need_same(right, b, "after " + call + ", which must change nothing");
            }
        }
    }
}

void moving_to_a_pot()
{
    for (Side s : SIDES)
        for (Side owner : SIDES)
        {
            Model right = Model::full(3, 4);
            set_call("Board::Board");
            Board b(3, 4);
            for (int hole : { 1, 3, 1 })
            {
                const std::string call = "moveToPot(" + upper_name(s) + ", " + std::to_string(hole)
                                         + ", " + upper_name(owner) + ")";
                const std::string where = "on the board " + right.text() + ", " + call;
                set_step(where);
                const bool moved = CALL("Board::moveToPot", b.moveToPot(s, hole, owner));
                need(moved, where + " should return true; yours returns false");
                right.pot[owner] += right.at(s, hole);
                right.at(s, hole) = 0;
                need_same(right, b, "after " + call);
            }
        }
}

void moving_nothing_to_a_pot()
{
    Model right = Model::full(3, 4);
    right.pot[NORTH] = 5;
    right.pot[SOUTH] = 6;
    Board b = right.board();
    for (Side s : SIDES)
        for (Side owner : SIDES)
        {
            std::vector<int> holes = invalid_holes(3);
            holes.push_back(POT);
            for (int hole : holes)
            {
                const std::string call =
                    "on a board of 3 holes, moveToPot(" + upper_name(s) + ", "
                    + std::to_string(hole) + ", " + upper_name(owner) + ")";
                set_step(call);
                const bool moved = CALL("Board::moveToPot", b.moveToPot(s, hole, owner));
                need(!moved, call + " should return false; yours returns " + yes_no(moved));
                need_same(right, b, "after " + call + ", which must change nothing");
            }
        }
}

// Calls every member that changes a board.
void change_board(Board& b)
{
    Side end_side = NORTH;
    int end_hole = 0;
    CALL("Board::setBeans", b.setBeans(SOUTH, POT, 77));
    CALL("Board::setBeans", b.setBeans(NORTH, 1, 88));
    CALL("Board::sow", b.sow(NORTH, 2, end_side, end_hole));
    CALL("Board::moveToPot", b.moveToPot(SOUTH, 1, NORTH));
}

void copying()
{
    const Model right = Model::full(4, 3);
    set_step("copying a board");
    set_call("Board::Board");
    Board first(4, 3);
    set_call("Board::Board");
    Board second(first);
    need_same(right, second, "a copy of Board(4, 3)");
    change_board(first);
    need_same(right, second, "a copy, after the board that it was copied from has changed");

    set_call("Board::Board");
    Board third(second);
    change_board(third);
    need_same(right, second, "a board, after a copy of it has changed");

    set_step("copying a board that is destroyed then");
    set_call("Board::Board");
    Board* original = new Board(4, 3);
    set_call("Board::Board");
    Board fourth(*original);
    delete original;
    need_same(right, fourth, "a copy, after the board that it was copied from is gone");

    set_step("keeping many copies in a vector");
    std::vector<Board> many(20, fourth);
    many.push_back(many.front());
    for (const Board& b : many)
        need_same(right, b, "one of many copies");
}

void assigning()
{
    const Model right = Model::full(4, 3);
    set_step("assigning a board");
    set_call("Board::Board");
    const Board source(4, 3);
    for (int holes : { 1, 4, 9 })
    {
        set_call("Board::Board");
        Board target(holes, 1);
        set_call("Board::operator=");
        const Board* same = &(target = source);
        need(same == &target, "an assignment should return the board that was assigned to");
        need_same(right, target, "after assigning Board(4, 3) to " + constructor_text(holes, 1));
        change_board(target);
        need_same(right, source, "a board, after one that it was assigned to has changed");
    }

    set_step("assigning a board to itself");
    set_call("Board::Board");
    Board self(4, 3);
    const Board& alias = self;
    set_call("Board::operator=");
    self = alias;
    need_same(right, self, "a board assigned to itself");

    set_step("assigning in a chain");
    set_call("Board::Board");
    Board left(1, 1), middle(2, 2);
    set_call("Board::operator=");
    left = middle = source;
    need_same(right, left, "the first board of a = b = c");
    need_same(right, middle, "the second board of a = b = c");
    change_board(middle);
    need_same(right, left, "the first board of a = b = c, after the second has changed");
}

void random_boards()
{
    Rng rng(32);
    for (int round = 0; round < 300; round++)
    {
        Model right = Model::random(rng, 9, 30);
        Board b = right.board();
        for (int step = 0; step < 10; step++)
        {
            const Side s = rng.side();
            const int hole = rng.between(1, right.holes());
            const Model before = right;
            if (rng.between(1, 4) == 1)
            {
                const Side owner = rng.side();
                const std::string where = "on the board " + before.text() + ", moving "
                                          + pit_name(s, hole) + " to " + pit_name(owner, POT);
                set_step(where);
                CALL("Board::moveToPot", b.moveToPot(s, hole, owner));
                right.pot[owner] += right.at(s, hole);
                right.at(s, hole) = 0;
                need_same(right, b, where);
            }
            else if (right.can_sow(s, hole))
            {
                need_same_sowing(before, b, s, hole, "on the board " + before.text());
                right.sow(s, hole);
            }
        }
    }
}

void large_board()
{
    Model right = Model::full(1000, 10);
    set_step("sowing on Board(1000, 10)");
    set_call("Board::Board");
    Board b(1000, 10);
    for (int hole : { 1, 500, 1000, 995 })
        for (Side s : SIDES)
        {
            need_same_sowing(right, b, s, hole, "on a board of 1000 holes");
            right.sow(s, hole);
        }
}

void no_io()
{
    set_input("3\n");
    set_call("Board::Board");
    Board b(3, 2);
    set_call("Board::Board");
    Board copy(b);
    set_call("Board::operator=");
    copy = b;
    change_board(copy);
    Side end_side = NORTH;
    int end_hole = 0;
    CALL("Board::sow", b.sow(SOUTH, 2, end_side, end_hole));
    CALL("Board::sow", b.sow(SOUTH, 2, end_side, end_hole));
    CALL("Board::sow", b.sow(SOUTH, 99, end_side, end_hole));
    CALL("Board::moveToPot", b.moveToPot(SOUTH, 99, NORTH));
    CALL("Board::setBeans", b.setBeans(SOUTH, 99, 1));
    CALL("Board::beans", b.beans(SOUTH, 99));
    CALL("Board::beansInPlay", b.beansInPlay(SOUTH));
    CALL("Board::totalBeans", b.totalBeans());
    CALL("Board::holes", b.holes());
    const std::string text = read_cout();
    need(text.empty(), "no member may write to cout; yours writes this:\n" + text);
    need(remaining_input() == "3\n", "no member may read cin; yours does");
}

const Check CHECKS[] = {
    { "Board: a new board has its holes filled and its pots empty", new_board },
    { "Board: fewer holes than 1 count as 1, and fewer beans than 0 as 0", impossible_board },
    { "Board::beans: -1 for a hole that does not exist", beans_of_no_hole },
    { "Board::sow: counterclockwise, into the own pot", sowing },
    { "Board::setBeans: sets a hole or a pot, and the totals follow", setting_beans },
    { "Board::setBeans: refuses what cannot be, and changes nothing then", setting_no_beans },
    { "Board::sow: past the other side's pot", sowing_past_the_other_pot },
    { "Board::sow: once around the board", sowing_a_lap },
    { "Board::sow: many times around the board", sowing_many_laps },
    { "Board::sow: refuses what cannot be sown, and changes nothing then", sowing_nothing },
    { "Board::moveToPot: all beans of a hole go to the pot of either side", moving_to_a_pot },
    { "Board::moveToPot: refuses pots and holes that do not exist", moving_nothing_to_a_pot },
    { "Board: a copy is independent", copying },
    { "Board: an assigned board is independent", assigning },
    { "Board: random sowings on random boards", random_boards },
    { "Board: a thousand holes", large_board },
    { "Board: says nothing and reads nothing", no_io },
};

}

int main()
{
    return run("Board", CHECKS);
}
