//! `cargo xtask within`: how much of what play reaches is proven within a time, from cold.

mod positions;

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use bytesize::ByteSize;
use clap::Args;
use kalah::{Position, Rules, Side};
use kalah_engine::{Bounds, Certainty, Engine, Goal, Limits, Report};

use crate::means::{bytes, or_all, threads};
use positions::reached;

/// How long the engine gets, for what.
#[derive(Args)]
pub(crate) struct WithinArguments {
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
    #[arg(long, value_name = "COUNT", value_parser = threads())]
    threads: Option<u16>,
    /// Memory of the engine: what `kalah` gives it on a machine of 4 GiB and more
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    memory: ByteSize,
}

/// When what was proven of a position, in the time that there was.
struct Finding {
    position: Position,
    report: Report,
    proven: [Option<Duration>; STEPS.len()],
}

/// What is proven, from the least to the most.
const STEPS: [Step; 3] = [
    Step {
        name: "best",
        is_proven: |report| report.certainty == Certainty::Exact,
    },
    Step {
        name: "ties",
        is_proven: |report| {
            let margin = report.margin;
            let decided = |bounds: &Bounds| bounds.lower == margin || bounds.upper < margin;
            report.certainty == Certainty::Exact
                && report.moves.iter().all(|(_, bounds)| decided(bounds))
        },
    },
    Step {
        name: "all",
        is_proven: |report| report.moves.iter().all(|(_, bounds)| bounds.is_exact()),
    },
];

/// What a player needs to choose, in [`STEPS`].
const TIES: usize = 1;

struct Step {
    name: &'static str,
    is_proven: fn(&Report) -> bool,
}

pub(crate) fn run(arguments: &WithinArguments) -> anyhow::Result<()> {
    for &rules in &arguments.rules {
        let WithinArguments {
            houses,
            seeds,
            positions,
            ..
        } = *arguments;
        println!(
            "{houses}x{seeds} {rules}, {} from cold",
            humantime::format_duration(arguments.time)
        );
        let reached = reached(houses, seeds, rules, positions).context("no such board")?;
        let findings = reached
            .into_iter()
            .map(|position| find(position, arguments));
        let findings: Vec<_> = findings.inspect(tell_what_is_open).collect();
        tell(&findings);
    }
    Ok(())
}

/// Has an engine that has seen nothing yet prove all it can, the best choice first.
fn find(position: Position, arguments: &WithinArguments) -> Finding {
    let mut engine = Engine::new()
        .with_threads(or_all(arguments.threads))
        .with_memory(bytes(arguments.memory));
    let limits = Limits {
        time: Some(arguments.time),
        goal: Goal::AllMargins,
        ..Limits::default()
    };
    let mut proven = [None; STEPS.len()];
    let mut see = |report: &Report| {
        for (step, proven) in STEPS.iter().zip(&mut proven) {
            if proven.is_none() && (step.is_proven)(report) {
                *proven = Some(report.time);
            }
        }
    };
    let origin = Instant::now();
    let report = engine.analyse_with_progress(&position, limits, &|| origin.elapsed(), &mut see);
    see(&report);
    Finding {
        position,
        report,
        proven,
    }
}

/// Seeds in the houses of both sides.
fn in_play(position: &Position) -> u32 {
    let rows = Side::ALL.map(|side| u32::from(position.row_total(side).get()));
    rows.iter().sum()
}

fn tell_what_is_open(finding: &Finding) {
    let Finding {
        position, report, ..
    } = finding;
    // Whoever plays needs no more than the ties.
    let mut steps = STEPS[..=TIES].iter().zip(finding.proven);
    let Some((Step { name, .. }, _)) = steps.find(|(_, proven)| proven.is_none()) else {
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
const PARTS: [RangeInclusive<u32>; 4] = [96..=100, 86..=95, 66..=85, 0..=65];

/// A line for positions of about as many seeds, and one for all: how many were proven, and the longest
/// time that took.
fn tell(findings: &[Finding]) {
    let titles = STEPS.map(|step| format!("{:>4} {:>8}", step.name, "within"));
    println!("  seeds in play  positions  {}", titles.join("  "));
    let percent = |finding: &Finding| {
        let most = findings.first().map_or(1, |start| in_play(&start.position));
        100 * in_play(&finding.position) / most.max(1)
    };
    let parts = PARTS.map(|part| {
        let of_part = findings.iter().filter(|one| part.contains(&percent(one)));
        of_part.collect::<Vec<_>>()
    });
    let all = findings.iter().collect();
    for part in parts.into_iter().chain([all]) {
        let seeds = part.iter().map(|finding| in_play(&finding.position));
        let (Some(least), Some(most)) = (seeds.clone().min(), seeds.max()) else {
            continue;
        };
        let columns: [_; STEPS.len()] = std::array::from_fn(|step| {
            let proven = part.iter().filter_map(|finding| finding.proven[step]);
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
