//! Handlers of `/api/v1/games`.

use std::num::NonZeroU32;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use kalah::Quoted;
use kalah_store::{GameId, PlayerToken};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::games::command_error::CommandError;
use crate::games::game_handle::GameHandle;
use crate::games::live_game::GameCommand;
use crate::games::messages::{GameStateView, parse_name};
use crate::games::new_game::{NewGameRequest, NewGameResponse};
use crate::games::offer::OfferAction;
use crate::games::websocket::GameSocket;
use crate::http::bearer_token::{InvalidBearerToken, bearer_token};
use crate::http::error::ProblemResponse;
use crate::http::extract::{JsonBody, JsonResponse, PathParam};
use crate::http::live_socket::{self, SocketUpgrade};
use crate::http::rate_limit::ClientIp;
use crate::state::SharedState;

/// The body of `POST /api/v1/games/{game}/plies`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayMoveRequest {
    /// The number of the ply, counted from 1: one more than have been played.
    ply: usize,
    /// A house of the side to move, or `swap`.
    #[serde(rename = "move")]
    #[schemars(example = &"C")]
    mv: String,
}

/// The body of `POST /api/v1/games/{game}/name`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NameRequest {
    /// The name: 1 to 24 characters without control and formatting characters. An empty text
    /// deletes it.
    #[schemars(example = &"Ann")]
    name: String,
}

/// The body of `POST /api/v1/games/{game}/takeback` and of `POST /api/v1/games/{game}/rematch`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfferRequest {
    /// Makes an offer, withdraws the own offer, or accepts or declines that of the other player.
    action: OfferAction,
}

/// A body without fields.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EmptyRequest {}

/// The cost of a new game in plain requests. A game stays on disk for days.
const NEW_GAME_COST: NonZeroU32 = NonZeroU32::new(50).expect("not zero");

/// `POST /api/v1/games`
pub(crate) async fn create(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(request): JsonBody<NewGameRequest>,
) -> Result<Response, ProblemResponse> {
    let (creator, name) = (request.creator(), request.name()?);
    let options = request.options(creator)?;
    server.check_rate_limit(client_ip, NEW_GAME_COST)?;
    let created = server.games.create(options, creator, name).await?;
    let game = created.view.game.clone();
    let location = [(LOCATION, format!("/api/v1/games/{game}"))];
    let view = NewGameResponse {
        game,
        side: creator.started_as,
        token: created.token.reveal(),
        state: created.view,
    };
    Ok((StatusCode::CREATED, location, JsonResponse(view)).into_response())
}

/// `GET /api/v1/games/{game}`
pub(crate) async fn state(
    State(server): State<SharedState>,
    PathParam(game): PathParam,
    headers: HeaderMap,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    let handle = game_handle(&server, &game)?;
    Ok(JsonResponse(
        handle.view(game_token(&headers)?.as_ref()).await?,
    ))
}

/// `POST /api/v1/games/{game}/plies`
pub(crate) async fn play_move(
    State(server): State<SharedState>,
    PathParam(game): PathParam,
    headers: HeaderMap,
    JsonBody(PlayMoveRequest { ply, mv }): JsonBody<PlayMoveRequest>,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    execute(&server, &game, &headers, GameCommand::Play { ply, mv }).await
}

/// `POST /api/v1/games/{game}/name`
pub(crate) async fn set_name(
    State(server): State<SharedState>,
    PathParam(game): PathParam,
    headers: HeaderMap,
    JsonBody(NameRequest { name }): JsonBody<NameRequest>,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    let command = GameCommand::SetName(parse_name(&name)?);
    execute(&server, &game, &headers, command).await
}

/// `POST /api/v1/games/{game}/resign`
pub(crate) async fn resign(
    State(server): State<SharedState>,
    PathParam(game): PathParam,
    headers: HeaderMap,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    execute(&server, &game, &headers, GameCommand::Resign).await
}

/// `POST /api/v1/games/{game}/takeback`
pub(crate) async fn takeback(
    State(server): State<SharedState>,
    PathParam(game): PathParam,
    headers: HeaderMap,
    JsonBody(OfferRequest { action }): JsonBody<OfferRequest>,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    execute(&server, &game, &headers, GameCommand::Takeback(action)).await
}

/// `POST /api/v1/games/{game}/rematch`
pub(crate) async fn rematch(
    State(server): State<SharedState>,
    PathParam(game): PathParam,
    headers: HeaderMap,
    JsonBody(OfferRequest { action }): JsonBody<OfferRequest>,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    execute(&server, &game, &headers, GameCommand::Rematch(action)).await
}

/// `GET /api/v1/games/{game}/live`
pub(crate) async fn websocket(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    PathParam(game): PathParam,
    upgrade: Result<SocketUpgrade, ProblemResponse>,
) -> Result<Response, ProblemResponse> {
    let game = parse_game_id(&game)?;
    let state = Arc::clone(&server);
    Ok(live_socket::accept(&server, upgrade?, move |socket| {
        GameSocket::new(state, client_ip, game, socket).serve()
    }))
}

async fn execute(
    server: &SharedState,
    game: &str,
    headers: &HeaderMap,
    command: GameCommand,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    let handle = game_handle(server, game)?;
    let token = required_token(headers)?;
    Ok(JsonResponse(handle.execute(&token, command).await?.view))
}

pub(crate) fn game_handle(server: &SharedState, game: &str) -> Result<GameHandle, ProblemResponse> {
    Ok(server.games.get(parse_game_id(game)?))
}

fn parse_game_id(game: &str) -> Result<GameId, ProblemResponse> {
    game.parse().map_err(|_| {
        let detail = format!("there is no game {}", Quoted::literal(game));
        ProblemResponse::new(StatusCode::NOT_FOUND, detail)
    })
}

/// Returns the bearer token of a request that needs one.
pub(super) fn required_token(headers: &HeaderMap) -> Result<PlayerToken, ProblemResponse> {
    game_token(headers)?.ok_or_else(|| forbidden(&CommandError::MissingToken))
}

/// Returns the bearer token of a request about a game, if it has one.
fn game_token(headers: &HeaderMap) -> Result<Option<PlayerToken>, ProblemResponse> {
    bearer_token(headers).map_err(|InvalidBearerToken| forbidden(&CommandError::InvalidToken))
}

pub(super) fn forbidden(error: &CommandError) -> ProblemResponse {
    ProblemResponse::new(StatusCode::FORBIDDEN, error.to_string())
}
