use kalah::{Choice, Margin};
use kalah_engine::{Certainty, Report};

/// What a person is told who asks for a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The choice that is advised.
    pub choice: Choice,
    /// What it does, in a few words: `wins by 8`.
    pub reason: String,
}

impl Hint {
    /// What an analysis of the person's position advises; `None` if the game is over.
    pub fn of(report: &Report) -> Option<Self> {
        let by = report.margin.seeds().unsigned_abs();
        let reason = match report.certainty {
            Certainty::Estimate => format!("looks like {}", report.margin),
            Certainty::Exact if report.margin > Margin::ZERO => format!("wins by {by}"),
            Certainty::Exact if report.margin < Margin::ZERO => {
                format!("loses by no more than {by}")
            }
            Certainty::Exact => "makes a tie".to_owned(),
        };
        Some(Self {
            choice: report.choice?,
            reason,
        })
    }
}
