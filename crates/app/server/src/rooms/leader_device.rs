//! Requests with which the leader of a room goes on with another device.

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use kalah_store::ID_PATTERN;
use schemars::JsonSchema;
use serde::Serialize;

use crate::device_codes::{DeviceCode, DeviceCodeRequest, DeviceCodeResponse};
use crate::games::routes::EmptyRequest;
use crate::http::error::ProblemResponse;
use crate::http::extract::{JsonBody, JsonResponse, PathParam};
use crate::http::rate_limit::ClientIp;
use crate::rooms::routes::{find_room, locate, room_token};
use crate::rooms::state::room_error::RoomCommandError;
use crate::state::SharedState;

/// The response of `POST /api/v1/rooms/{room}/leader`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LeaderResponse {
    /// The token of the leader.
    #[schemars(regex(pattern = ID_PATTERN))]
    leader_token: String,
}

/// `POST /api/v1/rooms/{room}/leader-code`
pub(crate) async fn create_code(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    PathParam(room): PathParam,
    headers: HeaderMap,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<JsonResponse<DeviceCodeResponse>, ProblemResponse> {
    let token = room_token(&headers)?.ok_or(RoomCommandError::MissingToken)?;
    let (live_room, role) = find_room(&server, client_ip, &room, Some(&token)).await?;
    if !role.leader {
        return Err(RoomCommandError::OnlyLeader.into());
    }
    let now = server.games.time.now();
    let code = (server.leader_codes).create(live_room.code().clone(), token, now);
    Ok(JsonResponse(code.into()))
}

/// `POST /api/v1/rooms/{room}/leader`
pub(crate) async fn take_token(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    PathParam(room): PathParam,
    JsonBody(DeviceCodeRequest { code }): JsonBody<DeviceCodeRequest>,
) -> Result<JsonResponse<LeaderResponse>, ProblemResponse> {
    let live_room = locate(&server, client_ip, &room, |_| false).await?;
    let now = server.games.time.now();
    let code = DeviceCode::parse(&code);
    let token = code.and_then(|code| server.leader_codes.take(live_room.code(), &code, now));
    let token = token.ok_or(RoomCommandError::InvalidCode)?;
    Ok(JsonResponse(LeaderResponse {
        leader_token: token.reveal(),
    }))
}
