use kalah::{Board, FirstPlies, House, Move, Pit, PitCounts, Position, Rules, Side, SowEffect};

use crate::packed::PackedBoard;
use crate::word::PackedRow;

/// What sowing does to packed houses, looked up and not worked out: every house with every number
/// of seeds, on boards of one size under one rule set, past the opening.
pub(crate) struct SowTable<W> {
    houses: u32,
    /// The house in each byte.
    houses_by_byte: Box<[House]>,
    rules: Rules,
    /// Seeds that a capture needs in the opposite house.
    min_opposite_seeds: u8,
    /// For each number of seeds from 0, of each house from the one next to the store.
    entries: Box<[SowEntry<W>]>,
}

/// Who sows: what is packed is seen from the side to move, whichever that is.
const MOVER: Side = Side::South;

/// What sowing one house does before anybody asks what it means.
#[derive(Clone, Copy)]
struct SowEntry<W> {
    /// To add to the row of the side that sows.
    own: W,
    /// To add to the other row.
    other: W,
    banked: u8,
    /// The byte of the own house in which the last seed falls; the free byte if it falls elsewhere.
    last_byte: u8,
    /// The byte of the other's house across from it; the free byte likewise.
    opposite_byte: u8,
    /// Whether the same side sows again.
    bonus_turn: bool,
}

/// What came of sowing a house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Successor<P> {
    /// The houses as the side that chooses next sees them; empty once the game is over.
    pub(crate) board: P,
    /// What the sowing side's store gained on the other's, the sweep included.
    pub(crate) banked: i32,
    /// Whether the same player chooses again.
    pub(crate) same_player: bool,
    /// Whether the game is over.
    pub(crate) is_over: bool,
}

/// Packed houses as the rules see a board: the side that sows is [`MOVER`].
struct PackedPits<W> {
    houses: u32,
    own: W,
    other: W,
}

impl<W: PackedRow> PackedPits<W> {
    #[inline]
    fn row(&self, owner: Side) -> W {
        if owner == MOVER { self.own } else { self.other }
    }
}

impl<W: PackedRow> PitCounts for PackedPits<W> {
    #[inline]
    fn houses(&self) -> u32 {
        self.houses
    }

    #[inline]
    fn in_house(&self, owner: Side, house: u32) -> u64 {
        match self.houses.checked_sub(house) {
            Some(index) if house > 0 => self.row(owner).byte(index).into(),
            _ => 0,
        }
    }

    #[inline]
    fn in_row(&self, owner: Side) -> u64 {
        self.row(owner).total().into()
    }

    #[inline]
    fn is_row_empty(&self, owner: Side) -> bool {
        self.row(owner) == W::EMPTY
    }
}

impl<W: PackedRow> SowTable<W> {
    /// The sowings of up to `max_seeds` seeds on boards of `houses` a side. `None` if a word holds
    /// fewer houses.
    pub(crate) fn new(houses: u8, rules: Rules, most_seeds: u8) -> Option<Self> {
        if !(1..=W::MAX_HOUSES).contains(&houses) {
            return None;
        }
        let by_byte = House::all(houses).rev().collect();
        let houses = houses.into();
        let table = (0..=most_seeds)
            .flat_map(|seeds| {
                (0..houses).map(move |index| SowEntry::new(houses, rules, index, seeds))
            })
            .collect();
        // House 1 holds the last seed, and nothing lies across from it.
        let alone = PackedPits {
            houses,
            own: W::from_byte(houses - 1, 1),
            other: W::EMPTY,
        };
        let last = Pit::House(MOVER, 1);
        Some(Self {
            houses,
            houses_by_byte: by_byte,
            rules,
            min_opposite_seeds: match rules.sow_effect(&alone, MOVER, last, FirstPlies::Later) {
                SowEffect::Capture(_) => 0,
                SowEffect::TurnPasses | SowEffect::BonusTurn => 1,
            },
            entries: table,
        })
    }

    /// The sowings of all positions that can come of this one and be packed. `None` if its rows are
    /// too long.
    pub(crate) fn from_position(position: &Position) -> Option<Self> {
        let in_play = Side::ALL.map(|side| u32::from(position.row_total(side)));
        let most_seeds = u8::try_from(in_play.iter().sum::<u32>()).unwrap_or(u8::MAX);
        Self::new(position.houses(), position.rules(), most_seeds)
    }

