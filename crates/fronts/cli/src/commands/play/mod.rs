//! `kalah play`: a game on the whole screen of the terminal, or in plain mode.

pub(crate) mod plain;
mod session;

use std::env;
use std::path::{Path, PathBuf};
use std::process;

use kalah::record::Record;
use kalah::{BySide, Game, GameEvent, Side, Termination, format_count};
use kalah_players::PlayerSpec;
use kalah_text::{GamePrinter, Palette, SaveOutcome};
use kalah_tui::{
    AppConfig, FileEntry, FirstGame, GameFiles, GameFilesError, GameSession, OpenedFile, Symbols,
};

pub(crate) use self::session::PlayArgs;
use self::session::{
    GameSource, PlaySession, recorded_names, recorded_player, search_options, set_player_tags,
};
use crate::error::CliError;
use crate::files::mapped_tables::restore_terminal_in_bus_error;
use crate::files::record_file::{self, Recorder, SaveFiles};
use crate::interrupt;
use crate::output::messages::{DeferredWarnings, path_option};

pub(super) fn run(arguments: &PlayArgs, opening: FirstGame) -> Result<(), CliError> {
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
    if arguments.resume.is_some() && session.has_ended() && !has_screen {
        session.print_ending()
    } else if has_screen {
        run_on_screen(&session, opening)
    } else if arguments.clock.is_some() {
        let text = "--clock needs the screen, and this terminal cannot show it";
        Err(CliError::Usage(text.to_owned()))
    } else {
        plain::run(&session)
    }
}

/// Plays the game on the whole screen of the terminal.
fn run_on_screen(session: &PlaySession, opening: FirstGame) -> Result<(), CliError> {
    // A finished game that is only viewed is not recorded.
    let recorder = if session.arguments.resume.is_some() && session.has_ended() {
        None
    } else {
        session.source.recorder(session.arguments)?
    };
    let record = &session.source.record;
    let mut files = SessionFiles::new(record.clone(), recorder);
    let mut game_session = GameSession::new(record.game(), session.specs, session.names.clone());
    end_as_recorded(&mut game_session, record);
    let labels = session.arguments.labels.labels;
    let engine_factory = |game: &Game| {
        let factory = search_options(session.arguments).factory(game.position());
        factory.map_err(|error| error.message().unwrap_or_default())
    };
    let warnings = DeferredWarnings::begin();
    restore_terminal_in_bus_error(kalah_tui::closing_sequence());
    let game_session = kalah_tui::run(AppConfig {
        session: game_session,
        clock: session.arguments.clock,
        labels,
        palette: session.palette,
        files: &mut files,
        engines: &engine_factory,
        move_time: session.arguments.time.get(),
        hint_time: session.hint_time_limit(),
        seed: session.seed(),
        opening,
        symbols: if session.arguments.ascii || !is_utf8_locale() {
            Symbols::Ascii
        } else {
            Symbols::Unicode
        },
        is_animated: !session.arguments.no_animation,
        pause_between_turns: !session.arguments.no_pause,
        shutdown: interrupt::listen(),
        force_exit: || process::exit(interrupt::exit_code().into()),
    })?;
    drop(warnings);
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
            let resume = path_option("--resume", path);
            printer.print_line(&format!("To continue this game: kalah play {resume}"))?;
        }
        printer.print_event(game_session.referee(), &GameEvent::Ended(ending))?;
    }
    Ok(())
}

