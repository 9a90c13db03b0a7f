//! The kernel of the generator: the values of several lesser rows against all greater rows.
//!
//! The value of a position is the best over its sowings. *Exits* lead to a lower layer: they bank
//! or capture something. *Internal* sowings stay in the layer, and in their row.
//! [`Kernel::apply_lesser_exits`] and [`Kernel::apply_greater_exits`] set each value to the best
//! exit, [`Kernel::apply_internal`] raises it where an internal sowing is better.
//!
//! A sowing of a lesser row has the same effect on all greater rows, so these are processed row by
//! row with a [`RankMap`](crate::generate::rank_map::RankMap). A sowing of a greater row has the
//! same effect on all lesser rows, so these are processed in [`lanes`](crate::generate::lanes).

use crate::generate::lanes::{
    LANES, LaneEffect, Lanes, gather, gather_rows, scatter_max, scatter_rows,
};
use crate::generate::rank_map::TurnChange;
use crate::generate::rows::{
    LastPit, RowTransitions, SowingDelta, SowingEnd, SowingGroup, SowingLookup,
};
use crate::index::{Mover, RowBytes, StridedRun, TableLayout, seeds_in};
use crate::values::ZERO_GAIN;

/// Up to [`LANES`] lesser rows and the values of their positions.
pub(crate) struct RowBatch<'a> {
    /// The seeds of each lesser row.
    pub(crate) lesser: usize,
    /// The seeds of each greater row.
    pub(crate) greater: usize,
    /// The ranks of the lesser rows.
    pub(crate) ranks: Vec<usize>,
    /// For each lesser row, the values against all greater rows with the lesser row to move.
    pub(crate) lesser_to_move: Vec<&'a mut [u8]>,
    /// The same with the greater row to move.
    pub(crate) greater_to_move: Vec<&'a mut [u8]>,
}

/// The scratch buffers of one thread.
#[derive(Default)]
pub(crate) struct Scratch {
    best: Vec<Lanes>,
    source: Vec<Lanes>,
}

/// Computes the values of batches from the transitions of rows and the values of lower layers.
#[derive(Clone, Copy)]
pub(crate) struct Kernel<'a> {
    pub(crate) layout: &'a TableLayout,
    pub(crate) sowings: &'a SowingLookup,
    /// By the seeds of the row.
    pub(crate) rows: &'a [RowTransitions],
    /// The values of all lower layers.
    pub(crate) lower_layers: &'a [u8],
}

impl RowBatch<'_> {
    /// Returns whether the values with the greater row to move are mirror values, which do not
    /// belong to the table.
    pub(crate) fn has_mirror_values(&self) -> bool {
        self.lesser == self.greater
    }

    /// Returns the number of its values that belong to the table: all but the mirror values.
    pub(crate) fn table_value_count(&self) -> usize {
        let greater_to_move = if self.has_mirror_values() {
            &[]
        } else {
            self.greater_to_move.as_slice()
        };
        let rows = self.lesser_to_move.iter().chain(greater_to_move);
        rows.map(|row| row.len()).sum()
    }
}

const SEEDS_FIT: &str = "seeds of a table fit a byte";

/// Returns the value of gaining `seeds` seeds.
fn win_value(seeds: usize) -> u8 {
    ZERO_GAIN + u8::try_from(seeds).expect(SEEDS_FIT)
}

/// Returns the value of losing `seeds` seeds.
pub(crate) fn loss_value(seeds: usize) -> u8 {
    ZERO_GAIN - u8::try_from(seeds).expect(SEEDS_FIT)
}

impl Scratch {
    /// Returns lanes for `best_len` greater rows that are computed, and for `source_len` others
    /// that are read.
    fn buffers(&mut self, best_len: usize, source_len: usize) -> (&mut [Lanes], &mut [Lanes]) {
        for (lanes, len) in [(&mut self.best, best_len), (&mut self.source, source_len)] {
            if lanes.len() < len {
                lanes.resize(len, [0; LANES]);
            }
        }
        (&mut self.best[..best_len], &mut self.source[..source_len])
    }
}

