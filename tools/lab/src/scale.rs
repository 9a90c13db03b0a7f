//! `cargo lab scale`: proofs on simulated clusters of 1 to 4,096 workers.

mod plot;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use bytesize::ByteSize;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use kalah::{Position, Rules, Variant};
use kalah_engine::{Bounds, Engine, GoalEngine, Limits, ProofNumbers, SharedEntry};
use kalah_proof::{
    Coordinator, Delivery, JobSize, MarginProof, ProofStatement, ProofStore, ServiceTime,
    SimulatedExchange, Simulation, Tree,
};
use kalah_tables::Table;

use crate::resources::{self, to_usize};

/// The arguments of `cargo lab scale`.
#[derive(Args)]
#[command(after_help = "\
The default boards with up to 64 workers take 5 to 10 minutes on two cores, and 2 GiB of memory.
With 256 workers and more, they take longer than 15 minutes: use --board and --workers to choose.")]
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
    /// Virtual time that the coordinator takes for a job, or `measured`: its real time, with that
    /// of the store, and --message-time
    #[arg(long, value_name = "TIME", default_value = "measured")]
    service: Service,
    /// Virtual time that the coordinator takes to receive a message of a machine and to answer it
    #[arg(long, value_name = "TIME", default_value = "10us", value_parser = humantime::parse_duration)]
    message_time: Duration,
    /// Results that the coordinator takes together at most
    #[arg(long, value_name = "COUNT", default_value = "64")]
    batch: NonZeroUsize,
    /// Results for each write of the store, at least those that the coordinator takes together
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    jobs_per_write: u64,
    /// Complete jobs that have become obsolete, instead of stopping them after half the latency
    #[arg(long)]
    no_stop: bool,
    /// Entries of hash tables that a job brings to its machine at most; 0 ends the exchange
    #[arg(long, value_name = "COUNT", default_value_t = 256)]
    exchange: usize,
    /// Nodes from which on machines exchange an entry
    #[arg(long, value_name = "NODES", default_value_t = 10_000)]
    exchange_nodes: u64,
    /// Virtual time that the coordinator takes for each entry that it receives or sends
    #[arg(long, value_name = "TIME", default_value = "100ns", value_parser = humantime::parse_duration)]
    entry_time: Duration,
    /// Network of a machine in megabits a second, for the exchange
    #[arg(long, value_name = "MBIT", default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..))]
    network: u32,
    /// Seeds of the endgame table [default: 18 for 6x4, 13 for 5x5, 22 for 6x5, 16 for 6x6]
    #[arg(long, value_name = "SEEDS")]
    table_seeds: Option<u8>,
    /// End a proof after this number of nodes [default: 40 million for 6x6]
    #[arg(long, value_name = "NODES")]
    max_nodes: Option<u64>,
    /// Read results from CSV files instead of simulating; the first of each board is the reference
    /// of its speed-up
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    from: Vec<PathBuf>,
    /// Write the results as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the speed-up and the efficiency as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// The argument `--service`.
#[derive(Clone, Copy)]
enum Service {
    Constant(Duration),
    Measured,
}

impl FromStr for Service {
    type Err = humantime::DurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "measured" {
            return Ok(Self::Measured);
        }
        humantime::parse_duration(text).map(Self::Constant)
    }
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

const BOARDS: [SimulatedBoard; 4] = [
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
        name: "6x5",
        houses: 6,
        seeds: 5,
        table_seeds: 22,
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
    /// The board and the seeds of its endgame table.
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
    /// The real time of the coordinator for a job, and that of the store.
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
    let mut references = HashMap::new();
    for result in &mut results {
        let reference = references.entry(result.board.clone());
        result.relate_to(*reference.or_insert((result.workers, result.time)));
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
        result.relate_to(*reference.get_or_insert((workers, result.time)));
        println!("{}", result.table_line());
        results.push(result);
    }
    Ok(())
}

/// The time in which a byte passes a network of a megabit a second.
const BYTE_TIME: Duration = Duration::from_micros(8);

impl ScaleArguments {
    /// Returns the time in which an entry passes the network of a machine.
    fn transfer_time(&self) -> Duration {
        let bytes = u32::try_from(SharedEntry::BYTES).unwrap_or(u32::MAX);
        BYTE_TIME * bytes / self.network
    }
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
        .with_shared_entries(self.arguments.exchange_nodes)
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
        let (mut error, mut written) = (None, 0);
        let max_nodes = self.max_nodes().unwrap_or(u64::MAX);
        let speed = f64::from(arguments.speed);
        let simulated = Simulation {
            workers: workers.into(),
            workers_per_engine: arguments.workers_per_machine.into(),
            create_engine: &mut || self.create_engine(hash_bytes),
            delivery: &mut |result| {
                let search_time = Duration::from_secs_f64(to_f64(result.nodes) / speed);
                Delivery::Result(arguments.latency + search_time)
            },
            service_time: match arguments.service {
                Service::Constant(time) => ServiceTime::Constant(time),
                Service::Measured => ServiceTime::Measured {
                    message: arguments.message_time,
                },
            },
            max_batch: arguments.batch,
            stop_time: (!arguments.no_stop).then_some(arguments.latency / 2),
            exchange: (arguments.exchange > 0 && machines > 1).then_some(SimulatedExchange {
                max_entries: arguments.exchange,
                service_time: arguments.entry_time,
                transfer_time: arguments.transfer_time(),
            }),
            observer: &mut |coordinator| {
                let completed = coordinator.completed_jobs();
                let is_due = completed >= written + arguments.jobs_per_write;
                if is_due || coordinator.is_finished() {
                    written = completed;
                    error = store.write(coordinator, Duration::ZERO).err();
                }
                if error.is_some() || coordinator.nodes() >= max_nodes {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
            clock: &resources::processor_time,
        }
        .run(&mut coordinator);
        error.map_or(Ok(()), Err)?;
        let seconds = simulated.time.as_secs_f64();
        let search_seconds = to_f64(simulated.nodes) / speed;
        let micros_per_job = |time: Duration| time.as_secs_f64() * 1e6 / to_f64(simulated.jobs);
        let result = ScaleResult {
            board: format!("{}/{}", self.board.name, self.table.seeds()),
            workers,
            speed_up: 1.0,
            efficiency: 1.0,
            utilization: search_seconds / seconds / f64::from(workers),
            coordinator_utilization: simulated.service_time.as_secs_f64() / seconds,
            time: simulated.time,
            jobs: simulated.jobs,
            nodes: simulated.nodes,
            goals: coordinator.tree().len(),
            coordinator_micros: micros_per_job(simulated.coordinator_time),
            store_micros: micros_per_job(simulated.observer_time),
        };
        Ok((result, coordinator.bounds()))
    }
}

impl ScaleResult {
    /// Sets the speed-up relative to a number of workers and their time.
    fn relate_to(&mut self, (first, time): (u16, Duration)) {
        self.speed_up = time.as_secs_f64() / self.time.as_secs_f64();
        self.efficiency = self.speed_up * f64::from(first) / f64::from(self.workers);
    }

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
