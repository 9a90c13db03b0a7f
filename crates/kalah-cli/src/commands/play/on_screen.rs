use std::env;
use std::io::{self, IsTerminal as _};

use kalah::record::Record;
use kalah::{BySide, Game, GameEvent, Labels, Termination};
use ratatui::crossterm::terminal::size;

use super::found::name_in;
use super::{Party, engine_arguments};
use crate::screen::{self, Bout, Closing, Opening};
use crate::shell_word::resume_option;
use crate::{Engines, Failure, Teller};

/// Whether there is a terminal that can show more than lines.
pub(super) fn is_possible() -> bool {
    // Where terminals have names, one without a name can do nothing.
    let is_dumb = env::var_os("TERM").map_or(cfg!(unix), |term| term.is_empty() || term == "dumb");
    // A terminal that does not know how large it is can show lines.
    let is_sized = || size().is_ok_and(|(width, height)| width > 0 && height > 0);
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb && is_sized()
}

pub(super) fn run(party: &Party) -> Result<(), Failure> {
    // A finished game that is only looked at has nothing to be recorded.
    let recorder = if party.arguments.resume.is_some() && party.has_ended() {
        None
    } else {
        party.found.recorder(party.arguments)?
    };
    let labels = party.arguments.labels.unwrap_or(Labels::Letters);
    let engines = |game: &Game| -> Result<Engines, Failure> {
        Engines::new(&engine_arguments(party.arguments), game.position())
    };
    let opening = Opening {
        record: party.found.record.clone(),
        specs: party.specs,
        names: party.names.clone(),
        labels,
        palette: party.palette,
        recorder,
        engines: &engines,
        record_of: &record_of,
        time: party.arguments.time.get(),
        hint_limit: party.hint_limit(),
        seed: party.seed(),
        animated: !party.arguments.no_animation,
        pauses: !party.arguments.no_pause,
    };
    let Closing { bout, recorded } = screen::run(opening)?;
    // What was on the screen is gone: how the game stands stays.
    let names = BySide::from_fn(|side| &*bout.names()[side]);
    let mut teller = Teller::new(anstream::stdout(), names)
        .labels(labels)
        .palette(party.palette);
    teller.introduce(bout.referee())?;
    if let Some(ending) = bout.ending() {
        if let Some(path) = recorded.filter(|_| ending.termination == Termination::Unfinished) {
            let resume = resume_option(&path);
            teller.remark(&format!("To go on with this game: kalah play {resume}"))?;
        }
        teller.tell(bout.referee(), &GameEvent::Ended(ending))?;
    }
    Ok(())
}

/// The record of a game that begins on the screen.
fn record_of(bout: &Bout) -> Result<Record, Failure> {
    let mut record = Record::from_game(bout.game());
    name_in(&mut record, bout.specs(), bout.names())?;
    Ok(record)
}
