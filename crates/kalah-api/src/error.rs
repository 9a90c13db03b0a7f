use std::time::Duration;

use kalah::record::{MovetextError, RecordError, RecordProblem, TagError};
use kalah::{
    HouseLabelError, IllegalMove, ParseRulesError, ParseSetupError, ParseTerminationError,
    SetupError,
};
use kalah_players::ParseTimeLimitError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a question is not answered. Its text quotes what was asked.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RequestError {
    /// The question is not JSON.
    #[error("{0}")]
    InvalidJson(String),
    /// JSON, but with fields that the question does not have, or without those that it needs.
    #[error("{0}")]
    InvalidRequest(String),
    /// There is no question of this name.
    #[error("there is no question `{0}`")]
    UnknownRequest(String),
    /// Rules that are none.
    #[error(transparent)]
    Rules(#[from] ParseRulesError),
    /// A position that is none.
    #[error(transparent)]
    Position(#[from] ParseSetupError),
    /// A position that cannot be played.
    #[error("position `{text}`: {reason}")]
    Unplayable {
        /// The position.
        text: String,
        /// Why.
        reason: SetupError,
    },
    /// A choice that names no house of the side to move.
    #[error(transparent)]
    InvalidMove(#[from] HouseLabelError),
    /// A choice that is against the rules.
    #[error("move `{mv}`: {reason}")]
    IllegalMove {
        /// The choice.
        mv: String,
        /// Why.
        reason: IllegalMove,
    },
    /// A choice that somebody else is to make, where there is none.
    #[error("there is nothing to choose: the game is over")]
    GameOver,
    /// One of several choices is no choice, or against the rules.
    #[error("ply {ply}: {problem}")]
    AtPly {
        /// Which, from 1.
        ply: usize,
        /// What is wrong with it.
        problem: Box<RequestError>,
    },
    /// A time that is none.
    #[error("time {0}")]
    Time(#[from] ParseTimeLimitError),
    /// More time than may be asked for.
    #[error("time `{requested}` is more than the {} that an answer may take", humantime::format_duration(*max))]
    TooMuchTime {
        /// What was asked for.
        requested: String,
        /// The most.
        max: Duration,
    },
    /// Nobody of this name plays.
    #[error("`{0}` is no opponent: there are level:1 to level:10, and perfect")]
    UnknownOpponent(String),
    /// A text that is no record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Tags that cannot stand in a record.
    #[error(transparent)]
    Tag(#[from] TagError),
    /// A ply or comment that cannot stand in a record.
    #[error(transparent)]
    Line(#[from] MovetextError),
    /// A game that makes no record.
    #[error(transparent)]
    Game(#[from] RecordProblem),
    /// A word for how a game ended that is none.
    #[error("termination {0}")]
    Termination(#[from] ParseTerminationError),
    /// A ply that does not come after the one that it names.
    #[error(
        "ply {ply} of the list names `{parent}` as the place of the one before it, which is not before it"
    )]
    InvalidParent {
        /// Its place in the list, from 0.
        ply: usize,
        /// What it names.
        parent: usize,
    },
    /// More plies than are answered at once.
    #[error("there are more than {0} plies")]
    TooManyPlies(usize),
}

/// A problem as a document in the manner of RFC 9457.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemDetails {
    /// The kind of problem, as a reference.
    #[serde(rename = "type")]
    pub type_uri: String,
    /// The kind in words.
    pub title: String,
    /// As HTTP counts: 400, 404 or 422.
    pub status: u16,
    /// This problem in words, with what was asked.
    pub detail: String,
}

/// The most characters of a detail: it quotes what may be long.
const MAX_DETAIL_CHARS: usize = 500;

impl RequestError {
    /// Problem of a text that should be a question.
    pub(crate) fn from_json_error(error: &serde_json::Error) -> Self {
        match error.classify() {
            serde_json::error::Category::Data => Self::InvalidRequest(error.to_string()),
            _ => Self::InvalidJson(error.to_string()),
        }
    }

    /// The status that HTTP has for it: 400 for what is no JSON, 404 for an unknown request, and 422.
    pub fn status(&self) -> u16 {
        match self {
            Self::InvalidJson(_) => 400,
            Self::UnknownRequest(_) => 404,
            _ => 422,
        }
    }

    /// Its kind.
    pub fn kind(&self) -> ProblemKind {
        match self {
            Self::InvalidJson(_) => ProblemKind::InvalidJson,
            Self::InvalidRequest(_) => ProblemKind::InvalidRequest,
            Self::UnknownRequest(_) => ProblemKind::UnknownRequest,
            Self::Rules(_) => ProblemKind::InvalidRules,
            Self::Position(_) => ProblemKind::InvalidPosition,
            Self::Unplayable { .. } => ProblemKind::UnplayablePosition,
            Self::InvalidMove(_) => ProblemKind::InvalidMove,
            Self::IllegalMove { .. } | Self::GameOver => ProblemKind::IllegalMove,
            Self::AtPly { problem, .. } => problem.kind(),
            Self::Time(_) => ProblemKind::InvalidTime,
            Self::TooMuchTime { .. } => ProblemKind::TooMuchTime,
            Self::UnknownOpponent(_) => ProblemKind::UnknownOpponent,
            Self::Record(_) => ProblemKind::InvalidRecord,
            Self::Tag(_)
            | Self::Line(_)
            | Self::Game(_)
            | Self::Termination(_)
            | Self::InvalidParent { .. } => ProblemKind::InvalidGame,
            Self::TooManyPlies(_) => ProblemKind::TooManyPlies,
        }
    }

    /// The problem as a document.
    ///
    /// ```
    /// let problem = kalah_api::RequestError::UnknownOpponent("level:11".to_owned());
    /// assert_eq!(problem.details().type_uri, "/problems/opponent");
    /// assert_eq!(problem.details().status, 422);
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

/// A kind of problem, as the `type` of a problem document names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Not JSON.
    InvalidJson,
    /// JSON, but not the question.
    InvalidRequest,
    /// A question of another name.
    UnknownRequest,
    /// Rules that are none.
    InvalidRules,
    /// A text that is no position.
    InvalidPosition,
    /// A position that cannot be played.
    UnplayablePosition,
    /// A choice that names no house.
    InvalidMove,
    /// A choice against the rules.
    IllegalMove,
    /// A time that is none.
    InvalidTime,
    /// More time than there is.
    TooMuchTime,
    /// An opponent that is none.
    UnknownOpponent,
    /// A text that is no record.
    InvalidRecord,
    /// A game that makes no record.
    InvalidGame,
    /// More plies than are answered.
    TooManyPlies,
}

impl ProblemKind {
    /// All of them.
    pub const ALL: [Self; 14] = [
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
        Self::InvalidRecord,
        Self::InvalidGame,
        Self::TooManyPlies,
    ];

    /// The kind of this name.
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

    /// A word for programs: what stands behind `/problems/`.
    pub const fn name(self) -> &'static str {
        self.entry().0
    }

    /// The same for people, in a few words.
    pub const fn title(self) -> &'static str {
        self.entry().1
    }

    /// What has happened, and what would be right, in a sentence or two.
    pub const fn description(self) -> &'static str {
        self.entry().2
    }

    /// Name, title and meaning.
    const fn entry(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::InvalidJson => (
                "no-json",
                "not JSON",
                "A question is asked in JSON, and this is none, or it breaks off.",
            ),
            Self::InvalidRequest => (
                "not-the-question",
                "not the question",
                "This is JSON, but not what the question is asked with: a field is missing, is one that the question \
                 does not have, or holds something of another kind. Every question is an object, in braces.",
            ),
            Self::UnknownRequest => (
                "no-such-question",
                "no such question",
                "There is no question of this name.",
            ),
            Self::InvalidRules => (
                "rules",
                "no rules",
                "The rules are none of the named ones, and not all four fields either, such as \
                 `ends=stuck,capture=opposite,swap=no,first-bonus=yes`.",
            ),
            Self::InvalidPosition => (
                "position",
                "no position",
                "The text is no position: neither a start such as `6x4` nor one in full such as \
                 `<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s`.",
            ),
            Self::UnplayablePosition => (
                "unplayable-position",
                "a position that cannot be",
                "The position can be written, and cannot be played: it has too many seeds, for example.",
            ),
            Self::InvalidMove => (
                "choice",
                "no choice",
                "The choice names no house of the side to move. South's houses are capital letters and North's small \
                 ones, and `swap` exchanges seats where the rules have it.",
            ),
            Self::IllegalMove => (
                "illegal-choice",
                "against the rules",
                "The choice cannot be made in this position: the house is empty, there is no swap now, or the game is \
                 over.",
            ),
            Self::InvalidTime => (
                "time",
                "no time",
                "The time is no number with a unit, such as `500ms` or `5s`.",
            ),
            Self::TooMuchTime => (
                "too-much-time",
                "too much time",
                "More time is asked for than an answer may take.",
            ),
            Self::UnknownOpponent => (
                "opponent",
                "no opponent",
                "Nobody of this name plays: there are `level:1` to `level:10`, and `perfect`.",
            ),
            Self::InvalidRecord => (
                "record",
                "not a game record",
                "The text is no record of games. What is wrong, and in which line, stands in `detail`.",
            ),
            Self::InvalidGame => (
                "game",
                "not a game",
                "What is to be written is no game: a tag, a comment, the order of the plies or the end is not as it \
                 can be.",
            ),
            Self::TooManyPlies => (
                "too-many-plies",
                "too many plies",
                "The games have more plies than are answered at once.",
            ),
        }
    }
}
