//! Puzzles.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kalah::Position;
use kalah_engine::{GameValue, Puzzle, PuzzleGenerator, PuzzleRating};
use pyo3::prelude::*;

use crate::arguments;
use crate::errors::{Error, KalahError};
use crate::interrupt;
use crate::position::PyPosition;
use crate::report::PyReport;
use crate::values::PyMove;

/// A position with exactly one winning move or, where no move wins, exactly one that keeps the tie.
///
/// >>> import kalah
/// >>> puzzle = kalah.puzzle("4x3", seed=1)
/// >>> puzzle.solution in puzzle.position.legal_moves
/// True
#[pyclass(name = "Puzzle", module = "kalah", frozen)]
pub(crate) struct PyPuzzle(Puzzle);

#[pymethods]
impl PyPuzzle {
    /// The position.
    #[getter]
    fn position(&self) -> PyPosition {
        PyPosition(self.0.position.clone())
    }

    /// The only solution.
    #[getter]
    fn solution(&self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        let mv = PyMove::object(py, self.0.position.to_move(), self.0.solution)?;
        Ok(mv.clone_ref(py))
    }

    /// The result that the solution leads to: `win` or `tie`.
    #[getter]
    fn result(&self) -> &'static str {
        match self.0.value {
            GameValue::Win => "win",
            GameValue::Tie => "tie",
            GameValue::Loss => "loss",
        }
    }

    /// The search depth in turns from which on minimax finds the solution, 1 to 6.
    #[getter]
    fn depth(&self) -> u32 {
        self.0.depth.get()
    }

    /// The computed difficulty, 800 to 2400.
    #[getter]
    fn rating(&self) -> u16 {
        self.0.rating.get()
    }

    /// The analysis with the proven bounds of all moves. Its line begins with the solution.
    #[getter]
    fn report(&self) -> PyReport {
        PyReport {
            position: self.0.position.clone(),
            report: self.0.report.clone(),
        }
    }

    fn __repr__(&self) -> String {
        let position = &self.0.position;
        let solution = self.0.solution.text(position.to_move());
        let rating = self.0.rating;
        format!("<Puzzle '{position}', solution {solution}, rating {rating}>")
    }
}

/// Returns a puzzle from a game between computer players of medium strength.
///
/// The game begins with `start`, a `Position` or its text under `rules`, by default `6x4`. Equal
/// arguments give equal puzzles. `min_depth` is the least depth in turns, 1 to 6, and `rating` a pair
/// of the least and the greatest rating, within 800 to 2400. Ctrl-C stops the search and raises
/// `KeyboardInterrupt`.
///
/// Raises `KalahError` if 500 games in a row have no such puzzle.
///
/// >>> import kalah
/// >>> puzzle = kalah.puzzle("6x4", rules="standard", seed=7, rating=(1200, 1600))
/// >>> 1200 <= puzzle.rating <= 1600
/// True
#[pyfunction]
#[pyo3(signature = (start=None, rules=None, *, seed=None, min_depth=None, rating=None))]
pub(crate) fn puzzle(
    py: Python<'_>,
    start: Option<&Bound<'_, PyAny>>,
    rules: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
    min_depth: Option<&Bound<'_, PyAny>>,
    rating: Option<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
) -> PyResult<PyPuzzle> {
    let start: Position = match start {
        Some(start) => arguments::position(start, rules)?,
        None => arguments::default_start(rules)?,
    };
    let seed = arguments::seed(py, seed)?;
    let stop_flag = Arc::new(AtomicBool::new(false));
    let mut generator = PuzzleGenerator::new(start, seed).with_stop_flag(Arc::clone(&stop_flag));
    if let Some(min_depth) = min_depth {
        let min_depth =
            arguments::integer_in(min_depth, "min_depth", 1, PuzzleGenerator::MAX_DEPTH)?;
        generator = generator.with_min_depth(min_depth);
    }
    if let Some((least, greatest)) = rating {
        let [least, greatest] = [least, greatest].map(|rating| {
            let (min, max) = (PuzzleRating::MIN, PuzzleRating::MAX);
            let number = arguments::integer_in(&rating, "rating", min.get(), max.get())?;
            Ok::<_, PyErr>(PuzzleRating::new(number).unwrap_or(min))
        });
        let (least, greatest) = (least?, greatest?);
        if least > greatest {
            return Err(Error::Argument {
                name: "rating",
                expected: "the least rating before the greatest".to_owned(),
                actual: format!("({least}, {greatest})"),
            }
            .into());
        }
        generator = generator.with_ratings(least..=greatest);
    }
    let no_display = |_: Python<'_>| Ok(());
    let puzzle = interrupt::run(py, &stop_flag, no_display, || generator.next())?;
    puzzle.map(PyPuzzle).ok_or_else(|| {
        let games = PuzzleGenerator::MAX_GAMES_WITHOUT_PUZZLE;
        KalahError::new_err(format!(
            "{games} games in a row have no puzzle of this depth and rating"
        ))
    })
}
