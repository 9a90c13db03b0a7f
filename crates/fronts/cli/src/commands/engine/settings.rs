//! The options of `kalah engine`: the arguments of the command line, which `setoption` changes.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use kalah::Quoted;
use kalah_players::{
    MemorySize, ParseMemorySizeError, ParsePlayerSpecError, PlayerSpec, display_path,
};
use kalah_protocols::uki::{EngineOption, OneLine, OptionKind, OptionName};

use crate::args::search::{SearchOptions, TablesOption};
use crate::args::values::{MAX_THREADS, seed_or_random, whole_number_parser};
use crate::error::CliError;
use crate::files::table_folder::TableSource;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The engine reads lines of the engine protocol until the input ends or it reads `quit`.
docs/engine-protocol.md describes the protocol and has an engine of a hundred lines in Python. The
command `setoption` sets the same options as the command line.

Examples:
  kalah engine
  kalah engine --player level:4 --seed 7
  kalah engine --threads 4 --memory 2GiB --tables none")]
pub(crate) struct EngineArgs {
    /// The player: smart, first, random, minimax:DEPTH, or level:1 (weak) to level:10 (smart)
    #[arg(long, value_name = "PLAYER", default_value_t = PlayerSpec::SMART, value_parser = parse_engine_player)]
    player: PlayerSpec,
    /// Threads of the search of smart; its results are reproducible only with one thread
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN, value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    threads: NonZeroUsize,
    /// Memory of the search of smart, such as 64MiB or 2GiB
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = parse_engine_memory)]
    memory: MemorySize,
    #[command(flatten)]
    tables: TablesOption,
    /// The seed of the random choices of random and the levels [default: a random one]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    seed: Option<u64>,
}

/// The player and the resources of its search.
#[derive(Clone, Debug)]
pub(super) struct EngineSettings {
    pub(super) player: PlayerSpec,
    threads: NonZeroUsize,
    memory: MemorySize,
    tables: Option<TableSource>,
    /// The seed of random players; `None` for a random seed.
    seed: Option<u64>,
}

const PLAYER: &str = "Player";
const THREADS: &str = "Threads";
const MEMORY: &str = "Memory";
const TABLES: &str = "Tables";
const SEED: &str = "Seed";

/// The value of `Tables` for the folder of `kalah tables build`.
const AUTO_TABLES: &str = "auto";
/// The value of `Tables` for a search without tables.
const NO_TABLES: &str = "none";
/// The value of `Seed` for a random seed.
const RANDOM_SEED: &str = "random";

/// The unit of `Memory` in bytes.
const MEBIBYTE: u64 = 1 << 20;
/// The maximum of `Memory`: a tebibyte.
const MAX_MEBIBYTES: u64 = 1 << 20;

impl EngineSettings {
    /// Returns the settings of the command line.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder of `--tables` does not exist.
    pub(super) fn new(arguments: &EngineArgs) -> Result<Self, CliError> {
        arguments.tables.check()?;
        Ok(Self {
            player: arguments.player,
            threads: arguments.threads,
            memory: arguments.memory,
            tables: arguments.tables.tables.clone(),
            seed: arguments.seed,
        })
    }

    /// Returns the resources of the search.
    pub(super) fn search_options(&self) -> SearchOptions {
        SearchOptions {
            threads: Some(self.threads),
            memory: Some(self.memory),
            tables: TablesOption {
                tables: self.tables.clone(),
            },
        }
    }

    /// Returns the seed of random players.
    pub(super) fn seed(&self) -> u64 {
        seed_or_random(self.seed)
    }

    /// Returns all options, with the present values as defaults.
    pub(super) fn options(&self) -> Vec<EngineOption> {
        let spin = |default: u64, max: u64| OptionKind::Spin {
            default: i64::try_from(default).unwrap_or(i64::MAX),
            min: 1,
            max: i64::try_from(max).unwrap_or(i64::MAX),
        };
        let text = |default: &str| OptionKind::Text {
            default: OneLine::new(default),
        };
        let tables = match &self.tables {
            None => AUTO_TABLES.to_owned(),
            Some(TableSource::Disabled) => NO_TABLES.to_owned(),
            Some(TableSource::Folder(folder)) => display_path(folder),
        };
        let seed = self
            .seed
            .map_or_else(|| RANDOM_SEED.to_owned(), |seed| seed.to_string());
        let kinds = [
            (PLAYER, text(&self.player.to_string())),
            (
                THREADS,
                spin(self.threads.get() as u64, MAX_THREADS.get() as u64),
            ),
            (MEMORY, spin(self.memory.bytes() / MEBIBYTE, MAX_MEBIBYTES)),
            (TABLES, text(&tables)),
            (SEED, text(&seed)),
        ];
        let options = kinds.into_iter().filter_map(|(name, kind)| {
            let name = name.parse().ok()?;
            Some(EngineOption { name, kind })
        });
        options.collect()
    }

