//! Good and bad certificates, which the check and the program in `docs/` accept and refuse alike.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use kalah_check::{Certificate, CheckOptions, LeafSelection, check};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use test_tools::{Tool, sample_or_all};

/// Returns the paths in a folder, in the order of their names.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

/// Returns the paths in a folder of the suite.
fn certificates(folder: &str) -> Vec<PathBuf> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificates");
    entries(&suite.join(folder))
}

/// Returns the bad certificates, which are in a folder for each rule.
fn bad_certificates() -> Vec<PathBuf> {
    let rules = certificates("bad").into_iter();
    rules.flat_map(|rule| entries(&rule)).collect()
}

fn name(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.expect("a name in UTF-8")
}

/// Returns the reason why the check refuses a certificate, which it calls `FILE`; `None` if it
/// accepts it.
fn refusal(path: &Path) -> Option<String> {
    let certificate = match Certificate::read(path) {
        Ok(certificate) => certificate,
        Err(error) => {
            let file = format!("'{}'", path.display());
            return Some(error.to_string().replace(&file, "FILE"));
        }
    };
    let options = CheckOptions {
        leaves: LeafSelection::All,
        threads: NonZeroUsize::MIN,
        max_nodes: u64::MAX,
        memory: 1 << 20,
        stop_flag: &AtomicBool::new(false),
        observer: &|_| {},
    };
    let report = check(&certificate, options);
    let fault = report.faults.first().map(ToString::to_string);
    (!report.is_proof()).then(|| fault.unwrap_or_else(|| "a margin is not exact".to_owned()))
}

/// Runs the program in `docs/` for each file of the arguments after it, and prints a line of JSON
/// with its output and the value of its exit: `null` for the exit code 0.
const RUN_EACH: &str = "\
import contextlib, io, json, runpy, sys
_, program, *paths = sys.argv
for path in paths:
    output, code = io.StringIO(), None
    sys.argv = [program, path]
    with contextlib.redirect_stdout(output):
        try:
            runpy.run_path(program, run_name='__main__')
        except SystemExit as error:
            code = error.code
    print(json.dumps([code, output.getvalue()]))
";

/// Returns whether the program in `docs/` accepts each certificate, with its output as JSON.
fn run_program(paths: &[PathBuf]) -> Vec<(bool, String)> {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/check_proof.py");
    let mut command = Command::new(Tool::Python.require());
    let output = command.args(["-c", RUN_EACH, program]).args(paths).output();
    let output = output.expect("the program runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let results: Vec<_> = (text.lines())
        .map(|line| (line.starts_with("[null, "), line.to_owned()))
        .collect();
    assert_eq!(results.len(), paths.len(), "{message}");
    results
}

/// The rules of the document have a number and a name, as in `1. **encoding**: ...`.
#[test]
fn each_rule_of_the_document_has_bad_certificates() {
    let document = include_str!("../../../../docs/proofs.md");
    let documented: Vec<String> = (document.lines())
        .filter_map(|line| {
            let (number, rest) = line.split_once(". **")?;
            let (rule, _) = rest.split_once("**: ")?;
            Some(format!("{number:0>2}-{}", rule.replace(' ', "-")))
        })
        .collect();
    let folders = certificates("bad");
    let rules: Vec<&str> = folders.iter().map(|path| name(path)).collect();
    assert_eq!(documented, rules);
}

#[test]
fn good_certificates_are_accepted() {
    let good = certificates("good");
    assert!(good.len() >= 30, "{good:?}");
    for path in good {
        assert_eq!(refusal(&path), None, "{}", path.display());
    }
}

/// `bad.txt` has the reason for each certificate, under the rule that the certificate breaks.
#[test]
fn bad_certificates_are_refused_for_their_fault() {
    let refusals = bad_certificates().into_iter().map(|path| {
        let rule = path.parent().map(name).expect("a folder");
        let reason = refusal(&path).expect("a refusal");
        format!("{rule}/{}: {reason}\n", name(&path))
    });
    let refusals: String = refusals.collect();
    assert_eq!(refusals, include_str!("certificates/bad.txt"));
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn program_of_the_documents_accepts_the_same_certificates() {
    let good = certificates("good");
    for (path, (is_accepted, output)) in good.iter().zip(run_program(&good)) {
        assert!(is_accepted, "{}: {output}", path.display());
        let is_after_opening = path.ends_with("after-the-opening.certificate");
        let warns = output.contains("after the opening: ");
        assert_eq!(warns, is_after_opening, "{output}");
    }
    let bad = bad_certificates();
    for (path, (is_accepted, output)) in bad.iter().zip(run_program(&bad)) {
        assert!(!is_accepted, "{}: {output}", path.display());
    }
}

/// Changes a certificate at random: a character, or a line that is removed, repeated, moved, given
/// a ply or taken from another certificate.
fn mutate(text: &str, other: &str, random: &mut Pcg64) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let index = random.random_range(0..lines.len());
    match random.random_range(0..9) {
        0 => drop(lines.remove(index)),
        1 => lines.insert(index, lines[index].clone()),
        2 => {
            let line = lines.remove(index);
            lines.insert(random.random_range(0..=lines.len()), line);
        }
        3 => {
            let other: Vec<&str> = other.lines().collect();
            other[random.random_range(0..other.len())].clone_into(&mut lines[index]);
        }
        4 => lines[index] = lines[index].replace(" yes ", " no "),
        5 => lines[index] = lines[index].replace("moves ", "search "),
        6 => lines[index] += " ply=1",
        _ => {
            let mut characters: Vec<char> = lines[index].chars().collect();
            let place = random.random_range(0..characters.len());
            let choice = ['0', '1', '2', '3', '-', ',', ' ', 's', 'n'];
            characters[place] = choice[random.random_range(0..choice.len())];
            lines[index] = characters.into_iter().collect();
        }
    }
    // Otherwise the number of goals alone makes most changes wrong.
    if let Some(start) = lines.iter().position(|line| line == "goals")
        && let Some(end) = lines.iter().rposition(|line| line.starts_with("end "))
        && end > start
    {
        lines[end] = format!("end {}", end - start - 1);
    }
    lines.join("\n") + "\n"
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn program_of_the_documents_agrees_about_changed_certificates() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts: Vec<String> = (certificates("good").iter())
        .filter(|path| path.extension() != Some("gz".as_ref()))
        .map(|path| fs::read_to_string(path).expect("a text"))
        .collect();
    let mut random = Pcg64::seed_from_u64(33);
    let (mut accepted, mut refused) = (0, 0);
    let mut paths = Vec::new();
    for number in 0..sample_or_all(300, 5_000) {
        let [text, other] = [0; 2].map(|_| &texts[random.random_range(0..texts.len())]);
        let path = folder.path().join(number.to_string());
        fs::write(&path, mutate(text, other, &mut random)).expect("a file");
        paths.push(path);
    }
    for (path, (is_accepted, output)) in paths.iter().zip(run_program(&paths)) {
        let refusal = refusal(path);
        let text = fs::read_to_string(path).expect("a text");
        assert_eq!(
            is_accepted,
            refusal.is_none(),
            "{refusal:?}\n{output}\n{text}"
        );
        accepted += u32::from(is_accepted);
        refused += u32::from(!is_accepted);
    }
    assert!(accepted > 5 && refused > 50, "{accepted} {refused}");
}
