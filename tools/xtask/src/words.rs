//! `cargo xtask words`: the words and names that the text of this repository does not use.
//!
//! [`RULES`] has them, each with its reason, and [`EXCEPTIONS`] the files that may use some of
//! them. The check reads every line of the files that git tracks: code, comments, messages, names
//! of tests, documents and the page. [`rules_fields`] and [`type_names`] read the Rust code among
//! them, and [`comment_width`] its comments.

mod comment_width;
mod rules_fields;
mod rust_tokens;
mod type_names;

use std::path::Path;
use std::process::Command;
use std::{fmt, fs};

use anyhow::{Context as _, bail, ensure};
use clap::Args;

use self::type_names::TypeNames;
use crate::workspace::workspace_root;

/// The arguments of `cargo xtask words`.
#[derive(Args, Default)]
pub(crate) struct WordsArguments {
    /// Check only the files below these folders [default: all]
    #[arg(value_name = "FOLDER")]
    folders: Vec<String>,
}

/// A pattern that no line may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    /// Words in any case that follow each other, also as parts of a name such as `nobody_moves`.
    Phrase(&'static str),
    /// A sentence of the form "what is ... is ...".
    WhatIs,
    /// A comment line that begins with this word.
    CommentStart(&'static str),
    /// An identifier in code.
    Name(&'static str),
    /// A constant in code whose name begins with this.
    ConstantPrefix(&'static str),
    /// A local variable in Rust code.
    Local(&'static str),
}

use Pattern::{CommentStart, ConstantPrefix, Local, Name, Phrase, WhatIs};

const NO_SUBJECT: &str = "name the subject of the sentence";
const PASSIVE: &str = "say which part does what: returns, reports, sends, expects";
const COUNT: &str = "give the number or its name";
const METAPHOR: &str = "metaphor: use the field's term, see CONTRIBUTING.md";
const PARTICIPLE: &str = "a participle is not a noun: name the thing";
const COST: &str = "the seeds that a mistake loses are its cost";
const LIMIT: &str = "limits are MAX_X, MIN_X, X_TIMEOUT and X_INTERVAL";

/// The patterns with the reason for each.
const RULES: [(Pattern, &str); 79] = [
    (Phrase("whoever"), NO_SUBJECT),
    (Phrase("whom"), NO_SUBJECT),
    (Phrase("nobody"), NO_SUBJECT),
    (Phrase("somebody"), NO_SUBJECT),
    (Phrase("anybody"), NO_SUBJECT),
    (Phrase("everybody"), NO_SUBJECT),
    (WhatIs, NO_SUBJECT),
    (CommentStart("Who"), NO_SUBJECT),
    (CommentStart("Whoever"), NO_SUBJECT),
    (CommentStart("Whose"), NO_SUBJECT),
    (CommentStart("What"), NO_SUBJECT),
    (CommentStart("Where"), NO_SUBJECT),
    (CommentStart("Nobody"), NO_SUBJECT),
    (CommentStart("Somebody"), NO_SUBJECT),
    (CommentStart("So"), NO_SUBJECT),
    (Phrase("so many"), COUNT),
    (Phrase("so much"), COUNT),
    (Phrase("is told"), PASSIVE),
    (Phrase("are told"), PASSIVE),
    (Phrase("was told"), PASSIVE),
    (Phrase("is awaited"), PASSIVE),
    (Phrase("are awaited"), PASSIVE),
    (Phrase("left to tell"), PASSIVE),
    (
        Phrase("is none of"),
        "say what the value is not or which values are valid",
    ),
    (Phrase("to be known"), PASSIVE),
    (Phrase("gave away"), COST),
    (Phrase("seeds lost"), COST),
    (Name("Hall"), METAPHOR),
    (Name("Chair"), METAPHOR),
    (Name("Furnishing"), METAPHOR),
    (Name("Bout"), METAPHOR),
    (Name("Mind"), METAPHOR),
    (Name("Minds"), METAPHOR),
    (Name("Shelf"), METAPHOR),
    (Name("Shelves"), METAPHOR),
    (Name("Desk"), METAPHOR),
    (Name("Guest"), METAPHOR),
    (Name("Attendance"), METAPHOR),
    (Name("Teller"), METAPHOR),
    (Name("Thinker"), METAPHOR),
    (Name("Patient"), METAPHOR),
    (Name("Farewell"), METAPHOR),
    (Name("Habits"), METAPHOR),
    (Name("Wishes"), METAPHOR),
    (Name("Lots"), METAPHOR),
    (Name("Allowance"), METAPHOR),
    (Name("Silence"), METAPHOR),
    (Name("Outlook"), METAPHOR),
    (Name("LookBack"), METAPHOR),
    (Name("Spot"), METAPHOR),
    (Name("Deed"), METAPHOR),
    (Name("Remark"), METAPHOR),
    (Name("Worth"), METAPHOR),
    (Phrase("adviser"), METAPHOR),
    (Name("Meaning"), "the effect of a sowing is SowEffect"),
    (Name("Choice"), "a sowing or a swap is a Move"),
    (Name("Findings"), PARTICIPLE),
    (Name("Said"), PARTICIPLE),
    (Name("Told"), PARTICIPLE),
    (Name("Heard"), PARTICIPLE),
    (Name("Found"), PARTICIPLE),
    (Name("Asked"), PARTICIPLE),
    (Name("Held"), PARTICIPLE),
    (Name("Settled"), PARTICIPLE),
    (Name("Acted"), PARTICIPLE),
    (Name("Explained"), PARTICIPLE),
    (Name("Fallible"), PARTICIPLE),
    (ConstantPrefix("MOST"), LIMIT),
    (ConstantPrefix("LEAST"), LIMIT),
    (ConstantPrefix("LOOK"), LIMIT),
    (ConstantPrefix("PATIENCE"), LIMIT),
    (Local("told"), PARTICIPLE),
    (Local("said"), PARTICIPLE),
    (Local("heard"), PARTICIPLE),
    (Local("asked"), PARTICIPLE),
    (Local("shown"), PARTICIPLE),
    (Local("thought"), PARTICIPLE),
    (Local("answered"), PARTICIPLE),
    (Local("lies"), PARTICIPLE),
];

/// Files, by the beginnings of their paths, that may match a pattern; all patterns for `None`.
const EXCEPTIONS: [(&str, Option<Pattern>, &str); 2] = [
    ("tools/xtask/src/words.rs", None, "this list"),
    ("CONTRIBUTING.md", None, "the rules quote the words"),
];

/// The extensions of text files.
const TEXT_EXTENSIONS: [&str; 25] = [
    "c",
    "cpp",
    "css",
    "d",
    "dict",
    "h",
    "html",
    "js",
    "json",
    "md",
    "mjs",
    "py",
    "pyi",
    "rs",
    "sh",
    "sql",
    "stderr",
    "stdin",
    "stdout",
    "toml",
    "trycmd",
    "ts",
    "txt",
    "webmanifest",
    "yml",
];

/// The extensions of files whose identifiers are checked.
const CODE_EXTENSIONS: [&str; 7] = ["c", "cpp", "h", "js", "mjs", "rs", "ts"];

/// Marks at which a comment line begins; `#` and `*` do not begin a comment in Markdown.
const COMMENT_MARKS: [&str; 7] = ["///", "//!", "//", "/**", "<!--", "#", "*"];

/// A line that a check does not accept.
#[derive(Debug)]
struct Hit {
    path: String,
    line: usize,
    /// The word, or the form of a sentence.
    word: String,
    reason: String,
}

/// Checks the files of the repository and prints each hit as `file:line: word: reason`.
///
/// # Errors
/// Returns an error if git or a file cannot be read, or if there is a hit.
pub(crate) fn run(arguments: &WordsArguments) -> anyhow::Result<()> {
    let root = workspace_root();
    let mut count = 0_usize;
    let mut type_names = TypeNames::default();
    for path in tracked_files(&root, &arguments.folders)? {
        let Some(extension) = extension(&path) else {
            continue;
        };
        let file = root.join(&path);
        // A file that was removed but not committed is still tracked.
        if !TEXT_EXTENSIONS.contains(&extension) || is_not_written_here(&path) || !file.exists() {
            continue;
        }
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {path}"))?;
        for hit in hits(&path, &text) {
            println!("{hit}");
            count += 1;
        }
        if extension == "rs" {
            type_names.add_file(&path, &text);
        }
    }
    for (name, definition, first) in type_names.repeated() {
        let hit = Hit {
            path: definition.path.clone(),
            line: definition.line,
            word: name.to_owned(),
            reason: format!(
                "one type name has one meaning: {}:{} defines it, too",
                first.path, first.line
            ),
        };
        println!("{hit}");
        count += 1;
    }
    if count > 0 {
        bail!("{count} words or names that this repository does not use");
    }
    Ok(())
}

/// Returns the files that git tracks, below `folders` if there are any.
fn tracked_files(root: &Path, folders: &[String]) -> anyhow::Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--"])
        .args(folders)
        .current_dir(root)
        .output()
        .context("git could not be started")?;
    ensure!(output.status.success(), "git ls-files: {}", output.status);
    let list = String::from_utf8(output.stdout)?;
    Ok(list.split_terminator('\0').map(str::to_owned).collect())
}

/// Returns the extension of a path.
fn extension(path: &str) -> Option<&str> {
    Path::new(path).extension()?.to_str()
}

/// Returns whether a program writes the file, or it is a copy of a library.
fn is_not_written_here(path: &str) -> bool {
    path.ends_with("package-lock.json")
        || path.contains("proptest-regressions/")
        || path.starts_with("web/bundle/")
        || path.starts_with("web/vendor/")
}

/// Returns the hits in the text of a file.
fn hits(path: &str, text: &str) -> Vec<Hit> {
    let extension = extension(path).unwrap_or_default();
    let mut hits = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        for (pattern, reason) in RULES {
            if pattern.matches(line, extension) && !is_excepted(path, pattern) {
                hits.push(Hit {
                    path: path.to_owned(),
                    line: number,
                    word: pattern.text().to_owned(),
                    reason: reason.to_owned(),
                });
            }
        }
    }
    if extension == "rs" {
        let reads = rules_fields::partial_reads(path, text).into_iter();
        hits.extend(reads.map(|(line, word)| Hit {
            path: path.to_owned(),
            line,
            word: word.to_owned(),
            reason: rules_fields::REASON.to_owned(),
        }));
        let wide = comment_width::wide_comments(text).into_iter();
        hits.extend(wide.map(|line| Hit {
            path: path.to_owned(),
            line,
            word: "wide comment".to_owned(),
            reason: comment_width::REASON.to_owned(),
        }));
    }
    hits
}

/// Returns whether an exception allows `pattern` in a file.
fn is_excepted(path: &str, pattern: Pattern) -> bool {
    EXCEPTIONS.iter().any(|&(beginning, only, _)| {
        path.starts_with(beginning) && only.is_none_or(|only| only == pattern)
    })
}

impl Pattern {
    /// Returns whether a line of a file with `extension` matches.
    fn matches(self, line: &str, extension: &str) -> bool {
        let is_code = CODE_EXTENSIONS.contains(&extension);
        match self {
            Phrase(phrase) => contains_phrase(line, phrase),
            WhatIs => contains_what_is(line),
            CommentStart(word) => comment(line, extension).is_some_and(|comment| {
                let rest = comment.strip_prefix(word);
                rest.is_some_and(|rest| !rest.starts_with(is_name_char))
            }),
            Name(name) => is_code && names(line).any(|word| word == name),
            ConstantPrefix(prefix) => {
                is_code
                    && names(line).any(|word| {
                        let rest = word.strip_prefix(prefix);
                        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
                    })
            }
            Local(name) => {
                extension == "rs" && {
                    let mut words = names(line).skip_while(|&word| word != "let").skip(1);
                    words.find(|&word| word != "mut") == Some(name)
                }
            }
        }
    }

    /// Returns the word or the form that the pattern forbids.
    const fn text(self) -> &'static str {
        match self {
            WhatIs => "what is ... is",
            Phrase(text) | CommentStart(text) | Name(text) | ConstantPrefix(text) | Local(text) => {
                text
            }
        }
    }
}

/// Returns whether the words of `phrase` follow each other in `line`, in any case.
fn contains_phrase(line: &str, phrase: &str) -> bool {
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
    let phrase: Vec<&str> = phrase.split(' ').collect();
    (words.windows(phrase.len())).any(|words| {
        let mut pairs = words.iter().zip(&phrase);
        pairs.all(|(word, expected)| word.eq_ignore_ascii_case(expected))
    })
}

/// Returns whether `line` has a clause of the form "what is ... is".
fn contains_what_is(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let Some((before, rest)) = line.split_once("what is ") else {
        return false;
    };
    let is_word_start = !before.ends_with(is_name_char);
    let clause = rest.split([',', '.', ':', ';', '?', '!']).next();
    is_word_start && clause.is_some_and(|clause| contains_phrase(clause, "is"))
}

/// Returns the text of a comment line.
fn comment<'a>(line: &'a str, extension: &str) -> Option<&'a str> {
    let line = line.trim_start();
    let mark = COMMENT_MARKS.iter().find(|&&mark| line.starts_with(mark))?;
    if extension == "md" && matches!(*mark, "#" | "*") {
        return None;
    }
    let text = &line[mark.len()..];
    text.starts_with(' ').then(|| text.trim_start())
}

