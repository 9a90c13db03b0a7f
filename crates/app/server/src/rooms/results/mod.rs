//! The results of a room as files: JSON, tables, records and a report.

mod report;

use std::collections::HashMap;

use axum::Extension;
use axum::extract::{Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use kalah::csv_cell;
use kalah_store::{GameId, GameStoreError, StoredGame};
use serde::{Deserialize, Serialize};

use crate::http::error::ProblemResponse;
use crate::http::extract::PathParam;
use crate::http::rate_limit::ClientIp;
use crate::rooms::messages::{
    ByeView, MemberView, ResultView, RoomGameEndingView, RoomGameView, RoomHeadView,
};
use crate::rooms::results::report::report;
use crate::rooms::routes::{WHOLE_ROOM_COST, find_room};
use crate::rooms::state::room::Room;
use crate::rooms::state::room_error::RoomError;
use crate::rooms::state::standings::{StandingsRowView, StandingsView};
use crate::state::{ServerState, SharedState};

/// The query of `GET /api/v1/rooms/{room}/results`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResultsQuery {
    /// The format of the file.
    format: ResultsFormat,
}

/// The format of the results of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ResultsFormat {
    /// All of it.
    Json,
    /// The standings as a table.
    Csv,
    /// The games as a table.
    GamesCsv,
    /// The games as records.
    Kgn,
    /// A report for people.
    Html,
}

impl ResultsFormat {
    /// All formats.
    pub(crate) const ALL: [Self; 5] =
        [Self::Json, Self::Csv, Self::GamesCsv, Self::Kgn, Self::Html];

    /// Returns the word in the query, the end of the file's name, and the content type.
    pub(crate) const fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Json => ("json", ".json", "application/json"),
            Self::Csv => ("csv", ".csv", "text/csv; charset=utf-8"),
            Self::GamesCsv => ("games-csv", "-games.csv", "text/csv; charset=utf-8"),
            Self::Kgn => ("kgn", ".kgn", "text/plain; charset=utf-8"),
            Self::Html => ("html", ".html", "text/html; charset=utf-8"),
        }
    }
}

/// The results of a room.
#[derive(Debug, Serialize)]
pub(super) struct RoomResults {
    /// The room.
    pub(super) room: RoomHeadView,
    /// The time of creation in UTC, as in RFC 3339.
    pub(super) created: Option<String>,
    /// The members, in the order of their numbers.
    pub(super) members: Vec<MemberView>,
    /// The standings, the highest rank first.
    pub(super) standings: Vec<StandingsRowView>,
    /// The byes of all rounds.
    pub(super) byes: Vec<ByeView>,
    /// The games of all rounds.
    pub(super) games: Vec<ResultGame>,
}

/// A game in the results.
#[derive(Debug, Serialize)]
pub(super) struct ResultGame {
    pub(super) game: String,
    pub(super) round: u32,
    pub(super) pairing: u32,
    pub(super) leg: u8,
    pub(super) south: u32,
    pub(super) north: u32,
    /// The time of the first position in UTC, as in RFC 3339.
    pub(super) created: Option<String>,
    /// The position before the first ply, after the opening of the round.
    pub(super) start: String,
    /// The moves.
    pub(super) plies: Vec<String>,
    /// Whether the members have exchanged their sides.
    pub(super) swapped: bool,
    pub(super) ending: Option<RoomGameEndingView>,
}

