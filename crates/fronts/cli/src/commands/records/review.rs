//! `kalah review`.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueHint};
use indicatif::ProgressStyle;
use kalah::record::{Record, Tags};
use kalah::{BySide, Game, Labels, Side, TimeLimit, format_count};
use kalah_api::ReviewView;
use kalah_engine::{
    Accuracy, AnalysisGoal, Commentary, GamePhase, GradeCounts, Limits, MarginEstimate,
    PhaseAccuracy, Report, Review,
};
use kalah_players::{EngineFactory, Shutdown, escape_truncated};
use kalah_text::{
    Notation, Palette, ReviewOutput, format_cost, format_level, ply_symbol, reasons_text,
    review_summary,
};
use serde::Serialize;

use crate::args::search::BookSearchOptions;
use crate::args::values::{LabelsOption, parse_game_number};
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::{wrap_output, write_json};
use crate::output::progress::new_bar;
use kalah_text::{format_bounds, format_win_chance};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The review has a line for each move: the number of its turn as in the record, the move with its
grade, and the margin after it. If the move cost something, the cost and the better moves follow. A
line below says why the move is bad, or that it is beautiful or the only move that wins or ties. At
the end are the accuracy and the grades of each player, and a summary of the game.

A margin is the number of seeds by which the player that began as South is ahead at the end of the
game, with best play of both players. A margin that is not `exact` has proven bounds and an estimate;
a longer --time proves more. The review analyzes the game from its end to its start. Ctrl-C stops it
and prints the bounds proven so far.

The points and seeds that a move is proven to cost decide on its grade. A win is worth a point and a
tie half a point. Where a result is not proven, the lost chance has a grade too; it is printed as
`about 23 % of a point`.

  ??  a blunder costs a point, or half a point and 8 seeds; or a chance of 30 %
  ?   a mistake costs half a point, or at least 8 seeds; or a chance of 20 %
  ?!  an inaccuracy costs at least 4 seeds and no points; or a chance of 10 %
  !!  a beautiful move is the best one, although another one gains more at once

Accuracy is 100 x (1 - cost / stake). The cost of a move is the margin of the best move minus its
own, and its stake is the margin of the best move minus that of the worst. Only moves count for which
the margin of every move is proven. The opening lasts while more than two thirds of all seeds are in
the houses, and the endgame begins with one third. Games of 6x4 under the rules `standard` have the
level from 1 to 10 that makes such mistakes, and a range that contains it with a probability of 80 %.

Examples:
  kalah review game.kgn
  kalah review game.kgn --game 2 --time 1m --labels columns
  kalah review game.kgn --json")]
