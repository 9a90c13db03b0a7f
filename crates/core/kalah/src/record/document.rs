//! A game record and its parts: turns, plies, comments and variations.

use std::fmt;

use super::tags::{FinalBoard, TagError, Tags, ending_from_outcome};
use crate::game::Game;
use crate::game::referee::{Ending, Termination};
use crate::position::Position;
use crate::side::Side;
use crate::types::Move;

/// The record of a game: its tags, its plies, and comments and variations among them.
///
/// All plies are legal, those of variations too, and the tags agree with the board.
/// [`RecordBuilder`](super::RecordBuilder) ensures it. [The module](super) describes the text.
///
/// ```
/// use kalah::record::Record;
/// let record: Record = "1. CF a 2. A c { +8 exact } ( 2. B d ) *".parse()?;
/// assert_eq!(record.game().plies().len(), 5);
/// assert_eq!(record.to_string(), "1. CF a 2. A c { +8 exact } ( 2. B d ) *\n");
/// # Ok::<(), kalah::record::RecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    tags: Tags,
    entries: Vec<RecordEntry>,
    ending: Ending,
}

impl Record {
    /// Creates a record from parts that the builder has checked.
    pub(super) fn from_checked(tags: Tags, entries: Vec<RecordEntry>, ending: Ending) -> Self {
        Self {
            tags,
            entries,
            ending,
        }
    }

    /// Creates the record of a game without its undone plies: the plies made, and the tags `Rules`,
    /// `Position`, `Result` and `Termination`, which is `normal` or `unfinished`.
    ///
    /// ```
    /// use kalah::{Game, Position, Rules};
    /// use kalah::record::Record;
    /// let game = Game::new(Position::start(6, 4, Rules::STANDARD)?);
    /// let mut record = Record::from_game(&game);
    /// record.set_tag("South", "Marge")?;
    /// assert_eq!(record.to_string(), r#"[South "Marge"]
    /// [Rules "standard"]
    /// [Position "6x4"]
    /// [Result "*"]
    /// [Termination "unfinished"]
    ///
    /// *
    /// "#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_game(game: &Game) -> Self {
        let ending = ending_from_outcome(game.outcome());
        let mut record = Self::from_checked(Tags::from_start(game.start()), Vec::new(), ending);
        record.set_plies(game);
        record
    }

    /// Replaces the main line by that of `game`. Comments and variations stay up to the ply at
    /// which the two lines differ. `Result` and `Termination` become those of the game, as in
    /// [`Record::from_game`], and `Winner` is removed. If the lines differ in the opening of
    /// `OpeningPlies`, the opening ends there.
    ///
    /// # Errors
    /// [`TagError::StartMismatch`] if the game does not start where the record does.
    pub fn set_game(&mut self, game: &Game) -> Result<(), TagError> {
        if *game.start() != self.start() {
            return Err(TagError::StartMismatch);
        }
        self.set_plies(game);
        Ok(())
    }

    /// Does the work of [`Record::set_game`] for a game that starts where the record does.
    fn set_plies(&mut self, game: &Game) {
        let mut turn = Turn {
            number: 1,
            side: game.start().to_move(),
        };
        let mut plies = game.plies().iter().peekable();
        let opening_plies = self.opening_plies();
        let mut depth = 0;
        let mut kept = 0;
        let mut kept_plies = 0;
        for entry in &self.entries {
            match entry {
                RecordEntry::BeginVariation(_) => depth += 1,
                RecordEntry::EndVariation => depth -= 1,
                RecordEntry::Ply { mv, turn: its_turn } if depth == 0 => {
                    if plies.next_if(|ply| ply.mv == *mv).is_none() {
                        break;
                    }
                    turn = *its_turn;
                    kept_plies += 1;
                }
                _ => {}
            }
            kept += 1;
        }
        if kept_plies < opening_plies {
            self.tags.set_opening_plies(kept_plies);
        }
        self.entries.truncate(kept);
        self.entries.extend(plies.map(|ply| {
            if ply.side != turn.side {
                turn = turn.next();
            }
            RecordEntry::Ply { turn, mv: ply.mv }
        }));
        self.ending = ending_from_outcome(game.outcome());
        self.tags.set_ending(self.ending);
    }

    /// Returns the tags as they were read, except for a `Result` of `*`, see [the module](super).
    pub fn tags(&self) -> &Tags {
        &self.tags
    }

    /// Replaces all tags.
    ///
    /// # Errors
    /// If the start of the game would change, or if `Result`, `Termination` or `Winner` is invalid
    /// or contradicts the board, see [the module](super); the record is unchanged then.
    pub fn set_tags(&mut self, mut tags: Tags) -> Result<(), TagError> {
        if tags.start()? != self.start() {
            return Err(TagError::StartMismatch);
        }
        self.ending = tags.resolve_ending(self.final_board())?;
        self.tags = tags;
        Ok(())
    }

    /// Sets one tag, see [`Tags::set`].
    ///
    /// # Errors
    /// Those of [`Record::set_tags`], and [`TagError::InvalidName`].
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) -> Result<(), TagError> {
        let mut tags = self.tags.clone();
        tags.set(name, value)?;
        self.set_tags(tags)
    }

    /// Sets `Result`, `Termination` and `Winner` for a game that ended so. The outcome of `ending`
    /// is that of an adjudication; in a game that was played to its end, it is ignored: the board
    /// has it. `Winner` is set only if the game was decided before its end.
    ///
    /// # Errors
    /// If `ending` contradicts the board; the record is unchanged then.
    pub fn set_ending(&mut self, ending: Ending) -> Result<(), TagError> {
        let mut tags = self.tags.clone();
        tags.set_ending(Ending {
            outcome: self.final_board().outcome.or(ending.outcome),
            ..ending
        });
        self.set_tags(tags)
    }

    fn final_board(&self) -> FinalBoard {
        let Ending {
            termination,
            outcome,
            ..
        } = self.ending;
        FinalBoard {
            seeds: self.start().total(),
            outcome: outcome.filter(|_| termination == Termination::Normal),
        }
    }

    /// Returns how the game ended, with the winner by the side at the end. The winner is `None`
    /// also where no tag says it, and so is the outcome of an adjudication.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// Returns plies, comments and variations in the order of the text.
    pub fn entries(&self) -> &[RecordEntry] {
        &self.entries
    }

    /// Replaces the entries by others with the same plies and variations.
    pub(super) fn set_checked_entries(&mut self, entries: Vec<RecordEntry>) {
        self.entries = entries;
    }

    /// Returns the number of plies at the begin of the main line that a tournament made, and no
    /// player, by the tag `OpeningPlies`: at most all plies, and 0 if the tag is missing or no
    /// number.
    ///
    /// ```
    /// use kalah::record::Record;
    /// let record: Record = "[OpeningPlies \"2\"]\n\n1. CF a 2. B *".parse()?;
    /// assert_eq!(record.opening_plies(), 2);
    /// # Ok::<(), kalah::record::RecordError>(())
    /// ```
    pub fn opening_plies(&self) -> usize {
        let named = self.tags.opening_plies();
        named.min(self.main_line().take(named).count())
    }

    /// Returns the position before the first ply.
    pub fn start(&self) -> Position {
        let start = self.tags.start();
        start.unwrap_or_else(|error| unreachable!("the tags were checked: {error}"))
    }

    /// Returns the moves of the main line, without the variations.
    pub fn main_line(&self) -> impl Iterator<Item = Move> + '_ {
        let mut depth = 0;
        self.entries.iter().filter_map(move |entry| {
            match entry {
                RecordEntry::BeginVariation(_) => depth += 1,
                RecordEntry::EndVariation => depth -= 1,
                RecordEntry::Ply { mv, .. } if depth == 0 => return Some(*mv),
                _ => {}
            }
            None
        })
    }

    /// Returns the game of the main line.
    pub fn game(&self) -> Game {
        let game = Game::replay(self.start(), self.main_line());
        game.unwrap_or_else(|error| unreachable!("the plies were checked: {error}"))
    }
}

