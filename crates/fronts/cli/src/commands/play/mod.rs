//! `kalah play`: a game on the whole screen of the terminal, or in plain mode.

mod kept_games;
pub(crate) mod plain;
mod plain_program;
mod plain_signals;
mod session;
mod session_files;

use std::env;
use std::process;

use kalah::{BySide, Game, GameEvent, Termination};
use kalah_protocols::ENGINE_PROTOCOLS;
use kalah_text::{GamePrinter, Palette};
use kalah_tui::{AppConfig, ClockTimes, FirstGame, GameFiles as _, GameSession, Profile, Symbols};

pub(crate) use self::kept_games::history_file;
use self::kept_games::{GameKeeper, recorded_clock};
use self::session::{GameSource, PlaySession};
pub(crate) use self::session::{PlayArgs, PuzzleArguments};
use self::session_files::{SessionFiles, end_as_recorded, restore_rating};
use crate::commands::positions::puzzle::today;
use crate::error::CliError;
use crate::files::mapped_tables::restore_terminal_in_bus_error;
use crate::interrupt;
use crate::output::messages::{DeferredWarnings, output_width, path_option};
use crate::profile::ProfileFile;

/// The message about a game that the history keeps unfinished.
const CONTINUE_TEXT: &str = "To continue this game: kalah play --continue";

pub(super) fn run(arguments: &PlayArgs, opening: FirstGame) -> Result<(), CliError> {
    let has_screen = !arguments.plain && kalah_tui::is_screen_supported();
    let unfinished = if has_screen {
        "Your last game is unfinished: Ctrl-G and Enter continue it."
    } else {
        "Your last game is unfinished. To continue it: kalah play --continue"
    };
    let (mut keeper, notices) = open_history(arguments, unfinished);
    let mut source = GameSource::load(arguments, keeper.as_mut())?;
    let specs = source.resolve_players(arguments)?;
    let names = source.resolve_names(arguments, &specs)?;
    let session = PlaySession {
        arguments,
        palette: Palette::for_stdout(),
        source,
        specs,
        names,
    };
    if arguments.resume.is_some() && session.has_ended() && !has_screen {
        return session.print_ending();
    }
    if arguments.clock.is_some() && !has_screen {
        let text = "--clock needs the screen, and this terminal cannot show it";
        return Err(CliError::Usage(text.to_owned()));
    }
    session.check_programs()?;
    if has_screen {
        run_on_screen(&session, keeper, notices, opening)
    } else {
        plain::run(&session, keeper, notices)
    }
}

/// Messages for the user before the first ply.
#[derive(Debug, Default)]
struct StartNotices {
    /// Problems of the files of the history and of the profile.
    warnings: Vec<String>,
    /// That the last game is unfinished.
    unfinished: Option<String>,
}

/// Opens the history, unless it is switched off. Returns it with the reason why games are not kept,
/// or with `unfinished` if the last game is so.
fn open_history(arguments: &PlayArgs, unfinished: &str) -> (Option<GameKeeper>, StartNotices) {
    let mut notices = StartNotices::default();
    let keeper = match GameKeeper::open(arguments.no_history) {
        Ok(None) => None,
        Ok(Some((keeper, failure))) => {
            notices.warnings.extend(failure.map(|reason| {
                format!("The history takes no games, which stay in folders of their own: {reason}")
            }));
            let is_unfinished = notices.warnings.is_empty()
                && arguments.is_new_game()
                && keeper.is_last_unfinished();
            notices.unfinished = is_unfinished.then(|| unfinished.to_owned());
            Some(keeper)
        }
        Err(reason) => {
            (notices.warnings).push(format!("Games are not kept: {reason}"));
            None
        }
    };
    (keeper, notices)
}

