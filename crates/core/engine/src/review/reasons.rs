//! The reasons why a move of a reviewed game is bad or good.

use std::cmp::Reverse;

use kalah::{Game, House, Margin, Move, MoveResult, Position, SeedCount, SowEffect};

use super::mover_turn::{MoverTurn, TurnOptions};
use super::{ReviewedPly, positions_of};
use crate::analysis::report::{Bounds, Report};

/// A reason why a move is bad or good, with the houses and seeds that a sentence about it names.
///
/// A move that costs something, [`ReviewedPly::has_cost`], has reasons for blame. They compare it
/// with its [better moves](ReviewedPly::better_moves): moves that are proven to be better if
/// [`ReviewedPly::is_costly`], and otherwise the best move of an analysis, so that the reasons are
/// as certain as the cost. A move that is proven to cost nothing has reasons for praise, unless it
/// is the only legal move. Houses, sowings and captures are those of the rules, and each of them
/// can be played.
///
/// The *turn* of a move is the move and the further moves of the same side before the turn passes:
/// for the move made as it was played, and for the best move and the best reply as the line of the
/// analysis continues. Nothing is said about a turn that the game or the line leaves unfinished.
/// The other better moves are known only if they pass the turn themselves.
///
/// A ply has at most [`Self::MAX_COUNT`] reasons, the most important ones, in the order of the
/// variants. Of a missed capture and one that was left, that of more seeds comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The last seeds were given away: with the turn of the move made, or with the turn of the
    /// best reply to it, the game ends with no seeds in the row of the player, and the opponent
    /// takes those that are left. With the turn of some better move, and in every turn of the
    /// opponent after it, the opponent takes fewer seeds in this way.
    GaveLastSeeds {
        /// The seeds that the opponent takes, at least 1.
        seeds: SeedCount,
    },
    /// The turn of every better move captures, and more seeds than the turn of the move made.
    MissedCapture {
        /// The best move, which begins the turn.
        first: House,
        /// The house of the turn whose sowing captures; `first` if the best move itself captures.
        house: House,
        /// The seeds of the capture, with the capturing seed.
        seeds: SeedCount,
    },
    /// The turn of the opponent's best reply captures from a house of the player. After the turn of
    /// some better move, no turn of the opponent captures as much from this house.
    LeftCapture {
        /// The house of the player that loses its seeds.
        house: House,
        /// The opponent's house whose sowing captures.
        by: House,
        /// The seeds of the capture, with the capturing seed: at least 2.
        seeds: SeedCount,
    },
    /// Every better move gives a bonus turn, and the move made gives none. It is left out beside a
    /// missed capture that begins with the same house.
    MissedBonusTurn {
        /// The best move.
        house: House,
    },
    /// The turn of the opponent's best reply has at least two bonus turns. After the turn of some
    /// better move, every turn of the opponent has fewer.
    GaveBonusTurns {
        /// The number of bonus turns.
        turns: u32,
    },
    /// The move made is proven to be the best although others look better at once: it gives no
    /// bonus turn, and it captures less than some other move or nothing. Every move that gives a
    /// bonus turn, and every one that captures the most seeds, is proven to be worse; there is at
    /// least one.
    Beautiful {
        /// The tempting move: the one that captures the most seeds, or the first bonus turn.
        tempting: House,
        /// The seeds that the tempting move captures; `None` for a bonus turn.
        seeds: Option<SeedCount>,
    },
    /// The move made is proven to win, and no other move wins.
    OnlyWin,
    /// The move made is proven to tie, and all other moves are proven to lose.
    OnlyTie,
    /// The move ended the game with no seeds in the row of the opponent, and the player took those
    /// that were left.
    Starved {
        /// The seeds that the player took, at least 1.
        seeds: SeedCount,
    },
    /// The move captured.
    Captured {
        /// The seeds of the capture, with the capturing seed: at least 2.
        seeds: SeedCount,
    },
    /// The move gave the last of several bonus turns in a row, and each of the moves that gave one
    /// is proven to cost nothing.
    BonusTurns {
        /// The number of bonus turns, at least 2.
        turns: u32,
    },
}

/// The least seeds of a capture from a house with seeds, and of one worth praise.
const MIN_CAPTURED: u16 = 2;

