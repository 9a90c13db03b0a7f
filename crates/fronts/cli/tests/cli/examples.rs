//! The examples of the documents and of each `--help`: they run, and the outputs that documents
//! show are current.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{kalah, run, run_with_input};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The examples, each with the documents and help pages that have it.
#[derive(Default)]
struct Examples(BTreeMap<String, Vec<String>>);

impl Examples {
    fn add(&mut self, command: &str, source: &str) {
        let sources = self.0.entry(command.trim().to_owned()).or_default();
        sources.push(source.to_owned());
    }

    /// Adds the lines of shell blocks in a document that call `kalah`, and the commands in tables.
    fn add_document(&mut self, name: &str) {
        let document = fs::read_to_string(workspace().join(name)).expect(name);
        let mut is_shell = false;
        for line in document.lines() {
            if line.starts_with("```") {
                is_shell = line == "```sh";
            } else if is_shell {
                if line.starts_with("kalah ") && !line.ends_with('\\') {
                    self.add(line.split("   ").next().expect("a command"), name);
                }
            } else if line.starts_with("| ") && name == "README.md" {
                let code = line.split('`').skip(1).step_by(2);
                code.filter(|code| code.starts_with("kalah "))
                    .for_each(|command| self.add(command, name));
            }
        }
    }

    /// Adds the examples of the help page of a command, and of those of its subcommands. Returns
    /// the number of pages.
    fn add_help_pages(&mut self, command: &[String]) -> usize {
        let help = run(kalah(command).arg("--help")).success();
        let name = [&["kalah".to_owned()], command].concat().join(" ");
        let examples = help.split_once("Examples:\n").unwrap_or_default().1;
        let examples: Vec<&str> = (examples.lines())
            .take_while(|line| line.starts_with("  "))
            // The first page describes each example after the command.
            .filter_map(|line| line.trim().split("   ").next())
            .collect();
        // The pages of nested commands, such as `kalah tables info`, need no examples of their own.
        assert!(!examples.is_empty() || command.len() > 1, "{help}");
        for example in examples {
            assert!(example.contains(&name), "`{example}` on the page of {name}");
            self.add(example, &format!("{name} --help"));
        }
        let pages = subcommands(&help).into_iter();
        let pages = pages.map(|name| self.add_help_pages(&[command, &[name]].concat()));
        1 + pages.sum::<usize>()
    }
}

/// Returns the names that a help page lists under `Commands:`.
fn subcommands(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("\nCommands:\n") else {
        return Vec::new();
    };
    list.lines()
        .take_while(|line| !line.is_empty())
        // Descriptions continue in lines with more indentation.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|&name| name != "help")
        .map(str::to_owned)
        .collect()
}

/// Returns the arguments of each call of `kalah` in a pipeline.
fn calls(command: &str) -> Vec<Vec<String>> {
    let calls = command.split(" | ").filter_map(|part| {
        let call = &part[part.find("kalah")?..];
        let call = call.split(" > ").next()?.split(" < ").next()?;
        let mut words = shlex::split(call).expect("balanced quotes");
        words.remove(0);
        Some(words)
    });
    let calls: Vec<_> = calls.collect();
    assert!(!calls.is_empty(), "{command}");
    calls
}

fn all_examples() -> Examples {
    let mut examples = Examples::default();
    examples.add_document("README.md");
    for entry in fs::read_dir(workspace().join("docs")).expect("documents") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let name = path.file_name().and_then(OsStr::to_str).expect("UTF-8");
            examples.add_document(&format!("docs/{name}"));
        }
    }
    let pages = examples.add_help_pages(&[]);
    assert!(pages > 25, "{pages} pages");
    examples
}

/// A debug build of clap also checks the definition of each command that it parses.
#[test]
fn each_example_is_a_valid_command_line() {
    let examples = all_examples();
    for (command, sources) in &examples.0 {
        for call in calls(command) {
            // With `--help` at its end, the command line is parsed but not executed. The words
            // after `--` are those of another program.
            let own = call.iter().take_while(|word| *word != "--");
            let output = run(kalah(own).arg("--help"));
            assert!(
                output.status.success(),
                "{sources:?}: {command}: {output:#?}"
            );
        }
    }
    assert!(examples.0.len() > 100, "{} examples", examples.0.len());
}

#[cfg(unix)]
mod running {
    use std::env;
    use std::process::Command;

    use tempfile::TempDir;

    use super::*;
    use crate::harness::{KALAH, kalah_in, temp_dir};

