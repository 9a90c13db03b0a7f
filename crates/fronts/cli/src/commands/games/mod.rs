//! `kalah games`: the games that `kalah serve` has stored, and the games of a record file.

mod description;
mod edit;
pub(super) mod export;
mod list;
mod recorded;
mod show;
mod table;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand, ValueHint};
use kalah_store::{
    DataFolder, EditGamesError, FindGameError, GameFilter, GameIdPrefix, GameStoreError, LockError,
    OpenGamesError, RoomCode, Timestamp,
};
use kalah_text::Palette;

use self::edit::{GamesDeleteArgs, GamesEndArgs, GamesNamesArgs};
use self::list::GamesListArgs;
use self::recorded::RecordedListArgs;
use self::show::GamesShowArgs;
use crate::error::CliError;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The beginning of an id is sufficient if no other game has it. An id that begins with a dash follows
the word --, after all options. Times are in UTC.

`list` and `show` also work while a server uses the games. `end`, `delete` and `names` change them,
and are refused then.

`kalah games FILE.kgn` lists the games of a record file. `kalah replay` and `kalah review` take their
numbers and rounds with --game.

Examples:
  kalah games tournament.kgn
  kalah games tournament.kgn --player ann --round 1.10 --json
  kalah games list --running
  kalah games list --name ann --since 7d --json
  kalah games show 3qX0
  kalah games end 3qX0 --winner south
  kalah games names 3qX0 --south Ann --north ''
  kalah games delete 3qX0 b81A --yes")]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct GamesArgs {
    #[command(subcommand)]
    command: Option<GamesCommand>,
    #[command(flatten)]
    recorded: RecordedListArgs,
}

#[derive(Clone, Debug, Subcommand)]
enum GamesCommand {
    /// List games, the latest first
    List(GamesListArgs),
    /// Show a game with its board, its moves and its clock
    Show(GamesShowArgs),
    /// End running games, with or without a result
    End(GamesEndArgs),
    /// Delete games
    Delete(GamesDeleteArgs),
    /// Change or remove the names of the players of a game
    Names(GamesNamesArgs),
}

pub(super) fn run(
    arguments: &GamesArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    match &arguments.command {
        Some(GamesCommand::List(arguments)) => list::run(arguments, output),
        Some(GamesCommand::Show(arguments)) => show::run(arguments, output, palette),
        Some(GamesCommand::End(arguments)) => edit::run_end(arguments, output),
        Some(GamesCommand::Delete(arguments)) => edit::run_delete(arguments, output),
        Some(GamesCommand::Names(arguments)) => edit::run_names(arguments, output),
        None => match &arguments.recorded.file {
            Some(file) => recorded::run(&arguments.recorded, file, output),
            None => unreachable!("the options require a file"),
        },
    }
}

/// The option `--data`.
#[derive(Clone, Debug, Args)]
pub(super) struct DataOption {
    /// The folder of the games of `kalah serve` [default: the system's folder for program data]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
}

impl DataOption {
    /// Returns the folder.
    ///
    /// # Errors
    /// [`CliError::Usage`] on a system without a folder for program data.
    pub(super) fn folder(&self) -> Result<DataFolder, CliError> {
        DataFolder::resolve(self.data.as_deref())
            .map_err(|error| CliError::Usage(format!("{error}: use --data")))
    }
}

/// The options that select games.
#[derive(Clone, Debug, Args)]
pub(super) struct FilterOptions {
    /// Only games that have not ended
    #[arg(long)]
    running: bool,
    /// Only games that have ended
    #[arg(long, conflicts_with = "running")]
    ended: bool,
    /// Only games of a player whose name contains this text, in capital or small letters
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Only games that have changed since this day or time in UTC, or in this time before now: such
    /// as 2026-03-01, '2026-03-01 18:30' or 7d
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    since: Option<Since>,
    /// Only games of the room with this code
    #[arg(long, value_name = "CODE")]
    room: Option<RoomCode>,
    /// At most this number of games, the latest ones
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

impl FilterOptions {
    /// Returns the filter of these options at the time `now`.
    fn filter(&self, now: Timestamp) -> GameFilter {
        GameFilter {
            is_ended: (self.running || self.ended).then_some(self.ended),
            name: self.name.clone(),
            since: self.since.map(|since| match since {
                Since::Time(time) => time,
                Since::Ago(duration) => now.saturating_sub(duration),
            }),
            room: self.room.clone(),
        }
    }

    /// Returns the maximum number of games.
    fn limit(&self) -> u64 {
        self.limit.unwrap_or(u64::MAX)
    }
}

/// The value of `--since`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    /// This time.
    Time(Timestamp),
    /// This duration before now.
    Ago(Duration),
}

/// Parses the value of `--since`. The message of clap quotes the text.
fn parse_since(text: &str) -> Result<Since, String> {
    if let Ok(duration) = humantime::parse_duration(text) {
        return Ok(Since::Ago(duration));
    }
    let times = [
        text.to_owned(),
        format!("{text}:00"),
        format!("{text} 00:00:00"),
    ];
    let mut times = times.iter().map(|text| humantime::parse_rfc3339_weak(text));
    match times.find_map(Result::ok) {
        Some(time) => Ok(Since::Time(time.into())),
        None => Err(
            "expected a day such as 2026-03-01, a time such as 2026-03-01 18:30, or a \
                     duration such as 7d"
                .to_owned(),
        ),
    }
}

/// Parses the id of a game or its beginning. The message of clap quotes the text.
fn parse_game_id(text: &str) -> Result<GameIdPrefix, String> {
    text.parse().map_err(|_| {
        "expected the id of a game or its beginning: up to 22 letters, digits, - and _".to_owned()
    })
}

/// Returns the present time.
fn now() -> Timestamp {
    SystemTime::now().into()
}

impl From<OpenGamesError> for CliError {
    fn from(error: OpenGamesError) -> Self {
        let message = error.to_string();
        Self::Runtime(match error {
            OpenGamesError::NoFolder(_) | OpenGamesError::NoGames(_) => {
                format!("{message}: --data names the folder of `kalah serve`")
            }
            OpenGamesError::Lock(LockError::InUse(folder)) => format!(
                "a server uses the folder '{}': stop it to change its games; the leader of a room \
                 can end, void and rename games of the room in the page",
                folder.display()
            ),
            _ => message,
        })
    }
}

impl From<GameStoreError> for CliError {
    fn from(error: GameStoreError) -> Self {
        Self::Runtime(error.to_string())
    }
}

impl From<FindGameError> for CliError {
    fn from(error: FindGameError) -> Self {
        Self::Runtime(error.to_string())
    }
}

impl From<EditGamesError> for CliError {
    fn from(error: EditGamesError) -> Self {
        Self::Runtime(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_day_a_time_or_a_duration() {
        const DAY_MILLIS: i64 = 86_400_000;
        for (text, millis) in [
            ("1970-01-02", DAY_MILLIS),
            ("1970-01-02 00:01", DAY_MILLIS + 60_000),
            ("1970-01-02T00:00:01Z", DAY_MILLIS + 1000),
        ] {
            let time = Since::Time(Timestamp::from_millis(millis));
            assert_eq!(parse_since(text), Ok(time), "{text}");
        }
        assert_eq!(parse_since("2h"), Ok(Since::Ago(Duration::from_hours(2))));
        for text in ["", "yesterday", "2026-13-01", "7", "2026"] {
            assert!(parse_since(text).is_err(), "{text}");
        }
    }
}
