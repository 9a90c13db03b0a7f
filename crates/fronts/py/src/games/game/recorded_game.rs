//! A game together with its record: tags, comments and variations.

use std::borrow::Cow;

use kalah::record::{Record, RecordBuilder, RecordEntry, Tags};
use kalah::{Ending, Game, Move, Outcome, Ply, Termination};

use crate::errors::Error;

/// A game and the record of its tags, comments and variations.
///
/// The record is brought up to the game only when it is read or changed, so that a ply costs no
/// change of the record.
#[derive(Clone)]
pub(crate) struct RecordedGame {
    game: Game,
    /// The record of the game up to `recorded_plies`.
    record: Record,
    /// The number of plies in `record`, at most those of `game`.
    recorded_plies: usize,
}

impl RecordedGame {
    pub(crate) fn from_record(record: Record) -> Self {
        let game = record.game();
        Self {
            recorded_plies: game.plies().len(),
            game,
            record,
        }
    }

    pub(crate) fn from_game(game: &Game) -> Self {
        Self::from_record(Record::from_game(game))
    }

    /// Returns the moves made.
    pub(crate) fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the record of the whole game.
    pub(crate) fn record(&self) -> Result<Cow<'_, Record>, Error> {
        if self.recorded_plies == self.game.plies().len() {
            return Ok(Cow::Borrowed(&self.record));
        }
        let mut record = self.record.clone();
        record.set_game(&self.game)?;
        Ok(Cow::Owned(record))
    }

    /// Returns how the game ended.
    pub(crate) fn ending(&self) -> Ending {
        if self.recorded_plies == self.game.plies().len() {
            return self.record.ending();
        }
        let outcome = self.game.outcome();
        Ending {
            termination: match outcome {
                Some(_) => Termination::Normal,
                None => Termination::Unfinished,
            },
            winner: outcome.and_then(Outcome::winner),
            outcome,
        }
    }

    /// Makes a move.
    ///
    /// # Errors
    /// If the game has ended, or the rules do not allow the move. The game is unchanged then.
    pub(crate) fn play(&mut self, mv: Move) -> Result<(), Error> {
        let termination = self.ending().termination;
        // The rules refuse a move after a normal end with a message of their own.
        if !matches!(termination, Termination::Normal | Termination::Unfinished) {
            return Err(Error::Ended(termination));
        }
        self.game.play(mv)?;
        Ok(())
    }

    /// Takes back the last ply and the ending of the game, and returns the ply; `None` at the
    /// start.
    pub(crate) fn undo(&mut self) -> Result<Option<Ply>, Error> {
        let Some(ply) = self.game.undo().cloned() else {
            return Ok(None);
        };
        if self.game.plies().len() < self.recorded_plies {
            self.update_record()?;
        }
        Ok(Some(ply))
    }

    /// Brings the record up to the whole game.
    pub(crate) fn update_record(&mut self) -> Result<(), Error> {
        self.record.set_game(&self.game)?;
        self.recorded_plies = self.game.plies().len();
        Ok(())
    }

    /// Sets a tag, or removes it if `value` is `None`.
    pub(crate) fn set_tag(&mut self, name: &str, value: Option<&str>) -> Result<(), Error> {
        self.change_record(|record| {
            let mut tags: Tags = record.tags().clone();
            match value {
                Some(value) => tags.set(name, value)?,
                None => {
                    tags.remove(name);
                }
            }
            Ok(record.set_tags(tags)?)
        })
    }

    /// Returns the comments of the main line, each with the number of plies before it.
    pub(crate) fn comments(&self) -> Result<Vec<(usize, String)>, Error> {
        let record = self.record()?;
        let (mut depth, mut plies) = (0_usize, 0_usize);
        let mut comments = Vec::new();
        for entry in record.entries() {
            match entry {
                RecordEntry::BeginVariation(_) => depth += 1,
                RecordEntry::EndVariation => depth -= 1,
                RecordEntry::Ply { .. } if depth == 0 => plies += 1,
                RecordEntry::Comment(text) if depth == 0 => comments.push((plies, text.clone())),
                _ => {}
            }
        }
        Ok(comments)
    }

    /// Adds a comment at the end of the record.
    pub(crate) fn add_comment(&mut self, text: &str) -> Result<(), Error> {
        self.change_record(|record| {
            let ending = record.ending();
            let mut builder = RecordBuilder::new(record.tags().clone())?;
            for entry in record.entries() {
                builder.push(entry)?;
            }
            builder.comment(text)?;
            *record = builder.finish()?;
            debug_assert_eq!(record.ending(), ending);
            Ok(())
        })
    }

    /// Sets how the game ended.
    pub(crate) fn set_ending(&mut self, ending: Ending) -> Result<(), Error> {
        self.change_record(|record| Ok(record.set_ending(ending)?))
    }

    /// Changes the record of the whole game; after an error it is unchanged.
    fn change_record(
        &mut self,
        change: impl FnOnce(&mut Record) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut record = self.record()?.into_owned();
        change(&mut record)?;
        self.record = record;
        self.recorded_plies = self.game.plies().len();
        Ok(())
    }
}
