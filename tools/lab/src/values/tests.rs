//! The committed table, and the command on small tables.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use clap::Parser;
use kalah::{House, Margin, Rules, reference};

use super::values_file::{ProofCheck, Publication};
use super::*;

const TABLE: &str = include_str!("../../../../data/values.csv");

/// The document with the margins.
const DOCUMENT: &str = include_str!("../../../../docs/values.md");

/// Published values.
const PUBLISHED: &str = include_str!("../../../../crates/core/kalah/tests/data/values.csv");

/// The maximum number of seeds in all of the starts that the engine proves again.
const MAX_SEEDS: u64 = 32;

/// The maximum size of the starts that the reference search solves, too; a larger one takes it
/// seconds.
const MAX_HOUSES_REFERENCE: u8 = 3;
const MAX_SEEDS_REFERENCE: u64 = 18;

fn table() -> Vec<ValueRow> {
    values_file::parse_rows(TABLE).expect("a table of values")
}

/// Returns the number of seeds of both sides.
fn total_seeds(start: Start) -> u64 {
    u64::from(start.houses()) * u64::from(start.seeds()) * 2
}

/// The number of seeds in each house up to which the table has every start under three rule sets,
/// for boards of 1 to 8 houses a side.
const COMPLETE_SEEDS: [u8; 8] = [6, 6, 6, 6, 6, 6, 4, 3];

/// Returns whether the table must have a start.
fn is_required(start: &Start) -> bool {
    start.seeds() <= COMPLETE_SEEDS[usize::from(start.houses()) - 1]
}

#[test]
fn committed_table_has_every_start_up_to_the_complete_sizes() {
    let all: Vec<Start> = Start::all().into_iter().filter(is_required).collect();
    assert_eq!(all.len(), 3 * (6 * 6 + 4 + 3));
    let table = table();
    let is_there = |start: &Start| table.iter().any(|value| value.start == *start);
    let missing: Vec<String> = (all.iter().filter(|start| !is_there(start)))
        .map(Start::to_string)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn committed_table_agrees_with_published_values() {
    let table = table();
    let mut compared = 0;
    for line in PUBLISHED
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
    {
        let fields: Vec<&str> = line.split(',').collect();
        let (rules, houses, seeds): (Rules, u8, u8) = (
            fields[0].parse().unwrap(),
            fields[1].parse().unwrap(),
            fields[2].parse().unwrap(),
        );
        let start = Start::new(rules, houses, seeds).unwrap();
        let value = table.iter().find(|value| value.start == start);
        let margin = value.map(|value| value.margin.seeds().to_string());
        assert_eq!(margin.as_deref(), Some(fields[3]), "{line}");
        compared += 1;
    }
    assert_eq!(compared, 28);
}

/// The number of seeds in each house up to which docs/values.md says that proofs were checked
/// whole, for boards of 1 to 8 houses a side, and a start with more.
const WHOLE_CHECK_SEEDS: [u8; 8] = [6, 6, 6, 6, 6, 5, 3, 2];
const LARGEST_WHOLE_CHECK: &str = "6x6 standard";

#[test]
fn proofs_of_small_starts_were_checked_whole() {
    for value in table() {
        let start = value.start;
        let is_small = start.seeds() <= WHOLE_CHECK_SEEDS[usize::from(start.houses()) - 1];
        let is_whole = value.evidence.check == ProofCheck::Whole;
        let expected = is_small || start.to_string() == LARGEST_WHOLE_CHECK;
        assert_eq!(is_whole, expected, "{start}");
    }
}

/// The sources of the published values: `P` is printed by Irving and others, `R` by Rawlings. `B`
/// is not a publication.
#[test]
fn committed_table_names_the_publications() {
    let published = |start: Start| {
        let prefix = format!("{},{},{},", start.rules(), start.houses(), start.seeds());
        let line = PUBLISHED.lines().find(|line| line.starts_with(&prefix))?;
        line.rsplit(',').next()
    };
    let mut known = 0;
    for value in table() {
        let start = value.start;
        let expected = match published(start) {
            Some("P") => Publication::Irving,
            Some("R") => Publication::Rawlings,
            _ if start.to_string() == "6x6 standard" => Publication::RawlingsLowerBound,
            _ => Publication::Unknown,
        };
        assert_eq!(value.evidence.publication, expected, "{start}");
        known += i32::from(expected != Publication::Unknown);
    }
    assert_eq!(known, 21);
}

#[test]
fn committed_values_have_two_proofs_with_different_tables() {
    for value in table() {
        let ValueRow {
            start,
            table_seeds,
            second_table_seeds,
            ..
        } = value;
        assert_ne!(table_seeds, second_table_seeds, "{start}");
    }
}

/// Returns the margins of the tables in docs/values.md: each table follows a heading with its
/// rules, has the seeds in the first row, and the houses in the first column. Unknown margins are
/// empty.
fn documented_margins() -> Vec<(Rules, u8, u8, i32)> {
    let mut margins = Vec::new();
    let mut rules = None;
    let mut seeds: Vec<u8> = Vec::new();
    for line in DOCUMENT.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            rules = heading.trim_matches('`').parse::<Rules>().ok();
        }
        let (Some(rules), Some(row)) = (rules, line.strip_prefix("| ")) else {
            continue;
        };
        let mut cells = row.trim_end_matches('|').split('|').map(str::trim);
        let first = cells.next().unwrap();
        let Ok(houses) = first.parse() else {
            if !first.starts_with('-') {
                seeds = cells.map(|cell| cell.parse().unwrap()).collect();
            }
            continue;
        };
        let known = seeds.iter().zip(cells).filter(|(_, cell)| !cell.is_empty());
        margins.extend(known.map(|(&seeds, cell)| (rules, houses, seeds, cell.parse().unwrap())));
    }
    margins
}

