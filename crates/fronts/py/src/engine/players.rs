//! Built-in players, openings of matches and estimates of strength.

use std::num::NonZeroUsize;
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kalah::{Move, Player, Position, Quoted, TimeLimit};
use kalah_arena::{Elo, Estimate, Openings, OpeningsError, Pentanomial, ScoreFraction};
use kalah_engine::{AnalysisGoal, Limits, SmartPlayer, TableCache};
use kalah_players::{EngineFactory, MemorySize, PlayerKind, PlayerSpec};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::errors::{IllegalMoveError, KalahError, ParseError};
use crate::games::game::PyGame;
use crate::games::position::position_from_py;
use crate::games::values::PyMove;
use crate::{arguments, interrupt, resources};

/// The memory of a player that searches, in bytes.
const DEFAULT_MEMORY: u64 = 256 << 20;

/// A built-in player.
///
/// `spec` is `first` (its first legal move), `random`, `minimax:DEPTH` with a depth in turns from 1
/// to 12, `level:1` to `level:10`, or `smart`, the strongest player, optionally with its time for a
/// move such as `smart:100ms`.
///
/// `seed`, 0 to 2⁶⁴ - 1, determines the random choices of `random` and the levels; without it they
/// differ from player to player. `nodes` is the number of positions that `smart` and `level:10`
/// search for a move, on `threads` threads with `memory`, an amount such as `512MiB` or a number of
/// bytes, for each player. With `nodes` and one thread their moves are reproducible. The other
/// players ignore these three.
///
/// A copy or a pickle is a player with the same arguments that has not chosen a move since
/// `new_game` with the last seed.
///
/// Raises `KalahError` for an invalid argument.
///
/// >>> from kalah.players import BuiltinPlayer
/// >>> player = BuiltinPlayer("minimax:4")
/// >>> player.choose("<3,1,1,0,0,1,1,0,0> s")
/// Move('C')
#[pyclass(name = "BuiltinPlayer", module = "kalah.players", frozen)]
pub(crate) struct PyBuiltinPlayer {
    spec: PlayerSpec,
    name: String,
    nodes: Option<u64>,
    engines: EngineFactory,
    /// The flag that ends the search.
    stop_flag: Arc<AtomicBool>,
    strategy: Mutex<PlayerStrategy>,
    /// The last seed of the random choices.
    seed: AtomicU64,
    /// The process that created the player. In a forked one `strategy` can be locked for ever.
    process: u32,
}

/// The function that creates a player, and its arguments: the class, and those of the class.
type PickledPlayer<'py> = (
    Bound<'py, PyAny>,
    (Bound<'py, PyType>, (String,), Bound<'py, PyDict>),
);

/// The way in which a player chooses its moves.
enum PlayerStrategy {
    /// A search within limits.
    Search(Box<SmartPlayer>),
    /// A player that ignores limits.
    Other(Box<dyn Player + Send>),
}

impl PlayerStrategy {
    fn new(spec: PlayerSpec, name: &str, seed: u64, engines: &EngineFactory) -> PyResult<Self> {
        if spec.uses_clock() {
            let origin = Instant::now();
            let clock = move || origin.elapsed();
            let smart = SmartPlayer::with_engine(name, engines.build(), clock);
            return Ok(Self::Search(Box::new(smart)));
        }
        let player = spec.build_player(name, seed, engines);
        player
            .map(Self::Other)
            .ok_or_else(|| KalahError::new_err("spec: expected a program, not human"))
    }

    /// Returns a move; `None` if the game is over.
    fn choose(
        &mut self,
        position: &Position,
        time: Option<Duration>,
        nodes: Option<u64>,
    ) -> Option<Move> {
        let time_or_default = time.unwrap_or(SmartPlayer::DEFAULT_TIME_LIMIT);
        match self {
            Self::Search(smart) => match nodes {
                Some(nodes) => choose_within_nodes(smart, position, time, nodes),
                None => smart.choose_move(position, time_or_default),
            },
            Self::Other(player) => player.choose_move(position, time_or_default),
        }
    }
}

