//! All values in one pass.
//!
//! The game has no cycles: a sowing that banks nothing stays in its own row and moves seeds towards
//! the store, and any other leaves fewer seeds in the houses. So values are computed by the seeds in the
//! houses, a *layer* after the other. A layer falls into blocks, by the seeds of the *lesser* row, the
//! one with fewer; for a fixed lesser row the values of all greater rows lie side by side. In a layer
//!
//! 1. comes what *leaves* it, for all positions in any order: the best that a sowing makes which leads to a lower
//!    layer;
//! 2. then what *stays* in it, by the *level* of the lesser row: how many sowings, one after the other, can stay
//!    in that. With the lesser row to move such a sowing leads to a lesser row of a lower level and the same
//!    greater row, which is to move; with the greater row to move, to the same lesser row, which is
//!    to move and was just computed.
//!
//! Lesser rows are worked in bundles: see [`crate::generate::kernel`]. Those of one level need nothing of each other, so threads
//! share them.
//!
//! Positions with equally many seeds in both rows have no greater row: with either side to move they are the
//! same positions. But the second side's values, the *twins*, are computed as if they were not, as the mirror
//! image of a run is not there yet when it is needed. They are forgotten with the layer.

pub(crate) mod kernel;
pub(crate) mod lanes;
pub(crate) mod rank_map;
pub(crate) mod rows;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use kalah::Rules;
use rayon::prelude::*;

use crate::generate::kernel::{Block, Kernel, RowBatch, Scratch};
use crate::generate::rows::{RowTransitions, SowingLookup};
use crate::index::{RowIndex, TableLayout};
use crate::values::Buffer;

/// A table in the making.
pub(crate) struct Generator {
    sowings: SowingLookup,
    layout: TableLayout,
    /// By seeds.
    rows: Vec<RowTransitions>,
    values: Buffer,
    /// Layers that are done.
    done_layers: usize,
    /// Where the twins of a layer are computed.
    mirror: Vec<u8>,
    /// One for each thread.
    scratch: Vec<Mutex<Scratch>>,
}

/// Values that are worth a thread's while.
const MIN_PARALLEL_VALUES: usize = 1 << 16;

/// Bundles after which is told how far the work has come.
const BATCHES_PER_STEP: usize = 1 << 7;

impl Generator {
    /// Works with so many threads, those of the pool that it is used in; with one it needs no pool.
    pub(crate) fn new(
        houses: u8,
        rules: Rules,
        seeds: u8,
        threads: NonZeroUsize,
        values: Buffer,
    ) -> Self {
        let layout = TableLayout::new(RowIndex::new(houses.into()), seeds.into());
        let seeds = layout.seeds();
        let sowings = SowingLookup::new(houses.into(), rules, seeds);
        let rows = |row: usize| {
            let most_other = row.min(seeds - row);
            RowTransitions::new(layout.row_index(), &sowings, row, most_other)
        };
        Self {
            rows: if threads == NonZeroUsize::MIN {
                (0..=seeds).map(rows).collect()
            } else {
                (0..=seeds).into_par_iter().map(rows).collect()
            },
            sowings,
            values,
            layout,
            done_layers: 0,
            mirror: Vec::new(),
            scratch: (0..threads.get()).map(|_| Mutex::default()).collect(),
        }
    }

    pub(crate) fn into_parts(self) -> (TableLayout, Buffer) {
        (self.layout, self.values)
    }

    /// The values of the layers that are done, behind each other, and place for the others.
    pub(crate) fn values(&self) -> &[u8] {
        &self.values
    }

    /// Goes on behind layers whose values are there already.
    pub(crate) fn resume(&mut self, layers: usize) {
        self.done_layers = layers;
    }

    /// Computes the next layer, and tells again and again how many of its values are done, or rather which
    /// part of the work on them. Who breaks it off is left with nothing to go on with.
    pub(crate) fn build_layer(
        &mut self,
        observer: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let total = self.done_layers;
        let Self {
            sowings,
            layout,
            rows,
            values,
            mirror: twins,
            scratch: desks,
            ..
        } = self;
        let place = layout.layer_range(total);
        let (past, values) = values.split_at_mut(place.start);
        let worker = Kernel {
            layout,
            sowings,
            rows,
            lower_layers: past,
        };
        let mut blocks = Block::split_layer(layout, total, &mut values[..place.len()], twins);
        let mut done = 0;
        let mut work =
            |bundles: &mut [RowBatch<'_>],
             work: &(dyn Fn(&mut RowBatch<'_>, &mut Scratch) + Sync)| {
                let at_desk = |bundle: &mut RowBatch<'_>, desk: usize| {
                    let mut desk = desks[desk].lock().unwrap_or_else(PoisonError::into_inner);
                    work(bundle, &mut desk);
                };
                let values: usize = bundles.iter().map(RowBatch::table_value_count).sum();
                if desks.len() == 1 || values <= MIN_PARALLEL_VALUES {
                    for bundle in bundles.iter_mut() {
                        at_desk(bundle, 0);
                    }
                } else {
                    let bundles = bundles.par_iter_mut().with_max_len(1);
                    bundles.for_each(|bundle| {
                        at_desk(bundle, rayon::current_thread_index().unwrap_or(0));
                    });
                }
                done += values as u64;
                observer(done / 2)
            };

        let mut bundles: Vec<_> = blocks.iter_mut().flat_map(Block::batches).collect();
        for bundles in bundles.chunks_mut(BATCHES_PER_STEP) {
            work(bundles, &|bundle, desk| worker.apply_exits(bundle, desk))?;
        }
        drop(bundles);

        let levels = rows[..=total / 2]
            .iter()
            .map(|rows| rows.by_level.len())
            .max()
            .unwrap_or(0);
        let mut known: Vec<Vec<&[u8]>> = blocks
            .iter()
            .map(|block| vec![&[][..]; layout.row_index().row_count(block.lesser)])
            .collect();
        for level in 0..levels {
            let mut bundles = Vec::new();
            for block in &mut blocks {
                if let Some(ranks) = rows[block.lesser].by_level.get(level) {
                    bundles.extend(block.take_batches(ranks));
                }
            }
            for bundles in bundles.chunks_mut(BATCHES_PER_STEP) {
                work(bundles, &|bundle, desk| {
                    worker.apply_internal(bundle, &known[bundle.lesser], desk);
                })?;
            }
            for bundle in bundles {
                for (rank, values) in bundle.ranks.into_iter().zip(bundle.greater_to_move) {
                    known[bundle.lesser][rank] = values;
                }
            }
        }
        self.done_layers += 1;
        ControlFlow::Continue(())
    }
}
