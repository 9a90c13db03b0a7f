//! `cargo lab values`: proves the margins of starts of up to eight houses a side, and keeps them in
//! `data/values.csv`.

mod proof;
mod values_file;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, ensure};
use bytesize::ByteSize;
use clap::Args;
use kalah::Rules;
use kalah_engine::Bounds;

use crate::resources::{thread_count_parser, threads_or_all, to_usize, workspace_root};
use proof::{FinishedProof, ProofOptions, ProofOutcome};
use values_file::{SIZE_RANGE, Start, ValueRow, ValuesFile};

/// The arguments of `cargo lab values`.
#[derive(Args)]
pub(crate) struct ValuesArguments {
    /// Only boards with this number of houses a side; may be repeated
    #[arg(long, value_name = "M", value_parser = size_parser())]
    houses: Vec<u8>,
    /// Only boards with this number of seeds in each house; may be repeated
    #[arg(long, value_name = "N", value_parser = size_parser())]
    seeds: Vec<u8>,
    /// Only this rule set: cs32, standard or empty-capture; may be repeated
    #[arg(long, value_name = "PRESET")]
    rules: Vec<Rules>,
    /// Memory for the first proof: 6x5 needs 8GiB, smaller boards 1GiB; the larger table of the
    /// second proof takes up to as much again
    #[arg(long, value_name = "SIZE", default_value = "8GiB")]
    memory: ByteSize,
    /// Threads for the search, at most 256; with one thread the node counts are reproducible
    /// [default: those of the machine]
    #[arg(long, value_name = "N", value_parser = thread_count_parser())]
    threads: Option<u16>,
    /// Seeds in the houses of the endgame table that is built for each proof: a larger table
    /// shortens a long proof, and takes a byte for each of its positions [default: the engine's
    /// choice]
    #[arg(long, value_name = "N")]
    table_seeds: Option<u8>,
    /// Time limit of a proof, after which the next one starts; with --check, skip the values that
    /// took longer
    #[arg(long, value_name = "SECONDS")]
    max_seconds: Option<u64>,
    /// Prove the values in the table again, and compare the margins
    #[arg(long)]
    check: bool,
    /// The table of values [default: data/values.csv]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

fn size_parser() -> clap::builder::RangedI64ValueParser<u8> {
    clap::value_parser!(u8).range(i64::from(*SIZE_RANGE.start())..=i64::from(*SIZE_RANGE.end()))
}

impl ValuesArguments {
    fn includes(&self, start: Start) -> bool {
        fn matches<T: PartialEq>(filter: &[T], value: &T) -> bool {
            filter.is_empty() || filter.contains(value)
        }
        matches(&self.houses, &start.houses())
            && matches(&self.seeds, &start.seeds())
            && matches(&self.rules, &start.rules())
    }
}

/// Proves the missing values, or checks those in the table.
pub(crate) fn run(arguments: &ValuesArguments) -> anyhow::Result<()> {
    let default = || workspace_root().join("data/values.csv");
    let file = ValuesFile::new(&arguments.file.clone().unwrap_or_else(default));
    let mut all = Start::all().into_iter();
    ensure!(
        all.any(|start| arguments.includes(start)),
        "no start in the table of values matches these arguments"
    );
    let options = ProofOptions {
        memory: to_usize(arguments.memory),
        threads: threads_or_all(arguments.threads),
        table_seeds: arguments.table_seeds,
        max_time: arguments.max_seconds.map(Duration::from_secs),
    };
    if arguments.check {
        check(arguments, &file, &options)
    } else {
        add_missing(arguments, &file, &options)
    }
}

/// Proves the missing values twice, those with the shortest expected proofs first. The second proof
/// has an endgame table of one seed more, so that it searches other positions.
fn add_missing(
    arguments: &ValuesArguments,
    file: &ValuesFile,
    options: &ProofOptions,
) -> anyhow::Result<()> {
    let program = program_version();
    let known = file.read()?;
    let mut missing = Start::all();
    missing.retain(|start| arguments.includes(*start) && !contains_start(&known, *start));
    let (mut computed, mut unfinished) = (0, Vec::new());
    for (number, &start) in (1..).zip(&missing) {
        // Another process may have added it in the meantime.
        if contains_start(&file.read()?, start) {
            continue;
        }
        let which = format!("{number} of {}", missing.len());
        match prove_twice(options, start, &which)? {
            Ok((first, second)) => {
                let value = first.to_row(&second, start, options.threads, &program);
                eprintln!("{}", describe(&value));
                file.add(value)?;
                computed += 1;
            }
            Err(bounds) => {
                unfinished.push(format!(
                    "{start}: from {} to {}",
                    bounds.lower, bounds.upper
                ));
            }
        }
    }
    eprintln!("values: {computed} added to {}", file.path().display());
    for line in unfinished {
        eprintln!("values: not finished: {line}");
    }
    Ok(())
}

/// Returns two proofs with different endgame tables, or the bounds of the one that was stopped.
///
/// # Errors
/// The proofs contradict each other.
fn prove_twice(
    options: &ProofOptions,
    start: Start,
    which: &str,
) -> anyhow::Result<Result<(FinishedProof, FinishedProof), Bounds>> {
    let first = match options.prove(start, which)? {
        ProofOutcome::Finished(first) => first,
        ProofOutcome::TimedOut(bounds) => return Ok(Err(bounds)),
    };
    let other_table = ProofOptions {
        table_seeds: Some(first.table_seeds + 1),
        ..*options
    };
    let second = match other_table.prove(start, which)? {
        ProofOutcome::Finished(second) => second,
        ProofOutcome::TimedOut(bounds) => return Ok(Err(bounds)),
    };
    ensure!(
        first.margin == second.margin,
        "two proofs of {start} contradict each other: {} with a table of {} seeds, and {} with one of \
         {} seeds",
        first.margin,
        first.table_seeds,
        second.margin,
        second.table_seeds
    );
    Ok(Ok((first, second)))
}

fn contains_start(values: &[ValueRow], start: Start) -> bool {
    values.iter().any(|value| value.start == start)
}

/// Proves the values in the table again and compares the margins only: nodes and lines may change.
fn check(
    arguments: &ValuesArguments,
    file: &ValuesFile,
    options: &ProofOptions,
) -> anyhow::Result<()> {
    let mut values = file.read()?;
    values.retain(|value| {
        arguments.includes(value.start) && options.max_time.is_none_or(|max| value.time <= max)
    });
    ensure!(
        !values.is_empty(),
        "no value in {} matches these arguments",
        file.path().display()
    );
    values.sort_by_key(|value| value.time);
    let options = ProofOptions {
        // A proof may take longer now than it took for the table.
        max_time: None,
        ..*options
    };
    let mut wrong = 0;
    for (number, value) in (1..).zip(&values) {
        let which = format!("{number} of {}", values.len());
        let ProofOutcome::Finished(proven) = options.prove(value.start, &which)? else {
            bail!("the proof of {} was stopped", value.start);
        };
        if proven.margin != value.margin {
            wrong += 1;
            eprintln!(
                "values: {} is {}, and {} in the table",
                value.start, proven.margin, value.margin
            );
        }
    }
    let all = values.len();
    if wrong > 0 {
        bail!("{wrong} of {all} values are wrong");
    }
    eprintln!("values: {all} proven again, all as in the table");
    Ok(())
}

fn describe(value: &ValueRow) -> String {
    format!(
        "values: {}: {}, {} nodes, {:.2} s",
        value.start,
        value.margin,
        value.nodes,
        value.time.as_secs_f64()
    )
}

/// Returns the version for the column `program`: that of the package, and the last commit of the
/// crates that a proof depends on, if git is available.
fn program_version() -> String {
    const CRATES: [&str; 3] = [
        "crates/core/kalah",
        "crates/core/tables",
        "crates/core/engine",
    ];
    let version = env!("CARGO_PKG_VERSION");
    let root = workspace_root();
    let git = |words: &[&str]| {
        let output = (Command::new("git").args(words).arg("--").args(CRATES))
            .current_dir(&root)
            .output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["log", "-1", "--format=%h"]).filter(|commit| !commit.is_empty());
    let Some(commit) = commit else {
        return version.to_owned();
    };
    let is_committed = git(&["status", "--porcelain"]).is_some_and(|left| left.is_empty());
    let mark = if is_committed { "" } else { ".changed" };
    format!("{version}+{commit}{mark}")
}

#[cfg(test)]
mod tests;
