//! Saving a game to files on command.

use std::error;
use std::path::{Path, PathBuf};

use kalah::record::{PlyTimes, Record};
use kalah::{Ending, Game};
use kalah_text::SaveOutcome;

use crate::recorder::Recorder;
use crate::text_file;

/// The files to which a game was saved.
///
/// The first save to a file appends the game to the games in it. The next save replaces what was
/// saved before if the game continues it, and else appends the game again.
pub struct SaveFiles {
    /// The record of the game at its start, with the tags of saved records.
    record: Record,
    /// The file in which the game is recorded after every ply, if any.
    recording_path: Option<PathBuf>,
    /// The last save to each file.
    saved_games: Vec<SavedGame>,
}

/// The game as a file contains it.
struct SavedGame {
    recorder: Recorder,
    game: Game,
    ending: Option<Ending>,
}

impl SavedGame {
    /// Returns whether `game` continues the saved game, so that replacing it loses no ply.
    fn is_continued_by(&self, game: &Game, ending: Option<Ending>) -> bool {
        let (saved, plies) = (self.game.plies(), game.plies());
        match self.ending {
            Some(_) => saved == plies && self.ending == ending,
            None => plies.starts_with(saved),
        }
    }
}

impl SaveFiles {
    /// Creates the files of a game, none yet. A save to `recording_path` is not needed.
    pub fn new(record: Record, recording_path: Option<PathBuf>) -> Self {
        Self {
            record,
            recording_path,
            saved_games: Vec::new(),
        }
    }

    /// Saves the game to `path`, with its ending if it has ended and the known times of its plies.
    ///
    /// # Errors
    /// Fails if the file cannot be written. A file with anything but games is not changed.
    pub fn save(
        &mut self,
        game: &Game,
        ending: Option<Ending>,
        times: &[PlyTimes],
        path: &Path,
    ) -> Result<SaveOutcome, Box<dyn error::Error>> {
        let is_target = |other: &Path| text_file::is_same_file(other, path);
        if self.recording_path.as_deref().is_some_and(is_target) {
            return Ok(SaveOutcome::AlreadyRecorded);
        }
        let previous = self
            .saved_games
            .iter()
            .position(|saved| is_target(saved.recorder.path()));
        let previous = previous.map(|index| self.saved_games.swap_remove(index));
        let mut recorder = match previous {
            Some(saved) if saved.is_continued_by(game, ending) => saved.recorder,
            _ => Recorder::append(path, self.record.clone())?,
        };
        recorder.write(game, ending, times)?;
        self.saved_games.push(SavedGame {
            recorder,
            game: game.clone(),
            ending,
        });
        Ok(SaveOutcome::Written)
    }
}
