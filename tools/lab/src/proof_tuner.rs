//! `cargo lab tune-proofs`: tunes the weights of the expected work of new goals.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Args;
use kalah::{Margin, Position, Rules, Variant};
use kalah_engine::{Engine, GoalEngine, Limits, ProofCostModel, ProofNumbers, TableCache};
use kalah_tables::Table;

use crate::proof_bench::sample_positions;
use crate::resources::{thread_count_parser, threads_or_all};

/// The arguments of `cargo lab tune-proofs`.
#[derive(Args)]
pub(crate) struct TunerArguments {
    /// Boards to tune on, each the houses a side and the seeds of a house
    #[arg(
        long,
        value_name = "BOARDS",
        default_values = ["6x4", "5x5", "7x3", "6x3", "5x4"],
        value_delimiter = ','
    )]
    boards: Vec<TunerBoard>,
    /// Rule sets, each a preset's name
    #[arg(
        long,
        value_name = "RULES",
        default_values = ["standard", "cs32", "empty-capture"],
        value_delimiter = ','
    )]
    rules: Vec<Rules>,
    /// Positions of each board and rule set
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    positions: usize,
    /// Seeds of the endgame table in 64ths of those of the start; a solver takes 27
    #[arg(long, value_name = "SEEDS", default_value_t = 20)]
    table_64ths: u32,
    /// The fewest nodes of a position with the weights of searches
    #[arg(long, value_name = "NODES", default_value_t = 30_000)]
    min_nodes: u64,
    /// The most nodes of a position with the weights of searches
    #[arg(long, value_name = "NODES", default_value_t = 250_000)]
    max_nodes: u64,
    /// Weights to begin with, those of the proof numbers first [default: those of searches]
    #[arg(
        long,
        value_name = "WEIGHTS",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    weights: Vec<i16>,
    /// Changes of a weight that are tried, one round for each; 0 only measures the weights
    #[arg(long, value_name = "STEPS", default_values = ["8", "4"], value_delimiter = ',')]
    steps: Vec<i16>,
    /// Threads, at most 256 [default: those of the machine]
    #[arg(long, value_name = "COUNT", value_parser = thread_count_parser())]
    threads: Option<u16>,
}

/// The houses a side and the seeds of each house at the start.
#[derive(Clone, Copy, Debug)]
struct TunerBoard {
    houses: u8,
    seeds: u64,
}

impl FromStr for TunerBoard {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let (houses, seeds) = (text.split_once('x')).context("expected a board such as 6x4")?;
        Ok(Self {
            houses: houses.parse()?,
            seeds: seeds.parse()?,
        })
    }
}

/// A position whose margin is known, to be proven.
struct ProofTask {
    /// The board and the rules.
    group: String,
    position: Position,
    margin: Margin,
    table: Arc<Table>,
}

/// The work of a proof.
#[derive(Clone, Copy, Debug)]
struct ProofWork {
    nodes: u64,
    /// Those of `nodes` that were searched by proof numbers.
    proof_nodes: u64,
}

/// The duration of a node of alpha-beta search and of one of proof-number search in microseconds,
/// as docs/performance.md has them.
const ALPHA_BETA_NODE_MICROSECONDS: f64 = 0.21;
const PROOF_NODE_MICROSECONDS: f64 = 0.5;

/// The memory of the hash tables in bytes: the smallest with proof numbers that serves all boards.
const HASH_BYTES: usize = 5 << 20;

/// The seeds in play of a task exceed those of its table by at least this number, so that most of
/// its work uses proof numbers.
const MIN_SEEDS_ABOVE_TABLE: u32 = 12;

/// Positions that are tried for each one that is wanted.
const CANDIDATES_PER_POSITION: usize = 6;

/// A proof that takes this many times as many nodes as the most of a task is given up.
const MAX_GROWTH: u64 = 10;

/// The least decrease of the mean logarithm of the work for which a weight is changed. Smaller ones
/// are mostly noise.
const MIN_GAIN: f64 = 0.0007;

/// The number of weights of a model.
const WEIGHTS: usize = 2 * ProofCostModel::FEATURE_NAMES.len();