/// Returns the best move of a search within limits. A single legal move is returned without a
/// search.
fn choose_within_nodes(
    smart: &mut SmartPlayer,
    position: &Position,
    time: Option<Duration>,
    nodes: u64,
) -> Option<Move> {
    let mut moves = position.legal_moves();
    if let (only, None) = (moves.next(), moves.next()) {
        return only;
    }
    let origin = Instant::now();
    let limits = Limits {
        time,
        nodes: Some(nodes),
        goal: AnalysisGoal::BestMove,
        ..Limits::default()
    };
    let engine = smart.engine_mut();
    engine
        .analyze(position, limits, &|| origin.elapsed())
        .best_move
}

impl PyBuiltinPlayer {
    fn check_process(&self) -> PyResult<()> {
        if process::id() == self.process {
            return Ok(());
        }
        let message = "this player belongs to another process: create a player in each process";
        Err(KalahError::new_err(message))
    }
}

#[pymethods]
impl PyBuiltinPlayer {
    #[new]
    #[pyo3(signature = (spec, *, name=None, seed=None, nodes=None, threads=None, memory=None))]
    fn new(
        py: Python<'_>,
        spec: &Bound<'_, PyAny>,
        name: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        nodes: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        memory: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let spec = PlayerSpec::parse_program(&arguments::only_text(spec, "spec")?)
            .map_err(|error| KalahError::new_err(format!("spec: {error}")))?;
        let threads = threads.map_or(Ok(NonZeroUsize::MIN), resources::threads)?;
        let memory = match memory {
            Some(memory) => resources::memory(memory)?,
            None => MemorySize::new(DEFAULT_MEMORY),
        };
        let stop_flag = Arc::<AtomicBool>::default();
        let engines = EngineFactory::new(threads, memory, TableCache::new())
            .with_stop_flag(Arc::clone(&stop_flag));
        let name = match name {
            Some(name) => arguments::only_text(name, "name")?.into_owned(),
            None => spec.default_name(),
        };
        let seed = arguments::seed(py, seed)?;
        let strategy = PlayerStrategy::new(spec, &name, seed, &engines)?;
        Ok(Self {
            spec,
            name,
            nodes: nodes.map(positive_nodes).transpose()?,
            engines,
            stop_flag,
            strategy: Mutex::new(strategy),
            seed: AtomicU64::new(seed),
            process: process::id(),
        })
    }

    /// The text of the player, such as `level:3`.
    #[getter]
    fn spec(&self) -> String {
        self.spec.to_string()
    }

    /// The name of the player in records.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Drops the search results, and makes the random choices follow from `seed`, which is random
    /// by default.
    ///
    /// >>> from kalah.players import BuiltinPlayer
    /// >>> player = BuiltinPlayer("random", seed=7)
    /// >>> moves = [player.choose("6x4") for _ in range(20)]
    /// >>> player.new_game(7)
    /// >>> moves == [player.choose("6x4") for _ in range(20)]
    /// True
    #[pyo3(signature = (seed=None))]
    fn new_game(&self, py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.check_process()?;
        let seed = arguments::seed(py, seed)?;
        let strategy = PlayerStrategy::new(self.spec, &self.name, seed, &self.engines)?;
        self.seed.store(seed, Ordering::Relaxed);
        py.detach(|| *self.strategy.lock().unwrap_or_else(PoisonError::into_inner) = strategy);
        Ok(())
    }

