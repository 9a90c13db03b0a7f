//! The game of Kalah: rules, positions, games and records.
//!
//! The crate reads no file, clock or keyboard and prints nothing. [`record::RecordReader`] reads a
//! stream that its caller has opened.
//!
//! # Rules
//!
//! Each side has a row of houses and a store. To sow, a player takes all seeds of one of its houses
//! and drops them one by one counterclockwise, into its own store and past the other store. If the
//! last seed falls into the own store, the same side sows again. If it falls into an own house that
//! was empty before, the last seed and the seeds of the opposite house are captured. At the end
//! each row is swept into its owner's store, and the side with more seeds wins. Published rule sets
//! differ in when a game ends and in what a capture needs; a value of [`Rules`] says both.
//!
//! # Example
//!
//! ```
//! use kalah::{House, Move, Position, Rules, Setup, Side};
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
mod byte_order_mark;
mod game;
mod labels;
mod message_text;
mod position;
pub mod record;
pub mod reference;
mod rules;
mod side;
mod types;

pub use board::frame::{BoardFrame, ParsePitLabelError, PitFrame, PitLabel};
pub use board::{Board, BoardError, PitCounts};
pub use byte_order_mark::strip_byte_order_mark;
pub use game::clock::{ClockSetting, GameClock, ParseClockError};
pub use game::move_time::MoveTime;
pub use game::pauses::{ObservedTime, PauseDetector};
pub use game::referee::{
    ActionError, Ending, GameEvent, ParseTerminationError, Player, PlayerAction, Referee,
    Termination, TimedPlayer,
};
pub use game::time_limit::{ParseTimeLimitError, TimeLimit};
pub use game::{Game, Ply, ReplayError};
pub use labels::{HouseLabelError, Labels, ParseLabelsError};
pub use message_text::{Quoted, csv_cell, format_count, format_number};
pub use position::setup::{ParseSetupError, ParseSetupReason, Setup, SetupError, SetupProblem};
pub use position::{Position, perft};
pub use rules::variant::Variant;
pub use rules::{
    CaptureRule, EndRule, FirstPlies, FirstPlyRules, HouseRules, ParseRulesError, Preset, Rules,
};
pub use side::{ByPlayer, BySide, PlayerId, Side};
pub use types::{
    Capture, Gain, House, IllegalMove, Margin, Move, MoveResult, Outcome, Pit, SeedCount,
    SowEffect, SowResult,
};

// The code in the project's documents is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../../README.md")]
#[doc = include_str!("../../../../GLOSSARY.md")]
struct Documents;
