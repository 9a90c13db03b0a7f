//! Contestants of tournaments by name: built-in players and programs.

use std::fmt;
use std::str::FromStr;

use kalah_protocols::uki::{OneLine, OptionName, ParseUkiError};
use thiserror::Error;

use crate::untrusted_text::{escape_control, escape_truncated, is_terminal_control};
use crate::{ParsePlayerSpecError, PlayerKind, PlayerSpec};

/// A contestant of a tournament as it is asked for: one of our players, or a command with the protocol that it
/// speaks, and what it is called.
///
/// ```
/// use kalah_players::{ContestantKind, ContestantProtocol, ContestantSpec};
/// let spec: ContestantSpec = "cmd='./mybot --fast',proto=kgp-child,name=Mine".parse()?;
/// let ContestantKind::Program(program) = &spec.kind else { panic!("a command") };
/// assert_eq!(program.command, "./mybot --fast");
/// assert_eq!(program.protocol, ContestantProtocol::KgpChild);
/// assert_eq!(spec.name(), "Mine");
/// assert_eq!(spec.to_string().parse(), Ok(spec));
/// # Ok::<(), kalah_players::ParseContestantSpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContestantSpec {
    /// Who it is.
    pub kind: ContestantKind,
    /// What it is called, if it was given a name.
    pub custom_name: Option<String>,
}

/// Who can take part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContestantKind {
    /// One of our players.
    Builtin(PlayerSpec),
    /// A program.
    Program(ProgramSpec),
}

/// A program that takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSpec {
    /// The command line for the shell.
    pub command: String,
    /// What it speaks.
    pub protocol: EngineProtocol,
    /// Options that are set before its first game.
    pub options: Vec<(OptionName, OneLine)>,
}

/// What programs speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineProtocol {
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
    Human,
    /// A key that is not known, or a part without one.
    #[error("`{}` is none of name=..., proto=..., option.NAME=... and cmd=...", escape_truncated(.0))]
    UnknownKey(String),
    /// A key that was there already.
    #[error("`{0}=` is given twice")]
    DuplicateKey(&'static str),
    /// A protocol that nobody speaks.
    #[error("`{}` is no protocol: there are uki, kgp-child and mankalah", escape_truncated(.0))]
    UnknownProtocol(String),
    /// A command without a word.
    #[error("a command is needed, such as cmd='./mybot --fast'")]
    MissingCommand,
    /// What goes with commands only.
    #[error("`{0}` is for programs that are given as cmd=...")]
    ProgramOnly(&'static str),
    /// What goes with the engine protocol only.
    #[error("only engines that speak uki have options")]
    OptionsUnsupported,
    /// A name that cannot be shown.
    #[error("`{}`: {reason}", escape_truncated(.name))]
    InvalidName {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The name of an option that is none.
    #[error("{0}")]
    InvalidOption(ParseUkiError),
}

const COMMAND_KEY: &str = "cmd";
const PROTOCOL_KEY: &str = "proto";
const NAME_KEY: &str = "name";
const OPTION_PREFIX: &str = "option.";

/// What is left of a command that serves as a name.
const MAX_NAME_LENGTH: usize = 40;

impl EngineProtocol {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Uki, Self::KgpChild, Self::Mankalah];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
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
        match (&self.custom_name, &self.kind) {
            (Some(name), _) => name.clone(),
            (None, ContestantKind::Builtin(spec)) => spec.to_string(),
            (None, ContestantKind::Program(program)) => {
                let command = escape_control(program.command.trim());
                match command.char_indices().nth(MAX_NAME_LENGTH - 1) {
                    // How a command ends tells it apart better than the folder that it is in.
                    Some(_) => {
                        let all = command.chars().count();
                        let end: String = command
                            .chars()
                            .skip(all.saturating_sub(MAX_NAME_LENGTH - 1))
                            .collect();
                        format!("…{end}")
                    }
                    None => command,
                }
            }
        }
    }

    /// What it speaks, if it is a program.
    pub fn protocol(&self) -> Option<EngineProtocol> {
        match &self.kind {
            ContestantKind::Builtin(_) => None,
            ContestantKind::Program(program) => Some(program.protocol),
        }
    }
}

/// A part `key=value`, its quotes taken away.
struct KeyValue<'a> {
    key: &'a str,
    value: &'a str,
}

impl FromStr for ContestantSpec {
    type Err = ParseContestantSpecError;