impl ProofWork {
    #[expect(clippy::cast_precision_loss, reason = "far less than 2^52 nodes")]
    fn microseconds(self) -> f64 {
        let alpha_beta_nodes = self.nodes - self.proof_nodes;
        ALPHA_BETA_NODE_MICROSECONDS * alpha_beta_nodes as f64
            + PROOF_NODE_MICROSECONDS * self.proof_nodes as f64
    }
}

impl ProofTask {
    /// Proves that the side to move reaches the margin, and that it reaches no greater one.
    fn prove(&self, model: &ProofCostModel, max_nodes: u64) -> ProofWork {
        let engine = GoalEngine::new(&self.position, HASH_BYTES, Some(Arc::clone(&self.table)));
        let mut engine = engine.with_cost_model(model.clone());
        let nodes = engine.with_searcher(|searcher| {
            let next = Margin::new(self.margin.seeds() + 2);
            let nodes = [self.margin, next].map(|target| {
                let limit = ProofNumbers::INFINITE;
                (searcher.search(&self.position, target, limit, max_nodes, &[])).nodes
            });
            nodes.iter().sum()
        });
        ProofWork {
            nodes,
            proof_nodes: engine.proof_nodes(),
        }
    }
}

/// The tasks, and how to measure them.
struct Tuner {
    tasks: Vec<ProofTask>,
    max_nodes: u64,
    threads: NonZeroUsize,
}

impl Tuner {
    /// Returns the work of every task, in their order.
    fn measure(&self, model: &ProofCostModel) -> Vec<ProofWork> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut results = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = self.tasks.get(index) else {
                    return results;
                };
                results.push((index, task.prove(model, self.max_nodes)));
            }
        };
        let mut results: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads.get()).map(|_| scope.spawn(work)).collect();
            let results = threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"));
            results.flatten().collect()
        });
        results.sort_by_key(|&(index, _)| index);
        results.into_iter().map(|(_, work)| work).collect()
    }

    /// Returns the mean logarithm of the work.
    #[expect(clippy::cast_precision_loss, reason = "few tasks")]
    fn mean_log(&self, model: &ProofCostModel) -> f64 {
        let work = self.measure(model);
        let sum: f64 = work.iter().map(|work| work.microseconds().ln()).sum();
        sum / work.len() as f64
    }

    /// Changes one weight after the other by `step` as long as the work decreases.
    fn improve(&self, weights: &mut [i16; WEIGHTS], step: i16) {
        let mut least = self.mean_log(&model(weights));
        for index in 0..WEIGHTS {
            for change in [step, -step] {
                let mut is_better = false;
                loop {
                    let mut changed = *weights;
                    changed[index] += change;
                    let log = self.mean_log(&model(&changed));
                    if log > least - MIN_GAIN {
                        break;
                    }
                    (*weights, least, is_better) = (changed, log, true);
                    println!("{:.4}  {}", least.exp(), list(weights));
                }
                if is_better {
                    break;
                }
            }
        }
    }
}

/// Returns the model with these weights, those of the proof numbers first.
fn model(weights: &[i16; WEIGHTS]) -> ProofCostModel {
    let (proof, disproof) = weights.split_at(WEIGHTS / 2);
    let half = |weights: &[i16]| weights.try_into().expect("half of the weights");
    ProofCostModel {
        proof: half(proof),
        disproof: half(disproof),
    }
}

/// Returns the weights in the form of `--weights`.
fn list(weights: &[i16; WEIGHTS]) -> String {
    weights.map(|weight| weight.to_string()).join(",")
}

