//! The report of an analysis, and the course from the request to it.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kalah::{Gain, Margin, Move, Position, Side};

use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::limits::{Goal, Limits, SearchLimits, SharedControl, Stopped};
use crate::search::context::SearchContext;
use crate::search::root::RootSearch;

/// The result of an analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The best move found; `None` if the game is over.
    pub best_move: Option<Move>,
    /// The margin as the search returns it: an estimate can have the wrong parity, which
    /// [`Self::margin`] corrects.
    pub raw_margin: Margin,
    /// Whether [`Self::margin`] is proven.
    pub certainty: Certainty,
    /// Proven bounds of the margin.
    pub bounds: Bounds,
    /// All moves with their proven bounds, in the order of
    /// [`Position::legal_moves`](kalah::Position::legal_moves).
    pub moves: Vec<(Move, Bounds)>,
    /// The depth of the last completed iteration in turns; 0 if there was none.
    pub depth: u32,
    /// Nodes searched: positions whose value neither the end of the game nor an endgame table gave.
    pub nodes: u64,
    /// Gains read from endgame tables.
    pub table_hits: u64,
    /// Time used, by the clock of the caller.
    pub time: Duration,
    /// The principal variation, beginning with the best move; it may stop before the end of the
    /// game.
    pub line: Vec<(Side, Move)>,
}

impl Report {
    /// Returns whether it is proven that no other move gains more than [`Self::best_move`]. The
    /// margin itself may still be open.
    pub fn is_best_move_proven(&self) -> bool {
        let mv = self.best_move;
        mv.is_none_or(|mv| is_proven_best(&self.moves, mv))
    }

    /// Returns the proven bounds of a move; `None` if the move is not legal.
    pub fn bounds_of(&self, mv: Move) -> Option<Bounds> {
        let mut moves = self.moves.iter();
        moves.find_map(|&(other, bounds)| (other == mv).then_some(bounds))
    }

    /// Returns the margin at the end of the game for the player to move, with the play that the
    /// analysis expects.
    ///
    /// The possible margins are all odd or all even. An estimate of the wrong parity is moved by
    /// one seed towards a tie.
    pub fn margin(&self) -> Margin {
        let (margin, lower) = (self.raw_margin.seeds(), self.bounds.lower.seeds());
        if (margin - lower) % 2 == 0 {
            self.raw_margin
        } else if margin > 0 {
            Margin::new(margin - 1)
        } else {
            Margin::new(margin + 1)
        }
    }
}

/// The certainty of a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Some lines ended in the static evaluation.
    Estimate,
    /// Every line that matters was searched to the end of the game.
    Exact,
}

/// Proven bounds of a margin with best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least possible margin.
    pub lower: Margin,
    /// The greatest possible margin.
    pub upper: Margin,
}

impl Bounds {
    /// Returns whether the bounds leave one margin only.
    pub fn is_exact(self) -> bool {
        self.lower == self.upper
    }
}

/// Returns whether the bounds of all moves prove that none gains more than `mv`.
pub(crate) fn is_proven_best(moves: &[(Move, Bounds)], mv: Move) -> bool {
    let own = moves.iter().find(|&&(other, _)| other == mv);
    own.is_some_and(|&(_, own)| {
        let mut others = moves.iter().filter(|&&(other, _)| other != mv);
        others.all(|(_, other)| other.upper <= own.lower)
    })
}

/// A request to analyze a position, with the estimates that depend on it.
#[derive(Clone, Copy)]
pub(crate) struct AnalysisRequest<'a> {
    pub(crate) position: &'a Position,
    pub(crate) limits: Limits,
    pub(crate) clock: &'a dyn Fn() -> Duration,
    pub(crate) started_at: Duration,
}

/// Nodes per byte of the transposition table: 6x4 takes as many nodes with 8 MiB as with 64 MiB, in
/// less time, as a large or freshly allocated table is slow to touch.
const NODES_PER_BYTE: u64 = 1;

/// The smallest transposition table in bytes: exact keys of boards with 7 houses need as much.
const MIN_TT_BYTES: u64 = 4 << 20;

/// Expected search speed, whatever the number of threads: there may be fewer processors than
/// threads.
const EXPECTED_NODES_PER_SECOND: f64 = 3e6;

/// Iterative deepening before a proof may use the limits divided by this number.
const DEEPENING_LIMIT_DIVISOR: u32 = 16;

/// A proof is attempted if this many times the nodes left would be enough for it.
const PROOF_OVERRUN_FACTOR: u64 = 4;

