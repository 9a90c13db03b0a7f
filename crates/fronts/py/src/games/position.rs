//! Positions, and the count of the sequences of plies from one.

use std::time::{Duration, Instant};

use kalah::{FirstPlies, House, Position, SeedCount, Setup, Side};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

use crate::arguments;
use crate::errors::{Error, IllegalMoveError};
use crate::games::values::{
    PyMove, PyOutcome, PyRules, hash, rules_from_py, side_from_py, side_to_py,
};

/// The board of the assignment.
const DEFAULT_HOUSES: u8 = 6;
const DEFAULT_SEEDS: u64 = 4;

/// A playable position: the board, the side to move and the rules. It is immutable.
///
/// `text` is the text of a position such as `<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s`, with the number of
/// houses, both stores, South's houses and North's houses, each in its owner's sowing order, and
/// the side to move; or a start such as `6x4`. `rules` is a `Rules` or its text, `cs32` by default.
/// A position in which the game is over is swept: all seeds are in the stores.
///
/// Raises `ParseError` for a text that is no position or cannot be played.
///
/// >>> import kalah
/// >>> position = kalah.Position("<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4> s", rules="standard")
/// >>> position.legal_moves
/// (Move('A'), Move('B'), Move('D'), Move('E'), Move('F'))
/// >>> str(position.play("A"))
/// '<6,1,0,0,5,1,6,6,5,4,4,4,4,4,4> n'
#[pyclass(name = "Position", module = "kalah", frozen, eq)]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PyPosition(pub(crate) Position);

/// The maximum number of seeds of a position, stores included.
const MAX_TOTAL: u64 = u16::MAX as u64;

/// The maximum number of houses a side for which tuples of moves are kept.
const MAX_CACHED_HOUSES: usize = 10;

/// The tuples of sowings of each side, by the set of houses with seeds: most of the time of
/// `legal_moves` was that for new tuples.
static SOWING_TUPLES: [[PyOnceLock<Py<PyTuple>>; 1 << MAX_CACHED_HOUSES]; 2] =
    [const { [const { PyOnceLock::new() }; 1 << MAX_CACHED_HOUSES] }; 2];

#[pymethods]
impl PyPosition {
    #[new]
    #[pyo3(signature = (text, rules=None))]
    fn new(text: &Bound<'_, PyAny>, rules: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        position_from_py(text, rules).map(Self)
    }

    /// Returns the start of a game: `houses` a side, 1 to 26, with `seeds` in each, South to move.
    /// The defaults are 6 houses, 4 seeds and the rules `cs32`.
    ///
    /// Raises `KalahError` for numbers out of range, and `ParseError` for more than 65,535 seeds in
    /// all.
    ///
    /// >>> import kalah
    /// >>> kalah.Position.start(4, 3, rules="standard")
    /// Position('<4,0,0,3,3,3,3,3,3,3,3> s', rules='standard')
    #[staticmethod]
    #[pyo3(signature = (houses=None, seeds=None, rules=None))]
    pub(crate) fn start(
        houses: Option<&Bound<'_, PyAny>>,
        seeds: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let houses = houses.map_or(Ok(DEFAULT_HOUSES), |houses| {
            arguments::integer_in(houses, "houses", 1, House::MAX)
        })?;
        let seeds = seeds.map_or(Ok(DEFAULT_SEEDS), |seeds| {
            let max = MAX_TOTAL / (2 * u64::from(houses));
            arguments::integer_in(seeds, "seeds", 0, max)
        })?;
        let rules = rules.map(rules_from_py).transpose()?.unwrap_or_default();
        let position = Position::start(houses, seeds, rules).map_err(Error::from)?;
        Ok(Self(position))
    }

    /// The number of houses a side, 1 to 26.
    #[getter]
    fn houses(&self) -> u8 {
        self.0.houses()
    }

    /// The rules.
    #[getter]
    fn rules(&self) -> PyRules {
        PyRules(self.0.rules())
    }

    /// The side to move; it has no meaning once the game is over.
    #[getter]
    fn to_move(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        side_to_py(py, self.0.to_move())
    }

    /// 1 before the first ply and 2 before the second where the rules depend on it, else `None`.
    #[getter]
    fn first_ply(&self) -> Option<u8> {
        match self.0.first_plies() {
            FirstPlies::PlyOne => Some(1),
            FirstPlies::PlyTwo => Some(2),
            FirstPlies::Later => None,
        }
    }