/// Returns positions of games on a board whose proofs take as many nodes as `arguments` say.
fn find_tasks(
    TunerBoard { houses, seeds }: TunerBoard,
    rules: Rules,
    arguments: &TunerArguments,
) -> anyhow::Result<Vec<ProofTask>> {
    let threads = threads_or_all(arguments.threads);
    let candidates = arguments.positions * CANDIDATES_PER_POSITION;
    let positions = sample_positions(houses, seeds, rules, candidates).context("no such board")?;
    let start = positions.first().context("no position with two moves")?;
    let table_seeds = u32::from(start.seeds_in_play()) * arguments.table_64ths / 64;
    let proceed = &mut |_| ControlFlow::Continue(());
    let variant = Variant::new(houses, rules);
    let table = Table::build(variant, u8::try_from(table_seeds)?, threads, proceed)?;
    let (table, cache) = (Arc::new(table), TableCache::new());
    let mut tasks = Vec::new();
    for position in positions {
        if u32::from(position.seeds_in_play()) < table_seeds + MIN_SEEDS_ABOVE_TABLE {
            continue;
        }
        let mut engine = Engine::new()
            .with_threads(threads)
            .with_tables(cache.clone());
        let report = engine.analyze(&position, Limits::default(), &|| Duration::ZERO);
        let task = ProofTask {
            group: format!("{houses}x{seeds} {rules}"),
            margin: report.margin(),
            position,
            table: Arc::clone(&table),
        };
        let work = task.prove(&ProofCostModel::TUNED, arguments.max_nodes);
        if (arguments.min_nodes..arguments.max_nodes).contains(&work.nodes) {
            tasks.push(task);
        }
        if tasks.len() == arguments.positions {
            break;
        }
    }
    Ok(tasks)
}

/// Prints the nodes and the work of each board and rule set with `model`, divided by those with the
/// weights of searches.
#[expect(clippy::cast_precision_loss, reason = "far less than 2^52 nodes")]
fn print_comparison(tuner: &Tuner, model: &ProofCostModel) {
    let [work, reference] = [model, &ProofCostModel::TUNED].map(|model| tuner.measure(model));
    let ratios: Vec<_> = (tuner.tasks.iter().zip(work).zip(reference))
        .map(|((task, work), reference)| {
            let nodes = work.nodes as f64 / reference.nodes as f64;
            let work = work.microseconds() / reference.microseconds();
            (task.group.as_str(), nodes, work)
        })
        .collect();
    println!("{:<24}  positions  nodes   work", "");
    let print = |name: &str, group: &[&(&str, f64, f64)]| {
        let mean = |ratio: fn(&(&str, f64, f64)) -> f64| {
            let sum: f64 = group.iter().map(|entry| ratio(entry).ln()).sum();
            (sum / group.len() as f64).exp()
        };
        let (nodes, work) = (mean(|entry| entry.1), mean(|entry| entry.2));
        println!("{name:<24}  {:>9}  {nodes:.3}  {work:.3}", group.len());
    };
    for group in ratios.chunk_by(|first, second| first.0 == second.0) {
        print(group[0].0, &group.iter().collect::<Vec<_>>());
    }
    print("all", &ratios.iter().collect::<Vec<_>>());
}

pub(crate) fn run(arguments: &TunerArguments) -> anyhow::Result<()> {
    let used = ProofCostModel::TUNED;
    let mut weights = [0; WEIGHTS];
    if arguments.weights.is_empty() {
        weights.copy_from_slice(&[used.proof, used.disproof].concat());
    } else {
        let count = arguments.weights.len();
        ensure!(count == WEIGHTS, "{count} weights: expected {WEIGHTS}");
        weights.copy_from_slice(&arguments.weights);
    }
    let mut tasks = Vec::new();
    for &board in &arguments.boards {
        for &rules in &arguments.rules {
            tasks.extend(find_tasks(board, rules, arguments)?);
        }
    }
    ensure!(!tasks.is_empty(), "no position takes as many nodes");
    let tuner = Tuner {
        tasks,
        max_nodes: arguments.max_nodes.saturating_mul(MAX_GROWTH),
        threads: threads_or_all(arguments.threads),
    };
    for &step in arguments.steps.iter().filter(|&&step| step != 0) {
        tuner.improve(&mut weights, step);
    }
    let names = ProofCostModel::FEATURE_NAMES;
    let ProofCostModel { proof, disproof } = model(&weights);
    for (name, (proof, disproof)) in names.iter().zip(proof.into_iter().zip(disproof)) {
        println!("{name:<18} {proof:>5} {disproof:>5}");
    }
    print_comparison(&tuner, &model(&weights));
    Ok(())
}
