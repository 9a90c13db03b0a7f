//! The engine: analyses positions with tables, memory and threads.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use kalah::{CaptureRule, EndRule, Move, Position, Rules};
use kalah_tables::{Table, Variant};

use crate::analysis::{AnalysisRequest, gain_range, positions_at_rate, principal_variation};
use crate::board::PackedBoard;
use crate::board::search_board::{GenericBoard, SearchBoard};
use crate::endgame_tables::{EndgameTable, NoEndgameTable, TableCache};
use crate::limits::{Goal, Limits, SearchLimits, SharedControl};
use crate::report::{Bounds, Report};
use crate::search::context::{CurrentlySearching, SearchContext};
use crate::search::root::RootSearch;
use crate::tt::proof::{self, ProofTable};
use crate::tt::transposition::TranspositionTable;

/// Analyses positions, and remembers what it has found between analyses.
///
/// It looks ahead turn by turn until there is something to expect, and then proves what it can prove
/// in the time that it has: with endgame tables, which it builds as far as they pay for themselves.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Margin, Position, Rules};
/// use kalah_engine::{Certainty, Engine, Limits};
///
/// let start = Position::start(3, 3, Rules::CS32)?;
/// let report = Engine::new().analyse(&start, Limits::default(), &|| Duration::ZERO);
/// assert_eq!(report.margin, Margin::new(2));
/// assert_eq!(report.certainty, Certainty::Exact);
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub struct Engine {
    /// Bytes for positions that are remembered and for tables that are built.
    memory_bytes: usize,
    threads: NonZeroUsize,
    tables: TableCache,
    stop_flag: Arc<AtomicBool>,
    /// Positions that the analysis under way has searched.
    node_counter: Arc<AtomicU64>,
    /// Positions of tables a second, as far as it has built any.
    table_positions_per_second: Option<f64>,
    /// Bounds that the next analysis may take for proven.
    known_bounds: MoveBounds,
    hash_tables: Option<HashTables>,
}

/// Choices and what is proven of them.
type MoveBounds = Vec<(Move, Bounds)>;

/// What an engine remembers.
struct HashTables {
    scope: KeyScope,
    /// Of positions.
    tt_bytes: usize,
    /// Of questions.
    proof_bytes: usize,
    transpositions: TranspositionTable,
    proof_table: ProofTable,
}

/// What the keys of remembered positions do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KeyScope {
    houses: u8,
    ends: EndRule,
    capture: CaptureRule,
    key_kind: KeyKind,
}

/// Keys of one position that mean different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyKind {
    Exact,
    Hashed,
}

/// Memory that an engine takes where nobody says otherwise, in bytes: enough to solve 6x4.
const DEFAULT_MEMORY_BYTES: usize = 512 << 20;

/// Of its memory, what an engine takes for a table at most: seven eighths, less so many bytes. What is left is
/// needed beside a table while that is built, and by the search.
const TABLE_MEMORY_EIGHTHS: usize = 7;
const BYTES_RESERVED_BESIDE_TABLE: usize = 16 << 20;

/// Of the seeds in play, those in the tables that pay for themselves, in 64ths, to prove the best choice
/// and to prove all: a seed more takes half as long again to build and saves a quarter of the search, so that
/// both should take about as long. For the best choice of 6x4 that is a table of 20 seeds, with memory enough.
const TABLE_SEEDS_64THS: u32 = 27;
const TABLE_SEEDS_64THS_FOR_ALL_MOVES: u32 = 32;

/// Of what it remembers, bytes of positions for a byte of questions: 6x4 takes as much work with 1 MiB for questions
/// as with 8 or 32.
const TT_TO_PROOF_BYTES_RATIO: usize = 4;

/// Of its time, what an engine takes to build tables, at most, before a proof and where there is no hope
/// of one.
const TABLE_TIME_SHARE: f64 = 0.5;
const TABLE_TIME_SHARE_WITHOUT_PROOF: f64 = 0.25;

/// The most positions a second that an engine expects to compute when it builds a table.
const MAX_TABLE_POSITIONS_PER_SECOND: f64 = 400e6;

/// A table that takes the place of a smaller one has so many times as many positions: for less, what was built before
/// would be too much of a loss.
const MIN_TABLE_GROWTH_FACTOR: u64 = 2;

/// Positions in the table whose making tells how fast tables are made.
const FIRST_TABLE_POSITIONS: u64 = 3_000_000;

/// Positions of a table for each that may be searched, where positions are what is limited: far fewer than take as
/// long, as whoever searches little wants an answer soon.
const TABLE_POSITIONS_PER_NODE: u64 = 4;

