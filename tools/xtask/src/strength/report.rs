//! The results of matches as a section of `docs/strength.md`.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::thread;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::StrengthArguments;
use super::binary::{BinaryIdentity, MeasuredBuild};
use super::matches::{ENGINE_OPTIONS, Match, Opponent};
use crate::workspace::workspace_root;

/// The document with the results, relative to the root folder.
pub(super) const DOCUMENT: &str = "docs/strength.md";

/// The start of the heading of a section.
const HEADING: &str = "## ";

/// The file in which Linux describes the processors.
const PROCESSORS: &str = "/proc/cpuinfo";

/// The results of all matches, with the settings that they share.
pub(super) struct StrengthReport<'a> {
    pub(super) build: &'a MeasuredBuild,
    pub(super) opponents: &'a [Opponent],
    pub(super) arguments: &'a StrengthArguments,
    /// The command that plays the matches.
    pub(super) command: String,
    pub(super) rows: Vec<MatchRow>,
}

/// The results of a match, a cell of the table each.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MatchRow([String; COLUMNS.len()]);

/// The heads of the table's columns.
const COLUMNS: [&str; 10] = [
    "board",
    "rules",
    "time",
    "opponent",
    "games",
    "won, tied, lost",
    "Elo, 95 %",
    "SPRT",
    "lost by fault",
    "ms a move, mean/slowest",
];

impl MatchRow {
    /// Creates the row from the document of `kalah arena --json`.
    pub(super) fn new(settings: &Match, result: &Value) -> Self {
        let contestants = result["contestants"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let find = |number: u64| {
            let found = contestants.iter().find(|each| each["contestant"] == number);
            found.unwrap_or(&Value::Null)
        };
        let (own, other) = (find(0), find(1));
        let match_result = &result["head_to_head"][0];
        Self([
            settings.board.to_owned(),
            settings.rules.to_owned(),
            settings.time.to_owned(),
            other["name"].as_str().unwrap_or_default().to_owned(),
            games_text(result),
            results_text(&match_result["games"]),
            elo_text(&match_result["estimate"]),
            sprt_text(&result["sprt"]),
            format!("{}, opponent {}", faults(own), faults(other)),
            format!("{}, opponent {}", time_text(own), time_text(other)),
        ])
    }
}

/// Returns the number of games, and that of all games unless the match is complete.
fn games_text(result: &Value) -> String {
    let finished = &result["games_finished"];
    if result["is_complete"] == true {
        return finished.to_string();
    }
    format!("{finished} of {}, not complete", result["games_planned"])
}

/// Returns the numbers of games that are won, tied and lost: zeros before the first game ends.
fn results_text(games: &Value) -> String {
    let counts = ["wins", "ties", "losses"].map(|key| games[key].as_u64().unwrap_or_default());
    counts.map(|count| count.to_string()).join(", ")
}

/// Returns an estimate such as `+56 (−6 to +122)`. A limit that is infinite is left out:
/// `+759 (+569 or more)`, `all won (+317 or more)`.
fn elo_text(estimate: &Value) -> String {
    if estimate.is_null() {
        return String::new();
    }
    let points = |value: &Value| value.as_f64().map(signed);
    let elo = match (&estimate["elo"], points(&estimate["elo"])) {
        (_, Some(elo)) => elo,
        (infinite, None) if infinite == "-infinite" => "all lost".to_owned(),
        _ => "all won".to_owned(),
    };
    let interval = &estimate["elo_interval"];
    match (points(&interval["lower"]), points(&interval["upper"])) {
        (Some(lower), Some(upper)) => format!("{elo} ({lower} to {upper})"),
        (Some(lower), None) => format!("{elo} ({lower} or more)"),
        (None, Some(upper)) => format!("{elo} ({upper} or less)"),
        (None, None) => format!("{elo} (no limits)"),
    }
}

/// Returns a rounded number with its sign: `+56`, `−6` or `0`.
fn signed(points: f64) -> String {
    let magnitude = points.abs().round();
    if magnitude == 0.0 {
        "0".to_owned()
    } else {
        format!("{}{magnitude}", if points < 0.0 { '−' } else { '+' })
    }
}

/// Returns the state of a test such as `H1 of elo0=0 elo1=10, LLR 2.95`.
fn sprt_text(sprt: &Value) -> String {
    let Some(llr) = sprt["llr"].as_f64() else {
        return String::new();
    };
    let verdict = match sprt["verdict"].as_str() {
        Some("h0") => "H0",
        Some("h1") => "H1",
        _ => "not decided",
    };
    let test = &sprt["test"];
    format!(
        "{verdict}, elo0={} elo1={}, LLR {}",
        test["elo0"],
        test["elo1"],
        format!("{llr:.2}").replace('-', "−")
    )
}

/// Returns the mean time of a contestant's moves and that of its slowest one, such as `17/25`, and
/// `–` before its first move.
fn time_text(contestant: &Value) -> String {
    let time = &contestant["think_time"];
    let number = |key: &str| time[key].as_u64().unwrap_or_default();
    match number("total_ms").checked_div(number("moves")) {
        Some(mean) => format!("{mean}/{}", number("longest_ms")),
        None => "–".to_owned(),
    }
}

/// Returns the number of games that a contestant has lost by its own fault.
fn faults(contestant: &Value) -> u64 {
    let faults = contestant["faults"].as_object().into_iter().flatten();
    faults.filter_map(|(_, count)| count.as_u64()).sum()
}

impl StrengthReport<'_> {
    /// Returns the text of the section without its heading.
    pub(super) fn markdown(&self) -> String {
        let arguments = self.arguments;
        let mut text = format!("```sh\n{}\n```\n\n", self.command);
        let options = ENGINE_OPTIONS.into_iter();
        let options = options.chain(arguments.options.iter().map(String::as_str));
        let options: Vec<&str> = options.collect();
        let _ = writeln!(
            text,
            "- The build: {}, with {}.",
            binary_text(&self.build.identity),
            options.join(" ")
        );
        for opponent in self.opponents {
            let _ = match &opponent.binary {
                Some(binary) => writeln!(
                    text,
                    "- {opponent}: {}, with {}.",
                    binary_text(binary),
                    ENGINE_OPTIONS.join(" ")
                ),
                None => writeln!(text, "- `{opponent}`."),
            };
        }
        let _ = writeln!(
            text,
            "- Openings of {} random plies with seed {}, in pairs; grace {}; {} at a time, on {}.\n",
            arguments.plies,
            arguments.seed,
            arguments.grace,
            match arguments.concurrency {
                1 => "1 game".to_owned(),
                games => format!("{games} games"),
            },
            machine()
        );
        text + &table(&self.rows)
    }

