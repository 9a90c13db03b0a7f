pub(crate) mod build;
pub(crate) mod header;
pub(crate) mod verify;

use std::fs::{File, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::file::header::{HEADER_BYTES, Header, HeaderError};
use crate::table::Table;
use crate::values::Values;

/// Why a table file cannot be used.
#[derive(Debug, Error)]
pub enum OpenError {
    /// There is no such file.
    #[error("there is no file '{}'", .0.display())]
    NotFound(PathBuf),
    /// It cannot be opened or read.
    #[error("cannot read '{}': {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// Its header is that of no table that can be used.
    #[error("'{}': {reason}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: HeaderError,
    },
    /// It has other bytes than its header speaks of.
    #[error("'{}' is {}: it has {has} bytes, and its header needs {needs}", path.display(), describe_length(*has, *needs))]
    WrongLength {
        /// The file.
        path: PathBuf,
        /// Bytes that there are.
        has: u64,
        /// Bytes of the whole file by its header.
        needs: u64,
    },
    /// It has more bytes than this machine can address.
    #[error("'{}' is too large for this machine: it has {bytes} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Bytes that there are.
        bytes: u64,
    },
    /// Some program has locked it in order to write it.
    #[error("'{}' is being written by another program", .0.display())]
    Locked(PathBuf),
}

fn describe_length(has: u64, needs: u64) -> &'static str {
    if has < needs { "cut off" } else { "too long" }
}

impl Header {
    /// Reads the header of a table file, and sees that the file is as long as it says.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(path: &Path) -> Result<Self, OpenError> {
        Ok(open_checked(path)?.1)
    }
}

impl Table {
    /// The table in a file, which is mapped into memory: what is not probed is not read.
    ///
    /// The header is checked here, and the values by [`Table::verify_checksums`]: where they are damaged, probes
    /// give wrong gains, and nothing worse. A shared lock is kept on the file where the system
    /// has such locks.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let (file, header) = open_checked(path)?;
        let bytes = header.file_size();
        let cannot_read = |reason| OpenError::Read {
            path: path.to_owned(),
            reason,
        };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => return Err(OpenError::Locked(path.to_owned())),
            // Some file systems know no locks: there the name alone has to be trusted.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let len = usize::try_from(bytes).map_err(|_| OpenError::TooLarge {
            path: path.to_owned(),
            bytes,
        })?;
        let values = Values::open(file, HEADER_BYTES, len).map_err(cannot_read)?;
        let checksums = header.checksums().to_vec();
        Ok(Self::from_file(
            header.variant(),
            header.seeds(),
            values,
            checksums,
        ))
    }
}

/// The file and its header, if it is a table that can be used.
fn open_checked(path: &Path) -> Result<(File, Header), OpenError> {
    let cannot_read = |reason: io::Error| match reason.kind() {
        io::ErrorKind::NotFound => OpenError::NotFound(path.to_owned()),
        _ => OpenError::Read {
            path: path.to_owned(),
            reason,
        },
    };
    // Whoever opens a pipe waits for its other end: the look before is for what nobody means to do.
    let metadata = std::fs::metadata(path).map_err(cannot_read)?;
    if !metadata.is_file() {
        return Err(cannot_read(io::Error::other("it is not a regular file")));
    }
    let file = File::open(path).map_err(cannot_read)?;
    let mut start = Vec::with_capacity(HEADER_BYTES);
    (&file)
        .take(HEADER_BYTES as u64)
        .read_to_end(&mut start)
        .map_err(cannot_read)?;
    let header = Header::from_bytes(&start).map_err(|reason| OpenError::Header {
        path: path.to_owned(),
        reason,
    })?;
    let has = file.metadata().map_err(cannot_read)?.len();
    let needs = header.file_size();
    if has == needs {
        Ok((file, header))
    } else {
        Err(OpenError::WrongLength {
            path: path.to_owned(),
            has,
            needs,
        })
    }
}
