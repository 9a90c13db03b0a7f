//! Lanes: the values of several lesser rows side by side.
//!
//! A sowing of the greater row reads values at scattered ranks of greater rows, one at a time. But
//! it does so in the same way for every lesser row: with the values of [`LANES`] lesser rows side
//! by side, each scalar becomes a vector. Rows are brought into lanes and back by transposing tiles
//! of `LANES` by `LANES` values.

use crate::generate::rank_map::TurnChange;
use crate::index::StridedRun;
use crate::values::{PREFETCH_DISTANCE, prefetch};

/// The number of lesser rows in a batch: the bytes of a vector that every x86-64 processor has.
pub(crate) const LANES: usize = 16;

/// The values of [`LANES`] lesser rows against one greater row.
pub(crate) type Lanes = [u8; LANES];

/// Pairs (to, from) of ranks of greater rows: a value at rank `to` follows from one at rank `from`.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankPairs {
    pairs: Vec<[u32; 2]>,
}

/// The effect of a sowing in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneEffect {
    turn: TurnChange,
    /// The seeds banked and captured.
    banked: Lanes,
    /// All bits set in the lanes in which the sowing exists, and none in the others.
    mask: Lanes,
}

impl LaneEffect {
    /// Returns the effect of a sowing that exists in no lane.
    pub(crate) fn new(turn: TurnChange) -> Self {
        Self {
            turn,
            banked: [0; LANES],
            mask: [0; LANES],
        }
    }

    /// Adds the sowing to a lane, where it banks and captures `banked` seeds.
    pub(crate) fn set_lane(&mut self, lane: usize, banked: usize) {
        self.banked[lane] = u8::try_from(banked).expect("seeds of a table fit a byte");
        self.mask[lane] = u8::MAX;
    }
}

impl RankPairs {
    pub(crate) fn push(&mut self, to: usize, from: usize) {
        const FIT: &str = "ranks of a table fit 32 bits";
        self.pairs
            .push([to, from].map(|rank| u32::try_from(rank).expect(FIT)));
    }

    /// Raises each value of `to` to the one that the paired value of `from` and the effect imply,
    /// if that is greater.
    pub(crate) fn apply(&self, to: &mut [Lanes], from: &[Lanes], effect: &LaneEffect) {
        let LaneEffect { turn, banked, mask } = *effect;
        // Inverting all bits of a value v yields -1 - v.
        let (inversion, banked) = match turn {
            TurnChange::Passes => (u8::MAX, banked.map(|banked| banked.wrapping_add(1))),
            TurnChange::Stays => (0, banked),
        };
        for &[to_rank, from_rank] in &self.pairs {
            let source = &from[from_rank as usize];
            let to = &mut to[to_rank as usize];
            for lane in 0..LANES {
                let value = (source[lane] ^ inversion).wrapping_add(banked[lane]) & mask[lane];
                to[lane] = to[lane].max(value);
            }
        }
    }

    /// Returns the first ranks of tiles that contain all ranks from which values are read. A tile
    /// has [`LANES`] ranks; there are `len` ranks in all.
    pub(crate) fn source_tiles(&self, len: usize) -> Vec<usize> {
        let mut read = vec![false; len.div_ceil(LANES)];
        for &[_, source] in &self.pairs {
            read[source as usize / LANES] = true;
        }
        let tiles = read.iter().enumerate().filter(|&(_, &read)| read);
        tiles
            .map(|(tile, _)| tile_start(tile * LANES, len))
            .collect()
    }
}

/// Returns the first rank of a tile that contains `rank` and, if `len` allows, ends within `len`.
fn tile_start(rank: usize, len: usize) -> usize {
    rank.min(len.saturating_sub(LANES))
}

/// Returns the first ranks of tiles that contain all ranks.
fn all_tiles(len: usize) -> impl Iterator<Item = usize> {
    (0..len)
        .step_by(LANES)
        .map(move |rank| tile_start(rank, len))
}

/// Brings runs into lanes, for the ranks in `tiles`. Lanes without a run get meaningless values.
///
/// Runs with adjacent values are transposed. Where lesser and greater rows change roles, the values
/// of a run have a greater stride, and the values of several runs for one greater row are adjacent.
pub(crate) fn gather(
    values: &[u8],
    runs: &[Option<StridedRun>; LANES],
    tiles: &[usize],
    to: &mut [Lanes],
) {
    let Some(any_run) = runs.iter().find_map(|run| *run) else {
        return;
    };
    let runs = runs.map(|run| run.unwrap_or(any_run));
    let len = to.len();
    let ranks_in = |tile: usize| tile..len.min(tile + LANES);
    if runs.iter().all(|run| run.stride == 1) && len >= LANES {
        for &tile in tiles {
            let rows = runs.map(|run| load_lanes(values, run.start + tile));
            to[tile..tile + LANES].copy_from_slice(&transpose(&rows));
        }
    } else if let Some(groups) = adjacent_lanes(&runs, values.len(), len) {
        let stride = any_run.stride;
        for rank in tiles.iter().copied().flat_map(ranks_in) {
            let mut lanes = [0; LANES];
            for group in &groups {
                let start = group.start + rank * stride;
                if let Some(later) = values.get(start + PREFETCH_DISTANCE * stride) {
                    prefetch(later);
                }
                let values = load_lanes(values, start);
                for lane in 0..LANES {
                    lanes[lane] |= values[lane] & group.mask[lane];
                }
            }
            to[rank] = lanes;
        }
    } else {
        for rank in tiles.iter().copied().flat_map(ranks_in) {
            to[rank] = runs.map(|run| values[run.start + rank * run.stride]);
        }
    }
}

