//! The logs of games: what the programs of a game have received and written, with times.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use kalah::{BySide, Side};
use kalah_files::ReplaceFileError;
use kalah_players::{LogClock, LogLine, LogSource, ProgramLog, display_path};
use thiserror::Error;

use super::config::ArenaConfig;
use super::error::RunError;
use super::run_dir::{StoredTournament, existing_config_file};
use crate::finished_game::FinishedGame;
use crate::schedule::Encounter;

/// The folder of the logs in that of a tournament.
const LOG_DIR: &str = "logs";

/// The end of the name of a log.
const LOG_EXTENSION: &str = ".log.gz";

/// The width of the times of lines, in milliseconds: up to a day.
const TIME_WIDTH: usize = 8;

/// The maximum number of bytes of a log that are read: far more than two programs can have.
const MAX_LOG_BYTES: u64 = 16 << 20;

/// Writes the logs of a tournament, a file for each game.
pub(super) struct GameLogs {
    folder: PathBuf,
    clock: LogClock,
}

impl GameLogs {
    /// Creates the logs of the tournament in the folder `run_dir`. `clock` returns the time since
    /// any fixed moment.
    pub(super) fn new(run_dir: &Path, clock: LogClock) -> Self {
        Self {
            folder: run_dir.join(LOG_DIR),
            clock,
        }
    }

    /// Returns an empty log of a program.
    pub(super) fn program_log(&self) -> ProgramLog {
        ProgramLog::new(self.clock.clone())
    }

    /// Begins the log of a game with these logs of its programs; `None` if it has no programs.
    pub(super) fn begin(&self, programs: BySide<Option<ProgramLog>>) -> Option<GameLog> {
        let has_program = Side::ALL.iter().any(|&side| programs[side].is_some());
        let log = GameLog {
            programs,
            clock: self.clock.clone(),
            start: Mutex::default(),
        };
        log.restart();
        has_program.then_some(log)
    }

    /// Writes the log of a game with the number `ROUND.PAIR.LEG` in the place of an older one. It
    /// is on the disk when this returns. The first line has the names of the players, by the side
    /// on which they began, and the last one the end of the game.
    pub(super) fn write(
        &self,
        number: &str,
        names: &BySide<&str>,
        end: &str,
        log: &GameLog,
    ) -> Result<(), RunError> {
        let text = format!(
            "game {number}: {} (South) - {} (North)\n{}end: {end}\n",
            names.south,
            names.north,
            log.take_text()
        );
        let path = log_path(&self.folder, number);
        let error = |action, path: &Path, reason| RunError::Io {
            action,
            path: path.to_owned(),
            reason,
        };
        fs::create_dir_all(&self.folder).map_err(|reason| error("create", &self.folder, reason))?;
        let compressed = compress(&text).map_err(|reason| error("write", &path, reason))?;
        kalah_files::replace(&path, &compressed).map_err(|reason| match reason {
            ReplaceFileError::Io(reason) => error("write", &path, reason),
            ReplaceFileError::NotRegular => {
                error("write", &path, io::Error::other(reason.to_string()))
            }
        })
    }
}

/// The log of a game in progress.
pub(super) struct GameLog {
    /// The logs of the programs, by the side on which they began.
    programs: BySide<Option<ProgramLog>>,
    clock: LogClock,
    /// The start of the game by the clock.
    start: Mutex<Duration>,
}

impl GameLog {
    /// Drops all lines, and begins the game again.
    pub(super) fn restart(&self) {
        for side in Side::ALL {
            if let Some(log) = &self.programs[side] {
                log.take();
            }
        }
        *self.start.lock().unwrap_or_else(PoisonError::into_inner) = (self.clock)();
    }

    /// Takes the lines of both programs as text, in the order of their times.
    fn take_text(&self) -> String {
        let start = *self.start.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines: Vec<(Side, LogLine)> = Vec::new();
        for side in Side::ALL {
            let taken = self.programs[side].iter().flat_map(ProgramLog::take);
            lines.extend(taken.map(|line| (side, line)));
        }
        // The lines of each program keep their order.
        lines.sort_by_key(|(_, line)| line.time);
        let mut text = String::new();
        for (side, line) in lines {
            let milliseconds = line.time.saturating_sub(start).as_millis();
            let mark = match line.source {
                LogSource::Host => '<',
                LogSource::Program => '>',
                LogSource::Stderr => '!',
                LogSource::Process => '*',
            };
            let _ = writeln!(
                text,
                "{milliseconds:TIME_WIDTH$} {side} {mark} {}",
                line.text
            );
        }
        text
    }
}

