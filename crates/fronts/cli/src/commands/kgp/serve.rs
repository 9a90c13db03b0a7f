//! `kalah kgp serve`: configures and runs the KGP server.

use std::io::Write;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use kalah::{Rules, TimeLimit};
use kalah_engine::LevelNumber;
use kalah_kgp::Mode;
use kalah_kgp::server::{KgpServer, KgpServerConfig, KgpServerError};
use kalah_net::{HostName, ListenAddress, start_runtime};
use kalah_players::{PlayerKind, PlayerSpec, available_threads};
use kalah_store::DataFolder;

use super::super::serve::{LogFormat, init_logging, parse_address, parse_host};
use crate::args::position::{TypedSetup, parse_board};
use crate::args::search::BookSearchOptions;
use crate::args::values::{parse_program_player, parse_rules, seed_or_random, whole_number_parser};
use crate::error::CliError;
use crate::interrupt;

/// The maximum of `--clients`: a process can hardly have more open files.
const MAX_CLIENTS: NonZeroU32 = NonZeroU32::new(100_000).expect("not zero");

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Clients that play are paired with each other and get random sides. A client that has waited for
--wait plays a built-in player. Clients with the same token do not play each other. A client that
sends no move in time, or an illegal one, loses the game. A game ends when a store has more than
half of all seeds. Clients that verify the rules get one problem after another.

The addresses, that of the page last, are printed when clients can connect. Connections and games
are logged on standard error. Ctrl-C stops all games, which are kept as unfinished, and sends
goodbye to all clients.

Examples:
  kalah kgp serve
  kalah kgp serve --addr 0.0.0.0:2671 --ws 0.0.0.0:2672 --board 8x8 --out games
  kalah kgp serve --page 127.0.0.1:8080 --out games
  kalah kgp serve --opponent level:3 --opponent smart:1s --time 2s
  kalah kgp serve --clients-only --games 100 --out games")]
pub(super) struct KgpServeArgs {
    /// The address for clients over TCP; port 0 selects a free port
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:2671", value_parser = parse_address)]
    addr: ListenAddress,
    /// Also accept clients over a WebSocket at this address
    #[arg(long, value_name = "HOST:PORT", value_parser = parse_address)]
    ws: Option<ListenAddress>,
    /// Also show the agents and the games on a web page at this address
    #[arg(long, value_name = "HOST:PORT", value_parser = parse_address)]
    page: Option<ListenAddress>,
    /// Answer requests for the page under this host name or address, too, and not only for
    /// localhost and the address of this machine; may be repeated
    #[arg(long, value_name = "NAME", requires = "page", value_parser = parse_host)]
    host: Vec<HostName>,
    /// The start of all games
    #[arg(long, value_name = "MxN", default_value = "6x4", value_parser = parse_board)]
    board: TypedSetup,
    /// The rules; most clients know no others
    #[arg(long, value_name = "PRESET", default_value_t = Rules::STANDARD, value_parser = parse_rules)]
    rules: Rules,
    /// The time for each state, also of built-in players that use a clock
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    time: TimeLimit,
    /// The modes that clients can request
    #[arg(long, value_name = "MODE", default_value = "both")]
    play: KgpServeMode,
    /// The built-in players, one for each use of this option, level:5 by default: first, random,
    /// minimax:DEPTH, level:1 (weak) to level:10, or smart, also with its own time, such as
    /// smart:100ms
    #[arg(long = "opponent", value_name = "PLAYER", value_parser = parse_program_player)]
    opponents: Vec<PlayerSpec>,
    /// Let clients play only each other
    #[arg(long, conflicts_with = "opponents")]
    clients_only: bool,
    /// The time that a client waits for another one before it plays a built-in player
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    wait: TimeLimit,
    /// End after this number of games
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroU64::MIN, NonZeroU64::MAX))]
    games: Option<NonZeroU64>,
    /// The maximum number of clients at the same time
    #[arg(long, value_name = "N", default_value = "500", value_parser = whole_number_parser(NonZeroU32::MIN, MAX_CLIENTS))]
    clients: NonZeroU32,
    /// Write a record of each game to a file of its own in this folder, and its result to
    /// results.jsonl, with which a server continues the points of agents when it starts again
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Also store finished games in this folder, where `kalah serve --data DIR` shows and reviews
    /// them; only one server can use a folder at a time
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
    #[command(flatten)]
    engine: BookSearchOptions,
}

