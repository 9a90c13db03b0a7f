//! The kernel of generating: values of several lesser rows against all greater rows.
//!
//! What a position is worth is the best of what its sowings lead to. Some *leave* the layer: they
//! bank or capture something. Others *stay* in it, and in their row. [`Kernel::leaving`] takes the best of the
//! former, from layers that are done, and [`Kernel::staying`] what is better among the latter.
//!
//! Sowings of a lesser row treat all greater rows alike: they are worked row by row, see [`crate::generate::rank_map`]. Those
//! of the greater rows treat all lesser rows alike: for them the values are brought into lanes, see
//! [`crate::generate::lanes`].

use crate::generate::lanes::{
    LANES, LaneEffect, Lanes, gather, gather_rows, scatter_max, scatter_rows,
};
use crate::generate::rank_map::TurnChange;
use crate::generate::rows::{
    LastPit, RowTransitions, SowingDelta, SowingEnd, SowingGroup, SowingLookup,
};
use crate::index::{Mover, RowBytes, StridedRun, TableLayout, seeds_in};
use crate::values::ZERO_GAIN;

/// Up to [`LANES`] lesser rows, and the values of their positions.
pub(crate) struct RowBatch<'a> {
    /// Seeds of a lesser row.
    pub(crate) lesser: usize,
    /// Seeds of a greater row.
    pub(crate) greater: usize,
    /// Ranks of the lesser rows.
    pub(crate) ranks: Vec<usize>,
    /// For each lesser row the values of all greater rows, with the lesser row to move.
    pub(crate) lesser_to_move: Vec<&'a mut [u8]>,
    /// The same with the greater row to move.
    pub(crate) greater_to_move: Vec<&'a mut [u8]>,
}

/// Where lanes are kept while a bundle is worked.
#[derive(Default)]
pub(crate) struct Scratch {
    best: Vec<Lanes>,
    source: Vec<Lanes>,
}

/// What computes values, and from what.
#[derive(Clone, Copy)]
pub(crate) struct Kernel<'a> {
    pub(crate) layout: &'a TableLayout,
    pub(crate) sowings: &'a SowingLookup,
    /// By seeds.
    pub(crate) rows: &'a [RowTransitions],
    /// The values of all layers that are done.
    pub(crate) lower_layers: &'a [u8],
}

impl RowBatch<'_> {
    /// How many values of the table are in it: the twins of a layer are not.
    pub(crate) fn table_value_count(&self) -> usize {
        let of_table = if self.lesser < self.greater {
            self.greater_to_move.as_slice()
        } else {
            &[]
        };
        let rows = self.lesser_to_move.iter().chain(of_table);
        rows.map(|row| row.len()).sum()
    }
}

const SEEDS_FIT: &str = "a table has fewer seeds";

/// The value of gaining all of so many seeds.
fn win_value(seeds: usize) -> u8 {
    ZERO_GAIN + u8::try_from(seeds).expect(SEEDS_FIT)
}

/// The value of losing all of so many seeds.
fn loss_value(seeds: usize) -> u8 {
    ZERO_GAIN - u8::try_from(seeds).expect(SEEDS_FIT)
}

impl Scratch {
    /// Lanes for so many greater rows that are written, and for others that are read.
    fn buffers(&mut self, written: usize, read: usize) -> (&mut [Lanes], &mut [Lanes]) {
        for (lanes, len) in [(&mut self.best, written), (&mut self.source, read)] {
            if lanes.len() < len {
                lanes.resize(len, [0; LANES]);
            }
        }
        (&mut self.best[..written], &mut self.source[..read])
    }
}

