//! How games ended, and whose fault it was.

use std::collections::BTreeMap;

use kalah::Termination;
use kalah_arena::{Contestant, FinishedGame};
use maud::{Markup, html};

use super::contestant_name;
use super::games::game_anchor;

/// At most so many games of one kind are linked.
const MAX_LINKS: usize = 20;

/// A line for each way to end that happened, for each who is to blame for it.
pub(super) fn table(names: &[&str], games: &[FinishedGame]) -> Markup {
    type Key = (&'static str, Option<Contestant>);
    let mut kinds: BTreeMap<Key, Vec<&FinishedGame>> = BTreeMap::new();
    for game in games {
        let blamed = game.end.side_at_fault().map(|side| game.players()[side]);
        let key = (termination_text(game.end.termination()), blamed);
        kinds.entry(key).or_default().push(game);
    }
    html! {
        div.wide {
            table {
                thead {
                    tr {
                        th.name scope="col" { "Ending" }
                        th.name scope="col" { "Lost by" }
                        th scope="col" { "Games" }
                        th.name scope="col" {}
                    }
                }
                tbody {
                    @for ((word, blamed), games) in &kinds {
                        tr {
                            th.name scope="row" { (word) }
                            td.name { @if let Some(blamed) = blamed { (contestant_name(names, *blamed)) } }
                            td { (games.len()) }
                            td.name {
                                @if blamed.is_some() {
                                    @for game in games.iter().take(MAX_LINKS) {
                                        a href=(format!("#{}", game_anchor(game))) { (game_anchor(game)) } " "
                                    }
                                    @if games.len() > MAX_LINKS { "…" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn termination_text(termination: Termination) -> &'static str {
    match termination {
        Termination::Normal => "played to the end",
        Termination::Adjudicated => "adjudicated by its proven margin",
        Termination::Resign => "resigned",
        Termination::Illegal => "illegal move",
        Termination::Time => "time loss",
        Termination::Crash => "crash",
        Termination::Stall => "stall",
        Termination::Protocol => "protocol error",
        Termination::Unfinished => "unfinished",
    }
}
