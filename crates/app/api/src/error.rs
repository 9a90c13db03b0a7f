//! Errors of requests and their problem documents.

use std::time::Duration;

use kalah::record::{MovetextError, RecordProblem, TagError};
use kalah::{
    HouseLabelError, IllegalMove, ParseRulesError, ParseSetupError, ParseTerminationError,
    ParseTimeLimitError, SetupError,
};
use kalah_engine::PuzzleRating;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The reason why a request is rejected. Its message quotes the invalid input.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RequestError {
    /// The body is not JSON.
    #[error("{0}")]
    InvalidJson(String),
    /// The body is JSON, but a field is missing, unknown or of the wrong type.
    #[error("{0}")]
    InvalidRequest(String),
    /// There is no request of this name.
    #[error("there is no request `{0}`")]
    UnknownRequest(String),
    /// The rules are invalid.
    #[error(transparent)]
    Rules(#[from] ParseRulesError),
    /// The text is not a position.
    #[error(transparent)]
    Position(#[from] ParseSetupError),
    /// The position cannot be played.
    #[error("position `{text}`: {reason}")]
    Unplayable {
        /// The position.
        text: String,
        /// The reason.
        reason: SetupError,
    },
    /// A new game cannot start in the position, because the game is over in it.
    #[error("position `{0}`: the game is over")]
    StartIsOver(String),
    /// The move names no house of the side to move.
    #[error(transparent)]
    InvalidMove(#[from] HouseLabelError),
    /// The move is against the rules.
    #[error("move `{mv}`: {reason}")]
    IllegalMove {
        /// The move.
        mv: String,
        /// The reason.
        reason: IllegalMove,
    },
    /// An opponent has no move, because the game is over.
    #[error("there is no move to choose: the game is over")]
    GameOver,
    /// One of several moves is invalid or illegal.
    #[error("ply {ply}: {problem}")]
    AtPly {
        /// The number of the ply, from 1.
        ply: usize,
        /// The error of its move.
        problem: Box<RequestError>,
    },
    /// The text is not a time limit.
    #[error("time {0}")]
    Time(#[from] ParseTimeLimitError),
    /// The time limit exceeds the maximum.
    #[error("time `{requested}` is more than the maximum of {}", humantime::format_duration(*max))]
    TooMuchTime {
        /// The requested time limit.
        requested: String,
        /// The maximum.
        max: Duration,
    },
    /// There is no opponent of this name.
    #[error("`{0}` is not an opponent: expected `level:1` to `level:10` or `smart`")]
    UnknownOpponent(String),
    /// No puzzle has this rating.
    #[error(
        "rating `{number}` is not from {} to {}",
        PuzzleRating::MIN,
        PuzzleRating::MAX
    )]
    InvalidRating {
        /// The rating.
        number: u16,
    },
    /// No rating is within the limits of a puzzle.
    #[error("min_rating `{min}` is greater than max_rating `{max}`")]
    EmptyRatingRange {
        /// The least rating.
        min: PuzzleRating,
        /// The greatest rating.
        max: PuzzleRating,
    },
    /// A tag or the ending is invalid in a record.
    #[error(transparent)]
    Tag(#[from] TagError),
    /// A ply, a comment or a variation is invalid in a record.
    #[error(transparent)]
    Line(#[from] MovetextError),
    /// The game is not valid as a record.
    #[error(transparent)]
    Game(#[from] RecordProblem),
    /// The text is not a termination.
    #[error(transparent)]
    Termination(#[from] ParseTerminationError),
    /// A ply does not come after its parent in the list.
    #[error("ply {ply} of the list, counted from 0: its parent `{parent}` does not precede it")]
    InvalidParent {
        /// The index of the ply in the list.
        ply: usize,
        /// The index of its parent.
        parent: usize,
    },
    /// A review has not one analysis for each position.
    #[error("there are {found} analyses of {expected} positions")]
    AnalysisCount {
        /// The number of positions.
        expected: usize,
        /// The number of analyses.
        found: usize,
    },
    /// An analysis has bounds that cannot be those of its position.
    #[error(
        "analysis {index} of the list, counted from 0: \
         the bounds {lower} to {upper} are not within -{total} to {total}"
    )]
    AnalysisBounds {
        /// The index of the analysis.
        index: usize,
        /// The lower bound.
        lower: i32,
        /// The upper bound.
        upper: i32,
        /// The number of seeds on the board.
        total: i32,
    },
    /// An analysis has a move that is not legal in its position, or in its place of the line.
    #[error("analysis {index} of the list, counted from 0: move `{mv}` is not legal")]
    AnalysisMove {
        /// The index of the analysis.
        index: usize,
        /// The move.
        mv: String,
    },
    /// The games have more plies than the maximum.
    #[error("there are more than {0} plies")]
    TooManyPlies(usize),
    /// A text has more games than the maximum.
    #[error("there are more than {0} games")]
    TooManyGames(usize),
    /// The position is on the board of a game whose players have no engine help.
    #[error(
        "this position is in the reach of a game that is played from your address in a room \
         without engine help"
    )]
    EngineHelpOff,
}

/// A problem document in the format of RFC 9457.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemDetails {
    /// The kind of problem, as a relative URI.
    #[serde(rename = "type")]
    pub type_uri: String,
    /// The kind of problem in a few words.
    pub title: String,
    /// The HTTP status: 400, 404, 409 or 422.
    pub status: u16,
    /// The error message.
    pub detail: String,
}

/// The maximum length of `detail` in characters. The message quotes input of any length.
const MAX_DETAIL_CHARS: usize = 500;

impl RequestError {
    /// Returns the HTTP status: 400 for invalid JSON, 404 for an unknown request, 409 for a
    /// position without engine help, otherwise 422.
    pub fn status(&self) -> u16 {
        match self {
            Self::InvalidJson(_) => 400,
            Self::UnknownRequest(_) => 404,
            Self::EngineHelpOff => 409,
            _ => 422,
        }
    }

    /// Returns the kind of problem; that of the move for [`RequestError::AtPly`].
    pub fn kind(&self) -> ProblemKind {
        match self {
            Self::InvalidJson(_) => ProblemKind::InvalidJson,
            Self::InvalidRequest(_) => ProblemKind::InvalidRequest,
            Self::UnknownRequest(_) => ProblemKind::UnknownRequest,
            Self::Rules(_) => ProblemKind::InvalidRules,
            Self::Position(_) => ProblemKind::InvalidPosition,
            Self::Unplayable { .. } | Self::StartIsOver(_) => ProblemKind::UnplayablePosition,
            Self::InvalidMove(_) => ProblemKind::InvalidMove,
            Self::IllegalMove { .. } | Self::GameOver => ProblemKind::IllegalMove,
            Self::AtPly { problem, .. } => problem.kind(),
            Self::Time(_) => ProblemKind::InvalidTime,
            Self::TooMuchTime { .. } => ProblemKind::TooMuchTime,
            Self::UnknownOpponent(_) => ProblemKind::UnknownOpponent,
            Self::InvalidRating { .. } | Self::EmptyRatingRange { .. } => {
                ProblemKind::InvalidRating
            }
            Self::Tag(_)
            | Self::Line(_)
            | Self::Game(_)
            | Self::Termination(_)
            | Self::InvalidParent { .. } => ProblemKind::InvalidGame,
            Self::AnalysisCount { .. }
            | Self::AnalysisBounds { .. }
            | Self::AnalysisMove { .. } => ProblemKind::InvalidAnalysis,
            Self::TooManyPlies(_) => ProblemKind::TooManyPlies,
            Self::TooManyGames(_) => ProblemKind::TooManyGames,
            Self::EngineHelpOff => ProblemKind::EngineHelpOff,
        }
    }

    /// Returns the problem document. A detail of more than 500 characters is cut and ends with `…`.
    ///
    /// ```
    /// let error = kalah_api::RequestError::UnknownOpponent("level:11".to_owned());
    /// assert_eq!(error.details().type_uri, "/problems/unknown-opponent");
    /// assert_eq!(error.details().status, 422);
    /// ```
    pub fn details(&self) -> ProblemDetails {
        let kind = self.kind();
        let mut detail = self.to_string();
        if let Some((end, _)) = detail.char_indices().nth(MAX_DETAIL_CHARS) {
            detail.truncate(end);
            detail.push('…');
        }
        ProblemDetails {
            type_uri: format!("/problems/{}", kind.name()),
            title: kind.title().to_owned(),
            status: self.status(),
            detail,
        }
    }
}

/// A kind of problem: the `type` of a problem document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The body is not JSON.
    InvalidJson,
    /// The body is JSON, but does not fit the request.
    InvalidRequest,
    /// There is no request of this name.
    UnknownRequest,
    /// The rules are invalid.
    InvalidRules,
    /// The text is not a position.
    InvalidPosition,
    /// The position cannot be played.
    UnplayablePosition,
    /// The move names no house of the side to move.
    InvalidMove,
    /// The move is against the rules.
    IllegalMove,
    /// The text is not a time limit.
    InvalidTime,
    /// The time limit exceeds the maximum.
    TooMuchTime,
    /// There is no opponent of this name.
    UnknownOpponent,
    /// No puzzle has this rating.
    InvalidRating,
    /// The game cannot be written as a record.
    InvalidGame,
    /// The analyses of a review do not fit the game.
    InvalidAnalysis,
    /// The games have more plies than the maximum.
    TooManyPlies,
    /// A text has more games than the maximum.
    TooManyGames,
    /// The players of a game have no engine help.
    EngineHelpOff,
    /// Another member of the room has the name.
    NameTaken,
    /// The leader has removed the member from the room.
    MemberRemoved,
}

