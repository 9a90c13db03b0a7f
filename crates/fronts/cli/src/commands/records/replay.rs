//! `kalah replay`.

use std::io::Write;
use std::num::NonZeroUsize;

use clap::Args;
use kalah::record::{PlyTimes, Record, RecordEntry, Tags};
use kalah::{BySide, Game, GameEvent, PlayerAction, Referee};
use kalah_record_files::FileGame;
use kalah_text::{GamePrinter, Palette};

use super::json::RecordJson;
use crate::args::recorded::{RecordedGames, RecordedGamesArgs, contradiction};
use crate::args::values::{LabelsOption, whole_number_parser};
use crate::batch::{BatchCommand, BatchGames, BatchOptions, ItemKind, run_batch};
use crate::error::CliError;
use crate::output::messages::{output_width, write_json};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah replay game.kgn
  kalah replay game.kgn --game 2 --to 10 --labels columns
  kalah replay game.kgn#2@10
  kalah replay tournament.kgn#1.10.2
  kalah replay tournament.kgn --player ann --csv --out ann.csv
  kalah replay game.kgn --json")]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    games: RecordedGamesArgs,
    /// Stop after this ply, which may also follow the file, as in game.kgn#3@17
    #[arg(long, value_name = "PLY", value_parser = whole_number_parser(usize::MIN, usize::MAX))]
    to: Option<usize>,
    #[command(flatten)]
    labels: LabelsOption,
    #[command(flatten)]
    batch: BatchOptions,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

impl ReplayArgs {
    /// Returns the last ply to replay, if the command line has one.
    ///
    /// # Errors
    /// [`CliError::Usage`] if it has two.
    fn to_ply(&self) -> Result<Option<usize>, CliError> {
        match (self.games.ply(), self.to) {
            (Some(ply), Some(to)) if ply != to => {
                Err(contradiction(&format!("@{ply}"), &format!("--to {to}")))
            }
            (ply, to) => Ok(ply.or(to)),
        }
    }
}

pub(crate) fn run(
    arguments: &ReplayArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let to = arguments.to_ply()?;
    match arguments.games.to_games()? {
        RecordedGames::One(game) => {
            arguments.batch.refuse_for_one(ItemKind::Game)?;
            replay_one(arguments, &game, to, output, palette)
        }
        RecordedGames::Many(_) if to.is_some() => {
            let ply = arguments.games.ply();
            let given = ply.map_or_else(|| "--to".to_owned(), |ply| format!("@{ply}"));
            let reason = format!("{given} is for one game: add --game");
            Err(CliError::Usage(reason))
        }
        RecordedGames::Many(source) => write_all(arguments, source, output),
    }
}

/// Writes a row for each game.
fn write_all(
    arguments: &ReplayArgs,
    source: BatchGames,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let command = BatchCommand::new("replay");
    let (batch, jobs) = (&arguments.batch, NonZeroUsize::MIN);
    run_batch(source, &command, batch, jobs, output, || {
        |text: &str| {
            let record: Result<Record, _> = text.parse();
            let record = record.map_err(|reason| reason.to_string());
            Some(record.map(|record| RecordJson::new(&record, usize::MAX)))
        }
    })
}

fn replay_one(
    arguments: &ReplayArgs,
    game: &FileGame,
    to: Option<usize>,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let FileGame {
        record,
        number,
        games,
    } = game;
    let plies = record.main_line().count();
    let to = to.unwrap_or(plies);
    if to > plies {
        let reason = format!("the game has no ply {to}: it ends with ply {plies}");
        return Err(CliError::Runtime(reason));
    }
    if arguments.json {
        return Ok(write_json(output, &RecordJson::new(record, to))?);
    }

    if *games > 1 {
        writeln!(output, "Game {number} of {games}.")?;
    }
    let names = BySide::new(Tags::SOUTH, Tags::NORTH);
    let names = BySide::from_fn(|side| record.tags().get(names[side]).unwrap_or_default());
    let mut printer = GamePrinter::new(&mut *output, names)
        .labels(arguments.labels.labels)
        .palette(palette)
        .width(output_width());
    let referee = print_plies(record, to, &mut printer)?;
    if to == plies {
        printer.print_event(&referee, &GameEvent::Ended(record.ending()))?;
    } else {
        printer.print_event(&referee, &GameEvent::ToMove(referee.position().to_move()))?;
        writeln!(output, "After ply {to} of {plies}")?;
    }
    Ok(())
}

/// Prints the plies of the main line of a record up to ply `to`, with their comments without times.
/// Returns the game after them.
fn print_plies(
    record: &Record,
    to: usize,
    printer: &mut GamePrinter<impl Write>,
) -> Result<Referee, CliError> {
    let mut referee = Referee::new(Game::new(record.start()), BySide::new(false, false));
    printer.print_header(&referee)?;
    if !referee.position().is_over() {
        printer.print_event(&referee, &GameEvent::ToMove(referee.position().to_move()))?;
    }
    let mut variation_depth = 0;
    for entry in record.entries() {
        match entry {
            RecordEntry::BeginVariation(_) => variation_depth += 1,
            RecordEntry::EndVariation => variation_depth -= 1,
            RecordEntry::Ply { mv, .. } if variation_depth == 0 => {
                if referee.game().plies().len() == to {
                    break;
                }
                let event = referee.apply(PlayerAction::Move(*mv));
                let event = event.map_err(|reason| CliError::Runtime(reason.to_string()))?;
                printer.print_event(&referee, &event)?;
            }
            RecordEntry::Comment(text) if variation_depth == 0 => {
                for line in PlyTimes::split_comment(text).1.lines() {
                    printer.print_line(&format!("  {line}"))?;
                }
            }
            RecordEntry::Ply { .. } | RecordEntry::Comment(_) => {}
        }
    }
    Ok(referee)
}
