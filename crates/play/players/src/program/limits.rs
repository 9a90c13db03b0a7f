//! Limits of the system for a program, which the shell sets before it starts the program.

use std::fmt::{self, Write as _};
use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;
use kalah::{Quoted, TimeLimit};
use thiserror::Error;

use super::shell::{EXEC, OR_EXIT, replacing_shell};

/// Limits of a program and of the processes that it starts, on Unix. They are resource limits of
/// the system (`setrlimit`), which a process cannot raise.
///
/// The text has the names of limits with their values, separated by spaces.
///
/// ```
/// use kalah_players::ProgramLimits;
/// let limits: ProgramLimits = "memory=300MB cpu=60s".parse()?;
/// assert_eq!(
///     limits.apply("./bot"),
///     "ulimit -v 292969 || exit; ulimit -t 60 || exit; exec ./bot"
/// );
/// assert!("memory=much".parse::<ProgramLimits>().is_err());
/// # Ok::<(), kalah_players::ParseLimitsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramLimits {
    /// The addresses of each process, in bytes.
    pub memory: Option<u64>,
    /// The processor time of each process.
    pub cpu: Option<Duration>,
    /// The processes of the user who runs the programs.
    pub processes: Option<u32>,
    /// The open files of each process.
    pub files: Option<u32>,
    /// The size of each file that is written, in bytes.
    pub file_size: Option<u64>,
}

/// The reason why a text is not a list of limits.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseLimitsError {
    /// A word is no limit, or has no value of its kind.
    #[error(
        "{} is not a limit: expected memory=300MB, cpu=60s, processes=50, files=50 or \
         file-size=1MB",
        Quoted::new(.0)
    )]
    Invalid(String),
    /// No program starts with so little.
    #[error("{} is less than {}, and no program starts with it", Quoted::new(text), format_bytes(*min))]
    TooLittle {
        /// The limit.
        text: String,
        /// The minimum in bytes.
        min: u64,
    },
    /// The system has no such numbers.
    #[error("{} is more than {}", Quoted::new(text), format_bytes(*max))]
    TooMuch {
        /// The limit.
        text: String,
        /// The maximum in bytes.
        max: u64,
    },
    /// A limit occurs twice.
    #[error("the limit {0} is given twice")]
    Duplicate(&'static str),
    /// There is no limit.
    #[error("expected limits such as memory=300MB cpu=60s")]
    Empty,
}

/// The unit of a limit of memory in the shell, in bytes.
const MEMORY_UNIT: u64 = 1024;

/// The unit of a limit of the size of files in the shell, in bytes (POSIX, `ulimit`).
const FILE_SIZE_UNIT: u64 = 512;

/// The minimum of [`ProgramLimits::memory`]: on Linux, a C program without libraries needs nearly
/// this much for its start, and one with the C library 2.5 MB.
const MIN_MEMORY_BYTES: u64 = 1_000_000;

/// The maximum of sizes. Shells compute with bytes as signed numbers of 64 bits.
const MAX_BYTES: u64 = 1 << 60;

/// The minimum of [`ProgramLimits::files`]: the standard streams, and a file.
const MIN_FILES: u32 = 4;

/// The start of a command that sets a limit.
const SET_LIMIT: &str = "ulimit ";

impl ProgramLimits {
    /// Returns a command line that sets the limits and then runs `command`. Values are rounded up
    /// to whole units. A limit that the system does not grant ends the command.
    pub fn apply(&self, command: &str) -> String {
        let mut line = String::new();
        let mut add = |set: String| {
            let _ = write!(line, "{set}{OR_EXIT}");
        };
        if let Some(bytes) = self.memory {
            add(format!("ulimit -v {}", bytes.div_ceil(MEMORY_UNIT)));
        }
        if let Some(time) = self.cpu {
            let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
            add(format!("ulimit -t {seconds}"));
        }
        if let Some(count) = self.processes {
            // The option is `-p` in dash and `-u` in other shells.
            add(format!(
                "ulimit -u {count} 2>/dev/null || ulimit -p {count}"
            ));
        }
        if let Some(count) = self.files {
            add(format!("ulimit -n {count}"));
        }
        if let Some(bytes) = self.file_size {
            add(format!("ulimit -f {}", bytes.div_ceil(FILE_SIZE_UNIT)));
        }
        if line.is_empty() {
            return command.to_owned();
        }
        line + &replacing_shell(command)
    }

