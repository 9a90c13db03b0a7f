//! The games that are kept without being asked for: a folder with one file of all games that are
//! not being played, and a folder with a file of its own for each game that is.
//!
//! A game is written to its own file after every ply, which costs the same however many games are
//! kept. When it is closed, it moves to the file of all games, where it replaces an earlier state
//! of itself. A process that ends without closing its game leaves it in its own file, and the next
//! process that collects the games moves it. A crash between the two writes of a move leaves the
//! game in both files, and the next move makes it one game again, because games have an identifier.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use kalah::record::{Record, TagError};
use kalah_files::LockFileError;
use kalah_players::quoted_path;
use thiserror::Error;

use crate::EXTENSION;
use crate::read::{self, RecordFileError, RecordSource};
use crate::text_file::{self, LockedFile, TextFileError};
use crate::undone::has_undone;

/// The tag with the identifier of a kept game.
const ID_TAG: &str = "HistoryId";

/// The name of the file of all games that are not being played, without its extension.
const ALL_GAMES: &str = "games";

/// The files in the folder of a game: the game, and the file that a process locks while it plays.
const GAME_FILE: &str = "game.kgn";
const LOCK_FILE: &str = "lock";

/// The identifier of a kept game: 64 random bits, written as 16 hexadecimal digits.
///
/// ```
/// use kalah_record_files::HistoryId;
/// let id = HistoryId::new(0xcafe);
/// assert_eq!(id.to_string(), "000000000000cafe");
/// assert_eq!("000000000000cafe".parse(), Ok(id));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HistoryId(u64);

/// The number of digits of a [`HistoryId`].
const ID_DIGITS: usize = 16;

impl HistoryId {
    /// Creates an identifier of random bits.
    pub const fn new(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the identifier of a kept game; `None` if it has none.
    fn of(record: &Record) -> Option<Self> {
        record.tags().get(ID_TAG)?.parse().ok()
    }
}

impl fmt::Display for HistoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0ID_DIGITS$x}", self.0)
    }
}

/// The reason why a text is not a [`HistoryId`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no identifier of a kept game: expected 16 hexadecimal digits")]
pub struct ParseHistoryIdError(String);

impl FromStr for HistoryId {
    type Err = ParseHistoryIdError;

    fn from_str(text: &str) -> Result<Self, ParseHistoryIdError> {
        let is_id = text.len() == ID_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bits = u64::from_str_radix(text, 16).ok().filter(|_| is_id);
        bits.map(Self)
            .ok_or_else(|| ParseHistoryIdError(text.to_owned()))
    }
}

/// The reason why a game is not kept.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// The folder cannot be created or read.
    #[error("cannot use the folder {}: {reason}", quoted_path(.folder))]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    Text(#[from] TextFileError),
    /// A file contains something other than games, so that it is not changed.
    #[error(transparent)]
    NotARecordFile(#[from] RecordFileError),
    /// Another process plays the game.
    #[error("another window plays this game")]
    InUse,
    /// The game cannot have the tag with its identifier.
    #[error(transparent)]
    Tag(#[from] TagError),
}

/// The kept games of a user, in a folder that several processes can use at the same time.
///
/// ```
/// use kalah::record::Record;
/// use kalah_record_files::{History, HistoryId};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let history = History::open(folder.path())?;
/// let mut game = history.begin(HistoryId::new(1))?;
/// game.write(&"1. CF a *".parse()?)?;
/// game.close()?;
/// let games = history.games()?;
/// assert_eq!(games.len(), 1);
/// assert_eq!(games[0].record.game().plies().len(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct History {
    folder: PathBuf,
    max_games: usize,
}

/// A game of a [`History`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryGame {
    /// Its identifier; `None` for a game that was added to the file by hand.
    pub id: Option<HistoryId>,
    /// The game.
    pub record: Record,
    /// Whether another process plays it.
    pub is_in_use: bool,
}

impl History {
    /// The number of games that are kept. A further game replaces the one that was closed first.
    pub const MAX_GAMES: usize = 1000;

