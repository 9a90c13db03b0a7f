//! Searches as server-sent events: `GET /api/v1/analyses`, and the endpoints that search, for
//! clients that accept events. The comments of a stream show that its connection is alive.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{Stream, StreamExt as _, unfold};
use kalah_api::{AnalyzeRequest, RequestEngine, RequestError};
use kalah_parse::describe_value_error;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;

use crate::engine_pool::{EnginePool, EngineRequest, QueuePlace, QueuePlaces, SubmittedRequest};
use crate::http::endpoints::{ENGINE_REQUEST_COST, engine_request};
use crate::http::error::ProblemResponse;
use crate::http::rate_limit::ClientIp;
use crate::state::SharedState;

/// The media type of server-sent events.
const EVENT_STREAM: &str = "text/event-stream";

/// The interval of comments while there are no events. The page takes a stream for lost after three
/// of them.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(3);

/// Tells nginx to pass events on at once.
const UNBUFFERED: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-accel-buffering"),
    HeaderValue::from_static("no"),
);

/// The data of the event `queued`: the place of a search that has to wait for an engine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct QueuedView {
    /// The number of waiting requests that start before this one, plus 1.
    #[schemars(range(min = 1))]
    place: usize,
    /// The time until the start, in seconds, if all requests use up their time limits and no others
    /// arrive.
    #[schemars(range(min = 0))]
    expected_seconds: f64,
}

impl From<QueuePlace> for QueuedView {
    fn from(queue_place: QueuePlace) -> Self {
        Self {
            place: queue_place.place,
            expected_seconds: queue_place.expected_wait.as_secs_f64(),
        }
    }
}

/// An event of the stream.
#[derive(Clone, Debug)]
enum SearchEvent<R> {
    Queued(QueuedView),
    Snapshot(Box<R>),
    Done(Box<R>),
    Problem(Box<ProblemResponse>),
}

/// A running search and its results so far. Dropping it stops the search.
///
/// A reader that is slower than the search misses snapshots and places: of each kind only the
/// latest is kept. The search never waits for the reader.
struct SearchEvents<R> {
    request: SubmittedRequest<R>,
    places: QueuePlaces,
    snapshots: watch::Receiver<Option<Box<R>>>,
}

/// Receives the results of a search so far.
type Observer<'a, R> = &'a mut dyn FnMut(&R);

impl<R: Clone + Serialize + Send + Sync + 'static> SearchEvents<R> {
    /// Queues a search.
    ///
    /// # Errors
    /// Returns a 429 problem if the queue is full.
    fn submit<F>(
        pool: &EnginePool,
        engine_request: EngineRequest,
        search: F,
    ) -> Result<Self, ProblemResponse>
    where
        F: FnOnce(&mut RequestEngine, Observer<'_, R>) -> Result<R, RequestError> + Send + 'static,
    {
        let (sender, snapshots) = watch::channel(None);
        let execute = move |engine: &mut RequestEngine| {
            search(engine, &mut |snapshot: &R| {
                sender.send_replace(Some(Box::new(snapshot.clone())));
            })
        };
        let (request, places) = pool.submit(engine_request, execute)?;
        Ok(Self {
            request,
            places,
            snapshots,
        })
    }

    /// Returns the next event: places first, then snapshots, then the result.
    async fn next(&mut self) -> SearchEvent<R> {
        let Self {
            request,
            places,
            snapshots,
        } = self;
        let result = tokio::select! {
            biased;
            place = places.next() => return SearchEvent::Queued(place.into()),
            Ok(()) = snapshots.changed() => match &*snapshots.borrow_and_update() {
                Some(snapshot) => return SearchEvent::Snapshot(snapshot.clone()),
                None => unreachable!("every change is a snapshot"),
            },
            result = request.result() => result,
        };
        match result {
            Ok(response) => SearchEvent::Done(Box::new(response)),
            Err(problem) => SearchEvent::Problem(Box::new(problem)),
        }
    }

    /// Returns all events until the result.
    fn into_stream(self) -> impl Stream<Item = SearchEvent<R>> {
        unfold(Some(self), async |events| {
            let mut events = events?;
            let event = events.next().await;
            let is_last = matches!(event, SearchEvent::Done(_) | SearchEvent::Problem(_));
            Some((event, (!is_last).then_some(events)))
        })
    }
}

