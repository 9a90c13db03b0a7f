//! The page of a KGP server: its agents and its games, as plain HTML.
//!
//! Names come from clients, so every text goes through the templates of `maud`, which escape it. No
//! page has scripts, and its content security policy allows none.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use kalah::record::{Record, Tags};
use kalah::{BySide, Ending, Position, SeedCount, Side, Termination};
use kalah_net::{AllowedHosts, HttpLimits, accept};
use kalah_players::escape_truncated;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::server::game::RECORD_EXTENSION;
use crate::server::scoreboard::{GameEntry, KgpAgent, Scoreboard};

/// The maximum number of connections to the page.
pub(super) const MAX_PAGE_CONNECTIONS: usize = 64;

/// The time after which a browser loads the list of games or a running game again.
const REFRESH_INTERVAL: Duration = Duration::from_secs(30);

/// Headers of every response.
const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"),
    ),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

const STYLE: &str = "\
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #8888; padding: .25rem .75rem .25rem 0; text-align: left }
td.number, th.number { text-align: right }
td { overflow-wrap: anywhere }
table.board { width: auto }
table.board td { border: 1px solid #8888; padding: .25rem .75rem; text-align: center }
pre { white-space: pre-wrap; overflow-wrap: anywhere }
:root { color-scheme: light dark }";

/// The page of a server with a bound address.
pub(super) struct Page {
    pub(super) listener: TcpListener,
    pub(super) hosts: AllowedHosts,
    pub(super) scoreboard: Arc<Scoreboard>,
}

/// The address at which a connection has arrived.
#[derive(Clone, Copy, Debug)]
struct LocalIp(IpAddr);

impl Page {
    /// Serves the page until `shutdown` is cancelled. Connections run in `tasks`.
    pub(super) async fn run(self, tasks: TaskTracker, shutdown: CancellationToken) {
        let slots = Arc::new(Semaphore::new(MAX_PAGE_CONNECTIONS));
        let router = router(self.scoreboard, Arc::new(self.hosts));
        loop {
            let Some((stream, _)) = shutdown.run_until_cancelled(accept(&self.listener)).await
            else {
                return;
            };
            // A connection beyond the maximum is closed without a response.
            if let Ok(slot) = Arc::clone(&slots).try_acquire_owned() {
                let (router, shutdown) = (router.clone(), shutdown.clone());
                tasks.spawn(async move {
                    let serving = serve_connection(stream, router);
                    shutdown.run_until_cancelled(serving).await;
                    drop(slot);
                });
            }
        }
    }
}

async fn serve_connection(stream: TcpStream, router: Router) {
    let Ok(local) = stream.local_addr() else {
        // The connection is gone already.
        return;
    };
    let limits = HttpLimits::default();
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write_timeout));
    let router = router.layer(Extension(LocalIp(local.ip())));
    let (stream, router) = (
        TokioIo::new(Box::pin(stream)),
        TowerToHyperService::new(router),
    );
    let connection = limits.connection_builder().serve_connection(stream, router);
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection to the page ended early");
    }
}

fn router(scoreboard: Arc<Scoreboard>, hosts: Arc<AllowedHosts>) -> Router {
    Router::new()
        .route("/", get(overview))
        .route("/games/{game}", get(game))
        .fallback(async || not_found("there is no such page"))
        .method_not_allowed_fallback(async || {
            error_page(
                StatusCode::METHOD_NOT_ALLOWED,
                "only GET and HEAD work here",
            )
        })
        .with_state(scoreboard)
        .layer(from_fn_with_state(hosts, check_host))
}

/// Refuses a request for another host, and adds the headers of all responses.
async fn check_host(
    State(hosts): State<Arc<AllowedHosts>>,
    Extension(LocalIp(local)): Extension<LocalIp>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match hosts.check(&request, local) {
        Ok(()) => next.run(request).await,
        Err(error) => error_page(error.status(), &error.to_string()),
    };
    response.headers_mut().extend(HEADERS);
    response
}

/// `GET /`
async fn overview(State(scoreboard): State<Arc<Scoreboard>>) -> Html<String> {
    let (running, finished) = scoreboard.games();
    let page = render_overview(&scoreboard.agents(), &running, &finished);
    Html(page.into_string())
}

/// `GET /games/7` and `GET /games/7.kgn`
async fn game(
    State(scoreboard): State<Arc<Scoreboard>>,
    // The rejection of a path that is not UTF-8 would be plain text.
    name: Result<Path<String>, PathRejection>,
) -> Response {
    let response = name
        .ok()
        .and_then(|Path(name)| game_response(&scoreboard, &name));
    response.unwrap_or_else(|| not_found("there is no such game"))
}