impl Kernel<'_> {
    /// Sets the values with the lesser row to move to that of the best exit, or to the result of
    /// the sweep at the end of the game. Positions that have only internal sowings get 0, less than
    /// any value.
    pub(crate) fn apply_lesser_exits(&self, batch: &mut RowBatch<'_>) {
        let RowBatch {
            lesser, greater, ..
        } = *batch;
        for (&rank, values) in batch.ranks.iter().zip(&mut batch.lesser_to_move) {
            if lesser == 0 {
                // The mover has no move, and the other side sweeps its own row.
                values.fill(loss_value(greater));
            } else {
                values.fill(0);
                self.lesser_exits(self.rows[lesser].rows[rank], greater, values);
            }
        }
    }

    /// Does the same with the values with the greater row to move.
    pub(crate) fn apply_greater_exits(&self, batch: &mut RowBatch<'_>, scratch: &mut Scratch) {
        if self.is_over(batch) {
            for values in &mut batch.greater_to_move {
                values.fill(win_value(batch.greater));
            }
        } else {
            self.greater_exits(batch, scratch);
        }
    }

    /// Raises values where an internal sowing is better. `greater_to_move` holds, by rank, the
    /// values with the greater row to move of all lesser rows to which an internal sowing in the
    /// batch leads.
    pub(crate) fn apply_internal(
        &self,
        batch: &mut RowBatch<'_>,
        greater_to_move: &[&[u8]],
        scratch: &mut Scratch,
    ) {
        for (&rank, values) in batch.ranks.iter().zip(&mut batch.lesser_to_move) {
            let row = self.rows[batch.lesser].rows[rank];
            self.lesser_internal(row, batch.greater, greater_to_move, values);
        }
        if !self.is_over(batch) {
            self.greater_internal(batch, scratch);
        }
    }

    /// Returns whether the game is over with the greater row to move.
    fn is_over(&self, batch: &RowBatch<'_>) -> bool {
        batch.greater == 0 || batch.lesser == 0 && self.sowings.ends_with_other_row
    }

    fn lesser_exits(&self, row: RowBytes, greater: usize, values: &mut [u8]) {
        let index = self.layout.row_index();
        let others = &self.rows[greater];
        for byte in 0..index.houses() {
            let Some((after, sowing)) = self.sowings.sow(row, byte) else {
                continue;
            };
            let SowingDelta {
                crossing, banked, ..
            } = sowing;
            let (seeds, rank) = index.rank(after);
            let other = greater + crossing;
            match sowing.last {
                LastPit::Own(last) if seeds_in(after, last) == 1 => {
                    let opposite = index.houses() - 1 - last;
                    let (seeds_left, rank_left) = index.rank(after - (1 << (8 * last)));
                    let by_captured = others.after_capture(self.sowings, crossing, opposite);
                    for (captured, map) in by_captured.iter().enumerate() {
                        if map.is_empty() {
                            continue;
                        }
                        if captured > 0 || self.sowings.empty_capture {
                            let other = other - captured;
                            let run = self.layout.run(Mover::Other, seeds_left, rank_left, other);
                            map.apply(
                                values,
                                self.lower_layers,
                                run,
                                banked + captured + 1,
                                TurnChange::Passes,
                            );
                        } else if banked > 0 {
                            let run = self.layout.run(Mover::Other, seeds, rank, other);
                            map.apply(values, self.lower_layers, run, banked, TurnChange::Passes);
                        }
                    }
                }
                LastPit::Own(_) | LastPit::Other => {
                    if banked > 0 {
                        let run = self.layout.run(Mover::Other, seeds, rank, other);
                        others.after_crossing[crossing].apply(
                            values,
                            self.lower_layers,
                            run,
                            banked,
                            TurnChange::Passes,
                        );
                    }
                }
                LastPit::Store => {
                    let run = self.layout.run(Mover::Row, seeds, rank, other);
                    others.after_crossing[crossing].apply(
                        values,
                        self.lower_layers,
                        run,
                        banked,
                        TurnChange::Stays,
                    );
                }
            }
        }
    }

    fn lesser_internal(
        &self,
        row: RowBytes,
        greater: usize,
        greater_to_move: &[&[u8]],
        values: &mut [u8],
    ) {
        let index = self.layout.row_index();
        let others = &self.rows[greater];
        for (_, last, after) in self.sowings.internal_sowings(row) {
            let from = greater_to_move[index.rank(after).1];
            let map = if seeds_in(after, last) > 1 {
                &others.after_crossing[0]
            } else if self.sowings.empty_capture {
                continue;
            } else {
                let opposite = index.houses() - 1 - last;
                &others.after_capture(self.sowings, 0, opposite)[0]
            };
            map.apply(
                values,
                from,
                StridedRun {
                    start: 0,
                    stride: 1,
                },
                0,
                TurnChange::Passes,
            );
        }
    }

    fn greater_exits(&self, batch: &mut RowBatch<'_>, scratch: &mut Scratch) {
        let index = self.layout.row_index();
        let len = index.row_count(batch.greater);
        // A sowing leaves no more seeds in the row, so it leads to no more rows.
        let (best, source) = scratch.buffers(len, len);
        best.fill([0; LANES]);
        for group in self.rows[batch.greater]
            .sowings
            .iter()
            .filter(|group| group.exits_layer())
        {
            let Some((effect, runs)) = self.lane_effects(group, batch) else {
                continue;
            };
            let source = &mut source[..index.row_count(group.seeds_after)];
            gather(self.lower_layers, &runs, &group.source_tiles, source);
            group.pairs.apply(best, source, &effect);
        }
        scatter_rows(best, &mut batch.greater_to_move);
    }

    /// Returns the effect of a sowing in each lane and the runs of the values that it leads to;
    /// `None` if the sowing exists against none of the lesser rows.
    fn lane_effects(
        &self,
        group: &SowingGroup,
        batch: &RowBatch<'_>,
    ) -> Option<(LaneEffect, [Option<StridedRun>; LANES])> {
        let mut effect = LaneEffect::new(group.end.turn());
        let mut runs = [None; LANES];
        for (lane, &rank) in batch.ranks.iter().enumerate() {
            let row = self.rows[batch.lesser].rows[rank];
            let row = self.sowings.add_crossing(row, group.crossing);
            let (row_after, gained) = match group.end {
                SowingEnd::Passes | SowingEnd::Bonus => (row, 0),
                SowingEnd::Capture(byte) if self.can_capture(row, byte) => {
                    let captured = seeds_in(row, byte);
                    (row - ((captured as RowBytes) << (8 * byte)), captured + 1)
                }
                SowingEnd::NoCapture(byte) if !self.can_capture(row, byte) => (row, 0),
                SowingEnd::Capture(_) | SowingEnd::NoCapture(_) => continue,
            };
            let (seeds, rank) = self.layout.row_index().rank(row_after);
            let mover = match group.end.turn() {
                TurnChange::Passes => Mover::Row,
                TurnChange::Stays => Mover::Other,
            };
            effect.set_lane(lane, group.banked + gained);
            runs[lane] = Some(self.layout.run(mover, seeds, rank, group.seeds_after));
        }
        runs.iter().any(Option::is_some).then_some((effect, runs))
    }

    fn can_capture(&self, row: RowBytes, byte: usize) -> bool {
        seeds_in(row, byte) > 0 || self.sowings.empty_capture
    }

    fn greater_internal(&self, batch: &mut RowBatch<'_>, scratch: &mut Scratch) {
        let len = self.layout.row_index().row_count(batch.greater);
        let (best, source) = scratch.buffers(len, len);
        best.fill([0; LANES]);
        gather_rows(&batch.lesser_to_move, source);
        for group in self.rows[batch.greater]
            .sowings
            .iter()
            .filter(|group| !group.exits_layer())
        {
            let mut effect = LaneEffect::new(TurnChange::Passes);
            for (lane, &rank) in batch.ranks.iter().enumerate() {
                let row = self.rows[batch.lesser].rows[rank];
                let stays = match group.end {
                    SowingEnd::NoCapture(byte) => !self.can_capture(row, byte),
                    SowingEnd::Passes | SowingEnd::Bonus | SowingEnd::Capture(_) => true,
                };
                if stays {
                    effect.set_lane(lane, 0);
                }
            }
            group.pairs.apply(best, source, &effect);
        }
        scatter_max(best, &mut batch.greater_to_move);
    }
}

