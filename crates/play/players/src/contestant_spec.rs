//! Contestants of tournaments by name: built-in players and programs.

use std::fmt;

use kalah::Quoted;
use thiserror::Error;

use crate::player_spec::{MAX_NAME_CHARS, ParsePlayerSpecError, PlayerSpec, parse_player_name};
use crate::program::{
    EngineProtocol, ParseLimitsError, ProgramLimits, ProgramOption, ProgramSpec, without_limits,
};
use crate::time_control::{ParseTimeControlError, TimeControl};
use crate::untrusted_text::escape_control;

/// A contestant of a tournament: a built-in player, or the command line and the protocol of a
/// program, and an optional name and time control.
///
/// ```
/// use kalah_players::{ContestantKind, ContestantSpec};
/// let spec = ContestantSpec::parse("smart:100ms,name=Mine", &[])?;
/// assert_eq!(spec.kind, ContestantKind::Builtin("smart:100ms".parse().expect("a player")));
/// assert_eq!(spec.name(), "Mine");
/// assert_eq!(ContestantSpec::parse(&spec.to_string(), &[])?, spec);
/// # Ok::<(), kalah_players::ParseContestantSpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContestantSpec {
    /// The built-in player or the program.
    pub kind: ContestantKind,
    /// The name given by `name=`.
    pub custom_name: Option<String>,
    /// The time control given by `time=` or `nodes=`, in the place of that of the tournament.
    pub time_control: Option<TimeControl>,
    /// The identifier given by `id=`, such as the number of a student.
    pub id: Option<String>,
}

/// The kinds of contestants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContestantKind {
    /// A built-in player.
    Builtin(PlayerSpec),
    /// An external program.
    Program(ProgramSpec),
}

