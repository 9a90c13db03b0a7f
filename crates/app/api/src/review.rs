//! The request `review`: computes the cost of each ply of a game from analyses of its positions.

use std::time::Duration;

use kalah::record::Turn;
use kalah::{BySide, Game, Margin, Move, Position, Side};
use kalah_engine::{
    Accuracy, Bounds, Certainty, Commentary, GameValue, GradeCounts, MarginEstimate, MoveGrade,
    MoveReport, Report, ResultChances, Review, ReviewedPly,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::{BySideSchema, MOVE_PATTERN, SideSchema, deserialize_optional_objects};
use crate::review_words::{LevelEstimateView, PhaseAccuracyView, ReasonView};
use crate::{
    BodySize, BoundsView, ChancesView, Endpoint, Execution, GameView, RequestError, parse_move,
    parse_position,
};

/// The request `review`: reviews a game whose positions the client has analyzed.
///
/// The request does no search. A client analyzes the positions one by one with `analyze`, so that
/// it can show the progress, and reviews the game with those analyses that it has.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    pub rules: Option<String>,
    /// The position before the first move; `6x4` by default.
    #[schemars(example = &"6x4")]
    pub position: Option<String>,
    /// The moves: houses or `swap`; at most 5,000.
    pub moves: Vec<String>,
    /// The analyses of the position before each move and of the last position, in order; `null` for
    /// a position without an analysis.
    #[serde(deserialize_with = "deserialize_optional_objects")]
    pub analyses: Vec<Option<AnalysisInput>>,
    /// The number of moves at the begin of the game that are the opening of a tournament, which no
    /// player chose: they have margins and no grades, and count in no accuracy; 0 by default.
    pub opening_plies: Option<usize>,
}

/// The margins of the response to the request `analyze`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalysisInput {
    /// The expected margin of the side to move, in seeds.
    pub margin: i32,
    /// The lower bound, in seeds.
    pub lower: i32,
    /// The upper bound, in seeds.
    pub upper: i32,
    /// The best move found, which is better than a move that loses a chance.
    pub best: Option<String>,
    /// The bounds of moves; a legal move that is missing is not analyzed.
    #[serde(deserialize_with = "crate::json::deserialize_objects")]
    pub moves: Vec<MoveBoundsInput>,
    /// The expected plies from the position on, which begin with `best`; a review has more reasons
    /// with it.
    pub line: Option<Vec<String>>,
}

/// The proven bounds of the margin of a move.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveBoundsInput {
    /// The move: a house or `swap`.
    #[serde(rename = "move")]
    pub mv: String,
    /// The lower bound, in seeds.
    pub lower: i32,
    /// The upper bound, in seeds.
    pub upper: i32,
}

impl ReviewRequest {
    /// Reviews the game.
    ///
    /// # Errors
    /// Those of [`parse_position`], [`RequestError::TooManyPlies`], [`RequestError::AtPly`] for the
    /// first move that is invalid or illegal, and those of
    /// [`ProblemKind::InvalidAnalysis`](crate::ProblemKind::InvalidAnalysis).
    pub fn execute(&self) -> Result<ReviewView, RequestError> {
        let game = self.game()?;
        let positions: Vec<&Position> = std::iter::once(game.start())
            .chain(game.plies().iter().map(|ply| &ply.after))
            .collect();
        if self.analyses.len() != positions.len() {
            return Err(RequestError::AnalysisCount {
                expected: positions.len(),
                found: self.analyses.len(),
            });
        }
        let reports = (self.analyses.iter().zip(&positions).enumerate())
            .map(|(index, (analysis, position))| match analysis {
                Some(analysis) => analysis.report(index, position),
                None => Ok(empty_report(position)),
            })
            .collect::<Result<Vec<Report>, _>>()?;
        let review = Review::from_reports(&game, &reports)
            .with_opening_plies(self.opening_plies.unwrap_or(0));
        let commentary = Commentary::new(&game, &reports, &review);
        let mut view = ReviewView::new(&game, &review, &commentary);
        view.remove_guesses(|index| {
            positions[index].is_over() || self.analyses.get(index).is_some_and(Option::is_some)
        });
        Ok(view)
    }

    fn game(&self) -> Result<Game, RequestError> {
        let start = parse_position(self.rules.as_deref(), self.position.as_deref())?;
        if self.moves.len() > GameView::MAX_PLIES {
            return Err(RequestError::TooManyPlies(GameView::MAX_PLIES));
        }
        let mut game = Game::new(start);
        for (ply, text) in (1..).zip(&self.moves) {
            parse_move(text, game.position())
                .and_then(|mv| match game.play(mv) {
                    Ok(_) => Ok(()),
                    Err(reason) => Err(RequestError::IllegalMove {
                        mv: text.clone(),
                        reason,
                    }),
                })
                .map_err(|problem| RequestError::AtPly {
                    ply,
                    problem: Box::new(problem),
                })?;
        }
        Ok(game)
    }
}

