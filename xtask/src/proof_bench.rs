//! `cargo xtask proof-bench`: how much of what play reaches is proven within a time, from cold.

mod positions;

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use bytesize::ByteSize;
use clap::Args;
use kalah::{Position, Rules, Side};
use kalah_engine::{Bounds, Certainty, Engine, Goal, Limits, Report};

use crate::means::{thread_count_parser, threads_or_all, to_usize};
use positions::sample_positions;

/// How long the engine gets, for what.
#[derive(Args)]
pub(crate) struct ProofBenchArguments {
    /// Time for each position
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = humantime::parse_duration)]
    time: Duration,
    /// Rule sets, each a preset's name
    #[arg(long, value_name = "RULES", default_values = ["cs32", "standard"], value_delimiter = ',')]
    rules: Vec<Rules>,
    /// Houses a side
    #[arg(long, value_name = "HOUSES", default_value_t = 6)]
    houses: u8,
    /// Seeds in each house at the start
    #[arg(long, value_name = "SEEDS", default_value_t = 4)]
    seeds: u64,
    /// Positions of each rule set
    #[arg(long, value_name = "COUNT", default_value_t = 40)]
    positions: usize,
    /// Threads, 256 at most; all of the machine if left out
    #[arg(long, value_name = "COUNT", value_parser = thread_count_parser())]
    threads: Option<u16>,
    /// Memory of the engine: what `kalah` gives it on a machine of 4 GiB and more
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    memory: ByteSize,
}

/// When what was proven of a position, in the time that there was.
struct ProofBenchResult {
    position: Position,
    report: Report,
    proven_after: [Option<Duration>; MILESTONES.len()],
}

/// What is proven, from the least to the most.
const MILESTONES: [Milestone; 3] = [
    Milestone {
        name: "best",
        is_proven: |report| report.certainty == Certainty::Exact,
    },
    Milestone {
        name: "ties",
        is_proven: |report| {
            let margin = report.margin;
            let decided = |bounds: &Bounds| bounds.lower == margin || bounds.upper < margin;
            report.certainty == Certainty::Exact
                && report.moves.iter().all(|(_, bounds)| decided(bounds))
        },
    },
    Milestone {
        name: "all",
        is_proven: |report| report.moves.iter().all(|(_, bounds)| bounds.is_exact()),
    },
];

/// What a player needs to choose, in [`STEPS`].
const TIES_INDEX: usize = 1;

struct Milestone {
    name: &'static str,
    is_proven: fn(&Report) -> bool,
}

pub(crate) fn run(arguments: &ProofBenchArguments) -> anyhow::Result<()> {
    for &rules in &arguments.rules {
        let ProofBenchArguments {
            houses,
            seeds,
            positions,
            ..
        } = *arguments;
        println!(
            "{houses}x{seeds} {rules}, {} from cold",
            humantime::format_duration(arguments.time)
        );
        let reached = sample_positions(houses, seeds, rules, positions).context("no such board")?;
        let findings = reached
            .into_iter()
            .map(|position| analyse_position(position, arguments));
        let findings: Vec<_> = findings.inspect(print_unproven).collect();
        print_summary(&findings);
    }
    Ok(())
}

/// Has an engine that has seen nothing yet prove all it can, the best choice first.
fn analyse_position(position: Position, arguments: &ProofBenchArguments) -> ProofBenchResult {
    let mut engine = Engine::new()
        .with_threads(threads_or_all(arguments.threads))
        .with_memory(to_usize(arguments.memory));
    let limits = Limits {
        time: Some(arguments.time),
        goal: Goal::AllMargins,
        ..Limits::default()
    };
    let mut proven = [None; MILESTONES.len()];
    let mut see = |report: &Report| {
        for (step, proven) in MILESTONES.iter().zip(&mut proven) {
            if proven.is_none() && (step.is_proven)(report) {
                *proven = Some(report.time);
            }
        }
    };
    let origin = Instant::now();
    let report = engine.analyse_with_progress(&position, limits, &|| origin.elapsed(), &mut see);
    see(&report);
    ProofBenchResult {
        position,
        report,
        proven_after: proven,
    }
}

/// Seeds in the houses of both sides.
fn seeds_in_play(position: &Position) -> u32 {
    let rows = Side::ALL.map(|side| u32::from(position.row_total(side).get()));
    rows.iter().sum()
}

fn print_unproven(finding: &ProofBenchResult) {
    let ProofBenchResult {
        position, report, ..
    } = finding;
    // Whoever plays needs no more than the ties.
    let mut steps = MILESTONES[..=TIES_INDEX].iter().zip(finding.proven_after);
    let Some((Milestone { name, .. }, _)) = steps.find(|(_, proven)| proven.is_none()) else {
        return;
    };
    let Bounds { lower, upper } = report.bounds;
    println!(
        "  {name} not proven: \"{position}\", {lower} to {upper}, expected {}, after {:.2?} and {:.1} million positions",
        report.margin,
        report.time,
        in_millions(report.nodes),
    );
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn in_millions(nodes: u64) -> f64 {
    nodes as f64 / 1e6
}

/// Seeds in play of the positions that are told together, of all seeds of a board, in percent.
const SEED_PERCENT_BANDS: [RangeInclusive<u32>; 4] = [96..=100, 86..=95, 66..=85, 0..=65];

/// A line for positions of about as many seeds, and one for all: how many were proven, and the longest
/// time that took.
fn print_summary(findings: &[ProofBenchResult]) {
    let titles = MILESTONES.map(|step| format!("{:>4} {:>8}", step.name, "within"));
    println!("  seeds in play  positions  {}", titles.join("  "));
    let percent = |finding: &ProofBenchResult| {
        let most = findings
            .first()
            .map_or(1, |start| seeds_in_play(&start.position));
        100 * seeds_in_play(&finding.position) / most.max(1)
    };
    let parts = SEED_PERCENT_BANDS.map(|part| {
        let of_part = findings.iter().filter(|one| part.contains(&percent(one)));
        of_part.collect::<Vec<_>>()
    });
    let all = findings.iter().collect();
    for part in parts.into_iter().chain([all]) {
        let seeds = part.iter().map(|finding| seeds_in_play(&finding.position));
        let (Some(least), Some(most)) = (seeds.clone().min(), seeds.max()) else {
            continue;
        };
        let columns: [_; MILESTONES.len()] = std::array::from_fn(|step| {
            let proven = part.iter().filter_map(|finding| finding.proven_after[step]);
            let longest = proven.clone().max().map(|time| time.as_secs_f64());
            let longest = longest.map_or("-".to_owned(), |longest| format!("{longest:.2} s"));
            format!("{:>4} {longest:>8}", proven.count())
        });
        println!(
            "  {:>13}  {:>9}  {}",
            format!("{least} to {most}"),
            part.len(),
            columns.join("  ")
        );
    }
}
