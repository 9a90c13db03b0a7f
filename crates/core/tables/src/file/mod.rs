//! Table files: opening them. The submodules hold the header, building, the verification of the
//! values, and their damage.

pub(crate) mod build;
pub(crate) mod damage;
pub(crate) mod header;
pub(crate) mod verify;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use kalah_files::LockFileError;
use thiserror::Error;

use crate::file::damage::TableDamage;
use crate::file::header::{FileKind, HEADER_BYTES, Header, HeaderError};
use crate::file::verify::TableFile;
use crate::table::{Table, allocate};
use crate::values::Values;

/// Whether the values of a table file are compared with their checksums before their first use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChecksumPolicy {
    /// Each layer is verified before its first use.
    #[default]
    Verify,
    /// The values are used as they are. Their range and parity are checked nevertheless.
    Trust,
}

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
    /// The values are damaged.
    #[error(transparent)]
    Damaged(#[from] TableDamage),
    /// The system refuses to allocate memory for the values.
    #[error("cannot allocate {bytes} bytes of memory for '{}'", path.display())]
    OutOfMemory {
        /// The file.
        path: PathBuf,
        /// The bytes of the values.
        bytes: u64,
    },
}

fn describe_length(has: u64, needs: u64) -> &'static str {
    if has < needs { "truncated" } else { "too long" }
}

impl Header {
    /// Reads the header of a table file and compares the length of the file with it.
    ///
    /// # Errors
    /// [`OpenError::NotFound`], [`OpenError::Read`], [`OpenError::Header`] and
    /// [`OpenError::WrongLength`].
    pub fn read(path: &Path) -> Result<Self, OpenError> {
        let (file, header, _) = open_with_header(path, FileKind::Table)?;
        check_length(path, &file, header.file_size())?;
        Ok(header)
    }
}

impl Table {
    /// Opens a table file by mapping it into memory. Only the parts that are used are read.
    ///
    /// This function checks the header. With [`ChecksumPolicy::Verify`] the table has no values
    /// until [`Table::verify_layers`] has compared them with their checksums, which
    /// [`Table::probe`] does as far as it needs. The table holds a shared lock on the file where
    /// the system supports such locks.
    ///
    /// If another program truncates the file while it is mapped, or its disk fails, the system
    /// ends this process with SIGBUS at the next access. [`Table::read`] has no such risk.
    ///
    /// # Errors
    /// [`OpenError`], except [`OpenError::Damaged`] and [`OpenError::OutOfMemory`].
    pub fn open(path: &Path, policy: ChecksumPolicy) -> Result<Self, OpenError> {
        let (file, header) = open_locked(path)?;
        let bytes = header.file_size();
        let len = usize::try_from(bytes).map_err(|_| OpenError::TooLarge {
            path: path.to_owned(),
            bytes,
        })?;
        let values = Values::open(&file, HEADER_BYTES, len).map_err(|reason| OpenError::Read {
            path: path.to_owned(),
            reason,
        })?;
        let file = TableFile::mapped(path, file, header.checksums(), policy);
        Ok(Self::from_file(
            header.variant(),
            header.seeds(),
            values,
            file,
        ))
    }

    /// Reads a table file into memory and, with [`ChecksumPolicy::Verify`], compares its values
    /// with their checksums meanwhile. The file is not in use afterwards.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn read(path: &Path, policy: ChecksumPolicy) -> Result<Self, OpenError> {
        let (file, header) = open_locked(path)?;
        let bytes = header.positions();
        let mut buffer = allocate(bytes).map_err(|_| OpenError::OutOfMemory {
            path: path.to_owned(),
            bytes,
        })?;
        let table_file = TableFile::read_completely(path, header.checksums());
        verify::read_layers(&file, &header, &mut buffer, policy)
            .map_err(|fault| table_file.damage_of(header.variant(), header.seeds(), fault))?;
        let values = buffer.freeze().map_err(|_| OpenError::OutOfMemory {
            path: path.to_owned(),
            bytes,
        })?;
        Ok(Self::from_file(
            header.variant(),
            header.seeds(),
            values,
            table_file,
        ))
    }
}

/// Opens a table file, checks its header and length, and locks it for readers.
fn open_locked(path: &Path) -> Result<(File, Header), OpenError> {
    let (file, header, _) = open_with_header(path, FileKind::Table)?;
    check_length(path, &file, header.file_size())?;
    lock_shared(path, &file)?;
    Ok((file, header))
}

/// Locks a file for readers.
pub(crate) fn lock_shared(path: &Path, file: &File) -> Result<(), OpenError> {
    match kalah_files::try_lock_shared(file) {
        Err(LockFileError::InUse) => Err(OpenError::Locked(path.to_owned())),
        // Some file systems have no locks. There the file name has to suffice: a file under
        // construction has another one.
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Opens a file and checks its header. Returns the file, the header, and the latter's bytes.
pub(crate) fn open_with_header(
    path: &Path,
    kind: FileKind,
) -> Result<(File, Header, Vec<u8>), OpenError> {
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
    let header = Header::parse(&bytes, kind).map_err(|reason| OpenError::Header {
        path: path.to_owned(),
        reason,
    })?;
    Ok((file, header, bytes))
}

/// Compares the length of a file with the one that its header requires.
pub(crate) fn check_length(path: &Path, file: &File, needs: u64) -> Result<(), OpenError> {
    let metadata = file.metadata().map_err(|reason| OpenError::Read {
        path: path.to_owned(),
        reason,
    })?;
    let has = metadata.len();
    if has == needs {
        Ok(())
    } else {
        Err(OpenError::WrongLength {
            path: path.to_owned(),
            has,
            needs,
        })
    }
}
