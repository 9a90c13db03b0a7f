//! The faults by which a contestant has lost games, each of them once.

use std::cmp::Reverse;
use std::collections::HashMap;

use kalah::{Position, Termination};
use maud::{Markup, html};
use serde::Serialize;

use super::super::tables::termination_text;
use super::{board, games_link};
use crate::finished_game::FinishedGame;
use crate::game_end::GameEnd;

/// Games that a contestant has lost in the same position by the same fault.
pub(super) struct DistinctFault<'a> {
    /// The first one of the games.
    first: &'a FinishedGame,
    /// The last position.
    position: Position,
    /// The number of the games.
    games: usize,
}

#[derive(Serialize)]
pub(super) struct FaultJson {
    game: String,
    games: usize,
    fault: &'static str,
    position: String,
    answer: Option<String>,
    expected: String,
    description: String,
}

/// Returns the last position of a game.
fn last_position(game: &FinishedGame) -> Position {
    game.game.replay().position().clone()
}

/// Returns the answer of a program that was illegal.
fn illegal_answer(end: &GameEnd) -> Option<&str> {
    match end {
        GameEnd::IllegalMove { answer, .. } => Some(answer),
        _ => None,
    }
}

/// Returns the last lines on standard error of a program that has crashed.
fn stderr_tail(end: &GameEnd) -> Option<&str> {
    match end {
        GameEnd::Crash { stderr_tail, .. } => Some(stderr_tail).filter(|tail| !tail.is_empty()),
        _ => None,
    }
    .map(String::as_str)
}

/// Returns what a program should have done in a position in which it lost by a fault.
fn expected(position: &Position) -> String {
    let side = position.to_move();
    let moves = position.legal_moves().map(|mv| mv.text(side));
    let moves: Vec<String> = moves.collect();
    format!("a legal move: {}", moves.join(", "))
}

/// Returns the games, which were lost by a fault, as one fault for each kind, position and answer:
/// those of the most games first, and equally frequent ones in the order of their first games.
pub(super) fn distinct_faults<'a>(
    games: impl IntoIterator<Item = &'a FinishedGame>,
) -> Vec<DistinctFault<'a>> {
    let mut places: HashMap<(Termination, Position, Option<&str>), usize> = HashMap::new();
    let mut faults: Vec<DistinctFault> = Vec::new();
    for first in games {
        let position = last_position(first);
        let key = (
            first.end.termination(),
            position.clone(),
            illegal_answer(&first.end),
        );
        let place = *places.entry(key).or_insert(faults.len());
        match faults.get_mut(place) {
            Some(fault) => fault.games += 1,
            None => faults.push(DistinctFault {
                first,
                position,
                games: 1,
            }),
        }
    }
    faults.sort_by_key(|fault| Reverse(fault.games));
    faults
}

pub(super) fn fault_json(fault: &DistinctFault) -> FaultJson {
    let DistinctFault {
        first,
        position,
        games,
    } = fault;
    FaultJson {
        game: first.number_text(),
        games: *games,
        fault: first.end.termination().as_str(),
        answer: illegal_answer(&first.end).map(str::to_owned),
        expected: expected(position),
        position: position.to_string(),
        description: first.end.to_string(),
    }
}

pub(super) fn fault_markup(fault: &DistinctFault) -> Markup {
    let DistinctFault {
        first,
        position,
        games,
    } = fault;
    let plies = first.game.moves().len();
    html! {
        article.moment {
            h3 {
                (termination_text(first.end.termination())) ", "
                (games_link(*games, &first.number_text(), plies))
            }
            (board(position))
            p { (first.end) "." }
            p { "Expected: " (expected(position)) "." }
            @if let Some(lines) = stderr_tail(&first.end) {
                pre.stderr tabindex="0" aria-label="Standard error of the program" { (lines) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::journal::Journal;

    /// Returns a journal of games that the player to move loses by a fault, at the start or after a
    /// move.
    fn faults_journal(faults: &[(bool, usize, usize)]) -> String {
        let player = |contestant: usize| {
            let think_time = r#"{"moves":0,"total_ms":0,"longest_ms":0}"#;
            format!(
                r#"{{"contestant":{contestant},"name":"{contestant}","time_control":"1s a move","think_time":{think_time}}}"#
            )
        };
        let lines = (1..).zip(faults).map(|(pair, &(is_illegal, moves, answer))| {
            let (south, north) = (player(0), player(1));
            let (moves, by) = [("", "south"), ("A", "north"), ("B", "north")][moves];
            let times = if moves.is_empty() { "[]" } else { "[1]" };
            let end = if is_illegal {
                format!(
                    r#"{{"kind":"illegal-move","by":"{by}","answer":"{answer}","position":"p","reason":"r"}}"#
                )
            } else {
                format!(
                    r#"{{"kind":"crash","by":"{by}","status":"signal {answer}","stderr_tail":""}}"#
                )
            };
            format!(
                r#"{{"game":"1.{pair}.1","south":{south},"north":{north},"rules":"cs32","position":"2x2","opening_plies":0,"moves":"{moves}","ply_times_ms":{times},"end":{end}}}
"#
            )
        });
        lines.collect()
    }

    proptest! {
        /// The slow twin compares each game with all others.
        #[test]
        fn equal_faults_are_counted_once(
            faults in prop::collection::vec((any::<bool>(), 0_usize..3, 0_usize..3), 0..20),
        ) {
            let journal = Journal::parse(faults_journal(&faults).as_bytes()).expect("a journal");
            let is_equal = |one: &(bool, usize, usize), other: &(bool, usize, usize)| {
                (one.0, one.1) == (other.0, other.1) && (!one.0 || one.2 == other.2)
            };
            let mut expected: Vec<(usize, usize)> = Vec::new();
            for (place, fault) in faults.iter().enumerate() {
                let count = faults.iter().filter(|other| is_equal(fault, other)).count();
                if !faults[..place].iter().any(|other| is_equal(fault, other)) {
                    expected.push((count, place));
                }
            }
            expected.sort_by_key(|&(count, place)| (Reverse(count), place));
            let expected: Vec<(usize, String)> = expected
                .into_iter()
                .map(|(count, place)| (count, format!("1.{}.1", place + 1)))
                .collect();
            let found: Vec<(usize, String)> = distinct_faults(journal.games())
                .into_iter()
                .map(|fault| (fault.games, fault.first.number_text()))
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}
