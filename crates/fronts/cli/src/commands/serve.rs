//! `kalah serve`.

use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::{Rules, Variant};
use kalah_engine::TableCache;
use kalah_net::{HostName, ListenAddress, ListenError, network_addresses};
use kalah_players::{EngineFactory, MemorySize};
use kalah_server::{
    ClientIpSource, PageSource, ServeError, ServerConfig, ServerLimits, TableCaches,
};
use kalah_store::{DataFolder, back_up};

use crate::args::search::TablesOption;
use crate::args::values::{MAX_THREADS, whole_number_parser};
use crate::error::CliError;
use crate::files::table_folder::TableSource;
use crate::interrupt;
use crate::memory::{release_free_memory, use_one_arena};
use crate::version::VERSION;

/// The maximum of `--rate`; a larger number has no effect.
const MAX_REQUESTS_PER_SECOND: NonZeroU32 = NonZeroU32::new(1_000_000).expect("not zero");

/// The maximum of `--queue`: the number of searches of all addresses that may wait.
const MAX_QUEUE_LENGTH: usize = 512;

/// The maximum of `--live-connections`; a larger number has no effect.
const MAX_LIVE_CONNECTIONS: usize = 1_000_000;

/// The arguments that conflict with `--backup`.
const SERVER_ONLY_ARGUMENTS: [&str; 15] = [
    "addr",
    "host",
    "lobby",
    "share",
    "open",
    "tables",
    "trust",
    "memory",
    "threads",
    "queue",
    "live_connections",
    "rate",
    "behind_proxy",
    "log",
    "page",
];

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command"
)]
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The server prints its address when it accepts connections. The first Ctrl-C stops it after the
responses to all accepted requests, and the second one at once. Only this machine can reach
127.0.0.1. To serve other machines, run a proxy with HTTPS in front of the server and use
--behind-proxy, so that the limits apply to each visitor, and --host with the name of the page.

Examples:
  kalah serve --open
  kalah serve --addr 127.0.0.1:0
  kalah serve --addr 0.0.0.0:8080 --host laptop.local
  kalah serve --behind-proxy --host kalah.example.org --log json
  kalah serve --page target/site
  kalah serve --backup games-of-today.sqlite3")]
pub(crate) struct ServeArgs {
    /// The address to listen on; port 0 is any free port
    #[arg(long, value_name = "HOST:PORT", default_value_t = ServerConfig::DEFAULT_ADDRESS.into(), value_parser = parse_address)]
    addr: ListenAddress,
    /// Answer requests for this host name or address, too, and not only for localhost and the
    /// address of this machine; may be repeated
    #[arg(long, value_name = "NAME", value_parser = parse_host)]
    host: Vec<HostName>,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Have a lobby: a room that is open to all visitors, to find others to play with
    #[arg(long)]
    lobby: bool,
    /// Keep games that people share under short addresses, each until it was not opened for a year
    #[arg(long)]
    share: bool,
    /// The folder of the games between friends [default: the system's folder for program data]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
    /// Copy these games to a file and exit, whether a server is running or not
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = SERVER_ONLY_ARGUMENTS)]
    backup: Option<PathBuf>,
    #[command(flatten)]
    tables: TablesOption,
    /// Memory of all engines together, such as 512MiB or 16GiB [default: a quarter of the machine's
    /// memory, at most 1GiB]
    #[arg(long, value_name = "SIZE")]
    memory: Option<MemorySize>,
    /// The number of searches that run at the same time, of which one address gets half [default:
    /// twice the number of threads of the machine]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    threads: Option<NonZeroUsize>,
    /// Searches of one address that may wait; further ones are refused
    #[arg(long, value_name = "N", default_value_t = ServerLimits::default().engine_queue_length_per_client, value_parser = whole_number_parser(0, MAX_QUEUE_LENGTH))]
    queue: usize,
    /// Live connections of spectators that one address may have
    #[arg(long, value_name = "N", default_value_t = ServerLimits::default().max_spectators_per_client, value_parser = whole_number_parser(1, MAX_LIVE_CONNECTIONS))]
    live_connections: usize,
    /// Requests a second that one address may make on average; bursts may have twenty times as many
    #[arg(long, value_name = "N", default_value = "200", value_parser = whole_number_parser(NonZeroU32::MIN, MAX_REQUESTS_PER_SECOND))]
    rate: NonZeroU32,
    /// Identify visitors by the last address in `X-Forwarded-For`: only behind a proxy that adds it
    /// and that no visitor can bypass
    #[arg(long)]
    behind_proxy: bool,
    /// The format of the log on standard error: text, json, or off
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = log_format_parser())]
    log: LogFormat,
    /// Serve the page in this folder instead of the built-in page, for instance one that
    /// `cargo xtask site` has written, which runs the engine in the browser
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    page: Option<PathBuf>,
}

/// The format of the log of `kalah serve`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogFormat {
    /// Lines of text.
    Text,
    /// A line of JSON for each event.
    Json,
    /// No log.
    Off,
}

/// The number of seconds whose requests a client may make at once.
const BURST_SECONDS: NonZeroU32 = NonZeroU32::new(20).expect("not zero");

/// Houses a side of the usual board, whose tables are opened when the server starts.
const DEFAULT_HOUSES: u8 = 6;

