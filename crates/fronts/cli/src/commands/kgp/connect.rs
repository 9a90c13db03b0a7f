//! `kalah kgp connect`: plays on a server as one of its clients, and connects to it again.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::{Args, ValueHint};
use kalah::TimeLimit;
use kalah_kgp::client::{
    ClientError, ClientOutput, ClientReport, ClientSettings, Introduction, LineLog, run_client,
};
use kalah_kgp::{KgpAddress, KgpConnection, Mode, ParseKgpAddressError, Text};
use kalah_net::{TlsTrust, start_runtime};
use kalah_players::{parse_player_name, quoted_path};

use crate::args::search::ProgramOptions;
use crate::args::values::{parse_positive_time, seed_or_random};
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::{print_stderr, print_warning};
use crate::version::VERSION;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The command plays until Ctrl-C or until the server says goodbye. It sends a move 50 ms after each
state, because FAU's server takes none before, and then better moves until the best move is proven
or the time is over. It reconnects a lost connection after increasing pauses of up to a minute,
but only if the server has greeted it before. It also reconnects if no game comes for --idle,
because FAU's server can forget a client.

Standard output has a line for the start of each game and one for its end, one for each of the
first problems, and the numbers of games and problems at the end. The server does not send
results: if the opponent made the last moves, the result is known when the next game begins, and
sometimes not at all.

Examples:
  kalah kgp connect kalah.example.org --name Lisa --token secret
  kalah kgp connect tcp://localhost:2671 --log lisa.log --forever
  kalah kgp connect ws://localhost:8080/socket --player level:5 --verify")]
pub(super) struct KgpConnectArgs {
    /// The server: HOST, HOST:PORT, or a URL such as `tcp://localhost:2671`,
    /// `ws://localhost/socket` or `wss://kalah.example.org`
    #[arg(value_name = "URL", value_parser = parse_server)]
    server: KgpAddress,
    /// The name that the server shows
    #[arg(long, value_name = "NAME", value_parser = parse_player_name)]
    name: Option<String>,
    /// The authors that the server shows
    #[arg(long, value_name = "NAMES", value_parser = parse_text)]
    authors: Option<String>,
    /// The description that the server shows [default with --name: the version and the player]
    #[arg(long, value_name = "TEXT", value_parser = parse_text)]
    description: Option<String>,
    /// The secret by which the server recognizes you
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Let the server test the rules instead of playing
    #[arg(long)]
    verify: bool,
    /// Append all lines of the protocol, without the token, to this file, which `kalah import`
    /// reads
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    log: Option<PathBuf>,
    /// The time without a game after which the command reconnects, or `none`
    #[arg(long, value_name = "DURATION|none", default_value = "2m", value_parser = parse_idle_limit)]
    idle: IdleLimit,
    /// Connect again after the server has said goodbye, and also if it cannot be reached
    #[arg(long)]
    forever: bool,
    #[command(flatten)]
    program: ProgramOptions,
    /// The time of smart and level:10 for each move; most servers wait 5s
    #[arg(long, value_name = "DURATION", default_value = "4500ms", value_parser = parse_positive_time)]
    time: TimeLimit,
}

impl KgpConnectArgs {
    /// Returns what the server learns about the player. A server identifies a client without a name
    /// and a token by its description, so that there is no default for such a client.
    fn introduction(&self) -> Introduction {
        let default_description = || {
            let player = self.program.player;
            self.name
                .as_ref()
                .map(|_| format!("kalah {VERSION}, {player}"))
        };
        let text = |value: Option<&String>| Text::new(value?);
        Introduction {
            name: text(self.name.as_ref()),
            authors: text(self.authors.as_ref()),
            description: text(
                self.description
                    .clone()
                    .or_else(default_description)
                    .as_ref(),
            ),
            token: text(self.token.as_ref()),
        }
    }
}

/// The minimum of `--idle`: a server needs some time to start a game.
const MIN_IDLE_LIMIT: Duration = Duration::from_secs(1);

/// The option `--idle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct IdleLimit(Option<TimeLimit>);