#[test]
fn document_has_the_margins_of_the_table() {
    let mut documented = documented_margins();
    let of_row = |row: &ValueRow| {
        let start = row.start;
        (
            start.rules(),
            start.houses(),
            start.seeds(),
            row.margin.seeds(),
        )
    };
    let mut expected: Vec<_> = table().iter().map(of_row).collect();
    let order =
        |&(rules, houses, seeds, _): &(Rules, u8, u8, i32)| (rules.to_string(), houses, seeds);
    documented.sort_by_key(order);
    expected.sort_by_key(order);
    assert_eq!(documented, expected);
}

#[test]
fn small_values_are_proven_again() {
    let mut proven = 0;
    let mut counted = 0;
    for value in table() {
        let start = value.start;
        if total_seeds(start) > MAX_SEEDS {
            continue;
        }
        let options = ProofOptions {
            memory: 1 << 30,
            threads: NonZeroUsize::MIN,
            table_seeds: None,
            max_time: None,
        };
        let ProofOutcome::Finished(proof) = options.prove(start, "test").unwrap() else {
            panic!("the proof of {start} was stopped");
        };
        assert_eq!(proof.margin, value.margin, "{start}");
        proven += 1;
        if start.houses() <= MAX_HOUSES_REFERENCE && total_seeds(start) <= MAX_SEEDS_REFERENCE {
            let margin = reference::margin(&start.position().unwrap());
            assert_eq!(margin, value.margin, "{start}");
            counted += 1;
        }
    }
    assert!(
        proven >= 70 && counted >= 36,
        "{proven} proven, {counted} counted"
    );
}

#[test]
fn lines_are_legal_and_complete_lines_end_with_the_margin() {
    let mut ended = 0;
    for value in table() {
        let mut position = value.start.position().unwrap();
        for letter in value.line.chars().filter(|letter| !letter.is_whitespace()) {
            let (side, house) = House::from_letter(letter).expect("a letter");
            assert_eq!(side, position.to_move(), "{value}");
            position
                .sow(house)
                .unwrap_or_else(|reason| panic!("{value}: {reason}"));
        }
        if let Some(outcome) = position.outcome() {
            let stores = outcome.stores;
            let margin = i32::from(stores.south) - i32::from(stores.north);
            assert_eq!(margin, value.margin.seeds(), "{value}");
            ended += 1;
        }
    }
    assert!(ended >= 100, "{ended}");
}

#[derive(Parser)]
struct ParsedArguments {
    #[command(flatten)]
    arguments: ValuesArguments,
}

/// Runs `cargo lab values` with these arguments and this file.
fn run_values(words: &str, file: &Path) -> anyhow::Result<()> {
    let mut arguments = vec!["values", "--file", file.to_str().expect("text")];
    arguments.extend(words.split_whitespace());
    run(&ParsedArguments::try_parse_from(arguments)?.arguments)
}

