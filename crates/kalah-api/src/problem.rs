use std::time::Duration;

use kalah::record::{MovetextError, RecordError, RecordProblem, TagError};
use kalah::{
    HouseLabelError, IllegalMove, ParseRulesError, ParseSetupError, ParseTerminationError,
    SetupError,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use kalah_players::ParseTimeLimitError;

use crate::ProblemKind;

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
