use crate::bundle::Bundle;
use crate::lanes::LANES;
use crate::layout::Layout;

/// The values of a layer with so many seeds in either row, from where they are taken to be computed.
pub(crate) struct Block<'a> {
    pub(crate) lesser: usize,
    greater: usize,
    /// By rank of the lesser row, with the lesser row to move; empty if they were taken.
    lesser_moves: Vec<&'a mut [u8]>,
    /// The same with the greater row to move.
    greater_moves: Vec<&'a mut [u8]>,
}

impl<'a> Block<'a> {
    /// All blocks of a layer, by the seeds in the lesser row. The `twins` become as many as the layer has.
    pub(crate) fn all(
        layout: &Layout,
        total: usize,
        values: &'a mut [u8],
        twins: &'a mut Vec<u8>,
    ) -> Vec<Self> {
        let index = layout.index();
        if total.is_multiple_of(2) {
            twins.resize(index.rows(total / 2).pow(2), 0);
        }
        let (mut values, mut twins) = (values, twins.as_mut_slice());
        let mut of_table = |len| values.split_off_mut(..len).unwrap_or_default();
        let block = |lesser: usize| {
            let greater = total - lesser;
            let (few, many) = (index.rows(lesser), index.rows(greater));
            let rows = |values: &'a mut [u8]| values.chunks_exact_mut(many).collect();
            Self {
                lesser,
                greater,
                lesser_moves: rows(of_table(few * many)),
                greater_moves: rows(if lesser < greater {
                    of_table(few * many)
                } else {
                    std::mem::take(&mut twins)
                }),
            }
        };
        (0..=total / 2).map(block).collect()
    }

    /// All values, by rank.
    pub(crate) fn bundles<'b>(&'b mut self) -> impl Iterator<Item = Bundle<'b>>
    where
        'a: 'b,
    {
        let (lesser, greater) = (self.lesser, self.greater);
        let lesser_moves = self.lesser_moves.chunks_mut(LANES);
        let greater_moves = self.greater_moves.chunks_mut(LANES);
        let bundles = lesser_moves.zip(greater_moves).enumerate();
        bundles.map(move |(bundle, (lesser_moves, greater_moves))| Bundle {
            lesser,
            greater,
            ranks: (bundle * LANES..).take(lesser_moves.len()).collect(),
            lesser_moves: lesser_moves.iter_mut().map(|row| &mut **row).collect(),
            greater_moves: greater_moves.iter_mut().map(|row| &mut **row).collect(),
        })
    }

    /// The values of lesser rows of these ranks, which the block then no longer has.
    pub(crate) fn take(&mut self, ranks: &[usize]) -> impl Iterator<Item = Bundle<'a>> {
        ranks.chunks(LANES).map(|ranks| {
            let take = |from: &mut Vec<&'a mut [u8]>| {
                let rows = ranks.iter().map(|&rank| std::mem::take(&mut from[rank]));
                rows.collect()
            };
            Bundle {
                lesser: self.lesser,
                greater: self.greater,
                ranks: ranks.to_vec(),
                lesser_moves: take(&mut self.lesser_moves),
                greater_moves: take(&mut self.greater_moves),
            }
        })
    }
}