    /// All seeds, stores included.
    #[getter]
    fn total(&self) -> u16 {
        self.0.total().get()
    }

    /// The seeds in the houses of both sides.
    #[getter]
    fn seeds_in_play(&self) -> u16 {
        self.0.seeds_in_play().get()
    }

    /// The lead of the side to move: its store minus the other store.
    #[getter]
    fn lead(&self) -> i32 {
        self.0.lead().seeds()
    }

    /// Returns the seeds in the houses of `side`, in its sowing order.
    ///
    /// >>> import kalah
    /// >>> kalah.Position("<2,0,1,3,0,0,2> s").row(kalah.Side.NORTH)
    /// (0, 2)
    fn row<'py>(&self, py: Python<'py>, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let seeds = self.0.houses_of(side_from_py(side)?).iter();
        PyTuple::new(py, seeds.map(|seeds| seeds.get()).collect::<Vec<_>>())
    }

    /// Returns the seeds in the store of `side`.
    ///
    /// >>> import kalah
    /// >>> kalah.Position("<2,0,1,3,0,0,2> s").store(kalah.Side.NORTH)
    /// 1
    fn store(&self, side: &Bound<'_, PyAny>) -> PyResult<u16> {
        Ok(self.0.store(side_from_py(side)?).get())
    }

    /// Whether the game is over, which is whether both rows are empty.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    /// The stores at the end of the game, or `None` before.
    #[getter]
    fn outcome(&self) -> Option<PyOutcome> {
        self.0.outcome().map(PyOutcome)
    }

    /// The legal moves: houses in sowing order, then the swap. A finished game has none.
    #[getter]
    fn legal_moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let side = self.0.to_move();
        let houses = self.0.houses_of(side);
        let new_tuple = || {
            let moves: Vec<_> = self.0.legal_moves().map(|mv| (side, mv)).collect();
            PyMove::tuple(py, &moves)
        };
        if houses.len() > MAX_CACHED_HOUSES || self.0.can_swap() {
            return new_tuple();
        }
        let occupied = (houses.iter().zip(0..)).fold(0, |occupied, (&seeds, index)| {
            occupied | usize::from(seeds > SeedCount::ZERO) << index
        });
        let tuples = &SOWING_TUPLES[usize::from(side == Side::North)];
        let tuple = tuples[occupied].get_or_try_init(py, || new_tuple().map(Bound::unbind))?;
        Ok(tuple.bind(py).clone())
    }

    /// Returns whether the rules allow `move`, which is a `Move`, its text, or the number of a
    /// house of the side to move.
    ///
    /// Raises `ParseError` for a text that is no move.
    ///
    /// >>> import kalah
    /// >>> position = kalah.Position("<2,0,1,3,0,0,2> s")
    /// >>> [position.is_legal(move) for move in ("A", "B", "b", 3)]
    /// [True, False, False, False]
    fn is_legal(&self, r#move: &Bound<'_, PyAny>) -> PyResult<bool> {
        match PyMove::extract_for(r#move, self.0.to_move()) {
            Ok(mv) => Ok(self.0.legal_moves().any(|legal| legal == mv)),
            Err(error) if error.is_instance_of::<IllegalMoveError>(r#move.py()) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the position after `move`, which is a `Move`, its text, or the number of a house of
    /// the side to move.
    ///
    /// Raises `IllegalMoveError` for a move that the rules do not allow, and `ParseError` for a
    /// text that is no move.
    ///
    /// >>> import kalah
    /// >>> position = kalah.Position.start(6, 4)
    /// >>> position.play("C") == position.play(3) == position.play(kalah.Move("C"))
    /// True
    /// >>> position.play("C").to_move  # a bonus turn
    /// <Side.SOUTH: 'south'>
    /// >>> position.play("C").play("C")
    /// Traceback (most recent call last):
    ///     ...
    /// kalah.IllegalMoveError: house C is empty
    fn play<'py>(&self, r#move: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let mv = PyMove::extract_for(r#move, self.0.to_move())?;
        let mut after = self.clone();
        after.0.play(mv).map_err(Error::from)?;
        Bound::new(r#move.py(), after)
    }

    /// Returns the position with the sides exchanged: South's seeds become North's, and the other
    /// side is to move.
    ///
    /// >>> import kalah
    /// >>> kalah.Position("<2,0,1,3,0,0,2> s").turned()
    /// Position('<2,1,0,0,2,3,0> n', rules='cs32')
    fn turned(&self) -> Self {
        Self(self.0.flipped())
    }

    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let svg = slf.py().import("kalah._display.svg")?;
        svg.call_method1("board_svg", (slf,))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Position('{}', rules='{}')", self.0, self.0.rules())
    }

    fn __hash__(&self) -> u64 {
        hash(&self.0)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String, String)) {
        let position = &slf.get().0;
        let arguments = (position.to_string(), position.rules().to_string());
        (slf.get_type(), arguments)
    }
}

