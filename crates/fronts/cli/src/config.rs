//! The defaults of options that a person sets once: in environment variables and in a file.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;
use std::{env, io};

use clap::Command;
use directories::ProjectDirs;
use kalah::{Labels, ParseLabelsError, Quoted, Rules, strip_byte_order_mark};
use kalah_parse::TomlSyntaxError;
use kalah_players::{MemorySize, escape_control, quoted_path};
use kalah_record_files::text_file::{self, TextFileError};
use toml::de::DeTable;

use crate::args::position::parse_board;
use crate::args::values::{MAX_THREADS, parse_rules, whole_number_parser};
use crate::error::CliError;

/// An option whose default can be set.
pub(crate) struct Setting {
    /// The name of the option, and the key in the file.
    pub(crate) key: &'static str,
    /// The environment variable.
    pub(crate) variable: &'static str,
    /// The default of the program.
    pub(crate) default: &'static str,
    /// Checks a value, and returns the reason why it is invalid.
    check: fn(&str) -> Result<(), String>,
}

/// The options whose defaults can be set.
pub(crate) const SETTINGS: [Setting; 8] = [
    Setting {
        key: BOARD,
        variable: "KALAH_BOARD",
        default: "6x4",
        check: |text| parse_board(text).map(drop),
    },
    Setting {
        key: "data",
        variable: "KALAH_DATA",
        default: "the system's folder for program data",
        check: |_| Ok(()),
    },
    Setting {
        key: HISTORY,
        variable: "KALAH_HISTORY",
        default: "true",
        check: |text| match text.parse::<bool>() {
            Ok(_) => Ok(()),
            Err(_) => Err("expected true or false".to_owned()),
        },
    },
    Setting {
        key: "labels",
        variable: "KALAH_LABELS",
        default: "letters",
        check: |text| parse_labels(text).map(drop),
    },
    Setting {
        key: "memory",
        variable: "KALAH_MEMORY",
        default: "a quarter of the machine's memory, at most 1GiB",
        check: |text| parse_text::<MemorySize>(text),
    },
    Setting {
        key: RULES,
        variable: "KALAH_RULES",
        default: "cs32",
        check: |text| {
            parse_rules(text)
                .map(drop)
                .map_err(|reason| reason.to_string())
        },
    },
    Setting {
        key: "tables",
        variable: "KALAH_TABLES",
        default: "the folder of `kalah tables build`",
        check: |_| Ok(()),
    },
    Setting {
        key: "threads",
        variable: "KALAH_THREADS",
        default: "all of the machine",
        check: |text| parse_threads(text).map(drop),
    },
];

const BOARD: &str = "board";
const RULES: &str = "rules";
const HISTORY: &str = "history";

/// The environment variable with the path of the file. If it is empty, no file is read.
pub(crate) const FILE_VARIABLE: &str = "KALAH_CONFIG";

const FILE_NAME: &str = "config.toml";

fn parse_text<T: FromStr<Err: Display>>(text: &str) -> Result<(), String> {
    let parsed: Result<T, _> = text.parse();
    parsed.map(drop).map_err(|reason| reason.to_string())
}

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    whole_number_parser(NonZeroUsize::MIN, MAX_THREADS)(text)
}

fn parse_labels(text: &str) -> Result<Labels, String> {
    text.to_lowercase()
        .parse()
        .map_err(|reason: ParseLabelsError| reason.to_string())
}

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The environment variable of the setting.
    Environment,
    /// The file.
    File,
}

/// The defaults that are set.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// The path of the file, which may not exist; `None` if no file is read.
    pub(crate) path: Option<PathBuf>,
    values: BTreeMap<&'static str, (String, Source)>,
    rules: Rules,
}

/// The configuration of this process.
static CONFIG: OnceLock<Config> = OnceLock::new();

/// Returns the configuration of this process; an empty one before [`Config::load`].
pub(crate) fn config() -> &'static Config {
    CONFIG.get_or_init(Config::default)
}

/// Returns whether `kalah play` keeps games and what it has learned of the user.
pub(crate) fn is_history_on() -> bool {
    let value = config().value(HISTORY);
    value.is_none_or(|(value, _)| value == "true")
}

