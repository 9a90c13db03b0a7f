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
mod document;
mod error;
mod lexer;
mod parse;
mod quoted;
mod tags;
mod write;

pub use builder::RecordBuilder;
pub use document::{MAX_VARIATION_DEPTH, Record, RecordEntry, Turn};
pub use error::{MovetextError, RecordError, RecordProblem};
pub use tags::{TagError, Tags};
pub use write::format_plies;
