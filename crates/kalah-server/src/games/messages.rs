//! JSON that the server and its clients exchange about games: views and WebSocket messages.

use axum::extract::ws::Utf8Bytes;
use kalah::Side;
use kalah_api::{MoveResultView, PerSide, PositionView};
use serde::{Deserialize, Serialize};

use crate::games::clock::{GameClock, Timestamp};
use crate::games::friend_game::FriendGame;
use crate::games::ids::{ByPlayer, PlayerId};
use crate::http::error::ProblemResponse;

/// All that is to be known of a game, for whoever looks at it. There is nothing secret in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameStateView {
    /// Which game.
    pub game: String,
    /// Its rules, as text.
    pub rules: String,
    /// The position before the first ply, as text.
    pub start: String,
    /// The choices made, the first one first.
    pub plies: Vec<String>,
    /// The position now.
    pub position: PositionView,
    /// Who is to move, as long as the game goes on.
    #[serde(rename = "side_to_move")]
    pub to_move: Side,
    /// Where the one who looks sits; nothing for those who watch.
    pub you: Option<Side>,
    /// The clock, if there is one.
    pub clock: Option<ClockView>,
    /// How it ended, once it has.
    #[serde(rename = "over")]
    pub ending: Option<EndingView>,
    /// Whether there will be another game.
    pub rematch: RematchView,
    /// Whether the person who sits there is connected.
    pub connected: PerSide<bool>,
}

/// A clock, as of the moment at which it is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockView {
    /// What each had at the start, in milliseconds.
    pub initial_ms: u64,
    /// What each turn adds, in milliseconds.
    pub increment_ms: u64,
    /// What South has left, in milliseconds.
    pub south_ms: u64,
    /// What North has left, in milliseconds.
    pub north_ms: u64,
    /// Whose time runs.
    pub running: Option<Side>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndingView {
    /// The word of a record's tag: `normal`, `resign` or `time`.
    pub termination: String,
    /// Who won; nothing for a tie.
    pub winner: Option<Side>,
}

/// Whether there will be another game between the same people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RematchView {
    /// Who has asked for it and waits for the other.
    pub offered_by: Option<Side>,
    /// The game, once both have asked for it.
    pub game: Option<String>,
}

impl GameStateView {
    /// A game as `person` sees it, or somebody who watches.
    pub fn new(
        game: &FriendGame,
        person: Option<PlayerId>,
        connected: ByPlayer<bool>,
        now: Timestamp,
    ) -> Self {
        let standing = game.state();
        let swapped = game.game().is_swapped();
        let position = game.game().position();
        Self {
            game: game.id().to_string(),
            rules: position.rules().to_string(),
            start: game.game().start().to_string(),
            plies: game.moves(),
            position: PositionView::from(position),
            to_move: position.to_move(),
            you: person.map(|person| person.side(swapped)),
            clock: standing
                .clock
                .map(|clock| ClockView::new(&clock, swapped, now)),
            ending: standing.ending.map(|ended| EndingView {
                termination: ended.termination.as_str().to_owned(),
                winner: ended.winner,
            }),
            rematch: RematchView {
                offered_by: standing
                    .rematch_offered_by()
                    .map(|person| person.side(swapped)),
                game: standing.rematch.map(|id| id.to_string()),
            },
            connected: connected.by_side(swapped).into(),
        }
    }
}

impl ClockView {
    /// A clock in a game in which the people have exchanged seats, or have not.
    pub fn new(clock: &GameClock, swapped: bool, now: Timestamp) -> Self {
        let millis =
            |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let left = |side| millis(clock.remaining(PlayerId::at_side(side, swapped), now));
        Self {
            initial_ms: millis(clock.setting().initial()),
            increment_ms: millis(clock.setting().increment()),
            south_ms: left(Side::South),
            north_ms: left(Side::North),
            running: clock.running().map(|running| running.player.side(swapped)),
        }
    }
}

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
