use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use kalah_players::{MemorySize, PlayerSpec, display_path};
use kalah_protocols::Quoted;
use kalah_protocols::uki::{EngineOption, OneLine, OptionKind, OptionName};

use crate::engine_command_arguments::parse_engine_player;
use crate::table_arguments::MAX_THREADS;
use crate::{
    CliError, EngineArguments, EngineCommandArguments, TableFolder, TableSource, TablesArgument,
};

/// What can be set: who answers, and with what.
#[derive(Clone, Debug)]
pub(super) struct EngineSettings {
    pub(super) player: PlayerSpec,
    threads: NonZeroUsize,
    memory: MemorySize,
    tables: Option<TableSource>,
    /// Nothing is left to chance if it is given.
    seed: Option<u64>,
}

const PLAYER: &str = "Player";
const THREADS: &str = "Threads";
const MEMORY: &str = "Memory";
const TABLES: &str = "Tables";
const SEED: &str = "Seed";

/// The value of `Tables` for those that `kalah tables build` has made.
const AUTO_TABLES: &str = "auto";
/// The value of `Seed` for another one each time.
const RANDOM_SEED: &str = "random";

/// The unit of `Memory`, in bytes: a mebibyte.
const MEBIBYTE: u64 = 1 << 20;
/// The most of them: a tebibyte.
const MAX_MEBIBYTES: u64 = 1 << 20;

impl EngineSettings {
    pub(super) fn new(arguments: &EngineCommandArguments) -> Self {
        Self {
            player: arguments.player,
            threads: arguments.threads,
            memory: arguments.memory,
            tables: arguments.tables.tables.clone(),
            seed: arguments.seed,
        }
    }

    /// What an engine is made with.
    pub(super) fn engine_arguments(&self) -> EngineArguments {
        EngineArguments {
            threads: Some(self.threads),
            memory: Some(self.memory),
            tables: TablesArgument {
                tables: self.tables.clone(),
            },
        }
    }

    /// The seed for players who leave anything to chance.
    pub(super) fn seed(&self) -> u64 {
        self.seed
            .unwrap_or_else(|| RandomState::new().build_hasher().finish())
    }

