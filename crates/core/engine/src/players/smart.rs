//! The engine as a player, with its choice among equally good moves.

use std::time::Duration;

use kalah::{Margin, Move, MoveTime, Player, Position};
use kalah_book::BookSet;

use super::minimax::play;
use crate::analysis::Engine;
use crate::analysis::report::{Bounds, Certainty, Report, is_proven_best};
use crate::analysis::{AnalysisGoal, Limits};

/// The engine as a player: it searches as long as its time limit allows.
///
/// It answers at once if there is only one legal move, and within its limit otherwise, by the clock
/// that it is given. With a part of a game's clock ([`MoveTime::on_clock`]) it answers as soon as
/// it knows the best move, or a longer search is not expected to end in its planned time.
/// Otherwise, of moves that are proven to be equally good it plays the one that wins soonest, or
/// the one that is hardest to answer in a lost game, and then the lowest house.
pub struct SmartPlayer {
    name: String,
    engine: Engine,
    clock: Box<dyn Fn() -> Duration + Send>,
}

/// The move of a player and the proof behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The move.
    pub mv: Move,
    /// Proven bounds of its margin; `None` for an only move, which is not analyzed.
    pub bounds: Option<Bounds>,
    /// Whether it is proven that no other move gains more. The margin itself may still be open.
    pub is_best: bool,
    /// The expected margin, within the bounds; `None` for a move that was not analyzed.
    pub margin: Option<Margin>,
    /// The depth of the analysis in turns, as [`Report::depth`] counts it.
    pub depth: u32,
    /// The nodes of the analysis.
    pub nodes: u64,
}

impl Decision {
    /// Returns a decision for a move that was not analyzed, of which nothing is proven.
    pub fn without_analysis(mv: Move) -> Self {
        Self {
            mv,
            bounds: None,
            is_best: false,
            margin: None,
            depth: 0,
            nodes: 0,
        }
    }
}

impl SmartPlayer {
    /// The time limit of a move unless the user sets another.
    pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(5);

    /// Creates a player with a new engine that has the embedded opening books. `clock` returns the
    /// time since any fixed moment.
    ///
    /// ```
    /// use std::time::Instant;
    /// use kalah::{Player, Position, Rules};
    /// use kalah_engine::SmartPlayer;
    ///
    /// let origin = Instant::now();
    /// let mut smart = SmartPlayer::new("Lisa", move || origin.elapsed());
    /// let end = "<3,1,1,0,0,1,1,0,0> s".parse::<kalah::Setup>()?.position(Rules::CS32)?;
    /// let mv = smart.choose_move(&end, SmartPlayer::DEFAULT_TIME_LIMIT).expect("a legal move");
    /// assert_eq!(mv.text(end.to_move()), "C");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: impl Into<String>, clock: impl Fn() -> Duration + Send + 'static) -> Self {
        let engine = Engine::new().with_books(BookSet::embedded());
        Self::with_engine(name, engine, clock)
    }

    /// Creates a player with this engine.
    pub fn with_engine(
        name: impl Into<String>,
        engine: Engine,
        clock: impl Fn() -> Duration + Send + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            engine,
            clock: Box::new(clock),
        }
    }

    /// Returns the engine, to configure it or to analyze other positions.
    pub fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Returns a move and the proof behind it; `None` if the game is over. With [`Duration::MAX`]
    /// as the limit of the time, the limits of the engine alone end the searches.
    pub fn decide(&mut self, position: &Position, time: impl Into<MoveTime>) -> Option<Decision> {
        let mut moves = position.legal_moves();
        if let (only, None) = (moves.next(), moves.next()) {
            return only.map(|mv| Decision {
                is_best: true,
                ..Decision::without_analysis(mv)
            });
        }
        let time = time.into();
        let limit = time.limit();
        let is_unlimited = limit == Duration::MAX;
        let time = time.min(limit.saturating_sub(Self::time_reserve(limit)));
        let is_on_clock = time.target().is_some();
        let limits = Limits {
            time: (!is_unlimited).then(|| time.limit()),
            target_time: time.target(),
            goal: if is_on_clock {
                AnalysisGoal::OnlyBestMove
            } else {
                AnalysisGoal::Ties
            },
            ..Limits::default()
        };
        let deadline = (!is_unlimited).then(|| (self.clock)().saturating_add(time.limit()));
        let report = self.engine.analyze(position, limits, &self.clock);
        let mv = if is_on_clock {
            // A choice among equally good moves is not worth the time.
            report.best_move?
        } else {
            let tie_break = TieBreak {
                engine: &mut self.engine,
                clock: &self.clock,
                deadline,
            };
            tie_break.choose_move(position, &report)?
        };
        Some(Decision {
            mv,
            bounds: report.bounds_of(mv),
            is_best: is_proven_best(&report.moves, mv),
            margin: report.move_report(mv).map(|report| report.estimate),
            depth: report.depth,
            nodes: report.nodes,
        })
    }

    /// Returns the part of a time limit that is not used for search: a twentieth, at most 50 ms.
    fn time_reserve(limit: Duration) -> Duration {
        (limit / 20).min(Duration::from_millis(50))
    }
}

