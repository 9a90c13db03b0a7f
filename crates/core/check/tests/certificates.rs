//! Good and bad certificates, which the check and the program in `docs/` accept and refuse alike.

use std::fs;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use flate2::Compression;
use flate2::write::GzEncoder;
use kalah_check::{Certificate, CheckOptions, LeafSelection, check};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use test_tools::{Tool, sample_or_all};

/// Returns the certificates of a folder.
fn certificates(folder: &str) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificates");
    let entries = fs::read_dir(path.join(folder)).expect("a folder");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
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

/// Writes files with the contents into a folder.
fn write_files(folder: &Path, contents: impl IntoIterator<Item = Vec<u8>>) -> Vec<PathBuf> {
    let write = |(number, bytes): (usize, Vec<u8>)| {
        let path = folder.join(number.to_string());
        fs::write(&path, bytes).expect("a file");
        path
    };
    contents.into_iter().enumerate().map(write).collect()
}

fn compress(text: &[u8]) -> Vec<u8> {
    let mut file = GzEncoder::new(Vec::new(), Compression::fast());
    file.write_all(text).expect("memory");
    file.finish().expect("memory")
}

/// Returns a text in two compressed parts, one after the other.
fn compressed_parts(text: &[u8]) -> Vec<u8> {
    let (first, second) = text.split_at(text.len() / 2);
    [compress(first), compress(second)].concat()
}

#[test]
fn good_certificates_are_accepted() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy");
    let good = certificates("good");
    assert!(good.len() >= 20, "{good:?}");
    for path in good {
        let text = fs::read(&path).expect("a file");
        for bytes in [text.clone(), compress(&text), compressed_parts(&text)] {
            fs::write(&copy, bytes).expect("a file");
            assert_eq!(refusal(&copy), None, "{}", path.display());
        }
    }
}

#[test]
fn bad_certificates_are_refused_for_their_fault() {
    let refusals = certificates("bad").into_iter().map(|path| {
        let name = path.file_stem().expect("a name").display();
        format!("{name}: {}\n", refusal(&path).expect("a refusal"))
    });
    let refusals: String = refusals.collect();
    assert_eq!(refusals, include_str!("certificates/bad.txt"));
}

/// Returns compressed files that are damaged.
fn damaged_files(text: &[u8]) -> Vec<Vec<u8>> {
    let whole = compress(text);
    let mut changed = whole.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    vec![
        changed,
        whole[..whole.len() - 1].to_vec(),
        whole[..whole.len() / 2].to_vec(),
        whole[..2].to_vec(),
        [&whole[..], b"more"].concat(),
        [&whole[..], &[0; 8]].concat(),
        [&whole[..], text].concat(),
        [&whole[..], &compress(b"more\n")[..]].concat(),
        [text, &whole[..]].concat(),
        compress(&whole),
    ]
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn program_of_the_documents_accepts_the_same_certificates() {
    for (folder, expected) in [("good", true), ("bad", false)] {
        let paths = certificates(folder);
        for (path, (is_accepted, output)) in paths.iter().zip(run_program(&paths)) {
            assert_eq!(is_accepted, expected, "{}: {output}", path.display());
            let is_after_opening = path.ends_with("after-the-opening.certificate");
            assert_eq!(
                output.contains("after the opening: "),
                is_after_opening,
                "{output}"
            );
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let text = fs::read(&certificates("good")[0]).expect("a file");
    let compressed = write_files(folder.path(), [compress(&text), compressed_parts(&text)]);
    for (is_accepted, output) in run_program(&compressed) {
        assert!(is_accepted, "{output}");
    }
    let damaged = write_files(folder.path(), damaged_files(&text));
    for (path, (is_accepted, output)) in damaged.iter().zip(run_program(&damaged)) {
        assert!(refusal(path).is_some(), "{}", path.display());
        assert!(!is_accepted, "{}: {output}", path.display());
    }
}

/// Changes a certificate at random: a character, or a line that is removed, repeated, moved or
/// taken from another certificate.
fn mutate(text: &str, other: &str, random: &mut Pcg64) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let index = random.random_range(0..lines.len());
    match random.random_range(0..8) {
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
        .map(|path| fs::read_to_string(path).expect("a text"))
        .collect();
    let mut random = Pcg64::seed_from_u64(33);
    let (mut accepted, mut refused) = (0, 0);
    let mutated = (0..sample_or_all(300, 5_000)).map(|_| {
        let [text, other] = [0; 2].map(|_| &texts[random.random_range(0..texts.len())]);
        mutate(text, other, &mut random).into_bytes()
    });
    let paths = write_files(folder.path(), mutated);
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