/// Returns whether the locale of the terminal uses UTF-8. On Windows, the screen needs no locale.
fn is_utf8_locale() -> bool {
    if cfg!(windows) {
        return true;
    }
    // The first variable that is set and not empty decides.
    let variables = ["LC_ALL", "LC_CTYPE", "LANG"];
    let mut values = variables.iter().filter_map(env::var_os);
    let locale = values.find(|value| !value.is_empty());
    locale.is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// Ends a game as its record says.
fn end_as_recorded(session: &mut GameSession, record: &Record) {
    let ending = record.ending();
    if ending.termination != Termination::Unfinished {
        session.end(ending.termination, ending.winner);
    }
}

/// The file that records the games of the screen, and the files to which the player saves them.
struct SessionFiles {
    /// The file that records new games.
    record_file: Option<PathBuf>,
    /// The recorder of the current game, unless it was opened from a file.
    recorder: Option<Recorder>,
    save_files: SaveFiles,
    /// The number of earlier games that were saved before saving the current game failed.
    saved_earlier_games: usize,
}

impl SessionFiles {
    fn new(record: Record, recorder: Option<Recorder>) -> Self {
        let record_file = recorder.as_ref().map(|recorder| recorder.path().to_owned());
        Self {
            record_file: record_file.clone(),
            recorder,
            save_files: SaveFiles::new(record, record_file),
            saved_earlier_games: 0,
        }
    }

    /// Follows another game, which `recorder` records.
    fn start_game(&mut self, record: Record, recorder: Option<Recorder>) {
        let recording_path = recorder.as_ref().map(|recorder| recorder.path().to_owned());
        self.recorder = recorder;
        self.save_files = SaveFiles::new(record, recording_path);
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

    fn save(
        &mut self,
        earlier_games: &[GameSession],
        session: &GameSession,
        path: &Path,
    ) -> Result<SaveOutcome, GameFilesError> {
        if let Some(unsaved) = earlier_games.get(self.saved_earlier_games..)
            && !unsaved.is_empty()
        {
            let records: Result<Vec<Record>, _> = unsaved.iter().map(to_record).collect();
            record_file::append(path, &records?)?;
            self.saved_earlier_games = earlier_games.len();
        }
        let is_needed = earlier_games.is_empty() || !session.game().plies().is_empty();
        let outcome = if is_needed {
            self.save_files
                .save(session.game(), session.ending(), path)?
        } else {
            SaveOutcome::Written
        };
        self.saved_earlier_games = 0;
        Ok(outcome)
    }

    fn folder(&self) -> PathBuf {
        let recording_folder = self.record_file.as_deref().and_then(Path::parent);
        let folder = recording_folder.filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // A relative path has no folders above it.
        folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
    }

    fn list(&self, folder: &Path) -> Result<Vec<FileEntry>, GameFilesError> {
        Ok(record_file::list(folder)?)
    }

    fn open(&self, path: &Path) -> Result<OpenedFile, GameFilesError> {
        let (records, errors) = record_file::read_valid(path)?;
        let sessions = records.iter().map(to_session);
        let games = sessions.collect::<Result<_, CliError>>();
        Ok(OpenedFile {
            games: games.map_err(|error| error.message().unwrap_or_default())?,
            error: errors.first().map(|first| match errors.len() - 1 {
                0 => first.to_string(),
                others => {
                    let others = format_count(others as u64, "further game");
                    format!("{first}; {others} with errors")
                }
            }),
        })
    }

    fn start_new_game(&mut self, session: &GameSession) -> Result<(), GameFilesError> {
        let record = to_record(session)?;
        // If the file cannot be written, it must not receive this game as the previous one.
        self.start_game(record.clone(), None);
        if let Some(path) = self.record_file.clone() {
            let recorder = Recorder::append(&path, record.clone())?;
            self.start_game(record, Some(recorder));
        }
        Ok(())
    }

    fn start_opened_game(&mut self, session: &GameSession) -> Result<(), GameFilesError> {
        self.start_game(to_record(session)?, None);
        Ok(())
    }
}

/// Returns a recorded game with its players. A player whose spec is not recorded is a person.
fn to_session(record: &Record) -> Result<GameSession, CliError> {
    let mut specs = BySide::from_fn(|_| PlayerSpec::HUMAN);
    for side in Side::ALL {
        if let Some(spec) = recorded_player(record, side)? {
            specs[side] = spec;
        }
    }
    let names = recorded_names(record, specs);
    let mut session = GameSession::new(record.game(), specs, names);
    end_as_recorded(&mut session, record);
    Ok(session)
}

/// Returns the record of a game with the tags of its players.
fn to_record(session: &GameSession) -> Result<Record, GameFilesError> {
    let mut record = Record::from_game(session.game());
    set_player_tags(&mut record, session.specs(), session.names())
        .map_err(|error| error.message().unwrap_or_default())?;
    if let Some(ending) = session.ending() {
        record.set_ending(ending)?;
    }
    Ok(record)
}
