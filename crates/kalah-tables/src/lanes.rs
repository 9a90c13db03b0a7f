//! Values of several lesser rows side by side.
//!
//! Sowings of the greater row take values from there and here among all greater rows, one at a time. But
//! they do so in the same way for every lesser row: with the values of [`LANES`] lesser rows next to each
//! other, what was a value is a vector. Rows are brought into lanes and back by turning squares of
//! `LANES` by `LANES` values.

use crate::layout::Run;
use crate::moves::Turn;
use crate::prefetch::{SOON, prefetch};

/// Lesser rows that are worked together: as many as a vector of every x86-64 has bytes.
pub(crate) const LANES: usize = 16;

/// Values of so many lesser rows against one greater row.
pub(crate) type Lanes = [u8; LANES];

/// Pairs (to, from) of ranks of greater rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    pairs: Vec<[u32; 2]>,
}

/// What a sowing does in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effect {
    turn: Turn,
    /// Banked on the way.
    banked: Lanes,
    /// All bits of the lanes that have such a sowing, and none of the others.
    lanes: Lanes,
}

impl Effect {
    /// As if no lane had such a sowing.
    pub(crate) fn new(turn: Turn) -> Self {
        Self {
            turn,
            banked: [0; LANES],
            lanes: [0; LANES],
        }
    }

    /// Such a sowing in this lane, with so much banked.
    pub(crate) fn set(&mut self, lane: usize, banked: usize) {
        self.banked[lane] = u8::try_from(banked).expect("a table has fewer seeds");
        self.lanes[lane] = u8::MAX;
    }
}

impl Pairs {
    pub(crate) fn push(&mut self, to: usize, from: usize) {
        const FIT: &str = "a table has fewer rows of a kind";
        self.pairs
            .push([to, from].map(|rank| u32::try_from(rank).expect(FIT)));
    }

    /// Takes each value of `from`, with what is banked, where it is greater than that of `to`.
    pub(crate) fn apply(&self, to: &mut [Lanes], from: &[Lanes], effect: &Effect) {
        let Effect {
            turn,
            banked,
            lanes,
        } = *effect;
        // A value whose bits are all turned round is -1 minus the value.
        let (turned, banked) = match turn {
            Turn::Passes => (u8::MAX, banked.map(|banked| banked.wrapping_add(1))),
            Turn::Stays => (0, banked),
        };
        for &[at, source] in &self.pairs {
            let source = &from[source as usize];
            let to = &mut to[at as usize];
            for lane in 0..LANES {
                let value = (source[lane] ^ turned).wrapping_add(banked[lane]) & lanes[lane];
                to[lane] = to[lane].max(value);
            }
        }
    }

    /// Where squares of [`LANES`] ranks begin that hold all ranks, of `len`, from which values are taken.
    pub(crate) fn squares(&self, len: usize) -> Vec<usize> {
        let mut read = vec![false; len.div_ceil(LANES)];
        for &[_, source] in &self.pairs {
            read[source as usize / LANES] = true;
        }
        let squares = read.iter().enumerate().filter(|&(_, &read)| read);
        squares
            .map(|(square, _)| square_at(square * LANES, len))
            .collect()
    }
}

/// Where a square begins that has this rank in it, and none behind the last.
fn square_at(rank: usize, len: usize) -> usize {
    rank.min(len.saturating_sub(LANES))
}

/// Where squares begin that hold all ranks.
fn all_squares(len: usize) -> impl Iterator<Item = usize> {
    (0..len)
        .step_by(LANES)
        .map(move |rank| square_at(rank, len))
}

