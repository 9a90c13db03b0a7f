//! The kernel of generating: values of several lesser rows against all greater rows.
//!
//! What a position is worth is the best of what its sowings lead to. Some *leave* the layer: they
//! bank or capture something. Others *stay* in it, and in their row. [`Worker::leaving`] takes the best of the
//! former, from layers that are done, and [`Worker::staying`] what is better among the latter.
//!
//! Sowings of a lesser row treat all greater rows alike: they are worked row by row, see [`crate::moves`]. Those
//! of the greater rows treat all lesser rows alike: for them the values are brought into lanes, see
//! [`crate::lanes`].

use crate::generate::NO_GAIN;
use crate::lanes::{Effect, LANES, Lanes, gather, gather_rows, put, raise};
use crate::layout::{Layout, Mover, Run};
use crate::moves::Turn;
use crate::row_index::PackedRow;
use crate::rows::{End, Rows, Sown};
use crate::sowings::{Last, Sowing, Sowings, seeds_in};

/// Up to [`LANES`] lesser rows, and the values of their positions.
pub(crate) struct Bundle<'a> {
    /// Seeds of a lesser row.
    pub(crate) lesser: usize,
    /// Seeds of a greater row.
    pub(crate) greater: usize,
    /// Ranks of the lesser rows.
    pub(crate) ranks: Vec<usize>,
    /// For each lesser row the values of all greater rows, with the lesser row to move.
    pub(crate) lesser_moves: Vec<&'a mut [u8]>,
    /// The same with the greater row to move.
    pub(crate) greater_moves: Vec<&'a mut [u8]>,
}

/// Where lanes are kept while a bundle is worked.
#[derive(Default)]
pub(crate) struct Desk {
    best: Vec<Lanes>,
    read: Vec<Lanes>,
}

/// What computes values, and from what.
#[derive(Clone, Copy)]
pub(crate) struct Worker<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) sowings: &'a Sowings,
    /// By seeds.
    pub(crate) rows: &'a [Rows],
    /// The values of all layers that are done.
    pub(crate) past: &'a [u8],
}

impl Bundle<'_> {
    /// How many values of the table are in it: the twins of a layer are not.
    pub(crate) fn values(&self) -> usize {
        let of_table = if self.lesser < self.greater {
            self.greater_moves.as_slice()
        } else {
            &[]
        };
        let rows = self.lesser_moves.iter().chain(of_table);
        rows.map(|row| row.len()).sum()
    }
}

const FITS: &str = "a table has fewer seeds";

/// The value of gaining all of so many seeds.
fn won(seeds: usize) -> u8 {
    NO_GAIN + u8::try_from(seeds).expect(FITS)
}

/// The value of losing all of so many seeds.
fn lost(seeds: usize) -> u8 {
    NO_GAIN - u8::try_from(seeds).expect(FITS)
}

impl Desk {
    /// Lanes for so many greater rows that are written, and for others that are read.
    fn lanes(&mut self, written: usize, read: usize) -> (&mut [Lanes], &mut [Lanes]) {
        for (lanes, len) in [(&mut self.best, written), (&mut self.read, read)] {
            if lanes.len() < len {
                lanes.resize(len, [0; LANES]);
            }
        }
        (&mut self.best[..written], &mut self.read[..read])
    }
}

