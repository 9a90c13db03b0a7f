//! The course of a search: iterative deepening, and then the proof.

use std::cell::RefCell;
use std::time::Duration;

use kalah::{Gain, Move};

use super::estimates::MoveEstimates;
use super::iteration_timer::IterationTimer;
use super::report::{Bounds, Certainty, MoveReport, Report};
use super::request::AnalysisGoal;
use super::request::AnalysisRequest;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::search::control::{SearchLimits, SharedControl, Stopped};
use crate::search::root::{BestProof, RootSearch};

/// The searches of an analysis: the one that proves and, if the limits ask for it, the estimates of
/// all moves. The two share their bounds.
pub(crate) struct AnalysisRun<'a, 'e, H: SearchBoard, E: EndgameTable> {
    pub(crate) request: AnalysisRequest<'a>,
    pub(crate) shared_control: &'a SharedControl,
    pub(crate) limits: SearchLimits<'a>,
    /// Estimates the best move and proves.
    pub(crate) proof: RootSearch<'a, H, E>,
    pub(crate) estimates: Option<&'a MoveEstimates<'e, H, E>>,
}

/// Iterative deepening before a proof may use the limits divided by this number.
const DEEPENING_LIMIT_DIVISOR: u32 = 16;

/// Turns of iterative deepening before any proof, so that there is an estimate.
const MIN_TURNS_BEFORE_PROOF: u32 = 3;

