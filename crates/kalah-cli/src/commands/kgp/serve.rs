//! `kalah kgp serve`: clients play each other and ours.

mod allowance;
mod archive;
mod client;
mod descriptors;
mod game;
mod hall;
mod leaving;
mod lots;
mod problem;
mod table;
mod transport;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use kalah_players::Shutdown;
use kalah_protocols::kgp::WEB_SOCKET_PATH;
use kalah_server::ListenAddress;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::archive::GameArchive;
use self::client::ClientHandle;
use self::hall::Matchmaker;
use self::table::GameConfig;
use self::transport::{ClientTransport, TransportKind};
use super::super::{print_stderr, print_warning};
use crate::interrupt;
use crate::{CliError, KgpServeArguments};

/// How often it is looked for Ctrl-C.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// After a connection could not be taken, as no more files can be open: others may be closed meanwhile.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// What it takes for everybody to be told goodbye.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Clients that have come and are not attended to yet.
const NEW_CLIENT_QUEUE: usize = 64;

pub(super) fn run(arguments: &KgpServeArguments, output: &mut dyn Write) -> Result<(), CliError> {
    let table = Arc::new(GameConfig::new(arguments)?);
    let archive = Arc::new(GameArchive::open(arguments)?);
    let interrupt = interrupt::listen();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|reason| CliError::Runtime(format!("no threads to serve on: {reason}")))?;
    let served = runtime.block_on(serve(arguments, table, archive, &interrupt, output));
    // Ours may still think about games that are over.
    runtime.shutdown_background();
    served
}

async fn serve(
    arguments: &KgpServeArguments,
    table: Arc<GameConfig>,
    archive: Arc<GameArchive>,
    interrupt: &Shutdown,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let tcp = listen(&arguments.addr).await?;
    writeln!(output, "tcp://{}", local_address(&tcp)?)?;
    let mut doors = vec![(tcp, TransportKind::Tcp)];
    if let Some(address) = &arguments.ws {
        let socket = listen(address).await?;
        writeln!(output, "ws://{}{WEB_SOCKET_PATH}", local_address(&socket)?)?;
        doors.push((socket, TransportKind::WebSocket));
    }
    output.flush()?;

    let wanted = arguments.clients.get() as usize;
    let places = descriptors::raise_fd_limit(wanted);
    if places < wanted {
        print_warning(&format!(
            "there are places for {places} clients instead of {wanted}: no more files can be open"
        ));
    }
    let (no_more_games, no_more_clients) = (CancellationToken::new(), CancellationToken::new());
    let (guests, arriving) = mpsc::channel(NEW_CLIENT_QUEUE);
    let clients = TaskTracker::new();
    let reception = Arc::new(Acceptor {
        config: Arc::clone(&table),
        new_clients: guests,
        connection_slots: Arc::new(Semaphore::new(places)),
        client_tasks: clients.clone(),
        shutdown: no_more_clients.clone(),
        next_client_number: std::sync::atomic::AtomicU64::new(1),
    });
    for (listener, carrier) in doors {
        let (reception, closing) = (Arc::clone(&reception), no_more_clients.clone());
        let open = async move { reception.accept_loop(listener, carrier).await };
        tokio::spawn(closing.run_until_cancelled_owned(open));
    }
    let left = arguments.games.map(std::num::NonZeroU64::get);
    let hall = Matchmaker::new(table, archive, arriving, left, no_more_games.clone());
    let mut games = tokio::spawn(hall.run());
    let is_over = loop {
        tokio::select! {
            over = &mut games => break over,
            () = sleep(POLL_INTERVAL) => {
                if interrupt.is_requested() {
                    no_more_games.cancel();
                    break games.await;
                }
            }
        }
    };
    no_more_clients.cancel();
    clients.close();
    if timeout(SHUTDOWN_TIMEOUT, clients.wait()).await.is_err() {
        print_warning("not everybody was told goodbye");
    }
    is_over.map_err(|reason| CliError::Runtime(format!("games are led no more: {reason}")))
}

async fn listen(address: &ListenAddress) -> Result<TcpListener, CliError> {
    let listener = TcpListener::bind(address.to_string()).await;
    listener.map_err(|reason| CliError::Runtime(format!("cannot listen at {address}: {reason}")))
}

fn local_address(listener: &TcpListener) -> Result<SocketAddr, CliError> {
    let address = listener.local_addr();
    address.map_err(|reason| CliError::Runtime(format!("cannot listen: {reason}")))
}

/// Takes connections.
struct Acceptor {
    config: Arc<GameConfig>,
    new_clients: mpsc::Sender<ClientHandle>,
    connection_slots: Arc<Semaphore>,
    client_tasks: TaskTracker,
    shutdown: CancellationToken,
    next_client_number: std::sync::atomic::AtomicU64,
}

impl Acceptor {
    async fn accept_loop(&self, listener: TcpListener, carrier: TransportKind) {
        loop {
            match listener.accept().await {
                Ok((stream, address)) => self.admit(stream, address, carrier),
                Err(reason) => {
                    print_warning(&format!("a connection cannot be taken: {reason}"));
                    sleep(ACCEPT_RETRY_DELAY).await;
                }
            }
        }
    }

    fn admit(&self, stream: TcpStream, address: SocketAddr, carrier: TransportKind) {
        let Ok(place) = Arc::clone(&self.connection_slots).try_acquire_owned() else {
            print_stderr(&format!(
                "{address} is sent away: there are too many clients"
            ));
            if carrier == TransportKind::Tcp {
                // It is said if that takes no time.
                let _: io::Result<usize> = stream.try_write(SERVER_FULL_REPLY);
            }
            return;
        };
        let order = std::sync::atomic::Ordering::Relaxed;
        let number = self.next_client_number.fetch_add(1, order);
        let (table, guests) = (Arc::clone(&self.config), self.new_clients.clone());
        let closing = self.shutdown.clone();
        self.client_tasks.spawn(async move {
            let opening = ClientTransport::open(stream, carrier);
            if let Some(Some(transport)) = closing.run_until_cancelled(opening).await {
                client::serve_client(transport, number, address, table, guests, closing.clone())
                    .await;
            }
            drop(place);
        });
    }
}

/// What a client is told for whom there is no place.
const SERVER_FULL_REPLY: &[u8] = b"error \"the server is full\"\r\ngoodbye\r\n";
