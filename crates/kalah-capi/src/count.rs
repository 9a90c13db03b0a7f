//! Counts between C's `int` and the library's 64 bits.

/// The count as C is told it: the largest `int` where there are more.
pub(crate) fn to_c_int(seeds: u64) -> i32 {
    i32::try_from(seeds).unwrap_or(i32::MAX)
}

/// The count that C tells, `None` for a negative one.
pub(crate) fn from_c_int(beans: i32) -> Option<u64> {
    u64::try_from(beans).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_saturate_on_the_way_out_and_negative_ones_stay_out() {
        assert_eq!(to_c_int(0), 0);
        assert_eq!(to_c_int(2_147_483_647), i32::MAX);
        assert_eq!(to_c_int(2_147_483_648), i32::MAX);
        assert_eq!(to_c_int(u64::MAX), i32::MAX);
        assert_eq!(from_c_int(i32::MAX), Some(2_147_483_647));
        assert_eq!(from_c_int(-1), None);
    }
}
