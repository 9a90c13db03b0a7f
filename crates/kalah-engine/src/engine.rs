//! The engine: its memory, its endgame tables, and the analysis of a position.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use kalah::{CaptureRule, EndRule, Move, Position, Rules};
use kalah_tables::{Table, Variant};

use crate::analysis::{
    AnalysisRequest, Bounds, Report, gain_range, positions_at_rate, principal_variation,
};
use crate::board::PackedBoard;
use crate::board::search_board::{GenericBoard, SearchBoard};
use crate::endgame_tables::{EndgameTable, NoEndgameTable, TableCache};
use crate::limits::{Goal, Limits, SearchLimits, SharedControl};
use crate::search::context::{CurrentlySearching, SearchContext};
use crate::search::proof_numbers::ProofTable;
use crate::search::root::RootSearch;
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
    tables: TableCache,
    stop_flag: Arc<AtomicBool>,
    /// Nodes searched by the current analysis.
    node_counter: Arc<AtomicU64>,
    /// The speed at which the last endgame table was built, if there was one.
    table_positions_per_second: Option<f64>,
    /// Proven bounds to start the next analysis with.
    known_bounds: MoveBounds,
    hash_tables: Option<HashTables>,
}

/// Moves with their proven bounds.
type MoveBounds = Vec<(Move, Bounds)>;

/// The hash tables of a search.
struct HashTables {
    scope: KeyScope,
    /// Size of the transposition table.
    tt_bytes: usize,
    /// Size of the table of proof numbers.
    proof_bytes: usize,
    transpositions: TranspositionTable,
    proof_table: ProofTable,
}

/// The properties of a position that its keys do not cover: entries are valid within one scope
/// only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KeyScope {
    houses: u8,
    ends: EndRule,
    capture: CaptureRule,
    key_kind: KeyKind,
}

/// How positions are turned into keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyKind {
    Exact,
    Hashed,
}

/// The default memory limit in bytes: enough to solve 6x4.
const DEFAULT_MEMORY_BYTES: usize = 512 << 20;

/// The endgame table may take seven eighths of the memory limit less the reserve, which is needed
/// while it is built and by the search.
const TABLE_MEMORY_EIGHTHS: usize = 7;
const BYTES_RESERVED_BESIDE_TABLE: usize = 16 << 20;

/// Seeds of the endgame table in 64ths of the seeds in play, for proofs of the best move and of all
/// moves: one seed more takes half as long again to build and saves a quarter of the search, so
/// both should take about as long. For the best move of 6x4 this is a table of 20 seeds, given
/// enough memory.
const TABLE_SEEDS_64THS: u32 = 27;
const TABLE_SEEDS_64THS_FOR_ALL_MOVES: u32 = 32;

/// The size of the transposition table divided by that of the table of proof numbers: 6x4 takes as
/// many nodes with 1 MiB of proof numbers as with 8 or 32.
const TT_TO_PROOF_BYTES_RATIO: usize = 4;

/// The share of the time limit that building endgame tables may take, with and without the prospect
/// of a proof.
const TABLE_TIME_SHARE: f64 = 0.5;
const TABLE_TIME_SHARE_WITHOUT_PROOF: f64 = 0.25;

/// The highest building speed to plan with, in positions a second.
const MAX_TABLE_POSITIONS_PER_SECOND: f64 = 400e6;

/// A larger table replaces a smaller one only if it has this many times its positions: building the
/// smaller one would otherwise be too great a loss.
const MIN_TABLE_GROWTH_FACTOR: u64 = 2;

/// The size of the first table, which serves to measure the building speed, in positions.
const FIRST_TABLE_POSITIONS: u64 = 3_000_000;

/// Positions of an endgame table per node of a node limit. Far more would take as long as the
/// search, but a small node limit asks for a fast answer.
const TABLE_POSITIONS_PER_NODE: u64 = 4;

/// Node budgets of the principal variation: the first after an analysis with a time limit;
/// otherwise the second, or the nodes of the analysis divided by the third if that is more.
const PV_NODES_WITH_TIME_LIMIT: u64 = 5_000;
const MIN_PV_NODES: u64 = 1_000_000;
const PV_NODES_DIVISOR: u64 = 4;

