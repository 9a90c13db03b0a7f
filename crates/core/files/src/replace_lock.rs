//! Locks of files that are read and then replaced.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind};
use std::path::{Path, PathBuf};

use crate::pending_file::create;
use crate::replace::{ReplaceFileError, replace_with, resolve_links};

/// Exclusive use of a file by a process or a thread that reads it and then replaces its content, so
/// that none of the others that use this lock loses its changes.
///
/// File systems without locks have no exclusive use, nor has Windows, where a locked file could not
/// be replaced. A file that does not exist is not locked; instead, [`Self::replace_with`] replaces
/// no file then.
#[derive(Debug)]
pub struct ReplaceLock {
    target: PathBuf,
    exists: bool,
    /// The locked file. The lock ends when it is closed.
    _file: Option<File>,
}

impl ReplaceLock {
    /// Locks the file to which `path` leads. Waits up to 30 seconds for another process.
    ///
    /// # Errors
    /// The file cannot be examined, written or locked. The error has the kind
    /// [`ResourceBusy`](ErrorKind::ResourceBusy) if another process has locked it.
    pub fn acquire(path: &Path) -> io::Result<Self> {
        let target = resolve_links(path);
        let lock = |exists, file| Self {
            target: target.clone(),
            exists,
            _file: file,
        };
        match fs::metadata(&target) {
            // Anything but a file is not replaced.
            Ok(metadata) if !metadata.is_file() => Ok(lock(true, None)),
            Ok(_) => match lock_file(&target) {
                Ok(file) => Ok(lock(true, file)),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(lock(false, None)),
                Err(error) => Err(error),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(lock(false, None)),
            Err(error) => Err(error),
        }
    }

    /// Returns whether the file exists.
    pub fn exists(&self) -> bool {
        self.exists
    }

    /// Replaces the content of the file as [`replace_with`] does, or creates the file.
    ///
    /// # Errors
    /// As [`replace_with`]. The error has the kind [`AlreadyExists`](ErrorKind::AlreadyExists) if
    /// another process has created the file in the meantime.
    pub fn replace_with(
        self,
        write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> Result<(), ReplaceFileError> {
        if self.exists {
            replace_with(&self.target, write)
        } else {
            Ok(create(&self.target, write)?)
        }
    }
}

/// Locks a file; returns `None` if its file system has no locks.
#[cfg(unix)]
fn lock_file(path: &Path) -> io::Result<Option<File>> {
    use std::thread;
    use std::time::Duration;

    use crate::lock::{LockFileError, has_path, try_lock};

    /// The time between two attempts.
    const INTERVAL: Duration = Duration::from_millis(10);
    /// The attempts in 30 seconds.
    const MAX_ATTEMPTS: u32 = 3_000;

    for _ in 0..MAX_ATTEMPTS {
        // Some network file systems lock only files that are open for writing.
        let file = File::options().read(true).write(true).open(path)?;
        match try_lock(&file) {
            Ok(()) if has_path(&file, path)? => return Ok(Some(file)),
            Ok(()) => {}
            Err(LockFileError::InUse) => thread::sleep(INTERVAL),
            Err(LockFileError::Unsupported(_)) => return Ok(None),
            Err(LockFileError::Io(error)) => return Err(error),
        }
    }
    Err(io::Error::new(
        ErrorKind::ResourceBusy,
        LockFileError::InUse,
    ))
}

#[cfg(not(unix))]
fn lock_file(_path: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::thread;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn threads_that_append_at_once_lose_nothing() {
        const THREADS: usize = 8;
        const LINES: usize = 16;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let append_line = || loop {
            let lock = ReplaceLock::acquire(&path).unwrap();
            let mut text = Vec::new();
            if lock.exists() {
                text = fs::read(&path).unwrap();
            }
            text.extend(b"line\n");
            match lock.replace_with(|file| file.write_all(&text)) {
                Err(ReplaceFileError::Io(error)) if error.kind() == ErrorKind::AlreadyExists => {}
                replaced => break replaced.unwrap(),
            }
        };
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| (0..LINES).for_each(|_| append_line()));
            }
        });
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "line\n".repeat(THREADS * LINES));
    }

    #[test]
    fn missing_file_is_created_and_replaces_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let locks = [(); 2].map(|()| ReplaceLock::acquire(&path).unwrap());
        for (lock, text) in locks.into_iter().zip(["one", "two"]) {
            assert!(!lock.exists());
            let replaced = lock.replace_with(|file| file.write_all(text.as_bytes()));
            assert_eq!(replaced.is_ok(), text == "one");
        }
        assert_eq!(fs::read(&path).unwrap(), b"one");
        let folder = ReplaceLock::acquire(folder.path()).unwrap();
        let error = folder.replace_with(|_| Ok(())).unwrap_err();
        assert!(matches!(error, ReplaceFileError::NotRegular), "{error}");
    }
}
