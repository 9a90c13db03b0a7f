//! Review of a game: the cost and the grade of each ply.

mod accuracy;
mod commentary;
mod level_estimate;
mod mover_turn;
mod reasons;

use std::cmp::Ordering;

use kalah::{BySide, Game, Margin, Move, Position, Side};

use crate::analysis::ResultChances;
use crate::analysis::report::{Bounds, Report};

pub use accuracy::Accuracy;
pub use commentary::{Commentary, GamePhase, PhaseAccuracy};
pub use level_estimate::{LevelEstimate, PlyCosts};
pub use reasons::Reason;

/// The cost of each ply of a game, as far as it is proven.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Move, Game, House, Position, Rules};
/// use kalah_engine::{AnalysisGoal, Engine, Limits, Review};
///
/// // House 1 banks nothing, though another house gives a bonus turn.
/// let house = |number| Move::Sow(House::new(number).expect("from 1 to 26"));
/// let start = Position::start(3, 2, Rules::CS32)?;
/// let game = Game::replay(start, [house(1)])?;
/// let mut engine = Engine::new();
/// let limits = Limits { goal: AnalysisGoal::AllMargins, ..Limits::default() };
/// let review =
///     Review::from_game(&game, |position| engine.analyze(position, limits, &|| Duration::ZERO));
/// let ply = &review.plies[0];
/// let [before, after] = [ply.before, ply.after].map(|value| value.bounds.lower.seeds());
/// assert_eq!(ply.cost.lower.seeds(), before - after);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The value of the start for the player who began as South.
    pub start: MarginEstimate,
    /// The plies in order.
    pub plies: Vec<ReviewedPly>,
    /// The accuracy of each player, by the side on which that player began.
    pub accuracy: BySide<Accuracy>,
    /// The number of moves of each grade of each player, by the side on which that player began.
    pub grades: BySide<GradeCounts>,
}

/// A ply of a game and its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewedPly {
    /// The side that moved.
    pub side: Side,
    /// The player who moved, by the side on which that player began.
    pub player: Side,
    /// The move.
    pub mv: Move,
    /// Whether the ply belongs to the opening of a tournament, which no player chose: see
    /// [`Review::with_opening_plies`].
    pub is_opening_ply: bool,
    /// The value of the position before the ply for its player.
    pub before: MarginEstimate,
    /// The value of the position after the ply for the same player.
    pub after: MarginEstimate,
    /// The margin of the best move minus that of the move made, at least 0.
    pub cost: Bounds,
    /// The expected points of the player before the ply minus those after it, in thousandths and
    /// at least 0; `None` if the position before or after it has no chances.
    pub lost_chance: Option<u16>,
    /// The margin of the best move minus that of the worst, in seeds, if the margins of all moves
    /// are proven; 0 if only one move is legal.
    pub stake: Option<u32>,
    /// The moves with the best proven margin, if it is proven that the ply cost something; or else
    /// the best move of the analysis, if the ply has a grade. A ply of the opening has none.
    pub better_moves: Vec<Move>,
}

/// The value of a position for a player: an expected margin within proven bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginEstimate {
    /// The expected margin.
    pub expected: Margin,
    /// The proven bounds.
    pub bounds: Bounds,
    /// The chances of the results; `None` if the result is not proven and nothing was searched.
    pub chances: Option<ResultChances>,
}

/// The result of a game for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GameValue {
    /// Fewer seeds than the opponent.
    Loss,
    /// As many seeds as the opponent.
    Tie,
    /// More seeds than the opponent.
    Win,
}

