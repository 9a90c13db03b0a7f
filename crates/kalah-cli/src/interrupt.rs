//! Ctrl-C, SIGTERM and SIGHUP as a request that commands poll or await.

use std::io::Write as _;
use std::process;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use kalah_players::Shutdown;
use tokio_util::sync::CancellationToken;

/// The request of this process.
static SHUTDOWN: LazyLock<Shutdown> = LazyLock::new(Shutdown::default);

/// The same request for asynchronous code.
static SHUTDOWN_TOKEN: LazyLock<CancellationToken> = LazyLock::new(CancellationToken::new);

/// The exit code that shells report for a program that SIGINT has ended.
pub(crate) const EXIT_CODE_INTERRUPTED: u8 = 130;

/// A second signal within this time counts as the first one: a terminal and a supervisor may send
/// one each for the same request.
const DUPLICATE_SIGNAL_WINDOW: Duration = Duration::from_millis(500);

/// Installs the handler of Ctrl-C, SIGTERM and SIGHUP and returns the request that it sets. The
/// first signal sets the request; the second one kills all child processes and exits at once.
///
/// If the handler cannot be installed, a signal ends the process as usual.
pub(crate) fn listen() -> Shutdown {
    let mut first = None;
    // The second call in a process fails and keeps the handler of the first one.
    let _ = ctrlc::set_handler(move || {
        SHUTDOWN.request();
        SHUTDOWN_TOKEN.cancel();
        let first: Instant = *first.get_or_insert_with(Instant::now);
        if first.elapsed() > DUPLICATE_SIGNAL_WINDOW {
            // An error on standard error cannot be reported anywhere.
            let _ = writeln!(
                anstream::stderr(),
                "error: stopped at once by a second signal"
            );
            SHUTDOWN.kill_children();
            process::exit(EXIT_CODE_INTERRUPTED.into());
        }
    });
    SHUTDOWN.clone()
}

/// Returns the request of [`listen`] as a token that asynchronous commands await.
pub(crate) fn shutdown_token() -> CancellationToken {
    listen();
    SHUTDOWN_TOKEN.clone()
}
