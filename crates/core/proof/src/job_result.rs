//! Checks of results of jobs that other processes return.

use kalah::{Move, Side};
use kalah_engine::{GoalResult, ProofNumbers};
use thiserror::Error;

use crate::coordinator::Job;
use crate::tree::combine;

/// The reason why a result is not one of its job.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum JobResultError {
    /// The moves are not the legal moves of the goal, each once and in their order.
    #[error("expected the moves {expected}, not {found}")]
    Moves {
        /// The legal moves.
        expected: String,
        /// The moves of the result.
        found: String,
    },
    /// The numbers of a move are not proof numbers.
    #[error(
        "the numbers {} and {} of the move {mv}: expected two positive numbers, or 0 and infinity",
        numbers.proof, numbers.disproof
    )]
    Numbers {
        /// The move.
        mv: String,
        /// Its numbers.
        numbers: ProofNumbers,
    },
    /// The numbers of the moves prove the opposite of the answer.
    #[error("the answer contradicts the proof numbers of the moves")]
    Answer,
    /// The search has exceeded its limit.
    #[error("expected at most {expected} nodes, not {found}")]
    Nodes {
        /// The node limit of the job.
        expected: u64,
        /// The nodes of the result.
        found: u64,
    },
}

impl Job {
    /// Checks that a result can be one of this job: it has exactly the legal moves with possible
    /// proof numbers, which do not contradict its answer. Whether the numbers and the answer are
    /// right is not checked.
    ///
    /// # Errors
    /// [`JobResultError`] for any other result.
    pub fn check(&self, result: &GoalResult) -> Result<(), JobResultError> {
        let moves = || result.children.iter().map(|&(mv, _)| mv);
        let position = self.goal.position();
        if !position.legal_moves().eq(moves()) {
            return Err(JobResultError::Moves {
                expected: list(position.legal_moves()),
                found: list(moves()),
            });
        }
        for &(mv, numbers) in &result.children {
            if !is_possible(numbers) {
                let mv = mv.text(Side::South);
                return Err(JobResultError::Numbers { mv, numbers });
            }
        }
        let numbers = combine(result.children.iter().map(|&(_, numbers)| numbers));
        if let (Some(answer), Some(expected)) = (result.answer, numbers.result())
            && answer != expected
        {
            return Err(JobResultError::Answer);
        }
        if result.nodes > self.max_nodes {
            return Err(JobResultError::Nodes {
                expected: self.max_nodes,
                found: result.nodes,
            });
        }
        Ok(())
    }
}

/// Whether a search can return these numbers for a move.
fn is_possible(numbers: ProofNumbers) -> bool {
    let is_open = |number: f64| number.is_finite() && number > 0.0;
    matches!(numbers, ProofNumbers::PROVEN | ProofNumbers::DISPROVEN)
        || is_open(numbers.proof) && is_open(numbers.disproof)
}

/// Returns the moves as text for a message.
fn list(moves: impl Iterator<Item = Move>) -> String {
    let moves: Vec<String> = moves.map(|mv| mv.text(Side::South)).collect();
    if moves.is_empty() {
        "none".to_owned()
    } else {
        moves.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use kalah::{House, Margin, Position, Rules};

    use super::*;
    use crate::coordinator::JobId;
    use crate::goal::ProofGoal;

    const OPEN: ProofNumbers = ProofNumbers::UNKNOWN;

    /// Checks a result of a job with two legal moves and ten nodes.
    fn check(
        children: &[(u32, ProofNumbers)],
        answer: Option<bool>,
        nodes: u64,
    ) -> Result<(), String> {
        let start = Position::start(2, 2, Rules::STANDARD).unwrap();
        let job = Job {
            id: JobId(0),
            goal: ProofGoal::new(&start, Margin::new(2)),
            thresholds: ProofNumbers::INFINITE,
            max_nodes: 10,
        };
        let sow = |&(house, numbers)| (Move::Sow(House::new(house).unwrap()), numbers);
        let result = GoalResult {
            answer,
            children: children.iter().map(sow).collect(),
            nodes,
        };
        job.check(&result).map_err(|error| error.to_string())
    }

    #[test]
    fn possible_results_are_accepted() {
        let (yes, no) = (ProofNumbers::PROVEN, ProofNumbers::DISPROVEN);
        for (one, other, answer) in [
            (OPEN, OPEN, None),
            (OPEN, OPEN, Some(true)),
            (yes, OPEN, Some(true)),
            (no, no, Some(false)),
            (no, OPEN, Some(false)),
        ] {
            assert_eq!(check(&[(1, one), (2, other)], answer, 10), Ok(()));
        }
    }

    #[test]
    fn other_moves_are_refused() {
        for (children, found) in [
            (&[][..], "none"),
            (&[(1, OPEN)], "A"),
            (&[(2, OPEN), (1, OPEN)], "B, A"),
            (&[(1, OPEN), (1, OPEN)], "A, A"),
            (&[(1, OPEN), (2, OPEN), (3, OPEN)], "A, B, C"),
        ] {
            let expected = format!("expected the moves A, B, not {found}");
            assert_eq!(check(children, None, 1), Err(expected));
        }
    }

    #[test]
    fn impossible_numbers_are_refused() {
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        for (proof, disproof) in [
            (nan, 1.0),
            (1.0, nan),
            (-1.0, 1.0),
            (1.0, -0.5),
            (0.0, 0.0),
            (0.0, 1.0),
            (1.0, 0.0),
            (infinity, infinity),
            (infinity, 1.0),
        ] {
            let numbers = ProofNumbers { proof, disproof };
            let error = check(&[(1, OPEN), (2, numbers)], None, 1).unwrap_err();
            let start = format!("the numbers {proof} and {disproof} of the move B: ");
            assert!(error.starts_with(&start), "{error}");
        }
    }

    #[test]
    fn contradictions_and_excess_nodes_are_refused() {
        let (yes, no) = (ProofNumbers::PROVEN, ProofNumbers::DISPROVEN);
        let contradiction = "the answer contradicts the proof numbers of the moves";
        for (one, answer) in [(yes, false), (no, true)] {
            let children = [(1, one), (2, no)];
            let error = check(&children, Some(answer), 1).unwrap_err();
            assert_eq!(error, contradiction);
        }
        let error = check(&[(1, OPEN), (2, OPEN)], None, 11).unwrap_err();
        assert_eq!(error, "expected at most 10 nodes, not 11");
    }
}
