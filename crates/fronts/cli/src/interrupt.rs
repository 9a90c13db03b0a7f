//! Ctrl-C, SIGTERM and SIGHUP as a request that commands poll or await.

use std::io::{self, Write as _};
use std::process;
use std::sync::{LazyLock, Once, OnceLock};
use std::time::{Duration, Instant};

use kalah_players::Shutdown;
use tokio_util::sync::CancellationToken;

use crate::output::keys::restore_terminal;

/// The request of this process.
static SHUTDOWN: LazyLock<Shutdown> = LazyLock::new(Shutdown::default);

/// The same request for asynchronous code.
static SHUTDOWN_TOKEN: LazyLock<CancellationToken> = LazyLock::new(CancellationToken::new);

/// The signal that made the request.
static RECEIVED: OnceLock<StopSignal> = OnceLock::new();

/// A second signal within this time counts as the first one: a terminal and a supervisor may send
/// one each for the same request.
const DUPLICATE_SIGNAL_WINDOW: Duration = Duration::from_millis(500);

/// A shell reports a program that a signal has ended with this exit code plus the number of the
/// signal.
const SIGNAL_EXIT_CODE_BASE: u8 = 128;

/// A signal that asks the process to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StopSignal {
    /// SIGINT, or Ctrl-C on any system.
    #[default]
    Interrupt,
    /// SIGTERM, from a supervisor.
    #[cfg_attr(not(unix), expect(dead_code, reason = "a signal of Unix"))]
    Terminate,
    /// SIGHUP, which a terminal sends when it is closed.
    HangUp,
}

impl StopSignal {
    /// Returns the exit code of a command that this signal has ended before it was complete.
    pub(crate) const fn exit_code(self) -> u8 {
        // The numbers are those of POSIX for `kill`.
        SIGNAL_EXIT_CODE_BASE
            + match self {
                Self::HangUp => 1,
                Self::Interrupt => 2,
                Self::Terminate => 15,
            }
    }
}

/// Installs the handler of Ctrl-C, SIGTERM and SIGHUP and returns the request that it sets. The
/// first signal sets the request; the second one kills all child processes and exits at once.
///
/// If the handler cannot be installed, a signal ends the process as usual.
pub(crate) fn listen() -> Shutdown {
    static INSTALLATION: Once = Once::new();
    INSTALLATION.call_once(|| {
        let mut first = None;
        let _ = install_handler(move |signal| {
            // A later signal leaves the first one in place.
            let _ = RECEIVED.set(signal);
            SHUTDOWN.request();
            SHUTDOWN_TOKEN.cancel();
            let first: Instant = *first.get_or_insert_with(Instant::now);
            if first.elapsed() > DUPLICATE_SIGNAL_WINDOW {
                exit_at_once(signal);
            }
        });
    });
    SHUTDOWN.clone()
}

/// Ends the process and all child processes.
fn exit_at_once(signal: StopSignal) {
    // An error on standard error cannot be reported anywhere.
    let _ = writeln!(
        anstream::stderr(),
        "error: stopped at once by a second signal"
    );
    SHUTDOWN.kill_children();
    restore_terminal();
    process::exit(signal.exit_code().into());
}

/// Calls `handler` for each signal on a thread of its own.
#[cfg(unix)]
fn install_handler(mut handler: impl FnMut(StopSignal) + Send + 'static) -> io::Result<()> {
    use std::thread;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in signals.forever() {
                handler(match signal {
                    SIGHUP => StopSignal::HangUp,
                    SIGTERM => StopSignal::Terminate,
                    _ => StopSignal::Interrupt,
                });
            }
        })?;
    Ok(())
}

/// Calls `handler` for each Ctrl-C on a thread of its own.
#[cfg(not(unix))]
fn install_handler(mut handler: impl FnMut(StopSignal) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || handler(StopSignal::Interrupt)).map_err(io::Error::other)
}

/// Notes that the terminal was closed, which its SIGHUP reports only to the process that controls
/// it.
pub(crate) fn note_closed_terminal() {
    let _ = RECEIVED.set(StopSignal::HangUp);
}

/// Returns the signal that made the request of [`listen`], if there was one.
pub(crate) fn received_signal() -> Option<StopSignal> {
    RECEIVED.get().copied()
}

/// Returns the exit code of a command that a signal has ended before it was complete.
///
/// A command on a screen also ends by the key Ctrl-C, which sends no signal there.
pub(crate) fn exit_code() -> u8 {
    received_signal().unwrap_or_default().exit_code()
}

/// Returns the request of [`listen`] as a token that asynchronous commands await.
pub(crate) fn shutdown_token() -> CancellationToken {
    listen();
    SHUTDOWN_TOKEN.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_that_shells_report() {
        for (signal, code) in [
            (StopSignal::HangUp, 129),
            (StopSignal::Interrupt, 130),
            (StopSignal::Terminate, 143),
        ] {
            assert_eq!(signal.exit_code(), code, "{signal:?}");
        }
    }
}
