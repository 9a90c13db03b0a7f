//! Requests for the seats of a game: the free one, and the way of a player to another device.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use kalah_store::{GameId, ID_PATTERN, PlayerToken, Timestamp, TokenHash};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::games::command_error::CommandError;
use crate::games::live_game::GameCommand;
use crate::games::messages::{GameStateView, parse_name};
use crate::games::routes::{EmptyRequest, forbidden, game_handle, required_token};
use crate::http::error::ProblemResponse;
use crate::http::extract::{JsonBody, JsonResponse, PathParam};
use crate::state::SharedState;

/// The time in which a code has to be used.
const CODE_LIFETIME: Duration = Duration::from_mins(15);

/// The most codes at the same time. Beyond, the oldest are forgotten.
const MAX_CODES: usize = 10_000;

/// The body of `POST /api/v1/games/{game}/join`. It has no `Debug`, because it contains a token.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JoinRequest {
    /// The token that the client has chosen: 128 random bits. A request with the same token may be
    /// repeated, for example after a lost response.
    #[schemars(regex(pattern = ID_PATTERN))]
    token: String,
    /// The name of the player; by default the player has none.
    #[schemars(example = &"Bob")]
    name: Option<String>,
    /// Whether the player lets the game and its rematches count in the opening statistics of the
    /// server, without names. They count if the creator of the game does too.
    #[serde(default)]
    shares: bool,
}

/// The response of `POST /api/v1/games/{game}/seat-code`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SeatCodeResponse {
    /// The code, which gives the player's token to one other client.
    #[schemars(regex(pattern = ID_PATTERN))]
    code: String,
    /// The time in which the code has to be used, in seconds.
    expires_in_s: u64,
}

/// The body of `POST /api/v1/games/{game}/seat`. It has no `Debug`, because it contains a code.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeatRequest {
    /// The code of a seat.
    #[schemars(regex(pattern = ID_PATTERN))]
    code: String,
}

/// The response of `POST /api/v1/games/{game}/seat`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SeatResponse {
    /// The token of the player.
    #[schemars(regex(pattern = ID_PATTERN))]
    token: String,
    /// The state of the game.
    state: GameStateView,
}

/// A secret that gives the seat of a player to another device, once: 128 random bits.
#[derive(Debug)]
struct SeatCode(PlayerToken);

/// The codes that give the token of a player to another device of that player, once. They are in
/// memory only, because tokens are nowhere else on the server.
#[derive(Debug, Default)]
pub(crate) struct SeatCodes(Mutex<HashMap<[u8; TokenHash::BYTES], CodedSeat>>);

/// A seat that a code gives away.
#[derive(Debug)]
struct CodedSeat {
    game: GameId,
    token: PlayerToken,
    expiry: Timestamp,
}

impl SeatCodes {
    /// Creates a code for the token of a player, which replaces an earlier one.
    fn create(&self, game: GameId, token: PlayerToken, now: Timestamp) -> SeatCode {
        let code = SeatCode(PlayerToken::random());
        let seat = CodedSeat {
            game,
            token,
            expiry: now.saturating_add(CODE_LIFETIME),
        };
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|_, other| {
            other.expiry > now && (other.game, &other.token) != (game, &seat.token)
        });
        if codes.len() >= MAX_CODES {
            let oldest = codes.iter().min_by_key(|(_, seat)| seat.expiry);
            if let Some(oldest) = oldest.map(|(&code, _)| code) {
                codes.remove(&oldest);
            }
        }
        codes.insert(*code.0.hash().as_bytes(), seat);
        code
    }

    /// Returns the token that a code of this game gives away, and forgets the code.
    fn take(&self, game: GameId, code: &SeatCode, now: Timestamp) -> Option<PlayerToken> {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let code = code.0.hash();
        codes
            .get(code.as_bytes())
            .filter(|seat| seat.game == game)?;
        let seat = codes.remove(code.as_bytes())?;
        (seat.expiry > now).then_some(seat.token)
    }
}

