//! JSON that the server and its clients exchange about games: views, WebSocket messages, and errors
//! with their problem documents.

use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use axum::http::StatusCode;
use kalah::{ByPlayer, BySide, ClockSetting, PlayerId, Side};
use kalah_api::{
    BySideSchema, MOVE_PATTERN, MoveResultView, POSITION_PATTERN, PositionView, SideSchema,
};
use kalah_store::{
    FriendClock, FriendClockSetting, GameId, GameRoom, GameStoreError, ID_PATTERN, Offer,
    ParsePlayerNameError, PlayerName, ROOM_CODE_PATTERN, Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::games::command_error::CommandError;
use crate::games::friend_game::{DamagedGameError, FriendGame};
use crate::games::offer::OfferAction;
use crate::http::error::ProblemResponse;

/// The public state of a game, without secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct GameStateView {
    /// The id.
    #[schemars(regex(pattern = ID_PATTERN))]
    pub(crate) game: String,
    /// The rules as text.
    pub(crate) rules: String,
    /// The position before the first ply, as text.
    #[schemars(regex(pattern = POSITION_PATTERN))]
    pub(crate) start: String,
    /// The moves of all plies.
    #[schemars(inner(regex(pattern = MOVE_PATTERN)))]
    pub(crate) plies: Vec<String>,
    /// The current position.
    pub(crate) position: PositionView,
    /// The side to move, meaningless after the end of the game.
    #[schemars(with = "SideSchema")]
    pub(crate) to_move: Side,
    /// The side of the player who receives this; `None` for spectators.
    #[schemars(with = "Option<SideSchema>")]
    pub(crate) you: Option<Side>,
    /// The name of the player of each side, if the player has given one.
    #[schemars(with = "BySideSchema<Option<String>>")]
    pub(crate) names: BySide<Option<String>>,
    /// The side whose seat is free, before the second player has joined.
    #[schemars(with = "Option<SideSchema>")]
    pub(crate) free_seat: Option<Side>,
    /// Whether spectators may see scores during the game.
    pub(crate) spectator_scores: bool,
    /// Whether the game counts in the opening statistics of the server.
    pub(crate) statistics: StatisticsConsentView,
    /// The room to which the game belongs.
    pub(crate) room: Option<GameRoomView>,
    /// Whether the leader of the room has paused the game.
    pub(crate) paused: bool,
    /// The clock, if the game has one.
    pub(crate) clock: Option<ClockView>,
    /// The ending, after the end of the game.
    pub(crate) ending: Option<EndingView>,
    /// The offer of a takeback.
    pub(crate) takeback: TakebackView,
    /// The offer of a rematch.
    pub(crate) rematch: RematchView,
    /// Whether the player of each side is connected.
    #[schemars(with = "BySideSchema<bool>")]
    pub(crate) connected: BySide<bool>,
}

/// Whether the players let a game count in the opening statistics of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StatisticsConsentView {
    /// Neither player does.
    None,
    /// One player does, and the other has not agreed.
    Offered,
    /// Both players do. The game counts after its end.
    Agreed,
}

impl StatisticsConsentView {
    fn new(shares: ByPlayer<bool>) -> Self {
        match PlayerId::ALL.map(|player| shares[player]) {
            [true, true] => Self::Agreed,
            [false, false] => Self::None,
            _ => Self::Offered,
        }
    }
}

/// The room of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct GameRoomView {
    /// The code.
    #[schemars(regex(pattern = ROOM_CODE_PATTERN))]
    pub(crate) code: String,
    /// The name.
    pub(crate) name: String,
    /// Whether players may use hints, scores and analyses during the game.
    pub(crate) engine_help: bool,
    /// Whether players may take back moves.
    pub(crate) takebacks: bool,
}

impl From<&GameRoom> for GameRoomView {
    fn from(room: &GameRoom) -> Self {
        Self {
            code: room.code.to_string(),
            name: room.name.to_string(),
            engine_help: room.engine_help,
            takebacks: room.takebacks,
        }
    }
}