/// Lanes whose runs are adjacent: for each rank their values are side by side.
struct AdjacentLanes {
    /// The start of the run that lane 0 would have.
    start: usize,
    /// All bits set in these lanes, and none in the others.
    mask: Lanes,
}

/// Groups lanes whose runs are adjacent. Each run has `len` values. Returns `None` if the strides
/// differ, or if reading all lanes of a group would go beyond the `values` values.
fn adjacent_lanes(
    runs: &[StridedRun; LANES],
    values: usize,
    len: usize,
) -> Option<Vec<AdjacentLanes>> {
    let stride = runs[0].stride;
    let mut groups: Vec<AdjacentLanes> = Vec::new();
    for (lane, run) in runs.iter().enumerate() {
        let start = run.start.checked_sub(lane)?;
        if run.stride != stride || start + (len - 1) * stride + LANES > values {
            return None;
        }
        if groups.last().is_none_or(|group| group.start != start) {
            let mask = [0; LANES];
            groups.push(AdjacentLanes { start, mask });
        }
        if let Some(group) = groups.last_mut() {
            group.mask[lane] = u8::MAX;
        }
    }
    Some(groups)
}

/// Brings rows of adjacent values into lanes.
pub(crate) fn gather_rows(rows: &[&mut [u8]], to: &mut [Lanes]) {
    if to.len() < LANES {
        for (rank, to) in to.iter_mut().enumerate() {
            for (to, row) in to.iter_mut().zip(rows) {
                *to = row[rank];
            }
        }
        return;
    }
    for tile in all_tiles(to.len()) {
        let mut values = [[0; LANES]; LANES];
        for (values, row) in values.iter_mut().zip(rows) {
            *values = load_lanes(row, tile);
        }
        to[tile..tile + LANES].copy_from_slice(&transpose(&values));
    }
}

/// Brings lanes back into rows.
pub(crate) fn scatter_rows(from: &[Lanes], rows: &mut [&mut [u8]]) {
    scatter_with(from, rows, |_, new| new);
}

/// Raises the values of rows to those in lanes where the latter are greater.
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
    for tile in all_tiles(from.len()) {
        let mut lanes = [[0; LANES]; LANES];
        lanes.copy_from_slice(&from[tile..tile + LANES]);
        for (row, values) in rows.iter_mut().zip(transpose(&lanes)) {
            for (to, from) in row[tile..tile + LANES].iter_mut().zip(values) {
                *to = value(*to, from);
            }
        }
    }
}

#[inline]
fn load_lanes(values: &[u8], start: usize) -> Lanes {
    let mut lanes = [0; LANES];
    lanes.copy_from_slice(&values[start..start + LANES]);
    lanes
}

/// Transposes a tile.
#[cfg(target_arch = "x86_64")]
#[inline]
#[expect(
    unsafe_code,
    reason = "a call of a target feature function is unsafe even if all processors have it"
)]
fn transpose(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    // SAFETY: every x86-64 processor has SSE2.
    unsafe { transpose_sse2(rows) }
}

/// Transposes a tile.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn transpose(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    transpose_simd128(rows)
}

/// Transposes a tile.
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
#[inline]
fn transpose(rows: &[Lanes; LANES]) -> [Lanes; LANES] {
    transpose_scalar(rows)
}

/// Transposes a tile by [`transpose_with`].
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

/// Transposes a tile by [`transpose_with`].
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

/// Transposes a tile by perfect shuffles: interleaves the first half of the rows with the second
/// half, as many times as doubling takes to reach [`LANES`]. `low` interleaves the first halves of
/// two rows, `high` their second halves.
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
    let shuffle = |rows: [V; LANES]| {
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
    shuffle(shuffle(shuffle(shuffle(rows))))
}

