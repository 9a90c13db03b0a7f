//! The engine: its memory, its endgame tables, and the analysis of a position.

use std::cell::Cell;
use std::iter;
use std::mem;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use kalah::{Gain, Move, Position};
use kalah_book::BookSet;
use kalah_tables::{Table, TableDamage};

use super::estimates::MoveEstimates;
use super::hash_tables::{EngineHashTables, KeyScope};
use super::lines::LineFinder;
use super::move_tables::MoveTableCache;
use super::report::{Bounds, Report};
use super::reporter::Reporter;
use super::request::{AnalysisGoal, AnalysisRequest, Estimates, Limits};
use super::run::AnalysisRun;
use super::search_parts::{MoveBounds, SearchParts, book_bounds};
use super::table_builder::{TableBuilder, TableResources};
use crate::board::board_type::{BoardVisitor, visit_board_type};
use crate::board::key::KeyKind;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::{EndgameTable, NoEndgameTable, TableCache};
use crate::evaluation::{Evaluator, Network};
use crate::search::context::{CurrentlySearching, SearchContext};
use crate::search::control::SharedControl;
use crate::search::proof_cost::ProofCostModel;
use crate::search::proof_numbers::ProofTable;
use crate::search::root::{RootResults, RootSearch};
use crate::tt::TranspositionTable;

/// Analyzes positions and keeps its tables between analyses.
///
/// An analysis deepens turn by turn until there is an estimate, and then proves what the limits
/// allow. It builds endgame tables as far as they save more time than they cost.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Margin, Position, Rules};
/// use kalah_engine::{Certainty, Engine, Limits};
///
/// let start = Position::start(3, 3, Rules::CS32)?;
/// let report = Engine::new().analyze(&start, Limits::default(), &|| Duration::ZERO);
/// assert_eq!(report.margin(), Margin::new(2));
/// assert_eq!(report.certainty, Certainty::Exact);
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub struct Engine {
    /// Bytes for the hash tables and the endgame tables.
    memory_bytes: usize,
    threads: NonZeroUsize,
    /// The number of engines that share the memory limit and the endgame tables.
    group_size: NonZeroUsize,
    table_builder: TableBuilder,
    network: Arc<Network>,
    books: BookSet,
    stop_flag: Arc<AtomicBool>,
    /// Limits of each analysis, beside those of its request.
    max_nodes: Option<u64>,
    max_depth: Option<u32>,
    /// Nodes searched by the current analysis.
    node_counter: Arc<AtomicU64>,
    /// Proven bounds to start the next analysis with.
    known_bounds: MoveBounds,
    /// The moves that the next analysis searches; empty for all.
    root_moves: Vec<Move>,
    hash_tables: EngineHashTables,
    move_tables: MoveTableCache,
    /// Whether an analysis may have used values of an endgame table since the last clearing of all
    /// results.
    has_probed: bool,
    /// The damage of a table on whose values no result rests any more.
    cleared_damage: Option<TableDamage>,
}

/// The default memory limit in bytes: enough to solve 6x4.
const DEFAULT_MEMORY_BYTES: usize = 512 << 20;

/// The work of a table build between two polls, as the number of nodes that take about as long.
const NODES_PER_TABLE_POLL: u64 = 20_000;

impl Engine {
    /// Creates an engine with empty tables, one thread and a memory limit of 512 MiB, which is
    /// allocated as it is needed.
    pub fn new() -> Self {
        Self {
            memory_bytes: DEFAULT_MEMORY_BYTES,
            threads: NonZeroUsize::MIN,
            group_size: NonZeroUsize::MIN,
            table_builder: TableBuilder::new(TableCache::new()),
            network: Arc::new(Network::embedded()),
            books: BookSet::default(),
            stop_flag: Arc::default(),
            max_nodes: None,
            max_depth: None,
            node_counter: Arc::default(),
            known_bounds: Vec::new(),
            root_moves: Vec::new(),
            hash_tables: EngineHashTables::default(),
            move_tables: MoveTableCache::default(),
            has_probed: false,
            cleared_damage: None,
        }
    }

    /// Sets the memory limit for hash tables and endgame tables in bytes, and clears the hash
    /// tables.
    #[must_use]
    pub fn with_memory(self, bytes: usize) -> Self {
        Self {
            memory_bytes: bytes,
            hash_tables: EngineHashTables::default(),
            ..self
        }
    }

