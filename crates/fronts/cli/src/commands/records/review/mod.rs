//! `kalah review`.

mod text;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueHint};
use indicatif::ProgressStyle;
use kalah::record::{Record, RecordError, Tags};
use kalah::{BySide, Game, Labels, Side, TimeLimit};
use kalah_api::ReviewView;
use kalah_engine::{AnalysisGoal, Commentary, Limits, Report, Review};
use kalah_players::{EngineFactory, Shutdown, display_path, escape_truncated};
use kalah_record_files::FileGame;
use kalah_text::{Notation, Palette, ReviewOutput, annotate, review_summary};
use serde::Serialize;

use crate::args::recorded::{RecordedGames, RecordedGamesArgs};
use crate::args::search::BookSearchOptions;
use crate::args::values::{LabelsOption, parse_positive_time, whole_number_parser};
use crate::batch::{
    BatchCommand, BatchEngine, BatchEngines, BatchGames, BatchOptions, BatchSearchOptions, CsvRows,
    ItemKind, JobResult, KeptTables, run_batch,
};
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::{print_stderr, write_json};
use crate::output::progress::new_bar;
use crate::version::VERSION;

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
the margin of every move is proven. A player has an accuracy, in the game or in a phase, if at least
four fifths of the moves count, so that it changes little with more time. The opening lasts while more than two thirds of all seeds are in
the houses, and the endgame begins with one third. Games of 6x4 under the rules `standard` have the
level from 1 to 10 that makes such mistakes, and a range that contains it with a probability of 80 %.

A game of a tournament can begin with moves that no player chose: the record has their number in the
tag OpeningPlies. They have margins and no grades, and count neither in the accuracy nor in the level.

Examples:
  kalah review game.kgn
  kalah review game.kgn --game 2 --time 1m --labels columns
  kalah review tournament.kgn#1.10.2 --nodes 100000
  kalah review tournament.kgn --all --time 200ms --out reviews.json
  kalah review tournament.kgn --player ann --csv
  kalah review game.kgn --annotate annotated.kgn
  kalah review game.kgn --json")]
pub(crate) struct ReviewArgs {
    #[command(flatten)]
    games: RecordedGamesArgs,
    /// The maximum time for each position of a game [default: 5s without --nodes and --depth]
    #[arg(long, value_name = "DURATION", value_parser = parse_positive_time)]
    time: Option<TimeLimit>,
    /// The maximum number of nodes for each position; with `--threads 1` and no other limit, the
    /// result is always the same
    #[arg(long, value_name = "N", value_parser = whole_number_parser(1, u64::MAX))]
    nodes: Option<u64>,
    /// Estimate with searches of at most this many turns, and prove nothing
    #[arg(long, value_name = "TURNS", value_parser = whole_number_parser(1, u32::MAX))]
    depth: Option<u32>,
    #[command(flatten)]
    labels: LabelsOption,
    #[command(flatten)]
    search: BookSearchOptions,
    /// Append the game to this record file, with the grades, costs and reasons as comments, the
    /// better moves as variations, and the version of this program in the tag Annotator
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    annotate: Option<PathBuf>,
    #[command(flatten)]
    batch: BatchOptions,
    #[command(flatten)]
    batch_search: BatchSearchOptions,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

const PROGRESS_TEMPLATE: &str =
    "{spinner} analyzing position {pos} of {len}, from the last to the first, {elapsed}";

/// The default of `--time`.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

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
    /// The version of this program.
    program: &'static str,
}

impl CsvRows for ReviewJson {
    const COLUMNS: &[&str] = &[
        "south",
        "north",
        "rules",
        "start",
        "score",
        "termination",
        "winner",
        "plies",
        "opening_plies",
        "unproven",
        "south_accuracy",
        "north_accuracy",
        "south_inaccuracies",
        "north_inaccuracies",
        "south_mistakes",
        "north_mistakes",
        "south_blunders",
        "north_blunders",
        "summary",
        "program",
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let ReviewView {
            accuracy, grades, ..
        } = &self.review;
        let of_both = |field: &dyn Fn(Side) -> String| [field(Side::South), field(Side::North)];
        let first = [
            self.south.clone(),
            self.north.clone(),
            self.rules.clone(),
            self.start.clone(),
            self.score.clone().unwrap_or_default(),
            self.termination.to_owned(),
            self.winner
                .map(|side| side.to_string().to_lowercase())
                .unwrap_or_default(),
            self.review.plies.len().to_string(),
            self.review.opening_plies.to_string(),
            self.review.unproven.to_string(),
        ];
        let percent = |side: Side| {
            accuracy[side]
                .percent
                .map_or_else(String::new, |p| p.to_string())
        };
        let counts = [
            of_both(&percent),
            of_both(&|side| grades[side].inaccuracy.to_string()),
            of_both(&|side| grades[side].mistake.to_string()),
            of_both(&|side| grades[side].blunder.to_string()),
        ];
        let counts = counts.into_iter().flatten();
        let row = first.into_iter().chain(counts);
        vec![
            row.chain([self.summary.clone(), self.program.to_owned()])
                .collect(),
        ]
    }
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
            program: VERSION,
        }
    }
}

