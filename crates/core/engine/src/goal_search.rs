//! Searches of single goals within node limits, on any number of threads at once.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use kalah::{Margin, Move, Position, Variant};
use kalah_tables::{Table, TableDamage};

use crate::analysis::hash_tables::TT_TO_PROOF_BYTES_RATIO;
use crate::analysis::request::AnalysisRequest;
use crate::analysis::table_builder::{TableBuilder, TableResources};
use crate::analysis::{AnalysisGoal, Limits};
use crate::board::board_type::{BoardVisitor, visit_board_type};
use crate::board::key::KeyKind;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::{EndgameTable, NoEndgameTable, TableCache};
use crate::evaluation::{Evaluator, Network};
use crate::search::alpha_beta::Search;
use crate::search::context::{CurrentlySearching, SearchContext};
use crate::search::control::{SearchControl, SearchLimits, SharedControl};
use crate::search::node::Node;
use crate::search::proof_cost::ProofCostModel;
use crate::search::proof_numbers::{ProofNumbers, ProofTable};
use crate::search::shared_entries::{SharedEntries, SharedEntry};
use crate::tt::TranspositionTable;

/// The hash tables of searches of goals, and the endgame table that they use.
///
/// A goal is a position and a target: it is proven if the side to move reaches a margin of at least
/// the target with best play of both sides, and disproven if it does not.
///
/// ```
/// use kalah::{Margin, Position, Rules};
/// use kalah_engine::{GoalEngine, ProofNumbers};
///
/// let start = Position::start(4, 3, Rules::CS32)?;
/// let mut engine = GoalEngine::new(&start, 16 << 20, None);
/// let results = engine.with_searcher(|searcher| {
///     [6, 8].map(|margin| {
///         let (target, limit) = (Margin::new(margin), ProofNumbers::INFINITE);
///         let result = searcher.search(&start, target, limit, u64::MAX, &[]);
///         result.answer
///     })
/// });
/// assert_eq!(results, [Some(true), Some(false)]);
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub struct GoalEngine {
    start: Position,
    table: Option<Arc<Table>>,
    transpositions: TranspositionTable,
    proof_table: ProofTable,
    network: Network,
    cost_model: ProofCostModel,
    /// The nodes of all searches that were searched by proof numbers.
    proof_nodes: AtomicU64,
    currently_searching: CurrentlySearching,
    /// The entries for other machines; `None` if they are not collected.
    shared_entries: Option<SharedEntries>,
}

/// The resources of a [`GoalEngine`] that chooses its own tables.
#[derive(Clone, Copy, Debug)]
pub struct GoalResources<'a> {
    /// The memory limit for hash tables and the endgame table, in bytes.
    pub memory_bytes: usize,
    /// The threads that build an endgame table.
    pub threads: NonZeroUsize,
    /// The cache of endgame tables. A table that is built is inserted.
    pub tables: &'a TableCache,
    /// Stops the building of an endgame table.
    pub stop_flag: &'a AtomicBool,
}

/// The result of a search of a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalResult {
    /// Whether the goal is proven or disproven; `None` if a limit stopped the search.
    pub answer: Option<bool>,
    /// Every legal move with its proof numbers for the goal, in the order of
    /// [`Position::legal_moves`].
    pub children: Vec<(Move, ProofNumbers)>,
    /// The number of nodes searched.
    pub nodes: u64,
}

/// A searcher of goals that any number of threads can use at the same time. They share its hash
/// tables.
pub trait GoalSearcher: Sync {
    /// Searches whether the side to move in `position` reaches a margin of at least `target`.
    ///
    /// The search ends without an answer after `max_nodes` nodes, or soon after one of `stop_flags`
    /// is set. Its work is not lost: the search of a child goes on with the proof numbers that it
    /// has stored. With `max_nodes` of 0 the proof numbers are those of the tables, or estimates.
    ///
    /// # Panics
    /// If `position` has other rules or another number of houses than the start of the engine, or
    /// more seeds.
    fn search(
        &self,
        position: &Position,
        target: Margin,
        thresholds: ProofNumbers,
        max_nodes: u64,
        stop_flags: &[&AtomicBool],
    ) -> GoalResult;

    /// Returns the damage of the endgame table, if any was found. From then on, a search proves
    /// nothing.
    fn table_damage(&self) -> Option<TableDamage>;

    /// Takes the entries for other machines that the searches of the engine have found since the
    /// last call: none without [`GoalEngine::with_shared_entries`].
    fn take_shared_entries(&self) -> Vec<SharedEntry>;

