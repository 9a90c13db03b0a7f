//! The snapshots that the observer of an analysis receives.

use std::cell::RefCell;
use std::time::Duration;

use kalah::{Margin, Move};

use super::lines::{LineFinder, MoveLine};
use super::report::{Certainty, MoveReport, Report};
use super::request::AnalysisRequest;
use super::request::Estimates;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::search::control::{SearchLimits, SharedControl};

/// Makes the reports of an analysis and passes them to the observer: after every step of the
/// analysis, and with new counters while a step takes long.
pub(crate) struct Reporter<'a> {
    request: AnalysisRequest<'a>,
    shared_control: &'a SharedControl,
    state: RefCell<ReporterState<'a>>,
}

struct ReporterState<'a> {
    observer: &'a mut dyn FnMut(&Report),
    latest: Option<Report>,
    /// The best move of the first report with a proven margin.
    proven_best: Option<Move>,
    /// The lines of unproven moves.
    expected_lines: Vec<ExpectedLine>,
    /// The lines of proven moves. A line here never gets shorter.
    proven_lines: Vec<ProvenLine>,
}

/// The longest line that was found for a move with its present estimate.
struct ExpectedLine {
    first: Move,
    estimate: Margin,
    plies: MoveLine,
}

/// A line on which both sides keep a proven margin.
struct ProvenLine {
    first: Move,
    plies: MoveLine,
    /// Whether the line reaches the end of the game.
    is_complete: bool,
}

/// The least time between two reports during a step of the analysis.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// The time to extend the proven lines of an analysis with a time limit, whenever one is new and at
/// the end.
const PROVEN_LINE_TIME: Duration = Duration::from_millis(50);

/// The nodes for a proven line of a book, and after an analysis with a time limit and without
/// estimates of all moves. The search for this line ends at the time limit of the analysis too.
const SHORT_LINE_NODES: u64 = 5_000;

/// The least number of nodes for a proven line after an analysis without a time limit.
const MIN_LINE_NODES: u64 = 1_000_000;

/// After a long analysis without a time limit, its nodes divided by this number are available for a
/// proven line. The hash tables have most of a line: 6x4 and 6x5 took fewer than 20 nodes.
const LINE_NODES_DIVISOR: u64 = 64;

impl<'a> Reporter<'a> {
    pub(crate) fn new(
        request: AnalysisRequest<'a>,
        shared_control: &'a SharedControl,
        observer: &'a mut dyn FnMut(&Report),
    ) -> Self {
        Self {
            request,
            shared_control,
            state: RefCell::new(ReporterState {
                observer,
                latest: None,
                proven_best: None,
                expected_lines: Vec::new(),
                proven_lines: Vec::new(),
            }),
        }
    }

    /// Adds the lines, the fullness of the table and the time to a report of a step and passes it
    /// to the observer.
    pub(crate) fn report_step<H: SearchBoard, E: EndgameTable>(
        &self,
        mut report: Report,
        lines: &LineFinder<'_, H, E>,
    ) {
        let mut state = self.state.borrow_mut();
        // Without estimates of all moves, a search for a proven line here would change the hash
        // tables, and with them the number of nodes of a proof.
        let search_limits = (self.request.limits.estimates == Estimates::AllMoves)
            .then(|| self.line_limits(&report));
        state.add_lines(&mut report, lines, self.request, search_limits, false);
        report.hash_fullness = lines.hash_fullness();
        report.time = self.request.elapsed();
        (state.observer)(&report);
        state.latest = Some(report);
    }

    /// Reports the latest results with the current counters, if the last report is old enough.
    pub(crate) fn report_progress(&self) {
        // A search for a proven line polls too.
        let Ok(mut state) = self.state.try_borrow_mut() else {
            return;
        };
        let state = &mut *state;
        let (elapsed, nodes) = (self.request.elapsed(), self.shared_control.nodes());
        if let Some(report) = &mut state.latest
            && elapsed >= report.time + REPORT_INTERVAL
        {
            report.time = elapsed;
            report.nodes = report.nodes.max(nodes);
            report.table_hits = report.table_hits.max(self.shared_control.table_hits());
            (state.observer)(report);
        }
    }

    /// Adds the lines, the fullness of the table and the time to the report at the end of the
    /// analysis.
    pub(crate) fn complete<H: SearchBoard, E: EndgameTable>(
        &self,
        mut report: Report,
        lines: &LineFinder<'_, H, E>,
    ) -> Report {
        let limits = self.line_limits(&report);
        let mut state = self.state.borrow_mut();
        state.add_lines(&mut report, lines, self.request, Some(limits), true);
        report.hash_fullness = lines.hash_fullness();
        report.time = self.request.elapsed();
        report
    }

