//! Addresses of games, rooms and puzzles for messengers: documents that describe a link and lead to
//! the page, and pictures of boards. The fragment of the page's address does not reach a server.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use kalah::record::Record;
use kalah::{BySide, Position, Quoted, Side};
use kalah_api::parse_position;
use maud::{DOCTYPE, html};

use crate::games::routes::game_handle;
use crate::http::error::ProblemResponse;
use crate::http::extract::PathParam;
use crate::http::rate_limit::{ClientIp, ClientIpSource};
use crate::rooms::routes::find_room;
use crate::sharing::board_picture::board_png;
use crate::sharing::records::open_record;
use crate::state::{ServerState, SharedState};

/// The time for which a picture of a board may be used again, which changes with each move.
const PICTURE_CACHE: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// The rules of an address that names none.
const DEFAULT_RULES: &str = "cs32";

/// The preview of a game, a room or a puzzle.
struct Preview {
    title: String,
    /// The position of the picture.
    position: Position,
}

/// `GET /play/{game}`
pub(crate) async fn game(
    State(server): State<SharedState>,
    PathParam(id): PathParam,
    headers: HeaderMap,
) -> Result<Response, ProblemResponse> {
    let preview = game_preview(&server, &id).await?;
    let address = address(&server, &headers, &format!("play/{id}"));
    Ok(document(&preview, &address, &format!("../#friend={id}")))
}

/// `GET /play/{game}/board.png`
pub(crate) async fn game_picture(
    State(server): State<SharedState>,
    PathParam(id): PathParam,
) -> Result<Response, ProblemResponse> {
    picture(game_preview(&server, &id).await?).await
}

/// `GET /room/{room}`
pub(crate) async fn room(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    PathParam(code): PathParam,
    headers: HeaderMap,
) -> Result<Response, ProblemResponse> {
    let preview = room_preview(&server, client_ip, &code).await?;
    let address = address(&server, &headers, &format!("room/{code}"));
    Ok(document(&preview, &address, &format!("../#room={code}")))
}

/// `GET /room/{room}/board.png`
pub(crate) async fn room_picture(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    PathParam(code): PathParam,
) -> Result<Response, ProblemResponse> {
    picture(room_preview(&server, client_ip, &code).await?).await
}

/// `GET /shared/{id}`
pub(crate) async fn shared(
    State(server): State<SharedState>,
    PathParam(id): PathParam,
    headers: HeaderMap,
) -> Result<Response, ProblemResponse> {
    let preview = shared_preview(&server, &id).await?;
    let address = address(&server, &headers, &format!("shared/{id}"));
    Ok(document(&preview, &address, &format!("../#shared={id}")))
}

