//! `kalah engine`: an engine of UKI on standard input and output.

use std::io::{self, BufReader, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use kalah::Position;
use kalah_players::{EngineFactory, MemorySize, PlayerSpec};
use kalah_uki::{
    EngineIdentity, EngineResources, EngineSettings, RunEngineError, TablesSetting, run_engine,
};

use crate::args::search::{
    BookOption, BookSearchOptions, NetworkOption, SearchOptions, TablesOption,
};
use crate::args::values::{seed_or_random, whole_number_parser};
use crate::error::CliError;
use crate::files::table_folder::{TableFolder, TableSource};
use crate::version::VERSION;

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
    #[arg(long, value_name = "PLAYER", default_value_t = PlayerSpec::SMART, value_parser = EngineSettings::parse_player)]
    player: PlayerSpec,
    /// Threads of the search of smart; its results are reproducible only with one thread
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN, value_parser = whole_number_parser(NonZeroUsize::MIN, EngineSettings::MAX_THREADS))]
    threads: NonZeroUsize,
    /// Memory of the search of smart, such as 64MiB or 2GiB
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = EngineSettings::parse_memory)]
    memory: MemorySize,
    #[command(flatten)]
    network: NetworkOption,
    #[command(flatten)]
    tables: TablesOption,
    #[command(flatten)]
    book: BookOption,
    /// The seed of the random choices of random and the levels [default: a random one]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    seed: Option<u64>,
    /// The number of moves of which smart sends the score and the line
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_number_parser(1, EngineSettings::MAX_LINES))]
    multipv: u8,
}

/// The author of the engine in the reply to `uki`.
const AUTHOR: &str = "the Kalah project";

pub(super) fn run(arguments: &EngineArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let identity = EngineIdentity {
        name: format!("Kalah {VERSION}"),
        author: AUTHOR.to_owned(),
    };
    let resources = Arc::new(CommandResources {
        start: Instant::now(),
        trusts_tables: arguments.tables.trust,
        network: arguments.network.clone(),
        book: arguments.book.clone(),
    });
    let input = BufReader::new(io::stdin());
    run_engine(identity, settings(arguments)?, resources, input, output)?;
    Ok(())
}

/// Returns the settings of the command line.
///
/// # Errors
/// [`CliError::Runtime`] if the folder of `--tables` does not exist.
fn settings(arguments: &EngineArgs) -> Result<EngineSettings, CliError> {
    arguments.tables.check()?;
    Ok(EngineSettings {
        player: arguments.player,
        threads: arguments.threads,
        memory: arguments.memory,
        tables: match &arguments.tables.tables {
            None => TablesSetting::Default,
            Some(TableSource::Disabled) => TablesSetting::Disabled,
            Some(TableSource::Folder(folder)) => TablesSetting::Folder(folder.clone()),
        },
        seed: arguments.seed,
        lines: arguments.multipv,
    })
}

/// The clock of this process, and the tables and the memory of this machine.
struct CommandResources {
    start: Instant,
    /// Whether tables are used without comparing them with their checksums.
    trusts_tables: bool,
    network: NetworkOption,
    book: BookOption,
}

impl EngineResources for CommandResources {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn random_seed(&self) -> u64 {
        seed_or_random(None)
    }

    fn check_table_folder(&self, folder: &Path) -> Result<(), String> {
        let checked = TableFolder::new_existing(Some(folder));
        checked.map(drop).map_err(|error| message(&error))
    }

    fn default_engine_factory(&self) -> EngineFactory {
        EngineFactory::default()
    }

    fn engine_factory(
        &self,
        settings: &EngineSettings,
        position: &Position,
    ) -> Result<EngineFactory, String> {
        let resources = SearchOptions {
            threads: Some(settings.threads),
            memory: Some(settings.memory),
            network: self.network.clone(),
            tables: TablesOption {
                tables: match &settings.tables {
                    TablesSetting::Default => None,
                    TablesSetting::Disabled => Some(TableSource::Disabled),
                    TablesSetting::Folder(folder) => Some(TableSource::Folder(folder.clone())),
                },
                trust: self.trusts_tables,
            },
        };
        let book = self.book.clone();
        let options = BookSearchOptions { resources, book };
        options.factory(position).map_err(|error| message(&error))
    }
}

fn message(error: &CliError) -> String {
    error.message().unwrap_or_default()
}

impl From<RunEngineError> for CliError {
    fn from(error: RunEngineError) -> Self {
        match error {
            RunEngineError::Input(error) => Self::Input(error),
            RunEngineError::Output(error) => Self::Output(error),
            RunEngineError::Thread(_) => Self::Runtime(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct EngineCommand {
        #[command(flatten)]
        arguments: EngineArgs,
    }

    fn option_lines(words: &[&str]) -> Vec<String> {
        let words = iter::once(&"engine").chain(words);
        let settings = settings(&EngineCommand::parse_from(words).arguments);
        let options = settings.expect("valid settings").options().into_iter();
        options.map(|option| option.to_string()).collect()
    }

    #[test]
    fn arguments_of_the_command_line_are_the_defaults_of_the_options() {
        assert_eq!(
            option_lines(&[]),
            [
                "option name Player type string default smart",
                "option name Threads type spin default 1 min 1 max 256",
                "option name Memory type spin default 512 min 1 max 1048576",
                "option name Tables type string default auto",
                "option name Seed type string default random",
                "option name MultiPV type spin default 1 min 1 max 27",
            ]
        );
        let words = "--player level:3 --threads 2 --memory 1GiB --tables none --seed 7 --multipv 3";
        let words: Vec<&str> = words.split(' ').collect();
        assert_eq!(
            option_lines(&words),
            [
                "option name Player type string default level:3",
                "option name Threads type spin default 2 min 1 max 256",
                "option name Memory type spin default 1024 min 1 max 1048576",
                "option name Tables type string default none",
                "option name Seed type string default 7",
                "option name MultiPV type spin default 3 min 1 max 27",
            ]
        );
    }
}
