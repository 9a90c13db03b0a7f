//! How long contestants thought.

use std::time::Duration;

use kalah::Side;
use kalah_arena::{Contestant, FinishedGame};
use maud::{Markup, html};

use super::name;

const SECOND: f64 = 1.0;
const MINUTE: f64 = 60.0;

/// What a contestant took in all its games.
#[derive(Default)]
struct Taken {
    games: u32,
    choices: u32,
    all: Duration,
    longest_game: Duration,
}

impl Taken {
    fn of(contestant: Contestant, games: &[FinishedGame]) -> Self {
        let mut taken = Self::default();
        for game in games {
            let choices = game.choices_made();
            for side in Side::ALL {
                if game.players()[side] == contestant {
                    let thought = Duration::from_millis(game.thought_ms[side]);
                    taken.games += 1;
                    taken.choices += u32::try_from(choices[side]).unwrap_or(u32::MAX);
                    taken.all = taken.all.saturating_add(thought);
                    taken.longest_game = taken.longest_game.max(thought);
                }
            }
        }
        taken
    }

    fn mean(&self, number: u32) -> Option<Duration> {
        self.all.checked_div(number)
    }
}

/// A line for each contestant, with a bar for its mean time for a choice.
pub(super) fn table(names: &[String], games: &[FinishedGame]) -> Markup {
    let all: Vec<_> = Contestant::all(names.len())
        .map(|contestant| (contestant, Taken::of(contestant, games)))
        .collect();
    let longest = all
        .iter()
        .filter_map(|(_, taken)| taken.mean(taken.choices));
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
                        th scope="col" { "A game" }
                        th scope="col" { "Longest game" }
                        th scope="col" { "In all" }
                    }
                }
                tbody {
                    @for (contestant, taken) in &all {
                        @let a_choice = taken.mean(taken.choices);
                        tr {
                            th.name scope="row" { (name(names, *contestant)) }
                            td { (taken.choices) }
                            td { (told(a_choice)) }
                            td.bar {
                                meter min="0" max="1" value=(share(a_choice, longest)) {}
                            }
                            td { (told(taken.mean(taken.games))) }
                            td { (told(Some(taken.longest_game))) }
                            td { (told(Some(taken.all))) }
                        }
                    }
                }
            }
        }
        p.soft { "Times from a request to its answer, on average; choices of openings are not counted." }
    }
}

fn share(time: Option<Duration>, longest: f64) -> f64 {
    let seconds = time.unwrap_or_default().as_secs_f64();
    if longest > 0.0 {
        seconds / longest
    } else {
        0.0
    }
}

/// A duration for people, with three digits that count.
fn told(time: Option<Duration>) -> String {
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
