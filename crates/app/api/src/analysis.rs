//! Requests that search with the engine: `analyze`, `choose` and `prepare`.

use std::sync::Arc;
use std::time::Duration;

use kalah::{Move, ParseTimeLimitError, Player as _, Position, Side, TimeLimit, Variant};
use kalah_engine::{
    AnalysisGoal, Bounds, Decision, Engine, Estimates, LevelNumber, LevelPlayer, Limits,
    MoveReport, Report, ResultChances, SmartPlayer,
};
use kalah_players::{PlayerKind, PlayerSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::{MOVE_PATTERN, POSITION_PATTERN, SideSchema};
use crate::{Endpoint, Execution, RequestError, SearchKind, SearchRequirements, parse_position};

/// The engine that executes requests, with its caches, a clock, and a maximum for the time limits
/// of requests.
pub struct RequestEngine {
    smart: SmartPlayer,
    clock: ClockFn,
    max_time: Duration,
}

type ClockFn = Arc<dyn Fn() -> Duration + Send + Sync>;

impl RequestEngine {
    /// Creates an engine for requests. Requests with a time limit of more than `max_time` are
    /// rejected. `clock` returns the time since any fixed moment.
    pub fn new(
        engine: Engine,
        max_time: Duration,
        clock: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Self {
        let clock: ClockFn = Arc::new(clock);
        let player_clock = Arc::clone(&clock);
        Self {
            smart: SmartPlayer::with_engine("Smart", engine, move || player_clock()),
            clock,
            max_time,
        }
    }

    /// Returns the engine, to set its endgame tables, or a flag that stops the next search.
    pub fn engine(&mut self) -> &mut Engine {
        self.smart.engine_mut()
    }

    fn engine_and_clock(&mut self) -> (&mut Engine, &ClockFn) {
        (self.smart.engine_mut(), &self.clock)
    }
}

/// Parses the time limit of a request. The default is that of [`SmartPlayer`], or the maximum if
/// that is less.
fn resolve_time_limit(text: Option<&str>, max_time: Duration) -> Result<Duration, RequestError> {
    let Some(text) = text else {
        return Ok(SmartPlayer::DEFAULT_TIME_LIMIT.min(max_time));
    };
    match text.parse::<TimeLimit>() {
        Ok(time) if time.get() <= max_time => Ok(time.get()),
        Ok(_) | Err(ParseTimeLimitError::TooLong(_)) => Err(RequestError::TooMuchTime {
            requested: text.to_owned(),
            max: max_time,
        }),
        Err(error) => Err(error.into()),
    }
}

/// The request `analyze`: proves the margins of moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalyzeRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    pub rules: Option<String>,
    /// The position; `6x4` by default.
    #[schemars(example = &"6x4")]
    pub position: Option<String>,
    /// The time limit, such as `500ms`; five seconds by default.
    #[schemars(example = &"500ms")]
    pub time: Option<String>,
    /// The moves whose margins to prove; all by default.
    #[serde(default)]
    pub prove: MovesToProve,
    /// The number of moves that get a line in `moves`, the best ones; none by default, and all if
    /// it is at least the number of moves.
    #[serde(default)]
    #[schemars(range(max = u8::MAX))]
    pub lines: u8,
}

/// The moves whose margins an analysis proves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MovesToProve {
    /// The best move.
    Best,
    /// All moves, beginning with the best one.
    #[default]
    All,
}

