use kalah::{Margin, Move};
use kalah_engine::{Certainty, Report};

/// What a person is told who asks for a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The choice that is advised.
    pub mv: Move,
    /// What it does, in a few words: `wins by 8`.
    pub reason: String,
}

impl Hint {
    /// What an analysis of the person's position advises; `None` if the game is over.
    ///
    /// `looks like` is an estimate; everything else is proven.
    pub fn from_report(report: &Report) -> Option<Self> {
        let mv = report.best_move?;
        let bounds = report.moves.iter().find(|(other, _)| *other == mv);
        let least = bounds.map_or(Margin::ZERO, |(_, bounds)| bounds.lower);
        let by = report.margin.seeds().unsigned_abs();
        let reason = match report.certainty {
            Certainty::Estimate if least > Margin::ZERO => {
                format!("wins by {} at least", least.seeds())
            }
            Certainty::Estimate => format!("looks like {}", report.expected_margin()),
            Certainty::Exact if report.margin > Margin::ZERO => format!("wins by {by}"),
            Certainty::Exact if report.margin < Margin::ZERO => {
                format!("loses by no more than {by}")
            }
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

    /// The hint of an analysis that expects so much and has proven so much.
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
            .expect("there is a choice")
            .reason
    }

    #[test]
    fn a_hint_claims_what_is_proven_and_no_more() {
        for (expected, lower, upper, told) in [
            (8, 8, 8, "wins by 8"),
            (0, 0, 0, "makes a tie"),
            (-3, -3, -3, "loses by no more than 3"),
            (8, -20, 20, "looks like +8"),
            (-4, -20, 20, "looks like -4"),
            (8, 0, 20, "looks like +8"),
            (8, 2, 20, "wins by 2 at least"),
            // Margins are odd or even as their bounds are.
            (9, -20, 20, "looks like +8"),
            (-5, -20, 20, "looks like -4"),
            (0, -21, 21, "looks like +1"),
        ] {
            assert_eq!(reason(expected, lower, upper), told);
        }
    }
}
