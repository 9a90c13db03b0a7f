//! Counts of sequences of plies against a table on which two independent programs agree.

use kalah::reference::{self, ReferencePosition};
use kalah::{Position, Rules, perft};

/// Depths with more sequences than this are not counted here.
const MAX_SEQUENCES: u64 = 3_000_000;
/// Depths with more sequences than this are not counted by the reference.
const MAX_SEQUENCES_OF_REFERENCE: u64 = 300_000;

#[test]
fn counts_agree_with_the_published_table() {
    let mut rows = 0;
    for line in include_str!("data/perft.txt").lines() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let mut words = line.split_whitespace();
        let mut word = || words.next().unwrap_or_else(|| panic!("short line: {line}"));
        let rules: Rules = word().parse().unwrap();
        let houses = word().parse().unwrap();
        let seeds = word().parse().unwrap();
        let start = Position::start(houses, seeds, rules).unwrap();
        for (depth, expected) in (1..).zip(words) {
            let expected: u64 = expected.parse().unwrap();
            if expected <= MAX_SEQUENCES_OF_REFERENCE {
                assert_eq!(
                    reference::perft(&ReferencePosition::from(&start), depth),
                    expected,
                    "reference: {rules} {houses}x{seeds} {depth}"
                );
            }
            if expected <= MAX_SEQUENCES {
                assert_eq!(
                    perft(&start, depth),
                    expected,
                    "kalah perft --rules {rules} {houses}x{seeds} {depth}"
                );
            }
        }
        rows += 1;
    }
    assert_eq!(rows, 10);
}
