//! `kalah help`: the help of a command, or a document.

use std::io::{self, Write};

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use clap::{Args, Command, CommandFactory as _};
use console::Term;

use super::rules;
use crate::args::Cli;
use crate::args::help::with_whole_paragraphs;
use crate::error::CliError;
use crate::output::markdown::format_markdown;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
`kalah help topics` lists the documents. Where a command has the name of a topic, its help is before
the document, and the name with `.md` is the document alone.

Examples:
  kalah help topics
  kalah help levels
  kalah help play.md
  kalah help prove check")]
pub(crate) struct HelpArgs {
    /// A command, with the words of its subcommand, or a topic
    #[arg(value_name = "COMMAND|TOPIC")]
    words: Vec<String>,
}

/// The word that lists the topics.
const LIST: &str = "topics";

/// A document that the program contains.
struct Topic {
    name: &'static str,
    summary: &'static str,
    text: TopicText,
}

enum TopicText {
    /// The text of `kalah rules`.
    Rules,
    /// A file of Markdown.
    Document(&'static str),
    /// The section of a file of Markdown below this heading.
    Section(&'static str, &'static str),
}

/// Returns the text of a document of the folder docs.
macro_rules! document {
    ($file:literal) => {
        include_str!(concat!("../../../../../docs/", $file))
    };
}

static TOPICS: [Topic; 18] = [
    Topic {
        name: "analysis",
        summary: "margins, proofs, reviews, puzzles and endgame tables",
        text: TopicText::Document(document!("analysis.md")),
    },
    Topic {
        name: "arena",
        summary: "tournaments of programs",
        text: TopicText::Document(document!("arena.md")),
    },
    Topic {
        name: "books",
        summary: "opening books",
        text: TopicText::Document(document!("books.md")),
    },
    Topic {
        name: "class",
        summary: "a class in a room, and its tournament",
        text: TopicText::Document(document!("class.md")),
    },
    Topic {
        name: "engine-protocol",
        summary: "the lines between a host and an engine",
        text: TopicText::Document(document!("engine-protocol.md")),
    },
    Topic {
        name: "friends",
        summary: "games with friends on the page",
        text: TopicText::Document(document!("friends.md")),
    },
    Topic {
        name: "levels",
        summary: "the ten levels and their strength",
        text: TopicText::Document(document!("levels.md")),
    },
    Topic {
        name: "openings",
        summary: "the explorer of the first plies",
        text: TopicText::Document(document!("openings.md")),
    },
    Topic {
        name: "play",
        summary: "the screen, the plain mode and the page",
        text: TopicText::Document(document!("play.md")),
    },
    Topic {
        name: "proofs",
        summary: "proofs that are kept in files, and their checks",
        text: TopicText::Document(document!("proofs.md")),
    },
    Topic {
        name: "protocols",
        summary: "KGP, ManKalah, and the formats of other programs",
        text: TopicText::Document(document!("protocols.md")),
    },
    Topic {
        name: "python",
        summary: "the Python package",
        text: TopicText::Document(document!("python.md")),
    },
    Topic {
        name: "records",
        summary: "files of games",
        text: TopicText::Section(document!("play.md"), "### Records\n"),
    },
    Topic {
        name: "rooms",
        summary: "rooms of a class or a club, and the lobby",
        text: TopicText::Document(document!("rooms.md")),
    },
    Topic {
        name: "rules",
        summary: "the rules of the game and the rule sets",
        text: TopicText::Rules,
    },
    Topic {
        name: "server",
        summary: "serving the page to others",
        text: TopicText::Document(document!("server.md")),
    },
    Topic {
        name: "sharing",
        summary: "links, pictures and boards in other pages",
        text: TopicText::Document(document!("sharing.md")),
    },
    Topic {
        name: "tables",
        summary: "the files of endgame tables",
        text: TopicText::Document(document!("tables.md")),
    },
];

pub(super) fn run(arguments: &HelpArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let mut program = with_whole_paragraphs(Cli::command());
    program.build();
    let words: Vec<&str> = arguments.words.iter().map(String::as_str).collect();
    let topic = match *words {
        [LIST] => return list_topics(output),
        [word] => find_topic(word),
        _ => None,
    };
    let command = find_command(&program, &words);
    if topic.is_none() && command.is_none() {
        return Err(CliError::Usage(format!(
            "there is no command or topic `{}`: `kalah --help` lists the commands and `kalah help \
             {LIST}` the topics",
            words.join(" ")
        )));
    }
    if let Some(mut command) = command {
        write_styled(&format!("{}\n", command.render_long_help().ansi()), output)?;
    }
    match topic {
        Some(topic) => topic.write(output),
        None => Ok(()),
    }
}

/// Returns the topic with this name, in capital or small letters, or of this file of docs.
fn find_topic(word: &str) -> Option<&'static Topic> {
    let word = word.to_lowercase();
    let name = word.strip_prefix("docs/").unwrap_or(&word);
    let name = name.strip_suffix(".md").unwrap_or(name);
    TOPICS.iter().find(|topic| topic.name == name)
}

