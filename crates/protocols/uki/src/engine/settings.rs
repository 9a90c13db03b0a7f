//! The options of an engine, which `setoption` changes.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use kalah::Quoted;
use kalah_players::{
    MemorySize, ParseMemorySizeError, ParsePlayerSpecError, PlayerSpec, display_path,
};

use crate::option::{EngineOption, OptionKind, OptionName};
use crate::parse::OneLine;

/// The player and the resources of its search.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// The player, which has no time of its own.
    pub player: PlayerSpec,
    /// The threads of a search, at most [`EngineSettings::MAX_THREADS`].
    pub threads: NonZeroUsize,
    /// The memory of a search.
    pub memory: MemorySize,
    /// The endgame tables of a search.
    pub tables: TablesSetting,
    /// The seed of random players; `None` for a random seed.
    pub seed: Option<u64>,
    /// The number of moves of which a search reports the score and the line, from 1 to
    /// [`EngineSettings::MAX_LINES`].
    pub lines: u8,
}

/// The endgame tables of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TablesSetting {
    /// Those of the default folder.
    Default,
    /// None.
    Disabled,
    /// Those of this folder.
    Folder(PathBuf),
}

const PLAYER: &str = "Player";
const THREADS: &str = "Threads";
const MEMORY: &str = "Memory";
const TABLES: &str = "Tables";
const SEED: &str = "Seed";
const MULTI_PV: &str = "MultiPV";

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
    /// The maximum of the option `Threads`.
    pub const MAX_THREADS: NonZeroUsize = NonZeroUsize::new(256).unwrap();

    /// The maximum of the option `MultiPV`: the houses of a side and the swap.
    pub const MAX_LINES: u8 = 27;

    /// Returns all options, with the present values as defaults.
    pub fn options(&self) -> Vec<EngineOption> {
        let spin = |default: u64, max: u64| OptionKind::Spin {
            default: i64::try_from(default).unwrap_or(i64::MAX),
            min: 1,
            max: i64::try_from(max).unwrap_or(i64::MAX),
        };
        let text = |default: &str| OptionKind::Text {
            default: OneLine::new(default),
        };
        let tables = match &self.tables {
            TablesSetting::Default => AUTO_TABLES.to_owned(),
            TablesSetting::Disabled => NO_TABLES.to_owned(),
            TablesSetting::Folder(folder) => display_path(folder),
        };
        let seed = self
            .seed
            .map_or_else(|| RANDOM_SEED.to_owned(), |seed| seed.to_string());
        let kinds = [
            (PLAYER, text(&self.player.to_string())),
            (
                THREADS,
                spin(self.threads.get() as u64, Self::MAX_THREADS.get() as u64),
            ),
            (MEMORY, spin(self.memory.bytes() / MEBIBYTE, MAX_MEBIBYTES)),
            (TABLES, text(&tables)),
            (SEED, text(&seed)),
            (MULTI_PV, spin(self.lines.into(), Self::MAX_LINES.into())),
        ];
        let options = kinds.into_iter().filter_map(|(name, kind)| {
            let name = name.parse().ok()?;
            Some(EngineOption { name, kind })
        });
        options.collect()
    }

    /// Sets an option. `check_table_folder` returns the reason if a folder with tables cannot be
    /// used.
    ///
    /// # Errors
    /// The reason why the value is invalid. Nothing has changed then.
    pub fn set(
        &mut self,
        name: &OptionName,
        value: Option<&OneLine>,
        check_table_folder: &dyn Fn(&Path) -> Result<(), String>,
    ) -> Result<(), String> {
        let value = value.map_or("", OneLine::as_str);
        let invalid = |expected: &str| {
            let quoted = Quoted::new(value);
            Err(format!("option {name}: {quoted}: expected {expected}"))
        };
        if name.matches(PLAYER) {
            self.player =
                Self::parse_player(value).map_err(|reason| format!("option {name}: {reason}"))?;
        } else if name.matches(THREADS) {
            match value.parse() {
                Ok(threads) if threads <= Self::MAX_THREADS => self.threads = threads,
                _ => return invalid(&format!("a whole number from 1 to {}", Self::MAX_THREADS)),
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
                AUTO_TABLES => TablesSetting::Default,
                NO_TABLES => TablesSetting::Disabled,
                _ => {
                    let folder = PathBuf::from(value);
                    check_table_folder(&folder)
                        .map_err(|reason| format!("option {name}: {reason}"))?;
                    TablesSetting::Folder(folder)
                }
            };
        } else if name.matches(SEED) {
            self.seed = match value.parse() {
                Ok(seed) => Some(seed),
                Err(_) if value == RANDOM_SEED => None,
                Err(_) => return invalid("a whole number or random"),
            };
        } else if name.matches(MULTI_PV) {
            match value.parse() {
                Ok(lines @ 1..=Self::MAX_LINES) => self.lines = lines,
                _ => return invalid(&format!("a whole number from 1 to {}", Self::MAX_LINES)),
            }
        } else {
            let quoted = Quoted::new(name.as_str());
            return Err(format!(
                "unknown option {quoted}: the options are {PLAYER}, {THREADS}, {MEMORY}, {TABLES}, \
                 {SEED} and {MULTI_PV}"
            ));
        }
        Ok(())
    }

    /// Parses an amount of memory within the limits of the option `Memory`.
    ///
    /// # Errors
    /// Returns a message if the text is no amount of memory, or exceeds the maximum.
    pub fn parse_memory(text: &str) -> Result<MemorySize, String> {
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
    ///
    /// # Errors
    /// Returns a message if the text is another player.
    pub fn parse_player(text: &str) -> Result<PlayerSpec, String> {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{EngineMessage, HostMessage};

    /// Accepts the current folder only.
    fn check_table_folder(folder: &Path) -> Result<(), String> {
        let name = display_path(folder);
        (name == ".")
            .then_some(())
            .ok_or_else(|| format!("there is no folder '{name}'"))
    }

    fn settings() -> EngineSettings {
        EngineSettings {
            player: PlayerSpec::SMART,
            threads: NonZeroUsize::MIN,
            memory: MemorySize::new(512 * MEBIBYTE),
            tables: TablesSetting::Default,
            seed: None,
            lines: 1,
        }
    }

    fn option_lines(settings: &EngineSettings) -> Vec<String> {
        let messages = settings.options().into_iter().map(EngineMessage::Option);
        messages.map(|message| message.to_string()).collect()
    }

    fn set(settings: &mut EngineSettings, line: &str) -> Result<(), String> {
        match line.parse() {
            Ok(HostMessage::SetOption { name, value }) => {
                settings.set(&name, value.as_ref(), &check_table_folder)
            }
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn options_that_are_set_become_the_defaults() {
        let mut settings = settings();
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
            (
                "name multipv value 27",
                5,
                "option name MultiPV type spin default 27 min 1 max 27",
            ),
        ] {
            assert_eq!(set(&mut settings, &format!("setoption {line}")), Ok(()));
            assert_eq!(option_lines(&settings)[index], option);
        }
    }

    #[test]
    fn invalid_values_are_refused_with_a_reason() {
        let mut settings = settings();
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
                "unknown option `Hash`: the options are Player, Threads, Memory, Tables, Seed and \
                 MultiPV",
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
            (
                "name MultiPV value 28",
                "option MultiPV: `28`: expected a whole number from 1 to 27",
            ),
        ] {
            let result = set(&mut settings, &format!("setoption {line}"));
            assert_eq!(result, Err(reason.to_owned()));
        }
        assert_eq!(option_lines(&settings), before);
    }

    #[test]
    fn engine_player_is_a_program_without_a_time() {
        assert_eq!(EngineSettings::parse_player("smart"), Ok(PlayerSpec::SMART));
        assert!(EngineSettings::parse_player("smart:1s").is_err());
        assert!(EngineSettings::parse_player("human").is_err());
    }
}