    /// The beginnings of examples that do not run here, with the reason. Their command lines are
    /// parsed.
    const NOT_RUN: [(&str, &str); 44] = [
        ("analyze 6x6", "runs for 20 seconds"),
        (
            "arena --engine",
            "plays against programs of the reader, or for minutes",
        ),
        ("arena --resume", "resumes a tournament of the reader"),
        ("arena export", "reads a tournament of the reader"),
        ("arena log", "reads a tournament of the reader"),
        ("arena feedback", "reads a tournament of the reader"),
        ("arena report", "reads a tournament of the reader"),
        ("arena status", "reads a tournament of the reader"),
        ("arena verify", "reads a tournament of the reader"),
        ("bench", "runs for minutes"),
        ("book build 6x4", "runs for minutes"),
        ("book check 6x4.book", "checks such a book"),
        ("book show 6x4.book", "shows such a book"),
        ("bot check", "checks a program of the reader"),
        ("engine-client", "enters a room of the reader"),
        ("games delete", "deletes games that other examples read"),
        ("games end", "ends games that other examples read"),
        ("games names", "changes the games that other examples read"),
        (
            "import episode.json >",
            "appends to the file that other examples read",
        ),
        ("kgp child", "reads the state of a game"),
        ("kgp connect", "connects to a server of the reader"),
        ("kgp serve", "runs until a signal ends it"),
        ("mankalah agent", "reads the messages of a host"),
        ("mankalah host", "runs programs of the reader"),
        ("play --continue", "continues a game of the reader"),
        ("play --north \"cmd=", "starts a program of the reader"),
        ("play --north cmd=", "starts a program of the reader"),
        ("play --north level:5 --clock", "needs the screen"),
        (
            "play --rules standard --north \"cmd=",
            "starts a program of the reader",
        ),
        ("prove 6x5", "runs for minutes"),
        (
            "prove check 5x3.proof --sample",
            "ends with the exit code of a conditional check",
        ),
        ("serve --addr", "runs until a signal ends it"),
        ("serve --backup", "copies the database of a server"),
        ("serve --behind-proxy", "runs until a signal ends it"),
        (
            "serve --open",
            "runs until a signal ends it, and opens a browser",
        ),
        ("serve --page", "runs until a signal ends it"),
        ("serve --share", "runs until a signal ends it"),
        ("solve 6x4", "runs for a minute"),
        ("solve 6x6", "runs for hours"),
        ("tables build", "writes files of hundreds of megabytes"),
        ("tables info kalah-", "reads such a file"),
        ("tables pack", "reads such a file"),
        ("tables unpack", "writes such a file"),
        ("tables verify kalah-", "checks such a file"),
    ];

    /// The input of each example: a game, a puzzle or the engine ends.
    const INPUT: &str = "quit\n";

    /// Creates the files that the examples read.
    fn directory_with_files() -> TempDir {
        let directory = temp_dir();
        let path = directory.path();
        let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
        for (from, to) in [
            ("review.in/games.kgn", "game.kgn"),
            ("review.in/games.kgn", "games.kgn"),
            ("export.in/game.kgn", "standard.kgn"),
            ("import.in/server.log", "server.log"),
            ("import.in/agent.log", "agent.log"),
        ] {
            fs::copy(inputs.join(from), path.join(to)).expect(from);
        }
        let positions = "4x3\n<3,5,2,1,0,2,0,0,1> n\n";
        fs::write(path.join("positions.txt"), positions).expect("a writable folder");
        let tournament = "[Round \"1.10.2\"]\n[South \"Ann\"]\n[Position \"3x2\"]\n\n1. A a *\n";
        fs::write(path.join("tournament.kgn"), tournament).expect("a writable folder");
        let server = path.join("data/kalah/server");
        fs::create_dir_all(&server).expect("a writable folder");
        let games = "games.sqlite3";
        fs::copy(inputs.join("games.in/data").join(games), server.join(games)).expect(games);
        let completions = path.join(".local/share/bash-completion/completions");
        fs::create_dir_all(completions).expect("a writable folder");
        for rules in ["cs32", "standard"] {
            let build = ["tables", "build", "--seeds", "10", "--rules", rules];
            run(in_home(&mut kalah_in(path, &build), path)).success();
        }
        directory
    }

    /// Sets the folders of the user to folders within `path`.
    fn in_home<'a>(command: &'a mut Command, path: &Path) -> &'a mut Command {
        command
            .env("HOME", path)
            .env("XDG_DATA_HOME", path.join("data"))
    }

    #[test]
    fn examples_run_to_their_end() {
        let bin = Path::new(KALAH).parent().expect("a folder");
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([bin.to_owned()].into_iter().chain(env::split_paths(&path)));
        let path = path.expect("valid names of folders");
        let mut unused = NOT_RUN.to_vec();
        let directory = directory_with_files();
        for (command, sources) in all_examples().0 {
            let not_run = (NOT_RUN.iter())
                .find(|(beginning, _)| command.starts_with(&format!("kalah {beginning}")));
            if let Some(not_run) = not_run {
                unused.retain(|other| other != not_run);
                continue;
            }
            let mut shell = Command::new("sh");
            shell
                .args(["-c", &command])
                .current_dir(directory.path())
                .env("PATH", &path);
            let output = run_with_input(in_home(&mut shell, directory.path()), INPUT);
            assert!(
                output.status.success(),
                "{sources:?}: {command}: {output:#?}"
            );
            assert!(
                !output.stderr.contains("warning: "),
                "{sources:?}: {command}: {output:#?}"
            );
        }
        assert!(unused.is_empty(), "no example begins like this: {unused:?}");
    }
}

/// The document on playing shows a prompt with its answer.
#[test]
fn prompt_of_the_document_on_playing_is_current() {
    let document = fs::read_to_string(workspace().join("docs/play.md")).expect("a document");
    let block = document.split_once("```text\n").expect("a block").1;
    let (block, _) = block.split_once("```").expect("the end of the block");
    let (_, typed) = block
        .lines()
        .next()
        .and_then(|line| line.split_once(": "))
        .expect("a prompt");
    let input = format!("{typed}\nquit\n");
    let output = run_with_input(&mut kalah(["play", "--plain"]), input).success();
    for line in block.lines() {
        assert!(
            output.lines().any(|printed| printed == line),
            "{line} in {output}"
        );
    }
}
