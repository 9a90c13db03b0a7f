use kalah::{BySide, Side};

/// One of the two people of a game, named by the side on which they began.
///
/// Where they sit changes with a swap; who they are, their token and their clock do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerId {
    /// Where they sat when the game began.
    pub started_as: Side,
}

impl PlayerId {
    /// Both, the one that began as South first.
    pub const ALL: [Self; 2] = [Self::new(Side::South), Self::new(Side::North)];

    /// The person who began on `side`.
    pub const fn new(started_as: Side) -> Self {
        Self { started_as }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        Self::new(self.started_as.opponent())
    }

    /// Where they sit in a game in which the people have exchanged seats, or have not.
    pub const fn side(self, swapped: bool) -> Side {
        if swapped {
            self.started_as.opponent()
        } else {
            self.started_as
        }
    }

    /// Who sits on `side` in a game in which the people have exchanged seats, or have not.
    pub const fn at_side(side: Side, swapped: bool) -> Self {
        if swapped {
            Self::new(side.opponent())
        } else {
            Self::new(side)
        }
    }
}

/// One value for each person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByPlayer<T>(BySide<T>);

impl<T> ByPlayer<T> {
    /// The value of who began as South, then of who began as North.
    pub const fn new(south: T, north: T) -> Self {
        Self(BySide::new(south, north))
    }

    /// What `make` returns for each person.
    pub fn from_fn(mut make: impl FnMut(PlayerId) -> T) -> Self {
        Self(BySide::from_fn(|side| make(PlayerId::new(side))))
    }

    /// The person's value.
    pub fn get(&self, person: PlayerId) -> &T {
        &self.0[person.started_as]
    }

    /// The person's value, to change.
    pub fn get_mut(&mut self, person: PlayerId) -> &mut T {
        &mut self.0[person.started_as]
    }
}

impl<T: Copy> ByPlayer<T> {
    /// The values by where the people sit in a game in which they have exchanged seats, or have not.
    pub fn by_side(&self, swapped: bool) -> BySide<T> {
        if swapped { self.0.swapped() } else { self.0 }
    }
}
