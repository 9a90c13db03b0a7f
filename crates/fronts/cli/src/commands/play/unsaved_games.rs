//! Games that the user could not save, because the terminal was closed or a signal has ended the
//! program. They are kept in the folder of the program's data, and the next `kalah play` says so.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use directories::ProjectDirs;
use kalah::Game;
use kalah::record::Record;

use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::{path_option, print_stderr};

/// The file of the games.
const FILE_NAME: &str = "interrupted.kgn";
/// An empty file that exists until `kalah play` has shown where the last game is.
const NEWS_NAME: &str = "interrupted.new";

/// How often a game in plain mode looks for a signal.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Returns the folder of the file, if the system has one for the data of programs.
fn folder() -> Option<PathBuf> {
    let project = ProjectDirs::from("", "", "kalah")?;
    Some(project.data_dir().to_owned())
}

/// Creates the folder of the file to which the games are appended, and returns the file.
pub(super) fn prepare_file() -> io::Result<PathBuf> {
    let folder = folder().ok_or(io::ErrorKind::NotFound)?;
    fs::create_dir_all(&folder)?;
    Ok(folder.join(FILE_NAME))
}

/// Says where the last game is, now and when a game begins again.
pub(super) fn announce(path: &Path) {
    // Without the news the game is still in the file.
    let _ = File::create(path.with_file_name(NEWS_NAME));
    print_stderr(&describe(path));
}

/// Returns the news of a game that was kept since the last call.
pub(super) fn take_notice() -> Option<String> {
    let folder = folder()?;
    fs::remove_file(folder.join(NEWS_NAME)).ok()?;
    let path = folder.join(FILE_NAME);
    path.exists().then(|| describe(&path))
}

fn describe(path: &Path) -> String {
    let resume = path_option("--resume", path);
    format!("To continue the game that was interrupted: kalah play {resume}")
}

/// Ends the programs that play before a signal ends the process.
pub(super) fn end_programs_on_signal() -> Result<(), CliError> {
    exit_on_signal(|| {})
}

/// Waits for a signal on a thread, and then calls `finish`, ends all child processes and exits.
fn exit_on_signal(finish: impl FnOnce() + Send + 'static) -> Result<(), CliError> {
    let shutdown = interrupt::listen();
    let watch = move || {
        while !shutdown.is_requested() {
            thread::sleep(POLL_INTERVAL);
        }
        finish();
        shutdown.kill_children();
        process::exit(interrupt::exit_code().into());
    };
    let thread = thread::Builder::new()
        .name("signals".to_owned())
        .spawn(watch);
    match thread {
        Ok(_) => Ok(()),
        Err(reason) => Err(CliError::Runtime(format!(
            "cannot start a thread: {reason}"
        ))),
    }
}

/// The game of plain mode, which is kept if a signal ends the process.
#[derive(Clone)]
pub(super) struct WatchedGame(Arc<Mutex<Record>>);

impl WatchedGame {
    /// Watches a game. A signal then ends the process as before.
    pub(super) fn watch(record: Record) -> Result<Self, CliError> {
        let watched = Self(Arc::new(Mutex::new(record)));
        let game = watched.clone();
        exit_on_signal(move || game.keep())?;
        Ok(watched)
    }

    /// Follows the game.
    pub(super) fn update(&self, game: &Game) -> Result<(), CliError> {
        let mut record = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let set = record.set_game(game);
        set.map_err(|reason| CliError::Runtime(reason.to_string()))
    }

    fn keep(&self) {
        let record = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if record.game().plies().is_empty() {
            return;
        }
        let kept = prepare_file().map_err(CliError::from).and_then(|path| {
            kalah_record_files::append(&path, slice::from_ref(&*record))?;
            Ok(path)
        });
        match kept {
            Ok(path) => announce(&path),
            Err(error) => print_stderr(&format!(
                "error: the game is lost: {}",
                error.message().unwrap_or_default()
            )),
        }
    }
}
