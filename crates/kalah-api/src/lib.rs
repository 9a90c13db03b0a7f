//! What a page asks about Kalah and what it is answered, as JSON.
//!
//! The server passes these questions on from HTTP, and the browser's worker from the page beside it, so
//! that a page is told the same by both. A question is a type that reads itself from JSON, refuses fields that it does not
//! know, and answers with a type that writes itself; what cannot be answered is a [`Problem`].
//!
//! ```
//! use kalah_api::{SowQuestion, question};
//!
//! let ask: SowQuestion = question(br#"{"position":"6x4","choice":"C"}"#)?;
//! let sown = ask.answer()?;
//! assert_eq!(sown.path, ["D", "E", "F", "south"]);
//! assert_eq!(sown.after.position, "<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4> s");
//! # Ok::<(), kalah_api::Problem>(())
//! ```
//!
//! Houses are letters, capital for South's and small for North's; a store is `south` or `north`, and so is a side.
//! Positions, rules and durations are the texts of this project.

#![forbid(unsafe_code)]

mod analyse;
mod answer;
mod choose;
mod game;
mod object;
mod play;
mod position;
mod prepare;
mod presets;
mod problem;
mod problem_kind;
mod read;
mod sow;
mod start;
mod thinker;
mod time_limit;
mod words;
mod write;

pub use analyse::{AnalyseQuestion, Analysis, MoveWorth, Moves};
pub use answer::{answer, question};
pub use choose::{ChooseQuestion, Chosen};
pub use game::{GameView, PlyView};
pub use object::Object;
pub use play::{PlayQuestion, Played};
pub use position::{PositionQuestion, PositionView};
pub use prepare::{PrepareQuestion, Prepared};
pub use presets::{PresetView, presets};
pub use problem::{Problem, ProblemDocument};
pub use problem_kind::ProblemKind;
pub use read::{Games, ReadQuestion};
pub use sow::{CaptureView, EffectWord, SowQuestion, SownView};
pub use start::{choice, position};
pub use thinker::Thinker;
pub use time_limit::{ParseTimeLimitError, TimeLimit};
pub use words::{BoundsView, PerSide};
pub use write::{PlyToWrite, WriteQuestion, Written};
