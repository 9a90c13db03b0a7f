//! Requests about positions and games of Kalah, and their responses, as JSON.
//!
//! The server exposes these requests over HTTP, and a web worker exposes them to the page in the
//! browser, so that both give the same responses. A request is a type that deserializes from a JSON
//! object and rejects unknown fields; its `execute` method returns a type that serializes to JSON,
//! or a [`RequestError`]. It implements [`Endpoint`], and [`visit_endpoints`] lists all of them.
//!
//! ```
//! use kalah_api::{MoveRequest, parse_request};
//!
//! let request: MoveRequest = parse_request(br#"{"position":"6x4","move":"C"}"#)?;
//! let result = request.execute()?;
//! assert_eq!(result.path, ["D", "E", "F", "south"]);
//! assert_eq!(result.after.position, "<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4> s");
//! # Ok::<(), kalah_api::RequestError>(())
//! ```
//!
//! Houses are letters, capital for South's and small for North's. Sides and their stores are
//! `south` and `north`. Positions and rules have the text formats of [`kalah`], durations that of
//! [`humantime`].

#![forbid(unsafe_code)]

mod analysis;
mod dispatch;
mod endpoint;
mod error;
mod explore;
mod games;
mod json;
mod openings;
mod positions;
mod puzzles;
mod review;
mod review_words;

pub use analysis::{
    AnalyzeRequest, AnalyzeResponse, AnalyzedMoveView, BoundsView, ChancesView, ChooseRequest,
    ChooseResponse, MoveBoundsView, MovesToProve, PrepareRequest, PrepareResponse, RequestEngine,
};
pub use dispatch::handle_request;
pub use endpoint::{
    BodySize, Endpoint, EndpointVisitor, Execution, SearchFn, SearchKind, SearchRequirements,
    endpoint_names, visit_endpoints,
};
pub use error::{ProblemDetails, ProblemKind, RequestError};
pub use explore::{ExploreRequest, ExploreResponse, ExploredMoveView};
pub use games::{
    GameView, PlayRequest, PlayResponse, PlyInput, PlyView, ReadErrorView, ReadRequest,
    ReadResponse, WriteRequest, WriteResponse,
};
pub use json::{
    BySideSchema, JsonObject, MOVE_PATTERN, PIT_PATTERN, POSITION_PATTERN, SideSchema,
    parse_request,
};
pub use openings::{
    CountRequest, CountResponse, FinishedGameInput, MoveCountsView, OpeningPositionView,
};
pub use positions::{
    CaptureView, MoveRequest, MoveResultView, PositionRequest, PositionView, PresetView,
    RulesRequest, SowEffectView, parse_move, parse_position, presets,
};
pub use puzzles::{
    CheckPuzzleRequest, CheckPuzzleResponse, DailyPuzzleRequest, NoPuzzleView, PuzzleRequest,
    PuzzleResponse, PuzzleThemeView, PuzzleView,
};
pub use review::{
    AccuracyView, AnalysisInput, GameValueView, GradeCountsView, MarginView, MoveBoundsInput,
    MoveGradeView, ReviewRequest, ReviewView, ReviewedPlyView, ValueChangeView,
};
pub use review_words::{LevelEstimateView, PhaseAccuracyView, ReasonKindView, ReasonView};