/// Plays the game on the whole screen of the terminal.
fn run_on_screen(
    session: &PlaySession,
    keeper: Option<GameKeeper>,
    notices: StartNotices,
    opening: FirstGame,
) -> Result<(), CliError> {
    // A finished game that is only viewed is not recorded.
    let recorder = if session.arguments.resume.is_some() && session.has_ended() {
        None
    } else {
        session.source.recorder(session.arguments)?
    };
    let record = &session.source.record;
    let mut files = SessionFiles::new(record.clone(), recorder, keeper);
    let mut game_session = GameSession::new(
        session.source.game.clone(),
        session.specs.clone(),
        session.names.clone(),
    );
    game_session.set_ply_times(record.ply_times());
    game_session.set_opening_plies(record.opening_plies());
    end_as_recorded(&mut game_session, record);
    if session.arguments.resume.is_some() {
        // The record may be of any game.
        game_session.set_helped();
    } else if session.arguments.continue_last {
        restore_rating(&mut game_session, record);
    }
    let (mut profile, data, damage) = ProfileFile::open(session.arguments.no_history);
    let mut preferences = data.preferences();
    let mut puzzles = session.arguments.puzzles.clone();
    puzzles.choices.today = today();
    preferences.difficulty = puzzles.difficulty.unwrap_or(preferences.difficulty);
    let puzzles = puzzles.choices;
    let labels = session.arguments.labels.labels;
    let engine_factory = |game: &Game| {
        let factory = session::engine_factory(session.arguments, game.position());
        factory.map_err(|error| error.message().unwrap_or_default())
    };
    let warnings = DeferredWarnings::begin();
    restore_terminal_in_bus_error(kalah_tui::closing_sequence());
    let played = kalah_tui::run(AppConfig {
        session: game_session,
        clock: first_clock(session),
        labels,
        palette: session.palette,
        protocols: ENGINE_PROTOCOLS,
        files: &mut files,
        profile: profile.as_mut().map(|profile| profile as &mut dyn Profile),
        preferences,
        puzzles,
        puzzle_progress: data.puzzles(),
        engines: &engine_factory,
        move_time: session.arguments.move_time(),
        hint_time: session.hint_time_limit(),
        is_time_limited: session.arguments.is_time_limited(),
        seed: session.seed(),
        opening,
        notice: notices.unfinished,
        warnings: damage.into_iter().chain(notices.warnings).collect(),
        symbols: if session.arguments.ascii || !is_utf8_locale() {
            Symbols::Ascii
        } else {
            Symbols::Unicode
        },
        is_animated: !session.arguments.no_animation,
        pause_between_turns: !session.arguments.no_pause,
        shutdown: interrupt::listen(),
        force_exit: || process::exit(interrupt::exit_code().into()),
    });
    let is_kept = files.is_game_kept();
    files.close();
    let game_session = played?;
    drop(warnings);
    if [FirstGame::Puzzles, FirstGame::DailyPuzzle].contains(&opening)
        && game_session.game().plies().is_empty()
    {
        return Ok(());
    }
    // The terminal shows its previous contents again, so the result is printed below them.
    let names = BySide::from_fn(|side| &*game_session.names()[side]);
    let mut printer = GamePrinter::new(anstream::stdout(), names)
        .labels(labels)
        .palette(session.palette)
        .width(output_width());
    printer.print_header(game_session.referee())?;
    if let Some(ending) = game_session.ending() {
        if let Some(path) =
            (files.recording_path()).filter(|_| ending.termination == Termination::Unfinished)
        {
            let resume = path_option("--resume", path);
            printer.print_command(&format!("To continue this game: kalah play {resume}"))?;
        } else if is_kept && ending.termination == Termination::Unfinished {
            printer.print_command(CONTINUE_TEXT)?;
        }
        printer.print_event(game_session.referee(), &GameEvent::Ended(ending))?;
    }
    Ok(())
}

/// Returns the clocks of the first game: those of the arguments, else those of a game that goes on.
fn first_clock(session: &PlaySession) -> Option<ClockTimes> {
    let PlaySession {
        arguments, source, ..
    } = session;
    let goes_on = arguments.continue_last || arguments.resume.is_some();
    let recorded = || recorded_clock(&source.record).filter(|_| goes_on);
    arguments.clock.map(ClockTimes::new).or_else(recorded)
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