impl<'a, H: SearchBoard, E: EndgameTable> AnalysisRun<'a, '_, H, E> {
    /// Deepens and proves as far as the limits allow; `observer` receives a report without lines
    /// after every step.
    pub(crate) fn run(&mut self, observer: &mut dyn FnMut(Report)) -> Result<(), Stopped> {
        if let Some(depth) = self.request.limits.depth {
            return self.deepen_to(depth, observer);
        }
        self.share_bounds();
        if self.limits.is_limited() {
            self.deepen_within_limits(observer)?;
            self.set_limits(self.limits_until(self.request.proof_time()));
        } else {
            for turns in 1..=MIN_TURNS_BEFORE_PROOF {
                self.deepen(turns, observer)?;
            }
        }
        self.prove(observer)
    }

    /// Deepens to a depth of `depth` turns unless the goal is proven before or, on a clock, no
    /// further iteration is expected to end within the target.
    fn deepen_to(&mut self, depth: u32, observer: &mut dyn FnMut(Report)) -> Result<(), Stopped> {
        if let Some(estimates) = self.estimates {
            while estimates.depth() < depth && !estimates.is_every_move_proven() {
                self.deepen_all_moves(estimates, observer)?;
            }
            return Ok(());
        }
        let mut timer = self.start_timer();
        for turns in 1..=depth {
            if self.is_settled() || !allows_another(timer.as_ref()) {
                break;
            }
            self.deepen_timed(turns, &mut timer, observer)?;
        }
        Ok(())
    }

    /// Starts the timer of the iterations of an analysis on a clock.
    fn start_timer(&self) -> Option<IterationTimer> {
        let target = self.request.limits.target_time?;
        Some(IterationTimer::new((self.request.clock)(), target))
    }

    /// Returns the limits with another time limit, if they have one.
    fn limits_until(&self, time: Option<Duration>) -> SearchLimits<'a> {
        SearchLimits {
            deadline: (self.limits.deadline)
                .zip(time)
                .map(|((_, clock), time)| (self.request.started_at.saturating_add(time), clock)),
            ..self.limits
        }
    }

    /// Deepens until a proof is likely to fit the limits, or to their end if none is: that of the
    /// target, on a clock.
    fn deepen_within_limits(&mut self, observer: &mut dyn FnMut(Report)) -> Result<(), Stopped> {
        let (limits, request) = (self.limits, self.request);
        let deepening_start = (request.clock)();
        let nodes_before = self.total_nodes();
        let planned = self.limits_until(request.planned_time());
        let mut timer = self.start_timer();
        self.set_limits(planned.fraction(deepening_start, DEEPENING_LIMIT_DIVISOR));
        let nodes_left = |run: &mut Self| {
            let total = run.total_nodes();
            planned.remaining_nodes(deepening_start, total - nodes_before, total)
        };
        let mut turns = 1;
        while !self.is_settled() && self.deepen_timed(turns, &mut timer, observer).is_ok() {
            // A proof that is likely to fit the limits gains nothing from a better estimate. On a
            // clock the proof is given up early, and then the estimate decides: so it gets a
            // sixteenth of the work of the proof, unless that is far shorter than the time left.
            let (proof_nodes, nodes_left) = (request.expected_proof_nodes(), nodes_left(self));
            let divisor = u64::from(DEEPENING_LIMIT_DIVISOR);
            let is_deep_enough = !request.is_on_clock()
                || proof_nodes <= nodes_left / divisor
                || self.total_nodes() - nodes_before >= proof_nodes / divisor;
            if turns >= MIN_TURNS_BEFORE_PROOF && is_deep_enough && proof_nodes <= nodes_left {
                break;
            }
            turns += 1;
        }
        self.set_limits(limits);
        if !request.is_provable_within(nodes_left(self)) {
            // Without hope of a proof a better estimate is worth more.
            while !self.is_settled() {
                if !allows_another(timer.as_ref()) {
                    return Err(Stopped);
                }
                self.deepen_timed(turns, &mut timer, observer)?;
                turns += 1;
            }
        }
        Ok(())
    }

    /// Returns whether the estimate of the best move needs no deeper search.
    fn is_settled(&self) -> bool {
        let is_move_enough = self.request.limits.goal == AnalysisGoal::OnlyBestMove;
        self.proof.is_proven() || is_move_enough && self.proof.is_best_move_proven()
    }

    /// Runs one iteration of iterative deepening, and records it in `timer`. After the first one,
    /// no iteration begins when the limits are reached: short ones end before they poll.
    fn deepen_timed(
        &mut self,
        turns: u32,
        timer: &mut Option<IterationTimer>,
        observer: &mut dyn FnMut(Report),
    ) -> Result<(), Stopped> {
        if turns > 1 && self.proof.control().should_stop() {
            return Err(Stopped);
        }
        self.deepen(turns, observer)?;
        if let Some(timer) = timer {
            timer.record((self.request.clock)(), self.proof.best_move());
        }
        Ok(())
    }

    /// Runs one iteration of iterative deepening: to a depth of `turns` for the best move or, where
    /// all moves are estimated and a proof needs no deeper estimate, to the next depth of all
    /// moves.
    fn deepen(&mut self, turns: u32, observer: &mut dyn FnMut(Report)) -> Result<(), Stopped> {
        match self.estimates {
            Some(estimates) if turns > MIN_TURNS_BEFORE_PROOF => {
                self.deepen_all_moves(estimates, observer)
            }
            _ => {
                self.proof.deepen(turns)?;
                observer(self.report());
                Ok(())
            }
        }
    }

    /// Deepens the estimates of all moves by one turn.
    fn deepen_all_moves(
        &mut self,
        estimates: &MoveEstimates<'_, H, E>,
        observer: &mut dyn FnMut(Report),
    ) -> Result<(), Stopped> {
        let observer = RefCell::new(observer);
        let limits = self.proof.control().limits();
        let end = limits.deadline.map(|(end, _)| end);
        let result = estimates.deepen((end, limits.max_nodes), &|search| {
            observer.borrow_mut()(self.request.estimates_report(search, self.shared_control));
        });
        self.share_bounds();
        result
    }

    /// Proves the goal of the request.
    fn prove(&mut self, observer: &mut dyn FnMut(Report)) -> Result<(), Stopped> {
        let Self {
            request,
            shared_control,
            proof,
            estimates,
            ..
        } = self;
        let mut on_step = |proof: &mut RootSearch<'a, H, E>| {
            share_bounds(proof, *estimates);
            observer(request.report(proof, *estimates, shared_control));
        };
        let goal = request.limits.goal;
        let best_proof = match goal {
            AnalysisGoal::BestMargin | AnalysisGoal::AllMargins => BestProof::Gain,
            AnalysisGoal::BestMove | AnalysisGoal::Ties => BestProof::MoveThenGain,
            AnalysisGoal::OnlyBestMove => BestProof::Move,
        };
        proof.prove_best(best_proof, &mut on_step)?;
        match goal {
            AnalysisGoal::BestMargin | AnalysisGoal::BestMove | AnalysisGoal::OnlyBestMove => {
                Ok(())
            }
            AnalysisGoal::Ties => proof.prove_ties(&mut on_step),
            AnalysisGoal::AllMargins => proof.prove_others(&mut on_step),
        }
    }

    fn share_bounds(&mut self) {
        share_bounds(&mut self.proof, self.estimates);
    }

    fn set_limits(&mut self, limits: SearchLimits<'a>) {
        self.proof.control().set_limits(limits);
    }

    /// Nodes of both searches.
    fn total_nodes(&mut self) -> u64 {
        self.proof.control().flush_counters();
        self.proof.control().total_nodes()
    }

    /// Returns the report of the results so far, without its lines and time.
    pub(crate) fn report(&mut self) -> Report {
        self.share_bounds();
        (self.request).report(&mut self.proof, self.estimates, self.shared_control)
    }
}

