//! `kalah config`.

use std::io::Write;

use clap::Args;
use kalah_players::{escape_control, quoted_path};
use serde::Serialize;

use crate::commands::play::history_file;
use crate::config::{FILE_VARIABLE, SETTINGS, Source, config};
use crate::error::CliError;
use crate::output::messages::write_json;
use crate::profile::profile_path;

#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "\
A setting is the default of the option with its name. The command line comes before environment
variables, and these before the file, which has lines such as `rules = \"standard\"`,
`threads = 4` and `history = false`. KALAH_CONFIG is the path of another file; if it is empty, no file is read. NO_COLOR
disables colours.

Examples:
  kalah config
  kalah config --json")]
pub(crate) struct ConfigArgs {
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// `kalah config --json`.
#[derive(Serialize)]
struct ConfigJson {
    /// The path of the file, which may not exist.
    file: Option<String>,
    file_exists: bool,
    settings: Vec<SettingJson>,
    /// The path of the file with the games that `kalah play` keeps, which may not exist.
    history_file: Option<String>,
    /// The path of the file with the rating and the preferences, which may not exist.
    profile_file: Option<String>,
}

#[derive(Serialize)]
struct SettingJson {
    name: &'static str,
    /// The value; `None` if it is the default of the program.
    value: Option<String>,
    /// `environment` or `file`.
    source: Option<&'static str>,
    variable: &'static str,
}

pub(super) fn run(arguments: ConfigArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let config = config();
    let file_exists = config.path.as_ref().is_some_and(|path| path.exists());
    if arguments.json {
        let settings = SETTINGS.iter().map(|setting| {
            let (value, source) = config.value(setting.key).unzip();
            SettingJson {
                name: setting.key,
                value: value.map(str::to_owned),
                source: source.map(|source| match source {
                    Source::Environment => "environment",
                    Source::File => "file",
                }),
                variable: setting.variable,
            }
        });
        let json = ConfigJson {
            file: config.path.as_ref().map(|path| path.display().to_string()),
            file_exists,
            settings: settings.collect(),
            history_file: history_file().map(|path| path.display().to_string()),
            profile_file: profile_path().map(|path| path.display().to_string()),
        };
        return Ok(write_json(output, &json)?);
    }
    match &config.path {
        Some(path) if file_exists => writeln!(output, "file: {}", quoted_path(path))?,
        Some(path) => writeln!(output, "file: {} does not exist", quoted_path(path))?,
        None => writeln!(output, "file: none, because {FILE_VARIABLE} is empty")?,
    }
    for setting in &SETTINGS {
        let text = match (config.value(setting.key), config.origin(setting.key)) {
            (Some((value, _)), Some(origin)) => format!("{value} ({origin})"),
            _ => format!("{} (default; {})", setting.default, setting.variable),
        };
        writeln!(output, "{}: {}", setting.key, escape_control(&text))?;
    }
    for (name, path) in [
        ("kept games", history_file()),
        ("profile with rating and preferences", profile_path()),
    ] {
        if let Some(path) = path {
            writeln!(output, "{name}: {}", quoted_path(&path))?;
        }
    }
    Ok(())
}
