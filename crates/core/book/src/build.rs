//! Builds of books: the gains of leaves, which a file keeps as they become known.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use kalah::Gain;
use kalah_files::{LockFileError, PendingFile};
use thiserror::Error;

use crate::book::Book;
use crate::error::BookError;
use crate::file::header;
use crate::journal::{BookJournal, BookJournalError};
use crate::positions::{BookPositions, BookStart};

/// The most bytes that are read of a book or of the store of a build: more than the largest has.
const MAX_FILE_BYTES: u64 = 1 << 27;

/// A build of a book, and its store: the file with the leaves whose gains are known. Only one
/// process writes a store at a time.
///
/// ```
/// use kalah::{Gain, Rules};
/// use kalah_book::{BookBuild, BookStart};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("2x1.build");
/// let start = BookStart { houses: 2, seeds: 1, rules: Rules::STANDARD, plies: 1 };
/// let mut build = BookBuild::open(&path, start)?;
/// assert_eq!(build.unknown_leaves().collect::<Vec<_>>(), [0, 1]);
/// build.add(&[(0, Gain::new(1)), (1, Gain::new(0))])?;
/// drop(build);
///
/// let build = BookBuild::open(&path, start)?;
/// assert_eq!(build.unknown_leaves().count(), 0);
/// assert_eq!(build.into_book()?.leaf_count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BookBuild {
    path: PathBuf,
    file: File,
    positions: BookPositions,
    gains: Vec<Option<Gain>>,
}

/// An action on the store of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreAction {
    /// Opening or creating the file.
    Open,
    /// Reading it.
    Read,
    /// Writing to it.
    Write,
}

impl fmt::Display for StoreAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}

/// The reason why a build cannot begin, resume or go on.
#[derive(Debug, Error)]
pub enum BookBuildError {
    /// The start has no book, or a leaf cannot have its gain.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The store cannot be locked.
    #[error("cannot use '{}': {reason}", path.display())]
    Lock {
        /// The path of the store.
        path: PathBuf,
        /// The reason.
        reason: LockFileError,
    },
    /// The store cannot be opened, read or written, or the file of the book cannot be written.
    #[error("cannot {action} '{}': {reason}", path.display())]
    Io {
        /// The action that failed.
        action: StoreAction,
        /// The path of the store.
        path: PathBuf,
        /// The reason.
        reason: io::Error,
    },
    /// The file for the book is the store.
    #[error("'{}' is the store: the book needs another file", .0.display())]
    TargetIsStore(PathBuf),
    /// The file for the book exists and is another one.
    #[error("'{}' already exists and is not this book", .0.display())]
    TargetExists(PathBuf),
    /// The file for the book is a folder.
    #[error("'{}' is a folder, not a file", .0.display())]
    TargetIsFolder(PathBuf),
    /// The folder for the book does not exist.
    #[error("there is no folder '{}' for '{}'", folder.display(), path.display())]
    NoFolder {
        /// The path of the book.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// A leaf in the store cannot have its gain.
    #[error("wrong results in '{}': {reason}", path.display())]
    WrongGain {
        /// The path of the store.
        path: PathBuf,
        /// The reason.
        reason: BookError,
    },
    /// The store is not that of this build.
    #[error("cannot resume from '{}': {reason}", path.display())]
    Journal {
        /// The path of the store.
        path: PathBuf,
        /// The reason.
        reason: BookJournalError,
    },
}

impl BookBuild {
    /// Opens the store of the book of `start`, or creates it, after a check that the file of the
    /// book can be written at `out`.
    ///
    /// # Errors
    /// If `out` is the store, or any other file than an earlier one of this book, if no file can be
    /// created in its folder, and as [`Self::open`].
    pub fn open_for(out: &Path, path: &Path, start: BookStart) -> Result<Self, BookBuildError> {
        check_target(out, path, start)?;
        let build = Self::open(path, start)?;
        // A link can lead from the one path to the other.
        if kalah_files::has_path(&build.file, out).unwrap_or(false) {
            return Err(BookBuildError::TargetIsStore(out.to_owned()));
        }
        Ok(build)
    }

    /// Opens the store of the book of `start`, or creates it. The part of a line that a killed
    /// process has left is removed.
    ///
    /// # Errors
    /// If the start has no book, or if the file cannot be read, locked or written, or is no store
    /// of this book.
    pub fn open(path: &Path, start: BookStart) -> Result<Self, BookBuildError> {
        let positions = BookPositions::new(start)?;
        let io_error = |action| {
            move |reason| BookBuildError::Io {
                action,
                path: path.to_owned(),
                reason,
            }
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(io_error(StoreAction::Open))?;
        kalah_files::try_lock(&file).map_err(|reason| BookBuildError::Lock {
            path: path.to_owned(),
            reason,
        })?;
        let bytes = read_all(&file).map_err(io_error(StoreAction::Read))?;
        let journal =
            BookJournal::parse(&bytes, start, positions.leaf_count()).map_err(|reason| {
                BookBuildError::Journal {
                    path: path.to_owned(),
                    reason,
                }
            })?;
        for (number, gain) in journal.gains().iter().enumerate() {
            let checked = gain.map_or(Ok(()), |gain| positions.check_gain(number, gain));
            checked.map_err(|reason| BookBuildError::WrongGain {
                path: path.to_owned(),
                reason,
            })?;
        }
        begin(&mut file, journal.complete_bytes(), start).map_err(io_error(StoreAction::Write))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            gains: journal.gains().to_vec(),
            positions,
        })
    }