fn log_path(folder: &Path, number: &str) -> PathBuf {
    folder.join(format!("{number}{LOG_EXTENSION}"))
}

fn compress(text: &str) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

/// The log of a game as its file has it.
#[derive(Clone, Debug)]
pub struct StoredGameLog {
    /// The text; up to the fault if there is one. It can have control characters of the programs.
    pub text: String,
    /// The reason why the text is not the whole log of the game.
    pub fault: Option<GameLogError>,
}

/// A log is missing or damaged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{}', the log of game {number}, {fault}", display_path(path))]
pub struct GameLogError {
    /// The file.
    pub path: PathBuf,
    /// The number of the game.
    pub number: String,
    /// The fault of the file.
    pub fault: GameLogFault,
}

/// The fault of the file of a log. The message follows the name of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameLogFault {
    /// The file does not exist.
    #[error("is missing")]
    Missing,
    /// The file ends within its data.
    #[error("is damaged: the file ends too early")]
    End,
    /// The data is not that of a compressed text.
    #[error("is damaged: the compressed data is invalid")]
    Data,
    /// The first line is not that of the game.
    #[error("is damaged: the first line is not that of the game")]
    OtherGame,
    /// The file cannot be read. The text is the error of the system.
    #[error("cannot be read: {0}")]
    Unreadable(String),
}

impl GameLogFault {
    fn of_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::UnexpectedEof => Self::End,
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => Self::Data,
            _ => Self::Unreadable(error.to_string()),
        }
    }
}

impl StoredGameLog {
    /// Reads the log of the game with the number `ROUND.PAIR.LEG` of the tournament in a folder.
    fn read(run_dir: &Path, number: &str) -> Self {
        let path = log_path(&run_dir.join(LOG_DIR), number);
        let mut bytes = Vec::new();
        let result = File::open(&path).and_then(|file| {
            GzDecoder::new(file)
                .take(MAX_LOG_BYTES)
                .read_to_end(&mut bytes)
        });
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let fault = match result {
            Err(error) => Some(GameLogFault::of_io(&error)),
            Ok(_) if !text.starts_with(&format!("game {number}: ")) => {
                Some(GameLogFault::OtherGame)
            }
            Ok(_) => None,
        };
        let error = |fault| GameLogError {
            path,
            number: number.to_owned(),
            fault,
        };
        Self {
            text,
            fault: fault.map(error),
        }
    }
}

/// Reads the log of the game with the number `ROUND.PAIR.LEG` of the tournament in a folder.
///
/// Each line has the time since the start of the game in milliseconds, the side on which the
/// player began, and the direction: `<` for a line that the program received, `>` for one that it
/// wrote, `!` for its standard error, and `*` for the start and the end of its process.
///
/// # Errors
/// [`RunError::GameNumber`], [`RunError::NoFolder`], [`RunError::NotFound`] or
/// [`RunError::NoLog`]. A damaged log is no error, but has its fault.
pub fn read_game_log(run_dir: &Path, number: &str) -> Result<StoredGameLog, RunError> {
    if Encounter::parse_game_number(number).is_none() {
        return Err(RunError::GameNumber(number.to_owned()));
    }
    existing_config_file(run_dir)?;
    let log = StoredGameLog::read(run_dir, number);
    match log.fault {
        Some(GameLogError {
            path,
            number,
            fault: GameLogFault::Missing,
        }) => Err(RunError::NoLog { path, number }),
        fault => Ok(StoredGameLog { fault, ..log }),
    }
}

/// Returns the finished games that have logs: those of programs that finished since logs are kept.
/// A game of a program that did not start has one, too.
pub(super) fn logged_games<'a>(
    config: &'a ArenaConfig,
    games: impl IntoIterator<Item = &'a FinishedGame>,
) -> impl Iterator<Item = &'a FinishedGame> {
    let unlogged = if config.has_logs {
        config.unlogged_games
    } else {
        usize::MAX
    };
    let has_program = |game: &&FinishedGame| {
        let players = game.players();
        Side::ALL.iter().any(|&side| {
            let contestant = config.contestants.get(players[side].0);
            contestant.is_some_and(|contestant| contestant.spec.protocol().is_some())
        })
    };
    games.into_iter().skip(unlogged).filter(has_program)
}

