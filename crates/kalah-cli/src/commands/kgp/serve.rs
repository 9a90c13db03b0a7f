//! `kalah kgp serve`: configures and runs the KGP server.

use std::io::Write;

use kalah_engine::LevelNumber;
use kalah_players::{PlayerKind, PlayerSpec, available_threads};
use kalah_protocols::kgp::Mode;
use kalah_server::kgp::{KgpServer, KgpServerConfig, KgpServerError};
use kalah_store::DataFolder;

use super::super::serve::init_logging;
use crate::args::kgp::KgpServeArgs;
use crate::args::serve::LogFormat;
use crate::args::values::seed_or_random;
use crate::error::CliError;
use crate::interrupt;

/// The level of the built-in player without `--opponent`.
const DEFAULT_LEVEL: u8 = 5;

pub(super) fn run(arguments: &KgpServeArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let config = server_config(arguments)?;
    init_logging(LogFormat::Text);
    let shutdown = interrupt::shutdown_token();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|reason| CliError::Runtime(format!("cannot start threads: {reason}")))?;
    let result = runtime.block_on(async {
        let server = KgpServer::bind(&config).await?;
        for address in server.addresses() {
            writeln!(output, "{address}")?;
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
    let threads = arguments.engine.threads;
    let max_searches = threads.unwrap_or_else(available_threads);
    let engines = arguments.engine.factory(&start)?;
    Ok(KgpServerConfig {
        tcp_address: arguments.addr.clone(),
        web_socket_address: arguments.ws.clone(),
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
            KgpServerError::RecordFolder { .. } | KgpServerError::Serve(_) => {
                Self::Runtime(message)
            }
        }
    }
}
