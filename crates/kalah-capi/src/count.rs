//! Counts between C's `int` and the library's 64 bits.

/// The count as C is told it: the largest `int` where there are more.
pub(crate) fn told(seeds: u64) -> i32 {
    i32::try_from(seeds).unwrap_or(i32::MAX)
}

/// The count that C tells, `None` for a negative one.
pub(crate) fn heard(beans: i32) -> Option<u64> {
    u64::try_from(beans).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_saturate_on_the_way_out_and_negative_ones_stay_out() {
        assert_eq!(told(0), 0);
        assert_eq!(told(2_147_483_647), i32::MAX);
        assert_eq!(told(2_147_483_648), i32::MAX);
        assert_eq!(told(u64::MAX), i32::MAX);
        assert_eq!(heard(i32::MAX), Some(2_147_483_647));
        assert_eq!(heard(-1), None);
    }
}