/// The most positions to search for a line, after an analysis that had to keep a time and after any
/// other: there so many, or as many as this part of those that the analysis took.
const PV_NODES_WITH_TIME_LIMIT: u64 = 5_000;
const MIN_PV_NODES: u64 = 1_000_000;
const PV_NODES_DIVISOR: u64 = 4;

impl Engine {
    /// An engine that has seen nothing yet, with one thread. Its memory, 512 MiB at most, is taken as it is needed.
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

    /// The same engine with another amount of memory for positions and for the tables that it
    /// builds, in bytes; it forgets all.
    #[must_use]
    pub fn with_memory(self, bytes: usize) -> Self {
        Self {
            memory_bytes: bytes,
            hash_tables: None,
            ..self
        }
    }

    /// The same engine with so many threads. Only with one does it always find the same.
    #[must_use]
    pub fn with_threads(self, threads: NonZeroUsize) -> Self {
        Self { threads, ..self }
    }

    /// The same engine with tables that it shares with others; those that it builds it puts there.
    #[must_use]
    pub fn with_tables(self, tables: TableCache) -> Self {
        Self { tables, ..self }
    }

    /// The same engine, which ends an analysis soon once this is set.
    #[must_use]
    pub fn with_stop_flag(self, flag: Arc<AtomicBool>) -> Self {
        Self {
            stop_flag: flag,
            ..self
        }
    }

    /// The same engine, which tells here how many positions an analysis has searched so far, for whoever
    /// looks while it is going on.
    #[must_use]
    pub fn with_node_counter(self, nodes: Arc<AtomicU64>) -> Self {
        Self {
            node_counter: nodes,
            ..self
        }
    }

    /// The same engine, whose next analysis takes these bounds of choices for proven: those that an earlier
    /// analysis of the same position has reported. Choices that the position does not leave, and bounds
    /// that contradict what takes no search, are passed over.
    #[must_use]
    pub fn with_known_bounds(self, known: Vec<(Move, Bounds)>) -> Self {
        Self {
            known_bounds: known,
            ..self
        }
    }

    /// Looks for the best choice in `position` within `limits`; `clock` tells the time since any
    /// fixed moment and is looked at often.
    ///
    /// There is a choice in the report unless the game is over, however tight the limits.
    pub fn analyse(
        &mut self,
        position: &Position,
        limits: Limits,
        clock: &dyn Fn() -> Duration,
    ) -> Report {
        self.analyse_with_progress(position, limits, clock, &mut |_| {})
    }

    /// The same, and `watch` is told what is known after every turn further that it has looked ahead, and after every
    /// step of a proof; a line is only in the report that is returned.
    pub fn analyse_with_progress(
        &mut self,
        position: &Position,
        limits: Limits,
        clock: &dyn Fn() -> Duration,
        watch: &mut dyn FnMut(&Report),
    ) -> Report {
        let job = AnalysisRequest {
            position,
            limits,
            clock,
            started_at: clock(),
        };
        // Bounds of this position are none of the next.
        let known = std::mem::take(&mut self.known_bounds);
        let in_play = job.seeds_in_play();
        let packs = in_play <= u8::MAX.into();
        if PackedBoard::<u64>::from_position(position).is_some() {
            self.analyse_on_board::<PackedBoard<u64>>(job, known, KeyKind::Exact, watch)
        } else if packs && position.houses() <= 7 {
            self.analyse_on_board::<GenericBoard<u64>>(job, known, KeyKind::Exact, watch)
        } else if PackedBoard::<u128>::from_position(position).is_some() {
            self.analyse_on_board::<PackedBoard<u128>>(job, known, KeyKind::Hashed, watch)
        } else {
            self.analyse_on_board::<GenericBoard<u128>>(job, known, KeyKind::Hashed, watch)
        }
    }

    /// Builds the table that pays for itself where all choices of `position` are to be proven, as large as `time`
    /// and memory allow, unless there is one with as many seeds: for whoever has time before anything is asked.
    /// Returns the seeds of the table that there is, or 0 if there is none.
    ///
    /// It takes as long as it expects by how long the last table took, and half as long again at most.
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
            // As of an analysis that takes half of its time for the table.
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