/// Returns whether another iteration may begin: always without a target of time.
fn allows_another(timer: Option<&IterationTimer>) -> bool {
    timer.is_none_or(IterationTimer::allows_another)
}

/// Gives each search the bounds that the other one has proven.
fn share_bounds<H: SearchBoard, E: EndgameTable>(
    proof: &mut RootSearch<'_, H, E>,
    estimates: Option<&MoveEstimates<'_, H, E>>,
) {
    if let Some(estimates) = estimates {
        let mut estimates = estimates.search().borrow_mut();
        proof.merge_bounds(&estimates);
        estimates.merge_bounds(proof);
    }
}

impl AnalysisRequest<'_> {
    /// Returns the report of the results so far, without its lines and time.
    fn report<H: SearchBoard, E: EndgameTable>(
        self,
        proof: &mut RootSearch<'_, H, E>,
        estimates: Option<&MoveEstimates<'_, H, E>>,
        shared_control: &SharedControl,
    ) -> Report {
        proof.control().flush_counters();
        if let Some(estimates) = estimates {
            let mut search = estimates.search().borrow_mut();
            self.estimates_report(&mut search, shared_control)
        } else {
            let best = proof.best_move();
            self.search_report(proof, best, shared_control)
        }
    }

    /// Returns the report of the estimates of all moves, without its lines and time.
    pub(crate) fn estimates_report<H: SearchBoard, E: EndgameTable>(
        self,
        search: &mut RootSearch<'_, H, E>,
        shared_control: &SharedControl,
    ) -> Report {
        search.control().flush_counters();
        let best = search.best_estimated_move();
        self.search_report(search, best, shared_control)
    }

    fn search_report<H: SearchBoard, E: EndgameTable>(
        self,
        search: &RootSearch<'_, H, E>,
        best: Option<(Move, i32)>,
        shared_control: &SharedControl,
    ) -> Report {
        let position = self.position;
        let margin = |gain| position.margin(Gain::new(gain));
        let bounds = |(lower, upper)| Bounds {
            lower: margin(lower),
            upper: margin(upper),
        };
        let raw_margin = best.map_or(position.lead(), |(_, gain)| margin(gain));
        let mut moves: Vec<_> = (search.root_moves().iter())
            .map(|root| {
                let bounds = bounds((root.lower, root.upper));
                let is_best = best.is_some_and(|(mv, _)| mv == root.mv);
                let estimate = if is_best {
                    raw_margin
                } else {
                    // An older estimate may exceed that of the best move.
                    margin(root.expected_gain()).min(raw_margin)
                };
                MoveReport {
                    mv: root.mv,
                    bounds,
                    estimate: bounds.nearest_margin(estimate),
                    depth: root.depth,
                    line: Vec::new(),
                }
            })
            .collect();
        let legal_moves: Vec<_> = position.legal_moves().collect();
        moves.sort_by_key(|report| legal_moves.iter().position(|mv| *mv == report.mv));
        Report {
            best_move: best.map(|(mv, _)| mv),
            raw_margin,
            certainty: if search.is_proven() {
                Certainty::Exact
            } else {
                Certainty::Estimate
            },
            bounds: bounds(search.bounds()),
            moves,
            depth: search.depth(),
            nodes: shared_control.nodes(),
            table_hits: shared_control.table_hits(),
            hash_fullness: None,
            time: Duration::ZERO,
            line: Vec::new(),
            is_from_book: false,
            table_damage: None,
        }
    }
}
