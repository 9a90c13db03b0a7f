//! Reviews of games.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kalah::{BySide, Side};
use kalah_engine::{
    Accuracy, Goal, GradeCounts, Limits, MarginEstimate, MoveGrade, Review, ReviewedPly,
};
use kalah_players::{EngineFactory, available_threads};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::game::PyGame;
use crate::progress::{Progress, PyPositionProgress};
use crate::report::PyBounds;
use crate::values::{PyMove, side_to_py};
use crate::{arguments, engine, interrupt};

/// The time for each position, as for the program.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// The value of a position for a player: an expected margin within proven bounds.
///
/// >>> import kalah
/// >>> review = kalah.review(kalah.Game("3x2", moves="A"), nodes=10_000)
/// >>> review.start
/// MarginEstimate(margin=4, is_exact=True)
#[pyclass(name = "MarginEstimate", module = "kalah", frozen, eq)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PyMarginEstimate(MarginEstimate);

#[pymethods]
impl PyMarginEstimate {
    /// The margin at the end of the game in seeds, exact if `is_exact`, else an estimate within
    /// `bounds`.
    #[getter]
    fn margin(&self) -> i32 {
        self.0.expected.seeds()
    }

    /// Whether the margin is proven.
    #[getter]
    fn is_exact(&self) -> bool {
        self.0.bounds.is_exact()
    }

    /// The proven bounds of the margin.
    #[getter]
    fn bounds(&self) -> PyBounds {
        self.0.bounds.into()
    }

    fn __repr__(&self) -> String {
        let margin = self.margin();
        if self.is_exact() {
            format!("MarginEstimate(margin={margin}, is_exact=True)")
        } else {
            format!(
                "MarginEstimate(margin={margin}, bounds={})",
                self.bounds().__repr__()
            )
        }
    }
}

/// A ply of a reviewed game.
///
/// `before`, `after` and `cost` are seen from the player that made the ply.
///
/// >>> import kalah
/// >>> review = kalah.review(kalah.Game("3x2", moves="A"), nodes=10_000)
/// >>> ply = review.plies[0]
/// >>> ply.before.margin, ply.after.margin, ply.cost.lower, ply.better_moves
/// (4, -8, 12, (Move('B'),))
#[pyclass(name = "ReviewedPly", module = "kalah", frozen, eq)]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PyReviewedPly {
    /// The number of the ply in the game, from 1.
    #[pyo3(get)]
    number: usize,
    ply: ReviewedPly,
}

#[pymethods]
impl PyReviewedPly {
    /// The side that moved.
    #[getter]
    fn side(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        side_to_py(py, self.ply.side)
    }

    /// The player that moved, by the side on which it began. It differs from `side` after a swap.
    #[getter]
    fn player(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        side_to_py(py, self.ply.player)
    }

    /// The move.
    #[getter]
    fn r#move(&self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        Ok(PyMove::object(py, self.ply.side, self.ply.mv)?.clone_ref(py))
    }

    /// The value of the position before the ply.
    #[getter]
    fn before(&self) -> PyMarginEstimate {
        PyMarginEstimate(self.ply.before)
    }

    /// The value of the position after the ply.
    #[getter]
    fn after(&self) -> PyMarginEstimate {
        PyMarginEstimate(self.ply.after)
    }

    /// The bounds of the cost in seeds: the margin of the best move minus that of the move made, at
    /// least 0.
    #[getter]
    fn cost(&self) -> PyBounds {
        self.ply.cost.into()
    }

    /// Whether it is proven that the ply cost something.
    #[getter]
    fn is_costly(&self) -> bool {
        self.ply.is_costly()
    }

    /// The margin of the best move minus that of the worst in seeds, or `None` if the margins of some
    /// moves are not proven.
    #[getter]
    fn stake(&self) -> Option<u32> {
        self.ply.stake
    }

    /// The grade of the move: `inaccuracy`, `mistake` or `blunder`, or `None` if no cost is proven
    /// that is worth one.
    ///
    /// A blunder costs a point, or half a point and at least 8 seeds; a mistake half a point or at
    /// least 8 seeds; an inaccuracy at least 4 seeds. A win is worth a point and a tie half a point.
    #[getter]
    fn grade(&self) -> Option<&'static str> {
        self.ply.grade().map(|grade| match grade {
            MoveGrade::Inaccuracy => "inaccuracy",
            MoveGrade::Mistake => "mistake",
            MoveGrade::Blunder => "blunder",
        })
    }

    /// The symbol of the grade: `?!`, `?` or `??`, and an empty text without a grade.
    #[getter]
    fn symbol(&self) -> &'static str {
        self.ply.grade().map_or("", MoveGrade::symbol)
    }

    /// The moves with the best proven margin, if it is proven that the ply cost something.
    #[getter]
    fn better_moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let moves = self.ply.better_moves.iter();
        let line: Vec<_> = moves.map(|&mv| (self.ply.side, mv)).collect();
        PyMove::tuple(py, &line)
    }

    fn __repr__(&self) -> String {
        let (mv, symbol) = (self.ply.mv.text(self.ply.side), self.symbol());
        let cost = if self.ply.cost.is_exact() {
            self.cost().lower.to_string()
        } else {
            self.cost().__repr__()
        };
        format!("<ReviewedPly {}: {mv}{symbol}, cost {cost}>", self.number)
    }
}

