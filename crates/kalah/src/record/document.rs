use std::fmt;

use super::tags::{TagError, Tags, ending_from_outcome};
use crate::game::Game;
use crate::moves::Move;
use crate::position::Position;
use crate::referee::Ending;
use crate::side::Side;

/// The record of a game: its tags, its plies, and comments and variations among them.
///
/// Everything in it is legal and fits together, the variations too; [`RecordBuilder`] sees to it.
/// See [the module](self) for the text.
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
    /// Of what the builder has checked.
    pub(super) fn from_checked(tags: Tags, entries: Vec<RecordEntry>, ending: Ending) -> Self {
        Self {
            tags,
            entries,
            ending,
        }
    }

    /// The record of a game as it stands, without what was taken back: its plies, and the tags
    /// `Rules`, `Position`, `Result` and `Termination`, which is `normal` or `unfinished`.
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

    /// Lets the main line be that of `game`, with the comments and variations up to where the two
    /// part. `Result` and `Termination` become those of the game as [`Record::from_game`] has them,
    /// and `Winner` goes.
    ///
    /// # Errors
    /// [`TagError::OtherStart`] if the game does not start where the record does.
    pub fn set_game(&mut self, game: &Game) -> Result<(), TagError> {
        if *game.start() != self.start() {
            return Err(TagError::StartMismatch);
        }
        self.set_plies(game);
        Ok(())
    }

    /// [`Record::set_game`] for a game that starts where the record does.
    fn set_plies(&mut self, game: &Game) {
        let mut turn = Turn {
            number: 1,
            side: game.start().to_move(),
        };
        let mut plies = game.plies().iter().peekable();
        let mut depth = 0;
        let mut kept = 0;
        for entry in &self.entries {
            match entry {
                RecordEntry::BeginVariation(_) => depth += 1,
                RecordEntry::EndVariation => depth -= 1,
                RecordEntry::Ply {
                    mv: choice,
                    turn: its_turn,
                } if depth == 0 => {
                    if plies.next_if(|ply| ply.mv == *choice).is_none() {
                        break;
                    }
                    turn = *its_turn;
                }
                _ => {}
            }
            kept += 1;
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

    /// The tags as they were read, but for a `Result` of `*`, see [the module](self).
    pub fn tags(&self) -> &Tags {
        &self.tags
    }

    /// Gives the record other tags.
    ///
    /// # Errors
    /// If they say another start than that of the moves, or if `Result`, `Termination` or `Winner`
    /// is not what [the module](self) says or contradicts the board; the record is unchanged then.
    pub fn set_tags(&mut self, mut tags: Tags) -> Result<(), TagError> {
        if tags.start()? != self.start() {
            return Err(TagError::StartMismatch);
        }
        self.ending = tags.resolve_ending(self.ending.outcome)?;
        self.tags = tags;
        Ok(())
    }

    /// Lets one tag say `value`, see [`Tags::set`].
    ///
    /// # Errors
    /// As [`Record::set_tags`], or if `name` cannot be a name.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) -> Result<(), TagError> {
        let mut tags = self.tags.clone();
        tags.set(name, value)?;
        self.set_tags(tags)
    }

    /// Lets `Result`, `Termination` and `Winner` say how the game ended; its outcome is that of the
    /// board. `Winner` is there only if the game was decided before its end.
    ///
    /// # Errors
    /// If it contradicts the board; the record is unchanged then.
    pub fn set_ending(&mut self, ending: Ending) -> Result<(), TagError> {
        let mut tags = self.tags.clone();
        tags.set_ending(Ending {
            outcome: self.ending.outcome,
            ..ending
        });
        self.set_tags(tags)
    }

    /// How the game ended, with the winner by its row at the end. `None` is the winner also where
    /// nothing says who it is.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// Plies, comments and variations, in the order of the text.
    pub fn entries(&self) -> &[RecordEntry] {
        &self.entries
    }

    /// The position before the first ply.
    pub fn start(&self) -> Position {
        let start = self.tags.start();
        start.unwrap_or_else(|error| unreachable!("the tags were checked: {error}"))
    }

    /// The choices of the main line, without the variations.
    pub fn main_line(&self) -> impl Iterator<Item = Move> + '_ {
        let mut depth = 0;
        self.entries.iter().filter_map(move |entry| {
            match entry {
                RecordEntry::BeginVariation(_) => depth += 1,
                RecordEntry::EndVariation => depth -= 1,
                RecordEntry::Ply { mv: choice, .. } if depth == 0 => return Some(*choice),
                _ => {}
            }
            None
        })
    }

    /// The game of the main line.
    pub fn game(&self) -> Game {
        let game = Game::replay(self.start(), self.main_line());
        game.unwrap_or_else(|error| unreachable!("the plies were checked: {error}"))
    }
}

/// A turn of a line: its number, and whose it is.
///
/// One number counts a turn of South and the turn of North after it; where North is first, its turn
/// is number 1 all the same. Printed as in a record: `3.` is South's, `3...` North's.
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
    /// Whose turn it is.
    pub side: Side,
}

impl Turn {
    /// The turn after it, which is the other side's.
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

    /// How many turns after `first` this one comes, `None` if it comes before.
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

/// One of the things that the moves of a [`Record`](super::Record) consist of, in the order of its
/// text.
///
/// ```
/// use kalah::record::{RecordEntry, Record};
/// let record: Record = "1. CF { two sowings } b ( 1. A ) *".parse()?;
/// let variations = record.entries().iter().filter(|entry| matches!(entry, RecordEntry::BeginVariation(_)));
/// assert_eq!(variations.count(), 1);
/// # Ok::<(), kalah::record::RecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordEntry {
    /// A ply of the line.
    Ply {
        /// The turn that it belongs to, whose side made it.
        turn: Turn,
        /// What was chosen.
        mv: Move,
    },
    /// A comment on what stands before it, without `}` and without white space around it. Its lines
    /// are parted by `\n`.
    Comment(String),
    /// A variation begins: other plies from the beginning of this turn of the line on, up to the
    /// [`RecordEntry::EndVariation`] that goes with it. It may have variations of its own.
    BeginVariation(Turn),
    /// The variation that began last ends, and its line goes on where it was left.
    EndVariation,
}

// A record of a few megabytes has millions of them.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<RecordEntry>() == 24);

/// How deep variations within variations may go.
pub const MAX_VARIATION_DEPTH: usize = 100;
