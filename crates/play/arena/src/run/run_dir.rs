//! The folder of a tournament: its configuration, journal, records and report.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use kalah::record::Tags;
use kalah::strip_byte_order_mark;
use kalah_files::{LockFileError, ReplaceFileError};
use kalah_players::EngineProtocol;
use thiserror::Error;

use super::config::{ArenaConfig, TournamentFile};
use super::error::{ConfigFileError, RunError};
use crate::finished_game::FinishedGame;
use crate::journal::{Journal, JournalError, JournalProblem, JournalTail};
use crate::seal::Seal;

/// The folder of a tournament. It stays locked as long as the value exists, on file systems that
/// have locks.
pub struct RunDir {
    path: PathBuf,
    journal: File,
    /// The seal of the last line of the journal.
    seal: Mutex<Seal>,
    records: File,
    lock: ConfigLock,
}

/// The locked configuration of a tournament.
struct ConfigLock {
    file: File,
    /// The process that has locked it.
    process: u32,
    /// The error of a file system without locks.
    missing: Option<io::Error>,
}

impl Drop for ConfigLock {
    /// Releases the lock at once. When the file is closed, a program that another thread is
    /// starting can still have it open for a moment. A forked process leaves the lock to its
    /// parent.
    fn drop(&mut self) {
        if self.process == process::id() {
            // The lock ends with the process at the latest.
            let _ = self.file.unlock();
        }
    }
}

/// The folder of a tournament is on a file system without locks.
#[derive(Debug, Error)]
#[error(
    "'{}' is on a file system without locks ({reason}): no other process may play this tournament \
     at the same time",
    path.display()
)]
pub struct MissingLock<'a> {
    path: &'a Path,
    reason: &'a io::Error,
}

const CONFIG_FILE: &str = "tournament.json";
const JOURNAL_FILE: &str = "games.jsonl";
const RECORDS_FILE: &str = "games.kgn";
const REPORT_FILE: &str = "report.html";

impl RunDir {
    /// Creates the folder `path` for a new tournament, or uses it if it exists and is empty.
    ///
    /// # Errors
    /// If the folder has other files or another tournament, or cannot be written.
    pub fn create(path: &Path, config: &ArenaConfig) -> Result<Self, RunError> {
        create_empty_dir(path)?;
        Self::initialize(path.to_owned(), config)
    }

    /// Creates a folder such as `arena-2026-01-31-1` in the current folder for a new tournament,
    /// with the date of `now` and the first free number.
    ///
    /// # Errors
    /// If the folder cannot be created or written.
    pub fn create_dated(now: SystemTime, config: &ArenaConfig) -> Result<Self, RunError> {
        Self::initialize(create_dated_dir(Path::new(""), now)?, config)
    }

    /// Writes the files of a new tournament. The configuration is the last one, because it marks
    /// the folder as that of a tournament.
    fn initialize(path: PathBuf, config: &ArenaConfig) -> Result<Self, RunError> {
        for name in [JOURNAL_FILE, RECORDS_FILE] {
            let file = path.join(name);
            File::create(&file).map_err(|reason| io_error("write", &file, reason))?;
        }
        replace_file(&path.join(CONFIG_FILE), &TournamentFile::format(config))?;
        Self::open(path, Seal::START)
    }