/// Brings runs into lanes, as far as `squares` say: the values of each run against all greater rows. What is in
/// lanes without a run has no meaning.
///
/// Runs whose values lie side by side are turned. Others lie one behind the other where lesser and greater
/// rows have changed their parts, and then, for one greater row, several runs' values side by side.
pub(crate) fn gather(
    values: &[u8],
    runs: &[Option<Run>; LANES],
    squares: &[usize],
    to: &mut [Lanes],
) {
    let Some(some) = runs.iter().find_map(|run| *run) else {
        return;
    };
    let runs = runs.map(|run| run.unwrap_or(some));
    let len = to.len();
    let in_square = |square: usize| square..len.min(square + LANES);
    if runs.iter().all(|run| run.stride == 1) && len >= LANES {
        for &square in squares {
            let rows = runs.map(|run| lanes_at(values, run.start + square));
            to[square..square + LANES].copy_from_slice(&turn(&rows));
        }
    } else if let Some(pieces) = pieces(&runs, values.len(), len) {
        let stride = some.stride;
        for rank in squares.iter().copied().flat_map(in_square) {
            let mut lanes = [0; LANES];
            for piece in &pieces {
                let at = piece.start + rank * stride;
                if let Some(soon) = values.get(at + SOON * stride) {
                    prefetch(soon);
                }
                let values = lanes_at(values, at);
                for lane in 0..LANES {
                    lanes[lane] |= values[lane] & piece.lanes[lane];
                }
            }
            to[rank] = lanes;
        }
    } else {
        for rank in squares.iter().copied().flat_map(in_square) {
            to[rank] = runs.map(|run| values[run.start + rank * run.stride]);
        }
    }
}

/// Lanes whose runs lie beside each other.
struct Piece {
    /// Where the run of the first lane would begin.
    start: usize,
    /// All bits of these lanes, and none of the others.
    lanes: Lanes,
}

/// The runs of so many values as pieces; `None` if they are not all alike, or if a whole piece would go beyond
/// `values`.
fn pieces(runs: &[Run; LANES], values: usize, len: usize) -> Option<Vec<Piece>> {
    let stride = runs[0].stride;
    let mut pieces: Vec<Piece> = Vec::new();
    for (lane, run) in runs.iter().enumerate() {
        let start = run.start.checked_sub(lane)?;
        if run.stride != stride || start + (len - 1) * stride + LANES > values {
            return None;
        }
        if pieces.last().is_none_or(|piece| piece.start != start) {
            let lanes = [0; LANES];
            pieces.push(Piece { start, lanes });
        }
        if let Some(piece) = pieces.last_mut() {
            piece.lanes[lane] = u8::MAX;
        }
    }
    Some(pieces)
}

/// Brings rows into lanes.
pub(crate) fn gather_rows(rows: &[&mut [u8]], to: &mut [Lanes]) {
    if to.len() < LANES {
        for (rank, to) in to.iter_mut().enumerate() {
            for (to, row) in to.iter_mut().zip(rows) {
                *to = row[rank];
            }
        }
        return;
    }
    for square in all_squares(to.len()) {
        let mut values = [[0; LANES]; LANES];
        for (values, row) in values.iter_mut().zip(rows) {
            *values = lanes_at(row, square);
        }
        to[square..square + LANES].copy_from_slice(&turn(&values));
    }
}

/// Brings lanes into rows.
pub(crate) fn put(from: &[Lanes], rows: &mut [&mut [u8]]) {
    scatter(from, rows, |_, new| new);
}

/// Brings what is greater in lanes into rows.
pub(crate) fn raise(from: &[Lanes], rows: &mut [&mut [u8]]) {
    scatter(from, rows, u8::max);
}

#[inline]
fn scatter(from: &[Lanes], rows: &mut [&mut [u8]], value: impl Fn(u8, u8) -> u8) {
    if from.len() < LANES {
        for (lane, row) in rows.iter_mut().enumerate() {
            for (to, from) in row.iter_mut().zip(from) {
                *to = value(*to, from[lane]);
            }
        }
        return;
    }
    for square in all_squares(from.len()) {
        let mut lanes = [[0; LANES]; LANES];
        lanes.copy_from_slice(&from[square..square + LANES]);
        for (row, values) in rows.iter_mut().zip(turn(&lanes)) {
            for (to, from) in row[square..square + LANES].iter_mut().zip(values) {
                *to = value(*to, from);
            }
        }
    }
}

#[inline]
fn lanes_at(values: &[u8], at: usize) -> Lanes {
    let mut lanes = [0; LANES];
    lanes.copy_from_slice(&values[at..at + LANES]);
    lanes
}

