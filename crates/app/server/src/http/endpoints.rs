//! The routes of the endpoints of `kalah-api`: `POST /api/v1/NAME`, or `GET` for an endpoint whose
//! request has no fields.

use std::num::NonZeroU32;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse as _, Response};
use kalah::Position;
use kalah_api::{
    Endpoint, EndpointVisitor, Execution, RequestEngine, RequestError, SearchFn, SearchRequirements,
};
use tokio::task::spawn_blocking;

use crate::engine_pool::{EnginePool, EngineRequest};
use crate::http::error::ProblemResponse;
use crate::http::extract::{EndpointBody, JsonResponse};
use crate::http::rate_limit::ClientIp;
use crate::http::route_list::Routes;
use crate::http::search_stream;
use crate::state::{ServerState, SharedState};

/// The cost of an engine request in plain requests, in addition to the request itself.
pub(crate) const ENGINE_REQUEST_COST: NonZeroU32 = NonZeroU32::new(4).expect("not zero");

/// The cost of a request about a whole game in plain requests, in addition to the request itself.
const WHOLE_GAME_COST: NonZeroU32 = NonZeroU32::new(2).expect("not zero");

/// Returns the method and the path of an endpoint, or `None` if the server does not have it.
pub(crate) fn route<Q: Endpoint>() -> Option<(Method, String)> {
    let method = match Q::EXECUTION {
        Execution::Constant(_) => Method::GET,
        Execution::Immediate(_)
        | Execution::WholeGame(_)
        | Execution::Lookup { .. }
        | Execution::Search { .. } => Method::POST,
        // The engines of the server belong to all clients.
        Execution::Preparation(_) => return None,
    };
    Some((method, format!("/api/v1/{}", Q::NAME)))
}

impl EndpointVisitor for Routes {
    /// Adds the route of an endpoint.
    fn visit<Q: Endpoint>(&mut self) {
        let Some((method, path)) = route::<Q>() else {
            return;
        };
        match Q::EXECUTION {
            Execution::Constant(execute) => {
                self.add(method, path, move || async move { JsonResponse(execute()) });
            }
            Execution::Immediate(execute) => {
                self.add(
                    method,
                    path,
                    move |EndpointBody(request): EndpointBody<Q>| async move {
                        execute(&request)
                            .map(JsonResponse)
                            .map_err(ProblemResponse::from)
                    },
                );
            }
            Execution::WholeGame(execute) => {
                self.add(
                    method,
                    path,
                    move |state, client_ip, EndpointBody(request): EndpointBody<Q>| {
                        process_game(state, client_ip, move || execute(&request))
                    },
                );
            }
            Execution::Lookup { position, execute } => {
                self.add(
                    method,
                    path,
                    move |state, client_ip, EndpointBody(request): EndpointBody<Q>| {
                        look_up(state, client_ip, (request, position, execute))
                    },
                );
            }
            Execution::Search {
                requirements,
                execute,
            } => {
                self.add(
                    method,
                    path,
                    move |state, client_ip, headers, EndpointBody(request): EndpointBody<Q>| {
                        search(state, client_ip, headers, (request, requirements, execute))
                    },
                );
            }
            Execution::Preparation(_) => {}
        }
    }
}

/// Executes a request of some milliseconds on a blocking thread.
async fn process_game<R: Send + 'static>(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    execute: impl FnOnce() -> Result<R, RequestError> + Send + 'static,
) -> Result<JsonResponse<R>, ProblemResponse> {
    state.check_rate_limit(client_ip, WHOLE_GAME_COST)?;
    execute_blocking(execute).await
}

/// Executes a request on a blocking thread.
async fn execute_blocking<R: Send + 'static>(
    execute: impl FnOnce() -> Result<R, RequestError> + Send + 'static,
) -> Result<JsonResponse<R>, ProblemResponse> {
    match spawn_blocking(execute).await {
        Ok(result) => Ok(JsonResponse(result?)),
        Err(error) => {
            tracing::error!(%error, "a request on a blocking thread failed");
            Err(ProblemResponse::internal())
        }
    }
}

/// A request that looks a position up, with the functions of its endpoint.
type EndpointLookup<Q> = (
    Q,
    fn(&Q) -> Result<Position, RequestError>,
    fn(&Q) -> Result<<Q as Endpoint>::Response, RequestError>,
);

/// Looks a position up on a blocking thread, because it may be the first to need a book.
async fn look_up<Q: Endpoint>(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    (request, position, execute): EndpointLookup<Q>,
) -> Result<JsonResponse<Q::Response>, ProblemResponse> {
    refuse_without_help(&state, client_ip, &position(&request)?).await?;
    execute_blocking(move || execute(&request)).await
}

/// A request that searches, with the functions of its endpoint.
type EndpointSearch<Q> = (
    Q,
    fn(&Q, Duration) -> Result<SearchRequirements, RequestError>,
    SearchFn<Q>,
);

/// Executes a request that searches on a thread of a pool. The response is a stream of events if
/// the client accepts one.
async fn search<Q: Endpoint>(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    headers: HeaderMap,
    (request, requirements, execute): EndpointSearch<Q>,
) -> Result<Response, ProblemResponse> {
    state.check_rate_limit(client_ip, ENGINE_REQUEST_COST)?;
    let requirements = requirements(&request, state.limits.max_engine_time)?;
    let (pool, engine_request) = engine_request(&state, client_ip, requirements).await?;
    if search_stream::accepts_events(&headers) {
        return search_stream::respond(pool, engine_request, move |engine, observer| {
            execute(&request, engine, observer)
        });
    }
    let execute = move |engine: &mut RequestEngine| execute(&request, engine, &mut |_| {});
    Ok(JsonResponse(pool.run(engine_request, execute).await?).into_response())
}

/// Refuses to say something about a position of a game without engine help.
///
/// # Errors
/// Returns a 409 problem if the game is played from the address of the client.
pub(crate) async fn refuse_without_help(
    state: &ServerState,
    client: ClientIp,
    position: &Position,
) -> Result<(), ProblemResponse> {
    if state.games.is_without_help(client, position).await {
        return Err(RequestError::EngineHelpOff.into());
    }
    Ok(())
}

/// Returns the pool for a search, and the request to it. Searches that end at once do not wait for
/// searches with a time limit.
///
/// # Errors
/// Returns a 409 problem for the position of a game that is played from the address of the client
/// in a room without engine help.
pub(crate) async fn engine_request(
    state: &ServerState,
    client: ClientIp,
    requirements: SearchRequirements,
) -> Result<(&EnginePool, EngineRequest), ProblemResponse> {
    let SearchRequirements {
        kind,
        variant,
        time_limit,
        position,
    } = requirements;
    if let Some(position) = position {
        refuse_without_help(state, client, &position).await?;
    }
    let pool = match time_limit {
        Some(_) => &state.analysis_pool,
        None => &state.opponent_pool,
    };
    let request = EngineRequest {
        client,
        kind,
        variant,
        time_limit: time_limit.unwrap_or(Duration::ZERO),
    };
    Ok((pool, request))
}