/// Returns the page `7` or the record `7.kgn` of a game.
fn game_response(scoreboard: &Scoreboard, name: &str) -> Option<Response> {
    let (digits, extension) = match name.split_once('.') {
        Some((digits, extension)) => (digits, Some(extension)),
        None => (name, None),
    };
    let number: u64 = digits.parse().ok()?;
    // A game has one address: neither `+7` nor `007`.
    if number.to_string() != digits {
        return None;
    }
    let (record, ending) = scoreboard.record(number)?;
    match extension {
        None => {
            let page = render_game(number, &record, ending);
            Some(Html(page.into_string()).into_response())
        }
        Some(RECORD_EXTENSION) => {
            let disposition = format!("attachment; filename=\"{number:06}.{RECORD_EXTENSION}\"");
            let headers = [
                (CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
                (CONTENT_DISPOSITION, disposition),
            ];
            Some((headers, record.to_string()).into_response())
        }
        Some(_) => None,
    }
}

fn not_found(reason: &str) -> Response {
    error_page(StatusCode::NOT_FOUND, reason)
}

/// Returns the page of an error.
fn error_page(status: StatusCode, reason: &str) -> Response {
    let content = html! {
        p { "Error: " (reason) "." }
        p { a href="/" { "All games" } }
    };
    let page = render_page(&status.to_string(), None, &content);
    (status, Html(page.into_string())).into_response()
}

/// Returns a page. `refresh` is the time after which the browser loads it again.
fn render_page(title: &str, refresh: Option<Duration>, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                @if let Some(refresh) = refresh {
                    meta http-equiv="refresh" content=(refresh.as_secs());
                }
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                (content)
            }
        }
    }
}

fn render_overview(agents: &[KgpAgent], running: &[GameEntry], finished: &[GameEntry]) -> Markup {
    let content = html! {
        h2 { "Agents" }
        (agents_table(agents))
        h2 { "Running games" }
        (games_table(running))
        h2 { "Finished games" }
        (games_table(finished))
    };
    render_page("Kalah games", Some(REFRESH_INTERVAL), &content)
}

fn agents_table(agents: &[KgpAgent]) -> Markup {
    html! {
        @if agents.is_empty() {
            p { "No agent has connected yet." }
        } @else {
            table {
                thead { tr {
                    th { "Name" } th { "Authors" } th { "Description" } th { "Connected" }
                    @for heading in ["Games", "Won", "Tied", "Lost", "Score"] {
                        th.number { (heading) }
                    }
                } }
                tbody { @for agent in agents { tr {
                    td { (agent.name) }
                    td { (agent.authors.as_deref().unwrap_or_default()) }
                    td { (agent.description.as_deref().unwrap_or_default()) }
                    td { (describe_connection(agent)) }
                    @for number in [agent.games(), agent.wins, agent.ties, agent.losses] {
                        td.number { (number) }
                    }
                    td.number { (format_points(agent.half_points())) }
                } } }
            }
        }
    }
}

fn describe_connection(agent: &KgpAgent) -> &'static str {
    match (agent.is_builtin, agent.connections) {
        (true, _) => "built-in",
        (false, 0) => "no",
        (false, _) => "yes",
    }
}

fn games_table(games: &[GameEntry]) -> Markup {
    html! {
        @if games.is_empty() {
            p { "None." }
        } @else {
            table {
                thead { tr {
                    th { "Game" } th { "South" } th { "North" } th.number { "Plies" }
                    th.number { "Stores" } th { "Result" } th { "Record" }
                } }
                tbody { @for game in games { tr {
                    @let path = format!("/games/{}", game.number);
                    td { a href=(path) { (game.number) } }
                    td { (escape_truncated(&game.names.south)) }
                    td { (escape_truncated(&game.names.north)) }
                    td.number { (game.moves.len()) }
                    td.number { (format_stores(game.stores)) }
                    td { (describe_ending(game.ending)) }
                    td { a href={ (path) "." (RECORD_EXTENSION) } { "download" } }
                } } }
            }
        }
    }
}