impl Engine {
    /// Creates an engine with empty tables, one thread and a memory limit of 512 MiB, which is
    /// allocated as it is needed.
    pub fn new() -> Self {
        Self {
            memory_bytes: DEFAULT_MEMORY_BYTES,
            threads: NonZeroUsize::MIN,
            tables: TableCache::new(),
            stop_flag: Arc::default(),
            node_counter: Arc::default(),
            table_positions_per_second: None,
            known_bounds: Vec::new(),
            hash_tables: None,
        }
    }

    /// Sets the memory limit for hash tables and endgame tables in bytes, and clears the hash
    /// tables.
    #[must_use]
    pub fn with_memory(self, bytes: usize) -> Self {
        Self {
            memory_bytes: bytes,
            hash_tables: None,
            ..self
        }
    }

    /// Sets the number of threads. Results are reproducible with one thread only.
    #[must_use]
    pub fn with_threads(self, threads: NonZeroUsize) -> Self {
        Self { threads, ..self }
    }

    /// Sets the cache of endgame tables, which other engines may share. The engine inserts the
    /// tables that it builds.
    #[must_use]
    pub fn with_tables(self, tables: TableCache) -> Self {
        Self { tables, ..self }
    }

    /// Sets the flag that makes an analysis stop soon after it becomes `true`.
    #[must_use]
    pub fn with_stop_flag(self, stop_flag: Arc<AtomicBool>) -> Self {
        Self { stop_flag, ..self }
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
    /// known without search, are ignored.
    #[must_use]
    pub fn with_known_bounds(self, known_bounds: Vec<(Move, Bounds)>) -> Self {
        Self {
            known_bounds,
            ..self
        }
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

    /// Analyzes like [`Self::analyze`] and calls `observer` with a report after every iteration and
    /// every step of a proof. Only the returned report has a line.
    pub fn analyze_with_progress(
        &mut self,
        position: &Position,
        limits: Limits,
        clock: &dyn Fn() -> Duration,
        observer: &mut dyn FnMut(&Report),
    ) -> Report {
        let request = AnalysisRequest {
            position,
            limits,
            clock,
            started_at: clock(),
        };
        // These bounds hold for this position only.
        let known_bounds = std::mem::take(&mut self.known_bounds);
        let in_play = request.seeds_in_play();
        let is_packable = in_play <= u8::MAX.into();
        if PackedBoard::<u64>::from_position(position).is_some() {
            self.analyze_on_board::<PackedBoard<u64>>(
                request,
                known_bounds,
                KeyKind::Exact,
                observer,
            )
        } else if is_packable && position.houses() <= 7 {
            self.analyze_on_board::<GenericBoard<u64>>(
                request,
                known_bounds,
                KeyKind::Exact,
                observer,
            )
        } else if PackedBoard::<u128>::from_position(position).is_some() {
            self.analyze_on_board::<PackedBoard<u128>>(
                request,
                known_bounds,
                KeyKind::Hashed,
                observer,
            )
        } else {
            self.analyze_on_board::<GenericBoard<u128>>(
                request,
                known_bounds,
                KeyKind::Hashed,
                observer,
            )
        }
    }

    /// Builds the endgame table that an analysis of `position` with [`Goal::AllMargins`] would use,
    /// as large as `time` and memory allow, unless the cache has one with as many seeds. Returns
    /// the seeds of the table in the cache, or 0 if there is none.
    ///
    /// The time is planned by the speed of the last table; building is abandoned after one and a
    /// half times `time`.
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
            goal: Goal::AllMargins,
            ..Limits::default()
        };
        let table = self.table_for(AnalysisRequest {
            position,
            limits,
            clock,
            started_at: clock(),
        });
        table.map_or(0, |table| table.seeds())
    }

    fn analyze_on_board<H: SearchBoard>(
        &mut self,
        request: AnalysisRequest,
        known_bounds: MoveBounds,
        key_kind: KeyKind,
        observer: &mut dyn FnMut(&Report),
    ) -> Report {
        if request.position.is_over() {
            return request.game_over_report();
        }
        match self.table_for(request) {
            Some(table) => self.analyze_with_endgames::<H, _>(
                request,
                known_bounds,
                key_kind,
                &*table,
                observer,
            ),
            None => self.analyze_with_endgames::<H, _>(
                request,
                known_bounds,
                key_kind,
                &NoEndgameTable,
                observer,
            ),
        }
    }

