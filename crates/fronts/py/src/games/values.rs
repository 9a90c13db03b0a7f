//! Sides, rules, moves and outcomes.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "methods of a Python class take a reference"
)]

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher as _;

use kalah::{BySide, FirstPlyRules, House, Move, Outcome, Quoted, Rules, SeedCount, Side};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

use crate::arguments;
use crate::errors::{Error, IllegalMoveError, KalahError};

/// The members of the Python enumeration `Side`.
static SIDES: PyOnceLock<[Py<PyAny>; 2]> = PyOnceLock::new();

fn sides(py: Python<'_>) -> PyResult<&[Py<PyAny>; 2]> {
    SIDES.get_or_try_init(py, || {
        let class = py.import("kalah._side")?.getattr("Side")?;
        Ok([
            class.getattr("SOUTH")?.unbind(),
            class.getattr("NORTH")?.unbind(),
        ])
    })
}

/// Returns the member of the Python enumeration for `side`.
pub(crate) fn side_to_py(py: Python<'_>, side: Side) -> PyResult<Py<PyAny>> {
    let [south, north] = sides(py)?;
    Ok(match side {
        Side::South => south.clone_ref(py),
        Side::North => north.clone_ref(py),
    })
}

/// Returns the side that the argument `side` is.
///
/// # Errors
/// As [`side_argument`].
pub(crate) fn side_from_py(value: &Bound<'_, PyAny>) -> PyResult<Side> {
    side_argument(value, "side")
}

/// Returns the rules that a `Rules` or its text name.
///
/// # Errors
/// `TypeError` for a value of another type, and `ParseError` for a text that is no rule set.
pub(crate) fn rules_from_py(value: &Bound<'_, PyAny>) -> PyResult<Rules> {
    if let Ok(rules) = value.cast::<PyRules>() {
        return Ok(rules.get().0);
    }
    let Some(text) = arguments::text(value, "rules")? else {
        return Err(arguments::type_error(value, "rules", "Rules or str"));
    };
    Ok(text.parse::<Rules>().map_err(Error::from)?)
}

/// Returns the side that a member of the Python enumeration is.
///
/// # Errors
/// `TypeError` with the name of the argument for any other value.
pub(crate) fn side_argument(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Side> {
    let [south, north] = sides(value.py())?;
    if value.is(south) {
        Ok(Side::South)
    } else if value.is(north) {
        Ok(Side::North)
    } else {
        Err(PyTypeError::new_err(format!(
            "{name}: expected Side.SOUTH or Side.NORTH, not {}",
            Quoted::new(&value.repr()?.to_cow()?)
        )))
    }
}

/// Returns a hash for `__hash__`.
pub(crate) fn hash(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The rules of a game: the four respects in which published rule sets differ.
///
/// `text` is the name of a preset, `cs32`, `standard`, `empty-capture` or `mankalah`, or a list
/// such as `ends=row,capture=opposite,swap=no,first-bonus=yes`. The presets are also constants:
/// `Rules.CS32`, `Rules.STANDARD`, `Rules.EMPTY_CAPTURE` and `Rules.MANKALAH`. A function with an
/// argument `rules` takes a `Rules` or its text.
///
/// Raises `ParseError` for any other text.
///
/// >>> import kalah
/// >>> rules = kalah.Rules("ends=row,capture=opposite,swap=no,first-bonus=yes")
/// >>> rules == kalah.Rules.STANDARD
/// True
/// >>> rules
/// Rules('standard')
#[pyclass(name = "Rules", module = "kalah", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyRules(pub(crate) Rules);

#[pymethods]
impl PyRules {
    #[classattr]
    const CS32: Self = Self(Rules::CS32);
    #[classattr]
    const STANDARD: Self = Self(Rules::STANDARD);
    #[classattr]
    const EMPTY_CAPTURE: Self = Self(Rules::EMPTY_CAPTURE);
    #[classattr]
    const MANKALAH: Self = Self(Rules::MANKALAH);

    #[new]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Some(text) = arguments::text(text, "text")? else {
            return Err(arguments::type_error(text, "text", "str"));
        };
        Ok(Self(text.parse().map_err(Error::from)?))
    }

    /// The condition that ends a game: `stuck` (the side to move has no seeds in its row) or `row`
    /// (either row is empty).
    #[getter]
    fn ends(&self) -> &'static str {
        let [(_, ends), (_, _)] = self.0.house_rules.fields();
        ends
    }

    /// The condition for a capture: `opposite` (the opposite house has seeds) or `always`.
    #[getter]
    fn capture(&self) -> &'static str {
        let [(_, _), (_, capture)] = self.0.house_rules.fields();
        capture
    }

    /// Whether the second player may exchange sides instead of making ply 2.
    #[getter]
    fn swap(&self) -> bool {
        let FirstPlyRules {
            swap,
            first_bonus: _,
        } = self.0.first_ply_rules;
        swap
    }

    /// Whether ply 1 may give a bonus turn.
    #[getter]
    fn first_bonus(&self) -> bool {
        let FirstPlyRules {
            first_bonus,
            swap: _,
        } = self.0.first_ply_rules;
        first_bonus
    }

    /// The name of the preset with these rules, or `None`.
    ///
    /// >>> import kalah
    /// >>> kalah.Rules("ends=row,capture=always,swap=no,first-bonus=yes").name
    /// 'empty-capture'
    #[getter]
    fn name(&self) -> Option<&'static str> {
        self.0.preset().map(|preset| preset.name)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Rules('{}')", self.0)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String,)) {
        (slf.get_type(), (slf.get().0.to_string(),))
    }
}