/// `GET /api/v1/rooms/{room}/results`
pub(crate) async fn results(
    State(server): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    PathParam(room): PathParam,
    query: Result<Query<ResultsQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, ProblemResponse> {
    let Query(ResultsQuery { format }) = query.map_err(|rejection| {
        ProblemResponse::new(StatusCode::UNPROCESSABLE_ENTITY, rejection.body_text())
    })?;
    let (live_room, _) = find_room(&server, client_ip, &room, None).await?;
    server.check_rate_limit(client_ip, WHOLE_ROOM_COST)?;
    let room = server.rooms.read(&live_room, Clone::clone).await?;
    let games = load_games(&server, &room).await?;
    let code = room.code().to_string();
    let file = tokio::task::spawn_blocking(move || file(&room, &games, format)).await;
    let file = file.map_err(|error| {
        tracing::error!(%error, "the results of a room cannot be written");
        ProblemResponse::internal()
    })?;
    let (_, end, content_type) = format.names();
    let disposition = format!("attachment; filename=\"kalah-{code}{end}\"");
    let disposition = HeaderValue::try_from(disposition).map_err(|error| {
        tracing::error!(%error, "a code is no part of a header");
        ProblemResponse::internal()
    })?;
    let content_type = HeaderValue::from_static(content_type);
    let headers = [
        (CONTENT_TYPE, content_type),
        (CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, file).into_response())
}

/// Loads the games of a room. One that cannot be read is left out, and is in the log.
async fn load_games(
    server: &ServerState,
    room: &Room,
) -> Result<HashMap<GameId, StoredGame>, RoomError> {
    let mut games = HashMap::with_capacity(room.games().len());
    for game in room.games() {
        let id = game.place.game;
        match server.games.store.load(id).await {
            Ok(stored) => {
                games.insert(id, stored);
            }
            Err(GameStoreError::GameNotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(games)
}

/// Returns the results of a room in a format.
fn file(room: &Room, games: &HashMap<GameId, StoredGame>, format: ResultsFormat) -> String {
    match format {
        ResultsFormat::Json => {
            let text = serde_json::to_string_pretty(&RoomResults::new(room, games));
            text.expect("strings, numbers and lists of them can always be written")
        }
        ResultsFormat::Csv => standings_table(&RoomResults::new(room, games)),
        ResultsFormat::GamesCsv => games_table(&RoomResults::new(room, games)),
        ResultsFormat::Kgn => records(room, games),
        ResultsFormat::Html => report(&RoomResults::new(room, games)),
    }
}

impl RoomResults {
    fn new(room: &Room, stored: &HashMap<GameId, StoredGame>) -> Self {
        let members = room.members().iter();
        let games = room.games().iter();
        let no_clock = room.created();
        Self {
            room: RoomHeadView::new(room, 0),
            created: room.created().to_text(),
            members: members
                .map(|member| MemberView::new(member, false))
                .collect(),
            standings: StandingsView::new(room, 0).standings,
            byes: room
                .byes()
                .iter()
                .map(|bye| ByeView {
                    round: bye.round,
                    member: bye.member,
                })
                .collect(),
            games: games
                .filter_map(|game| {
                    let stored = stored.get(&game.place.game)?;
                    let view = RoomGameView::new(game, no_clock);
                    Some(ResultGame {
                        game: view.game,
                        round: view.round,
                        pairing: view.pairing,
                        leg: view.leg,
                        south: view.south,
                        north: view.north,
                        created: stored.created.to_text(),
                        start: stored.start.clone(),
                        plies: stored.plies.clone(),
                        swapped: view.swapped,
                        ending: view.ending,
                    })
                })
                .collect(),
        }
    }

    /// Returns the name of a member.
    pub(super) fn name(&self, number: u32) -> &str {
        let mut members = self.members.iter();
        let member = members.find(|member| member.number == number);
        member.map_or("?", |member| &*member.name)
    }
}

impl ResultGame {
    /// Returns the result for people, by the sides on which the members began.
    pub(super) fn result(&self) -> &'static str {
        match &self.ending {
            None => "running",
            Some(ending) => match ending.winner {
                Some(ResultView::South) => "1-0",
                Some(ResultView::North) => "0-1",
                Some(ResultView::Tie) => "½-½",
                None => "void",
            },
        }
    }
}

/// Returns the standings as CSV.
fn standings_table(results: &RoomResults) -> String {
    const COLUMNS: [&str; 13] = [
        "rank",
        "member",
        "name",
        "points",
        "games",
        "wins",
        "ties",
        "losses",
        "byes",
        "buchholz",
        "sonneborn_berger",
        "rating",
        "rating_error",
    ];
    let rows = results.standings.iter().map(|row| {
        let rating = row.rating.map(|rating| format!("{:.0}", rating.value));
        let error = row.rating.and_then(|rating| rating.error);
        [
            row.rank.to_string(),
            row.member.to_string(),
            csv_cell(results.name(row.member)),
            row.points.to_string(),
            row.games.to_string(),
            row.wins.to_string(),
            row.ties.to_string(),
            row.losses.to_string(),
            row.byes.to_string(),
            row.buchholz.to_string(),
            row.sonneborn_berger.to_string(),
            rating.unwrap_or_default(),
            error.map_or_else(String::new, |error| format!("{error:.0}")),
        ]
    });
    table(&COLUMNS, rows)
}

/// Returns the games as CSV.
fn games_table(results: &RoomResults) -> String {
    const COLUMNS: [&str; 13] = [
        "round",
        "pairing",
        "leg",
        "game",
        "south",
        "north",
        "result",
        "termination",
        "south_seeds",
        "north_seeds",
        "swapped",
        "start",
        "plies",
    ];
    let rows = results.games.iter().map(|game| {
        let ending = game.ending.as_ref();
        let seeds = |side| {
            let seeds = ending.map(|ending| ending.seeds[side].to_string());
            seeds.unwrap_or_default()
        };
        [
            game.round.to_string(),
            game.pairing.to_string(),
            game.leg.to_string(),
            csv_cell(&game.game),
            csv_cell(results.name(game.south)),
            csv_cell(results.name(game.north)),
            game.result().to_owned(),
            ending.map_or_else(String::new, |ending| ending.termination.clone()),
            seeds(kalah::Side::South),
            seeds(kalah::Side::North),
            game.swapped.to_string(),
            csv_cell(&game.start),
            game.plies.join(" "),
        ]
    });
    table(&COLUMNS, rows)
}

/// Returns a table as CSV.
fn table<const N: usize>(columns: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let write = |writer: &mut csv::Writer<Vec<u8>>| {
        writer.write_record(columns)?;
        for row in rows {
            writer.write_record(row)?;
        }
        writer.flush()
    };
    let written: Result<(), std::io::Error> = write(&mut writer);
    written.expect("memory can be written");
    let bytes = writer.into_inner().expect("memory can be written");
    String::from_utf8(bytes).expect("all cells are text")
}

/// Returns the games as records. One that the rules do not allow is left out, and
/// is in the log.
fn records(room: &Room, games: &HashMap<GameId, StoredGame>) -> String {
    let mut records = Vec::new();
    for game in room.games() {
        let place = game.place;
        let Some(stored) = games.get(&place.game) else {
            continue;
        };
        match stored.to_record() {
            Ok(record) => records.push(record.to_string()),
            Err(reason) => tracing::error!(game = %place.game, %reason, "a stored game is damaged"),
        }
    }
    records.join("\n")
}
