use kalah::{BySide, House, Pit, Side};
use kalah_engine::Bounds;
use serde::{Deserialize, Serialize};

/// Something for each side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerSide<T> {
    /// South's.
    pub south: T,
    /// North's.
    pub north: T,
}

impl<T> From<BySide<T>> for PerSide<T> {
    fn from(BySide { south, north }: BySide<T>) -> Self {
        Self { south, north }
    }
}

/// The least and the most that a margin can be, and whether these are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundsView {
    /// No less, in seeds.
    pub lower: i32,
    /// No more, in seeds.
    pub upper: i32,
    /// Whether the margin is known.
    pub exact: bool,
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

/// A house's letter, or the side whose store it is.
pub(crate) fn pit_label(pit: Pit) -> String {
    match pit {
        Pit::House(owner, house) => house_label(owner, house),
        Pit::Store(owner) => owner.as_str().to_owned(),
    }
}

pub(crate) fn house_label(owner: Side, house: House) -> String {
    house.letter(owner).to_string()
}
