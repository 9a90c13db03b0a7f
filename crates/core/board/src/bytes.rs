//! Arithmetic on the eight bytes of a word at once.

/// A 1 in each byte.
pub(crate) const ONES: u64 = 0x0101_0101_0101_0101;

/// The highest bit of each byte.
const HIGHEST_BITS: u64 = ONES << 7;

/// Returns the highest bit of each byte of `word` that is not 0.
#[inline]
pub(crate) fn nonzero_bytes(word: u64) -> u64 {
    // The sum of two numbers below 128 does not leave its byte.
    (((word & !HIGHEST_BITS) + (HIGHEST_BITS - ONES)) | word) & HIGHEST_BITS
}

/// Returns the sum of all bytes, which must be at most 255.
#[inline]
pub(crate) fn sum_bytes(word: u64) -> u8 {
    (word.wrapping_mul(ONES) >> 56) as u8
}

/// Iterates over the indices of the bytes in which `mask` has a bit, from the lowest. `mask` has at
/// most one bit in each.
#[inline]
pub(crate) fn mask_byte_indices(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let index = mask.trailing_zeros() / 8;
        (mask != 0).then(|| {
            mask &= mask - 1;
            index
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_cases::cases;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn nonzero_bytes_are_found_one_by_one(bytes in prop::array::uniform8(
            prop_oneof![Just(0_u8), any::<u8>()]
        )) {
            let mask = nonzero_bytes(u64::from_le_bytes(bytes));
            let expected: Vec<u32> = (0..)
                .zip(bytes)
                .filter(|&(_, byte)| byte != 0)
                .map(|(index, _)| index)
                .collect();
            prop_assert_eq!(mask_byte_indices(mask).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn sums_reach_255() {
        assert_eq!(sum_bytes(200 << 24 | 55 << 56), 255);
    }
}
