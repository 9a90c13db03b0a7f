//! Files to which a game is saved on command while it is played.

use std::error::Error;
use std::path::{Path, PathBuf};

use kalah::record::Record;
use kalah::{Ending, Game};

use kalah_tui::SaveOutcome;

use super::recorder::Recorder;
use super::text_file;

/// The files to which a game was saved.
///
/// The first save to a file appends the game to the games in it. The next save replaces what was
/// saved before if the game continues it, and else appends the game again.
pub(crate) struct SaveFiles {
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
    pub(crate) fn new(record: Record, recording_path: Option<PathBuf>) -> Self {
        Self {
            record,
            recording_path,
            saved_games: Vec::new(),
        }
    }

    /// Saves the game to `path`, with its ending if it has ended.
    ///
    /// # Errors
    /// Fails if the file cannot be written. A file with anything but games is not changed.
    pub(crate) fn save(
        &mut self,
        game: &Game,
        ending: Option<Ending>,
        path: &Path,
    ) -> Result<SaveOutcome, Box<dyn Error>> {
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
        recorder.write(game, ending)?;
        self.saved_games.push(SavedGame {
            recorder,
            game: game.clone(),
            ending,
        });
        Ok(SaveOutcome::Written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::{BySide, House, Move, PlayerAction, Position, Referee, Rules, Side, Termination};

    /// Returns the number of plies of each game in a file, and whether it ended by resignation.
    fn saved_games(path: &Path) -> Vec<(usize, bool)> {
        let records = crate::files::record_file::read(path).expect("games");
        let games = records.iter().map(|record| {
            let is_resigned = record.ending().termination == Termination::Resign;
            (record.game().plies().len(), is_resigned)
        });
        games.collect()
    }

    #[test]
    fn save_replaces_the_previous_save_only_if_the_game_continues_it() {
        let directory = tempfile::tempdir().expect("a folder");
        let path = directory.path().join("game.kgn");
        let mut game = Game::new(Position::start(6, 4, Rules::CS32).expect("a board"));
        let mut save_files = SaveFiles::new(Record::from_game(&game), None);
        let mut save = |game: &Game, ending| {
            let result = save_files.save(game, ending, &path);
            assert_eq!(result.expect("it can be written"), SaveOutcome::Written);
            saved_games(&path)
        };
        let sow = |game: &mut Game, number| {
            let mv = Move::Sow(House::new(number).expect("from 1 to 26"));
            game.play(mv).expect("legal");
        };
        sow(&mut game, 3);
        assert_eq!(save(&game, None), [(1, false)]);
        sow(&mut game, 6);
        assert_eq!(save(&game, None), [(2, false)]);
        let mut referee = Referee::new(game.clone(), BySide::from_fn(|_: Side| true));
        referee.apply(PlayerAction::Resign).expect("legal");
        assert_eq!(save(&game, referee.ending()), [(2, true)]);
        // Saving the same game again changes nothing.
        assert_eq!(save(&game, referee.ending()), [(2, true)]);
        game.undo();
        sow(&mut game, 1);
        assert_eq!(save(&game, None), [(2, true), (2, false)]);
        game.undo();
        assert_eq!(save(&game, None), [(2, true), (2, false), (1, false)]);
    }
}