    /// All that can be set, with what is set now as default.
    pub(super) fn options(&self) -> Vec<EngineOption> {
        let spin = |default: u64, most: u64| OptionKind::Spin {
            default: i64::try_from(default).unwrap_or(i64::MAX),
            min: 1,
            max: i64::try_from(most).unwrap_or(i64::MAX),
        };
        let text = |default: &str| OptionKind::Text {
            default: OneLine::new(default),
        };
        let tables = match &self.tables {
            None => AUTO_TABLES.to_owned(),
            Some(TableSource::Disabled) => "none".to_owned(),
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
        let offers = kinds.into_iter().filter_map(|(name, kind)| {
            let name = name.parse().ok()?;
            Some(EngineOption { name, kind })
        });
        offers.collect()
    }

    /// Sets one of them.
    ///
    /// # Errors
    /// Why it cannot be set; nothing has changed then.
    pub(super) fn set(&mut self, name: &OptionName, value: Option<&OneLine>) -> Result<(), String> {
        let value = value.map_or("", OneLine::as_str);
        let refused = |awaited: &str| {
            let quoted = Quoted::new(value);
            Err(format!(
                "option {name}: {quoted}: {awaited} is awaited here"
            ))
        };
        if name.matches(PLAYER) {
            match parse_engine_player(value) {
                Ok(player) => self.player = player,
                Err(reason) if value.len() <= Quoted::MAX_CHARS => {
                    return Err(format!("option {name}: {reason}"));
                }
                Err(_) => return refused("a player such as smart or level:3"),
            }
        } else if name.matches(THREADS) {
            match value.parse() {
                Ok(threads) if threads <= MAX_THREADS => self.threads = threads,
                _ => return refused(&format!("a whole number from 1 to {MAX_THREADS}")),
            }
        } else if name.matches(MEMORY) {
            let Ok(mebibytes @ 1..=MAX_MEBIBYTES) = value.parse() else {
                let awaited = format!("a whole number of MiB from 1 to {MAX_MEBIBYTES}");
                return refused(&awaited);
            };
            self.memory = MemorySize::new(mebibytes * MEBIBYTE);
        } else if name.matches(TABLES) {
            self.tables = match value {
                "" => return refused("a folder, none or auto"),
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
                Err(_) => return refused("a whole number or random"),
            };
        } else {
            let quoted = Quoted::new(name.as_str());
            return Err(format!(
                "there is no option {quoted}: there are {PLAYER}, {THREADS}, {MEMORY}, {TABLES} and {SEED}"
            ));
        }
        Ok(())
    }
}

/// A folder with tables that is there, or nowhere.
fn parse_table_source(value: &str) -> Result<TableSource, String> {
    let source = TableSource::from(PathBuf::from(value));
    if let TableSource::Folder(folder) = &source {
        TableFolder::new_existing(Some(folder))
            .map_err(|failure: CliError| failure.message().unwrap_or_default())?;
    }
    Ok(source)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use kalah_protocols::uki::{EngineMessage, HostMessage};

    use super::*;
    use crate::{Arguments, Command};

    fn settings(words: &[&str]) -> EngineSettings {
        let words = ["kalah", "engine"].iter().chain(words);
        match Arguments::parse_from(words).command {
            Some(Command::Engine(arguments)) => EngineSettings::new(&arguments),
            other => panic!("{other:?}"),
        }
    }

    fn offers(settings: &EngineSettings) -> Vec<String> {
        let offers = settings.options().into_iter().map(EngineMessage::Option);
        offers.map(|offer| offer.to_string()).collect()
    }

    fn set(settings: &mut EngineSettings, line: &str) -> Result<(), String> {
        match line.parse() {
            Ok(HostMessage::SetOption { name, value }) => settings.set(&name, value.as_ref()),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn what_is_typed_is_the_default() {
        assert_eq!(
            offers(&settings(&[])),
            [
                "option name Player type string default smart",
                "option name Threads type spin default 1 min 1 max 256",
                "option name Memory type spin default 512 min 1 max 1048576",
                "option name Tables type string default auto",
                "option name Seed type string default random",
            ]
        );
        let typed = "--player level:3 --threads 2 --memory 1GiB --tables none --seed 7";
        let typed: Vec<&str> = typed.split(' ').collect();
        assert_eq!(
            offers(&settings(&typed)),
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
    fn what_is_set_stays() {
        let mut settings = settings(&[]);
        for (line, place, offer) in [
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
            assert_eq!(offers(&settings)[place], offer);
        }
    }

    #[test]
    fn what_cannot_be_set_is_refused_in_words() {
        let mut settings = settings(&[]);
        let before = offers(&settings);
        let long = format!("name Player value {}", "x".repeat(1000));
        let long_quoted = format!(
            "option Player: `{}...`: a player such as smart or level:3 is awaited here",
            "x".repeat(80)
        );
        for (line, reason) in [
            (
                "name Hash value 3",
                "there is no option `Hash`: there are Player, Threads, Memory, Tables and Seed",
            ),
            (
                "name Player value human",
                "option Player: a person does not speak the engine protocol",
            ),
            (
                "name Player value smart:1s",
                "option Player: `smart:1s`: here the time comes with each `go`",
            ),
            (&long, &long_quoted),
            (
                "name Threads",
                "option Threads: ``: a whole number from 1 to 256 is awaited here",
            ),
            (
                "name Threads value 0",
                "option Threads: `0`: a whole number from 1 to 256 is awaited here",
            ),
            (
                "name Memory value 1048577",
                "option Memory: `1048577`: a whole number of MiB from 1 to 1048576 is awaited here",
            ),
            (
                "name Tables value",
                "option Tables: ``: a folder, none or auto is awaited here",
            ),
            (
                "name Tables value nowhere/else",
                "option Tables: there is no folder 'nowhere/else'",
            ),
            (
                "name Seed value -1",
                "option Seed: `-1`: a whole number or random is awaited here",
            ),
        ] {
            let refused = set(&mut settings, &format!("setoption {line}"));
            assert_eq!(refused, Err(reason.to_owned()));
        }
        assert_eq!(offers(&settings), before);
    }
}