impl IdleLimit {
    fn get(self) -> Option<Duration> {
        self.0.map(TimeLimit::get)
    }
}

pub(super) fn run(arguments: &KgpConnectArgs, output: &mut dyn Write) -> Result<(), CliError> {
    arguments.program.search.resources.tables.check()?;
    let log = arguments.log.as_deref().map(open_log).transpose()?;
    let mut output = CommandOutput(output);
    let mut report = ClientReport::new(&mut output, log);
    let settings = ClientSettings {
        server: arguments.server.clone(),
        mode: if arguments.verify {
            Mode::Verify
        } else {
            Mode::Freeplay
        },
        introduction: arguments.introduction(),
        player: arguments.program.player,
        move_time: arguments.time.get(),
        idle_limit: arguments.idle.get(),
        is_persistent: arguments.forever,
        engines: &|position| {
            let engines = arguments.program.search.factory(position);
            engines.map_err(|error| error.message().unwrap_or_default())
        },
        seed: &|| seed_or_random(arguments.program.seed),
    };
    let shutdown = interrupt::shutdown_token();
    let runtime = start_runtime()
        .map_err(|reason| CliError::Runtime(format!("cannot start the connection: {reason}")))?;
    let trust = TlsTrust::system();
    let connect = async || KgpConnection::connect(&settings.server, &trust).await;
    let result = runtime.block_on(run_client(&settings, connect, &mut report, &shutdown));
    // The name of the server may still be resolved.
    runtime.shutdown_background();
    let result = result.and(report.print_tally());
    result.map_err(|error| cli_error(error, arguments.log.as_deref()))
}

/// The report on standard output, and messages on standard error.
struct CommandOutput<'a>(&'a mut dyn Write);

impl ClientOutput for CommandOutput<'_> {
    fn report(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.0, "{line}")?;
        self.0.flush()
    }

    fn notify(&mut self, message: &str) {
        print_stderr(message);
    }

    fn warn(&mut self, message: &str) {
        print_warning(message);
    }
}

/// Converts the error of a client with this log.
fn cli_error(error: ClientError, log: Option<&Path>) -> CliError {
    match (error, log) {
        (ClientError::Report(error), _) => CliError::Output(error),
        (ClientError::Log(reason), Some(path)) => log_error(path, &reason),
        (error, _) => CliError::Runtime(error.to_string()),
    }
}

fn log_error(path: &Path, reason: &io::Error) -> CliError {
    CliError::Runtime(format!("cannot write {}: {reason}", quoted_path(path)))
}

/// Opens a log to append to it, and creates it if it does not exist.
fn open_log(path: &Path) -> Result<LineLog, CliError> {
    let file = open_after_last_line(path).map_err(|reason| log_error(path, &reason))?;
    Ok(LineLog::new(Box::new(file), SystemTime::now))
}

/// Opens a file to append lines. A last line without an end, which a crash of the machine can
/// leave, is ended.
fn open_after_last_line(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)?;
    // A pipe or a terminal cannot seek, and has no earlier lines.
    if file.metadata()?.is_file() && file.seek(SeekFrom::End(-1)).is_ok() {
        let mut last = [0];
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}

/// Parses the address of a server. clap quotes the input itself.
fn parse_server(text: &str) -> Result<KgpAddress, String> {
    let expected = ParseKgpAddressError::EXPECTED_FORMAT;
    text.parse().map_err(|_| format!("expected {expected}"))
}

/// Parses the time of `--idle`. clap quotes the input itself.
fn parse_idle_limit(text: &str) -> Result<IdleLimit, String> {
    if text == "none" {
        return Ok(IdleLimit(None));
    }
    match text.parse::<TimeLimit>() {
        Ok(limit) if limit.get() >= MIN_IDLE_LIMIT => Ok(IdleLimit(Some(limit))),
        _ => Err("expected a duration from 1s to a day, such as 30s or 2m, or none".to_owned()),
    }
}

/// Parses a text for the server.
fn parse_text(text: &str) -> Result<String, String> {
    match Text::new(text) {
        Some(text) => Ok(text.as_str().to_owned()),
        None => Err("expected a text that is not blank".to_owned()),
    }
}