impl Endpoint for ReviewRequest {
    type Response = ReviewView;
    const NAME: &str = "review";
    const SUMMARY: &str = "Computes the cost of each ply of a game.";
    const RESPONSE_SUMMARY: &str = "The review.";
    const BODY_SIZE: BodySize = BodySize::Large;
    const EXECUTION: Execution<Self> = Execution::WholeGame(Self::execute);

    fn example() -> Value {
        json!({"position": "6x4", "moves": ["C"], "analyses": [null, null]})
    }
}

/// The nodes of an analysis of a request, which has at least one but does not tell how many.
const ANALYZED_NODES: u64 = 1;

impl AnalysisInput {
    /// Converts the analysis of the position with this index.
    fn report(&self, index: usize, position: &Position) -> Result<Report, RequestError> {
        let bounds = parse_bounds(index, position, self.lower, self.upper)?;
        let mut report = Report {
            raw_margin: Margin::new(self.margin).clamp(bounds.lower, bounds.upper),
            bounds,
            nodes: ANALYZED_NODES,
            ..empty_report(position)
        };
        let move_index = |report: &Report, text: &str| {
            let mut moves = report.moves.iter();
            let found = moves.position(|known| known.mv.text(position.to_move()) == text);
            found.ok_or_else(|| RequestError::AnalysisMove {
                index,
                mv: text.to_owned(),
            })
        };
        for MoveBoundsInput { mv, lower, upper } in &self.moves {
            let bounds = parse_bounds(index, position, *lower, *upper)?;
            let known = move_index(&report, mv)?;
            report.moves[known].bounds = bounds;
        }
        if let Some(best) = &self.best {
            let known = move_index(&report, best)?;
            report.best_move = Some(report.moves[known].mv);
        }
        report.line = self.parse_line(index, position)?;
        Ok(report)
    }

    /// Plays the line of the analysis with this index.
    fn parse_line(
        &self,
        index: usize,
        position: &Position,
    ) -> Result<Vec<(Side, Move)>, RequestError> {
        let mut at = position.clone();
        let moves = self.line.iter().flatten();
        let plies = moves.map(|text| {
            let side = at.to_move();
            let mut legal = at.legal_moves();
            let mv = legal.find(|mv| mv.text(side) == *text);
            drop(legal);
            match mv {
                Some(mv) if at.play(mv).is_ok() => Ok((side, mv)),
                Some(_) | None => Err(RequestError::AnalysisMove {
                    index,
                    mv: text.clone(),
                }),
            }
        });
        plies.collect()
    }
}

fn parse_bounds(
    index: usize,
    position: &Position,
    lower: i32,
    upper: i32,
) -> Result<Bounds, RequestError> {
    let total = i32::from(position.total());
    if -total <= lower && lower <= upper && upper <= total {
        return Ok(Bounds {
            lower: Margin::new(lower),
            upper: Margin::new(upper),
        });
    }
    Err(RequestError::AnalysisBounds {
        index,
        lower,
        upper,
        total,
    })
}

/// Returns the report of a position without an analysis. The margin of a finished game is known.
fn empty_report(position: &Position) -> Report {
    let total = i32::from(position.total());
    let unknown = Bounds {
        lower: Margin::new(-total),
        upper: Margin::new(total),
    };
    let (margin, certainty, bounds) = if position.is_over() {
        let margin = position.lead();
        let exact = Bounds {
            lower: margin,
            upper: margin,
        };
        (margin, Certainty::Exact, exact)
    } else {
        (Margin::ZERO, Certainty::Estimate, unknown)
    };
    Report {
        best_move: None,
        raw_margin: margin,
        certainty,
        bounds,
        moves: (position.legal_moves())
            .map(|mv| MoveReport::from_bounds(mv, unknown))
            .collect(),
        depth: 0,
        nodes: 0,
        table_hits: 0,
        hash_fullness: None,
        time: Duration::ZERO,
        line: Vec::new(),
        is_from_book: false,
        table_damage: None,
    }
}

