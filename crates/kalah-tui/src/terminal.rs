//! The terminal: raw mode and alternate screen, input with a timeout, and job control.

use std::env;
use std::io::{self, IsTerminal as _, Stdout, Write as _};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

use kalah_players::Shutdown;
use ratatui::Frame;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use ratatui::layout::{Rect, Size};
#[cfg(unix)]
use rustix::{
    event::{PollFd, PollFlags, Timespec},
    io::Errno,
};

pub(crate) use job_control::JobControl;

/// Returns whether standard input and output are a terminal that can show the full screen.
pub fn is_screen_supported() -> bool {
    // On Unix, a terminal without a name supports nothing.
    let is_dumb = env::var_os("TERM").map_or(cfg!(unix), |term| term.is_empty() || term == "dumb");
    // A terminal that does not know its size can only print lines.
    let has_size = || size().is_ok_and(|(width, height)| width > 0 && height > 0);
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb && has_size()
}

/// Whether the terminal is in raw mode and shows the alternate screen.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// A terminal in raw mode with the alternate screen. It is restored when this value is dropped, and
/// before the message of a panic is printed.
pub(crate) struct Terminal {
    inner: ratatui::Terminal<CrosstermBackend<Stdout>>,
}

impl Terminal {
    pub(crate) fn open() -> io::Result<Self> {
        install_panic_hook(thread::current().id());
        let inner = enter_screen()
            .and_then(|()| ratatui::Terminal::new(CrosstermBackend::new(io::stdout())));
        inner.map(|inner| Self { inner }).inspect_err(|_| restore())
    }

    /// Restores the terminal until [`resume`](Self::resume).
    #[expect(clippy::unused_self, reason = "only an open terminal is suspended")]
    pub(crate) fn suspend(&self) {
        restore();
    }

    /// Opens the screen again, whatever other programs have done to the terminal.
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        // crossterm enters raw mode only if it believes that the mode is off.
        disable_raw_mode()?;
        enter_screen()?;
        let Size { width, height } = self.inner.size()?;
        self.inner.resize(Rect::new(0, 0, width, height))
    }

    pub(crate) fn size(&self) -> io::Result<Size> {
        self.inner.size()
    }

    pub(crate) fn draw(&mut self, view: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.inner.draw(view)?;
        Ok(())
    }

    /// Waits up to `timeout` for an event. Returns whether there is one to read.
    ///
    /// # Errors
    /// If polling fails or the terminal has closed.
    pub(crate) fn poll(&self, timeout: Duration) -> io::Result<bool> {
        self.wait_for_input(Duration::ZERO)?;
        // crossterm may have buffered events that the system no longer reports.
        if event::poll(Duration::ZERO)? {
            return Ok(true);
        }
        self.wait_for_input(timeout)?;
        event::poll(Duration::ZERO)
    }

    /// Waits up to `timeout` until standard input is readable, and fails if the terminal has
    /// closed: crossterm would read from a closed terminal in an endless loop.
    #[cfg(unix)]
    #[expect(clippy::unused_self, reason = "only an open terminal is polled")]
    fn wait_for_input(&self, timeout: Duration) -> io::Result<()> {
        let input = io::stdin();
        let mut fds = [PollFd::new(&input, PollFlags::IN)];
        let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
        match rustix::event::poll(&mut fds, Some(&timeout)) {
            // A signal such as SIGWINCH makes crossterm report an event.
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let closed = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        if fds[0].revents().intersects(closed) {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the terminal has closed",
            ));
        }
        Ok(())
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "only an open terminal is polled")]
    fn wait_for_input(&self, timeout: Duration) -> io::Result<()> {
        event::poll(timeout).map(|_| ())
    }

    /// Clears the screen, so that the next frame is drawn completely.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// The time to close the screen after a shutdown was requested.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// The interval at which the watchdog checks for a shutdown.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Starts a thread that calls `force_exit` if the screen is still open [`CLOSE_TIMEOUT`] after a
/// shutdown was requested, because the terminal blocks.
pub(crate) fn spawn_exit_watchdog(shutdown: Shutdown, force_exit: fn() -> !) -> io::Result<()> {
    let watch = move || {
        while !shutdown.is_requested() {
            thread::sleep(POLL_INTERVAL);
        }
        thread::sleep(CLOSE_TIMEOUT);
        if IS_OPEN.load(Ordering::SeqCst) {
            // The blocked thread may hold the lock of standard output.
            let _ = execute!(
                io::stderr(),
                Show,
                DisableMouseCapture,
                LeaveAlternateScreen
            );
            let _ = disable_raw_mode();
            force_exit();
        }
    };
    thread::Builder::new()
        .name("watchdog".to_owned())
        .spawn(watch)
        .map(|_| ())
}

