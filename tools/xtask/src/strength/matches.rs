//! One match: the call of `kalah arena` and its results.

use std::fmt::{self, Write as _};
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::binary::{BinaryIdentity, MeasuredBuild};
use super::{Interruption, StrengthArguments};

/// The options of engines that are a `kalah` binary.
pub(super) const ENGINE_OPTIONS: [&str; 3] = ["Threads=1", "Memory=64", "Tables=none"];

/// The part of an opponent after the path of its binary.
const NAME_PART: &str = ",name=";

/// The file with the results of a finished match, in its folder.
const RESULT_FILE: &str = "result.json";

/// The folder of the arena in the folder of a match.
const ARENA_DIR: &str = "arena";

/// The file that an arena writes first.
const ARENA_FILE: &str = "tournament.json";

/// The digits of the hash in the name of a match's folder.
const HASH_DIGITS: usize = 8;

/// An opponent of the build.
#[derive(Clone, Debug)]
pub(super) struct Opponent {
    /// The name; `None` if the arena derives it from `contestant`.
    pub(super) name: Option<String>,
    /// The contestant as `kalah arena --engine` reads it.
    pub(super) contestant: String,
    /// The binary of an opponent that is a `kalah` binary.
    pub(super) binary: Option<BinaryIdentity>,
}

impl Opponent {
    /// Parses the path of a `kalah` binary with an optional name, or a contestant of the arena.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let (path, name) = match text.split_once(NAME_PART) {
            Some((path, name)) => (Path::new(path), Some(name.to_owned())),
            None => (Path::new(text), None),
        };
        if !path.is_file() {
            return Ok(Self {
                name: None,
                contestant: text.to_owned(),
                binary: None,
            });
        }
        let identity = BinaryIdentity::read(path)?;
        let name = name.unwrap_or_else(|| identity.name());
        Ok(Self {
            contestant: engine(path, &name, &[])?,
            name: Some(name),
            binary: Some(identity),
        })
    }
}

/// The name, or else the contestant.
impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.as_ref().unwrap_or(&self.contestant))
    }
}

/// Returns a `kalah` binary as a contestant that speaks the engine protocol.
fn engine(path: &Path, name: &str, options: &[String]) -> anyhow::Result<String> {
    let path = fs::canonicalize(path).with_context(|| path.display().to_string())?;
    let path = path.to_str().context("the path is not UTF-8")?;
    let path = shlex::try_quote(path)?;
    let mut contestant = format!("cmd={path} engine,name={name}");
    for option in ENGINE_OPTIONS
        .into_iter()
        .chain(options.iter().map(String::as_str))
    {
        let _ = write!(contestant, ",option.{option}");
    }
    Ok(contestant)
}

/// The settings of a match.
pub(super) struct Match<'a> {
    pub(super) build: &'a MeasuredBuild,
    pub(super) opponent: &'a Opponent,
    pub(super) arguments: &'a StrengthArguments,
    pub(super) board: &'a str,
    pub(super) rules: &'a str,
    pub(super) time: &'a str,
}

/// How the play of a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatchEnd {
    /// All games are finished, or the sequential test is decided.
    Complete,
    /// Ctrl-C or a signal has interrupted the match.
    Interrupted,
}

