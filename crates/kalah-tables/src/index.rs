//! The number of a row among all rows with as many seeds.

use std::ops::Range;

/// Houses a side of the largest board that tables are made for.
pub(crate) const MAX_HOUSES: u8 = 7;

/// Seeds in the houses of the fullest position that a table can hold: gains fit a byte.
pub(crate) const MAX_SEEDS: u8 = 63;

/// The same, to count with.
const MAX_SEEDS_USIZE: usize = MAX_SEEDS as usize;

/// One byte a house: house m, next to the store, in the lowest byte, and house 1 in byte m-1.
///
/// In this order one multiplication adds up the seeds of every house and those nearer to the store.
pub(crate) type RowBytes = u64;

/// Seeds of the house in this byte of a row.
#[inline]
pub(crate) fn seeds_in(row: RowBytes, byte: usize) -> usize {
    row.to_le_bytes()[byte].into()
}

/// A one in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// `BINOMIALS[j][p]` is the binomial coefficient "p + j over j + 1": in how many ways up to p - 1 seeds, or
/// exactly that many with a house more, lie in j + 1 houses. Of more seeds than a table has it is 0, so
/// that any byte will do for p.
const BINOMIALS: [[u32; 1 << u8::BITS]; MAX_HOUSES as usize] = {
    let mut terms = [[0; 1 << u8::BITS]; MAX_HOUSES as usize];
    let mut j = 0;
    while j < MAX_HOUSES as usize {
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

/// The sum of the terms of the `HOUSES` houses next to the store: `sums` has in each byte the seeds of a house
/// and of those nearer.
#[inline]
fn sum_binomials<const HOUSES: usize>(sums: u64) -> usize {
    let sums = sums.to_le_bytes();
    let term = |j: usize| BINOMIALS[j][usize::from(sums[j])];
    (0..HOUSES).map(term).sum::<u32>() as usize
}

/// Rows of a number of houses, by number.
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

    /// Rows with exactly `seeds` seeds.
    pub(crate) fn row_count(self, seeds: usize) -> usize {
        if self.houses == 1 {
            1
        } else {
            BINOMIALS[self.houses - 2][seeds + 1] as usize
        }
    }

    /// Seeds in the row, and the number of the row among all with as many, from 0. Without meaning for a
    /// row of more than [`MAX_SEEDS`] seeds.
    ///
    /// Rows are in order of the seeds in the houses from 2 on; of equals, from 3 on, and so on. With p seeds
    /// in the k houses next to the store there are "p + k - 1 over k" rows before that have
    /// fewer in them, and as many in all houses before. So one more seed in house 1 does not change the number.
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
            _ => 0,
        };
        (usize::from(sums.to_le_bytes()[self.houses - 1]), rank)
    }

    /// The row with so many seeds that has this rank: [`rank`](Self::rank) backwards. Without meaning where
    /// there is none.
    pub(crate) fn unrank(self, seeds: usize, rank: usize) -> RowBytes {
        let mut rest = rank;
        let mut above = seeds.min(MAX_SEEDS_USIZE);
        let mut row = 0;
        for (byte, terms) in BINOMIALS[..self.houses - 1].iter().enumerate().rev() {
            let fits = terms[..=above].partition_point(|&term| term as usize <= rest);
            let sum = fits.saturating_sub(1);
            rest -= terms[sum] as usize;
            row |= ((above - sum) as RowBytes) << (8 * (byte + 1));
            above = sum;
        }
        row | above as RowBytes
    }

    /// All rows with exactly `seeds` seeds, by rank.
    ///
    /// # Panics
    /// If there are more than [`MAX_SEEDS`].
    pub(crate) fn all_rows(self, seeds: usize) -> Vec<RowBytes> {
        let mut rows = Vec::with_capacity(self.row_count(seeds));
        // sums[j]: seeds of the j+1 houses next to the store.
        let mut sums = [0_u8; MAX_HOUSES as usize];
        sums[self.houses - 1] = u8::try_from(seeds).expect("a row of a table has fewer seeds");
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

/// Where a table keeps which value.
///
/// Positions lie by the seeds in their houses, then by those of the row that has fewer, the *lesser* row;
/// in such a block are all positions with the lesser row to move, then all with the greater row to move,
/// if they differ. In each, lesser rows are in order of rank, and for each of them the greater rows.
#[derive(Clone, Debug)]
pub(crate) struct TableLayout {
    row_index: RowIndex,
    seeds: usize,
    /// By the seeds of the mover's row and of the other row.
    blocks: Vec<BlockLayout>,
}

/// Where values lie for a number of seeds in either row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockLayout {
    /// Of both rows' first.
    pub(crate) start: usize,
    /// From one rank of the mover's row to the next.
    pub(crate) mover_stride: usize,
    /// From one rank of the other row to the next.
    pub(crate) other_stride: usize,
}

