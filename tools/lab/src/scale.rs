//! `cargo lab scale`: proofs on simulated clusters of 1 to 4,096 workers.

mod plot;

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use bytesize::ByteSize;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use kalah::{Position, Rules, Variant};
use kalah_engine::{Bounds, Engine, GoalEngine, Limits, ProofNumbers};
use kalah_proof::{
    Coordinator, Delivery, JobSize, MarginProof, ProofStatement, ProofStore, Simulation, Tree,
};
use kalah_tables::Table;

use crate::resources::to_usize;

/// The arguments of `cargo lab scale`.
#[derive(Args)]
#[command(after_help = "\
All boards with up to 64 workers take 5 to 10 minutes on two cores, and 2 GiB of memory. With 256
workers and more, 6x4 and 5x5 take longer than 15 minutes: use --board and --workers to choose.")]
pub(crate) struct ScaleArguments {
    /// Only these boards, under the standard rules
    #[arg(long, value_name = "BOARDS", value_delimiter = ',',
        default_values = ["6x4", "5x5", "6x6"])]
    board: Vec<SimulatedBoard>,
    /// Numbers of workers; the first is the reference of the speed-up
    #[arg(long, value_name = "COUNTS", value_delimiter = ',',
        default_values_t = [1, 4, 16, 64, 256, 1024, 4096],
        value_parser = clap::value_parser!(u16).range(1..))]
    workers: Vec<u16>,
    /// Workers of a machine, which share its hash tables
    #[arg(long, value_name = "COUNT", default_value_t = 64,
        value_parser = clap::value_parser!(u16).range(1..))]
    workers_per_machine: u16,
    /// Hash tables of a machine
    #[arg(long, value_name = "SIZE", default_value = "256MiB")]
    hash: ByteSize,
    /// Hash tables of all machines together: with many machines, each has less
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    all_hash: ByteSize,
    /// Virtual speed of a worker in nodes a second
    #[arg(long, value_name = "NODES", default_value_t = 2_000_000,
        value_parser = clap::value_parser!(u32).range(1..))]
    speed: u32,
    /// Virtual time that a job takes in addition to its search
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = humantime::parse_duration)]
    latency: Duration,
    /// Virtual time that the coordinator takes for a job
    #[arg(long, value_name = "TIME", default_value = "100us", value_parser = humantime::parse_duration)]
    service_time: Duration,
    /// Jobs for each write of the store
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    jobs_per_write: u64,
    /// Seeds of the endgame table [default: 18 for 6x4, 13 for 5x5, 16 for 6x6]
    #[arg(long, value_name = "SEEDS")]
    table_seeds: Option<u8>,
    /// End a proof after this number of nodes [default: 40 million for 6x6]
    #[arg(long, value_name = "NODES")]
    max_nodes: Option<u64>,
    /// Read results from CSV files instead of simulating
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    from: Vec<PathBuf>,
    /// Write the results as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the speed-up and the efficiency as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// A board whose proof is simulated.
#[derive(Debug, PartialEq)]
struct SimulatedBoard {
    name: &'static str,
    houses: u8,
    seeds: u64,
    /// The seeds of the endgame table. Small ones make the small boards take longer.
    table_seeds: u8,
    /// The nodes after which the simulation ends; `None` for a complete proof.
    max_nodes: Option<u64>,
}

const BOARDS: [SimulatedBoard; 3] = [
    SimulatedBoard {
        name: "6x4",
        houses: 6,
        seeds: 4,
        table_seeds: 18,
        max_nodes: None,
    },
    SimulatedBoard {
        name: "5x5",
        houses: 5,
        seeds: 5,
        table_seeds: 13,
        max_nodes: None,
    },
    SimulatedBoard {
        name: "6x6",
        houses: 6,
        seeds: 6,
        table_seeds: 16,
        max_nodes: Some(40_000_000),
    },
];

impl Clone for SimulatedBoard {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl ValueEnum for SimulatedBoard {
    fn value_variants<'a>() -> &'a [Self] {
        &BOARDS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name))
    }
}

/// The result of a proof with a number of workers.
struct ScaleResult {
    board: String,
    workers: u16,
    /// The virtual time of the first number of workers divided by that of this one.
    speed_up: f64,
    /// The speed-up for each worker, relative to the first number of workers.
    efficiency: f64,
    /// The part of the virtual time in which the workers search.
    utilization: f64,
    /// The part of the virtual time in which the coordinator is busy.
    coordinator_utilization: f64,
    time: Duration,
    jobs: u64,
    nodes: u64,
    goals: usize,
    /// The real time of the coordinator for a job, without and with the store.
    coordinator_micros: f64,
    store_micros: f64,
}

const HEADER: &str = " board  workers  speed-up  efficiency  utilization  coordinator  time/s     jobs  Mnodes   goals  us/job  +store";
const CSV_HEADER: &str = "board,workers,speed_up,efficiency,utilization,coordinator_utilization,seconds,jobs,nodes,goals,coordinator_us,store_us\n";

