#ifndef KIT_TEST_PLAYERS_H
#define KIT_TEST_PLAYERS_H

#include "Board.h"
#include "Player.h"
#include "Side.h"
#include "checker.h"
#include "model.h"
#include "outcome.h"
#include "rng.h"

#include <cstddef>
#include <string>
#include <vector>

// Players for the checks of a Game.
namespace kit {

// A player that gives these answers in order and records the requests.
class ScriptedPlayer : public Player
{
public:
    ScriptedPlayer(const std::string& name, const std::vector<int>& answers)
     : Player(name), m_answers(answers)
    {
    }

    int chooseMove(const Board& b, Side s) const override
    {
        if (m_boards.size() == m_answers.size())
            fail("on the board " + Model::of(b).text() + ", the player " + name()
                 + " should not be asked for a move any more; it has been asked "
                 + times_text(m_boards.size()));
        m_boards.push_back(Model::of(b));
        m_sides.push_back(s);
        return m_answers[m_boards.size() - 1];
    }

    std::size_t request_count() const
    {
        return m_boards.size();
    }

    // The board and the side of each request.
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
    mutable std::vector<Model> m_boards;
    mutable std::vector<Side> m_sides;
};

// Sows the first nonempty hole.
class FirstHolePlayer : public Player
{
public:
    FirstHolePlayer(const std::string& name, bool interactive = false)
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

// Sows the first hole that gives no bonus turn.
class NoBonusPlayer : public Player
{
public:
    NoBonusPlayer(const std::string& name) : Player(name)
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

// Sows a random hole and records it.
class RandomPlayer : public Player
{
public:
    RandomPlayer(Rng& rng) : Player("Random"), m_rng(rng)
    {
    }
    int chooseMove(const Board& b, Side s) const override
    {
        const std::vector<int> legal = Model::of(b).legal_holes(s);
        if (legal.empty())
            return -1;
        m_answers.push_back(legal[static_cast<std::size_t>(
            m_rng.between(0, static_cast<int>(legal.size()) - 1))]);
        return m_answers.back();
    }

    // Returns the answers since the last call of this function.
    std::vector<int> take_answers()
    {
        std::vector<int> answers;
        answers.swap(m_answers);
        return answers;
    }

private:
    Rng& m_rng;
    mutable std::vector<int> m_answers;
};

}

#endif
