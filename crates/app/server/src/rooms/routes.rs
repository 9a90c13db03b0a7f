//! Handlers of `/api/v1/rooms`.

use std::num::NonZeroU32;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use kalah_store::{GameId, ID_PATTERN, ParseRoomCodeError, PlayerToken, RoomCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::bearer_token::{InvalidBearerToken, bearer_token};
use crate::http::error::ProblemResponse;
use crate::http::extract::{JSON, JsonBody, JsonResponse, PathParam};
use crate::http::live_socket::{self, SocketUpgrade};
use crate::http::rate_limit::ClientIp;
use crate::rooms::commands::{RoomCommandRequest, parse_member_name};
use crate::rooms::live_room::LiveRoom;
use crate::rooms::messages::{RoleView, RoomStateView};
use crate::rooms::new_room::{NewRoomRequest, NewRoomResponse};
use crate::rooms::state::room::{Newcomer, Room, RoomRole};
use crate::rooms::state::room_error::{RoomCommandError, RoomError};
use crate::rooms::websocket::RoomSocket;
use crate::state::{ServerState, SharedState};

/// The cost of a new room in plain requests. A room stays on disk for days.
const NEW_ROOM_COST: NonZeroU32 = NonZeroU32::new(50).expect("not zero");

/// The cost of the standings, the whole state and the results of a room in plain requests, in
/// addition to the request itself.
pub(super) const WHOLE_ROOM_COST: NonZeroU32 = NonZeroU32::new(2).expect("not zero");

/// The body of `POST /api/v1/rooms/{room}/enter`. It has no `Debug`, because it contains a token.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnterRequest {
    /// The token that the client has chosen: 128 random bits. A request with the same token may be
    /// repeated, for example after a lost response or on the next day.
    #[schemars(regex(pattern = ID_PATTERN))]
    token: String,
    /// The name of the member, which no other member has: 1 to 24 characters.
    #[schemars(example = &"Bob")]
    name: String,
    /// Whether the member is a program, which all others see.
    #[serde(default)]
    bot: bool,
}

/// The response of `POST /api/v1/rooms/{room}/enter`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct EnterResponse {
    /// The number of the member.
    member: u32,
    /// The state of the room.
    state: RoomStateView,
}

/// The response of `POST /api/v1/rooms/{room}/commands`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CommandResponse {}

/// `POST /api/v1/rooms`
pub(crate) async fn create(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(request): JsonBody<NewRoomRequest>,
) -> Result<Response, ProblemResponse> {
    let settings = request.settings(random_seed())?;
    server.check_rate_limit(client_ip, NEW_ROOM_COST)?;
    server.check_room_limit(client_ip)?;
    let created = server.rooms.create(settings).await?;
    let role = RoleView {
        member: None,
        leader: true,
    };
    let state = state_view(&server, &created.live_room, role).await?;
    let code = state.head.code.clone();
    let location = [(LOCATION, format!("/api/v1/rooms/{code}"))];
    let view = NewRoomResponse {
        code,
        leader_token: created.token.reveal(),
        state,
    };
    Ok((StatusCode::CREATED, location, JsonResponse(view)).into_response())
}

/// `GET /api/v1/rooms/{room}`
pub(crate) async fn state(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    PathParam(room): PathParam,
    headers: HeaderMap,
) -> Result<JsonResponse<RoomStateView>, ProblemResponse> {
    let token = room_token(&headers)?;
    let (live_room, role) = find_room(&server, client_ip, &room, token.as_ref()).await?;
    server.check_rate_limit(client_ip, WHOLE_ROOM_COST)?;
    Ok(JsonResponse(state_view(&server, &live_room, role).await?))
}

/// `POST /api/v1/rooms/{room}/enter`
pub(crate) async fn enter(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    PathParam(room): PathParam,
    JsonBody(EnterRequest { token, name, bot }): JsonBody<EnterRequest>,
) -> Result<JsonResponse<EnterResponse>, ProblemResponse> {
    let Some(token) = PlayerToken::parse(&token) else {
        return Err(ProblemResponse::unprocessable(
            "`token` is not a token, which has 22 letters, digits, `-` and `_`",
        ));
    };
    let newcomer = Newcomer {
        name: parse_member_name(&name)?,
        is_bot: bot,
    };
    let is_member = |room: &Room| room.is_member(&token);
    let live_room = locate(&server, client_ip, &room, is_member).await?;
    let entered = server.rooms.enter(&live_room, token, newcomer, client_ip);
    let member = entered.await?;
    let role = RoleView {
        member: Some(member),
        leader: false,
    };
    let state = state_view(&server, &live_room, role).await?;
    Ok(JsonResponse(EnterResponse { member, state }))
}

/// `POST /api/v1/rooms/{room}/commands`
pub(crate) async fn command(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    PathParam(room): PathParam,
    headers: HeaderMap,
    JsonBody(command): JsonBody<RoomCommandRequest>,
) -> Result<JsonResponse<CommandResponse>, ProblemResponse> {
    let token = room_token(&headers)?.ok_or(RoomCommandError::MissingToken)?;
    let command = command.parse()?;
    let (live_room, _) = find_room(&server, client_ip, &room, Some(&token)).await?;
    server.rooms.execute(&live_room, token, command).await?;
    Ok(JsonResponse(CommandResponse {}))
}