impl Worker<'_> {
    /// Sets all values to the best that a sowing which leaves the layer makes, or what the end of the game brings.
    pub(crate) fn leaving(&self, bundle: &mut Bundle<'_>, desk: &mut Desk) {
        let Bundle {
            lesser, greater, ..
        } = *bundle;
        for (&rank, values) in bundle.ranks.iter().zip(&mut bundle.lesser_moves) {
            if lesser == 0 {
                // Who has nothing to sow loses what the other sweeps.
                values.fill(lost(greater));
            } else {
                values.fill(0);
                self.lesser_leaves(self.rows[lesser].all[rank], greater, values);
            }
        }
        if self.is_over(bundle) {
            for values in &mut bundle.greater_moves {
                values.fill(won(greater));
            }
        } else {
            self.greater_leaves(bundle, desk);
        }
    }

    /// Makes values better where a sowing that stays in the layer is better. `greater_moves` holds, by rank, the values of
    /// all lesser rows that a sowing of those in the bundle can lead to, with the greater row to move.
    pub(crate) fn staying(
        &self,
        bundle: &mut Bundle<'_>,
        greater_moves: &[&[u8]],
        desk: &mut Desk,
    ) {
        for (&rank, values) in bundle.ranks.iter().zip(&mut bundle.lesser_moves) {
            let row = self.rows[bundle.lesser].all[rank];
            self.lesser_stays(row, bundle.greater, greater_moves, values);
        }
        if !self.is_over(bundle) {
            self.greater_stays(bundle, desk);
        }
    }

    /// Whether the game is over with the greater row to move.
    fn is_over(&self, bundle: &Bundle<'_>) -> bool {
        bundle.greater == 0 || bundle.lesser == 0 && self.sowings.ends_with_other_row
    }

    fn lesser_leaves(&self, row: PackedRow, greater: usize, values: &mut [u8]) {
        let index = self.layout.index();
        let others = &self.rows[greater];
        for byte in 0..index.houses() {
            let Some((after, sowing)) = self.sowings.sow(row, byte) else {
                continue;
            };
            let Sowing {
                crossing, banked, ..
            } = sowing;
            let (seeds, rank) = index.rank(after);
            let other = greater + crossing;
            match sowing.last {
                Last::Own(last) if seeds_in(after, last) == 1 => {
                    let opposite = index.houses() - 1 - last;
                    let (seeds_left, rank_left) = index.rank(after - (1 << (8 * last)));
                    let by_taken = others.captured(self.sowings, crossing, opposite);
                    for (taken, moves) in by_taken.iter().enumerate() {
                        if moves.is_empty() {
                            continue;
                        }
                        if taken > 0 || self.sowings.empty_capture {
                            let other = other - taken;
                            let run = self.layout.run(Mover::Other, seeds_left, rank_left, other);
                            moves.apply(values, self.past, run, banked + taken + 1, Turn::Passes);
                        } else if banked > 0 {
                            let run = self.layout.run(Mover::Other, seeds, rank, other);
                            moves.apply(values, self.past, run, banked, Turn::Passes);
                        }
                    }
                }
                Last::Own(_) | Last::Other => {
                    if banked > 0 {
                        let run = self.layout.run(Mover::Other, seeds, rank, other);
                        others.crossed[crossing].apply(
                            values,
                            self.past,
                            run,
                            banked,
                            Turn::Passes,
                        );
                    }
                }
                Last::Store => {
                    let run = self.layout.run(Mover::Row, seeds, rank, other);
                    others.crossed[crossing].apply(values, self.past, run, banked, Turn::Stays);
                }
            }
        }
    }

    fn lesser_stays(
        &self,
        row: PackedRow,
        greater: usize,
        greater_moves: &[&[u8]],
        values: &mut [u8],
    ) {
        let index = self.layout.index();
        let others = &self.rows[greater];
        for (_, last, after) in self.sowings.staying(row) {
            let from = greater_moves[index.rank(after).1];
            let moves = if seeds_in(after, last) > 1 {
                &others.crossed[0]
            } else if self.sowings.empty_capture {
                continue;
            } else {
                let opposite = index.houses() - 1 - last;
                &others.captured(self.sowings, 0, opposite)[0]
            };
            moves.apply(
                values,
                from,
                Run {
                    start: 0,
                    stride: 1,
                },
                0,
                Turn::Passes,
            );
        }
    }

    fn greater_leaves(&self, bundle: &mut Bundle<'_>, desk: &mut Desk) {
        let index = self.layout.index();
        let len = index.rows(bundle.greater);
        // No sowing leads to more rows.
        let (best, read) = desk.lanes(len, len);
        best.fill([0; LANES]);
        for sown in self.rows[bundle.greater]
            .sown
            .iter()
            .filter(|sown| sown.leaves())
        {
            let Some((effect, runs)) = self.of_all(sown, bundle) else {
                continue;
            };
            let read = &mut read[..index.rows(sown.seeds)];
            gather(self.past, &runs, &sown.squares, read);
            sown.pairs.apply(best, read, &effect);
        }
        put(best, &mut bundle.greater_moves);
    }

    /// What a sowing does in which lane, and where the values lie that it leads to; `None` if no lesser row
    /// is such that there is this sowing.
    fn of_all(&self, sown: &Sown, bundle: &Bundle<'_>) -> Option<(Effect, [Option<Run>; LANES])> {
        let mut effect = Effect::new(sown.end.turn());
        let mut runs = [None; LANES];
        for (lane, &rank) in bundle.ranks.iter().enumerate() {
            let row = self.rows[bundle.lesser].all[rank];
            let row = self.sowings.crossed(row, sown.crossing);
            let (left, captured) = match sown.end {
                End::Passes | End::Bonus => (row, 0),
                End::Capture(byte) if self.may_capture(row, byte) => {
                    let taken = seeds_in(row, byte);
                    (row - ((taken as PackedRow) << (8 * byte)), taken + 1)
                }
                End::NoCapture(byte) if !self.may_capture(row, byte) => (row, 0),
                End::Capture(_) | End::NoCapture(_) => continue,
            };
            let (seeds, rank) = self.layout.index().rank(left);
            let mover = match sown.end.turn() {
                Turn::Passes => Mover::Row,
                Turn::Stays => Mover::Other,
            };
            effect.set(lane, sown.banked + captured);
            runs[lane] = Some(self.layout.run(mover, seeds, rank, sown.seeds));
        }
        runs.iter().any(Option::is_some).then_some((effect, runs))
    }

    fn may_capture(&self, row: PackedRow, byte: usize) -> bool {
        seeds_in(row, byte) > 0 || self.sowings.empty_capture
    }

    fn greater_stays(&self, bundle: &mut Bundle<'_>, desk: &mut Desk) {
        let len = self.layout.index().rows(bundle.greater);
        let (best, read) = desk.lanes(len, len);
        best.fill([0; LANES]);
        gather_rows(&bundle.lesser_moves, read);
        for sown in self.rows[bundle.greater]
            .sown
            .iter()
            .filter(|sown| !sown.leaves())
        {
            let mut effect = Effect::new(Turn::Passes);
            for (lane, &rank) in bundle.ranks.iter().enumerate() {
                let row = self.rows[bundle.lesser].all[rank];
                let stays = match sown.end {
                    End::NoCapture(byte) => !self.may_capture(row, byte),
                    End::Passes | End::Bonus | End::Capture(_) => true,
                };
                if stays {
                    effect.set(lane, 0);
                }
            }
            sown.pairs.apply(best, read, &effect);
        }
        raise(best, &mut bundle.greater_moves);
    }
}
