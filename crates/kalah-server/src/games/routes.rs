use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::header::{AUTHORIZATION, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use kalah::Side;
use kalah_api::{Object, TimeLimit};
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::asked::Asked;
use crate::games::hall::{Act, Held};
use crate::games::live::{Live, MOST_MESSAGE, Place};
use crate::games::{ClockSetting, GameId, Person, Refused, StateView, Token, origin};
use crate::problem::{Problem, quoted};
use crate::segment::Segment;
use crate::service::Shared;
use crate::visitor::Visitor;

/// What somebody asks who wants a game with a friend.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewGame {
    rules: Option<String>,
    position: Option<String>,
    #[serde(default)]
    side: Seat,
    clock: Option<Object<ClockWords>>,
}

/// Where the one who asks wants to sit.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Seat {
    #[default]
    South,
    North,
    Random,
}

/// A clock in words, such as `10m` and `5s`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockWords {
    initial: String,
    increment: String,
}

/// A game that was made, and what opens it.
#[derive(Serialize)]
pub(crate) struct MadeView {
    game: String,
    side: Side,
    token: String,
    friend_token: String,
    state: StateView,
}

/// A sowing that somebody asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SowInGame {
    ply: usize,
    choice: String,
}

/// What is asked where nothing needs to be said.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// Bytes that are read at once from a live connection, which each has for itself: more than messages have.
const BUFFER: usize = 2 * MOST_MESSAGE;

/// What a new game counts as, in requests: it stays on the disk for days.
const NEW_GAME_REQUESTS: u32 = 50;

/// `POST /api/v1/games`
pub(crate) async fn make(
    State(service): State<Shared>,
    Extension(visitor): Extension<Visitor>,
    Asked(asked): Asked<NewGame>,
) -> Result<Response, Problem> {
    let start = kalah_api::position(asked.rules.as_deref(), asked.position.as_deref())?;
    if start.is_over() {
        let position = quoted(&start.to_string());
        return Err(unprocessable(format!(
            "the game is over in position {position}"
        )));
    }
    let clock = asked
        .clock
        .map(|Object(words)| words.setting())
        .transpose()?;
    let person = Person::new(match asked.side {
        Seat::South => Side::South,
        Seat::North => Side::North,
        Seat::Random => any_side(),
    });
    service.admit(visitor, NEW_GAME_REQUESTS)?;
    let made = service.hall.make(start, clock, person).await?;
    let game = made.state.game.clone();
    let location = [(LOCATION, format!("/api/v1/games/{game}"))];
    let view = MadeView {
        game,
        side: person.began,
        token: made.token.reveal(),
        friend_token: made.friend_token.reveal(),
        state: made.state,
    };
    Ok((StatusCode::CREATED, location, Answer(view)).into_response())
}

/// `GET /api/v1/games/{game}`
pub(crate) async fn state(
    State(service): State<Shared>,
    Segment(game): Segment,
    headers: HeaderMap,
) -> Result<Answer<StateView>, Problem> {
    let held = room(&service, &game)?;
    Ok(Answer(held.state(token(&headers)?.as_ref()).await?))
}

/// `POST /api/v1/games/{game}/plies`
pub(crate) async fn sow(
    State(service): State<Shared>,
    Segment(game): Segment,
    headers: HeaderMap,
    Asked(SowInGame { ply, choice }): Asked<SowInGame>,
) -> Result<Answer<StateView>, Problem> {
    act(&service, &game, &headers, Act::Sow { ply, choice }).await
}

/// `POST /api/v1/games/{game}/resign`
pub(crate) async fn resign(
    State(service): State<Shared>,
    Segment(game): Segment,
    headers: HeaderMap,
    Asked(Nothing {}): Asked<Nothing>,
) -> Result<Answer<StateView>, Problem> {
    act(&service, &game, &headers, Act::Resign).await
}

/// `POST /api/v1/games/{game}/rematch`
pub(crate) async fn rematch(
    State(service): State<Shared>,
    Segment(game): Segment,
    headers: HeaderMap,
    Asked(Nothing {}): Asked<Nothing>,
) -> Result<Answer<StateView>, Problem> {
    act(&service, &game, &headers, Act::Rematch).await
}

/// `GET /api/v1/games/{game}/live`
pub(crate) async fn live(
    State(service): State<Shared>,
    Extension(visitor): Extension<Visitor>,
    Segment(game): Segment,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Problem> {
    origin::check(&headers)?;
    let game = read_id(&game)?;
    let place = Place::take(&service, visitor)?;
    // The server waits for the end of the connection.
    let task = service.ending.tasks.token();
    let upgrade = upgrade
        .read_buffer_size(BUFFER)
        .max_message_size(MOST_MESSAGE)
        .max_frame_size(MOST_MESSAGE);
    Ok(upgrade.on_upgrade(move |socket| async move {
        Live::new(place, game, socket).serve().await;
        drop(task);
    }))
}

async fn act(
    service: &Shared,
    game: &str,
    headers: &HeaderMap,
    act: Act,
) -> Result<Answer<StateView>, Problem> {
    let held = room(service, game)?;
    let token = token(headers)?.ok_or_else(|| forbidden(&Refused::NoToken))?;
    Ok(Answer(held.act(&token, act).await?.state))
}

fn room(service: &Shared, game: &str) -> Result<Held, Problem> {
    Ok(service.hall.room(read_id(game)?))
}

fn read_id(game: &str) -> Result<GameId, Problem> {
    game.parse().map_err(|_| {
        let detail = format!("there is no game {}", quoted(game));
        Problem::new(StatusCode::NOT_FOUND, detail)
    })
}

/// The token of a request, if it has one.
fn token(headers: &HeaderMap) -> Result<Option<Token>, Problem> {
    let Some(value) = headers.get(AUTHORIZATION) else {
        return Ok(None);
    };
    let text = value.to_str().ok().and_then(|text| text.split_once(' '));
    let token = match text {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Token::read(token),
        _ => None,
    };
    token.map(Some).ok_or_else(|| forbidden(&Refused::Token))
}

fn forbidden(refused: &Refused) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, refused.to_string())
}

fn unprocessable(detail: String) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
}

/// Either side, each as likely as the other.
fn any_side() -> Side {
    // A name of a game is random in every bit.
    match GameId::random().bytes()[0] & 1 {
        0 => Side::South,
        _ => Side::North,
    }
}

impl ClockWords {
    fn setting(&self) -> Result<ClockSetting, Problem> {
        let read = |text: &str| -> Result<Duration, Problem> {
            let limit: TimeLimit = text.parse().map_err(kalah_api::Problem::Time)?;
            Ok(limit.get())
        };
        ClockSetting::new(read(&self.initial)?, read(&self.increment)?)
            .map_err(|error| unprocessable(error.to_string()))
    }
}