    /// Inserts entries of other engines with the same board and rules into the hash tables.
    fn insert_shared_entries(&self, entries: &[SharedEntry]);
}

impl GoalEngine {
    /// Creates an engine for the positions of games that begin with `start`, with `hash_bytes`
    /// bytes for its hash tables.
    ///
    /// A `table` of another board or other rules is not used.
    pub fn new(start: &Position, hash_bytes: usize, table: Option<Arc<Table>>) -> Self {
        let proof_bytes = hash_bytes / (TT_TO_PROOF_BYTES_RATIO + 1);
        let tt_bytes = hash_bytes - proof_bytes;
        let variant = Variant::from_position(start);
        Self {
            start: start.clone(),
            table: table.filter(|table| table.variant() == variant),
            network: Network::embedded(),
            cost_model: ProofCostModel::TUNED,
            proof_nodes: AtomicU64::new(0),
            transpositions: TranspositionTable::new(tt_bytes, start.houses().into()),
            proof_table: ProofTable::new(proof_bytes),
            currently_searching: CurrentlySearching::new(),
            shared_entries: None,
        }
    }

    /// Creates an engine with the tables that an [`Engine`](crate::Engine) has for a proof of
    /// `start` with this `goal`: the endgame table of the cache, or one that is built now if that
    /// saves time, and hash tables in the memory that is left.
    ///
    /// ```
    /// use std::num::NonZeroUsize;
    /// use std::sync::atomic::AtomicBool;
    /// use kalah::{Position, Rules};
    /// use kalah_engine::{AnalysisGoal, GoalEngine, GoalResources, TableCache};
    ///
    /// let start = Position::start(4, 3, Rules::CS32)?;
    /// let tables = TableCache::new();
    /// let resources = GoalResources {
    ///     memory_bytes: 64 << 20,
    ///     threads: NonZeroUsize::MIN,
    ///     tables: &tables,
    ///     stop_flag: &AtomicBool::new(false),
    /// };
    /// let engine = GoalEngine::prepare(&start, AnalysisGoal::AllMargins, resources);
    /// assert_eq!(engine.table_seeds(), 12);
    /// # Ok::<(), kalah::SetupError>(())
    /// ```
    pub fn prepare(start: &Position, goal: AnalysisGoal, resources: GoalResources<'_>) -> Self {
        let GoalResources {
            memory_bytes,
            threads,
            tables,
            stop_flag,
        } = resources;
        let request = AnalysisRequest {
            position: start,
            root_moves: &[],
            limits: Limits {
                goal,
                ..Limits::default()
            },
            clock: &|| Duration::ZERO,
            started_at: Duration::ZERO,
        };
        let mut table_resources = TableResources {
            memory_bytes,
            threads,
            is_in_group: false,
            stop_flag,
            heartbeat: &|| {},
            make_room: &mut |_| {},
        };
        let table = TableBuilder::new(tables.clone()).table_for(request, &mut table_resources);
        let table_bytes = table.as_ref().map_or(0, |table| table.memory_bytes());
        let tt_bytes = request.useful_tt_bytes();
        let hash_bytes = (tt_bytes + tt_bytes / TT_TO_PROOF_BYTES_RATIO)
            .min(memory_bytes.saturating_sub(table_bytes));
        Self::new(start, hash_bytes, table)
    }

    /// Replaces the weights of the expected work of new goals.
    #[must_use]
    pub fn with_cost_model(self, cost_model: ProofCostModel) -> Self {
        Self { cost_model, ..self }
    }

    /// Collects the entries of goals that take at least `min_nodes` nodes, for
    /// [`GoalSearcher::take_shared_entries`].
    #[must_use]
    pub fn with_shared_entries(self, min_nodes: u64) -> Self {
        Self {
            shared_entries: Some(SharedEntries::new(min_nodes)),
            ..self
        }
    }

    /// Returns the number of nodes of all searches that were searched by proof numbers, which takes
    /// longer than alpha-beta search.
    pub fn proof_nodes(&self) -> u64 {
        self.proof_nodes.load(Ordering::Relaxed)
    }

    /// Returns the number of seeds of the endgame table, or 0 without one.
    pub fn table_seeds(&self) -> u8 {
        self.table.as_ref().map_or(0, |table| table.seeds())
    }

    /// Calls `work` with a searcher.
    pub fn with_searcher<R>(&mut self, work: impl FnOnce(&dyn GoalSearcher) -> R) -> R {
        let start = self.start.clone();
        visit_board_type(&start, WithSearcher { engine: self, work })
    }
}

/// The call of [`GoalEngine::with_searcher`] for the board type of its positions.
struct WithSearcher<'a, F> {
    engine: &'a mut GoalEngine,
    work: F,
}

