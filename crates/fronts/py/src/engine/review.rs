//! Reviews of games.

#![expect(
    clippy::needless_pass_by_value,
    reason = "a function of Python owns its arguments"
)]

mod reason;
mod reviewed_ply;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kalah::{BySide, Side, format_count};
use kalah_engine::{
    Accuracy, AnalysisGoal, Commentary, GamePhase, GradeCounts, Limits, PhaseAccuracy, Review,
};
use kalah_players::available_threads;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

pub(crate) use reason::PyReason;
pub(crate) use reviewed_ply::{PyMarginEstimate, PyReviewedPly};

use crate::engine::factory::engine_factory;
use crate::engine::report::{Pickled, pickled};
use crate::errors::Error;
use crate::games::game::PyGame;
use crate::games::values::side_to_py;
use crate::progress::{Progress, PyPositionProgress};
use crate::{arguments, interrupt};

/// The time for each position, as for the program.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// The accuracy of a player: 100 × (1 - cost ÷ stake), over the plies whose stake is proven,
/// without those of the opening of a tournament.
///
/// >>> import kalah
/// >>> review = kalah.review(kalah.Game("3x2", moves="A"), nodes=10_000)
/// >>> review.accuracy[kalah.Side.SOUTH]
/// Accuracy(percent=0.0, plies=1, unproven=0, cost=12, stake=12)
#[pyclass(name = "Accuracy", module = "kalah", frozen, eq)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PyAccuracy(Accuracy);

#[pymethods]
impl PyAccuracy {
    /// The accuracy in percent, 0 to 100, or `None` if less than four fifths of the plies count
    /// or nothing was at stake.
    #[getter]
    fn percent(&self) -> Option<f64> {
        self.0.percent()
    }

    /// The number of plies that count.
    #[getter]
    fn plies(&self) -> u32 {
        self.0.plies
    }

    /// The number of plies that do not count, because their stake is not proven.
    #[getter]
    fn unproven(&self) -> u32 {
        self.0.unproven
    }

    /// The cost of the plies that count, in seeds.
    #[getter]
    fn cost(&self) -> u32 {
        self.0.cost
    }

    /// The stake of the plies that count, in seeds.
    #[getter]
    fn stake(&self) -> u32 {
        self.0.stake
    }

    fn __repr__(&self) -> String {
        let Accuracy {
            plies,
            unproven,
            cost,
            stake,
        } = self.0;
        let percent = match self.percent() {
            Some(percent) => format!("{percent:.1}"),
            None => "None".to_owned(),
        };
        format!(
            "Accuracy(percent={percent}, plies={plies}, unproven={unproven}, cost={cost}, \
             stake={stake})"
        )
    }

