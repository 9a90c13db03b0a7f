//! Values of several lesser rows side by side.
//!
//! Sowings of the greater row take values from there and here among all greater rows, one at a time. But
//! they do so in the same way for every lesser row: with the values of [`LANES`] lesser rows next to each
//! other, what was a value is a vector. Rows are brought into lanes and back by turning squares of
//! `LANES` by `LANES` values.

use crate::generate::rank_map::TurnChange;
use crate::index::StridedRun;
use crate::values::{PREFETCH_DISTANCE, prefetch};

/// Lesser rows that are worked together: as many as a vector of every x86-64 has bytes.
pub(crate) const LANES: usize = 16;

/// Values of so many lesser rows against one greater row.
pub(crate) type Lanes = [u8; LANES];

/// Pairs (to, from) of ranks of greater rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankPairs {
    pairs: Vec<[u32; 2]>,
}

/// What a sowing does in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneEffect {
    turn: TurnChange,
    /// Banked on the way.
    banked: Lanes,
    /// All bits of the lanes that have such a sowing, and none of the others.
    mask: Lanes,
}

impl LaneEffect {
    /// As if no lane had such a sowing.
    pub(crate) fn new(turn: TurnChange) -> Self {
        Self {
            turn,
            banked: [0; LANES],
            mask: [0; LANES],
        }
    }

    /// Such a sowing in this lane, with so much banked.
    pub(crate) fn set_lane(&mut self, lane: usize, banked: usize) {
        self.banked[lane] = u8::try_from(banked).expect("a table has fewer seeds");
        self.mask[lane] = u8::MAX;
    }
}

impl RankPairs {
    pub(crate) fn push(&mut self, to: usize, from: usize) {
        const FIT: &str = "a table has fewer rows of a kind";
        self.pairs
            .push([to, from].map(|rank| u32::try_from(rank).expect(FIT)));
    }

