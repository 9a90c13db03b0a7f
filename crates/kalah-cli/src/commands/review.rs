mod json;
mod summary;

use std::io::Write;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use kalah::record::{Record, Tags, Turn};
use kalah::{BySide, Ending, Game, Side};
use kalah_engine::{Accuracy, Goal, Limits, MarginEstimate, Review, ReviewedPly};
use kalah_players::{EngineFactory, Shutdown, escape_truncated};

use self::json::ReviewJson;
pub(crate) use self::summary::summary;
use super::write_json;
use crate::findings::format_bounds;
use crate::interrupt;
use crate::record_file;
use crate::words::format_count;
use crate::{CliError, Notation, Palette, ReviewArguments};

/// A game that was looked back on, with what it takes to tell of it.
pub(crate) struct ReviewOutput {
    game: Game,
    ending: Ending,
    /// By the side on which a player began.
    names: BySide<String>,
    review: Review,
}

const PROGRESS_TEMPLATE: &str =
    "{spinner} looking into position {pos} of {len}, from the last to the first, {elapsed}";

pub(super) fn run(
    arguments: &ReviewArguments,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let (record, games) = record_file::read_one(&arguments.file, arguments.game)?;
    let game = record.game();
    let engines = arguments.engine.factory(game.start())?;
    let interrupt = interrupt::listen();
    let review = review_game(&game, arguments, &engines, &interrupt);
    let reviewed = ReviewOutput::new(game, record.ending(), player_names(&record), review);
    if arguments.json {
        write_json(output, &ReviewJson::new(&reviewed))?;
    } else {
        let naming = Notation::new(reviewed.game.start(), arguments.labels.labels);
        if games > 1 {
            writeln!(output, "Game {} of {games}.", arguments.game)?;
        }
        write(&reviewed, naming, palette, output)?;
    }
    if interrupt.is_requested() && reviewed.review.unproven_count() > 0 {
        output.flush()?;
        return Err(CliError::Interrupted(
            "broken off: this is what is known so far".to_owned(),
        ));
    }
    Ok(())
}

fn review_game(
    game: &Game,
    arguments: &ReviewArguments,
    engines: &EngineFactory,
    interrupt: &Shutdown,
) -> Review {
    let origin = Instant::now();
    let mut engine = engines.build().with_stop_flag(interrupt.flag());
    let limits = Limits {
        time: Some(arguments.time.get()),
        goal: Goal::AllMargins,
        ..Limits::default()
    };
    let positions = u64::try_from(game.plies().len())
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    let bar = ProgressBar::new(positions);
    if let Ok(style) = ProgressStyle::with_template(PROGRESS_TEMPLATE) {
        bar.set_style(style);
    }
    let review = Review::from_game(game, |position| {
        bar.inc(1);
        engine.analyse(position, limits, &|| origin.elapsed())
    });
    bar.finish_and_clear();
    review
}

/// What the record calls the players, by the side on which they began; who has no name of its own is called by that.
fn player_names(record: &Record) -> BySide<String> {
    let tags = BySide::new(Tags::SOUTH, Tags::NORTH);
    BySide::from_fn(|side| match record.tags().get(tags[side]) {
        None | Some("" | "?") => side.to_string(),
        Some(name) => escape_truncated(name),
    })
}

/// The names, with the sides if nothing else tells the two apart.
fn distinct_names(names: BySide<String>) -> BySide<String> {
    if names[Side::South] != names[Side::North] {
        return names;
    }
    BySide::from_fn(|side| format!("{side} ({})", names[side]))
}

impl ReviewOutput {
    pub(crate) fn new(game: Game, ending: Ending, names: BySide<String>, review: Review) -> Self {
        Self {
            game,
            ending,
            names: distinct_names(names),
            review,
        }
    }

    /// The plies with their numbers, from 1, and their turns.
    fn plies(&self) -> impl Iterator<Item = (usize, Turn, &ReviewedPly)> {
        let first = Turn {
            number: 1,
            side: self.game.start().to_move(),
        };
        (1..)
            .zip(&self.review.plies)
            .scan(first, |turn, (number, ply)| {
                if ply.side != turn.side {
                    *turn = turn.next();
                }
                Some((number, *turn, ply))
            })
    }
}

fn write(
    reviewed: &ReviewOutput,
    naming: Notation,
    palette: Palette,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let ReviewOutput {
        game,
        names,
        review,
        ..
    } = reviewed;
    let south = &names[Side::South];
    let whose = if *south == Side::South.to_string() {
        String::new()
    } else {
        format!(", who began as {}", Side::South)
    };
    writeln!(
        output,
        "{} plays {} under the rules {}. Margins are those of {south}{whose}.\n",
        palette.name(Side::South, south),
        palette.name(Side::North, &names[Side::North]),
        game.start().rules(),
    )?;
    writeln!(output, "{:>12}  {}", "start", format_estimate(review.start))?;
    for (_, turn, ply) in reviewed.plies() {
        let mv = naming.format_move(ply.side, ply.mv);
        let after = ply.after.from_south_perspective(ply.player);
        write!(
            output,
            "{:>6} {mv:>5}  {}",
            turn.to_string(),
            format_estimate(after)
        )?;
        if ply.is_mistake() {
            let better: Vec<String> = (ply.better_moves.iter())
                .map(|&better| naming.format_move(ply.side, better))
                .collect();
            let told = format!(
                "{} gave away {}: better {}",
                names[ply.player],
                format_cost(ply),
                better.join(" or ")
            );
            write!(output, "  {}", palette.problem(&told))?;
        }
        writeln!(output)?;
    }
    writeln!(output)?;
    let has_moved = |player| review.plies.iter().any(|ply| ply.player == player);
    for player in Side::ALL {
        writeln!(
            output,
            "{}: {}",
            palette.name(player, &names[player]),
            format_accuracy(review.accuracy[player], has_moved(player))
        )?;
    }
    writeln!(output, "\n{}", summary(reviewed, naming))?;
    Ok(())
}

/// `+8 exact`, or `from -2 to +8, looks like +4`.
fn format_estimate(outlook: MarginEstimate) -> String {
    let proven = format_bounds(outlook.bounds);
    if outlook.bounds.is_exact() {
        proven
    } else {
        format!("{proven}, looks like {}", outlook.expected)
    }
}

/// `1 ply`, `12 plies`.
fn format_plies(count: usize) -> String {
    if count == 1 {
        "1 ply".to_owned()
    } else {
        format!("{count} plies")
    }
}

/// What a mistake cost: `6 seeds`, `at least 2 seeds`.
pub(crate) fn format_cost(ply: &ReviewedPly) -> String {
    let least = format_count(ply.cost.lower.seeds().unsigned_abs().into(), "seed");
    if ply.cost.is_exact() {
        least
    } else {
        format!("at least {least}")
    }
}

fn format_accuracy(accuracy: Accuracy, has_moved: bool) -> String {
    let Accuracy {
        plies,
        cost: lost,
        stake,
    } = accuracy;
    match accuracy.percent() {
        // Only who has lost nothing is told of all.
        Some(percent) => format!(
            "accuracy {:.0} % (lost {lost} of {} at stake in {})",
            percent.floor(),
            format_count(stake.into(), "seed"),
            self::format_plies(usize::try_from(plies).unwrap_or(usize::MAX))
        ),
        None if plies > 0 => "no accuracy, since nothing was at stake".to_owned(),
        None if !has_moved => "no ply".to_owned(),
        None => "no accuracy, since there is no ply of which every choice is proven".to_owned(),
    }
}
