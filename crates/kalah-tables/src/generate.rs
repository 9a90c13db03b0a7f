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

use rayon::prelude::*;

use crate::layout::Layout;
use crate::memory::Memory;
use crate::moves::{Run, Turn};
use crate::row_index::PackedRow;
use crate::rows::{End, Rows, Sown};
use crate::sowings::{Last, Sowing, Sowings, seeds_in};

/// A gain of nothing as a byte: a value is a gain and this.
pub(crate) const NO_GAIN: u8 = 128;

/// A table in the making.
pub(crate) struct Generator {
    sowings: Sowings,
    layout: Layout,
    /// By seeds.
    rows: Vec<Rows>,
    values: Memory,
    /// By the seeds in either row, values with the second side to move.
    twins: Vec<Vec<u8>>,
    /// By the seeds in the greater row, values of the last layer with the greater row to move, greater
    /// rows first.
    turned: Vec<Vec<u8>>,
    /// Layers that are done.
    layers: usize,
    /// Where rows are computed before they are put in their place.
    desk: Vec<u8>,
}

/// Some lesser rows of one distance.
struct Task<'a> {
    lesser: usize,
    ranks: &'a [usize],
    /// For each of them the values with the lesser row to move, then with the greater.
    desk: &'a mut [u8],
}

/// Values that are worth a thread's while.
const VALUES_PER_TASK: usize = 1 << 16;

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
            twins: Vec::new(),
            turned: Vec::new(),
            layers: 0,
            desk: Vec::new(),
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
        let pairs = (0..layers).step_by(2).map(|total| total / 2);
        self.twins = pairs
            .map(|row| {
                let rows = self.layout.index().rows(row);
                let start = self.layout.place(row, row).start;
                let mut twins = vec![0; rows * rows];
                transpose(&self.values[start..], rows, &mut twins, rows);
                twins
            })
            .collect();
        self.turned = match layers.checked_sub(1) {
            Some(last) if last < self.layout.seeds() => self.turn(last),
            _ => Vec::new(),
        };
    }

    /// Computes the next layer, and tells again and again how many of its values are done. Who breaks it
    /// off is left with nothing to go on with.
    pub(crate) fn layer(
        &mut self,
        observer: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let total = self.layers;
        if total.is_multiple_of(2) {
            self.twins
                .push(vec![0; self.layout.index().rows(total / 2).pow(2)]);
        }
        let mut desk = std::mem::take(&mut self.desk);
        let distances = (0..=total / 2)
            .map(|lesser| self.rows[lesser].by_distance.len())
            .max();
        let mut done = 0;
        for distance in 0..distances.unwrap_or(0) {
            self.distance(total, distance, &mut desk);
            done += self.values_at(total, distance);
            observer(done)?;
        }
        self.desk = desk;
        self.turned = if total < self.layout.seeds() {
            self.turn(total)
        } else {
            Vec::new()
        };
        self.layers += 1;
        ControlFlow::Continue(())
    }

    /// How many values of a layer have a lesser row of this distance.
    fn values_at(&self, total: usize, distance: usize) -> u64 {
        let values = |lesser: usize| {
            let ranks = self.rows[lesser].by_distance.get(distance);
            let sides = if 2 * lesser < total { 2 } else { 1 };
            sides * ranks.map_or(0, Vec::len) * self.layout.index().rows(total - lesser)
        };
        (0..=total / 2).map(values).sum::<usize>() as u64
    }

    /// Computes the values of lesser rows of one distance.
    fn distance(&mut self, total: usize, distance: usize, desk: &mut Vec<u8>) {
        let index = self.layout.index();
        let with_rows = |lesser: &usize| self.rows[*lesser].by_distance.len() > distance;
        let lessers: Vec<_> = (0..=total / 2).filter(with_rows).collect();
        let width = |lesser: usize| 2 * index.rows(total - lesser);
        let needed = lessers
            .iter()
            .map(|&lesser| self.rows[lesser].by_distance[distance].len() * width(lesser))
            .sum();
        if desk.len() < needed {
            desk.resize(needed, 0);
        }

        let mut rest = desk.as_mut_slice();
        let mut tasks = Vec::new();
        for &lesser in &lessers {
            let width = width(lesser);
            for ranks in
                self.rows[lesser].by_distance[distance].chunks(VALUES_PER_TASK.div_ceil(width))
            {
                let (desk, after) = rest.split_at_mut(ranks.len() * width);
                rest = after;
                tasks.push(Task {
                    lesser,
                    ranks,
                    desk,
                });
            }
        }
        let work = |task: &mut Task<'_>| {
            let width = width(task.lesser);
            for (&rank, desk) in task.ranks.iter().zip(task.desk.chunks_exact_mut(width)) {
                let (lesser_moves, greater_moves) = desk.split_at_mut(width / 2);
                self.row(
                    task.lesser,
                    total - task.lesser,
                    rank,
                    lesser_moves,
                    greater_moves,
                );
            }
        };
        if needed <= VALUES_PER_TASK {
            tasks.iter_mut().for_each(work);
        } else {
            tasks.par_iter_mut().with_max_len(1).for_each(work);
        }
        self.put(total, distance, &lessers, desk);
    }

    /// Puts the values of a distance from the desk into their places.
    fn put(&mut self, total: usize, distance: usize, lessers: &[usize], desk: &[u8]) {
        let Self {
            layout,
            rows,
            values,
            twins,
            ..
        } = self;
        let index = layout.index();
        let mut copies = Vec::new();
        let mut values = Places {
            rest: &mut *values,
            start: 0,
        };
        let mut twins = twins.last_mut();
        let mut desk = desk;
        for &lesser in lessers {
            let greater = total - lesser;
            let len = index.rows(greater);
            let ranks = &rows[lesser].by_distance[distance];
            let (these, after) = desk.split_at(ranks.len() * 2 * len);
            desk = after;
            let start = layout.place(lesser, greater).start;
            for (&rank, run) in ranks.iter().zip(these.chunks_exact(2 * len)) {
                copies.push((values.take(start + rank * len, len), &run[..len]));
            }
            let seconds = ranks
                .iter()
                .zip(these.chunks_exact(2 * len).map(|run| &run[len..]));
            if lesser < greater {
                let start = layout.place(greater, lesser).start;
                for (&rank, run) in seconds {
                    copies.push((values.take(start + rank * len, len), run));
                }
            } else if let Some(twins) = twins.take() {
                let mut twins = Places {
                    rest: twins,
                    start: 0,
                };
                for (&rank, run) in seconds {
                    copies.push((twins.take(rank * len, len), run));
                }
            }
        }
        let copy = |(to, from): (&mut [u8], &[u8])| to.copy_from_slice(from);
        if copies.iter().map(|(to, _)| to.len()).sum::<usize>() <= VALUES_PER_TASK {
            copies.into_iter().for_each(copy);
        } else {
            copies.into_par_iter().with_min_len(16).for_each(copy);
        }
    }

    /// The values of a layer with the greater row to move, greater rows first.
    fn turn(&self, total: usize) -> Vec<Vec<u8>> {
        let index = self.layout.index();
        let mut turned = vec![Vec::new(); total + 1];
        for lesser in 1..total.div_ceil(2) {
            let greater = total - lesser;
            let (few, many) = (index.rows(lesser), index.rows(greater));
            let start = self.layout.place(greater, lesser).start;
            let from = &self.values[start..start + few * many];
            let mut to = vec![0; few * many];
            to.par_chunks_mut(few * TILE)
                .enumerate()
                .for_each(|(tile, to)| {
                    transpose(&from[tile * TILE..], many, to, few);
                });
            turned[greater] = to;
        }
        turned
    }

    /// The values of a row with `seeds` against all rows with `other` seeds.
    fn run(&self, to_move: Mover, seeds: usize, rank: usize, other: usize) -> Run<'_> {
        let len = self.layout.index().rows(other);
        let side_by_side = |values| Run { values, stride: 1 };
        if to_move == Mover::Other && seeds == other {
            return side_by_side(&self.twins[seeds][rank * len..][..len]);
        }
        if to_move == Mover::Row && seeds > other && other > 0 && seeds + other + 1 == self.layers {
            return side_by_side(&self.turned[seeds][rank * len..][..len]);
        }
        let (place, step, stride) = match to_move {
            Mover::Row => {
                let place = self.layout.place(seeds, other);
                (place, place.mover, place.other)
            }
            Mover::Other => {
                let place = self.layout.place(other, seeds);
                (place, place.other, place.mover)
            }
        };
        let start = place.start + rank * step;
        Run {
            values: &self.values[start..=start + (len - 1) * stride],
            stride,
        }
    }

    /// Computes the values of one lesser row against all greater rows, with either to move.
    fn row(
        &self,
        lesser: usize,
        greater: usize,
        rank: usize,
        lesser_moves: &mut [u8],
        greater_moves: &mut [u8],
    ) {
        let row = self.rows[lesser].all[rank];
        // Who has nothing to sow loses what the other sweeps.
        if lesser == 0 {
            lesser_moves.fill(lost(greater));
        } else {
            self.lesser_moves(row, greater, lesser_moves);
        }
        if greater == 0 {
            greater_moves.fill(NO_GAIN);
        } else if lesser == 0 && self.sowings.ends_with_other_row {
            greater_moves.fill(won(greater));
        } else {
            self.greater_moves(row, rank, lesser, greater, lesser_moves, greater_moves);
        }
    }

    fn lesser_moves(&self, row: PackedRow, greater: usize, values: &mut [u8]) {
        values.fill(0);
        let others = &self.rows[greater];
        for byte in 0..self.layout.index().houses() {
            let Some((after, sowing)) = self.sowings.sow(row, byte) else {
                continue;
            };
            let (seeds, rank) = self.layout.index().rank(after);
            let Sowing {
                crossing, banked, ..
            } = sowing;
            let other = greater + crossing;
            match sowing.last {
                Last::Own(last) if seeds_in(after, last) == 1 => {
                    let opposite = self.layout.index().houses() - 1 - last;
                    let (seeds_left, rank_left) =
                        self.layout.index().rank(after - (1 << (8 * last)));
                    let by_taken = others.captured(&self.sowings, crossing, opposite);
                    for (taken, moves) in by_taken.iter().enumerate() {
                        if moves.is_empty() {
                            continue;
                        }
                        if taken > 0 || self.sowings.empty_capture {
                            let run = self.run(Mover::Other, seeds_left, rank_left, other - taken);
                            moves.apply(values, run, banked + taken + 1, Turn::Passes);
                        } else {
                            let run = self.run(Mover::Other, seeds, rank, other);
                            moves.apply(values, run, banked, Turn::Passes);
                        }
                    }
                }
                Last::Own(_) | Last::Other => {
                    let run = self.run(Mover::Other, seeds, rank, other);
                    others.crossed[crossing].apply(values, run, banked, Turn::Passes);
                }
                Last::Store => {
                    let run = self.run(Mover::Row, seeds, rank, other);
                    others.crossed[crossing].apply(values, run, banked, Turn::Stays);
                }
            }
        }
    }

    fn greater_moves(
        &self,
        row: PackedRow,
        rank: usize,
        lesser: usize,
        greater: usize,
        lesser_moves: &[u8],
        values: &mut [u8],
    ) {
        values.fill(0);
        for sown in &self.rows[greater].sown {
            let Sown {
                crossing, banked, ..
            } = *sown;
            let other = greater - crossing - banked;
            let (crossed, seeds, rank) = if crossing == 0 {
                (row, lesser, rank)
            } else {
                let crossed = self.sowings.crossed(row, crossing);
                let (seeds, rank) = self.layout.index().rank(crossed);
                (crossed, seeds, rank)
            };
            let passed = || {
                if crossing == 0 {
                    Run {
                        values: lesser_moves,
                        stride: 1,
                    }
                } else {
                    self.run(Mover::Row, seeds, rank, other)
                }
            };
            let may_capture = |taken| taken > 0 || self.sowings.empty_capture;
            match sown.end {
                End::Passes => sown.moves.apply(values, passed(), banked, Turn::Passes),
                End::Bonus => {
                    let run = self.run(Mover::Other, seeds, rank, other);
                    sown.moves.apply(values, run, banked, Turn::Stays);
                }
                End::Capture(byte) => {
                    let taken = seeds_in(crossed, byte);
                    if may_capture(taken) {
                        let left = crossed - ((taken as PackedRow) << (8 * byte));
                        let (seeds, rank) = self.layout.index().rank(left);
                        let run = self.run(Mover::Row, seeds, rank, other - 1);
                        sown.moves
                            .apply(values, run, banked + taken + 1, Turn::Passes);
                    }
                }
                End::NoCapture(byte) => {
                    if !may_capture(seeds_in(crossed, byte)) {
                        sown.moves.apply(values, passed(), banked, Turn::Passes);
                    }
                }
            }
        }
    }
}

