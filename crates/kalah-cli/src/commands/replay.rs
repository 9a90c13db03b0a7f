use std::io::Write;

use kalah::record::{Record, RecordEntry, Tags};
use kalah::{BySide, Game, GameEvent, PlayerAction, Referee};
use serde::Serialize;

use super::write_json;
use crate::arguments::ReplayArguments;
use crate::record_file;
use crate::{CliError, GamePrinter, Palette};

/// `kalah replay --json`.
#[derive(Serialize)]
struct ReplayJson {
    position: String,
    rules: String,
    plies: usize,
    over: bool,
    result: String,
}

impl From<&Game> for ReplayJson {
    fn from(game: &Game) -> Self {
        let position = game.position();
        Self {
            position: position.to_string(),
            rules: position.rules().to_string(),
            plies: game.plies().len(),
            over: position.is_over(),
            result: position
                .outcome()
                .map_or_else(|| NO_RESULT.to_owned(), |outcome| outcome.to_string()),
        }
    }
}

/// The result of a game that is not over.
const NO_RESULT: &str = "*";
/// The name of a player whom the record does not name.
const UNNAMED: &str = "?";

pub(super) fn run(
    arguments: &ReplayArguments,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let (record, games) = record_file::read_one(&arguments.file, arguments.game)?;
    let all = record.main_line().count();
    let to = arguments.to.unwrap_or(all);
    if to > all {
        let reason = format!("the game has no ply {to}: it ends with ply {all}");
        return Err(CliError::Runtime(reason));
    }
    if arguments.json {
        let game = Game::replay(record.start(), record.main_line().take(to));
        let game = game.map_err(|reason| CliError::Runtime(reason.to_string()))?;
        return write_json(output, &ReplayJson::from(&game));
    }

    if games > 1 {
        writeln!(output, "Game {} of {games}.", arguments.game)?;
    }
    let names = BySide::new(Tags::SOUTH, Tags::NORTH);
    let names = BySide::from_fn(|side| record.tags().get(names[side]).unwrap_or(UNNAMED));
    let mut teller = GamePrinter::new(&mut *output, names)
        .labels(arguments.labels.labels)
        .palette(palette);
    let referee = print_plies(&record, to, &mut teller)?;
    if to == all {
        teller.print_event(&referee, &GameEvent::Ended(record.ending()))?;
    } else {
        teller.print_event(&referee, &GameEvent::ToMove(referee.position().to_move()))?;
        writeln!(output, "After ply {to} of {all}")?;
    }
    Ok(())
}

/// Tells the first plies of a record's main line with its comments on them, and returns the game as
/// it stands then.
fn print_plies(
    record: &Record,
    to: usize,
    teller: &mut GamePrinter<impl Write>,
) -> Result<Referee, CliError> {
    let mut referee = Referee::new(Game::new(record.start()), BySide::new(false, false));
    teller.print_header(&referee)?;
    if !referee.position().is_over() {
        teller.print_event(&referee, &GameEvent::ToMove(referee.position().to_move()))?;
    }
    let mut variations = 0;
    for entry in record.entries() {
        match entry {
            RecordEntry::BeginVariation(_) => variations += 1,
            RecordEntry::EndVariation => variations -= 1,
            RecordEntry::Ply { mv, .. } if variations == 0 => {
                if referee.game().plies().len() == to {
                    break;
                }
                let played = referee.apply(PlayerAction::Move(*mv));
                let event = played.map_err(|reason| CliError::Runtime(reason.to_string()))?;
                teller.print_event(&referee, &event)?;
            }
            RecordEntry::Comment(text) if variations == 0 => {
                for line in text.lines() {
                    teller.print_line(&format!("  {line}"))?;
                }
            }
            RecordEntry::Ply { .. } | RecordEntry::Comment(_) => {}
        }
    }
    Ok(referee)
}