/// Turns of iterative deepening before any proof, so that there is an estimate.
const MIN_TURNS_BEFORE_PROOF: u32 = 3;

/// Share of the time limit after which an unfinished endgame table is abandoned: the search needs
/// the rest.
const MAX_TABLE_TIME_SHARE: f64 = 0.75;

impl<'a> AnalysisRequest<'a> {
    /// Seeds in the houses of both sides.
    pub(crate) fn seeds_in_play(self) -> i32 {
        let rows = Side::ALL.map(|side| i32::from(self.position.row_total(side)));
        rows.iter().sum()
    }

    /// Deepens and proves as far as the limits allow; `observer` is called after every step.
    pub(crate) fn run<H: SearchBoard, E: EndgameTable>(
        self,
        analysis: &mut RootSearch<'a, H, E>,
        limits: SearchLimits<'a>,
        observer: &mut dyn FnMut(&mut RootSearch<'a, H, E>),
    ) -> Result<(), Stopped> {
        if let Some(depth) = self.limits.depth {
            for turns in 1..=depth {
                if analysis.is_proven() {
                    break;
                }
                analysis.deepen(turns)?;
                observer(analysis);
            }
            return Ok(());
        }
        if limits.deadline.is_none() && self.limits.nodes.is_none() {
            for turns in 1..=MIN_TURNS_BEFORE_PROOF {
                analysis.deepen(turns)?;
                observer(analysis);
            }
        } else {
            let deepening_start = (self.clock)();
            analysis
                .control()
                .set_limits(limits.fraction(deepening_start, DEEPENING_LIMIT_DIVISOR));
            let mut turns = 1;
            let nodes_left = |analysis: &mut RootSearch<'a, H, E>| {
                limits.remaining_nodes(deepening_start, analysis.control().total_nodes())
            };
            while !analysis.is_proven() && analysis.deepen(turns).is_ok() {
                observer(analysis);
                // A proof that is likely to fit the limits gains nothing from a better estimate.
                if turns >= MIN_TURNS_BEFORE_PROOF
                    && self.expected_proof_nodes() <= nodes_left(analysis)
                {
                    break;
                }
                turns += 1;
            }
            analysis.control().set_limits(limits);
            if !self.is_provable_within(nodes_left(analysis)) {
                // Without hope of a proof a better estimate is worth more.
                while !analysis.is_proven() {
                    analysis.deepen(turns)?;
                    observer(analysis);
                    turns += 1;
                }
            }
        }
        let prefer_move = matches!(self.limits.goal, Goal::BestMove | Goal::Ties);
        analysis.prove_best(prefer_move, observer)?;
        match self.limits.goal {
            Goal::BestMargin | Goal::BestMove => Ok(()),
            Goal::Ties => analysis.prove_ties(observer),
            Goal::AllMargins => analysis.prove_others(observer),
        }
    }

    /// Returns whether a proof may finish within `nodes` nodes.
    fn is_provable_within(self, nodes: u64) -> bool {
        self.expected_proof_nodes() / PROOF_OVERRUN_FACTOR <= nodes
    }

    /// Returns whether it is too late to go on building an endgame table.
    pub(crate) fn is_past_table_deadline(self) -> bool {
        (self.limits.time).is_some_and(|time| {
            let elapsed = (self.clock)().saturating_sub(self.started_at);
            elapsed >= time.mul_f64(MAX_TABLE_TIME_SHARE)
        })
    }

    /// Returns whether a proof may finish within the limits at the expected speed.
    pub(crate) fn is_provable_within_limits(self) -> bool {
        self.is_provable_within(self.affordable_nodes().unwrap_or(u64::MAX))
    }

    /// Estimates the nodes of a proof: 2 to the power of 7 plus a third of the seeds in play on
    /// boards with six houses a side, less on smaller ones.
    ///
    /// With endgame tables of two fifths of the seeds, proofs took 0.3 million nodes for 36 seeds,
    /// 8 million for 48, and 70 million for 60.
    fn expected_proof_nodes(self) -> u64 {
        let seeds = u32::try_from(self.seeds_in_play()).unwrap_or(u32::MAX);
        let exponent = seeds.saturating_mul(self.position.houses().into()) / 18;
        1_u64
            .checked_shl(exponent.saturating_add(7))
            .unwrap_or(u64::MAX)
    }

