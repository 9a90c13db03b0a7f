//! The data folder of a server: its files, its lock and the backup of its games.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use thiserror::Error;

use super::schema;
use crate::games::store::schema::{BUSY_TIMEOUT, SchemaError};

/// The folder in which a server keeps its games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFolder(PathBuf);

/// This system has no place where programs keep their data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this system names no folder for the data of programs")]
pub struct NoDataFolderError;

/// Why a server does not get a folder for itself.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another server has it.
    #[error("another server keeps its games in '{}'", .0.display())]
    InUse(PathBuf),
    /// It is a file.
    #[error("'{}' is no folder", .0.display())]
    NotAFolder(PathBuf),
    /// It cannot be made, or nothing can be written in it.
    #[error("cannot use the folder '{}': {reason}", folder.display())]
    Unusable {
        /// Which folder.
        folder: PathBuf,
        /// Why.
        reason: io::Error,
    },
}

/// A folder that one server has for itself, until this is dropped or the process ends, however it
/// does.
#[derive(Debug)]
pub(super) struct FolderLock {
    /// Locked as long as it is open.
    _file: File,
}

impl DataFolder {
    /// The file with the games.
    const DATABASE_FILE: &str = "games.sqlite3";
    /// The file that says, by a lock on it, that a server is at work.
    const LOCK_FILE: &str = "games.lock";

    /// The folder that was asked for, or else the one in the place where this system keeps the data
    /// of programs.
    ///
    /// # Errors
    /// If none was asked for, and the system has no such place.
    pub fn resolve(asked: Option<&Path>) -> Result<Self, NoDataFolderError> {
        if let Some(folder) = asked {
            return Ok(Self::new(folder));
        }
        let project = ProjectDirs::from("", "", "kalah").ok_or(NoDataFolderError)?;
        Ok(Self(project.data_dir().join("server")))
    }

    /// This folder.
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The file with the games.
    pub fn database(&self) -> PathBuf {
        self.0.join(Self::DATABASE_FILE)
    }

    /// Takes the folder for one server, making it and the file for games if they are not there: nobody but whoever runs
    /// the server can look into what is made.
    pub(super) fn lock(&self) -> Result<FolderLock, LockError> {
        let unusable = |reason| LockError::Unusable {
            folder: self.0.clone(),
            reason,
        };
        if self.0.exists() && !self.0.is_dir() {
            return Err(LockError::NotAFolder(self.0.clone()));
        }
        private_folder_builder().create(&self.0).map_err(unusable)?;
        let file = private_file_options()
            .create(true)
            .truncate(false)
            .open(self.0.join(Self::LOCK_FILE))
            .map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LockError::InUse(self.0.clone())),
            Err(TryLockError::Error(reason)) => return Err(unusable(reason)),
        }
        // SQLite lets others read what it makes itself; what it puts beside this file is as this file is.
        match private_file_options()
            .create_new(true)
            .open(self.database())
        {
            Err(reason) if reason.kind() != io::ErrorKind::AlreadyExists => Err(unusable(reason)),
            _ => Ok(FolderLock { _file: file }),
        }
    }
}

/// Makes folders that only their owner can look into.
fn private_folder_builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Opens files to be written, which only their owner can read if they are made.
fn private_file_options() -> OpenOptions {
    let mut options = File::options();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Why there is no backup. A file that was there before is as it was.
#[derive(Debug, Error)]
pub enum BackupError {
    /// Nothing to copy.
    #[error("there are no games in '{}'", .0.display())]
    NoGames(PathBuf),
    /// What is there cannot be used.
    #[error("'{}' {reason}", file.display())]
    Schema {
        /// Which file.
        file: PathBuf,
        /// Why.
        reason: SchemaError,
    },
    /// The file to write lies among those to read, of which none may be replaced.
    #[error("'{}' lies where the games are kept: name a file in another folder", .0.display())]
    InsideDataFolder(PathBuf),
    /// The file to write is a folder.
    #[error("'{}' is a folder: name a file in it", .0.display())]
    IsFolder(PathBuf),
    /// The copying went wrong.
    #[error("cannot copy the games: {0}")]
    Copy(#[from] rusqlite::Error),
    /// The games on disk are damaged, and so is a copy.
    #[error("the copy of the games is damaged: {0}")]
    Damaged(String),
    /// The copy cannot be written.
    #[error("cannot write '{}': {reason}", file.display())]
    Write {
        /// Which file.
        file: PathBuf,
        /// Why.
        reason: io::Error,
    },
}

/// What a check says of a database that is as it should be.
const INTEGRITY_OK: &str = "ok";

/// Copies the games in `folder` to the file `to`, whether a server is at work in that folder or not.
///
/// The copy is of one moment, is checked, and takes the place of a file that has its name only when it
/// is whole and on the disk.
///
/// # Errors
/// Why there is no copy.
pub fn back_up(folder: &DataFolder, to: &Path) -> Result<(), BackupError> {
    let from = folder.database();
    if !from.is_file() {
        return Err(BackupError::NoGames(folder.path().to_owned()));
    }
    schema::check_file(&from).map_err(|reason| BackupError::Schema {
        file: from.clone(),
        reason,
    })?;
    let cannot_write = |reason| BackupError::Write {
        file: to.to_owned(),
        reason: without_path(reason),
    };
    if to.is_dir() {
        return Err(BackupError::IsFolder(to.to_owned()));
    }
    let beside = match to.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let is_games = same_file::is_same_file(&from, to).unwrap_or(false);
    if is_games || same_file::is_same_file(folder.path(), beside).unwrap_or(false) {
        return Err(BackupError::InsideDataFolder(to.to_owned()));
    }
    beside.metadata().map_err(cannot_write)?;
    let part = tempfile::Builder::new()
        .prefix(".kalah-backup-")
        .tempfile_in(beside)
        .map_err(cannot_write)?;
    copy_database(&from, part.path())?;
    check_integrity(part.path())?;
    part.as_file().sync_all().map_err(cannot_write)?;
    part.persist(to)
        .map_err(|error| cannot_write(error.error))?;
    Ok(())
}

/// What went wrong, without the name of the file that is written first, which nobody has given.
fn without_path(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(_) => error,
        None => error.kind().into(),
    }
}

/// For a backup: in one step.
const ALL_PAGES: i32 = -1;
/// Before another try where somebody was just writing.
const RETRY_DELAY: std::time::Duration = std::time::Duration::from_millis(50);

/// Copies a database in one step, so that the copy is of one moment; those who write go on meanwhile.
fn copy_database(from: &Path, to: &Path) -> Result<(), rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(from, flags)?;
    source.busy_timeout(BUSY_TIMEOUT)?;
    let mut copy = Connection::open(to)?;
    let backup = Backup::new(&source, &mut copy)?;
    while backup.step(ALL_PAGES)? != StepResult::Done {
        std::thread::sleep(RETRY_DELAY);
    }
    drop(backup);
    // One file, with nothing beside it.
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    copy.close().map_err(|(_, error)| error)
}

fn check_integrity(copy: &Path) -> Result<(), BackupError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(copy, flags)?;
    let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found == INTEGRITY_OK {
        Ok(())
    } else {
        Err(BackupError::Damaged(found))
    }
}