impl<F: FnOnce(&dyn GoalSearcher) -> R, R> BoardVisitor for WithSearcher<'_, F> {
    type Output = R;

    fn visit<H: SearchBoard>(self, _: KeyKind) -> R {
        let Self { engine, work } = self;
        match engine.table.clone() {
            Some(table) => engine.call::<H, Table, R>(&table, work),
            None => engine.call::<H, NoEndgameTable, R>(&NoEndgameTable, work),
        }
    }
}

impl GoalEngine {
    fn call<H: SearchBoard, E: EndgameTable, R>(
        &mut self,
        endgames: &E,
        work: impl FnOnce(&dyn GoalSearcher) -> R,
    ) -> R {
        let Some(move_tables) = H::move_tables(&self.start) else {
            unreachable!("the board type can represent the start");
        };
        work(&Searcher::<H, E> {
            context: SearchContext {
                move_tables: &move_tables,
                transpositions: self.transpositions.share(),
                proof_table: self.proof_table.share(),
                endgames,
                evaluator: &Evaluator::of_game(&self.network, &self.start),
                cost_model: &self.cost_model,
                currently_searching: Some(&self.currently_searching),
            },
            proof_nodes: &self.proof_nodes,
            shared_entries: self.shared_entries.as_ref(),
        })
    }
}

/// A searcher on a board type and with a kind of endgame table.
struct Searcher<'a, H: SearchBoard, E: EndgameTable> {
    context: SearchContext<'a, H, E>,
    proof_nodes: &'a AtomicU64,
    shared_entries: Option<&'a SharedEntries>,
}

impl<H: SearchBoard, E: EndgameTable> GoalSearcher for Searcher<'_, H, E> {
    fn search(
        &self,
        position: &Position,
        target: Margin,
        thresholds: ProofNumbers,
        max_nodes: u64,
        stop_flags: &[&AtomicBool],
    ) -> GoalResult {
        if position.is_over() {
            return GoalResult {
                answer: Some(position.lead() >= target),
                children: Vec::new(),
                nodes: 0,
            };
        }
        let Some(board) = H::from_position(position) else {
            panic!("'{position}' is not a position of a game that begins with the start");
        };
        let root = Node {
            board,
            in_play: position.seeds_in_play().into(),
        };
        let target_gain = position.gain(target).seeds();
        let endgames = self.context.endgames;
        if max_nodes > 0 {
            // The file may have changed since the last search.
            let is_set = |flag: &&AtomicBool| flag.load(Ordering::Relaxed);
            endgames.verify(root.in_play, &|| stop_flags.iter().any(is_set));
        }
        let revision = endgames.revision();
        let mut flags = stop_flags.to_vec();
        flags.extend(endgames.damage_flag());
        let limits = SearchLimits {
            deadline: None,
            stop_flags: &flags,
            max_nodes,
            heartbeat: None,
        };
        let shared = SharedControl::default();
        let control = SearchControl::new(limits, &shared);
        let mut search = Search::new(self.context, control)
            .with_stopped_numbers()
            .with_shared_entries(self.shared_entries);
        let answer = search.decide(&root, target_gain, thresholds).ok().flatten();
        let proof_nodes = search.control().proof_nodes();
        self.proof_nodes.fetch_add(proof_nodes, Ordering::Relaxed);
        let mut children = search.root_numbers(&root, target_gain);
        let order: Vec<Move> = position.legal_moves().collect();
        children.sort_by_key(|(mv, _)| order.iter().position(|legal| legal == mv));
        endgames.check_revision(revision);
        if endgames.damage().is_some() {
            // The hash tables may have values of the damaged table.
            return GoalResult {
                answer: None,
                children: (order.into_iter())
                    .map(|mv| (mv, ProofNumbers::UNKNOWN))
                    .collect(),
                nodes: search.control().nodes(),
            };
        }
        GoalResult {
            answer,
            children,
            nodes: search.control().nodes(),
        }
    }

    fn table_damage(&self) -> Option<TableDamage> {
        self.context.endgames.damage().cloned()
    }

    fn take_shared_entries(&self) -> Vec<SharedEntry> {
        let entries = self
            .shared_entries
            .map_or_else(Vec::new, SharedEntries::take);
        if self.context.endgames.damage().is_some() {
            // They may depend on values of the damaged table.
            return Vec::new();
        }
        entries
    }

    fn insert_shared_entries(&self, entries: &[SharedEntry]) {
        for &entry in entries {
            self.context.insert_shared(entry);
        }
    }
}
