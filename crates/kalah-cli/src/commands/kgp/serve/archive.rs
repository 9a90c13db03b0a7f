use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use kalah::record::{Record, Tags};
use kalah::{Side, Termination};
use kalah_server::games::{DataFolder, FinishedGameStore, Timestamp};

use super::super::super::{tell_stderr, warn};
use super::game::Played;
use crate::shown::{tame, whole_path};
use crate::{Failure, KgpServeArguments, text_file};

/// Where the games of a server are kept.
pub(super) struct Archive {
    folder: Option<PathBuf>,
    store: Option<FinishedGameStore>,
    /// The highest number of the games that are in the folder already.
    before: u64,
    /// Games are kept one after another: so it takes few files, which stay free for it.
    keeping: Mutex<()>,
}

impl Archive {
    pub(super) fn open(arguments: &KgpServeArguments) -> Result<Self, Failure> {
        let mut before = 0;
        if let Some(folder) = &arguments.out {
            before = prepare(folder).map_err(|reason| {
                let folder = whole_path(folder);
                Failure::Work(format!("cannot use the folder '{folder}': {reason}"))
            })?;
        }
        let store = (arguments.data.as_deref())
            .map(|folder| FinishedGameStore::open(&DataFolder::new(folder), now()))
            .transpose()
            .map_err(|reason| Failure::Work(reason.to_string()))?;
        Ok(Self {
            folder: arguments.out.clone(),
            store,
            before,
            keeping: Mutex::new(()),
        })
    }

    /// The number of the first game.
    pub(super) fn first_number(&self) -> u64 {
        self.before + 1
    }

    /// Keeps a game. When this returns, it is on disk, or it is told why it is not.
    pub(super) fn keep(&self, played: &Played) {
        let _kept_alone = self.keeping.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = &self.folder {
            let path = folder.join(format!("{:06}.{ENDING}", played.number));
            let kept = record(played).and_then(|record| {
                text_file::replace(&path, &record.to_string()).map_err(|error| error.to_string())
            });
            if let Err(reason) = kept {
                warn(&format!("game {} is not recorded: {reason}", played.number));
            }
        }
        if let Some(store) = &self.store
            && played.ending.termination != Termination::Unfinished
        {
            match store.save(&played.game, played.ending, now()) {
                Ok(id) => tell_stderr(&format!("game {} is kept as #watch={id}", played.number)),
                Err(reason) => warn(&format!("game {} is not kept: {reason}", played.number)),
            }
        }
    }
}

/// What names of records end with.
const ENDING: &str = "kgn";

/// Makes a folder, and gives the highest number of the games in it.
fn prepare(folder: &Path) -> std::io::Result<u64> {
    fs::create_dir_all(folder)?;
    let mut highest = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_record = path
            .extension()
            .is_some_and(|extension| extension == ENDING);
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let number = stem
            .filter(|_| is_record)
            .and_then(|stem| stem.parse().ok());
        highest = highest.max(number.unwrap_or(0));
    }
    Ok(highest)
}

fn record(played: &Played) -> Result<Record, String> {
    let mut record = Record::from_game(&played.game);
    let told = |error: kalah::record::TagError| error.to_string();
    for (tag, side) in [(Tags::SOUTH, Side::South), (Tags::NORTH, Side::North)] {
        record
            .set_tag(tag, tame(&played.seats[side].name()))
            .map_err(told)?;
    }
    record.set_ending(played.ending).map_err(told)?;
    Ok(record)
}

fn now() -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Timestamp::from_millis(0).saturating_add(since_1970.unwrap_or_default())
}
