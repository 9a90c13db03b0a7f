use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah_players::MemorySize;
use kalah_server::{ListenAddress, ServerConfig};

use crate::TablesArgument;
use crate::arguments::whole_number_parser;
use crate::table_arguments::MAX_THREADS;

/// `kalah serve`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The address is printed once the page can be opened there. Ctrl-C ends the server when everything is
answered that was accepted, and a second one at once. Only this machine reaches 127.0.0.1; for all
others to do so, put a proxy in front of it that speaks HTTPS and give --behind-proxy, so that
visitors are told from each other.

Examples:
  kalah serve --open
  kalah serve --addr 127.0.0.1:0
  kalah serve --behind-proxy --log json
  kalah serve --page target/site
  kalah serve --backup games-of-today.sqlite3")]
pub struct ServeArguments {
    /// Where to listen; port 0 is any that is free
    #[arg(long, value_name = "HOST:PORT", default_value_t = ServerConfig::DEFAULT_ADDRESS.into(), value_parser = parse_address)]
    pub addr: ListenAddress,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Keep games between friends in this folder [default: where the system keeps the data of programs]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// Only copy these games to a file, whether a server is running or not
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = SERVER_ONLY_ARGUMENTS)]
    pub backup: Option<PathBuf>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub tables: TablesArgument,
    /// Memory for all engines together, such as 512MiB or 16GiB [default: a quarter of the machine's,
    /// 1GiB at most]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
    /// Questions to think about at the same time [default: as many as the machine has threads]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    pub threads: Option<NonZeroUsize>,
    /// Requests a second that one address may make in the long run, and twenty times as many at once
    #[arg(long, value_name = "N", default_value = "200", value_parser = whole_number_parser(NonZeroU32::MIN, MAX_REQUESTS_PER_SECOND))]
    pub rate: NonZeroU32,
    /// Tell visitors from each other by the last address in `X-Forwarded-For`: only behind a proxy that
    /// adds it, and that nobody gets past
    #[arg(long)]
    pub behind_proxy: bool,
    /// How to log on standard error: text, json, or off
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = log_format_parser())]
    pub log: LogFormat,
    /// Serve the page in this folder instead of the one inside: for instance one that `cargo xtask site`
    /// has written, with which the engine runs in the visitors' browsers
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub page: Option<PathBuf>,
}

/// What means nothing where games are only copied.
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

/// How `kalah serve` logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// A line of JSON for each event.
    Json,
    /// Not at all.
    Off,
}

/// More are no limit.
const MAX_REQUESTS_PER_SECOND: NonZeroU32 = NonZeroU32::new(1_000_000).expect("not zero");

fn log_format_parser() -> impl TypedValueParser<Value = LogFormat> {
    PossibleValuesParser::new(["text", "json", "off"]).map(|word| match word.as_str() {
        "json" => LogFormat::Json,
        "off" => LogFormat::Off,
        _ => LogFormat::Text,
    })
}

pub(crate) fn parse_address(text: &str) -> Result<ListenAddress, String> {
    // What was typed is quoted already.
    text.parse().map_err(|_| {
        "it must be a host and a port such as 127.0.0.1:8080, localhost:0 or [::1]:80".to_owned()
    })
}