impl Kernel<'_> {
    /// Sets all values to the best that a sowing which leaves the layer makes, or what the end of the game brings.
    pub(crate) fn apply_exits(&self, bundle: &mut RowBatch<'_>, desk: &mut Scratch) {
        let RowBatch {
            lesser, greater, ..
        } = *bundle;
        for (&rank, values) in bundle.ranks.iter().zip(&mut bundle.lesser_to_move) {
            if lesser == 0 {
                // Who has nothing to sow loses what the other sweeps.
                values.fill(loss_value(greater));
            } else {
                values.fill(0);
                self.lesser_exits(self.rows[lesser].rows[rank], greater, values);
            }
        }
        if self.is_over(bundle) {
            for values in &mut bundle.greater_to_move {
                values.fill(win_value(greater));
            }
        } else {
            self.greater_exits(bundle, desk);
        }
    }

    /// Makes values better where a sowing that stays in the layer is better. `greater_moves` holds, by rank, the values of
    /// all lesser rows that a sowing of those in the bundle can lead to, with the greater row to move.
    pub(crate) fn apply_internal(
        &self,
        bundle: &mut RowBatch<'_>,
        greater_moves: &[&[u8]],
        desk: &mut Scratch,
    ) {
        for (&rank, values) in bundle.ranks.iter().zip(&mut bundle.lesser_to_move) {
            let row = self.rows[bundle.lesser].rows[rank];
            self.lesser_internal(row, bundle.greater, greater_moves, values);
        }
        if !self.is_over(bundle) {
            self.greater_internal(bundle, desk);
        }
    }

    /// Whether the game is over with the greater row to move.
    fn is_over(&self, bundle: &RowBatch<'_>) -> bool {
        bundle.greater == 0 || bundle.lesser == 0 && self.sowings.ends_with_other_row
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
                    let by_taken = others.after_capture(self.sowings, crossing, opposite);
                    for (taken, moves) in by_taken.iter().enumerate() {
                        if moves.is_empty() {
                            continue;
                        }
                        if taken > 0 || self.sowings.empty_capture {
                            let other = other - taken;
                            let run = self.layout.run(Mover::Other, seeds_left, rank_left, other);
                            moves.apply(
                                values,
                                self.lower_layers,
                                run,
                                banked + taken + 1,
                                TurnChange::Passes,
                            );
                        } else if banked > 0 {
                            let run = self.layout.run(Mover::Other, seeds, rank, other);
                            moves.apply(values, self.lower_layers, run, banked, TurnChange::Passes);
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
        greater_moves: &[&[u8]],
        values: &mut [u8],
    ) {
        let index = self.layout.row_index();
        let others = &self.rows[greater];
        for (_, last, after) in self.sowings.internal_sowings(row) {
            let from = greater_moves[index.rank(after).1];
            let moves = if seeds_in(after, last) > 1 {
                &others.after_crossing[0]
            } else if self.sowings.empty_capture {
                continue;
            } else {
                let opposite = index.houses() - 1 - last;
                &others.after_capture(self.sowings, 0, opposite)[0]
            };
            moves.apply(
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

    fn greater_exits(&self, bundle: &mut RowBatch<'_>, desk: &mut Scratch) {
        let index = self.layout.row_index();
        let len = index.row_count(bundle.greater);
        // No sowing leads to more rows.
        let (best, read) = desk.buffers(len, len);
        best.fill([0; LANES]);
        for sown in self.rows[bundle.greater]
            .sowings
            .iter()
            .filter(|sown| sown.exits_layer())
        {
            let Some((effect, runs)) = self.lane_effects(sown, bundle) else {
                continue;
            };
            let read = &mut read[..index.row_count(sown.seeds_after)];
            gather(self.lower_layers, &runs, &sown.source_tiles, read);
            sown.pairs.apply(best, read, &effect);
        }
        scatter_rows(best, &mut bundle.greater_to_move);
    }

    /// What a sowing does in which lane, and where the values lie that it leads to; `None` if no lesser row
    /// is such that there is this sowing.
    fn lane_effects(
        &self,
        sown: &SowingGroup,
        bundle: &RowBatch<'_>,
    ) -> Option<(LaneEffect, [Option<StridedRun>; LANES])> {
        let mut effect = LaneEffect::new(sown.end.turn());
        let mut runs = [None; LANES];
        for (lane, &rank) in bundle.ranks.iter().enumerate() {
            let row = self.rows[bundle.lesser].rows[rank];
            let row = self.sowings.add_crossing(row, sown.crossing);
            let (left, captured) = match sown.end {
                SowingEnd::Passes | SowingEnd::Bonus => (row, 0),
                SowingEnd::Capture(byte) if self.can_capture(row, byte) => {
                    let taken = seeds_in(row, byte);
                    (row - ((taken as RowBytes) << (8 * byte)), taken + 1)
                }
                SowingEnd::NoCapture(byte) if !self.can_capture(row, byte) => (row, 0),
                SowingEnd::Capture(_) | SowingEnd::NoCapture(_) => continue,
            };
            let (seeds, rank) = self.layout.row_index().rank(left);
            let mover = match sown.end.turn() {
                TurnChange::Passes => Mover::Row,
                TurnChange::Stays => Mover::Other,
            };
            effect.set_lane(lane, sown.banked + captured);
            runs[lane] = Some(self.layout.run(mover, seeds, rank, sown.seeds_after));
        }
        runs.iter().any(Option::is_some).then_some((effect, runs))
    }

    fn can_capture(&self, row: RowBytes, byte: usize) -> bool {
        seeds_in(row, byte) > 0 || self.sowings.empty_capture
    }

    fn greater_internal(&self, bundle: &mut RowBatch<'_>, desk: &mut Scratch) {
        let len = self.layout.row_index().row_count(bundle.greater);
        let (best, read) = desk.buffers(len, len);
        best.fill([0; LANES]);
        gather_rows(&bundle.lesser_to_move, read);
        for sown in self.rows[bundle.greater]
            .sowings
            .iter()
            .filter(|sown| !sown.exits_layer())
        {
            let mut effect = LaneEffect::new(TurnChange::Passes);
            for (lane, &rank) in bundle.ranks.iter().enumerate() {
                let row = self.rows[bundle.lesser].rows[rank];
                let stays = match sown.end {
                    SowingEnd::NoCapture(byte) => !self.can_capture(row, byte),
                    SowingEnd::Passes | SowingEnd::Bonus | SowingEnd::Capture(_) => true,
                };
                if stays {
                    effect.set_lane(lane, 0);
                }
            }
            sown.pairs.apply(best, read, &effect);
        }
        scatter_max(best, &mut bundle.greater_to_move);
    }
}

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