#[test]
fn only_missing_values_are_added_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/values.csv");
    let starts = || {
        let values = ValuesFile::new(&file).read().unwrap();
        let starts = values.iter().map(|value| value.start.to_string());
        starts.collect::<Vec<_>>()
    };
    run_values("--houses 3 --seeds 2 --rules standard", &file).unwrap();
    assert_eq!(starts(), ["3x2 standard"]);

    // A marked value shows whether the existing row is kept.
    let text = fs::read_to_string(&file).unwrap();
    let marked = text.replace(&program_version(), "marked");
    assert_ne!(marked, text);
    fs::write(&file, marked).unwrap();
    run_values("--houses 3 --houses 2 --seeds 2 --threads 1", &file).unwrap();
    assert_eq!(
        starts(),
        [
            "2x2 cs32",
            "3x2 cs32",
            "2x2 standard",
            "3x2 standard",
            "2x2 empty-capture",
            "3x2 empty-capture"
        ]
    );
    let values = ValuesFile::new(&file).read().unwrap();
    let marked = values.iter().filter(|value| value.program == "marked");
    assert_eq!(marked.count(), 1);
    assert_eq!(
        fs::read_dir(file.parent().unwrap()).unwrap().count(),
        1,
        "a temporary file is left beside the table"
    );
}

#[test]
fn a_proof_that_exceeds_the_time_limit_adds_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("values.csv");
    run_values("--houses 5 --seeds 6 --max-seconds 0 --rules cs32", &file).unwrap();
    assert!(ValuesFile::new(&file).read().unwrap().is_empty());
}

#[test]
fn starts_outside_the_table_are_refused() {
    for words in ["--rules mankalah", "--houses 8 --seeds 5", "--houses 9"] {
        assert!(
            run_values(words, Path::new("never-made.csv")).is_err(),
            "{words}"
        );
    }
    assert!(!Path::new("never-made.csv").exists());
}

#[test]
fn check_reports_a_wrong_margin() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("values.csv");
    run_values("--houses 3 --seeds 3", &file).unwrap();
    run_values("--check", &file).unwrap();
    // The check passes with another endgame table, too.
    run_values("--check --table-seeds 5", &file).unwrap();

    let text = fs::read_to_string(&file).unwrap();
    let wrong = text.replace("standard,3,3,2,", "standard,3,3,4,");
    assert_ne!(wrong, text);
    fs::write(&file, wrong).unwrap();
    let error = run_values("--check", &file).unwrap_err();
    assert_eq!(error.to_string(), "1 of 3 values are wrong");
    // Values that the arguments exclude are not checked.
    run_values("--check --rules cs32", &file).unwrap();
}

#[test]
fn malformed_tables_are_refused() {
    let header = ValueRow::HEADER;
    let good = "cs32,3,2,4,138,5,120,6,1,0.00,0.1.0,BC ac B b CB c,no,irving-2000,3/7";
    let value: ValueRow = good.parse().unwrap();
    assert_eq!(value.margin, Margin::new(4));
    assert_eq!(value.to_string(), good);
    for (text, reason) in [
        (String::new(), "the first line is not `rules,houses,"),
        (good.to_owned(), "the first line is not `rules,houses,"),
        (
            format!("{header}\n{good},x\n"),
            "line 2: 16 columns instead of 15",
        ),
        (
            format!("{header}\n{good}\n{good}\n"),
            "line 3: 3x2 cs32 is out of order",
        ),
        (
            format!("{header}\n{}\n", good.replace(",138,", ",-1,")),
            "line 2: `-1` is not a number of nodes",
        ),
        (
            format!("{header}\n{}\n", good.replace("0.00", "-1")),
            "line 2: `-1` is not a time",
        ),
        (
            format!("{header}\n{}\n", good.replace(",no,", ",,")),
            "line 2: `` is neither yes nor no",
        ),
        (
            format!("{header}\n{}\n", good.replace("irving", "uiterwijk")),
            "line 2: `uiterwijk-2000` is not a publication",
        ),
        (
            format!("{header}\n{}\n", good.replace("3/7", "all")),
            "line 2: `all` is not a check of a proof",
        ),
        (
            format!("{header}\n{}\n", good.replace("3/7", "7/7")),
            "line 2: `7/7` is not a sample of leaves",
        ),
        (
            format!("{header}\n{}\n", good.replace("cs32,3,2", "cs32,7,7")),
            "line 2: 7x7 under cs32 is not in the table of values",
        ),
    ] {
        let error = values_file::parse_rows(&text).unwrap_err();
        let message = format!("{error:#}");
        assert!(message.starts_with(reason), "{message}");
    }
}