    #[classmethod]
    fn _from_values(
        _class: &Bound<'_, PyType>,
        plies: u32,
        unproven: u32,
        cost: &Bound<'_, PyAny>,
        stake: u32,
    ) -> PyResult<Self> {
        let cost = arguments::integer_in(cost, "cost", 0, stake)?;
        Ok(Self(Accuracy {
            plies,
            unproven,
            cost,
            stake,
        }))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py, (u32, u32, u32, u32)>> {
        let Accuracy {
            plies,
            unproven,
            cost,
            stake,
        } = slf.get().0;
        pickled(slf, (plies, unproven, cost, stake))
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

    #[classmethod]
    fn _from_values(
        _class: &Bound<'_, PyType>,
        inaccuracies: u32,
        mistakes: u32,
        blunders: u32,
    ) -> Self {
        Self(GradeCounts {
            inaccuracies,
            mistakes,
            blunders,
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py, (u32, u32, u32)>> {
        let counts = slf.get();
        let values = (counts.inaccuracies(), counts.mistakes(), counts.blunders());
        pickled(slf, values)
    }
}

/// The review of a game: the cost and the grade of each ply, as far as they are proven.
///
/// Reviews can be pickled, and are equal if their games and all values are.
///
/// >>> import kalah
/// >>> review = kalah.review(kalah.Game("3x2", moves="A a"), nodes=10_000)
/// >>> [ply.grade for ply in review.plies]
/// ['blunder', None]
#[pyclass(name = "Review", module = "kalah", frozen, eq)]
pub(crate) struct PyReview {
    game: PyGame,
    review: Review,
    /// The reasons of each ply.
    reasons: Vec<Vec<PyReason>>,
    /// The accuracy of each player in each phase.
    phases: BySide<PhaseAccuracy>,
}

impl PartialEq for PyReview {
    fn eq(&self, other: &Self) -> bool {
        let has_equal_game = || self.game.has_equal_record(&other.game);
        self.review == other.review
            && self.reasons == other.reasons
            && self.phases == other.phases
            && has_equal_game().is_ok_and(|is_equal| is_equal)
    }
}

/// The accuracies of a player in the opening, the middlegame and the endgame.
type PhaseValues = (PyAccuracy, PyAccuracy, PyAccuracy);

fn phase_values(accuracy: &PhaseAccuracy) -> PhaseValues {
    let PhaseAccuracy {
        opening,
        middlegame,
        endgame,
    } = *accuracy;
    (
        PyAccuracy(opening),
        PyAccuracy(middlegame),
        PyAccuracy(endgame),
    )
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
        let plies = (1..).zip(&self.review.plies).zip(&self.reasons);
        let plies = plies.map(|((number, ply), reasons)| PyReviewedPly {
            number,
            ply: ply.clone(),
            reasons: reasons.clone(),
        });
        PyTuple::new(py, plies.collect::<Vec<_>>())
    }

    /// The values of the positions for the player that began as South: first that of the start,
    /// then that after each ply.
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

    /// The accuracy of each player in the phases of the game, a dictionary by the side on which the
    /// player began, of dictionaries with the keys `opening`, `middlegame` and `endgame`.
    ///
    /// The opening lasts while more than two thirds of all seeds are in the houses, and the endgame
    /// begins with one third.
    #[getter]
    fn phases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let phases = PyDict::new(py);
        for player in Side::ALL {
            let of_player = PyDict::new(py);
            for phase in GamePhase::ALL {
                let name = match phase {
                    GamePhase::Opening => "opening",
                    GamePhase::Middlegame => "middlegame",
                    GamePhase::Endgame => "endgame",
                };
                of_player.set_item(name, PyAccuracy(self.phases[player].in_phase(phase)))?;
            }
            phases.set_item(side_to_py(py, player)?, of_player)?;
        }
        Ok(phases)
    }

    /// The number of plies whose cost is not proven.
    #[getter]
    fn unproven_count(&self) -> usize {
        self.review.unproven_count()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let html = slf.py().import("kalah._display.html")?;
        html.call_method1("review_html", (slf,))
    }

    fn __repr__(&self) -> String {
        let plies = format_count(self.review.plies.len() as u64, "ply");
        let proven = self.review.plies.len() - self.unproven_count();
        format!("<Review, {plies}, cost proven for {proven}>")
    }

    #[classmethod]
    fn _from_values(
        _class: &Bound<'_, PyType>,
        game: &Bound<'_, PyGame>,
        start: &Bound<'_, PyMarginEstimate>,
        plies: Vec<Bound<'_, PyReviewedPly>>,
        accuracy: (Bound<'_, PyAccuracy>, Bound<'_, PyAccuracy>),
        grades: (Bound<'_, PyGradeCounts>, Bound<'_, PyGradeCounts>),
        phases: (BoundPhases<'_>, BoundPhases<'_>),
    ) -> PyResult<Self> {
        let game = game.try_borrow()?.clone();
        let moves = (1..).zip(game.game().plies());
        let moves = moves.map(|(number, ply)| (number, ply.side, ply.mv));
        let reviewed = plies.iter().map(Bound::get);
        let reviewed = reviewed.map(|ply| (ply.number, ply.ply.side, ply.ply.mv));
        if !reviewed.eq(moves) {
            return Err(Error::Argument {
                name: "plies",
                expected: "those of the game".to_owned(),
                actual: format!("{} other plies", plies.len()),
            }
            .into());
        }
        let review = Review {
            start: start.get().0,
            plies: plies.iter().map(|ply| ply.get().ply.clone()).collect(),
            accuracy: BySide::new(accuracy.0.get().0, accuracy.1.get().0),
            grades: BySide::new(grades.0.get().0, grades.1.get().0),
        };
        Ok(Self {
            game,
            review,
            reasons: plies.iter().map(|ply| ply.get().reasons.clone()).collect(),
            phases: BySide::new(phases_from_py(&phases.0), phases_from_py(&phases.1)),
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py, ReviewValues<'py>>> {
        let review = slf.get();
        let Review {
            accuracy, grades, ..
        } = &review.review;
        let values = (
            review.game(),
            review.start(),
            review.plies(slf.py())?,
            (PyAccuracy(accuracy.south), PyAccuracy(accuracy.north)),
            (PyGradeCounts(grades.south), PyGradeCounts(grades.north)),
            (
                phase_values(&review.phases.south),
                phase_values(&review.phases.north),
            ),
        );
        pickled(slf, values)
    }
}

/// The accuracies of a player by phase in a pickle.
type BoundPhases<'py> = (
    Bound<'py, PyAccuracy>,
    Bound<'py, PyAccuracy>,
    Bound<'py, PyAccuracy>,
);

fn phases_from_py((opening, middlegame, endgame): &BoundPhases<'_>) -> PhaseAccuracy {
    PhaseAccuracy {
        opening: opening.get().0,
        middlegame: middlegame.get().0,
        endgame: endgame.get().0,
    }
}

/// The values of a `Review` in a pickle: the game, the estimate of the start, the plies, and the
/// accuracies, grades and accuracies by phase of the players that began as South and as North.
type ReviewValues<'py> = (
    PyGame,
    PyMarginEstimate,
    Bound<'py, PyTuple>,
    (PyAccuracy, PyAccuracy),
    (PyGradeCounts, PyGradeCounts),
    (PhaseValues, PhaseValues),
);

/// Reviews a game: analyzes its positions from the last to the first, and returns the cost of each
/// ply.
///
/// `time` is the time for each position in seconds (a number or a `timedelta`), 5 by default, and
/// `nodes` the limit for the nodes of the search of each position; with `nodes` alone there is no
/// limit of time. `threads` is the number of threads: by default all of the machine, and 1
/// with `nodes` alone, so that such a review is reproducible. `memory` is the limit for hash tables
/// and endgame tables, by default a quarter of the memory of the machine, up to 1 GiB, and `tables`
/// a `Table` or several. `progress` is `True` for a progress bar (with tqdm), or a function that is
/// called with a `PositionProgress` several times a second.
///
/// The first plies of a game whose header `OpeningPlies` has their number are the opening of a
/// tournament, which no player chose: they have margins and no grades, and count in no accuracy.
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
    let default_threads = if is_reproducible {
        NonZeroUsize::MIN
    } else {
        available_threads()
    };
    let factory = engine_factory(threads, default_threads, memory, tables)?;
    let limits = Limits {
        time: time.or((!is_reproducible).then_some(DEFAULT_TIME)),
        nodes,
        goal: AnalysisGoal::AllMargins,
        ..Limits::default()
    };
    let opening_plies = game.opening_plies()?;
    let stop_flag = factory.stop_flag();
    let progress = Progress::new(py, progress)?;

    let total = game.game().plies().len() as u64 + 1;
    let done = AtomicU64::new(0);
    let poll = |py: Python<'_>| {
        let done = done.load(Ordering::Relaxed);
        progress.update(py, PyPositionProgress { done, total })
    };
    let results = interrupt::run(py, &stop_flag, poll, || {
        let mut engine = factory.build();
        let start = Instant::now();
        let reports = Review::analyze_positions(game.game(), |position| {
            let report = engine.analyze(position, limits, &|| start.elapsed());
            done.fetch_add(1, Ordering::Relaxed);
            report
        });
        let review = Review::from_reports(game.game(), &reports).with_opening_plies(opening_plies);
        let commentary = Commentary::new(game.game(), &reports, &review);
        (review, commentary)
    });
    let (review, commentary) = progress.close_after(py, results)?;
    let reasons = review.plies.iter().zip(&commentary.reasons);
    let reasons = reasons.map(|(ply, reasons)| {
        let reasons = reasons.iter();
        reasons
            .map(|&reason| PyReason::new(reason, ply.side))
            .collect()
    });
    Ok(PyReview {
        reasons: reasons.collect(),
        phases: commentary.accuracy,
        game,
        review,
    })
}
