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

use kalah_protocols::kgp::WEB_SOCKET_PATH;
use kalah_server::ListenAddress;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::archive::Archive;
use self::client::Guest;
use self::hall::Hall;
use self::table::Table;
use self::transport::{Carrier, Transport};
use super::super::{tell_stderr, warn};
use crate::interrupt::Interrupt;
use crate::{Failure, KgpServeArguments};

/// How often it is looked for Ctrl-C.
const LOOK_ABOUT: Duration = Duration::from_millis(50);

/// After a connection could not be taken, as no more files can be open: others may be closed meanwhile.
const AGAIN: Duration = Duration::from_millis(100);

/// What it takes for everybody to be told goodbye.
const GOODBYES: Duration = Duration::from_secs(5);

/// Clients that have come and are not attended to yet.
const ARRIVING: usize = 64;

pub(super) fn run(arguments: &KgpServeArguments, output: &mut dyn Write) -> Result<(), Failure> {
    let table = Arc::new(Table::new(arguments)?);
    let archive = Arc::new(Archive::open(arguments)?);
    let interrupt = Interrupt::listen();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|reason| Failure::Work(format!("no threads to serve on: {reason}")))?;
    let served = runtime.block_on(serve(arguments, table, archive, &interrupt, output));
    // Ours may still think about games that are over.
    runtime.shutdown_background();
    served
}

async fn serve(
    arguments: &KgpServeArguments,
    table: Arc<Table>,
    archive: Arc<Archive>,
    interrupt: &Interrupt,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    let tcp = listen(&arguments.addr).await?;
    writeln!(output, "tcp://{}", local_address(&tcp)?)?;
    let mut doors = vec![(tcp, Carrier::Tcp)];
    if let Some(address) = &arguments.ws {
        let socket = listen(address).await?;
        writeln!(output, "ws://{}{WEB_SOCKET_PATH}", local_address(&socket)?)?;
        doors.push((socket, Carrier::WebSocket));
    }
    output.flush()?;

    let wanted = arguments.clients.get() as usize;
    let places = descriptors::places(wanted);
    if places < wanted {
        warn(&format!(
            "there are places for {places} clients instead of {wanted}: no more files can be open"
        ));
    }
    let (no_more_games, no_more_clients) = (CancellationToken::new(), CancellationToken::new());
    let (guests, arriving) = mpsc::channel(ARRIVING);
    let clients = TaskTracker::new();
    let reception = Arc::new(Reception {
        table: Arc::clone(&table),
        guests,
        places: Arc::new(Semaphore::new(places)),
        clients: clients.clone(),
        closing: no_more_clients.clone(),
        numbers: std::sync::atomic::AtomicU64::new(1),
    });
    for (listener, carrier) in doors {
        let (reception, closing) = (Arc::clone(&reception), no_more_clients.clone());
        let open = async move { reception.welcome(listener, carrier).await };
        tokio::spawn(closing.run_until_cancelled_owned(open));
    }
    let left = arguments.games.map(std::num::NonZeroU64::get);
    let hall = Hall::new(table, archive, arriving, left, no_more_games.clone());
    let mut games = tokio::spawn(hall.run());
    let is_over = loop {
        tokio::select! {
            over = &mut games => break over,
            () = sleep(LOOK_ABOUT) => {
                if interrupt.came() {
                    no_more_games.cancel();
                    break games.await;
                }
            }
        }
    };
    no_more_clients.cancel();
    clients.close();
    if timeout(GOODBYES, clients.wait()).await.is_err() {
        warn("not everybody was told goodbye");
    }
    is_over.map_err(|reason| Failure::Work(format!("games are led no more: {reason}")))
}

async fn listen(address: &ListenAddress) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind(address.to_string()).await;
    listener.map_err(|reason| Failure::Work(format!("cannot listen at {address}: {reason}")))
}

fn local_address(listener: &TcpListener) -> Result<SocketAddr, Failure> {
    let address = listener.local_addr();
    address.map_err(|reason| Failure::Work(format!("cannot listen: {reason}")))
}

/// Takes connections.
struct Reception {
    table: Arc<Table>,
    guests: mpsc::Sender<Guest>,
    places: Arc<Semaphore>,
    clients: TaskTracker,
    closing: CancellationToken,
    numbers: std::sync::atomic::AtomicU64,
}

impl Reception {
    async fn welcome(&self, listener: TcpListener, carrier: Carrier) {
        loop {
            match listener.accept().await {
                Ok((stream, address)) => self.admit(stream, address, carrier),
                Err(reason) => {
                    warn(&format!("a connection cannot be taken: {reason}"));
                    sleep(AGAIN).await;
                }
            }
        }
    }

    fn admit(&self, stream: TcpStream, address: SocketAddr, carrier: Carrier) {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            tell_stderr(&format!(
                "{address} is sent away: there are too many clients"
            ));
            if carrier == Carrier::Tcp {
                // It is said if that takes no time.
                let _: io::Result<usize> = stream.try_write(FULL);
            }
            return;
        };
        let order = std::sync::atomic::Ordering::Relaxed;
        let number = self.numbers.fetch_add(1, order);
        let (table, guests) = (Arc::clone(&self.table), self.guests.clone());
        let closing = self.closing.clone();
        self.clients.spawn(async move {
            let opening = Transport::open(stream, carrier);
            if let Some(Some(transport)) = closing.run_until_cancelled(opening).await {
                client::attend(transport, number, address, table, guests, closing.clone()).await;
            }
            drop(place);
        });
    }
}

/// What a client is told for whom there is no place.
const FULL: &[u8] = b"error \"the server is full\"\r\ngoodbye\r\n";