    /// Sets an option.
    ///
    /// # Errors
    /// The reason why the value is invalid. Nothing has changed then.
    pub(super) fn set(&mut self, name: &OptionName, value: Option<&OneLine>) -> Result<(), String> {
        let value = value.map_or("", OneLine::as_str);
        let invalid = |expected: &str| {
            let quoted = Quoted::new(value);
            Err(format!("option {name}: {quoted}: expected {expected}"))
        };
        if name.matches(PLAYER) {
            self.player =
                parse_engine_player(value).map_err(|reason| format!("option {name}: {reason}"))?;
        } else if name.matches(THREADS) {
            match value.parse() {
                Ok(threads) if threads <= MAX_THREADS => self.threads = threads,
                _ => return invalid(&format!("a whole number from 1 to {MAX_THREADS}")),
            }
        } else if name.matches(MEMORY) {
            let Ok(mebibytes @ 1..=MAX_MEBIBYTES) = value.parse() else {
                let expected = format!("a whole number of MiB from 1 to {MAX_MEBIBYTES}");
                return invalid(&expected);
            };
            self.memory = MemorySize::new(mebibytes * MEBIBYTE);
        } else if name.matches(TABLES) {
            self.tables = match value {
                "" => return invalid("a folder, none or auto"),
                AUTO_TABLES => None,
                _ => Some(
                    parse_table_source(value)
                        .map_err(|reason| format!("option {name}: {reason}"))?,
                ),
            };
        } else if name.matches(SEED) {
            self.seed = match value.parse() {
                Ok(seed) => Some(seed),
                Err(_) if value == RANDOM_SEED => None,
                Err(_) => return invalid("a whole number or random"),
            };
        } else {
            let quoted = Quoted::new(name.as_str());
            return Err(format!(
                "unknown option {quoted}: the options are {PLAYER}, {THREADS}, {MEMORY}, {TABLES} and \
                 {SEED}"
            ));
        }
        Ok(())
    }
}

/// Parses an existing folder with tables, or `none`.
fn parse_table_source(value: &str) -> Result<TableSource, String> {
    let source = TableSource::from(PathBuf::from(value));
    source
        .check()
        .map_err(|error| error.message().unwrap_or_default())?;
    Ok(source)
}

/// Parses an amount of memory within the limits of the option `Memory`.
fn parse_engine_memory(text: &str) -> Result<MemorySize, String> {
    let max = MemorySize::new(MAX_MEBIBYTES * MEBIBYTE);
    let memory: MemorySize = text
        .parse()
        .map_err(|reason: ParseMemorySizeError| reason.to_string())?;
    if memory > max {
        return Err(format!("expected at most {max}"));
    }
    Ok(memory)
}

