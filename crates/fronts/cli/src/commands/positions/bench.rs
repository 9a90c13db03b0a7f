//! `kalah bench`: a suite of positions whose results are known, and `kalah bench tables`.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, Subcommand, ValueHint};
use indicatif::BinaryBytes;
use kalah::{Position, Rules, format_count};
use kalah_engine::{AnalysisGoal, Engine, Limits, Report};
use kalah_players::{escape_control, quoted_path};
use kalah_tables::{BuildError, BuildEvent, BuildFileError, BuildMemory, Header, Table};
use serde::Serialize;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

use crate::args::position::TypedSetup;
use crate::commands::tables::build::{
    BuildMonitor, BuildWorkJson, NewTableOptions, check_disk_space, check_memory,
};
use crate::error::CliError;
use crate::output::messages::write_json;
use crate::version::VERSION;

#[derive(Clone, Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Without a command, it solves a fixed suite of positions of all sizes and rules, with one thread and
without files. It prints two signatures: a hash of all margins, which never changes, and the number
of nodes (positions searched), which changes only with the search. The hash is XXH3 (64 bits) of the
lines that --margins prints.

Examples:
  kalah bench
  kalah bench --margins
  kalah bench --json
  kalah bench tables --seeds 20"
)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    command: Option<BenchCommand>,
    /// Also print every position with the margins of its moves
    #[arg(long)]
    margins: bool,
    /// Print one line of JSON
    #[arg(long, conflicts_with = "margins")]
    json: bool,
}

/// The value of `kalah bench --json`.
#[derive(Serialize)]
struct SuiteJson {
    /// The hash of all margins.
    margins: String,
    positions: u64,
    nodes: u64,
    seconds: f64,
    nodes_per_second: f64,
    program: &'static str,
}

/// The value of `kalah bench tables --json`.
#[derive(Serialize)]
struct TableBenchJson {
    houses: u8,
    seeds: u8,
    rules: String,
    threads: usize,
    positions: u64,
    bytes: u64,
    #[serde(flatten)]
    build: BuildWorkJson,
    /// The peak of the memory of the process; `null` on systems that do not report it.
    peak_memory_bytes: Option<u64>,
    program: &'static str,
}

