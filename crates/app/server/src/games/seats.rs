//! Requests for the seats of a game: the free one, and the way of a player to another device.

use axum::extract::State;
use axum::http::HeaderMap;
use kalah_store::{ID_PATTERN, PlayerToken};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::device_codes::{DeviceCode, DeviceCodeRequest, DeviceCodeResponse};
use crate::games::command_error::CommandError;
use crate::games::live_game::GameCommand;
use crate::games::messages::{GameStateView, parse_name};
use crate::games::routes::{EmptyRequest, forbidden, game_handle, required_token};
use crate::http::error::ProblemResponse;
use crate::http::extract::{JsonBody, JsonResponse, PathParam};
use crate::state::SharedState;

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

/// The response of `POST /api/v1/games/{game}/seat`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SeatResponse {
    /// The token of the player.
    #[schemars(regex(pattern = ID_PATTERN))]
    token: String,
    /// The state of the game.
    state: GameStateView,
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
) -> Result<JsonResponse<DeviceCodeResponse>, ProblemResponse> {
    let token = required_token(&headers)?;
    let handle = game_handle(&server, &game)?;
    handle.view(Some(&token)).await?;
    let now = server.games.time.now();
    let code = server.seat_codes.create(handle.id(), token, now);
    Ok(JsonResponse(code.into()))
}

/// `POST /api/v1/games/{game}/seat`
pub(crate) async fn take_seat(
    State(server): State<SharedState>,
    PathParam(game): PathParam,
    JsonBody(DeviceCodeRequest { code }): JsonBody<DeviceCodeRequest>,
) -> Result<JsonResponse<SeatResponse>, ProblemResponse> {
    let handle = game_handle(&server, &game)?;
    let now = server.games.time.now();
    let code = DeviceCode::parse(&code);
    let token = code.and_then(|code| server.seat_codes.take(&handle.id(), &code, now));
    let token = token.ok_or_else(|| forbidden(&CommandError::InvalidCode))?;
    let state = handle.view(Some(&token)).await?;
    Ok(JsonResponse(SeatResponse {
        token: token.reveal(),
        state,
    }))
}
