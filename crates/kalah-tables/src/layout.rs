use std::ops::Range;

use crate::row_index::{MAX_SEEDS, RowIndex};

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
