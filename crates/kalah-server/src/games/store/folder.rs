use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use thiserror::Error;

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
