//! Who made how much against whom.

use kalah_arena::{CrossTable, Estimate, Pentanomial, ScoreFraction, Standing};
use maud::{Markup, html};

use super::contestant_name;
use crate::commands::arena::text::points_text;
use crate::words::format_count;

/// A line for each contestant, the best first, and in the same order a column for each opponent.
pub(super) fn table(names: &[&str], table: &CrossTable) -> Markup {
    let standings = table.standings();
    html! {
        div.wide {
            table.cross {
                thead {
                    tr {
                        th scope="col" { "#" }
                        th.name scope="col" { "Contestant" }
                        th scope="col" { "Points" }
                        th scope="col" { "Games" }
                        th scope="col" { "Share" }
                        th scope="col" title="Pairs of games that brought 0, half a point, 1, 1.5 and 2 points" { "Pairs" }
                        @for other in &standings {
                            th scope="col" title=(contestant_name(names, other.contestant)) { (other.rank) }
                        }
                    }
                }
                tbody {
                    @for one in &standings {
                        tr {
                            td { (one.rank) }
                            th.name scope="row" { (contestant_name(names, one.contestant)) }
                            td { (points_text(one.games.half_points())) }
                            td { (one.games.game_count()) }
                            td { (points_share(one)) }
                            td { (pair_counts(&one.pairs)) }
                            @for other in &standings {
                                (cell(table, one, other))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell(table: &CrossTable, one: &Standing, other: &Standing) -> Markup {
    if one.contestant == other.contestant {
        return html! { td.self { "·" } };
    }
    let meeting = table.head_to_head(one.contestant, other.contestant);
    let games = meeting.games;
    if games.game_count() == 0 {
        return html! { td {} };
    }
    let told = format!(
        "won {}, tied {}, lost {}; pairs {}",
        games.wins,
        games.draws,
        games.losses,
        pair_counts(&meeting.pairs)
    );
    html! { td title=(told) { (points_text(games.half_points())) " of " (games.game_count()) } }
}

/// The share of the points that there were.
fn points_share(standing: &Standing) -> String {
    let tally = standing.games;
    let halves = [tally.half_points(), 2 * tally.game_count()].map(u32::try_from);
    let [Ok(made), Ok(all)] = halves else {
        return String::new();
    };
    ScoreFraction::new(f64::from(made) / f64::from(all))
        .map_or_else(String::new, |share| share.to_string())
}

/// Of two contestants, what their pairs tell.
pub(super) fn match_sentence(names: &[&str], table: &CrossTable) -> Option<String> {
    let [first, second] = table.standings().try_into().ok()?;
    let pairs = table
        .head_to_head(first.contestant, second.contestant)
        .pairs;
    let estimate = Estimate::from_pairs(&pairs)?;
    let number = format_count(pairs.pair_count(), "pair");
    let few = if pairs.pair_count() < Estimate::MIN_RELIABLE_PAIRS {
        " So few pairs are a hint, and no more."
    } else {
        ""
    };
    Some(format!(
        "{} has made {} of the points against {} in {number} of games: {} Elo, {} with 95 % confidence; likelihood \
         of superiority {}.{few}",
        contestant_name(names, first.contestant),
        estimate.score,
        contestant_name(names, second.contestant),
        estimate.elo,
        estimate.elo_interval,
        estimate.superiority,
    ))
}

fn pair_counts(pairs: &Pentanomial) -> String {
    pairs.counts().map(|count| count.to_string()).join(" ")
}
