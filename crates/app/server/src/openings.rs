//! Opening statistics of the server and of rooms: handlers of `/api/v1/openings` and
//! `/api/v1/rooms/{room}/openings`.

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use kalah::Position;
use kalah_api::{MoveCountsView, parse_position};
use kalah_book::{OpeningKey, OpeningStatistics};
use kalah_store::OpeningScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::endpoints::refuse_without_help;
use crate::http::error::ProblemResponse;
use crate::http::extract::{JsonBody, JsonResponse, PathParam};
use crate::http::rate_limit::ClientIp;
use crate::rooms::routes::{find_room, room_token};
use crate::state::{ServerState, SharedState};

/// The fewest games of a position of which the statistics of the server tell, so that no response
/// is about a single game.
pub(crate) const MIN_SHARED_GAMES: u32 = 3;

/// The body of a request for opening statistics.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpeningCountsRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    rules: Option<String>,
    /// The position; `6x4` by default.
    #[schemars(example = &"6x4")]
    position: Option<String>,
}

/// The finished games with a position, by their next move.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OpeningCountsResponse {
    /// The number of games; 0 if there are fewer than the statistics tell of.
    games: u32,
    /// The moves that were played.
    moves: Vec<MoveCountsView>,
}

/// `POST /api/v1/openings`
pub(crate) async fn of_server(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(request): JsonBody<OpeningCountsRequest>,
) -> Result<JsonResponse<OpeningCountsResponse>, ProblemResponse> {
    let position = request.position(&server, client_ip).await?;
    counts(&server, OpeningScope::Server, &position, MIN_SHARED_GAMES).await
}

/// `POST /api/v1/rooms/{room}/openings`
pub(crate) async fn of_room(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    PathParam(room): PathParam,
    headers: HeaderMap,
    JsonBody(request): JsonBody<OpeningCountsRequest>,
) -> Result<JsonResponse<OpeningCountsResponse>, ProblemResponse> {
    let token = room_token(&headers)?;
    let (live_room, _) = find_room(&server, client_ip, &room, token.as_ref()).await?;
    let position = request.position(&server, client_ip).await?;
    // All who know the code can watch the single games.
    counts(
        &server,
        OpeningScope::Room(live_room.code().clone()),
        &position,
        1,
    )
    .await
}

impl OpeningCountsRequest {
    /// Returns the position.
    ///
    /// # Errors
    /// Returns a problem if it is invalid, or if it is one of a game without engine help.
    async fn position(
        &self,
        server: &ServerState,
        client: ClientIp,
    ) -> Result<Position, ProblemResponse> {
        let position = parse_position(self.rules.as_deref(), self.position.as_deref())?;
        refuse_without_help(server, client, &position).await?;
        Ok(position)
    }
}

/// Returns the counts of a position that has at least `min_games`.
async fn counts(
    server: &ServerState,
    scope: OpeningScope,
    position: &Position,
    min_games: u32,
) -> Result<JsonResponse<OpeningCountsResponse>, ProblemResponse> {
    let key = OpeningKey::new(position);
    let counts = server.games.store.opening_counts(scope, key).await;
    let counts = counts.map_err(|error| {
        tracing::error!(%error, "cannot read the openings");
        ProblemResponse::internal()
    })?;
    let games = OpeningStatistics::games_of(&counts);
    Ok(JsonResponse(if games < min_games {
        OpeningCountsResponse {
            games: 0,
            moves: Vec::new(),
        }
    } else {
        OpeningCountsResponse {
            games,
            moves: MoveCountsView::list(&counts, position.to_move()),
        }
    }))
}