/// The least number of bonus turns in a row that a reason names.
const MIN_BONUS_TURNS: u32 = 2;

impl Reason {
    /// The maximum number of reasons of a ply.
    pub const MAX_COUNT: usize = 2;

    /// Returns whether the reason is praise.
    pub fn is_praise(self) -> bool {
        match self {
            Self::GaveLastSeeds { .. }
            | Self::MissedCapture { .. }
            | Self::LeftCapture { .. }
            | Self::MissedBonusTurn { .. }
            | Self::GaveBonusTurns { .. } => false,
            Self::Beautiful { .. }
            | Self::OnlyWin
            | Self::OnlyTie
            | Self::Starved { .. }
            | Self::Captured { .. }
            | Self::BonusTurns { .. } => true,
        }
    }

    /// Returns whether the reason makes a move stand out in a list of the moves of a game: it is
    /// beautiful, or the only one that wins or ties.
    pub fn is_highlight(self) -> bool {
        matches!(self, Self::Beautiful { .. } | Self::OnlyWin | Self::OnlyTie)
    }

    /// Returns the reasons of every ply of a game, given its reports and its reviewed plies.
    pub(super) fn of_game(
        game: &Game,
        reports: &[Report],
        reviewed: &[ReviewedPly],
    ) -> Vec<Vec<Self>> {
        let positions = positions_of(game);
        let reasons = reviewed.iter().enumerate().map(|(index, ply)| {
            let explained = ExplainedPly {
                before: positions[index],
                report: &reports[index],
                ply,
                after: positions[index + 1],
                reply: &reports[index + 1],
            };
            let mut reasons = if ply.has_cost() {
                explained.blame(game.plies()[index..].iter().map(|played| played.mv))
            } else if is_free(ply) && explained.report.moves.len() > 1 {
                explained.praise(bonus_turns_to(game, reviewed, index))
            } else {
                Vec::new()
            };
            reasons.truncate(Self::MAX_COUNT);
            reasons
        });
        reasons.collect()
    }
}

/// Returns whether a player chose a ply that is proven to cost nothing.
fn is_free(ply: &ReviewedPly) -> bool {
    !ply.is_opening_ply && ply.cost.upper == Margin::ZERO
}

/// Returns the number of bonus turns in a row that ends with this ply, if the next ply gives none
/// and each of them is proven to cost nothing; otherwise 0.
fn bonus_turns_to(game: &Game, reviewed: &[ReviewedPly], index: usize) -> u32 {
    let plies = game.plies();
    let gives_bonus = |index: usize| {
        let ply = plies.get(index)?;
        match ply.result {
            MoveResult::Sown(result) => {
                Some(result.effect == SowEffect::BonusTurn && !result.is_game_over())
            }
            MoveResult::Swapped => Some(false),
        }
    };
    // A game that stops in the turn may go on with another bonus turn.
    if gives_bonus(index + 1) != Some(false) {
        return 0;
    }
    let row = (0..=index).rev();
    let row: Vec<usize> = row
        .take_while(|&at| gives_bonus(at) == Some(true))
        .collect();
    if row.iter().all(|&at| is_free(&reviewed[at])) {
        u32::try_from(row.len()).unwrap_or(u32::MAX)
    } else {
        0
    }
}

/// A ply of a game with the positions and the reports around it.
struct ExplainedPly<'a> {
    before: &'a Position,
    report: &'a Report,
    ply: &'a ReviewedPly,
    after: &'a Position,
    reply: &'a Report,
}