/// Makes columns of rows.
#[cfg(target_arch = "x86_64")]
#[inline]
#[expect(
    unsafe_code,
    reason = "the compiler does not see what all these processors have"
)]
fn turn(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    // SAFETY: every x86-64 processor has SSE2.
    unsafe { turn_sse2(rows) }
}

/// Makes columns of rows.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn turn(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    turn_simd128(rows)
}

/// Makes columns of rows.
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
#[inline]
fn turn(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    turn_plainly(rows)
}

/// See [`turned_by`].
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn turn_sse2(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    use std::arch::x86_64::{
        __m128i, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_unpackhi_epi8, _mm_unpackhi_epi64,
        _mm_unpacklo_epi8,
    };
    let vector = |lanes: &Lanes| {
        let halves = lanes.as_chunks().0;
        let [low, high] = [halves[0], halves[1]].map(i64::from_le_bytes);
        _mm_set_epi64x(high, low)
    };
    let lanes = |vector: __m128i| {
        let low = _mm_cvtsi128_si64(vector).cast_unsigned();
        let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(vector, vector)).cast_unsigned();
        (u128::from(low) | u128::from(high) << 64).to_le_bytes()
    };
    let low = |first, second| _mm_unpacklo_epi8(first, second);
    let high = |first, second| _mm_unpackhi_epi8(first, second);
    turned_by(rows.each_ref().map(vector), low, high).map(lanes)
}

/// See [`turned_by`].
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn turn_simd128(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    use std::arch::wasm32::{u8x16_shuffle, u64x2, u64x2_extract_lane, v128};

    let vector = |lanes: &Lanes| {
        let halves = lanes.as_chunks().0;
        let [low, high] = [halves[0], halves[1]].map(u64::from_le_bytes);
        u64x2(low, high)
    };
    let lanes = |vector: v128| {
        let low = u64x2_extract_lane::<0>(vector);
        let high = u64x2_extract_lane::<1>(vector);
        (u128::from(low) | u128::from(high) << 64).to_le_bytes()
    };
    let low = |first, second| {
        u8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(first, second)
    };
    let high = |first, second| {
        u8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(first, second)
    };
    turned_by(rows.each_ref().map(vector), low, high).map(lanes)
}

/// Shuffles the rows' values into each other, those of the second half of the rows between those of the
/// first, as often as doubling leads to [`LANES`]. Of two rows `low` shuffles the first halves, `high` the second.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
#[expect(
    clippy::inline_always,
    reason = "compiled once for each instruction set"
)]
#[inline(always)]
fn turned_by<V: Copy>(
    rows: [V; LANES],
    low: impl Fn(V, V) -> V,
    high: impl Fn(V, V) -> V,
) -> [V; LANES] {
    let shuffled = |rows: [V; LANES]| {
        let low = |row: usize| low(rows[row], rows[row + LANES / 2]);
        let high = |row: usize| high(rows[row], rows[row + LANES / 2]);
        [
            low(0),
            high(0),
            low(1),
            high(1),
            low(2),
            high(2),
            low(3),
            high(3),
            low(4),
            high(4),
            low(5),
            high(5),
            low(6),
            high(6),
            low(7),
            high(7),
        ]
    };
    shuffled(shuffled(shuffled(shuffled(rows))))
}

