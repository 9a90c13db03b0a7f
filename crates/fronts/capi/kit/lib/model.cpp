#include "model.h"

#include "checker.h"

namespace kit {

std::string side_name(Side s)
{
    return s == NORTH ? "North" : "South";
}

std::string pit_name(Side s, int hole)
{
    return side_name(s) + (hole == POT ? "'s pot" : "'s hole " + std::to_string(hole));
}

std::string holes_text(int holes)
{
    return std::to_string(holes) + (holes == 1 ? " hole" : " holes");
}

std::string beans_text(int beans)
{
    return std::to_string(beans) + (beans == 1 ? " bean" : " beans");
}

Model Model::full(int holes, int beans)
{
    Model model;
    for (Side s : { NORTH, SOUTH })
    {
        model.row[s].assign(static_cast<std::size_t>(holes), beans);
        model.pot[s] = 0;
    }
    return model;
}

Model Model::random(Rng& rng, int most_holes, int most_beans)
{
    Model model = full(rng.between(1, most_holes), 0);
    // Half of the holes are empty, because captures would be rare otherwise.
    for (Side s : { NORTH, SOUTH })
    {
        for (int& beans : model.row[s])
            beans = rng.between(0, 1) == 0 ? 0 : rng.between(1, most_beans);
        model.pot[s] = rng.between(0, most_beans);
    }
    return model;
}

Model Model::of(const Board& b)
{
    // A player under test may be asked within a call of a Game.
    const std::string outer_call = last_call();
    Model model = full(CALL("Board::holes", b.holes()), 0);
    for (Side s : { NORTH, SOUTH })
        for (int hole = 0; hole <= model.holes(); hole++)
            model.at(s, hole) = CALL("Board::beans", b.beans(s, hole));
    set_call(outer_call);
    return model;
}

int Model::holes() const
{
    return static_cast<int>(row[NORTH].size());
}

int& Model::at(Side s, int hole)
{
    return hole == POT ? pot[s] : row[s].at(static_cast<std::size_t>(hole - 1));
}

int Model::at(Side s, int hole) const
{
    return hole == POT ? pot[s] : row[s].at(static_cast<std::size_t>(hole - 1));
}

int Model::in_play(Side s) const
{
    int sum = 0;
    for (int beans : row[s])
        sum += beans;
    return sum;
}

int Model::total() const
{
    return in_play(NORTH) + in_play(SOUTH) + pot[NORTH] + pot[SOUTH];
}

bool Model::can_sow(Side s, int hole) const
{
    return hole >= 1 && hole <= holes() && at(s, hole) > 0;
}

int Model::first_hole(Side s) const
{
    for (int hole = 1; hole <= holes(); hole++)
        if (can_sow(s, hole))
            return hole;
    return -1;
}

std::vector<int> Model::legal_holes(Side s) const
{
    std::vector<int> legal;
    for (int hole = 1; hole <= holes(); hole++)
        if (can_sow(s, hole))
            legal.push_back(hole);
    return legal;
}

Model::End Model::sow(Side s, int hole)
{
    int beans = at(s, hole);
    at(s, hole) = 0;
    End end = { s, hole };
    while (beans > 0)
    {
        // Counterclockwise: South's row to the right, North's to the left, a pot after each.
        if (end.side == SOUTH)
        {
            if (end.hole == POT)
                end = { NORTH, holes() };
            else if (end.hole < holes())
                end.hole++;
            else
                end.hole = POT;
        }
        else
        {
            if (end.hole == POT)
                end = { SOUTH, 1 };
            else
                end.hole--;
        }
        if (end.hole == POT && end.side != s)
            continue;
        at(end.side, end.hole)++;
        beans--;
    }
    return end;
}

Model::Effect Model::play(Side s, int hole)
{
    const End end = sow(s, hole);
    if (end.side != s)
        return TURN_PASSES;
    if (end.hole == POT)
        return BONUS_TURN;
    const int opposite = at(opponent(s), end.hole);
    if (at(s, end.hole) == 1 && opposite > 0)
    {
        pot[s] += 1 + opposite;
        at(s, end.hole) = 0;
        at(opponent(s), end.hole) = 0;
    }
    return TURN_PASSES;
}

void Model::sweep()
{
    for (Side s : { NORTH, SOUTH })
    {
        pot[s] += in_play(s);
        row[s].assign(row[s].size(), 0);
    }
}

Board Model::board() const
{
    const std::string outer_call = last_call();
    set_call("Board::Board");
    Board b(holes(), 0);
    for (Side s : { NORTH, SOUTH })
        for (int hole = 0; hole <= holes(); hole++)
            CALL("Board::setBeans", b.setBeans(s, hole, at(s, hole)));
    const std::string wrong_pit = difference(*this, b);
    need(wrong_pit.empty(), "after setting up " + text() + " with setBeans, " + wrong_pit);
    set_call(outer_call);
    return b;
}

std::string Model::text() const
{
    std::string line = "(";
    for (Side s : { NORTH, SOUTH })
    {
        line += side_name(s) + ":";
        for (int beans : row[s])
            line += " " + std::to_string(beans);
        line += ", pot " + std::to_string(pot[s]) + (s == NORTH ? "; " : ")");
    }
    return line;
}

}