    /// Estimates the nodes that fit the limits; `None` without limits.
    fn affordable_nodes(self) -> Option<u64> {
        let in_time =
            |time: Duration| positions_at_rate(time.as_secs_f64(), EXPECTED_NODES_PER_SECOND);
        self.limits.nodes.or(self.limits.time.map(in_time))
    }

    /// Returns the size of the transposition table that the analysis can make use of, in bytes.
    pub(crate) fn useful_tt_bytes(self) -> usize {
        let nodes = self.expected_proof_nodes();
        let nodes = nodes.min(self.affordable_nodes().unwrap_or(u64::MAX));
        let bytes = (nodes / NODES_PER_BYTE).max(MIN_TT_BYTES);
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// Returns the report for a position in which the game is over.
    pub(crate) fn game_over_report(self) -> Report {
        let margin = self.position.lead();
        Report {
            best_move: None,
            raw_margin: margin,
            certainty: Certainty::Exact,
            bounds: Bounds {
                lower: margin,
                upper: margin,
            },
            moves: Vec::new(),
            depth: 0,
            nodes: 0,
            table_hits: 0,
            time: Duration::ZERO,
            line: Vec::new(),
        }
    }

    /// Returns the report of the results so far, without a line.
    pub(crate) fn report<H: SearchBoard, E: EndgameTable>(
        self,
        analysis: &mut RootSearch<'a, H, E>,
        shared_control: &SharedControl,
    ) -> Report {
        let margin = |gain| self.position.margin(Gain::new(gain));
        let bounds = |(lower, upper)| Bounds {
            lower: margin(lower),
            upper: margin(upper),
        };
        analysis.control().flush_counters();
        let best = analysis.best_move();
        let mut moves: Vec<_> = (analysis.root_moves().iter())
            .map(|root| (root.mv, bounds((root.lower, root.upper))))
            .collect();
        let legal_moves: Vec<_> = self.position.legal_moves().collect();
        moves.sort_by_key(|(mv, _)| legal_moves.iter().position(|other| other == mv));
        Report {
            best_move: best.map(|(mv, _)| mv),
            raw_margin: best.map_or(self.position.lead(), |(_, gain)| margin(gain)),
            certainty: if analysis.is_proven() {
                Certainty::Exact
            } else {
                Certainty::Estimate
            },
            bounds: bounds(analysis.bounds()),
            moves,
            depth: analysis.depth(),
            nodes: shared_control.nodes(),
            table_hits: shared_control.table_hits(),
            time: (self.clock)().saturating_sub(self.started_at),
            line: Vec::new(),
        }
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

/// The greatest number of plies in a reported line.
const MAX_PV_PLIES: usize = 200;

/// Returns the principal variation, beginning with the best move of `report`.
///
/// After a proof, each next move is one that keeps the margin: the tables know it, or a search of
/// at most `max_nodes` nodes in all finds it again. Without a proof, the best moves of the
/// transposition table are followed.
pub(crate) fn principal_variation<H: SearchBoard, E: EndgameTable>(
    context: SearchContext<H, E>,
    position: &Position,
    report: &Report,
    stop_flag: &AtomicBool,
    max_nodes: u64,
) -> Vec<(Side, Move)> {
    let mut position = position.clone();
    let control = SharedControl::default();
    let mut margin = report.raw_margin;
    let mut line = Vec::new();
    let mut next = report.best_move;
    while let Some(mv) = next {
        let side = position.to_move();
        if line.len() == MAX_PV_PLIES || position.play(mv).is_err() {
            break;
        }
        line.push((side, mv));
        // After a swap the same side moves, but the other player.
        if position.to_move() != side || mv == Move::Swap {
            margin = -margin;
        }
        let board = H::from_position(&position).filter(|_| !position.is_over());
        next = board.and_then(|board| {
            let rows = Side::ALL.map(|side| i32::from(position.row_total(side)));
            let in_play = rows.iter().sum();
            if report.certainty == Certainty::Estimate {
                let key = board
                    .is_cacheable()
                    .then(|| board.key(context.move_tables))?;
                let entry = context.transpositions.get(key, in_play);
                return entry?.best_house.map(Move::Sow);
            }
            let limits = SearchLimits {
                deadline: None,
                stop_flag: Some(stop_flag),
                max_nodes: max_nodes.saturating_sub(control.nodes()),
            };
            let root = (&board, in_play, gain_range(&position));
            let mut analysis = RootSearch::new(context, root, limits, &control, NonZeroUsize::MIN);
            let target = margin.seeds() - position.lead().seeds();
            analysis.find_move_gaining(target).ok().flatten()
        });
    }
    line
}
