use std::error::Error;
use std::path::{Path, PathBuf};

use kalah::record::Record;
use kalah::{Ending, Game};

use crate::{Recorder, SaveOutcome, text_file};

/// The files to which people save a game while it is played.
///
/// A file that holds games gets this one behind them; saving to it once more puts the game as it has gone on
/// in the place of what was saved before. A game that has gone another way since gets a place of its own.
pub(crate) struct SaveFiles {
    /// The game as it begins.
    record: Record,
    /// Where it is recorded anyway.
    recording_path: Option<PathBuf>,
    /// What has been saved so far.
    saved_games: Vec<SavedGame>,
}

/// The game as a file keeps it.
struct SavedGame {
    recorder: Recorder,
    game: Game,
    ending: Option<Ending>,
}

impl SavedGame {
    /// Whether the game has gone on from here, so that nothing is lost if it takes this place.
    fn is_continued_by(&self, game: &Game, ending: Option<Ending>) -> bool {
        let (kept, plies) = (self.game.plies(), game.plies());
        match self.ending {
            Some(_) => kept == plies && self.ending == ending,
            None => plies.starts_with(kept),
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

    /// Saves to `path` how the game has gone on, and how it has ended if it has; a file that holds anything but games is not touched.
    pub(crate) fn save(
        &mut self,
        game: &Game,
        ending: Option<Ending>,
        path: &Path,
    ) -> Result<SaveOutcome, Box<dyn Error>> {
        let same = |known: &Path| text_file::is_same_file(known, path);
        if self.recording_path.as_deref().is_some_and(same) {
            return Ok(SaveOutcome::AlreadyRecorded);
        }
        let known = self
            .saved_games
            .iter()
            .position(|kept| same(kept.recorder.path()));
        let known = known.map(|index| self.saved_games.swap_remove(index));
        let mut file = match known {
            Some(kept) if kept.is_continued_by(game, ending) => kept.recorder,
            _ => Recorder::append(path, self.record.clone())?,
        };
        let written = file.write(game, ending);
        let game = game.clone();
        if written.is_ok() {
            self.saved_games.push(SavedGame {
                recorder: file,
                game,
                ending,
            });
        }
        Ok(written.map(|()| SaveOutcome::Written)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::{BySide, House, Move, PlayerAction, Position, Referee, Rules, Side, Termination};

    /// The plies of the games of a file, and whether each was given up.
    fn kept(path: &Path) -> Vec<(usize, bool)> {
        let records = crate::record_file::read(path).expect("games");
        let kept = records.iter().map(|record| {
            let is_given_up = record.ending().termination == Termination::Resign;
            (record.game().plies().len(), is_given_up)
        });
        kept.collect()
    }

    #[test]
    fn what_was_saved_stays_unless_the_game_has_gone_on_from_it() {
        let directory = tempfile::tempdir().expect("a folder");
        let path = directory.path().join("game.kgn");
        let mut game = Game::new(Position::start(6, 4, Rules::CS32).expect("a board"));
        let mut saves = SaveFiles::new(Record::from_game(&game), None);
        let mut save = |game: &Game, ending| {
            let result = saves.save(game, ending, &path);
            assert_eq!(result.expect("it can be written"), SaveOutcome::Written);
            kept(&path)
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
        referee.apply(PlayerAction::Resign).expect("it is given up");
        assert_eq!(save(&game, referee.ending()), [(2, true)]);
        // Once more it is the same game.
        assert_eq!(save(&game, referee.ending()), [(2, true)]);
        game.undo();
        sow(&mut game, 1);
        assert_eq!(save(&game, None), [(2, true), (2, false)]);
        game.undo();
        assert_eq!(save(&game, None), [(2, true), (2, false), (1, false)]);
    }
}