/// Parses a player for the engine protocol: a program without a time of its own, because the
/// protocol sends the time with each `go`.
fn parse_engine_player(text: &str) -> Result<PlayerSpec, String> {
    let quoted = Quoted::new(text);
    match PlayerSpec::parse_program(text) {
        Ok(spec) if spec.time_limit.is_some() => Err(format!(
            "{quoted}: the engine protocol sends the time with each `go`"
        )),
        Ok(spec) => Ok(spec),
        Err(ParsePlayerSpecError::UnknownProgram(_)) => Err(format!(
            "{quoted} is not a player: expected {}",
            PlayerSpec::PROGRAMS
        )),
        Err(reason) => Err(reason.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use clap::Parser;
    use kalah_protocols::uki::{EngineMessage, HostMessage};

    use super::*;

    #[derive(Parser)]
    struct EngineCommand {
        #[command(flatten)]
        arguments: EngineArgs,
    }

    fn settings(words: &[&str]) -> EngineSettings {
        let words = iter::once(&"engine").chain(words);
        EngineSettings::new(&EngineCommand::parse_from(words).arguments).expect("valid settings")
    }

    fn option_lines(settings: &EngineSettings) -> Vec<String> {
        let messages = settings.options().into_iter().map(EngineMessage::Option);
        messages.map(|message| message.to_string()).collect()
    }

    fn set(settings: &mut EngineSettings, line: &str) -> Result<(), String> {
        match line.parse() {
            Ok(HostMessage::SetOption { name, value }) => settings.set(&name, value.as_ref()),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn arguments_of_the_command_line_are_the_defaults_of_the_options() {
        assert_eq!(
            option_lines(&settings(&[])),
            [
                "option name Player type string default smart",
                "option name Threads type spin default 1 min 1 max 256",
                "option name Memory type spin default 512 min 1 max 1048576",
                "option name Tables type string default auto",
                "option name Seed type string default random",
            ]
        );
        let words = "--player level:3 --threads 2 --memory 1GiB --tables none --seed 7";
        let words: Vec<&str> = words.split(' ').collect();
        assert_eq!(
            option_lines(&settings(&words)),
            [
                "option name Player type string default level:3",
                "option name Threads type spin default 2 min 1 max 256",
                "option name Memory type spin default 1024 min 1 max 1048576",
                "option name Tables type string default none",
                "option name Seed type string default 7",
            ]
        );
    }

    #[test]
    fn options_that_are_set_become_the_defaults() {
        let mut settings = settings(&[]);
        for (line, index, option) in [
            (
                "name player value minimax:4",
                0,
                "option name Player type string default minimax:4",
            ),
            (
                "name THREADS value 256",
                1,
                "option name Threads type spin default 256 min 1 max 256",
            ),
            (
                "name Memory value 1",
                2,
                "option name Memory type spin default 1 min 1 max 1048576",
            ),
            (
                "name Tables value none",
                3,
                "option name Tables type string default none",
            ),
            (
                "name Tables value .",
                3,
                "option name Tables type string default .",
            ),
            (
                "name Tables value auto",
                3,
                "option name Tables type string default auto",
            ),
            (
                "name Seed value 18446744073709551615",
                4,
                "option name Seed type string default 18446744073709551615",
            ),
            (
                "name Seed value random",
                4,
                "option name Seed type string default random",
            ),
        ] {
            assert_eq!(set(&mut settings, &format!("setoption {line}")), Ok(()));
            assert_eq!(option_lines(&settings)[index], option);
        }
    }

    #[test]
    fn invalid_values_are_refused_with_a_reason() {
        let mut settings = settings(&[]);
        let before = option_lines(&settings);
        let long = format!("name Player value {}", "x".repeat(1000));
        let long_reason = format!(
            "option Player: `{}...` is not a player: expected first, random, minimax:DEPTH, level:1 \
             to level:10, or smart",
            "x".repeat(Quoted::MAX_CHARS)
        );
        for (line, reason) in [
            (
                "name Hash value 3",
                "unknown option `Hash`: the options are Player, Threads, Memory, Tables and Seed",
            ),
            (
                "name Player value human",
                "option Player: expected a program such as smart or level:3, not human",
            ),
            (
                "name Player value smart:1s",
                "option Player: `smart:1s`: the engine protocol sends the time with each `go`",
            ),
            (&long, &long_reason),
            (
                "name Threads",
                "option Threads: ``: expected a whole number from 1 to 256",
            ),
            (
                "name Threads value 0",
                "option Threads: `0`: expected a whole number from 1 to 256",
            ),
            (
                "name Memory value 1048577",
                "option Memory: `1048577`: expected a whole number of MiB from 1 to 1048576",
            ),
            (
                "name Tables value",
                "option Tables: ``: expected a folder, none or auto",
            ),
            (
                "name Tables value nowhere/else",
                "option Tables: there is no folder 'nowhere/else'",
            ),
            (
                "name Seed value -1",
                "option Seed: `-1`: expected a whole number or random",
            ),
        ] {
            let result = set(&mut settings, &format!("setoption {line}"));
            assert_eq!(result, Err(reason.to_owned()));
        }
        assert_eq!(option_lines(&settings), before);
    }

    #[test]
    fn engine_player_is_a_program_without_a_time() {
        assert_eq!(parse_engine_player("smart"), Ok(PlayerSpec::SMART));
        assert!(parse_engine_player("smart:1s").is_err());
        assert!(parse_engine_player("human").is_err());
    }
}
