//! The results as tables of comma-separated values, for spreadsheets and data frames.

use kalah::{Margin, Side, csv_cell};
use serde::{Serialize, Serializer};

use super::summary::ArenaSummary;
use crate::finished_game::FinishedGame;
use crate::schedule::Leg;
use crate::stats::{GameScore, Rating};

/// The tables of a tournament as text in the form of RFC 4180, each with a header, also
/// without rows.
///
/// Rounds, pairs and games of a pair count from 1, times are in milliseconds, and points are `1`
/// for a win and `0.5` for a tie. A cell without a value is empty. The texts of engines have an
/// apostrophe before them if a spreadsheet would take them for formulas, as by [`csv_cell`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvTables {
    /// A row for each contestant, in the order of the standings.
    pub results: String,
    /// A row for each pair of which a game is finished.
    pub pairs: String,
    /// A row for each game.
    pub games: String,
    /// A row for each game that a contestant lost by its own fault.
    pub faults: String,
}

#[derive(Serialize)]
struct ResultRow {
    rank: usize,
    name: String,
    /// The identifier, such as the number of a student.
    id: Option<String>,
    engine: String,
    time_control: String,
    points: CsvNumber,
    games: u64,
    won: u32,
    tied: u32,
    lost: u32,
    elo: Option<CsvNumber>,
    elo_low: Option<CsvNumber>,
    elo_high: Option<CsvNumber>,
    faults: u32,
    moves: u32,
    mean_ms: Option<CsvNumber>,
    longest_ms: u64,
}

impl ResultRow {
    const HEADER: [&'static str; 17] = [
        "rank",
        "name",
        "id",
        "engine",
        "time_control",
        "points",
        "games",
        "won",
        "tied",
        "lost",
        "elo",
        "elo_low",
        "elo_high",
        "faults",
        "moves",
        "mean_ms",
        "longest_ms",
    ];
}

#[derive(Serialize)]
struct PairRow {
    round: usize,
    pair: usize,
    first: String,
    second: String,
    /// The points of the finished games.
    first_points: CsvNumber,
    second_points: CsvNumber,
    games: usize,
}

impl PairRow {
    const HEADER: [&'static str; 7] = [
        "round",
        "pair",
        "first",
        "second",
        "first_points",
        "second_points",
        "games",
    ];
}

#[derive(Serialize)]
struct GameRow {
    game: String,
    round: usize,
    pair: usize,
    leg: usize,
    /// The day on which the game ended, if it is known.
    date: Option<String>,
    south: String,
    north: String,
    south_time_control: String,
    north_time_control: String,
    south_points: CsvNumber,
    north_points: CsvNumber,
    winner: String,
    ending: &'static str,
    /// The margin of the player that began as South, if the seeds decided the game.
    south_margin: Option<i32>,
    plies: usize,
    opening_plies: usize,
    south_ms: u64,
    north_ms: u64,
    description: String,
}

impl GameRow {
    const HEADER: [&'static str; 19] = [
        "game",
        "round",
        "pair",
        "leg",
        "date",
        "south",
        "north",
        "south_time_control",
        "north_time_control",
        "south_points",
        "north_points",
        "winner",
        "ending",
        "south_margin",
        "plies",
        "opening_plies",
        "south_ms",
        "north_ms",
        "description",
    ];
}

#[derive(Serialize)]
struct FaultRow {
    game: String,
    round: usize,
    pair: usize,
    leg: usize,
    name: String,
    opponent: String,
    side: &'static str,
    fault: &'static str,
    description: String,
    /// The last position.
    position: String,
    plies: usize,
}

impl FaultRow {
    const HEADER: [&'static str; 11] = [
        "game",
        "round",
        "pair",
        "leg",
        "name",
        "opponent",
        "side",
        "fault",
        "description",
        "position",
        "plies",
    ];
}

impl CsvTables {
    /// Creates the tables of the games so far.
    pub fn new(summary: &ArenaSummary) -> Self {
        let games = summary.games_in_order();
        let faults = games.iter().filter_map(|game| fault_row(game));
        Self {
            results: table(&ResultRow::HEADER, result_rows(summary)),
            pairs: table(&PairRow::HEADER, pair_rows(summary, &games)),
            faults: table(&FaultRow::HEADER, faults),
            games: table(&GameRow::HEADER, games.iter().map(|game| game_row(game))),
        }
    }
}

/// A number that is written as a plain decimal with at most [`MAX_DECIMALS`] decimals, without an
/// exponent, which spreadsheets can take for text.
#[derive(Clone, Copy, Debug)]
struct CsvNumber(f64);

/// The maximum number of decimals. Times of moves are whole milliseconds, and the intervals of Elo
/// are far wider than 0.0001.
const MAX_DECIMALS: usize = 4;

impl Serialize for CsvNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = format!("{:.MAX_DECIMALS$}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        serializer.serialize_str(if text == "-0" { "0" } else { text })
    }
}

