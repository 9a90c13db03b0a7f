// The checks of the four classes of Player.h.

#include "Board.h"
#include "Player.h"
#include "Side.h"
#include "checker.h"
#include "model.h"
#include "rng.h"

#include <chrono>
#include <string>
#include <vector>

using namespace kit;

namespace {

const Side SIDES[] = { NORTH, SOUTH };

// The assignment's time limit for a SmartPlayer on boards up to MAX_SMART_HOLES and
// MAX_SMART_BEANS. The tests of the kit itself, which run on busy machines, set a longer one.
#ifndef KIT_SMART_SECONDS
#define KIT_SMART_SECONDS 5
#endif
const int SMART_SECONDS = KIT_SMART_SECONDS;
const int MAX_SMART_HOLES = 6;
const int MAX_SMART_BEANS = 4;

// The name of a player's class, and the seconds that a move of it adds to the time limit of the
// check.
template<typename Kind>
struct PlayerTraits;
template<>
struct PlayerTraits<HumanPlayer>
{
    static constexpr const char* name = "HumanPlayer";
    static const int seconds = 0;
};
template<>
struct PlayerTraits<BadPlayer>
{
    static constexpr const char* name = "BadPlayer";
    static const int seconds = 0;
};
template<>
struct PlayerTraits<SmartPlayer>
{
    static constexpr const char* name = "SmartPlayer";
    static const int seconds = SMART_SECONDS;
};

std::string call_text(const std::string& class_name, Side s, const Model& board)
{
    return class_name + "::chooseMove for " + side_name(s) + " on the board " + board.text();
}

template<typename Kind>
void need_name_and_kind(bool interactive)
{
    const std::string class_name = PlayerTraits<Kind>::name;
    for (const std::string name : { "Marge", "", "Bart Simpson, Jr." })
    {
        set_call(PlayerTraits<Kind>::name);
        const Kind player(name);
        const Player& general = player;
        const std::string named = CALL(class_name + "::name", player.name());
        need(named == name, class_name + "(\"" + name + "\").name() should be \"" + name
                                + "\"; yours says \"" + named + "\"");
        need(CALL(class_name + "::isInteractive", general.isInteractive()) == interactive,
             class_name + "::isInteractive() should be " + (interactive ? "true" : "false"));
    }
    Player* owned = new Kind("Homer");
    set_step("deleting a " + class_name + " through a pointer to Player");
    delete owned;
}

void names_and_kinds()
{
    need_name_and_kind<HumanPlayer>(true);
    need_name_and_kind<BadPlayer>(false);
    need_name_and_kind<SmartPlayer>(false);
}

// A player with only the required members.
class CustomPlayer : public Player
{
public:
    CustomPlayer() : Player("Own")
    {
    }
    int chooseMove(const Board&, Side) const override
    {
        return 7;
    }
};

void custom_player()
{
    const CustomPlayer player;
    const Player& general = player;
    need(CALL("Player::name", general.name()) == "Own",
         "name() of a user's own player should be what it was made with");
    need(!CALL("Player::isInteractive", general.isInteractive()),
         "Player::isInteractive() should be false");
    set_call("Board::Board");
    const Board b(3, 2);
    need(CALL("Player::chooseMove", general.chooseMove(b, SOUTH)) == 7,
         "chooseMove should be virtual");
}

// Asks for a move, and checks that it is legal and that the board is unchanged.
template<typename Kind>
void need_legal(const Kind& player, const Model& board, Side s)
{
    const std::string call = call_text(PlayerTraits<Kind>::name, s, board);
    const Board b = board.board();
    set_step(call);
    extend_time_limit(PlayerTraits<Kind>::seconds);
    const std::string member = std::string(PlayerTraits<Kind>::name) + "::chooseMove";
    const int hole = CALL(member, player.chooseMove(b, s));
    if (board.first_hole(s) == -1)
        need(hole == -1, call + ", where it cannot move, should be -1; yours says "
                             + std::to_string(hole));
    else
        need(board.can_sow(s, hole),
             call + " should be a hole with beans; yours says " + std::to_string(hole));
    const std::string change = difference(board, b);
    need(change.empty(), call + " should leave the board alone; now " + change);
}

template<typename Kind>
void need_always_legal(int rounds, int most_holes, int most_beans)
{
    set_call(PlayerTraits<Kind>::name);
    const Kind player("Homer");
    Rng rng(1989);
    for (int round = 0; round < rounds; round++)
    {
        const Model board = Model::random(rng, most_holes, most_beans);
        for (Side s : SIDES)
            need_legal(player, board, s);
    }
}

// Checks that the player chooses the only nonempty hole, for every hole.
template<typename Kind>
void need_only_move()
{
    set_call(PlayerTraits<Kind>::name);
    const Kind player("Homer");
    for (Side s : SIDES)
        for (int hole = 1; hole <= 4; hole++)
        {
            Model board = Model::full(4, 0);
            board.at(opponent(s), 2) = 1;
            board.at(s, hole) = 1;
            need_legal(player, board, s);
        }
}

template<typename Kind>
void need_no_move()
{
    set_call(PlayerTraits<Kind>::name);
    const Kind player("Homer");
    for (Side s : SIDES)
        for (int holes : { 1, 3 })
            for (int beans : { 0, 2 })
            {
                Model board = Model::full(holes, 0);
                board.row[opponent(s)].assign(static_cast<std::size_t>(holes), beans);
                board.pot[s] = 4;
                need_legal(player, board, s);
            }
}

template<typename Kind>
void need_no_io()
{
    set_input("1\n");
    need_legal(Kind("Homer"), Model::full(2, 1), SOUTH);
    need_legal(Kind("Homer"), Model::full(2, 0), SOUTH);
    const std::string text = read_cout();
    const std::string class_name = PlayerTraits<Kind>::name;
    need(text.empty(), class_name + " may not write to cout; yours writes this:\n" + text);
    need(remaining_input() == "1\n", class_name + " may not read cin; yours does");
}

void bad_is_legal()
{
    need_always_legal<BadPlayer>(300, 9, 20);
    need_only_move<BadPlayer>();
}

void bad_cannot_move()
{
    need_no_move<BadPlayer>();
}

void bad_uses_no_io()
{
    need_no_io<BadPlayer>();
}

void smart_is_legal()
{
    need_always_legal<SmartPlayer>(6, MAX_SMART_HOLES, MAX_SMART_BEANS);
    need_only_move<SmartPlayer>();
}

void smart_cannot_move()
{
    need_no_move<SmartPlayer>();
}

void smart_uses_no_io()
{
    need_no_io<SmartPlayer>();
}

void need_smart_in_time(int holes, int beans)
{
    set_call("SmartPlayer::SmartPlayer");
    const SmartPlayer player("Lisa");
    const auto start = std::chrono::steady_clock::now();
    need_legal(player, Model::full(holes, beans), SOUTH);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    need(elapsed.count() < SMART_SECONDS,
         "SmartPlayer::chooseMove on a new Board(" + std::to_string(holes) + ", "
             + std::to_string(beans) + ") should be there within 5 seconds; yours took "
             + std::to_string(elapsed.count()));
}

void smart_in_time_on_largest_board()
{
    need_smart_in_time(MAX_SMART_HOLES, MAX_SMART_BEANS);
}

void smart_in_time_on_smaller_boards()
{
    need_smart_in_time(MAX_SMART_HOLES, 1);
    need_smart_in_time(3, MAX_SMART_BEANS);
}

// The board of the HumanPlayer checks: South can sow 2 and 4, North 1 and 3.
Model human_board()
{
    Model board = Model::full(4, 0);
    board.at(SOUTH, 2) = 3;
    board.at(SOUTH, 4) = 1;
    board.at(NORTH, 1) = 2;
    board.at(NORTH, 3) = 5;
    board.pot[SOUTH] = 1;
    return board;
}

// Returns the choice of a HumanPlayer for this standard input.
int answer(Side s, const std::string& input)
{
    const Model board = human_board();
    const Board b = board.board();
    set_call("HumanPlayer::HumanPlayer");
    const HumanPlayer player("Marge");
    set_input(input);
    set_step(call_text("HumanPlayer", s, board) + " after typing this:\n" + input);
    const int hole = CALL("HumanPlayer::chooseMove", player.chooseMove(b, s));
    const std::string change = difference(board, b);
    need(change.empty(), "HumanPlayer::chooseMove should leave the board alone; now " + change);
    return hole;
}

void need_answer(Side s, const std::string& input, int right)
{
    const int hole = answer(s, input);
    need(hole == right, call_text("HumanPlayer", s, human_board())
                            + " should be " + std::to_string(right) + ", and yours says "
                            + std::to_string(hole) + ", after typing this:\n" + input);
}

void human_answers()
{
    need_answer(SOUTH, "2\n", 2);
    need(!read_cout().empty(), "HumanPlayer::chooseMove should ask for a hole on cout");
}

void human_answers_for_north()
{
    need_answer(NORTH, "3\n", 3);
}

void human_repeats_after_empty_hole()
{
    need_answer(SOUTH, "1\n3\n4\n", 4);
}

void human_repeats_after_invalid_hole()
{
    need_answer(SOUTH, "0\n-1\n5\n1000000\n-2\n4\n", 4);
}

void human_repeats_after_huge_number()
{
    need_answer(SOUTH, "99999999999999999999\n2\n", 2);
}

void human_repeats_after_word()
{
    need_answer(SOUTH, "two\n?\n\n4\n", 4);
}

void human_answers_line_by_line()
{
    const Board b = human_board().board();
    set_call("HumanPlayer::HumanPlayer");
    const HumanPlayer player("Marge");
    set_input("2\n3\nx\n4\nleft\n");
    set_step("HumanPlayer::chooseMove three times");
    const int first = CALL("HumanPlayer::chooseMove", player.chooseMove(b, SOUTH));
    const int second = CALL("HumanPlayer::chooseMove", player.chooseMove(b, NORTH));
    const int third = CALL("HumanPlayer::chooseMove", player.chooseMove(b, SOUTH));
    need(first == 2 && second == 3 && third == 4,
         "three moves typed as the lines 2, 3, x, 4 should be 2, 3 and 4; yours says "
             + std::to_string(first) + ", " + std::to_string(second) + " and "
             + std::to_string(third));
    const std::string left = remaining_input();
    need(left == "left\n" || left == "\nleft\n",
         "HumanPlayer::chooseMove should read no more than the lines it needs");
}

void human_after_end_of_input()
{
    need_answer(SOUTH, "", 2);
    need(!read_cerr().empty(), "HumanPlayer::chooseMove should say on cerr that the input ended");
}

void human_after_word_and_end_of_input()
{
    need_answer(NORTH, "9\nnone", 1);
    need(!read_cerr().empty(), "HumanPlayer::chooseMove should say on cerr that the input ended");
}

void human_after_unfinished_line()
{
    need_answer(SOUTH, "4", 4);
}

void human_cannot_move()
{
    set_input("1\n");
    need_no_move<HumanPlayer>();
    need(remaining_input() == "1\n",
         "HumanPlayer::chooseMove should not read cin when it cannot move");
}

const Check CHECKS[] = {
    { "Player: names, and the interactive one", names_and_kinds },
    { "Player: a class of one's own", custom_player },
    { "BadPlayer::chooseMove: a legal move on any board", bad_is_legal },
    { "BadPlayer::chooseMove: -1 when it cannot move", bad_cannot_move },
    { "BadPlayer::chooseMove: says nothing and reads nothing", bad_uses_no_io },
    { "SmartPlayer::chooseMove: a legal move", smart_is_legal },
    { "SmartPlayer::chooseMove: -1 when it cannot move", smart_cannot_move },
    { "SmartPlayer::chooseMove: says nothing and reads nothing", smart_uses_no_io },
    { "SmartPlayer::chooseMove: within five seconds on Board(6, 4)",
      smart_in_time_on_largest_board },
    { "SmartPlayer::chooseMove: within five seconds on smaller boards",
      smart_in_time_on_smaller_boards },
    { "HumanPlayer::chooseMove: asks, and returns the answer", human_answers },
    { "HumanPlayer::chooseMove: asks for North too", human_answers_for_north },
    { "HumanPlayer::chooseMove: asks again after an empty hole", human_repeats_after_empty_hole },
    { "HumanPlayer::chooseMove: asks again after a hole that does not exist",
      human_repeats_after_invalid_hole },
    { "HumanPlayer::chooseMove: asks again after a number that no int holds",
      human_repeats_after_huge_number },
    { "HumanPlayer::chooseMove: asks again after a word that is no number",
      human_repeats_after_word },
    { "HumanPlayer::chooseMove: a line for each answer", human_answers_line_by_line },
    { "HumanPlayer::chooseMove: the last line need not end", human_after_unfinished_line },
    { "HumanPlayer::chooseMove: the first legal move at the end of input",
      human_after_end_of_input },
    { "HumanPlayer::chooseMove: the first legal move at the end of input, after a bad answer",
      human_after_word_and_end_of_input },
    { "HumanPlayer::chooseMove: -1 when it cannot move", human_cannot_move },
};

}

int main()
{
    return run("Player", CHECKS);
}
