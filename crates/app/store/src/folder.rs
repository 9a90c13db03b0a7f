//! The data folder of a server: its files, its lock and the backup of its games.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use directories::ProjectDirs;
use kalah_files::{LockFileError, PendingFile};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::error::{BackupError, LockError, NoDataFolderError, OpenGamesError, SchemaError};
use crate::sql::{self, BUSY_TIMEOUT};

/// The folder of a server's games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFolder(PathBuf);

/// Exclusive use of a data folder, until dropped or until the process ends in any way.
#[derive(Debug)]
pub(crate) struct FolderLock {
    /// Locked while open.
    _file: File,
}

impl DataFolder {
    /// The name of the database file.
    const DATABASE_FILE: &str = "games.sqlite3";
    /// The name of the file whose lock marks the folder as in use.
    const LOCK_FILE: &str = "games.lock";

    /// Returns the given folder, or the default one in the system's folder for application data.
    ///
    /// # Errors
    /// Returns an error if no folder is given and the system has no default.
    pub fn resolve(folder: Option<&Path>) -> Result<Self, NoDataFolderError> {
        if let Some(folder) = folder {
            return Ok(Self::new(folder));
        }
        let project = ProjectDirs::from("", "", "kalah").ok_or(NoDataFolderError)?;
        Ok(Self(project.data_dir().join("server")))
    }

    /// Returns the data folder at a path.
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of the database.
    pub fn database(&self) -> PathBuf {
        self.0.join(Self::DATABASE_FILE)
    }

    /// Locks the folder for one server. Creates the folder and the database file if necessary,
    /// accessible only by their owner. On a file system without locks, nothing new is left behind.
    pub(crate) fn lock(&self) -> Result<FolderLock, LockError> {
        let unusable = |reason| LockError::Unusable {
            folder: self.0.clone(),
            reason,
        };
        if self.0.exists() && !self.0.is_dir() {
            return Err(LockError::NotAFolder(self.0.clone()));
        }
        let lock_path = self.0.join(Self::LOCK_FILE);
        let missing_paths = missing_paths(&lock_path);
        private_folder_builder().create(&self.0).map_err(unusable)?;
        let file = private_file_options()
            .create(true)
            .truncate(false)
            .open(&lock_path)
            .map_err(unusable)?;
        kalah_files::try_lock(&file).map_err(|error| match error {
            LockFileError::InUse => LockError::InUse(self.0.clone()),
            LockFileError::Unsupported(reason) => {
                remove_empty(&missing_paths);
                LockError::NoLocks {
                    folder: self.0.clone(),
                    reason,
                }
            }
            LockFileError::Io(reason) => unusable(reason),
        })?;
        // Create the database file here, because SQLite would make it readable by others. SQLite
        // gives its other files the same permissions.
        match private_file_options()
            .create_new(true)
            .open(self.database())
        {
            Err(reason) if reason.kind() != io::ErrorKind::AlreadyExists => Err(unusable(reason)),
            _ => Ok(FolderLock { _file: file }),
        }
    }
}

impl DataFolder {
    /// Returns the version of the database without changing or creating a file.
    pub(crate) fn check_games(&self) -> Result<i32, OpenGamesError> {
        match self.0.metadata() {
            Err(reason) if reason.kind() == io::ErrorKind::NotFound => {
                return Err(OpenGamesError::NoFolder(self.0.clone()));
            }
            Ok(data) if !data.is_dir() => {
                return Err(LockError::NotAFolder(self.0.clone()).into());
            }
            _ => {}
        }
        let file = self.database();
        if !file.exists() {
            return Err(OpenGamesError::NoGames(self.0.clone()));
        }
        match sql::check_file(&file).map_err(|reason| self.schema_error(reason))? {
            // A server creates the file before its content.
            0 => Err(OpenGamesError::NoGames(self.0.clone())),
            version => Ok(version),
        }
    }

    /// Returns the error of the database of this folder.
    pub(crate) fn schema_error(&self, reason: SchemaError) -> OpenGamesError {
        OpenGamesError::Schema {
            file: self.database(),
            reason,
        }
    }
}

/// Returns those of a path and its folders that do not exist, the path itself first.
fn missing_paths(path: &Path) -> Vec<&Path> {
    let paths = path.ancestors();
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    paths.take_while(is_missing).collect()
}

/// Removes an empty file and the folders around it, up to the first that has other files.
fn remove_empty(paths: &[&Path]) {
    for path in paths {
        let removed = if path.is_dir() {
            fs::remove_dir(path)
        } else {
            fs::remove_file(path)
        };
        if removed.is_err() {
            return;
        }
    }
}

/// Returns a builder of folders that only their owner can access.
fn private_folder_builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Returns options for files that only their owner can read if they are created.
fn private_file_options() -> OpenOptions {
    let mut options = File::options();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The result of `SQLite`'s check for an intact database.
const INTEGRITY_OK: &str = "ok";

/// Copies the games in `folder` to the file `to`, also while a server uses the folder.
///
/// The copy is a snapshot. It replaces an existing file only after it was checked and is on disk.
///
/// # Errors
/// Returns an error if the copy cannot be made.
pub fn back_up(folder: &DataFolder, to: &Path) -> Result<(), BackupError> {
    let database = folder.database();
    if !database.is_file() {
        return Err(BackupError::NoGames(folder.path().to_owned()));
    }
    sql::check_file(&database).map_err(|reason| BackupError::Schema {
        file: database.clone(),
        reason,
    })?;
    let cannot_write = |reason| BackupError::Write {
        file: to.to_owned(),
        reason: without_path(reason),
    };
    if to.is_dir() {
        return Err(BackupError::IsFolder(to.to_owned()));
    }
    let target_folder = match to.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let is_games = same_file::is_same_file(&database, to).unwrap_or(false);
    if is_games || same_file::is_same_file(folder.path(), target_folder).unwrap_or(false) {
        return Err(BackupError::InsideDataFolder(to.to_owned()));
    }
    target_folder.metadata().map_err(cannot_write)?;
    // The database has the tokens of players as hashes.
    let pending = PendingFile::private_beside(to).map_err(cannot_write)?;
    copy_database(&database, pending.path())?;
    check_integrity(pending.path())?;
    pending.replace_target().map_err(cannot_write)
}

/// Removes the path of the temporary file from an error, which would confuse the user.
fn without_path(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(_) => error,
        None => error.kind().into(),
    }
}

/// The step size that copies all pages in one step.
const ALL_PAGES: i32 = -1;
/// The pause before a retry while another connection writes.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// Copies a database in one step, so that the copy is a snapshot. Writers are not blocked.
pub(crate) fn copy_database(database: &Path, to: &Path) -> Result<(), rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(database, flags)?;
    source.busy_timeout(BUSY_TIMEOUT)?;
    let mut copy = Connection::open(to)?;
    let backup = Backup::new(&source, &mut copy)?;
    while backup.step(ALL_PAGES)? != StepResult::Done {
        std::thread::sleep(RETRY_DELAY);
    }
    drop(backup);
    // Leave a single file without a write-ahead log.
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    copy.close().map_err(|(_, error)| error)
}

/// Checks that a copy is an intact database.
fn check_integrity(copy: &Path) -> Result<(), BackupError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(copy, flags)?;
    let result: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if result == INTEGRITY_OK {
        Ok(())
    } else {
        Err(BackupError::Damaged(result))
    }
}
