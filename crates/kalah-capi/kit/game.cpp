// What a Game must do.

#include "Board.h"
#include "Game.h"
#include "Player.h"
#include "Side.h"
#include "checker.h"
#include "model.h"

#include <climits>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

using namespace kit;

namespace {

const Side SIDES[] = { NORTH, SOUTH };

// How often a player with illegal answers is asked before a hole is sown for it.
const std::size_t MOST_ANSWERS = 3;

std::string times(std::size_t count)
{
    return std::to_string(count) + (count == 1 ? " time" : " times");
}

// A player that gives these answers, one by one, and remembers what it was asked.
class Scripted : public Player
{
public:
    Scripted(const std::string& name, const std::vector<int>& answers, bool interactive = false)
     : Player(name), m_answers(answers), m_interactive(interactive)
    {
    }

    bool isInteractive() const override
    {
        return m_interactive;
    }

    int chooseMove(const Board& b, Side s) const override
    {
        if (m_boards.size() == m_answers.size())
            wrong("on the board " + Model::of(b).text() + ", the player " + name()
                  + " should not be asked for a move any more; it has been asked "
                  + times(m_boards.size()));
        m_boards.push_back(Model::of(b));
        m_sides.push_back(s);
        return m_answers[m_boards.size() - 1];
    }

    std::size_t asked() const
    {
        return m_boards.size();
    }

    // The board and the side that it was asked about.
    const Model& board(std::size_t time) const
    {
        return m_boards[time];
    }
    Side side(std::size_t time) const
    {
        return m_sides[time];
    }

private:
    std::vector<int> m_answers;
    bool m_interactive;
    mutable std::vector<Model> m_boards;
    mutable std::vector<Side> m_sides;
};

// Sows the first hole that it can.
class First : public Player
{
public:
    First(const std::string& name, bool interactive = false)
     : Player(name), m_interactive(interactive)
    {
    }

    bool isInteractive() const override
    {
        return m_interactive;
    }