/// Returns a header and rows as text.
fn table(header: &[&str], rows: impl IntoIterator<Item = impl Serialize>) -> String {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    let mut written = writer.write_record(header);
    for row in rows {
        written = written.and_then(|()| writer.serialize(row));
    }
    written.unwrap_or_else(|error| unreachable!("rows of plain values: {error}"));
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

fn result_rows(summary: &ArenaSummary) -> impl Iterator<Item = ResultRow> {
    summary.standings.iter().filter_map(|standing| {
        let contestant = standing.contestant;
        let config = summary.config.contestants.get(contestant.0)?;
        let stats = summary.stats.get(contestant.0)?;
        let (elo, interval) = match summary.rating(contestant) {
            Some(Rating::Number { elo, interval }) => (elo.points(), interval),
            _ => (None, None),
        };
        let mean = stats.think_time.mean();
        Some(ResultRow {
            rank: standing.rank,
            name: csv_cell(&config.name),
            id: config.spec.id.as_deref().map(csv_cell),
            engine: csv_cell(&config.spec.to_string()),
            time_control: summary.config.time_control_of(contestant).to_string(),
            points: CsvNumber(points(standing.games.half_points())),
            games: standing.games.game_count(),
            won: standing.games.wins,
            tied: standing.games.ties,
            lost: standing.games.losses,
            elo: elo.map(CsvNumber),
            elo_low: interval
                .and_then(|interval| interval.lower.points())
                .map(CsvNumber),
            elo_high: interval
                .and_then(|interval| interval.upper.points())
                .map(CsvNumber),
            faults: stats.faults.values().sum(),
            moves: stats.think_time.moves,
            mean_ms: mean.map(|mean| CsvNumber(mean.as_secs_f64() * 1e3)),
            longest_ms: stats.think_time.longest_ms,
        })
    })
}

/// Returns a row for each pair of games, which are sorted by pair.
fn pair_rows(summary: &ArenaSummary, games: &[&FinishedGame]) -> Vec<PairRow> {
    let pairs = games.chunk_by(|one, other| one.encounter == other.encounter);
    let rows = pairs.filter_map(|games| {
        let encounter = games.first()?.encounter;
        let scores = games.iter().map(|game| game.first_score());
        let half_points: u64 = scores.map(half_points).sum();
        let all = 2 * games.len() as u64;
        Some(PairRow {
            round: encounter.round + 1,
            pair: encounter.pair + 1,
            first: csv_cell(summary.config.name(encounter.first)),
            second: csv_cell(summary.config.name(encounter.second)),
            first_points: CsvNumber(points(half_points)),
            second_points: CsvNumber(points(all - half_points)),
            games: games.len(),
        })
    });
    rows.collect()
}

fn game_row(game: &FinishedGame) -> GameRow {
    let half_points = Side::ALL.map(|side| half_points(game.score(side)));
    let winner = Side::ALL.into_iter();
    let winner = winner
        .clone()
        .find(|&side| game.score(side) == GameScore::Win);
    GameRow {
        game: game.number_text(),
        round: game.encounter.round + 1,
        pair: game.encounter.pair + 1,
        leg: leg_number(game.leg),
        date: game.date.as_deref().map(csv_cell),
        south: csv_cell(&game.names.south),
        north: csv_cell(&game.names.north),
        south_time_control: csv_cell(&game.time_controls.south),
        north_time_control: csv_cell(&game.time_controls.north),
        south_points: CsvNumber(points(half_points[0])),
        north_points: CsvNumber(points(half_points[1])),
        winner: winner.map_or_else(String::new, |side| csv_cell(&game.names[side])),
        ending: game.end.termination().as_str(),
        south_margin: game.margin(Side::South).map(Margin::seeds),
        plies: game.game.moves().len(),
        opening_plies: game.opening_plies,
        south_ms: game.think_time.south.total_ms,
        north_ms: game.think_time.north.total_ms,
        description: game.end.to_string(),
    }
}

/// Returns the row of a game that a contestant lost by its own fault; `None` for another one.
fn fault_row(game: &FinishedGame) -> Option<FaultRow> {
    let side = game.end.side_at_fault()?;
    Some(FaultRow {
        game: game.number_text(),
        round: game.encounter.round + 1,
        pair: game.encounter.pair + 1,
        leg: leg_number(game.leg),
        name: csv_cell(&game.names[side]),
        opponent: csv_cell(&game.names[side.opponent()]),
        side: match side {
            Side::South => "south",
            Side::North => "north",
        },
        fault: game.end.termination().as_str(),
        description: game.end.to_string(),
        position: game.game.replay().position().to_string(),
        plies: game.game.moves().len(),
    })
}

fn leg_number(leg: Leg) -> usize {
    match leg {
        Leg::First => 1,
        Leg::Second => 2,
    }
}

fn half_points(score: GameScore) -> u64 {
    match score {
        GameScore::Loss => 0,
        GameScore::Tie => 1,
        GameScore::Win => 2,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a tournament has far fewer games than 2^52"
)]
pub(super) fn points(half_points: u64) -> f64 {
    half_points as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::super::html::tests::{JOURNAL, with_summary};
    use super::*;

    #[test]
    fn numbers_are_plain_decimals() {
        let values = [
            2.967_721e-17,
            -1e-9,
            12.0,
            12.5,
            100.0,
            -0.125,
            1e15,
            1.0 / 3.0,
        ];
        let text = table(&["value"], values.map(|value| (CsvNumber(value),)));
        let expected = "value\n0\n0\n12\n12.5\n100\n-0.125\n1000000000000000\n0.3333\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn names_are_no_formulas() {
        let (name, cell) = ("=HYPERLINK(1)", "'=HYPERLINK(1)");
        let journal = JOURNAL.replace("<one>", name);
        let tables = with_summary(&journal, &[name, "two", "three"], CsvTables::new);
        let CsvTables {
            results,
            pairs,
            games,
            faults,
        } = tables;
        for text in [results, pairs, games, faults] {
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let rows = reader.records().map(|row| row.expect("a row"));
            let cells: Vec<String> = rows
                .flat_map(|row| row.iter().map(str::to_owned).collect::<Vec<_>>())
                .collect();
            assert!(cells.iter().any(|it| it == cell), "{text}");
            assert!(!cells.iter().any(|it| it == name), "{text}");
        }
    }
}
