use std::fmt;
use std::str::FromStr;

use kalah_protocols::uki::{MessageError, OptionName, Remark};
use thiserror::Error;

use crate::shown::{shown, tame};
use crate::{ParsePlayerSpecError, PlayerKind, PlayerSpec};

/// A contestant of a tournament as it is asked for: one of our players, or a command with the protocol that it
/// speaks, and what it is called.
///
/// ```
/// use kalah_cli::{ContestantKind, ContestantProtocol, ContestantSpec};
/// let spec: ContestantSpec = "cmd='./mybot --fast',proto=kgp-child,name=Mine".parse()?;
/// let ContestantKind::Program(program) = &spec.kind else { panic!("a command") };
/// assert_eq!(program.command, "./mybot --fast");
/// assert_eq!(program.protocol, ContestantProtocol::KgpChild);
/// assert_eq!(spec.name(), "Mine");
/// assert_eq!(spec.to_string().parse(), Ok(spec));
/// # Ok::<(), kalah_cli::ParseContestantSpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContestantSpec {
    /// Who it is.
    pub kind: ContestantKind,
    /// What it is called, if it was given a name.
    pub given_name: Option<String>,
}

/// Who can take part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContestantKind {
    /// One of our players.
    Ours(PlayerSpec),
    /// A program.
    Program(ProgramSpec),
}

/// A program that takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSpec {
    /// The command line for the shell.
    pub command: String,
    /// What it speaks.
    pub protocol: ContestantProtocol,
    /// Options that are set before its first game.
    pub options: Vec<(OptionName, Remark)>,
}

/// What programs speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContestantProtocol {
    /// The engine protocol.
    Uki,
    /// A process for each state, as clients of the Kalah Game Protocol start them.
    KgpChild,
    /// That of Manchester's COMP34120.
    Mankalah,
}

/// Why a text is no [`ContestantSpec`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseContestantSpecError {
    /// It names none of our players.
    #[error("{0}; a program is given as cmd='./mybot --fast',proto=uki")]
    Player(#[from] ParsePlayerSpecError),
    /// A person.
    #[error("nobody is there to be asked: name a program, such as smart, level:3 or cmd='./mybot'")]
    Person,
    /// A key that is not known, or a part without one.
    #[error("`{}` is none of name=..., proto=..., option.NAME=... and cmd=...", shown(.0))]
    Unknown(String),
    /// A key that was there already.
    #[error("`{0}=` is given twice")]
    Twice(&'static str),
    /// A protocol that nobody speaks.
    #[error("`{}` is no protocol: there are uki, kgp-child and mankalah", shown(.0))]
    Protocol(String),
    /// A command without a word.
    #[error("a command is needed, such as cmd='./mybot --fast'")]
    NoCommand,
    /// What goes with commands only.
    #[error("`{0}` is for programs that are given as cmd=...")]
    NotOurs(&'static str),
    /// What goes with the engine protocol only.
    #[error("only engines that speak uki have options")]
    NoOptions,
    /// A name that cannot be shown.
    #[error("`{}`: {reason}", shown(.name))]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The name of an option that is none.
    #[error("{0}")]
    Option(MessageError),
}

const COMMAND: &str = "cmd";
const PROTOCOL: &str = "proto";
const NAME: &str = "name";
const OPTION: &str = "option.";

/// What is left of a command that serves as a name.
const MOST_NAME_CHARACTERS: usize = 40;

impl ContestantProtocol {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Uki, Self::KgpChild, Self::Mankalah];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Uki => "uki",
            Self::KgpChild => "kgp-child",
            Self::Mankalah => "mankalah",
        }
    }
}

impl ContestantSpec {
    /// What it is called: the name that it was given, or how one of ours is asked for, or its command.
    pub fn name(&self) -> String {
        match (&self.given_name, &self.kind) {
            (Some(name), _) => name.clone(),
            (None, ContestantKind::Ours(spec)) => spec.to_string(),
            (None, ContestantKind::Program(program)) => {
                let command = tame(program.command.trim());
                match command.char_indices().nth(MOST_NAME_CHARACTERS - 1) {
                    // How a command ends tells it apart better than the folder that it is in.
                    Some(_) => {
                        let all = command.chars().count();
                        let end: String = command
                            .chars()
                            .skip(all.saturating_sub(MOST_NAME_CHARACTERS - 1))
                            .collect();
                        format!("…{end}")
                    }
                    None => command,
                }
            }
        }
    }

    /// What it speaks, if it is a program.
    pub fn protocol(&self) -> Option<ContestantProtocol> {
        match &self.kind {
            ContestantKind::Ours(_) => None,
            ContestantKind::Program(program) => Some(program.protocol),
        }
    }
}

