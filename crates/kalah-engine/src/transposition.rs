use kalah::{House, Position, Rules, Side};

/// A memory of searched positions, shared by all searches of an engine.
///
/// Values are gains of the side to move and keys are taken of the houses alone, seen from the side
/// to move: stores do not matter to a gain, nor does which side is which. A newer entry replaces an
/// older one of its place, but keeps clear of a deeper one as long as the other slot will do.
pub(crate) struct TranspositionTable {
    /// Two slots a place: the first keeps the deepest entry, the second the newest.
    places: Vec<[RawEntry; 2]>,
}

/// A key (0 in an empty slot) and a packed [`Entry`].
type RawEntry = [u64; 2];

const _: () = assert!(
    size_of::<[RawEntry; 2]>() == 32,
    "a place is half a cache line"
);

/// What a search remembers of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The gain found, in seeds, for the side to move.
    pub(crate) gain: i32,
    /// What the gain says of the true one.
    pub(crate) bound: Bound,
    /// How deep the search was; [`Entry::RESOLVED`] if nothing was estimated.
    pub(crate) depth: u16,
    /// The house that was best, if any was better than expected.
    pub(crate) house: Option<House>,
}

/// What a found value says of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The true value is this or less.
    Upper,
    /// The true value is this or more.
    Lower,
    /// This is the true value.
    Exact,
}

impl Entry {
    /// The depth of a search that followed every line to the end of the game: no other is deeper.
    pub(crate) const RESOLVED: u16 = u16::MAX;

    /// Whether a search `depth` turns deep with this window need not be made: its result would be
    /// this entry's gain, or on the same side outside the window.
    pub(crate) fn decides(self, depth: i32, alpha: i32, beta: i32) -> bool {
        i32::from(self.depth) >= depth
            && match self.bound {
                Bound::Exact => true,
                Bound::Lower => self.gain >= beta,
                Bound::Upper => self.gain <= alpha,
            }
    }

    fn pack(self) -> u64 {
        let bound = match self.bound {
            Bound::Upper => 0,
            Bound::Lower => 1,
            Bound::Exact => 2,
        };
        let house = self.house.map_or(0, House::number);
        u64::from(self.gain.cast_unsigned())
            | u64::from(self.depth) << 32
            | u64::from(house) << 48
            | bound << 56
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "takes a field out of its bits"
    )]
    fn unpack(bits: u64) -> Self {
        Self {
            gain: (bits as u32).cast_signed(),
            depth: (bits >> 32) as u16,
            house: House::new(u32::from((bits >> 48) as u8)),
            bound: match bits >> 56 {
                0 => Bound::Upper,
                1 => Bound::Lower,
                _ => Bound::Exact,
            },
        }
    }
}

/// The key of a position's houses, seen from its side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(u64);

impl Key {
    /// What the keys of all positions of a game have in common: houses a side and the rules that
    /// matter to a gain.
    pub(crate) fn of_game(houses: u8, rules: Rules) -> Self {
        let ends = rules.ends as u64;
        let capture = rules.capture as u64;
        Self(mix(
            u64::from(houses) | ends << 8 | capture << 9,
            MULTIPLIER,
        ))
    }

    /// The key of a position of that game.
    #[inline]
    pub(crate) fn of_position(self, position: &Position) -> Self {
        let mover = position.to_move();
        let key = self.with_row(position, mover);
        let key = key.with_row(position, mover.opponent());
        // An empty slot has key 0.
        Self(key.0 | 1)
    }

    #[inline]
    fn with_row(self, position: &Position, side: Side) -> Self {
        let mut key = self.0;
        for houses in position.houses_of(side).chunks(4) {
            let packed = houses
                .iter()
                .fold(0, |packed, seeds| packed << 16 | u64::from(*seeds));
            key = mix(key ^ packed, MULTIPLIER);
        }
        Self(key)
    }
}

/// An odd number without pattern: the fraction of the golden ratio, as in Knuth's multiplicative
/// hashing (The Art of Computer Programming 3, section 6.4).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Multiplies to 128 bits and folds them, so that every bit of a word reaches every bit of the key.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "folds both halves of the product"
)]
fn mix(word: u64, multiplier: u64) -> u64 {
    let product = u128::from(word ^ multiplier.rotate_left(32)) * u128::from(multiplier);
    (product as u64) ^ ((product >> 64) as u64)
}

impl TranspositionTable {
    /// A table of `entries`, rounded up to a power of two, at 16 bytes each. Its memory is taken
    /// from the system as it comes into use.
    pub(crate) fn new(entries: usize) -> Self {
        let places = (entries / 2).max(1).next_power_of_two();
        Self {
            places: vec![[[0; 2]; 2]; places],
        }
    }

    fn place(&self, key: Key) -> usize {
        // The lowest bit is always set.
        (key.0 >> 1) as usize & (self.places.len() - 1)
    }

    /// What is remembered of the position with this key.
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Option<Entry> {
        let place = &self.places[self.place(key)];
        let found = place.iter().find(|slot| slot[0] == key.0)?;
        Some(Entry::unpack(found[1]))
    }

    /// Remembers `entry` for the position with this key.
    #[inline]
    pub(crate) fn put(&mut self, key: Key, entry: Entry) {
        let index = self.place(key);
        let [deepest, newest] = &mut self.places[index];
        let raw = [key.0, entry.pack()];
        if deepest[0] == key.0 || Entry::unpack(deepest[1]).depth <= entry.depth {
            if deepest[0] != key.0 {
                *newest = *deepest;
            }
            *deepest = raw;
        } else {
            *newest = raw;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::Setup;
    use proptest::prelude::*;

    fn key(text: &str) -> Key {
        let setup: Setup = text.parse().unwrap();
        let position = setup.position(Rules::CS32).unwrap();
        Key::of_game(position.houses(), Rules::CS32).of_position(&position)
    }

    #[test]
    fn keys_leave_out_stores_and_sides_but_not_rows() {
        assert_eq!(key("<2,9,0,1,2,3,4> s"), key("<2,0,5,1,2,3,4> s"));
        assert_eq!(key("<2,0,0,1,2,3,4> s"), key("<2,0,0,3,4,1,2> n"));
        assert_ne!(key("<2,0,0,1,2,3,4> s"), key("<2,0,0,1,2,3,4> n"));
        assert_ne!(key("<2,0,0,1,2,3,4> s"), key("<2,0,0,2,1,3,4> s"));
    }

    proptest! {
        #[test]
        fn an_entry_survives_its_packing(
            gain in -65_535..=65_535,
            depth: u16,
            house in 0_u32..=26,
            bound in prop_oneof![Just(Bound::Upper), Just(Bound::Lower), Just(Bound::Exact)],
        ) {
            let entry = Entry { gain, bound, depth, house: House::new(house) };
            prop_assert_eq!(Entry::unpack(entry.pack()), entry);
        }
    }

    #[test]
    fn a_full_place_keeps_the_deepest_and_the_newest() {
        let entry = |depth| Entry {
            gain: 1,
            bound: Bound::Exact,
            depth,
            house: None,
        };
        let mut table = TranspositionTable::new(2);
        let [a, b, c] = [Key(1), Key(3), Key(5)];
        table.put(a, entry(9));
        table.put(b, entry(2));
        table.put(c, entry(1));
        assert_eq!(table.get(a), Some(entry(9)));
        assert_eq!(table.get(b), None);
        assert_eq!(table.get(c), Some(entry(1)));
    }
}