/// A clock at the time of the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ClockView {
    /// The times at the start of the game.
    #[schemars(with = "BySideSchema<ClockTimesView>")]
    pub(crate) times: BySide<ClockTimesView>,
    /// Whether it is a game by correspondence, in which each move has the initial time.
    pub(crate) by_correspondence: bool,
    /// The remaining time of South in milliseconds.
    pub(crate) south_ms: u64,
    /// The remaining time of North in milliseconds.
    pub(crate) north_ms: u64,
    /// The side whose time runs.
    #[schemars(with = "Option<SideSchema>")]
    pub(crate) running: Option<Side>,
    /// The remaining time for the first move of the side whose time runs, in milliseconds, before
    /// that move. It is not taken from the clock. When it is over, the game ends without a result.
    pub(crate) first_move_ms: Option<u64>,
}

/// The times of a player's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ClockTimesView {
    /// The initial time in milliseconds.
    pub(crate) initial_ms: u64,
    /// The time added for each turn in milliseconds.
    pub(crate) increment_ms: u64,
}

/// The ending of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct EndingView {
    /// The value of the record tag: `normal`, `resign` or `time`; `unfinished` if a first move was
    /// not made in time or the game was voided, and `adjudicated` by the leader of a room.
    pub(crate) termination: String,
    /// The side that won; `None` for a tie and without a result.
    #[schemars(with = "Option<SideSchema>")]
    pub(crate) winner: Option<Side>,
}

/// The offer of a takeback since the last ply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct TakebackView {
    /// The side with an open offer.
    #[schemars(with = "Option<SideSchema>")]
    pub(crate) offered_by: Option<Side>,
    /// The side that has declined the offer of the other side.
    #[schemars(with = "Option<SideSchema>")]
    pub(crate) declined_by: Option<Side>,
    /// The number of plies that an open offer leaves.
    pub(crate) plies_left: Option<usize>,
}

/// The offer of a rematch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RematchView {
    /// The side with an open offer.
    #[schemars(with = "Option<SideSchema>")]
    pub(crate) offered_by: Option<Side>,
    /// The side that has declined the offer of the other side.
    #[schemars(with = "Option<SideSchema>")]
    pub(crate) declined_by: Option<Side>,
    /// The id of the new game, once both players want it.
    #[schemars(regex(pattern = ID_PATTERN))]
    pub(crate) game: Option<String>,
}

impl GameStateView {
    /// Returns the state of a game as `player` sees it, or a spectator.
    pub(crate) fn new(
        game: &FriendGame,
        player: Option<PlayerId>,
        connected: ByPlayer<bool>,
        now: Timestamp,
    ) -> Self {
        let state = game.state();
        let swapped = game.game().is_swapped();
        let position = game.game().position();
        let rematch_offer = state.rematch_offer.filter(|_| state.rematch.is_none());
        Self {
            game: game.id().to_string(),
            rules: position.rules().to_string(),
            start: game.game().start().to_string(),
            plies: game.moves(),
            position: PositionView::from(position),
            to_move: position.to_move(),
            you: player.map(|player| player.side(swapped)),
            names: ByPlayer::from_fn(|player| {
                state.names[player].as_ref().map(ToString::to_string)
            })
            .by_side(swapped),
            free_seat: game.free_seat().map(|player| player.side(swapped)),
            spectator_scores: game.spectator_scores(),
            statistics: StatisticsConsentView::new(state.shares),
            room: game.room().map(GameRoomView::from),
            paused: state.is_paused,
            clock: state
                .clock
                .map(|clock| ClockView::new(&clock, swapped, now)),
            ending: state.ending.map(|ending| EndingView {
                termination: ending.termination.as_str().to_owned(),
                winner: ending.winner,
            }),
            takeback: TakebackView {
                offered_by: open(state.takeback).map(|player| player.side(swapped)),
                declined_by: declined(state.takeback).map(|player| player.side(swapped)),
                plies_left: open(state.takeback)
                    .and_then(|player| game.plies_before_last_of(player)),
            },
            rematch: RematchView {
                offered_by: open(rematch_offer).map(|player| player.side(swapped)),
                declined_by: declined(rematch_offer).map(|player| player.side(swapped)),
                game: state.rematch.map(|id| id.to_string()),
            },
            connected: connected.by_side(swapped),
        }
    }
}

/// Returns the player who has an open offer.
fn open(offer: Option<Offer>) -> Option<PlayerId> {
    offer
        .filter(|offer| !offer.is_declined)
        .map(|offer| offer.by)
}

