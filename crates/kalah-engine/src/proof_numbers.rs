use crate::child::Child;
use crate::houses::Houses;

/// How far a question is from its answer: whether the side to move gains so much, or not.
///
/// The proof number is the work that is left before the answer is yes, the disproof number before it
/// is no, each along the easiest way (L. V. Allis, M. van der Meulen and H. J. van den Herik, "Proof-number
/// search", 1994). A question that nobody has begun counts for what it is expected to cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ProofNumbers {
    /// 0 where the answer is yes, infinite where it is no.
    pub(crate) prove: f64,
    /// 0 where the answer is no, infinite where it is yes.
    pub(crate) disprove: f64,
}

/// The logarithm of a number, in 64ths of a doubling, from 2^-16 on; between two doublings it is taken for
/// straight.
///
/// It is made of the exponent and the foremost bits of the number, so that it is the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Logarithm(i32);

/// Logarithms on the scale of the bits of a number that they keep.
const BITS_LEFT_OUT: u32 = 46;
const DOUBLING: i32 = 1 << (f64::MANTISSA_DIGITS - 1 - BITS_LEFT_OUT);
const LEAST: i32 = (f64::MAX_EXP - 1 - 16) * DOUBLING;
const OF_ONE: i32 = 16 * DOUBLING;

/// What an answer is expected to cost, as parts of a [`Logarithm`].
struct Weights {
    /// In any case.
    all: i32,
    /// For each seed that is wanted.
    wanted: i32,
    /// For each house with seeds, of the side to move and of the other.
    houses: [i32; 2],
    /// For each house that would give a bonus turn, of the two.
    bonus_turns: [i32; 2],
}

// Found by trying weights near those that predict what alpha-beta search takes: see docs/performance.md.
const TO_PROVE: Weights = Weights {
    all: -16,
    wanted: 1,
    houses: [14, 0],
    bonus_turns: [-50, 0],
};
const TO_DISPROVE: Weights = Weights {
    all: 0,
    wanted: -1,
    houses: [36, -5],
    bonus_turns: [45, -27],
};
/// For each seed in play, either way.
const OF_SEED: i32 = 15;
/// For the end of a turn, either way.
const OF_TURN: i32 = 27;

impl ProofNumbers {
    pub(crate) const YES: Self = Self {
        prove: 0.0,
        disprove: f64::INFINITY,
    };
    pub(crate) const NO: Self = Self {
        prove: f64::INFINITY,
        disprove: 0.0,
    };
    /// More work than any.
    pub(crate) const UNLIMITED: Self = Self {
        prove: f64::INFINITY,
        disprove: f64::INFINITY,
    };

    /// Of a question with this answer.
    pub(crate) fn of_answer(yes: bool) -> Self {
        if yes { Self::YES } else { Self::NO }
    }

    /// Of the question whether the side to move after a choice gains as much as is wanted, if nobody has begun
    /// with it and it has so many seeds more than the easiest ones.
    #[inline]
    pub(crate) fn expected<H: Houses>(child: &Child<H>, wanted: i32, seeds: i32) -> Self {
        let houses = child.spot.houses.occupied();
        let bonus_turns = child.spot.houses.bonus_turns();
        let turn = if child.change.same_player { 0 } else { OF_TURN };
        let number = |weights: &Weights| {
            let each = |weights: [i32; 2], counts: [i32; 2]| {
                weights[0] * counts[0] + weights[1] * counts[1]
            };
            let log = turn
                + weights.all
                + seeds * OF_SEED
                + wanted * weights.wanted
                + each(weights.houses, houses)
                + each(weights.bonus_turns, bonus_turns);
            Logarithm::new(OF_ONE + log).number()
        };
        Self {
            prove: number(&TO_PROVE),
            disprove: number(&TO_DISPROVE),
        }
    }

    /// The answer, if it is known.
    #[inline]
    pub(crate) fn answer(self) -> Option<bool> {
        if self.prove == 0.0 {
            Some(true)
        } else if self.disprove == 0.0 {
            Some(false)
        } else {
            None
        }
    }

    /// Of the opposite question.
    #[inline]
    pub(crate) fn opposite(self) -> Self {
        Self {
            prove: self.disprove,
            disprove: self.prove,
        }
    }
}

impl Logarithm {
    /// Bits that it takes.
    pub(crate) const BITS: u32 = 12;
    const MOST: i32 = (1 << Self::BITS) - 1;

    /// The nearest there is; none is less than 1, as 0 is told from it by those who keep it.
    #[inline]
    pub(crate) fn new(log: i32) -> Self {
        Self(log.clamp(1, Self::MOST))
    }

    /// Of a number that is not negative, rounded down.
    #[inline]
    pub(crate) fn of(number: f64) -> Self {
        let bits = (number.to_bits() >> BITS_LEFT_OUT) as i32;
        Self::new(bits - LEAST)
    }

    #[inline]
    pub(crate) fn number(self) -> f64 {
        let bits = u64::from((self.0 + LEAST).unsigned_abs());
        f64::from_bits(bits << BITS_LEFT_OUT)
    }

    /// As so many bits, not all of them 0.
    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.0.unsigned_abs().into()
    }

    /// Of the bits of another one.
    #[inline]
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self::new(i32::try_from(bits).unwrap_or(Self::MOST))
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
            let rounded = Logarithm::of(number).number();
            prop_assert!(rounded <= number && number < rounded * (1.0 + 1.0 / 32.0));
        }
    }

    #[test]
    fn logarithms_are_of_one_to_beyond_all_work() {
        assert_eq!(Logarithm::of(1.0), Logarithm::new(OF_ONE));
        assert_eq!(Logarithm::of(2.0), Logarithm::new(OF_ONE + DOUBLING));
        assert_eq!(
            Logarithm::of(3.0),
            Logarithm::new(OF_ONE + DOUBLING * 3 / 2)
        );
        assert_eq!(Logarithm::of(f64::INFINITY), Logarithm::new(i32::MAX));
        assert_eq!(Logarithm::of(0.0), Logarithm::new(0));
        assert!(Logarithm::new(i32::MAX).number() > 1e14);
    }
}
