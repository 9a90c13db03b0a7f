//! Rank maps: taking many values at once from those of other positions.
//!
//! For the positions of one row against all rows of the other side, ordered by rank, a [`RankMap`]
//! says from which rank of another such run each of them takes a value: `to[i] = max(to[i], banked
//! ± from[j])` for all its pairs (i, j). A sowing of a lesser row has the same effect on all
//! greater rows, or on all in which a given house holds equally many seeds. So in the order of
//! ranks most pairs form stretches in which both ranks grow together, and stretches are processed
//! in vectors. As taking a maximum twice does no harm, a stretch that is not a multiple of a vector
//! is processed with overlapping vectors.

use crate::index::StridedRun;
use crate::values::{PREFETCH_DISTANCE, prefetch};

/// Pairs (to, from) of ranks.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankMap {
    /// Pairs in stretches of fewer than 4.
    singles: Vec<[u32; 2]>,
    /// Stretches of 4 to 7, 8 to 15, 16 to 31 and 32 or more pairs.
    fours: Vec<Stretch>,
    eights: Vec<Stretch>,
    sixteens: Vec<Stretch>,
    long: Vec<Stretch>,
}

/// Consecutive pairs in which both ranks grow by 1.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    to: u32,
    from: u32,
    len: u32,
}

/// Builds a [`RankMap`] from pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankMapBuilder {
    map: RankMap,
    /// The stretch that the next pairs may extend.
    current: Option<Stretch>,
}

/// Whether a sowing passes the turn, which negates the gain of the next position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnChange {
    /// The other side is to move next.
    Passes,
    /// The mover has a bonus turn.
    Stays,
}

impl RankMapBuilder {
    /// Adds `len` pairs, from (`to`, `from`) on, in which both ranks grow by 1. `to` has to grow
    /// from call to call.
    pub(crate) fn push(&mut self, to: usize, from: usize, len: usize) {
        let [to, from, len] = [to, from, len]
            .map(|number| u32::try_from(number).expect("ranks of a table fit 32 bits"));
        match &mut self.current {
            Some(stretch)
                if stretch.to + stretch.len == to && stretch.from + stretch.len == from =>
            {
                stretch.len += len;
            }
            _ => {
                self.flush();
                self.current = Some(Stretch { to, from, len });
            }
        }
    }

    pub(crate) fn finish(mut self) -> RankMap {
        self.flush();
        self.map
    }

    /// Moves the current stretch to its list.
    fn flush(&mut self) {
        let Some(stretch) = self.current.take() else {
            return;
        };
        let map = &mut self.map;
        match stretch.len {
            0..4 => map
                .singles
                .extend((0..stretch.len).map(|i| [stretch.to + i, stretch.from + i])),
            4..8 => map.fours.push(stretch),
            8..16 => map.eights.push(stretch),
            16..32 => map.sixteens.push(stretch),
            _ => map.long.push(stretch),
        }
    }
}

impl RankMap {
    pub(crate) fn is_empty(&self) -> bool {
        self.singles.is_empty() && self.stretches().all(<[_]>::is_empty)
    }

    /// Returns all lists of stretches.
    fn stretches(&self) -> impl Iterator<Item = &[Stretch]> {
        let lists = [&self.fours, &self.eights, &self.sixteens, &self.long];
        lists.into_iter().map(Vec::as_slice)
    }

    /// Raises each value of `to` to the one that the paired value of `run` in `from` implies, if
    /// that is greater. The sowing banks and captures `banked` seeds.
    ///
    /// # Panics
    /// If a rank of a pair is out of range in `to` or `from`.
    #[cfg_attr(
        target_arch = "x86_64",
        expect(
            unsafe_code,
            reason = "the call of a target feature function is unsafe"
        )
    )]
    pub(crate) fn apply(
        &self,
        to: &mut [u8],
        from: &[u8],
        run: StridedRun,
        banked: usize,
        turn: TurnChange,
    ) {
        let banked = u8::try_from(banked).expect("a table has fewer seeds");
        let from = &from[run.start..];
        if run.stride != 1 {
            self.apply_strided(to, from, run.stride, |value| {
                value_from_next(value, banked, turn)
            });
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, which was detected just above.
            unsafe { self.apply_avx2(to, from, banked, turn) };
            return;
        }
        self.apply_run(to, from, banked, turn);
    }

    /// [`apply_run`](Self::apply_run) compiled for vectors of 32 bytes.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn apply_avx2(&self, to: &mut [u8], from: &[u8], banked: u8, turn: TurnChange) {
        self.apply_run(to, from, banked, turn);
    }

    #[expect(
        clippy::inline_always,
        reason = "compiled once for each instruction set"
    )]
    #[inline(always)]
    fn apply_run(&self, to: &mut [u8], from: &[u8], banked: u8, turn: TurnChange) {
        match turn {
            TurnChange::Passes => {
                self.apply_all(to, from, |value| {
                    value_from_next(value, banked, TurnChange::Passes)
                });
            }
            TurnChange::Stays => {
                self.apply_all(to, from, |value| {
                    value_from_next(value, banked, TurnChange::Stays)
                });
            }
        }
    }

    #[expect(
        clippy::inline_always,
        reason = "compiled once for each instruction set"
    )]
    #[inline(always)]
    fn apply_all(&self, to: &mut [u8], from: &[u8], value: impl Fn(u8) -> u8 + Copy) {
        for &[to_rank, from_rank] in &self.singles {
            let to = &mut to[to_rank as usize];
            *to = (*to).max(value(from[from_rank as usize]));
        }
        for stretch in &self.fours {
            let (to, from) = stretch.slices(to, from);
            apply_overlapping::<4>(to, from, value);
        }
        for stretch in &self.eights {
            let (to, from) = stretch.slices(to, from);
            apply_overlapping::<8>(to, from, value);
        }
        for stretch in &self.sixteens {
            let (to, from) = stretch.slices(to, from);
            apply_overlapping::<16>(to, from, value);
        }
        for stretch in &self.long {
            let (to, from) = stretch.slices(to, from);
            for (to, &from) in to.iter_mut().zip(from) {
                *to = (*to).max(value(from));
            }
        }
    }

    /// The scalar form, for values with any stride.
    fn apply_strided(&self, to: &mut [u8], from: &[u8], stride: usize, value: impl Fn(u8) -> u8) {
        let mut apply_one = |to_rank: u32, from_rank: u32| {
            let index = from_rank as usize * stride;
            if let Some(later) = from.get(index + PREFETCH_DISTANCE * stride) {
                prefetch(later);
            }
            let to = &mut to[to_rank as usize];
            *to = (*to).max(value(from[index]));
        };
        for &[to_rank, from_rank] in &self.singles {
            apply_one(to_rank, from_rank);
        }
        for stretch in self.stretches().flatten() {
            for rank in 0..stretch.len {
                apply_one(stretch.to + rank, stretch.from + rank);
            }
        }
    }
}

