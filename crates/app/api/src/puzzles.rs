//! The request `puzzle`: finds a position in which one move wins, or saves a tie, and no other.

use std::time::Duration;

use kalah::{Position, Side, Variant};
use kalah_engine::{MarginEstimate, Puzzle, PuzzleGenerator, PuzzleRating};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::{MOVE_PATTERN, POSITION_PATTERN, SideSchema};
use crate::{
    Endpoint, Execution, GameValueView, MarginView, MoveBoundsView, RequestEngine, RequestError,
    SearchKind, SearchRequirements, parse_position,
};

/// The request `puzzle`: finds a puzzle in games between computer players. Equal requests give
/// equal puzzles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PuzzleRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    pub rules: Option<String>,
    /// The position in which the games begin; `6x4` by default.
    #[schemars(example = &"6x4")]
    pub position: Option<String>,
    /// The seed of the games; 0 by default. A client that wants another puzzle sends another seed.
    #[serde(default)]
    #[schemars(range(max = u64::MAX))]
    pub seed: u64,
    /// The least rating; 800 by default.
    #[schemars(range(min = 800, max = 2400))]
    pub min_rating: Option<u16>,
    /// The greatest rating; 2400 by default.
    #[schemars(range(min = 800, max = 2400))]
    pub max_rating: Option<u16>,
}

/// The response to `puzzle`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PuzzleResponse {
    /// The puzzle; `None` if the games of this seed have none that fits the request. The next seed
    /// may have one. It is rare on boards of ten houses a side, and unlikely on larger ones.
    pub puzzle: Option<PuzzleView>,
}

/// A puzzle. Margins are those of the side to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PuzzleView {
    /// The position as text.
    #[schemars(regex(pattern = POSITION_PATTERN))]
    pub position: String,
    /// The rules as text.
    pub rules: String,
    /// The side to move.
    #[schemars(with = "SideSchema")]
    pub to_move: Side,
    /// The result that only the solution reaches: `win` or `tie`.
    pub value: GameValueView,
    /// The solution: the only move that reaches this result.
    #[schemars(regex(pattern = MOVE_PATTERN))]
    pub solution: String,
    /// The margin of the solution.
    #[serde(flatten)]
    pub margin: MarginView,
    /// The computed difficulty; it is not measured with people.
    #[schemars(range(min = 800, max = 2400))]
    pub rating: u16,
    /// The turns that a search has to look ahead to find the solution.
    #[schemars(range(min = 1))]
    pub depth: u32,
    /// All legal moves with their bounds: houses in sowing order, then `swap`.
    pub moves: Vec<MoveBoundsView>,
    /// The solution and best play after it, to the end of the game if the proofs reach it.
    #[schemars(inner(regex(pattern = MOVE_PATTERN)))]
    pub line: Vec<String>,
}

impl PuzzleRequest {
    /// The maximum work of a request, for [`PuzzleGenerator::with_max_work`]. On 6x4 and 6x6 a
    /// request takes 0.2 s on average and at most 0.8 s; `docs/analysis.md` has the measurements.
    pub const MAX_WORK: u64 = 60_000_000;

    /// The time in which a puzzle is found, or the request gives up.
    const TIME_LIMIT: Duration = Duration::from_secs(1);

    /// Returns the position in which the games begin.
    fn position(&self) -> Result<Position, RequestError> {
        parse_position(self.rules.as_deref(), self.position.as_deref())
    }

    /// Finds a puzzle.
    ///
    /// # Errors
    /// Those of [`parse_position`], [`RequestError::InvalidRating`] and
    /// [`RequestError::EmptyRatingRange`].
    pub fn execute(&self) -> Result<PuzzleResponse, RequestError> {
        let start = self.position()?;
        let rating = |number: Option<u16>, default| match number {
            None => Ok(default),
            Some(number) => PuzzleRating::new(number).ok_or(RequestError::InvalidRating { number }),
        };
        let min = rating(self.min_rating, PuzzleRating::MIN)?;
        let max = rating(self.max_rating, PuzzleRating::MAX)?;
        if min > max {
            return Err(RequestError::EmptyRatingRange { min, max });
        }
        let mut generator = PuzzleGenerator::new(start, self.seed)
            .with_ratings(min..=max)
            .with_max_work(Self::MAX_WORK);
        Ok(PuzzleResponse {
            puzzle: generator.next().as_ref().map(PuzzleView::from),
        })
    }
}

impl Endpoint for PuzzleRequest {
    type Response = PuzzleResponse;
    const NAME: &str = "puzzle";
    const SUMMARY: &str = "Finds a puzzle with its solution.";
    const RESPONSE_SUMMARY: &str = "The puzzle.";
    const EXECUTION: Execution<Self> = Execution::Search {
        requirements: |request, _| {
            Ok(SearchRequirements {
                kind: SearchKind::Analysis,
                variant: Variant::from_position(&request.position()?),
                time_limit: Some(Self::TIME_LIMIT),
                position: None,
            })
        },
        // The request searches with an engine of its own, because a puzzle depends on its seed
        // alone.
        execute: |request, _: &mut RequestEngine, _| request.execute(),
    };

    fn example() -> Value {
        json!({"position": "6x4", "seed": 7, "min_rating": 1200})
    }
}

impl From<&Puzzle> for PuzzleView {
    fn from(puzzle: &Puzzle) -> Self {
        let Puzzle {
            position,
            solution,
            value,
            depth,
            rating,
            report,
        } = puzzle;
        let to_move = position.to_move();
        Self {
            position: position.to_string(),
            rules: position.rules().to_string(),
            to_move,
            value: (*value).into(),
            solution: solution.text(to_move),
            margin: MarginEstimate::from_report(position, report).into(),
            rating: rating.get(),
            depth: depth.get(),
            moves: MoveBoundsView::list(to_move, &report.moves),
            line: (report.line.iter())
                .map(|&(side, mv)| mv.text(side))
                .collect(),
        }
    }
}