pub(crate) fn run(arguments: &ScaleArguments) -> anyhow::Result<()> {
    let mut results = Vec::new();
    println!("{HEADER}");
    for path in &arguments.from {
        let read = ScaleResult::read_csv(path);
        results.extend(read.with_context(|| format!("cannot read '{}'", path.display()))?);
    }
    for result in &results {
        println!("{}", result.table_line());
    }
    let simulated: &[SimulatedBoard] = if arguments.from.is_empty() {
        &arguments.board
    } else {
        &[]
    };
    for board in simulated {
        run_board(arguments, board, &mut results)
            .with_context(|| format!("cannot simulate {}", board.name))?;
    }
    if let Some(path) = &arguments.csv {
        let lines: String = results.iter().map(ScaleResult::csv_line).collect();
        std::fs::write(path, CSV_HEADER.to_owned() + &lines)?;
    }
    if let Some(path) = &arguments.svg {
        std::fs::write(path, plot::draw(&results))?;
    }
    Ok(())
}

/// The nodes of the analysis that estimates the margin, as for `kalah prove`, and its memory.
const ESTIMATE_NODES: u64 = 200_000;
const ESTIMATE_BYTES: usize = 64 << 20;

/// A proof, and the endgame table of all workers.
struct Proof<'a> {
    arguments: &'a ScaleArguments,
    board: &'a SimulatedBoard,
    statement: ProofStatement,
    table: Arc<Table>,
}

/// Simulates the proof of a board with each number of workers.
fn run_board(
    arguments: &ScaleArguments,
    board: &SimulatedBoard,
    results: &mut Vec<ScaleResult>,
) -> anyhow::Result<()> {
    let position = Position::start(board.houses, board.seeds, Rules::STANDARD)?;
    let seeds = arguments.table_seeds.unwrap_or(board.table_seeds);
    let variant = Variant::from_position(&position);
    let table = Table::build_single_threaded(variant, seeds, &mut |_| ControlFlow::Continue(()))?;
    let limits = Limits {
        nodes: Some(ESTIMATE_NODES),
        ..Limits::default()
    };
    let mut engine = Engine::new().with_memory(ESTIMATE_BYTES);
    let report = engine.analyze(&position, limits, &|| Duration::ZERO);
    let proof = Proof {
        arguments,
        board,
        statement: ProofStatement {
            position,
            all_moves: false,
            estimate: report.margin(),
        },
        table: Arc::new(table),
    };
    let single = proof.max_nodes().is_none().then(|| proof.search_once());
    if let Some((bounds, nodes)) = single {
        println!(
            "{:>6}  one search without jobs: margin {}, {:.1} million nodes",
            board.name,
            bounds.lower,
            in_millions(nodes)
        );
    }
    let mut reference = None;
    for &workers in &arguments.workers {
        let (mut result, bounds) = proof.simulate(workers)?;
        if let Some((exact, _)) = single {
            ensure!(bounds == exact, "{workers} workers proved another margin");
        }
        let (first, time) = *reference.get_or_insert((workers, result.time));
        result.speed_up = time.as_secs_f64() / result.time.as_secs_f64();
        result.efficiency = result.speed_up * f64::from(first) / f64::from(workers);
        println!("{}", result.table_line());
        results.push(result);
    }
    Ok(())
}