    /// Opens the history in a folder, and creates the folder.
    ///
    /// # Errors
    /// [`HistoryError::Folder`].
    pub fn open(folder: &Path) -> Result<Self, HistoryError> {
        let history = Self {
            folder: folder.to_owned(),
            max_games: Self::MAX_GAMES,
        };
        fs::create_dir_all(folder).map_err(|reason| history.folder_error(reason))?;
        Ok(history)
    }

    /// Returns the file of all games that are not being played, for a history in `folder`.
    pub fn file_in(folder: &Path) -> PathBuf {
        folder.join(ALL_GAMES).with_extension(EXTENSION)
    }

    /// Begins to keep a game, or to continue a kept one. Nothing is written before
    /// [`KeptGame::write`].
    ///
    /// # Errors
    /// [`HistoryError::InUse`] if another process plays the game, or if its lock cannot be written.
    pub fn begin(&self, id: HistoryId) -> Result<KeptGame, HistoryError> {
        let lock = self.lock(id)?;
        Ok(KeptGame {
            history: self.clone(),
            id,
            _lock: lock,
        })
    }

    /// Moves the games of processes that have ended to the file of all games.
    ///
    /// # Errors
    /// The error of the first game that could not be moved, and stays where it is.
    pub fn collect(&self) -> Result<(), HistoryError> {
        let mut result = Ok(());
        for id in self.open_ids()? {
            let moved = match self.begin(id) {
                Ok(game) => game.close(),
                Err(HistoryError::InUse) => Ok(()),
                Err(error) => Err(error),
            };
            result = result.and(moved);
        }
        result
    }