impl<R: Serialize> SearchEvent<R> {
    /// Returns the name and the data of the event.
    fn to_sse(&self) -> Event {
        let (name, data) = match self {
            Self::Queued(view) => ("queued", serde_json::to_string(view)),
            Self::Snapshot(response) => ("snapshot", serde_json::to_string(response)),
            Self::Done(response) => ("done", serde_json::to_string(response)),
            Self::Problem(problem) => ("problem", serde_json::to_string(problem)),
        };
        // The keys of all events are strings, so serialization cannot fail.
        let data = data.unwrap_or_else(|error| unreachable!("an event is serializable: {error}"));
        Event::default().event(name).data(data)
    }
}

/// Parses the query of a request.
///
/// # Errors
/// [`RequestError::InvalidRequest`] for unknown, repeated and invalid parameters.
fn parse_query(uri: &Uri) -> Result<AnalyzeRequest, RequestError> {
    let query = Query::try_from_uri(uri);
    query
        .map(|Query(request)| request)
        .map_err(|rejection| RequestError::InvalidRequest(rejection_message(&rejection)))
}

/// Returns the name of the field and the reason, without axum's introduction.
fn rejection_message(rejection: &QueryRejection) -> String {
    let message = rejection.body_text();
    let Some((_, reason)) = message.split_once(": ") else {
        return message;
    };
    // The field precedes the reason, which names it again if it is unknown.
    let (field, reason) = reason.split_once(": ").unwrap_or(("", reason));
    let described = describe_value_error(reason);
    if field.is_empty() || reason.starts_with("unknown field") {
        described
    } else {
        format!("`{field}`: {described}")
    }
}

/// Returns whether a client accepts events.
pub(crate) fn accepts_events(headers: &HeaderMap) -> bool {
    let mut accepted = (headers.get_all(ACCEPT).iter()).filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.contains(EVENT_STREAM))
}

/// Queues a search, and returns its events as a response.
///
/// # Errors
/// Returns a 429 problem if the queue is full.
pub(crate) fn respond<R, F>(
    pool: &EnginePool,
    engine_request: EngineRequest,
    search: F,
) -> Result<Response, ProblemResponse>
where
    R: Clone + Serialize + Send + Sync + 'static,
    F: FnOnce(&mut RequestEngine, Observer<'_, R>) -> Result<R, RequestError> + Send + 'static,
{
    let events = SearchEvents::submit(pool, engine_request, search)?;
    let events = (events.into_stream()).map(|event| Ok::<_, Infallible>(event.to_sse()));
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE_INTERVAL);
    Ok(([UNBUFFERED], Sse::new(events).keep_alive(keep_alive)).into_response())
}

