use kalah::{
    Board, BoardSowEffect, House, IsFirstPly, Move, Pit, PitCounts, Position, Rules, Side,
};

use crate::packed::Packed;
use crate::word::Word;

/// What sowing does to packed houses, looked up and not worked out: every house with every number
/// of seeds, on boards of one size under one rule set, past the opening.
pub(crate) struct Sowings<W> {
    houses: u32,
    /// The house in each byte.
    by_byte: Box<[House]>,
    rules: Rules,
    /// Seeds that a capture needs in the opposite house.
    capture_needs: u8,
    /// For each number of seeds from 0, of each house from the one next to the store.
    table: Box<[Sowing<W>]>,
}

/// Who sows: what is packed is seen from the side to move, whichever that is.
const MOVER: Side = Side::South;

/// What sowing one house does before anybody asks what it means.
#[derive(Clone, Copy)]
struct Sowing<W> {
    /// To add to the row of the side that sows.
    own: W,
    /// To add to the other row.
    other: W,
    banked: u8,
    /// The byte of the own house in which the last seed falls; the free byte if it falls elsewhere.
    last: u8,
    /// The byte of the other's house across from it; the free byte likewise.
    across: u8,
    /// Whether the same side sows again.
    bonus_turn: bool,
}

/// What came of sowing a house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sown<P> {
    /// The houses as the side that chooses next sees them; empty once the game is over.
    pub(crate) next: P,
    /// What the sowing side's store gained on the other's, the sweep included.
    pub(crate) banked: i32,
    /// Whether the same player chooses again.
    pub(crate) same_player: bool,
    /// Whether the game is over.
    pub(crate) over: bool,
}

/// Packed houses as the rules see a board: the side that sows is [`MOVER`].
struct View<W> {
    houses: u32,
    own: W,
    other: W,
}

impl<W: Word> View<W> {
    #[inline]
    fn row(&self, owner: Side) -> W {
        if owner == MOVER { self.own } else { self.other }
    }
}

impl<W: Word> PitCounts for View<W> {
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

impl<W: Word> Sowings<W> {
    /// The sowings of up to `most_seeds` seeds on boards of `houses` a side. `None` if a word holds
    /// fewer houses.
    pub(crate) fn new(houses: u8, rules: Rules, most_seeds: u8) -> Option<Self> {
        if !(1..=W::MOST_HOUSES).contains(&houses) {
            return None;
        }
        let by_byte = House::all(houses).rev().collect();
        let houses = houses.into();
        let table = (0..=most_seeds)
            .flat_map(|seeds| {
                (0..houses).map(move |index| Sowing::new(houses, rules, index, seeds))
            })
            .collect();
        // House 1 holds the last seed, and nothing lies across from it.
        let alone = View {
            houses,
            own: W::of_byte(houses - 1, 1),
            other: W::EMPTY,
        };
        let last = Pit::House(MOVER, 1);
        Some(Self {
            houses,
            by_byte,
            rules,
            capture_needs: match rules.sow_effect(&alone, MOVER, last, IsFirstPly::No) {
                BoardSowEffect::Capture { .. } => 0,
                BoardSowEffect::TurnPasses | BoardSowEffect::BonusTurn => 1,
            },
            table,
        })
    }

    /// The sowings of all positions that can come of this one and be packed. `None` if its rows are
    /// too long.
    pub(crate) fn of(position: &Position) -> Option<Self> {
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
    pub(crate) fn house(&self, index: u32) -> House {
        self.by_byte[index as usize]
    }

    /// Every choice and what comes of it, from the house next to the store; none once the game is
    /// over.
    #[inline]
    pub(crate) fn each_choice(
        &self,
        packed: Packed<W>,
        mut each: impl FnMut(Move, Sown<Packed<W>>),
    ) {
        for index in packed.own.occupied_bytes() {
            each(Move::Sow(self.house(index)), self.sow(packed, index));
        }
    }

    /// Sows the house in byte `index`, which is not empty, in a game that is not over: seeds,
    /// capture, whose turn it is, and the sweep if that is the end.
    #[inline]
    pub(crate) fn sow(&self, packed: Packed<W>, index: u32) -> Sown<Packed<W>> {
        let seeds = packed.own.byte(index);
        let place = u32::from(seeds) * self.houses + index;
        let sowing = &self.table[place as usize];
        let mut own = packed.own.plus(sowing.own);
        let mut other = packed.other.plus(sowing.other);
        let mut banked = i32::from(sowing.banked);

        // No branch where the next sowing may be a different case: it would be mispredicted.
        let across = other.byte(sowing.across.into());
        let captures = own.byte(sowing.last.into()) == 1 && across >= self.capture_needs;
        let taken = if captures { u8::MAX } else { 0 };
        banked += i32::from(1 & taken) + i32::from(across & taken);
        own = own.minus(W::of_byte(sowing.last.into(), 1 & taken));
        other = other.minus(W::of_byte(sowing.across.into(), across & taken));

        let same_player = sowing.bonus_turn;
        let (own, other) = if same_player {
            (own, other)
        } else {
            (other, own)
        };
        // Rows are in the order of who moves next from here on.
        let board = View {
            houses: self.houses,
            own,
            other,
        };
        let over = self.rules.is_over(&board, MOVER);
        let mut next = Packed { own, other };
        if over {
            let swept = i32::from(own.total()) - i32::from(other.total());
            banked += if same_player { swept } else { -swept };
            next = Packed {
                own: W::EMPTY,
                other: W::EMPTY,
            };
        }
        Sown {
            next,
            banked,
            same_player,
            over,
        }
    }
}

impl<W: Word> Sowing<W> {
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
                row.plus(W::of_byte(index, seeds))
            })
        };
        let byte = |house: u32| u8::try_from(houses - house).expect(FITS);
        let (last_byte, across) = match last {
            // The opposite house of 1 is the last, and so on.
            Some(Pit::House(MOVER, house)) => (byte(house), byte(houses - house + 1)),
            _ => (W::MOST_HOUSES, W::MOST_HOUSES),
        };
        Self {
            own: row(MOVER).minus(W::of_byte(index, seeds)),
            other: row(MOVER.opponent()),
            banked: u8::try_from(board.store(MOVER)).expect(FITS),
            last: last_byte,
            across,
            bonus_turn: last.is_some_and(|last| {
                rules.sow_effect(&board, MOVER, last, IsFirstPly::No) == BoardSowEffect::BonusTurn
            }),
        }
    }
}
