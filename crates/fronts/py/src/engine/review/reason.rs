//! The reasons of reviewed plies.

use kalah::{House, Move, SeedCount, Side};
use kalah_engine::Reason;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::engine::report::{Pickled, pickled};
use crate::errors::Error;
use crate::games::values::{PyMove, side_argument, side_to_py};

/// The kinds of reasons, as in the JSON of `kalah review`.
const KINDS: [&str; 11] = [
    "gave-last-seeds",
    "missed-capture",
    "left-capture",
    "missed-bonus-turn",
    "gave-bonus-turns",
    BEAUTIFUL,
    "only-win",
    "only-tie",
    "starved",
    "captured",
    "bonus-turns",
];

/// The kind of beautiful moves.
const BEAUTIFUL: &str = "beautiful";

/// A reason why the move of a reviewed ply is bad or good, as in the JSON of `kalah review`. What
/// its kind does not name is `None`.
///
/// >>> import kalah
/// >>> review = kalah.review(kalah.Game("3x2", moves="A"), nodes=10_000)
/// >>> review.plies[0].reasons
/// (Reason('missed-bonus-turn', house='B'),)
#[pyclass(name = "Reason", module = "kalah", frozen, eq)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PyReason {
    /// The side of the ply.
    side: Side,
    /// One of [`KINDS`].
    kind: &'static str,
    house: Option<House>,
    /// The other house with its owner.
    other_house: Option<(Side, House)>,
    seeds: Option<u16>,
    turns: Option<u32>,
}

impl PyReason {
    /// Converts a reason of a ply of `side`.
    pub(super) fn new(reason: Reason, side: Side) -> Self {
        let of_kind = |kind| Self {
            side,
            kind,
            house: None,
            other_house: None,
            seeds: None,
            turns: None,
        };
        let count = |seeds: SeedCount| Some(seeds.get());
        match reason {
            Reason::GaveLastSeeds { seeds } => Self {
                seeds: count(seeds),
                ..of_kind("gave-last-seeds")
            },
            Reason::MissedCapture {
                first,
                house,
                seeds,
            } => Self {
                house: Some(house),
                other_house: Some((side, first)),
                seeds: count(seeds),
                ..of_kind("missed-capture")
            },
            Reason::LeftCapture { house, by, seeds } => Self {
                house: Some(house),
                other_house: Some((side.opponent(), by)),
                seeds: count(seeds),
                ..of_kind("left-capture")
            },
            Reason::MissedBonusTurn { house } => Self {
                house: Some(house),
                ..of_kind("missed-bonus-turn")
            },
            Reason::GaveBonusTurns { turns } => Self {
                turns: Some(turns),
                ..of_kind("gave-bonus-turns")
            },
            Reason::Beautiful { tempting, seeds } => Self {
                house: Some(tempting),
                seeds: seeds.and_then(count),
                ..of_kind(BEAUTIFUL)
            },
            Reason::OnlyWin => of_kind("only-win"),
            Reason::OnlyTie => of_kind("only-tie"),
            Reason::Starved { seeds } => Self {
                seeds: count(seeds),
                ..of_kind("starved")
            },
            Reason::Captured { seeds } => Self {
                seeds: count(seeds),
                ..of_kind("captured")
            },
            Reason::BonusTurns { turns } => Self {
                turns: Some(turns),
                ..of_kind("bonus-turns")
            },
        }
    }

    pub(super) fn is_beautiful(self) -> bool {
        self.kind == BEAUTIFUL
    }
}

