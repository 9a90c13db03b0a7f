//! The order of a table: the rank of a row among the rows with equally many seeds, and the index of
//! a position's value.

use std::ops::Range;

use kalah::Variant;

/// The largest number of houses a side that a table supports.
pub(crate) const MAX_HOUSES: u8 = 8;

/// The largest number of seeds in the houses of a position in a table. It keeps gains within a
/// byte.
pub(crate) const MAX_SEEDS: u8 = 63;

/// [`MAX_SEEDS`] as a `usize`.
const MAX_SEEDS_USIZE: usize = MAX_SEEDS as usize;

/// The seeds of a row, one byte a house: house m, next to the store, in byte 0 (the lowest), house
/// 1 in byte m-1.
///
/// In this order one multiplication yields, for each house, the sum of its seeds and those of all
/// houses nearer to the store.
pub(crate) type RowBytes = u64;

/// Returns the seeds of the house in byte `byte` of `row`.
#[inline]
pub(crate) fn seeds_in(row: RowBytes, byte: usize) -> usize {
    row.to_le_bytes()[byte].into()
}

/// A 1 in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// `BINOMIALS[j][p]` is the binomial coefficient C(p + j, j + 1): the number of ways to put at most
/// p-1 seeds into j+1 houses, or exactly p-1 seeds into j+2 houses. For p beyond [`MAX_SEEDS`]` +
/// 1` it is 0, so that any byte is a valid index.
const BINOMIALS: [[u32; 1 << u8::BITS]; MAX_HOUSES as usize - 1] = {
    let mut terms = [[0; 1 << u8::BITS]; MAX_HOUSES as usize - 1];
    let mut j = 0;
    while j < terms.len() {
        let mut p = 1;
        while p < MAX_SEEDS_USIZE + 2 {
            let less = if j == 0 { 1 } else { terms[j - 1][p] };
            terms[j][p] = terms[j][p - 1] + less;
            p += 1;
        }
        j += 1;
    }
    terms
};

/// Returns the sum of the binomials of the `HOUSES` houses next to the store. Each byte of `sums`
/// holds the seeds of a house and of all houses nearer to the store.
#[inline]
fn sum_binomials<const HOUSES: usize>(sums: u64) -> usize {
    let sums = sums.to_le_bytes();
    let term = |j: usize| BINOMIALS[j][usize::from(sums[j])];
    (0..HOUSES).map(term).sum::<u32>() as usize
}

/// Ranks of the rows of a board with a number of houses a side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowIndex {
    houses: usize,
}

impl RowIndex {
    pub(crate) fn new(houses: usize) -> Self {
        assert!((1..=MAX_HOUSES.into()).contains(&houses));
        Self { houses }
    }

    pub(crate) fn houses(self) -> usize {
        self.houses
    }

    /// Returns the number of rows with exactly `seeds` seeds.
    pub(crate) fn row_count(self, seeds: usize) -> usize {
        if self.houses == 1 {
            1
        } else {
            BINOMIALS[self.houses - 2][seeds + 1] as usize
        }
    }

    /// Returns the seeds in a row, and the rank of the row, from 0, among all rows with as many
    /// seeds. The result is meaningless for a row with more than [`MAX_SEEDS`] seeds.
    ///
    /// Rows are ordered by the seeds in houses 2 to m; among equals, by those in houses 3 to m, and
    /// so on. Let p(k) be the seeds in the k houses next to the store. For each k from 1 to m-1,
    /// C(p(k) + k - 1, k) rows come earlier because they have fewer seeds in these k houses while
    /// all sums over more than k houses agree. The rank is the sum of these numbers. It does not
    /// depend on the seeds in house 1.
    #[inline]
    pub(crate) fn rank(self, row: RowBytes) -> (usize, usize) {
        let sums = row.wrapping_mul(ONES);
        let rank = match self.houses {
            2 => sum_binomials::<1>(sums),
            3 => sum_binomials::<2>(sums),
            4 => sum_binomials::<3>(sums),
            5 => sum_binomials::<4>(sums),
            6 => sum_binomials::<5>(sums),
            7 => sum_binomials::<6>(sums),
            8 => sum_binomials::<7>(sums),
            _ => 0,
        };
        (usize::from(sums.to_le_bytes()[self.houses - 1]), rank)
    }

