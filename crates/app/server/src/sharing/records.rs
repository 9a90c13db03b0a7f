//! Handlers of `/api/v1/shared`: records of games under short addresses.

use std::num::NonZeroU32;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use kalah::record::Record;
use kalah_api::GameView;
use kalah_store::{
    GameStoreError, GameWrite, SHARED_ID_PATTERN, SharedId, SharedRecord, SharedWrite, Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::games::registry::GameRegistry;
use crate::http::error::ProblemResponse;
use crate::http::extract::{JsonBody, JsonResponse, PathParam};
use crate::http::rate_limit::ClientIp;
use crate::state::{ServerState, SharedState};

/// The days after which a record that is not opened is deleted.
const KEPT_DAYS: u32 = 365;

/// The time between two notes that a record was opened.
const DAY: Duration = Duration::from_hours(24);

/// The most records of a server. With the limit of their size they take at most 1.2 GB.
const MAX_RECORDS: usize = 100_000;

/// The most bytes of a record, so that the body with its escapes has less than 16 KiB. A game of
/// 100 moves with comments has some 2,000.
const MAX_RECORD_BYTES: usize = 12_000;

/// The cost of a record in plain requests. It stays on disk for a year.
const RECORD_COST: NonZeroU32 = NonZeroU32::new(100).expect("not zero");

/// The response of `GET /api/v1/shared`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SharingResponse {
    /// Whether the server keeps records.
    enabled: bool,
    /// The number of days after which a record that was not opened is deleted.
    days: u32,
    /// The greatest length of a record in bytes.
    max_bytes: usize,
}

/// The body of `POST /api/v1/shared`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareRequest {
    /// A record with one game, of at most 12,000 bytes.
    #[schemars(example = &"1. CF c 2. A d *\n")]
    text: String,
}

/// The response of `POST /api/v1/shared`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ShareResponse {
    /// The id of the record.
    #[schemars(regex(pattern = SHARED_ID_PATTERN))]
    id: String,
}

/// The response of `GET /api/v1/shared/{id}`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SharedRecordResponse {
    /// The record.
    text: String,
}

/// `GET /api/v1/shared`
pub(crate) async fn settings(State(server): State<SharedState>) -> JsonResponse<SharingResponse> {
    JsonResponse(SharingResponse {
        enabled: server.shares_records,
        days: KEPT_DAYS,
        max_bytes: MAX_RECORD_BYTES,
    })
}

/// `POST /api/v1/shared`
pub(crate) async fn create(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(ShareRequest { text }): JsonBody<ShareRequest>,
) -> Result<Response, ProblemResponse> {
    if !server.shares_records {
        return Err(ProblemResponse::new(
            StatusCode::FORBIDDEN,
            "this server keeps no games under short addresses",
        ));
    }
    let text = checked_record(&text)?;
    server.check_rate_limit(client_ip, RECORD_COST)?;
    let games = &server.games;
    if games
        .store
        .count_shared()
        .await
        .map_err(|error| store_problem(&error))?
        >= MAX_RECORDS
    {
        return Err(ProblemResponse::new(
            StatusCode::INSUFFICIENT_STORAGE,
            "this server keeps as many games under short addresses as it can",
        ));
    }
    let id = SharedId::random();
    let record = SharedRecord {
        text,
        opened: games.time.now(),
    };
    let new = SharedWrite::New {
        id: id.clone(),
        record,
    };
    let written = games.store.write(GameWrite::Shared(new)).await;
    written.map_err(|error| store_problem(&error))?;
    let response = JsonResponse(ShareResponse { id: id.to_string() });
    Ok((StatusCode::CREATED, response).into_response())
}

/// `GET /api/v1/shared/{id}`
pub(crate) async fn load(
    State(server): State<SharedState>,
    PathParam(id): PathParam,
) -> Result<JsonResponse<SharedRecordResponse>, ProblemResponse> {
    let text = open_record(&server, &id).await?;
    Ok(JsonResponse(SharedRecordResponse { text }))
}

/// Returns the record with an id and notes that it was opened.
pub(super) async fn open_record(
    server: &ServerState,
    text: &str,
) -> Result<String, ProblemResponse> {
    let id = text
        .parse::<SharedId>()
        .map_err(|error| ProblemResponse::new(StatusCode::NOT_FOUND, error.to_string()))?;
    let games = &server.games;
    let loaded = games.store.load_shared(id.clone()).await;
    let SharedRecord { text, opened } = loaded.map_err(|error| store_problem(&error))?;
    let now = games.time.now();
    if now.saturating_duration_since(opened) > DAY {
        let opened = SharedWrite::Opened { id, at: now };
        let written = games.store.write(GameWrite::Shared(opened)).await;
        written.map_err(|error| store_problem(&error))?;
    }
    Ok(text)
}

/// Deletes the records that were not opened for [`KEPT_DAYS`].
///
/// # Errors
/// The store cannot be written.
pub(crate) async fn delete_unopened_records(
    registry: &GameRegistry,
    now: Timestamp,
) -> Result<(), GameStoreError> {
    let since = now.saturating_sub(DAY.saturating_mul(KEPT_DAYS));
    let delete = SharedWrite::DeleteUnopened { since };
    registry.store.write(GameWrite::Shared(delete)).await
}

/// Returns the text of the only game of a record, as the project writes it.
fn checked_record(text: &str) -> Result<String, ProblemResponse> {
    if text.len() > MAX_RECORD_BYTES {
        let length = text.len();
        return Err(ProblemResponse::unprocessable(format!(
            "the record has {length} bytes, more than {MAX_RECORD_BYTES}"
        )));
    }
    let mut records = Record::parse_each(text);
    let (Some(record), None) = (records.next(), records.next()) else {
        return Err(ProblemResponse::unprocessable("the text is not one game"));
    };
    let record = record.map_err(|error| ProblemResponse::unprocessable(error.to_string()))?;
    if record.entries().len() > GameView::MAX_PLIES {
        return Err(ProblemResponse::unprocessable("the game is too long"));
    }
    Ok(record.to_string())
}

fn store_problem(error: &GameStoreError) -> ProblemResponse {
    match error {
        GameStoreError::SharedNotFound(_) => {
            ProblemResponse::new(StatusCode::NOT_FOUND, error.to_string())
        }
        GameStoreError::Closed => ProblemResponse::shutting_down(),
        _ => {
            tracing::error!(%error, "cannot use the shared games");
            ProblemResponse::internal()
        }
    }
}
