//! The plies of reviewed games.

use std::num::NonZeroUsize;

use kalah_engine::{MarginEstimate, MoveGrade, ResultChances, ReviewedPly};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use super::reason::PyReason;
use crate::engine::report::{Chances, Pickled, PyBounds, margin, pickled, probabilities};
use crate::errors::Error;
use crate::games::values::{PyMove, side_argument, side_from_py, side_to_py};

/// The value of a position for a player: an expected margin within proven bounds.
///
/// >>> import kalah
/// >>> review = kalah.review(kalah.Game("3x2", moves="A"), nodes=10_000)
/// >>> review.start
/// MarginEstimate(margin=4, is_exact=True)
#[pyclass(name = "MarginEstimate", module = "kalah", frozen, eq)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PyMarginEstimate(pub(super) MarginEstimate);

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

    /// The probabilities of a win, a tie and a loss for the player, or `None` if the result is not
    /// proven and nothing was searched.
    #[getter]
    fn chances(&self) -> Option<Chances> {
        self.0.chances.map(probabilities)
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

    #[classmethod]
    fn _from_values(
        _class: &Bound<'_, PyType>,
        expected: &Bound<'_, PyAny>,
        bounds: &Bound<'_, PyBounds>,
        chances: Option<Thousandths>,
    ) -> PyResult<Self> {
        let estimate = MarginEstimate {
            expected: margin(expected, "margin")?,
            bounds: (*bounds.get()).into(),
            chances: chances.map(chances_from_thousandths).transpose()?,
        };
        Ok(Self(estimate))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py, MarginEstimateValues>> {
        let estimate = slf.get();
        let chances = estimate.0.chances;
        let chances = chances.map(|chances| (chances.win(), chances.tie(), chances.loss()));
        pickled(slf, (estimate.margin(), estimate.bounds(), chances))
    }
}

/// The chances of a `MarginEstimate` in a pickle.
type Thousandths = (u16, u16, u16);

/// The values of a `MarginEstimate` in a pickle: the margin, its bounds and the chances.
type MarginEstimateValues = (i32, PyBounds, Option<Thousandths>);

/// Returns the chances of a pickle.
///
/// # Errors
/// If they do not add up to 1000.
fn chances_from_thousandths((win, tie, loss): Thousandths) -> PyResult<ResultChances> {
    let error = || Error::Argument {
        name: "chances",
        expected: "three numbers that add up to 1000".to_owned(),
        actual: format!("{win}, {tie} and {loss}"),
    };
    Ok(ResultChances::new(win, tie, loss).ok_or_else(error)?)
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
    pub(super) number: usize,
    pub(super) ply: ReviewedPly,
    pub(super) reasons: Vec<PyReason>,
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

    /// Whether the ply belongs to the opening of a tournament, which no player chose. Such a ply
    /// has no grade, no reasons and no better moves.
    #[getter]
    fn is_opening_ply(&self) -> bool {
        self.ply.is_opening_ply
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

    /// The lost chance: the expected points of the player before the ply minus those after it, at
    /// least 0, where a win is worth 1 and a tie 0.5; or `None` if one of the results is not proven
    /// and nothing was searched.
    #[getter]
    fn lost_chance(&self) -> Option<f64> {
        let lost_chance = self.ply.lost_chance?;
        Some(f64::from(lost_chance) / f64::from(ResultChances::TOTAL))
    }

    /// Whether it is proven that the ply cost its player something. The opening of a tournament
    /// costs no player anything.
    #[getter]
    fn is_costly(&self) -> bool {
        self.ply.is_costly()
    }

    /// The margin of the best move minus that of the worst in seeds, or `None` if the margins of
    /// some moves are not proven.
    #[getter]
    fn stake(&self) -> Option<u32> {
        self.ply.stake
    }

    /// The grade of the move: `inaccuracy`, `mistake` or `blunder`, or `None` for a good move.
    ///
    /// A blunder costs a point, or half a point and at least 8 seeds; a mistake half a point or at
    /// least 8 seeds; an inaccuracy at least 4 seeds. A win is worth a point and a tie half a
    /// point. Where a result is not proven, a `lost_chance` of at least 0.3, 0.2 or 0.1 has these
    /// grades too.
    #[getter]
    fn grade(&self) -> Option<&'static str> {
        self.ply.grade().map(|grade| match grade {
            MoveGrade::Inaccuracy => "inaccuracy",
            MoveGrade::Mistake => "mistake",
            MoveGrade::Blunder => "blunder",
        })
    }

    /// The symbol of the grade: `?!`, `?` or `??`; `!!` for a beautiful move, and an empty text for
    /// other moves.
    #[getter]
    fn symbol(&self) -> &'static str {
        match self.ply.grade() {
            Some(grade) => MoveGrade::symbol(grade),
            None if self.reasons.iter().any(|reason| reason.is_beautiful()) => "!!",
            None => "",
        }
    }

    /// The reasons why the move is bad or good, the most important one first; at most two. Those
    /// for blame are proven if `is_costly`.
    #[getter]
    fn reasons<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.reasons.iter().copied())
    }

    /// The moves with the best proven margin, if it is proven that the ply cost something; or else
    /// the best move of the analysis, if the ply has a grade.
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

    #[classmethod]
    fn _from_values(
        _class: &Bound<'_, PyType>,
        number: NonZeroUsize,
        sides: (Bound<'_, PyAny>, Bound<'_, PyAny>),
        move_made: (Bound<'_, PyAny>, bool),
        values: (
            Bound<'_, PyMarginEstimate>,
            Bound<'_, PyMarginEstimate>,
            Bound<'_, PyBounds>,
            Option<u16>,
        ),
        stake: Option<u32>,
        words: (Vec<Bound<'_, PyAny>>, Vec<Bound<'_, PyReason>>),
    ) -> PyResult<Self> {
        let (side, player) = sides;
        let (r#move, is_opening_ply) = move_made;
        let (better_moves, reasons) = words;
        let side = side_from_py(&side)?;
        let (before, after, cost, lost_chance) = values;
        let better_moves = better_moves.into_iter();
        let ply = ReviewedPly {
            side,
            player: side_argument(&player, "player")?,
            mv: PyMove::extract_for(&r#move, side)?,
            is_opening_ply,
            before: before.get().0,
            after: after.get().0,
            cost: (*cost.get()).into(),
            lost_chance,
            stake,
            better_moves: better_moves
                .map(|mv| PyMove::extract_for(&mv, side))
                .collect::<PyResult<_>>()?,
        };
        Ok(Self {
            number: number.get(),
            ply,
            reasons: reasons.iter().map(|reason| *reason.get()).collect(),
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py, ReviewedPlyValues<'py>>> {
        let (py, ply) = (slf.py(), slf.get());
        let values = (
            ply.number,
            (ply.side(py)?, ply.player(py)?),
            (ply.r#move(py)?, ply.is_opening_ply()),
            (ply.before(), ply.after(), ply.cost(), ply.ply.lost_chance),
            ply.stake(),
            (ply.better_moves(py)?, ply.reasons(py)?),
        );
        pickled(slf, values)
    }
}

/// The values of a `ReviewedPly` in a pickle: the number; the side and the player; the move, and
/// whether it is one of an opening; the estimates before and after it, the cost, and the lost
/// chance; the stake; the better moves and the reasons.
type ReviewedPlyValues<'py> = (
    usize,
    (Py<PyAny>, Py<PyAny>),
    (Py<PyMove>, bool),
    (PyMarginEstimate, PyMarginEstimate, PyBounds, Option<u16>),
    Option<u32>,
    (Bound<'py, PyTuple>, Bound<'py, PyTuple>),
);