/// Returns the command or subcommand that `words` name.
fn find_command(program: &Command, words: &[&str]) -> Option<Command> {
    let mut command = program;
    for word in words {
        command = command.find_subcommand(word)?;
    }
    Some(command.clone())
}

fn list_topics(output: &mut dyn Write) -> Result<(), CliError> {
    let width = TOPICS.iter().map(|topic| topic.name.len()).max();
    let width = width.unwrap_or_default();
    for Topic { name, summary, .. } in &TOPICS {
        writeln!(output, "  {name:width$}  {summary}")?;
    }
    let program = Cli::command();
    let commands: Vec<&str> = TOPICS
        .iter()
        .map(|topic| topic.name)
        .filter(|name| program.find_subcommand(name).is_some())
        .collect();
    writeln!(
        output,
        "\n`kalah help NAME` prints the document. Before it is the help of the command, where there is\n\
         one with this name ({}):\n\
         `kalah help NAME.md` prints the document alone.",
        commands.join(", ")
    )?;
    Ok(())
}

/// Longer lines of a document are hard to read.
const MAX_WIDTH: usize = 100;

impl Topic {
    fn write(&self, output: &mut dyn Write) -> Result<(), CliError> {
        let width = usize::from(Term::stdout().size().1).min(MAX_WIDTH);
        Ok(write_styled(&self.styled_text(width)?, output)?)
    }

    /// Returns the document in lines of at most `width` columns, except for wide lines of code,
    /// with control sequences for its styles.
    fn styled_text(&self, width: usize) -> Result<String, CliError> {
        let markdown = match self.text {
            TopicText::Rules => {
                let mut text = Vec::new();
                rules::write(&mut text)?;
                return Ok(String::from_utf8_lossy(&text).into_owned());
            }
            TopicText::Document(text) => text,
            TopicText::Section(text, heading) => section(text, heading),
        };
        Ok(format_markdown(&with_plain_links(markdown), width))
    }
}

/// Writes `text`, without its control sequences where standard output has no styles.
fn write_styled(text: &str, output: &mut dyn Write) -> io::Result<()> {
    match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => write!(output, "{}", strip_str(text)),
        _ => output.write_all(text.as_bytes()),
    }
}

/// A document of `kalah help` as lines of plain text.
pub(super) struct PlainDocument {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    pub(super) text: String,
}

/// Returns all documents in lines of at most `width` columns, without control sequences.
pub(super) fn plain_documents(width: usize) -> Result<Vec<PlainDocument>, CliError> {
    let documents = TOPICS.iter().map(|topic| {
        Ok(PlainDocument {
            name: topic.name,
            summary: topic.summary,
            text: strip_str(&topic.styled_text(width)?).to_string(),
        })
    });
    documents.collect()
}

/// Returns the section of `markdown` below `heading`, up to the next heading of any level.
fn section<'a>(markdown: &'a str, heading: &str) -> &'a str {
    let start = markdown.find(heading).unwrap_or_default();
    let section = &markdown[start..];
    let end = section.match_indices("\n#").map(|(end, _)| end).next();
    &section[..end.unwrap_or(section.len())]
}

/// Replaces the links of `markdown`: `[levels](levels.md#measured)` becomes `levels`, followed by
/// the command that prints the document if this is another one with a topic.
fn with_plain_links(markdown: &str) -> String {
    let mut plain = String::new();
    let mut rest = markdown;
    while let Some((before, text, target, after)) = split_link(rest) {
        plain.push_str(before);
        plain.push_str(text);
        let file = target.split('#').next().unwrap_or_default();
        let name = file.strip_suffix(".md").unwrap_or_default();
        if TOPICS.iter().any(|topic| topic.name == name) {
            plain.extend([" (`kalah help ", name, "`)"]);
        } else if target.starts_with("http") {
            plain.extend([" (", target, ")"]);
        }
        rest = after;
    }
    plain + rest
}

/// Splits a text at its first link into the text before, the words, the target and the rest.
fn split_link(markdown: &str) -> Option<(&str, &str, &str, &str)> {
    let middle = markdown.find("](")?;
    let start = markdown[..middle].rfind('[')?;
    let (target, after) = markdown[middle + "](".len()..].split_once(')')?;
    Some((
        &markdown[..start],
        &markdown[start + 1..middle],
        target,
        after,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_commands_and_addresses() {
        let markdown = "See [the levels](levels.md#measured), [x](https://x.org) and [y](#y).";
        assert_eq!(
            with_plain_links(markdown),
            "See the levels (`kalah help levels`), x (https://x.org) and y."
        );
    }

    #[test]
    fn sections_end_before_the_next_heading() {
        assert_eq!(
            section("# A\n\n## B\n\nb\n\n## C\n", "## B\n"),
            "## B\n\nb\n"
        );
    }

    #[test]
    fn topics_are_sorted_and_have_text() {
        assert!(TOPICS.is_sorted_by_key(|topic| topic.name));
        for topic in &TOPICS {
            let mut text = Vec::new();
            topic.write(&mut text).expect("written");
            let text = String::from_utf8(text).expect("text");
            assert!(text.lines().count() > 10, "{}: {text}", topic.name);
            assert!(!text.contains("]("), "{}: {text}", topic.name);
        }
    }
}
