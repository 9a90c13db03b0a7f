//! The file that keeps the leaves which a build of a book has searched.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use kalah::Gain;
use kalah_book::{BookJournal, BookStart};
use kalah_players::{escape_control, quoted_path};

use super::to_u64;
use crate::error::CliError;
use crate::files::book_file::read_all;

/// The journal of a build, which only one process writes at a time.
pub(super) struct BuildStore {
    path: PathBuf,
    file: File,
    gains: Vec<Option<Gain>>,
}

impl BuildStore {
    /// Opens the store of the book of `start`, which has `leaves` leaves, or creates it. The part
    /// of a line that a killed process has left is removed.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the file cannot be read, locked or written, or is no store of this
    /// book.
    pub(super) fn open(path: &Path, start: BookStart, leaves: usize) -> Result<Self, CliError> {
        let error = |action: &str, reason: &str| {
            let (path, reason) = (quoted_path(path), escape_control(reason));
            CliError::Runtime(format!("cannot {action} {path}: {reason}"))
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path);
        let file = file.map_err(|reason| error("open", &reason.to_string()))?;
        kalah_files::try_lock(&file).map_err(|reason| error("use", &reason.to_string()))?;
        let bytes = read_all(&file).map_err(|reason| error("read", &reason.to_string()))?;
        let journal = BookJournal::parse(&bytes, start, leaves)
            .map_err(|reason| error("resume from", &reason.to_string()))?;
        let mut store = Self {
            path: path.to_owned(),
            file,
            gains: journal.gains().to_vec(),
        };
        store
            .begin(journal.complete_bytes(), start)
            .map_err(|reason| error("write", &reason.to_string()))?;
        Ok(store)
    }

    /// Removes what follows the complete lines, and begins a new journal if there are none.
    fn begin(&mut self, complete_bytes: usize, start: BookStart) -> io::Result<()> {
        self.file.set_len(to_u64(complete_bytes))?;
        self.file.seek(SeekFrom::End(0))?;
        if complete_bytes == 0 {
            let line = BookJournal::start_line(start);
            self.file.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    /// Returns whether `path` is the path of the store.
    pub(super) fn has_path(&self, path: &Path) -> bool {
        kalah_files::has_path(&self.file, path).unwrap_or(false)
    }

    /// The gains of the leaves in their order, as far as they are known.
    pub(super) fn gains(&self) -> &[Option<Gain>] {
        &self.gains
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of leaves whose gain is known.
    pub(super) fn done(&self) -> usize {
        self.gains.iter().flatten().count()
    }

    /// Appends the gain of a leaf.
    pub(super) fn append(&mut self, leaf: usize, gain: Gain) -> Result<(), CliError> {
        let line = BookJournal::leaf_line(leaf, gain);
        let written = (self.file.write_all(line.as_bytes())).and_then(|()| self.file.sync_data());
        written.map_err(|reason| {
            CliError::Runtime(format!(
                "cannot write {}: {reason}",
                quoted_path(&self.path)
            ))
        })?;
        self.gains[leaf] = Some(gain);
        Ok(())
    }
}