    fn analyze_with_endgames<H: SearchBoard, E: EndgameTable>(
        &mut self,
        request: AnalysisRequest,
        known_bounds: MoveBounds,
        key_kind: KeyKind,
        endgames: &E,
        observer: &mut dyn FnMut(&Report),
    ) -> Report {
        let AnalysisRequest {
            position, limits, ..
        } = request;
        let (Some(move_tables), Some(board)) =
            (H::move_tables(position), H::from_position(position))
        else {
            unreachable!("the caller selects a board type that can represent the position");
        };
        let (threads, stop_flag) = (self.threads, Arc::clone(&self.stop_flag));
        let currently_searching = (threads.get() > 1).then(CurrentlySearching::new);
        let shared_control = SharedControl::with_node_counter(Arc::clone(&self.node_counter));
        let hash_tables = self.hash_tables_for(request, key_kind, endgames.memory_bytes());
        let context = SearchContext::<H, E> {
            move_tables: &move_tables,
            transpositions: hash_tables.transpositions.share(),
            proof_table: hash_tables.proof_table.share(),
            endgames,
            currently_searching: currently_searching.as_ref(),
        };
        let search_limits = SearchLimits {
            deadline: (limits.time)
                .and_then(|time| request.started_at.checked_add(time))
                .map(|deadline| (deadline, request.clock)),
            stop_flag: Some(&stop_flag),
            max_nodes: limits.nodes.unwrap_or(u64::MAX),
        };
        let root = (&board, request.seeds_in_play(), gain_range(position));
        let mut analysis = RootSearch::new(context, root, search_limits, &shared_control, threads);
        for (mv, bounds) in known_bounds {
            let gain = |margin| position.gain(margin).seeds();
            analysis.set_known_bounds(mv, gain(bounds.lower), gain(bounds.upper));
        }
        // After a stop the proven bounds and the last iteration remain valid.
        let _ = request.run(&mut analysis, search_limits, &mut |analysis| {
            observer(&request.report(analysis, &shared_control));
        });
        let mut report = request.report(&mut analysis, &shared_control);
        let nodes = match limits.time {
            // The line of an estimate is not worth a search.
            _ if limits.depth.is_some() => 0,
            Some(_) => PV_NODES_WITH_TIME_LIMIT,
            None => MIN_PV_NODES.max(report.nodes / PV_NODES_DIVISOR),
        };
        report.line = principal_variation(context, position, &report, &stop_flag, nodes);
        report
    }

    /// Returns the endgame table for an analysis, building it if that saves time.
    fn table_for(&mut self, request: AnalysisRequest) -> Option<Arc<Table>> {
        let variant = Variant::from_position(request.position);
        if request.limits.depth.is_some() {
            return self.tables.get(variant);
        }
        let in_play = u32::try_from(request.seeds_in_play()).unwrap_or(u32::MAX);
        let share = match request.limits.goal {
            Goal::BestMargin | Goal::BestMove | Goal::Ties => TABLE_SEEDS_64THS,
            Goal::AllMargins => TABLE_SEEDS_64THS_FOR_ALL_MOVES,
        };
        let max_seeds = in_play.saturating_mul(share) / 64;
        let max_bytes = (self.memory_bytes / 8 * TABLE_MEMORY_EIGHTHS)
            .saturating_sub(BYTES_RESERVED_BESIDE_TABLE) as u64;
        let seeds_for = |positions: u64| {
            let fits = |&seeds: &u8| {
                Table::positions(variant, seeds).is_ok_and(|all| all <= positions.min(max_bytes))
            };
            let seeds = (1..=u8::try_from(max_seeds).unwrap_or(u8::MAX)).take_while(fits);
            seeds.last().unwrap_or(0)
        };
        match (request.limits.nodes, request.limits.time) {
            (Some(nodes), _) => self.build_table(
                request,
                seeds_for(nodes.saturating_mul(TABLE_POSITIONS_PER_NODE)),
            ),
            (None, None) => self.build_table(request, seeds_for(u64::MAX)),
            (None, Some(time)) => {
                let share = if request.is_provable_within_limits() {
                    TABLE_TIME_SHARE
                } else {
                    TABLE_TIME_SHARE_WITHOUT_PROOF
                };
                self.build_table_within(request, time.mul_f64(share), &seeds_for)
            }
        }
    }