/// A move: sow a house, or exchange sides.
///
/// `text` is the letter of a house, `A` to `Z` for South's houses and `a` to `z` for North's, each
/// in its owner's sowing order, or `swap`. A function with an argument `move` also takes this text,
/// or the number of a house of the side to move.
///
/// Raises `ParseError` for any other text.
///
/// >>> import kalah
/// >>> move = kalah.Move("c")
/// >>> move.side, move.house
/// (<Side.NORTH: 'north'>, 3)
#[pyclass(name = "Move", module = "kalah", frozen, eq, ord, hash)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PyMove {
    pub(crate) mv: Move,
    /// The side that makes the move, which a sowing has.
    owner: Option<Side>,
}

/// The number of all moves: a house of each side, and the swap.
const MOVE_COUNT: usize = 2 * House::MAX as usize + 1;

/// Returns the error for a number that is out of the range of houses as an `IllegalMoveError`, as
/// for the other numbers of houses that the board does not have.
fn illegal_house(py: Python<'_>, error: PyErr) -> PyErr {
    if error.is_instance_of::<KalahError>(py) {
        IllegalMoveError::new_err(error.value(py).to_string())
    } else {
        error
    }
}

/// One Python object for each move: South's houses, North's houses, and the swap.
static MOVES: PyOnceLock<Vec<Py<PyMove>>> = PyOnceLock::new();

fn moves(py: Python<'_>) -> PyResult<&Vec<Py<PyMove>>> {
    MOVES.get_or_try_init(py, || {
        let sowings = Side::ALL.into_iter().flat_map(|side| {
            House::all(House::MAX).map(move |house| PyMove {
                mv: Move::Sow(house),
                owner: Some(side),
            })
        });
        let swap = PyMove {
            mv: Move::Swap,
            owner: None,
        };
        let moves: Vec<_> = sowings
            .chain([swap])
            .map(|mv| Py::new(py, mv))
            .collect::<PyResult<_>>()?;
        debug_assert_eq!(moves.len(), MOVE_COUNT);
        Ok(moves)
    })
}

impl PyMove {
    /// Returns the Python object of a move of `side`.
    pub(crate) fn object(py: Python<'_>, side: Side, mv: Move) -> PyResult<&Py<Self>> {
        let index = match (mv, side) {
            (Move::Sow(house), Side::South) => usize::from(house.number()) - 1,
            (Move::Sow(house), Side::North) => {
                usize::from(House::MAX) + usize::from(house.number()) - 1
            }
            (Move::Swap, _) => MOVE_COUNT - 1,
        };
        Ok(&moves(py)?[index])
    }

