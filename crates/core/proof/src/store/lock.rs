//! The lock of a proof store.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use kalah_files::LockFileError;

use super::error::ProofStoreError;

/// Exclusive use of a store, until dropped or until the process ends in any way.
///
/// The lock is that of the file with the extension `.lock` beside the store, which has the name of
/// the process. The file is removed with the lock; a killed process leaves it, unlocked.
#[derive(Debug)]
pub(super) struct StoreLock {
    /// The name of this process.
    name: String,
    path: PathBuf,
    /// Locked while open.
    file: Option<File>,
}

impl StoreLock {
    /// Locks the store at `path`.
    pub(super) fn acquire(path: &Path) -> Result<Self, ProofStoreError> {
        let lock_path = lock_path(path);
        let cannot_lock = |reason| ProofStoreError::Lock {
            path: lock_path.clone(),
            reason,
        };
        loop {
            let mut options = File::options();
            let options = options.read(true).write(true).create(true).truncate(false);
            let mut file = options.open(&lock_path).map_err(|reason| {
                match path
                    .parent()
                    .filter(|folder| !folder.as_os_str().is_empty())
                {
                    Some(folder) if !folder.exists() => ProofStoreError::NoFolder {
                        path: path.to_owned(),
                        folder: folder.to_owned(),
                    },
                    _ => cannot_lock(reason),
                }
            })?;
            match kalah_files::try_lock(&file) {
                Ok(()) => {}
                Err(LockFileError::InUse) => {
                    return Err(ProofStoreError::InUse {
                        path: path.to_owned(),
                        holder: read_name(&mut file),
                    });
                }
                Err(LockFileError::Unsupported(reason)) => {
                    return Err(ProofStoreError::NoLocks {
                        path: path.to_owned(),
                        reason,
                    });
                }
                Err(LockFileError::Io(reason)) => return Err(cannot_lock(reason)),
            }
            // The process that had the lock before may have removed the file since it was opened.
            if !kalah_files::has_path(&file, &lock_path).map_err(cannot_lock)? {
                continue;
            }
            let name = process_name();
            let mut write_name = || {
                file.set_len(0)?;
                file.rewind()?;
                writeln!(file, "{name}")
            };
            write_name().map_err(cannot_lock)?;
            return Ok(Self {
                name,
                path: lock_path,
                file: Some(file),
            });
        }
    }

    /// Closes the file in a forked process. The lock remains while the other process has it open.
    pub(super) fn close(&mut self) {
        self.file = None;
    }

    /// Returns the name of this process.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for StoreLock {
    fn drop(&mut self) {
        // An unlocked file that stays is harmless.
        let _ = fs::remove_file(&self.path);
    }
}

/// Returns the name of the process that has locked a store; `None` if there is none.
pub(super) fn holder(path: &Path) -> Option<String> {
    let mut file = File::open(lock_path(path)).ok()?;
    match kalah_files::try_lock_shared(&file) {
        Err(LockFileError::InUse) => Some(read_name(&mut file)),
        Ok(()) | Err(_) => None,
    }
}

/// Reads the name of the process that has locked a file.
fn read_name(file: &mut File) -> String {
    let mut name = String::new();
    // The name is for messages only.
    let _ = file.read_to_string(&mut name);
    match name.trim() {
        "" => "another process".to_owned(),
        name => name.to_owned(),
    }
}

/// Returns the path of the lock file of a store, beside the file itself if `path` is a symbolic
/// link, so that all links have one lock, as they have one journal.
fn lock_path(path: &Path) -> PathBuf {
    let file = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut lock_path = file.into_os_string();
    lock_path.push(".lock");
    lock_path.into()
}

/// Returns the name of this process.
fn process_name() -> String {
    let process = std::process::id();
    match hostname() {
        Some(machine) => format!("process {process} on {machine}"),
        None => format!("process {process}"),
    }
}

/// Returns the name of this machine.
fn hostname() -> Option<String> {
    gethostname::gethostname().into_string().ok()
}