impl ExplainedPly<'_> {
    /// Returns the reasons for blame, given the moves of the game from this ply on.
    fn blame(&self, played: impl Iterator<Item = Move>) -> Vec<Reason> {
        let Some(made) = MoverTurn::play(self.before, played) else {
            return Vec::new();
        };
        let better = self.better_turns();
        let reply = self.reply_turn();
        // The turn after a swap is not known.
        let is_known = better.len() == self.ply.better_moves.len();
        let missed = missed_capture(&made, &better).filter(|_| is_known);
        let mut captures: Vec<(SeedCount, Reason)> = missed.into_iter().collect();
        captures.extend(
            reply
                .as_ref()
                .and_then(|reply| left_capture(reply, &better)),
        );
        captures.sort_by_key(|&(seeds, _)| Reverse(seeds));
        let mut reasons = Vec::new();
        reasons.extend(gave_last_seeds(&made, reply.as_ref(), &better));
        reasons.extend(captures.into_iter().map(|(_, reason)| reason));
        let missed_bonus = self.missed_bonus_turn().filter(|&house| {
            let begins = |reason: &Reason| {
                matches!(reason, Reason::MissedCapture { first, .. } if *first == house)
            };
            !reasons.iter().any(begins)
        });
        reasons.extend(missed_bonus.map(|house| Reason::MissedBonusTurn { house }));
        reasons.extend(
            reply
                .as_ref()
                .and_then(|reply| gave_bonus_turns(reply, &better)),
        );
        reasons
    }

    /// Returns the turns of the better moves, the best move of the analysis first; a turn that is
    /// not known to its end is incomplete.
    fn better_turns(&self) -> Vec<MoverTurn> {
        let mut moves = self.ply.better_moves.clone();
        moves.sort_by_key(|&mv| self.report.best_move != Some(mv));
        let turns = moves.iter().filter_map(|&mv| {
            let line = self.report.line.iter().map(|&(_, mv)| mv);
            if self.report.line.first().map(|&(_, mv)| mv) == Some(mv) {
                MoverTurn::play(self.before, line)
            } else {
                MoverTurn::play(self.before, [mv])
            }
        });
        turns.collect()
    }

    /// Returns the turn of the opponent's best reply; `None` if the same player is to move, or if
    /// there is no reply.
    fn reply_turn(&self) -> Option<MoverTurn> {
        let is_sowing = matches!(self.ply.mv, Move::Sow(_));
        if !is_sowing || self.after.to_move() == self.ply.side {
            return None;
        }
        let best = self.reply.best_move?;
        let line = self.reply.line.iter().map(|&(_, mv)| mv);
        if self.reply.line.first().map(|&(_, mv)| mv) == Some(best) {
            MoverTurn::play(self.after, line)
        } else {
            MoverTurn::play(self.after, [best])
        }
    }

    /// Returns the best move if every better move gives a bonus turn and the move made gives none.
    fn missed_bonus_turn(&self) -> Option<House> {
        let gives_bonus = |mv: Move| {
            let turn = MoverTurn::play(self.before, [mv]);
            turn.filter(|turn| turn.bonus_turns > 0)
        };
        let turns: Option<Vec<MoverTurn>> =
            (self.ply.better_moves.iter().map(|&mv| gives_bonus(mv))).collect();
        let first = (self.report.best_move)
            .filter(|best| self.ply.better_moves.contains(best))
            .and_then(gives_bonus);
        let first = first.or_else(|| turns.as_ref()?.first().cloned());
        (turns.is_some() && gives_bonus(self.ply.mv).is_none()).then_some(first?.first)
    }

    /// Returns the reasons for praise, given the number of bonus turns in a row that ends with the
    /// ply.
    fn praise(&self, bonus_turns: u32) -> Vec<Reason> {
        let mut reasons = Vec::new();
        reasons.extend(self.beautiful());
        reasons.extend(self.only_result());
        if let Some(turn) = MoverTurn::play(self.before, [self.ply.mv]) {
            let seeds = turn.swept_alone_by(self.ply.side);
            if seeds > SeedCount::ZERO {
                reasons.push(Reason::Starved { seeds });
            }
            let seeds = turn.captured();
            if seeds.get() >= MIN_CAPTURED {
                reasons.push(Reason::Captured { seeds });
            }
        }
        if bonus_turns >= MIN_BONUS_TURNS {
            reasons.push(Reason::BonusTurns { turns: bonus_turns });
        }
        reasons
    }

    /// Returns the other moves with their bounds.
    fn others(&self) -> impl Iterator<Item = (Move, Bounds)> {
        let moves = self.report.moves.iter();
        let others = moves.filter(|other| other.mv != self.ply.mv);
        others.map(|other| (other.mv, other.bounds))
    }

    fn only_result(&self) -> Option<Reason> {
        let own = self.ply.after.bounds;
        let others_reach = |margin: Margin| self.others().any(|(_, bounds)| bounds.upper >= margin);
        if own.lower > Margin::ZERO && !others_reach(Margin::new(1)) {
            Some(Reason::OnlyWin)
        } else if own.lower == Margin::ZERO
            && own.upper == Margin::ZERO
            && !others_reach(Margin::ZERO)
        {
            Some(Reason::OnlyTie)
        } else {
            None
        }
    }

    fn beautiful(&self) -> Option<Reason> {
        let turn_of = |mv: Move| MoverTurn::play(self.before, [mv]);
        let turns: Vec<(MoverTurn, Bounds)> = (self.others())
            .filter_map(|(mv, bounds)| Some((turn_of(mv)?, bounds)))
            .collect();
        let made = turn_of(self.ply.mv)?;
        let captured = turns.iter().map(|(turn, _)| turn.captured()).max()?;
        let captures_most =
            |turn: &MoverTurn| turn.capture.is_some() && turn.captured() == captured;
        if made.bonus_turns > 0 || made.capture.is_some() && made.captured() >= captured {
            return None;
        }
        let tempting: Vec<&(MoverTurn, Bounds)> = (turns.iter())
            .filter(|(turn, _)| turn.bonus_turns > 0 || captures_most(turn))
            .collect();
        let own = self.ply.after.bounds.lower;
        if tempting.iter().any(|(_, bounds)| bounds.upper >= own) {
            return None;
        }
        let capturing = tempting.iter().find(|(turn, _)| captures_most(turn));
        let (turn, _) = capturing.or(tempting.first())?;
        Some(Reason::Beautiful {
            tempting: turn.first,
            seeds: turn.capture.map(|capture| capture.seeds),
        })
    }
}

