use std::time::Duration;

use kalah::{Gain, Position, Side};

use crate::analysis::Analysis;
use crate::endgames::Endgames;
use crate::houses::Houses;
use crate::stop::{SharedStop, StopLimits, Stopped};
use crate::{Bounds, Certainty, Goal, Limits, Report};

/// What is asked of an engine, and what that is worth.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) position: &'a Position,
    pub(crate) limits: Limits,
    pub(crate) clock: &'a dyn Fn() -> Duration,
    pub(crate) start: Duration,
}

/// Positions that are searched for each byte of memory for positions: 6x4 takes as many with 8 MiB as with 64, in
/// less time, as memory that is large, or new to the program, takes long to come by.
const NODES_PER_BYTE: u64 = 1;

/// The least memory for positions, in bytes: exact keys of boards of 7 houses need as much.
const LEAST_BYTES: u64 = 4 << 20;

/// Positions a second that an engine expects to search, whatever threads it has: they may be more than there are
/// processors.
const NODES_PER_SECOND: f64 = 3e6;

/// Of what it may take, one part in so many is for looking ahead before a proof is tried.
const AHEAD_OF_LIMITS: u32 = 16;

/// A proof is tried if that many times as many positions would be enough for it.
const HOPE_OF_PROOF: u64 = 4;

/// Turns to look ahead before any proof, so that there is something to expect.
const TURNS_BEFORE_PROOF: u32 = 3;

/// Of its time, the part after which an engine breaks off a table that has become no use: the search needs
/// the rest.
const MOST_OF_TIME_FOR_TABLE: f64 = 0.75;

impl<'a> Job<'a> {
    /// Seeds in the houses of both sides.
    pub(crate) fn in_play(self) -> i32 {
        let rows = Side::ALL.map(|side| i32::from(self.position.row_total(side)));
        rows.iter().sum()
    }

    /// Finds out as much as the limits allow.
    pub(crate) fn pursue<H: Houses, E: Endgames>(
        self,
        analysis: &mut Analysis<'a, H, E>,
        limits: StopLimits<'a>,
        watch: &mut dyn FnMut(&mut Analysis<'a, H, E>),
    ) -> Result<(), Stopped> {
        if let Some(depth) = self.limits.depth {
            for turns in 1..=depth {
                if analysis.is_proven() {
                    break;
                }
                analysis.deepen(turns)?;
                watch(analysis);
            }
            return Ok(());
        }
        if limits.deadline.is_none() && self.limits.nodes.is_none() {
            for turns in 1..=TURNS_BEFORE_PROOF {
                analysis.deepen(turns)?;
                watch(analysis);
            }
        } else {
            let began = (self.clock)();
            analysis
                .stop()
                .set_limits(limits.part(began, AHEAD_OF_LIMITS));
            let mut turns = 1;
            let nodes_left = |analysis: &mut Analysis<'a, H, E>| {
                limits.nodes_left(began, analysis.stop().nodes_of_all())
            };
            while !analysis.is_proven() && analysis.deepen(turns).is_ok() {
                watch(analysis);
                // What is likely to be proven in time is not helped by more.
                if turns >= TURNS_BEFORE_PROOF && self.nodes_of_proof() <= nodes_left(analysis) {
                    break;
                }
                turns += 1;
            }
            analysis.stop().set_limits(limits);
            if !self.is_provable(nodes_left(analysis)) {
                // Then a better estimate is worth more.
                while !analysis.is_proven() {
                    analysis.deepen(turns)?;
                    watch(analysis);
                    turns += 1;
                }
            }
        }
        let is_for_choice = matches!(self.limits.goal, Goal::Choice | Goal::Ties);
        analysis.prove_best(is_for_choice, watch)?;
        match self.limits.goal {
            Goal::Best | Goal::Choice => Ok(()),
            Goal::Ties => analysis.prove_ties(watch),
            Goal::Every => analysis.prove_others(watch),
        }
    }

    /// Whether a proof may well be finished in so many positions.
    fn is_provable(self, nodes: u64) -> bool {
        self.nodes_of_proof() / HOPE_OF_PROOF <= nodes
    }

