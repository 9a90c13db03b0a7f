//! `kalah serve`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah_players::MemorySize;
use kalah_server::{ListenAddress, ServerConfig};

use super::search::TablesOption;
use super::values::{MAX_THREADS, whole_number_parser};

/// The maximum of `--rate`; a larger number has no effect.
const MAX_REQUESTS_PER_SECOND: NonZeroU32 = NonZeroU32::new(1_000_000).expect("not zero");

/// The arguments that conflict with `--backup`.
const SERVER_ONLY_ARGUMENTS: [&str; 9] = [
    "addr",
    "open",
    "tables",
    "memory",
    "threads",
    "rate",
    "behind_proxy",
    "log",
    "page",
];

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The server prints its address when it accepts connections. The first Ctrl-C stops it after the
responses to all accepted requests, and the second one at once. Only this machine can reach
127.0.0.1. To serve other machines, run a proxy with HTTPS in front of the server and use
--behind-proxy, so that the limits apply to each visitor.

Examples:
  kalah serve --open
  kalah serve --addr 127.0.0.1:0
  kalah serve --behind-proxy --log json
  kalah serve --page target/site
  kalah serve --backup games-of-today.sqlite3")]
pub(crate) struct ServeArgs {
    /// The address to listen on; port 0 is any free port
    #[arg(long, value_name = "HOST:PORT", default_value_t = ServerConfig::DEFAULT_ADDRESS.into(), value_parser = parse_address)]
    pub(crate) addr: ListenAddress,
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// The folder of the games between friends [default: the system's folder for program data]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Copy these games to a file and exit, whether a server is running or not
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = SERVER_ONLY_ARGUMENTS)]
    pub(crate) backup: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tables: TablesOption,
    /// Memory of all engines together, such as 512MiB or 16GiB [default: a quarter of the machine's
    /// memory, at most 1GiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<MemorySize>,
    /// The number of searches that run at the same time [default: the number of threads of the
    /// machine]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Requests a second that one address may make on average; bursts may have twenty times as many
    #[arg(long, value_name = "N", default_value = "200", value_parser = whole_number_parser(NonZeroU32::MIN, MAX_REQUESTS_PER_SECOND))]
    pub(crate) rate: NonZeroU32,
    /// Identify visitors by the last address in `X-Forwarded-For`: only behind a proxy that adds it
    /// and that no visitor can bypass
    #[arg(long)]
    pub(crate) behind_proxy: bool,
    /// The format of the log on standard error: text, json, or off
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = log_format_parser())]
    pub(crate) log: LogFormat,
    /// Serve the page in this folder instead of the built-in page, for instance one that
    /// `cargo xtask site` has written, which runs the engine in the browser
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) page: Option<PathBuf>,
}

/// The format of the log of `kalah serve`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// Lines of text.
    Text,
    /// A line of JSON for each event.
    Json,
    /// No log.
    Off,
}

fn log_format_parser() -> impl TypedValueParser<Value = LogFormat> {
    PossibleValuesParser::new(["text", "json", "off"]).map(|word| match word.as_str() {
        "json" => LogFormat::Json,
        "off" => LogFormat::Off,
        _ => LogFormat::Text,
    })
}

/// Parses the address to listen on. The message of clap quotes the text.
pub(crate) fn parse_address(text: &str) -> Result<ListenAddress, String> {
    text.parse().map_err(|_| {
        "expected a host and a port such as 127.0.0.1:8080, localhost:0 or [::1]:80".to_owned()
    })
}