    /// Builds the largest table that fits `time`, counted from the start of the analysis, at the
    /// measured building speed. If that turns out to have been too low, as it is while a browser
    /// still compiles, a larger table follows in the time that is left.
    fn build_table_within(
        &mut self,
        request: AnalysisRequest,
        time: Duration,
        seeds_for: &dyn Fn(u64) -> u8,
    ) -> Option<Arc<Table>> {
        let variant = Variant::from_position(request.position);
        let affordable_positions = |time: Duration, rate: Option<f64>| {
            let max_rate = MAX_TABLE_POSITIONS_PER_SECOND;
            positions_at_rate(time.as_secs_f64(), rate.unwrap_or(max_rate).min(max_rate))
        };
        if self.table_positions_per_second.is_none() {
            let first = affordable_positions(time, None).min(FIRST_TABLE_POSITIONS);
            self.build_table(request, seeds_for(first));
        }
        loop {
            let known = self.tables.get(variant);
            let known_seeds = known.as_ref().map_or(0, |known| known.seeds());
            let remaining =
                time.saturating_sub((request.clock)().saturating_sub(request.started_at));
            let seeds = seeds_for(affordable_positions(
                remaining,
                self.table_positions_per_second,
            ));
            let positions = |seeds| Table::positions(variant, seeds).unwrap_or(0);
            let known_positions = positions(known_seeds);
            let is_small_growth = positions(seeds) < MIN_TABLE_GROWTH_FACTOR * known_positions;
            if seeds <= known_seeds || is_small_growth && known_positions > FIRST_TABLE_POSITIONS {
                return known;
            }
            let table = self.build_table(request, seeds);
            if table
                .as_ref()
                .is_none_or(|table| table.seeds() <= known_seeds)
            {
                return table;
            }
        }
    }

    /// Builds a table with `seeds` seeds unless the cache has one as large, and returns the largest
    /// table of the cache.
    fn build_table(&mut self, request: AnalysisRequest, seeds: u8) -> Option<Arc<Table>> {
        let variant = Variant::from_position(request.position);
        let known = self.tables.get(variant);
        if seeds == 0 || known.as_ref().is_some_and(|known| known.seeds() >= seeds) {
            return known;
        }
        // The hash tables give way if the new table needs their memory.
        let bytes = Table::positions(variant, seeds).unwrap_or(u64::MAX);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.hash_tables.take_if(|tables| {
            bytes.saturating_add(tables.tt_bytes + tables.proof_bytes) > self.memory_bytes
        });
        let started_at = (request.clock)();
        let is_late = || request.is_past_table_deadline();
        self.tables
            .build_and_insert(variant, seeds, self.threads, &self.stop_flag, &is_late);
        let table = self.tables.get(variant);
        let elapsed = (request.clock)().saturating_sub(started_at).as_secs_f64();
        let is_complete = (table.as_ref()).is_some_and(|table| table.seeds() >= seeds);
        if elapsed > 0.0 {
            let positions = Table::positions(variant, seeds).unwrap_or(0);
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let rate = positions as f64 / elapsed;
            // The full building time is unknown, so assume twice the time spent.
            self.table_positions_per_second = Some(if is_complete { rate } else { rate / 2.0 });
        }
        table
    }

    /// Returns the hash tables for an analysis; they are cleared if the scope of their keys
    /// changes.
    fn hash_tables_for(
        &mut self,
        request: AnalysisRequest,
        key_kind: KeyKind,
        table_bytes: usize,
    ) -> &mut HashTables {
        let position = request.position;
        let Rules { ends, capture, .. } = position.rules();
        let scope = KeyScope {
            houses: position.houses(),
            ends,
            capture,
            key_kind,
        };
        let remaining = self.memory_bytes.saturating_sub(table_bytes);
        // With little memory all of it goes to the transposition table.
        let proof_bytes = remaining / (TT_TO_PROOF_BYTES_RATIO + 1);
        let has_proof_table = proof_bytes >= ProofTable::MIN_BYTES;
        let max_tt_bytes = remaining - if has_proof_table { proof_bytes } else { 0 };
        let bytes = request.useful_tt_bytes().min(max_tt_bytes);
        let proof_bytes = if has_proof_table {
            bytes / TT_TO_PROOF_BYTES_RATIO
        } else {
            0
        };
        let is_enough = |tables: &HashTables| {
            tables.scope == scope && (bytes..=max_tt_bytes).contains(&tables.tt_bytes)
        };
        if !self.hash_tables.as_ref().is_some_and(is_enough) {
            // Free the old tables before allocating new ones.
            self.hash_tables = None;
        }
        self.hash_tables.get_or_insert_with(|| HashTables {
            scope,
            tt_bytes: bytes,
            proof_bytes,
            transpositions: TranspositionTable::new(bytes, scope.houses.into()),
            proof_table: ProofTable::new(proof_bytes),
        })
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}