fn enter_screen() -> io::Result<()> {
    enable_raw_mode()?;
    IS_OPEN.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture, Hide)
}

/// Restores the terminal, if it is open. Errors are ignored, because the output has failed.
fn restore() {
    if IS_OPEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(
            io::stdout(),
            Show,
            DisableMouseCapture,
            LeaveAlternateScreen
        );
        let _ = disable_raw_mode();
        let _ = io::stdout().flush();
    }
}

/// Restores the terminal before a panic of `screen_thread` is printed. While the screen is open,
/// panics of other threads are not printed: the event loop receives them from the workers.
fn install_panic_hook(screen_thread: ThreadId) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_OPEN.load(Ordering::SeqCst) {
                print(info);
            } else if thread::current().id() == screen_thread {
                restore();
                print(info);
            }
        }));
    });
}

/// A signal of the job control of a shell, such as `kill -TSTP` and `fg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobSignal {
    /// The process is to stop.
    Stop,
    /// The process was stopped and continues, on a terminal that other programs have used.
    Continue,
}

#[cfg(unix)]
mod job_control {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::{SIGCONT, SIGTSTP};
    use signal_hook::low_level::{emulate_default_handler, unregister};
    use signal_hook::{SigId, flag};

    use super::JobSignal;

    /// Handlers of SIGTSTP and SIGCONT, until it is dropped.
    pub(crate) struct JobControl {
        stop_requested: Arc<AtomicBool>,
        continued: Arc<AtomicBool>,
        signal_ids: [SigId; 2],
    }

    impl JobControl {
        pub(crate) fn register() -> io::Result<Self> {
            let (stop_requested, continued) = (Arc::default(), Arc::default());
            let signal_ids = [
                flag::register(SIGTSTP, Arc::clone(&stop_requested))?,
                flag::register(SIGCONT, Arc::clone(&continued))?,
            ];
            Ok(Self {
                stop_requested,
                continued,
                signal_ids,
            })
        }

        /// Returns a signal that has arrived since the last call.
        pub(crate) fn take_signal(&self) -> Option<JobSignal> {
            if self.stop_requested.swap(false, Ordering::SeqCst) {
                Some(JobSignal::Stop)
            } else if self.continued.swap(false, Ordering::SeqCst) {
                Some(JobSignal::Continue)
            } else {
                None
            }
        }

        /// Stops the process, and returns when it continues.
        pub(crate) fn stop_process(&self) -> io::Result<()> {
            emulate_default_handler(SIGTSTP)?;
            // The SIGCONT that ended this stop needs no further handling.
            self.continued.store(false, Ordering::SeqCst);
            Ok(())
        }
    }

    impl Drop for JobControl {
        fn drop(&mut self) {
            for id in self.signal_ids {
                unregister(id);
            }
        }
    }
}

#[cfg(not(unix))]
mod job_control {
    use std::io;

    use super::JobSignal;

    /// A system without job control.
    pub(crate) struct JobControl;

    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the interface is that of Unix"
    )]
    impl JobControl {
        pub(crate) fn register() -> io::Result<Self> {
            Ok(Self)
        }

        pub(crate) fn take_signal(&self) -> Option<JobSignal> {
            None
        }

        pub(crate) fn stop_process(&self) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::Command;

    use rexpect::session::spawn_command;

    /// The time limit that ends a hanging test, in milliseconds.
    const TIMEOUT_MS: u64 = 300_000;
    /// The environment variable that makes the test below its own child process.
    const CHILD_VARIABLE: &str = "KALAH_TEST_PANICS_ON_A_TERMINAL";

    /// Starts itself on a pseudo-terminal, where it panics with an open screen.
    #[test]
    fn the_terminal_is_restored_before_a_panic_is_printed() {
        if env::var_os(CHILD_VARIABLE).is_some() {
            let _terminal = Terminal::open().expect("a terminal");
            panic!("the board is on fire");
        }
        let mut command = Command::new(env::current_exe().expect("the path of this test"));
        command
            .args(["--include-ignored", "--exact", "--nocapture"])
            .arg("terminal::tests::the_terminal_is_restored_before_a_panic_is_printed")
            .env(CHILD_VARIABLE, "1")
            .env("TERM", "xterm");
        let mut pty = spawn_command(command, Some(TIMEOUT_MS)).expect("a process");
        let output = pty.exp_eof().expect("the end of the output");
        let opened = output.find("\u{1b}[?1049h").expect("the alternate screen");
        let closed = output.find("\u{1b}[?1049l").expect("the main screen");
        let cursor = output.rfind("\u{1b}[?25h").expect("a visible cursor");
        let message = output.find("the board is on fire").expect("a message");
        assert!(
            opened < cursor && cursor < closed && closed < message,
            "{output:?}"
        );
    }
}
