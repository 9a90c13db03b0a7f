use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use kalah::record::{Record, Tags};
use kalah::{Side, Termination};
use kalah_players::{display_path, escape_control};
use kalah_server::games::{DataFolder, FinishedGameStore, Timestamp};

use super::super::super::{print_stderr, print_warning};
use super::game::CompletedGame;
use crate::{CliError, KgpServeArguments, text_file};

/// Where the games of a server are kept.
pub(super) struct GameArchive {
    folder: Option<PathBuf>,
    store: Option<FinishedGameStore>,
    /// The highest number of the games that are in the folder already.
    highest_number: u64,
    /// Games are kept one after another: so it takes few files, which stay free for it.
    write_lock: Mutex<()>,
}

impl GameArchive {
    pub(super) fn open(arguments: &KgpServeArguments) -> Result<Self, CliError> {
        let mut before = 0;
        if let Some(folder) = &arguments.out {
            before = prepare_folder(folder).map_err(|reason| {
                let folder = display_path(folder);
                CliError::Runtime(format!("cannot use the folder '{folder}': {reason}"))
            })?;
        }
        let store = (arguments.data.as_deref())
            .map(|folder| FinishedGameStore::open(&DataFolder::new(folder), now()))
            .transpose()
            .map_err(|reason| CliError::Runtime(reason.to_string()))?;
        Ok(Self {
            folder: arguments.out.clone(),
            store,
            highest_number: before,
            write_lock: Mutex::new(()),
        })
    }

    /// The number of the first game.
    pub(super) fn first_number(&self) -> u64 {
        self.highest_number + 1
    }

    /// Keeps a game. When this returns, it is on disk, or it is told why it is not.
    pub(super) fn store_game(&self, played: &CompletedGame) {
        let _kept_alone = self
            .write_lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = &self.folder {
            let path = folder.join(format!("{:06}.{RECORD_EXTENSION}", played.number));
            let kept = to_record(played).and_then(|record| {
                text_file::replace(&path, &record.to_string()).map_err(|error| error.to_string())
            });
            if let Err(reason) = kept {
                print_warning(&format!("game {} is not recorded: {reason}", played.number));
            }
        }
        if let Some(store) = &self.store
            && played.ending.termination != Termination::Unfinished
        {
            match store.save(&played.game, played.ending, now()) {
                Ok(id) => print_stderr(&format!("game {} is kept as #watch={id}", played.number)),
                Err(reason) => {
                    print_warning(&format!("game {} is not kept: {reason}", played.number));
                }
            }
        }
    }
}

/// What names of records end with.
const RECORD_EXTENSION: &str = "kgn";

/// Makes a folder, and gives the highest number of the games in it.
fn prepare_folder(folder: &Path) -> std::io::Result<u64> {
    fs::create_dir_all(folder)?;
    let mut highest = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_record = path
            .extension()
            .is_some_and(|extension| extension == RECORD_EXTENSION);
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let number = stem
            .filter(|_| is_record)
            .and_then(|stem| stem.parse().ok());
        highest = highest.max(number.unwrap_or(0));
    }
    Ok(highest)
}

fn to_record(played: &CompletedGame) -> Result<Record, String> {
    let mut record = Record::from_game(&played.game);
    let told = |error: kalah::record::TagError| error.to_string();
    for (tag, side) in [(Tags::SOUTH, Side::South), (Tags::NORTH, Side::North)] {
        record
            .set_tag(tag, escape_control(&played.players[side].name()))
            .map_err(told)?;
    }
    record.set_ending(played.ending).map_err(told)?;
    Ok(record)
}

fn now() -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Timestamp::from_millis(0).saturating_add(since_1970.unwrap_or_default())
}