fn gave_last_seeds(
    made: &MoverTurn,
    reply: Option<&MoverTurn>,
    better: &[MoverTurn],
) -> Option<Reason> {
    let opponent = made.side.opponent();
    let taken_with = |turn: &MoverTurn| turn.swept_alone_by(opponent);
    let seeds = taken_with(made).max(reply.map_or(SeedCount::ZERO, taken_with));
    let gives_fewer = |turn: &MoverTurn| {
        let options = TurnOptions::of(&turn.end).filter(|_| turn.is_complete);
        options.is_some_and(|options| options.swept.max(taken_with(turn)) < seeds)
    };
    (seeds > SeedCount::ZERO && better.iter().any(gives_fewer))
        .then_some(Reason::GaveLastSeeds { seeds })
}

fn missed_capture(made: &MoverTurn, better: &[MoverTurn]) -> Option<(SeedCount, Reason)> {
    let captures_more = |turn: &MoverTurn| turn.is_complete && turn.captured() > made.captured();
    if !made.is_complete || !better.iter().all(captures_more) {
        return None;
    }
    let best = better.first()?;
    let capture = best.capture?;
    let reason = Reason::MissedCapture {
        first: best.first,
        house: capture.house,
        seeds: capture.seeds,
    };
    Some((capture.seeds, reason))
}

fn left_capture(reply: &MoverTurn, better: &[MoverTurn]) -> Option<(SeedCount, Reason)> {
    let capture = reply.capture?;
    let avoids = |turn: &MoverTurn| {
        let options = TurnOptions::of(&turn.end).filter(|_| turn.is_complete);
        options.is_some_and(|options| options.captured_from(capture.from) < capture.seeds)
    };
    if capture.seeds.get() < MIN_CAPTURED || !better.iter().any(avoids) {
        return None;
    }
    let reason = Reason::LeftCapture {
        house: capture.from,
        by: capture.house,
        seeds: capture.seeds,
    };
    Some((capture.seeds, reason))
}

fn gave_bonus_turns(reply: &MoverTurn, better: &[MoverTurn]) -> Option<Reason> {
    let turns = reply.bonus_turns;
    let allows_fewer = |turn: &MoverTurn| {
        let options = TurnOptions::of(&turn.end).filter(|_| turn.is_complete);
        options.is_some_and(|options| options.bonus_turns < turns)
    };
    (turns >= MIN_BONUS_TURNS && better.iter().any(allows_fewer))
        .then_some(Reason::GaveBonusTurns { turns })
}