/// The slow obvious form, for other processors too.
#[cfg(any(
    test,
    not(any(
        target_arch = "x86_64",
        all(target_arch = "wasm32", target_feature = "simd128")
    ))
))]
fn turn_plainly(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    std::array::from_fn(|column| rows.map(|row| row[column]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::NO_GAIN;
    use proptest::prelude::*;

    /// Greater rows of a case.
    const MOST_ROWS: usize = 70;

    /// Values of a case: enough for runs that begin anywhere in the first of them, with any stride.
    const MOST_STRIDE: usize = 20;
    const STARTS: usize = 200;
    const VALUES: usize = STARTS + MOST_ROWS * MOST_STRIDE;

    fn values(len: usize) -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(60_u8..200, len)
    }

    /// Runs with one stride or several, most of them beside each other.
    fn runs() -> impl Strategy<Value = [Option<Run>; LANES]> {
        let stride = prop_oneof![Just(1), 1..=MOST_STRIDE];
        let start = prop_oneof![9 => Just(None), 1 => (0..STARTS - LANES).prop_map(Some)];
        let changes = prop::collection::vec(start, LANES);
        let absent = prop::collection::vec(prop::bool::weighted(0.1), LANES);
        let odd = prop::option::weighted(0.1, 0..LANES);
        (stride, 0..STARTS - LANES, changes, absent, odd).prop_map(
            |(stride, mut start, changes, absent, odd)| {
                std::array::from_fn(|lane| {
                    start = changes[lane].unwrap_or(start + 1).min(STARTS);
                    let stride = if odd == Some(lane) { 1 } else { stride };
                    (!absent[lane]).then_some(Run { start, stride })
                })
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 300 }))]

        #[test]
        fn rows_and_columns_change_their_parts(values in values(LANES * LANES)) {
            let rows = std::array::from_fn(|row| lanes_at(&values, row * LANES));
            prop_assert_eq!(turn(&rows), turn_plainly(&rows));
        }

        #[test]
        fn runs_come_into_their_lanes(values in values(VALUES), runs in runs(), len in 1..MOST_ROWS) {
            let mut lanes = vec![[0; LANES]; len];
            let squares: Vec<_> = all_squares(len).collect();
            gather(&values, &runs, &squares, &mut lanes);
            for (rank, lanes) in lanes.iter().enumerate() {
                for (run, &value) in runs.iter().zip(lanes) {
                    if let Some(run) = run {
                        prop_assert_eq!(value, values[run.start + rank * run.stride]);
                    }
                }
            }
        }

        #[test]
        fn rows_come_into_lanes_and_back(
            values in values(LANES * MOST_ROWS),
            len in 1..MOST_ROWS,
            count in 1..=LANES,
        ) {
            let mut rows: Vec<_> = values.chunks(MOST_ROWS).map(|row| row[..len].to_vec()).collect();
            rows.truncate(count);
            let mut lanes = vec![[0; LANES]; len];
            let mut written = rows.clone();
            let mut raised = vec![vec![NO_GAIN; len]; count];
            gather_rows(&rows.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>(), &mut lanes);
            for row in &mut written {
                row.fill(0);
            }
            put(&lanes, &mut written.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
            raise(&lanes, &mut raised.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
            prop_assert_eq!(&written, &rows);
            for (raised, row) in raised.iter().zip(&rows) {
                let greater: Vec<_> = row.iter().map(|&value| value.max(NO_GAIN)).collect();
                prop_assert_eq!(raised, &greater);
            }
        }

        #[test]
        fn lanes_are_worked_each_by_itself(
            pairs in prop::collection::vec((0..MOST_ROWS, 0..MOST_ROWS), 0..100),
            from in prop::collection::vec(prop::array::uniform16(60_u8..200), MOST_ROWS),
            to in prop::collection::vec(prop::array::uniform16(60_u8..200), MOST_ROWS),
            banked in prop::array::uniform16(prop::option::of(0_u8..40)),
            turn in prop_oneof![Just(Turn::Passes), Just(Turn::Stays)],
        ) {
            let mut list = Pairs::default();
            let mut effect = Effect::new(turn);
            for (lane, banked) in banked.iter().enumerate() {
                if let Some(banked) = banked {
                    effect.set(lane, usize::from(*banked));
                }
            }
            let mut slow = to.clone();
            for &(at, source) in &pairs {
                list.push(at, source);
                for lane in 0..LANES {
                    if let Some(banked) = banked[lane] {
                        let gain = i32::from(from[source][lane]) - i32::from(NO_GAIN);
                        let gain = i32::from(banked) + if turn == Turn::Passes { -gain } else { gain };
                        let value = u8::try_from(gain + i32::from(NO_GAIN)).unwrap();
                        slow[at][lane] = slow[at][lane].max(value);
                    }
                }
            }
            let mut fast = to;
            list.apply(&mut fast, &from, &effect);
            prop_assert_eq!(&fast, &slow);
            for (_, source) in pairs {
                let squares = list.squares(MOST_ROWS);
                prop_assert!(squares.iter().any(|&square| (square..square + LANES).contains(&source)));
            }
        }
    }
}
