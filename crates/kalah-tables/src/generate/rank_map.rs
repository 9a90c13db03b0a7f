//! Many values at once from where other positions keep theirs.
//!
//! A list of [`RankMap`] says for the positions of one row against all rows of the other side, by rank, from
//! which rank of another such run each takes a value: `to[i] = max(to[i], banked ± from[j])` for
//! all its pairs (i, j). What a lesser row sows does the same to all greater rows, or to all in which
//! a house holds as many seeds; so in the order of ranks most pairs come in stretches in which both
//! numbers grow together, and these are worked a vector at a time. As the greater of two values
//! may be taken twice, a stretch that is no multiple of a vector is worked with vectors that overlap.

use crate::index::StridedRun;
use crate::values::{PREFETCH_DISTANCE, prefetch};

/// Pairs (to, from) of ranks.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankMap {
    singles: Vec<[u32; 2]>,
    /// Stretches of 4 to 7, 8 to 15, 16 to 31 and 32 or more pairs.
    fours: Vec<Stretch>,
    eights: Vec<Stretch>,
    sixteens: Vec<Stretch>,
    long: Vec<Stretch>,
}

/// Pairs that follow each other in both numbers.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    to: u32,
    from: u32,
    len: u32,
}

/// Puts pairs together to [`RankMap`].
#[derive(Clone, Debug, Default)]
pub(crate) struct RankMapBuilder {
    map: RankMap,
    current: Option<Stretch>,
}

/// Whose value the position has from which one is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnChange {
    /// The other side's: it is to move there.
    Passes,
    /// The own: the mover has a bonus turn.
    Stays,
}

impl RankMapBuilder {
    /// Adds so many pairs, in which both numbers grow together. `to` grows from call to call.
    pub(crate) fn push(&mut self, to: usize, from: usize, len: usize) {
        let [to, from, len] = [to, from, len]
            .map(|number| u32::try_from(number).expect("a table has fewer rows of a kind"));
        match &mut self.current {
            Some(open) if open.to + open.len == to && open.from + open.len == from => {
                open.len += len;
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

    fn flush(&mut self) {
        let Some(open) = self.current.take() else {
            return;
        };
        let moves = &mut self.map;
        match open.len {
            0..4 => moves
                .singles
                .extend((0..open.len).map(|i| [open.to + i, open.from + i])),
            4..8 => moves.fours.push(open),
            8..16 => moves.eights.push(open),
            16..32 => moves.sixteens.push(open),
            _ => moves.long.push(open),
        }
    }
}

impl RankMap {
    pub(crate) fn is_empty(&self) -> bool {
        self.singles.is_empty() && self.stretches().all(<[_]>::is_empty)
    }

    /// All lists of stretches.
    fn stretches(&self) -> impl Iterator<Item = &[Stretch]> {
        let lists = [&self.fours, &self.eights, &self.sixteens, &self.long];
        lists.into_iter().map(Vec::as_slice)
    }

    /// Takes each value of `from`, with what is banked, where it is greater than that of `to`.
    ///
    /// # Panics
    /// If there is a rank among the pairs that `to` or `from` does not have.
    #[cfg_attr(
        target_arch = "x86_64",
        expect(unsafe_code, reason = "the compiler does not see what was detected")
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
            // SAFETY: the processor has AVX2.
            unsafe { self.apply_avx2(to, from, banked, turn) };
            return;
        }
        self.apply_run(to, from, banked, turn);
    }

    /// As [`apply_run`](Self::apply_run), compiled for wider vectors.
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
        for &[at, source] in &self.singles {
            let to = &mut to[at as usize];
            *to = (*to).max(value(from[source as usize]));
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

    /// The slow obvious form, for values that do not lie side by side too.
    fn apply_strided(&self, to: &mut [u8], from: &[u8], stride: usize, value: impl Fn(u8) -> u8) {
        let mut one = |at: u32, source: u32| {
            let at_source = source as usize * stride;
            if let Some(soon) = from.get(at_source + PREFETCH_DISTANCE * stride) {
                prefetch(soon);
            }
            let to = &mut to[at as usize];
            *to = (*to).max(value(from[at_source]));
        };
        for &[at, source] in &self.singles {
            one(at, source);
        }
        for stretch in self.stretches().flatten() {
            for rank in 0..stretch.len {
                one(stretch.to + rank, stretch.from + rank);
            }
        }
    }
}

/// The value of a position by the next one's, as bytes.
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

/// Works N to 2N values with two vectors of N.
#[expect(
    clippy::inline_always,
    reason = "compiled once for each instruction set"
)]
#[inline(always)]
fn apply_overlapping<const N: usize>(to: &mut [u8], from: &[u8], value: impl Fn(u8) -> u8 + Copy) {
    let vector = |to: Option<&mut [u8; N]>, from: Option<&[u8; N]>| {
        if let (Some(to), Some(from)) = (to, from) {
            let mut greater = *to;
            for (greater, &from) in greater.iter_mut().zip(from) {
                *greater = (*greater).max(value(from));
            }
            *to = greater;
        }
    };
    vector(to.first_chunk_mut(), from.first_chunk());
    vector(to.last_chunk_mut(), from.last_chunk());
}

impl Stretch {
    #[expect(
        clippy::inline_always,
        reason = "compiled once for each instruction set"
    )]
    #[inline(always)]
    fn slices<'a>(self, to: &'a mut [u8], from: &'a [u8]) -> (&'a mut [u8], &'a [u8]) {
        let (at, source, len) = (self.to as usize, self.from as usize, self.len as usize);
        (&mut to[at..at + len], &from[source..source + len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Stretches of all lengths: each begins some ranks behind the one before.
    fn moves(stretches: &[(usize, usize, usize)]) -> RankMap {
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
        fn vectors_do_as_one_value_after_the_other(
            stretches in prop::collection::vec((0_usize..3, 0_usize..200, 1_usize..80), 0..12),
            turn in turn(),
            banked in 0_usize..40,
            from in prop::collection::vec(60_u8..200, 280),
            to in prop::collection::vec(60_u8..200, 1000),
        ) {
            let moves = moves(&stretches);
            let run = StridedRun { start: 0, stride: 1 };
            let [mut fast, mut portable, mut slow] = [to.clone(), to.clone(), to];
            moves.apply(&mut fast, &from, run, banked, turn);
            let banked = u8::try_from(banked).unwrap();
            moves.apply_run(&mut portable, &from, banked, turn);
            moves.apply_strided(&mut slow, &from, run.stride, |value| value_from_next(value, banked, turn));
            prop_assert_eq!(&fast, &slow);
            prop_assert_eq!(portable, slow);
        }
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn a_run_that_is_too_short_is_refused() {
        let run = StridedRun {
            start: 0,
            stride: 1,
        };
        moves(&[(0, 0, 10)]).apply(&mut [0; 10], &[128; 9], run, 0, TurnChange::Passes);
    }
}
