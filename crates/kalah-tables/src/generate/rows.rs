use kalah::{Board, BoardSowEffect, IsFirstPly, Pit, PitCounts as _, Rules, Side};

use crate::generate::lanes::RankPairs;
use crate::generate::rank_map::{RankMap, RankMapBuilder, TurnChange};
use crate::index::{RowBytes, RowIndex, seeds_in};

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
    let meaning = rules.sow_effect(&board, Side::South, last, IsFirstPly::No);
    matches!(meaning, BoardSowEffect::Capture { .. })
}

/// Asks the rules whether the game is over when the side to move has seeds and the other has none.
fn ends_with_other_row(rules: Rules) -> bool {
    let mut board = Board::new(1, 0).expect(SMALL_BOARD);
    board.set_house(Side::South, 1, 1).expect(SMALL_BOARD);
    rules.is_over(&board, Side::South)
}

/// All rows with a number of seeds, and what becomes of them: by what they are sown to as the row
/// to move, and by what falls into them or is captured from them as the other.
pub(crate) struct RowTransitions {
    /// By rank.
    pub(crate) rows: Vec<RowBytes>,
    /// Ranks by level: how many sowings, one after the other, can stay in the row.
    pub(crate) by_level: Vec<Vec<usize>>,
    /// As the row to move.
    pub(crate) sowings: Vec<SowingGroup>,
    /// As the other row: the row after so many seeds have crossed over.
    pub(crate) after_crossing: Vec<RankMap>,
    /// As the other row: by laps made, by the byte of the house captured, by the seeds in it. The
    /// row after the laps and the capture.
    after_capture: Vec<Vec<Vec<RankMap>>>,
}

/// Sowings of a row that have the same effect on everything else.
pub(crate) struct SowingGroup {
    /// Seeds that cross over.
    pub(crate) crossing: usize,
    /// Seeds banked on the way.
    pub(crate) banked: usize,
    /// What the last seed brings about.
    pub(crate) end: SowingEnd,
    /// The row afterwards.
    pub(crate) pairs: RankPairs,
    /// Its seeds then.
    pub(crate) seeds_after: usize,
    /// Where it is found: see [`RankPairs::squares`].
    pub(crate) source_tiles: Vec<usize>,
}

/// What the last seed of a sowing brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SowingEnd {
    /// The turn passes.
    Passes,
    /// A bonus turn.
    Bonus,
    /// Where the opposite house, in this byte, allows it: its capture. The last seed is gone.
    Capture(usize),
    /// Where the opposite house, in this byte, does not allow it: nothing.
    NoCapture(usize),
}

impl SowingGroup {
    /// No sowings yet, of a row with so many seeds.
    fn new(seeds: usize, sowing: SowingDelta, end: SowingEnd) -> Self {
        let SowingDelta {
            crossing, banked, ..
        } = sowing;
        Self {
            crossing,
            banked,
            end,
            seeds_after: seeds - crossing - banked - end.captured_own_seeds(),
            pairs: RankPairs::default(),
            source_tiles: Vec::new(),
        }
    }

    /// Whether the effect is the same.
    fn has_same_effect(&self, other: &Self) -> bool {
        let effect = |sown: &Self| (sown.crossing, sown.banked, sown.end);
        effect(self) == effect(other)
    }

    /// Whether it leads to a position with fewer seeds in the houses.
    pub(crate) fn exits_layer(&self) -> bool {
        self.banked > 0 || self.end.captured_own_seeds() > 0
    }
}

impl SowingEnd {
    pub(crate) fn turn(self) -> TurnChange {
        match self {
            Self::Bonus => TurnChange::Stays,
            Self::Passes | Self::Capture(_) | Self::NoCapture(_) => TurnChange::Passes,
        }
    }

    /// Seeds of the own row that are captured.
    pub(crate) fn captured_own_seeds(self) -> usize {
        match self {
            Self::Capture(_) => 1,
            Self::Passes | Self::Bonus | Self::NoCapture(_) => 0,
        }
    }
}

impl RowTransitions {
    /// The rows with exactly `seeds`, for tables in which the other row has `most_other` at the most
    /// while it is to move.
    pub(crate) fn new(
        index: RowIndex,
        sowings: &SowingLookup,
        seeds: usize,
        most_other: usize,
    ) -> Self {
        let rows = index.all_rows(seeds);
        let after_crossing = (0..most_other.max(1))
            .map(|crossing| {
                let mut moves = RankMapBuilder::default();
                for (rank, row, len) in row_runs(&rows) {
                    let crossed = sowings.add_crossing(row, crossing);
                    moves.push(rank, index.rank(crossed).1, len);
                }
                moves.finish()
            })
            .collect();
        let after_capture = (0..=sowings.max_laps(most_other))
            .map(|laps| {
                let houses = 0..index.houses();
                houses
                    .map(|byte| capture_maps(index, sowings, &rows, laps, byte))
                    .collect()
            })
            .collect();
        Self {
            sowings: sowing_groups(index, sowings, seeds, &rows),
            by_level: ranks_by_level(index, sowings, &rows),
            rows,
            after_crossing,
            after_capture,
        }
    }