    fn analyse_on_board<H: SearchBoard>(
        &mut self,
        job: AnalysisRequest,
        known: MoveBounds,
        keys: KeyKind,
        watch: &mut dyn FnMut(&Report),
    ) -> Report {
        if job.position.is_over() {
            return job.game_over_report();
        }
        match self.table_for(job) {
            Some(table) => self.analyse_with_endgames::<H, _>(job, known, keys, &*table, watch),
            None => self.analyse_with_endgames::<H, _>(job, known, keys, &NoEndgameTable, watch),
        }
    }

    fn analyse_with_endgames<H: SearchBoard, E: EndgameTable>(
        &mut self,
        job: AnalysisRequest,
        known: MoveBounds,
        keys: KeyKind,
        endgames: &E,
        watch: &mut dyn FnMut(&Report),
    ) -> Report {
        let AnalysisRequest {
            position, limits, ..
        } = job;
        let (Some(game), Some(houses)) = (H::move_tables(position), H::from_position(position))
        else {
            unreachable!("asked for houses that can be seen");
        };
        let (threads, flag) = (self.threads, Arc::clone(&self.stop_flag));
        let busy = (threads.get() > 1).then(CurrentlySearching::new);
        let shared_stop = SharedControl::with_node_counter(Arc::clone(&self.node_counter));
        let remembered = self.hash_tables_for(job, keys, endgames.memory_bytes());
        let shared = SearchContext::<H, E> {
            move_tables: &game,
            transpositions: remembered.transpositions.share(),
            proof_table: remembered.proof_table.share(),
            endgames,
            currently_searching: busy.as_ref(),
        };
        let stop_limits = SearchLimits {
            deadline: (limits.time)
                .and_then(|time| job.started_at.checked_add(time))
                .map(|deadline| (deadline, job.clock)),
            stop_flag: Some(&flag),
            max_nodes: limits.nodes.unwrap_or(u64::MAX),
        };
        let root = (&houses, job.seeds_in_play(), gain_range(position));
        let mut analysis = RootSearch::new(shared, root, stop_limits, &shared_stop, threads);
        for (choice, bounds) in known {
            let gain = |margin| position.gain(margin).seeds();
            analysis.set_known_bounds(choice, gain(bounds.lower), gain(bounds.upper));
        }
        // Whatever stops it, what was found until then counts.
        let _ = job.run(&mut analysis, stop_limits, &mut |analysis| {
            watch(&job.report(analysis, &shared_stop));
        });
        let mut report = job.report(&mut analysis, &shared_stop);
        let nodes = match limits.time {
            // What follows an estimate is not worth the time of proofs.
            _ if limits.depth.is_some() => 0,
            Some(_) => PV_NODES_WITH_TIME_LIMIT,
            None => MIN_PV_NODES.max(report.nodes / PV_NODES_DIVISOR),
        };
        report.line = principal_variation(shared, position, &report, &flag, nodes);
        report
    }

    /// The table to analyse with, built if that pays for itself.
    fn table_for(&mut self, job: AnalysisRequest) -> Option<Arc<Table>> {
        let variant = Variant::from_position(job.position);
        if job.limits.depth.is_some() {
            return self.tables.get(variant);
        }
        let in_play = u32::try_from(job.seeds_in_play()).unwrap_or(u32::MAX);
        let part = match job.limits.goal {
            Goal::BestMargin | Goal::BestMove | Goal::Ties => TABLE_SEEDS_64THS,
            Goal::AllMargins => TABLE_SEEDS_64THS_FOR_ALL_MOVES,
        };
        let wanted = in_play.saturating_mul(part) / 64;
        let most_bytes = (self.memory_bytes / 8 * TABLE_MEMORY_EIGHTHS)
            .saturating_sub(BYTES_RESERVED_BESIDE_TABLE) as u64;
        let seeds_for = |positions: u64| {
            let fits = |&seeds: &u8| {
                Table::positions(variant, seeds).is_ok_and(|all| all <= positions.min(most_bytes))
            };
            let seeds = (1..=u8::try_from(wanted).unwrap_or(u8::MAX)).take_while(fits);
            seeds.last().unwrap_or(0)
        };
        match (job.limits.nodes, job.limits.time) {
            (Some(nodes), _) => self.build_table(
                job,
                seeds_for(nodes.saturating_mul(TABLE_POSITIONS_PER_NODE)),
            ),
            (None, None) => self.build_table(job, seeds_for(u64::MAX)),
            (None, Some(time)) => {
                let part = if job.is_provable_within_limits() {
                    TABLE_TIME_SHARE
                } else {
                    TABLE_TIME_SHARE_WITHOUT_PROOF
                };
                self.build_table_within(job, time.mul_f64(part), &seeds_for)
            }
        }
    }

