//! Proof numbers, their estimates for new nodes, and their packed form.

use super::node::Child;
use crate::board::search_board::SearchBoard;

/// The proof and the disproof number of a goal: whether the side to move gains a given number of
/// seeds.
///
/// The proof number is the work left until the goal is proven, the disproof number the work left
/// until it is disproven, each by the easiest way (L. V. Allis, M. van der Meulen and H. J. van den
/// Herik, "Proof-number search", 1994). A new goal starts with the work that it is expected to
/// take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ProofNumbers {
    /// 0 if the goal is proven, infinite if it is disproven.
    pub(crate) proof: f64,
    /// 0 if the goal is disproven, infinite if it is proven.
    pub(crate) disproof: f64,
}

/// A binary logarithm in units of 1/64, from 2^-16 on, linear between powers of two.
///
/// It consists of the exponent and the leading mantissa bits of a number, so it is the same on
/// every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackedLog(i32);

/// The bits of an `f64` below the packed logarithm, and the scale of the rest.
const DROPPED_MANTISSA_BITS: u32 = 46;
const UNITS_PER_DOUBLING: i32 = 1 << (f64::MANTISSA_DIGITS - 1 - DROPPED_MANTISSA_BITS);
const LOG_OFFSET: i32 = (f64::MAX_EXP - 1 - 16) * UNITS_PER_DOUBLING;
const LOG_OF_ONE: i32 = 16 * UNITS_PER_DOUBLING;

/// Weights of the logarithm of the expected work, in units of a [`PackedLog`].
struct ProofCostWeights {
    /// The constant term.
    base: i32,
    /// Per seed of the target gain.
    target_gain: i32,
    /// Per occupied house, of the side to move and of the opponent.
    houses: [i32; 2],
    /// Per house that gives a bonus turn, of the side to move and of the opponent.
    bonus_turns: [i32; 2],
}

// Tuned around the weights of a regression on the nodes that alpha-beta search takes: see
// docs/performance.md.
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
/// Per seed in play above the leaf limit, in both weight sets.
const SEED_WEIGHT: i32 = 15;
/// For a move that ends the turn, in both weight sets.
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
    /// More work than any other.
    pub(crate) const INFINITE: Self = Self {
        proof: f64::INFINITY,
        disproof: f64::INFINITY,
    };

    /// Returns the numbers of a solved goal.
    pub(crate) fn from_result(is_proven: bool) -> Self {
        if is_proven {
            Self::PROVEN
        } else {
            Self::DISPROVEN
        }
    }

    /// Returns the expected numbers of a new goal: that the side to move at `child` gains
    /// `target_gain`, with `seeds` seeds in play above the leaf limit.
    #[inline]
    pub(crate) fn estimate<H: SearchBoard>(child: &Child<H>, target_gain: i32, seeds: i32) -> Self {
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
                + target_gain * weights.target_gain
                + each(weights.houses, houses)
                + each(weights.bonus_turns, bonus_turns);
            PackedLog::new(LOG_OF_ONE + log).to_number()
        };
        Self {
            proof: number(&PROOF_WEIGHTS),
            disproof: number(&DISPROOF_WEIGHTS),
        }
    }

    /// Whether the goal is proven or disproven; `None` while it is open.
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

    /// Returns the numbers of the negated goal.
    #[inline]
    pub(crate) fn opposite(self) -> Self {
        Self {
            proof: self.disproof,
            disproof: self.proof,
        }
    }
}

impl PackedLog {
    /// The width of the packed form in bits.
    pub(crate) const BITS: u32 = 12;
    const MAX: i32 = (1 << Self::BITS) - 1;

    /// Clamps `log` to the range of the packed form. The least value is 1, because tables use 0 for
    /// an empty slot.
    #[inline]
    pub(crate) fn new(log: i32) -> Self {
        Self(log.clamp(1, Self::MAX))
    }

    /// Converts a number that is not negative, rounding down.
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

    /// Returns the packed form, which is never 0.
    #[inline]
    pub(crate) fn to_bits(self) -> u64 {
        self.0.unsigned_abs().into()
    }

    /// Reads the packed form.
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
        fn packing_rounds_down_by_less_than_a_32nd(log in -11.0_f64..32.0) {
            let number = log.exp();
            let rounded = PackedLog::from_number(number).to_number();
            prop_assert!(rounded <= number && number < rounded * (1.0 + 1.0 / 32.0));
        }
    }

    #[test]
    fn packed_range_covers_one_to_1e14() {
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