#[derive(Clone, Debug, Subcommand)]
enum BenchCommand {
    /// Measure the time and the memory that building an endgame table takes
    Tables(BenchTablesArgs),
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The table is built in memory and dropped. With --dir it is also written to a file, as
`kalah tables build` does; the time of writing is printed separately, and the file is deleted.

Examples:
  kalah bench tables
  kalah bench tables --seeds 20 --rules standard --threads 1 --dir .")]
struct BenchTablesArgs {
    #[command(flatten)]
    table: NewTableOptions,
    /// A folder: measure writing a file there, too
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    dir: Option<PathBuf>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The suite: a line has rules and a position.
const POSITIONS: &str = include_str!("bench_positions.txt");

const MILLION: f64 = 1e6;

const KIBIBYTE: u64 = 1024;

pub(crate) fn run(arguments: &BenchArgs, output: &mut dyn Write) -> Result<(), CliError> {
    match &arguments.command {
        None => run_suite(arguments, output),
        Some(BenchCommand::Tables(arguments)) => run_tables(arguments, output),
    }
}

/// Solves the positions of the suite one after the other. One thread and a new engine for each
/// position make the number of nodes reproducible.
fn run_suite(arguments: &BenchArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let start = Instant::now();
    let (mut margins, mut nodes, mut count) = (String::new(), 0_u64, 0_u64);
    for line in suite_lines() {
        let position = parse_position(line)?;
        let report = solve(&mut Engine::new(), &position);
        let line = margins_line(&position, &report);
        if arguments.margins {
            write!(output, "{line}")?;
            output.flush()?;
        }
        margins += &line;
        nodes += report.nodes;
        count += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    if arguments.json {
        let json = SuiteJson {
            margins: signature(&margins),
            positions: count,
            nodes,
            seconds,
            nodes_per_second: rate(nodes, seconds),
            program: VERSION,
        };
        return Ok(write_json(output, &json)?);
    }
    writeln!(output, "margins {}", signature(&margins))?;
    writeln!(output, "nodes {nodes}")?;
    writeln!(
        output,
        "{} solved in {seconds:.2} s: {:.1} million nodes a second",
        format_count(count, "position"),
        rate(nodes, seconds) / MILLION
    )?;
    Ok(())
}

/// Returns the lines of the suite without its comments.
fn suite_lines() -> impl Iterator<Item = &'static str> {
    POSITIONS.lines().filter(|line| !line.starts_with('#'))
}

/// Parses a line of the suite.
fn parse_position(line: &str) -> Result<Position, CliError> {
    let (rules, position) = line.split_once(' ').unwrap_or((line, ""));
    let invalid = |reason: String| CliError::Runtime(format!("invalid suite: {reason}"));
    let rules: Rules = (rules.parse()).map_err(|reason| invalid(format!("{reason}")))?;
    let setup: TypedSetup =
        (position.parse()).map_err(|reason| invalid(format!("{position}: {reason}")))?;
    setup.playable(rules)
}

/// Proves the margins of all moves.
fn solve(engine: &mut Engine, position: &Position) -> Report {
    let start = Instant::now();
    let limits = Limits {
        goal: AnalysisGoal::AllMargins,
        ..Limits::default()
    };
    engine.analyze(position, limits, &|| start.elapsed())
}

/// Returns a line with the rules, the position, and each move with its margin.
fn margins_line(position: &Position, report: &Report) -> String {
    let side = position.to_move();
    let mut line = format!("{} {position}", position.rules());
    for (mv, bounds) in report.move_bounds() {
        // Writing to a string cannot fail.
        let _ = write!(line, " {}{}", mv.text(side), bounds.lower);
    }
    line + "\n"
}

/// Returns the XXH3 hash of `lines` in hexadecimal digits.
fn signature(lines: &str) -> String {
    format!("{:016x}", xxh3_64(lines.as_bytes()))
}

/// Returns the nodes a second.
#[expect(clippy::cast_precision_loss, reason = "a measurement has fewer digits")]
fn rate(nodes: u64, seconds: f64) -> f64 {
    nodes as f64 / seconds
}

/// Builds a table and prints the time and the memory that it takes.
fn run_tables(arguments: &BenchTablesArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let BenchTablesArgs { table, dir, json } = arguments;
    let (variant, seeds, threads) = (table.variant(), table.seeds, table.threads());
    let positions =
        Table::positions(variant, seeds).map_err(|reason| CliError::Usage(reason.to_string()))?;
    let needed = Table::build_bytes(variant, seeds, BuildMemory::WholeTable);
    check_memory(needed.map_err(|reason| CliError::Usage(reason.to_string()))?)?;
    let file_size = positions.saturating_add(Header::BYTES);
    let folder = match dir {
        Some(dir) => Some(create_temp_dir(dir, file_size)?),
        None => None,
    };

    let mut monitor = BuildMonitor::new(seeds, positions);
    let result = match &folder {
        Some(folder) => {
            let path = folder.path().join(Table::file_name(variant, seeds));
            Table::build_file(&path, variant, seeds, threads, &mut |event| {
                monitor.update(event)
            })
        }
        None => Table::build(variant, seeds, threads, &mut |progress| {
            monitor.update(BuildEvent::Computed(progress))
        })
        .map_err(BuildFileError::from),
    };
    monitor.finish();
    let memory = peak_memory();
    result.map_err(|error| match error {
        BuildFileError::Build(BuildError::Cancelled) => {
            CliError::Interrupted("interrupted: nothing was measured".to_owned())
        }
        error => CliError::Runtime(escape_control(&error.to_string())),
    })?;

    let (houses, rules) = (variant.houses(), variant.rules());
    if *json {
        let json = TableBenchJson {
            houses,
            seeds,
            rules: rules.to_string(),
            threads: threads.get(),
            positions,
            bytes: file_size,
            build: monitor.work(),
            peak_memory_bytes: memory,
            program: VERSION,
        };
        return Ok(write_json(output, &json)?);
    }
    writeln!(
        output,
        "kalah bench tables --houses {houses} --seeds {seeds} --rules {rules} --threads {threads}"
    )?;
    writeln!(output, "{}", monitor.summary())?;
    if let Some(memory) = memory {
        let (peak, each) = (BinaryBytes(memory), bytes_per_position(memory, positions));
        writeln!(
            output,
            "{peak} of memory at the peak: {each:.2} bytes a position"
        )?;
    }
    if folder.is_some() {
        let bytes = BinaryBytes(file_size);
        writeln!(output, "{}: {bytes}", monitor.write_summary())?;
    }
    Ok(())
}

/// Creates a folder in `dir`, which has space for `bytes`. Dropping the value deletes the folder.
fn create_temp_dir(dir: &Path, bytes: u64) -> Result<TempDir, CliError> {
    let quoted = quoted_path(dir);
    if !dir.is_dir() {
        return Err(CliError::Runtime(format!("there is no folder {quoted}")));
    }
    let folder = tempfile::tempdir_in(dir).map_err(|error: io::Error| {
        let reason = escape_control(&error.to_string());
        CliError::Runtime(format!("cannot create a file in {quoted}: {reason}"))
    })?;
    check_disk_space(dir, bytes)?;
    Ok(folder)
}

/// Returns the peak memory of this process in bytes; `None` on systems without `/proc`.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * KIBIBYTE)
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with two digits")]
fn bytes_per_position(bytes: u64, positions: u64) -> f64 {
    bytes as f64 / positions as f64
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use kalah::{Margin, Move, reference};

    use super::*;

    fn suite() -> impl Iterator<Item = Position> {
        suite_lines()
            .map(|line| parse_position(line).unwrap_or_else(|error| panic!("{line}: {error:?}")))
    }

    /// Returns the margin of a move, by the search of the reference implementation.
    fn reference_margin(position: &Position, mv: Move) -> Margin {
        let mut next = position.clone();
        next.play(mv).expect("a legal move");
        // After a swap the same side moves, but the other player.
        let same_player = next.to_move() == position.to_move() && mv != Move::Swap;
        let margin = reference::margin(&next);
        if same_player { margin } else { -margin }
    }

    #[test]
    fn margins_of_small_positions_match_the_reference_implementation() {
        /// Houses and seeds in play for which the reference takes less than a second.
        const MAX_SIZES: [(u8, u16); 4] = [(1, 400), (2, 24), (3, 18), (8, 10)];
        let mut compared = 0;
        for position in suite() {
            let seeds = position.seeds_in_play().get();
            let fits = |&(max_houses, max_seeds): &(u8, u16)| {
                position.houses() <= max_houses && seeds <= max_seeds
            };
            if !MAX_SIZES.iter().any(fits) {
                continue;
            }
            let report = solve(&mut Engine::new(), &position);
            for (mv, bounds) in report.move_bounds() {
                assert!(bounds.is_exact(), "{mv:?} in '{position}'");
                let margin = reference_margin(&position, mv);
                assert_eq!(bounds.lower, margin, "{mv:?} in '{position}'");
                compared += 1;
            }
        }
        assert!(compared > 40, "{compared}");
    }

    #[test]
    fn margins_do_not_depend_on_tables_memory_and_threads() {
        /// A mebibyte has space for the smallest tables and for few positions.
        const MEMORY: usize = 1 << 20;
        /// Positions with more nodes take too long.
        const MAX_NODES: u64 = 50_000;
        let threads = NonZeroUsize::new(2).expect("two");
        let mut compared = 0;
        for position in suite() {
            let report = solve(&mut Engine::new(), &position);
            if report.nodes <= MAX_NODES {
                let mut other = Engine::new().with_memory(MEMORY).with_threads(threads);
                let expected = margins_line(&position, &solve(&mut other, &position));
                assert_eq!(margins_line(&position, &report), expected);
                compared += 1;
            }
        }
        assert!(compared > 50, "{compared}");
    }

    #[test]
    fn suite_covers_all_rules_and_board_representations() {
        let positions: Vec<Position> = suite().collect();
        for preset in Rules::PRESETS {
            assert!(
                positions
                    .iter()
                    .any(|position| position.rules() == preset.rules)
            );
        }
        assert!(
            positions
                .iter()
                .any(|position| position.rules().preset().is_none())
        );
        assert!(positions.iter().any(Position::can_swap));
        assert!(
            positions
                .iter()
                .any(|position| position.seeds_in_play().get() > u8::MAX.into())
        );
        for houses in [1..=7, 8..=15, 16..=26] {
            assert!(
                positions
                    .iter()
                    .any(|position| houses.contains(&position.houses()))
            );
        }
    }

    #[test]
    fn signature_is_xxh3() {
        // Values of the reference implementation of XXH3.
        assert_eq!(signature(""), "2d06800538d394c2");
        assert_eq!(signature("abc"), "78af5f94892f3950");
    }
}
