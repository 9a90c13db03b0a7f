use std::error::Error;
use std::path::{Path, PathBuf};

use kalah::Game;
use kalah::record::Record;

use crate::{Recorder, Saved, text_file};

/// The files to which people save a game while it is played.
///
/// A file that holds games gets this one behind them; saving to it once more puts the game as it is
/// then in the place of what was saved before.
pub(crate) struct Saves {
    /// The game as it begins.
    record: Record,
    /// Where it is recorded anyway.
    recorded: Option<PathBuf>,
    /// What has been saved so far.
    saved: Vec<Recorder>,
}

impl Saves {
    pub(crate) fn new(record: Record, recorded: Option<PathBuf>) -> Self {
        Self {
            record,
            recorded,
            saved: Vec::new(),
        }
    }

    /// Saves to `path` how the game has gone on; a file that holds anything but games is not touched.
    pub(crate) fn save(&mut self, game: &Game, path: &Path) -> Result<Saved, Box<dyn Error>> {
        let same = |known: &Path| text_file::same(known, path);
        if self.recorded.as_deref().is_some_and(same) {
            return Ok(Saved::Already);
        }
        let mut saved = self.saved.iter();
        let index = if let Some(index) = saved.position(|file| same(file.path())) {
            index
        } else {
            let recorder = Recorder::append(path, self.record.clone())?;
            self.saved.push(recorder);
            self.saved.len() - 1
        };
        self.saved[index].write(game, None)?;
        Ok(Saved::Now)
    }
}