    /// Sets the number of threads. With more than one, the same analysis can return different
    /// reports.
    #[must_use]
    pub fn with_threads(self, threads: NonZeroUsize) -> Self {
        Self { threads, ..self }
    }

    /// Sets the number of engines, this one included, that run at the same time with the same cache
    /// of endgame tables and share the memory limit of this engine. One of them builds a table with
    /// the threads of all, while the others wait for it. Their hash tables divide the memory that
    /// the table leaves.
    #[must_use]
    pub fn with_group_size(self, engines: NonZeroUsize) -> Self {
        Self {
            group_size: engines,
            ..self
        }
    }

    /// Sets the cache of endgame tables, which other engines may share. The engine inserts the
    /// tables that it builds.
    #[must_use]
    pub fn with_tables(self, tables: TableCache) -> Self {
        Self {
            table_builder: self.table_builder.with_cache(tables),
            ..self
        }
    }

    /// Sets the network of the static evaluation, and clears the hash tables.
    #[must_use]
    pub fn with_network(self, network: Arc<Network>) -> Self {
        Self {
            network,
            hash_tables: EngineHashTables::default(),
            ..self
        }
    }

    /// Sets the opening books, whose margins are proven without a search. A new engine has none.
    ///
    /// ```
    /// use std::time::Duration;
    /// use kalah::{Margin, Position, Rules};
    /// use kalah_book::BookSet;
    /// use kalah_engine::{Engine, Limits};
    ///
    /// let start = Position::start(6, 4, Rules::STANDARD)?;
    /// let mut engine = Engine::new().with_books(BookSet::embedded());
    /// let report = engine.analyze(&start, Limits::default(), &|| Duration::ZERO);
    /// assert_eq!((report.margin(), report.is_from_book), (Margin::new(8), true));
    /// assert!(report.moves.iter().all(|candidate| candidate.bounds.is_exact()));
    /// # Ok::<(), kalah::SetupError>(())
    /// ```
    #[must_use]
    pub fn with_books(self, books: BookSet) -> Self {
        Self { books, ..self }
    }

    /// Returns the expected gain of the side to move without search, in seeds.
    pub fn static_gain(&self, position: &Position) -> Gain {
        let evaluator = Evaluator::of_game(&self.network, position);
        Gain::new(evaluator.gain_of_position(position))
    }

    /// Sets the flag that makes an analysis stop soon after it becomes `true`.
    #[must_use]
    pub fn with_stop_flag(self, stop_flag: Arc<AtomicBool>) -> Self {
        Self { stop_flag, ..self }
    }

    /// Sets the maximum nodes of each analysis, which [`Limits::nodes`] can only lower. With one
    /// thread and no time limit, analyses in the same order then give the same reports.
    ///
    /// ```
    /// use std::time::Duration;
    /// use kalah::{Position, Rules};
    /// use kalah_engine::{Engine, Limits};
    ///
    /// let start = Position::start(6, 4, Rules::CS32)?;
    /// let mut engine = Engine::new().with_max_nodes(Some(1000));
    /// let report = engine.analyze(&start, Limits::default(), &|| Duration::ZERO);
    /// let limits = Limits { nodes: Some(1000), ..Limits::default() };
    /// let same = Engine::new().analyze(&start, limits, &|| Duration::ZERO);
    /// assert_eq!((report.nodes, report.moves), (same.nodes, same.moves));
    /// # Ok::<(), kalah::SetupError>(())
    /// ```
    #[must_use]
    pub fn with_max_nodes(self, max_nodes: Option<u64>) -> Self {
        Self { max_nodes, ..self }
    }

    /// Sets the maximum depth of each analysis in turns, which [`Limits::depth`] can only lower.
    #[must_use]
    pub fn with_max_depth(self, max_depth: Option<u32>) -> Self {
        Self { max_depth, ..self }
    }

    /// Sets the counter of nodes searched by the current analysis, for progress displays.
    #[must_use]
    pub fn with_node_counter(self, nodes: Arc<AtomicU64>) -> Self {
        Self {
            node_counter: nodes,
            ..self
        }
    }

    /// Sets proven bounds of moves for the next analysis, as an earlier analysis of the same
    /// position reported them. Moves that are not legal there, and bounds that contradict what is
    /// known without search, are ignored. So are all of them if an endgame table that the engine
    /// has probed turns out to be damaged.
    #[must_use]
    pub fn with_known_bounds(self, known_bounds: Vec<(Move, Bounds)>) -> Self {
        Self {
            known_bounds,
            ..self
        }
    }