/// `GET /api/v1/analyses`
pub(crate) async fn analyses(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    let request = parse_query(&uri)?;
    state.check_rate_limit(client_ip, ENGINE_REQUEST_COST)?;
    let requirements = request.requirements(state.limits.max_engine_time)?;
    let (pool, engine_request) = engine_request(&state, client_ip, requirements).await?;
    respond(pool, engine_request, move |engine, observer| {
        request.execute_with_snapshots(engine, observer)
    })
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};

    use axum::http::StatusCode;
    use kalah::{Position, Rules, Variant};
    use kalah_api::{AnalyzeResponse, MovesToProve, SearchKind};
    use tokio::task::{spawn_blocking, yield_now};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::config::{ServerConfig, ServerLimits};
    use crate::metrics::Metrics;

    fn pool_with_one_worker() -> EnginePool {
        let config = ServerConfig {
            limits: ServerLimits {
                engine_workers: NonZeroUsize::MIN,
                ..ServerLimits::default()
            },
            memory: 64 << 20,
            ..ServerConfig::default()
        };
        let metrics = Metrics::new().engine_pool("analysis");
        EnginePool::new("analysis", &config, metrics, CancellationToken::new()).expect("threads")
    }

    fn analysis() -> (EngineRequest, AnalyzeRequest) {
        let request = AnalyzeRequest {
            position: Some("3x1".to_owned()),
            ..AnalyzeRequest::default()
        };
        let start = Position::start(3, 1, Rules::CS32).expect("a start");
        let engine_request = EngineRequest {
            client: ClientIp::new([192, 0, 2, 1].into()),
            kind: SearchKind::Analysis,
            variant: Variant::from_position(&start),
            time_limit: Duration::from_secs(5),
        };
        (engine_request, request)
    }

    /// Returns the names of events, with the place or the number of nodes.
    fn describe(event: &SearchEvent<AnalyzeResponse>) -> String {
        match event {
            SearchEvent::Queued(view) => {
                format!("queued {} {}", view.place, view.expected_seconds.round())
            }
            SearchEvent::Snapshot(response) => format!("snapshot {}", response.nodes),
            SearchEvent::Done(response) => format!("done {}", response.nodes),
            SearchEvent::Problem(problem) => {
                let response = problem.as_ref().clone().into_response();
                format!("problem {}", response.status())
            }
        }
    }

    #[tokio::test]
    async fn slow_reader_gets_the_latest_place_and_snapshot_and_the_result() {
        const SNAPSHOTS: u64 = 1000;
        let pool = pool_with_one_worker();
        let finished = Arc::new(AtomicUsize::new(0));
        let submit = |go_on: mpsc::Receiver<()>| {
            let (engine_request, request) = analysis();
            let finished = Arc::clone(&finished);
            let analyze = move |engine: &mut RequestEngine,
                                observer: Observer<'_, AnalyzeResponse>| {
                go_on.recv().expect("a signal");
                let response = request.execute(engine)?;
                let with_nodes = |nodes| AnalyzeResponse {
                    nodes,
                    ..response.clone()
                };
                // The reader reads nothing meanwhile.
                (1..=SNAPSHOTS).for_each(|nodes| observer(&with_nodes(nodes)));
                finished.fetch_add(1, Ordering::Relaxed);
                Ok(with_nodes(SNAPSHOTS + 1))
            };
            SearchEvents::submit(&pool, engine_request, analyze).expect("a place")
        };
        let signals: [_; 3] = std::array::from_fn(|_| mpsc::channel());
        let (senders, receivers): (Vec<_>, Vec<_>) = signals.into_iter().unzip();
        let [first, second, mut third] = <[_; 3]>::try_from(receivers).expect("three").map(submit);
        while pool.running_count() == 0 {
            yield_now().await;
        }
        let place = third.next().await;
        assert_eq!(describe(&place), "queued 2 10");
        for sender in &senders {
            sender.send(()).expect("a worker");
        }
        // The worker is idle for a moment between two requests.
        while finished.load(Ordering::Relaxed) < senders.len() || pool.running_count() > 0 {
            spawn_blocking(std::thread::yield_now)
                .await
                .expect("no panic");
        }
        for (events, expected) in [
            (first, &["snapshot 1000", "done 1001"] as &[_]),
            (second, &["queued 1 5", "snapshot 1000", "done 1001"]),
            (third, &["queued 1 5", "snapshot 1000", "done 1001"]),
        ] {
            let events: Vec<_> = (events.into_stream())
                .map(|event| describe(&event))
                .collect()
                .await;
            assert_eq!(events, expected);
        }
    }

    #[tokio::test]
    async fn failed_analysis_ends_with_a_problem() {
        let pool = pool_with_one_worker();
        let (engine_request, _) = analysis();
        let events = SearchEvents::submit(&pool, engine_request, |_, _| panic!("as it should"));
        let events: Vec<_> = events.expect("a place").into_stream().collect().await;
        let expected = format!("problem {}", StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(events.iter().map(describe).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn query_has_the_fields_of_the_request() {
        let parse = |query: &str| {
            let uri = format!("/api/v1/analyses{query}").parse().expect("a URI");
            parse_query(&uri).map_err(|error| error.to_string())
        };
        assert_eq!(parse(""), Ok(AnalyzeRequest::default()));
        let parsed = parse("?rules=cs32&position=%3C1,0,0,1,1%3E+s&time=5s&prove=best&lines=2");
        let expected = AnalyzeRequest {
            rules: Some("cs32".to_owned()),
            position: Some("<1,0,0,1,1> s".to_owned()),
            time: Some("5s".to_owned()),
            prove: MovesToProve::Best,
            lines: 2,
        };
        assert_eq!(parsed, Ok(expected));
        for (query, expected) in [
            ("?rule=cs32", "`rule` is an unknown key, expected one of"),
            (
                "?prove=worst",
                "`prove`: `worst` is an unknown value, expected",
            ),
            (
                "?lines=-1",
                "`lines`: expected a whole number of the digits 0 to 9 alone",
            ),
            ("?time=1s&time=2s", "`time` is given twice"),
        ] {
            let error = parse(query).expect_err(query);
            assert!(error.contains(expected), "{error}");
        }
    }
}
