//! The sowings of single rows: what they add to both rows, and rank maps of their results.

use kalah::{Board, HouseRules, Pit, PitCounts as _, Side, SowEffect, Variant};

use crate::generate::lanes::RankPairs;
use crate::generate::rank_map::{RankMap, RankMapBuilder, TurnChange};
use crate::index::{RowBytes, RowIndex, seeds_in};

/// The effect of sowing a house with a given number of seeds, independent of all other houses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SowingDelta {
    /// The seeds that each house of the sower's row gains after the sown house is emptied.
    own_delta: RowBytes,
    /// The seeds that fall into the other row, one a house from its house 1 on, again in each lap.
    pub(crate) crossing: usize,
    /// The seeds banked.
    pub(crate) banked: usize,
    /// The pit into which the last seed falls.
    pub(crate) last: LastPit,
}

/// The pit into which a last seed falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastPit {
    /// The store of the sower.
    Store,
    /// The sower's house in this byte.
    Own(usize),
    /// A house of the other side.
    Other,
}

/// All sowings of single houses of a board, and the rules that matter to a table.
pub(crate) struct SowingLookup {
    houses: usize,
    /// By the byte of the house, then by its seeds.
    by_house: Vec<Vec<SowingDelta>>,
    /// By the seeds that cross over: the seeds that each house of the other row gains.
    crossing_rows: Vec<RowBytes>,
    /// Whether a last seed in an empty own house captures although the opposite house is empty.
    pub(crate) empty_capture: bool,
    /// Whether the game is over when only the row of the side not to move is empty.
    pub(crate) ends_with_other_row: bool,
}

const SMALL_BOARD: &str = "a board of a table is small";

impl SowingLookup {
    /// Returns the sowings of houses with at most `max_seeds` seeds.
    pub(crate) fn new(variant: Variant, max_seeds: usize) -> Self {
        let rules = variant.house_rules();
        // `ends_with_other_row` and `empty_capture` are all that the rows need to know of the two.
        let HouseRules {
            ends: _,
            capture: _,
        } = rules;
        let houses = usize::from(variant.houses());
        let by_house = (0..houses).map(|byte| {
            let seeds = 0..=max_seeds;
            seeds
                .map(|seeds| simulate_sowing(houses, byte, seeds))
                .collect()
        });
        Self {
            houses,
            by_house: by_house.collect(),
            crossing_rows: (0..=max_seeds)
                .map(|crossing| crossing_row(houses, crossing))
                .collect(),
            empty_capture: empty_capture(rules),
            ends_with_other_row: ends_with_other_row(rules),
        }
    }

    /// Returns the effect of sowing the house in byte `byte` with `seeds` seeds.
    fn get(&self, byte: usize, seeds: usize) -> SowingDelta {
        self.by_house[byte][seeds]
    }

    /// Returns the row after sowing the house in byte `byte`, before any capture, and the effect;
    /// `None` if the house is empty.
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

    /// Returns all sowings of a row that stay in it and bank nothing: the byte of the sown house,
    /// the byte of the last seed's house, and the row afterwards, before any capture.
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

    /// Returns a row after `crossing` seeds of the other side have fallen into it.
    #[inline]
    pub(crate) fn add_crossing(&self, row: RowBytes, crossing: usize) -> RowBytes {
        row + self.crossing_rows[crossing]
    }

    /// Returns how many times a sowing fills the whole other row, if `crossing` seeds fall into
    /// that row and the last seed does not.
    pub(crate) fn laps(&self, crossing: usize) -> usize {
        crossing / self.houses
    }

    /// Returns how many times the sowing of a house with `seeds` seeds can fill the other row and
    /// go beyond it. The maximum belongs to the house next to the store.
    pub(crate) fn max_laps(&self, seeds: usize) -> usize {
        (seeds + self.houses - 1) / (2 * self.houses + 1)
    }
}

/// Returns the row that `crossing` seeds form in empty houses: one a house from house 1 on, again
/// in each lap.
fn crossing_row(houses: usize, crossing: usize) -> RowBytes {
    let seeds = (0..crossing).map(|seed| 1 << (8 * (houses - 1 - seed % houses)));
    seeds.sum()
}