/// The grade of a move that costs points or seeds. A good move has none.
///
/// A win is worth a point and a tie half a point. A move costs points if the result with best play
/// is worse after it than before it.
///
/// | grade | symbol | the move costs |
/// | --- | --- | --- |
/// | blunder | `??` | a point; or half a point and at least [`Self::MISTAKE_SEEDS`] seeds |
/// | mistake | `?` | half a point, or at least [`Self::MISTAKE_SEEDS`] seeds |
/// | inaccuracy | `?!` | no points and at least [`Self::INACCURACY_SEEDS`] seeds |
///
/// The result decides first, because a player plays for it: the player of a blunder has thrown away
/// a game that was won, or half a point together with many seeds. These costs are proven, so that
/// their grade never becomes milder when an analysis proves more.
///
/// While the result before or after the move is not proven, its lost chance has a grade too, by
/// [`Self::LOST_CHANCES`]. `docs/analysis.md` has the frequencies with which the thresholds were
/// chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoveGrade {
    /// A cost of some seeds, or a lost chance of a tenth of a point.
    Inaccuracy,
    /// A cost of half a point or of many seeds, or a lost chance of two tenths of a point.
    Mistake,
    /// A cost of a point, or of half a point and many seeds, or a lost chance of three tenths of a
    /// point.
    Blunder,
}

/// The number of moves of each grade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GradeCounts {
    /// The number of inaccuracies.
    pub inaccuracies: u32,
    /// The number of mistakes.
    pub mistakes: u32,
    /// The number of blunders.
    pub blunders: u32,
}

impl Review {
    /// Reviews a game with the reports of [`Self::analyze_positions`].
    pub fn from_game(game: &Game, analyze: impl FnMut(&Position) -> Report) -> Self {
        Self::from_reports(game, &Self::analyze_positions(game, analyze))
    }

    /// Analyzes the positions of a game from its end to its start, and returns the reports of the
    /// start and of the position after each ply, in the order of the game. `analyze` returns the
    /// bounds of a position, and those of each move if possible. If an endgame table turns out to
    /// be damaged, positions that were analyzed with it are analyzed again.
    pub fn analyze_positions(
        game: &Game,
        mut analyze: impl FnMut(&Position) -> Report,
    ) -> Vec<Report> {
        let positions = positions_of(game);
        let mut reports: Vec<Report> = positions.iter().rev().map(|at| analyze(at)).collect();
        reports.reverse();
        let damage = reports[0].table_damage.clone();
        for (report, position) in reports.iter_mut().zip(&positions) {
            if damage.is_some() && report.table_damage != damage && !position.is_over() {
                *report = analyze(position);
            }
        }
        reports
    }

    /// Reviews a game with the reports of its start and of the position after each ply.
    ///
    /// # Panics
    /// If there is not one report for each position.
    pub fn from_reports(game: &Game, reports: &[Report]) -> Self {
        let plies = game.plies();
        let positions = positions_of(game);
        assert_eq!(reports.len(), positions.len(), "a report for each position");
        // Whether the players have swapped sides by the end of the game.
        let mut swapped = game.is_swapped();
        let last = game.position();
        let mut behind = MarginEstimate::from_report(last, &reports[plies.len()])
            .from_south_perspective(player_on_side(last.to_move(), swapped));
        let mut reviewed = Vec::with_capacity(plies.len());
        for (index, ply) in plies.iter().enumerate().rev() {
            swapped ^= ply.mv == Move::Swap;
            let player = player_on_side(ply.side, swapped);
            let reviewed_ply = ReviewedPly::new(
                (positions[index], &reports[index]),
                player,
                (ply.mv, &ply.after),
                behind.from_south_perspective(player),
            );
            behind = reviewed_ply.before.from_south_perspective(player);
            reviewed.push(reviewed_ply);
        }
        reviewed.reverse();
        let mut review = Self {
            start: behind,
            plies: reviewed,
            accuracy: BySide::default(),
            grades: BySide::default(),
        };
        review.count_plies();
        review
    }