#[pymethods]
impl PyReason {
    /// The kind: five for blame, from `gave-last-seeds` to `gave-bonus-turns`, and six for praise,
    /// from `beautiful` to `bonus-turns`.
    ///
    /// `gave-last-seeds`: the opponent takes the last `seeds` at the end. `missed-capture`: the
    /// best move captures `seeds` from `house`, in a turn that begins with `other_house`.
    /// `left-capture`: the best reply captures `seeds` from `house` with `other_house`.
    /// `missed-bonus-turn`: the best move sows `house`. `gave-bonus-turns`: the best reply begins
    /// `turns` bonus turns.
    ///
    /// `beautiful`: `house` looks better and is worse; it captures `seeds`, or gives a bonus turn
    /// if `seeds` is `None`. `only-win` and `only-tie`: all other moves have a worse result.
    /// `starved`: the game ended, and the player took `seeds`. `captured`: the move captured
    /// `seeds`. `bonus-turns`: the move gave the last of `turns` bonus turns in a row.
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind
    }

    /// The side of the ply.
    #[getter]
    fn side(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        side_to_py(py, self.side)
    }

    /// The house that the kind names, as the move that sows it.
    #[getter]
    fn house(&self, py: Python<'_>) -> PyResult<Option<Py<PyMove>>> {
        house_to_py(py, self.house.map(|house| (self.side, house)))
    }

    /// The other house that the kind names, as the move that sows it.
    #[getter]
    fn other_house(&self, py: Python<'_>) -> PyResult<Option<Py<PyMove>>> {
        house_to_py(py, self.other_house)
    }

    /// The number of seeds.
    #[getter]
    fn seeds(&self) -> Option<u16> {
        self.seeds
    }

    /// The number of bonus turns.
    #[getter]
    fn turns(&self) -> Option<u32> {
        self.turns
    }

    fn __repr__(&self) -> String {
        let letter = |(side, house): (Side, House)| house.letter(side);
        let house = self.house.map(|house| letter((self.side, house)));
        let values = [
            Some(format!("'{}'", self.kind)),
            house.map(|house| format!("house='{house}'")),
            (self.other_house).map(|other| format!("other_house='{}'", letter(other))),
            self.seeds.map(|seeds| format!("seeds={seeds}")),
            self.turns.map(|turns| format!("turns={turns}")),
        ];
        let values: Vec<String> = values.into_iter().flatten().collect();
        format!("Reason({})", values.join(", "))
    }

    #[classmethod]
    fn _from_values(
        _class: &Bound<'_, PyType>,
        kind: &str,
        side: &Bound<'_, PyAny>,
        house: Option<Bound<'_, PyMove>>,
        other_house: Option<Bound<'_, PyMove>>,
        seeds: Option<u16>,
        turns: Option<u32>,
    ) -> PyResult<Self> {
        let side = side_argument(side, "side")?;
        let known = KINDS.into_iter().find(|&known| known == kind);
        let kind = known.ok_or_else(|| Error::Argument {
            name: "kind",
            expected: "a kind of reasons".to_owned(),
            actual: format!("{kind:?}"),
        })?;
        let other_side = if kind == "left-capture" {
            side.opponent()
        } else {
            side
        };
        Ok(Self {
            side,
            kind,
            house: house_from_py(house, side)?,
            other_house: house_from_py(other_house, other_side)?.map(|house| (other_side, house)),
            seeds,
            turns,
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py, ReasonValues>> {
        let (py, reason) = (slf.py(), slf.get());
        let values = (
            reason.kind,
            reason.side(py)?,
            reason.house(py)?,
            reason.other_house(py)?,
            reason.seeds,
            reason.turns,
        );
        pickled(slf, values)
    }
}

/// The values of a `Reason` in a pickle, in the order of its properties.
type ReasonValues = (
    &'static str,
    Py<PyAny>,
    Option<Py<PyMove>>,
    Option<Py<PyMove>>,
    Option<u16>,
    Option<u32>,
);

fn house_to_py(py: Python<'_>, house: Option<(Side, House)>) -> PyResult<Option<Py<PyMove>>> {
    let object = |(side, house)| PyMove::object(py, side, Move::Sow(house));
    Ok(house.map(object).transpose()?.map(|mv| mv.clone_ref(py)))
}

/// Returns the house of a pickle.
///
/// # Errors
/// If the move is a swap, or sows a house of the other side.
fn house_from_py(mv: Option<Bound<'_, PyMove>>, side: Side) -> PyResult<Option<House>> {
    let Some(mv) = mv else {
        return Ok(None);
    };
    match PyMove::extract_for(mv.as_any(), side)? {
        Move::Sow(house) => Ok(Some(house)),
        Move::Swap => Err(Error::Argument {
            name: "house",
            expected: "a house".to_owned(),
            actual: "swap".to_owned(),
        }
        .into()),
    }
}
