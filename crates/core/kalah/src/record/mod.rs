//! Game records: the text form of games (`.kgn`), modelled on PGN of chess, and its parser.
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
//! `Event`, `Site`, `Date` and `Round` are free text. So are `South` and `North`, the names of the
//! players by the sides on which they began, which a swap does not change: after it, the player
//! named by `North` has South's row and store and makes the moves with capital letters. The other
//! tags are about the game and the sides at its end:
//!
//! - `Rules`: [`Rules`](crate::Rules), `cs32` if missing.
//! - `Position`: the [`Setup`](crate::Setup) from which the game starts, `6x4` if missing.
//! - `Result`: South's and North's seeds at the end, such as `25-23`, or `*` if the game was not
//!   played to its end. In a finished game `*` is accepted and replaced by the result of the board;
//!   any other contradiction to the board is an error. An adjudicated game has the final stores of
//!   the adjudication, which are all seeds of the game, or `*` if only the winner is known. The
//!   same holds for the token that closes the moves, which is the `Result` of an adjudicated game
//!   without one.
//! - `Termination`: the word of a [`Termination`](crate::Termination). A game that was played to
//!   its end has `normal` and no other. Without the tag, any other game is `unfinished`.
//! - `Winner`: `South`, `North` or `none`, by the winner's side at the end. It is for games that
//!   were decided before their end. It may not contradict the seeds of the result, and an
//!   `unfinished` game has no winner.
//! - `OpeningPlies`: the number of plies at the begin of the game that a tournament made, and no
//!   player. A number that is larger than that of the plies means all of them, and a value that is
//!   no number is ignored, because neither changes the game.
//!
//! Other tags are kept, and all tags keep their order. No name occurs twice.
//!
//! # Moves
//!
//! A turn is its sowings, capital letters for South and small ones for North, joined or separate;
//! `swap` is the swap. A swap and North's sowings after it are one turn.
//!
//! South's turn and the turn of North after it have the same number. The first turn has number 1
//! also where North is first: `3.` stands before South's turn, `3...` before North's. A record is
//! written with the number of each turn of South, and with that of a turn of North unless a turn of
//! South stands directly before it. A text may omit or repeat numbers, but none may be wrong.
//!
//! A comment is about the entry before it. White space around its text is not part of it.
//!
//! Times of a ply are commands in its comments, as in PGN: `[%clk 0:04:59]` is the time that its
//! player has left for the game after it, and `[%emt 0:00:01.25]` the time that it has taken
//! ([`PlyTimes`]).
//!
//! A variation stands after a ply and has other plies from the beginning of a turn of the line
//! around it, which is the main line or another variation. Its number names that turn. A variation
//! without a number begins at the last turn of the side whose letter it begins with, or, if it
//! begins with `swap`, at the turn that can be a swap. The turn may be any turn of that line up to
//! the one that begins where the variation stands. Variations may be nested up to
//! [`MAX_VARIATION_DEPTH`] deep.
//!
//! # Grammar
//!
//! White space is allowed between tokens: spaces, tabs, form feeds, ends of lines, byte order
//! marks. Letters and digits are those of ASCII.
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
//! The closing token may be missing after plies, before a tag or the end of the text. The word
//! `swap` is always the swap: North's sowings s, w, a and p are written `s wap`. Moves are written
//! in lines of at most 80 characters, broken between tokens only; a comment is one token.
//!
//! The parser accepts no other deviations, because one letter more or less is another game.

mod builder;
mod document;
mod error;
mod parse;
mod read;
mod tags;
mod times;
mod write;

pub use builder::RecordBuilder;
pub use document::{MAX_VARIATION_DEPTH, Record, RecordEntry, Turn};
pub use error::{MovetextError, RecordError, RecordProblem};
pub use read::{ReadRecordError, RecordReader};
pub use tags::{TagError, Tags};
pub use times::PlyTimes;
pub use write::format_plies;
