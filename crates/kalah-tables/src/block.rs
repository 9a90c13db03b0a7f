use crate::bundle::RowBatch;
use crate::lanes::LANES;
use crate::layout::TableLayout;

/// The values of a layer with so many seeds in either row, from where they are taken to be computed.
pub(crate) struct Block<'a> {
    pub(crate) lesser: usize,
    greater: usize,
    /// By rank of the lesser row, with the lesser row to move; empty if they were taken.
    lesser_to_move: Vec<&'a mut [u8]>,
    /// The same with the greater row to move.
    greater_to_move: Vec<&'a mut [u8]>,
}

impl<'a> Block<'a> {
    /// All blocks of a layer, by the seeds in the lesser row. The `twins` become as many as the layer has.
    pub(crate) fn split_layer(
        layout: &TableLayout,
        total: usize,
        values: &'a mut [u8],
        twins: &'a mut Vec<u8>,
    ) -> Vec<Self> {
        let index = layout.row_index();
        if total.is_multiple_of(2) {
            twins.resize(index.row_count(total / 2).pow(2), 0);
        }
        let (mut values, mut twins) = (values, twins.as_mut_slice());
        let mut of_table = |len| values.split_off_mut(..len).unwrap_or_default();
        let block = |lesser: usize| {
            let greater = total - lesser;
            let (few, many) = (index.row_count(lesser), index.row_count(greater));
            let rows = |values: &'a mut [u8]| values.chunks_exact_mut(many).collect();
            Self {
                lesser,
                greater,
                lesser_to_move: rows(of_table(few * many)),
                greater_to_move: rows(if lesser < greater {
                    of_table(few * many)
                } else {
                    std::mem::take(&mut twins)
                }),
            }
        };
        (0..=total / 2).map(block).collect()
    }

    /// All values, by rank.
    pub(crate) fn batches<'b>(&'b mut self) -> impl Iterator<Item = RowBatch<'b>>
    where
        'a: 'b,
    {
        let (lesser, greater) = (self.lesser, self.greater);
        let lesser_moves = self.lesser_to_move.chunks_mut(LANES);
        let greater_moves = self.greater_to_move.chunks_mut(LANES);
        let bundles = lesser_moves.zip(greater_moves).enumerate();
        bundles.map(move |(bundle, (lesser_moves, greater_moves))| RowBatch {
            lesser,
            greater,
            ranks: (bundle * LANES..).take(lesser_moves.len()).collect(),
            lesser_to_move: lesser_moves.iter_mut().map(|row| &mut **row).collect(),
            greater_to_move: greater_moves.iter_mut().map(|row| &mut **row).collect(),
        })
    }

    /// The values of lesser rows of these ranks, which the block then no longer has.
    pub(crate) fn take_batches(&mut self, ranks: &[usize]) -> impl Iterator<Item = RowBatch<'a>> {
        ranks.chunks(LANES).map(|ranks| {
            let take = |from: &mut Vec<&'a mut [u8]>| {
                let rows = ranks.iter().map(|&rank| std::mem::take(&mut from[rank]));
                rows.collect()
            };
            RowBatch {
                lesser: self.lesser,
                greater: self.greater,
                ranks: ranks.to_vec(),
                lesser_to_move: take(&mut self.lesser_to_move),
                greater_to_move: take(&mut self.greater_to_move),
            }
        })
    }
}