/// The accuracy of a player: 100 × (1 - cost ÷ stake), over the plies for which the margins of all
/// moves are proven.
///
/// >>> import kalah
/// >>> review = kalah.review(kalah.Game("3x2", moves="A"), nodes=10_000)
/// >>> review.accuracy[kalah.Side.SOUTH]
/// Accuracy(percent=0.0, plies=1, cost=12, stake=12)
#[pyclass(name = "Accuracy", module = "kalah", frozen, eq)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PyAccuracy(Accuracy);

#[pymethods]
impl PyAccuracy {
    /// The accuracy in percent, 0 to 100, or `None` if nothing was at stake.
    #[getter]
    fn percent(&self) -> Option<f64> {
        self.0.percent()
    }

    /// The number of plies that count.
    #[getter]
    fn plies(&self) -> u32 {
        self.0.plies
    }

    /// The cost of these plies in seeds.
    #[getter]
    fn cost(&self) -> u32 {
        self.0.cost
    }

    /// The stake of these plies in seeds.
    #[getter]
    fn stake(&self) -> u32 {
        self.0.stake
    }

    fn __repr__(&self) -> String {
        let Accuracy { plies, cost, stake } = self.0;
        let percent = match self.percent() {
            Some(percent) => format!("{percent:.1}"),
            None => "None".to_owned(),
        };
        format!("Accuracy(percent={percent}, plies={plies}, cost={cost}, stake={stake})")
    }
}

/// The number of moves of each grade.
///
/// >>> import kalah
/// >>> review = kalah.review(kalah.Game("3x2", moves="A"), nodes=10_000)
/// >>> review.grades[kalah.Side.SOUTH]
/// GradeCounts(inaccuracies=0, mistakes=0, blunders=1)
#[pyclass(name = "GradeCounts", module = "kalah", frozen, eq)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PyGradeCounts(GradeCounts);

#[pymethods]
impl PyGradeCounts {
    /// The number of inaccuracies.
    #[getter]
    fn inaccuracies(&self) -> u32 {
        self.0.inaccuracies
    }

    /// The number of mistakes.
    #[getter]
    fn mistakes(&self) -> u32 {
        self.0.mistakes
    }

    /// The number of blunders.
    #[getter]
    fn blunders(&self) -> u32 {
        self.0.blunders
    }

    fn __repr__(&self) -> String {
        let GradeCounts {
            inaccuracies,
            mistakes,
            blunders,
        } = self.0;
        format!(
            "GradeCounts(inaccuracies={inaccuracies}, mistakes={mistakes}, blunders={blunders})"
        )
    }
}

/// The review of a game: the cost and the grade of each ply, as far as they are proven.
///
/// >>> import kalah
/// >>> review = kalah.review(kalah.Game("3x2", moves="A a"), nodes=10_000)
/// >>> [ply.grade for ply in review.plies]
/// ['blunder', None]
#[pyclass(name = "Review", module = "kalah", frozen)]
pub(crate) struct PyReview {
    game: PyGame,
    review: Review,
}

/// Returns a dictionary with a value for each player, by the side on which the player began.
fn by_player<'py, T, U: IntoPyObject<'py>>(
    py: Python<'py>,
    values: &BySide<T>,
    convert: impl Fn(&T) -> U,
) -> PyResult<Bound<'py, PyDict>> {
    let dictionary = PyDict::new(py);
    for side in Side::ALL {
        dictionary.set_item(side_to_py(py, side)?, convert(&values[side]))?;
    }
    Ok(dictionary)
}

#[pymethods]
impl PyReview {
    /// A copy of the game that was reviewed.
    #[getter]
    fn game(&self) -> PyGame {
        self.game.clone()
    }

    /// The value of the start for the player that began as South.
    #[getter]
    fn start(&self) -> PyMarginEstimate {
        PyMarginEstimate(self.review.start)
    }