    /// Returns the Python objects of moves, each with the side that makes it.
    pub(crate) fn tuple<'py>(
        py: Python<'py>,
        line: &[(Side, Move)],
    ) -> PyResult<Bound<'py, PyTuple>> {
        let objects = line.iter().map(|&(side, mv)| Self::object(py, side, mv));
        PyTuple::new(py, objects.collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns the move that a `Move`, its text or the number of a house means for `to_move`.
    ///
    /// # Errors
    /// `TypeError` for a value of another type, `ParseError` for a text that is no move, and
    /// `IllegalMoveError` for a number that no house has and for a house of the other side.
    pub(crate) fn extract_for(value: &Bound<'_, PyAny>, to_move: Side) -> PyResult<Move> {
        let mv = if let Ok(mv) = value.cast_exact::<Self>() {
            *mv.get()
        } else if let Some(text) = arguments::text(value, "move")? {
            Self::parse(&text)?
        } else if arguments::is_index(value) {
            let number = arguments::integer_in(value, "move", 1, u32::from(House::MAX));
            let number = number.map_err(|error| illegal_house(value.py(), error))?;
            return Ok(House::new(number).map_or(Move::Swap, Move::Sow));
        } else {
            return Err(arguments::type_error(value, "move", "Move, str or int"));
        };
        Ok(mv.check_owner(to_move)?)
    }

    /// Parses a move of `to_move`.
    ///
    /// # Errors
    /// [`Error::Move`] for a text that is no move, and [`Error::WrongSide`] for a house of the
    /// other side.
    pub(crate) fn parse_for(text: &str, to_move: Side) -> Result<Move, Error> {
        Self::parse(text)?.check_owner(to_move)
    }

    /// Returns the move of `to_move`.
    fn check_owner(self, to_move: Side) -> Result<Move, Error> {
        match (self.mv, self.owner) {
            (Move::Sow(house), Some(owner)) if owner != to_move => Err(Error::WrongSide {
                letter: house.letter(owner),
                owner,
                to_move,
            }),
            (mv, _) => Ok(mv),
        }
    }

    /// Parses the letter of a house, or `swap`.
    fn parse(text: &str) -> Result<Self, Error> {
        if text == "swap" {
            return Ok(Self {
                mv: Move::Swap,
                owner: None,
            });
        }
        let mut characters = text.chars();
        let letter = characters.next().and_then(House::from_letter);
        match (letter, characters.next()) {
            (Some((owner, house)), None) => Ok(Self {
                mv: Move::Sow(house),
                owner: Some(owner),
            }),
            _ => Err(Error::Move(Quoted::new(text))),
        }
    }

    fn text(self) -> String {
        self.mv.text(self.owner.unwrap_or(Side::South))
    }
}

#[pymethods]
impl PyMove {
    #[new]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Some(text) = arguments::text(text, "text")? else {
            return Err(arguments::type_error(text, "text", "str"));
        };
        Ok(Self::parse(&text)?)
    }

    /// The side that makes the move, or `None` for a swap.
    #[getter]
    fn side(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.owner.map(|side| side_to_py(py, side)).transpose()
    }

    /// The number of the house, 1 to 26 in its owner's sowing order, or `None` for a swap.
    #[getter]
    fn house(&self) -> Option<u8> {
        match self.mv {
            Move::Sow(house) => Some(house.number()),
            Move::Swap => None,
        }
    }

    /// Whether the two players exchange sides.
    #[getter]
    fn is_swap(&self) -> bool {
        self.mv == Move::Swap
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("Move('{}')", self.text())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String,)) {
        (slf.get_type(), (slf.get().text(),))
    }
}

/// The stores at the end of a game: `south` and `north` seeds, 0 to 65,535 each.
///
/// Raises `KalahError` for numbers out of range.
///
/// >>> import kalah
/// >>> kalah.Position("<1,3,5,0,0> s").outcome
/// Outcome(south=3, north=5)
#[pyclass(name = "Outcome", module = "kalah", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyOutcome(pub(crate) Outcome);

#[pymethods]
impl PyOutcome {
    #[new]
    fn new(south: &Bound<'_, PyAny>, north: &Bound<'_, PyAny>) -> PyResult<Self> {
        let store = |seeds, name| {
            let seeds = arguments::integer_in(seeds, name, 0, SeedCount::MAX.get())?;
            Ok::<_, PyErr>(SeedCount::from(seeds))
        };
        Ok(Self(Outcome {
            stores: BySide::new(store(south, "south")?, store(north, "north")?),
        }))
    }

    /// The seeds in South's store.
    #[getter]
    fn south(&self) -> u16 {
        self.0.stores.south.get()
    }

    /// The seeds in North's store.
    #[getter]
    fn north(&self) -> u16 {
        self.0.stores.north.get()
    }

    /// The side with more seeds, or `None` for a tie.
    #[getter]
    fn winner(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.0.winner().map(|side| side_to_py(py, side)).transpose()
    }

    /// Returns the seeds by which `side` is ahead.
    ///
    /// >>> import kalah
    /// >>> kalah.Position("<1,3,5,0,0> s").outcome.margin(kalah.Side.NORTH)
    /// 2
    fn margin(&self, side: &Bound<'_, PyAny>) -> PyResult<i32> {
        Ok(self.0.margin(side_from_py(side)?).seeds())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let (south, north) = (self.south(), self.north());
        format!("Outcome(south={south}, north={north})")
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (u16, u16)) {
        let outcome = slf.get();
        (slf.get_type(), (outcome.south(), outcome.north()))
    }
}