    /// Returns the limits of the search for proven lines.
    fn line_limits(&self, report: &Report) -> SearchLimits<'_> {
        let AnalysisRequest {
            limits,
            started_at,
            clock,
            ..
        } = self.request;
        let all_moves = limits.estimates == Estimates::AllMoves;
        SearchLimits {
            deadline: limits.time.map(|time| {
                let end = if all_moves {
                    clock().saturating_add(PROVEN_LINE_TIME)
                } else {
                    started_at.saturating_add(time)
                };
                (end, clock)
            }),
            max_nodes: match limits.time {
                // The line of an estimate is not worth a search.
                _ if limits.depth.is_some() => 0,
                // A book answers at once.
                _ if report.is_from_book => SHORT_LINE_NODES,
                Some(_) if all_moves => u64::MAX,
                Some(_) => SHORT_LINE_NODES,
                None => MIN_LINE_NODES.max(report.nodes / LINE_NODES_DIVISOR),
            },
            stop_flags: &[],
            heartbeat: None,
        }
    }
}

impl ReporterState<'_> {
    /// Adds the principal variation and the lines of the other moves that the limits ask for. With
    /// `search_limits` the lines of proven moves are searched when they are new, and with
    /// `extends_again` all that do not reach the end of the game.
    fn add_lines<H: SearchBoard, E: EndgameTable>(
        &mut self,
        report: &mut Report,
        lines: &LineFinder<'_, H, E>,
        request: AnalysisRequest,
        search_limits: Option<SearchLimits<'_>>,
        extends_again: bool,
    ) {
        let is_exact = report.certainty == Certainty::Exact;
        if is_exact {
            // Another move may turn out to be as good as the one that was proven first.
            report.best_move = self.proven_best.or(report.best_move);
            self.proven_best = report.best_move;
        }
        let Some(best_move) = report.best_move else {
            return;
        };
        let search = search_limits.map(|limits| (limits, extends_again));
        report.line = if is_exact {
            self.proven_line(lines, (best_move, report.margin()), search)
        } else {
            self.expected_line(lines, (best_move, report.margin()))
        };
        let mut by_estimate: Vec<usize> = (0..report.moves.len()).collect();
        by_estimate.sort_by_key(|&index| {
            let candidate = &report.moves[index];
            std::cmp::Reverse((candidate.estimate, candidate.mv == best_move))
        });
        for index in by_estimate.into_iter().take(request.limits.lines) {
            let MoveReport {
                mv,
                bounds,
                estimate,
                ..
            } = report.moves[index];
            report.moves[index].line = if mv == best_move {
                report.line.clone()
            } else if bounds.is_exact() {
                self.proven_line(lines, (mv, estimate), search)
            } else {
                self.expected_line(lines, (mv, estimate))
            };
        }
    }

    /// Returns the line that the hash tables expect after `first`, or an earlier one if that is
    /// longer and the estimate is the same.
    fn expected_line<H: SearchBoard, E: EndgameTable>(
        &mut self,
        lines: &LineFinder<'_, H, E>,
        (first, estimate): (Move, Margin),
    ) -> MoveLine {
        let plies = lines.expected_line(first);
        let known = self
            .expected_lines
            .iter_mut()
            .find(|line| line.first == first);
        match known {
            Some(known) if known.estimate == estimate && known.plies.len() >= plies.len() => {
                known.plies.clone()
            }
            Some(known) => {
                (known.estimate, known.plies) = (estimate, plies.clone());
                plies
            }
            None => {
                self.expected_lines.push(ExpectedLine {
                    first,
                    estimate,
                    plies: plies.clone(),
                });
                plies
            }
        }
    }

    /// Returns the line of a move with a proven margin. Within the limits of `search` it is
    /// extended if it is new, or if it has to be complete.
    fn proven_line<H: SearchBoard, E: EndgameTable>(
        &mut self,
        lines: &LineFinder<'_, H, E>,
        (first, margin): (Move, Margin),
        search: Option<(SearchLimits<'_>, bool)>,
    ) -> MoveLine {
        let known = self
            .proven_lines
            .iter()
            .position(|line| line.first == first);
        let index = known.unwrap_or_else(|| {
            self.proven_lines.push(ProvenLine {
                first,
                plies: MoveLine::new(),
                is_complete: false,
            });
            self.proven_lines.len() - 1
        });
        let line = &mut self.proven_lines[index];
        match search {
            Some((limits, extends_again))
                if line.plies.is_empty() || extends_again && !line.is_complete =>
            {
                line.is_complete =
                    lines.extend_proven_line(&mut line.plies, (first, margin), limits);
            }
            None if line.plies.is_empty() => return lines.expected_line(first),
            _ => {}
        }
        line.plies.clone()
    }
}