/// Returns the identifiers of a line.
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c| !is_name_char(c))
        .filter(|name| !name.is_empty())
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl fmt::Display for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            line,
            word,
            reason,
        } = self;
        write!(f, "{path}:{line}: {word}: {reason}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_match_the_expected_patterns() {
        for (path, line, expected) in [
            ("a.md", "Nobody moves.", vec![Phrase("nobody")]),
            ("a.rs", "fn nobody_moves() {", vec![Phrase("nobody")]),
            ("a.rs", "let x = so.many();", vec![Phrase("so many")]),
            ("a.md", "and so manyfold", vec![]),
            ("a.md", "What is read is written.", vec![WhatIs]),
            ("a.md", "what is read, is written", vec![]),
            (
                "a.rs",
                "/// What the server sends.",
                vec![CommentStart("What")],
            ),
            ("a.toml", "# So it ends.", vec![CommentStart("So")]),
            ("a.md", "# Where to add a rule", vec![]),
            ("a.rs", "// Some moves", vec![]),
            ("a.rs", "struct Hall;", vec![Name("Hall")]),
            ("a.md", "The Hall of fame", vec![]),
            (
                "a.rs",
                "const MOST_GAMES: u8 = 1;",
                vec![ConstantPrefix("MOST")],
            ),
            ("a.rs", "const MOSTLY: u8 = 1;", vec![]),
            ("a.rs", "let mut told = 1;", vec![Local("told")]),
            ("a.rs", "is_told(); let x = told;", vec![Phrase("is told")]),
        ] {
            let words: Vec<_> = hits(path, line).into_iter().map(|hit| hit.word).collect();
            let expected: Vec<_> = expected.into_iter().map(Pattern::text).collect();
            assert_eq!(words, expected, "{path}: {line}");
        }
    }

    #[test]
    fn rust_code_that_leaves_out_a_field_of_the_rules_is_a_hit() {
        let code = "let a = 1;\nlet HouseRules { ends, .. } = rules;\n";
        let hits: Vec<_> = hits("a.rs", code).iter().map(Hit::to_string).collect();
        let reason = rules_fields::REASON;
        assert_eq!(hits, [format!("a.rs:2: HouseRules: {reason}")]);
    }

    #[test]
    fn hit_names_its_file_line_word_and_reason() {
        let text = "one\nnobody\n";
        let hits: Vec<_> = hits("docs/a.md", text).iter().map(Hit::to_string).collect();
        assert_eq!(hits, [format!("docs/a.md:2: nobody: {NO_SUBJECT}")]);
    }

    #[test]
    fn exceptions_apply_to_their_files_only() {
        assert!(hits("CONTRIBUTING.md", "nobody").is_empty());
        assert_eq!(hits("crates/CONTRIBUTING.md", "nobody").len(), 1);
    }
}