pub(crate) struct ReviewArgs {
    /// The record file
    #[arg(value_name = "FILE.kgn", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// The number of the game in the file, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_game_number)]
    game: usize,
    /// The maximum time for each position of the game
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    time: TimeLimit,
    #[command(flatten)]
    labels: LabelsOption,
    #[command(flatten)]
    search: BookSearchOptions,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

const PROGRESS_TEMPLATE: &str =
    "{spinner} analyzing position {pos} of {len}, from the last to the first, {elapsed}";

/// `kalah review --json`: the game and the review of the API.
#[derive(Serialize)]
struct ReviewJson {
    south: String,
    north: String,
    rules: String,
    /// The position before the first ply, as text.
    start: String,
    /// The final stores; `None` if neither the rules nor an adjudication have given them.
    score: Option<String>,
    termination: &'static str,
    /// The side that has won; `None` after a tie, or if the winner is unknown.
    winner: Option<Side>,
    #[serde(flatten)]
    review: ReviewView,
    summary: String,
}

impl ReviewJson {
    fn new(reviewed: &ReviewOutput, commentary: &Commentary) -> Self {
        let ReviewOutput {
            game,
            names,
            review,
            ending,
        } = reviewed;
        Self {
            south: names[Side::South].clone(),
            north: names[Side::North].clone(),
            rules: game.start().rules().to_string(),
            start: game.start().to_string(),
            score: ending.outcome.map(|outcome| outcome.to_string()),
            termination: ending.termination.as_str(),
            winner: ending.winner,
            review: ReviewView::new(game, review, commentary),
            summary: review_summary(reviewed, Notation::new(game.start(), Labels::Letters)),
        }
    }
}

pub(crate) fn run(
    arguments: &ReviewArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let (record, games) = kalah_record_files::read_one(&arguments.file, arguments.game)?;
    let game = record.game();
    let engines = arguments.search.factory(game.start())?;
    let interrupt = interrupt::listen();
    let reports = analyze_game(&game, arguments, &engines, &interrupt);
    let review = Review::from_reports(&game, &reports);
    let commentary = Commentary::new(&game, &reports, &review);
    let review_output = ReviewOutput::new(game, record.ending(), player_names(&record), review);
    if arguments.json {
        write_json(output, &ReviewJson::new(&review_output, &commentary))?;
    } else {
        let notation = Notation::new(review_output.game.start(), arguments.labels.labels);
        if games > 1 {
            writeln!(output, "Game {} of {games}.", arguments.game)?;
        }
        write(&review_output, &commentary, notation, palette, output)?;
    }
    if interrupt.is_requested() && review_output.review.unproven_count() > 0 {
        output.flush()?;
        return Err(CliError::Interrupted(
            "interrupted: the bounds are those proven so far".to_owned(),
        ));
    }
    Ok(())
}

fn analyze_game(
    game: &Game,
    arguments: &ReviewArgs,
    engines: &EngineFactory,
    interrupt: &Shutdown,
) -> Vec<Report> {
    let start = Instant::now();
    let mut engine = engines.build().with_stop_flag(interrupt.flag());
    let limits = Limits {
        time: Some(arguments.time.get()),
        goal: AnalysisGoal::AllMargins,
        ..Limits::default()
    };
    let positions = u64::try_from(game.plies().len())
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    let bar = new_bar(positions);
    if let Ok(style) = ProgressStyle::with_template(PROGRESS_TEMPLATE) {
        bar.set_style(style);
    }
    let reports = Review::analyze_positions(game, |position| {
        bar.inc(1);
        engine.analyze(position, limits, &|| start.elapsed())
    });
    bar.finish_and_clear();
    reports
}

/// Returns the names of the players in the record, by the side on which they began. A player
/// without a name is called by that side.
fn player_names(record: &Record) -> BySide<String> {
    let tags = BySide::new(Tags::SOUTH, Tags::NORTH);
    BySide::from_fn(|side| match record.tags().get(tags[side]) {
        None | Some("" | "?") => side.to_string(),
        Some(name) => escape_truncated(name),
    })
}

fn write(
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
    writeln!(
        output,
        "{:>12}    {}",
        "start",
        format_estimate(review.start)
    )?;
    for ((_, turn, ply), reasons) in review_output.plies().zip(&commentary.reasons) {
        let mv = notation.format_move(ply.side, ply.mv);
        let after = ply.after.from_south_perspective(ply.player);
        write!(
            output,
            "{:>6} {mv:>5}{:<2}  {}",
            turn.to_string(),
            ply_symbol(ply, reasons),
            format_estimate(after)
        )?;
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
            write!(output, "  {}", palette.problem(&mistake))?;
        }
        writeln!(output)?;
        if let Some(words) = reasons_text(reasons, ply, notation) {
            writeln!(output, "{:REASONS_INDENT$}{words}", "")?;
        }
    }
    writeln!(output)?;
    let has_moved = |player| review.plies.iter().any(|ply| ply.player == player);
    for player in Side::ALL {
        let accuracy = format!(
            "{}: {}{}",
            palette.name(player, &labels[player]),
            format_accuracy(review.accuracy[player], has_moved(player)),
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

/// Returns `opening 80 %, endgame 100 %`, the accuracies of the phases that have one; `None` if at
/// most one phase has one.
fn format_phases(accuracy: &PhaseAccuracy) -> Option<String> {
    let phases = GamePhase::ALL.into_iter().filter_map(|phase| {
        let name = match phase {
            GamePhase::Opening => "opening",
            GamePhase::Middlegame => "middlegame",
            GamePhase::Endgame => "endgame",
        };
        let percent = accuracy.in_phase(phase).percent()?;
        Some(format!("{name} {:.0} %", percent.floor()))
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

fn format_accuracy(accuracy: Accuracy, has_moved: bool) -> String {
    let Accuracy { plies, cost, stake } = accuracy;
    match accuracy.percent() {
        // The percentage is rounded down, so that 100 % means no cost.
        Some(percent) => format!(
            "accuracy {:.0} % (cost {cost} of {} at stake in {})",
            percent.floor(),
            format_count(stake.into(), "seed"),
            format_count(plies.into(), "ply")
        ),
        None if plies > 0 => "no accuracy, because nothing was at stake".to_owned(),
        None if !has_moved => "no ply".to_owned(),
        None => "no accuracy, because for no ply are the margins of all moves proven".to_owned(),
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
