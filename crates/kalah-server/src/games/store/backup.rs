use std::io;
use std::path::{Path, PathBuf};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use thiserror::Error;

use super::{BUSY_TIMEOUT, DataFolder, SchemaError, schema};

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

/// For a backup: in one step.
const ALL_PAGES: i32 = -1;
/// Before another try where somebody was just writing.
const RETRY_DELAY: std::time::Duration = std::time::Duration::from_millis(50);

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
