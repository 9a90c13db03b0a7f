//! All values in one pass.
//!
//! The game has no cycles: a sowing that banks nothing stays in its own row and moves seeds towards
//! the store, and any other leaves fewer seeds in the houses. So values are computed
//!
//! 1. by the seeds in the houses, a *layer* after the other;
//! 2. in a layer, by the distance of the *lesser* row, the one with fewer seeds: a sowing in it that
//!    stays there makes its distance shorter;
//! 3. for each lesser row first with it to move, against all greater rows at once: what it reads are
//!    the same greater rows, seen from the other side, against a lesser row of shorter distance,
//!    or positions of lower layers;
//! 4. then with the greater row to move: a sowing that stays in it leads to a position with the same
//!    lesser row to move, which was just computed, and any other to a lower layer.
//!
//! For a fixed lesser row the values of all greater rows lie side by side, in the order of
//! ranks, and so do those that they are computed from: see [`crate::moves`]. What remains are positions
//! in which lesser and greater change their parts. Such values lie a whole run from each other; of the
//! layer below, where sowings that cross over lead, those with the greater row to move are therefore
//! kept a second time, *turned*: greater rows first. Positions with equally many seeds in both rows
//! have no greater row: with either side to move they are the same positions, but the second side's
//! values, the *twins*, are computed and kept as if they were not, as the mirror image of a run is not
//! there yet when it is needed.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::bundle::{Bundle, Desk, Worker};
use crate::lanes::LANES;
use crate::layout::Layout;
use crate::memory::Memory;
use crate::rows::Rows;
use crate::sowings::Sowings;

/// A gain of nothing as a byte: a value is a gain and this.
pub(crate) const NO_GAIN: u8 = 128;

/// A table in the making.
pub(crate) struct Generator {
    sowings: Sowings,
    layout: Layout,
    /// By seeds.
    rows: Vec<Rows>,
    values: Memory,
    /// Layers that are done.
    layers: usize,
    /// Where the twins of a layer are computed.
    twins: Vec<u8>,
    /// One for each thread.
    desks: Vec<Mutex<Desk>>,
}

/// Values of a layer with so many seeds in either row.
struct Block<'a> {
    lesser: usize,
    greater: usize,
    /// By rank of the lesser row, with the lesser row to move; empty once they are computed.
    lesser_moves: Vec<&'a mut [u8]>,
    /// The same with the greater row to move.
    greater_moves: Vec<&'a mut [u8]>,
}

/// Values that are worth a thread's while.
const VALUES_PER_TASK: usize = 1 << 16;

/// Bundles after which is told how far the work has come.
const BUNDLES_PER_STEP: usize = 1 << 7;

impl Generator {
    pub(crate) fn new(layout: Layout, sowings: Sowings, values: Memory) -> Self {
        let seeds = layout.seeds();
        let rows = (0..=seeds).into_par_iter().map(|row| {
            let most_other = row.min(seeds - row);
            Rows::new(layout.index(), &sowings, row, most_other)
        });
        Self {
            rows: rows.collect(),
            sowings,
            values,
            layout,
            layers: 0,
            twins: Vec::new(),
            desks: (0..rayon::current_num_threads())
                .map(|_| Mutex::default())
                .collect(),
        }
    }

    pub(crate) fn into_parts(self) -> (Layout, Memory) {
        (self.layout, self.values)
    }

    /// The values of the layers that are done, behind each other, and place for the others.
    pub(crate) fn values(&self) -> &[u8] {
        &self.values
    }

    /// Goes on behind layers whose values are there already.
    pub(crate) fn resume(&mut self, layers: usize) {
        self.layers = layers;
    }