/// Returns the player who has declined an offer.
fn declined(offer: Option<Offer>) -> Option<PlayerId> {
    offer
        .filter(|offer| offer.is_declined)
        .map(|offer| offer.by.opponent())
}

impl ClockView {
    /// Returns the times at `now`, by current side.
    pub(crate) fn new(clock: &FriendClock, swapped: bool, now: Timestamp) -> Self {
        let remaining = |side| millis(clock.remaining(PlayerId::at_side(side, swapped), now));
        let (times, by_correspondence) = match clock.setting() {
            FriendClockSetting::Game(settings) => (settings.by_side(swapped), false),
            FriendClockSetting::Move(setting) => (BySide::new(setting, setting), true),
        };
        Self {
            times: BySide::from_fn(|side| times[side].into()),
            by_correspondence,
            south_ms: remaining(Side::South),
            north_ms: remaining(Side::North),
            running: clock.running().map(|running| running.player.side(swapped)),
            first_move_ms: clock.remaining_for_first_move(now).map(millis),
        }
    }
}

impl From<ClockSetting> for ClockTimesView {
    fn from(setting: ClockSetting) -> Self {
        Self {
            initial_ms: millis(setting.initial()),
            increment_ms: millis(setting.increment()),
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A message of a client over WebSocket. It has no `Debug`, because `Hello` contains a token.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum ClientMessage {
    /// Identifies the client. It is the first message of every connection.
    Hello {
        /// The token of a player; without one the client is a spectator.
        token: Option<String>,
        /// The number of plies that the client knows.
        since: Option<usize>,
    },
    /// Play a move.
    Move {
        /// The number of the ply, counted from 1.
        ply: usize,
        /// The letter of a house or `swap`.
        #[serde(rename = "move")]
        mv: String,
    },
    /// Set the name of the player.
    Name {
        /// The name; an empty one deletes it.
        name: String,
    },
    /// Ask for [`ServerMessage::Pong`], because the client wants to know whether the connection is
    /// alive.
    Ping {},
    /// Say a phrase to the other player and to spectators.
    Phrase {
        /// The phrase.
        phrase: Phrase,
    },
    /// Resign.
    Resign {},
    /// Act on the offer of a takeback.
    Takeback {
        /// The action.
        action: OfferAction,
    },
    /// Act on the offer of a rematch.
    Rematch {
        /// The action.
        action: OfferAction,
    },
}

/// A phrase of a player to the other one. Clients show it in the language of their user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Phrase {
    /// Hello!
    Hello,
    /// Good luck!
    GoodLuck,
    /// Nice move!
    NiceMove,
    /// Oops!
    Oops,
    /// One moment, please.
    OneMoment,
    /// Thank you!
    Thanks,
    /// Good game!
    GoodGame,
    /// Goodbye!
    Goodbye,
}

/// A message of the server over WebSocket.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum ServerMessage<'a> {
    /// The state of the game.
    State {
        /// The state as the receiver sees it.
        state: &'a GameStateView,
    },
    /// A move was played.
    Move {
        /// The number of the ply, counted from 1.
        ply: usize,
        /// The result of the move.
        result: &'a MoveResultView,
        /// The clock after the last ply, if the game has a clock.
        #[serde(skip_serializing_if = "Option::is_none")]
        clock: Option<ClockView>,
    },
    /// The answer to [`ClientMessage::Ping`]. It has no fields while the game is changing.
    Pong {
        /// The number of plies.
        #[serde(skip_serializing_if = "Option::is_none")]
        plies: Option<usize>,
        /// The clock, if the game has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        clock: Option<ClockView>,
    },
    /// A player says a phrase.
    Phrase {
        /// The side of the player.
        side: Side,
        /// The phrase.
        phrase: Phrase,
    },
}

impl ServerMessage<'_> {
    /// Returns the message as JSON.
    pub(crate) fn to_text(&self) -> Utf8Bytes {
        let text = serde_json::to_string(self);
        text.expect("strings, numbers and lists of them can always be written")
            .into()
    }
}