/// Computes a sowing on the board of the game, so that the rule stands in one place.
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

/// Returns whether the rules capture a last seed in an empty own house opposite an empty house.
fn empty_capture(rules: HouseRules) -> bool {
    let mut board = Board::new(1, 0).expect(SMALL_BOARD);
    board.set_house(Side::South, 1, 1).expect(SMALL_BOARD);
    let last = Pit::House(Side::South, 1);
    let effect = rules.sow_effect(&board, Side::South, last);
    matches!(effect, SowEffect::Capture { .. })
}

/// Returns whether the rules end the game when only the row of the side not to move is empty.
fn ends_with_other_row(rules: HouseRules) -> bool {
    let mut board = Board::new(1, 0).expect(SMALL_BOARD);
    board.set_house(Side::South, 1, 1).expect(SMALL_BOARD);
    rules.is_over(&board, Side::South)
}

/// All rows with a given number of seeds and their transitions: by their own sowings as the row to
/// move, and by crossing seeds and captures as the other row.
pub(crate) struct RowTransitions {
    /// By rank.
    pub(crate) rows: Vec<RowBytes>,
    /// Ranks by level: the largest number of internal sowings one after the other.
    pub(crate) by_level: Vec<Vec<usize>>,
    /// As the row to move: the groups of its sowings.
    pub(crate) sowings: Vec<SowingGroup>,
    /// As the other row: by the seeds that have crossed over, the row afterwards.
    pub(crate) after_crossing: Vec<RankMap>,
    /// As the other row: by laps made, by the byte of the captured house, by the seeds captured,
    /// the row after the laps and the capture.
    after_capture: Vec<Vec<Vec<RankMap>>>,
}

/// Sowings of rows that have the same effect on everything but their own row.
pub(crate) struct SowingGroup {
    /// The seeds that cross over.
    pub(crate) crossing: usize,
    /// The seeds banked, without a capture.
    pub(crate) banked: usize,
    /// The effect of the last seed.
    pub(crate) end: SowingEnd,
    /// The ranks of the row before and after.
    pub(crate) pairs: RankPairs,
    /// The seeds of the row afterwards.
    pub(crate) seeds_after: usize,
    /// The tiles of the ranks afterwards: see [`RankPairs::source_tiles`].
    pub(crate) source_tiles: Vec<usize>,
}

/// The effect of the last seed of a sowing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SowingEnd {
    /// The turn passes.
    Passes,
    /// A bonus turn.
    Bonus,
    /// A capture, if the opposite house, in this byte, allows it. The last seed leaves the row.
    Capture(usize),
    /// No capture, because the opposite house, in this byte, does not allow it.
    NoCapture(usize),
}

impl SowingGroup {
    /// Returns an empty group for sowings of rows with `seeds` seeds.
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

    /// Returns whether both groups have the same effect.
    fn has_same_effect(&self, other: &Self) -> bool {
        let effect = |group: &Self| (group.crossing, group.banked, group.end);
        effect(self) == effect(other)
    }

    /// Returns whether the sowings lead to a lower layer.
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

    /// Returns the number of own seeds that a capture takes.
    pub(crate) fn captured_own_seeds(self) -> usize {
        match self {
            Self::Capture(_) => 1,
            Self::Passes | Self::Bonus | Self::NoCapture(_) => 0,
        }
    }
}