    /// Marks the first plies of the game as those of the opening of a tournament, or all if there
    /// are fewer. They keep their margins and the bounds of `cost`, but as no player chose them,
    /// they have no grade and no better moves, and they do not count in the accuracy.
    ///
    /// ```
    /// use std::time::Duration;
    /// use kalah::{Move, Game, House, Position, Rules, Side};
    /// use kalah_engine::{AnalysisGoal, Engine, Limits, MoveGrade, Review};
    ///
    /// let house = |number| Move::Sow(House::new(number).expect("from 1 to 26"));
    /// let game = Game::replay(Position::start(3, 2, Rules::CS32)?, [house(1)])?;
    /// let mut engine = Engine::new();
    /// let limits = Limits { goal: AnalysisGoal::AllMargins, ..Limits::default() };
    /// let review = Review::from_game(&game, |position| {
    ///     engine.analyze(position, limits, &|| Duration::ZERO)
    /// });
    /// assert_eq!(review.plies[0].grade(), Some(MoveGrade::Blunder));
    /// let review = review.with_opening_plies(1);
    /// assert_eq!(review.plies[0].grade(), None);
    /// assert_eq!(review.accuracy[Side::South].percent(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_opening_plies(mut self, count: usize) -> Self {
        for ply in self.plies.iter_mut().take(count) {
            ply.is_opening_ply = true;
            ply.better_moves.clear();
        }
        self.count_plies();
        self
    }

    /// Sets the accuracy and the numbers of grades of each player from the plies.
    fn count_plies(&mut self) {
        let plies_of = |player| self.plies.iter().filter(move |ply| ply.player == player);
        self.accuracy = BySide::from_fn(|player| Accuracy::from_plies(plies_of(player)));
        self.grades = BySide::from_fn(|player| {
            GradeCounts::from_grades(plies_of(player).filter_map(ReviewedPly::grade))
        });
    }

    /// Returns the number of plies of the opening of a tournament.
    pub fn opening_plies(&self) -> usize {
        (self.plies.iter())
            .take_while(|ply| ply.is_opening_ply)
            .count()
    }

    /// Returns the value of the position after this number of plies for the player who began as
    /// South; `None` if the game has fewer plies.
    pub fn value_after(&self, plies: usize) -> Option<MarginEstimate> {
        match plies.checked_sub(1) {
            None => Some(self.start),
            Some(last) => {
                let ply = self.plies.get(last)?;
                Some(ply.after.from_south_perspective(ply.player))
            }
        }
    }

    /// Returns the number of plies whose cost is not proven, those of an opening included.
    pub fn unproven_count(&self) -> usize {
        self.plies.iter().filter(|ply| !ply.cost.is_exact()).count()
    }
}

/// Returns the start of a game and the position after each ply.
fn positions_of(game: &Game) -> Vec<&Position> {
    let after = game.plies().iter().map(|ply| &ply.after);
    std::iter::once(game.start()).chain(after).collect()
}

/// Returns the player on `side`, by the side on which that player began.
fn player_on_side(side: Side, swapped: bool) -> Side {
    if swapped { side.opponent() } else { side }
}

impl ReviewedPly {
    /// Reviews a ply from a position with its report, given the `behind` estimate of the position
    /// after it for the same player.
    fn new(
        (position, report): (&Position, &Report),
        player: Side,
        (mv, next): (Move, &Position),
        behind: MarginEstimate,
    ) -> Self {
        let known_bounds = report.bounds_of(mv);
        // Bounds of the position after a move are bounds of the move, and vice versa.
        let after =
            known_bounds.map_or(behind, |known_bounds| behind.intersect(next, known_bounds));
        let moves: Vec<(Move, Bounds)> = (report.move_bounds().into_iter())
            .map(|(other, bounds)| (other, if other == mv { after.bounds } else { bounds }))
            .collect();
        let best = Bounds {
            lower: moves
                .iter()
                .map(|(_, bounds)| bounds.lower)
                .max()
                .unwrap_or(after.bounds.lower),
            upper: moves
                .iter()
                .map(|(_, bounds)| bounds.upper)
                .max()
                .unwrap_or(after.bounds.upper),
        };
        // The best move is never worse than the move made, even if neither margin is proven.
        let excess = |other: Margin, own: Margin| Margin::new((other.seeds() - own.seeds()).max(0));
        let others = || moves.iter().filter(|&&(other, _)| other != mv);
        let cost = Bounds {
            lower: (others()
                .map(|(_, bounds)| excess(bounds.lower, after.bounds.upper))
                .max())
            .unwrap_or(Margin::ZERO),
            upper: (others()
                .map(|(_, bounds)| excess(bounds.upper, after.bounds.lower))
                .max())
            .unwrap_or(Margin::ZERO),
        };
        let better_moves = if cost.lower > Margin::ZERO {
            moves
                .iter()
                .filter(|(_, bounds)| bounds.lower == best.lower)
                .map(|&(other, _)| other)
                .collect()
        } else {
            Vec::new()
        };
        let worst = moves.iter().map(|(_, bounds)| bounds.lower).min();
        let stake = match worst {
            Some(_) if moves.len() == 1 => Some(0),
            worst => worst
                .filter(|_| moves.iter().all(|(_, bounds)| bounds.is_exact()))
                .map(|worst| seeds_between(best.upper, worst)),
        };
        let before = MarginEstimate::from_report(position, report).intersect(position, best);
        // The move that the analysis prefers loses nothing, though the next analysis may see more.
        let is_best = cost.lower == Margin::ZERO && report.best_move == Some(mv);
        let lost_chance = match lost_chance(before, after) {
            Some(_) if is_best || cost.upper == Margin::ZERO => Some(0),
            lost_chance => lost_chance,
        };
        let mut reviewed = Self {
            side: position.to_move(),
            player,
            mv,
            is_opening_ply: false,
            before,
            after,
            cost,
            lost_chance,
            stake,
            better_moves,
        };
        if !reviewed.is_costly() && reviewed.grade().is_some() {
            reviewed.better_moves.extend(report.best_move);
        }
        reviewed
    }