/// The result of an analysis, or a snapshot of it while it runs. Margins are from the view of the
/// side to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnalyzeResponse {
    /// The position as text.
    #[schemars(regex(pattern = POSITION_PATTERN))]
    pub position: String,
    /// The rules as text.
    pub rules: String,
    /// The side to move.
    #[schemars(with = "SideSchema")]
    pub to_move: Side,
    /// The expected margin, in seeds; it is proven if the bounds are exact.
    pub margin: i32,
    /// The proven bounds of the margin.
    #[serde(flatten)]
    pub bounds: BoundsView,
    /// The chances of the side to move; `None` if the result is not proven and nothing has been
    /// searched.
    pub chances: Option<ChancesView>,
    /// The best move found; `None` if the game is over.
    #[schemars(regex(pattern = MOVE_PATTERN))]
    pub best: Option<String>,
    /// Whether it is proven that no other move gains more than the best one.
    pub is_best_proven: bool,
    /// All legal moves: houses in sowing order, then `swap`.
    pub moves: Vec<AnalyzedMoveView>,
    /// The principal variation, beginning with the best move. It may stop before the end of the
    /// game.
    #[schemars(inner(regex(pattern = MOVE_PATTERN)))]
    pub line: Vec<String>,
    /// The number of nodes searched.
    pub nodes: u64,
    /// The number of gains read from endgame tables.
    pub table_hits: u64,
    /// The depth of the last completed iteration, in turns.
    pub depth: u32,
    /// The time used, in seconds.
    #[schemars(range(min = 0))]
    pub seconds: f64,
    /// The number of nodes searched in a second.
    pub nodes_per_second: u64,
    /// Whether the margins of all moves are those of an opening book. Then nothing was searched.
    pub is_from_book: bool,
    /// The damage of an endgame table that was not used for this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_damage: Option<String>,
}

/// A move of an analysis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnalyzedMoveView {
    /// The move.
    #[serde(rename = "move")]
    #[schemars(regex(pattern = MOVE_PATTERN))]
    pub mv: String,
    /// The proven bounds of its margin.
    #[serde(flatten)]
    pub bounds: BoundsView,
    /// The expected margin, in seeds: within the bounds, and never more than that of the best move.
    pub estimate: i32,
    /// The chances of the side to move with this move.
    pub chances: ChancesView,
    /// The depth of the search behind the estimate, in turns; 0 for the static evaluation.
    pub depth: u32,
    /// The expected moves, beginning with this one, if the request asked for its line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = MOVE_PATTERN)))]
    pub line: Vec<String>,
}

/// The probabilities of the results of the game in thousandths, which add up to 1000: in an
/// analysis those of the side to move, and in a review those of the player who began as South. A
/// result with 1000 is proven. A win or a loss with 0 is proven to be out of reach; a tie with 0
/// has less than half a thousandth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChancesView {
    /// The probability of a win, in thousandths.
    #[schemars(range(max = ResultChances::TOTAL))]
    pub win: u16,
    /// The probability of a tie, in thousandths.
    #[schemars(range(max = ResultChances::TOTAL))]
    pub tie: u16,
    /// The probability of a loss, in thousandths.
    #[schemars(range(max = ResultChances::TOTAL))]
    pub loss: u16,
}

/// A move with the proven bounds of its margin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MoveBoundsView {
    /// The move.
    #[serde(rename = "move")]
    #[schemars(regex(pattern = MOVE_PATTERN))]
    pub mv: String,
    /// The proven bounds of its margin.
    #[serde(flatten)]
    pub bounds: BoundsView,
}

/// Proven bounds of a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BoundsView {
    /// The lower bound, in seeds.
    pub lower: i32,
    /// The upper bound, in seeds.
    pub upper: i32,
    /// Whether the bounds are equal.
    pub exact: bool,
}

impl AnalyzeResponse {
    /// Marks the bounds as those of a proof that rests on bounds from a file: no margin is exact,
    /// and no move is proven to be the best. The chances are those on this condition.
    pub fn mark_conditional(&mut self) {
        self.bounds.exact = false;
        self.is_best_proven = false;
        for candidate in &mut self.moves {
            candidate.bounds.exact = false;
        }
    }