/// The review of a game: the cost and the grade of each ply, and the accuracy of each player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewView {
    /// The margin before the first ply for the player who began as South; `None` if the position is
    /// not analyzed.
    pub start_margin: Option<MarginView>,
    /// The plies in order.
    pub plies: Vec<ReviewedPlyView>,
    /// The accuracy of each player, by the side on which that player began.
    #[schemars(with = "BySideSchema<AccuracyView>")]
    pub accuracy: BySide<AccuracyView>,
    /// The number of moves of each grade of each player, by the side on which that player began.
    #[schemars(with = "BySideSchema<GradeCountsView>")]
    pub grades: BySide<GradeCountsView>,
    /// The accuracy of each player in each phase, by the side on which that player began.
    #[schemars(with = "BySideSchema<PhaseAccuracyView>")]
    pub phases: BySide<PhaseAccuracyView>,
    /// The level at which each player played, by the side on which that player began; `None` on
    /// boards and under rules for which it is not measured, or if too few plies count.
    #[schemars(with = "BySideSchema<Option<LevelEstimateView>>")]
    pub levels: BySide<Option<LevelEstimateView>>,
    /// The number of plies whose cost is not proven.
    pub unproven: usize,
    /// The number of plies at the begin of the game that are the opening of a tournament: they have
    /// no grade, and count in no accuracy.
    pub opening_plies: usize,
}

/// A ply and its cost. Margins are those of the player who began as South.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewedPlyView {
    /// The number of the ply, from 1.
    #[schemars(range(min = 1))]
    pub ply: usize,
    /// The number of the turn, as in records.
    #[schemars(range(min = 1))]
    pub turn: u32,
    /// The side that moved.
    #[schemars(with = "SideSchema")]
    pub side: Side,
    /// The player who moved, by the side on which that player began.
    #[schemars(with = "SideSchema")]
    pub player: Side,
    /// The move.
    #[serde(rename = "move")]
    #[schemars(regex(pattern = MOVE_PATTERN))]
    pub mv: String,
    /// The margin with best play from the position before the ply; `None` if it is not analyzed.
    pub before: Option<MarginView>,
    /// The margin with best play after the ply; `None` if it is not analyzed.
    pub after: Option<MarginView>,
    /// The margin of the best move minus that of the move made, at least 0.
    pub cost: BoundsView,
    /// The expected points before the ply minus those after it for the player who moved, in
    /// thousandths and at least 0, where a win is worth a point and a tie half a point; `None` if
    /// one of the positions is not analyzed.
    #[schemars(range(max = ResultChances::TOTAL))]
    pub lost_chance: Option<u16>,
    /// The margin of the best move minus that of the worst; `None` unless the margins of all moves
    /// are proven.
    pub stake: Option<u32>,
    /// The grade of the move; `None` for a good move.
    pub grade: Option<MoveGradeView>,
    /// The moves with the best margin, if it is proven that the ply cost something; or else the
    /// best move of the analysis, if the ply has a grade.
    #[schemars(inner(regex(pattern = MOVE_PATTERN)))]
    pub better_moves: Vec<String>,
    /// The change of the result for the player who moved, if both results are proven and differ.
    pub value_change: Option<ValueChangeView>,
    /// The reasons why the move is bad or good, the most important one first; at most two. Those
    /// for blame are proven if the lower bound of `cost` is positive.
    pub reasons: Vec<ReasonView>,
}

/// The grade of a move: that of its proven cost in points or seeds or, where a result is not
/// proven, that of its lost chance, if that is more severe. A win is worth a point and a tie half a
/// point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MoveGradeView {
    /// `?!`: the move costs at least 4 seeds, or a chance of a tenth of a point.
    Inaccuracy,
    /// `?`: the move costs half a point, at least 8 seeds, or a chance of two tenths.
    Mistake,
    /// `??`: the move costs a point, half a point and at least 8 seeds, or a chance of three
    /// tenths.
    Blunder,
}

/// The number of moves of each grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GradeCountsView {
    /// The number of moves with the grade `inaccuracy`.
    pub inaccuracy: u32,
    /// The number of moves with the grade `mistake`.
    pub mistake: u32,
    /// The number of moves with the grade `blunder`.
    pub blunder: u32,
}

/// An expected margin with its proven bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MarginView {
    /// The expected margin, in seeds; it is proven if the bounds are exact.
    pub margin: i32,
    /// The proven bounds.
    #[serde(flatten)]
    pub bounds: BoundsView,
    /// The chances of the player whose margin it is; `None` if the result is not proven and nothing
    /// was searched.
    pub chances: Option<ChancesView>,
}

/// The result of a game with best play before and after a ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ValueChangeView {
    /// The result before the ply.
    pub from: GameValueView,
    /// The result after the ply.
    pub to: GameValueView,
}

/// The result of a game for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GameValueView {
    /// Fewer seeds than the opponent.
    Loss,
    /// As many seeds as the opponent.
    Tie,
    /// More seeds than the opponent.
    Win,
}