    int chooseMove(const Board& b, Side s) const override
    {
        return Model::of(b).first_hole(s);
    }

private:
    bool m_interactive;
};

Model position(const std::vector<int>& north, const std::vector<int>& south, int north_pot = 0,
               int south_pot = 0)
{
    Model model = Model::full(static_cast<int>(north.size()), 0);
    model.row[NORTH] = north;
    model.row[SOUTH] = south;
    model.pot[NORTH] = north_pot;
    model.pot[SOUTH] = south_pot;
    return model;
}

void need_same(const Model& right, const Game& game, const std::string& where)
{
    const std::string wrong_pit = difference(right, game);
    need(wrong_pit.empty(), where + ": " + wrong_pit);
}

std::string answers_text(const std::vector<int>& answers)
{
    std::string text;
    for (int answer : answers)
        text += (text.empty() ? "" : ", ") + std::to_string(answer);
    return text;
}

// The game is not over, and status touches nothing else.
void need_not_over(const Game& game, const std::string& where)
{
    for (bool before : { false, true })
        for (Side side_before : SIDES)
        {
            bool over = true;
            bool has_winner = before;
            Side winner = side_before;
            doing(where + ", status(over, hasWinner, winner)");
            game.status(over, has_winner, winner);
            need(!over, where + ", status should say that the game is not over: that is so only "
                                "once move has returned false");
            need(has_winner == before && winner == side_before,
                 where + ", status should touch neither hasWinner nor winner, because the game is "
                         "not over");
        }
}

// The game is over and this side has won it.
void need_won(const Game& game, Side right, const std::string& where)
{
    bool over = false;
    bool has_winner = false;
    Side winner = opponent(right);
    doing(where + ", status(over, hasWinner, winner)");
    game.status(over, has_winner, winner);
    need(over, where + ", status should say that the game is over");
    need(has_winner, where + ", status should say that there is a winner");
    need(winner == right, where + ", status should say that " + side_name(right) + " has won");
}

// The game is over and nobody has won it.
void need_tie(const Game& game, const std::string& where)
{
    for (Side before : SIDES)
    {
        bool over = false;
        bool has_winner = true;
        Side winner = before;
        doing(where + ", status(over, hasWinner, winner)");
        game.status(over, has_winner, winner);
        need(over, where + ", status should say that the game is over");
        need(!has_winner, where + ", status should say that there is no winner: it is a tie");
        need(winner == before, where + ", status should not touch winner: it is a tie");
    }
}

// One turn of s, in which its player gives these answers, all of them, and the other is not asked.
void need_turn(const Model& before, Side s, const std::vector<int>& answers, const Model& after,
               bool completed)
{
    const std::string where = "on the board " + before.text() + ", after move("
                              + (s == NORTH ? "NORTH" : "SOUTH") + ") with the answers "
                              + (answers.empty() ? "none" : answers_text(answers));
    Scripted mover("Marge", answers);
    Scripted other("Homer", {});
    Game game(before.board(), s == SOUTH ? &mover : &other, s == SOUTH ? &other : &mover);
    doing(where);
    const bool result = game.move(s);
    need(result == completed, where + ": move should return " + (completed ? "true" : "false")
                                  + "; yours returns " + (result ? "true" : "false"));
    need(mover.asked() == answers.size(),
         where + ": the player should be asked " + times(answers.size()) + "; yours asks "
             + times(mover.asked()));
    need_same(after, game, where);
    if (completed)
        need_not_over(game, where);
}

void new_game()
{
    const Model right = position({ 1, 2, 3 }, { 4, 5, 6 }, 7, 8);
    First south("Marge"), north("Homer");
    const Game game(right.board(), &south, &north);
    need_same(right, game, "in a new game on the board " + right.text());
    for (Side s : SIDES)
        for (int hole : { -1, 4, INT_MAX, INT_MIN })
            need(game.beans(s, hole) == -1,
                 "on a board of 3 holes, Game::beans of hole " + std::to_string(hole)
                     + " should be -1; yours says " + std::to_string(game.beans(s, hole)));
}

void own_board()
{
    const Model right = Model::full(3, 2);
    Board b(3, 2);
    First south("Marge"), north("Homer");
    Game game(b, &south, &north);
    b.setBeans(SOUTH, 1, 50);
    need_same(right, game, "after the board that a game was made with has changed");
    b.setBeans(SOUTH, 1, 2);
    doing("move(SOUTH)");
    game.move(SOUTH);
    const std::string changed = difference(right, b);
    need(changed.empty(), "a game should play on a copy of its board; after move(SOUTH) " + changed);
}

void status_before_the_end()
{
    First south("Marge"), north("Homer");
    Game game(Board(3, 2), &south, &north);
    need_not_over(game, "in a new game");
    game.move(SOUTH);
    need_not_over(game, "after move(SOUTH) has returned true");
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
            Scripted mover("Marge", { hole });
            Scripted other("Homer", {});
            Game game(before.board(), s == SOUTH ? &mover : &other,
                      s == SOUTH ? &other : &mover);
            const std::string where = "on a new Board(6, 4), after " + side_name(s)
                                      + " has sown hole " + std::to_string(hole);
            doing(where);
            need(game.move(s), where + ": move should return true; yours returns false");
            need_same(after, game, where);
            need(mover.asked() == 1, where + ": the player should have been asked once");
            need(mover.side(0) == s,
                 where + ": the player should have been asked about " + side_name(s));
            need(mover.board(0).text() == before.text(),
                 where + ": the player should have been shown the board of the game; yours shows "
                     + mover.board(0).text());
        }
}

// Sows the first hole that gives no bonus turn.
class Passing : public Player
{
public:
    Passing(const std::string& name) : Player(name)
    {
    }
    int chooseMove(const Board& b, Side s) const override
    {
        const Model board = Model::of(b);
        for (int hole : board.legal_holes(s))
        {
            Model after = board;
            if (after.play(s, hole) == Model::TURN_PASSES)
                return hole;
        }
        return board.first_hole(s);
    }
};