/// `GET /shared/{id}/{at}`: the same at a place of the game, as the page writes it.
pub(crate) async fn shared_at(
    State(server): State<SharedState>,
    Path((id, at)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ProblemResponse> {
    if !at.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        let place = Quoted::literal(&at);
        let detail = format!("{place} is not a place in a game, such as `12`");
        return Err(ProblemResponse::new(StatusCode::NOT_FOUND, detail));
    }
    let preview = shared_preview(&server, &id).await?;
    let address = address(&server, &headers, &format!("shared/{id}"));
    Ok(document(
        &preview,
        &address,
        &format!("../../#shared={id}&at={at}"),
    ))
}

/// `GET /shared/{id}/board.png`
pub(crate) async fn shared_picture(
    State(server): State<SharedState>,
    PathParam(id): PathParam,
) -> Result<Response, ProblemResponse> {
    picture(shared_preview(&server, &id).await?).await
}

/// `GET /puzzle/{position}`
pub(crate) async fn puzzle(
    State(server): State<SharedState>,
    PathParam(position): PathParam,
    headers: HeaderMap,
) -> Result<Response, ProblemResponse> {
    let preview = puzzle_preview(&position, DEFAULT_RULES)?;
    let address = address(
        &server,
        &headers,
        &format!("puzzle/{position}/{DEFAULT_RULES}"),
    );
    let target = format!("../#puzzle={position}");
    Ok(document(&preview, &address, &target))
}

/// `GET /puzzle/{position}/{rules}`
pub(crate) async fn puzzle_with_rules(
    State(server): State<SharedState>,
    Path((position, rules)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ProblemResponse> {
    let preview = puzzle_preview(&position, &rules)?;
    let address = address(&server, &headers, &format!("puzzle/{position}/{rules}"));
    let target = format!("../../#puzzle={position}&rules={rules}");
    Ok(document(&preview, &address, &target))
}

/// `GET /puzzle/{position}/{rules}/board.png`
pub(crate) async fn puzzle_picture(
    Path((position, rules)): Path<(String, String)>,
) -> Result<Response, ProblemResponse> {
    picture(puzzle_preview(&position, &rules)?).await
}

/// Returns the preview of a puzzle whose position is as in an address: the numbers and words of its
/// text with commas between them. The page checks whether it is a puzzle.
fn puzzle_preview(folded: &str, rules: &str) -> Result<Preview, ProblemResponse> {
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = folded.split(',').collect::<Vec<_>>();
    let pits = parts.iter().take_while(|part| is_number(part)).count();
    let (pits, words) = parts.split_at(pits);
    let text = format!("<{}> {}", pits.join(","), words.join(" "));
    let position = parse_position(Some(rules), Some(text.trim_end()))?;
    let side = match position.to_move() {
        Side::South => "South",
        Side::North => "North",
    };
    Ok(Preview {
        title: format!("A puzzle of Kalah: {side} to move"),
        position,
    })
}

async fn game_preview(server: &SharedState, id: &str) -> Result<Preview, ProblemResponse> {
    let game = game_handle(server, id)?.view(None).await?;
    let creator = game.free_seat.map(|seat| &game.names[seat.opponent()]);
    let title = match creator {
        Some(Some(name)) => format!("{name} invites you to a game of Kalah"),
        Some(None) => "An invitation to a game of Kalah".to_owned(),
        None => format!("Kalah: {}", players(&game.names)),
    };
    let position = parse_position(Some(&game.rules), Some(&game.position.position))?;
    Ok(Preview { title, position })
}

async fn room_preview(
    server: &ServerState,
    client_ip: ClientIp,
    code: &str,
) -> Result<Preview, ProblemResponse> {
    let (room, _) = find_room(server, client_ip, code, None).await?;
    let read = server.rooms.read(&room, |room| {
        let settings = room.settings();
        (
            settings.name.to_string(),
            settings.rules.clone(),
            settings.start.clone(),
        )
    });
    let (name, rules, start) = read.await?;
    Ok(Preview {
        title: format!("Kalah: enter the room {name}"),
        position: parse_position(Some(&rules), Some(&start))?,
    })
}

async fn shared_preview(server: &ServerState, id: &str) -> Result<Preview, ProblemResponse> {
    let text = open_record(server, id).await?;
    let record: Record = text
        .parse()
        .map_err(|error| ProblemResponse::unprocessable(format!("{error}")))?;
    let tags = record.tags();
    let names = BySide::from_fn(|side: Side| {
        let name = match side {
            Side::South => tags.get("South"),
            Side::North => tags.get("North"),
        };
        name.filter(|name| !matches!(*name, "" | "?"))
            .map(str::to_owned)
    });
    Ok(Preview {
        title: format!("Kalah: {}", players(&names)),
        position: record.game().position().clone(),
    })
}

/// Returns the names of both players.
fn players(names: &BySide<Option<String>>) -> String {
    let name = |side: Side| match (&names[side], side) {
        (Some(name), _) => name.clone(),
        (None, Side::South) => "South".to_owned(),
        (None, Side::North) => "North".to_owned(),
    };
    format!("{} \u{2013} {}", name(Side::South), name(Side::North))
}

/// Returns the whole address of a path of this server, as the client knows it.
fn address(server: &ServerState, headers: &HeaderMap, path: &str) -> String {
    let header = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let host = header(HOST).unwrap_or("localhost");
    let is_proxied = server.client_ip_source == ClientIpSource::XForwardedFor;
    let proto = headers
        .get("x-forwarded-proto")
        .filter(|value| is_proxied && *value == "https");
    let scheme = if proto.is_some() { "https" } else { "http" };
    format!("{scheme}://{host}/{path}")
}

/// Returns the document of a preview, which leads to a relative address of the page at once.
fn document(preview: &Preview, address: &str, target: &str) -> Response {
    const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
    let Preview { title, position } = preview;
    let description = format!(
        "{} houses a side, {} seeds, rules {}",
        position.houses(),
        position.total(),
        position.rules()
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { (title) }
                meta name="description" content=(description);
                meta property="og:type" content="website";
                meta property="og:site_name" content="Kalah";
                meta property="og:title" content=(title);
                meta property="og:description" content=(description);
                meta property="og:url" content=(address);
                meta property="og:image" content={ (address) "/board.png" };
                meta property="og:image:alt" content="The board";
                meta name="twitter:card" content="summary_large_image";
                meta http-equiv="refresh" content={ "0; url=" (target) };
            }
            body {
                p { a href=(target) { (title) } }
            }
        }
    };
    ([(CONTENT_TYPE, HTML)], page.into_string()).into_response()
}

/// Returns the picture of a preview.
async fn picture(preview: Preview) -> Result<Response, ProblemResponse> {
    const PNG: HeaderValue = HeaderValue::from_static("image/png");
    let drawn = tokio::task::spawn_blocking(move || board_png(&preview.position)).await;
    let png = drawn.ok().flatten().ok_or_else(|| {
        ProblemResponse::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the picture cannot be drawn",
        )
    })?;
    Ok(([(CONTENT_TYPE, PNG), (CACHE_CONTROL, PICTURE_CACHE)], png).into_response())
}
