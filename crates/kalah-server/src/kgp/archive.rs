//! The records and stored games of a KGP server.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use kalah::record::{Record, TagError, Tags};
use kalah::{Side, Termination};
use kalah_players::escape_control;
use kalah_store::{DataFolder, FinishedGameStore, OpenStoreError};

use crate::kgp::game::CompletedGame;

/// The extension of record files.
const RECORD_EXTENSION: &str = "kgn";

/// Stores completed games: a record file for each, and finished games for the page.
pub(crate) struct GameArchive {
    record_folder: Option<PathBuf>,
    store: Option<FinishedGameStore>,
    /// The highest number of the games that the folder had at the start.
    highest_number: u64,
    /// Games are written one after another, so that few of the reserved file descriptors are used.
    write_lock: Mutex<()>,
}

/// The error of opening a [`GameArchive`].
pub(crate) enum OpenArchiveError {
    RecordFolder { folder: PathBuf, reason: io::Error },
    Store(OpenStoreError),
}

impl GameArchive {
    /// Opens the folders, and creates them if necessary.
    ///
    /// # Errors
    /// Returns an error if a folder cannot be used.
    pub(crate) fn open(
        record_folder: Option<&Path>,
        data_folder: Option<&DataFolder>,
    ) -> Result<Self, OpenArchiveError> {
        let highest_number = record_folder.map_or(Ok(0), |folder| {
            prepare_folder(folder).map_err(|reason| OpenArchiveError::RecordFolder {
                folder: folder.to_owned(),
                reason,
            })
        })?;
        let store = data_folder
            .map(|folder| FinishedGameStore::open(folder, SystemTime::now().into()))
            .transpose()
            .map_err(OpenArchiveError::Store)?;
        Ok(Self {
            record_folder: record_folder.map(Path::to_owned),
            store,
            highest_number,
            write_lock: Mutex::new(()),
        })
    }

    /// Returns the number of the first game.
    pub(crate) fn first_number(&self) -> u64 {
        self.highest_number + 1
    }

    /// Stores a game, and logs errors. The game is on disk when this returns. Blocks.
    pub(crate) fn store_game(&self, completed: &CompletedGame) {
        let _lock = self
            .write_lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let number = completed.number;
        if let Some(folder) = &self.record_folder
            && let Err(error) = write_record(folder, completed)
        {
            tracing::warn!("game {number} is not recorded: {error}");
        }
        if let Some(store) = &self.store
            && completed.ending.termination != Termination::Unfinished
        {
            match store.save(&completed.game, completed.ending, SystemTime::now().into()) {
                Ok(id) => tracing::info!("game {number} is stored as #watch={id}"),
                Err(error) => tracing::warn!("game {number} is not stored: {error}"),
            }
        }
    }
}

/// Creates a folder if necessary, and returns the highest number of the games in it.
fn prepare_folder(folder: &Path) -> io::Result<u64> {
    fs::create_dir_all(folder)?;
    let mut highest = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_record = path
            .extension()
            .is_some_and(|extension| extension == RECORD_EXTENSION);
        if is_record
            && let Some(stem) = path.file_stem().and_then(|stem| stem.to_str())
            && let Ok(number) = stem.parse()
        {
            highest = highest.max(number);
        }
    }
    Ok(highest)
}

/// Writes the record of a game to a file of its own, which is on disk afterwards.
fn write_record(folder: &Path, completed: &CompletedGame) -> io::Result<()> {
    let record = to_record(completed).map_err(io::Error::other)?;
    let path = folder.join(format!("{:06}.{RECORD_EXTENSION}", completed.number));
    // A file with the final name is complete, also after a crash.
    let temporary_path = path.with_extension("tmp");
    let mut file = File::create(&temporary_path)?;
    file.write_all(record.to_string().as_bytes())?;
    file.sync_all()?;
    fs::rename(temporary_path, path)?;
    sync_folder(folder)
}

/// Makes a rename in `folder` survive a crash of the machine.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems do not support this operation.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

/// Does nothing, because this system cannot synchronise folders.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn to_record(completed: &CompletedGame) -> Result<Record, TagError> {
    let mut record = Record::from_game(&completed.game);
    for (tag, side) in [(Tags::SOUTH, Side::South), (Tags::NORTH, Side::North)] {
        record.set_tag(tag, escape_control(&completed.players[side].name()))?;
    }
    record.set_ending(completed.ending)?;
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_continue_after_the_records_in_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let first_number = || {
            let archive = GameArchive::open(Some(folder.path()), None);
            archive.map(|archive| archive.first_number()).ok()
        };
        assert_eq!(first_number(), Some(1));
        for name in ["000007.kgn", "000012.tmp", "notes.kgn", "99"] {
            File::create(folder.path().join(name)).expect("a file");
        }
        assert_eq!(first_number(), Some(8));
    }
}