    /// Returns the view of the report of `position`.
    pub fn new(position: &Position, report: &Report) -> Self {
        let to_move = position.to_move();
        Self {
            position: position.to_string(),
            rules: position.rules().to_string(),
            to_move,
            margin: report.margin().seeds(),
            bounds: report.bounds.into(),
            chances: report.chances(position).map(ChancesView::from),
            best: report.best_move.map(|mv| mv.text(to_move)),
            is_best_proven: report.is_best_move_proven(),
            moves: (report.moves.iter())
                .map(|candidate| AnalyzedMoveView::new(position, candidate))
                .collect(),
            line: line_texts(&report.line),
            nodes: report.nodes,
            table_hits: report.table_hits,
            depth: report.depth,
            seconds: report.time.as_secs_f64(),
            nodes_per_second: report.nodes_per_second(),
            is_from_book: report.is_from_book,
            table_damage: report.table_damage.as_ref().map(ToString::to_string),
        }
    }
}

impl AnalyzedMoveView {
    /// Returns the view of a move in `position`.
    fn new(position: &Position, report: &MoveReport) -> Self {
        Self {
            mv: report.mv.text(position.to_move()),
            bounds: report.bounds.into(),
            estimate: report.estimate.seeds(),
            chances: report.chances(position).into(),
            depth: report.depth,
            line: line_texts(&report.line),
        }
    }
}

impl MoveBoundsView {
    /// Returns the views of moves of `side`.
    pub fn list(side: Side, moves: &[MoveReport]) -> Vec<Self> {
        let view = |report: &MoveReport| Self {
            mv: report.mv.text(side),
            bounds: report.bounds.into(),
        };
        moves.iter().map(view).collect()
    }
}

fn line_texts(line: &[(Side, Move)]) -> Vec<String> {
    line.iter().map(|&(side, mv)| mv.text(side)).collect()
}

impl From<ResultChances> for ChancesView {
    fn from(chances: ResultChances) -> Self {
        Self {
            win: chances.win(),
            tie: chances.tie(),
            loss: chances.loss(),
        }
    }
}

impl From<Bounds> for BoundsView {
    fn from(bounds: Bounds) -> Self {
        Self {
            lower: bounds.lower.seeds(),
            upper: bounds.upper.seeds(),
            exact: bounds.is_exact(),
        }
    }
}

impl AnalyzeRequest {
    fn position(&self) -> Result<Position, RequestError> {
        parse_position(self.rules.as_deref(), self.position.as_deref())
    }

    fn time_limit(&self, max_time: Duration) -> Result<Duration, RequestError> {
        resolve_time_limit(self.time.as_deref(), max_time)
    }

    /// Returns the requirements of the analysis.
    ///
    /// # Errors
    /// Those of [`parse_position`], [`RequestError::Time`], and [`RequestError::TooMuchTime`] if
    /// the time limit is more than `max_time`.
    pub fn requirements(&self, max_time: Duration) -> Result<SearchRequirements, RequestError> {
        let position = self.position()?;
        Ok(SearchRequirements {
            kind: SearchKind::Analysis,
            variant: Variant::from_position(&position),
            time_limit: Some(self.time_limit(max_time)?),
            position: Some(position),
        })
    }

    /// Analyzes the position.
    ///
    /// # Errors
    /// Those of [`parse_position`], [`RequestError::Time`] and [`RequestError::TooMuchTime`].
    pub fn execute(&self, engine: &mut RequestEngine) -> Result<AnalyzeResponse, RequestError> {
        self.execute_with_snapshots(engine, &mut |_| {})
    }