/// The accuracy of a player: 100 × (1 − cost ÷ stake), over the plies whose stake is proven.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccuracyView {
    /// The accuracy in percent, from 0 to 100; `None` if less than four fifths of the plies
    /// count or nothing was at stake.
    #[schemars(range(min = 0, max = 100))]
    pub percent: Option<f64>,
    /// The number of plies that count.
    pub plies: u32,
    /// The number of plies that do not count, because their stake is not proven.
    pub unproven: u32,
    /// The cost of the plies that count, in seeds.
    pub cost: u32,
    /// The stake of the plies that count, in seeds.
    pub stake: u32,
}

impl ReviewView {
    /// Returns the view of the review of `game`.
    pub fn new(game: &Game, review: &Review, commentary: &Commentary) -> Self {
        let first = Turn {
            number: 1,
            side: game.start().to_move(),
        };
        let plies = review.plies.iter().zip(&commentary.reasons);
        let plies = (1..)
            .zip(plies)
            .scan(first, |turn, (number, (ply, reasons))| {
                if ply.side != turn.side {
                    *turn = turn.next();
                }
                let reasons = reasons
                    .iter()
                    .map(|&reason| ReasonView::new(reason, ply.side));
                Some(ReviewedPlyView {
                    reasons: reasons.collect(),
                    ..ReviewedPlyView::new(number, turn.number, ply)
                })
            });
        Self {
            start_margin: Some(review.start.into()),
            plies: plies.collect(),
            accuracy: BySide::from_fn(|player| review.accuracy[player].into()),
            grades: BySide::from_fn(|player| review.grades[player].into()),
            phases: BySide::from_fn(|player| commentary.accuracy[player].into()),
            levels: BySide::from_fn(|player| {
                commentary.levels[player].map(LevelEstimateView::from)
            }),
            unproven: review.unproven_count(),
            opening_plies: review.opening_plies(),
        }
    }

    /// Removes the margins of positions that are not analyzed, unless the analyses of other
    /// positions prove them. Position 0 is the start, and position n follows ply n.
    fn remove_guesses(&mut self, is_analyzed: impl Fn(usize) -> bool) {
        let is_guess =
            |index: usize, margin: &mut MarginView| !is_analyzed(index) && !margin.bounds.exact;
        self.start_margin.take_if(|margin| is_guess(0, margin));
        for ply in &mut self.plies {
            let number = ply.ply;
            ply.before.take_if(|margin| is_guess(number - 1, margin));
            ply.after.take_if(|margin| is_guess(number, margin));
        }
    }
}

impl ReviewedPlyView {
    /// Returns the view of a ply, without reasons.
    fn new(number: usize, turn: u32, ply: &ReviewedPly) -> Self {
        let margin = |estimate: MarginEstimate| {
            Some(MarginView::from(
                estimate.from_south_perspective(ply.player),
            ))
        };
        let text = |mv: &Move| mv.text(ply.side);
        Self {
            ply: number,
            turn,
            side: ply.side,
            player: ply.player,
            mv: text(&ply.mv),
            before: margin(ply.before),
            after: margin(ply.after),
            cost: ply.cost.into(),
            lost_chance: ply.lost_chance,
            stake: ply.stake,
            grade: ply.grade().map(MoveGradeView::from),
            better_moves: ply.better_moves.iter().map(text).collect(),
            value_change: ply.value_change().map(|(from, to)| ValueChangeView {
                from: from.into(),
                to: to.into(),
            }),
            reasons: Vec::new(),
        }
    }
}

impl From<MarginEstimate> for MarginView {
    fn from(estimate: MarginEstimate) -> Self {
        Self {
            margin: estimate.expected.seeds(),
            bounds: estimate.bounds.into(),
            chances: estimate.chances.map(ChancesView::from),
        }
    }
}

impl From<GameValue> for GameValueView {
    fn from(value: GameValue) -> Self {
        match value {
            GameValue::Loss => Self::Loss,
            GameValue::Tie => Self::Tie,
            GameValue::Win => Self::Win,
        }
    }
}

impl From<MoveGrade> for MoveGradeView {
    fn from(grade: MoveGrade) -> Self {
        match grade {
            MoveGrade::Inaccuracy => Self::Inaccuracy,
            MoveGrade::Mistake => Self::Mistake,
            MoveGrade::Blunder => Self::Blunder,
        }
    }
}

impl From<GradeCounts> for GradeCountsView {
    fn from(counts: GradeCounts) -> Self {
        Self {
            inaccuracy: counts.inaccuracies,
            mistake: counts.mistakes,
            blunder: counts.blunders,
        }
    }
}

impl From<Accuracy> for AccuracyView {
    fn from(accuracy: Accuracy) -> Self {
        let Accuracy {
            plies,
            unproven,
            cost,
            stake,
        } = accuracy;
        Self {
            percent: accuracy.percent(),
            plies,
            unproven,
            cost,
            stake,
        }
    }
}
