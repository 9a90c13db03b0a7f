use std::env;
use std::io::{self, IsTerminal as _};

use kalah::record::Record;
use kalah::{BySide, Game, GameEvent, Labels, Termination};
use kalah_players::EngineFactory;
use ratatui::crossterm::terminal::size;

use super::found::set_player_tags;
use super::{PlaySession, engine_arguments};
use crate::screen::{self, AppConfig, AppResult, GameSession};
use crate::shell_word::resume_option;
use crate::{CliError, GamePrinter};

/// Whether there is a terminal that can show more than lines.
pub(super) fn is_supported() -> bool {
    // Where terminals have names, one without a name can do nothing.
    let is_dumb = env::var_os("TERM").map_or(cfg!(unix), |term| term.is_empty() || term == "dumb");
    // A terminal that does not know how large it is can show lines.
    let is_sized = || size().is_ok_and(|(width, height)| width > 0 && height > 0);
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb && is_sized()
}

pub(super) fn run(party: &PlaySession) -> Result<(), CliError> {
    // A finished game that is only looked at has nothing to be recorded.
    let recorder = if party.arguments.resume.is_some() && party.has_ended() {
        None
    } else {
        party.source.recorder(party.arguments)?
    };
    let labels = party.arguments.labels.unwrap_or(Labels::Letters);
    let engines = |game: &Game| -> Result<EngineFactory, CliError> {
        engine_arguments(party.arguments).factory(game.position())
    };
    let opening = AppConfig {
        record: party.source.record.clone(),
        specs: party.specs,
        names: party.names.clone(),
        labels,
        palette: party.palette,
        recorder,
        engines: &engines,
        new_record: &new_record,
        move_time: party.arguments.time.get(),
        hint_time: party.hint_time_limit(),
        seed: party.seed(),
        is_animated: !party.arguments.no_animation,
        pause_between_turns: !party.arguments.no_pause,
    };
    let AppResult {
        session: bout,
        record_path,
    } = screen::run(opening)?;
    // What was on the screen is gone: how the game stands stays.
    let names = BySide::from_fn(|side| &*bout.names()[side]);
    let mut teller = GamePrinter::new(anstream::stdout(), names)
        .labels(labels)
        .palette(party.palette);
    teller.print_header(bout.referee())?;
    if let Some(ending) = bout.ending() {
        if let Some(path) = record_path.filter(|_| ending.termination == Termination::Unfinished) {
            let resume = resume_option(&path);
            teller.print_line(&format!("To go on with this game: kalah play {resume}"))?;
        }
        teller.print_event(bout.referee(), &GameEvent::Ended(ending))?;
    }
    Ok(())
}

/// The record of a game that begins on the screen.
fn new_record(bout: &GameSession) -> Result<Record, CliError> {
    let mut record = Record::from_game(bout.game());
    set_player_tags(&mut record, bout.specs(), bout.names())?;
    Ok(record)
}
