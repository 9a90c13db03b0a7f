use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::header::{AUTHORIZATION, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use kalah::Side;
use kalah_api::JsonObject;
use kalah_players::TimeLimit;
use serde::{Deserialize, Serialize};

use crate::answer::JsonResponse;
use crate::asked::JsonBody;
use crate::games::hall::{GameCommand, GameHandle};
use crate::games::live::{ConnectionPermit, MAX_MESSAGE_BYTES, WebSocketConnection};
use crate::games::{
    ClockSetting, CommandError, GameId, GameStateView, PlayerId, PlayerToken, origin,
};
use crate::problem::{ProblemResponse, quote};
use crate::segment::PathParam;
use crate::service::SharedState;
use crate::visitor::ClientIp;

/// What somebody asks who wants a game with a friend.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewGameRequest {
    rules: Option<String>,
    position: Option<String>,
    #[serde(default)]
    side: RequestedSide,
    clock: Option<JsonObject<ClockRequest>>,
}

/// Where the one who asks wants to sit.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RequestedSide {
    #[default]
    South,
    North,
    Random,
}

/// A clock in words, such as `10m` and `5s`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockRequest {
    initial: String,
    increment: String,
}

/// A game that was made, and what opens it.
#[derive(Serialize)]
pub(crate) struct NewGameResponse {
    game: String,
    side: Side,
    token: String,
    friend_token: String,
    state: GameStateView,
}

/// A sowing that somebody asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayMoveRequest {
    ply: usize,
    #[serde(rename = "choice")]
    mv: String,
}

/// What is asked where nothing needs to be said.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EmptyRequest {}

/// Bytes that are read at once from a live connection, which each has for itself: more than messages have.
const READ_BUFFER_BYTES: usize = 2 * MAX_MESSAGE_BYTES;

/// What a new game counts as, in requests: it stays on the disk for days.
const NEW_GAME_COST: u32 = 50;

/// `POST /api/v1/games`
pub(crate) async fn create(
    State(service): State<SharedState>,
    Extension(visitor): Extension<ClientIp>,
    JsonBody(asked): JsonBody<NewGameRequest>,
) -> Result<Response, ProblemResponse> {
    let start = kalah_api::parse_position(asked.rules.as_deref(), asked.position.as_deref())?;
    if start.is_over() {
        let position = quote(&start.to_string());
        return Err(unprocessable(format!(
            "the game is over in position {position}"
        )));
    }
    let clock = asked
        .clock
        .map(|JsonObject(words)| words.parse())
        .transpose()?;
    let person = PlayerId::new(match asked.side {
        RequestedSide::South => Side::South,
        RequestedSide::North => Side::North,
        RequestedSide::Random => random_side(),
    });
    service.check_rate_limit(visitor, NEW_GAME_COST)?;
    let made = service.games.create(start, clock, person).await?;
    let game = made.view.game.clone();
    let location = [(LOCATION, format!("/api/v1/games/{game}"))];
    let view = NewGameResponse {
        game,
        side: person.started_as,
        token: made.token.reveal(),
        friend_token: made.friend_token.reveal(),
        state: made.view,
    };
    Ok((StatusCode::CREATED, location, JsonResponse(view)).into_response())
}

/// `GET /api/v1/games/{game}`
pub(crate) async fn state(
    State(service): State<SharedState>,
    PathParam(game): PathParam,
    headers: HeaderMap,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    let held = game_handle(&service, &game)?;
    Ok(JsonResponse(
        held.view(bearer_token(&headers)?.as_ref()).await?,
    ))
}

/// `POST /api/v1/games/{game}/plies`
pub(crate) async fn play_move(
    State(service): State<SharedState>,
    PathParam(game): PathParam,
    headers: HeaderMap,
    JsonBody(PlayMoveRequest { ply, mv }): JsonBody<PlayMoveRequest>,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    execute(&service, &game, &headers, GameCommand::Play { ply, mv }).await
}

/// `POST /api/v1/games/{game}/resign`
pub(crate) async fn resign(
    State(service): State<SharedState>,
    PathParam(game): PathParam,
    headers: HeaderMap,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    execute(&service, &game, &headers, GameCommand::Resign).await
}

/// `POST /api/v1/games/{game}/rematch`
pub(crate) async fn rematch(
    State(service): State<SharedState>,
    PathParam(game): PathParam,
    headers: HeaderMap,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    execute(&service, &game, &headers, GameCommand::Rematch).await
}

/// `GET /api/v1/games/{game}/live`
pub(crate) async fn websocket(
    State(service): State<SharedState>,
    Extension(visitor): Extension<ClientIp>,
    PathParam(game): PathParam,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ProblemResponse> {
    origin::check(&headers)?;
    let game = parse_game_id(&game)?;
    let place = ConnectionPermit::acquire(&service, visitor)?;
    // The server waits for the end of the connection.
    let task = service.shutdown.tasks.token();
    let upgrade = upgrade
        .read_buffer_size(READ_BUFFER_BYTES)
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES);
    Ok(upgrade.on_upgrade(move |socket| async move {
        WebSocketConnection::new(place, game, socket).serve().await;
        drop(task);
    }))
}

async fn execute(
    service: &SharedState,
    game: &str,
    headers: &HeaderMap,
    act: GameCommand,
) -> Result<JsonResponse<GameStateView>, ProblemResponse> {
    let held = game_handle(service, game)?;
    let token = bearer_token(headers)?.ok_or_else(|| forbidden(&CommandError::MissingToken))?;
    Ok(JsonResponse(held.execute(&token, act).await?.view))
}

fn game_handle(service: &SharedState, game: &str) -> Result<GameHandle, ProblemResponse> {
    Ok(service.games.get(parse_game_id(game)?))
}

fn parse_game_id(game: &str) -> Result<GameId, ProblemResponse> {
    game.parse().map_err(|_| {
        let detail = format!("there is no game {}", quote(game));
        ProblemResponse::new(StatusCode::NOT_FOUND, detail)
    })
}

/// The token of a request, if it has one.
fn bearer_token(headers: &HeaderMap) -> Result<Option<PlayerToken>, ProblemResponse> {
    let Some(value) = headers.get(AUTHORIZATION) else {
        return Ok(None);
    };
    let text = value.to_str().ok().and_then(|text| text.split_once(' '));
    let token = match text {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => PlayerToken::parse(token),
        _ => None,
    };
    token
        .map(Some)
        .ok_or_else(|| forbidden(&CommandError::InvalidToken))
}

fn forbidden(refused: &CommandError) -> ProblemResponse {
    ProblemResponse::new(StatusCode::FORBIDDEN, refused.to_string())
}

fn unprocessable(detail: String) -> ProblemResponse {
    ProblemResponse::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
}

/// Either side, each as likely as the other.
fn random_side() -> Side {
    // A name of a game is random in every bit.
    match GameId::random().as_bytes()[0] & 1 {
        0 => Side::South,
        _ => Side::North,
    }
}

impl ClockRequest {
    fn parse(&self) -> Result<ClockSetting, ProblemResponse> {
        let read = |text: &str| -> Result<Duration, ProblemResponse> {
            let limit: TimeLimit = text.parse().map_err(kalah_api::RequestError::Time)?;
            Ok(limit.get())
        };
        ClockSetting::new(read(&self.initial)?, read(&self.increment)?)
            .map_err(|error| unprocessable(error.to_string()))
    }
}