    /// Returns all valid games, the newest first: those that are being played, and then the others
    /// from the one that was closed last.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn games(&self) -> Result<Vec<HistoryGame>, HistoryError> {
        let mut games = Vec::new();
        // A game that goes on has no file of its own before its next ply.
        let mut in_use = Vec::new();
        for id in self.open_ids()? {
            let is_in_use = matches!(self.lock(id), Err(HistoryError::InUse));
            in_use.extend(is_in_use.then_some(id));
            let record = read::read(&self.file_of(id)).ok();
            let record = record.and_then(|mut records| records.pop());
            games.extend(record.map(|record| HistoryGame {
                id: Some(id),
                record,
                is_in_use,
            }));
        }
        let file = Self::file_in(&self.folder);
        let mut closed: Vec<Record> = Vec::new();
        if text_file::exists(&file)? {
            for record in RecordSource::open(&file)? {
                match record {
                    Ok(record) => closed.push(record),
                    Err(RecordFileError::Record { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        for record in closed.into_iter().rev() {
            let id = HistoryId::of(&record);
            if id.is_none() || games.iter().all(|game| game.id != id) {
                games.push(HistoryGame {
                    id,
                    record,
                    is_in_use: id.is_some_and(|id| in_use.contains(&id)),
                });
            }
        }
        Ok(games)
    }

    /// Returns the first error in the file of all games, which then takes no further games.
    pub fn file_error(&self) -> Option<HistoryError> {
        let file = Self::file_in(&self.folder);
        match text_file::exists(&file) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => return Some(error.into()),
        }
        match RecordSource::open(&file) {
            Ok(mut records) => records.find_map(|record| record.err().map(HistoryError::from)),
            Err(error) => Some(error.into()),
        }
    }

    /// Deletes a game.
    ///
    /// # Errors
    /// [`HistoryError::InUse`] if another process plays it, or if its files cannot be written.
    pub fn delete(&self, id: HistoryId) -> Result<(), HistoryError> {
        let _lock = self.lock(id)?;
        self.delete_closed(id)?;
        self.remove_open(id)
    }

    /// Deletes a game from the file of all games.
    fn delete_closed(&self, id: HistoryId) -> Result<(), HistoryError> {
        self.change_file(|records| records.retain(|record| HistoryId::of(record) != Some(id)))
    }

    /// Returns the identifiers of the games that have folders of their own.
    fn open_ids(&self) -> Result<BTreeSet<HistoryId>, HistoryError> {
        let entries = fs::read_dir(&self.folder).map_err(|reason| self.folder_error(reason))?;
        let mut ids = BTreeSet::new();
        for entry in entries {
            let name = entry
                .map_err(|reason| self.folder_error(reason))?
                .file_name();
            ids.extend(
                name.to_str()
                    .and_then(|name| name.parse::<HistoryId>().ok()),
            );
        }
        Ok(ids)
    }

    /// Returns the folder of a game, which also has the temporary files of writes that were cut
    /// off.
    fn folder_of(&self, id: HistoryId) -> PathBuf {
        self.folder.join(id.to_string())
    }

    fn file_of(&self, id: HistoryId) -> PathBuf {
        self.folder_of(id).join(GAME_FILE)
    }

    /// Locks a game. On a file system without locks, no other process is kept away.
    fn lock(&self, id: HistoryId) -> Result<File, HistoryError> {
        let folder = self.folder_of(id);
        let path = folder.join(LOCK_FILE);
        loop {
            match fs::create_dir_all(&folder) {
                // Another process has created the folder, and removes it at this moment.
                Err(reason) if reason.kind() == ErrorKind::AlreadyExists && !is_file(&folder) => {
                    continue;
                }
                created => created.map_err(|reason| self.folder_error(reason))?,
            }
            let opened = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path);
            let file = match opened {
                // The process that had the lock before has removed the folder meanwhile.
                Err(reason) if reason.kind() == ErrorKind::NotFound => continue,
                opened => opened.map_err(|reason| self.folder_error(reason))?,
            };
            match kalah_files::try_lock(&file) {
                Ok(()) => match kalah_files::has_path(&file, &path) {
                    Ok(true) => return Ok(file),
                    Ok(false) => {}
                    Err(reason) => return Err(self.folder_error(reason)),
                },
                Err(LockFileError::Unsupported(_)) => return Ok(file),
                Err(LockFileError::InUse) => return Err(HistoryError::InUse),
                Err(LockFileError::Io(reason)) => return Err(self.folder_error(reason)),
            }
        }
    }

    /// Removes the folder of a game, whose lock the caller holds.
    fn remove_open(&self, id: HistoryId) -> Result<(), HistoryError> {
        match fs::remove_file(self.file_of(id)) {
            Err(reason) if reason.kind() != ErrorKind::NotFound => {
                return Err(self.folder_error(reason));
            }
            _ => {}
        }
        // A system that cannot remove the open lock leaves a folder without a game.
        let _ = fs::remove_dir_all(self.folder_of(id));
        Ok(())
    }

    /// Changes the file of all games. A file with anything but games is not changed.
    fn change_file(&self, change: impl Fn(&mut Vec<Record>)) -> Result<(), HistoryError> {
        let path = Self::file_in(&self.folder);
        loop {
            let file = LockedFile::lock(&path)?;
            let mut records = Vec::new();
            if file.exists() {
                records = read::read(&path)?;
            }
            let count = records.len();
            change(&mut records);
            let excess = records.len().saturating_sub(self.max_games);
            records.drain(..excess);
            if records.is_empty() && count == 0 {
                return Ok(());
            }
            let texts: Vec<String> = records.iter().map(Record::to_string).collect();
            if file.replace(&texts.join("\n"))? {
                return Ok(());
            }
        }
    }

    /// Adds a game to the file of all games, where it replaces its earlier state.
    fn add(&self, id: HistoryId, added: &Record) -> Result<(), HistoryError> {
        self.change_file(|records| {
            records.retain(|record| HistoryId::of(record) != Some(id));
            records.push(added.clone());
        })
    }

    fn folder_error(&self, reason: io::Error) -> HistoryError {
        HistoryError::Folder {
            folder: self.folder.clone(),
            reason,
        }
    }
}

/// Returns whether a path has anything but a folder.
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_dir())
}

/// Returns whether a game has neither plies nor any that can be redone.
fn is_empty(record: &Record) -> bool {
    record.main_line().next().is_none() && !has_undone(record)
}

/// A game that is being played and kept. Other processes leave it alone until it is dropped.
#[derive(Debug)]
pub struct KeptGame {
    history: History,
    id: HistoryId,
    /// The lock, which ends when the file is closed.
    _lock: File,
}

impl KeptGame {
    /// Returns the identifier of the game.
    pub fn id(&self) -> HistoryId {
        self.id
    }

    /// Returns the file of the game while it is played.
    pub fn path(&self) -> PathBuf {
        self.history.file_of(self.id)
    }

