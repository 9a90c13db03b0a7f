//! Game records: games as text (`.kgn`), in the manner of chess' PGN, in both directions.
//!
//! ```
//! use kalah::record::Record;
//!
//! let text = r#"[South "Marge"]
//! [North "Homer"]
//! [Rules "standard"]
//!
//! 1. CF a 2. A c { +8 exact } ( 2. B d ) *
//! "#;
//! let record: Record = text.parse()?;
//! assert_eq!(record.tags().get("South"), Some("Marge"));
//! assert_eq!(record.game().plies().len(), 5);
//! assert_eq!(record.to_string(), text);
//! # Ok::<(), kalah::record::RecordError>(())
//! ```
//!
//! # Tags
//!
//! `Event`, `Site`, `Date` and `Round` are free text, and so are `South` and `North`, the names of the
//! players by the side on which they began: a swap of sides does not change these two. The others speak
//! of the game, and of the rows as they lie on the board:
//!
//! - `Rules`: [`Rules`](crate::Rules), `cs32` if missing.
//! - `Position`: the [`Setup`](crate::Setup) from which the game starts, `6x4` if missing.
//! - `Result`: the seeds of South's and of North's row at the end, such as `25-23`, or `*` if the game
//!   was not played to its end. The board decides: `*` is accepted for a finished game too, and becomes
//!   what the board says; any other contradiction is an error. The same goes for the token that closes
//!   the moves.
//! - `Termination`: the word of a [`Termination`](crate::Termination). A game that was played to its end
//!   has `normal` and no other; without the tag, a game that was not is `unfinished`.
//! - `Winner`: `South`, `North` or `none`, by the row of the winner at the end. It is for games whose
//!   seeds do not say it: it may not contradict seeds that do, and an `unfinished` game has no winner.
//!
//! Tags of other names are kept, and all keep their order. No name is there twice.
//!
//! # Moves
//!
//! A turn is its sowings, capital letters for South's and small ones for North's, joined or apart; `swap`
//! is the swap. A swap and what North sows after it are one turn.
//!
//! A number counts South's turn and North's turn after it, and is 1 at the start also where North is
//! first: `3.` is before South's turn, `3...` before North's. In what is written each turn of South has
//! its number, and a turn of North if something else than a turn of South stands before it. In what is
//! read numbers may be left out or repeated, but none may be wrong.
//!
//! A comment is about what stands before it. The white space around it is not part of it.
//!
//! A variation stands after a ply, and gives other plies from the beginning of a turn of the line around
//! it, which is the main line or another variation. It is the turn that its number says; or if it begins
//! without a number, the last turn there of the side whose letter it begins with, or the turn that could
//! be a swap if it begins with `swap`. It may go back to any turn of that line, and ahead to none but
//! the turn that begins where it stands. At most [`MAX_VARIATION_DEPTH`] variations are within one another.
//!
//! # Grammar
//!
//! Between tokens there may be white space: spaces, tabs, form feeds, ends of lines, byte order marks.
//! Letters and digits are those of ASCII.
//!
//! ```text
//! file      = { game }
//! game      = { tag } { comment | number } [ plies ] [ closing ]
//! tag       = "[" name '"' value '"' "]"
//! name      = ( letter | digit | "_" ) { letter | digit | "_" }
//! value     = { any character but '"', "\" and line feed | '\"' | "\\" | "\n" | "\r" }
//! plies     = turn { turn | comment | number | variation }
//! number    = digit { digit } ( "." | "..." )
//! turn      = letter { letter } | "swap"
//! comment   = "{" { any character but "}" } "}"
//! variation = "(" { comment | number } plies ")"
//! closing   = "*" | digit { digit } "-" digit { digit }
//! ```
//!
//! The closing token may be missing after plies, where a tag or the end of the text follows. The four
//! letters `swap` together are always the swap: North's sowings s, w, a and p are written `s wap`.
//! Moves are written in lines of at most 80 characters, broken between tokens only; a comment is one.
//!
//! What is read is liberal in nothing else, because a letter too many or too few is another game.

mod builder;
mod ending;
mod entry;
mod error;
mod lexer;
mod line;
mod quoted;
mod read;
mod tags;
mod turn;
mod write;

use std::str::FromStr;

pub use builder::{MAX_VARIATION_DEPTH, RecordBuilder};
pub use entry::RecordEntry;
pub use error::{MovetextError, RecordError, RecordProblem, TagError};
pub use line::format_plies;
pub use tags::Tags;
pub use turn::Turn;

use crate::{Ending, Game, Move, Position};

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
    fn from_checked(tags: Tags, entries: Vec<RecordEntry>, ending: Ending) -> Self {
        Self {
            tags,
            entries,
            ending,
        }
    }

    /// The games of a text, none if it is empty.
    ///
    /// # Errors
    /// The first thing that is wrong, and where.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, RecordError> {
        let mut reader = read::RecordReader::new(text);
        let mut records = Vec::new();
        while let Some(record) = reader.next_game()? {
            records.push(record);
        }
        Ok(records)
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
        let ending = ending::ending_from_outcome(game.outcome());
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
        self.ending = ending::ending_from_outcome(game.outcome());
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

/// A text with exactly one game; [`Record::parse_all`] reads any number.
impl FromStr for Record {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<Self, RecordError> {
        let mut reader = read::RecordReader::new(text);
        let Some(record) = reader.next_game()? else {
            return Err(reader.locate_error((0, RecordProblem::NoGame)));
        };
        reader.expect_end()?;
        Ok(record)
    }
}