/// Where the values of one row against all rows of the other side lie, by rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StridedRun {
    /// The first value.
    pub(crate) start: usize,
    /// From one value to the next.
    pub(crate) stride: usize,
}

/// Whose turn it is: the side's whose row is given, or the other's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mover {
    Row,
    Other,
}

impl TableLayout {
    pub(crate) fn new(row_index: RowIndex, seeds: usize) -> Self {
        assert!(seeds <= MAX_SEEDS.into());
        let mut blocks = vec![BlockLayout::default(); (seeds + 1) * (seeds + 1)];
        let mut start = 0;
        for total in 0..=seeds {
            for lesser in 0..=total / 2 {
                let greater = total - lesser;
                let (few, many) = (row_index.row_count(lesser), row_index.row_count(greater));
                blocks[lesser * (seeds + 1) + greater] = BlockLayout {
                    start,
                    mover_stride: many,
                    other_stride: 1,
                };
                start += few * many;
                if lesser < greater {
                    blocks[greater * (seeds + 1) + lesser] = BlockLayout {
                        start,
                        mover_stride: 1,
                        other_stride: many,
                    };
                    start += few * many;
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
    pub(crate) fn block(&self, mover: usize, other: usize) -> BlockLayout {
        self.blocks[mover * (self.seeds + 1) + other]
    }

    /// Where the values of a row against all rows with `other` seeds lie.
    pub(crate) fn run(&self, mover: Mover, seeds: usize, rank: usize, other: usize) -> StridedRun {
        let (place, step, stride) = match mover {
            Mover::Row => {
                let place = self.block(seeds, other);
                (place, place.mover_stride, place.other_stride)
            }
            Mover::Other => {
                let place = self.block(other, seeds);
                (place, place.other_stride, place.mover_stride)
            }
        };
        StridedRun {
            start: place.start + rank * step,
            stride,
        }
    }

    /// Where the values of all positions with so many seeds lie.
    pub(crate) fn layer_range(&self, seeds: usize) -> Range<usize> {
        let start = self.block(0, seeds).start;
        let rows = |row| self.row_index.row_count(row) * self.row_index.row_count(seeds - row);
        start..start + (0..=seeds).map(rows).sum::<usize>()
    }

    /// Seeds and ranks of the mover's and of the other row of the position whose value lies there:
    /// [`position`](Self::position) backwards. `None` behind the last one.
    pub(crate) fn rows_at(&self, slot: usize) -> Option<[(usize, usize); 2]> {
        for total in 0..=self.seeds {
            for mover in 0..=total {
                let other = total - mover;
                let place = self.block(mover, other);
                let len = self.row_index.row_count(mover) * self.row_index.row_count(other);
                let Some(offset) = slot.checked_sub(place.start).filter(|&o| o < len) else {
                    continue;
                };
                let wide = place.mover_stride.max(place.other_stride);
                let (lesser, greater) = (offset / wide, offset % wide);
                let ranks = if place.other_stride == 1 {
                    [lesser, greater]
                } else {
                    [greater, lesser]
                };
                return Some([(mover, ranks[0]), (other, ranks[1])]);
            }
        }
        None
    }

    /// Where the value of the position of these rows lies, if it has no more seeds than the table.
    #[inline]
    pub(crate) fn index_of(&self, mover: u64, other: u64) -> Option<usize> {
        let (mover_seeds, mover_rank) = self.row_index.rank(mover);
        let (other_seeds, other_rank) = self.row_index.rank(other);
        if mover_seeds + other_seeds > self.seeds {
            return None;
        }
        let place = self.block(mover_seeds, other_seeds);
        Some(place.start + mover_rank * place.mover_stride + other_rank * place.other_stride)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_all_rows_in_order() {
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
    fn every_slot_is_found_again() {
        for (houses, seeds) in [(1, 12), (2, 7), (4, 5)] {
            let index = RowIndex::new(houses);
            let layout = TableLayout::new(index, seeds);
            let mut slot = 0;
            while let Some([mover, other]) = layout.rows_at(slot) {
                let [mover, other] = [mover, other].map(|(seeds, rank)| index.unrank(seeds, rank));
                assert_eq!(layout.index_of(mover, other), Some(slot));
                slot += 1;
            }
            assert_eq!(slot, layout.layer_range(seeds).end);
        }
    }
}