/// A turn of a line: its number and its side.
///
/// South's turn and the turn of North after it have the same number. Where North is first, its turn
/// has number 1 too. Printed as in a record: `3.` for South, `3...` for North.
///
/// ```
/// use kalah::Side;
/// use kalah::record::Turn;
/// let turn = Turn { number: 3, side: Side::North };
/// assert_eq!(turn.to_string(), "3...");
/// assert_eq!(turn.next().to_string(), "4.");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn {
    /// The number, from 1.
    pub number: u32,
    /// The side whose turn it is.
    pub side: Side,
}

impl Turn {
    /// Returns the next turn, which is the other side's.
    #[must_use]
    pub const fn next(self) -> Self {
        Self {
            number: match self.side {
                Side::South => self.number,
                Side::North => self.number.saturating_add(1),
            },
            side: self.side.opponent(),
        }
    }

    /// Returns the number of turns from `first` to this one, `None` if this one is earlier.
    pub(super) fn turns_after(self, first: Self) -> Option<usize> {
        let ordinal = |turn: Self| u64::from(turn.number) * 2 + u64::from(turn.side == Side::North);
        let distance = ordinal(self).checked_sub(ordinal(first))?;
        usize::try_from(distance).ok()
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = match self.side {
            Side::South => ".",
            Side::North => "...",
        };
        f.pad(&format!("{}{dots}", self.number))
    }
}

/// An entry of the moves of a [`Record`], in the order of its text.
///
/// ```
/// use kalah::record::{RecordEntry, Record};
/// let record: Record = "1. CF { two sowings } b ( 1. A ) *".parse()?;
/// let is_variation = |entry: &&RecordEntry| matches!(entry, RecordEntry::BeginVariation(_));
/// let variations = record.entries().iter().filter(is_variation);
/// assert_eq!(variations.count(), 1);
/// # Ok::<(), kalah::record::RecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordEntry {
    /// A ply of the current line.
    Ply {
        /// The turn of the ply; its side made the move.
        turn: Turn,
        /// The move.
        mv: Move,
    },
    /// A comment on the entry before it, without `}` and without white space around it. Lines are
    /// separated by `\n`.
    Comment(String),
    /// The beginning of a variation: other plies from the beginning of this turn of the line around
    /// it, up to the matching [`RecordEntry::EndVariation`]. Variations may be nested.
    BeginVariation(Turn),
    /// The end of the innermost variation; the line around it continues where it was left.
    EndVariation,
}

// A record of a few megabytes has millions of entries.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<RecordEntry>() == 24);

/// The maximum depth of nested variations.
pub const MAX_VARIATION_DEPTH: usize = 100;