    fn from_str(text: &str) -> Result<Self, ParseContestantSpecError> {
        let (mut command, mut protocol, mut given_name) = (None, None, None);
        let (mut ours, mut options) = (None, Vec::new());
        for (number, part) in split_parts(text.trim()).into_iter().enumerate() {
            match part {
                Ok(KeyValue {
                    key: COMMAND_KEY,
                    value,
                }) => set_once(&mut command, COMMAND_KEY, value)?,
                Ok(KeyValue {
                    key: PROTOCOL_KEY,
                    value,
                }) => {
                    let known = EngineProtocol::ALL.into_iter();
                    let mut named = known.filter(|protocol| protocol.as_str() == value);
                    let named = named.next();
                    let unknown = || ParseContestantSpecError::UnknownProtocol(value.to_owned());
                    set_once(&mut protocol, PROTOCOL_KEY, named.ok_or_else(unknown)?)?;
                }
                Ok(KeyValue {
                    key: NAME_KEY,
                    value,
                }) => {
                    let name = parse_player_name(value).map_err(|reason| {
                        let name = value.to_owned();
                        ParseContestantSpecError::InvalidName { name, reason }
                    })?;
                    set_once(&mut given_name, NAME_KEY, name)?;
                }
                Ok(KeyValue { key, value }) => {
                    let name = key.strip_prefix(OPTION_PREFIX).unwrap_or(key);
                    let name = name
                        .parse()
                        .map_err(ParseContestantSpecError::InvalidOption)?;
                    options.push((name, OneLine::new(value)));
                }
                Err(word) if number == 0 => ours = Some(word),
                Err(word) => return Err(ParseContestantSpecError::UnknownKey(word.to_owned())),
            }
        }
        let kind = match (command, ours) {
            (Some(command), None) => ContestantKind::Program(ProgramSpec {
                command: parse_command(command)?,
                protocol: protocol.unwrap_or(EngineProtocol::Uki),
                options,
            }),
            (Some(_), Some(word)) => {
                return Err(ParseContestantSpecError::UnknownKey(word.to_owned()));
            }
            (None, ours) => {
                let spec: PlayerSpec = ours.unwrap_or_default().parse()?;
                if spec.kind == PlayerKind::Human {
                    return Err(ParseContestantSpecError::Human);
                }
                if protocol.is_some() {
                    return Err(ParseContestantSpecError::ProgramOnly(PROTOCOL_KEY));
                }
                if !options.is_empty() {
                    return Err(ParseContestantSpecError::ProgramOnly("option."));
                }
                ContestantKind::Builtin(spec)
            }
        };
        if let ContestantKind::Program(program) = &kind
            && program.protocol != EngineProtocol::Uki
            && !program.options.is_empty()
        {
            return Err(ParseContestantSpecError::OptionsUnsupported);
        }
        Ok(Self {
            kind,
            custom_name: given_name,
        })
    }
}

fn set_once<T>(
    place: &mut Option<T>,
    key: &'static str,
    value: T,
) -> Result<(), ParseContestantSpecError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(ParseContestantSpecError::DuplicateKey(key)),
    }
}

fn parse_command(text: &str) -> Result<String, ParseContestantSpecError> {
    if text.trim().is_empty() {
        return Err(ParseContestantSpecError::MissingCommand);
    }
    Ok(text.to_owned())
}

/// The parts of a text, which end at commas with a known key behind them, but within quotes; what has no key is an
/// error. Where a quote is not closed, the shell has taken it apart already and it is a character as any other.
fn split_parts(text: &str) -> Vec<Result<KeyValue<'_>, &str>> {
    let ends = part_ends(text, QuoteMode::Grouping)
        .unwrap_or_else(|| part_ends(text, QuoteMode::Literal).unwrap_or_default());
    let mut parts = Vec::new();
    let mut begin = 0;
    for end in ends.into_iter().chain([text.len()]) {
        let part = &text[begin..end];
        begin = (end + 1).min(text.len());
        parts.push(match known_key(part) {
            Some(key) => Ok(KeyValue {
                key,
                value: unquote(&part[key.len() + 1..]),
            }),
            None => Err(part),
        });
    }
    parts
}

/// What quotes are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum QuoteMode {
    /// They hold together what is between them.
    Grouping,
    /// Characters as any others.
    Literal,
}

/// Where parts end, `None` if quotes are minded and one of them is not closed.
fn part_ends(text: &str, quotes: QuoteMode) -> Option<Vec<usize>> {
    let mut ends = Vec::new();
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') if quotes == QuoteMode::Grouping => quote = Some(character),
            (None, ',') if known_key(&text[at + 1..]).is_some() => ends.push(at),
            _ => {}
        }
    }
    quote.is_none().then_some(ends)
}

/// The known key that a text begins with.
fn known_key(text: &str) -> Option<&str> {
    let (key, _) = text.split_once('=')?;
    let is_known = matches!(key, COMMAND_KEY | PROTOCOL_KEY | NAME_KEY)
        || key
            .strip_prefix(OPTION_PREFIX)
            .is_some_and(|name| name.chars().all(|it| it.is_ascii_alphanumeric()));
    is_known.then_some(key)
}

/// A value that is all of it within one pair of quotes, without them.
fn unquote(value: &str) -> &str {
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
            ContestantKind::Builtin(spec) => spec.fmt(f)?,
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
                write!(f, ",proto={}", protocol.as_str())?;
                for (name, value) in options {
                    write!(f, ",{OPTION_PREFIX}{name}={value}")?;
                }
            }
        }
        match &self.custom_name {
            Some(name) => write!(f, ",name={name}"),
            None => Ok(()),
        }
    }
}

/// The longest name that is still drawn well.
const MAX_NAME_CHARACTERS: usize = 40;

/// Returns the name of a player without the blanks around it.
///
/// # Errors
/// Why the text is no name: it is empty, too long, or has control characters.
pub fn parse_player_name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() {
        Err("a name needs a character at least".to_owned())
    } else if name.chars().any(is_terminal_control) {
        Err("a name cannot have control characters".to_owned())
    } else if name.chars().count() > MAX_NAME_CHARACTERS {
        Err(format!(
            "a name has {MAX_NAME_CHARACTERS} characters at most"
        ))
    } else {
        Ok(name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> (String, EngineProtocol, String) {
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
        use EngineProtocol::{KgpChild, Mankalah, Uki};
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
        assert_eq!(name.chars().count(), MAX_NAME_LENGTH);
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
