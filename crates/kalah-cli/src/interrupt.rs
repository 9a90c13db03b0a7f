//! Ctrl-C and SIGTERM as a request that commands poll.

use std::io::Write as _;
use std::process;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use kalah_players::Shutdown;

/// The request of this process.
static SHUTDOWN: LazyLock<Shutdown> = LazyLock::new(Shutdown::default);

/// The exit code that shells report for a program that SIGINT has ended.
pub(crate) const EXIT_CODE_INTERRUPTED: u8 = 130;

/// A second signal within this time counts as the first one: a terminal and a supervisor may send
/// one each for the same request.
const DUPLICATE_SIGNAL_WINDOW: Duration = Duration::from_millis(500);

/// Returns the request that the first Ctrl-C or SIGTERM sets, from now on to the end of the
/// process. The second signal kills all child processes and exits at once.
///
/// Where no handler can be installed, a signal ends the process as usual.
pub(crate) fn listen() -> Shutdown {
    let mut first = None;
    // The second call in a process fails and keeps the handler of the first one.
    let _ = ctrlc::set_handler(move || {
        SHUTDOWN.request();
        let first: Instant = *first.get_or_insert_with(Instant::now);
        if first.elapsed() > DUPLICATE_SIGNAL_WINDOW {
            // An error on standard error cannot be reported anywhere.
            let _ = writeln!(
                anstream::stderr(),
                "error: ended at once, as was asked a second time"
            );
            SHUTDOWN.kill_children();
            process::exit(EXIT_CODE_INTERRUPTED.into());
        }
    });
    SHUTDOWN.clone()
}
