//! What a page asks about Kalah and what it is answered, as JSON.
//!
//! The server passes these questions on from HTTP, and the browser's worker from the page beside it, so
//! that a page is told the same by both. A question is a type that reads itself from JSON, refuses fields that it does not
//! know, and answers with a type that writes itself; what cannot be answered is a [`Problem`].
//!
//! ```
//! use kalah_api::{SowRequest, parse_request};
//!
//! let ask: SowRequest = parse_request(br#"{"position":"6x4","choice":"C"}"#)?;
//! let sown = ask.execute()?;
//! assert_eq!(sown.path, ["D", "E", "F", "south"]);
//! assert_eq!(sown.after.position, "<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4> s");
//! # Ok::<(), kalah_api::RequestError>(())
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
mod words;
mod write;

pub use analyse::{AnalyseRequest, AnalyseResponse, MoveBoundsView, MovesToProve};
pub use answer::{handle_request, parse_request};
pub use choose::{ChooseRequest, ChooseResponse};
pub use game::{GameView, PlyView};
pub use object::JsonObject;
pub use play::{PlayRequest, PlayResponse};
pub use position::{PositionRequest, PositionView};
pub use prepare::{PrepareRequest, PrepareResponse};
pub use presets::{PresetView, presets};
pub use problem::{ProblemDetails, RequestError};
pub use problem_kind::ProblemKind;
pub use read::{ReadRequest, ReadResponse};
pub use sow::{CaptureView, MoveResultView, SowEffectView, SowRequest};
pub use start::{parse_move, parse_position};
pub use thinker::Analyst;
pub use words::{BoundsView, PerSide};
pub use write::{PlyInput, WriteRequest, WriteResponse};
