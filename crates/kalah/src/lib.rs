//! The game of Kalah: rules, positions, games and records.
//!
//! Everything here is about the game itself. Nothing reads a file, a clock or a keyboard, and
//! nothing prints.
//!
//! # Rules
//!
//! Each side has a row of houses and a store. To sow, a player takes all seeds of one of its houses
//! and drops them one by one counterclockwise, into its own store and past the other's. If the last
//! seed falls into the own store, the same side sows again. If it falls into an own house that was
//! empty just before, the last seed and the seeds of the opposite house are captured. At the end
//! each row is swept into its owner's store, and who has more seeds wins. When a game ends and what
//! a capture needs, [`Rules`] say: published rule sets differ.
//!
//! # From text to play
//!
//! ```
//! use kalah::{Move, House, Position, Rules, Setup, Side};
//!
//! let mut position = "6x4".parse::<Setup>()?.position(Rules::CS32)?;
//! for letter in ['C', 'F', 'a'] {
//!     let (side, house) = House::from_letter(letter).expect("a letter");
//!     assert_eq!(position.to_move(), side);
//!     position.play(Move::Sow(house))?;
//! }
//! assert_eq!(position.store(Side::South).get(), 2);
//! assert_eq!(position.legal_houses().count(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod board;
mod choice;
mod event;
mod frame;
mod game;
mod house;
mod labels;
mod margin;
mod meaning;
pub mod naive;
mod outcome;
mod perft;
mod player;
mod position;
pub mod record;
mod referee;
mod row;
mod rules;
mod seed_count;
mod setup;
mod side;
mod sown;
mod termination;

pub use board::{Board, BoardError, PitCounts};
pub use choice::{IllegalMove, Move};
pub use event::{ActionError, Ending, GameEvent};
pub use frame::{BoardFrame, ParsePitLabelError, PitFrame, PitLabel};
pub use game::{Game, Ply, ReplayError};
pub use house::{House, Pit};
pub use labels::{HouseLabelError, Labels, ParseLabelsError};
pub use margin::{Gain, Margin};
pub use meaning::{BoardSowEffect, IsFirstPly};
pub use outcome::Outcome;
pub use perft::perft;
pub use player::{Player, PlayerAction};
pub use position::Position;
pub use referee::{Referee, TimedPlayer};
pub use row::{ArrayRow, Row, RunLengthRow};
pub use rules::{CaptureRule, EndRule, ParseRulesError, Preset, Rules};
pub use seed_count::SeedCount;
pub use setup::{FirstPlies, ParseSetupError, ParseSetupReason, Setup, SetupError, SetupProblem};
pub use side::{BySide, Side};
pub use sown::{Capture, MoveResult, SowEffect, SowResult};
pub use termination::{ParseTerminationError, Termination};

// The code in the project's documents is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../GLOSSARY.md")]
struct Documents;
