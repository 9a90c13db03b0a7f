use serde::{Deserialize, Serialize};

/// Who takes part, by the place in the list of all who do, from 0. Names are a matter of those who show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Contestant(pub usize);

impl Contestant {
    /// The first so many, in order.
    pub fn all(contestants: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..contestants).map(Self)
    }
}