/// The modes that a server supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KgpServeMode {
    /// Playing games
    Freeplay,
    /// Testing the rules
    Verify,
    /// Both modes
    Both,
}

impl KgpServeMode {
    /// Returns the only mode, or `None` for both.
    fn single_mode(self) -> Option<Mode> {
        match self {
            Self::Freeplay => Some(Mode::Freeplay),
            Self::Verify => Some(Mode::Verify),
            Self::Both => None,
        }
    }
}

/// The level of the built-in player without `--opponent`.
const DEFAULT_LEVEL: u8 = 5;

pub(super) fn run(arguments: &KgpServeArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let config = server_config(arguments)?;
    init_logging(LogFormat::Text);
    let shutdown = interrupt::shutdown_token();
    let runtime = start_runtime()
        .map_err(|reason| CliError::Runtime(format!("cannot start threads: {reason}")))?;
    let result = runtime.block_on(async {
        let server = KgpServer::bind(&config).await?;
        for address in server.addresses() {
            writeln!(output, "{address}")?;
        }
        if let Some(address) = server.page_address() {
            writeln!(output, "http://{address}/")?;
        }
        output.flush()?;
        server.run(shutdown.cancelled()).await;
        Ok(())
    });
    // Built-in players may still search in games that are over.
    runtime.shutdown_background();
    result
}

fn server_config(arguments: &KgpServeArgs) -> Result<KgpServerConfig, CliError> {
    let only_mode = arguments.play.single_mode();
    if only_mode == Some(Mode::Verify)
        && let Some(option) = game_only_option(arguments)
    {
        let message = format!("{option} has no effect with --play verify, which allows no games");
        return Err(CliError::Usage(message));
    }
    let start = arguments.board.playable(arguments.rules)?;
    let threads = arguments.engine.resources.threads;
    let max_searches = threads.unwrap_or_else(available_threads);
    let engines = arguments.engine.factory(&start)?;
    Ok(KgpServerConfig {
        tcp_address: arguments.addr.clone(),
        web_socket_address: arguments.ws.clone(),
        page_address: arguments.page.clone(),
        page_hosts: arguments.host.clone(),
        start,
        move_time: arguments.time.get(),
        pairing_timeout: arguments.wait.get(),
        only_mode,
        opponents: opponents(arguments),
        engines: engines.split_memory(max_searches),
        max_searches,
        max_games: arguments.games,
        max_clients: usize::try_from(arguments.clients.get()).unwrap_or(usize::MAX),
        record_folder: arguments.out.clone(),
        data_folder: arguments.data.as_deref().map(DataFolder::new),
        seed: seed_or_random(None),
    })
}

fn opponents(arguments: &KgpServeArgs) -> Vec<PlayerSpec> {
    if arguments.clients_only || !arguments.opponents.is_empty() {
        return arguments.opponents.clone();
    }
    let default_opponent = LevelNumber::new(DEFAULT_LEVEL).map(|number| PlayerSpec {
        kind: PlayerKind::Level { number },
        time_limit: None,
    });
    default_opponent.into_iter().collect()
}

/// Returns a given option that has no effect without games.
fn game_only_option(arguments: &KgpServeArgs) -> Option<&'static str> {
    let options = [
        (arguments.games.is_some(), "--games"),
        (arguments.out.is_some(), "--out"),
        (arguments.data.is_some(), "--data"),
        (arguments.page.is_some(), "--page"),
        (!arguments.opponents.is_empty(), "--opponent"),
        (arguments.clients_only, "--clients-only"),
    ];
    let mut given = options.into_iter().filter(|(is_given, _)| *is_given);
    given.next().map(|(_, option)| option)
}

impl From<KgpServerError> for CliError {
    fn from(error: KgpServerError) -> Self {
        let message = error.to_string();
        match error {
            KgpServerError::Config(_) => Self::Usage(message),
            KgpServerError::RecordFolder { .. }
            | KgpServerError::Store(_)
            | KgpServerError::Listen(_) => Self::Runtime(message),
        }
    }
}
