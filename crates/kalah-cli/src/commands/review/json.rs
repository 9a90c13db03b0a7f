use kalah::Side;
use kalah_engine::{Accuracy, Bounds, MarginEstimate};
use serde::Serialize;

use super::{ReviewOutput, summary};
use crate::Notation;
use crate::commands::game_value_name;
use kalah::Labels;

/// `kalah review --json`.
#[derive(Serialize)]
pub(super) struct ReviewJson {
    south: String,
    north: String,
    rules: String,
    position: String,
    /// Seeds at the end, `None` while it is not played to its end.
    result: Option<String>,
    termination: &'static str,
    /// Whose row has won, `None` if nobody's has or it is not known.
    winner: Option<&'static str>,
    /// Before the first ply, of the player who began as South.
    margin: MarginEstimateJson,
    plies: Vec<PlyJson>,
    accuracy: AccuraciesJson,
    /// Plies of which it is not proven what they cost.
    unproven: usize,
    summary: String,
}

#[derive(Serialize)]
struct BoundsJson {
    lower: i32,
    upper: i32,
    exact: bool,
}

#[derive(Serialize)]
struct MarginEstimateJson {
    /// What is expected, within what is proven.
    expected: i32,
    #[serde(flatten)]
    bounds: BoundsJson,
}

#[derive(Serialize)]
struct PlyJson {
    ply: usize,
    turn: u32,
    side: &'static str,
    /// Who made it, by the side on which that player began.
    player: &'static str,
    #[serde(rename = "move")]
    mv: String,
    /// With best play from before it, of the player who began as South.
    before: MarginEstimateJson,
    /// The same after it.
    after: MarginEstimateJson,
    cost: BoundsJson,
    /// What could be lost at most, if that is proven.
    stake: Option<u32>,
    better: Vec<String>,
    #[serde(rename = "turned")]
    value_change: Option<ValueChangeJson>,
}

#[derive(Serialize)]
struct ValueChangeJson {
    from: &'static str,
    to: &'static str,
}

#[derive(Serialize)]
struct AccuraciesJson {
    south: AccuracyJson,
    north: AccuracyJson,
}

#[derive(Serialize)]
struct AccuracyJson {
    percent: Option<f64>,
    plies: u32,
    lost: u32,
    stake: u32,
}

impl ReviewJson {
    pub(super) fn new(reviewed: &ReviewOutput) -> Self {
        let ReviewOutput {
            game,
            names,
            review,
            ending,
        } = reviewed;
        let plies = reviewed.plies().map(|(number, turn, ply)| PlyJson {
            ply: number,
            turn: turn.number,
            side: ply.side.as_str(),
            player: ply.player.as_str(),
            mv: ply.mv.text(ply.side),
            before: ply.before.from_south_perspective(ply.player).into(),
            after: ply.after.from_south_perspective(ply.player).into(),
            cost: ply.cost.into(),
            stake: ply.stake,
            better: ply
                .better_moves
                .iter()
                .map(|better| better.text(ply.side))
                .collect(),
            value_change: ply.value_change().map(|(from, to)| ValueChangeJson {
                from: game_value_name(from),
                to: game_value_name(to),
            }),
        });
        Self {
            south: names[Side::South].clone(),
            north: names[Side::North].clone(),
            rules: game.start().rules().to_string(),
            position: game.start().to_string(),
            result: ending.outcome.map(|outcome| outcome.to_string()),
            termination: ending.termination.as_str(),
            winner: ending.winner.map(Side::as_str),
            margin: review.start.into(),
            plies: plies.collect(),
            accuracy: AccuraciesJson {
                south: review.accuracy[Side::South].into(),
                north: review.accuracy[Side::North].into(),
            },
            unproven: review.unproven_count(),
            summary: summary(reviewed, Notation::new(game.start(), Labels::Letters)),
        }
    }
}

impl From<MarginEstimate> for MarginEstimateJson {
    fn from(outlook: MarginEstimate) -> Self {
        Self {
            expected: outlook.expected.seeds(),
            bounds: outlook.bounds.into(),
        }
    }
}

impl From<Bounds> for BoundsJson {
    fn from(bounds: Bounds) -> Self {
        Self {
            lower: bounds.lower.seeds(),
            upper: bounds.upper.seeds(),
            exact: bounds.is_exact(),
        }
    }
}

impl From<Accuracy> for AccuracyJson {
    fn from(accuracy: Accuracy) -> Self {
        let Accuracy {
            plies,
            cost: lost,
            stake,
        } = accuracy;
        Self {
            percent: accuracy.percent(),
            plies,
            lost,
            stake,
        }
    }
}
