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

mod analysis;
mod dispatch;
mod error;
mod games;
mod json;
mod positions;
mod views;

pub use analysis::{
    AnalyseRequest, AnalyseResponse, Analyst, ChooseRequest, ChooseResponse, MoveBoundsView,
    MovesToProve, PrepareRequest, PrepareResponse,
};
pub use dispatch::handle_request;
pub use error::{ProblemDetails, ProblemKind, RequestError};
pub use games::{
    GameView, PlayRequest, PlayResponse, PlyInput, PlyView, ReadRequest, ReadResponse,
    WriteRequest, WriteResponse,
};
pub use json::{JsonObject, parse_request};
pub use positions::{PositionRequest, PresetView, SowRequest, parse_move, parse_position, presets};
pub use views::{BoundsView, CaptureView, MoveResultView, PerSide, PositionView, SowEffectView};
