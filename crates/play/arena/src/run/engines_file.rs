//! Files of engines: the contestants of a tournament in TOML.

use std::fmt::Write as _;
use std::path::Path;

use kalah::Quoted;
use kalah_players::{
    ContestantKind, ContestantSpec, EngineProtocol, ParseContestantSpecError, ParseLimitsError,
    ParseTimeControlError, ProgramLimits, ProgramOption, ProgramSpec, TimeControl,
    parse_player_name, replacing_shell, run_in_folder, shell_word,
};
use thiserror::Error;
use toml::Spanned;

use super::config::{DuplicateId, number_names};
use super::engines_toml::{EngineTable, EnginesTomlError, parse_engine_tables};

/// A file of engines with an invalid line.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("line {line}: {problem}")]
pub struct EnginesFileError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The reason.
    pub problem: EnginesFileProblem,
}

/// The reason why a line of a file of engines is invalid.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum EnginesFileProblem {
    /// The text is not TOML, or has missing or unknown keys, or values of another type.
    #[error(transparent)]
    Toml(#[from] EnginesTomlError),
    /// An engine has neither a command nor a built-in player, or both.
    #[error("expected either `cmd` or `player`")]
    Program,
    /// A key for programs belongs to a built-in player.
    #[error("`{0}` is only for programs with `cmd`")]
    ProgramOnly(&'static str),
    /// The player, the protocol, an option or the time is invalid.
    #[error(transparent)]
    Contestant(#[from] ParseContestantSpecError),
    /// The time or the number of nodes is invalid.
    #[error(transparent)]
    TimeControl(#[from] ParseTimeControlError),
    /// The limits are invalid.
    #[error(transparent)]
    Limits(#[from] ParseLimitsError),
    /// The name or the identifier is invalid.
    #[error("{}: {reason}", Quoted::new(text))]
    Name {
        /// The text.
        text: String,
        /// The reason.
        reason: String,
    },
    /// An option of a program is invalid. The text is the error of its protocol.
    #[error("{0}")]
    Option(String),
    /// An engine has the identifier of one before it.
    #[error(transparent)]
    Id(#[from] DuplicateId),
    /// The contestant has no form as one line, because of the value of this key.
    #[error(
        "`{0}`: the engine cannot be written on one line with this value: the quotes are of both kinds, and \
         not all of them are closed, or a comma outside of them is followed by a word with `=`"
    )]
    Quotes(String),
    /// The name of an environment variable is invalid.
    #[error("{} is not the name of a variable: expected letters, digits and _", Quoted::new(.0))]
    Variable(String),
}

/// A problem and the offset of its text in the file.
type PlacedProblem = (usize, EnginesFileProblem);

/// Parses a file of engines, whose programs speak some of `protocols`. The folders of engines are
/// relative to `base`, that of the file.
///
/// A program with a folder or variables becomes a shell command that changes to the folder and sets
/// the variables.
///
/// ```
/// use std::path::Path;
/// use kalah_protocols::ENGINE_PROTOCOLS;
/// let text = r#"
/// [[engine]]
/// name = "Ana"
/// id = "s1234567"
/// cmd = "python3 bot.py"
/// dir = "ana"
/// proto = "kgp-child"
///
/// [[engine]]
/// player = "level:3"
/// time = "100ms"
/// "#;
/// let engines = kalah_arena::parse_engines_file(text, Path::new("course"), ENGINE_PROTOCOLS)?;
/// assert_eq!(
///     engines[0].to_string(),
///     "cmd='cd course/ana || exit; exec python3 bot.py',proto=kgp-child,id=s1234567,name=Ana"
/// );
/// assert_eq!(engines[1].to_string(), "level:3,time=100ms");
/// # Ok::<(), kalah_arena::EnginesFileError>(())
/// ```
///
/// # Errors
/// Returns the first invalid line.
pub fn parse_engines_file(
    text: &str,
    base: &Path,
    protocols: &[&'static EngineProtocol],
) -> Result<Vec<ContestantSpec>, EnginesFileError> {
    let error = |(offset, problem): PlacedProblem| EnginesFileError {
        line: 1 + text
            .bytes()
            .take(offset)
            .filter(|&byte| byte == b'\n')
            .count(),
        problem,
    };
    let tables = parse_engine_tables(text);
    let tables = tables.map_err(|(offset, reason)| error((offset, reason.into())))?;
    let engines = tables.iter();
    let engines = engines.map(|engine| parse_engine(engine, base, protocols));
    let engines: Vec<_> = engines.collect::<Result<_, _>>().map_err(error)?;
    check_ids(&tables, &engines).map_err(error)?;
    Ok(engines)
}

/// Checks that no two engines have the same identifier.
fn check_ids(
    tables: &[Spanned<EngineTable>],
    engines: &[ContestantSpec],
) -> Result<(), PlacedProblem> {
    let contestants = number_names(engines.to_vec());
    DuplicateId::check(contestants.iter()).map_err(|duplicate| {
        let mut names = contestants.iter();
        let index = names.position(|contestant| contestant.name == duplicate.second);
        let table = index.and_then(|index| tables.get(index));
        let id = table.and_then(|table| table.get_ref().id.as_ref());
        let offset = id.map_or(0, |id| id.span().start);
        (offset, duplicate.into())
    })
}

fn parse_engine(
    engine: &Spanned<EngineTable>,
    base: &Path,
    protocols: &[&'static EngineProtocol],
) -> Result<ContestantSpec, PlacedProblem> {
    let start = engine.span().start;
    let engine = engine.get_ref();
    let spec = parse_table(engine, start, base, protocols)?;
    if is_one_line(&spec, protocols) {
        return Ok(spec);
    }
    let is_possible = |rest: &EngineTable| {
        let spec = parse_table(rest, start, base, protocols);
        spec.is_ok_and(|spec| is_one_line(&spec, protocols))
    };
    let (offset, key) = unwritable_key(engine, is_possible).unwrap_or((start, "cmd".to_owned()));
    Err((offset, EnginesFileProblem::Quotes(key)))
}

/// Returns whether a contestant has a form as one line, as which the folder of the tournament has
/// it.
fn is_one_line(spec: &ContestantSpec, protocols: &[&'static EngineProtocol]) -> bool {
    ContestantSpec::parse(&spec.to_string(), protocols).as_ref() == Ok(spec)
}

/// Returns the first variable or option without which an engine is possible, or else the command,
/// with its offset.
fn unwritable_key(
    engine: &EngineTable,
    is_possible: impl Fn(&EngineTable) -> bool,
) -> Option<(usize, String)> {
    for (index, (name, value)) in engine.env.iter().enumerate() {
        let mut rest = engine.clone();
        rest.env.remove(index);
        if is_possible(&rest) {
            return Some((value.span().start, format!("env.{name}")));
        }
    }
    for (index, (name, value)) in engine.options.iter().enumerate() {
        let mut rest = engine.clone();
        rest.options.remove(index);
        if is_possible(&rest) {
            return Some((value.span().start, format!("options.{name}")));
        }
    }
    let command = engine.cmd.as_ref()?;
    Some((command.span().start, "cmd".to_owned()))
}

fn parse_table(
    engine: &EngineTable,
    start: usize,
    base: &Path,
    protocols: &[&'static EngineProtocol],
) -> Result<ContestantSpec, PlacedProblem> {
    let kind = match (&engine.cmd, &engine.player) {
        (Some(command), None) => {
            ContestantKind::Program(parse_program(engine, command, base, protocols)?)
        }
        (None, Some(player)) => parse_player(engine, player, protocols)?,
        _ => return Err((start, EnginesFileProblem::Program)),
    };
    Ok(ContestantSpec {
        kind,
        custom_name: engine.name.as_ref().map(parse_name).transpose()?,
        time_control: parse_time_control(engine)?,
        id: engine.id.as_ref().map(parse_name).transpose()?,
    })
}

fn parse_player(
    engine: &EngineTable,
    player: &Spanned<String>,
    protocols: &[&'static EngineProtocol],
) -> Result<ContestantKind, PlacedProblem> {
    let start = player.span().start;
    for (key, is_given) in [
        ("proto", engine.proto.is_some()),
        ("dir", engine.dir.is_some()),
        ("env", !engine.env.is_empty()),
        ("limits", engine.limits.is_some()),
        ("options", !engine.options.is_empty()),
    ] {
        if is_given {
            return Err((start, EnginesFileProblem::ProgramOnly(key)));
        }
    }
    let spec = ContestantSpec::parse(player.get_ref(), protocols);
    let spec = spec.map_err(|reason| (start, reason.into()))?;
    let is_plain = matches!(spec.kind, ContestantKind::Builtin(_))
        && (&spec.custom_name, spec.time_control, &spec.id) == (&None, None, &None);
    if is_plain {
        Ok(spec.kind)
    } else {
        Err((start, EnginesFileProblem::Program))
    }
}

fn parse_program(
    engine: &EngineTable,
    command: &Spanned<String>,
    base: &Path,
    protocols: &[&'static EngineProtocol],
) -> Result<ProgramSpec, PlacedProblem> {
    // The part with the protocol is parsed as on a command line.
    let (offset, text) = match &engine.proto {
        Some(proto) => (
            proto.span().start,
            format!("cmd=x,proto={}", proto.get_ref()),
        ),
        None => (command.span().start, "cmd=x".to_owned()),
    };
    let spec = ContestantSpec::parse(&text, protocols);
    let spec = spec.map_err(|reason| (offset, reason.into()))?;
    let ContestantKind::Program(program) = spec.kind else {
        return Err((offset, EnginesFileProblem::Program));
    };
    if command.get_ref().trim().is_empty() {
        let reason = ParseContestantSpecError::MissingCommand;
        return Err((command.span().start, reason.into()));
    }
    Ok(ProgramSpec {
        command: shell_command(engine, command, base)?,
        options: parse_options(engine, program.protocol, protocols)?,
        ..program
    })
}

fn parse_options(
    engine: &EngineTable,
    protocol: &EngineProtocol,
    protocols: &[&'static EngineProtocol],
) -> Result<Vec<ProgramOption>, PlacedProblem> {
    let options = engine.options.iter().map(|(name, value)| {
        let offset = value.span().start;
        let Some(parse) = protocol.parse_option else {
            let mut protocols = protocols.to_vec();
            protocols.retain(|protocol| protocol.parse_option.is_some());
            let reason = ParseContestantSpecError::OptionsUnsupported(protocols);
            return Err((offset, reason.into()));
        };
        parse(name, value.get_ref()).map_err(|reason| (offset, EnginesFileProblem::Option(reason)))
    });
    options.collect()
}

fn parse_name(text: &Spanned<String>) -> Result<String, PlacedProblem> {
    parse_player_name(text.get_ref()).map_err(|reason| {
        let text_owned = text.get_ref().clone();
        let problem = EnginesFileProblem::Name {
            text: text_owned,
            reason,
        };
        (text.span().start, problem)
    })
}

fn parse_time_control(engine: &EngineTable) -> Result<Option<TimeControl>, PlacedProblem> {
    let (offset, text) = match (&engine.time, &engine.nodes) {
        (None, None) => return Ok(None),
        (Some(time), None) => (time.span().start, time.get_ref().clone()),
        (None, Some(nodes)) => (nodes.span().start, format!("nodes={}", nodes.get_ref())),
        (Some(_), Some(nodes)) => {
            let reason = ParseContestantSpecError::TwoTimeControls;
            return Err((nodes.span().start, reason.into()));
        }
    };
    let time_control = text.parse::<TimeControl>();
    time_control
        .map(Some)
        .map_err(|reason| (offset, reason.into()))
}

/// Returns the command of a program that runs in its folder, with its variables and limits.
fn shell_command(
    engine: &EngineTable,
    command: &Spanned<String>,
    base: &Path,
) -> Result<String, PlacedProblem> {
    let mut line = String::new();
    for (name, value) in &engine.env {
        let offset = value.span().start;
        if !is_variable_name(name) {
            return Err((offset, EnginesFileProblem::Variable(name.clone())));
        }
        let word = shell_word(value.get_ref()).ok_or_else(|| nul(value))?;
        let _ = write!(line, "export {name}={word}; ");
    }
    if line.is_empty() {
        command.get_ref().clone_into(&mut line);
    } else {
        line += &replacing_shell(command.get_ref());
    }
    if let Some(dir) = &engine.dir {
        let path = base.join(dir.get_ref());
        line = run_in_folder(&path.to_string_lossy(), &line).ok_or_else(|| nul(dir))?;
    }
    Ok(match &engine.limits {
        None => line,
        Some(limits) => {
            let parsed = limits.get_ref().parse::<ProgramLimits>();
            let error = |reason| (limits.span().start, EnginesFileProblem::Limits(reason));
            parsed.map_err(error)?.apply(&line)
        }
    })
}

fn nul(text: &Spanned<String>) -> PlacedProblem {
    let reason = ParseContestantSpecError::Nul(text.get_ref().clone());
    (text.span().start, reason.into())
}

fn is_variable_name(name: &str) -> bool {
    let is_letter = |character: char| character.is_ascii_alphabetic() || character == '_';
    name.starts_with(is_letter)
        && name
            .chars()
            .all(|character| is_letter(character) || character.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use kalah_protocols::ENGINE_PROTOCOLS;

    use super::*;

    fn parse(text: &str) -> Result<Vec<ContestantSpec>, EnginesFileError> {
        parse_engines_file(text, Path::new(""), ENGINE_PROTOCOLS)
    }

    #[test]
    fn folders_and_variables_become_part_of_the_command() {
        for (engine, command) in [
            ("cmd = './bot'", "./bot"),
            (
                "cmd = './bot'\ndir = 'my bot'",
                "cd 'my bot' || exit; exec ./bot",
            ),
            (
                "cmd = 'make && ./bot'\ndir = '/a'\nenv = { A = '1', B_2 = 'x y' }",
                "cd /a || exit; export A=1; export B_2='x y'; make && ./bot",
            ),
            (
                "cmd = './bot'\ndir = '/a'\nlimits = 'cpu=60s'",
                "ulimit -t 60 || exit; cd /a || exit; exec ./bot",
            ),
            (
                "cmd = './bot'\nlimits = 'cpu=60s'",
                "ulimit -t 60 || exit; exec ./bot",
            ),
            (
                "cmd = 'A=2 ./bot'\nenv.A = '$B'",
                "export A='$B'; A=2 ./bot",
            ),
        ] {
            let engines = parse(&format!("[[engine]]\n{engine}\n")).expect(engine);
            let ContestantKind::Program(program) = &engines[0].kind else {
                panic!("{engine}");
            };
            assert_eq!(program.command, command);
        }
    }

    #[test]
    fn all_keys_become_parts_of_the_contestant() {
        let text = "[[engine]]\ncmd = './bot'\nproto = 'uki'\nname = 'Ana'\nid = 's1'\n\
                    nodes = 5000\noptions = { Player = 'level:3' }\n\
                    [[engine]]\nplayer = 'smart'\ntime = '10s+0.1s'\n";
        let engines = parse(text).expect("valid");
        let texts: Vec<String> = engines.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "cmd='./bot',proto=uki,option.Player=level:3,nodes=5000,id=s1,name=Ana",
                "smart,time=10s+100ms"
            ]
        );
    }

    #[test]
    fn errors_of_the_form_show_the_expected_one() {
        for (text, expected) in [
            (
                "\nengine = 1",
                "line 2: `engine` is the number `1`: expected a line [[engine]]",
            ),
            ("engine = [1]", "line 1: `engine` is the number `1`"),
            ("", "line 1: the file has no engine: each one begins with"),
            ("engine = []", "line 1: the file has no engine"),
            (
                "# x\n[engine]\ncmd = 'x'",
                "line 2: an engine begins with two pairs of brackets: [[engine]]",
            ),
            (
                "# x\n[[engines]]\ncmd = 'x'",
                "line 2: `engines` belongs to no engine: each one begins with a line [[engine]]",
            ),
            (
                "name = 'x'\n[[engine]]\ncmd = 'x'",
                "line 1: `name` belongs to no engine",
            ),
            (
                "[[engine]]\n\nnme = 'x'",
                "line 3: `nme` is no key of an engine: expected one of cmd, player, name,",
            ),
            (
                "[[engine]]\ncmd = 'x'\nname = 7",
                "line 3: `name` is the number `7`: expected a text in quotes, such as name = \"Ana\"",
            ),
            (
                "[[engine]]\ncmd = ['x', 'y']",
                "line 2: `cmd` is a list: expected a text in quotes",
            ),
            (
                "[[engine]]\ncmd = 'x'\nnodes = '9'",
                "line 3: `nodes` is the text `9`: expected a positive whole number without quotes",
            ),
            (
                "[[engine]]\ncmd = 'x'\nenv = 'A=1'",
                "line 3: `env` is the text `A=1`: expected texts with names, such as env = {",
            ),
            (
                "[[engine]]\ncmd = 'x'\noptions = { Threads = 1 }",
                "line 3: `Threads` is the number `1`: expected a text in quotes, such as Threads = \"1\"",
            ),
            (
                "[[engine]]\ncmd = 'x'\ncmd = 'y'",
                "line 3: `cmd`: it is given twice",
            ),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }

    #[test]
    fn errors_have_the_line_and_quote_the_text() {
        for (text, expected) in [
            (
                "[[engine]]\ncmd = 'x",
                "line 2: `cmd = 'x`: the closing quote is missing",
            ),
            (
                "[[engine]]\nplayer = 'first'\n\n[[engine]]\nname = 'x'",
                "line 4: expected either",
            ),
            (
                "[[engine]]\nplayer = 'first'\ncmd = 'x'",
                "line 1: expected either",
            ),
            (
                "[[engine]]\nplayer = 'frist'",
                "line 2: `frist` is not a player",
            ),
            ("[[engine]]\nplayer = 'cmd=x'", "line 2: expected either"),
            (
                "[[engine]]\nplayer = 'first'\ndir = 'x'",
                "line 2: `dir` is only for programs",
            ),
            ("[[engine]]\ncmd = ' '", "line 2: a command is needed"),
            (
                "[[engine]]\ncmd = 'x'\nproto = 'uci'",
                "line 3: `uci` is not a protocol",
            ),
            (
                "[[engine]]\ncmd = 'x'\nname = ''",
                "line 3: ``: a name needs",
            ),
            (
                "[[engine]]\ncmd = 'x'\ntime = 'soon'",
                "line 3: `soon` is not a duration",
            ),
            (
                "[[engine]]\ncmd = 'x'\ntime = '1s'\nnodes = 5",
                "line 4: only one of",
            ),
            (
                "[[engine]]\ncmd = 'x'\nnodes = 0",
                "line 3: `0` is not a positive number",
            ),
            (
                "[[engine]]\ncmd = 'x'\nnodes = -1",
                "line 3: `nodes` is the number `-1`: expected a positive whole number",
            ),
            (
                "[[engine]]\nplayer = 'first'\nid = 's7'\n[[engine]]\nplayer = 'first'\nid = 's7'",
                "line 6: the identifier `s7` is that of `first` and of `first (2)`",
            ),
            (
                "[[engine]]\ncmd = 'x'\nname = 'A'\nenv.B = 'y'\nenv.C = \"say \\\"it's, a=b\"",
                "line 5: `env.C`: the engine cannot be written on one line",
            ),
            (
                "[[engine]]\n\ncmd = \"x say \\\"it's, a=b\"",
                "line 3: `cmd`: the engine cannot be written on one line",
            ),
            (
                "[[engine]]\ncmd = 'x'\nlimits = 'memory=x'",
                "line 3: `memory=x` is not a limit",
            ),
            (
                "[[engine]]\nplayer = 'first'\nlimits = 'cpu=1s'",
                "line 2: `limits` is only for programs",
            ),
            (
                "[[engine]]\ncmd = 'x'\nenv.2A = ''",
                "line 3: `2A` is not the name",
            ),
            (
                "[[engine]]\ncmd = 'x'\ndir = \"a\\u0000\"",
                "line 3: `a\\0` has a NUL",
            ),
            (
                "[[engine]]\ncmd = 'x'\nproto = 'mankalah'\noptions.A = '1'",
                "line 4: only engines that speak uki or kgp-child have options",
            ),
            (
                "[[engine]]\ncmd = 'x'\nproto = 'kgp-child'\noptions.A = '1'",
                "line 4: `A` is not an option of a kgp-child",
            ),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