    /// Restricts the next analysis to these moves: its report has no others, and its margin is that
    /// of the best of them. Moves that are not legal are ignored; if none is legal, nothing is
    /// restricted.
    ///
    /// ```
    /// use std::time::Duration;
    /// use kalah::{House, Margin, Move, Position, Rules};
    /// use kalah_engine::{Engine, Limits};
    ///
    /// let start = Position::start(3, 3, Rules::CS32)?;
    /// let first = Move::Sow(House::new(1).expect("a house"));
    /// let mut engine = Engine::new().with_root_moves(vec![first]);
    /// let report = engine.analyze(&start, Limits::default(), &|| Duration::ZERO);
    /// assert_eq!((report.best_move, report.moves.len()), (Some(first), 1));
    /// assert_eq!(report.margin(), Margin::new(2));
    /// # Ok::<(), kalah::SetupError>(())
    /// ```
    #[must_use]
    pub fn with_root_moves(self, root_moves: Vec<Move>) -> Self {
        Self { root_moves, ..self }
    }

    /// Analyzes `position` within `limits`. `clock` returns the time since any fixed moment and is
    /// called often.
    ///
    /// The report names a move unless the game is over, however tight the limits.
    pub fn analyze(
        &mut self,
        position: &Position,
        limits: Limits,
        clock: &dyn Fn() -> Duration,
    ) -> Report {
        self.analyze_with_progress(position, limits, clock, &mut |_| {})
    }

    /// Analyzes like [`Self::analyze`] and calls `observer` with a report after every step: an
    /// iteration of deepening, or a step of a proof.
    ///
    /// With [`Estimates::AllMoves`] the observer also receives a report before the search and after
    /// each estimate of a move, and, during a step that takes long, ten reports a second with new
    /// counters.
    pub fn analyze_with_progress(
        &mut self,
        position: &Position,
        limits: Limits,
        clock: &dyn Fn() -> Duration,
        observer: &mut dyn FnMut(&Report),
    ) -> Report {
        // These hold for this position only.
        let known_bounds = mem::take(&mut self.known_bounds);
        let mut root_moves = mem::take(&mut self.root_moves);
        root_moves.retain(|&mv| position.check_legal(mv).is_ok());
        let request = AnalysisRequest {
            position,
            root_moves: &root_moves,
            limits: Limits {
                nodes: [limits.nodes, self.max_nodes].into_iter().flatten().min(),
                depth: [limits.depth, self.max_depth].into_iter().flatten().min(),
                ..limits
            },
            clock,
            started_at: clock(),
        };
        let analyze = Analyze {
            engine: self,
            request,
            known_bounds,
            observer,
        };
        visit_board_type(position, analyze)
    }

    /// Builds the endgame table that an analysis of `position` with [`AnalysisGoal::AllMargins`]
    /// would use, as large as `time` and memory allow, unless the cache has one with as many seeds.
    /// Returns the seeds of the table in the cache, or 0 if there is none.
    ///
    /// The size of the table is planned with the speed of the last build. A build that takes longer
    /// than one and a half times `time` is abandoned.
    ///
    /// ```
    /// use std::time::Duration;
    /// use kalah::{Position, Rules};
    /// use kalah_engine::Engine;
    ///
    /// let start = Position::start(4, 3, Rules::CS32)?;
    /// let seeds = Engine::new().prepare(&start, Duration::from_secs(1), &|| Duration::ZERO);
    /// assert_eq!(seeds, 12);
    /// # Ok::<(), kalah::SetupError>(())
    /// ```
    pub fn prepare(
        &mut self,
        position: &Position,
        time: Duration,
        clock: &dyn Fn() -> Duration,
    ) -> u8 {
        let limits = Limits {
            // An analysis may use half of its time for the table.
            time: Some(time.saturating_mul(2)),
            goal: AnalysisGoal::AllMargins,
            ..Limits::default()
        };
        let request = AnalysisRequest {
            position,
            root_moves: &[],
            limits,
            clock,
            started_at: clock(),
        };
        let table = self.table_for(request, &|| {});
        table.map_or(0, |table| table.seeds())
    }