    /// Returns whether it is proven that the ply cost its player something. The opening of a
    /// tournament costs no player anything.
    pub fn is_costly(&self) -> bool {
        !self.is_opening_ply && self.cost.lower > Margin::ZERO
    }

    /// Returns whether it is proven that the ply cost something, or estimated that it cost enough
    /// for a grade.
    pub fn has_cost(&self) -> bool {
        self.is_costly() || self.estimated_grade().is_some()
    }

    /// Returns the grade of the move; `None` if it costs nothing that is worth one.
    ///
    /// It is the more severe one of two grades: that of the proven cost and, unless the results
    /// before and after the ply are proven, that of the lost chance. A ply of the opening of a
    /// tournament has none.
    pub fn grade(&self) -> Option<MoveGrade> {
        self.proven_grade().max(self.estimated_grade())
    }

    /// Returns the severity of a mistake: its grade, then the seeds that it is proven to cost, then
    /// its lost chance.
    pub fn severity(&self) -> (Option<MoveGrade>, Margin, Option<u16>) {
        (self.grade(), self.cost.lower, self.lost_chance)
    }

    /// Returns the lost chance, unless the results before and after the ply are proven, or the ply
    /// belongs to the opening of a tournament.
    pub fn estimated_lost_chance(&self) -> Option<u16> {
        let is_proven = self.before.value().is_some() && self.after.value().is_some();
        (self.lost_chance).filter(|_| !is_proven && !self.is_opening_ply)
    }

    /// Returns the grade of the lost chance, if a result is not proven.
    fn estimated_grade(&self) -> Option<MoveGrade> {
        MoveGrade::from_lost_chance(self.estimated_lost_chance()?)
    }

    /// Returns the grade of the proven cost.
    fn proven_grade(&self) -> Option<MoveGrade> {
        if !self.is_costly() {
            return None;
        }
        // The result before the ply is at least, and that after it at most, the one used here.
        let before = GameValue::from_margin(self.before.bounds.lower);
        let after = GameValue::from_margin(self.after.bounds.upper);
        let half_points = before.half_points().saturating_sub(after.half_points());
        MoveGrade::from_cost(half_points, self.cost.lower.seeds())
    }

    /// Returns the result of the game with best play before and after the ply, if both are proven
    /// and differ.
    pub fn value_change(&self) -> Option<(GameValue, GameValue)> {
        let (from, to) = (self.before.value()?, self.after.value()?);
        (from != to).then_some((from, to))
    }
}

/// Returns the expected points that a ply has cost, in thousandths.
fn lost_chance(before: MarginEstimate, after: MarginEstimate) -> Option<u16> {
    let (before, after) = (before.chances?, after.chances?);
    Some(before.points().saturating_sub(after.points()))
}

fn seeds_between(one: Margin, other: Margin) -> u32 {
    one.seeds().abs_diff(other.seeds())
}

impl MarginEstimate {
    /// Returns the estimate of `position`, which the report is about, for its side to move.
    pub fn from_report(position: &Position, report: &Report) -> Self {
        Self {
            expected: report.margin(),
            bounds: report.bounds,
            chances: report.chances(position),
        }
    }