pub(super) fn run(arguments: &ServeArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let data = DataFolder::resolve(arguments.data.as_deref())
        .map_err(|error| CliError::Usage(format!("{error}: use --data")))?;
    if let Some(file) = &arguments.backup {
        return back_up(&data, file).map_err(|error| CliError::Runtime(error.to_string()));
    }
    use_one_arena();
    init_logging(arguments.log);
    let config = server_config(arguments, data)?;
    let mut written = Ok(());
    let shutdown = interrupt::shutdown_token();
    kalah_server::serve(&config, shutdown.cancelled(), |address| {
        let url = format!("http://{}/", browser_address(address));
        let hint = remote_access_hint(address);
        written = writeln!(output, "{url}{hint}").and_then(|()| output.flush());
        if arguments.open
            && let Err(reason) = open::that_detached(&url)
        {
            tracing::warn!(%reason, "cannot open a browser");
        }
    })?;
    Ok(written?)
}

fn server_config(arguments: &ServeArgs, data: DataFolder) -> Result<ServerConfig, CliError> {
    let default = ServerLimits::default();
    let limits = ServerLimits {
        requests_per_second: arguments.rate,
        request_burst: arguments.rate.saturating_mul(BURST_SECONDS),
        engine_workers: arguments.threads.unwrap_or(default.engine_workers),
        engine_queue_length_per_client: arguments.queue,
        max_spectators_per_client: arguments.live_connections,
        ..default
    };
    let memory = (arguments.memory).unwrap_or_else(|| EngineFactory::default().memory());
    Ok(ServerConfig {
        address: arguments.addr.clone(),
        data_folder: Some(data),
        lobby: arguments.lobby,
        share: arguments.share,
        page: page_source(arguments.page.as_deref())?,
        client_ip_source: if arguments.behind_proxy {
            ClientIpSource::XForwardedFor
        } else {
            ClientIpSource::Connection
        },
        hosts: arguments.host.clone(),
        release_memory: Some(release_free_memory),
        version: VERSION,
        limits,
        memory: usize::try_from(memory.bytes()).unwrap_or(usize::MAX),
        table_caches: table_caches(&arguments.tables)?,
    })
}

/// Returns the page in `folder`, or the built-in page.
fn page_source(folder: Option<&Path>) -> Result<PageSource, CliError> {
    let Some(folder) = folder else {
        return Ok(PageSource::Embedded);
    };
    if folder.join("index.html").is_file() {
        Ok(PageSource::Folder(folder.to_owned()))
    } else {
        let folder = folder.display();
        Err(CliError::Runtime(format!(
            "there is no page in '{folder}': it has no index.html"
        )))
    }
}

/// Returns caches that begin with the table files of their variant, in memory.
fn table_caches(options: &TablesOption) -> Result<TableCaches, CliError> {
    let (source, policy) = (options.tables.clone(), options.checksum_policy());
    // A folder that cannot be read is an error when the server starts, not at the first request,
    // and the first request does not wait for the table of the usual board.
    let usual = Variant::new(DEFAULT_HOUSES, Rules::CS32);
    let usual_cache = TableSource::read_cache(source.as_ref(), policy, usual)?;
    let usual_cache = Mutex::new(Some(usual_cache));
    let take_usual = move || (usual_cache.lock().unwrap_or_else(PoisonError::into_inner)).take();
    Ok(TableCaches::new(move |variant| {
        if variant == usual
            && let Some(cache) = take_usual()
        {
            return cache;
        }
        TableSource::read_cache(source.as_ref(), policy, variant).unwrap_or_else(|error| {
            let reason = error.message();
            tracing::warn!(reason, "engines use no tables");
            TableCache::new()
        })
    }))
}

/// Returns an address at which a browser on this machine reaches the server.
fn browser_address(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// Returns a line on how other machines reach a server that listens at all addresses of this
/// machine; an empty text for any other server.
fn remote_access_hint(address: SocketAddr) -> String {
    if !address.ip().is_unspecified() {
        return String::new();
    }
    let port = address.port();
    match network_addresses(address).first() {
        Some(address) => format!("\nother machines of the network reach it at http://{address}"),
        None => format!("\nother machines reach it at the address of this machine, port {port}"),
    }
}

/// Writes the events of the server to standard error.
pub(super) fn init_logging(format: LogFormat) {
    let log = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        // An error on standard error cannot be reported anywhere.
        .log_internal_errors(false)
        .with_target(false);
    match format {
        LogFormat::Text => log.with_ansi(false).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
        LogFormat::Off => {}
    }
}

fn log_format_parser() -> impl TypedValueParser<Value = LogFormat> {
    PossibleValuesParser::new(["text", "json", "off"]).map(|word| match word.as_str() {
        "json" => LogFormat::Json,
        "off" => LogFormat::Off,
        _ => LogFormat::Text,
    })
}

/// Parses the address to listen on. The message of clap quotes the text.
pub(super) fn parse_address(text: &str) -> Result<ListenAddress, String> {
    text.parse().map_err(|_| {
        "expected a host and a port such as 127.0.0.1:8080, localhost:0 or [::1]:80".to_owned()
    })
}

/// Parses a host that requests may name. The message of clap quotes the text.
pub(super) fn parse_host(text: &str) -> Result<HostName, String> {
    text.parse().map_err(|_| {
        "expected a host such as kalah.example.org or 192.0.2.1, without a port".to_owned()
    })
}

impl From<ServeError> for CliError {
    fn from(error: ServeError) -> Self {
        let message = error.to_string();
        match error {
            ServeError::Listen(ListenError::AddressInUse(_)) => {
                Self::Runtime(format!("{message}: use another address with --addr"))
            }
            _ => Self::Runtime(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browser_opens_loopback_address_of_a_server_on_all_addresses() {
        for (listening, expected) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            let address = listening.parse().expect("an address");
            assert_eq!(browser_address(address).to_string(), expected);
            let has_hint = remote_access_hint(address).starts_with("\nother machines");
            assert_eq!(has_hint, listening != expected, "{listening}");
        }
    }
}
