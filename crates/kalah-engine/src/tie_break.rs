use std::time::Duration;

use kalah::{Margin, Move, Position};

use crate::worth::play;
use crate::{Bounds, Certainty, Engine, Goal, Limits, Report};

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