/// Returns the page of a game. A running game has no ending.
fn render_game(number: u64, record: &Record, ending: Option<Ending>) -> Markup {
    let name = |tag| record.tags().get(tag).unwrap_or_default();
    let game = record.game();
    let content = html! {
        p { (name(Tags::SOUTH)) " (South) against " (name(Tags::NORTH)) " (North): "
            (describe_ending(ending)) "." }
        (board_table(game.position()))
        h2 { "Record" }
        pre { (record) }
        p {
            a href={ "/games/" (number) "." (RECORD_EXTENSION) } { "Download the record" }
            " · " a href="/" { "All games" }
        }
    };
    let refresh = ending.is_none().then_some(REFRESH_INTERVAL);
    render_page(&format!("Game {number}"), refresh, &content)
}

/// Returns the board with South at the bottom. North's row runs from right to left.
fn board_table(position: &Position) -> Markup {
    let row = |side| position.houses_of(side).iter();
    html! {
        table.board {
            tr {
                td rowspan="2" { (position.store(Side::North)) }
                @for seeds in row(Side::North).rev() { td { (seeds) } }
                td rowspan="2" { (position.store(Side::South)) }
            }
            tr { @for seeds in row(Side::South) { td { (seeds) } } }
        }
    }
}

fn describe_ending(ending: Option<Ending>) -> String {
    match ending {
        None => "running".to_owned(),
        Some(Ending {
            winner: Some(winner),
            termination,
            ..
        }) => format!("{winner} wins, {termination}"),
        Some(Ending {
            termination: Termination::Unfinished,
            ..
        }) => Termination::Unfinished.to_string(),
        Some(_) => "tie".to_owned(),
    }
}

fn format_stores(stores: BySide<SeedCount>) -> String {
    format!("{}-{}", stores.south, stores.north)
}