    /// Analyzes with the endgame table of the cache. If it turns out to be damaged, all results
    /// that may rest on it are discarded, and the analysis begins again without it.
    fn analyze_on_board<H: SearchBoard>(
        &mut self,
        request: AnalysisRequest,
        mut known_bounds: MoveBounds,
        key_kind: KeyKind,
        observer: &mut dyn FnMut(&Report),
    ) -> Report {
        let position = request.position;
        if position.is_over() {
            return Report::game_over(position);
        }
        let book_bounds = book_bounds(&self.books, position);
        loop {
            let known = self.table_builder.cached(position);
            if self.clear_results_of_damaged_table(position) {
                // They can come from an earlier analysis with the table.
                known_bounds.clear();
            }
            let table_damage = self.table_builder.damage(position);
            let mut observe = |report: &Report| match &table_damage {
                // The report may rest on the damaged table.
                _ if is_damaged(known.as_deref()) => {}
                None => observer(report),
                Some(damage) => observer(&Report {
                    table_damage: Some(damage.clone()),
                    ..report.clone()
                }),
            };
            let table = known.as_deref();
            let known_bounds = [book_bounds.as_slice(), &known_bounds].concat();
            let analyzed =
                self.analyze_with::<H>((request, table), known_bounds, key_kind, &mut observe);
            if let Some(report) = analyzed {
                return Report {
                    table_damage,
                    ..report
                };
            }
        }
    }

    /// Clears the hash tables if they may have results of a table that has turned out to be
    /// damaged since. Returns whether there may be such results.
    fn clear_results_of_damaged_table(&mut self, position: &Position) -> bool {
        let damage = self.table_builder.damage(position);
        let is_new = damage.is_some() && damage != self.cleared_damage;
        self.cleared_damage = damage;
        let has_results = is_new && mem::take(&mut self.has_probed);
        if has_results {
            self.hash_tables = EngineHashTables::default();
        }
        has_results
    }

    /// Analyzes with the table `known` of the cache, or without one. Returns `None` if it, or the
    /// table that is searched with, turns out to be damaged.
    fn analyze_with<H: SearchBoard>(
        &mut self,
        (request, known): (AnalysisRequest, Option<&Table>),
        known_bounds: MoveBounds,
        key_kind: KeyKind,
        observer: &mut dyn FnMut(&Report),
    ) -> Option<Report> {
        let position = request.position;
        let stop_flag = Arc::clone(&self.stop_flag);
        let known_flags = stop_flags(&stop_flag, known);
        let shared_control = SharedControl::with_node_counter(Arc::clone(&self.node_counter));
        let reporter = Reporter::new(request, &shared_control, observer);
        let books = self.books.clone();
        let mut parts = SearchParts {
            request,
            reporter: &reporter,
            shared_control: &shared_control,
            scope: KeyScope::new(position, key_kind),
            known_bounds,
            is_in_book: books.best_move(position).is_some(),
            books: &books,
            earlier_results: None,
            stop_flags: &known_flags,
        };
        let limits = request.limits;
        let memory_bytes = self.memory_bytes / self.group_size;
        let mut estimate_tt = (limits.estimates == Estimates::AllMoves && !parts.is_in_book)
            .then(|| (self.hash_tables).take_estimate_tt(request, parts.scope, memory_bytes));
        let table = match &mut estimate_tt {
            // Nothing is searched.
            _ if parts.is_in_book => None,
            // Building an endgame table takes long: the first estimates precede it.
            Some(tt) if limits.depth.is_none() => {
                let (results, table) = match known {
                    Some(known) => {
                        self.has_probed = true;
                        let revision = known.revision();
                        let estimated = self.estimate_first::<H, _>(&parts, tt, known);
                        known.check_revision(revision);
                        estimated
                    }
                    None => self.estimate_first::<H, _>(&parts, tt, &NoEndgameTable),
                };
                parts.earlier_results = Some(results);
                table
            }
            _ => self.table_for(request, &|| {}),
        };
        if is_damaged(known) {
            return None;
        }
        let table_flags = stop_flags(&stop_flag, table.as_deref());
        parts.stop_flags = &table_flags;
        let report = match table.as_deref() {
            Some(table) => {
                self.has_probed = true;
                let revision = table.revision();
                let report = self.search::<H, _>(&parts, estimate_tt.as_mut(), table);
                table.check_revision(revision);
                report
            }
            None => self.search::<H, _>(&parts, estimate_tt.as_mut(), &NoEndgameTable),
        };
        if is_damaged(table.as_deref()) {
            return None;
        }
        self.hash_tables.keep_estimate_tt(parts.scope, estimate_tt);
        Some(report)
    }

