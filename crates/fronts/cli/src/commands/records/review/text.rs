//! The text of a review.

use std::io::Write;

use kalah::{BySide, Side, format_count};
use kalah_engine::{Accuracy, Commentary, GamePhase, GradeCounts, MarginEstimate, PhaseAccuracy};
use kalah_text::{
    Notation, Palette, ReviewOutput, format_bounds, format_cost, format_level, format_win_chance,
    ply_symbol, reasons_text, review_summary,
};

use crate::error::CliError;
use crate::output::messages::{wrap_output, wrap_output_row};

/// Writes the plies, the accuracy and the grades of each player, and the summary of a review.
///
/// # Errors
/// The error of the output.
pub(super) fn write(
    review_output: &ReviewOutput,
    commentary: &Commentary,
    notation: Notation,
    palette: Palette,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let ReviewOutput { game, review, .. } = review_output;
    let labels = BySide::from_fn(|side| review_output.player_label(side));
    let players = format!(
        "{} plays {} under the rules {}. Margins are those of {}.",
        palette.name(Side::South, &labels.south),
        palette.name(Side::North, &labels.north),
        game.start().rules(),
        labels.south,
    );
    writeln!(output, "{}\n", wrap_output(&players))?;
    if let Some(sentence) = opening_sentence(review.opening_plies()) {
        writeln!(output, "{}\n", wrap_output(&sentence))?;
    }
    writeln!(
        output,
        "{:>12}    {}",
        "start",
        format_estimate(review.start)
    )?;
    for ((_, turn, ply), reasons) in review_output.plies().zip(&commentary.reasons) {
        let mv = notation.format_move(ply.side, ply.mv);
        let after = ply.after.from_south_perspective(ply.player);
        let mut line = format!(
            "{:>6} {mv:>5}{:<2}  {}",
            turn.to_string(),
            ply_symbol(ply, reasons),
            format_estimate(after)
        );
        if ply.has_cost() {
            let better: Vec<String> = (ply.better_moves.iter())
                .map(|&better| notation.format_move(ply.side, better))
                .collect();
            let mistake = format!(
                "{}: cost {}. Better: {}",
                labels[ply.player],
                format_cost(ply),
                better.join(" or ")
            );
            line.push_str("  ");
            line.push_str(&palette.problem(&mistake));
        }
        writeln!(output, "{}", wrap_output_row(&line, REASONS_INDENT))?;
        if let Some(words) = reasons_text(reasons, ply, notation) {
            let line = format!("{:REASONS_INDENT$}{words}", "");
            writeln!(output, "{}", wrap_output_row(&line, REASONS_INDENT))?;
        }
    }
    writeln!(output)?;
    for player in Side::ALL {
        let accuracy = format!(
            "{}: {}{}",
            palette.name(player, &labels[player]),
            format_accuracy(review.accuracy[player]),
            format_grades(review.grades[player])
        );
        writeln!(output, "{}", wrap_output(&accuracy))?;
        if let Some(phases) = format_phases(&commentary.accuracy[player]) {
            writeln!(output, "  {phases}")?;
        }
        if let Some(level) = commentary.levels[player] {
            writeln!(output, "  {}", format_level(level))?;
        }
    }
    let summary = review_summary(review_output, notation);
    writeln!(output, "\n{}", wrap_output(&summary))?;
    Ok(())
}

/// The column in which the margins of the plies begin.
const REASONS_INDENT: usize = 16;

/// Returns the sentence about the opening of a tournament; `None` if it has no plies.
fn opening_sentence(plies: usize) -> Option<String> {
    let (subject, verb) = match plies {
        0 => return None,
        1 => ("The first ply is".to_owned(), "is"),
        _ => (format!("The first {plies} plies are"), "are"),
    };
    Some(format!(
        "{subject} the opening of the tournament, which no player chose, and {verb} not graded."
    ))
}

/// Returns `opening 80 % (cost 4 of 20), endgame 100 % (cost 0 of 6)`, the accuracies of the phases
/// that have one, with their cost and stake; `None` if at most one phase has one.
fn format_phases(accuracy: &PhaseAccuracy) -> Option<String> {
    let phases = GamePhase::ALL.into_iter().filter_map(|phase| {
        let name = match phase {
            GamePhase::Opening => "opening",
            GamePhase::Middlegame => "middlegame",
            GamePhase::Endgame => "endgame",
        };
        let accuracy = accuracy.in_phase(phase);
        let percent = accuracy.percent()?;
        let (cost, stake) = (accuracy.cost, accuracy.stake);
        Some(format!(
            "{name} {:.0} % (cost {cost} of {stake})",
            percent.floor()
        ))
    });
    let phases: Vec<String> = phases.collect();
    (phases.len() > 1).then(|| phases.join(", "))
}

/// Returns `+8 exact`, or `from -2 to +8, estimated +4, wins 79 %`.
fn format_estimate(estimate: MarginEstimate) -> String {
    let bounds = format_bounds(estimate.bounds);
    if estimate.bounds.is_exact() {
        bounds
    } else {
        let chance = format_win_chance(estimate.bounds, estimate.chances);
        format!("{bounds}, estimated {}{chance}", estimate.expected)
    }
}

/// Returns the accuracy of a player with the plies and the seeds that it rests on.
fn format_accuracy(accuracy: Accuracy) -> String {
    let Accuracy {
        plies, cost, stake, ..
    } = accuracy;
    let all_plies = format_count(accuracy.all_plies(), "ply");
    match accuracy.percent() {
        // The percentage is rounded down, so that 100 % means no cost.
        Some(percent) => format!(
            "accuracy {:.0} % (cost {cost} of {} at stake in {plies} of {all_plies})",
            percent.floor(),
            format_count(stake.into(), "seed"),
        ),
        None if accuracy.all_plies() == 0 => "no ply".to_owned(),
        None if accuracy.has_enough_plies() => {
            "no accuracy, because nothing was at stake".to_owned()
        }
        None => format!(
            "no accuracy, because the margin of each possible move is proven in {plies} of \
             {all_plies}, fewer than four fifths"
        ),
    }
}

/// Returns the counts of the grades that occur, such as `, 1 blunder, 2 mistakes`.
fn format_grades(counts: GradeCounts) -> String {
    let GradeCounts {
        inaccuracies,
        mistakes,
        blunders,
    } = counts;
    let counts = [
        (blunders, "blunder", "blunders"),
        (mistakes, "mistake", "mistakes"),
        (inaccuracies, "inaccuracy", "inaccuracies"),
    ];
    let counts = counts.into_iter().filter(|&(count, ..)| count > 0);
    let texts = counts.map(|(count, one, many)| {
        let word = if count == 1 { one } else { many };
        format!(", {count} {word}")
    });
    texts.collect::<Vec<_>>().concat()
}
