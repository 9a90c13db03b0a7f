//! The endpoints: every request with its name, its response, its execution and its description, and
//! the list of all of them.
//!
//! [`visit_endpoints`] is the only list of endpoints. The execution by name
//! ([`handle_request`](crate::handle_request)), the routes of the server, the description of the
//! API and the types of the page follow from it.

use std::time::Duration;

use kalah::{Position, Variant};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    AnalyzeRequest, CheckPuzzleRequest, ChooseRequest, CountRequest, DailyPuzzleRequest,
    ExploreRequest, MoveRequest, PlayRequest, PositionRequest, PrepareRequest, PuzzleRequest,
    ReadRequest, RequestEngine, RequestError, ReviewRequest, RulesRequest, WriteRequest,
};

/// A request that a client sends by its name, and its response.
pub trait Endpoint: DeserializeOwned + JsonSchema + Send + 'static {
    /// The response.
    type Response: Clone + Serialize + JsonSchema + Send + Sync + 'static;

    /// The name, which is the last part of the path on a server.
    const NAME: &'static str;

    /// A sentence about the effect of the request.
    const SUMMARY: &'static str;

    /// A phrase about the response.
    const RESPONSE_SUMMARY: &'static str;

    /// The size of the bodies of requests.
    const BODY_SIZE: BodySize = BodySize::Small;

    /// The function that executes a request, with the time that it takes and its needs.
    const EXECUTION: Execution<Self>;

    /// Returns a valid request as JSON.
    fn example() -> Value;
}

/// The size of the body of a request, which decides how many bytes a server accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodySize {
    /// A position with some moves.
    Small,
    /// Whole games as text, or with an analysis of each position.
    Large,
}

/// The function that executes a request. The variants differ in how long it takes and whether it
/// needs an engine.
pub enum Execution<Q: Endpoint> {
    /// Returns the same response to all requests. The request has no fields, and its body is
    /// ignored.
    Constant(fn() -> Q::Response),
    /// Takes microseconds.
    Immediate(fn(&Q) -> Result<Q::Response, RequestError>),
    /// Takes milliseconds, because the request has all moves of a game.
    WholeGame(fn(&Q) -> Result<Q::Response, RequestError>),
    /// Looks a position up without a search. It takes microseconds, and some milliseconds where it
    /// is the first to need a book. The response helps the players of a game with this position.
    Lookup {
        /// Returns the position of which the response says something.
        position: fn(&Q) -> Result<Position, RequestError>,
        /// Returns the response.
        execute: fn(&Q) -> Result<Q::Response, RequestError>,
    },
    /// Searches within [`SearchRequirements::time_limit`].
    Search {
        /// Returns the requirements of the search. The duration is the maximum of its time limit.
        requirements: fn(&Q, Duration) -> Result<SearchRequirements, RequestError>,
        /// Searches. A search that has results before its end calls the observer with each of them.
        execute: SearchFn<Q>,
    },
    /// Prepares the engine for the next searches of the same client, within a time limit. Only a
    /// client with an engine of its own can send the request.
    Preparation(fn(&Q, &mut RequestEngine) -> Result<Q::Response, RequestError>),
}

/// A function that searches and reports its results so far.
pub type SearchFn<Q> = fn(
    &Q,
    &mut RequestEngine,
    &mut dyn FnMut(&<Q as Endpoint>::Response),
) -> Result<<Q as Endpoint>::Response, RequestError>;

impl<Q: Endpoint> Execution<Q> {
    /// Returns whether the execution occupies an engine up to a time limit.
    pub fn occupies_engine(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Immediate(_) | Self::WholeGame(_) | Self::Lookup { .. } => {
                false
            }
            Self::Search { .. } | Self::Preparation(_) => true,
        }
    }
}

/// The values by which a server schedules a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchRequirements {
    /// The kind of the search.
    pub kind: SearchKind,
    /// The variant of the position, which selects the endgame tables.
    pub variant: Variant,
    /// The time limit, or `None` for a search without a time limit.
    pub time_limit: Option<Duration>,
    /// The position of which the response says something; `None` for a search that finds its own.
    pub position: Option<Position>,
}

/// The kind of a search, which decides its priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchKind {
    /// A move of an opponent, for which a player waits.
    OpponentMove,
    /// An analysis.
    Analysis,
}

/// An operation on all endpoints.
pub trait EndpointVisitor {
    /// Visits the endpoint with the request `Q`.
    fn visit<Q: Endpoint>(&mut self);
}

/// Visits all endpoints in the order of the list.
pub fn visit_endpoints(visitor: &mut impl EndpointVisitor) {
    visitor.visit::<RulesRequest>();
    visitor.visit::<PositionRequest>();
    visitor.visit::<MoveRequest>();
    visitor.visit::<PlayRequest>();
    visitor.visit::<ReadRequest>();
    visitor.visit::<WriteRequest>();
    visitor.visit::<ReviewRequest>();
    visitor.visit::<AnalyzeRequest>();
    visitor.visit::<ChooseRequest>();
    visitor.visit::<PrepareRequest>();
    visitor.visit::<PuzzleRequest>();
    visitor.visit::<ExploreRequest>();
    visitor.visit::<CountRequest>();
    visitor.visit::<DailyPuzzleRequest>();
    visitor.visit::<CheckPuzzleRequest>();
}

/// Returns the names of all endpoints.
///
/// ```
/// assert!(kalah_api::endpoint_names().contains(&"analyze"));
/// ```
pub fn endpoint_names() -> Vec<&'static str> {
    struct NameCollector(Vec<&'static str>);

    impl EndpointVisitor for NameCollector {
        fn visit<Q: Endpoint>(&mut self) {
            self.0.push(Q::NAME);
        }
    }

    let mut names = NameCollector(Vec::new());
    visit_endpoints(&mut names);
    names.0
}
