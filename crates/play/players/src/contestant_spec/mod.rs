//! Contestants of tournaments by name: built-in players and programs.

mod parts;
mod values;

use std::fmt;
use std::path::Path;

use kalah::Quoted;
use thiserror::Error;

use self::parts::{
    COMMAND_KEY, FOLDER_KEY, ID_KEY, NAME_KEY, NODES_KEY, OPTION_PREFIX, PROTOCOL_KEY, TIME_KEY,
    quote, quote_if_needed, split_parts,
};
use self::values::KeyValues;
use crate::player_spec::{MAX_NAME_CHARS, ParsePlayerSpecError, PlayerSpec};
use crate::program::{
    EngineProtocol, ParseLimitsError, ProgramOption, ProgramSpec, split_folder,
    with_absolute_folder, without_limits,
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
        "{} is not one of name=..., id=..., time=..., nodes=..., proto=..., dir=..., \
         limits='memory=300MB cpu=60s', position=..., ponder=..., option.NAME=... and cmd=...",
        Quoted::new(.0)
    )]
    UnknownKey(String),
    /// A word such as `tme=5s` follows a command without quotes, of which it can be a part.
    #[error(
        "{} is no known key, and is ambiguous behind a command without quotes: if it belongs to the \
         command, write \"cmd={}\" with the quotes of both kinds",
        Quoted::new(word),
        quote(&escape_control(&format!("{command},{word}")))
    )]
    AmbiguousCommand {
        /// The command.
        command: String,
        /// The word.
        word: String,
    },
    /// A value begins with a quote that is not closed.
    #[error("{} begins with a quote that is not closed", Quoted::new(.0))]
    OpenQuote(String),
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
    /// The folder of a program is empty.
    #[error("`{FOLDER_KEY}=` needs the folder of the program")]
    MissingFolder,
    /// A text has a NUL, which no command can have.
    #[error("{} has a NUL character", Quoted::new(.0))]
    Nul(String),
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
        /// The error of [`parse_player_name`](crate::parse_player_name).
        reason: String,
    },
    /// The name or the value of an option is invalid. The text is the error of the protocol.
    #[error("{0}")]
    InvalidOption(String),
}

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

    /// Returns the contestant whose program runs in the same folder wherever it is started: a
    /// relative folder of the program is within `base`.
    #[must_use]
    pub fn with_absolute_folder(mut self, base: &Path) -> Self {
        if let ContestantKind::Program(program) = &mut self.kind {
            program.command = with_absolute_folder(&program.command, base);
        }
        self
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
        let mut values = KeyValues::default();
        let mut unquoted_command = None;
        for (index, part) in split_parts(text.trim()).into_iter().enumerate() {
            let before = unquoted_command.take();
            match part {
                Ok(part) if part.has_open_quote => {
                    let part = format!("{}={}", part.key, part.value);
                    return Err(ParseContestantSpecError::OpenQuote(part));
                }
                Ok(part) => {
                    let is_command = part.key == COMMAND_KEY && !part.is_quoted;
                    unquoted_command = is_command.then_some(part.value);
                    values.set(&part, protocols)?;
                }
                Err(word) if index == 0 => values.player = Some(word),
                Err(word) => return Err(unknown_key(word, before)),
            }
        }
        values.into_spec(protocols)
    }
}