    /// Analyzes the position like [`Self::execute`], and calls `observer` with the result so far
    /// whenever it improves.
    ///
    /// ```
    /// use std::time::Duration;
    /// use kalah_api::{AnalyzeRequest, RequestEngine, parse_request};
    /// use kalah_engine::Engine;
    ///
    /// let clock = || Duration::ZERO;
    /// let mut engine = RequestEngine::new(Engine::new(), Duration::from_secs(5), clock);
    /// let request: AnalyzeRequest = parse_request(br#"{"position":"4x2"}"#)?;
    /// let mut snapshots = Vec::new();
    /// let last = request.execute_with_snapshots(&mut engine, &mut |snapshot| {
    ///     snapshots.push(snapshot.clone());
    /// })?;
    /// assert!(snapshots.iter().all(|snapshot| snapshot.moves.len() == last.moves.len()));
    /// assert!(last.bounds.exact);
    /// # Ok::<(), kalah_api::RequestError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Self::execute`].
    pub fn execute_with_snapshots(
        &self,
        engine: &mut RequestEngine,
        observer: &mut dyn FnMut(&AnalyzeResponse),
    ) -> Result<AnalyzeResponse, RequestError> {
        let position = self.position()?;
        let limits = Limits {
            time: Some(self.time_limit(engine.max_time)?),
            goal: match self.prove {
                MovesToProve::Best => AnalysisGoal::BestMargin,
                MovesToProve::All => AnalysisGoal::AllMargins,
            },
            estimates: Estimates::AllMoves,
            lines: self.lines.into(),
            ..Limits::default()
        };
        let (engine, clock) = engine.engine_and_clock();
        let report = engine.analyze_with_progress(&position, limits, &**clock, &mut |report| {
            observer(&AnalyzeResponse::new(&position, report));
        });
        Ok(AnalyzeResponse::new(&position, &report))
    }
}

impl Endpoint for AnalyzeRequest {
    type Response = AnalyzeResponse;
    const NAME: &str = "analyze";
    const SUMMARY: &str = "Proves the margins of moves.";
    const RESPONSE_SUMMARY: &str = "The analysis.";
    const EXECUTION: Execution<Self> = Execution::Search {
        requirements: Self::requirements,
        execute: Self::execute_with_snapshots,
    };

    fn example() -> Value {
        json!({"position": "<3,1,1,0,0,1,1,0,0> s", "time": "1s"})
    }
}

/// The request `choose`: chooses a move as an opponent of the user.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChooseRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    pub rules: Option<String>,
    /// The position; `6x4` by default.
    #[schemars(example = &"6x4")]
    pub position: Option<String>,
    /// `level:1` to `level:10`, or `smart`, the same player as `level:10`.
    #[schemars(regex(pattern = "^(level:([1-9]|10)|smart)$"))]
    pub opponent: String,
    /// The seed of the random errors of levels; 0 by default.
    #[serde(default)]
    #[schemars(range(max = u64::MAX))]
    pub seed: u64,
    /// The time limit, such as `500ms`; five seconds by default. Only `smart` and `level:10` use
    /// it.
    #[schemars(example = &"500ms")]
    pub time: Option<String>,
}

/// The move of an opponent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChooseResponse {
    /// The move.
    #[serde(rename = "move")]
    #[schemars(regex(pattern = MOVE_PATTERN))]
    pub mv: String,
    /// The proven bounds of its margin; `None` for an only move and for levels below the highest.
    pub bounds: Option<BoundsView>,
    /// Whether it is proven that no other move gains more.
    pub is_best: bool,
}

/// Parses an opponent: `level:1` to `level:10`, or `smart`.
fn parse_opponent(text: &str) -> Result<PlayerSpec, RequestError> {
    if text == "smart" {
        return Ok(PlayerSpec::SMART);
    }
    // Numbers such as `+1` and `01`, which `u8::from_str` accepts, are not levels.
    text.strip_prefix("level:")
        .and_then(|text| LevelNumber::all().find(|level| level.to_string() == text))
        .map(|number| PlayerSpec {
            kind: PlayerKind::Level { number },
            time_limit: None,
        })
        .ok_or_else(|| RequestError::UnknownOpponent(text.to_owned()))
}

impl ChooseRequest {
    fn position(&self) -> Result<Position, RequestError> {
        parse_position(self.rules.as_deref(), self.position.as_deref())
    }

