//! Exact values of positions with few seeds, computed by plain minimax and kept.

use std::sync::atomic::{AtomicI8, Ordering};

use kalah::HouseRules;

use super::board::CheckBoard;

/// No table is larger than this, so that every gain fits in a byte.
const MAX_SEEDS: usize = 100;

/// The value that stands for a position that has not been computed.
const UNKNOWN: i8 = i8::MIN;

/// A table of the exact gains of all positions with few seeds in the houses.
///
/// A value is computed when it is asked for, from those of all positions after one move, by plain
/// minimax without any bounds. Two threads that compute the same value store the same number.
pub(crate) struct GainTable {
    rules: HouseRules,
    /// The most seeds of a position in the table; `None` for an empty table.
    max_seeds: Option<usize>,
    /// `binomials[pit][n]`: the number of ways to choose `pit + 1` things of `n`.
    binomials: Vec<Vec<usize>>,
    /// The gains, by [`GainTable::index`].
    gains: Vec<AtomicI8>,
}

impl GainTable {
    /// Creates a table for boards of `houses` houses a side with as many seeds as fit into
    /// `max_bytes`, at most `max_seeds`.
    pub(crate) fn new(
        rules: HouseRules,
        houses: usize,
        max_bytes: usize,
        max_seeds: usize,
    ) -> Self {
        let pits = 2 * houses;
        let mut table = Self {
            rules,
            max_seeds: None,
            binomials: Vec::new(),
            gains: Vec::new(),
        };
        let most = max_seeds.min(MAX_SEEDS);
        let size = |&seeds: &usize| positions(seeds, pits).filter(|&size| size <= max_bytes);
        let Some((seeds, size)) = (0..=most)
            .map_while(|seeds| Some((seeds, size(&seeds)?)))
            .last()
        else {
            return table;
        };
        table.binomials = (1..=pits)
            .map(|chosen| (0..seeds + pits).map(|n| binomial(n, chosen)).collect())
            .collect();
        table.gains = (0..size).map(|_| AtomicI8::new(UNKNOWN)).collect();
        table.max_seeds = Some(seeds);
        table
    }

    /// Returns the exact gain of the side to move; `None` if the board has too many seeds.
    pub(crate) fn gain(&self, board: &CheckBoard) -> Option<i32> {
        let (own, other) = board.row_totals();
        let seeds = usize::try_from(own + other).ok()?;
        (seeds <= self.max_seeds?).then(|| self.compute(board).into())
    }

    /// Returns the exact gain of a position with few seeds. Its recursion ends, because a move
    /// banks a seed or brings seeds nearer to the store of their side.
    fn compute(&self, board: &CheckBoard) -> i8 {
        if board.is_over(self.rules) {
            let (own, other) = board.row_totals();
            return narrow(own - other);
        }
        let place = &self.gains[self.index(board)];
        let known = place.load(Ordering::Relaxed);
        if known != UNKNOWN {
            return known;
        }
        let houses = (0..board.houses()).filter(|&house| board.can_sow(house));
        let gains = houses.map(|house| {
            let sowing = board.sow(house, self.rules);
            let gain = i32::from(self.compute(&sowing.board));
            sowing.banked + if sowing.is_bonus { gain } else { -gain }
        });
        // A position in which the game is not over has a legal move.
        let best = narrow(gains.max().unwrap_or_default());
        place.store(best, Ordering::Relaxed);
        best
    }

    /// Returns the number of a position among all with at most as many seeds, in the combinatorial
    /// number system: the seeds up to pit `i`, plus `i`, are a rising sequence of distinct numbers.
    fn index(&self, board: &CheckBoard) -> usize {
        let mut before = 0;
        let pits = board.pits().iter().zip(&self.binomials).enumerate();
        pits.map(|(pit, (&seeds, binomials))| {
            before += usize::from(seeds);
            binomials[before + pit]
        })
        .sum()
    }
}

/// Returns the number of positions with at most `seeds` seeds; `None` if it is too large.
fn positions(seeds: usize, pits: usize) -> Option<usize> {
    (1..=pits).try_fold(1_usize, |product, pit| {
        Some(product.checked_mul(seeds + pit)? / pit)
    })
}

/// Returns the number of ways to choose `chosen` things of `n`.
fn binomial(n: usize, chosen: usize) -> usize {
    match n.checked_sub(chosen) {
        Some(rest) => positions(rest, chosen).unwrap_or(usize::MAX),
        None => 0,
    }
}

/// Returns a gain, which is at most [`MAX_SEEDS`].
fn narrow(gain: i32) -> i8 {
    i8::try_from(gain).unwrap_or(i8::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use kalah::{Rules, Setup, reference};

    use super::*;

    const BYTES: usize = 1 << 20;

    /// Calls `visit` with every board of `houses` houses a side and `seeds` seeds.
    fn visit_boards(pits: &mut Vec<u64>, houses: usize, seeds: u64, visit: &mut dyn FnMut(&Setup)) {
        if pits.len() + 1 == 2 * houses {
            pits.push(seeds);
            let text: Vec<String> = pits.iter().map(u64::to_string).collect();
            let text = format!("<{houses},0,0,{}> s", text.join(","));
            visit(&text.parse().unwrap());
            pits.pop();
            return;
        }
        for count in 0..=seeds {
            pits.push(count);
            visit_boards(pits, houses, seeds - count, visit);
            pits.pop();
        }
    }

    #[test]
    fn gains_are_those_of_the_reference() {
        for preset in Rules::PRESETS {
            for houses in 1..=3 {
                let table = GainTable::new(preset.rules.house_rules, houses, BYTES, 5);
                assert_eq!(table.max_seeds, Some(5));
                let mut indices = HashSet::new();
                for seeds in 0..=5 {
                    visit_boards(&mut Vec::new(), houses, seeds, &mut |setup| {
                        let board = CheckBoard::from_setup(setup);
                        assert!(indices.insert(table.index(&board)), "{setup}");
                        let position = setup.position(preset.rules).unwrap();
                        let margin = reference::margin(&position);
                        assert_eq!(table.gain(&board), Some(margin.seeds()), "{setup}");
                    });
                }
                assert_eq!(indices.len(), table.gains.len());
                let six: Setup = format!("{houses}x6").parse().unwrap();
                assert_eq!(table.gain(&CheckBoard::from_setup(&six)), None);
            }
        }
    }

    #[test]
    fn tables_fit_into_their_memory() {
        let table = GainTable::new(Rules::STANDARD.house_rules, 6, 3 << 20, MAX_SEEDS);
        assert_eq!((table.max_seeds, table.gains.len()), (Some(12), 2_704_156));
        let table = GainTable::new(Rules::STANDARD.house_rules, 26, 0, MAX_SEEDS);
        assert_eq!(table.max_seeds, None);
    }
}
