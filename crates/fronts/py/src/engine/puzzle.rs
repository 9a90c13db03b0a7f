//! Puzzles.

use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kalah::Quoted;
use kalah_engine::{GameValue, Puzzle, PuzzleGenerator, PuzzleRating, PuzzleTheme};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arguments;
use crate::engine::report::{Pickled, PyReport, pickled};
use crate::errors::{Error, KalahError};
use crate::games::game::PyGame;
use crate::games::position::PyPosition;
use crate::games::values::PyMove;
use crate::interrupt;

/// A position with exactly one winning move or, where no move wins, exactly one that keeps the tie.
///
/// Puzzles can be compared and pickled.
///
/// >>> import kalah
/// >>> puzzle = kalah.puzzle("4x3", seed=1)
/// >>> puzzle.solution in puzzle.position.legal_moves
/// True
#[pyclass(name = "Puzzle", module = "kalah", frozen, eq)]
#[derive(PartialEq, Eq)]
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

    /// The moves to find and the replies of the opponent between them. The first one is the
    /// solution, and the last one is to be found too.
    #[getter]
    fn solution_moves(&self, py: Python<'_>) -> PyResult<Vec<Py<PyMove>>> {
        let plies = self.0.solution_plies().iter();
        plies
            .map(|&(side, mv)| PyMove::object(py, side, mv).map(|mv| mv.clone_ref(py)))
            .collect()
    }

    /// The number of moves to find, at least 1.
    #[getter]
    fn moves_to_find(&self) -> usize {
        self.0.moves_to_find()
    }

    /// The themes that the solver has found: `capture`, `bonus-chain`, `starve`, `save-seeds`,
    /// `last-seeds` and `only-move`.
    #[getter]
    fn themes(&self) -> Vec<&'static str> {
        let themes = self.0.themes().into_iter();
        themes.map(PuzzleTheme::name).collect()
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
        PyReport::new(self.0.position.clone(), self.0.report.clone())
    }

    fn __repr__(&self) -> String {
        let position = &self.0.position;
        let solution = self.0.solution.text(position.to_move());
        let rating = self.0.rating;
        format!("<Puzzle '{position}', solution {solution}, rating {rating}>")
    }

    #[classmethod]
    fn _from_values(
        _class: &Bound<'_, PyType>,
        report: &Bound<'_, PyReport>,
        solution: &Bound<'_, PyAny>,
        result: &Bound<'_, PyAny>,
        depth: &Bound<'_, PyAny>,
        rating: &Bound<'_, PyAny>,
        plies: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let PyReport {
            position, report, ..
        } = report.get();
        let solution = PyMove::extract_for(solution, position.to_move())?;
        position.clone().play(solution).map_err(Error::from)?;
        let value = match &*arguments::only_text(result, "result")? {
            "win" => GameValue::Win,
            "tie" => GameValue::Tie,
            "loss" => GameValue::Loss,
            other => {
                return Err(Error::Argument {
                    name: "result",
                    expected: "win, tie or loss".to_owned(),
                    actual: Quoted::new(other).to_string(),
                }
                .into());
            }
        };
        let depth = arguments::integer_in(depth, "depth", 1, PuzzleGenerator::MAX_DEPTH)?;
        let plies = arguments::integer_in(plies, "plies", 1, u32::MAX)?;
        Ok(Self(Puzzle {
            position: position.clone(),
            solution,
            value,
            depth: NonZeroU32::new(depth).unwrap_or(NonZeroU32::MIN),
            rating: puzzle_rating(rating)?,
            report: report.clone(),
            plies: NonZeroU32::new(plies).unwrap_or(NonZeroU32::MIN),
        }))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py, PuzzleValues>> {
        let puzzle = slf.get();
        let values = (
            puzzle.report(),
            puzzle.solution(slf.py())?,
            puzzle.result(),
            puzzle.depth(),
            puzzle.rating(),
            puzzle.0.plies.get(),
        );
        pickled(slf, values)
    }
}

