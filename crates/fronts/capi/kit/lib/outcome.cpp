#include "outcome.h"

#include "checker.h"

namespace kit {

namespace {

const Side SIDES[] = { NORTH, SOUTH };

}

std::string times_text(std::size_t count)
{
    return std::to_string(count) + (count == 1 ? " time" : " times");
}

std::string answers_text(const std::vector<int>& answers)
{
    std::string text;
    for (int answer : answers)
        text += (text.empty() ? "" : ", ") + std::to_string(answer);
    return text;
}

Model position(const std::vector<int>& north, const std::vector<int>& south, int north_pot,
               int south_pot)
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

void need_not_over(const Game& game, const std::string& where)
{
    for (bool before : { false, true })
        for (Side side_before : SIDES)
        {
            bool over = true;
            bool has_winner = before;
            Side winner = side_before;
            set_step(where + ", status(over, hasWinner, winner)");
            CALL("Game::status", game.status(over, has_winner, winner));
            need(!over, where + ", status should say that the game is not over: that is so only "
                                "once move has returned false");
            need(has_winner == before && winner == side_before,
                 where + ", status should touch neither hasWinner nor winner, because the game is "
                         "not over");
        }
}

void need_won(const Game& game, Side right, const std::string& where)
{
    bool over = false;
    bool has_winner = false;
    Side winner = opponent(right);
    set_step(where + ", status(over, hasWinner, winner)");
    CALL("Game::status", game.status(over, has_winner, winner));
    need(over, where + ", status should say that the game is over");
    need(has_winner, where + ", status should say that there is a winner");
    need(winner == right, where + ", status should say that " + side_name(right) + " has won");
}

void need_tie(const Game& game, const std::string& where)
{
    for (Side before : SIDES)
    {
        bool over = false;
        bool has_winner = true;
        Side winner = before;
        set_step(where + ", status(over, hasWinner, winner)");
        CALL("Game::status", game.status(over, has_winner, winner));
        need(over, where + ", status should say that the game is over");
        need(!has_winner, where + ", status should say that there is no winner: it is a tie");
        need(winner == before, where + ", status should not touch winner: it is a tie");
    }
}

}
