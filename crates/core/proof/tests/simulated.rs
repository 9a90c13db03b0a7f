//! Proofs of simulated workers against the naive reference: results arrive in random order, and
//! some jobs are lost.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Duration;

use kalah::{Margin, Move, Position, Rules, reference};
use kalah_engine::{Bounds, GoalEngine};
use kalah_proof::{
    Coordinator, Delivery, JobSize, ProofStatement, ProofStore, ServiceTime, SimulatedExchange,
    Simulation, SimulationResult, Tree,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use test_tools::sample_or_all;

/// Enough for the table of proof numbers, which small tables do not have.
const HASH_BYTES: usize = 6 << 20;

const SAMPLE_PER_PRESET: u64 = 25;
const CASES_PER_PRESET: u64 = 250;
const MAX_WORKERS: usize = 64;
const MAX_ENGINES: usize = 3;
/// Random plies before the position of a case.
const MAX_PLIES: usize = 6;
/// The node limit of the first jobs: small proofs have many jobs.
const MAX_MIN_NODES: u64 = 40;
/// The time of a delivery in milliseconds. Results overtake each other.
const MAX_DELAY: u64 = 100;
/// One of this number of jobs is lost.
const LOST_ONE_IN: u64 = 8;
const MAX_BATCH: usize = 8;
const MAX_EXCHANGED_ENTRIES: usize = 20;
/// The least nodes of the entries that machines exchange.
const MAX_MIN_ENTRY_NODES: u64 = 10;

/// A random small proof and its workers.
struct Case {
    statement: ProofStatement,
    size: JobSize,
    workers: usize,
    engines: usize,
    max_batch: NonZeroUsize,
    stop_time: Option<Duration>,
    exchange: Option<SimulatedExchange>,
    min_entry_nodes: u64,
}

/// Returns a position of a random game.
fn random_position(rules: Rules, generator: &mut Pcg64Mcg) -> Position {
    let (houses, seeds) = [(1, 4), (2, 3), (3, 2), (3, 3)][generator.random_range(0..4)];
    let mut position = Position::start(houses, seeds, rules).unwrap();
    for _ in 0..generator.random_range(0..=MAX_PLIES) {
        let moves: Vec<Move> = position.legal_moves().collect();
        if !moves.is_empty() {
            let mv = moves[generator.random_range(0..moves.len())];
            position.play(mv).unwrap();
        }
    }
    position
}

impl Case {
    fn new(rules: Rules, generator: &mut Pcg64Mcg) -> Self {
        let workers = generator.random_range(1..=MAX_WORKERS);
        Self {
            statement: ProofStatement {
                position: random_position(rules, generator),
                all_moves: generator.random_range(0..2) == 0,
                estimate: Margin::new(generator.random_range(-6..=6)),
            },
            size: JobSize {
                min_nodes: generator.random_range(1..=MAX_MIN_NODES),
                divisor: generator.random_range(1..=MAX_MIN_NODES),
            },
            workers,
            engines: generator.random_range(1..=MAX_ENGINES).min(workers),
            max_batch: NonZeroUsize::new(generator.random_range(1..=MAX_BATCH)).unwrap(),
            stop_time: (generator.random_range(0..2) == 0).then_some(Duration::from_millis(1)),
            exchange: (generator.random_range(0..2) == 0).then_some(SimulatedExchange {
                max_entries: generator.random_range(1..=MAX_EXCHANGED_ENTRIES),
                service_time: Duration::from_micros(1),
                transfer_time: Duration::from_micros(1),
            }),
            min_entry_nodes: generator.random_range(0..=MAX_MIN_ENTRY_NODES),
        }
    }

    /// Proves the margins with workers whose results arrive at random times.
    fn prove(
        &self,
        generator: &mut Pcg64Mcg,
        observer: &mut dyn FnMut(&mut Coordinator) -> ControlFlow<()>,
        tree: Tree,
    ) -> (Coordinator, SimulationResult) {
        let Self {
            statement, size, ..
        } = self;
        let mut coordinator = Coordinator::new(statement.clone(), tree, *size);
        let mut simulation = Simulation {
            workers: self.workers,
            workers_per_engine: self.workers.div_ceil(self.engines),
            create_engine: &mut || {
                GoalEngine::new(&statement.position, HASH_BYTES, None)
                    .with_shared_entries(self.min_entry_nodes)
            },
            delivery: &mut |_| {
                let delay = Duration::from_millis(generator.random_range(0..=MAX_DELAY));
                if generator.random_range(0..LOST_ONE_IN) == 0 {
                    Delivery::Abandoned(delay)
                } else {
                    Delivery::Result(delay)
                }
            },
            service_time: ServiceTime::Constant(Duration::from_millis(1)),
            max_batch: self.max_batch,
            stop_time: self.stop_time,
            exchange: self.exchange,
            observer,
            clock: &|| Duration::ZERO,
        };
        let result = simulation.run(&mut coordinator);
        (coordinator, result)
    }
}

/// Asserts the margin, and with all moves those of the moves.
fn assert_naive(coordinator: &Coordinator, case: &str) {
    let position = &coordinator.statement().position;
    let exact = |margin| Bounds {
        lower: margin,
        upper: margin,
    };
    let describe = || format!("'{position}' under {}, {case}", position.rules());
    assert!(coordinator.is_finished(), "{}", describe());
    let margin = reference::margin(position);
    assert_eq!(coordinator.bounds(), exact(margin), "{}", describe());
    for (mv, bounds) in coordinator.move_bounds() {
        let mut after = position.clone();
        after.play(mv).unwrap();
        let margin = reference::margin(&after);
        let is_same_player = after.to_move() == position.to_move() && mv != Move::Swap;
        let margin = if is_same_player { margin } else { -margin };
        assert_eq!(bounds, exact(margin), "{mv:?} of {}", describe());
    }
}

#[test]
fn results_in_random_order_prove_the_naive_margins() {
    let count = sample_or_all(SAMPLE_PER_PRESET, CASES_PER_PRESET);
    let (mut jobs, mut with_many_jobs) = (0, 0);
    let (mut stopped_jobs, mut entries) = (0, 0);
    for preset in Rules::PRESETS {
        for seed in 0..count {
            let mut generator = Pcg64Mcg::seed_from_u64(seed);
            let case = Case::new(preset.rules, &mut generator);
            let go_on = &mut |_: &mut Coordinator| ControlFlow::Continue(());
            let (coordinator, result) = case.prove(&mut generator, go_on, Tree::default());
            assert_naive(&coordinator, &format!("seed {seed}"));
            jobs += result.jobs;
            with_many_jobs += u64::from(result.jobs > 20);
            stopped_jobs += result.stopped_jobs;
            entries += result.entries;
        }
    }
    // Many proofs have many jobs.
    assert!(jobs > 40 * count, "{jobs} jobs");
    assert!(with_many_jobs > count, "{with_many_jobs} proofs");
    assert!(stopped_jobs > count, "{stopped_jobs} stopped jobs");
    assert!(entries > 10 * count, "{entries} entries");
}

#[test]
fn stored_tree_of_many_workers_goes_on() {
    for seed in 0..4 {
        let mut generator = Pcg64Mcg::seed_from_u64(seed);
        let mut case = Case::new(Rules::STANDARD, &mut generator);
        case.statement.position = Position::start(3, 3, Rules::STANDARD).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("proof");
        drop(ProofStore::create(&path, &case.statement).unwrap());
        let mut runs = 0;
        loop {
            let (mut store, proof) = ProofStore::open(&path).unwrap();
            let mut jobs_left = generator.random_range(1..=100);
            let mut write = |coordinator: &mut Coordinator| {
                store.write(coordinator, Duration::ZERO).unwrap();
                jobs_left -= 1;
                if jobs_left == 0 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let (coordinator, _) = case.prove(&mut generator, &mut write, proof.tree);
            assert_same_tree(coordinator.tree(), &ProofStore::read(&path).unwrap().tree);
            runs += 1;
            if coordinator.is_finished() {
                assert_naive(&coordinator, &format!("seed {seed}"));
                break;
            }
        }
        assert!(runs > 1, "seed {seed}");
    }
}

/// Asserts that a stored tree has the nodes and numbers of the tree in memory.
fn assert_same_tree(tree: &Tree, stored: &Tree) {
    assert_eq!(tree.len(), stored.len());
    for id in tree.ids() {
        let (node, stored_node) = (tree.node(id), stored.node(id));
        assert_eq!(tree.goal(id), stored.goal(id));
        assert_eq!(node.answer(), stored_node.answer());
        assert_eq!(node.searched, stored_node.searched);
        assert_eq!(node.is_leaf(), stored_node.is_leaf());
        if node.is_leaf() {
            assert_eq!(node.numbers, stored_node.numbers);
        }
    }
}

#[test]
fn simulation_is_reproducible() {
    let run = || {
        let mut generator = Pcg64Mcg::seed_from_u64(3);
        let mut case = Case::new(Rules::STANDARD, &mut generator);
        case.statement.position = Position::start(3, 3, Rules::STANDARD).unwrap();
        let go_on = &mut |_: &mut Coordinator| ControlFlow::Continue(());
        case.prove(&mut generator, go_on, Tree::default()).1
    };
    assert_eq!(run(), run());
}