impl RowTransitions {
    /// Returns the transitions of all rows with exactly `seeds` seeds. The other row has at most
    /// `max_other` seeds while it is to move.
    pub(crate) fn new(
        index: RowIndex,
        sowings: &SowingLookup,
        seeds: usize,
        max_other: usize,
    ) -> Self {
        let rows = index.all_rows(seeds);
        let after_crossing = (0..max_other.max(1))
            .map(|crossing| {
                let mut map = RankMapBuilder::default();
                for (rank, row, len) in row_runs(&rows) {
                    let crossed = sowings.add_crossing(row, crossing);
                    map.push(rank, index.rank(crossed).1, len);
                }
                map.finish()
            })
            .collect();
        let after_capture = (0..=sowings.max_laps(max_other))
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

    /// As the other row: returns, by the seeds captured, the row after `crossing` seeds have
    /// crossed over and the house in byte `byte` was captured.
    pub(crate) fn after_capture(
        &self,
        sowings: &SowingLookup,
        crossing: usize,
        byte: usize,
    ) -> &[RankMap] {
        &self.after_capture[sowings.laps(crossing)][byte]
    }
}

/// Returns the ranks of all rows by level.
fn ranks_by_level(index: RowIndex, sowings: &SowingLookup, all: &[RowBytes]) -> Vec<Vec<usize>> {
    let mut levels = vec![0; all.len()];
    let mut by_level: Vec<Vec<usize>> = Vec::new();
    // An internal sowing moves seeds towards the store, which makes the rank greater: in reverse
    // order the levels of the rows afterwards are known.
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

/// Returns runs of rows that differ only in the two houses next to the store, as the rank of the
/// first row, the first row (whose last house is empty), and the number of rows.
///
/// The ranks in a run are consecutive, and remain so when all rows are changed in the same way.
fn row_runs(all: &[RowBytes]) -> impl Iterator<Item = (usize, RowBytes, usize)> {
    let mut next_rank = 0;
    std::iter::from_fn(move || {
        let rank = next_rank;
        let row = *all.get(rank)?;
        let len = seeds_in(row, 1) + 1;
        next_rank += len;
        Some((rank, row, len))
    })
}

/// The bytes of the houses in which the rows of a run differ.
const ROW_RUN_BYTES: std::ops::Range<usize> = 0..2;

/// Returns, by the seeds captured, the maps from each row to the row after `laps` laps of crossing
/// seeds and the capture of the house in byte `byte`.
fn capture_maps(
    index: RowIndex,
    sowings: &SowingLookup,
    all: &[RowBytes],
    laps: usize,
    byte: usize,
) -> Vec<RankMap> {
    let mut maps: Vec<RankMapBuilder> = Vec::new();
    let mut push = |rank, row, len| {
        let row = sowings.add_crossing(row, laps * index.houses());
        let captured = seeds_in(row, byte);
        if maps.len() <= captured {
            maps.resize_with(captured + 1, RankMapBuilder::default);
        }
        let emptied = row - ((captured as RowBytes) << (8 * byte));
        maps[captured].push(rank, index.rank(emptied).1, len);
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
    maps.into_iter().map(RankMapBuilder::finish).collect()
}

/// Groups all sowings of rows with `seeds` seeds by their effect.
fn sowing_groups(
    index: RowIndex,
    sowings: &SowingLookup,
    seeds: usize,
    all: &[RowBytes],
) -> Vec<SowingGroup> {
    /// Ends that one house with a given number of seeds can have: the turn passes or stays, the
    /// last seed captures, or it would if the opposite house allowed it.
    const ENDS: usize = 3;

    let mut groups: Vec<SowingGroup> = Vec::new();
    for byte in (0..index.houses()).rev() {
        // By the seeds sown and by end: the index of the group, once it exists.
        let mut by_seeds = vec![[None; ENDS]; seeds + 1];
        for (rank, &row) in all.iter().enumerate() {
            let Some((after, sowing)) = sowings.sow(row, byte) else {
                continue;
            };
            let by_end = &mut by_seeds[seeds_in(row, byte)];
            let mut add = |end_index: usize, end, after| {
                let group = *by_end[end_index].get_or_insert_with(|| {
                    let new = SowingGroup::new(seeds, sowing, end);
                    let same = groups.iter().position(|group| group.has_same_effect(&new));
                    same.unwrap_or_else(|| {
                        groups.push(new);
                        groups.len() - 1
                    })
                });
                groups[group].pairs.push(rank, index.rank(after).1);
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
    for group in &mut groups {
        group.source_tiles = group.pairs.source_tiles(index.row_count(group.seeds_after));
    }
    groups
}
