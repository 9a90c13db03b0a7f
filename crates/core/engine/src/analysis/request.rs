//! The limits and the request of an analysis, and what they allow.

use std::time::Duration;

use kalah::{Move, Position};

/// The limits of an analysis; the first that is reached stops it. Without any limit it stops when
/// its goal is proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Time from the start of the analysis, by the clock of the caller.
    pub time: Option<Duration>,
    /// The time that the analysis is planned to take, if it is part of a clock. Then the analysis
    /// begins no iteration that is not expected to end within it, or within twice this time while
    /// its best move is uncertain. It gives up a proof after one and a half times this time.
    pub target_time: Option<Duration>,
    /// Depth in turns. An analysis with a depth limit only deepens: it estimates and does not
    /// prove.
    pub depth: Option<u32>,
    /// Nodes to search. With one thread an analysis that only this limits is reproducible.
    pub nodes: Option<u64>,
    /// The goal of the proof.
    pub goal: AnalysisGoal,
    /// The moves that the analysis estimates until they are proven.
    pub estimates: Estimates,
    /// The number of moves whose lines the report has, the best ones, in addition to the principal
    /// variation.
    pub lines: usize,
}

/// The moves that an analysis estimates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Estimates {
    /// The best move: the fastest way to a decision.
    #[default]
    BestMove,
    /// All moves, from the start of the analysis on. A proof of the best move takes up to three
    /// percent longer.
    AllMoves,
}

/// The goal of an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnalysisGoal {
    /// Proves the margin of the best move.
    #[default]
    BestMargin,
    /// Proves first which move is best, and then its margin: the goal of a player.
    BestMove,
    /// Proves which move is best, and nothing more: the goal of a player on a clock.
    OnlyBestMove,
    /// Proves what [`Self::BestMove`] does, and of every other move whether it is as good.
    Ties,
    /// Proves the margins of all moves, beginning with the best one.
    AllMargins,
}

/// A request to analyze a position, with the estimates that depend on it.
#[derive(Clone, Copy)]
pub(crate) struct AnalysisRequest<'a> {
    pub(crate) position: &'a Position,
    /// The legal moves that are searched; empty for all.
    pub(crate) root_moves: &'a [Move],
    pub(crate) limits: Limits,
    pub(crate) clock: &'a dyn Fn() -> Duration,
    pub(crate) started_at: Duration,
}

/// Nodes per byte of the transposition table: 6x4 takes as many nodes with 4 MiB as with 64 MiB, in
/// less time, as a large or freshly allocated table is slow to touch.
const NODES_PER_BYTE: u64 = 1;

/// The proof of all moves can make use of a table this many times as large as that of the best one:
/// for 6x4 it takes 11.3 million nodes instead of 13.4.
const ALL_MOVES_FACTOR: u64 = 2;

/// The smallest transposition table in bytes: exact keys of boards with 7 or 8 houses need as much.
const MIN_TT_BYTES: u64 = 4 << 20;

/// Expected search speed, whatever the number of threads: there may be fewer processors than
/// threads.
const EXPECTED_NODES_PER_SECOND: f64 = 3e6;

/// A proof is attempted if this many times the nodes left would be enough for it.
const PROOF_OVERRUN_FACTOR: u64 = 4;

/// The part of the target that a proof on a clock may take, in percent. A proof can be longer than
/// expected and is worth some time of later moves, but one that fails leaves them most of it.
const CLOCK_PROOF_PERCENT: u32 = 150;

/// Share of the planned time after which an unfinished endgame table is abandoned: the search needs
/// the rest.
const MAX_TABLE_TIME_SHARE: f64 = 0.75;

impl AnalysisRequest<'_> {
    /// Returns whether a proof may finish if `nodes` nodes fit the planned time.
    pub(crate) fn is_provable_within(self, nodes: u64) -> bool {
        let expected = self.expected_proof_nodes();
        if self.is_on_clock() {
            expected <= nodes.saturating_mul(CLOCK_PROOF_PERCENT.into()) / 100
        } else {
            expected / PROOF_OVERRUN_FACTOR <= nodes
        }
    }

    /// Returns whether the time is a part of a clock.
    pub(crate) fn is_on_clock(self) -> bool {
        self.limits.target_time.is_some()
    }

    /// Returns the time after which the analysis gives up a proof: the time limit, or less than
    /// that on a clock.
    pub(crate) fn proof_time(self) -> Option<Duration> {
        let Limits {
            time, target_time, ..
        } = self.limits;
        let clock_time = target_time.map(|target| target.saturating_mul(CLOCK_PROOF_PERCENT) / 100);
        [clock_time, time].into_iter().flatten().min()
    }

    /// Returns the time since the start of the analysis.
    pub(crate) fn elapsed(self) -> Duration {
        (self.clock)().saturating_sub(self.started_at)
    }

    /// Returns whether it is too late to go on building an endgame table.
    pub(crate) fn is_past_table_deadline(self) -> bool {
        self.planned_time()
            .is_some_and(|time| self.elapsed() >= time.mul_f64(MAX_TABLE_TIME_SHARE))
    }

    /// Returns the target of the time, or the limit if that is less or there is no target.
    pub(crate) fn planned_time(self) -> Option<Duration> {
        let Limits {
            time, target_time, ..
        } = self.limits;
        [target_time, time].into_iter().flatten().min()
    }

    /// Returns whether a proof may finish within the limits at the expected speed.
    pub(crate) fn is_provable_within_limits(self) -> bool {
        self.is_provable_within(self.affordable_nodes().unwrap_or(u64::MAX))
    }

    /// Estimates the nodes of a proof: 2 to the power of 6 plus a third of the seeds in play on
    /// boards with six houses a side, less on smaller ones.
    ///
    /// With endgame tables of two fifths of the seeds, proofs took 3 million nodes for 48 seeds and
    /// 28 million for 60.
    pub(crate) fn expected_proof_nodes(self) -> u64 {
        let seeds = u32::from(self.position.seeds_in_play());
        let exponent = seeds.saturating_mul(self.position.houses().into()) / 18;
        1_u64
            .checked_shl(exponent.saturating_add(6))
            .unwrap_or(u64::MAX)
    }

    /// Estimates the nodes that fit the limits; `None` without limits.
    fn affordable_nodes(self) -> Option<u64> {
        let in_time =
            |time: Duration| positions_at_rate(time.as_secs_f64(), EXPECTED_NODES_PER_SECOND);
        self.limits.nodes.or(self.planned_time().map(in_time))
    }

    /// Returns the size of the transposition table that the analysis can make use of, in bytes.
    pub(crate) fn useful_tt_bytes(self) -> usize {
        let proofs = match self.limits.goal {
            AnalysisGoal::AllMargins => ALL_MOVES_FACTOR,
            _ => 1,
        };
        let nodes = self.expected_proof_nodes().saturating_mul(proofs);
        let nodes = nodes.min(self.affordable_nodes().unwrap_or(u64::MAX));
        let bytes = (nodes / NODES_PER_BYTE).max(MIN_TT_BYTES);
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }
}

/// Returns the least and the greatest gain of a position: no margin exceeds the total of seeds.
pub(crate) fn gain_range(position: &Position) -> (i32, i32) {
    let (lead, total) = (position.lead().seeds(), i32::from(position.total()));
    (-total - lead, total - lead)
}

/// Returns the positions processed in `seconds` at `rate` positions a second.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate; both factors are positive, and the cast saturates"
)]
pub(crate) fn positions_at_rate(seconds: f64, rate: f64) -> u64 {
    (seconds * rate) as u64
}
