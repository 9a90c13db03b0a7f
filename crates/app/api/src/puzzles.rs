//! The requests for puzzles, positions in which one move wins, or saves a tie, and no other:
//! `puzzle`, `daily_puzzle` and `check_puzzle`.

use std::time::Duration;

use kalah::{Position, Side, Variant};
use kalah_engine::{MarginEstimate, NoPuzzle, Puzzle, PuzzleGenerator, PuzzleRating, PuzzleTheme};
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
    /// A theme that the puzzle has; any by default.
    pub theme: Option<PuzzleThemeView>,
    /// The least number of moves to find; 1 by default.
    pub min_moves: Option<u8>,
}

/// The request `daily_puzzle`: finds the puzzle of a day, the same for all players. It is on 6x4
/// with the rules `standard`, and its rating rises from Monday to Sunday.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DailyPuzzleRequest {
    /// The number of days since 1970-01-01, in UTC.
    #[schemars(range(max = u32::MAX))]
    pub day: u32,
}

/// The request `check_puzzle`: tells whether a position is a puzzle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckPuzzleRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    pub rules: Option<String>,
    /// The position; `6x4` by default.
    #[schemars(example = &"<3,0,0,2,2,2,2,2,2> s")]
    pub position: Option<String>,
}

/// The response to `puzzle` and `daily_puzzle`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PuzzleResponse {
    /// The puzzle; `None` if the games of this seed have none that fits the request. The next seed
    /// may have one. It is rare on boards of ten houses a side, and unlikely on larger ones.
    pub puzzle: Option<PuzzleView>,
}

/// The response to `check_puzzle`. It depends on the position and its rules alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckPuzzleResponse {
    /// The puzzle, as `puzzle` returns it; `None` if the position is no puzzle.
    pub puzzle: Option<PuzzleView>,
    /// The reason why the position is no puzzle; `None` for a puzzle.
    pub reason: Option<NoPuzzleView>,
}

/// The reason why a position is no puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoPuzzleView {
    /// The game is over.
    GameOver,
    /// There are fewer than three legal moves.
    TooFewMoves,
    /// The results of all moves are not proven within the limits of a check.
    NotProven,
    /// Every move loses.
    Lost,
    /// Several moves lead to the best result.
    NoUniqueMove,
    /// A search of six turns does not find the solution.
    TooDeep,
}

/// A theme of a puzzle, which the solver has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PuzzleThemeView {
    /// A move to find captures, or a later move of its turn.
    Capture,
    /// The moves to find give two or more bonus turns in one turn.
    BonusChain,
    /// A move to find leaves the opponent without seeds in the own houses.
    Starve,
    /// The solution prevents a capture of at least three seeds.
    SaveSeeds,
    /// The houses hold at most one seed each on average.
    LastSeeds,
    /// All other moves lose.
    OnlyMove,
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
    /// The themes.
    pub themes: Vec<PuzzleThemeView>,
    /// The indices of the moves of `line` that are to be found, from 0 on. The moves between them
    /// are best replies of the opponent.
    #[schemars(inner(range(max = u32::MAX)))]
    pub to_find: Vec<u32>,
    /// The moves to find with the replies, and best play after them, to the end of the game if the
    /// proofs reach it.
    #[schemars(inner(regex(pattern = MOVE_PATTERN)))]
    pub line: Vec<String>,
}

impl PuzzleRequest {
    /// The maximum work of a request, for [`PuzzleGenerator::with_max_work`]. `docs/analysis.md`
    /// has the time that requests take.
    pub const MAX_WORK: u64 = 120_000_000;

    /// The time in which a puzzle is found, or the request gives up.
    const TIME_LIMIT: Duration = Duration::from_secs(2);

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
            .with_min_moves(usize::from(self.min_moves.unwrap_or(1)))
            .with_max_work(Self::MAX_WORK);
        if let Some(theme) = self.theme {
            generator = generator.with_theme(theme.into());
        }
        Ok(PuzzleResponse {
            puzzle: generator.next().as_ref().map(PuzzleView::from),
        })
    }
}

impl DailyPuzzleRequest {
    /// The time in which the puzzle is found; [`Puzzle::MAX_DAILY_WORK`] takes less.
    const TIME_LIMIT: Duration = Duration::from_secs(5);

    /// Finds the puzzle of the day.
    pub fn execute(self) -> PuzzleResponse {
        PuzzleResponse {
            puzzle: Puzzle::daily(self.day).as_ref().map(PuzzleView::from),
        }
    }
}

