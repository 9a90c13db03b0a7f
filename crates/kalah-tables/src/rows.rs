use crate::lanes::RankPairs;
use crate::moves::{RankMap, RankMapBuilder, TurnChange};
use crate::row_index::{RowBytes, RowIndex};
use crate::sowings::{LastPit, SowingDelta, SowingLookup, seeds_in};

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