    /// The plies in order.
    #[getter]
    fn plies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let plies = (1..).zip(&self.review.plies);
        let plies = plies.map(|(number, ply)| PyReviewedPly {
            number,
            ply: ply.clone(),
        });
        PyTuple::new(py, plies.collect::<Vec<_>>())
    }

    /// The values of the positions for the player that began as South: first that of the start, then
    /// that after each ply.
    #[getter]
    fn margins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let values = (0..=self.review.plies.len()).filter_map(|at| self.review.value_after(at));
        PyTuple::new(py, values.map(PyMarginEstimate).collect::<Vec<_>>())
    }

    /// The accuracy of each player, a dictionary by the side on which the player began.
    #[getter]
    fn accuracy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_player(py, &self.review.accuracy, |&accuracy| PyAccuracy(accuracy))
    }

    /// The numbers of moves of each grade of each player, a dictionary by the side on which the
    /// player began.
    #[getter]
    fn grades<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_player(py, &self.review.grades, |&grades| PyGradeCounts(grades))
    }

    /// The number of plies whose cost is not proven.
    #[getter]
    fn unproven_count(&self) -> usize {
        self.review.unproven_count()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let html = slf.py().import("kalah._html")?;
        html.call_method1("review_html", (slf,))
    }

    fn __repr__(&self) -> String {
        let plies = match self.review.plies.len() {
            1 => "1 ply".to_owned(),
            count => format!("{count} plies"),
        };
        let proven = self.review.plies.len() - self.unproven_count();
        format!("<Review, {plies}, cost proven for {proven}>")
    }
}

/// Reviews a game: analyzes its positions from the last to the first, and returns the cost of each
/// ply.
///
/// `time` is the time for each position in seconds (a number or a `timedelta`), 5 by default, and
/// `nodes` the number of positions that the search of each position visits; with `nodes` alone there
/// is no limit of time. `threads` is the number of threads: by default all of the machine, and 1
/// with `nodes` alone, so that such a review is reproducible. `memory` is the limit for hash tables
/// and endgame tables, by default a quarter of the memory of the machine, up to 1 GiB, and `tables`
/// a `Table` or several. `progress` is `True` for a progress bar (with tqdm), or a function that is
/// called with a `PositionProgress` several times a second.
///
/// Ctrl-C stops the review and raises `KeyboardInterrupt`.
///
/// >>> import kalah
/// >>> review = kalah.review(kalah.Game("3x3", moves="A B"), nodes=10_000)
/// >>> [estimate.margin for estimate in review.margins]
/// [2, 2, 2]
#[pyfunction]
#[pyo3(signature = (game, *, time=None, nodes=None, threads=None, memory=None, tables=None,
    progress=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "keyword arguments of a Python function"
)]
pub(crate) fn review(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    time: Option<&Bound<'_, PyAny>>,
    nodes: Option<&Bound<'_, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
    memory: Option<&Bound<'_, PyAny>>,
    tables: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyReview> {
    let Ok(game) = game.cast::<PyGame>() else {
        return Err(arguments::type_error(game, "game", "Game"));
    };
    let game = game.try_borrow()?.clone();
    let time = time
        .map(|time| arguments::seconds(time, "time"))
        .transpose()?;
    let nodes = nodes
        .map(|nodes| arguments::integer_in(nodes, "nodes", 1, u64::MAX))
        .transpose()?;
    let is_reproducible = nodes.is_some() && time.is_none();
    let threads = match threads {
        Some(threads) => engine::threads(threads)?,
        None if is_reproducible => NonZeroUsize::MIN,
        None => available_threads(),
    };
    let default_memory = EngineFactory::default().memory();
    let memory = memory.map_or(Ok(default_memory), engine::memory)?;
    let limits = Limits {
        time: time.or((!is_reproducible).then_some(DEFAULT_TIME)),
        nodes,
        goal: Goal::AllMargins,
        ..Limits::default()
    };
    let factory = EngineFactory::new(threads, memory, engine::table_cache(tables)?);
    let stop_flag = factory.stop_flag();
    let progress = Progress::new(py, progress)?;

    let total = game.game().plies().len() as u64 + 1;
    let done = AtomicU64::new(0);
    let poll = |py: Python<'_>| {
        let done = done.load(Ordering::Relaxed);
        progress.update(py, PyPositionProgress { done, total })
    };
    let review = interrupt::run(py, &stop_flag, poll, || {
        let mut engine = factory.build();
        let start = Instant::now();
        Review::from_game(game.game(), |position| {
            let report = engine.analyze(position, limits, &|| start.elapsed());
            done.fetch_add(1, Ordering::Relaxed);
            report
        })
    });
    progress.close(py)?;
    Ok(PyReview {
        game,
        review: review?,
    })
}