    /// Returns the requirements of the choice. Only `smart` and `level:10` have a time limit; the
    /// others choose at once.
    fn requirements(&self, max_time: Duration) -> Result<SearchRequirements, RequestError> {
        let position = self.position()?;
        let uses_clock = parse_opponent(&self.opponent)?.uses_clock();
        let time = resolve_time_limit(self.time.as_deref(), max_time)?;
        Ok(SearchRequirements {
            kind: SearchKind::OpponentMove,
            variant: Variant::from_position(&position),
            time_limit: uses_clock.then_some(time),
            position: Some(position),
        })
    }

    /// Returns the move of the opponent.
    ///
    /// # Errors
    /// Those of [`parse_position`], [`RequestError::UnknownOpponent`], [`RequestError::Time`],
    /// [`RequestError::TooMuchTime`] and [`RequestError::GameOver`].
    pub fn execute(&self, engine: &mut RequestEngine) -> Result<ChooseResponse, RequestError> {
        let position = self.position()?;
        let opponent = parse_opponent(&self.opponent)?;
        let time = resolve_time_limit(self.time.as_deref(), engine.max_time)?;
        let decision = match opponent.kind {
            PlayerKind::Level { number } if !opponent.uses_clock() => {
                let clock = Arc::clone(&engine.clock);
                let mut player = LevelPlayer::new("Level", number, self.seed, move || clock());
                let mv = player.choose_move(&position, time);
                mv.map(Decision::without_analysis)
            }
            // The highest level and `smart` search until their time limit.
            _ => engine.smart.decide(&position, time),
        };
        let decision = decision.ok_or(RequestError::GameOver)?;
        Ok(ChooseResponse {
            mv: decision.mv.text(position.to_move()),
            bounds: decision.bounds.map(BoundsView::from),
            is_best: decision.is_best,
        })
    }
}

impl Endpoint for ChooseRequest {
    type Response = ChooseResponse;
    const NAME: &str = "choose";
    const SUMMARY: &str = "Chooses a move of an opponent.";
    const RESPONSE_SUMMARY: &str = "The move.";
    const EXECUTION: Execution<Self> = Execution::Search {
        requirements: Self::requirements,
        execute: |request, engine, _| request.execute(engine),
    };

    fn example() -> Value {
        json!({"position": "6x4", "opponent": "level:3"})
    }
}

/// The request `prepare`: builds an endgame table for later searches of the same game. A client
/// sends it to a worker that is idle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrepareRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    pub rules: Option<String>,
    /// The position; `6x4` by default.
    #[schemars(example = &"6x4")]
    pub position: Option<String>,
    /// The time limit, such as `500ms`; five seconds by default. Building may take one and a half
    /// times as long.
    #[schemars(example = &"500ms")]
    pub time: Option<String>,
}

/// The size of the endgame table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PrepareResponse {
    /// The table has the gains of all positions with at most this number of seeds in the houses,
    /// which need no search; 0 if there is no table.
    pub seeds: u8,
}

impl PrepareRequest {
    /// Builds an endgame table that is as large as the position, time and memory justify.
    ///
    /// # Errors
    /// Those of [`parse_position`], [`RequestError::Time`] and [`RequestError::TooMuchTime`].
    pub fn execute(&self, engine: &mut RequestEngine) -> Result<PrepareResponse, RequestError> {
        let position = parse_position(self.rules.as_deref(), self.position.as_deref())?;
        let time = resolve_time_limit(self.time.as_deref(), engine.max_time)?;
        let (engine, clock) = engine.engine_and_clock();
        let seeds = engine.prepare(&position, time, &**clock);
        Ok(PrepareResponse { seeds })
    }
}

impl Endpoint for PrepareRequest {
    type Response = PrepareResponse;
    const NAME: &str = "prepare";
    const SUMMARY: &str = "Builds an endgame table for later searches.";
    const RESPONSE_SUMMARY: &str = "The size of the table.";
    const EXECUTION: Execution<Self> = Execution::Preparation(Self::execute);

    fn example() -> Value {
        json!({"position": "4x3", "time": "1s"})
    }
}
