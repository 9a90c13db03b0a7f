//! Numbers of positions.

/// The numbers of all positions with few enough seeds, one for each, so that equal numbers mean
/// equal positions. They count the houses of one row or of both.
///
/// A number is that of the combinatorial number system: the seeds up to house `i`, plus `i`, are a
/// rising sequence of distinct numbers. A position with fewer seeds has a lower number, and among
/// those with equally many seeds one with more seeds in the last house where they differ.
pub(crate) struct Numbering {
    /// The number of ways to choose `house + 1` things of `house + seeds`, at `house * width +
    /// seeds`.
    binomials: Vec<u64>,
    width: usize,
}

impl Numbering {
    /// Creates the numbers of positions with `houses` houses and at most `max_seeds` seeds in them,
    /// or fewer if their numbers do not fit into 64 bits.
    pub(crate) fn new(houses: usize, max_seeds: usize) -> Self {
        let fits = |&seeds: &usize| positions(houses, seeds).is_some();
        let width = (0..=max_seeds).take_while(fits).count();
        let row = |house| (0..width).map(move |seeds| binomial(house + seeds, house + 1));
        // The greatest numbers are those of `positions` for fewer houses and seeds.
        let binomials = (0..houses).flat_map(row).map(Option::unwrap_or_default);
        Self {
            binomials: binomials.collect(),
            width,
        }
    }

    /// Returns the number of a position, given the running totals of the seeds in its houses.
    #[inline]
    pub(crate) fn number(&self, totals: impl Iterator<Item = usize>) -> u64 {
        let rows = self.binomials.chunks_exact(self.width);
        totals.zip(rows).map(|(total, row)| row[total]).sum()
    }
}

/// Returns the number of positions with `houses` houses and at most `seeds` seeds in them; `None`
/// if it does not fit into 64 bits.
pub(crate) fn positions(houses: usize, seeds: usize) -> Option<u64> {
    binomial(seeds.checked_add(houses)?, houses)
}

/// Returns the number of ways to choose `chosen` things of `n`; `None` if it does not fit into 64
/// bits.
fn binomial(n: usize, chosen: usize) -> Option<u64> {
    let Some(rest) = n.checked_sub(chosen) else {
        return Some(0);
    };
    let product = (1..=chosen as u128).try_fold(1_u128, |product, factor| {
        Some(product.checked_mul(rest as u128 + factor)? / factor)
    })?;
    u64::try_from(product).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `visit` with the running totals of all positions with `houses` houses and `seeds`
    /// seeds, those with more seeds in the last house first.
    fn visit_positions(houses: usize, seeds: usize, visit: &mut dyn FnMut(&[usize])) {
        fn choose(totals: &mut Vec<usize>, houses: usize, visit: &mut dyn FnMut(&[usize])) {
            if houses == 1 {
                let rising: Vec<usize> = totals.iter().rev().copied().collect();
                visit(&rising);
                return;
            }
            let total = totals.last().copied().unwrap_or_default();
            for before in 0..=total {
                totals.push(before);
                choose(totals, houses - 1, visit);
                totals.pop();
            }
        }
        choose(&mut vec![seeds], houses, visit);
    }

    #[test]
    fn positions_are_numbered_in_their_order() {
        for houses in 1..=6 {
            let numbering = Numbering::new(houses, 7);
            let mut expected = 0;
            for seeds in 0..=7 {
                visit_positions(houses, seeds, &mut |totals| {
                    let number = numbering.number(totals.iter().copied());
                    assert_eq!(number, expected, "{totals:?}");
                    expected += 1;
                });
                assert_eq!(positions(houses, seeds), Some(expected));
            }
        }
    }

    #[test]
    fn numbers_of_large_boards_do_not_fit() {
        // 84 choose 12 of 6x6, and 104 choose 52.
        assert_eq!(positions(12, 72), Some(112_992_892_764_570));
        assert_eq!(positions(52, 52), None);
    }
}