/// The values of a layer with given numbers of seeds in both rows. Batches borrow or take them.
pub(crate) struct Block<'a> {
    /// The seeds of the lesser row.
    pub(crate) lesser: usize,
    /// The seeds of the greater row.
    greater: usize,
    /// By the rank of the lesser row, with the lesser row to move; empty once taken.
    lesser_to_move: Vec<&'a mut [u8]>,
    /// The same with the greater row to move.
    greater_to_move: Vec<&'a mut [u8]>,
}

impl<'a> Block<'a> {
    /// Splits the values of a layer into blocks, by the seeds of the lesser row. Resizes `mirror`
    /// to hold the mirror values of the layer.
    pub(crate) fn split_layer(
        layout: &TableLayout,
        total: usize,
        values: &'a mut [u8],
        mirror: &'a mut Vec<u8>,
    ) -> Vec<Self> {
        let index = layout.row_index();
        if total.is_multiple_of(2) {
            mirror.resize(index.row_count(total / 2).pow(2), 0);
        }
        let (mut values, mut mirror) = (values, mirror.as_mut_slice());
        let mut split_off = |len| values.split_off_mut(..len).unwrap_or_default();
        let block = |lesser: usize| {
            let greater = total - lesser;
            let (lesser_rows, greater_rows) = (index.row_count(lesser), index.row_count(greater));
            let rows = |values: &'a mut [u8]| values.chunks_exact_mut(greater_rows).collect();
            Self {
                lesser,
                greater,
                lesser_to_move: rows(split_off(lesser_rows * greater_rows)),
                greater_to_move: rows(if lesser < greater {
                    split_off(lesser_rows * greater_rows)
                } else {
                    std::mem::take(&mut mirror)
                }),
            }
        };
        (0..=total / 2).map(block).collect()
    }

    /// Returns batches of all values, by rank.
    pub(crate) fn batches<'b>(&'b mut self) -> impl Iterator<Item = RowBatch<'b>>
    where
        'a: 'b,
    {
        let (lesser, greater) = (self.lesser, self.greater);
        let lesser_to_move = self.lesser_to_move.chunks_mut(LANES);
        let greater_to_move = self.greater_to_move.chunks_mut(LANES);
        let batches = lesser_to_move.zip(greater_to_move).enumerate();
        batches.map(move |(batch, (lesser_to_move, greater_to_move))| RowBatch {
            lesser,
            greater,
            ranks: (batch * LANES..).take(lesser_to_move.len()).collect(),
            lesser_to_move: lesser_to_move.iter_mut().map(|row| &mut **row).collect(),
            greater_to_move: greater_to_move.iter_mut().map(|row| &mut **row).collect(),
        })
    }

    /// Takes the values of the lesser rows of these ranks out of the block, in batches.
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