/// The reason why a text is not a [`ContestantSpec`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseContestantSpecError {
    /// The text without a command is not a built-in player.
    #[error("{reason}; a program is given as cmd='./mybot --fast'{}", protocol_key(*.protocol))]
    Player {
        /// The error of the player.
        reason: ParsePlayerSpecError,
        /// A protocol for the example in the message.
        protocol: Option<&'static EngineProtocol>,
    },
    /// The text names a person, and a tournament cannot ask one for moves.
    #[error("`human` cannot take part: name a program, such as smart, level:3 or cmd='./mybot'")]
    Human,
    /// A part has an unknown key or none.
    #[error(
        "{} is not one of name=..., id=..., time=..., nodes=..., proto=..., limits=..., \
         position=..., ponder=..., option.NAME=... and cmd=...",
        Quoted::new(.0)
    )]
    UnknownKey(String),
    /// A key occurs twice.
    #[error("`{0}=` is given twice")]
    DuplicateKey(&'static str),
    /// Both a time and a number of positions are given.
    #[error("only one of `{TIME_KEY}=` and `{NODES_KEY}=` can be given")]
    TwoTimeControls,
    /// The time or the number of positions is invalid.
    #[error(transparent)]
    TimeControl(#[from] ParseTimeControlError),
    /// The limits of a program are invalid.
    #[error(transparent)]
    Limits(#[from] ParseLimitsError),
    /// The protocol is unknown.
    #[error(
        "{} is not a protocol: expected {}",
        Quoted::new(name),
        format_names(protocols)
    )]
    UnknownProtocol {
        /// The text.
        name: String,
        /// The protocols.
        protocols: Vec<&'static EngineProtocol>,
    },
    /// The command is empty.
    #[error("a command is needed, such as cmd='./mybot --fast'")]
    MissingCommand,
    /// A key for programs follows a built-in player.
    #[error("`{0}` is only for programs given as cmd=...")]
    ProgramOnly(&'static str),
    /// An option is set for a program whose protocol has none. The protocols are those with
    /// options.
    #[error("only engines that speak {} have options", format_names(.0))]
    OptionsUnsupported(Vec<&'static EngineProtocol>),
    /// The name is invalid.
    #[error("{}: {reason}", Quoted::new(name))]
    InvalidName {
        /// The name.
        name: String,
        /// The error of [`parse_player_name`].
        reason: String,
    },
    /// The name or the value of an option is invalid. The text is the error of the protocol.
    #[error("{0}")]
    InvalidOption(String),
}

const COMMAND_KEY: &str = "cmd";
const PROTOCOL_KEY: &str = "proto";
const NAME_KEY: &str = "name";
const ID_KEY: &str = "id";
const TIME_KEY: &str = "time";
const NODES_KEY: &str = "nodes";
const LIMITS_KEY: &str = "limits";
/// The key of the option [`POSITION_OPTION`].
const POSITION_KEY: &str = "position";
/// The key of the option [`PONDER_OPTION`].
const PONDER_KEY: &str = "ponder";
const OPTION_PREFIX: &str = "option.";

/// The option of a program that decides whether it receives the moves of a game or its position.
const POSITION_OPTION: &str = "Position";

/// The option of a program that decides whether it searches during the turns of its opponent.
const PONDER_OPTION: &str = "Ponder";

impl ContestantSpec {
    /// Returns the name of the contestant: the given name, or the text of the built-in player or
    /// the end of the command, with the time control of its own.
    pub fn name(&self) -> String {
        if let Some(name) = &self.custom_name {
            return name.clone();
        }
        let player = self.kind.name();
        match self.time_control {
            Some(time_control) => format!("{player}, {time_control}"),
            None => player,
        }
    }

    /// Returns the protocol of a program; `None` for a built-in player.
    pub fn protocol(&self) -> Option<&'static EngineProtocol> {
        match &self.kind {
            ContestantKind::Builtin(_) => None,
            ContestantKind::Program(program) => Some(program.protocol),
        }
    }

    /// Returns whether a text has a part with a key, such as `cmd=`, so that it is no plain name of
    /// a player.
    pub(crate) fn has_keys(text: &str) -> bool {
        split_parts(text).iter().any(Result::is_ok)
    }

    /// Parses a contestant, whose program speaks one of `protocols`, by default the first one.
    ///
    /// # Errors
    /// Returns the reason why the text is not a contestant.
    pub fn parse(
        text: &str,
        protocols: &[&'static EngineProtocol],
    ) -> Result<Self, ParseContestantSpecError> {
        let (mut command, mut protocol) = (None, None);
        let (mut custom_name, mut id, mut time_control) = (None, None, None);
        let (mut player, mut options, mut limits) = (None, Vec::new(), None);
        for (index, part) in split_parts(text.trim()).into_iter().enumerate() {
            match part {
                Ok(KeyValue {
                    key: COMMAND_KEY,
                    value,
                }) => set_once(&mut command, COMMAND_KEY, value)?,
                Ok(KeyValue {
                    key: PROTOCOL_KEY,
                    value,
                }) => {
                    let parsed = find_protocol(value, protocols)?;
                    set_once(&mut protocol, PROTOCOL_KEY, parsed)?;
                }
                Ok(KeyValue {
                    key: NAME_KEY,
                    value,
                }) => set_once(&mut custom_name, NAME_KEY, parse_name(value)?)?,
                Ok(KeyValue { key: ID_KEY, value }) => {
                    set_once(&mut id, ID_KEY, parse_name(value)?)?;
                }
                Ok(KeyValue {
                    key: key @ (TIME_KEY | NODES_KEY),
                    value,
                }) => {
                    let parsed = parse_time_control(key, value)?;
                    if time_control.replace(parsed).is_some() {
                        return Err(ParseContestantSpecError::TwoTimeControls);
                    }
                }
                Ok(KeyValue {
                    key: LIMITS_KEY,
                    value,
                }) => set_once(&mut limits, LIMITS_KEY, value.parse::<ProgramLimits>()?)?,
                Ok(KeyValue {
                    key: POSITION_KEY,
                    value,
                }) => options.push((POSITION_OPTION, value)),
                Ok(KeyValue {
                    key: PONDER_KEY,
                    value,
                }) => options.push((PONDER_OPTION, value)),
                Ok(KeyValue { key, value }) => {
                    let name = key.strip_prefix(OPTION_PREFIX).unwrap_or(key);
                    options.push((name, value));
                }
                Err(word) if index == 0 => player = Some(word),
                Err(word) => return Err(ParseContestantSpecError::UnknownKey(word.to_owned())),
            }
        }
        let kind = match (command, player) {
            (Some(command), None) => {
                let command = parse_command(command)?;
                let protocol = match protocol.or(protocols.first().copied()) {
                    Some(protocol) => protocol,
                    None => find_protocol("", protocols)?,
                };
                ContestantKind::Program(ProgramSpec {
                    command: limits.unwrap_or_default().apply(&command),
                    protocol,
                    options: parse_options(&options, protocol, protocols)?,
                })
            }
            (Some(_), Some(word)) => {
                return Err(ParseContestantSpecError::UnknownKey(word.to_owned()));
            }
            (None, player) => {
                let spec = match PlayerSpec::parse_program(player.unwrap_or_default()) {
                    Ok(spec) => spec,
                    Err(ParsePlayerSpecError::Person) => {
                        return Err(ParseContestantSpecError::Human);
                    }
                    Err(reason) => {
                        let protocol = protocols.first().copied();
                        return Err(ParseContestantSpecError::Player { reason, protocol });
                    }
                };
                if protocol.is_some() {
                    return Err(ParseContestantSpecError::ProgramOnly(PROTOCOL_KEY));
                }
                if limits.is_some() {
                    return Err(ParseContestantSpecError::ProgramOnly(LIMITS_KEY));
                }
                if !options.is_empty() {
                    return Err(ParseContestantSpecError::ProgramOnly(OPTION_PREFIX));
                }
                ContestantKind::Builtin(spec)
            }
        };
        Ok(Self {
            kind,
            custom_name,
            time_control,
            id,
        })
    }
}

impl ContestantKind {
    /// Returns the text of the built-in player or the end of the command.
    fn name(&self) -> String {
        let program = match self {
            Self::Builtin(spec) => return spec.to_string(),
            Self::Program(program) => program,
        };
        let command = escape_control(without_limits(program.command.trim()));
        let length = command.chars().count();
        if length < MAX_NAME_CHARS {
            return command;
        }
        // The end of a command identifies it better than the folder at its beginning.
        let skipped = length - (MAX_NAME_CHARS - 1);
        let end: String = command.chars().skip(skipped).collect();
        format!("…{end}")
    }
}

/// A part `key=value` of a [`ContestantSpec`], with the quotes around the value removed.
struct KeyValue<'a> {
    key: &'a str,
    value: &'a str,
}

/// Checks a name or an identifier.
fn parse_name(text: &str) -> Result<String, ParseContestantSpecError> {
    parse_player_name(text).map_err(|reason| {
        let name = text.to_owned();
        ParseContestantSpecError::InvalidName { name, reason }
    })
}

/// Returns the protocol with this name.
fn find_protocol(
    name: &str,
    protocols: &[&'static EngineProtocol],
) -> Result<&'static EngineProtocol, ParseContestantSpecError> {
    let mut all = protocols.iter().copied();
    all.find(|protocol| protocol.name == name).ok_or_else(|| {
        ParseContestantSpecError::UnknownProtocol {
            name: name.to_owned(),
            protocols: protocols.to_vec(),
        }
    })
}

/// Checks the names and values of options for a program that speaks `protocol`, one of `protocols`.
fn parse_options(
    options: &[(&str, &str)],
    protocol: &EngineProtocol,
    protocols: &[&'static EngineProtocol],
) -> Result<Vec<ProgramOption>, ParseContestantSpecError> {
    if options.is_empty() {
        return Ok(Vec::new());
    }
    let Some(parse) = protocol.parse_option else {
        let mut protocols = protocols.to_vec();
        protocols.retain(|protocol| protocol.parse_option.is_some());
        return Err(ParseContestantSpecError::OptionsUnsupported(protocols));
    };
    let options = options.iter().map(|(name, value)| parse(name, value));
    let options: Result<_, _> = options.collect();
    options.map_err(ParseContestantSpecError::InvalidOption)
}

/// Returns the part of a [`ContestantSpec`] that names a protocol, with the comma before it.
pub(crate) fn protocol_key(protocol: Option<&EngineProtocol>) -> String {
    protocol.map_or_else(String::new, |protocol| {
        format!(",{PROTOCOL_KEY}={}", protocol.name)
    })
}

/// Lists the names of protocols, such as `uki, kgp-child or mankalah`.
fn format_names(protocols: &[&EngineProtocol]) -> String {
    let names: Vec<&str> = protocols.iter().map(|protocol| protocol.name).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "none".to_owned(),
    }
}

/// Sets `slot` to the value of `key`, unless an earlier part has set it.
fn set_once<T>(
    slot: &mut Option<T>,
    key: &'static str,
    value: T,
) -> Result<(), ParseContestantSpecError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(ParseContestantSpecError::DuplicateKey(key)),
    }
}