/// Returns the number of sequences of `depth` plies from `position`.
///
/// A finished game has no continuation. `position` is a `Position` or its text under `rules`.
///
/// >>> import kalah
/// >>> [kalah.perft("6x4", depth, rules="standard") for depth in range(6)]
/// [1, 6, 35, 185, 942, 4690]
#[pyfunction]
#[pyo3(signature = (position, depth, rules=None))]
pub(crate) fn perft(
    py: Python<'_>,
    position: &Bound<'_, PyAny>,
    depth: &Bound<'_, PyAny>,
    rules: Option<&Bound<'_, PyAny>>,
) -> PyResult<u64> {
    let position = position_from_py(position, rules)?;
    let depth = arguments::integer_in(depth, "depth", 0, u32::MAX)?;
    py.detach(|| perft_until_signal(position, depth))
}

/// The depth of the subtrees that [`perft_until_signal`] counts without interruption: 26 houses
/// have half a million sequences of this length.
const MAX_UNINTERRUPTED_DEPTH: u32 = 4;
/// The time between two checks for signals.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Counts sequences with an own stack, so that Ctrl-C ends the count and no depth overflows the
/// stack of the thread.
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method has the lifetime of one `Python`, and the closure has every lifetime"
)]
fn perft_until_signal(position: Position, depth: u32) -> PyResult<u64> {
    let mut sequences = 0;
    let mut last_check = Instant::now();
    let mut stack = vec![(position, depth)];
    while let Some((position, depth)) = stack.pop() {
        if depth <= MAX_UNINTERRUPTED_DEPTH {
            sequences += kalah_board::perft(&position, depth);
        } else {
            for mv in position.legal_moves() {
                let mut after = position.clone();
                after.play(mv).map_err(Error::from)?;
                stack.push((after, depth - 1));
            }
        }
        if last_check.elapsed() >= SIGNAL_INTERVAL {
            Python::attach(|py| py.check_signals())?;
            last_check = Instant::now();
        }
    }
    Ok(sequences)
}

/// Returns the position that a `Position` is, or that a text describes under `rules`, which are
/// `cs32` by default.
///
/// # Errors
/// `TypeError` for a value of another type, `ParseError` for a text that is no position or cannot
/// be played, and `KalahError` for rules that differ from those of a `Position`.
pub(crate) fn position_from_py(
    value: &Bound<'_, PyAny>,
    given_rules: Option<&Bound<'_, PyAny>>,
) -> PyResult<Position> {
    let given_rules = given_rules.map(rules_from_py).transpose()?;
    if let Ok(position) = value.cast::<PyPosition>() {
        let position = &position.get().0;
        return match given_rules {
            Some(rules) if rules != position.rules() => Err(Error::Argument {
                name: "rules",
                expected: format!("those of the position, {}", position.rules()),
                actual: rules.to_string(),
            }
            .into()),
            _ => Ok(position.clone()),
        };
    }
    let Some(text) = arguments::text(value, "position")? else {
        return Err(arguments::type_error(value, "position", "Position or str"));
    };
    let setup = text.parse::<Setup>().map_err(Error::from)?;
    Ok(setup
        .position(given_rules.unwrap_or_default())
        .map_err(Error::from)?)
}

/// Returns the start of the assignment, six houses a side with four seeds in each.
///
/// # Errors
/// As [`rules_from_py`].
pub(crate) fn default_start(given_rules: Option<&Bound<'_, PyAny>>) -> PyResult<Position> {
    let rules = given_rules
        .map(rules_from_py)
        .transpose()?
        .unwrap_or_default();
    Ok(Position::start(DEFAULT_HOUSES, DEFAULT_SEEDS, rules).map_err(Error::from)?)
}