    /// Makes the first estimates of all moves, and refines them while it builds the endgame table
    /// of the analysis. Returns the estimates and the table.
    fn estimate_first<H: SearchBoard, E: EndgameTable>(
        &mut self,
        parts: &SearchParts<'_>,
        estimate_tt: &mut TranspositionTable,
        endgames: &E,
    ) -> (RootResults, Option<Arc<Table>>) {
        let &SearchParts {
            request,
            reporter,
            shared_control,
            ..
        } = parts;
        let network = Arc::clone(&self.network);
        let board = board_of::<H>(request.position);
        let move_tables = self.move_tables.tables_for::<H>(request.position);
        let mut no_proofs = ProofTable::new(0);
        let context = SearchContext::<H, E> {
            move_tables: &move_tables,
            transpositions: estimate_tt.share(),
            proof_table: no_proofs.share(),
            endgames,
            evaluator: &Evaluator::of_game(&network, request.position),
            cost_model: &ProofCostModel::TUNED,
            currently_searching: None,
        };
        let limits = parts.limits(None);
        let search = parts.new_search(context, &board, limits, NonZeroUsize::MIN);
        let estimates = MoveEstimates::new(search, limits, 0);
        let lines = LineFinder::new([context; 2], parts.line_start());
        let report = |search: &mut RootSearch<H, E>| {
            reporter.report_step(request.estimates_report(search, shared_control), &lines);
        };
        estimates.run_first((request.clock)(), &report);
        if estimates.is_every_move_proven() {
            return (estimates.results(), None);
        }
        let work = Cell::new(shared_control.nodes());
        let heartbeat = || {
            work.set(work.get() + NODES_PER_TABLE_POLL);
            estimates.refine_if_due(work.get(), &report);
            reporter.report_progress();
        };
        let table = self.table_for(request, &heartbeat);
        (estimates.results(), table)
    }

    /// Deepens and proves as far as the limits allow.
    fn search<H: SearchBoard, E: EndgameTable>(
        &mut self,
        parts: &SearchParts<'_>,
        estimate_tt: Option<&mut TranspositionTable>,
        endgames: &E,
    ) -> Report {
        let &SearchParts {
            request,
            reporter,
            shared_control,
            ..
        } = parts;
        let position = request.position;
        let network = Arc::clone(&self.network);
        let board = board_of::<H>(position);
        let move_tables = self.move_tables.tables_for::<H>(position);
        let threads = self.threads;
        let currently_searching = (threads.get() > 1).then(CurrentlySearching::new);
        let is_stopped = parts.is_in_book || self.is_stop_requested();
        // The hash tables share the memory with the endgame table that the search probes.
        let memory_bytes =
            hash_memory_bytes(self.memory_bytes, endgames.memory_bytes(), self.group_size);
        let hash_tables =
            (self.hash_tables).search_tables(request, parts.scope, memory_bytes, is_stopped);
        let context = SearchContext::<H, E> {
            move_tables: &move_tables,
            transpositions: hash_tables.transpositions.share(),
            proof_table: hash_tables.proof_table.share(),
            endgames,
            evaluator: &Evaluator::of_game(&network, position),
            cost_model: &ProofCostModel::TUNED,
            currently_searching: currently_searching.as_ref(),
        };
        let estimate_context = estimate_tt.map(|tt| SearchContext {
            transpositions: tt.share(),
            ..context
        });
        let report_progress = || reporter.report_progress();
        let estimates = estimate_context.map(|context| {
            let limits = parts.limits(Some(&report_progress));
            let search = parts.new_search(context, &board, limits, threads);
            MoveEstimates::new(search, limits, shared_control.nodes())
        });
        let lines = LineFinder::new(
            [context, estimate_context.unwrap_or(context)],
            parts.line_start(),
        );
        let heartbeat = || {
            if let Some(estimates) = &estimates {
                estimates.refine_if_due(shared_control.nodes(), &|search| {
                    reporter.report_step(request.estimates_report(search, shared_control), &lines);
                });
            }
            reporter.report_progress();
        };
        let limits = parts.limits(estimates.as_ref().map(|_| &heartbeat as &dyn Fn()));
        let mut run = AnalysisRun {
            request,
            shared_control,
            limits,
            proof: parts.new_search(context, &board, limits, threads),
            estimates: estimates.as_ref(),
        };
        // After a stop the proven bounds and the last iteration remain valid.
        if !parts.is_in_book {
            let _ = run.run(&mut |report| reporter.report_step(report, &lines));
        }
        let report = Report {
            is_from_book: parts.is_in_book,
            ..run.report()
        };
        reporter.complete(report, &lines)
    }

