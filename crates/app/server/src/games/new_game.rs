//! The request for a new game, and its response.

use std::time::Duration;

use kalah::{ByPlayer, ClockSetting, PlayerId, Position, Quoted, Setup, Side, TimeLimit};
use kalah_api::{JsonObject, RequestError, SideSchema};
use kalah_store::{
    FriendClockError, FriendClockSetting, GameId, ID_PATTERN, PlayerName, friend_clock_setting,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::games::friend_game::FriendGameOptions;
use crate::games::messages::{GameStateView, parse_name};
use crate::http::error::ProblemResponse;

/// The body of `POST /api/v1/games`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewGameRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    rules: Option<String>,
    /// The position; `6x4` by default.
    #[schemars(example = &"6x4")]
    position: Option<String>,
    /// The side of the player who creates the game; `south` by default.
    #[serde(default)]
    side: RequestedSide,
    /// The name of the player who creates the game, for the other player and spectators: 1 to 24
    /// characters without control and formatting characters. By default the player has none.
    #[schemars(example = &"Ann")]
    name: Option<String>,
    /// The clock of both players; none by default.
    #[schemars(with = "Option<ClockRequest>")]
    clock: Option<JsonObject<ClockRequest>>,
    /// The clock of the other player, if it differs from that of the creator.
    #[schemars(with = "Option<ClockRequest>")]
    friend_clock: Option<JsonObject<ClockRequest>>,
    /// The days for each move in a game by correspondence, which has no other clock: 1 to 14.
    #[schemars(range(min = 1, max = 14))]
    days_per_move: Option<u32>,
    /// Seeds that are in the players' stores at the start, in addition to those of the position.
    #[schemars(with = "Option<SeedsAhead>")]
    seeds_ahead: Option<JsonObject<SeedsAhead>>,
    /// Whether spectators may see scores during the game.
    #[serde(default)]
    spectator_scores: bool,
    /// Whether the creator lets the game and its rematches count in the opening statistics of the
    /// server, without names. They count if the other player does too.
    #[serde(default)]
    shares: bool,
}

/// The side that the creator of a game chose.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RequestedSide {
    #[default]
    South,
    North,
    Random,
}

/// A clock whose times are text such as `10m` and `5s`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockRequest {
    /// The time at the start, from 1s to 24h.
    #[schemars(example = &"10m")]
    initial: String,
    /// The time added for each turn, from 0s to 1h.
    #[schemars(example = &"5s")]
    increment: String,
}

/// Seeds that a player has ahead.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct SeedsAhead {
    /// The seeds of the player who creates the game.
    you: u16,
    /// The seeds of the other player.
    friend: u16,
}

/// The response of `POST /api/v1/games`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NewGameResponse {
    /// The id of the game.
    #[schemars(regex(pattern = ID_PATTERN))]
    pub(super) game: String,
    /// The side of the player who created the game.
    #[schemars(with = "SideSchema")]
    pub(super) side: Side,
    /// The token of the player who created the game.
    #[schemars(regex(pattern = ID_PATTERN))]
    pub(super) token: String,
    /// The state of the game.
    pub(super) state: GameStateView,
}

impl NewGameRequest {
    /// Returns the player who creates the game. A random side is drawn anew by each call.
    pub(super) fn creator(&self) -> PlayerId {
        PlayerId::new(match self.side {
            RequestedSide::South => Side::South,
            RequestedSide::North => Side::North,
            RequestedSide::Random => random_side(),
        })
    }

    /// Returns the name of the player who creates the game.
    ///
    /// # Errors
    /// Returns the reason why the text is not a name.
    pub(super) fn name(&self) -> Result<Option<PlayerName>, ProblemResponse> {
        parse_name(self.name.as_deref().unwrap_or_default())
    }

    /// Returns the options of the game that `creator` creates.
    ///
    /// # Errors
    /// Returns the first invalid field.
    pub(super) fn options(self, creator: PlayerId) -> Result<FriendGameOptions, ProblemResponse> {
        Ok(FriendGameOptions {
            start: self.start(creator)?,
            clock: self.clock(creator)?,
            spectator_scores: self.spectator_scores,
            shares: self.shares,
        })
    }

    fn start(&self, creator: PlayerId) -> Result<Position, ProblemResponse> {
        let start = kalah_api::parse_position(self.rules.as_deref(), self.position.as_deref())?;
        let ahead = self.seeds_ahead.as_ref();
        let SeedsAhead { you, friend } = ahead.map_or_else(Default::default, |ahead| ahead.0);
        let mut setup = Setup::from(&start);
        for (player, seeds) in [(creator, you), (creator.opponent(), friend)] {
            setup.stores[player.started_as] += u64::from(seeds);
        }
        let text = setup.to_string();
        let start = match setup.position(start.rules()) {
            Ok(start) => start,
            Err(reason) => return Err(RequestError::Unplayable { text, reason }.into()),
        };
        if start.is_over() {
            let typed = self.position.clone().filter(|_| ahead.is_none());
            let text = typed.unwrap_or(text);
            return Err(RequestError::StartIsOver(text).into());
        }
        Ok(start)
    }

    fn clock(&self, creator: PlayerId) -> Result<Option<FriendClockSetting>, ProblemResponse> {
        let parse = |times: &Option<JsonObject<ClockRequest>>| {
            let times = times.as_ref().map(|JsonObject(times)| times.parse());
            times.transpose()
        };
        let (own, friend) = (parse(&self.clock)?, parse(&self.friend_clock)?);
        match (own, friend, self.days_per_move) {
            (None, None, None) => Ok(None),
            (None, None, Some(days)) => {
                let setting = FriendClockSetting::correspondence(days);
                let setting = setting.map_err(|error| {
                    ProblemResponse::unprocessable(format!(
                        "{error}, not {}",
                        Quoted::literal(&days.to_string())
                    ))
                });
                setting.map(Some)
            }
            (Some(own), friend, None) => {
                let mut settings = ByPlayer::new(own, own);
                settings[creator.opponent()] = friend.unwrap_or(own);
                Ok(Some(FriendClockSetting::Game(settings)))
            }
            (None, Some(_), None) => Err(ProblemResponse::unprocessable(
                "`friend_clock` is given without `clock`, the clock of the creator",
            )),
            (_, _, Some(_)) => Err(ProblemResponse::unprocessable(
                "`days_per_move` and a clock are given, but a game has one of the two",
            )),
        }
    }
}

impl ClockRequest {
    /// Parses the times.
    ///
    /// # Errors
    /// Returns the first time that is invalid or out of range.
    pub(crate) fn parse(&self) -> Result<ClockSetting, ProblemResponse> {
        let read = |text: &str| -> Result<Duration, ProblemResponse> {
            let limit: TimeLimit = text.parse().map_err(RequestError::Time)?;
            Ok(limit.get())
        };
        friend_clock_setting(read(&self.initial)?, read(&self.increment)?).map_err(|error| {
            let input = match error {
                FriendClockError::Increment => &self.increment,
                _ => &self.initial,
            };
            ProblemResponse::unprocessable(format!("{error}, not {}", Quoted::literal(input)))
        })
    }
}

/// Returns a random side.
fn random_side() -> Side {
    // Every bit of a game id is random.
    match GameId::random().as_bytes()[0] & 1 {
        0 => Side::South,
        _ => Side::North,
    }
}