impl Proof<'_> {
    fn max_nodes(&self) -> Option<u64> {
        self.arguments.max_nodes.or(self.board.max_nodes)
    }

    fn create_engine(&self, hash_bytes: usize) -> GoalEngine {
        GoalEngine::new(
            &self.statement.position,
            hash_bytes,
            Some(self.table.clone()),
        )
    }

    /// Proves the margin by one search for each goal, and returns it with the number of nodes.
    fn search_once(&self) -> (Bounds, u64) {
        let mut margin = MarginProof::new(&self.statement.position, self.statement.estimate);
        let mut engine = self.create_engine(to_usize(self.arguments.hash));
        let mut nodes = 0;
        engine.with_searcher(|searcher| {
            while let Some(goal) = margin.next_goal() {
                let (position, target) = (goal.position(), goal.target());
                let thresholds = ProofNumbers::INFINITE;
                let result = searcher.search(position, target, thresholds, u64::MAX, &[]);
                nodes += result.nodes;
                let Some(answer) = result.answer else {
                    break;
                };
                margin.answer(answer);
            }
        });
        (margin.bounds(), nodes)
    }

    /// Simulates a number of workers. The speed-up of the result is not known yet.
    fn simulate(&self, workers: u16) -> anyhow::Result<(ScaleResult, Bounds)> {
        let arguments = self.arguments;
        let machines = workers.div_ceil(arguments.workers_per_machine);
        let hash_bytes =
            to_usize(arguments.hash).min(to_usize(arguments.all_hash) / usize::from(machines));
        let mut coordinator =
            Coordinator::new(self.statement.clone(), Tree::default(), JobSize::default());
        let folder = tempfile::tempdir()?;
        let mut store = ProofStore::create(&folder.path().join("proof"), &self.statement)?;
        let mut error = None;
        let max_nodes = self.max_nodes().unwrap_or(u64::MAX);
        let origin = Instant::now();
        let speed = f64::from(arguments.speed);
        let simulated = Simulation {
            workers: workers.into(),
            workers_per_engine: arguments.workers_per_machine.into(),
            create_engine: &mut || self.create_engine(hash_bytes),
            delivery: &mut |result| {
                let search_time = Duration::from_secs_f64(to_f64(result.nodes) / speed);
                Delivery::Result(arguments.latency + search_time)
            },
            service_time: arguments.service_time,
            observer: &mut |coordinator| {
                let is_written = coordinator.is_finished()
                    || coordinator
                        .completed_jobs()
                        .is_multiple_of(arguments.jobs_per_write);
                if is_written && let Err(reason) = store.write(coordinator, Duration::ZERO) {
                    error = Some(reason);
                }
                if error.is_some() || coordinator.nodes() >= max_nodes {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
            clock: &|| origin.elapsed(),
        }
        .run(&mut coordinator);
        error.map_or(Ok(()), Err)?;
        let seconds = simulated.time.as_secs_f64();
        let search_seconds = to_f64(coordinator.nodes()) / speed;
        let micros_per_job = |time: Duration| time.as_secs_f64() * 1e6 / to_f64(simulated.jobs);
        let result = ScaleResult {
            board: self.board.name.to_owned(),
            workers,
            speed_up: 1.0,
            efficiency: 1.0,
            utilization: search_seconds / seconds / f64::from(workers),
            coordinator_utilization: simulated.service_time.as_secs_f64() / seconds,
            time: simulated.time,
            jobs: simulated.jobs,
            nodes: coordinator.nodes(),
            goals: coordinator.tree().len(),
            coordinator_micros: micros_per_job(simulated.coordinator_time),
            store_micros: micros_per_job(simulated.observer_time),
        };
        Ok((result, coordinator.bounds()))
    }
}

impl ScaleResult {
    /// Reads the lines that [`ScaleResult::csv_line`] has written.
    fn read_csv(path: &Path) -> anyhow::Result<Vec<Self>> {
        let text = std::fs::read_to_string(path)?;
        let lines = text.strip_prefix(CSV_HEADER).context("another header")?;
        lines.lines().map(Self::parse_csv_line).collect()
    }

    fn parse_csv_line(line: &str) -> anyhow::Result<Self> {
        let columns: Vec<&str> = line.split(',').collect();
        let &[
            board,
            workers,
            speed_up,
            efficiency,
            utilization,
            coordinator,
            time,
            jobs,
            nodes,
            goals,
            coordinator_micros,
            store_micros,
        ] = columns.as_slice()
        else {
            bail!("'{line}' has another number of columns");
        };
        Ok(Self {
            board: board.to_owned(),
            workers: workers.parse()?,
            speed_up: speed_up.parse()?,
            efficiency: efficiency.parse()?,
            utilization: utilization.parse()?,
            coordinator_utilization: coordinator.parse()?,
            time: Duration::try_from_secs_f64(time.parse()?)?,
            jobs: jobs.parse()?,
            nodes: nodes.parse()?,
            goals: goals.parse()?,
            coordinator_micros: coordinator_micros.parse()?,
            store_micros: store_micros.parse()?,
        })
    }

    /// Returns the line of the table with this result.
    fn table_line(&self) -> String {
        format!(
            "{:>6}  {:>7}  {:>8.1}  {:>10.3}  {:>11.2}  {:>11.2}  {:>6.2}  {:>7}  {:>6.1}  {:>6}  {:>6.0}  {:>6.0}",
            self.board,
            self.workers,
            self.speed_up,
            self.efficiency,
            self.utilization,
            self.coordinator_utilization,
            self.time.as_secs_f64(),
            self.jobs,
            in_millions(self.nodes),
            self.goals,
            self.coordinator_micros,
            self.store_micros,
        )
    }

    /// Returns the line of the CSV file with this result.
    fn csv_line(&self) -> String {
        let mut line = String::new();
        let _ = writeln!(
            line,
            "{},{},{:.3},{:.4},{:.4},{:.4},{:.4},{},{},{},{:.1},{:.1}",
            self.board,
            self.workers,
            self.speed_up,
            self.efficiency,
            self.utilization,
            self.coordinator_utilization,
            self.time.as_secs_f64(),
            self.jobs,
            self.nodes,
            self.goals,
            self.coordinator_micros,
            self.store_micros,
        );
        line
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn to_f64(count: u64) -> f64 {
    count as f64
}

fn in_millions(nodes: u64) -> f64 {
    to_f64(nodes) / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_lines_are_read_as_written() {
        let line = "6x4,64,25.500,0.3984,0.7500,0.6000,0.3720,4707,36900000,10729,67.0,270.5\n";
        let result = ScaleResult::parse_csv_line(line.trim_end()).unwrap();
        assert_eq!(result.csv_line(), line);
        assert!(ScaleResult::parse_csv_line("6x4,64").is_err());
    }
}