impl Config {
    /// Reads the environment and the file, for [`config`].
    ///
    /// # Errors
    /// [`CliError::Usage`] that quotes the variable or the file if a value cannot be used or the
    /// file cannot be read. A file at the usual place may be absent.
    pub(crate) fn load() -> Result<&'static Self, CliError> {
        let config = Self::read()?;
        Ok(CONFIG.get_or_init(|| config))
    }

    fn read() -> Result<Self, CliError> {
        let (path, is_required) = match env::var_os(FILE_VARIABLE) {
            Some(path) if path.is_empty() => (None, false),
            Some(path) => (Some(PathBuf::from(path)), true),
            None => {
                let project = ProjectDirs::from("", "", "kalah");
                let path = project.map(|project| project.config_dir().join(FILE_NAME));
                (path, false)
            }
        };
        let mut config = Self::default();
        if let Some(path) = &path {
            match text_file::read(path) {
                Ok(text) => config.add_file(path, strip_byte_order_mark(&text))?,
                Err(TextFileError::Read { reason, .. })
                    if reason.kind() == io::ErrorKind::NotFound && !is_required => {}
                Err(reason) => return Err(CliError::Usage(reason.to_string())),
            }
        }
        config.path = path;
        for setting in &SETTINGS {
            if let Some(value) = env::var_os(setting.variable).filter(|value| !value.is_empty()) {
                let value = value.to_string_lossy().into_owned();
                (config.values).insert(setting.key, (value, Source::Environment));
            }
        }
        for setting in &SETTINGS {
            if let Some((value, _)) = config.values.get(setting.key) {
                (setting.check)(value).map_err(|reason| {
                    let origin = config.origin(setting.key).unwrap_or_default();
                    CliError::Usage(format!("{origin}: `{}`: {reason}", escape_control(value)))
                })?;
            }
        }
        let rules = config.values.get(RULES);
        let rules = rules.and_then(|(value, _)| parse_rules(value).ok());
        config.rules = rules.unwrap_or_default();
        Ok(config)
    }

    /// Adds the values of the file.
    fn add_file(&mut self, path: &Path, text: &str) -> Result<(), CliError> {
        let refuse = |reason: &str| {
            let path = quoted_path(path);
            CliError::Usage(format!("{path}: {reason}"))
        };
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let error = TomlSyntaxError::new(text, &error);
            refuse(&format!("line {}: {error}", error.line))
        })?;
        for (key, value) in table {
            let refuse = |reason: &str| refuse(&format!("line {}: {reason}", line_of(text, &key)));
            let Some(setting) = SETTINGS.iter().find(|setting| setting.key == key) else {
                let keys: Vec<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
                let (key, keys) = (Quoted::new(&key), keys.join(", "));
                return Err(refuse(&format!("{key} is no setting, only {keys}")));
            };
            let value = match value {
                toml::Value::Boolean(value) if key == HISTORY => value.to_string(),
                _ if key == HISTORY => {
                    return Err(refuse(&format!("`{key}` must be true or false")));
                }
                toml::Value::String(text) => text,
                toml::Value::Integer(number) => number.to_string(),
                _ => return Err(refuse(&format!("`{key}` must be a text or a whole number"))),
            };
            (self.values).insert(setting.key, (value, Source::File));
        }
        Ok(())
    }

    /// Returns the value of a setting and its source; `None` if it is not set.
    pub(crate) fn value(&self, key: &str) -> Option<(&str, Source)> {
        let (value, source) = self.values.get(key)?;
        Some((value, *source))
    }

    /// Returns the rules where the command line gives none.
    pub(crate) fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns the place where a setting is set, such as `KALAH_THREADS` or the file and the key;
    /// `None` if it is not set.
    pub(crate) fn origin(&self, key: &str) -> Option<String> {
        let setting = SETTINGS.iter().find(|setting| setting.key == key)?;
        Some(match (self.value(key)?.1, &self.path) {
            (Source::File, Some(path)) => format!("{} in {}", setting.key, quoted_path(path)),
            _ => setting.variable.to_owned(),
        })
    }

    /// Returns `command` with the values as the defaults of its options. Options for rules and
    /// boards whose own default is not that of the setting keep it: those of protocols, and those
    /// of positions, which use [`Config::rules`].
    pub(crate) fn apply_to(&'static self, command: Command) -> Command {
        command
            .mut_args(|argument| {
                let key = argument.get_long();
                let Some(setting) = SETTINGS.iter().find(|setting| key == Some(setting.key)) else {
                    return argument;
                };
                let has_usual_default = argument.get_default_values() == [setting.default];
                match self.value(setting.key) {
                    Some((value, _))
                        if has_usual_default || ![BOARD, RULES].contains(&setting.key) =>
                    {
                        argument.default_value(value)
                    }
                    _ => argument,
                }
            })
            .mut_subcommands(|command| self.apply_to(command))
    }
}

/// Returns the number of the line of a key at the top of a TOML text, from 1.
fn line_of(text: &str, key: &str) -> usize {
    let start = DeTable::parse(text).ok().and_then(|table| {
        let mut keys = table.get_ref().keys();
        Some(keys.find(|known| known.get_ref() == key)?.span().start)
    });
    let before = text.get(..start.unwrap_or_default()).unwrap_or_default();
    before.matches('\n').count() + 1
}
