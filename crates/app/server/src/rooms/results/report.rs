//! The report of a room: one page without scripts that loads nothing.

use kalah::format_count;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::rooms::results::{ResultGame, RoomResults};
use crate::rooms::state::standings::StandingsRowView;

const STYLESHEET: &str = include_str!("report.css");

/// Returns the report of a room.
pub(crate) fn report(results: &RoomResults) -> String {
    let title = &results.room.name;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLESHEET)) }
            }
            body {
                h1 { (title) }
                (overview(results))
                h2 { "Standings" }
                (standings_table(results))
                @if results.standings.len() <= MAX_CROSS_TABLE_MEMBERS {
                    h2 { "Cross table" }
                    (cross_table(results))
                }
                h2 { "Games" }
                (games_table(results))
            }
        }
    };
    page.into_string()
}

/// The most members of a cross table that can be read.
const MAX_CROSS_TABLE_MEMBERS: usize = 40;

fn overview(results: &RoomResults) -> Markup {
    let room = &results.room;
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let created = results.created.as_deref().unwrap_or_default();
    html! {
        p {
            (format_count(count(results.members.len()), "member")) ", "
            (format_count(count(results.games.len()), "game")) ", created " (created) ". "
            "Board " (room.start) ", rules " (room.rules) ". "
            @if !room.engine_help { "No engine help during the games." }
        }
    }
}

fn standings_table(results: &RoomResults) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th { "Rank" } th { "Name" } th { "Points" } th { "Games" } th { "+" } th { "=" }
                    th { "−" } th { "Byes" } th { "Buchholz" } th { "Sonneborn-Berger" }
                    th { "Performance" }
                }
            }
            tbody {
                @for row in &results.standings {
                    tr {
                        td { (row.rank) } td.name { (results.name(row.member)) }
                        td { (row.points) } td { (row.games) } td { (row.wins) } td { (row.ties) }
                        td { (row.losses) } td { (row.byes) } td { (row.buchholz) }
                        td { (row.sonneborn_berger) } td { (performance(row)) }
                    }
                }
            }
        }
        p.note {
            "Performance: Elo relative to the mean of the room, with half the width of its 95 % \
             interval."
        }
    }
}

fn performance(row: &StandingsRowView) -> String {
    match row.rating {
        None => String::new(),
        Some(rating) => match rating.error {
            Some(error) => format!("{:+.0} ± {error:.0}", rating.value),
            None => format!("{:+.0}", rating.value),
        },
    }
}

fn cross_table(results: &RoomResults) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th {} th {}
                    @for row in &results.standings { th { (row.rank) } }
                }
            }
            tbody {
                @for row in &results.standings {
                    tr {
                        td { (row.rank) } td.name { (results.name(row.member)) }
                        @for other in &results.standings {
                            td { (scores(results, row.member, other.member)) }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the scores of a member against another one.
fn scores(results: &RoomResults, member: u32, other: u32) -> String {
    let score = |game: &ResultGame| {
        let (one, two) = game.result().split_once('-')?;
        match (game.south, game.north) {
            (south, north) if (south, north) == (member, other) => Some(one),
            (south, north) if (south, north) == (other, member) => Some(two),
            _ => None,
        }
    };
    let scores: Vec<_> = results.games.iter().filter_map(score).collect();
    scores.join(" ")
}

fn games_table(results: &RoomResults) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th { "Round" } th { "South" } th { "North" } th { "Result" } th { "Seeds" }
                    th { "End" } th { "Moves" }
                }
            }
            tbody {
                @for game in &results.games {
                    tr {
                        td { (game.round) "." (game.pairing) "." (game.leg) }
                        td.name { (results.name(game.south)) }
                        td.name { (results.name(game.north)) }
                        td { (game.result()) }
                        @if let Some(ending) = &game.ending {
                            td { (ending.seeds.south) "–" (ending.seeds.north) }
                            td { (ending.termination) }
                        } @else {
                            td {} td {}
                        }
                        td.moves { (game.plies.join(" ")) }
                    }
                }
            }
        }
    }
}
