//! Table files: opening them. The submodules hold the header, building and verification.

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

/// The reason why a table file cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The file does not exist.
    #[error("there is no file '{}'", .0.display())]
    NotFound(PathBuf),
    /// The file cannot be opened or read.
    #[error("cannot read '{}': {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// The header is not that of a table that this program can read.
    #[error("'{}': {reason}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: HeaderError,
    },
    /// The length of the file contradicts its header.
    #[error(
        "'{}' is {}: {has} bytes, but the header requires {needs}",
        path.display(),
        describe_length(*has, *needs)
    )]
    WrongLength {
        /// The file.
        path: PathBuf,
        /// The length in bytes.
        has: u64,
        /// The length in bytes according to the header.
        needs: u64,
    },
    /// The file is larger than the address space.
    #[error("'{}' is too large for this machine: {bytes} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The length in bytes.
        bytes: u64,
    },
    /// Another program holds a write lock on the file.
    #[error("'{}' is being written by another program", .0.display())]
    Locked(PathBuf),
}

fn describe_length(has: u64, needs: u64) -> &'static str {
    if has < needs { "truncated" } else { "too long" }
}

impl Header {
    /// Reads the header of a table file and compares the length of the file with it.
    ///
    /// # Errors
    /// [`OpenError`], except [`OpenError::TooLarge`] and [`OpenError::Locked`].
    pub fn read(path: &Path) -> Result<Self, OpenError> {
        Ok(open_checked(path)?.1)
    }
}

impl Table {
    /// Opens a table file by mapping it into memory. Only the parts that are probed are read.
    ///
    /// This function checks the header; [`Table::verify_checksums`] checks the values. Damaged
    /// values make probes return wrong gains and have no other effect. The table holds a shared
    /// lock on the file where the system supports such locks.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let (file, header) = open_checked(path)?;
        let bytes = header.file_size();
        let cannot_read = |reason| OpenError::Read {
            path: path.to_owned(),
            reason,
        };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => return Err(OpenError::Locked(path.to_owned())),
            // Some file systems have no locks. There the file name has to suffice: a file under
            // construction has another one.
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

/// Opens a file and checks its header and length.
fn open_checked(path: &Path) -> Result<(File, Header), OpenError> {
    let cannot_read = |reason: io::Error| match reason.kind() {
        io::ErrorKind::NotFound => OpenError::NotFound(path.to_owned()),
        _ => OpenError::Read {
            path: path.to_owned(),
            reason,
        },
    };
    // Opening a named pipe would block until its other end is opened.
    let metadata = std::fs::metadata(path).map_err(cannot_read)?;
    if !metadata.is_file() {
        return Err(cannot_read(io::Error::other("it is not a regular file")));
    }
    let file = File::open(path).map_err(cannot_read)?;
    let mut bytes = Vec::with_capacity(HEADER_BYTES);
    (&file)
        .take(HEADER_BYTES as u64)
        .read_to_end(&mut bytes)
        .map_err(cannot_read)?;
    let header = Header::from_bytes(&bytes).map_err(|reason| OpenError::Header {
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
