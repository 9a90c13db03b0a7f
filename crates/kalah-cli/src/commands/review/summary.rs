use kalah::record::Turn;
use kalah::{Margin, Side, Termination};
use kalah_engine::{GameValue, ReviewedPly};

use super::{ReviewOutput, format_cost, format_plies};
use crate::Notation;
use crate::words::termination_phrase;

/// Who did what.
struct Clause {
    subject: String,
    predicate: String,
}

/// What happened in the game, in few words: who was winning, what was given away that decided it, and how it ended:
/// `South was winning by 8, gave away 10 seeds with C at move 9, and lost by 2.` What is not proven is said to be so.
pub(crate) fn summary(reviewed: &ReviewOutput, naming: Notation) -> String {
    let mistakes = || reviewed.plies().filter(|(_, _, ply)| ply.is_mistake());
    let turning = || mistakes().filter(|(_, _, ply)| ply.value_change().is_some());
    // Of equal ones the first.
    let dearest = || {
        mistakes().reduce(|one, next| {
            if next.2.cost.lower > one.2.cost.lower {
                next
            } else {
                one
            }
        })
    };
    let decisive = turning().last().or_else(dearest);
    let given = decisive.map(|(_, turn, ply)| mistake_clause(reviewed, turn, ply, naming));
    let unproven = reviewed.review.unproven_count();
    let mut sentences = Vec::new();
    match (given, turning().count()) {
        (Some(last), changes @ 2..) => {
            sentences.extend(start_clause(reviewed).map(|start| join_clauses(&[start])));
            let at_least = if unproven > 0 { "at least " } else { "" };
            let Clause { subject, predicate } = last;
            sentences.push(format!(
                "The result changed {at_least}{changes} times, last when {subject} {predicate}."
            ));
            sentences.push(join_clauses(&[ending_clause(reviewed, None)]));
        }
        (given, _) => {
            let end = ending_clause(reviewed, decisive.map(|(_, _, ply)| ply.player));
            let clauses = start_clause(reviewed).into_iter().chain(given).chain([end]);
            sentences.push(join_clauses(&clauses.collect::<Vec<_>>()));
        }
    }
    if unproven > 0 {
        let all = format_plies(reviewed.review.plies.len());
        sentences.push(format!(
            "Of {all} it is not proven what {unproven} cost exactly."
        ));
    }
    sentences.join(" ")
}

/// Clauses in a row, which begin with a capital; whoever is spoken of is named once.
fn join_clauses(clauses: &[Clause]) -> String {
    let mut told = String::new();
    let mut subject = "";
    for (index, clause) in clauses.iter().enumerate() {
        let is_named = clause.subject == subject;
        if index > 0 {
            // Two things that one has done need none.
            told += if is_named && clauses.len() == 2 {
                " "
            } else {
                ", "
            };
            if index + 1 == clauses.len() {
                told += "and ";
            }
        }
        if index == 0 && clause.subject == THE_GAME {
            told += "The game ";
        } else if !is_named {
            told += &clause.subject;
            told.push(' ');
        }
        told += &clause.predicate;
        subject = &clause.subject;
    }
    told.push('.');
    told
}

/// What clauses speak of that are about neither player.
const THE_GAME: &str = "the game";

/// Who was winning before the first ply, if that is proven.
fn start_clause(reviewed: &ReviewOutput) -> Option<Clause> {
    let ReviewOutput { names, review, .. } = reviewed;
    let (player, predicate) = match review.start.value()? {
        GameValue::Tie => {
            return Some(Clause {
                subject: "The start".to_owned(),
                predicate: "was a tie".to_owned(),
            });
        }
        GameValue::Win => (Side::South, winning_phrase(review.start.bounds.lower)),
        GameValue::Loss => (Side::North, winning_phrase(review.start.bounds.upper)),
    };
    let predicate = if review.start.bounds.is_exact() {
        predicate
    } else {
        "was winning".to_owned()
    };
    Some(Clause {
        subject: names[player].clone(),
        predicate,
    })
}

fn winning_phrase(margin: Margin) -> String {
    format!("was winning by {}", margin.seeds().abs())
}

fn mistake_clause(
    reviewed: &ReviewOutput,
    turn: Turn,
    ply: &ReviewedPly,
    naming: Notation,
) -> Clause {
    let mv = naming.format_move(ply.side, ply.mv);
    Clause {
        subject: reviewed.names[ply.player].clone(),
        predicate: format!(
            "gave away {} with {mv} at move {}",
            format_cost(ply),
            turn.number
        ),
    }
}

/// How the game ended, told of `teller`, if anybody was spoken of.
fn ending_clause(reviewed: &ReviewOutput, teller: Option<Side>) -> Clause {
    let ReviewOutput {
        game,
        ending,
        names,
        ..
    } = reviewed;
    let of_game = |predicate: &str| Clause {
        subject: THE_GAME.to_owned(),
        predicate: predicate.to_owned(),
    };
    if ending.termination == Termination::Unfinished {
        return of_game("was not played to its end");
    }
    let Some(seat) = ending.winner else {
        return match termination_phrase(ending.termination) {
            None => of_game("ended in a tie"),
            Some(how) => of_game(&format!("ended in a tie {how}")),
        };
    };
    let winner = if game.is_swapped() {
        seat.opponent()
    } else {
        seat
    };
    let how = match (termination_phrase(ending.termination), ending.outcome) {
        (Some(how), _) => how.to_owned(),
        (None, Some(outcome)) => format!("by {}", outcome.margin(seat).seeds()),
        (None, None) => String::new(),
    };
    let (player, verb) = match teller {
        Some(teller) if teller != winner => (teller, "lost"),
        _ => (winner, "won"),
    };
    Clause {
        subject: names[player].clone(),
        predicate: format!("{verb} {how}").trim_end().to_owned(),
    }
}