/// `GET /api/v1/rooms/{room}/standings`
pub(crate) async fn standings(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    PathParam(room): PathParam,
    headers: HeaderMap,
) -> Result<Response, ProblemResponse> {
    let token = room_token(&headers)?;
    let (live_room, _) = find_room(&server, client_ip, &room, token.as_ref()).await?;
    server.check_rate_limit(client_ip, WHOLE_ROOM_COST)?;
    let standings = server.rooms.standings(&live_room).await?;
    Ok(([(CONTENT_TYPE, JSON)], standings).into_response())
}

/// `GET /api/v1/rooms/{room}/live`
pub(crate) async fn websocket(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    PathParam(room): PathParam,
    upgrade: Result<SocketUpgrade, ProblemResponse>,
) -> Result<Response, ProblemResponse> {
    let code = parse_code(&room)?;
    let state = Arc::clone(&server);
    Ok(live_socket::accept(&server, upgrade?, move |socket| {
        RoomSocket::new(state, client_ip, code, socket).serve()
    }))
}

/// Returns the state of a room for a client with a role.
async fn state_view(
    server: &ServerState,
    live_room: &LiveRoom,
    role: RoleView,
) -> Result<RoomStateView, RoomError> {
    let now = server.games.time.now();
    let read = server
        .rooms
        .read(live_room, |room| live_room.state_view(room, now));
    let mut state = read.await?;
    state.you = role;
    Ok(state)
}

/// Returns the bearer token of a request about a room, if it has one.
///
/// # Errors
/// Returns a problem if the header `Authorization` holds no token.
pub(crate) fn room_token(headers: &HeaderMap) -> Result<Option<PlayerToken>, ProblemResponse> {
    bearer_token(headers).map_err(|InvalidBearerToken| RoomCommandError::InvalidToken.into())
}

/// Returns the room with this code for a client with or without a token, and its role.
///
/// # Errors
/// As [`locate`], and a problem if the token is not of the room.
pub(crate) async fn find_room(
    server: &ServerState,
    client_ip: ClientIp,
    text: &str,
    token: Option<&PlayerToken>,
) -> Result<(Arc<LiveRoom>, RoleView), ProblemResponse> {
    let is_known = |room: &Room| token.is_some_and(|token| room.role(token).is_ok());
    let live_room = locate(server, client_ip, text, is_known).await?;
    let Some(token) = token else {
        return Ok((live_room, RoleView::default()));
    };
    let role = server.rooms.read(&live_room, |room| room.role(token));
    let role = role.await??.into();
    Ok((live_room, role))
}

/// Returns the room with this code. A code without a room is charged as a guess, and a client that
/// has guessed too many learns only of the room in which it `is_known`.
///
/// # Errors
/// Returns a problem if the text is not a code, no room has it, or the client has guessed too many.
pub(super) async fn locate(
    server: &ServerState,
    client_ip: ClientIp,
    text: &str,
    is_known: impl FnOnce(&Room) -> bool,
) -> Result<Arc<LiveRoom>, ProblemResponse> {
    let code = parse_code(text)?;
    let live_room = server.rooms.get(&code);
    match server.rooms.read(&live_room, is_known).await {
        Ok(true) => Ok(live_room),
        Ok(false) => check_guesses(server, client_ip, &code).map(|()| live_room),
        Err(error) => {
            check_guesses(server, client_ip, &code)?;
            if matches!(error, RoomError::NotFound(_)) && !code.is_lobby() {
                server.guess_limiter.charge(client_ip);
            }
            Err(error.into())
        }
    }
}

/// Checks that a client may learn whether a code has a room. All know the code of the lobby.
///
/// # Errors
/// Returns a 429 problem if the client has sent too many codes without a room.
pub(super) fn check_guesses(
    server: &ServerState,
    client_ip: ClientIp,
    code: &RoomCode,
) -> Result<(), ProblemResponse> {
    if code.is_lobby() {
        return Ok(());
    }
    server.guess_limiter.check(client_ip).map_err(|time| {
        ProblemResponse::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too many codes without a room came from this address",
        )
        .with_retry_after(time)
    })
}

fn parse_code(text: &str) -> Result<RoomCode, ProblemResponse> {
    text.parse().map_err(|error: ParseRoomCodeError| {
        ProblemResponse::new(StatusCode::NOT_FOUND, error.to_string())
    })
}

impl From<RoomRole> for RoleView {
    fn from(role: RoomRole) -> Self {
        match role {
            RoomRole::Leader => Self {
                member: None,
                leader: true,
            },
            RoomRole::Member(number) => Self {
                member: Some(number),
                leader: false,
            },
        }
    }
}

/// Returns the seed of the random choices of a room.
fn random_seed() -> u64 {
    // Every bit of a game id is random.
    let id = GameId::random();
    let (seed, _) = id.as_bytes().split_at(size_of::<u64>());
    seed.try_into().map_or(0, u64::from_ne_bytes)
}