impl Match<'_> {
    /// Plays the match or the rest of it, and returns the document of `kalah arena --json`.
    ///
    /// # Errors
    /// If the arena fails or its document cannot be read.
    pub(super) fn play(&self, interruption: &Interruption) -> anyhow::Result<(Value, MatchEnd)> {
        let options = self.options()?;
        let folder = self.folder(&options);
        let result_file = folder.join(RESULT_FILE);
        if result_file.exists() {
            let text = fs::read_to_string(&result_file)?;
            let result = serde_json::from_str(&text);
            let result = result.with_context(|| result_file.display().to_string())?;
            return Ok((result, MatchEnd::Complete));
        }
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let output = self.run_arena(&folder.join(ARENA_DIR), &options, interruption)?;
        // An arena that is interrupted prints the results so far, unless it has not begun.
        ensure!(
            output.success || interruption.is_requested() && !output.text.is_empty(),
            "the match has failed: {self}"
        );
        let result: Value = serde_json::from_str(&output.text).context("the arena's results")?;
        if result["is_complete"] != true {
            return Ok((result, MatchEnd::Interrupted));
        }
        // The file must not be there before it is complete.
        let part = folder.join(format!("{RESULT_FILE}.part"));
        fs::write(&part, &output.text).with_context(|| part.display().to_string())?;
        fs::rename(&part, &result_file)?;
        Ok((result, MatchEnd::Complete))
    }

    /// Returns the arguments of a new arena apart from its folder, which settle the match.
    fn options(&self) -> anyhow::Result<Vec<String>> {
        let arguments = self.arguments;
        let name = self.build.identity.name();
        if self.opponent.name.as_ref() == Some(&name) {
            bail!("`{name}` is the build and its opponent: give the opponent a name with ,name=");
        }
        let engine = engine(&self.build.program, &name, &arguments.options)?;
        let mut options = vec![
            format!("--engine={engine}"),
            format!("--engine={}", self.opponent.contestant),
            format!("--board={}", self.board),
            format!("--rules={}", self.rules),
            format!("--time={}", self.time),
            format!("--grace={}", arguments.grace),
            format!("--openings=random:{}", arguments.plies),
            format!("--seed={}", arguments.seed),
            format!("--rounds={}", arguments.rounds()),
        ];
        if let Some(rule) = &arguments.resign {
            options.push(format!("--resign={rule}"));
        }
        if let Some(parameters) = &arguments.sprt {
            options.push("--sprt".to_owned());
            options.extend(parameters.iter().cloned());
        }
        Ok(options)
    }

    /// Returns the folder of the match, whose name ends with a hash of all settings.
    fn folder(&self, options: &[String]) -> PathBuf {
        let mut hasher = Sha256::new();
        for option in options {
            hasher.update(option);
            hasher.update([0]);
        }
        if let Some(binary) = &self.opponent.binary {
            hasher.update(&binary.hash);
        }
        let mut hash = format!("{:x}", hasher.finalize());
        hash.truncate(HASH_DIGITS);
        let words = [self.board, self.rules, self.time, &hash].join("-");
        let is_plain =
            |character: char| character.is_ascii_alphanumeric() || "-.".contains(character);
        let name = words.replace(|character| !is_plain(character), "_");
        self.build.folder.join(name)
    }

    /// Runs `kalah arena`, which begins the match or resumes it.
    fn run_arena(
        &self,
        folder: &Path,
        options: &[String],
        interruption: &Interruption,
    ) -> anyhow::Result<ArenaOutput> {
        let mut command = Command::new(&self.build.program);
        command.arg("arena");
        if folder.join(ARENA_FILE).exists() {
            command.arg("--resume").arg(folder);
        } else {
            command.args(options).arg("--out").arg(folder);
        }
        let concurrency = self.arguments.concurrency.to_string();
        command.args(["--json", "--concurrency", &concurrency]);
        // Without a terminal the arena would print a line for each game.
        if !io::stderr().is_terminal() {
            command.arg("--quiet");
        }
        let arena = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let arena = arena.with_context(|| self.build.program.display().to_string())?;
        interruption.set_arena(Some(arena.id()));
        let output = arena.wait_with_output();
        interruption.set_arena(None);
        let output = output.context("the arena's results cannot be read")?;
        Ok(ArenaOutput {
            success: output.status.success(),
            text: String::from_utf8(output.stdout).context("the arena's results")?,
        })
    }
}

/// The end of an arena's process.
struct ArenaOutput {
    success: bool,
    /// The standard output.
    text: String,
}

/// The board, the rules, the time and the opponent.
impl fmt::Display for Match<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            board,
            rules,
            time,
            opponent,
            ..
        } = self;
        write!(f, "{board}, {rules}, {time}, against {opponent}")
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::atomic::Ordering;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct TestArguments {
        #[command(flatten)]
        strength: StrengthArguments,
    }

    fn arguments(words: &[&str]) -> StrengthArguments {
        let words = ["strength", "--against=first"].iter().chain(words);
        TestArguments::try_parse_from(words).unwrap().strength
    }

    /// A program in the place of `kalah`. Its first call is interrupted after one game of two, and
    /// the next one finishes the match; each call adds its arguments to a file.
    const PROGRAM: &str = r#"#!/bin/sh
printf '%s ' "$@" >> "$0.calls"
echo >> "$0.calls"
case $2 in
--resume)
    echo '{"is_complete": true, "games_finished": 2}'
    ;;
*)
    for folder in "$@"; do case $folder in */arena) mkdir "$folder"; touch "$folder/tournament.json" ;; esac; done
    echo '{"is_complete": false, "games_finished": 1}'
    exit 130
    ;;