impl Player for SmartPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose_move(&mut self, position: &Position, limit: Duration) -> Option<Move> {
        self.choose_move_in(position, limit.into())
    }

    fn choose_move_in(&mut self, position: &Position, time: MoveTime) -> Option<Move> {
        self.decide(position, time).map(|decision| decision.mv)
    }
}

/// Selects, among moves with the same margin, the move that is best against a human opponent.
///
/// In a won game it is the move with the fewest plies left on its principal variation, in a lost
/// game the move after which most replies lose margin. Among the remaining ones it is the first in
/// the order of [`Position::legal_moves`], the lowest house.
struct TieBreak<'a> {
    engine: &'a mut Engine,
    clock: &'a dyn Fn() -> Duration,
    /// The time of the clock by which the move is due; `None` if no time limits it.
    deadline: Option<Duration>,
}

impl TieBreak<'_> {
    /// Returns the move to play after `report`: the engine's best move if the proofs for a better
    /// selection do not finish in time.
    fn choose_move(mut self, position: &Position, report: &Report) -> Option<Move> {
        self.preferred_move(position, report).or(report.best_move)
    }

    fn preferred_move(&mut self, position: &Position, report: &Report) -> Option<Move> {
        if report.certainty != Certainty::Exact {
            return None;
        }
        let tied: Vec<Move> = (report.moves.iter())
            .filter(|candidate| candidate.bounds.lower == report.margin())
            .map(|candidate| candidate.mv)
            .collect();
        if tied.len() == 1 || report.margin() == Margin::ZERO {
            return tied.first().copied();
        }
        // The move with the lowest rank is played.
        let mut best: Option<(i64, Move)> = None;
        for mv in tied {
            let rank = if report.margin() > Margin::ZERO {
                self.plies_left(&play(position, mv).0)?
            } else {
                -self.losing_replies(position, mv)?
            };
            if best.is_none_or(|(best_rank, _)| rank < best_rank) {
                best = Some((rank, mv));
            }
        }
        best.map(|(_, mv)| mv)
    }

    /// Returns the plies of the principal variation of `position`; `None` if it stops before the
    /// end of the game.
    fn plies_left(&mut self, position: &Position) -> Option<i64> {
        let line = self.prove_goal(position, AnalysisGoal::BestMargin)?.line;
        let mut end = position.clone();
        for &(_, mv) in &line {
            end.play(mv).ok()?;
        }
        let plies = i64::try_from(line.len()).ok()?;
        end.is_over().then_some(plies)
    }

    /// Returns the number of replies to `mv` that lose margin. If `mv` gives a bonus turn, the rest
    /// of the turn is played first.
    fn losing_replies(&mut self, position: &Position, mv: Move) -> Option<i64> {
        let (mut next, mut same_player) = play(position, mv);
        while same_player && !next.is_over() {
            let bonus = self
                .prove_goal(&next, AnalysisGoal::BestMargin)?
                .best_move?;
            (next, same_player) = play(&next, bonus);
        }
        let report = self.prove_goal(&next, AnalysisGoal::Ties)?;
        let worse =
            (report.moves.iter()).filter(|candidate| candidate.bounds.lower < report.margin());
        i64::try_from(worse.count()).ok()
    }

    /// Analyzes a position; `None` if the goal is not proven in time.
    fn prove_goal(&mut self, position: &Position, goal: AnalysisGoal) -> Option<Report> {
        let time_left = (self.deadline).map(|deadline| deadline.saturating_sub((self.clock)()));
        if time_left.is_some_and(|left| left.is_zero()) {
            return None;
        }
        let limits = Limits {
            time: time_left,
            goal,
            ..Limits::default()
        };
        let report = self.engine.analyze(position, limits, self.clock);
        let is_decided = (report.moves.iter())
            .map(|candidate| candidate.bounds)
            .all(|bounds| bounds.lower == report.margin() || bounds.upper < report.margin());
        let is_proven = report.certainty == Certainty::Exact
            && (goal == AnalysisGoal::BestMargin || is_decided);
        is_proven.then_some(report)
    }
}