impl Endpoint for DailyPuzzleRequest {
    type Response = PuzzleResponse;
    const NAME: &str = "daily_puzzle";
    const SUMMARY: &str = "Finds the puzzle of a day with its solution.";
    const RESPONSE_SUMMARY: &str = "The puzzle.";
    const EXECUTION: Execution<Self> = Execution::Search {
        requirements: |_, _| {
            let start = Puzzle::daily_start();
            Ok(SearchRequirements {
                kind: SearchKind::Analysis,
                variant: Variant::from_position(&start),
                time_limit: Some(Self::TIME_LIMIT),
                position: None,
            })
        },
        execute: |request, _: &mut RequestEngine, _| Ok(request.execute()),
    };

    fn example() -> Value {
        json!({"day": 20_786})
    }
}

impl CheckPuzzleRequest {
    /// The time in which a check ends.
    const TIME_LIMIT: Duration = Duration::from_secs(1);

    /// Returns the position.
    fn position(&self) -> Result<Position, RequestError> {
        parse_position(self.rules.as_deref(), self.position.as_deref())
    }

    /// Checks the position.
    ///
    /// # Errors
    /// Those of [`parse_position`].
    pub fn execute(&self) -> Result<CheckPuzzleResponse, RequestError> {
        let (puzzle, reason) = match Puzzle::check(&self.position()?) {
            Ok(puzzle) => (Some(PuzzleView::from(&puzzle)), None),
            Err(reason) => (None, Some(reason.into())),
        };
        Ok(CheckPuzzleResponse { puzzle, reason })
    }
}

impl Endpoint for CheckPuzzleRequest {
    type Response = CheckPuzzleResponse;
    const NAME: &str = "check_puzzle";
    const SUMMARY: &str = "Tells whether a position is a puzzle, with its solution.";
    const RESPONSE_SUMMARY: &str = "The puzzle, or the reason why there is none.";
    const EXECUTION: Execution<Self> = Execution::Search {
        requirements: |request, _| {
            let position = request.position()?;
            Ok(SearchRequirements {
                kind: SearchKind::Analysis,
                variant: Variant::from_position(&position),
                time_limit: Some(Self::TIME_LIMIT),
                position: Some(position),
            })
        },
        // The request searches with an engine of its own, because its result depends on the
        // position alone.
        execute: |request, _: &mut RequestEngine, _| request.execute(),
    };

    fn example() -> Value {
        json!({"position": "<4,8,9,1,0,2,1,0,2,1,0> s"})
    }
}

impl From<NoPuzzle> for NoPuzzleView {
    fn from(reason: NoPuzzle) -> Self {
        match reason {
            NoPuzzle::GameOver => Self::GameOver,
            NoPuzzle::TooFewMoves(_) => Self::TooFewMoves,
            NoPuzzle::NotProven => Self::NotProven,
            NoPuzzle::Lost => Self::Lost,
            NoPuzzle::NoUniqueMove { moves: _ } => Self::NoUniqueMove,
            NoPuzzle::TooDeep => Self::TooDeep,
        }
    }
}

impl From<PuzzleTheme> for PuzzleThemeView {
    fn from(theme: PuzzleTheme) -> Self {
        match theme {
            PuzzleTheme::Capture => Self::Capture,
            PuzzleTheme::BonusChain => Self::BonusChain,
            PuzzleTheme::Starve => Self::Starve,
            PuzzleTheme::SaveSeeds => Self::SaveSeeds,
            PuzzleTheme::LastSeeds => Self::LastSeeds,
            PuzzleTheme::OnlyMove => Self::OnlyMove,
        }
    }
}

impl From<PuzzleThemeView> for PuzzleTheme {
    fn from(theme: PuzzleThemeView) -> Self {
        match theme {
            PuzzleThemeView::Capture => Self::Capture,
            PuzzleThemeView::BonusChain => Self::BonusChain,
            PuzzleThemeView::Starve => Self::Starve,
            PuzzleThemeView::SaveSeeds => Self::SaveSeeds,
            PuzzleThemeView::LastSeeds => Self::LastSeeds,
            PuzzleThemeView::OnlyMove => Self::OnlyMove,
        }
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
            plies: _,
        } = puzzle;
        let to_find = puzzle.indices_to_find().into_iter();
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
            themes: puzzle.themes().into_iter().map(Into::into).collect(),
            to_find: to_find
                .filter_map(|index| u32::try_from(index).ok())
                .collect(),
            line: (report.line.iter())
                .map(|&(side, mv)| mv.text(side))
                .collect(),
        }
    }
}