    /// Whether it is too late to go on building a table.
    pub(crate) fn is_late_for_table(self) -> bool {
        (self.limits.time).is_some_and(|time| {
            let took = (self.clock)().saturating_sub(self.start);
            took >= time.mul_f64(MOST_OF_TIME_FOR_TABLE)
        })
    }

    /// Whether a proof may well be finished within the limits, as fast as is usual.
    pub(crate) fn may_be_provable(self) -> bool {
        self.is_provable(self.affordable_nodes().unwrap_or(u64::MAX))
    }

    /// Positions that a proof is likely to take: on boards of six houses 2 to the power of 7 and a third of the
    /// seeds in play, on smaller ones less.
    ///
    /// With tables of two fifths of the seeds, proofs took 0.3 million for 36 seeds, 8 million for 48, and 70
    /// million for 60.
    fn nodes_of_proof(self) -> u64 {
        let seeds = u32::try_from(self.in_play()).unwrap_or(u32::MAX);
        let of_seeds = seeds.saturating_mul(self.position.houses().into()) / 18;
        1_u64
            .checked_shl(of_seeds.saturating_add(7))
            .unwrap_or(u64::MAX)
    }

    /// Positions that can be searched within the limits, if there are any.
    fn affordable_nodes(self) -> Option<u64> {
        let in_time = |time: Duration| positions_in(time.as_secs_f64(), NODES_PER_SECOND);
        self.limits.nodes.or(self.limits.time.map(in_time))
    }

    /// Bytes to remember positions in that are worth taking.
    pub(crate) fn bytes_to_remember(self) -> usize {
        let nodes = self.nodes_of_proof();
        let nodes = nodes.min(self.affordable_nodes().unwrap_or(u64::MAX));
        let bytes = (nodes / NODES_PER_BYTE).max(LEAST_BYTES);
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// What there is to say about a game that is over.
    pub(crate) fn nothing(self) -> Report {
        let margin = self.position.lead();
        Report {
            choice: None,
            margin,
            certainty: Certainty::Exact,
            bounds: Bounds {
                lower: margin,
                upper: margin,
            },
            choices: Vec::new(),
            depth: 0,
            nodes: 0,
            table_hits: 0,
            time: Duration::ZERO,
            line: Vec::new(),
        }
    }

    pub(crate) fn report<H: Houses, E: Endgames>(
        self,
        analysis: &mut Analysis<'a, H, E>,
        shared: &SharedStop,
    ) -> Report {
        let margin = |gain| self.position.margin(Gain::new(gain));
        let bounds = |(lower, upper)| Bounds {
            lower: margin(lower),
            upper: margin(upper),
        };
        analysis.stop().tell();
        let best = analysis.best();
        let mut choices: Vec<_> = (analysis.roots().iter())
            .map(|root| (root.choice, bounds((root.lower, root.upper))))
            .collect();
        let in_order: Vec<_> = self.position.legal_moves().collect();
        choices.sort_by_key(|(choice, _)| in_order.iter().position(|other| other == choice));
        Report {
            choice: best.map(|(choice, _)| choice),
            margin: best.map_or(self.position.lead(), |(_, gain)| margin(gain)),
            certainty: if analysis.is_proven() {
                Certainty::Exact
            } else {
                Certainty::Estimate
            },
            bounds: bounds(analysis.bounds()),
            choices,
            depth: analysis.depth(),
            nodes: shared.nodes(),
            table_hits: shared.table_hits(),
            time: (self.clock)().saturating_sub(self.start),
            line: Vec::new(),
        }
    }
}

/// The least and the most that can be gained: no margin is more than all seeds.
pub(crate) fn gains(position: &Position) -> (i32, i32) {
    let (lead, total) = (position.lead().seeds(), i32::from(position.total()));
    (-total - lead, total - lead)
}

/// Positions that are dealt with in so many seconds at so many a second.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate; neither is negative, and what is too much becomes the most there is"
)]
pub(crate) fn positions_in(seconds: f64, rate: f64) -> u64 {
    (seconds * rate) as u64
}
