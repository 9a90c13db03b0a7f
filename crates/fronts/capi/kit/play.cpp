// The checks of whole games and of their output.

#include "Board.h"
#include "Game.h"
#include "Player.h"
#include "Side.h"
#include "checker.h"
#include "model.h"
#include "outcome.h"
#include "rng.h"
#include "test_players.h"

#include <string>
#include <vector>

using namespace kit;

namespace {

void display()
{
    const Model right = position({ 17, 34, 56 }, { 78, 90, 123 }, 211, 955);
    FirstHolePlayer south("Marge"), north("Homer");
    set_call("Game::Game");
    const Game game(right.board(), &south, &north);
    read_cout();
    set_step("display()");
    CALL("Game::display", game.display());
    const std::string text = read_cout();
    for (const char* part :
         { "Marge", "Homer", "17", "34", "56", "78", "90", "123", "211", "955" })
        need(text.find(part) != std::string::npos,
             std::string("display should show ") + part + "; yours shows this:\n" + text);
    need_same(right, game, "after display");
}

// Plays a game on the model; both players sow their first nonempty hole.
Model play_first_holes(Model model)
{
    for (Side s = SOUTH;; s = opponent(s))
    {
        do
        {
            if (model.first_hole(s) == -1)
            {
                model.sweep();
                return model;
            }
        } while (model.play(s, model.first_hole(s)) == Model::BONUS_TURN);
    }
}

void whole_games()
{
    for (int holes : { 1, 2, 3, 6 })
        for (int beans : { 0, 1, 2, 3, 4 })
        {
            const Model before = Model::full(holes, beans);
            const Model after = play_first_holes(before);
            FirstHolePlayer south("Marge"), north("Homer");
            set_call("Game::Game");
            Game game(before.board(), &south, &north);
            const std::string where = "after play() of two players that always sow the first hole "
                                      "they can, on a new Board("
                                      + std::to_string(holes) + ", " + std::to_string(beans) + ")";
            set_step(where);
            set_input(std::string(500, '\n'));
            read_cout();
            CALL("Game::play", game.play());
            need_same(after, game, where);
            const int lead = after.pot[SOUTH] - after.pot[NORTH];
            const std::string text = read_cout();
            if (lead == 0)
            {
                need_tie(game, where);
                need(!text.empty(), where + ": play should announce a tie");
                continue;
            }
            need_won(game, lead > 0 ? SOUTH : NORTH, where);
            const std::string winner = lead > 0 ? south.name() : north.name();
            need(text.find(winner) != std::string::npos,
                 where + ": play should announce that " + winner
                     + " has won; yours writes this:\n" + text);
        }
}

void play_announces()
{
    ScriptedPlayer south("Marge", {});
    ScriptedPlayer north("Homer", {});
    set_input("1\n\n\n");
    set_call("Game::Game");
    Game game(position({ 0, 0, 0 }, { 1, 2, 3 }, 4, 5).board(), &south, &north);
    CALL("Game::move", game.move(NORTH));
    read_cout();
    set_step("play() after the end of the game");
    CALL("Game::play", game.play());
    const std::string text = read_cout();
    need(text.find("Marge") != std::string::npos,
         "play() of a finished game should announce that Marge has won; yours writes this:\n"
             + text);
    need(remaining_input() == "1\n\n\n", "play() of a finished game should not wait for ENTER");
    need_same(position({ 0, 0, 0 }, { 0, 0, 0 }, 4, 11), game, "after play() of a finished game");
}

void play_waits()
{
    FirstHolePlayer south("Marge"), north("Homer");
    const std::string input(200, '\n');
    set_input(input);
    set_call("Game::Game");
    Game game(Board(6, 4), &south, &north);
    set_step("play() of two players that are not interactive");
    CALL("Game::play", game.play());
    need(remaining_input().size() < input.size(),
         "play() should wait for ENTER now and then when neither player is interactive");
}

void play_does_not_wait()
{
    set_input("kept\n");
    for (bool south_is : { false, true })
        for (bool north_is : { false, true })
        {
            if (!south_is && !north_is)
                continue;
            FirstHolePlayer south("Marge", south_is), north("Homer", north_is);
            set_call("Game::Game");
            Game game(Board(3, 2), &south, &north);
            set_step("play() with an interactive player");
            CALL("Game::play", game.play());
        }
    need(remaining_input() == "kept\n",
         "play() should not read cin when a player is interactive: the player reads it");
}

void play_after_the_end_of_input()
{
    FirstHolePlayer south("Marge"), north("Homer");
    set_input("");
    set_call("Game::Game");
    Game game(Board(6, 4), &south, &north);
    set_step("play() with an input that has ended");
    CALL("Game::play", game.play());
    need_same(play_first_holes(Model::full(6, 4)), game,
              "after play() with an input that has ended");
}

void no_io()
{
    set_input("1\n");
    FirstHolePlayer south("Marge"), north("Homer");
    set_call("Game::Game");
    const Game game(Board(3, 2), &south, &north);
    bool over = false;
    bool has_winner = false;
    Side winner = NORTH;
    CALL("Game::status", game.status(over, has_winner, winner));
    CALL("Game::beans", game.beans(SOUTH, 1));
    CALL("Game::beans", game.beans(SOUTH, 99));
    const std::string text = read_cout();
    need(text.empty(), "the constructor, status and beans may not write to cout; yours write this:\n"
                           + text);
    CALL("Game::display", game.display());
    set_call("Game::Game");
    Game moved(Board(3, 2), &south, &north);
    CALL("Game::move", moved.move(SOUTH));
    need(remaining_input() == "1\n", "only play() may read cin");
}

void random_games()
{
    Rng rng(32);
    for (int round = 0; round < 150; round++)
    {
        Model right = Model::random(rng, 7, 6);
        RandomPlayer player(rng);
        set_call("Game::Game");
        Game game(right.board(), &player, &player);
        bool going = true;
        for (Side s = SOUTH; going; s = rng.side())
        {
            const Model before = right;
            set_step("on the board " + before.text() + ", move for " + side_name(s));
            going = CALL("Game::move", game.move(s));
            const std::vector<int> answers = player.take_answers();
            const std::string where = "on the board " + before.text() + ", after a turn of "
                                      + side_name(s) + " with the answers "
                                      + answers_text(answers);
            bool completed = false;
            for (int hole : answers)
            {
                need(!completed, where + ": the turn should have ended earlier");
                completed = right.play(s, hole) == Model::TURN_PASSES;
            }
            if (!completed)
            {
                need(right.first_hole(s) == -1, where + ": the turn should have gone on");
                right.sweep();
            }
            need(going == completed, where + ": move should return "
                                         + (completed ? "true" : "false"));
            need_same(right, game, where);
        }
    }
}

const Check CHECKS[] = {
    { "Game::display: shows the board and both names", display },
    { "Game::play: whole games", whole_games },
    { "Game::play: only announces when the game is over", play_announces },
    { "Game::play: waits for ENTER when no player is interactive", play_waits },
    { "Game::play: does not wait for ENTER when a player is interactive", play_does_not_wait },
    { "Game::play: ends although the input has ended", play_after_the_end_of_input },
    { "Game: says nothing and reads nothing otherwise", no_io },
    { "Game: random games", random_games },
};

}

int main()
{
    return run("Whole Games", CHECKS);
}
