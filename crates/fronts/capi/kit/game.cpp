// The checks of single turns of a Game.

#include "Board.h"
#include "Game.h"
#include "Player.h"
#include "Side.h"
#include "checker.h"
#include "model.h"
#include "outcome.h"
#include "test_players.h"

#include <climits>
#include <cstddef>
#include <string>
#include <vector>

using namespace kit;

namespace {

const Side SIDES[] = { NORTH, SOUTH };

// The number of illegal answers after which a hole is sown for the player.
const std::size_t MAX_ANSWERS = 3;

// Plays one turn of s. Its player must be asked for all of these answers, and the other for none.
void need_turn(const Model& before, Side s, const std::vector<int>& answers, const Model& after,
               bool completed)
{
    const std::string where = "on the board " + before.text() + ", after move("
                              + (s == NORTH ? "NORTH" : "SOUTH") + ") with the answers "
                              + (answers.empty() ? "none" : answers_text(answers));
    ScriptedPlayer mover("Marge", answers);
    ScriptedPlayer other("Homer", {});
    set_call("Game::Game");
    Game game(before.board(), s == SOUTH ? &mover : &other, s == SOUTH ? &other : &mover);
    set_step(where);
    const bool result = CALL("Game::move", game.move(s));
    need(result == completed, where + ": move should return " + (completed ? "true" : "false")
                                  + "; yours returns " + (result ? "true" : "false"));
    need(mover.request_count() == answers.size(),
         where + ": the player should be asked " + times_text(answers.size()) + "; yours asks "
             + times_text(mover.request_count()));
    need_same(after, game, where);
    if (completed)
        need_not_over(game, where);
}

void new_game()
{
    const Model right = position({ 1, 2, 3 }, { 4, 5, 6 }, 7, 8);
    FirstHolePlayer south("Marge"), north("Homer");
    set_call("Game::Game");
    const Game game(right.board(), &south, &north);
    need_same(right, game, "in a new game on the board " + right.text());
    for (Side s : SIDES)
        for (int hole : { -1, 4, INT_MAX, INT_MIN })
            need(CALL("Game::beans", game.beans(s, hole)) == -1,
                 "on a board of 3 holes, Game::beans of hole " + std::to_string(hole)
                     + " should be -1; yours says " + std::to_string(game.beans(s, hole)));
}

void own_board()
{
    const Model right = Model::full(3, 2);
    set_call("Board::Board");
    Board b(3, 2);
    FirstHolePlayer south("Marge"), north("Homer");
    set_call("Game::Game");
    Game game(b, &south, &north);
    CALL("Board::setBeans", b.setBeans(SOUTH, 1, 50));
    need_same(right, game, "after the board that a game was made with has changed");
    CALL("Board::setBeans", b.setBeans(SOUTH, 1, 2));
    set_step("move(SOUTH)");
    CALL("Game::move", game.move(SOUTH));
    const std::string change = difference(right, b);
    need(change.empty(), "a game should play on a copy of its board; after move(SOUTH) " + change);
}

void status_before_the_end()
{
    FirstHolePlayer south("Marge"), north("Homer");
    set_call("Game::Game");
    Game game(Board(3, 2), &south, &north);
    need_not_over(game, "in a new game");
    CALL("Game::move", game.move(SOUTH));
    need_not_over(game, "after move(SOUTH) has returned true");
    set_call("Game::Game");
    const Game empty(Board(3, 0), &south, &north);
    need_not_over(empty, "in a new game on an empty board");
}

void plain_turn()
{
    const Model before = Model::full(6, 4);
    for (Side s : SIDES)
        for (int hole = 1; hole <= before.holes(); hole++)
        {
            Model after = before;
            if (after.play(s, hole) == Model::BONUS_TURN)
                continue;
            ScriptedPlayer mover("Marge", { hole });
            ScriptedPlayer other("Homer", {});
            set_call("Game::Game");
            Game game(before.board(), s == SOUTH ? &mover : &other,
                      s == SOUTH ? &other : &mover);
            const std::string where = "on a new Board(6, 4), after " + side_name(s)
                                      + " has sown hole " + std::to_string(hole);
            set_step(where);
            const bool moved = CALL("Game::move", game.move(s));
            need(moved, where + ": move should return true; yours returns false");
            need_same(after, game, where);
            need(mover.request_count() == 1, where + ": the player should have been asked once");
            need(mover.side(0) == s,
                 where + ": the player should have been asked about " + side_name(s));
            need(mover.board(0).text() == before.text(),
                 where + ": the player should have been shown the board of the game; yours shows "
                     + mover.board(0).text());
        }
}

void any_order()
{
    Model right = Model::full(6, 4);
    NoBonusPlayer south("Marge"), north("Homer");
    set_call("Game::Game");
    Game game(right.board(), &south, &north);
    std::string turns = "after turns of";
    for (Side s : { NORTH, NORTH, SOUTH, SOUTH, SOUTH, NORTH })
    {
        turns += " " + side_name(s);
        set_step(turns);
        const int hole = (s == SOUTH ? south : north).chooseMove(right.board(), s);
        right.play(s, hole);
        need(CALL("Game::move", game.move(s)),
             turns + ": move should return true, regardless of the side that moved before");
        need_same(right, game, turns);
    }
}

void bonus_turn()
{
    need_turn(position({ 4, 4, 4 }, { 1, 2, 1 }), SOUTH, { 3, 1 },
              position({ 4, 4, 4 }, { 0, 3, 0 }, 0, 1), true);
    need_turn(position({ 1, 2, 1 }, { 4, 4, 4 }), NORTH, { 1, 3 },
              position({ 0, 3, 0 }, { 4, 4, 4 }, 1, 0), true);
}

void many_bonus_turns()
{
    need_turn(position({ 5, 5, 5 }, { 1, 2, 1 }), SOUTH, { 3, 2, 3, 1 },
              position({ 5, 0, 5 }, { 0, 0, 0 }, 0, 9), true);
    // Once around the board into the own pot.
    need_turn(position({ 1, 1 }, { 1, 6 }), SOUTH, { 2, 1, 2 },
              position({ 2, 3 }, { 0, 0 }, 0, 4), true);
}

void bonus_turn_shows_the_board()
{
    const Model before = position({ 111, 222, 333 }, { 445, 555, 1 });
    ScriptedPlayer south("Marge", { 3, 1 });
    ScriptedPlayer north("Homer", {});
    set_call("Game::Game");
    Game game(before.board(), &south, &north);
    set_step("move(SOUTH) with a bonus turn on the board " + before.text());
    read_cout();
    CALL("Game::move", game.move(SOUTH));
    const std::string text = read_cout();
    for (const char* count : { "111", "222", "333", "445", "555" })
        need(text.find(count) != std::string::npos,
             std::string("before a bonus turn the board should be shown; it holds ") + count
                 + " beans somewhere, and yours writes this:\n" + text);
}

void bonus_turn_asks_about_the_board_as_it_is()
{
    const Model before = position({ 4, 4, 4 }, { 1, 2, 1 });
    Model between = before;
    between.play(SOUTH, 3);
    ScriptedPlayer south("Marge", { 3, 1 });
    ScriptedPlayer north("Homer", {});
    set_call("Game::Game");
    Game game(before.board(), &south, &north);
    set_step("move(SOUTH) with a bonus turn on the board " + before.text());
    CALL("Game::move", game.move(SOUTH));
    need(south.request_count() == 2 && south.board(1).text() == between.text(),
         "at a bonus turn the player should be asked about the board as it is then, "
             + between.text());
}

void capture()
{
    need_turn(position({ 2, 5, 3 }, { 1, 0, 4 }), SOUTH, { 1 },
              position({ 2, 0, 3 }, { 0, 0, 4 }, 0, 6), true);
    need_turn(position({ 4, 0, 1 }, { 2, 5, 3 }), NORTH, { 3 },
              position({ 4, 0, 0 }, { 2, 0, 3 }, 6, 0), true);
    // With two beans, to each end of the row.
    need_turn(position({ 7, 2, 8 }, { 2, 4, 0 }), SOUTH, { 1 },
              position({ 7, 2, 0 }, { 0, 5, 0 }, 0, 9), true);
    need_turn(position({ 0, 4, 2 }, { 8, 2, 7 }), NORTH, { 3 },
              position({ 0, 5, 0 }, { 0, 2, 7 }, 9, 0), true);
}

void capture_after_a_lap()
{
    // Exactly once around the board: the last bean falls where the first one came from.
    need_turn(position({ 0, 3, 0 }, { 0, 7, 1 }), SOUTH, { 2 },
              position({ 1, 0, 1 }, { 1, 0, 2 }, 0, 6), true);
    // Round the board into an empty hole, whose opposite hole is no longer empty.
    need_turn(position({ 0, 0, 0 }, { 0, 0, 5 }), SOUTH, { 3 },
              position({ 0, 1, 1 }, { 0, 0, 0 }, 0, 3), true);
    need_turn(position({ 5, 0, 0 }, { 0, 0, 0 }), NORTH, { 1 },
              position({ 0, 0, 0 }, { 1, 1, 0 }, 3, 0), true);
}

void no_capture()
{
    // The opposite hole is empty.
    need_turn(position({ 2, 0, 3 }, { 1, 0, 4 }), SOUTH, { 1 },
              position({ 2, 0, 3 }, { 0, 1, 4 }), true);
    need_turn(position({ 4, 0, 1 }, { 3, 0, 2 }), NORTH, { 3 },
              position({ 4, 1, 0 }, { 3, 0, 2 }), true);
    // The last bean falls into an own hole that was not empty.
    need_turn(position({ 2, 5, 3 }, { 1, 1, 4 }), SOUTH, { 1 },
              position({ 2, 5, 3 }, { 0, 2, 4 }), true);
    // The last bean falls into an empty hole of the other side.
    need_turn(position({ 3, 1, 0 }, { 1, 5, 2 }), SOUTH, { 3 },
              position({ 3, 1, 1 }, { 1, 5, 0 }, 0, 1), true);
    need_turn(position({ 2, 1, 3 }, { 0, 4, 4 }), NORTH, { 1 },
              position({ 0, 1, 3 }, { 1, 4, 4 }, 1, 0), true);
}

void nothing_to_sow()
{
    need_turn(position({ 1, 2, 3 }, { 0, 0, 0 }, 4, 5), SOUTH, {},
              position({ 0, 0, 0 }, { 0, 0, 0 }, 10, 5), false);
    need_turn(position({ 0, 0, 0 }, { 1, 2, 3 }, 4, 5), NORTH, {},
              position({ 0, 0, 0 }, { 0, 0, 0 }, 4, 11), false);
    need_turn(position({ 0, 0, 0 }, { 0, 0, 0 }, 4, 5), NORTH, {},
              position({ 0, 0, 0 }, { 0, 0, 0 }, 4, 5), false);
}

void nothing_to_sow_at_a_bonus_turn()
{
    need_turn(position({ 1, 2, 3 }, { 0, 0, 1 }, 4, 5), SOUTH, { 3 },
              position({ 0, 0, 0 }, { 0, 0, 0 }, 10, 6), false);
    need_turn(position({ 1, 0, 0 }, { 1, 2, 3 }, 4, 5), NORTH, { 1 },
              position({ 0, 0, 0 }, { 0, 0, 0 }, 5, 11), false);
}

void other_row_empty()
{
    // The game continues while the side to move has beans in its holes.
    need_turn(position({ 0, 0, 0 }, { 2, 1, 0 }, 3, 4), SOUTH, { 2 },
              position({ 0, 0, 0 }, { 2, 0, 1 }, 3, 4), true);
    // The same after a capture of the last beans of the other side.
    need_turn(position({ 0, 6, 0 }, { 1, 0, 1 }), SOUTH, { 1 },
              position({ 0, 0, 0 }, { 0, 0, 1 }, 0, 7), true);
    // The same after a sowing of the side's own last bean.
    need_turn(position({ 0, 0, 0 }, { 0, 0, 2 }), SOUTH, { 3 },
              position({ 0, 0, 1 }, { 0, 0, 0 }, 0, 1), true);
}

void status_at_the_end()
{
    FirstHolePlayer south("Marge"), north("Homer");
    {
        set_call("Game::Game");
        Game game(position({ 0, 0, 0 }, { 1, 2, 3 }, 4, 5).board(), &south, &north);
        CALL("Game::move", game.move(NORTH));
        need_won(game, SOUTH, "after South has won 11 to 4");
    }
    {
        set_call("Game::Game");
        Game game(position({ 1, 1, 1 }, { 0, 0, 0 }, 4, 5).board(), &south, &north);
        CALL("Game::move", game.move(SOUTH));
        need_won(game, NORTH, "after North has won 7 to 5");
    }
    {
        set_call("Game::Game");
        Game game(position({ 0, 1, 0 }, { 0, 0, 0 }, 4, 5).board(), &south, &north);
        CALL("Game::move", game.move(SOUTH));
        need_tie(game, "after a tie, 5 to 5");
    }
}

void move_after_the_end()
{
    ScriptedPlayer south("Marge", {});
    ScriptedPlayer north("Homer", {});
    set_call("Game::Game");
    Game game(position({ 0, 0, 0 }, { 1, 2, 3 }, 4, 5).board(), &south, &north);
    const Model right = position({ 0, 0, 0 }, { 0, 0, 0 }, 4, 11);
    for (Side s : { NORTH, SOUTH, NORTH })
    {
        set_step("move after the end of the game");
        need(!CALL("Game::move", game.move(s)),
             "after the end of the game, move should return false");
        need_same(right, game, "after the end of the game");
        need_won(game, SOUTH, "after the end of the game");
    }
}

// Plays a turn of a player that gives these illegal answers first.
void need_refused(const std::vector<int>& illegal, int legal)
{
    const Model before = position({ 4, 4, 4, 4 }, { 0, 2, 0, 9 });
    const bool gives_up = illegal.size() == MAX_ANSWERS;
    std::vector<int> answers = illegal;
    if (!gives_up)
        answers.push_back(legal);
    Model after = before;
    after.play(SOUTH, legal);
    ScriptedPlayer south("Marge", answers);
    ScriptedPlayer north("Homer", {});
    set_call("Game::Game");
    Game game(before.board(), &south, &north);
    const std::string where = "on the board " + before.text() + ", after move(SOUTH) with the answers "
                              + answers_text(answers);
    set_step(where);
    read_cerr();
    const bool moved = CALL("Game::move", game.move(SOUTH));
    need(moved, where + ": move should return true; yours returns false");
    need(!read_cerr().empty(), where + ": an illegal answer should be complained about on cerr");
    need(south.request_count() == answers.size(),
         where + ": the player should be asked " + times_text(answers.size()) + "; yours asks "
             + times_text(south.request_count()));
    for (std::size_t time = 0; time < south.request_count(); time++)
        need(south.board(time).text() == before.text(),
             where + ": an illegal answer should change nothing; then the board was "
                 + south.board(time).text());
    need_same(after, game,
              where + (gives_up ? ", so that the first legal move is made for it" : ""));
}

void illegal_answer()
{
    for (int illegal : { -1, 0, 1, 3, 5, 1000, INT_MAX, INT_MIN })
        need_refused({ illegal }, 2);
}

void two_illegal_answers()
{
    need_refused({ 0, 3 }, 2);
    need_refused({ -1, -1 }, 2);
}

void three_illegal_answers()
{
    for (int illegal : { -1, 0, 1, 3, 5, INT_MAX, INT_MIN })
        need_refused({ illegal, illegal, illegal }, 2);
}

void illegal_answers_at_a_bonus_turn()
{
    need_turn(position({ 4, 4, 4 }, { 1, 2, 1 }), SOUTH, { 9, 3, 3, 3, -1 },
              position({ 4, 4, 4 }, { 0, 3, 0 }, 0, 1), true);
}

const Check CHECKS[] = {
    { "Game::beans: as the board's", new_game },
    { "Game: plays on a copy of the board", own_board },
    { "Game::status: touches nothing before the end", status_before_the_end },
    { "Game::move: sows what the player on that side says", plain_turn },
    { "Game::move: for either side, in any order", any_order },
    { "Game::move: a bonus turn after a last bean in the own pot", bonus_turn },
    { "Game::move: many bonus turns", many_bonus_turns },
    { "Game::move: shows the board before a bonus turn", bonus_turn_shows_the_board },
    { "Game::move: asks about the board as it is", bonus_turn_asks_about_the_board_as_it_is },
    { "Game::move: captures", capture },
    { "Game::move: captures at the end of a lap", capture_after_a_lap },
    { "Game::move: captures nothing else", no_capture },
    { "Game::move: false when there is nothing to sow, and sweeps", nothing_to_sow },
    { "Game::move: false when there is nothing to sow at a bonus turn, and sweeps",
      nothing_to_sow_at_a_bonus_turn },
    { "Game::move: goes on although the other row is empty", other_row_empty },
    { "Game::status: the winner", status_at_the_end },
    { "Game::move: false after the end", move_after_the_end },
    { "Game::move: asks again after an illegal answer", illegal_answer },
    { "Game::move: asks again after a second illegal answer", two_illegal_answers },
    { "Game::move: makes the first legal move after three illegal answers", three_illegal_answers },
    { "Game::move: refuses illegal answers at a bonus turn", illegal_answers_at_a_bonus_turn },
};

}

int main()
{
    return run("Turns of a Game", CHECKS);
}
