use kalah::{BySide, Side};

/// One of the two people of a game, named by the side on which they began.
///
/// Where they sit changes with a swap; who they are, their token and their clock do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Person {
    /// Where they sat when the game began.
    pub began: Side,
}

impl Person {
    /// Both, the one that began as South first.
    pub const ALL: [Self; 2] = [Self::new(Side::South), Self::new(Side::North)];

    /// The person who began on `side`.
    pub const fn new(began: Side) -> Self {
        Self { began }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        Self::new(self.began.opponent())
    }

    /// Where they sit in a game in which the people have exchanged seats, or have not.
    pub const fn seat(self, swapped: bool) -> Side {
        if swapped {
            self.began.opponent()
        } else {
            self.began
        }
    }

    /// Who sits on `side` in a game in which the people have exchanged seats, or have not.
    pub const fn seated(side: Side, swapped: bool) -> Self {
        if swapped {
            Self::new(side.opponent())
        } else {
            Self::new(side)
        }
    }
}

/// One value for each person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByPerson<T>(BySide<T>);

impl<T> ByPerson<T> {
    /// The value of who began as South, then of who began as North.
    pub const fn new(south: T, north: T) -> Self {
        Self(BySide::new(south, north))
    }

    /// What `make` returns for each person.
    pub fn from_fn(mut make: impl FnMut(Person) -> T) -> Self {
        Self(BySide::from_fn(|side| make(Person::new(side))))
    }

    /// The person's value.
    pub fn of(&self, person: Person) -> &T {
        &self.0[person.began]
    }

    /// The person's value, to change.
    pub fn of_mut(&mut self, person: Person) -> &mut T {
        &mut self.0[person.began]
    }
}

impl<T: Copy> ByPerson<T> {
    /// The values by where the people sit in a game in which they have exchanged seats, or have not.
    pub fn seats(&self, swapped: bool) -> BySide<T> {
        if swapped { self.0.swapped() } else { self.0 }
    }
}
