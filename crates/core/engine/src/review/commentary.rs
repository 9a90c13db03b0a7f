//! The words about a reviewed game: the reasons of each ply, the accuracy in each phase of the
//! game, and the level at which each player plays.

use kalah::{BySide, Game, Position, Side};

use super::level_estimate::{LevelEstimate, PlyCosts};
use super::reasons::Reason;
use super::{Accuracy, Review, ReviewedPly, positions_of};
use crate::analysis::report::Report;

/// The words about a reviewed game.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Game, House, Move, Position, Rules};
/// use kalah_engine::{AnalysisGoal, Commentary, Engine, Limits, Reason, Review};
///
/// let house = |number| House::new(number).expect("from 1 to 26");
/// let start = Position::start(3, 2, Rules::CS32)?;
/// let game = Game::replay(start, [Move::Sow(house(1))])?;
/// let mut engine = Engine::new();
/// let limits = Limits { goal: AnalysisGoal::AllMargins, ..Limits::default() };
/// let reports = Review::analyze_positions(&game, |position| {
///     engine.analyze(position, limits, &|| Duration::ZERO)
/// });
/// let review = Review::from_reports(&game, &reports);
/// let commentary = Commentary::new(&game, &reports, &review);
/// // House 2 gives a bonus turn and house 1 does not.
/// assert!(commentary.reasons[0].contains(&Reason::MissedBonusTurn { house: house(2) }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commentary {
    /// The reasons of each ply, the most important one first.
    pub reasons: Vec<Vec<Reason>>,
    /// The accuracy of each player in each phase, by the side on which that player began.
    pub accuracy: BySide<PhaseAccuracy>,
    /// The level of each player, by the side on which that player began; `None` where
    /// [`LevelEstimate::from_costs`] has none.
    pub levels: BySide<Option<LevelEstimate>>,
}

/// A phase of a game, by the share of all seeds, stores included, that are in the houses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GamePhase {
    /// More than two thirds of the seeds are in the houses.
    Opening,
    /// More than one third and at most two thirds of the seeds are in the houses.
    Middlegame,
    /// At most one third of the seeds are in the houses.
    Endgame,
}

/// The accuracy of a player in each phase of a game. A ply belongs to the phase of the position
/// before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseAccuracy {
    /// The accuracy in the opening.
    pub opening: Accuracy,
    /// The accuracy in the middlegame.
    pub middlegame: Accuracy,
    /// The accuracy in the endgame.
    pub endgame: Accuracy,
}

/// The number of equal shares of the seeds that the phases have.
const PHASES: u32 = 3;

impl GamePhase {
    /// All phases in their order.
    pub const ALL: [Self; PHASES as usize] = [Self::Opening, Self::Middlegame, Self::Endgame];

    /// Returns the phase of a position.
    ///
    /// ```
    /// use kalah::{Position, Rules, Setup};
    /// use kalah_engine::GamePhase;
    ///
    /// assert_eq!(GamePhase::of(&Position::start(6, 4, Rules::CS32)?), GamePhase::Opening);
    /// let late = "<2,5,3,1,0,2,1> s".parse::<Setup>()?.position(Rules::CS32)?;
    /// assert_eq!(GamePhase::of(&late), GamePhase::Endgame);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(position: &Position) -> Self {
        let in_play = PHASES * u32::from(position.seeds_in_play().get());
        let total = u32::from(position.total().get());
        if in_play > 2 * total {
            Self::Opening
        } else if in_play > total {
            Self::Middlegame
        } else {
            Self::Endgame
        }
    }
}

impl PhaseAccuracy {
    /// Returns the accuracy in a phase.
    pub fn in_phase(&self, phase: GamePhase) -> Accuracy {
        match phase {
            GamePhase::Opening => self.opening,
            GamePhase::Middlegame => self.middlegame,
            GamePhase::Endgame => self.endgame,
        }
    }
}

impl Commentary {
    /// Explains the `review` of a game, which was made from `reports`.
    ///
    /// # Panics
    /// If there is not one report for each position, or if the review is that of another game.
    pub fn new(game: &Game, reports: &[Report], review: &Review) -> Self {
        let positions = positions_of(game);
        assert_eq!(reports.len(), positions.len(), "a report for each position");
        assert_eq!(
            review.plies.len(),
            game.plies().len(),
            "the review of the game"
        );
        let plies: Vec<(GamePhase, &ReviewedPly)> = (positions.iter().map(|at| GamePhase::of(at)))
            .zip(&review.plies)
            .collect();
        let plies_of = |player: Side| {
            let plies = plies.iter().copied();
            plies.filter(move |(_, ply)| ply.player == player)
        };
        let accuracy = |player, phase| {
            let plies = plies_of(player).filter(|&(other, _)| other == phase);
            Accuracy::from_plies(plies.map(|(_, ply)| ply))
        };
        Self {
            reasons: Reason::of_game(game, reports, &review.plies),
            accuracy: BySide::from_fn(|player| PhaseAccuracy {
                opening: accuracy(player, GamePhase::Opening),
                middlegame: accuracy(player, GamePhase::Middlegame),
                endgame: accuracy(player, GamePhase::Endgame),
            }),
            levels: BySide::from_fn(|player| {
                let costs = PlyCosts::from_plies(plies_of(player));
                LevelEstimate::from_costs(game.start(), &costs)
            }),
        }
    }
}
