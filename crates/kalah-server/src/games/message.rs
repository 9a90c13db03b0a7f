use axum::extract::ws::Utf8Bytes;
use kalah_api::MoveResultView;
use serde::{Deserialize, Serialize};

use crate::games::{ClockView, GameStateView};
use crate::problem::ProblemResponse;

/// What a client says over a live connection. It is never printed: a hello has a token in it.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum ClientMessage {
    /// Who it is, first of all.
    Hello {
        /// The token of a person; who has none watches.
        token: Option<String>,
        /// How many plies it knows already.
        since: Option<usize>,
    },
    /// Make this move as ply `ply`.
    #[serde(rename = "sow")]
    Move {
        /// Counted from 1.
        ply: usize,
        /// A house's letter or `swap`.
        #[serde(rename = "choice")]
        mv: String,
    },
    /// Give the game up.
    Resign {},
    /// Ask for another game.
    Rematch {},
}

/// What the server says over a live connection.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum ServerMessage<'a> {
    /// How the game stands.
    State {
        /// As the one who is told sees it.
        state: &'a GameStateView,
    },
    /// A ply has been made.
    #[serde(rename = "sown")]
    Move {
        /// Counted from 1.
        ply: usize,
        /// What it did.
        #[serde(rename = "sown")]
        result: &'a MoveResultView,
        /// The clock after it, if there is one and the ply is the last one.
        #[serde(skip_serializing_if = "Option::is_none")]
        clock: Option<ClockView>,
    },
    /// What the client asked for is not done.
    Problem {
        /// Why.
        problem: &'a ProblemResponse,
        /// The ply that it wanted to make, if it wanted that.
        #[serde(skip_serializing_if = "Option::is_none")]
        ply: Option<usize>,
    },
}

impl ServerMessage<'_> {
    /// The message as it is sent.
    pub(crate) fn to_text(&self) -> Utf8Bytes {
        let text = serde_json::to_string(self);
        text.expect("strings, numbers and lists of them can always be written")
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_message(text: &str) -> bool {
        serde_json::from_str::<ClientMessage>(text).is_ok()
    }

    #[test]
    fn only_what_is_known_is_read() {
        for text in [
            r#"{"type":"hello"}"#,
            r#"{"type":"hello","token":"x","since":3}"#,
            r#"{"choice":"C","type":"sow","ply":1}"#,
            r#"{"type":"resign"}"#,
            r#"{"type":"rematch"}"#,
        ] {
            assert!(is_message(text), "{text}");
        }
        for text in [
            "",
            "[]",
            r#"{"type":"hello","since":-1}"#,
            r#"{"type":"hello","tokens":"x"}"#,
            r#"{"type":"sow","ply":1}"#,
            r#"{"type":"sow","ply":1.5,"choice":"C"}"#,
            r#"{"type":"resign","now":true}"#,
            r#"{"type":"draw"}"#,
        ] {
            assert!(!is_message(text), "{text}");
        }
    }
}