    /// Converts an estimate between `player` and the player who began as South, in either
    /// direction.
    #[must_use]
    pub fn from_south_perspective(self, player: Side) -> Self {
        match player {
            Side::South => self,
            Side::North => Self {
                expected: -self.expected,
                bounds: Bounds {
                    lower: -self.bounds.upper,
                    upper: -self.bounds.lower,
                },
                chances: self.chances.map(ResultChances::opponent),
            },
        }
    }

    /// Narrows the bounds of the margin of `position` by proven ones; keeps them if the two
    /// contradict each other.
    fn intersect(self, position: &Position, other: Bounds) -> Self {
        let lower = self.bounds.lower.max(other.lower);
        let upper = self.bounds.upper.min(other.upper);
        if lower > upper {
            return self;
        }
        let (expected, bounds) = (self.expected.clamp(lower, upper), Bounds { lower, upper });
        let is_known = self.chances.is_some() || GameValue::from_bounds(bounds).is_some();
        Self {
            expected,
            bounds,
            chances: is_known.then(|| ResultChances::from_estimate(expected, bounds, position)),
        }
    }

    /// Returns the result of the game with best play, if it is proven.
    pub fn value(self) -> Option<GameValue> {
        GameValue::from_bounds(self.bounds)
    }
}

impl GameValue {
    /// Returns the result that all margins within `bounds` have in common.
    pub fn from_bounds(Bounds { lower, upper }: Bounds) -> Option<Self> {
        let value = Self::from_margin(lower);
        (value == Self::from_margin(upper)).then_some(value)
    }

    /// Returns the result of a game that ends with this margin.
    fn from_margin(margin: Margin) -> Self {
        match margin.cmp(&Margin::ZERO) {
            Ordering::Less => Self::Loss,
            Ordering::Equal => Self::Tie,
            Ordering::Greater => Self::Win,
        }
    }

    fn half_points(self) -> u8 {
        match self {
            Self::Loss => 0,
            Self::Tie => 1,
            Self::Win => 2,
        }
    }
}

impl MoveGrade {
    /// The least cost of an inaccuracy, in seeds. All margins of a game are odd, or all are even,
    /// so that costs are even: a move that costs 2 seeds, the least possible cost, has no grade.
    pub const INACCURACY_SEEDS: i32 = 4;

    /// The least cost of a mistake that costs no points, in seeds.
    pub const MISTAKE_SEEDS: i32 = 8;

    /// The least lost chance of an inaccuracy, a mistake and a blunder, in thousandths of a point.
    pub const LOST_CHANCES: [(u16, Self); 3] = [
        (300, Self::Blunder),
        (200, Self::Mistake),
        (100, Self::Inaccuracy),
    ];

    /// Returns the grade of a move that is estimated to cost these thousandths of a point.
    fn from_lost_chance(lost: u16) -> Option<Self> {
        let grades = Self::LOST_CHANCES.into_iter();
        let mut grades = grades.filter(|&(least, _)| lost >= least);
        grades.next().map(|(_, grade)| grade)
    }

    /// Returns the grade of a move that costs this many half points and seeds.
    fn from_cost(half_points: u8, seeds: i32) -> Option<Self> {
        match half_points {
            0 if seeds >= Self::MISTAKE_SEEDS => Some(Self::Mistake),
            0 if seeds >= Self::INACCURACY_SEEDS => Some(Self::Inaccuracy),
            0 => None,
            1 if seeds < Self::MISTAKE_SEEDS => Some(Self::Mistake),
            _ => Some(Self::Blunder),
        }
    }

    /// Returns the symbol of game annotations: `?!`, `?` or `??`.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }
}

impl GradeCounts {
    fn from_grades(grades: impl Iterator<Item = MoveGrade>) -> Self {
        let mut counts = Self::default();
        for grade in grades {
            *match grade {
                MoveGrade::Inaccuracy => &mut counts.inaccuracies,
                MoveGrade::Mistake => &mut counts.mistakes,
                MoveGrade::Blunder => &mut counts.blunders,
            } += 1;
        }
        counts
    }
}