    /// The path of the store.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The positions of the book.
    pub fn positions(&self) -> &BookPositions {
        &self.positions
    }

    /// Returns the numbers of the leaves whose gains are not known, in ascending order.
    pub fn unknown_leaves(&self) -> impl Iterator<Item = usize> + '_ {
        let numbers = self.gains.iter().enumerate();
        numbers.filter_map(|(number, gain)| gain.is_none().then_some(number))
    }

    /// Returns the number of leaves whose gain is known.
    pub fn known_count(&self) -> usize {
        self.gains.iter().flatten().count()
    }

    /// Adds the gains of leaves, by their numbers, and writes them to the store together. After an
    /// error none of them is added, as far as the store can be cut to its earlier length.
    ///
    /// # Errors
    /// If there is no such leaf, if it cannot have its gain, or if the store cannot be written.
    pub fn add(&mut self, leaves: &[(usize, Gain)]) -> Result<(), BookBuildError> {
        for &(number, gain) in leaves {
            self.positions.check_gain(number, gain)?;
        }
        let lines = leaves
            .iter()
            .map(|&(number, gain)| BookJournal::leaf_line(number, gain));
        let lines: String = lines.collect();
        append(&mut self.file, lines.as_bytes()).map_err(|reason| BookBuildError::Io {
            action: StoreAction::Write,
            path: self.path.clone(),
            reason,
        })?;
        for &(number, gain) in leaves {
            self.gains[number] = Some(gain);
        }
        Ok(())
    }

    /// Returns the book.
    ///
    /// # Errors
    /// If gains are not known.
    pub fn into_book(self) -> Result<Book, BookError> {
        let gains: Vec<Gain> = self.gains.into_iter().flatten().collect();
        Book::new(self.positions, &gains)
    }
}

/// Checks that the file of the book of `start` can be written at `path`, before its store is
/// opened.
fn check_target(path: &Path, store: &Path, start: BookStart) -> Result<(), BookBuildError> {
    let owned = path.to_owned();
    if real_path(path) == real_path(store) {
        return Err(BookBuildError::TargetIsStore(owned));
    }
    if path.is_dir() {
        return Err(BookBuildError::TargetIsFolder(owned));
    }
    let is_other = || !path.is_file() || !begins_with(path, &header(start));
    if path.exists() && is_other() {
        return Err(BookBuildError::TargetExists(owned));
    }
    let folder = kalah_files::parent_folder(path);
    if !folder.is_dir() {
        return Err(BookBuildError::NoFolder {
            path: owned,
            folder: folder.to_owned(),
        });
    }
    let created = PendingFile::beside(path);
    created.map(drop).map_err(|reason| BookBuildError::Io {
        action: StoreAction::Write,
        path: owned,
        reason,
    })
}

/// Returns a path without links, also that of a file that does not exist.
fn real_path(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = kalah_files::parent_folder(path).canonicalize();
        folder.map(|folder| folder.join(path.file_name().unwrap_or_default()))
    };
    (path.canonicalize())
        .or_else(|_| in_folder())
        .unwrap_or_else(|_| path.to_owned())
}

/// Returns whether a file begins with a text. One that cannot be read does not.
fn begins_with(path: &Path, text: &str) -> bool {
    let mut bytes = vec![0; text.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut bytes));
    read.is_ok() && bytes == text.as_bytes()
}

/// Writes bytes at the end of a file, and cuts it to its earlier length after an error.
fn append(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let end = file.stream_position()?;
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    if written.is_err() {
        // The error of the write is the one to report.
        let _ = file.set_len(end);
        let _ = file.seek(SeekFrom::Start(end));
    }
    written
}

/// Removes what follows the complete lines of a journal, and begins a new one if there are none.
fn begin(file: &mut File, complete_bytes: usize, start: BookStart) -> io::Result<()> {
    file.set_len(u64::try_from(complete_bytes).unwrap_or(u64::MAX))?;
    file.seek(SeekFrom::End(0))?;
    if complete_bytes == 0 {
        file.write_all(BookJournal::start_line(start).as_bytes())?;
    }
    Ok(())
}

impl Book {
    /// Reads a book from its file.
    ///
    /// # Errors
    /// If the file cannot be read or is no book.
    pub fn read(path: &Path) -> Result<Self, ReadBookError> {
        let bytes = read_all(&File::open(path)?)?;
        Ok(Self::parse(&bytes)?)
    }
}

/// The reason why a book cannot be read.
#[derive(Debug, Error)]
pub enum ReadBookError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is no book.
    #[error(transparent)]
    Book(#[from] BookError),
}

/// Reads a file that is not larger than any book and any store.
fn read_all(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if u64::try_from(read).is_ok_and(|read| read <= MAX_FILE_BYTES) {
        return Ok(bytes);
    }
    let message = format!("it has more than {MAX_FILE_BYTES} bytes");
    Err(io::Error::other(message))
}