impl ProblemKind {
    /// All kinds, in the order of the API description.
    pub const ALL: [Self; 19] = [
        Self::InvalidJson,
        Self::InvalidRequest,
        Self::UnknownRequest,
        Self::InvalidRules,
        Self::InvalidPosition,
        Self::UnplayablePosition,
        Self::InvalidMove,
        Self::IllegalMove,
        Self::InvalidTime,
        Self::TooMuchTime,
        Self::UnknownOpponent,
        Self::InvalidRating,
        Self::InvalidGame,
        Self::InvalidAnalysis,
        Self::TooManyPlies,
        Self::TooManyGames,
        Self::EngineHelpOff,
        Self::NameTaken,
        Self::MemberRemoved,
    ];

    /// Returns the kind with this name.
    ///
    /// ```
    /// use kalah_api::ProblemKind;
    ///
    /// for kind in ProblemKind::ALL {
    ///     assert_eq!(ProblemKind::from_name(kind.name()), Some(kind));
    /// }
    /// assert_eq!(ProblemKind::from_name("about:blank"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the name: the part of the `type` after `/problems/`.
    pub const fn name(self) -> &'static str {
        self.entry().0
    }

    /// Returns the title of problem documents of this kind.
    pub const fn title(self) -> &'static str {
        self.entry().1
    }

    /// Returns an explanation of the cause and of the valid input, in one or two sentences.
    pub const fn description(self) -> &'static str {
        self.entry().2
    }

    /// Returns the name, the title and the description.
    #[expect(clippy::too_many_lines, reason = "an entry for each kind")]
    const fn entry(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::InvalidJson => (
                "invalid-json",
                "invalid JSON",
                "The body of the request is not JSON, or it is incomplete.",
            ),
            Self::InvalidRequest => (
                "invalid-request",
                "invalid request",
                "The body is JSON, but it does not fit the request: a field is missing, unknown or \
                 of the wrong type. The body of every request is an object, in braces.",
            ),
            Self::UnknownRequest => (
                "unknown-request",
                "unknown request",
                "There is no request of this name.",
            ),
            Self::InvalidRules => (
                "invalid-rules",
                "invalid rules",
                "The rules are neither the name of a preset nor all four fields, such as \
                 `ends=stuck,capture=opposite,swap=no,first-bonus=yes`.",
            ),
            Self::InvalidPosition => (
                "invalid-position",
                "invalid position",
                "The text is neither a start such as `6x4` nor a full position such as \
                 `<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s`.",
            ),
            Self::UnplayablePosition => (
                "unplayable-position",
                "unplayable position",
                "The text is a position, but the position cannot be played: for example, it has \
                 too many seeds, or a new game would be over at its start.",
            ),
            Self::InvalidMove => (
                "invalid-move",
                "invalid move",
                "The move names no house of the side to move. South's houses are capital letters, \
                 North's are small letters, and `swap` exchanges the sides of the players if the \
                 rules allow it.",
            ),
            Self::IllegalMove => (
                "illegal-move",
                "illegal move",
                "The move is against the rules in this position: the house is empty, a swap is not \
                 possible now, or the game is over.",
            ),
            Self::InvalidTime => (
                "invalid-time",
                "invalid time",
                "The time is not a number with a unit, such as `500ms` or `5s`.",
            ),
            Self::TooMuchTime => (
                "too-much-time",
                "too much time",
                "The time is more than the maximum for one request.",
            ),
            Self::UnknownOpponent => (
                "unknown-opponent",
                "unknown opponent",
                "There is no opponent of this name. The opponents are `level:1` to `level:10` and \
                 `smart`.",
            ),
            Self::InvalidRating => (
                "invalid-rating",
                "invalid rating",
                "The rating of a puzzle is a whole number from 800 to 2400.",
            ),
            Self::InvalidGame => (
                "invalid-game",
                "invalid game",
                "The game cannot be written as a record: a tag, a comment, the order of the plies \
                 or the ending is invalid.",
            ),
            Self::InvalidAnalysis => (
                "invalid-analysis",
                "invalid analysis",
                "The analyses of a review do not fit the game: there is not one for each position, \
                 or one has impossible bounds or an illegal move.",
            ),
            Self::TooManyPlies => (
                "too-many-plies",
                "too many plies",
                "The games have more plies than the maximum for one request.",
            ),
            Self::TooManyGames => (
                "too-many-games",
                "too many games",
                "The text has more games than the maximum for one request.",
            ),
            Self::EngineHelpOff => (
                "engine-help-off",
                "no engine help during this game",
                "The position, or one a move before it, is on the board of a running game whose room \
                 has no engine help, and one of its players is connected from the same address.",
            ),
            Self::NameTaken => (
                "name-taken",
                "this name is taken",
                "Another member of the room has the name, in capital or small letters.",
            ),
            Self::MemberRemoved => (
                "member-removed",
                "removed from the room",
                "The leader has removed the member, who cannot enter the room again.",
            ),
        }
    }
}