/// Parses the value of `time=` or `nodes=`.
fn parse_time_control(key: &str, value: &str) -> Result<TimeControl, ParseTimeControlError> {
    if key == NODES_KEY {
        return format!("{NODES_KEY}={value}").parse();
    }
    value.parse()
}

fn parse_command(text: &str) -> Result<String, ParseContestantSpecError> {
    if text.trim().is_empty() {
        return Err(ParseContestantSpecError::MissingCommand);
    }
    Ok(text.to_owned())
}

/// Splits a text into its parts. A part without a known key is an `Err`.
///
/// A part ends at a comma that a known key follows, outside of quotes. If a quote is not closed,
/// the shell has already removed the grouping quotes, and all quotes are literal.
fn split_parts(text: &str) -> Vec<Result<KeyValue<'_>, &str>> {
    let ends = part_ends(text, QuoteMode::Grouping)
        .unwrap_or_else(|| part_ends(text, QuoteMode::Literal).unwrap_or_default());
    let mut parts = Vec::new();
    let mut start = 0;
    for end in ends.into_iter().chain([text.len()]) {
        let part = &text[start..end];
        start = (end + 1).min(text.len());
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

/// The meaning of quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum QuoteMode {
    /// The text between two quotes belongs to one part.
    Grouping,
    /// Quotes are ordinary characters.
    Literal,
}