impl ContestantKind {
    /// Returns the text of the built-in player or the end of the command.
    fn name(&self) -> String {
        let program = match self {
            Self::Builtin(spec) => return spec.to_string(),
            Self::Program(program) => program,
        };
        let command = without_limits(program.command.trim());
        let command = escape_control(&match split_folder(command) {
            // The path to the folder depends on the place where the program is named.
            Some((folder, command)) => match Path::new(&folder).file_name() {
                Some(name) => format!("{command} in {}", name.to_string_lossy()),
                None => format!("{command} in {folder}"),
            },
            None => command.to_owned(),
        });
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

/// Returns the error of a part without a known key, which follows this command without quotes.
fn unknown_key(word: &str, unquoted_command: Option<&str>) -> ParseContestantSpecError {
    let word = word.to_owned();
    match unquoted_command {
        Some(command) => ParseContestantSpecError::AmbiguousCommand {
            command: command.to_owned(),
            word,
        },
        None => ParseContestantSpecError::UnknownKey(word),
    }
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
                    other_protocols: _,
                    options,
                } = program;
                write!(f, "{COMMAND_KEY}={}", quote(command))?;
                write!(f, ",{PROTOCOL_KEY}={}", protocol.name)?;
                for ProgramOption { name, value } in options {
                    write!(f, ",{OPTION_PREFIX}{name}={}", quote_if_needed(value))?;
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
                write!(f, ",{key}={}", quote_if_needed(value))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_option(name: &str, value: &str) -> Result<ProgramOption, String> {
        if name.is_empty() {
            return Err("an option needs a name".to_owned());
        }
        let (name, value) = (name.to_owned(), value.trim().to_owned());
        Ok(ProgramOption { name, value })
    }

    static UKI: EngineProtocol = EngineProtocol {
        parse_option: Some(parse_option),
        ..EngineProtocol::of_test("uki")
    };
    static KGP_CHILD: EngineProtocol = EngineProtocol::of_test("kgp-child");
    static MANKALAH: EngineProtocol = EngineProtocol::of_test("mankalah");

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
                "cmd='./mybot, fast',dir=my bots,name=Z",
                "cd 'my bots' || exit; exec ./mybot, fast",
                &UKI,
                "Z",
            ),
            (
                "cmd=./mybot --fast,dir=my bots,limits=cpu=9s",
                "ulimit -t 9 || exit; cd 'my bots' || exit; exec ./mybot --fast",
                &UKI,
                "./mybot --fast in my bots",
            ),
            (
                "cmd=./mybot,dir=/course/ana",
                "cd /course/ana || exit; exec ./mybot",
                &UKI,
                "./mybot in ana",
            ),
            (
                "dir=/ana, cmd=A=1 ./mybot, limits=cpu=9s, name=Z",
                "ulimit -t 9 || exit; cd /ana || exit; A=1 ./mybot",
                &UKI,
                "Z",
            ),
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
    fn only_a_program_without_a_named_protocol_has_a_hint_about_the_others() {
        let spec = |text: &str| {
            let ContestantKind::Program(program) = parse(text).expect(text).kind else {
                panic!("{text} is not a program")
            };
            program
        };
        let unnamed = spec("cmd=./bot");
        assert_eq!(
            unnamed.protocol_hint().expect("a hint"),
            "uki is the protocol without proto=: a program that speaks another one needs \
             proto=kgp-child or proto=mankalah"
        );
        for named in ["cmd=./bot,proto=uki", "cmd=./bot,proto=mankalah"] {
            assert_eq!(spec(named).protocol_hint(), None, "{named}");
        }
        assert_eq!(spec("cmd=./bot,proto=uki"), unnamed);
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
            "cmd='./a,b=c',proto=uki,option.Seed='7,x=1',id='s,y=2',name=\"O'Brien\"",
            "cmd=cd 'a b' || exit; exec ./a \"x\",proto=uki",
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
            ("smart,dir=x", "`dir` is only for programs"),
            ("cmd=x,dir= ", "`dir=` needs the folder"),
            ("cmd=x,dir=a,dir=b", "`dir=` is given twice"),
            ("cmd='./bot --fast',tme=5s", "`tme=5s` is not one of name="),
            ("cmd='./bot',fast", "`fast` is not one of name="),
            ("cmd=./bot,proto=uki,tme=5s", "`tme=5s` is not one of name="),
            ("smart,tme=5s", "`tme=5s` is not one of name="),
            (
                "cmd=./bot --fast,tme=5s",
                "`tme=5s` is no known key, and is ambiguous behind a command without quotes: if it \
                 belongs to the command, write \"cmd='./bot --fast,tme=5s'\"",
            ),
            ("cmd=./bot 'a',tme=5s", "write \"cmd=\"./bot 'a',tme=5s\"\""),
            ("cmd=x,limits=cpu", "`cpu` is not a limit"),
            (
                "cmd=./bot,dir='mybot",
                "`dir='mybot` begins with a quote that is not closed",
            ),
            (
                "cmd='python3 bot.py,dir=mybot",
                "`cmd='python3 bot.py` begins with a quote that is not closed",
            ),
            ("cmd=\"./a", "`cmd=\"./a` begins with a quote"),
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
