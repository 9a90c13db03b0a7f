//! Texts and files of many games.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use kalah::record::{Record, RecordError};
use kalah_files::{ReplaceFileError, ReplaceLock};
use kalah_players::display_path;
use pyo3::prelude::*;

use crate::arguments;
use crate::errors::{Error, os_error};
use crate::games::game::PyGame;

/// Returns the games of a text, in which records follow one another.
///
/// Raises `ParseError`, whose message has the number of the game, the line and the column, for any
/// other text.
///
/// >>> import kalah
/// >>> [len(game) for game in kalah.parse_games("1. A a 2. B * [South \"Lisa\"] 1. CF *")]
/// [3, 2]
#[pyfunction]
pub(crate) fn parse_games(py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Vec<PyGame>> {
    let text = arguments::only_text(text, "text")?;
    parse(py, &text, Error::from)
}

/// Returns the games of a file of records.
///
/// Raises a subclass of `OSError` with the path if the file cannot be read, and `ParseError` with
/// the path, the number of the game, the line and the column if it contains anything but records.
///
/// >>> import kalah
/// >>> kalah.read_games("missing.kgn")
/// Traceback (most recent call last):
///     ...
/// FileNotFoundError: [Errno 2] No such file or directory: 'missing.kgn'
#[pyfunction]
pub(crate) fn read_games(py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<Vec<PyGame>> {
    let path = arguments::path(path, "path")?;
    let text = py.detach(|| read_text(&path))?;
    parse_file(py, &path, &text)
}

/// Writes games to a file of records, in the place of its contents or, with `append=True`, after
/// the games in it.
///
/// The file has either its old or its new contents at any time, also if the write fails. Its
/// permissions are kept, and a symbolic link is followed.
///
/// Raises a subclass of `OSError` with the path if the file cannot be written, and `ParseError` if
/// games are appended to a file with anything but records; the file is unchanged then.
///
/// >>> import kalah, pathlib, tempfile
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     path = pathlib.Path(folder, "games.kgn")
/// ...     kalah.write_games(path, [kalah.Game(moves="CF a")])
/// ...     kalah.write_games(path, [kalah.Game(moves="A")], append=True)
/// ...     [len(game) for game in kalah.read_games(path)]
/// [3, 1]
#[pyfunction]
#[pyo3(
    signature = (path, games, *, append=None),
    text_signature = "(path, games, *, append=False)"
)]
pub(crate) fn write_games(
    py: Python<'_>,
    path: &Bound<'_, PyAny>,
    games: &Bound<'_, PyAny>,
    append: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let path = arguments::path(path, "path")?;
    let append = append.map_or(Ok(false), |append| arguments::boolean(append, "append"))?;
    let mut text = String::new();
    let Ok(iterator) = games.try_iter() else {
        return Err(arguments::type_error(games, "games", "an iterable of Game"));
    };
    for (number, game) in (1..).zip(iterator) {
        if number % GAMES_PER_CHECK == 0 {
            py.check_signals()?;
        }
        let game = game?;
        let Ok(game) = game.cast::<PyGame>() else {
            return Err(arguments::type_error(&game, "games", "Game"));
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&game.try_borrow()?.record_text()?);
    }
    if !append {
        let written = py.detach(|| {
            let replaced = kalah_files::replace(&path, text.as_bytes());
            or_write_device(replaced, &path, &text)
        });
        return written.map_err(|error| os_error(&path, &error));
    }
    while !append_to_file(py, &path, &text)? {
        py.check_signals()?;
    }
    Ok(())
}

/// Appends the text of games to a file. Returns `false` if another process has created the file in
/// the meantime; it is unchanged then.
fn append_to_file(py: Python<'_>, path: &Path, text: &str) -> PyResult<bool> {
    let lock = py.detach(|| ReplaceLock::acquire(path));
    let lock = lock.map_err(|error| os_error(path, &error))?;
    let mut games = String::new();
    if lock.exists() {
        games = preceding_games(py, path)?;
    }
    games.push_str(text);
    let written = py.detach(|| {
        let replaced = lock.replace_with(|file| file.write_all(games.as_bytes()));
        or_write_device(replaced, path, &games)
    });
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(os_error(path, &error)),
    }
}

/// The number of games between two checks for signals, which take some milliseconds.
const GAMES_PER_CHECK: usize = 256;

/// Parses the games of a text until a signal handler raises an exception.
fn parse(
    py: Python<'_>,
    text: &str,
    error: impl Fn(RecordError) -> Error + Copy,
) -> PyResult<Vec<PyGame>> {
    let mut records = Record::parse_each(text);
    let mut games = Vec::new();
    loop {
        let chunk = py.detach(|| {
            let chunk = records.by_ref().take(GAMES_PER_CHECK);
            chunk.collect::<Result<Vec<_>, _>>()
        });
        let chunk = chunk.map_err(error)?;
        if chunk.is_empty() {
            return Ok(games);
        }
        games.extend(chunk.into_iter().map(PyGame::from_record));
        py.check_signals()?;
    }
}

/// Returns the text of a file of games, to which another game can be appended.
fn preceding_games(py: Python<'_>, path: &Path) -> PyResult<String> {
    let mut text = py.detach(|| read_text(path))?;
    parse_file(py, path, &text)?;
    while !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    Ok(text)
}

fn read_text(path: &Path) -> PyResult<String> {
    let bytes = fs::read(path).map_err(|error| os_error(path, &error))?;
    let text = String::from_utf8(bytes).map_err(|error| Error::NotUtf8 {
        path: display_path(path),
        byte: error.utf8_error().valid_up_to() + 1,
    })?;
    Ok(text)
}

/// Parses the games of the text of a file.
fn parse_file(py: Python<'_>, path: &Path, text: &str) -> PyResult<Vec<PyGame>> {
    parse(py, text, |reason| Error::RecordFile {
        path: display_path(path),
        reason: Box::new(reason),
    })
}

/// Writes `text` directly to a device or a pipe, which no file has replaced.
fn or_write_device(
    replaced: Result<(), ReplaceFileError>,
    path: &Path,
    text: &str,
) -> io::Result<()> {
    match replaced {
        Ok(()) => Ok(()),
        Err(ReplaceFileError::Io(reason)) => Err(reason),
        Err(ReplaceFileError::NotRegular) => {
            let mut device = OpenOptions::new().write(true).open(path)?;
            device.write_all(text.as_bytes())
        }
    }
}