/// The error of an operation on a game.
#[derive(Debug)]
pub(crate) enum GameError {
    /// No game has this id.
    NotFound(GameId),
    /// The game rejects the command.
    Rejected {
        /// The reason.
        reason: CommandError,
        /// The current state of the game.
        state: Box<GameStateView>,
    },
    /// Too many connections of spectators to the game are open.
    TooManySpectators {
        /// The maximum.
        maximum: usize,
    },
    /// The last phrase of the player was just sent.
    TooManyPhrases,
    /// The store failed.
    Store(GameStoreError),
    /// A stored game is invalid.
    Damaged {
        /// The id.
        id: GameId,
        /// The reason.
        reason: DamagedGameError,
    },
    /// The task of the operation panicked.
    Panicked,
}

impl From<GameStoreError> for GameError {
    fn from(error: GameStoreError) -> Self {
        match error {
            GameStoreError::GameNotFound(id) => Self::NotFound(id),
            error => Self::Store(error),
        }
    }
}

/// Problem documents for clients. Errors of the server itself are logged.
impl From<GameError> for ProblemResponse {
    fn from(error: GameError) -> Self {
        /// A connection may have been closed by then.
        const RETRY_DELAY: Duration = Duration::from_secs(30);
        match error {
            GameError::NotFound(id) => Self::new(
                StatusCode::NOT_FOUND,
                format!("there is no game `{id}`, or it was deleted"),
            ),
            GameError::TooManySpectators { maximum } => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                format!("this game has {maximum} live connections of spectators, the maximum"),
            )
            .with_retry_after(RETRY_DELAY),
            GameError::TooManyPhrases => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "a player may say one phrase a second",
            )
            .with_retry_after(Duration::from_secs(1)),
            GameError::Rejected {
                reason: CommandError::InvalidMove(problem),
                ..
            } => problem.into(),
            GameError::Rejected { reason, state } => {
                let status = match reason {
                    CommandError::InvalidToken
                    | CommandError::InvalidCode
                    | CommandError::MissingToken => StatusCode::FORBIDDEN,
                    _ => StatusCode::CONFLICT,
                };
                let problem = Self::new(status, reason.to_string());
                match (status, serde_json::to_value(state)) {
                    (StatusCode::CONFLICT, Ok(state)) => problem.with_state(state),
                    _ => problem,
                }
            }
            GameError::Store(GameStoreError::Closed) => Self::shutting_down(),
            GameError::Store(error) => {
                tracing::error!(%error, "the store of games failed");
                Self::internal()
            }
            GameError::Damaged { id, reason } => {
                tracing::error!(%id, %reason, "a stored game is damaged");
                Self::internal()
            }
            GameError::Panicked => Self::internal(),
        }
    }
}

/// Parses the name of a player. An empty text is no name.
pub(super) fn parse_name(text: &str) -> Result<Option<PlayerName>, ProblemResponse> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse()
        .map(Some)
        .map_err(|error: ParsePlayerNameError| ProblemResponse::unprocessable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parses(text: &str) -> bool {
        serde_json::from_str::<ClientMessage>(text).is_ok()
    }

    #[test]
    fn unknown_fields_and_types_are_rejected() {
        for text in [
            r#"{"type":"hello"}"#,
            r#"{"type":"hello","token":"x","since":3}"#,
            r#"{"move":"C","type":"move","ply":1}"#,
            r#"{"type":"name","name":"Ann"}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"phrase","phrase":"good-game"}"#,
            r#"{"type":"resign"}"#,
            r#"{"type":"takeback","action":"withdraw"}"#,
            r#"{"type":"rematch","action":"offer"}"#,
        ] {
            assert!(parses(text), "{text}");
        }
        for text in [
            "",
            "[]",
            r#"{"type":"hello","since":-1}"#,
            r#"{"type":"hello","tokens":"x"}"#,
            r#"{"type":"move","ply":1}"#,
            r#"{"type":"move","ply":1.5,"move":"C"}"#,
            r#"{"type":"name"}"#,
            r#"{"type":"name","name":null}"#,
            r#"{"type":"ping","id":1}"#,
            r#"{"type":"phrase","phrase":"Good game!"}"#,
            r#"{"type":"resign","now":true}"#,
            r#"{"type":"rematch"}"#,
            r#"{"type":"takeback","action":"undo"}"#,
            r#"{"type":"draw"}"#,
        ] {
            assert!(!parses(text), "{text}");
        }
    }
}
