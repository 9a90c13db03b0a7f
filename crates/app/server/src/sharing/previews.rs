//! Addresses of games, rooms and puzzles for messengers: documents that describe a link and lead to
//! the page, and pictures of boards. The fragment of the page's address does not reach a server.

use std::convert::Infallible;

use axum::Extension;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::header::{ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_TYPE, HOST, VARY};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use kalah::record::Record;
use kalah::{BySide, Position, Side};
use kalah_api::parse_position;
use maud::{DOCTYPE, Markup, html};

use crate::games::routes::game_handle;
use crate::http::error::ProblemResponse;
use crate::http::extract::PathParam;
use crate::http::rate_limit::{ClientIp, ClientIpSource};
use crate::rooms::routes::find_room;
use crate::sharing::board_picture::board_png;
use crate::sharing::preview_texts::{Language, PreviewTexts};
use crate::sharing::records::open_record;
use crate::state::{ServerState, SharedState};

/// The time for which a picture of a board may be used again, which changes with each move.
const PICTURE_CACHE: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// The rules of an address that names none.
const DEFAULT_RULES: &str = "cs32";

/// The preview of a game, a room or a puzzle.
struct Preview {
    subject: Subject,
    /// The position of the picture.
    position: Position,
}

/// The subject of the title of a preview.
enum Subject {
    /// A game with a free seat, with the name of the player who has created it.
    Invitation(Option<String>),
    /// A game with the names of its players.
    Game(BySide<Option<String>>),
    /// A room with its name.
    Room(String),
    /// A puzzle with the side to move.
    Puzzle(Side),
}

impl Subject {
    /// Returns the title in the language of the texts.
    fn title(&self, texts: &PreviewTexts) -> String {
        match self {
            Self::Invitation(Some(name)) => (texts.invitation_by)(name),
            Self::Invitation(None) => texts.invitation.to_owned(),
            Self::Game(names) => {
                let name = |side: Side| names[side].as_deref().unwrap_or(texts.sides[side]);
                let players = format!("{} \u{2013} {}", name(Side::South), name(Side::North));
                (texts.game)(&players)
            }
            Self::Room(name) => (texts.room)(name),
            Self::Puzzle(side) => (texts.puzzle)(texts.sides[*side]),
        }
    }
}

/// The parts of a request on which the document of a link depends beside its path.
pub(crate) struct LinkRequest {
    language: Language,
    /// The query of the addresses of this document: `?lang=CODE` if the request names a language.
    query: String,
    /// The beginning of the addresses of this server, as the client knows it.
    origin: String,
}

impl FromRequestParts<SharedState> for LinkRequest {
    type Rejection = Infallible;

    /// The language of the address precedes that of the client: messengers read addresses for
    /// people, and do not send their languages.
    async fn from_request_parts(
        parts: &mut Parts,
        server: &SharedState,
    ) -> Result<Self, Infallible> {
        let named = parts.uri.query().and_then(Language::from_query);
        let accepted = || Language::from_headers(&parts.headers).unwrap_or_default();
        Ok(Self {
            language: named.unwrap_or_else(accepted),
            query: named.map_or_else(String::new, |named| format!("?lang={}", named.code())),
            origin: origin(server, &parts.headers),
        })
    }
}

/// `GET /play/{game}`
pub(crate) async fn game(
    State(server): State<SharedState>,
    PathParam(id): PathParam,
    request: LinkRequest,
) -> Response {
    let link = Link::new(format!("play/{id}"), format!("friend={id}"));
    link.document(&request, game_preview(&server, &id).await)
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
    request: LinkRequest,
) -> Response {
    let link = Link::new(format!("room/{code}"), format!("room={code}"));
    let preview = room_preview(&server, client_ip, &code).await;
    link.document(&request, preview)
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
    request: LinkRequest,
) -> Response {
    let link = Link::new(format!("shared/{id}"), format!("shared={id}"));
    link.document(&request, shared_preview(&server, &id).await)
}

/// `GET /shared/{id}/{at}`: the same at a place of the game, as the page writes it.
pub(crate) async fn shared_at(
    State(server): State<SharedState>,
    Path((id, at)): Path<(String, String)>,
    request: LinkRequest,
) -> Response {
    let path = format!("shared/{id}/{at}");
    let link = Link::new(path, format!("shared={id}&at={at}"))
        .with_picture(format!("shared/{id}/board.png"));
    link.document(&request, shared_preview(&server, &id).await)
}