/// Reads the log of a finished game of the tournament in a folder, and returns its fault.
pub(super) fn check_log(run_dir: &Path, game: &FinishedGame) -> Option<GameLogError> {
    StoredGameLog::read(run_dir, &game.number_text()).fault
}

impl StoredTournament {
    /// Returns the finished games that have logs, each with the fault of its log.
    pub fn logs(&self) -> impl Iterator<Item = (&FinishedGame, Option<GameLogError>)> {
        let games = logged_games(&self.config, &self.games);
        games.map(|game| (game, check_log(&self.path, game)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn log_has_the_lines_of_both_programs_in_the_order_of_their_times() {
        let folder = tempfile::tempdir().expect("a folder");
        // The file that marks the folder of a tournament.
        fs::write(folder.path().join("tournament.json"), "").expect("a writable folder");
        let time = Arc::new(AtomicU64::new(0));
        let clock = Arc::clone(&time);
        let logs = GameLogs::new(
            folder.path(),
            Arc::new(move || Duration::from_millis(clock.load(Ordering::Relaxed))),
        );
        let [south, north] = [logs.program_log(), logs.program_log()];
        assert!(logs.begin(BySide::new(None, None)).is_none());
        let programs = BySide::new(Some(south.clone()), Some(north.clone()));
        south.add(LogSource::Program, "of the game before");
        let log = logs.begin(programs).expect("programs");
        south.add(LogSource::Program, "of a game that begins again");
        time.store(1000, Ordering::Relaxed);
        log.restart();
        for (ms, program, source, text) in [
            (1000, &south, LogSource::Process, "started: ./bot"),
            (1012, &north, LogSource::Host, "go"),
            (1013, &south, LogSource::Stderr, "\u{1b}[2J"),
            (12_345, &north, LogSource::Program, "bestmove C"),
        ] {
            time.store(ms, Ordering::Relaxed);
            program.add(source, text);
        }
        let names = BySide::new("Ana", "Bo");
        logs.write("1.10.2", &names, "aborted", &log)
            .expect("a writable folder");
        assert_eq!(
            read_game_log(folder.path(), "1.10.2").expect("a log").text,
            "game 1.10.2: Ana (South) - Bo (North)\n\
             \x20      0 South * started: ./bot\n\
             \x20     12 North < go\n\
             \x20     13 South ! \u{1b}[2J\n\
             \x20  11345 North > bestmove C\n\
             end: aborted\n"
        );
        // Another game with this number replaces the log.
        logs.write("1.10.2", &names, "24-24", &log)
            .expect("a writable folder");
        let log = read_game_log(folder.path(), "1.10.2").expect("a log");
        assert_eq!(
            log.text,
            "game 1.10.2: Ana (South) - Bo (North)\nend: 24-24\n"
        );
        assert_eq!(log.fault, None);
        for (number, expected) in [
            ("1.10.1", "there is no log of game 1.10.1: '"),
            ("../1.10.2", "`../1.10.2` is not the number of a game"),
        ] {
            let error = read_game_log(folder.path(), number).expect_err(number);
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn damaged_log_has_its_fault_and_the_text_before_it() {
        const LINES: usize = 1000;

        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("tournament.json"), "").expect("a writable folder");
        let logs = folder.path().join(LOG_DIR);
        fs::create_dir(&logs).expect("a writable folder");
        let first = "game 1.1.2: Ana (South) - Bo (North)\n";
        let lines: Vec<String> = (0..LINES)
            .map(|line| format!("{line} South > line"))
            .collect();
        let good = compress(&format!("{first}{}\n", lines.join("\n"))).expect("memory");
        let cut = good[..good.len() / 2].to_vec();
        let mut changed = good.clone();
        let length = good.len();
        changed[length - 8] ^= 1;
        let other = compress("game 1.1.1: Ana (South) - Bo (North)\n").expect("memory");
        for (content, fault) in [
            (good, None),
            (cut, Some(GameLogFault::End)),
            (Vec::new(), Some(GameLogFault::End)),
            (changed, Some(GameLogFault::Data)),
            (b"no compressed text".to_vec(), Some(GameLogFault::Data)),
            (other, Some(GameLogFault::OtherGame)),
        ] {
            fs::write(log_path(&logs, "1.1.2"), &content).expect("a writable folder");
            let log = read_game_log(folder.path(), "1.1.2").expect("a log");
            assert_eq!(log.fault.map(|error| error.fault), fault);
            let has_start = content.len() > 100;
            assert_eq!(log.text.starts_with(first), has_start, "{fault:?}");
        }
    }
}
