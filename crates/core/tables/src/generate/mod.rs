//! The generator: computes all values of a table in one pass.
//!
//! The game has no cycles: a sowing that banks and captures nothing stays within its own row and
//! moves seeds towards the store, and any other leaves fewer seeds in the houses. So the generator
//! computes values in order of the seeds in the houses, one *layer* after the other. A layer
//! consists of blocks, one for each number of seeds in the *lesser* row, the row that has fewer;
//! for a fixed lesser row the values of all *greater* rows are adjacent. Within a layer it computes
//!
//! 1. first, for all positions in any order, the best *exit*: a sowing that leads to a lower layer;
//! 2. then the *internal* sowings, which stay in the layer, by the *level* of the lesser row: the
//!    largest number of internal sowings of that row one after the other. With the lesser row to
//!    move, an internal sowing leads to a lesser row of a lower level and the same greater row,
//!    which is to move. With the greater row to move, it leads to the same lesser row, which is to
//!    move and whose values were computed just before.
//!
//! The [`kernel`] works on batches of lesser rows. Batches of one level are independent of each
//! other, so threads share them.
//!
//! If both rows have equally many seeds, neither is the greater one: with either side to move the
//! positions are the same. The values of the second side, the *mirror*, are computed all the same
//! because the mirror image of a run does not exist yet when it is needed. They are discarded with
//! the layer.

pub(crate) mod kernel;
pub(crate) mod lanes;
pub(crate) mod rank_map;
pub(crate) mod rows;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use kalah::Variant;
use rayon::prelude::*;

use crate::generate::kernel::{Block, Kernel, RowBatch, Scratch, loss_value};
use crate::generate::rows::{RowTransitions, SowingLookup};
use crate::index::TableLayout;

/// The generator of one table. The caller owns the values.
pub(crate) struct Generator {
    sowings: SowingLookup,
    layout: TableLayout,
    /// By the seeds of the row.
    rows: Vec<RowTransitions>,
    /// The mirror values of the layer in work.
    mirror: Vec<u8>,
    /// One entry for each thread.
    scratch: Vec<Mutex<Scratch>>,
}

/// The number of values up to which sharing the work among threads does not pay.
const MIN_PARALLEL_VALUES: usize = 1 << 16;

/// The number of batches between two progress reports.
const BATCHES_PER_STEP: usize = 1 << 7;

/// The passes over a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passes {
    /// The exits alone.
    Exits,
    /// The exits, then the internal sowings.
    Both,
}

impl Generator {
    /// Returns a generator. With more than one thread, the caller runs it and this function in a
    /// pool of `threads` threads.
    pub(crate) fn new(variant: Variant, seeds: u8, threads: NonZeroUsize) -> Self {
        let layout = TableLayout::for_table(variant, seeds);
        let seeds = layout.seeds();
        let sowings = SowingLookup::new(variant, seeds);
        let rows = |row: usize| {
            let max_other = row.min(seeds - row);
            RowTransitions::new(layout.row_index(), &sowings, row, max_other)
        };
        Self {
            rows: if threads == NonZeroUsize::MIN {
                (0..=seeds).map(rows).collect()
            } else {
                (0..=seeds).into_par_iter().map(rows).collect()
            },
            sowings,
            layout,
            mirror: Vec::new(),
            scratch: (0..threads.get()).map(|_| Mutex::default()).collect(),
        }
    }

    /// Returns the layout of the table.
    pub(crate) fn layout(&self) -> &TableLayout {
        &self.layout
    }

    /// Sets `values` to those of layer `layer`, from the values of all lower layers. Reports
    /// progress to `observer`: the number of its values done, in which a value whose exits alone
    /// are done counts one half. After a cancellation `values` has no meaning.
    pub(crate) fn build_layer(
        &mut self,
        layer: usize,
        lower_layers: &[u8],
        values: &mut [u8],
        observer: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.run_passes(Passes::Both, layer, lower_layers, values, &mut |done| {
            observer(done / 2)
        })
    }

    /// Sets `values` to the predictions of layer `layer`: each is the value of the best exit, or of
    /// the sweep at the end of the game, and the least value of the layer for positions that have
    /// only internal sowings. Reports the number of predictions done to `observer`.
    pub(crate) fn predict_layer(
        &mut self,
        layer: usize,
        lower_layers: &[u8],
        values: &mut [u8],
        observer: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.run_passes(Passes::Exits, layer, lower_layers, values, observer)?;
        let least = loss_value(layer);
        for value in values {
            *value = least.max(*value);
        }
        ControlFlow::Continue(())
    }

    /// Runs `passes` over layer `total`, and reports the number of its values worked on, each
    /// counted once in each pass.
    fn run_passes(
        &mut self,
        passes: Passes,
        total: usize,
        lower_layers: &[u8],
        values: &mut [u8],
        observer: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self {
            sowings,
            layout,
            rows,
            mirror,
            scratch,
        } = self;
        let kernel = Kernel {
            layout,
            sowings,
            rows,
            lower_layers,
        };
        let mut blocks = Block::split_layer(layout, total, values, mirror);
        let mut done = 0;
        let mut run =
            |batches: &mut [RowBatch<'_>],
             work: &(dyn Fn(&mut RowBatch<'_>, &mut Scratch) + Sync)| {
                let work_with = |batch: &mut RowBatch<'_>, thread: usize| {
                    let scratch = scratch[thread].lock();
                    work(batch, &mut scratch.unwrap_or_else(PoisonError::into_inner));
                };
                let values: usize = batches.iter().map(RowBatch::table_value_count).sum();
                if scratch.len() == 1 || values <= MIN_PARALLEL_VALUES {
                    for batch in batches.iter_mut() {
                        work_with(batch, 0);
                    }
                } else {
                    let batches = batches.par_iter_mut().with_max_len(1);
                    batches.for_each(|batch| {
                        work_with(batch, rayon::current_thread_index().unwrap_or(0));
                    });
                }
                done += values as u64;
                observer(done)
            };

        let mut batches: Vec<_> = blocks.iter_mut().flat_map(Block::batches).collect();
        for batches in batches.chunks_mut(BATCHES_PER_STEP) {
            run(batches, &|batch, scratch| {
                kernel.apply_lesser_exits(batch);
                if passes == Passes::Both || !batch.has_mirror_values() {
                    kernel.apply_greater_exits(batch, scratch);
                }
            })?;
        }
        drop(batches);
        if passes == Passes::Exits {
            return ControlFlow::Continue(());
        }

        let levels = rows[..=total / 2]
            .iter()
            .map(|rows| rows.by_level.len())
            .max()
            .unwrap_or(0);
        // By the seeds and the rank of the lesser row: the values with the greater row to move.
        let mut finished: Vec<Vec<&[u8]>> = blocks
            .iter()
            .map(|block| vec![&[][..]; layout.row_index().row_count(block.lesser)])
            .collect();
        for level in 0..levels {
            let mut batches = Vec::new();
            for block in &mut blocks {
                if let Some(ranks) = rows[block.lesser].by_level.get(level) {
                    batches.extend(block.take_batches(ranks));
                }
            }
            for batches in batches.chunks_mut(BATCHES_PER_STEP) {
                run(batches, &|batch, scratch| {
                    kernel.apply_internal(batch, &finished[batch.lesser], scratch);
                })?;
            }
            for batch in batches {
                for (rank, values) in batch.ranks.into_iter().zip(batch.greater_to_move) {
                    finished[batch.lesser][rank] = values;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