    /// Houses a side.
    #[inline]
    pub(crate) fn houses(&self) -> u32 {
        self.houses
    }

    /// The house in a byte.
    #[inline]
    pub(crate) fn house_at(&self, index: u32) -> House {
        self.houses_by_byte[index as usize]
    }

    /// Every choice and what comes of it, from the house next to the store; none once the game is
    /// over.
    #[inline]
    pub(crate) fn for_each_move(
        &self,
        packed: PackedBoard<W>,
        mut each: impl FnMut(Move, Successor<PackedBoard<W>>),
    ) {
        for index in packed.own.occupied_bytes() {
            each(Move::Sow(self.house_at(index)), self.sow(packed, index));
        }
    }

    /// Sows the house in byte `index`, which is not empty, in a game that is not over: seeds,
    /// capture, whose turn it is, and the sweep if that is the end.
    #[inline]
    pub(crate) fn sow(&self, packed: PackedBoard<W>, index: u32) -> Successor<PackedBoard<W>> {
        let seeds = packed.own.byte(index);
        let place = u32::from(seeds) * self.houses + index;
        let sowing = &self.entries[place as usize];
        let mut own = packed.own.plus(sowing.own);
        let mut other = packed.other.plus(sowing.other);
        let mut banked = i32::from(sowing.banked);

        // No branch where the next sowing may be a different case: it would be mispredicted.
        let across = other.byte(sowing.opposite_byte.into());
        let captures = own.byte(sowing.last_byte.into()) == 1 && across >= self.min_opposite_seeds;
        let taken = if captures { u8::MAX } else { 0 };
        banked += i32::from(1 & taken) + i32::from(across & taken);
        own = own.minus(W::from_byte(sowing.last_byte.into(), 1 & taken));
        other = other.minus(W::from_byte(sowing.opposite_byte.into(), across & taken));

        let same_player = sowing.bonus_turn;
        let (own, other) = if same_player {
            (own, other)
        } else {
            (other, own)
        };
        // Rows are in the order of who moves next from here on.
        let board = PackedPits {
            houses: self.houses,
            own,
            other,
        };
        let over = self.rules.is_over(&board, MOVER);
        let mut next = PackedBoard { own, other };
        if over {
            let swept = i32::from(own.total()) - i32::from(other.total());
            banked += if same_player { swept } else { -swept };
            next = PackedBoard {
                own: W::EMPTY,
                other: W::EMPTY,
            };
        }
        Successor {
            board: next,
            banked,
            same_player,
            is_over: over,
        }
    }
}

impl<W: PackedRow> SowEntry<W> {
    /// What sowing `seeds` seeds from the house in byte `index` does, as [`Board::sow`] and
    /// [`Rules::meaning`] have it.
    fn new(houses: u32, rules: Rules, index: u32, seeds: u8) -> Self {
        const FITS: &str = "a board of 15 houses and 255 seeds can be";
        let mut board = Board::new(houses, 0).expect(FITS);
        let house = houses - index;
        board.set_house(MOVER, house, seeds.into()).expect(FITS);
        let last = board.sow(MOVER, house);

        let row = |side| {
            (0..houses).fold(W::EMPTY, |row, index| {
                let seeds = u8::try_from(board.in_house(side, houses - index)).expect(FITS);
                row.plus(W::from_byte(index, seeds))
            })
        };
        let byte = |house: u32| u8::try_from(houses - house).expect(FITS);
        let (last_byte, opposite_byte) = match last {
            // The opposite house of 1 is the last, and so on.
            Some(Pit::House(MOVER, house)) => (byte(house), byte(houses - house + 1)),
            _ => (W::MAX_HOUSES, W::MAX_HOUSES),
        };
        Self {
            own: row(MOVER).minus(W::from_byte(index, seeds)),
            other: row(MOVER.opponent()),
            banked: u8::try_from(board.store(MOVER)).expect(FITS),
            last_byte,
            opposite_byte,
            bonus_turn: last.is_some_and(|last| {
                rules.sow_effect(&board, MOVER, last, FirstPlies::Later) == SowEffect::BonusTurn
            }),
        }
    }
}
