//! `kalah kgp connect`: plays on a server as one of its clients, and connects to it again.

mod line_log;
mod report;
mod search;
mod session;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use humantime::format_duration;
use kalah::TimeLimit;
use kalah_players::parse_player_name;
use kalah_protocols::kgp::Text;
use kalah_server::kgp::{KgpAddress, KgpConnection, ParseKgpAddressError};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use self::line_log::LineLog;
use self::report::SessionReport;
use self::search::SearchPool;
use self::session::{ServerSession, SessionEnd};
use crate::args::search::ProgramOptions;
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::{print_stderr, print_warning};

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
    /// The server: HOST, HOST:PORT, or a URL such as `tcp://localhost:2671` or
    /// `ws://localhost/socket`
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
    /// Append all lines of the protocol, without the token, to this file, which `kalah import` reads
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
    #[arg(long, value_name = "DURATION", default_value = "4500ms")]
    time: TimeLimit,
}

impl KgpConnectArgs {
    /// Returns the description of the player. A server identifies a client without a name and a
    /// token by its description, so that there is no default for such a client.
    fn description(&self) -> Option<String> {
        let default = || {
            let version = env!("CARGO_PKG_VERSION");
            let player = self.program.player;
            self.name
                .as_ref()
                .map(|_| format!("kalah {version}, {player}"))
        };
        self.description.clone().or_else(default)
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

/// The first pause before a reconnection; each further one is twice as long.
const MIN_RECONNECT_DELAY: Duration = Duration::from_secs(1);
const MAX_RECONNECT_DELAY: Duration = Duration::from_mins(1);

pub(super) fn run(arguments: &KgpConnectArgs, output: &mut dyn Write) -> Result<(), CliError> {
    arguments.program.search.tables.check()?;
    let log = arguments.log.as_deref().map(LineLog::append).transpose()?;
    let mut report = SessionReport::new(output, log);
    let shutdown = interrupt::shutdown_token();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|reason| CliError::Runtime(format!("cannot start the connection: {reason}")))?;
    let result = runtime.block_on(play_on_server(arguments, &mut report, &shutdown));
    // The name of the server may still be resolved.
    runtime.shutdown_background();
    let tally = report.print_tally();
    result.and(tally)
}

/// Plays on the server, and reconnects.
async fn play_on_server(
    arguments: &KgpConnectArgs,
    report: &mut SessionReport<'_>,
    shutdown: &CancellationToken,
) -> Result<(), CliError> {
    let server = &arguments.server;
    let search_pool = SearchPool::default();
    let mut delay = MIN_RECONNECT_DELAY;
    let mut was_greeted = false;
    loop {
        let connection = tokio::select! {
            connection = KgpConnection::connect(server) => connection,
            () = shutdown.cancelled() => return Ok(()),
        };
        let end = match connection {
            Ok(connection) => {
                print_stderr(&format!("connected to {server}"));
                let mut session = ServerSession::new(arguments, connection, report, &search_pool)?;
                let end = session.run(shutdown).await;
                was_greeted |= session.is_greeted();
                // A server that always says goodbye at once is asked less and less often.
                let has_worked = match end {
                    SessionEnd::Goodbye => session.has_played(),
                    _ => session.is_greeted(),
                };
                if has_worked {
                    delay = MIN_RECONNECT_DELAY;
                }
                session.close(&end).await?;
                end
            }
            Err(error) => SessionEnd::ConnectionLost(error),
        };
        match end {
            SessionEnd::Goodbye if arguments.forever => {
                print_stderr(&format!(
                    "the server said goodbye; connecting again in {delay:?}"
                ));
            }
            SessionEnd::Goodbye => {
                print_stderr("the server said goodbye");
                return Ok(());
            }
            SessionEnd::Interrupted => return Ok(()),
            SessionEnd::Idle(time) if was_greeted || arguments.forever => {
                let time = format_duration(time);
                print_stderr(&format!(
                    "no game for {time}; connecting again in {delay:?}"
                ));
            }
            // Another kind of server may wait for a request.
            SessionEnd::Idle(time) => {
                let time = format_duration(time);
                let message =
                    format!("{server}: the server has sent no greeting of the protocol in {time}");
                return Err(CliError::Runtime(message));
            }
            SessionEnd::Failed(error) => return Err(error),
            SessionEnd::ConnectionLost(error) if was_greeted || arguments.forever => {
                print_warning(&format!("{server}: {error}; trying again in {delay:?}"));
            }
            // There may be no KGP server at this address.
            SessionEnd::ConnectionLost(error) => {
                return Err(CliError::Runtime(format!("{server}: {error}")));
            }
        }
        tokio::select! {
            () = sleep(delay) => {}
            () = shutdown.cancelled() => return Ok(()),
        }
        delay = (delay * 2).min(MAX_RECONNECT_DELAY);
    }
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