/// The values of a `Puzzle` in a pickle: the report, the solution, the result, the depth, the
/// rating and the number of plies.
type PuzzleValues = (PyReport, Py<PyMove>, &'static str, u32, u16, u32);

/// Returns the rating that an argument is.
fn puzzle_rating(value: &Bound<'_, PyAny>) -> PyResult<PuzzleRating> {
    let (min, max) = (PuzzleRating::MIN, PuzzleRating::MAX);
    let number = arguments::integer_in(value, "rating", min.get(), max.get())?;
    Ok(PuzzleRating::new(number).unwrap_or(min))
}

/// Returns the range of ratings that a pair of its ends is.
fn rating_range(pair: &Bound<'_, PyAny>) -> PyResult<RangeInclusive<PuzzleRating>> {
    let (min, max) = (PuzzleRating::MIN, PuzzleRating::MAX);
    let [least, greatest] = arguments::pair(pair, "rating", min.get(), max.get())?
        .map(|rating| PuzzleRating::new(rating).unwrap_or(min));
    if least > greatest {
        return Err(Error::Argument {
            name: "rating",
            expected: "the least rating before the greatest".to_owned(),
            actual: format!("({least}, {greatest})"),
        }
        .into());
    }
    Ok(least..=greatest)
}

/// Returns the theme that an argument names.
fn puzzle_theme(value: &Bound<'_, PyAny>) -> PyResult<PuzzleTheme> {
    let name = arguments::only_text(value, "theme")?;
    name.parse::<PuzzleTheme>()
        .map_err(|error| KalahError::new_err(format!("theme: {error}")))
}

/// Returns a puzzle from a game between computer players of medium strength.
///
/// The game begins with `start`, a `Position` or its text under `rules`, by default `6x4`. Equal
/// arguments give equal puzzles. `min_depth` is the least depth in turns, 1 to 6, and `rating` a
/// pair of the least and the greatest rating, within 800 to 2400. `min_moves` is the least number
/// of moves to find, and `theme` the name of a theme that the puzzle has. Ctrl-C stops the search
/// and raises `KeyboardInterrupt`.
///
/// Raises `ParseError` for a text that is no position, and `KalahError` for numbers out of range
/// and if 500 games in a row have no such puzzle.
///
/// >>> import kalah
/// >>> puzzle = kalah.puzzle("6x4", rules="standard", seed=7, rating=(1200, 1600))
/// >>> 1200 <= puzzle.rating <= 1600
/// True
#[pyfunction]
#[expect(
    clippy::too_many_arguments,
    reason = "keyword arguments of a Python function"
)]
#[pyo3(signature = (start=None, rules=None, *, seed=None, min_depth=None, rating=None, min_moves=None, theme=None))]
pub(crate) fn puzzle(
    py: Python<'_>,
    start: Option<&Bound<'_, PyAny>>,
    rules: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
    min_depth: Option<&Bound<'_, PyAny>>,
    rating: Option<&Bound<'_, PyAny>>,
    min_moves: Option<&Bound<'_, PyAny>>,
    theme: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyPuzzle> {
    let start = PyGame::start_position(start, rules)?;
    let seed = arguments::seed(py, seed)?;
    let stop_flag = Arc::new(AtomicBool::new(false));
    let mut generator = PuzzleGenerator::new(start, seed).with_stop_flag(Arc::clone(&stop_flag));
    if let Some(min_depth) = min_depth {
        let min_depth =
            arguments::integer_in(min_depth, "min_depth", 1, PuzzleGenerator::MAX_DEPTH)?;
        generator = generator.with_min_depth(min_depth);
    }
    if let Some(rating) = rating {
        generator = generator.with_ratings(rating_range(rating)?);
    }
    if let Some(min_moves) = min_moves {
        let min_moves = arguments::integer_in(min_moves, "min_moves", 1, u8::MAX)?;
        generator = generator.with_min_moves(usize::from(min_moves));
    }
    if let Some(theme) = theme {
        generator = generator.with_theme(puzzle_theme(theme)?);
    }
    let no_display = |_: Python<'_>| Ok(());
    let puzzle = interrupt::run(py, &stop_flag, no_display, || generator.next())?;
    let mut puzzle = puzzle.ok_or_else(|| {
        let games = PuzzleGenerator::MAX_GAMES_WITHOUT_PUZZLE;
        KalahError::new_err(format!("{games} games in a row have no such puzzle"))
    })?;
    // A pickled puzzle does not have it, and equals the original.
    puzzle.report.hash_fullness = None;
    Ok(PyPuzzle(puzzle))
}
