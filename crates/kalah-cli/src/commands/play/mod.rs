//! `kalah play`: a game on the whole screen of the terminal, or in plain mode.

pub(super) mod plain;
mod session;

use std::path::Path;
use std::process;

use kalah::record::Record;
use kalah::{BySide, Game, GameEvent, Termination};
use kalah_tui::{
    AppConfig, GameFiles, GameFilesError, GamePrinter, GameSession, Palette, SaveOutcome,
};

pub(crate) use self::session::PlayArgs;
use self::session::{GameSource, PlaySession, search_options, set_player_tags};
use crate::error::CliError;
use crate::files::record_file::{Recorder, SaveFiles};
use crate::interrupt;
use crate::output::messages::resume_option;

pub(super) fn run(arguments: &PlayArgs) -> Result<(), CliError> {
    let mut source = GameSource::load(arguments)?;
    let specs = source.resolve_players(arguments)?;
    let names = source.resolve_names(arguments, specs)?;
    let session = PlaySession {
        arguments,
        palette: Palette::for_stdout(),
        source,
        specs,
        names,
    };
    let has_screen = !arguments.plain && kalah_tui::is_screen_supported();
    if arguments.resume.is_some()
        && session.has_ended()
        && !(has_screen && session.can_show_ending())
    {
        session.print_ending()
    } else if has_screen {
        run_on_screen(&session)
    } else {
        plain::run(&session)
    }
}

/// Plays the game on the whole screen of the terminal.
fn run_on_screen(session: &PlaySession) -> Result<(), CliError> {
    // A finished game that is only viewed is not recorded.
    let recorder = if session.arguments.resume.is_some() && session.has_ended() {
        None
    } else {
        session.source.recorder(session.arguments)?
    };
    let record = &session.source.record;
    let mut files = SessionFiles::new(record.clone(), recorder);
    let mut game_session = GameSession::new(record.game(), session.specs, session.names.clone());
    if record.ending().termination == Termination::Resign {
        game_session.resign_side_to_move();
    }
    let labels = session.arguments.labels.labels;
    let engine_factory = |game: &Game| {
        let factory = search_options(session.arguments).factory(game.position());
        factory.map_err(|error| error.message().unwrap_or_default())
    };
    let game_session = kalah_tui::run(AppConfig {
        session: game_session,
        labels,
        palette: session.palette,
        files: &mut files,
        engines: &engine_factory,
        move_time: session.arguments.time.get(),
        hint_time: session.hint_time_limit(),
        seed: session.seed(),
        is_animated: !session.arguments.no_animation,
        pause_between_turns: !session.arguments.no_pause,
        shutdown: interrupt::listen(),
        force_exit: || process::exit(interrupt::exit_code().into()),
    })?;
    // The terminal shows its previous contents again, so the result is printed below them.
    let names = BySide::from_fn(|side| &*game_session.names()[side]);
    let mut printer = GamePrinter::new(anstream::stdout(), names)
        .labels(labels)
        .palette(session.palette);
    printer.print_header(game_session.referee())?;
    if let Some(ending) = game_session.ending() {
        if let Some(path) =
            (files.recording_path()).filter(|_| ending.termination == Termination::Unfinished)
        {
            let resume = resume_option(path);
            printer.print_line(&format!("To continue this game: kalah play {resume}"))?;
        }
        printer.print_event(game_session.referee(), &GameEvent::Ended(ending))?;
    }
    Ok(())
}

/// The file that records the games of the screen, and the files to which the player saves them.
struct SessionFiles {
    recorder: Option<Recorder>,
    save_files: SaveFiles,
}

impl SessionFiles {
    fn new(record: Record, recorder: Option<Recorder>) -> Self {
        let recording_path = recorder.as_ref().map(|recorder| recorder.path().to_owned());
        Self {
            recorder,
            save_files: SaveFiles::new(record, recording_path),
        }
    }
}

impl GameFiles for SessionFiles {
    fn recording_path(&self) -> Option<&Path> {
        self.recorder.as_ref().map(Recorder::path)
    }

    fn record(&mut self, session: &GameSession) -> Result<(), GameFilesError> {
        match &mut self.recorder {
            Some(recorder) => Ok(recorder.write(session.game(), session.ending())?),
            None => Ok(()),
        }
    }

    fn save(&mut self, session: &GameSession, path: &Path) -> Result<SaveOutcome, GameFilesError> {
        self.save_files.save(session.game(), session.ending(), path)
    }

    fn start_new_game(&mut self, session: &GameSession) -> Result<(), GameFilesError> {
        let mut record = Record::from_game(session.game());
        set_player_tags(&mut record, session.specs(), session.names())
            .map_err(|error| error.message().unwrap_or_default())?;
        let recorder = match self.recording_path() {
            Some(path) => Some(Recorder::append(path, record.clone())?),
            None => None,
        };
        *self = Self::new(record, recorder);
        Ok(())
    }
}