    fn set(&mut self, word: &str) -> Result<(), ParseLimitsError> {
        let invalid = || ParseLimitsError::Invalid(word.to_owned());
        let (name, value) = word.split_once('=').ok_or_else(invalid)?;
        let bytes = |min: u64| match value.parse::<ByteSize>().map(|size| size.as_u64()) {
            Ok(size) if size > MAX_BYTES => Err(ParseLimitsError::TooMuch {
                text: word.to_owned(),
                max: MAX_BYTES,
            }),
            Ok(size) if size < min => Err(ParseLimitsError::TooLittle {
                text: word.to_owned(),
                min,
            }),
            size => Ok(size.ok()),
        };
        let time = || TimeLimit::parse_decimal(value).ok().map(TimeLimit::get);
        let count = |min: u32| value.parse().ok().filter(|&count: &u32| count >= min);
        match name {
            "memory" => set_once(&mut self.memory, "memory", bytes(MIN_MEMORY_BYTES)?),
            "cpu" => set_once(&mut self.cpu, "cpu", time().filter(|it| !it.is_zero())),
            "processes" => set_once(&mut self.processes, "processes", count(1)),
            "files" => set_once(&mut self.files, "files", count(MIN_FILES)),
            "file-size" => set_once(&mut self.file_size, "file-size", bytes(0)?),
            _ => None,
        }
        .unwrap_or_else(|| Err(invalid()))
    }
}

/// Sets a limit that is not set yet; `None` if the value is invalid.
fn set_once<T>(
    slot: &mut Option<T>,
    name: &'static str,
    value: Option<T>,
) -> Option<Result<(), ParseLimitsError>> {
    let value = value?;
    Some(match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(ParseLimitsError::Duplicate(name)),
    })
}

impl FromStr for ProgramLimits {
    type Err = ParseLimitsError;

    fn from_str(text: &str) -> Result<Self, ParseLimitsError> {
        let mut limits = Self::default();
        for word in text.split_whitespace() {
            limits.set(word)?;
        }
        if limits == Self::default() {
            return Err(ParseLimitsError::Empty);
        }
        Ok(limits)
    }
}

/// The text that parses to the same limits, with rounded sizes.
impl fmt::Display for ProgramLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits = [
            ("memory", self.memory.map(format_bytes)),
            ("cpu", self.cpu.map(|time| format!("{}s", time.as_secs()))),
            ("processes", self.processes.map(|count| count.to_string())),
            ("files", self.files.map(|count| count.to_string())),
            ("file-size", self.file_size.map(format_bytes)),
        ];
        let mut separator = "";
        for (name, value) in limits {
            if let Some(value) = value {
                write!(f, "{separator}{name}={value}")?;
                separator = " ";
            }
        }
        Ok(())
    }
}

fn format_bytes(bytes: u64) -> String {
    let size = ByteSize(bytes).display().si().to_string();
    size.replace(' ', "").replace(".0", "")
}

/// Returns a command line without the limits that [`ProgramLimits::apply`] has put before it.
pub(crate) fn without_limits(command: &str) -> &str {
    let (_, rest) = split_limits(command);
    if rest.len() < command.len() {
        rest.strip_prefix(EXEC).unwrap_or(rest)
    } else {
        rest
    }
}

impl ProgramLimits {
    /// Returns the limits that [`ProgramLimits::apply`] has put before a command, in whole units of
    /// the shell; `None` if there are none.
    pub fn of_command(command: &str) -> Option<Self> {
        let mut limits = Self::default();
        let (commands, _) = split_limits(command);
        for set in commands {
            let (option, number) = set.split_once(' ')?;
            let number = number.split(' ').next()?;
            let value: u64 = number.parse().ok()?;
            match option {
                "-v" => limits.memory = value.checked_mul(MEMORY_UNIT),
                "-t" => limits.cpu = Some(Duration::from_secs(value)),
                "-u" => limits.processes = u32::try_from(value).ok(),
                "-n" => limits.files = u32::try_from(value).ok(),
                "-f" => limits.file_size = value.checked_mul(FILE_SIZE_UNIT),
                _ => {}
            }
        }
        (limits != Self::default()).then_some(limits)
    }

    /// Returns whether a program with these limits can have written this error of the C library
    /// because of them.
    pub(crate) fn explain(&self, error: &str) -> bool {
        let is_one_of = |texts: &[&str]| texts.iter().any(|text| error.contains(text));
        (self.memory.is_some() && is_one_of(&["Cannot allocate memory"]))
            || (self.files.is_some() && is_one_of(&["Too many open files"]))
            || (self.processes.is_some()
                && is_one_of(&["Resource temporarily unavailable", "annot fork"]))
    }
}

