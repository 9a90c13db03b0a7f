//! The engine as a player.

use std::time::Duration;

use kalah::{Margin, Move, Player, Position};

use super::minimax::play;
use crate::engine::Engine;
use crate::limits::{Goal, Limits};
use crate::report::{Bounds, Certainty, Report, is_proven_best};

/// The engine as a player: it searches as deep as its time allows.
///
/// It answers at once when there is only one choice, and within its limit otherwise, by the clock
/// that it is handed. Of equally good choices, as far as it can prove in time that they are, it takes the
/// one that wins soonest, or the one that is hardest to answer when it is lost; then the lowest house.
pub struct SmartPlayer {
    name: String,
    engine: Engine,
    clock: Box<dyn Fn() -> Duration + Send>,
}

/// What a player chooses, and what it has proven of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The choice.
    pub mv: Move,
    /// What is proven of its margin: nothing is asked where there is only one choice.
    pub bounds: Option<Bounds>,
    /// Whether it is proven that no other choice gains more; its margin may be open yet.
    pub is_best: bool,
}

impl SmartPlayer {
    /// Time that a player has for a choice where nobody says otherwise.
    pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(5);

    /// A player of that name. `clock` tells the time since any fixed moment:
    ///
    /// ```
    /// use std::time::Instant;
    /// use kalah::{Player, Position, Rules};
    /// use kalah_engine::SmartPlayer;
    ///
    /// let origin = Instant::now();
    /// let mut smart = SmartPlayer::new("Lisa", move || origin.elapsed());
    /// let end = "<3,1,1,0,0,1,1,0,0> s".parse::<kalah::Setup>()?.position(Rules::CS32)?;
    /// let choice = smart.choose_move(&end, SmartPlayer::DEFAULT_TIME_LIMIT).expect("it is not over");
    /// assert_eq!(choice.text(end.to_move()), "C");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: impl Into<String>, clock: impl Fn() -> Duration + Send + 'static) -> Self {
        Self::with_engine(name, Engine::new(), clock)
    }

    /// A player of that name that thinks with this engine.
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

    /// The engine that it thinks with, for other questions.
    pub fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// What it chooses, and what it has proven of that. `None` if the game is over.
    pub fn decide(&mut self, position: &Position, limit: Duration) -> Option<Decision> {
        let mut choices = position.legal_moves();
        if let (only, None) = (choices.next(), choices.next()) {
            return only.map(|choice| Decision {
                mv: choice,
                bounds: None,
                is_best: true,
            });
        }
        let time = limit.saturating_sub(Self::time_reserve(limit));
        let limits = Limits {
            time: Some(time),
            goal: Goal::Ties,
            ..Limits::default()
        };
        let deadline = (self.clock)().saturating_add(time);
        let report = self.engine.analyse(position, limits, &self.clock);
        let tie_break = TieBreak {
            engine: &mut self.engine,
            clock: &self.clock,
            deadline,
        };
        let choice = tie_break.choose_move(position, &report)?;
        let of_choice = |&&(other, _): &&(Move, Bounds)| other == choice;
        let proven = report.moves.iter().find(of_choice);
        Some(Decision {
            mv: choice,
            bounds: proven.map(|&(_, bounds)| bounds),
            is_best: is_proven_best(&report.moves, choice),
        })
    }

    /// Of its limit, the time that is kept back for everything but searching: a twentieth, but no
    /// more than 50 ms.
    fn time_reserve(limit: Duration) -> Duration {
        (limit / 20).min(Duration::from_millis(50))
    }
}

impl Player for SmartPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose_move(&mut self, position: &Position, limit: Duration) -> Option<Move> {
        self.decide(position, limit).map(|decision| decision.mv)
    }
}

/// Chooses among choices of the same margin for the sake of a person who plays or watches.
///
/// A won game is to be over soon: the choice with the fewest plies left on the line that is expected after
/// it. A lost game is to be made hard to win: the choice after which most replies lose margin. Of
/// those that are left, the first in the order of [`Position::legal_moves`], the lowest house.
pub(crate) struct TieBreak<'a> {
    pub(crate) engine: &'a mut Engine,
    pub(crate) clock: &'a dyn Fn() -> Duration,
    /// When the answer is due.
    pub(crate) deadline: Duration,
}

impl TieBreak<'_> {
    /// What to do, after `report` was found of `position`. Where anything that matters is
    /// not proven in time, that is the engine's choice.
    pub(crate) fn choose_move(mut self, position: &Position, report: &Report) -> Option<Move> {
        self.preferred_move(position, report).or(report.best_move)
    }

    fn preferred_move(&mut self, position: &Position, report: &Report) -> Option<Move> {
        if report.certainty != Certainty::Exact {
            return None;
        }
        let best = |&&(_, bounds): &&(_, Bounds)| bounds.lower == report.margin;
        let tied: Vec<Move> = (report.moves.iter().filter(best))
            .map(|&(choice, _)| choice)
            .collect();
        if tied.len() == 1 || report.margin == Margin::ZERO {
            return tied.first().copied();
        }
        let mut least: Option<(i64, Move)> = None;
        for choice in tied {
            let cost = if report.margin > Margin::ZERO {
                self.plies_left(&play(position, choice).0)?
            } else {
                -self.losing_replies(position, choice)?
            };
            if least.is_none_or(|(known, _)| cost < known) {
                least = Some((cost, choice));
            }
        }
        least.map(|(_, choice)| choice)
    }

    /// Plies on the line that is expected from `position` on; `None` if that does not lead to the end.
    fn plies_left(&mut self, position: &Position) -> Option<i64> {
        let line = self.prove_goal(position, Goal::BestMargin)?.line;
        let mut end = position.clone();
        for &(_, choice) in &line {
            end.play(choice).ok()?;
        }
        let plies = i64::try_from(line.len()).ok()?;
        end.is_over().then_some(plies)
    }

    /// How many of the other player's replies to `choice` lose margin: after the rest of the turn as
    /// it is expected, if `choice` gives a bonus turn.
    fn losing_replies(&mut self, position: &Position, choice: Move) -> Option<i64> {
        let (mut next, mut same_player) = play(position, choice);
        while same_player && !next.is_over() {
            let bonus = self.prove_goal(&next, Goal::BestMargin)?.best_move?;
            (next, same_player) = play(&next, bonus);
        }
        let report = self.prove_goal(&next, Goal::Ties)?;
        let worse = (report.moves.iter()).filter(|(_, bounds)| bounds.lower < report.margin);
        i64::try_from(worse.count()).ok()
    }

    /// A proof of its goal, if that can be had in time.
    fn prove_goal(&mut self, position: &Position, goal: Goal) -> Option<Report> {
        let left = self.deadline.saturating_sub((self.clock)());
        if left.is_zero() {
            return None;
        }
        let limits = Limits {
            time: Some(left),
            goal,
            ..Limits::default()
        };
        let report = self.engine.analyse(position, limits, self.clock);
        let decided = (report.moves.iter())
            .all(|(_, bounds)| bounds.lower == report.margin || bounds.upper < report.margin);
        let proven = report.certainty == Certainty::Exact && (goal == Goal::BestMargin || decided);
        proven.then_some(report)
    }
}
