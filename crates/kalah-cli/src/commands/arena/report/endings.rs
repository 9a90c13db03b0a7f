//! How games ended, and whose fault it was.

use std::collections::BTreeMap;

use kalah::Termination;
use kalah_arena::{Contestant, FinishedGame};
use maud::{Markup, html};

use super::games::anchor;
use super::name;

/// At most so many games of one kind are linked.
const LINKS: usize = 20;

/// A line for each way to end that happened, for each who is to blame for it.
pub(super) fn table(names: &[&str], games: &[FinishedGame]) -> Markup {
    type Key = (&'static str, Option<Contestant>);
    let mut kinds: BTreeMap<Key, Vec<&FinishedGame>> = BTreeMap::new();
    for game in games {
        let blamed = game.end.fault().map(|side| game.players()[side]);
        let key = (word(game.end.termination()), blamed);
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
                            td.name { @if let Some(blamed) = blamed { (name(names, *blamed)) } }
                            td { (games.len()) }
                            td.name {
                                @if blamed.is_some() {
                                    @for game in games.iter().take(LINKS) {
                                        a href=(format!("#{}", anchor(game))) { (anchor(game)) } " "
                                    }
                                    @if games.len() > LINKS { "…" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn word(termination: Termination) -> &'static str {
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