    fn is_stop_requested(&self) -> bool {
        self.stop_flag.load(Ordering::Relaxed)
    }

    /// Returns the endgame table for an analysis, building it if that saves time and no stop is
    /// requested. `heartbeat` is called from time to time.
    fn table_for(&mut self, request: AnalysisRequest, heartbeat: &dyn Fn()) -> Option<Arc<Table>> {
        if self.is_stop_requested() {
            // The first step of a build takes tens of milliseconds.
            return self.table_builder.cached(request.position);
        }
        let (memory_bytes, group_size) = (self.memory_bytes, self.group_size);
        let hash_tables = &mut self.hash_tables;
        let mut resources = TableResources {
            memory_bytes,
            threads: self.threads.saturating_mul(group_size),
            is_in_group: group_size > NonZeroUsize::MIN,
            stop_flag: &self.stop_flag,
            heartbeat,
            // The hash tables give way if the new table needs their memory.
            make_room: &mut |bytes| {
                hash_tables.make_room(hash_memory_bytes(memory_bytes, bytes, group_size));
            },
        };
        self.table_builder.table_for(request, &mut resources)
    }
}

/// Returns the memory for the hash tables of an engine: its part of the memory that the endgame
/// table leaves.
fn hash_memory_bytes(memory_bytes: usize, table_bytes: usize, group_size: NonZeroUsize) -> usize {
    memory_bytes.saturating_sub(table_bytes) / group_size
}

fn is_damaged(table: Option<&Table>) -> bool {
    table.and_then(Table::damage).is_some()
}

/// Returns the flags that stop a search that probes `table`.
fn stop_flags<'a>(stop_flag: &'a AtomicBool, table: Option<&'a Table>) -> Vec<&'a AtomicBool> {
    (iter::once(stop_flag).chain(table.map(Table::damage_flag))).collect()
}

/// Returns a position as the search represents it.
fn board_of<H: SearchBoard>(position: &Position) -> H {
    let Some(board) = H::from_position(position) else {
        unreachable!("the caller selects a board type that can represent the position");
    };
    board
}

/// An analysis, for the board type of its position.
struct Analyze<'a> {
    engine: &'a mut Engine,
    request: AnalysisRequest<'a>,
    known_bounds: MoveBounds,
    observer: &'a mut dyn FnMut(&Report),
}

impl BoardVisitor for Analyze<'_> {
    type Output = Report;

    fn visit<H: SearchBoard>(self, key_kind: KeyKind) -> Report {
        let Self {
            engine,
            request,
            known_bounds,
            observer,
        } = self;
        engine.analyze_on_board::<H>(request, known_bounds, key_kind, observer)
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;

    /// The sizes of the transposition table and of the endgame table, in bytes and in seeds.
    fn table_sizes(engine: &Engine, position: &Position) -> (Option<usize>, Option<u8>) {
        let tt_bytes = engine.hash_tables.search_tt_bytes();
        let table = engine.table_builder.cached(position);
        (tt_bytes, table.map(|table| table.seeds()))
    }

    #[test]
    fn stopped_analysis_makes_no_large_tables() {
        let start = |seeds| Position::start(6, seeds, Rules::CS32).expect("a valid start");
        let limits = Limits {
            goal: AnalysisGoal::AllMargins,
            ..Limits::default()
        };
        let analyze = |engine: &mut Engine, position: &Position| {
            let report = engine.analyze(position, limits, &|| Duration::ZERO);
            assert!(report.best_move.is_some());
        };
        let stop_flag = Arc::new(AtomicBool::new(true));
        let mut engine = Engine::new().with_stop_flag(Arc::clone(&stop_flag));
        analyze(&mut engine, &start(6));
        assert_eq!(table_sizes(&engine, &start(6)), (Some(0), None));

        stop_flag.store(false, Ordering::Relaxed);
        analyze(&mut engine, &start(1));
        let sizes = table_sizes(&engine, &start(1));
        assert!(sizes.0.is_some_and(|bytes| bytes > 0), "{sizes:?}");

        stop_flag.store(true, Ordering::Relaxed);
        analyze(&mut engine, &start(6));
        assert_eq!(table_sizes(&engine, &start(6)), sizes);
    }
}
