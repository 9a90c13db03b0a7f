//! `kalah replay`.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah::record::{Record, RecordEntry, Tags};
use kalah::{BySide, Game, GameEvent, Outcome, PlayerAction, Referee, Side};
use kalah_text::{GamePrinter, Palette};
use serde::Serialize;

use crate::args::values::{LabelsOption, parse_game_number, whole_number_parser};
use crate::error::CliError;
use crate::output::messages::write_json;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah replay game.kgn
  kalah replay game.kgn --game 2 --to 10 --labels columns
  kalah replay game.kgn --json")]
pub(crate) struct ReplayArgs {
    /// The record file
    #[arg(value_name = "FILE.kgn", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Stop after this ply
    #[arg(long, value_name = "PLY", value_parser = whole_number_parser(usize::MIN, usize::MAX))]
    to: Option<usize>,
    /// The number of the game in the file, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_game_number)]
    game: usize,
    #[command(flatten)]
    labels: LabelsOption,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The result of an unfinished game.
const NO_RESULT: &str = "*";
/// The name of a player without a name in the record.
const UNNAMED: &str = "?";

/// `kalah replay --json`.
#[derive(Serialize)]
struct ReplayJson {
    rules: String,
    /// The position before the first ply.
    start: String,
    /// The position after the last ply.
    position: String,
    to_move: Side,
    ply_count: usize,
    is_over: bool,
    /// The final stores, those of an adjudication included.
    result: String,
}

impl ReplayJson {
    fn new(game: &Game, outcome: Option<Outcome>) -> Self {
        let position = game.position();
        Self {
            rules: position.rules().to_string(),
            start: game.start().to_string(),
            position: position.to_string(),
            to_move: position.to_move(),
            ply_count: game.plies().len(),
            is_over: position.is_over(),
            result: outcome.map_or_else(|| NO_RESULT.to_owned(), |outcome| outcome.to_string()),
        }
    }
}

pub(crate) fn run(
    arguments: &ReplayArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let (record, games) = kalah_record_files::read_one(&arguments.file, arguments.game)?;
    let plies = record.main_line().count();
    let to = arguments.to.unwrap_or(plies);
    if to > plies {
        let reason = format!("the game has no ply {to}: it ends with ply {plies}");
        return Err(CliError::Runtime(reason));
    }
    if arguments.json {
        let game = Game::replay(record.start(), record.main_line().take(to));
        let game = game.map_err(|reason| CliError::Runtime(reason.to_string()))?;
        let outcome = record.ending().outcome.filter(|_| to == plies);
        return Ok(write_json(output, &ReplayJson::new(&game, outcome))?);
    }

    if games > 1 {
        writeln!(output, "Game {} of {games}.", arguments.game)?;
    }
    let names = BySide::new(Tags::SOUTH, Tags::NORTH);
    let names = BySide::from_fn(|side| record.tags().get(names[side]).unwrap_or(UNNAMED));
    let mut printer = GamePrinter::new(&mut *output, names)
        .labels(arguments.labels.labels)
        .palette(palette);
    let referee = print_plies(&record, to, &mut printer)?;
    if to == plies {
        printer.print_event(&referee, &GameEvent::Ended(record.ending()))?;
    } else {
        printer.print_event(&referee, &GameEvent::ToMove(referee.position().to_move()))?;
        writeln!(output, "After ply {to} of {plies}")?;
    }
    Ok(())
}

/// Prints the plies of the main line of a record up to ply `to`, with their comments. Returns the
/// game after them.
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
                for line in text.lines() {
                    printer.print_line(&format!("  {line}"))?;
                }
            }
            RecordEntry::Ply { .. } | RecordEntry::Comment(_) => {}
        }
    }
    Ok(referee)
}