void any_order()
{
    Model right = Model::full(6, 4);
    Passing south("Marge"), north("Homer");
    Game game(right.board(), &south, &north);
    std::string turns = "after turns of";
    for (Side s : { NORTH, NORTH, SOUTH, SOUTH, SOUTH, NORTH })
    {
        turns += " " + side_name(s);
        doing(turns);
        const int hole = (s == SOUTH ? south : north).chooseMove(right.board(), s);
        right.play(s, hole);
        need(game.move(s), turns + ": move should return true, whoever moved before");
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
    Scripted south("Marge", { 3, 1 });
    Scripted north("Homer", {});
    Game game(before.board(), &south, &north);
    doing("move(SOUTH) with a bonus turn on the board " + before.text());
    said();
    game.move(SOUTH);
    const std::string text = said();
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
    Scripted south("Marge", { 3, 1 });
    Scripted north("Homer", {});
    Game game(before.board(), &south, &north);
    doing("move(SOUTH) with a bonus turn on the board " + before.text());
    game.move(SOUTH);
    need(south.asked() == 2 && south.board(1).text() == between.text(),
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
    // Whoever has something to sow, sows it: the game goes on until somebody has not.
    need_turn(position({ 0, 0, 0 }, { 2, 1, 0 }, 3, 4), SOUTH, { 2 },
              position({ 0, 0, 0 }, { 2, 0, 1 }, 3, 4), true);
    // Also after a capture of the last beans of the other side.
    need_turn(position({ 0, 6, 0 }, { 1, 0, 1 }), SOUTH, { 1 },
              position({ 0, 0, 0 }, { 0, 0, 1 }, 0, 7), true);
    // And when the own last bean has been sown.
    need_turn(position({ 0, 0, 0 }, { 0, 0, 2 }), SOUTH, { 3 },
              position({ 0, 0, 1 }, { 0, 0, 0 }, 0, 1), true);
}

void status_at_the_end()
{
    First south("Marge"), north("Homer");
    {
        Game game(position({ 0, 0, 0 }, { 1, 2, 3 }, 4, 5).board(), &south, &north);
        game.move(NORTH);
        need_won(game, SOUTH, "after South has won 11 to 4");
    }
    {
        Game game(position({ 1, 1, 1 }, { 0, 0, 0 }, 4, 5).board(), &south, &north);
        game.move(SOUTH);
        need_won(game, NORTH, "after North has won 7 to 5");
    }
    {
        Game game(position({ 0, 1, 0 }, { 0, 0, 0 }, 4, 5).board(), &south, &north);
        game.move(SOUTH);
        need_tie(game, "after a tie, 5 to 5");
    }
}

void move_after_the_end()
{
    Scripted south("Marge", {});
    Scripted north("Homer", {});
    Game game(position({ 0, 0, 0 }, { 1, 2, 3 }, 4, 5).board(), &south, &north);
    const Model right = position({ 0, 0, 0 }, { 0, 0, 0 }, 4, 11);
    for (Side s : { NORTH, SOUTH, NORTH })
    {
        doing("move after the end of the game");
        need(!game.move(s), "after the end of the game, move should return false");
        need_same(right, game, "after the end of the game");
        need_won(game, SOUTH, "after the end of the game");
    }
}

// What happens to a player that gives these illegal answers first.
void need_refused(const std::vector<int>& illegal, int legal)
{
    const Model before = position({ 4, 4, 4, 4 }, { 0, 2, 0, 9 });
    const bool gives_up = illegal.size() == MOST_ANSWERS;
    std::vector<int> answers = illegal;
    if (!gives_up)
        answers.push_back(legal);
    Model after = before;
    after.play(SOUTH, legal);
    Scripted south("Marge", answers);
    Scripted north("Homer", {});
    Game game(before.board(), &south, &north);
    const std::string where = "on the board " + before.text() + ", after move(SOUTH) with the answers "
                              + answers_text(answers);
    doing(where);
    complained();
    need(game.move(SOUTH), where + ": move should return true; yours returns false");
    need(!complained().empty(), where + ": an illegal answer should be complained about on cerr");
    need(south.asked() == answers.size(),
         where + ": the player should be asked " + times(answers.size()) + "; yours asks "
             + times(south.asked()));
    for (std::size_t time = 0; time < south.asked(); time++)
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

void display()
{
    const Model right = position({ 17, 34, 56 }, { 78, 90, 123 }, 211, 955);
    First south("Marge"), north("Homer");
    const Game game(right.board(), &south, &north);
    said();
    doing("display()");
    game.display();
    const std::string text = said();
    for (const char* part :
         { "Marge", "Homer", "17", "34", "56", "78", "90", "123", "211", "955" })
        need(text.find(part) != std::string::npos,
             std::string("display should show ") + part + "; yours shows this:\n" + text);
    need_same(right, game, "after display");
}

// Plays a game of two players that sow the first hole they can, by the model.
Model played(Model model)
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
            const Model after = played(before);
            First south("Marge"), north("Homer");
            Game game(before.board(), &south, &north);
            const std::string where = "after play() of two players that always sow the first hole "
                                      "they can, on a new Board("
                                      + std::to_string(holes) + ", " + std::to_string(beans) + ")";
            doing(where);
            type(std::string(500, '\n'));
            said();
            game.play();
            need_same(after, game, where);
            const int lead = after.pot[SOUTH] - after.pot[NORTH];
            const std::string text = said();
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
    Scripted south("Marge", {});
    Scripted north("Homer", {});
    type("1\n\n\n");
    Game game(position({ 0, 0, 0 }, { 1, 2, 3 }, 4, 5).board(), &south, &north);
    game.move(NORTH);
    said();
    doing("play() after the end of the game");
    game.play();
    const std::string text = said();
    need(text.find("Marge") != std::string::npos,
         "play() of a finished game should announce that Marge has won; yours writes this:\n"
             + text);
    need(unread() == "1\n\n\n", "play() of a finished game should not wait for ENTER");
    need_same(position({ 0, 0, 0 }, { 0, 0, 0 }, 4, 11), game, "after play() of a finished game");
}

void play_waits()
{
    First south("Marge"), north("Homer");
    const std::string typed(200, '\n');
    type(typed);
    Game game(Board(6, 4), &south, &north);
    doing("play() of two players that are not interactive");
    game.play();
    need(unread().size() < typed.size(),
         "play() should wait for ENTER now and then when neither player is interactive");
}

void play_does_not_wait()
{
    type("kept\n");
    for (bool south_is : { false, true })
        for (bool north_is : { false, true })
        {
            if (!south_is && !north_is)
                continue;
            First south("Marge", south_is), north("Homer", north_is);
            Game game(Board(3, 2), &south, &north);
            doing("play() with an interactive player");
            game.play();
        }
    need(unread() == "kept\n",
         "play() should not read cin when a player is interactive: the player reads it");
}

void play_after_the_end_of_input()
{
    First south("Marge"), north("Homer");
    type("");
    Game game(Board(6, 4), &south, &north);
    doing("play() with an input that has ended");
    game.play();
    need_same(played(Model::full(6, 4)), game, "after play() with an input that has ended");
}

void silence()
{
    type("1\n");
    First south("Marge"), north("Homer");
    const Game game(Board(3, 2), &south, &north);
    bool over = false;
    bool has_winner = false;
    Side winner = NORTH;
    game.status(over, has_winner, winner);
    game.beans(SOUTH, 1);
    game.beans(SOUTH, 99);
    const std::string text = said();
    need(text.empty(), "the constructor, status and beans may not write to cout; yours write this:\n"
                           + text);
    game.display();
    Game moved(Board(3, 2), &south, &north);
    moved.move(SOUTH);
    need(unread() == "1\n", "only play() may read cin");
}

// Sows a hole by chance.
class Random : public Player
{
public:
    Random(std::mt19937& chance) : Player("Random"), m_chance(chance)
    {
    }
    int chooseMove(const Board& b, Side s) const override
    {
        const std::vector<int> legal = Model::of(b).legal_holes(s);
        if (legal.empty())
            return -1;
        m_last = legal[m_chance() % legal.size()];
        m_answers.push_back(m_last);
        return m_last;
    }
    std::vector<int> taken()
    {
        std::vector<int> answers;
        answers.swap(m_answers);
        return answers;
    }

private:
    std::mt19937& m_chance;
    mutable int m_last = -1;
    mutable std::vector<int> m_answers;
};

void random_games()
{
    std::mt19937 chance(32);
    for (int round = 0; round < 150; round++)
    {
        Model right = Model::random(chance, 7, 6);
        Random player(chance);
        Game game(right.board(), &player, &player);
        bool going = true;
        for (Side s = SOUTH; going; s = SIDES[chance() % 2])
        {
            const Model before = right;
            doing("on the board " + before.text() + ", move for " + side_name(s));
            going = game.move(s);
            const std::vector<int> answers = player.taken();
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
    { "Game::status: who has won", status_at_the_end },
    { "Game::move: false after the end", move_after_the_end },
    { "Game::move: asks again after an illegal answer", illegal_answer },
    { "Game::move: asks again after a second illegal answer", two_illegal_answers },
    { "Game::move: makes the first legal move after three illegal answers", three_illegal_answers },
    { "Game::move: refuses illegal answers at a bonus turn", illegal_answers_at_a_bonus_turn },
    { "Game::display: shows the board and both names", display },
    { "Game::play: whole games", whole_games },
    { "Game::play: only announces when the game is over", play_announces },
    { "Game::play: waits for ENTER when nobody is interactive", play_waits },
    { "Game::play: does not wait for ENTER when somebody is interactive", play_does_not_wait },
    { "Game::play: ends although the input has ended", play_after_the_end_of_input },
    { "Game: says nothing and reads nothing otherwise", silence },
    { "Game: random games", random_games },
};

}

int main()
{
    return run("Game", CHECKS);
}