esac
"#;

    fn fake_build(folder: &Path) -> MeasuredBuild {
        let program = folder.join("kalah");
        fs::write(&program, PROGRAM).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        MeasuredBuild {
            folder: folder.to_owned(),
            program,
            identity: BinaryIdentity {
                hash: "0123456789ab".to_owned(),
                commit: Some("89abcdef".to_owned()),
            },
        }
    }

    #[test]
    fn interrupted_match_is_resumed_and_finished_one_is_not_played_again() {
        let folder = tempfile::tempdir().unwrap();
        let build = fake_build(folder.path());
        let arguments = arguments(&["--games=2", "--option=Threads=2"]);
        let settings = Match {
            build: &build,
            opponent: &Opponent::parse("level:3").unwrap(),
            arguments: &arguments,
            board: "10x10",
            rules: "standard",
            time: "nodes=500",
        };
        let interruption = Interruption::default();
        // The arena fails without a request.
        assert!(settings.play(&interruption).is_err());
        let match_dir = settings.folder(&settings.options().unwrap());
        fs::remove_dir_all(match_dir.join(ARENA_DIR)).unwrap();

        interruption.is_requested.store(true, Ordering::Relaxed);
        let (result, end) = settings.play(&interruption).unwrap();
        assert_eq!(
            (&result["games_finished"], end),
            (&1.into(), MatchEnd::Interrupted)
        );
        for _ in 0..2 {
            let (result, end) = settings.play(&Interruption::default()).unwrap();
            assert_eq!(
                (&result["games_finished"], end),
                (&2.into(), MatchEnd::Complete)
            );
        }
        let calls = fs::read_to_string(build.program.with_extension("calls")).unwrap();
        let calls: Vec<&str> = calls.lines().collect();
        assert_eq!(calls.len(), 3, "{calls:?}");
        let program = build.program.canonicalize().unwrap();
        assert_eq!(
            calls[1],
            format!(
                "arena --engine=cmd={} engine,name=89abcdef,option.Threads=1,option.Memory=64,\
                 option.Tables=none,option.Threads=2 --engine=level:3 --board=10x10 \
                 --rules=standard --time=nodes=500 --grace=50ms --openings=random:6 --seed=1 \
                 --rounds=1 --out {} --json --concurrency 1 --quiet ",
                program.display(),
                match_dir.join(ARENA_DIR).display()
            )
        );
        assert!(calls[2].starts_with("arena --resume "), "{}", calls[2]);
    }

    #[test]
    fn folder_of_a_match_depends_on_its_settings() {
        let folder = tempfile::tempdir().unwrap();
        let build = fake_build(folder.path());
        let opponent = Opponent::parse("level:3").unwrap();
        let name = |arguments: &StrengthArguments, time: &str| {
            let settings = Match {
                build: &build,
                opponent: &opponent,
                arguments,
                board: "6x6",
                rules: "ends=row,capture=always,swap=no,first-bonus=yes",
                time,
            };
            settings.folder(&settings.options().unwrap())
        };
        let plain = name(&arguments(&[]), "20ms");
        assert_eq!(plain, name(&arguments(&["--concurrency=2"]), "20ms"));
        for (words, time) in [
            (&["--seed=2"][..], "20ms"),
            (&["--games=10"], "20ms"),
            (&["--sprt"], "20ms"),
            (&["--resign=seeds=30"], "20ms"),
            (&["--option=Memory=8"], "20ms"),
            (&[], "21ms"),
        ] {
            assert_ne!(plain, name(&arguments(words), time), "{words:?} {time}");
        }
    }

    #[test]
    fn opponent_is_a_binary_or_a_contestant() {
        let folder = tempfile::tempdir().unwrap();
        let build = fake_build(folder.path());
        let path = build.program.to_str().unwrap();
        let named = Opponent::parse(&format!("{path},name=0fb987f5")).unwrap();
        assert_eq!(named.to_string(), "0fb987f5");
        assert!(named.contestant.ends_with(
            "kalah engine,name=0fb987f5,option.Threads=1,option.Memory=64,option.Tables=none"
        ));
        let unnamed = Opponent::parse(path).unwrap();
        let hash = unnamed.binary.as_ref().unwrap().hash.clone();
        assert_eq!(unnamed.to_string(), format!("kalah {hash}"));
        let text = "cmd='./peer --fast',name=Peer";
        let contestant = Opponent::parse(text).unwrap();
        assert_eq!(
            (contestant.contestant.as_str(), contestant.name),
            (text, None)
        );
    }
}