    /// Returns the row with `seeds` seeds and rank `rank`, the inverse of [`rank`](Self::rank). The
    /// result is meaningless if there is no such row.
    pub(crate) fn unrank(self, seeds: usize, rank: usize) -> RowBytes {
        let mut rest = rank;
        // p(k + 1) while p(k) is sought, in the terms of `rank`.
        let mut total = seeds.min(MAX_SEEDS_USIZE);
        let mut row = 0;
        for (byte, terms) in BINOMIALS[..self.houses - 1].iter().enumerate().rev() {
            let fits = terms[..=total].partition_point(|&term| term as usize <= rest);
            let sum = fits.saturating_sub(1);
            rest -= terms[sum] as usize;
            row |= ((total - sum) as RowBytes) << (8 * (byte + 1));
            total = sum;
        }
        row | total as RowBytes
    }

    /// Returns all rows with exactly `seeds` seeds, by rank.
    ///
    /// # Panics
    /// If `seeds` does not fit a byte.
    pub(crate) fn all_rows(self, seeds: usize) -> Vec<RowBytes> {
        let mut rows = Vec::with_capacity(self.row_count(seeds));
        // sums[j]: the seeds of the j+1 houses next to the store.
        let mut sums = [0_u8; MAX_HOUSES as usize];
        sums[self.houses - 1] = u8::try_from(seeds).expect("seeds of a table fit a byte");
        loop {
            let mut row = 0;
            let mut before = 0;
            for (j, &sum) in sums[..self.houses].iter().enumerate() {
                row |= u64::from(sum - before) << (8 * j);
                before = sum;
            }
            rows.push(row);
            let Some(j) = (0..self.houses - 1).find(|&j| sums[j] < sums[j + 1]) else {
                return rows;
            };
            sums[j] += 1;
            sums[..j].fill(0);
        }
    }
}

/// The order of the values of a table.
///
/// Positions are ordered by the seeds in all houses (a *layer*), then by the seeds of the *lesser*
/// row, the one that has fewer (a *block*). A block holds all positions with the lesser row to
/// move, then, if both rows differ in seeds, all positions with the *greater* row to move. Within
/// each of these parts positions are ordered by the rank of the lesser row, then by that of the
/// greater row.
#[derive(Clone, Debug)]
pub(crate) struct TableLayout {
    row_index: RowIndex,
    seeds: usize,
    /// By the seeds of the mover's row and of the other row.
    blocks: Vec<BlockLayout>,
}

/// The block of the values of all positions with given numbers of seeds in the mover's row and in
/// the other row.
#[derive(Clone, Copy, Debug, Default)]
struct BlockLayout {
    /// The index of the value for rank 0 of both rows.
    start: usize,
    /// The distance from one rank of the mover's row to the next.
    mover_stride: usize,
    /// The distance from one rank of the other row to the next.
    other_stride: usize,
}

/// The place of the values of one row against all rows of the other side, by the latter's rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StridedRun {
    /// The index of the first value.
    pub(crate) start: usize,
    /// The distance from one value to the next.
    pub(crate) stride: usize,
}

/// Which side is to move, relative to a given row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mover {
    /// The side of the row.
    Row,
    /// The other side.
    Other,
}

impl TableLayout {
    /// Returns the layout of a table of `variant` with at most `seeds` seeds.
    pub(crate) fn for_table(variant: Variant, seeds: u8) -> Self {
        Self::new(RowIndex::new(variant.houses().into()), seeds.into())
    }

    pub(crate) fn new(row_index: RowIndex, seeds: usize) -> Self {
        assert!(seeds <= MAX_SEEDS.into());
        let mut blocks = vec![BlockLayout::default(); (seeds + 1) * (seeds + 1)];
        let mut start = 0;
        for total in 0..=seeds {
            for lesser in 0..=total / 2 {
                let greater = total - lesser;
                let (lesser_rows, greater_rows) =
                    (row_index.row_count(lesser), row_index.row_count(greater));
                blocks[lesser * (seeds + 1) + greater] = BlockLayout {
                    start,
                    mover_stride: greater_rows,
                    other_stride: 1,
                };
                start += lesser_rows * greater_rows;
                if lesser < greater {
                    blocks[greater * (seeds + 1) + lesser] = BlockLayout {
                        start,
                        mover_stride: 1,
                        other_stride: greater_rows,
                    };
                    start += lesser_rows * greater_rows;
                }
            }
        }
        Self {
            row_index,
            seeds,
            blocks,
        }
    }