/// Transposes a tile value by value: the portable form, and the reference in tests.
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

    /// The largest number of greater rows in a case.
    const MAX_ROWS: usize = 70;

    const MAX_STRIDE: usize = 20;

    /// The number of indices at which a run can start.
    const STARTS: usize = 200;

    /// The number of values of a case: enough for each start and stride.
    const VALUES: usize = STARTS + MAX_ROWS * MAX_STRIDE;

    fn values(len: usize) -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(60_u8..200, len)
    }

    fn slices(rows: &mut [Vec<u8>]) -> Vec<&mut [u8]> {
        rows.iter_mut().map(Vec::as_mut_slice).collect()
    }

    /// Runs with one stride or two, most of them adjacent.
    fn runs() -> impl Strategy<Value = [Option<StridedRun>; LANES]> {
        let stride = prop_oneof![Just(1), 1..=MAX_STRIDE];
        let start = prop_oneof![9 => Just(None), 1 => (0..STARTS - LANES).prop_map(Some)];
        let changes = prop::collection::vec(start, LANES);
        let absent = prop::collection::vec(prop::bool::weighted(0.1), LANES);
        let other_stride = prop::option::weighted(0.1, 0..LANES);
        (stride, 0..STARTS - LANES, changes, absent, other_stride).prop_map(
            |(stride, mut start, changes, absent, other_stride)| {
                std::array::from_fn(|lane| {
                    start = changes[lane].unwrap_or(start + 1).min(STARTS);
                    let stride = if other_stride == Some(lane) {
                        1
                    } else {
                        stride
                    };
                    (!absent[lane]).then_some(StridedRun { start, stride })
                })
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 300 }))]

        #[test]
        fn transpose_agrees_with_the_scalar_form(values in values(LANES * LANES)) {
            let rows = std::array::from_fn(|row| load_lanes(&values, row * LANES));
            prop_assert_eq!(transpose(&rows), transpose_scalar(&rows));
        }

        #[test]
        fn gather_brings_each_run_into_its_lane(
            values in values(VALUES),
            runs in runs(),
            len in 1..MAX_ROWS,
        ) {
            let mut lanes = vec![[0; LANES]; len];
            let tiles: Vec<_> = all_tiles(len).collect();
            gather(&values, &runs, &tiles, &mut lanes);
            for (rank, lanes) in lanes.iter().enumerate() {
                for (run, &value) in runs.iter().zip(lanes) {
                    if let Some(run) = run {
                        prop_assert_eq!(value, values[run.start + rank * run.stride]);
                    }
                }
            }
        }

        #[test]
        fn rows_survive_the_way_into_lanes_and_back(
            values in values(LANES * MAX_ROWS),
            len in 1..MAX_ROWS,
            count in 1..=LANES,
        ) {
            let mut rows: Vec<_> = values.chunks(MAX_ROWS).map(|row| row[..len].to_vec()).collect();
            rows.truncate(count);
            let mut lanes = vec![[0; LANES]; len];
            let mut written = rows.clone();
            let mut raised = vec![vec![ZERO_GAIN; len]; count];
            gather_rows(&slices(&mut rows), &mut lanes);
            for row in &mut written {
                row.fill(0);
            }
            scatter_rows(&lanes, &mut slices(&mut written));
            scatter_max(&lanes, &mut slices(&mut raised));
            prop_assert_eq!(&written, &rows);
            for (raised, row) in raised.iter().zip(&rows) {
                let greater: Vec<_> = row.iter().map(|&value| value.max(ZERO_GAIN)).collect();
                prop_assert_eq!(raised, &greater);
            }
        }

        #[test]
        fn apply_treats_each_lane_like_the_scalar_form(
            pairs in prop::collection::vec((0..MAX_ROWS, 0..MAX_ROWS), 0..100),
            from in prop::collection::vec(prop::array::uniform16(60_u8..200), MAX_ROWS),
            to in prop::collection::vec(prop::array::uniform16(60_u8..200), MAX_ROWS),
            banked in prop::array::uniform16(prop::option::of(0_u8..40)),
            turn in prop_oneof![Just(TurnChange::Passes), Just(TurnChange::Stays)],
        ) {
            let mut rank_pairs = RankPairs::default();
            let mut effect = LaneEffect::new(turn);
            for (lane, banked) in banked.iter().enumerate() {
                if let Some(banked) = banked {
                    effect.set_lane(lane, usize::from(*banked));
                }
            }
            let mut slow = to.clone();
            for &(to_rank, from_rank) in &pairs {
                rank_pairs.push(to_rank, from_rank);
                for lane in 0..LANES {
                    if let Some(banked) = banked[lane] {
                        let gain = i32::from(from[from_rank][lane]) - i32::from(ZERO_GAIN);
                        let next = if turn == TurnChange::Passes { -gain } else { gain };
                        let gain = i32::from(banked) + next;
                        let value = u8::try_from(gain + i32::from(ZERO_GAIN)).unwrap();
                        slow[to_rank][lane] = slow[to_rank][lane].max(value);
                    }
                }
            }
            let mut fast = to;
            rank_pairs.apply(&mut fast, &from, &effect);
            prop_assert_eq!(&fast, &slow);
            for (_, source) in pairs {
                let tiles = rank_pairs.source_tiles(MAX_ROWS);
                prop_assert!(tiles.iter().any(|&tile| (tile..tile + LANES).contains(&source)));
            }
        }
    }
}