    /// Writes the current state of the game. When the call returns, it survives the end of the
    /// process.
    ///
    /// # Errors
    /// The file cannot be written; the last state is unchanged then.
    pub fn write(&mut self, record: &Record) -> Result<(), HistoryError> {
        let mut record = record.clone();
        record.set_tag(ID_TAG, self.id.to_string())?;
        // Without locks, another process may have moved the game to the others.
        let folder = self.history.folder_of(self.id);
        fs::create_dir_all(&folder).map_err(|reason| self.history.folder_error(reason))?;
        let path = self.path();
        Ok(text_file::replace(&path, &record.to_string())?)
    }

    /// Moves the game to the file of all games. A game without plies, and without
    /// any that can be redone, is forgotten.
    ///
    /// # Errors
    /// The game stays in its own file if the file of all games cannot be written, or has anything
    /// but games.
    pub fn close(self) -> Result<(), HistoryError> {
        let path = self.path();
        if text_file::exists(&path)? {
            match read::read(&path)?.pop() {
                Some(record) if is_empty(&record) => {
                    self.history.delete_closed(self.id)?;
                }
                Some(record) => self.history.add(self.id, &record)?,
                // A damaged disk may have emptied the file: the state in the other file stays.
                None => {}
            }
        }
        self.history.remove_open(self.id)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn record(text: &str) -> Record {
        text.parse().expect("a record")
    }

    fn history(folder: &Path, max_games: usize) -> History {
        let history = History::open(folder).expect("a folder");
        History {
            max_games,
            ..history
        }
    }

    /// Keeps a game with the movetext `text`, and closes it.
    fn keep(history: &History, id: u64, text: &str) {
        let mut game = history.begin(HistoryId::new(id)).expect("a game");
        game.write(&record(text)).expect("a write");
        game.close().expect("a closed game");
    }

    /// Returns the identifiers, the numbers of plies, and whether another process plays the game.
    fn listed(history: &History) -> Vec<(u64, usize, bool)> {
        let games = history.games().expect("games").into_iter();
        let games = games.map(|game| {
            let id = game.id.expect("an identifier").0;
            (id, game.record.game().plies().len(), game.is_in_use)
        });
        games.collect()
    }

    #[test]
    fn game_that_goes_on_is_in_use_before_its_next_ply() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = history(folder.path(), 10);
        keep(&history, 1, "1. A *");
        let game = history.begin(HistoryId::new(1)).expect("a game");
        assert_eq!(listed(&history), [(1, 1, true)]);
        drop(game);
        assert_eq!(listed(&history), [(1, 1, false)]);
    }