    /// Writes the section with this title into the document, in the place of the present one if
    /// there is one.
    pub(super) fn write(&self, title: &str) -> anyhow::Result<()> {
        let path = workspace_root().join(DOCUMENT);
        let document = fs::read_to_string(&path).context(DOCUMENT)?;
        let document = replace_section(&document, title, &self.markdown());
        fs::write(&path, document).context(DOCUMENT)
    }
}

fn binary_text(binary: &BinaryIdentity) -> String {
    match &binary.commit {
        Some(commit) => format!("commit {commit} (SHA-256 {})", binary.hash),
        None => format!("a `kalah` binary (SHA-256 {})", binary.hash),
    }
}

fn table(rows: &[MatchRow]) -> String {
    let line = |cells: &[String]| {
        let cells = cells.iter().map(|cell| cell.replace('|', "\\|"));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let mut text = line(&COLUMNS.map(str::to_owned));
    text += &line(&COLUMNS.map(|_| "---".to_owned()));
    for MatchRow(cells) in rows {
        text += &line(cells);
    }
    text
}

/// Returns the model of the processor and the number of threads.
fn machine() -> String {
    let processors = fs::read_to_string(PROCESSORS).unwrap_or_default();
    let model = processors.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    format!(
        "{} with {threads} hardware threads",
        model.unwrap_or_else(|| format!("a processor of the kind {}", std::env::consts::ARCH))
    )
}

/// Parses the title of a section: one line.
pub(super) fn parse_title(text: &str) -> anyhow::Result<String> {
    let title = text.trim();
    ensure!(
        !title.is_empty() && !title.contains(char::is_control),
        "expected a title of one line"
    );
    Ok(title.to_owned())
}

/// Returns the command line of `cargo xtask` with these arguments.
pub(super) fn command_line(arguments: impl Iterator<Item = String>) -> String {
    let mut command = "cargo xtask".to_owned();
    for argument in arguments {
        command.push(' ');
        match shlex::try_quote(&argument) {
            Ok(word) => command += &word,
            Err(_) => command += &argument,
        }
    }
    command
}

/// Returns the document with this section, which replaces the one with the same title, or comes
/// last.
fn replace_section(document: &str, title: &str, content: &str) -> String {
    let section = format!("{HEADING}{title}\n\n{content}");
    let heading = format!("\n{HEADING}{title}\n");
    let Some(start) = document.find(&heading).map(|at| at + 1) else {
        return format!("{}\n\n{section}", document.trim_end());
    };
    let after = &document[start + HEADING.len()..];
    let next = after.find(&format!("\n{HEADING}"));
    match next {
        Some(next) => format!("{}{section}{}", &document[..start], &after[next..]),
        None => format!("{}{section}", &document[..start]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_those_of_the_arenas_document() {
        let result = json!({
            "is_complete": false,
            "games_finished": 12,
            "games_planned": 100,
            "contestants": [
                {"contestant": 1, "name": "Old", "faults": {"time": 1, "crash": 2}},
                {
                    "contestant": 0,
                    "name": "New",
                    "faults": {},
                    "think_time": {"moves": 3, "total_ms": 52, "longest_ms": 25},
                },
            ],
            "head_to_head": [{
                "games": {"wins": 7, "ties": 1, "losses": 4},
                "estimate": {
                    "elo": 56.3,
                    "elo_interval": {"lower": -6.4, "upper": "+infinite"},
                },
            }],
            "sprt": {"verdict": "h1", "llr": 2.951, "test": {"elo0": 0.0, "elo1": 10.0}},
        });
        assert_eq!(games_text(&result), "12 of 100, not complete");
        assert_eq!(
            elo_text(&result["head_to_head"][0]["estimate"]),
            "+56 (−6 or more)"
        );
        assert_eq!(results_text(&result["head_to_head"][0]["games"]), "7, 1, 4");
        assert_eq!(
            sprt_text(&result["sprt"]),
            "H1, elo0=0.0 elo1=10.0, LLR 2.95"
        );
        assert_eq!(faults(&result["contestants"][0]), 3);
        assert_eq!(time_text(&result["contestants"][1]), "17/25");
    }

    #[test]
    fn estimates_are_signed_and_infinite_ones_are_named() {
        let estimate = |elo, lower, upper| {
            let interval = json!({"lower": lower, "upper": upper});
            elo_text(&json!({"elo": elo, "elo_interval": interval}))
        };
        for (text, elo, lower, upper) in [
            ("0 (−20 to +20)", json!(-0.3), json!(-20.4), json!(19.6)),
            (
                "−636 (−442 or less)",
                json!(-636.4),
                json!("-infinite"),
                json!(-442.0),
            ),
            (
                "all won (+317 or more)",
                json!("+infinite"),
                json!(317.2),
                json!("+infinite"),
            ),
            (
                "all lost (−317 or less)",
                json!("-infinite"),
                json!("-infinite"),
                json!(-317.2),
            ),
            (
                "0 (no limits)",
                json!(0.0),
                json!("-infinite"),
                json!("+infinite"),
            ),
        ] {
            assert_eq!(estimate(elo, lower, upper), text);
        }
    }

    #[test]
    fn match_without_a_finished_game_has_no_estimate_and_no_times() {
        let result = json!({"contestants": [{"contestant": 0}], "head_to_head": []});
        let match_result = &result["head_to_head"][0];
        assert_eq!(results_text(&match_result["games"]), "0, 0, 0");
        assert_eq!(elo_text(&match_result["estimate"]), "");
        assert_eq!(sprt_text(&result["sprt"]), "");
        assert_eq!(time_text(&result["contestants"][0]), "–");
    }

    #[test]
    fn section_is_replaced_or_added() {
        let document = "# Strength\n\n## One\n\nold\n\n## Two\n\nother\n";
        assert_eq!(
            replace_section(document, "One", "new\n"),
            "# Strength\n\n## One\n\nnew\n\n## Two\n\nother\n"
        );
        assert_eq!(
            replace_section(document, "Two", "new\n"),
            "# Strength\n\n## One\n\nold\n\n## Two\n\nnew\n"
        );
        assert_eq!(
            replace_section(document, "Tw", "new\n"),
            format!("{document}\n## Tw\n\nnew\n")
        );
    }

    #[test]
    fn arguments_are_quoted_where_a_shell_needs_it() {
        let arguments = ["strength", "--against=cmd=./a b"].map(str::to_owned);
        assert_eq!(
            command_line(arguments.into_iter()),
            "cargo xtask strength '--against=cmd=./a b'"
        );
    }
}