fn format_points(half_points: u32) -> String {
    let half = if half_points.is_multiple_of(2) {
        ""
    } else {
        ".5"
    };
    format!("{}{half}", half_points / 2)
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::http::Method;
    use axum::http::header::HOST;
    use hyper::service::Service as _;
    use kalah::{House, Move, Rules};

    use super::*;
    use crate::server::agent::{AgentKey, AgentProfile};

    /// Names that would become markup, a script, or another attribute without escapes.
    const HOSTILE: [&str; 4] = [
        "<script>alert(1)</script>",
        "\"onmouseover=\"alert(1)",
        "</title></pre></td><img src=x onerror=alert(1)>",
        "&lt;b&gt;\u{202e}\u{1b}[2J",
    ];

    /// Returns a scoreboard with an agent and a running game for each name.
    fn scoreboard() -> Arc<Scoreboard> {
        let mut position = Position::start(3, 2, Rules::STANDARD).expect("a start");
        let scoreboard = Scoreboard::new(position.clone());
        for (number, name) in (1..).zip(HOSTILE) {
            let key = AgentKey::Token("secret".to_owned() + name);
            scoreboard.connect(&AgentProfile::new(key, name, Some(name), Some(name)));
            scoreboard.start_game(number, BySide::from_fn(|_| name.to_owned()));
        }
        let house = House::new(2).expect("from 1 to 26");
        position.sow(house).expect("a legal move");
        scoreboard.add_move(1, Move::Sow(house), &position);
        let ending = Ending {
            termination: Termination::Time,
            winner: Some(Side::North),
            outcome: None,
        };
        let players = BySide::from_fn(|_| {
            let key = AgentKey::Token("secret".to_owned() + HOSTILE[3]);
            AgentProfile::new(key, HOSTILE[3], None, None)
        });
        scoreboard.end_game(4, &players, ending);
        Arc::new(scoreboard)
    }

    /// Returns the status, the headers as text, and the body of a response to `GET`.
    async fn request(host: &str, path: &str) -> (u16, String, String) {
        send(Method::GET, host, path).await
    }

    async fn send(method: Method, host: &str, path: &str) -> (u16, String, String) {
        let address = "127.0.0.1:0".parse().expect("an address");
        let hosts = AllowedHosts::new(&address, &["kalah.example".parse().expect("a name")]);
        let local = LocalIp([127, 0, 0, 1].into());
        let router = router(scoreboard(), Arc::new(hosts)).layer(Extension(local));
        let request = Request::builder().method(method).uri(path);
        let request = request.header(HOST, host).body(Body::empty());
        let service = TowerToHyperService::new(router);
        let response = service.call(request.expect("a request")).await;
        let response = response.expect("a response");
        let status = response.status().as_u16();
        let headers = format!("{:?}", response.headers());
        let body = to_bytes(response.into_body(), 1 << 20)
            .await
            .expect("a body");
        (
            status,
            headers,
            String::from_utf8(body.to_vec()).expect("UTF-8"),
        )
    }

    #[tokio::test]
    async fn names_of_clients_are_escaped_on_all_pages() {
        let games = (1..)
            .zip(HOSTILE)
            .map(|(number, _)| format!("/games/{number}"));
        for path in games.chain(["/".to_owned()]) {
            let (status, headers, body) = request("localhost", &path).await;
            assert_eq!(status, 200, "{path}: {body}");
            for markup in [
                "<script",
                "<img",
                "\"onmouseover",
                "</title></pre>",
                "secret",
            ] {
                assert!(!body.contains(markup), "{path}: {body}");
            }
            assert!(!body.contains(['\u{1b}', '\u{202e}']), "{path}: {body:?}");
            assert!(headers.contains("default-src 'none'"), "{path}: {headers}");
            assert_eq!(body.matches("</html>").count(), 1, "{path}: {body}");
        }
        let (_, _, body) = request("localhost", "/").await;
        assert!(
            body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"),
            "{body}"
        );
        assert!(
            body.contains(r"&amp;lt;b&amp;gt;\u{202e}\u{1b}[2J"),
            "{body}"
        );
    }

    #[tokio::test]
    async fn games_are_listed_shown_and_downloaded() {
        let (_, _, list) = request("kalah.example:8080", "/").await;
        for text in [
            "<td><a href=\"/games/1\">1</a></td>",
            "<td class=\"number\">1-0</td><td>running</td>",
            "<td>North wins, time</td><td><a href=\"/games/4.kgn\">download</a></td>",
        ] {
            assert!(list.contains(text), "{text}: {list}");
        }
        let (_, _, page) = request("localhost", "/games/1").await;
        let board = "<tr><td rowspan=\"2\">0</td><td>2</td><td>2</td><td>2</td>\
                     <td rowspan=\"2\">1</td></tr><tr><td>2</td><td>0</td><td>3</td></tr>";
        assert!(page.contains(board), "{page}");
        assert!(page.contains(" (North): running.</p>"), "{page}");
        let refresh = "<meta http-equiv=\"refresh\" content=\"30\">";
        assert!(page.contains(refresh), "{page}");
        let (_, _, page) = request("localhost", "/games/4").await;
        assert!(page.contains(" (North): North wins, time.</p>"), "{page}");
        assert!(!page.contains(refresh), "{page}");
        let (status, headers, text) = request("localhost", "/games/1.kgn").await;
        assert_eq!(status, 200);
        assert!(headers.contains("text/plain; charset=utf-8"), "{headers}");
        assert!(headers.contains("000001.kgn"), "{headers}");
        let record: Record = text.parse().expect("a record");
        assert_eq!(record.tags().get(Tags::SOUTH), Some(HOSTILE[0]));
        assert_eq!(record.game().plies().len(), 1);
    }

    #[tokio::test]
    async fn other_hosts_and_unknown_games_are_refused() {
        let evil = ("evil.example", "/", 421);
        let unknown = [
            "/games/9",
            "/games/x",
            "/games/+1",
            "/games/001",
            "/games/%ff",
            "/games/1.html",
            "/games/",
            "/x",
        ];
        let unknown = unknown.map(|path| ("localhost", path, 404));
        for (host, path, expected) in unknown.into_iter().chain([evil]) {
            let (status, headers, body) = request(host, path).await;
            assert_eq!(status, expected, "{path}: {body}");
            assert!(headers.contains("text/html"), "{path}: {headers}");
            assert!(headers.contains("default-src 'none'"), "{path}: {headers}");
            let title = format!("<h1>{status} ");
            assert!(body.contains(&title), "{path}: {body}");
        }
    }

    #[tokio::test]
    async fn other_methods_are_refused() {
        for path in ["/", "/games/1"] {
            let (status, headers, body) = send(Method::POST, "localhost", path).await;
            assert_eq!(status, 405, "{path}: {body}");
            assert!(headers.contains("text/html"), "{path}: {headers}");
            assert!(body.contains("<h1>405 "), "{path}: {body}");
        }
    }

    #[test]
    fn players_of_the_server_are_built_in() {
        let agent = |is_builtin, connections| {
            let mut agent = KgpAgent::default();
            (agent.is_builtin, agent.connections) = (is_builtin, connections);
            agent
        };
        for (is_builtin, connections, expected) in
            [(true, 0, "built-in"), (false, 0, "no"), (false, 2, "yes")]
        {
            let table = agents_table(&[agent(is_builtin, connections)]).into_string();
            assert!(table.contains(&format!("<td>{expected}</td>")), "{table}");
        }
    }
}