    /// Computes the next layer, and tells again and again how many of its values are done, or rather which
    /// part of the work on them. Who breaks it off is left with nothing to go on with.
    pub(crate) fn layer(
        &mut self,
        observer: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let total = self.layers;
        let Self {
            sowings,
            layout,
            rows,
            values,
            twins,
            desks,
            ..
        } = self;
        let place = layout.layer(total);
        let (past, values) = values.split_at_mut(place.start);
        let worker = Worker {
            layout,
            sowings,
            rows,
            past,
        };
        let mut blocks = blocks(layout, total, &mut values[..place.len()], twins);
        let mut done = 0;
        let mut work = |bundles: &mut [Bundle<'_>],
                        work: &(dyn Fn(&mut Bundle<'_>, &mut Desk) + Sync)| {
            let with_desk = |bundle: &mut Bundle<'_>| {
                let thread = rayon::current_thread_index().unwrap_or(0);
                let mut desk = desks[thread].lock().unwrap_or_else(PoisonError::into_inner);
                work(bundle, &mut desk);
            };
            let values: usize = bundles.iter().map(Bundle::values).sum();
            if values <= VALUES_PER_TASK {
                bundles.iter_mut().for_each(with_desk);
            } else {
                bundles.par_iter_mut().with_max_len(1).for_each(with_desk);
            }
            done += values as u64;
            observer(done / 2)
        };

        let mut bundles: Vec<_> = blocks.iter_mut().flat_map(Block::bundles).collect();
        for bundles in bundles.chunks_mut(BUNDLES_PER_STEP) {
            work(bundles, &|bundle, desk| worker.leaving(bundle, desk))?;
        }
        drop(bundles);

        let levels = rows[..=total / 2]
            .iter()
            .map(|rows| rows.by_level.len())
            .max()
            .unwrap_or(0);
        let mut known: Vec<Vec<&[u8]>> = blocks
            .iter()
            .map(|block| vec![&[][..]; block.lesser_moves.len()])
            .collect();
        for level in 0..levels {
            let mut bundles = Vec::new();
            for block in &mut blocks {
                let ranks = rows[block.lesser]
                    .by_level
                    .get(level)
                    .map_or(&[][..], Vec::as_slice);
                bundles.extend(ranks.chunks(LANES).map(|ranks| block.take(ranks)));
            }
            work(&mut bundles, &|bundle, desk| {
                worker.staying(bundle, &known[bundle.lesser], desk);
            })?;
            for bundle in bundles {
                for (rank, values) in bundle.ranks.into_iter().zip(bundle.greater_moves) {
                    known[bundle.lesser][rank] = values;
                }
            }
        }
        self.layers += 1;
        ControlFlow::Continue(())
    }
}

impl Bundle<'_> {
    /// How many values of the table are in it.
    fn values(&self) -> usize {
        let of_table = if self.lesser < self.greater {
            self.greater_moves.as_slice()
        } else {
            &[]
        };
        let rows = self.lesser_moves.iter().chain(of_table);
        rows.map(|row| row.len()).sum()
    }
}

impl<'a> Block<'a> {
    /// All of it.
    fn bundles<'b>(&'b mut self) -> impl Iterator<Item = Bundle<'b>>
    where
        'a: 'b,
    {
        let (lesser, greater) = (self.lesser, self.greater);
        let rows = self
            .lesser_moves
            .chunks_mut(LANES)
            .zip(self.greater_moves.chunks_mut(LANES));
        rows.enumerate()
            .map(move |(bundle, (lesser_moves, greater_moves))| Bundle {
                lesser,
                greater,
                ranks: (bundle * LANES..).take(lesser_moves.len()).collect(),
                lesser_moves: lesser_moves.iter_mut().map(|row| &mut **row).collect(),
                greater_moves: greater_moves.iter_mut().map(|row| &mut **row).collect(),
            })
    }

    /// These rows' values, for good.
    fn take(&mut self, ranks: &[usize]) -> Bundle<'a> {
        let mut take = |rank: &usize| std::mem::take(&mut self.lesser_moves[*rank]);
        let lesser_moves = ranks.iter().map(&mut take).collect();
        let mut take = |rank: &usize| std::mem::take(&mut self.greater_moves[*rank]);
        let greater_moves = ranks.iter().map(&mut take).collect();
        Bundle {
            lesser: self.lesser,
            greater: self.greater,
            ranks: ranks.to_vec(),
            lesser_moves,
            greater_moves,
        }
    }
}

/// The values of a layer, block by block, by the seeds in the lesser row.
fn blocks<'a>(
    layout: &Layout,
    total: usize,
    values: &'a mut [u8],
    twins: &'a mut Vec<u8>,
) -> Vec<Block<'a>> {
    let index = layout.index();
    if total.is_multiple_of(2) {
        twins.resize(index.rows(total / 2).pow(2), 0);
    }
    let mut rest = values;
    let mut twins = Some(twins.as_mut_slice());
    (0..=total / 2)
        .map(|lesser| {
            let greater = total - lesser;
            let (few, many) = (index.rows(lesser), index.rows(greater));
            let mut take = || rest.split_off_mut(..few * many).unwrap_or_default();
            let lesser_moves = take();
            let greater_moves = if lesser < greater {
                take()
            } else {
                twins.take().unwrap_or_default()
            };
            Block {
                lesser,
                greater,
                lesser_moves: lesser_moves.chunks_exact_mut(many).collect(),
                greater_moves: greater_moves.chunks_exact_mut(many).collect(),
            }
        })
        .collect()
}