/// Returns the value of a position that the value of the next one implies. With v = gain + 128 the
/// arithmetic modulo 256 is exact: if the turn passes, banked - gain + 128 = banked - v (mod 256).
#[expect(
    clippy::inline_always,
    reason = "compiled once for each instruction set"
)]
#[inline(always)]
fn value_from_next(value: u8, banked: u8, turn: TurnChange) -> u8 {
    match turn {
        TurnChange::Passes => banked.wrapping_sub(value),
        TurnChange::Stays => banked.wrapping_add(value),
    }
}

/// Processes N to 2N values with two vectors of N that may overlap.
#[expect(
    clippy::inline_always,
    reason = "compiled once for each instruction set"
)]
#[inline(always)]
fn apply_overlapping<const N: usize>(to: &mut [u8], from: &[u8], value: impl Fn(u8) -> u8 + Copy) {
    let apply_vector = |to: Option<&mut [u8; N]>, from: Option<&[u8; N]>| {
        if let (Some(to), Some(from)) = (to, from) {
            let mut raised = *to;
            for (raised, &from) in raised.iter_mut().zip(from) {
                *raised = (*raised).max(value(from));
            }
            *to = raised;
        }
    };
    apply_vector(to.first_chunk_mut(), from.first_chunk());
    apply_vector(to.last_chunk_mut(), from.last_chunk());
}

impl Stretch {
    #[expect(
        clippy::inline_always,
        reason = "compiled once for each instruction set"
    )]
    #[inline(always)]
    fn slices<'a>(self, to: &'a mut [u8], from: &'a [u8]) -> (&'a mut [u8], &'a [u8]) {
        let (to_start, from_start) = (self.to as usize, self.from as usize);
        let len = self.len as usize;
        (
            &mut to[to_start..to_start + len],
            &from[from_start..from_start + len],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Builds a map of stretches (gap, from, len): each starts `gap` ranks after the end of the
    /// last.
    fn rank_map(stretches: &[(usize, usize, usize)]) -> RankMap {
        let mut builder = RankMapBuilder::default();
        let mut to = 0;
        for &(gap, from, len) in stretches {
            to += gap;
            builder.push(to, from, len);
            to += len;
        }
        builder.finish()
    }

    fn turn() -> impl Strategy<Value = TurnChange> {
        prop_oneof![Just(TurnChange::Passes), Just(TurnChange::Stays)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 2000 }))]

        #[test]
        fn vectors_agree_with_the_scalar_form(
            stretches in prop::collection::vec((0_usize..3, 0_usize..200, 1_usize..80), 0..12),
            turn in turn(),
            banked in 0_usize..40,
            from in prop::collection::vec(60_u8..200, 280),
            to in prop::collection::vec(60_u8..200, 1000),
        ) {
            let map = rank_map(&stretches);
            let run = StridedRun { start: 0, stride: 1 };
            let [mut fast, mut portable, mut slow] = [to.clone(), to.clone(), to];
            map.apply(&mut fast, &from, run, banked, turn);
            let banked = u8::try_from(banked).unwrap();
            map.apply_run(&mut portable, &from, banked, turn);
            map.apply_strided(&mut slow, &from, run.stride, |value| {
                value_from_next(value, banked, turn)
            });
            prop_assert_eq!(&fast, &slow);
            prop_assert_eq!(portable, slow);
        }
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn apply_panics_on_a_run_that_is_too_short() {
        let run = StridedRun {
            start: 0,
            stride: 1,
        };
        rank_map(&[(0, 0, 10)]).apply(&mut [0; 10], &[128; 9], run, 0, TurnChange::Passes);
    }
}