/// Whose turn it is: the side's whose row is given, or the other's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mover {
    Row,
    Other,
}

/// The value of gaining all of so many seeds.
fn won(seeds: usize) -> u8 {
    NO_GAIN + u8::try_from(seeds).expect("a table has fewer seeds")
}

/// The value of losing all of so many seeds.
fn lost(seeds: usize) -> u8 {
    NO_GAIN - u8::try_from(seeds).expect("a table has fewer seeds")
}

/// Values from which places are taken one after the other, each to be written by itself.
struct Places<'a> {
    rest: &'a mut [u8],
    /// Where `rest` starts.
    start: usize,
}

impl<'a> Places<'a> {
    /// The place of `len` values at `start`, behind all that were taken before.
    fn take(&mut self, start: usize, len: usize) -> &'a mut [u8] {
        let rest = std::mem::take(&mut self.rest);
        let (place, rest) = rest[start - self.start..].split_at_mut(len);
        self.rest = rest;
        self.start = start + len;
        place
    }
}

/// Rows and columns that are turned together, so that both fit the fastest cache.
const TILE: usize = 64;

/// Turns the first columns of a matrix, as many as `to` has rows, into rows. `from` has `columns` columns,
/// counted from its own start, and `rows` rows.
fn transpose(from: &[u8], columns: usize, to: &mut [u8], rows: usize) {
    for first_row in (0..rows).step_by(TILE) {
        for (column, to) in to.chunks_exact_mut(rows).enumerate() {
            let to = &mut to[first_row..rows.min(first_row + TILE)];
            for (row, to) in (first_row..).zip(to) {
                *to = from[row * columns + column];
            }
        }
    }
}
