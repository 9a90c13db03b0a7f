//! `kalah serve`: the page, and its server.

use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::Path;

use kalah::Rules;
use kalah_engine::TableCache;
use kalah_players::EngineFactory;
use kalah_server::games::{DataFolder, back_up};
use kalah_server::{
    ClientIpSource, PageSource, ServeError, ServerConfig, ServerLimits, TableCaches,
};
use kalah_tables::Variant;

use crate::serve_arguments::LogFormat;
use crate::{CliError, ServeArguments, TableSource};

pub(super) fn run(arguments: &ServeArguments, output: &mut dyn Write) -> Result<(), CliError> {
    let data = DataFolder::resolve(arguments.data.as_deref())
        .map_err(|error| CliError::Usage(format!("{error}: give one with --data")))?;
    if let Some(file) = &arguments.backup {
        return back_up(&data, file).map_err(|error| CliError::Runtime(error.to_string()));
    }
    init_logging(arguments.log);
    let settings = server_config(arguments, data)?;
    let mut told = Ok(());
    kalah_server::serve(&settings, |address| {
        let (told_address, others) = (
            format!("http://{}/", browser_address(address)),
            remote_access_hint(address),
        );
        told = writeln!(output, "{told_address}{others}").and_then(|()| output.flush());
        if arguments.open
            && let Err(reason) = open::that_detached(&told_address)
        {
            tracing::warn!(%reason, "no browser can be opened");
        }
    })?;
    Ok(told?)
}

fn server_config(arguments: &ServeArguments, data: DataFolder) -> Result<ServerConfig, CliError> {
    let default = ServerLimits::default();
    let limits = ServerLimits {
        requests_per_second: arguments.rate,
        request_burst: arguments.rate.saturating_mul(BURST_SECONDS),
        engine_workers: arguments.threads.unwrap_or(default.engine_workers),
        ..default
    };
    let memory = (arguments.memory).unwrap_or_else(|| EngineFactory::default().memory());
    Ok(ServerConfig {
        address: arguments.addr.clone(),
        data_folder: Some(data),
        page: page_source(arguments.page.as_deref())?,
        client_ip_source: if arguments.behind_proxy {
            ClientIpSource::XForwardedFor
        } else {
            ClientIpSource::Connection
        },
        limits,
        memory: usize::try_from(memory.bytes()).unwrap_or(usize::MAX),
        table_caches: table_caches(arguments.tables.tables.clone())?,
    })
}

/// The page inside, or the one in a folder.
fn page_source(folder: Option<&Path>) -> Result<PageSource, CliError> {
    let Some(folder) = folder else {
        return Ok(PageSource::Embedded);
    };
    if folder.join("index.html").is_file() {
        Ok(PageSource::Folder(folder.to_owned()))
    } else {
        let folder = folder.display();
        let words = format!("there is no page in '{folder}': it has no index.html");
        Err(CliError::Runtime(words))
    }
}

/// The requests that can be made at once after a rest are those of so many seconds.
const BURST_SECONDS: NonZeroU32 = NonZeroU32::new(20).expect("not zero");

/// Shelves which begin with the tables that there are.
fn table_caches(source: Option<TableSource>) -> Result<TableCaches, CliError> {
    // A folder that cannot be read is told of now, and not when somebody asks.
    TableSource::open_cache(source.as_ref(), Variant::new(DEFAULT_HOUSES, Rules::CS32))?;
    Ok(TableCaches::new(move |variant| {
        TableSource::open_cache(source.as_ref(), variant).unwrap_or_else(|failure| {
            let reason = failure.message();
            tracing::warn!(reason, "no tables are read");
            TableCache::new()
        })
    }))
}

/// Houses a side of the board that most people play on.
const DEFAULT_HOUSES: u8 = 6;

/// An address at which a browser on this machine finds the server.
fn browser_address(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// Where others find a server that listens at all addresses of this machine; nothing if it does not.
fn remote_access_hint(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        let port = address.port();
        format!("\nothers reach it by the name or the address of this machine, at port {port}")
    } else {
        String::new()
    }
}

/// Has events written to standard error.
fn init_logging(format: LogFormat) {
    let log = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        // Where standard error is closed there is nobody to tell.
        .log_internal_errors(false)
        .with_target(false);
    match format {
        LogFormat::Text => log.with_ansi(false).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
        LogFormat::Off => {}
    }
}

/// Why there is no server, in words that explain themselves.
impl From<ServeError> for CliError {
    fn from(error: ServeError) -> Self {
        let words = error.to_string();
        match error {
            ServeError::AddressInUse(_) => {
                Self::Runtime(format!("{words}: choose another address with --addr"))
            }
            ServeError::Interrupted => Self::Interrupted(words),
            _ => Self::Runtime(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_sent_where_it_can_go() {
        for (listening, reachable_at) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            let address = listening.parse().expect("an address");
            assert_eq!(browser_address(address).to_string(), reachable_at);
            let is_told = remote_access_hint(address).ends_with("port 80");
            assert_eq!(is_told, listening != reachable_at, "{listening}");
        }
    }
}
