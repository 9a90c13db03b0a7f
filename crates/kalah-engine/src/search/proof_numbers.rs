//! Proof numbers and their packed form.

use super::node::Child;
use crate::board::search_board::SearchBoard;

/// How far a question is from its answer: whether the side to move gains so much, or not.
///
/// The proof number is the work that is left before the answer is yes, the disproof number before it
/// is no, each along the easiest way (L. V. Allis, M. van der Meulen and H. J. van den Herik, "Proof-number
/// search", 1994). A question that nobody has begun counts for what it is expected to cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ProofNumbers {
    /// 0 where the answer is yes, infinite where it is no.
    pub(crate) proof: f64,
    /// 0 where the answer is no, infinite where it is yes.
    pub(crate) disproof: f64,
}

/// The logarithm of a number, in 64ths of a doubling, from 2^-16 on; between two doublings it is taken for
/// straight.
///
/// It is made of the exponent and the foremost bits of the number, so that it is the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackedLog(i32);

/// Logarithms on the scale of the bits of a number that they keep.
const DROPPED_MANTISSA_BITS: u32 = 46;
const UNITS_PER_DOUBLING: i32 = 1 << (f64::MANTISSA_DIGITS - 1 - DROPPED_MANTISSA_BITS);
const LOG_OFFSET: i32 = (f64::MAX_EXP - 1 - 16) * UNITS_PER_DOUBLING;
const LOG_OF_ONE: i32 = 16 * UNITS_PER_DOUBLING;

/// What an answer is expected to cost, as parts of a [`PackedLog`].
struct ProofCostWeights {
    /// In any case.
    base: i32,
    /// For each seed that is wanted.
    target_gain: i32,
    /// For each house with seeds, of the side to move and of the other.
    houses: [i32; 2],
    /// For each house that would give a bonus turn, of the two.
    bonus_turns: [i32; 2],
}

// Found by trying weights near those that predict what alpha-beta search takes: see docs/performance.md.
const PROOF_WEIGHTS: ProofCostWeights = ProofCostWeights {
    base: -16,
    target_gain: 1,
    houses: [14, 0],
    bonus_turns: [-50, 0],
};
const DISPROOF_WEIGHTS: ProofCostWeights = ProofCostWeights {
    base: 0,
    target_gain: -1,
    houses: [36, -5],
    bonus_turns: [45, -27],
};
/// For each seed in play, either way.
const SEED_WEIGHT: i32 = 15;
/// For the end of a turn, either way.
const TURN_WEIGHT: i32 = 27;

impl ProofNumbers {
    pub(crate) const PROVEN: Self = Self {
        proof: 0.0,
        disproof: f64::INFINITY,
    };
    pub(crate) const DISPROVEN: Self = Self {
        proof: f64::INFINITY,
        disproof: 0.0,
    };
    /// More work than any.
    pub(crate) const INFINITE: Self = Self {
        proof: f64::INFINITY,
        disproof: f64::INFINITY,
    };

    /// Of a question with this answer.
    pub(crate) fn from_result(yes: bool) -> Self {
        if yes { Self::PROVEN } else { Self::DISPROVEN }
    }

    /// Of the question whether the side to move after a choice gains as much as is wanted, if nobody has begun
    /// with it and it has so many seeds more than the easiest ones.
    #[inline]
    pub(crate) fn estimate<H: SearchBoard>(child: &Child<H>, wanted: i32, seeds: i32) -> Self {
        let houses = child.node.board.occupied_counts();
        let bonus_turns = child.node.board.bonus_turn_counts();
        let turn = if child.transform.same_player {
            0
        } else {
            TURN_WEIGHT
        };
        let number = |weights: &ProofCostWeights| {
            let each = |weights: [i32; 2], counts: [i32; 2]| {
                weights[0] * counts[0] + weights[1] * counts[1]
            };
            let log = turn
                + weights.base
                + seeds * SEED_WEIGHT
                + wanted * weights.target_gain
                + each(weights.houses, houses)
                + each(weights.bonus_turns, bonus_turns);
            PackedLog::new(LOG_OF_ONE + log).to_number()
        };
        Self {
            proof: number(&PROOF_WEIGHTS),
            disproof: number(&DISPROOF_WEIGHTS),
        }
    }

    /// The answer, if it is known.
    #[inline]
    pub(crate) fn result(self) -> Option<bool> {
        if self.proof == 0.0 {
            Some(true)
        } else if self.disproof == 0.0 {
            Some(false)
        } else {
            None
        }
    }

    /// Of the opposite question.
    #[inline]
    pub(crate) fn opposite(self) -> Self {
        Self {
            proof: self.disproof,
            disproof: self.proof,
        }
    }
}

impl PackedLog {
    /// Bits that it takes.
    pub(crate) const BITS: u32 = 12;
    const MAX: i32 = (1 << Self::BITS) - 1;

    /// The nearest there is; none is less than 1, as 0 is told from it by those who keep it.
    #[inline]
    pub(crate) fn new(log: i32) -> Self {
        Self(log.clamp(1, Self::MAX))
    }

    /// Of a number that is not negative, rounded down.
    #[inline]
    pub(crate) fn from_number(number: f64) -> Self {
        let bits = (number.to_bits() >> DROPPED_MANTISSA_BITS) as i32;
        Self::new(bits - LOG_OFFSET)
    }

    #[inline]
    pub(crate) fn to_number(self) -> f64 {
        let bits = u64::from((self.0 + LOG_OFFSET).unsigned_abs());
        f64::from_bits(bits << DROPPED_MANTISSA_BITS)
    }

    /// As so many bits, not all of them 0.
    #[inline]
    pub(crate) fn to_bits(self) -> u64 {
        self.0.unsigned_abs().into()
    }

    /// Of the bits of another one.
    #[inline]
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self::new(i32::try_from(bits).unwrap_or(Self::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_logarithm_is_of_a_number_that_is_hardly_less(log in -11.0_f64..32.0) {
            let number = log.exp();
            let rounded = PackedLog::from_number(number).to_number();
            prop_assert!(rounded <= number && number < rounded * (1.0 + 1.0 / 32.0));
        }
    }

    #[test]
    fn logarithms_are_of_one_to_beyond_all_work() {
        assert_eq!(PackedLog::from_number(1.0), PackedLog::new(LOG_OF_ONE));
        assert_eq!(
            PackedLog::from_number(2.0),
            PackedLog::new(LOG_OF_ONE + UNITS_PER_DOUBLING)
        );
        assert_eq!(
            PackedLog::from_number(3.0),
            PackedLog::new(LOG_OF_ONE + UNITS_PER_DOUBLING * 3 / 2)
        );
        assert_eq!(
            PackedLog::from_number(f64::INFINITY),
            PackedLog::new(i32::MAX)
        );
        assert_eq!(PackedLog::from_number(0.0), PackedLog::new(0));
        assert!(PackedLog::new(i32::MAX).to_number() > 1e14);
    }
}