/// Splits a command line into the commands that set limits, without the name of the command, and
/// the rest.
fn split_limits(command: &str) -> (Vec<&str>, &str) {
    let (mut commands, mut rest) = (Vec::new(), command);
    while let Some(set) = rest.strip_prefix(SET_LIMIT)
        && let Some((set, after)) = set.split_once(OR_EXIT)
    {
        commands.push(set);
        rest = after;
    }
    (commands, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_set_before_the_command() {
        for (limits, command, line) in [
            (
                "cpu=1.5s",
                "./bot --fast",
                "ulimit -t 2 || exit; exec ./bot --fast",
            ),
            (
                "files=20 processes=9",
                "make && ./bot",
                "ulimit -u 9 2>/dev/null || ulimit -p 9 || exit; ulimit -n 20 || exit; make && ./bot",
            ),
            (
                "file-size=1MB memory=1GiB",
                "./bot",
                "ulimit -v 1048576 || exit; ulimit -f 1954 || exit; exec ./bot",
            ),
        ] {
            let limits: ProgramLimits = limits.parse().expect(limits);
            assert_eq!(limits.apply(command), line);
            assert_eq!(without_limits(line), command);
            assert_eq!(ProgramLimits::of_command(line).map(|it| it.apply("x")), {
                Some(limits.apply("x"))
            });
        }
        assert_eq!(ProgramLimits::default().apply("./bot"), "./bot");
        for command in ["./bot", "exec ./bot", "ulimit -v 9; ./bot"] {
            assert_eq!(without_limits(command), command);
            assert_eq!(ProgramLimits::of_command(command), None);
        }
        for text in [
            "memory=300MB cpu=60s processes=50 files=50 file-size=1MB",
            "memory=1.5GB",
            "memory=1MB",
        ] {
            let limits: ProgramLimits = text.parse().expect(text);
            assert_eq!(limits.to_string(), text);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn program_has_the_limits_and_no_files_of_this_process() {
        use crate::program::{ChildProcess, ReadLineError, Shutdown};

        const TIMEOUT: Duration = Duration::from_mins(1);

        let run = |command: &str| {
            let mut process = ChildProcess::start(command, &Shutdown::default()).expect("a shell");
            let mut lines = Vec::new();
            loop {
                match process.receive_line(TIMEOUT) {
                    Ok(line) => lines.push(line),
                    Err(error) => {
                        assert_eq!(error, ReadLineError::Closed);
                        return lines;
                    }
                }
            }
        };
        let text = "memory=400MiB cpu=90s processes=5000 files=40 file-size=1MiB";
        let limits: ProgramLimits = text.parse().expect("limits");
        let lines = run(&limits.apply("cat /proc/self/limits"));
        for (name, value) in [
            ("Max address space", "419430400"),
            ("Max cpu time", "90"),
            ("Max processes", "5000"),
            ("Max open files", "40"),
            ("Max file size", "1048576"),
        ] {
            let line = lines.iter().find(|line| line.starts_with(name));
            let line = line.expect(name);
            let values: Vec<&str> = line[name.len()..].split_whitespace().collect();
            assert_eq!(values[..2], [value, value], "{line}");
        }
        // This process can itself have inherited files, which its children inherit as well.
        let inherited = run("ls /proc/self/fd");
        let _other = ChildProcess::start("sleep 1000", &Shutdown::default()).expect("a shell");
        let _file = std::fs::File::open("/proc/self/status").expect("a file");
        assert_eq!(run("ls /proc/self/fd"), inherited);
        assert_eq!(run(&limits.apply("ls /proc/self/fd")), inherited);
    }

    #[test]
    fn invalid_limits_are_quoted() {
        for (text, expected) in [
            ("", "expected limits such as"),
            ("memory", "`memory` is not a limit: expected memory="),
            (
                "memory=300",
                "`memory=300` is less than 1MB, and no program starts with it",
            ),
            (
                "memory=99999999TB",
                "`memory=99999999TB` is more than 1.2EB",
            ),
            ("file-size=2EiB", "`file-size=2EiB` is more than 1.2EB"),
            ("cpu=0s", "`cpu=0s` is not a limit"),
            ("cpu=60", "`cpu=60` is not a limit"),
            ("files=3", "`files=3` is not a limit"),
            ("processes=-1", "`processes=-1` is not a limit"),
            ("file-size=x;y", "`file-size=x;y` is not a limit"),
            ("cpu=1s files=9 cpu=2s", "the limit cpu is given twice"),
        ] {
            let error = text.parse::<ProgramLimits>().expect_err(text).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
