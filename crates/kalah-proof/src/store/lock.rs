//! The lock of a proof store.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use super::error::StoreError;

/// Exclusive use of a store, until dropped or until the process ends in any way.
#[derive(Debug)]
pub(super) struct StoreLock {
    /// Locked while open.
    _file: File,
}

impl StoreLock {
    /// Locks the store at `path` by the file with the extension `.lock` beside it, into which the
    /// name of this process is written.
    pub(super) fn acquire(path: &Path) -> Result<Self, StoreError> {
        let lock_path = lock_path(path);
        let cannot_lock = |reason| StoreError::Lock {
            path: lock_path.clone(),
            reason,
        };
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&lock_path).map_err(cannot_lock)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The name is for the message only.
                let _ = file.read_to_string(&mut holder);
                return Err(StoreError::InUse {
                    path: path.to_owned(),
                    holder: match holder.trim() {
                        "" => "another process".to_owned(),
                        name => name.to_owned(),
                    },
                });
            }
            Err(TryLockError::Error(reason)) => return Err(cannot_lock(reason)),
        }
        let mut write_name = || {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "{}", holder_name())
        };
        write_name().map_err(cannot_lock)?;
        Ok(Self { _file: file })
    }
}

/// Returns the path of the lock file of a store.
fn lock_path(path: &Path) -> PathBuf {
    let mut lock_path = path.as_os_str().to_owned();
    lock_path.push(".lock");
    lock_path.into()
}

/// Returns the name of this process.
fn holder_name() -> String {
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