    /// Takes each value of `from`, with what is banked, where it is greater than that of `to`.
    pub(crate) fn apply(&self, to: &mut [Lanes], from: &[Lanes], effect: &LaneEffect) {
        let LaneEffect {
            turn,
            banked,
            mask: lanes,
        } = *effect;
        // A value whose bits are all turned round is -1 minus the value.
        let (turned, banked) = match turn {
            TurnChange::Passes => (u8::MAX, banked.map(|banked| banked.wrapping_add(1))),
            TurnChange::Stays => (0, banked),
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
    pub(crate) fn source_tiles(&self, len: usize) -> Vec<usize> {
        let mut read = vec![false; len.div_ceil(LANES)];
        for &[_, source] in &self.pairs {
            read[source as usize / LANES] = true;
        }
        let squares = read.iter().enumerate().filter(|&(_, &read)| read);
        squares
            .map(|(square, _)| tile_start(square * LANES, len))
            .collect()
    }
}

/// Where a square begins that has this rank in it, and none behind the last.
fn tile_start(rank: usize, len: usize) -> usize {
    rank.min(len.saturating_sub(LANES))
}

/// Where squares begin that hold all ranks.
fn all_tiles(len: usize) -> impl Iterator<Item = usize> {
    (0..len)
        .step_by(LANES)
        .map(move |rank| tile_start(rank, len))
}

/// Brings runs into lanes, as far as `squares` say: the values of each run against all greater rows. What is in
/// lanes without a run has no meaning.
///
/// Runs whose values lie side by side are turned. Others lie one behind the other where lesser and greater
/// rows have changed their parts, and then, for one greater row, several runs' values side by side.
pub(crate) fn gather(
    values: &[u8],
    runs: &[Option<StridedRun>; LANES],
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
            let rows = runs.map(|run| load_lanes(values, run.start + square));
            to[square..square + LANES].copy_from_slice(&transpose(&rows));
        }
    } else if let Some(pieces) = adjacent_lanes(&runs, values.len(), len) {
        let stride = some.stride;
        for rank in squares.iter().copied().flat_map(in_square) {
            let mut lanes = [0; LANES];
            for piece in &pieces {
                let at = piece.start + rank * stride;
                if let Some(soon) = values.get(at + PREFETCH_DISTANCE * stride) {
                    prefetch(soon);
                }
                let values = load_lanes(values, at);
                for lane in 0..LANES {
                    lanes[lane] |= values[lane] & piece.mask[lane];
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
struct AdjacentLanes {
    /// Where the run of the first lane would begin.
    start: usize,
    /// All bits of these lanes, and none of the others.
    mask: Lanes,
}

/// The runs of so many values as pieces; `None` if they are not all alike, or if a whole piece would go beyond
/// `values`.
fn adjacent_lanes(
    runs: &[StridedRun; LANES],
    values: usize,
    len: usize,
) -> Option<Vec<AdjacentLanes>> {
    let stride = runs[0].stride;
    let mut pieces: Vec<AdjacentLanes> = Vec::new();
    for (lane, run) in runs.iter().enumerate() {
        let start = run.start.checked_sub(lane)?;
        if run.stride != stride || start + (len - 1) * stride + LANES > values {
            return None;
        }
        if pieces.last().is_none_or(|piece| piece.start != start) {
            let lanes = [0; LANES];
            pieces.push(AdjacentLanes { start, mask: lanes });
        }
        if let Some(piece) = pieces.last_mut() {
            piece.mask[lane] = u8::MAX;
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
    for square in all_tiles(to.len()) {
        let mut values = [[0; LANES]; LANES];
        for (values, row) in values.iter_mut().zip(rows) {
            *values = load_lanes(row, square);
        }
        to[square..square + LANES].copy_from_slice(&transpose(&values));
    }
}

/// Brings lanes into rows.
pub(crate) fn scatter_rows(from: &[Lanes], rows: &mut [&mut [u8]]) {
    scatter_with(from, rows, |_, new| new);
}

/// Brings what is greater in lanes into rows.
pub(crate) fn scatter_max(from: &[Lanes], rows: &mut [&mut [u8]]) {
    scatter_with(from, rows, u8::max);
}

#[inline]
fn scatter_with(from: &[Lanes], rows: &mut [&mut [u8]], value: impl Fn(u8, u8) -> u8) {
    if from.len() < LANES {
        for (lane, row) in rows.iter_mut().enumerate() {
            for (to, from) in row.iter_mut().zip(from) {
                *to = value(*to, from[lane]);
            }
        }
        return;
    }
    for square in all_tiles(from.len()) {
        let mut lanes = [[0; LANES]; LANES];
        lanes.copy_from_slice(&from[square..square + LANES]);
        for (row, values) in rows.iter_mut().zip(transpose(&lanes)) {
            for (to, from) in row[square..square + LANES].iter_mut().zip(values) {
                *to = value(*to, from);
            }
        }
    }
}

#[inline]
fn load_lanes(values: &[u8], at: usize) -> Lanes {
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
fn transpose(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    // SAFETY: every x86-64 processor has SSE2.
    unsafe { transpose_sse2(rows) }
}

/// Makes columns of rows.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn transpose(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    transpose_simd128(rows)
}

/// Makes columns of rows.
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
#[inline]
fn transpose(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    transpose_scalar(rows)
}

/// See [`transpose_with`].
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn transpose_sse2(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
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
    transpose_with(rows.each_ref().map(vector), low, high).map(lanes)
}

/// See [`transpose_with`].
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn transpose_simd128(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
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
    transpose_with(rows.each_ref().map(vector), low, high).map(lanes)
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
fn transpose_with<V: Copy>(
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
fn transpose_scalar(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    std::array::from_fn(|column| rows.map(|row| row[column]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::ZERO_GAIN;
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
    fn runs() -> impl Strategy<Value = [Option<StridedRun>; LANES]> {
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
                    (!absent[lane]).then_some(StridedRun { start, stride })
                })
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 300 }))]

        #[test]
        fn rows_and_columns_change_their_parts(values in values(LANES * LANES)) {
            let rows = std::array::from_fn(|row| load_lanes(&values, row * LANES));
            prop_assert_eq!(transpose(&rows), transpose_scalar(&rows));
        }

        #[test]
        fn runs_come_into_their_lanes(values in values(VALUES), runs in runs(), len in 1..MOST_ROWS) {
            let mut lanes = vec![[0; LANES]; len];
            let squares: Vec<_> = all_tiles(len).collect();
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
            let mut raised = vec![vec![ZERO_GAIN; len]; count];
            gather_rows(&rows.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>(), &mut lanes);
            for row in &mut written {
                row.fill(0);
            }
            scatter_rows(&lanes, &mut written.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
            scatter_max(&lanes, &mut raised.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
            prop_assert_eq!(&written, &rows);
            for (raised, row) in raised.iter().zip(&rows) {
                let greater: Vec<_> = row.iter().map(|&value| value.max(ZERO_GAIN)).collect();
                prop_assert_eq!(raised, &greater);
            }
        }

        #[test]
        fn lanes_are_worked_each_by_itself(
            pairs in prop::collection::vec((0..MOST_ROWS, 0..MOST_ROWS), 0..100),
            from in prop::collection::vec(prop::array::uniform16(60_u8..200), MOST_ROWS),
            to in prop::collection::vec(prop::array::uniform16(60_u8..200), MOST_ROWS),
            banked in prop::array::uniform16(prop::option::of(0_u8..40)),
            turn in prop_oneof![Just(TurnChange::Passes), Just(TurnChange::Stays)],
        ) {
            let mut list = RankPairs::default();
            let mut effect = LaneEffect::new(turn);
            for (lane, banked) in banked.iter().enumerate() {
                if let Some(banked) = banked {
                    effect.set_lane(lane, usize::from(*banked));
                }
            }
            let mut slow = to.clone();
            for &(at, source) in &pairs {
                list.push(at, source);
                for lane in 0..LANES {
                    if let Some(banked) = banked[lane] {
                        let gain = i32::from(from[source][lane]) - i32::from(ZERO_GAIN);
                        let gain = i32::from(banked) + if turn == TurnChange::Passes { -gain } else { gain };
                        let value = u8::try_from(gain + i32::from(ZERO_GAIN)).unwrap();
                        slow[at][lane] = slow[at][lane].max(value);
                    }
                }
            }
            let mut fast = to;
            list.apply(&mut fast, &from, &effect);
            prop_assert_eq!(&fast, &slow);
            for (_, source) in pairs {
                let squares = list.source_tiles(MOST_ROWS);
                prop_assert!(squares.iter().any(|&square| (square..square + LANES).contains(&source)));
            }
        }
    }
}