impl ReviewArgs {
    /// Returns the limits for each position.
    fn limits(&self) -> Limits {
        let has_limit = self.nodes.is_some() || self.depth.is_some();
        let default_time = (!has_limit).then_some(DEFAULT_TIME);
        Limits {
            time: self.time.map(TimeLimit::get).or(default_time),
            nodes: self.nodes,
            depth: self.depth,
            goal: AnalysisGoal::AllMargins,
            ..Limits::default()
        }
    }
}

pub(crate) fn run(
    arguments: &ReviewArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    if let Some(ply) = arguments.games.ply() {
        let reason = format!("a review is that of a whole game: leave out @{ply} after the file");
        return Err(CliError::Usage(reason));
    }
    match arguments.games.to_games()? {
        RecordedGames::One(game) => {
            arguments.batch.refuse_for_one(ItemKind::Game)?;
            arguments.batch_search.refuse_for_one(ItemKind::Game)?;
            review_one(arguments, &game, output, palette)
        }
        RecordedGames::Many(_) if arguments.annotate.is_some() => Err(CliError::Usage(
            "--annotate writes one game: select it with --game".to_owned(),
        )),
        RecordedGames::Many(source) => review_all(arguments, source, output),
    }
}

/// Writes a row for each game.
fn review_all(
    arguments: &ReviewArgs,
    source: BatchGames,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    arguments.search.resources.tables.check()?;
    let limits = arguments.limits();
    let kept = KeptTables::for_limits(limits);
    let engines = BatchEngines::new(&arguments.search, &arguments.batch_search, kept);
    let command = BatchCommand::new("review").with_limits(limits);
    let (batch, jobs) = (&arguments.batch, engines.jobs());
    run_batch(source, &command, batch, jobs, output, || {
        let mut engine = engines.worker();
        move |text: &str| match text.parse() {
            Ok(record) => review_item(&record, limits, &mut engine),
            Err(reason) => Some(Err(RecordError::to_string(&reason))),
        }
    })
}

/// Returns the review of a game of a batch; `None` after an interrupt.
fn review_item(record: &Record, limits: Limits, engine: &mut BatchEngine) -> JobResult<ReviewJson> {
    let game = record.game();
    let engine = match engine.for_position(game.start()) {
        Ok(engine) => engine,
        Err(error) => return Some(Err(error.message().unwrap_or_default())),
    };
    let start = Instant::now();
    let reports = Review::analyze_positions(&game, |position| {
        engine.analyze(position, limits, &|| start.elapsed())
    });
    let (reviewed, commentary) = reviewed(record, game, &reports);
    if interrupt::listen().is_requested() && reviewed.review.unproven_count() > 0 {
        return None;
    }
    Some(Ok(ReviewJson::new(&reviewed, &commentary)))
}

fn review_one(
    arguments: &ReviewArgs,
    game: &FileGame,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let FileGame {
        record,
        number,
        games,
    } = game;
    let game = record.game();
    if let Some(path) = &arguments.annotate {
        // The search can take minutes.
        kalah_record_files::check_append(path)?;
    }
    let engines = arguments.search.factory(game.start())?;
    let interrupt = interrupt::listen();
    let reports = analyze_game(&game, arguments.limits(), &engines, &interrupt);
    let (reviewed, commentary) = reviewed(record, game, &reports);
    if arguments.json {
        write_json(output, &ReviewJson::new(&reviewed, &commentary))?;
    } else {
        let notation = Notation::new(reviewed.game.start(), arguments.labels.labels);
        if *games > 1 {
            writeln!(output, "Game {number} of {games}.")?;
        }
        text::write(&reviewed, &commentary, notation, palette, output)?;
    }
    output.flush()?;
    if interrupt.is_requested() && reviewed.review.unproven_count() > 0 {
        return Err(CliError::Interrupted(
            "interrupted: the bounds are those proven so far".to_owned(),
        ));
    }
    if let Some(path) = &arguments.annotate {
        let annotator = format!("kalah/{VERSION}");
        let annotated = annotate(record, &reviewed.review, &commentary, &annotator);
        let annotated = annotated.map_err(|reason| CliError::Runtime(reason.to_string()))?;
        kalah_record_files::append(path, &[annotated])?;
        print_stderr(&format!(
            "the annotated game is in '{}'",
            display_path(path)
        ));
    }
    Ok(())
}

/// Returns the review of a game with its words.
fn reviewed(record: &Record, game: Game, reports: &[Report]) -> (ReviewOutput, Commentary) {
    let review = Review::from_reports(&game, reports).with_opening_plies(record.opening_plies());
    let commentary = Commentary::new(&game, reports, &review);
    let output = ReviewOutput::new(game, record.ending(), player_names(record), review);
    (output, commentary)
}

fn analyze_game(
    game: &Game,
    limits: Limits,
    engines: &EngineFactory,
    interrupt: &Shutdown,
) -> Vec<Report> {
    let start = Instant::now();
    let mut engine = engines.build().with_stop_flag(interrupt.flag());
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