    #[test]
    fn game_of_an_ended_process_is_kept_with_its_last_ply() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = history(folder.path(), 10);
        keep(&history, 1, "1. A *");
        let mut game = history.begin(HistoryId::new(2)).expect("a game");
        game.write(&record("1. CF *")).expect("a write");
        game.write(&record("1. CF a *")).expect("a write");
        assert_eq!(listed(&history), [(2, 3, true), (1, 1, false)]);
        assert!(matches!(
            history.begin(HistoryId::new(2)),
            Err(HistoryError::InUse)
        ));
        history.collect().expect("the game stays in its file");
        assert_eq!(listed(&history)[0], (2, 3, true));
        // The end of the process, in a write.
        drop(game);
        let own = history.folder_of(HistoryId::new(2));
        fs::write(own.join(".kalah-1.tmp"), "1. C").expect("a write");
        assert_eq!(listed(&history), [(2, 3, false), (1, 1, false)]);
        history.collect().expect("a move");
        assert_eq!(listed(&history), [(2, 3, false), (1, 1, false)]);
        let files = fs::read_dir(folder.path()).expect("a folder");
        assert_eq!(files.count(), 1, "only the file of all games");
    }

    #[test]
    fn continued_game_replaces_its_earlier_state_and_becomes_the_newest() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = history(folder.path(), 10);
        keep(&history, 1, "1. A *");
        keep(&history, 2, "1. B *");
        keep(&history, 1, "1. A a *");
        assert_eq!(listed(&history), [(1, 2, false), (2, 1, false)]);
        // All plies are undone, and can be redone until they are not.
        keep(&history, 1, "[Undone \"A\"]\n\n*");
        assert_eq!(listed(&history), [(1, 0, false), (2, 1, false)]);
        keep(&history, 1, "*");
        assert_eq!(listed(&history), [(2, 1, false)]);
        history.delete(HistoryId::new(2)).expect("a deletion");
        assert_eq!(listed(&history), []);
    }

    #[test]
    fn emptied_file_of_a_game_leaves_its_earlier_state() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = history(folder.path(), 10);
        keep(&history, 1, "1. A *");
        let path = history.file_of(HistoryId::new(1));
        fs::create_dir(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "").expect("a write");
        history.collect().expect("a move");
        assert_eq!(listed(&history), [(1, 1, false)]);
    }

    #[test]
    fn oldest_games_make_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = history(folder.path(), 3);
        for id in 1..=5 {
            keep(&history, id, "1. A *");
        }
        let ids: Vec<u64> = listed(&history).iter().map(|game| game.0).collect();
        assert_eq!(ids, [5, 4, 3]);
    }

    #[test]
    fn damaged_file_is_not_changed_and_hides_no_games() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = history(folder.path(), 10);
        keep(&history, 1, "1. A *");
        let path = History::file_in(folder.path());
        let damaged = fs::read_to_string(&path).expect("a file") + "\n1. z *\n";
        assert!(history.file_error().is_none());
        fs::write(&path, &damaged).expect("a write");
        let error = history.file_error().expect("an error").to_string();
        assert!(error.contains("games.kgn"), "{error}");
        let mut game = history.begin(HistoryId::new(2)).expect("a game");
        game.write(&record("1. B *")).expect("a write");
        let error = game.close().expect_err("a damaged file");
        assert!(matches!(error, HistoryError::NotARecordFile(_)), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("a file"), damaged);
        assert_eq!(listed(&history), [(2, 1, false), (1, 1, false)]);
        assert!(history.collect().is_err());
        assert!(history.delete(HistoryId::new(1)).is_err());
        fs::remove_file(&path).expect("a removal");
        history.collect().expect("a move");
        assert_eq!(listed(&history), [(2, 1, false)]);
    }

    #[test]
    fn folder_that_another_process_removes_is_created_again() {
        const PROCESSES: usize = 4;
        const LOCKS: usize = 500;
        let folder = tempfile::tempdir().expect("a folder");
        let history = history(folder.path(), 10);
        let id = HistoryId::new(1);
        let lock_and_remove = || {
            for _ in 0..LOCKS {
                match history.begin(id) {
                    Ok(game) => game.close().expect("a removal"),
                    Err(error) => assert!(matches!(error, HistoryError::InUse), "{error}"),
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..PROCESSES {
                scope.spawn(lock_and_remove);
            }
        });
        assert_eq!(listed(&history), []);
    }

    #[test]
    fn file_in_the_place_of_a_folder_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = history(folder.path(), 10);
        let id = HistoryId::new(1);
        fs::write(history.folder_of(id), "").expect("a write");
        let error = history.begin(id).expect_err("no folder");
        assert!(matches!(error, HistoryError::Folder { .. }), "{error}");
    }

    #[test]
    fn processes_at_once_neither_lose_nor_mix_games() {
        const PLAYERS: usize = 4;
        const GAMES: usize = 8;
        const TEXTS: [&str; 3] = ["1. A *", "1. A a *", "1. A a 2. B *"];
        let id = |player: usize, number: usize| (player * GAMES + number) as u64;
        let folder = tempfile::tempdir().expect("a folder");
        let history = history(folder.path(), 100);
        thread::scope(|scope| {
            for player in 0..PLAYERS {
                let history = &history;
                scope.spawn(move || {
                    for number in 0..GAMES {
                        keep(history, id(player, number), TEXTS[player % TEXTS.len()]);
                        history.collect().expect("a move");
                    }
                });
            }
        });
        let mut games = listed(&history);
        games.sort_unstable();
        let games_of = |player| (0..GAMES).map(move |number| (player, number));
        let expected = (0..PLAYERS).flat_map(games_of);
        let expected =
            expected.map(|(player, number)| (id(player, number), player % TEXTS.len() + 1, false));
        assert_eq!(games, expected.collect::<Vec<_>>());
    }
}