/// A part `key=value`, its quotes taken away.
struct Part<'a> {
    key: &'a str,
    value: &'a str,
}

impl FromStr for ContestantSpec {
    type Err = ParseContestantSpecError;

    fn from_str(text: &str) -> Result<Self, ParseContestantSpecError> {
        let (mut command, mut protocol, mut given_name) = (None, None, None);
        let (mut ours, mut options) = (None, Vec::new());
        for (number, part) in parts(text.trim()).into_iter().enumerate() {
            match part {
                Ok(Part {
                    key: COMMAND,
                    value,
                }) => put(&mut command, COMMAND, value)?,
                Ok(Part {
                    key: PROTOCOL,
                    value,
                }) => {
                    let known = ContestantProtocol::ALL.into_iter();
                    let mut named = known.filter(|protocol| protocol.word() == value);
                    let named = named.next();
                    let unknown = || ParseContestantSpecError::Protocol(value.to_owned());
                    put(&mut protocol, PROTOCOL, named.ok_or_else(unknown)?)?;
                }
                Ok(Part { key: NAME, value }) => {
                    let name = crate::arguments::name(value).map_err(|reason| {
                        let name = value.to_owned();
                        ParseContestantSpecError::Name { name, reason }
                    })?;
                    put(&mut given_name, NAME, name)?;
                }
                Ok(Part { key, value }) => {
                    let name = key.strip_prefix(OPTION).unwrap_or(key);
                    let name = name.parse().map_err(ParseContestantSpecError::Option)?;
                    options.push((name, Remark::new(value)));
                }
                Err(word) if number == 0 => ours = Some(word),
                Err(word) => return Err(ParseContestantSpecError::Unknown(word.to_owned())),
            }
        }
        let kind = match (command, ours) {
            (Some(command), None) => ContestantKind::Program(ProgramSpec {
                command: a_command(command)?,
                protocol: protocol.unwrap_or(ContestantProtocol::Uki),
                options,
            }),
            (Some(_), Some(word)) => {
                return Err(ParseContestantSpecError::Unknown(word.to_owned()));
            }
            (None, ours) => {
                let spec: PlayerSpec = ours.unwrap_or_default().parse()?;
                if spec.kind == PlayerKind::Human {
                    return Err(ParseContestantSpecError::Person);
                }
                if protocol.is_some() {
                    return Err(ParseContestantSpecError::NotOurs(PROTOCOL));
                }
                if !options.is_empty() {
                    return Err(ParseContestantSpecError::NotOurs("option."));
                }
                ContestantKind::Ours(spec)
            }
        };
        if let ContestantKind::Program(program) = &kind
            && program.protocol != ContestantProtocol::Uki
            && !program.options.is_empty()
        {
            return Err(ParseContestantSpecError::NoOptions);
        }
        Ok(Self { kind, given_name })
    }
}

fn put<T>(
    place: &mut Option<T>,
    key: &'static str,
    value: T,
) -> Result<(), ParseContestantSpecError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(ParseContestantSpecError::Twice(key)),
    }
}

fn a_command(text: &str) -> Result<String, ParseContestantSpecError> {
    if text.trim().is_empty() {
        return Err(ParseContestantSpecError::NoCommand);
    }
    Ok(text.to_owned())
}

/// The parts of a text, which end at commas with a known key behind them, but within quotes; what has no key is an
/// error. Where a quote is not closed, the shell has taken it apart already and it is a character as any other.
fn parts(text: &str) -> Vec<Result<Part<'_>, &str>> {
    let ends =
        ends(text, Quotes::Minded).unwrap_or_else(|| ends(text, Quotes::Plain).unwrap_or_default());
    let mut parts = Vec::new();
    let mut begin = 0;
    for end in ends.into_iter().chain([text.len()]) {
        let part = &text[begin..end];
        begin = (end + 1).min(text.len());
        parts.push(match key_of(part) {
            Some(key) => Ok(Part {
                key,
                value: without_quotes(&part[key.len() + 1..]),
            }),
            None => Err(part),
        });
    }
    parts
}

/// What quotes are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    /// They hold together what is between them.
    Minded,
    /// Characters as any others.
    Plain,
}

/// Where parts end, `None` if quotes are minded and one of them is not closed.
fn ends(text: &str, quotes: Quotes) -> Option<Vec<usize>> {
    let mut ends = Vec::new();
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') if quotes == Quotes::Minded => quote = Some(character),
            (None, ',') if key_of(&text[at + 1..]).is_some() => ends.push(at),
            _ => {}
        }
    }
    quote.is_none().then_some(ends)
}