    pub(crate) fn row_index(&self) -> RowIndex {
        self.row_index
    }

    pub(crate) fn seeds(&self) -> usize {
        self.seeds
    }

    #[inline]
    fn block(&self, mover: usize, other: usize) -> BlockLayout {
        self.blocks[mover * (self.seeds + 1) + other]
    }

    /// Returns the place of the values of one row, given by seeds and rank, against all rows with
    /// `other` seeds.
    pub(crate) fn run(&self, mover: Mover, seeds: usize, rank: usize, other: usize) -> StridedRun {
        let (block, step, stride) = match mover {
            Mover::Row => {
                let block = self.block(seeds, other);
                (block, block.mover_stride, block.other_stride)
            }
            Mover::Other => {
                let block = self.block(other, seeds);
                (block, block.other_stride, block.mover_stride)
            }
        };
        StridedRun {
            start: block.start + rank * step,
            stride,
        }
    }

    /// Returns the indices of the values of all positions with `seeds` seeds.
    pub(crate) fn layer_range(&self, seeds: usize) -> Range<usize> {
        let start = self.block(0, seeds).start;
        let positions = |row| self.row_index.row_count(row) * self.row_index.row_count(seeds - row);
        start..start + (0..=seeds).map(positions).sum::<usize>()
    }

    /// Returns seeds and rank of the mover's row and of the other row for the value at `index`, the
    /// inverse of [`index_of`](Self::index_of); `None` beyond the last value.
    pub(crate) fn rows_at(&self, index: usize) -> Option<[(usize, usize); 2]> {
        for total in 0..=self.seeds {
            for mover in 0..=total {
                let other = total - mover;
                let block = self.block(mover, other);
                let len = self.row_index.row_count(mover) * self.row_index.row_count(other);
                let Some(offset) = index
                    .checked_sub(block.start)
                    .filter(|&offset| offset < len)
                else {
                    continue;
                };
                let stride = block.mover_stride.max(block.other_stride);
                let (lesser, greater) = (offset / stride, offset % stride);
                let ranks = if block.other_stride == 1 {
                    [lesser, greater]
                } else {
                    [greater, lesser]
                };
                return Some([(mover, ranks[0]), (other, ranks[1])]);
            }
        }
        None
    }

    /// Returns the index of the value of a position, and the seeds in its houses; `None` if it has
    /// more seeds than the table.
    #[inline]
    pub(crate) fn index_of(&self, mover: RowBytes, other: RowBytes) -> Option<(usize, u8)> {
        let (mover_seeds, mover_rank) = self.row_index.rank(mover);
        let (other_seeds, other_rank) = self.row_index.rank(other);
        let seeds = mover_seeds + other_seeds;
        if seeds > self.seeds {
            return None;
        }
        let block = self.block(mover_seeds, other_seeds);
        let index = block.start + mover_rank * block.mover_stride + other_rank * block.other_stride;
        #[expect(clippy::cast_possible_truncation, reason = "at most `MAX_SEEDS`")]
        let seeds = seeds as u8;
        Some((index, seeds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_listed_in_the_order_of_their_ranks() {
        for houses in 1..=MAX_HOUSES.into() {
            let index = RowIndex::new(houses);
            for seeds in 0..=12 {
                let rows = index.all_rows(seeds);
                assert_eq!(rows.len(), index.row_count(seeds));
                for (rank, &row) in rows.iter().enumerate() {
                    assert_eq!(index.rank(row), (seeds, rank), "{row:#x}");
                    assert_eq!(index.unrank(seeds, rank), row);
                }
            }
        }
    }

    #[test]
    fn rows_at_is_the_inverse_of_index_of() {
        for (houses, seeds) in [(1, 12), (2, 7), (4, 5)] {
            let index = RowIndex::new(houses);
            let layout = TableLayout::new(index, seeds);
            let mut at = 0;
            while let Some([mover, other]) = layout.rows_at(at) {
                let [mover, other] = [mover, other].map(|(seeds, rank)| index.unrank(seeds, rank));
                assert_eq!(
                    layout.index_of(mover, other).map(|(index, _)| index),
                    Some(at)
                );
                at += 1;
            }
            assert_eq!(at, layout.layer_range(seeds).end);
        }
    }
}
