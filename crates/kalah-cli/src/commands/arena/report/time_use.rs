//! How long contestants thought.

use std::time::Duration;

use kalah::Side;
use kalah_arena::{Contestant, FinishedGame, ThinkTime};
use maud::{Markup, html};

use super::contestant_name;

const SECOND: f64 = 1.0;
const MINUTE: f64 = 60.0;

/// What a contestant took in all its games.
fn total_think_time(contestant: Contestant, games: &[FinishedGame]) -> ThinkTime {
    let mut taken = ThinkTime::default();
    for game in games {
        for side in Side::ALL {
            if game.players()[side] == contestant {
                taken += game.think_time[side];
            }
        }
    }
    taken
}

/// A line for each contestant, with a bar for its mean time for a choice.
pub(super) fn table(names: &[&str], games: &[FinishedGame]) -> Markup {
    let all: Vec<_> = Contestant::all(names.len())
        .map(|contestant| (contestant, total_think_time(contestant, games)))
        .collect();
    let longest = all.iter().filter_map(|(_, taken)| taken.mean());
    let longest = longest.max().unwrap_or_default().as_secs_f64();
    html! {
        div.wide {
            table {
                thead {
                    tr {
                        th.name scope="col" { "Contestant" }
                        th scope="col" { "Choices" }
                        th scope="col" { "A choice" }
                        th.bar scope="col" {}
                        th scope="col" { "Longest" }
                        th scope="col" { "In all" }
                    }
                }
                tbody {
                    @for (contestant, taken) in &all {
                        @let a_choice = taken.mean();
                        tr {
                            th.name scope="row" { (contestant_name(names, *contestant)) }
                            td { (taken.moves) }
                            td { (duration_text(a_choice)) }
                            td.bar {
                                meter min="0" max="1" value=(mean_share(a_choice, longest)) {}
                            }
                            td { (duration_text(Some(Duration::from_millis(taken.longest_ms)))) }
                            td { (duration_text(Some(Duration::from_millis(taken.total_ms)))) }
                        }
                    }
                }
            }
        }
        p.soft { "Times from a request to its answer, on average; choices of openings are not counted." }
    }
}

fn mean_share(time: Option<Duration>, longest: f64) -> f64 {
    let seconds = time.unwrap_or_default().as_secs_f64();
    if longest > 0.0 {
        seconds / longest
    } else {
        0.0
    }
}

/// A duration for people, with three digits that count.
fn duration_text(time: Option<Duration>) -> String {
    let Some(time) = time else {
        return "–".to_owned();
    };
    match time.as_secs_f64() {
        seconds if seconds < 0.0995 => format!("{:.1} ms", seconds * 1000.0),
        seconds if seconds < SECOND => format!("{:.0} ms", seconds * 1000.0),
        seconds if seconds < MINUTE => format!("{seconds:.1} s"),
        seconds => format!(
            "{:.0} min {:.0} s",
            (seconds / MINUTE).floor(),
            seconds % MINUTE
        ),
    }
}
