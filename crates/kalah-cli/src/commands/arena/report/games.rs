//! All games, each with a link to look at it.

use kalah::Side;
use kalah_arena::{FinishedGame, GameScore, Leg};
use maud::{Markup, html};

use super::link::game_fragment;

/// A line for each game, in the order of the schedule.
pub(super) fn table(page: &str, games: &[FinishedGame]) -> Markup {
    let mut games: Vec<&FinishedGame> = games.iter().collect();
    games.sort_by_key(|game| (game.encounter.pair, game.leg));
    html! {
        p.soft {
            "The links show a game on the page of " code { "kalah serve" } ", which has to be running: they lead to "
            a href=(page) { (page) } "."
        }
        div.wide {
            table.games {
                thead {
                    tr {
                        th scope="col" { "Game" }
                        th.name scope="col" { "South" }
                        th.name scope="col" { "North" }
                        th.name scope="col" { "Ending" }
                        th scope="col" { "Plies" }
                        th scope="col" {}
                    }
                }
                tbody {
                    @for game in games {
                        tr id=(game_anchor(game)) {
                            td { (game_anchor(game)) }
                            @for side in Side::ALL {
                                td.name { (player_cell(game, side)) }
                            }
                            td.name { (game.end) }
                            td { (game.game.plies().len()) }
                            td { a href=(format!("{page}{}", game_fragment(&game.game))) { "review" } }
                        }
                    }
                }
            }
        }
    }
}

/// What a game is called in the report: its round and pair, and which of the two it is, as its record has it.
pub(super) fn game_anchor(game: &FinishedGame) -> String {
    let leg = match game.leg {
        Leg::First => 1,
        Leg::Second => 2,
    };
    let encounter = game.encounter;
    let [round, pair] = [encounter.round, encounter.pair].map(|number| number.saturating_add(1));
    format!("{round}.{pair}.{leg}")
}

fn player_cell(game: &FinishedGame, side: Side) -> Markup {
    let name = &game.names[side];
    html! {
        @if game.score(side) == GameScore::Win { b { (name) } } @else { (name) }
    }
}