/// The known key that a text begins with.
fn key_of(text: &str) -> Option<&str> {
    let (key, _) = text.split_once('=')?;
    let is_known = matches!(key, COMMAND | PROTOCOL | NAME)
        || key
            .strip_prefix(OPTION)
            .is_some_and(|name| name.chars().all(|it| it.is_ascii_alphanumeric()));
    is_known.then_some(key)
}

/// A value that is all of it within one pair of quotes, without them.
fn without_quotes(value: &str) -> &str {
    for quote in ['\'', '"'] {
        let inner = value.strip_prefix(quote);
        if let Some(inner) = inner.and_then(|inner| inner.strip_suffix(quote))
            && !inner.contains(quote)
        {
            return inner;
        }
    }
    value
}

/// As it is asked for.
impl fmt::Display for ContestantSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ContestantKind::Ours(spec) => spec.fmt(f)?,
            ContestantKind::Program(program) => {
                let ProgramSpec {
                    command,
                    protocol,
                    options,
                } = program;
                match ['\'', '"']
                    .into_iter()
                    .find(|&quote| !command.contains(quote))
                {
                    Some(quote) => write!(f, "cmd={quote}{command}{quote}")?,
                    None => write!(f, "cmd={command}")?,
                }
                write!(f, ",proto={}", protocol.word())?;
                for (name, value) in options {
                    write!(f, ",{OPTION}{name}={value}")?;
                }
            }
        }
        match &self.given_name {
            Some(name) => write!(f, ",name={name}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> (String, ContestantProtocol, String) {
        let spec: ContestantSpec = text
            .parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        let name = spec.name();
        let ContestantKind::Program(program) = spec.kind else {
            panic!("{text} is no program")
        };
        (program.command, program.protocol, name)
    }

    #[test]
    fn quotes_may_arrive_or_not() {
        use ContestantProtocol::{KgpChild, Mankalah, Uki};
        for (text, command, protocol, name) in [
            ("cmd=./mybot", "./mybot", Uki, "./mybot"),
            (
                "cmd='./mybot --fast',proto=uki",
                "./mybot --fast",
                Uki,
                "./mybot --fast",
            ),
            (
                "cmd=./mybot --fast,proto=kgp-child",
                "./mybot --fast",
                KgpChild,
                "./mybot --fast",
            ),
            (
                "cmd=./mybot --list=1,2,proto=mankalah",
                "./mybot --list=1,2",
                Mankalah,
                "./mybot --list=1,2",
            ),
            (
                "cmd=\"./my bot\" 'x,name=y',name=Z",
                "\"./my bot\" 'x,name=y'",
                Uki,
                "Z",
            ),
            (
                "cmd='./a,proto=b',proto=kgp-child",
                "./a,proto=b",
                KgpChild,
                "./a,proto=b",
            ),
            ("cmd=./O'Brien,name=Ours", "./O'Brien", Uki, "Ours"),
            ("name='A, B',cmd='x'", "x", Uki, "A, B"),
        ] {
            let expected = (command.to_owned(), protocol, name.to_owned());
            assert_eq!(program(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in [
            "smart:100ms",
            "level:5,name=Bart",
            "cmd='./mybot --fast',proto=uki,name=Mine",
            "cmd='./a,proto=b',proto=kgp-child",
            "cmd=\"python3 'my bot.py'\",proto=mankalah",
            "cmd='kalah engine',proto=uki,option.Player=level:3,option.Seed=7",
        ] {
            let spec: ContestantSpec = text.parse().expect(text);
            assert_eq!(spec.to_string(), text);
        }
    }

    #[test]
    fn long_commands_have_short_names() {
        let (_, _, name) = program(&format!("cmd=/{}/bot --fast", "folder/".repeat(30)));
        assert_eq!(name.chars().count(), MOST_NAME_CHARACTERS);
        assert!(name.ends_with("/bot --fast"), "{name}");
    }

    #[test]
    fn what_is_no_contestant_is_refused_in_words() {
        for (text, part) in [
            ("", "`` is no player"),
            ("smrt", "`smrt` is no player"),
            ("human", "nobody is there to be asked"),
            ("cmd=", "a command is needed"),
            ("cmd='  '", "a command is needed"),
            ("cmd=x,proto=uci", "`uci` is no protocol"),
            ("cmd=x,proto=", "`` is no protocol"),
            ("cmd=x,cmd=y", "`cmd=` is given twice"),
            ("smart,proto=uki", "`proto` is for programs"),
            ("smart,cmd=x", "`smart` is none of"),
            ("level:3,name=", "a name needs a character"),
            (
                "cmd=x,proto=kgp-child,option.A=1",
                "only engines that speak uki",
            ),
        ] {
            let error = text.parse::<ContestantSpec>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
