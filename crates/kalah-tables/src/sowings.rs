use kalah::{Board, FirstPlies, Pit, PitCounts as _, Rules, Side, SowEffect};

use crate::row_index::RowBytes;

/// What sowing a house with so many seeds does, whatever else lies on the board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SowingDelta {
    /// Added to the sower's row, byte by byte, once its house is empty.
    own_delta: RowBytes,
    /// Seeds that fall into the other row, one a house from its house 1 on, in each lap again.
    pub(crate) crossing: usize,
    /// Seeds banked.
    pub(crate) banked: usize,
    /// Where the last seed falls.
    pub(crate) last: LastPit,
}

/// Where a last seed falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastPit {
    /// The own store.
    Store,
    /// The own house in this byte.
    Own(usize),
    /// A house of the other side.
    Other,
}

/// The sowings of a board, as its rules have them.
pub(crate) struct SowingLookup {
    houses: usize,
    /// By the byte of the house, then by seeds.
    by_house: Vec<Vec<SowingDelta>>,
    /// By the seeds that cross over, what falls into the houses of the other row.
    crossing_rows: Vec<RowBytes>,
    /// Whether a last seed alone captures though the opposite house is empty.
    pub(crate) empty_capture: bool,
    /// Whether the game is over when only the other side's row is empty.
    pub(crate) ends_with_other_row: bool,
}

/// Seeds of the house in this byte of a row.
#[inline]
pub(crate) fn seeds_in(row: RowBytes, byte: usize) -> usize {
    row.to_le_bytes()[byte].into()
}

const SMALL_BOARD: &str = "a board of a table is small";

impl SowingLookup {
    /// For houses of up to `most_seeds`.
    pub(crate) fn new(houses: usize, rules: Rules, most_seeds: usize) -> Self {
        let by_house = (0..houses).map(|byte| {
            let seeds = 0..=most_seeds;
            seeds
                .map(|seeds| simulate_sowing(houses, byte, seeds))
                .collect()
        });
        Self {
            houses,
            by_house: by_house.collect(),
            crossing_rows: (0..=most_seeds)
                .map(|crossing| crossing_row(houses, crossing))
                .collect(),
            empty_capture: empty_capture(rules),
            ends_with_other_row: ends_with_other_row(rules),
        }
    }

    /// What sowing the house in this byte with so many seeds does.
    pub(crate) fn get(&self, byte: usize, seeds: usize) -> SowingDelta {
        self.by_house[byte][seeds]
    }

    /// The row after sowing the house in this byte, a capture not yet made; `None` if it is empty.
    #[inline]
    pub(crate) fn sow(&self, row: RowBytes, byte: usize) -> Option<(RowBytes, SowingDelta)> {
        let seeds = seeds_in(row, byte);
        if seeds == 0 {
            return None;
        }
        let sowing = self.get(byte, seeds);
        Some((
            row - ((seeds as RowBytes) << (8 * byte)) + sowing.own_delta,
            sowing,
        ))
    }

    /// All sowings of a row that stay in it and bank nothing: the byte of the house sown, that of the
    /// last seed's, and the row afterwards.
    pub(crate) fn internal_sowings(
        &self,
        row: RowBytes,
    ) -> impl Iterator<Item = (usize, usize, RowBytes)> {
        (0..self.houses).filter_map(move |byte| {
            let (after, sowing) = self.sow(row, byte)?;
            match sowing.last {
                LastPit::Own(last) if sowing.banked == 0 => Some((byte, last, after)),
                LastPit::Own(_) | LastPit::Other | LastPit::Store => None,
            }
        })
    }

    /// A row into which `crossing` seeds have fallen from the other side.
    #[inline]
    pub(crate) fn add_crossing(&self, row: RowBytes, crossing: usize) -> RowBytes {
        row + self.crossing_rows[crossing]
    }

    /// How often seeds went all along the other row, if `crossing` fell into it and the last did not.
    pub(crate) fn laps(&self, crossing: usize) -> usize {
        crossing / self.houses
    }

    /// How often seeds can go all along the other row and beyond when a house with `seeds` is sown: the
    /// house next to the store sees most of it.
    pub(crate) fn max_laps(&self, seeds: usize) -> usize {
        (seeds + self.houses - 1) / (2 * self.houses + 1)
    }
}

/// So many seeds, one a house from house 1 on, in each lap again.
fn crossing_row(houses: usize, crossing: usize) -> RowBytes {
    let seeds = (0..crossing).map(|seed| 1 << (8 * (houses - 1 - seed % houses)));
    seeds.sum()
}

/// Asks the game's own board.
fn simulate_sowing(houses: usize, byte: usize, seeds: usize) -> SowingDelta {
    let count = u32::try_from(houses).expect(SMALL_BOARD);
    let number = |byte: usize| count - u32::try_from(byte).expect(SMALL_BOARD);
    let narrow = |seeds: u64| usize::try_from(seeds).expect(SMALL_BOARD);
    let side = Side::South;
    let mut board = Board::new(count, 0).expect(SMALL_BOARD);
    board
        .set_house(side, number(byte), seeds as u64)
        .expect(SMALL_BOARD);
    let last = match board.sow(side, number(byte)) {
        Some(Pit::House(owner, last)) if owner == side => LastPit::Own((count - last) as usize),
        Some(Pit::House(..)) => LastPit::Other,
        Some(Pit::Store(_)) | None => LastPit::Store,
    };
    let in_byte = |byte| board.in_house(side, number(byte)) << (8 * byte);
    SowingDelta {
        own_delta: (0..houses).map(in_byte).sum(),
        crossing: narrow(board.in_row(side.opponent())),
        banked: narrow(board.store(side)),
        last,
    }
}

/// Asks the rules whether a last seed alone opposite an empty house is captured.
fn empty_capture(rules: Rules) -> bool {
    let mut board = Board::new(1, 0).expect(SMALL_BOARD);
    board.set_house(Side::South, 1, 1).expect(SMALL_BOARD);
    let last = Pit::House(Side::South, 1);
    let meaning = rules.sow_effect(&board, Side::South, last, FirstPlies::Later);
    matches!(meaning, SowEffect::Capture(_))
}

/// Asks the rules whether the game is over when the side to move has seeds and the other has none.
fn ends_with_other_row(rules: Rules) -> bool {
    let mut board = Board::new(1, 0).expect(SMALL_BOARD);
    board.set_house(Side::South, 1, 1).expect(SMALL_BOARD);
    rules.is_over(&board, Side::South)
}