    /// As the other row: what becomes of it when so many seeds have crossed over and the house in
    /// this byte is captured, by the seeds that it holds then.
    pub(crate) fn after_capture(
        &self,
        sowings: &SowingLookup,
        crossing: usize,
        byte: usize,
    ) -> &[RankMap] {
        &self.after_capture[sowings.laps(crossing)][byte]
    }
}

/// Ranks of all rows by level.
fn ranks_by_level(index: RowIndex, sowings: &SowingLookup, all: &[RowBytes]) -> Vec<Vec<usize>> {
    let mut levels = vec![0; all.len()];
    let mut by_level: Vec<Vec<usize>> = Vec::new();
    // A sowing brings seeds nearer to the store, which makes the rank greater.
    for (rank, &row) in all.iter().enumerate().rev() {
        let after = sowings
            .internal_sowings(row)
            .map(|(.., after)| levels[index.rank(after).1] + 1);
        let level = after.max().unwrap_or(0);
        levels[rank] = level;
        if by_level.len() <= level {
            by_level.resize(level + 1, Vec::new());
        }
        by_level[level].push(rank);
    }
    by_level
}

/// Rows that differ only in the two houses next to the store follow each other, and still do when all have been
/// changed in the same way: the first of them, in which the last house is empty, its rank, and how many
/// there are.
fn row_runs(all: &[RowBytes]) -> impl Iterator<Item = (usize, RowBytes, usize)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let rank = rest;
        let row = *all.get(rank)?;
        let len = seeds_in(row, 1) + 1;
        rest += len;
        Some((rank, row, len))
    })
}

/// Bytes of the houses in which the rows of a streak differ.
const ROW_RUN_BYTES: std::ops::Range<usize> = 0..2;

/// By the seeds captured.
fn capture_maps(
    index: RowIndex,
    sowings: &SowingLookup,
    all: &[RowBytes],
    laps: usize,
    byte: usize,
) -> Vec<RankMap> {
    let mut moves: Vec<RankMapBuilder> = Vec::new();
    let mut push = |rank, row, len| {
        let row = sowings.add_crossing(row, laps * index.houses());
        let taken = seeds_in(row, byte);
        if moves.len() <= taken {
            moves.resize_with(taken + 1, RankMapBuilder::default);
        }
        let emptied = row - ((taken as RowBytes) << (8 * byte));
        moves[taken].push(rank, index.rank(emptied).1, len);
    };
    if ROW_RUN_BYTES.contains(&byte) {
        for (rank, &row) in all.iter().enumerate() {
            push(rank, row, 1);
        }
    } else {
        for (rank, row, len) in row_runs(all) {
            push(rank, row, len);
        }
    }
    moves.into_iter().map(RankMapBuilder::finish).collect()
}

/// All sowings of rows with so many seeds.
fn sowing_groups(
    index: RowIndex,
    sowings: &SowingLookup,
    seeds: usize,
    all: &[RowBytes],
) -> Vec<SowingGroup> {
    let mut kinds: Vec<SowingGroup> = Vec::new();
    for byte in (0..index.houses()).rev() {
        // By the seeds sown, the kinds that came up: of what passes or is a bonus turn, captures or does not.
        let mut known = vec![[None; 3]; seeds + 1];
        for (rank, &row) in all.iter().enumerate() {
            let Some((after, sowing)) = sowings.sow(row, byte) else {
                continue;
            };
            let known = &mut known[seeds_in(row, byte)];
            let mut add = |which: usize, end, after| {
                let kind = *known[which].get_or_insert_with(|| {
                    let like = SowingGroup::new(seeds, sowing, end);
                    let same = kinds.iter().position(|kind| kind.has_same_effect(&like));
                    same.unwrap_or_else(|| {
                        kinds.push(like);
                        kinds.len() - 1
                    })
                });
                kinds[kind].pairs.push(rank, index.rank(after).1);
            };
            match sowing.last {
                LastPit::Store => add(0, SowingEnd::Bonus, after),
                LastPit::Own(last) if seeds_in(after, last) == 1 => {
                    let opposite = index.houses() - 1 - last;
                    add(1, SowingEnd::Capture(opposite), after - (1 << (8 * last)));
                    add(2, SowingEnd::NoCapture(opposite), after);
                }
                LastPit::Own(_) | LastPit::Other => add(0, SowingEnd::Passes, after),
            }
        }
    }
    for kind in &mut kinds {
        kind.source_tiles = kind.pairs.source_tiles(index.row_count(kind.seeds_after));
    }
    kinds
}