    /// Stores a configuration to which all games of the folder belong, as one of
    /// [`ArenaConfig::extended`].
    ///
    /// # Errors
    /// If the file cannot be written. The old configuration remains then.
    pub fn store_config(self, config: &ArenaConfig) -> Result<Self, RunError> {
        // The old configuration stays locked until the new one is.
        replace_file(
            &self.path.join(CONFIG_FILE),
            &TournamentFile::format(config),
        )?;
        let seal = self.seal.into_inner();
        Self::open(self.path, seal.unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins another tournament in the folder of one without finished games.
    pub(super) fn replace_config(self, config: &ArenaConfig) -> Result<Self, RunError> {
        // The old configuration stays locked until the new one is.
        Self::initialize(self.path.clone(), config)
    }

    /// Opens the folder of a tournament, whose programs speak some of `protocols`. Returns its
    /// configuration and its finished games. Removes an incomplete last line of the journal and the
    /// temporary files of processes that were killed, and makes the records agree with the journal.
    ///
    /// # Errors
    /// If the folder has no tournament, another process plays it, or a file is invalid.
    pub fn resume(
        path: &Path,
        protocols: &[&'static EngineProtocol],
    ) -> Result<(Self, ArenaConfig, Vec<FinishedGame>), RunError> {
        let file = existing_config_file(path)?;
        let run_dir = Self::open(path.to_owned(), Seal::START)?;
        remove_abandoned_files(path)?;
        let (config, _) = read_config(file, protocols)?;
        let games = run_dir.repair(&config)?;
        Ok((run_dir, config, games))
    }

    /// Opens the folder, whose journal has the seal `seal`.
    fn open(path: PathBuf, seal: Seal) -> Result<Self, RunError> {
        let open_for_append = |name: &str| {
            let path = path.join(name);
            let file = OpenOptions::new().append(true).create(true).open(&path);
            file.map_err(|reason| io_error("write", &path, reason))
        };
        let config_file = path.join(CONFIG_FILE);
        let config =
            File::open(&config_file).map_err(|reason| io_error("read", &config_file, reason))?;
        let missing = match lock_config(&config) {
            Ok(()) => None,
            Err(LockFileError::Unsupported(reason)) => Some(reason),
            Err(LockFileError::InUse) => return Err(RunError::InUse(path)),
            Err(LockFileError::Io(reason)) => {
                return Err(io_error("lock", &config_file, reason));
            }
        };
        Ok(Self {
            journal: open_for_append(JOURNAL_FILE)?,
            seal: Mutex::new(seal),
            records: open_for_append(RECORDS_FILE)?,
            lock: ConfigLock {
                file: config,
                process: process::id(),
                missing,
            },
            path,
        })
    }

    /// Repairs the end of the journal and the records, and returns the games of the journal.
    fn repair(&self, config: &ArenaConfig) -> Result<Vec<FinishedGame>, RunError> {
        let path = self.path.join(JOURNAL_FILE);
        let journal = parse_journal(&path, &read_file(&path)?, config)?;
        let repaired = match journal.tail() {
            JournalTail::Complete => Ok(()),
            JournalTail::MissingNewline => (&self.journal).write_all(b"\n"),
            JournalTail::Truncated { complete_bytes } => self.journal.set_len(complete_bytes),
        };
        repaired
            .and_then(|()| self.journal.sync_all())
            .map_err(|reason| io_error("write", &path, reason))?;
        *self.seal.lock().unwrap_or_else(PoisonError::into_inner) = journal.seal();
        self.repair_records(journal.games())?;
        Ok(journal.into_games())
    }

    /// Writes the records again if they are not those of `games`.
    fn repair_records(&self, games: &[FinishedGame]) -> Result<(), RunError> {
        let mut text = String::new();
        for game in games {
            text += &record_text(game)?;
        }
        let path = self.path.join(RECORDS_FILE);
        let bytes = fs::read(&path).map_err(|reason| io_error("read", &path, reason))?;
        if bytes == text.as_bytes() {
            return Ok(());
        }
        let file = OpenOptions::new().write(true).truncate(true).open(&path);
        file.and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .map_err(|reason| io_error("write", &path, reason))
    }

    /// Appends a game to the journal and to the records. It is on the disk when this returns.
    pub(super) fn append(&self, game: &FinishedGame) -> Result<(), RunError> {
        let record = record_text(game)?;
        let mut seal = self.seal.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = *seal;
        let line = Journal::format_line(game, &mut next)?;
        self.write(&self.journal, JOURNAL_FILE, &line)?;
        *seal = next;
        self.write(&self.records, RECORDS_FILE, &record)
    }

    /// Appends text to one of the files. It is on the disk when this returns.
    fn write(&self, mut file: &File, name: &str, text: &str) -> Result<(), RunError> {
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_data())
            .map_err(|reason| io_error("write", &self.path.join(name), reason))
    }

    /// Writes the report, and returns its path.
    ///
    /// # Errors
    /// If the file cannot be written. An older report remains then.
    pub fn write_report(&self, html: &str) -> Result<PathBuf, RunError> {
        let path = self.path.join(REPORT_FILE);
        replace_file(&path, html)?;
        Ok(path)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a warning if the file system has no locks, so that the user must see to it that only
    /// one process plays the tournament.
    pub fn missing_lock(&self) -> Option<MissingLock<'_>> {
        let reason = self.lock.missing.as_ref()?;
        let path = &self.path;
        Some(MissingLock { path, reason })
    }
}

/// A tournament as its folder has it. Reading changes nothing, and another process can play the
/// tournament meanwhile.
#[derive(Clone, Debug)]
pub struct StoredTournament {
    /// The folder.
    pub path: PathBuf,
    /// The configuration.
    pub config: ArenaConfig,
    /// The finished games, in the order in which they finished.
    pub games: Vec<FinishedGame>,
    /// Whether another process plays the tournament.
    pub is_in_use: bool,
    /// The time at which the journal was written last, if the system knows it.
    pub last_write: Option<SystemTime>,
}

impl StoredTournament {
    /// Reads the folder of a tournament, whose programs speak some of `protocols`.
    ///
    /// # Errors
    /// If the folder has no tournament, or a file is invalid. An incomplete last line of the
    /// journal is no error.
    pub fn read(path: &Path, protocols: &[&'static EngineProtocol]) -> Result<Self, RunError> {
        let (config, _, journal) = read_unlocked(path, protocols)?;
        let file = path.join(JOURNAL_FILE);
        let metadata = fs::metadata(&file);
        let games = parse_journal(&file, &journal, &config)?.into_games();
        Ok(Self {
            path: path.to_owned(),
            config,
            games,
            is_in_use: is_in_use(path),
            last_write: metadata.and_then(|metadata| metadata.modified()).ok(),
        })
    }
}

/// Reads the configuration with its seal, and the bytes of the journal. A game that finishes
/// meanwhile belongs to the configuration, too.
pub(super) fn read_unlocked(
    path: &Path,
    protocols: &[&'static EngineProtocol],
) -> Result<(ArenaConfig, Seal, Vec<u8>), RunError> {
    let file = existing_config_file(path)?;
    let journal = read_file(&path.join(JOURNAL_FILE))?;
    let (config, seal) = read_config(file, protocols)?;
    Ok((config, seal, journal))
}

/// Reads the records of a tournament.
pub(super) fn read_records(path: &Path) -> Result<String, RunError> {
    let bytes = read_file(&path.join(RECORDS_FILE))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the file of the configuration in the folder of a tournament.
pub(super) fn existing_config_file(path: &Path) -> Result<PathBuf, RunError> {
    let file = path.join(CONFIG_FILE);
    if file.exists() {
        Ok(file)
    } else if path.is_dir() {
        Err(RunError::NotFound(path.to_owned()))
    } else {
        Err(RunError::NoFolder(path.to_owned()))
    }
}

/// Reads the configuration and its seal.
fn read_config(
    file: PathBuf,
    protocols: &[&'static EngineProtocol],
) -> Result<(ArenaConfig, Seal), RunError> {
    let config = kalah_files::decode_text(read_file(&file)?)
        .map_err(ConfigFileError::from)
        .and_then(|text| TournamentFile::parse(strip_byte_order_mark(&text), protocols));
    config.map_err(|reason| RunError::ConfigFile {
        path: file,
        reason: reason.into(),
    })
}

fn read_file(path: &Path) -> Result<Vec<u8>, RunError> {
    fs::read(path).map_err(|reason| io_error("read", path, reason))
}

/// Parses the journal in the file `path`, and checks that all its lines have seals and that its
/// games are those of the tournament.
fn parse_journal(path: &Path, bytes: &[u8], config: &ArenaConfig) -> Result<Journal, RunError> {
    let journal = Journal::parse(bytes);
    let journal = journal.and_then(|journal| match journal.unsealed_line() {
        None => Ok(journal),
        Some(line) => Err(JournalError {
            line,
            problem: JournalProblem::Unsealed,
        }),
    });
    let journal = journal.map_err(|reason| RunError::Journal {
        path: path.to_owned(),
        reason,
    })?;
    let check = config.tournament.check(journal.results());
    check.map_err(|reason| RunError::UnknownEncounter {
        path: path.to_owned(),
        reason,
    })?;
    Ok(journal)
}

/// The attempts to lock a configuration: [`is_in_use`] has a lock for a moment.
const LOCK_ATTEMPTS: u32 = 5;

/// The time between two attempts.
const LOCK_INTERVAL: Duration = Duration::from_millis(20);

/// Locks a configuration for the process that plays the tournament.
fn lock_config(config: &File) -> Result<(), LockFileError> {
    for _ in 1..LOCK_ATTEMPTS {
        match kalah_files::try_lock(config) {
            Err(LockFileError::InUse) => thread::sleep(LOCK_INTERVAL),
            result => return result,
        }
    }
    kalah_files::try_lock(config)
}

/// Returns whether a process has locked the tournament in a folder.
fn is_in_use(path: &Path) -> bool {
    let Ok(config) = File::open(path.join(CONFIG_FILE)) else {
        return false;
    };
    let lock = kalah_files::try_lock_shared(&config);
    // The lock ends with the file at the latest.
    let _ = config.unlock();
    matches!(lock, Err(LockFileError::InUse))
}

/// Returns the record of a game and an empty line.
pub(super) fn record_text(game: &FinishedGame) -> Result<String, RunError> {
    Ok(format!("{}\n", game.to_record()?))
}

fn io_error(action: &'static str, path: &Path, reason: io::Error) -> RunError {
    RunError::Io {
        action,
        path: path.to_owned(),
        reason,
    }
}

/// Replaces a file, which has either the old or the new text, also after a crash of the machine.
fn replace_file(path: &Path, text: &str) -> Result<(), RunError> {
    kalah_files::replace(path, text.as_bytes()).map_err(|error| {
        let reason = match error {
            ReplaceFileError::Io(reason) => reason,
            ReplaceFileError::NotRegular => io::Error::other(error.to_string()),
        };
        io_error("write", path, reason)
    })
}

/// Removes the temporary files of processes that were killed from the folder of a tournament and
/// from the folders in it, such as that of the logs.
fn remove_abandoned_files(path: &Path) -> Result<(), RunError> {
    let remove = |folder: &Path| {
        kalah_files::remove_abandoned(folder).map_err(|reason| io_error("clear", folder, reason))
    };
    remove(path)?;
    let entries = fs::read_dir(path).map_err(|reason| io_error("read", path, reason))?;
    for entry in entries {
        let entry = entry.map_err(|reason| io_error("read", path, reason))?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Creates a folder, or checks that an existing one is empty.
fn create_empty_dir(path: &Path) -> Result<(), RunError> {
    if path.join(CONFIG_FILE).exists() {
        return Err(RunError::AlreadyExists(path.to_owned()));
    }
    fs::create_dir_all(path).map_err(|reason| io_error("create", path, reason))?;
    kalah_files::remove_abandoned(path).map_err(|reason| io_error("clear", path, reason))?;
    let mut entries = fs::read_dir(path).map_err(|reason| io_error("read", path, reason))?;
    // A tournament that was interrupted before its configuration was written leaves these files.
    let leftovers = [JOURNAL_FILE, RECORDS_FILE].map(OsStr::new);
    let has_other_files = entries
        .any(|entry| entry.is_ok_and(|entry| !leftovers.contains(&entry.file_name().as_os_str())));
    if has_other_files {
        return Err(RunError::NotEmpty(path.to_owned()));
    }
    Ok(())
}

/// Creates the first of the folders `arena-DATE-1`, `arena-DATE-2` and so on in `folder` that does
/// not exist.
fn create_dated_dir(folder: &Path, now: SystemTime) -> Result<PathBuf, RunError> {
    let date = Tags::date_text(now).map(|date| date.replace('.', "-"));
    // A clock of the system that is wrong by decades is no reason to play no tournament.
    let date = date.as_deref().unwrap_or("undated");
    let mut number = 1_u64;
    loop {
        let path = folder.join(format!("arena-{date}-{number}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(reason) => return Err(io_error("create", &path, reason)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_of_a_tournament_that_was_killed_before_it_began_is_used() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [JOURNAL_FILE, ".kalah-killed.tmp"] {
            fs::write(folder.path().join(name), "").expect("a writable folder");
        }
        create_empty_dir(folder.path()).expect("an empty folder");
        fs::write(folder.path().join("notes.txt"), "").expect("a writable folder");
        let error = create_empty_dir(folder.path()).expect_err("a folder with files");
        assert!(matches!(error, RunError::NotEmpty(_)), "{error}");
    }

    #[test]
    fn folders_of_a_day_are_numbered() {
        const DAY: Duration = Duration::from_hours(24);

        let folder = tempfile::tempdir().expect("a folder");
        let first = SystemTime::UNIX_EPOCH + 59 * DAY;
        for (now, name) in [
            (first, "arena-1970-03-01-1"),
            (first + DAY / 2, "arena-1970-03-01-2"),
            (first, "arena-1970-03-01-3"),
            (first + DAY, "arena-1970-03-02-1"),
        ] {
            let path = create_dated_dir(folder.path(), now).expect("a new folder");
            assert_eq!(path, folder.path().join(name));
            assert!(path.is_dir());
        }
    }
}
