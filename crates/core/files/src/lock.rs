//! Locks of files against other processes, on file systems that have them.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use same_file::Handle;
use thiserror::Error;

use crate::unsupported::is_unsupported;

/// The reason why a file is not locked.
#[derive(Debug, Error)]
pub enum LockFileError {
    /// Another process has locked the file.
    #[error("another process has locked it")]
    InUse,
    /// The file system has no locks, as some network file systems and those of user programs.
    #[error("its file system has no locks ({0})")]
    Unsupported(io::Error),
    /// The file cannot be locked.
    #[error(transparent)]
    Io(io::Error),
}

/// Locks a file for one process that writes it. The lock ends when the file is closed.
///
/// # Errors
/// [`LockFileError`].
pub fn try_lock(file: &File) -> Result<(), LockFileError> {
    file.try_lock().map_err(LockFileError::from)
}

/// Locks a file for processes that read it. The lock ends when the file is closed.
///
/// # Errors
/// [`LockFileError`].
pub fn try_lock_shared(file: &File) -> Result<(), LockFileError> {
    file.try_lock_shared().map_err(LockFileError::from)
}

/// Returns whether `path` is the path of an open file. Another process that had the lock before may
/// have removed the file, or put another one in its place.
///
/// # Errors
/// One of them cannot be examined.
pub fn has_path(file: &File, path: &Path) -> io::Result<bool> {
    let opened = Handle::from_file(file.try_clone()?)?;
    match Handle::from_path(path) {
        Ok(named) => Ok(named == opened),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

impl From<TryLockError> for LockFileError {
    fn from(error: TryLockError) -> Self {
        match error {
            TryLockError::WouldBlock => Self::InUse,
            TryLockError::Error(reason) if is_unsupported(&reason) => Self::Unsupported(reason),
            TryLockError::Error(reason) => Self::Io(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_exclude_each_other_and_readers() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let first = File::open(file.path()).unwrap();
        let second = File::open(file.path()).unwrap();
        try_lock(&first).unwrap();
        assert!(matches!(try_lock(&second), Err(LockFileError::InUse)));
        assert!(matches!(
            try_lock_shared(&second),
            Err(LockFileError::InUse)
        ));
        drop(first);
        try_lock_shared(&second).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn errors_of_file_systems_without_locks_are_recognized() {
        for code in [libc::ENOSYS, libc::EOPNOTSUPP, libc::ENOTSUP, libc::ENOLCK] {
            let error = TryLockError::Error(io::Error::from_raw_os_error(code));
            let error = LockFileError::from(error);
            assert!(matches!(error, LockFileError::Unsupported(_)), "{code}");
        }
        let error =
            LockFileError::from(TryLockError::Error(io::Error::from_raw_os_error(libc::EIO)));
        assert!(matches!(error, LockFileError::Io(_)));
    }
}
