//! The random numbers of each game, and the choice of a random legal action.

use rand::{Rng as _, SeedableRng as _};
use rand_pcg::{Pcg32, Pcg64Mcg};

/// The random number generator of one game.
///
/// Each game has a generator of its own, so that a game does not depend on the number of games or
/// of threads.
#[derive(Clone)]
pub(crate) struct GameRandom(Pcg32);

impl GameRandom {
    /// Returns the generators of the games of an environment, game 0 first.
    ///
    /// State and stream of each are two numbers of one generator with the seed, because streams of
    /// PCG that begin at the same state are correlated.
    pub(crate) fn from_seed(seed: u64) -> impl Iterator<Item = Self> {
        let mut seeds = Pcg64Mcg::seed_from_u64(seed);
        std::iter::repeat_with(move || Self(Pcg32::new(seeds.next_u64(), seeds.next_u64())))
    }

    /// Draws a number in `0..count`, and 0 if `count` is 0.
    ///
    /// It is the high half of the product of `count` and 32 random bits. The probability of each
    /// number differs from `1 / count` by less than 2^-32.
    #[inline]
    pub(crate) fn draw_below(&mut self, count: u32) -> u32 {
        let product = u64::from(self.0.next_u32()) * u64::from(count);
        (product >> u32::BITS) as u32
    }
}

/// The bits of an index in [`BIT_INDICES`].
const INDEX_BITS: u32 = 3;

/// The lowest bit of the number of ones in [`BIT_INDICES`].
const COUNT_SHIFT: u32 = INDEX_BITS * u8::BITS;

/// For each byte, the indices of its ones from the lowest, [`INDEX_BITS`] bits each, and above
/// them, from [`COUNT_SHIFT`], the number of ones.
const BIT_INDICES: [u32; 1 << u8::BITS] = {
    let mut table = [0; 1 << u8::BITS];
    let mut byte = 0;
    while byte < 1 << u8::BITS {
        let (mut entry, mut count, mut index) = (0, 0, 0);
        while index < u8::BITS {
            if (byte >> index) & 1 == 1 {
                entry |= index << (INDEX_BITS * count);
                count += 1;
            }
            index += 1;
        }
        table[byte] = entry | count << COUNT_SHIFT;
        byte += 1;
    }
    table
};

/// Draws the index of a random one in `byte`, and 0 if it has none.
#[inline]
pub(crate) fn draw_bit(byte: u8, random: &mut GameRandom) -> u32 {
    let entry = BIT_INDICES[usize::from(byte)];
    let drawn = random.draw_below(entry >> COUNT_SHIFT);
    (entry >> (INDEX_BITS * drawn)) & ((1 << INDEX_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawn_bit_is_the_one_with_the_drawn_number() {
        let mut random = GameRandom::from_seed(5).next().unwrap();
        for byte in 0..=u8::MAX {
            for _ in 0..20 {
                let mut twin = random.clone();
                let drawn = draw_bit(byte, &mut random);
                let ones: Vec<u32> = (0..8).filter(|index| byte >> index & 1 == 1).collect();
                let number = twin.draw_below(byte.count_ones());
                assert_eq!(drawn, ones.get(number as usize).copied().unwrap_or(0));
            }
        }
    }

    #[test]
    fn generators_differ_and_depend_on_the_seed_alone() {
        let first = |seed, games| -> Vec<u32> {
            let randoms = GameRandom::from_seed(seed).take(games);
            randoms
                .map(|mut random| random.draw_below(u32::MAX))
                .collect()
        };
        assert_eq!(first(3, 100)[..10], first(3, 10));
        assert_ne!(first(3, 100), first(4, 100));
        let mut numbers = first(3, 1000);
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 1000);
    }
}
