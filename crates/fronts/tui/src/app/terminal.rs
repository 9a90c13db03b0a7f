//! The terminal: raw mode and alternate screen.

use std::env;
use std::io::{self, IsTerminal as _, Stdout, Write as _};
use std::mem::ManuallyDrop;
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use kalah_players::Shutdown;
use ratatui::Frame;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use ratatui::layout::{Rect, Size};

/// Returns whether standard input and output are a terminal that can show the full screen.
pub fn is_screen_supported() -> bool {
    // On Unix, a terminal without a name supports nothing.
    let is_dumb = env::var_os("TERM").map_or(cfg!(unix), |term| term.is_empty() || term == "dumb");
    // A terminal that does not know its size can only print lines.
    let has_size = || size().is_ok_and(has_cells);
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb && has_size()
}

fn has_cells((width, height): (u16, u16)) -> bool {
    width > 0 && height > 0
}

/// The maximum number of cells of a terminal: more than any screen has. Two cells of some 60 bytes
/// each are kept for one of the terminal.
const MAX_CELLS: u32 = 1 << 20;

/// Returns the size, unless it is more than can be drawn.
fn check_size(size: Size) -> io::Result<Size> {
    let Size { width, height } = size;
    if u32::from(width) * u32::from(height) <= MAX_CELLS {
        return Ok(size);
    }
    let reason =
        format!("the terminal claims to have {width}x{height} cells, more than {MAX_CELLS}");
    Err(io::Error::other(reason))
}

/// Whether the terminal is in raw mode and shows the alternate screen.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// A terminal in raw mode with the alternate screen. It is restored when this value is dropped, and
/// before the message of a panic is printed.
pub(crate) struct Terminal {
    /// It is not dropped, because it would panic if the terminal has closed: it shows the cursor,
    /// as [`restore`] does, and prints an error.
    inner: ManuallyDrop<ratatui::Terminal<CrosstermBackend<Stdout>>>,
}

impl Terminal {
    pub(crate) fn open() -> io::Result<Self> {
        install_panic_hook(thread::current().id());
        // The screen needs memory for each cell.
        check_size(size()?.into())?;
        let inner = enter_screen()
            .and_then(|()| ratatui::Terminal::new(CrosstermBackend::new(io::stdout())));
        let terminal = inner.map(|inner| Self {
            inner: ManuallyDrop::new(inner),
        });
        terminal.inspect_err(|_| restore())
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
        self.clear()
    }

    pub(crate) fn size(&self) -> io::Result<Size> {
        check_size(self.inner.size()?)
    }

    pub(crate) fn draw(&mut self, view: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.size()?;
        self.inner.draw(view)?;
        Ok(())
    }

    /// Copies a text to the clipboard with the control sequence OSC 52, which many terminals know
    /// and the others ignore.
    #[expect(
        clippy::unused_self,
        reason = "only an open terminal receives the sequence"
    )]
    pub(crate) fn copy_to_clipboard(&self, text: &str) -> io::Result<()> {
        execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
    }

    /// Clears the screen, so that the next frame is drawn completely.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        // ratatui's own `clear` asks the terminal for the position of the cursor, and fails if the
        // terminal does not answer.
        let Size { width, height } = self.size()?;
        self.inner.resize(Rect::new(0, 0, width, height))
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
            let _ = io::stderr().write_all(&closing_sequence());
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
    execute!(
        io::stdout(),
        EnterAlternateScreen,
        EnableMouseCapture,
        EnableBracketedPaste,
        Hide
    )
}

/// Returns the bytes that close the screen of a terminal.
pub fn closing_sequence() -> Vec<u8> {
    let mut bytes = Vec::new();
    // No error is possible in memory.
    let _ = execute!(
        bytes,
        Show,
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen
    );
    bytes
}

/// Restores the terminal, if it is open. Errors are ignored, because the output has failed.
fn restore() {
    if IS_OPEN.swap(false, Ordering::SeqCst) {
        let _ = io::stdout().write_all(&closing_sequence());
        let _ = io::stdout().flush();
        let _ = disable_raw_mode();
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::Command;

    use rexpect::session::spawn_command;

    /// The time limit that ends a hanging test, in milliseconds.
    const TIMEOUT_MS: u64 = 300_000;
    /// The environment variable that makes the test below its own child process.
    const CHILD_VARIABLE: &str = "KALAH_TEST_PANICS_ON_A_TERMINAL";

    #[test]
    fn terminal_with_a_side_of_no_cells_has_no_size() {
        for (size, expected) in [
            ((1, 1), true),
            ((0, 1), false),
            ((1, 0), false),
            ((0, 0), false),
        ] {
            assert_eq!(has_cells(size), expected, "{size:?}");
        }
    }

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
            .arg("app::terminal::tests::the_terminal_is_restored_before_a_panic_is_printed")
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
