//! Hints: a recommended move with the reason in words.

use kalah::{Margin, Move};
use kalah_engine::{Certainty, Report};

/// A recommended move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The move.
    pub mv: Move,
    /// Its value in words, as a predicate: `wins by 8`.
    pub reason: String,
}

impl Hint {
    /// Returns the best move of `report` with its margin; `None` if the game is over.
    ///
    /// `looks like` introduces an estimate. All other reasons are proven.
    pub fn from_report(report: &Report) -> Option<Self> {
        let mv = report.best_move?;
        let lower = report
            .bounds_of(mv)
            .map_or(Margin::ZERO, |bounds| bounds.lower);
        let seeds = report.margin.seeds().unsigned_abs();
        let reason = match report.certainty {
            Certainty::Estimate if lower > Margin::ZERO => {
                format!("wins by at least {}", lower.seeds())
            }
            Certainty::Estimate => format!("looks like {}", report.expected_margin()),
            Certainty::Exact if report.margin > Margin::ZERO => format!("wins by {seeds}"),
            Certainty::Exact if report.margin < Margin::ZERO => format!("loses by {seeds}"),
            Certainty::Exact => "makes a tie".to_owned(),
        };
        Some(Self { mv, reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use kalah::House;
    use kalah_engine::Bounds;

    /// Returns the reason of the hint from a report with these values for its only move.
    fn reason(expected: i32, lower: i32, upper: i32) -> String {
        let mv = Move::Sow(House::new(3).expect("from 1 to 26"));
        let bounds = Bounds {
            lower: Margin::new(lower),
            upper: Margin::new(upper),
        };
        let report = Report {
            best_move: Some(mv),
            margin: Margin::new(expected),
            certainty: if bounds.is_exact() {
                Certainty::Exact
            } else {
                Certainty::Estimate
            },
            bounds,
            moves: vec![(mv, bounds)],
            depth: 1,
            nodes: 1,
            table_hits: 0,
            time: Duration::ZERO,
            line: Vec::new(),
        };
        Hint::from_report(&report)
            .expect("the report has a move")
            .reason
    }

    #[test]
    fn hint_claims_a_margin_only_if_it_is_proven() {
        for (expected, lower, upper, text) in [
            (8, 8, 8, "wins by 8"),
            (0, 0, 0, "makes a tie"),
            (-3, -3, -3, "loses by 3"),
            (8, -20, 20, "looks like +8"),
            (-4, -20, 20, "looks like -4"),
            (8, 0, 20, "looks like +8"),
            (8, 2, 20, "wins by at least 2"),
            // A margin has the same parity as its bounds.
            (9, -20, 20, "looks like +8"),
            (-5, -20, 20, "looks like -4"),
            (0, -21, 21, "looks like +1"),
        ] {
            assert_eq!(reason(expected, lower, upper), text);
        }
    }
}
