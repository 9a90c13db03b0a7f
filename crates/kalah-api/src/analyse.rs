use kalah::{Position, Side};
use kalah_engine::{Goal, Limits};
use serde::{Deserialize, Serialize};

use crate::{Analyst, BoundsView, RequestError, start};

/// What is each choice worth? The question `analyse`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalyseRequest {
    /// `cs32` if missing.
    pub rules: Option<String>,
    /// `6x4` if missing.
    pub position: Option<String>,
    /// Such as `500ms`; five seconds if missing.
    pub time: Option<String>,
    /// What is to be proven.
    #[serde(default)]
    pub moves: MovesToProve,
}

/// The choices whose margins are to be proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MovesToProve {
    /// The best one.
    Best,
    /// The best one first, and then all others.
    #[default]
    All,
}

/// What an analysis found. Margins are for the player to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalyseResponse {
    /// The position as text.
    pub position: String,
    /// The rules as text.
    pub rules: String,
    /// Who is to move.
    #[serde(rename = "side")]
    pub to_move: Side,
    /// The margin to expect, which is proven if the bounds are exact.
    pub margin: i32,
    /// What is proven of it.
    #[serde(flatten)]
    pub bounds: BoundsView,
    /// The best choice found; none if the game is over.
    pub best: Option<String>,
    /// Every choice, in order, and what is proven of it.
    pub moves: Vec<MoveBoundsView>,
    /// The plies to expect, the best choice first; may be cut short.
    pub line: Vec<String>,
    /// Positions searched.
    pub nodes: u64,
    /// Turns looked ahead, before a proof began.
    pub depth: u32,
    /// Time taken.
    pub seconds: f64,
}

/// What a choice is worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveBoundsView {
    /// The choice.
    #[serde(rename = "choice")]
    pub mv: String,
    /// What is proven of its margin.
    #[serde(flatten)]
    pub bounds: BoundsView,
}

impl AnalyseRequest {
    /// What is asked about.
    ///
    /// # Errors
    /// Why there is no such position.
    pub fn position(&self) -> Result<Position, RequestError> {
        start::parse_position(self.rules.as_deref(), self.position.as_deref())
    }

    /// What each choice is worth.
    ///
    /// # Errors
    /// Why there is no such position, or not so much time.
    pub fn execute(&self, thinker: &mut Analyst) -> Result<AnalyseResponse, RequestError> {
        let position = self.position()?;
        let limits = Limits {
            time: Some(thinker.resolve_time_limit(self.time.as_deref())?),
            goal: match self.moves {
                MovesToProve::Best => Goal::BestMargin,
                MovesToProve::All => Goal::AllMargins,
            },
            ..Limits::default()
        };
        let (engine, clock) = thinker.engine_and_clock();
        let report = engine.analyse(&position, limits, &**clock);
        let side = position.to_move();
        Ok(AnalyseResponse {
            position: position.to_string(),
            rules: position.rules().to_string(),
            to_move: side,
            margin: report.expected_margin().seeds(),
            bounds: report.bounds.into(),
            best: report.best_move.map(|mv| mv.text(side)),
            moves: (report.moves.iter())
                .map(|&(mv, bounds)| MoveBoundsView {
                    mv: mv.text(side),
                    bounds: bounds.into(),
                })
                .collect(),
            line: (report.line.iter())
                .map(|&(side, mv)| mv.text(side))
                .collect(),
            nodes: report.nodes,
            depth: report.depth,
            seconds: report.time.as_secs_f64(),
        })
    }
}
