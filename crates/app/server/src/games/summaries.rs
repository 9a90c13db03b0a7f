//! The request for the summaries of several games, for a client that lists the games of its player.

use std::num::NonZeroU32;

use axum::Extension;
use axum::extract::State;
use kalah::{BySide, Side};
use kalah_api::{BySideSchema, JsonObject, POSITION_PATTERN, SideSchema};
use kalah_store::{GameId, ID_PATTERN, PlayerToken};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::games::messages::{
    ClockView, EndingView, GameError, GameRoomView, GameStateView, RematchView, TakebackView,
};
use crate::http::error::ProblemResponse;
use crate::http::extract::{JsonBody, JsonResponse};
use crate::http::rate_limit::ClientIp;
use crate::state::SharedState;

/// The most games of a request.
const MAX_GAMES: usize = 64;

/// The number of games that count as a plain request for the rate limit.
const GAMES_PER_REQUEST: usize = 8;

/// The body of `POST /api/v1/games/summaries`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SummariesRequest {
    /// At most 64 games.
    #[schemars(with = "Vec<GameAccess>", length(max = MAX_GAMES))]
    games: Vec<JsonObject<GameAccess>>,
}

/// A game, and the token of a player. It has no `Debug`, because it contains a token.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GameAccess {
    /// The id of the game.
    #[schemars(regex(pattern = ID_PATTERN))]
    game: String,
    /// The token of the player.
    #[schemars(regex(pattern = ID_PATTERN))]
    token: String,
}

/// The response of `POST /api/v1/games/summaries`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SummariesResponse {
    /// The summaries, in the order of the request; null for a game that does not exist or to which
    /// the token does not belong.
    games: Vec<Option<GameSummaryView>>,
}

/// The values of a game that a list of games shows.
#[derive(Serialize, JsonSchema)]
pub(crate) struct GameSummaryView {
    /// The id.
    #[schemars(regex(pattern = ID_PATTERN))]
    game: String,
    /// The rules as text.
    rules: String,
    /// The position before the first ply, as text.
    #[schemars(regex(pattern = POSITION_PATTERN))]
    start: String,
    /// The number of plies.
    plies: usize,
    /// The side to move, meaningless after the end of the game.
    #[schemars(with = "SideSchema")]
    to_move: Side,
    /// The side of the player with the token.
    #[schemars(with = "Option<SideSchema>")]
    you: Option<Side>,
    /// The name of the player of each side, if the player has given one.
    #[schemars(with = "BySideSchema<Option<String>>")]
    names: BySide<Option<String>>,
    /// The side whose seat is free, before the second player has joined.
    #[schemars(with = "Option<SideSchema>")]
    free_seat: Option<Side>,
    /// The room to which the game belongs.
    room: Option<GameRoomView>,
    /// The clock, if the game has one.
    clock: Option<ClockView>,
    /// The ending, after the end of the game.
    ending: Option<EndingView>,
    /// The offer of a takeback.
    takeback: TakebackView,
    /// The offer of a rematch.
    rematch: RematchView,
}

impl From<GameStateView> for GameSummaryView {
    fn from(state: GameStateView) -> Self {
        Self {
            game: state.game,
            rules: state.rules,
            start: state.start,
            plies: state.plies.len(),
            to_move: state.to_move,
            you: state.you,
            names: state.names,
            free_seat: state.free_seat,
            room: state.room,
            clock: state.clock,
            ending: state.ending,
            takeback: state.takeback,
            rematch: state.rematch,
        }
    }
}

/// `POST /api/v1/games/summaries`
pub(crate) async fn summaries(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(SummariesRequest { games }): JsonBody<SummariesRequest>,
) -> Result<JsonResponse<SummariesResponse>, ProblemResponse> {
    if games.len() > MAX_GAMES {
        let detail = format!("{} games are too many: at most {MAX_GAMES}", games.len());
        return Err(ProblemResponse::unprocessable(detail));
    }
    let cost = u32::try_from(games.len().div_ceil(GAMES_PER_REQUEST)).unwrap_or(u32::MAX);
    if let Some(cost) = NonZeroU32::new(cost) {
        server.check_rate_limit(client_ip, cost)?;
    }
    let mut summaries = Vec::with_capacity(games.len());
    for JsonObject(access) in games {
        summaries.push(summary(&server, &access).await?);
    }
    Ok(JsonResponse(SummariesResponse { games: summaries }))
}

/// Returns the summary of a game; `None` if the game does not exist or the token is not of it.
///
/// # Errors
/// Returns a problem if an id or a token is malformed, or if the store fails.
async fn summary(
    server: &SharedState,
    access: &GameAccess,
) -> Result<Option<GameSummaryView>, ProblemResponse> {
    let game = access.game.parse::<GameId>();
    let game = game.map_err(|error| ProblemResponse::unprocessable(error.to_string()))?;
    let token = PlayerToken::parse(&access.token).ok_or_else(|| {
        let detail = format!("the token of game `{game}` is not a token");
        ProblemResponse::unprocessable(detail)
    })?;
    match server.games.get(game).view(Some(&token)).await {
        Ok(state) => Ok(Some(state.into())),
        Err(GameError::NotFound(_) | GameError::Rejected { .. }) => Ok(None),
        // One game that cannot be read does not hide the others.
        Err(GameError::Damaged { id, reason }) => {
            tracing::error!(%id, %reason, "a stored game is damaged");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