/// `POST /api/v1/games/{game}/join`
pub(crate) async fn join(
    State(server): State<SharedState>,
    PathParam(game): PathParam,
    JsonBody(JoinRequest {
        token,
        name,
        shares,
    }): JsonBody<JoinRequest>,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    let handle = game_handle(&server, &game)?;
    let Some(token) = PlayerToken::parse(&token) else {
        return Err(ProblemResponse::unprocessable(
            "`token` is not a token, which has 22 letters, digits, `-` and `_`",
        ));
    };
    let name = parse_name(name.as_deref().unwrap_or_default())?;
    let outcome = handle
        .execute(&token, GameCommand::Join { name, shares })
        .await?;
    Ok(JsonResponse(outcome.view))
}

/// `POST /api/v1/games/{game}/seat-code`
pub(crate) async fn create_code(
    State(server): State<SharedState>,
    PathParam(game): PathParam,
    headers: HeaderMap,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<JsonResponse<SeatCodeResponse>, ProblemResponse> {
    let token = required_token(&headers)?;
    let handle = game_handle(&server, &game)?;
    handle.view(Some(&token)).await?;
    let now = server.games.time.now();
    let code = server.seat_codes.create(handle.id(), token, now);
    Ok(JsonResponse(SeatCodeResponse {
        code: code.0.reveal(),
        expires_in_s: CODE_LIFETIME.as_secs(),
    }))
}

/// `POST /api/v1/games/{game}/seat`
pub(crate) async fn take_seat(
    State(server): State<SharedState>,
    PathParam(game): PathParam,
    JsonBody(SeatRequest { code }): JsonBody<SeatRequest>,
) -> Result<JsonResponse<SeatResponse>, ProblemResponse> {
    let handle = game_handle(&server, &game)?;
    let now = server.games.time.now();
    let code = PlayerToken::parse(&code).map(SeatCode);
    let token = code.and_then(|code| server.seat_codes.take(handle.id(), &code, now));
    let token = token.ok_or_else(|| forbidden(&CommandError::InvalidCode))?;
    let state = handle.view(Some(&token)).await?;
    Ok(JsonResponse(SeatResponse {
        token: token.reveal(),
        state,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_gives_its_token_once_in_its_game_and_in_time() {
        let codes = SeatCodes::default();
        let at = Timestamp::from_millis;
        let (game, token) = (GameId::random(), PlayerToken::random());
        let code = codes.create(game, token.clone(), at(0));
        assert_eq!(codes.take(GameId::random(), &code, at(1)), None);
        assert_eq!(
            codes.take(game, &SeatCode(PlayerToken::random()), at(1)),
            None
        );
        assert_eq!(codes.take(game, &code, at(1)), Some(token.clone()));
        assert_eq!(codes.take(game, &code, at(1)), None);
        let late = codes.create(game, token, at(0));
        assert_eq!(
            codes.take(game, &late, at(0).saturating_add(CODE_LIFETIME)),
            None
        );
    }

    #[test]
    fn code_replaces_the_earlier_one_of_its_player() {
        let codes = SeatCodes::default();
        let at = Timestamp::from_millis;
        let (game, token) = (GameId::random(), PlayerToken::random());
        let first = codes.create(game, token.clone(), at(0));
        let other = codes.create(game, PlayerToken::random(), at(0));
        let second = codes.create(game, token.clone(), at(0));
        assert_eq!(codes.take(game, &first, at(1)), None);
        assert_eq!(codes.take(game, &second, at(1)), Some(token));
        assert!(codes.take(game, &other, at(1)).is_some());
    }

    #[test]
    fn oldest_codes_are_forgotten() {
        let codes = SeatCodes::default();
        let at = Timestamp::from_millis;
        let game = GameId::random();
        let times = (0..).take(MAX_CODES + 1);
        let all: Vec<_> = times
            .map(|time| codes.create(game, PlayerToken::random(), at(time)))
            .collect();
        let now = at(i64::try_from(MAX_CODES).expect("a small number"));
        assert_eq!(codes.take(game, &all[0], now), None);
        assert!(codes.take(game, &all[1], now).is_some());
    }
}