    /// A table of as many positions as can be built in `time` from the start of the job, by how fast the last one was
    /// built. If that turns out to have been slow, as where a browser is still compiling, a larger one
    /// follows in the time that is left.
    fn build_table_within(
        &mut self,
        job: AnalysisRequest,
        time: Duration,
        seeds_for: &dyn Fn(u64) -> u8,
    ) -> Option<Arc<Table>> {
        let variant = Variant::from_position(job.position);
        let affordable = |time: Duration, rate: Option<f64>| {
            let most = MAX_TABLE_POSITIONS_PER_SECOND;
            positions_at_rate(time.as_secs_f64(), rate.unwrap_or(most).min(most))
        };
        if self.table_positions_per_second.is_none() {
            let first = affordable(time, None).min(FIRST_TABLE_POSITIONS);
            self.build_table(job, seeds_for(first));
        }
        loop {
            let known = self.tables.get(variant);
            let seeds_known = known.as_ref().map_or(0, |known| known.seeds());
            let left = time.saturating_sub((job.clock)().saturating_sub(job.started_at));
            let seeds = seeds_for(affordable(left, self.table_positions_per_second));
            let positions = |seeds| Table::positions(variant, seeds).unwrap_or(0);
            let lost = positions(seeds_known);
            let is_little_more = positions(seeds) < MIN_TABLE_GROWTH_FACTOR * lost;
            if seeds <= seeds_known || is_little_more && lost > FIRST_TABLE_POSITIONS {
                return known;
            }
            let table = self.build_table(job, seeds);
            if table
                .as_ref()
                .is_none_or(|table| table.seeds() <= seeds_known)
            {
                return table;
            }
        }
    }

    /// The table with so many seeds, built if there is none with as many, or else what there is.
    fn build_table(&mut self, job: AnalysisRequest, seeds: u8) -> Option<Arc<Table>> {
        let variant = Variant::from_position(job.position);
        let known = self.tables.get(variant);
        if seeds == 0 || known.as_ref().is_some_and(|known| known.seeds() >= seeds) {
            return known;
        }
        // What is remembered gives way to a table that needs its place.
        let bytes = Table::positions(variant, seeds).unwrap_or(u64::MAX);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.hash_tables.take_if(|known| {
            bytes.saturating_add(known.tt_bytes + known.proof_bytes) > self.memory_bytes
        });
        let began = (job.clock)();
        let is_late = || job.is_past_table_deadline();
        self.tables
            .build_and_insert(variant, seeds, self.threads, &self.stop_flag, &is_late);
        let table = self.tables.get(variant);
        let took = (job.clock)().saturating_sub(began).as_secs_f64();
        let is_whole = (table.as_ref()).is_some_and(|table| table.seeds() >= seeds);
        if took > 0.0 {
            let positions = Table::positions(variant, seeds).unwrap_or(0);
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let rate = positions as f64 / took;
            // How much longer it would have taken, nobody knows.
            self.table_positions_per_second = Some(if is_whole { rate } else { rate / 2.0 });
        }
        table
    }

    /// What is remembered of the game that `position` is of; of any other game, nothing any more.
    fn hash_tables_for(
        &mut self,
        job: AnalysisRequest,
        keys: KeyKind,
        of_table: usize,
    ) -> &mut HashTables {
        let position = job.position;
        let Rules { ends, capture, .. } = position.rules();
        let of = KeyScope {
            houses: position.houses(),
            ends,
            capture,
            key_kind: keys,
        };
        let left = self.memory_bytes.saturating_sub(of_table);
        // Of little memory, all is for positions.
        let question_bytes = left / (TT_TO_PROOF_BYTES_RATIO + 1);
        let has_questions = question_bytes >= proof::MIN_BYTES;
        let most = left - if has_questions { question_bytes } else { 0 };
        let bytes = job.useful_tt_bytes().min(most);
        let question_bytes = if has_questions {
            bytes / TT_TO_PROOF_BYTES_RATIO
        } else {
            0
        };
        let is_enough =
            |known: &HashTables| known.scope == of && (bytes..=most).contains(&known.tt_bytes);
        if !self.hash_tables.as_ref().is_some_and(is_enough) {
            // Given back before more is taken.
            self.hash_tables = None;
        }
        self.hash_tables.get_or_insert_with(|| HashTables {
            scope: of,
            tt_bytes: bytes,
            proof_bytes: question_bytes,
            transpositions: TranspositionTable::new(bytes, of.houses.into()),
            proof_table: ProofTable::new(question_bytes),
        })
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}
