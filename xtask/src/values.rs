//! `cargo xtask values`: the margins of the starts of all games of up to six houses and six seeds, but for the
//! largest, proven one by one and kept in `data/values.csv`.

mod proof;
mod start;
mod value;
mod values_file;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, ensure};
use bytesize::ByteSize;
use clap::Args;
use kalah::Rules;

use crate::means::{thread_count_parser, threads_or_all, to_usize};
use crate::workspace_root;
use proof::{ProofOptions, ProofOutcome};
use start::{SIZE_RANGE, Start};
use value::ValueRow;
use values_file::ValuesFile;

/// Which values, and what may be taken of the machine for them.
#[derive(Args)]
pub(crate) struct ValuesArguments {
    /// Only boards with so many houses a side; may be given more than once
    #[arg(long, value_name = "M", value_parser = size_parser())]
    houses: Vec<u8>,
    /// Only boards with so many seeds in each house; may be given more than once
    #[arg(long, value_name = "N", value_parser = size_parser())]
    seeds: Vec<u8>,
    /// Only these rules: cs32, standard or empty-capture; may be given more than once
    #[arg(long, value_name = "PRESET")]
    rules: Vec<Rules>,
    /// Memory to search with: 6x5 wants 8GiB, all others are content with one
    #[arg(long, value_name = "SIZE", default_value = "8GiB")]
    memory: ByteSize,
    /// Threads to search with, 256 at most; with one, the counts of nodes are always the same [default: as many
    /// as the machine has]
    #[arg(long, value_name = "N", value_parser = thread_count_parser())]
    threads: Option<u16>,
    /// Seeds in the houses of the endgame table that is built for each proof: a larger table makes a long proof
    /// shorter, and takes a byte for each of its positions [default: what the engine finds right]
    #[arg(long, value_name = "N")]
    table_seeds: Option<u8>,
    /// Give up a value after so many seconds and go on with the next; with --check, leave out those that took longer
    #[arg(long, value_name = "SECONDS")]
    max_seconds: Option<u64>,
    /// Compute the values anew that are there, and compare
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
        fn named<T: PartialEq>(those: &[T], one: &T) -> bool {
            those.is_empty() || those.contains(one)
        }
        named(&self.houses, &start.houses())
            && named(&self.seeds, &start.seeds())
            && named(&self.rules, &start.rules())
    }
}

/// Computes the values that are missing, or checks those that are there.
pub(crate) fn run(arguments: &ValuesArguments) -> anyhow::Result<()> {
    let default = || workspace_root().map(|root| root.join("data/values.csv"));
    let file = ValuesFile::new(&arguments.file.clone().map_or_else(default, Ok)?);
    let mut all = Start::all().into_iter();
    ensure!(
        all.any(|start| arguments.includes(start)),
        "the table of values has no such start"
    );
    let means = ProofOptions {
        memory: to_usize(arguments.memory),
        threads: threads_or_all(arguments.threads),
        table_seeds: arguments.table_seeds,
        max_time: arguments.max_seconds.map(Duration::from_secs),
    };
    if arguments.check {
        check(arguments, &file, &means)
    } else {
        add_missing(arguments, &file, &means)
    }
}

/// Computes what is missing, what is likely to be proven soonest first.
fn add_missing(
    arguments: &ValuesArguments,
    file: &ValuesFile,
    means: &ProofOptions,
) -> anyhow::Result<()> {
    let program = program_version()?;
    let known = file.read()?;
    let mut missing = Start::all();
    missing.retain(|start| arguments.includes(*start) && !contains_start(&known, *start));
    let (mut computed, mut unfinished) = (0, Vec::new());
    for (number, &start) in (1..).zip(&missing) {
        // Somebody else may have added it since.
        if contains_start(&file.read()?, start) {
            continue;
        }
        let which = format!("{number} of {}", missing.len());
        match means.prove(start, &which)? {
            ProofOutcome::Finished(proven) => {
                let value = proven.to_row(start, means.threads, &program);
                eprintln!("{}", describe(&value));
                file.add(value)?;
                computed += 1;
            }
            ProofOutcome::TimedOut(bounds) => {
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

fn contains_start(values: &[ValueRow], start: Start) -> bool {
    values.iter().any(|value| value.start == start)
}

/// Computes anew what is there, and compares the margins: how a proof goes may change.
fn check(
    arguments: &ValuesArguments,
    file: &ValuesFile,
    means: &ProofOptions,
) -> anyhow::Result<()> {
    let mut values = file.read()?;
    values.retain(|value| {
        arguments.includes(value.start) && means.max_time.is_none_or(|most| value.time <= most)
    });
    ensure!(
        !values.is_empty(),
        "there is no such value in {}",
        file.path().display()
    );
    values.sort_by_key(|value| value.time);
    let means = ProofOptions {
        // What took no longer then may take longer now.
        max_time: None,
        ..*means
    };
    let mut wrong = 0;
    for (number, value) in (1..).zip(&values) {
        let which = format!("{number} of {}", values.len());
        let ProofOutcome::Finished(proven) = means.prove(value.start, &which)? else {
            bail!("{} was broken off", value.start);
        };
        if proven.margin != value.margin {
            wrong += 1;
            eprintln!(
                "values: {} is {}, and the table says {}",
                value.start, proven.margin, value.margin
            );
        }
    }
    let all = values.len();
    if wrong > 0 {
        bail!("{wrong} of {all} values are wrong");
    }
    eprintln!("values: {all} computed anew, all as in the table");
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

/// What proves the values: the version, and the last change of the crates that matter, where git tells.
fn program_version() -> anyhow::Result<String> {
    const CRATES: [&str; 3] = ["crates/kalah", "crates/kalah-tables", "crates/kalah-engine"];
    let version = env!("CARGO_PKG_VERSION");
    let root = workspace_root()?;
    let git = |words: &[&str]| {
        let output = (Command::new("git").args(words).arg("--").args(CRATES))
            .current_dir(&root)
            .output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["log", "-1", "--format=%h"]).filter(|commit| !commit.is_empty());
    let Some(commit) = commit else {
        return Ok(version.to_owned());
    };
    let is_committed = git(&["status", "--porcelain"]).is_some_and(|left| left.is_empty());
    let mark = if is_committed { "" } else { ".changed" };
    Ok(format!("{version}+{commit}{mark}"))
}

#[cfg(test)]
mod tests;