/// `GET /shared/{id}/board.png`
pub(crate) async fn shared_picture(
    State(server): State<SharedState>,
    PathParam(id): PathParam,
) -> Result<Response, ProblemResponse> {
    picture(shared_preview(&server, &id).await?).await
}

/// `GET /puzzle/{position}`
pub(crate) async fn puzzle(PathParam(position): PathParam, request: LinkRequest) -> Response {
    let path = format!("puzzle/{position}");
    let link = Link::new(path, format!("puzzle={position}"))
        .with_picture(format!("puzzle/{position}/{DEFAULT_RULES}/board.png"));
    let preview = puzzle_preview(&position, DEFAULT_RULES);
    link.document(&request, preview)
}

/// `GET /puzzle/{position}/{rules}`
pub(crate) async fn puzzle_with_rules(
    Path((position, rules)): Path<(String, String)>,
    request: LinkRequest,
) -> Response {
    let path = format!("puzzle/{position}/{rules}");
    let link = Link::new(path, format!("puzzle={position}&rules={rules}"));
    link.document(&request, puzzle_preview(&position, &rules))
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
    Ok(Preview {
        subject: Subject::Puzzle(position.to_move()),
        position,
    })
}

async fn game_preview(server: &SharedState, id: &str) -> Result<Preview, ProblemResponse> {
    let game = game_handle(server, id)?.view(None).await?;
    let position = parse_position(Some(&game.rules), Some(&game.position.position))?;
    let subject = match game.free_seat {
        Some(seat) => Subject::Invitation(game.names[seat.opponent()].clone()),
        None => Subject::Game(game.names),
    };
    Ok(Preview { subject, position })
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
        subject: Subject::Room(name),
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
        subject: Subject::Game(names),
        position: record.game().position().clone(),
    })
}

/// A link to the page by a path of the server.
struct Link {
    /// The path, without a leading slash.
    path: String,
    /// The fragment of the page, without `#`.
    fragment: String,
    /// The path of the picture.
    picture: String,
}

impl Link {
    fn new(path: String, fragment: String) -> Self {
        let picture = format!("{path}/board.png");
        Self {
            path,
            fragment,
            picture,
        }
    }

    fn with_picture(self, picture: String) -> Self {
        Self { picture, ..self }
    }

    /// Returns the document of the link, which leads to the page at once. A link without a preview
    /// is redirected: the page says what is wrong with it.
    fn document(
        &self,
        request: &LinkRequest,
        preview: Result<Preview, ProblemResponse>,
    ) -> Response {
        const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
        let folders = self.path.matches('/').count();
        let target = format!("{}#{}", "../".repeat(folders), self.fragment);
        let Ok(preview) = preview else {
            return Redirect::to(&target).into_response();
        };
        let title = preview.subject.title(request.language.texts());
        let page = html! {
            (DOCTYPE)
            html lang=(request.language.code()) {
                head {
                    meta charset="utf-8";
                    title { (title) }
                    // Without an icon browsers ask for one.
                    link rel="icon" href="data:,";
                    (self.tags(&title, &preview.position, request))
                    meta http-equiv="refresh" content={ "0; url=" (target) };
                }
                body {
                    p { a href=(target) { (title) } }
                }
            }
        };
        let headers = [
            (CONTENT_TYPE, HTML),
            (VARY, HeaderValue::from(ACCEPT_LANGUAGE)),
        ];
        (headers, page.into_string()).into_response()
    }

    /// Returns the tags of Open Graph.
    fn tags(&self, title: &str, position: &Position, request: &LinkRequest) -> Markup {
        let LinkRequest {
            language,
            query,
            origin,
        } = request;
        let texts = language.texts();
        let description = (texts.position)(position);
        html! {
            meta name="description" content=(description);
            meta property="og:type" content="website";
            meta property="og:site_name" content="Kalah";
            meta property="og:locale" content=(language.locale());
            meta property="og:title" content=(title);
            meta property="og:description" content=(description);
            meta property="og:url" content={ (origin) (self.path) (query) };
            meta property="og:image" content={ (origin) (self.picture) };
            meta property="og:image:alt" content=(texts.picture);
            meta name="twitter:card" content="summary_large_image";
        }
    }
}

/// Returns the beginning of the addresses of this server, as the client knows it.
fn origin(server: &ServerState, headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let is_proxied = server.client_ip_source == ClientIpSource::XForwardedFor;
    let is_encrypted = headers
        .get("x-forwarded-proto")
        .is_some_and(|scheme| is_proxied && scheme == "https");
    let scheme = if is_encrypted { "https" } else { "http" };
    format!("{scheme}://{}/", host.unwrap_or("localhost"))
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