    /// Returns a move for the side to move in `position`, which is a `Position`, its text, or a
    /// `Game`.
    ///
    /// `smart` and `level:10` search at most `time` seconds, and at most `nodes` positions. Without
    /// either they search for the time of their text, or five seconds. The other players ignore
    /// both. Ctrl-C ends the search with `KeyboardInterrupt`.
    ///
    /// Raises `IllegalMoveError` if the game is over.
    ///
    /// >>> import kalah
    /// >>> from kalah.players import BuiltinPlayer
    /// >>> smart = BuiltinPlayer("smart")
    /// >>> smart.choose(kalah.Game("4x3", rules="standard", moves="B D b"), nodes=20_000)
    /// Move('A')
    #[pyo3(signature = (position, *, time=None, nodes=None))]
    fn choose(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        time: Option<&Bound<'_, PyAny>>,
        nodes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyMove>> {
        self.check_process()?;
        let position = position_or_game(position)?;
        let own_time = self.spec.time_limit.map(TimeLimit::get);
        let time = time
            .map(|time| arguments::seconds(time, "time"))
            .transpose()?;
        let time = time.into_iter().chain(own_time).min();
        let nodes = nodes.map(positive_nodes).transpose()?.or(self.nodes);
        self.stop_flag.store(false, Ordering::Relaxed);
        let choose = || {
            let mut strategy = self.strategy.lock().unwrap_or_else(PoisonError::into_inner);
            strategy.choose(&position, time, nodes)
        };
        let mv = if answers_soon(self.spec, &position) {
            interrupt::run_short(py, choose)?
        } else {
            interrupt::run(py, &self.stop_flag, |_| Ok(()), choose)?
        };
        let mv = mv.ok_or_else(|| IllegalMoveError::new_err("the game is over"))?;
        Ok(PyMove::object(py, position.to_move(), mv)?.clone_ref(py))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<PickledPlayer<'py>> {
        let (py, player) = (slf.py(), slf.get());
        let keywords = PyDict::new(py);
        keywords.set_item("name", &player.name)?;
        keywords.set_item("seed", player.seed.load(Ordering::Relaxed))?;
        keywords.set_item("nodes", player.nodes)?;
        keywords.set_item("threads", player.engines.threads().get())?;
        keywords.set_item("memory", player.engines.memory().bytes())?;
        let new = py.import("copyreg")?.getattr("__newobj_ex__")?;
        Ok((new, (slf.get_type(), (player.spec(),), keywords)))
    }

    fn __repr__(&self) -> String {
        format!("BuiltinPlayer('{}')", self.spec)
    }
}

/// The highest level, and the most houses a side, with which every answer takes less than 100 ms: a
/// level searches fewer nodes on a larger board, but each of them takes longer there.
const MAX_SHORT_LEVEL: u8 = 7;
const MAX_SHORT_HOUSES: u8 = 12;

/// Returns whether a player answers so soon that its call needs no thread of its own.
fn answers_soon(spec: PlayerSpec, position: &Position) -> bool {
    match spec.kind {
        PlayerKind::First | PlayerKind::Random => true,
        PlayerKind::Level { number } => {
            number.get() <= MAX_SHORT_LEVEL && position.houses() <= MAX_SHORT_HOUSES
        }
        PlayerKind::Human | PlayerKind::Minimax { .. } | PlayerKind::Smart => false,
    }
}

/// Returns the position of a `Game`, a `Position` or its text.
fn position_or_game(value: &Bound<'_, PyAny>) -> PyResult<Position> {
    match value.cast::<PyGame>() {
        Ok(game) => Ok(game.borrow().position().clone()),
        Err(_) => position_from_py(value, None),
    }
}

fn positive_nodes(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    arguments::integer_in(value, "nodes", 1, u64::MAX)
}

/// The maximum number of plies of random openings, and of their count.
const MAX_OPENING_PLIES: usize = 1000;
const MAX_OPENINGS: usize = 1_000_000;

/// Returns at most `count` games of exactly `plies` random plies from `start`.
///
/// `start` is a `Position` or its text under `rules`, 6x4 under `cs32` by default. The games lead
/// to different positions, in none of which the game is over. There are fewer than `count` if 1000
/// consecutive random games lead to no new position. `plies` is at most 1000, `count` at most
/// 1,000,000, and `seed`, 0 to 2⁶⁴ - 1, determines the games. Ctrl-C ends the call with
/// `KeyboardInterrupt`.
///
/// Raises `KalahError` if there are no such games.
///
/// >>> from kalah.players import random_openings
/// >>> [len(game) for game in random_openings("6x4", plies=4, count=3, seed=7)]
/// [4, 4, 4]
/// >>> random_openings("1x1", plies=50, count=3)
/// Traceback (most recent call last):
///     ...
/// kalah.KalahError: plies: expected so few that the game is not over after them, not 50
#[pyfunction]
#[pyo3(signature = (start=None, rules=None, *, plies, count, seed=None))]
pub(crate) fn random_openings(
    py: Python<'_>,
    start: Option<&Bound<'_, PyAny>>,
    rules: Option<&Bound<'_, PyAny>>,
    plies: &Bound<'_, PyAny>,
    count: &Bound<'_, PyAny>,
    seed: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PyGame>> {
    let start = PyGame::start_position(start, rules)?;
    if start.is_over() {
        let message = format!("start: expected a position before the end of the game, not {start}");
        return Err(KalahError::new_err(message));
    }
    let plies = arguments::integer_in(plies, "plies", 0, MAX_OPENING_PLIES)?;
    let count = arguments::integer_in(count, "count", 1, MAX_OPENINGS)?;
    let seed = arguments::seed(py, seed)?;
    let stop_flag = AtomicBool::new(false);
    let games = interrupt::run(
        py,
        &stop_flag,
        |_| Ok(()),
        || {
            let is_stopped = || stop_flag.load(Ordering::Relaxed);
            let openings = Openings::random_until(start, plies, count, seed, is_stopped).ok()?;
            let openings = openings.as_slice().iter();
            Some(
                openings
                    .take_while(|_| !is_stopped())
                    .map(|opening| PyGame::from_game(opening.game()))
                    .collect(),
            )
        },
    )?;
    games.ok_or_else(|| {
        let expected = "expected so few that the game is not over after them";
        KalahError::new_err(format!("plies: {expected}, not {plies}"))
    })
}

/// Returns the games of a list of openings, and the margin of South in each, if it is proven.
#[pyfunction]
pub(crate) fn _parse_openings(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
) -> PyResult<Vec<(PyGame, Option<i32>)>> {
    let text = arguments::only_text(text, "text")?;
    let openings =
        py.detach(|| text.parse::<Openings>())
            .map_err(|OpeningsError { line, problem }| {
                let quoted = Quoted::new(text.lines().nth(line - 1).unwrap_or_default());
                ParseError::new_err(format!("line {line}, {quoted}: {problem}"))
            })?;
    let openings = openings.as_slice().iter();
    Ok(openings
        .map(|opening| {
            let margin = opening.margin().map(kalah::Margin::seeds);
            (PyGame::from_game(opening.game()), margin)
        })
        .collect())
}

/// An estimate and the ends of its interval.
type WithInterval = (f64, f64, f64);

/// Returns the score with its 95 % interval, the Elo difference with its interval, and the
/// likelihood of superiority, from the numbers of pairs with 0, 1, 2, 3 and 4 half points; `None`
/// without pairs.
#[pyfunction]
pub(crate) fn _estimate(pairs: [u32; 5]) -> Option<(WithInterval, WithInterval, f64)> {
    let estimate = Estimate::from_pairs(&Pentanomial::new(pairs))?;
    let points = |elo: Elo| {
        let infinity = if elo.expected_score() < ScoreFraction::EVEN {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
        elo.points().unwrap_or(infinity)
    };
    let (score, elo) = (estimate.score_interval, estimate.elo_interval);
    Some((
        (estimate.score.get(), score.lower.get(), score.upper.get()),
        (points(estimate.elo), points(elo.lower), points(elo.upper)),
        estimate.superiority.get(),
    ))
}