/// Returns the ends of all parts but the last as byte offsets; `None` if a grouping quote is not
/// closed.
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

/// Returns the known key at the start of `text`.
fn known_key(text: &str) -> Option<&str> {
    let (key, _) = text.split_once('=')?;
    let is_known = matches!(
        key,
        COMMAND_KEY
            | PROTOCOL_KEY
            | NAME_KEY
            | ID_KEY
            | TIME_KEY
            | NODES_KEY
            | LIMITS_KEY
            | POSITION_KEY
            | PONDER_KEY
    ) || key.strip_prefix(OPTION_PREFIX).is_some_and(|name| {
        name.chars()
            .all(|character| character.is_ascii_alphanumeric())
    });
    is_known.then_some(key)
}

/// Returns `value` without its quotes, if a single pair of quotes encloses all of it.
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

/// The text that parses to the same contestant.
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
                write!(f, ",{PROTOCOL_KEY}={}", protocol.name)?;
                for ProgramOption { name, value } in options {
                    write!(f, ",{OPTION_PREFIX}{name}={value}")?;
                }
            }
        }
        match self.time_control {
            Some(nodes @ TimeControl::Nodes(_)) => write!(f, ",{nodes}")?,
            Some(time) => write!(f, ",{TIME_KEY}={time}")?,
            None => {}
        }
        for (key, value) in [(ID_KEY, &self.id), (NAME_KEY, &self.custom_name)] {
            if let Some(value) = value {
                write!(f, ",{key}={value}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A protocol without options.
    const fn protocol(name: &'static str) -> EngineProtocol {
        EngineProtocol {
            name,
            required_rules: None,
            plain_start: None,
            supports_node_limit: false,
            has_handshake: false,
            parse_option: None,
            create: |_, _| panic!("no test starts a program"),
        }
    }

    fn parse_option(name: &str, value: &str) -> Result<ProgramOption, String> {
        if name.is_empty() {
            return Err("an option needs a name".to_owned());
        }
        let (name, value) = (name.to_owned(), value.trim().to_owned());
        Ok(ProgramOption { name, value })
    }

    static UKI: EngineProtocol = EngineProtocol {
        parse_option: Some(parse_option),
        ..protocol("uki")
    };
    static KGP_CHILD: EngineProtocol = protocol("kgp-child");
    static MANKALAH: EngineProtocol = protocol("mankalah");

    fn parse(text: &str) -> Result<ContestantSpec, ParseContestantSpecError> {
        ContestantSpec::parse(text, &[&UKI, &KGP_CHILD, &MANKALAH])
    }

    fn program(text: &str) -> (String, &'static EngineProtocol, String) {
        let spec = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let name = spec.name();
        let ContestantKind::Program(program) = spec.kind else {
            panic!("{text} is not a program")
        };
        (program.command, program.protocol, name)
    }

    #[test]
    fn commands_parse_with_and_without_quotes() {
        for (text, command, protocol, name) in [
            ("cmd=./mybot", "./mybot", &UKI, "./mybot"),
            (
                "cmd='./mybot --fast',proto=uki",
                "./mybot --fast",
                &UKI,
                "./mybot --fast",
            ),
            (
                "cmd=./mybot --fast,proto=kgp-child",
                "./mybot --fast",
                &KGP_CHILD,
                "./mybot --fast",
            ),
            (
                "cmd=./mybot --list=1,2,proto=mankalah",
                "./mybot --list=1,2",
                &MANKALAH,
                "./mybot --list=1,2",
            ),
            (
                "cmd=\"./my bot\" 'x,name=y',name=Z",
                "\"./my bot\" 'x,name=y'",
                &UKI,
                "Z",
            ),
            (
                "cmd='./a,proto=b',proto=kgp-child",
                "./a,proto=b",
                &KGP_CHILD,
                "./a,proto=b",
            ),
            ("cmd=./O'Brien,name=Ours", "./O'Brien", &UKI, "Ours"),
            ("name='A, B',cmd='x'", "x", &UKI, "A, B"),
            (
                "cmd=./mybot --fast,limits=cpu=9s files=20",
                "ulimit -t 9 || exit; ulimit -n 20 || exit; exec ./mybot --fast",
                &UKI,
                "./mybot --fast",
            ),
        ] {
            let expected = (command.to_owned(), protocol, name.to_owned());
            assert_eq!(program(text), expected, "{text}");
        }
    }

    #[test]
    fn contestants_round_trip_through_text() {
        for text in [
            "smart:100ms",
            "level:5,name=Bart",
            "cmd='./mybot',proto=uki,time=1s,id=s123,name=Ana, B.",
            "cmd='./mybot --fast',proto=uki,name=Mine",
            "cmd='./a,proto=b',proto=kgp-child",
            "cmd=\"python3 'my bot.py'\",proto=mankalah",
            "cmd='kalah engine',proto=uki,option.Player=level:3,option.Seed=7",
            "smart,time=100ms",
            "level:9,nodes=5000,name=Bart",
            "cmd='./a,time=b',proto=uki,option.Seed=7,time=10s+100ms,name=Mine",
        ] {
            let spec = parse(text).expect(text);
            assert_eq!(spec.to_string(), text);
        }
    }

    #[test]
    fn default_name_has_the_time_control() {
        for (text, name) in [
            ("smart,nodes=500", "smart, nodes=500"),
            ("cmd=./bot,time=0.5s", "./bot, 500ms"),
            ("smart,time=1m+1s,name=Mine", "Mine"),
        ] {
            assert_eq!(parse(text).expect(text).name(), name);
        }
    }

    #[test]
    fn long_command_is_cut_at_its_start_to_make_a_name() {
        let (_, _, name) = program(&format!("cmd=/{}/bot --fast", "folder/".repeat(30)));
        assert_eq!(name.chars().count(), MAX_NAME_CHARS);
        assert!(name.ends_with("/bot --fast"), "{name}");
    }

    #[test]
    fn invalid_contestants_are_rejected_with_a_message() {
        for (text, part) in [
            ("", "`` is not a player"),
            ("smrt", "`smrt` is not a player: expected first, random"),
            ("human", "`human` cannot take part"),
            ("cmd=", "a command is needed"),
            ("cmd='  '", "a command is needed"),
            ("cmd=x,proto=uci", "`uci` is not a protocol"),
            ("cmd=x,proto=", "`` is not a protocol"),
            ("cmd=x,cmd=y", "`cmd=` is given twice"),
            ("smart,proto=uki", "`proto` is only for programs"),
            ("smart,limits=cpu=1s", "`limits` is only for programs"),
            ("cmd=x,limits=cpu", "`cpu` is not a limit"),
            ("smart,cmd=x", "`smart` is not one of"),
            ("level:3,name=", "a name needs at least one character"),
            ("smart,option.A=1", "`option.` is only for programs"),
            (
                "cmd=x,proto=kgp-child,option.A=1",
                "only engines that speak uki",
            ),
            ("cmd=x,option.=1", "an option needs a name"),
            (
                "smart,time=soon",
                "expected a time for each move such as 1s",
            ),
            ("smart,time=0s", "`0s` leaves no time"),
            ("smart,nodes=0", "`0` is not a positive number"),
            ("smart,time=1s,nodes=5", "only one of `time=` and `nodes=`"),
            ("smart,nodes=5,nodes=6", "only one of `time=` and `nodes=`"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn errors_name_the_protocols_of_the_list() {
        let message = |text: &str, protocols: &[&'static EngineProtocol]| {
            let error = ContestantSpec::parse(text, protocols).expect_err(text);
            error.to_string()
        };
        let all: [&EngineProtocol; 3] = [&UKI, &KGP_CHILD, &MANKALAH];
        for (count, expected) in [
            (3, "uki, kgp-child or mankalah"),
            (2, "uki or kgp-child"),
            (1, "uki"),
            (0, "none"),
        ] {
            let expected = format!("`uci` is not a protocol: expected {expected}");
            assert_eq!(message("cmd=x,proto=uci", &all[..count]), expected);
        }
        assert_eq!(message("cmd=x", &[]), "`` is not a protocol: expected none");
        let player = message("smrt", &[&KGP_CHILD]);
        let example = "; a program is given as cmd='./mybot --fast',proto=kgp-child";
        assert!(player.ends_with(example), "{player}");
    }
}
