use std::io::{self, Stdout, Write as _};
use std::panic;
use std::process;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::{Rect, Size};
#[cfg(unix)]
use rustix::{
    event::{PollFd, PollFlags, Timespec},
    io::Errno,
};

use super::model::Model;
use super::view::view;
use kalah_players::Shutdown;

use crate::interrupt::EXIT_CODE_INTERRUPTED;

/// Whether the terminal is as a screen wants it.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// The terminal while it shows a screen; it is put back as it was when this goes, and before a panic is told.
pub(super) struct Terminal {
    inner: ratatui::Terminal<CrosstermBackend<Stdout>>,
}

impl Terminal {
    pub(super) fn open() -> io::Result<Self> {
        install_panic_hook(thread::current().id());
        let inner = enter_screen()
            .and_then(|()| ratatui::Terminal::new(CrosstermBackend::new(io::stdout())));
        // It is put back whatever goes wrong.
        inner.map(|inner| Self { inner }).inspect_err(|_| restore())
    }

    /// Leaves it to others for a while.
    #[expect(clippy::unused_self, reason = "whoever leaves it has opened it")]
    pub(super) fn suspend(&self) {
        restore();
    }

    /// Takes it again, whatever others have done with it meanwhile.
    pub(super) fn resume(&mut self) -> io::Result<()> {
        // The library takes no mode that it believes to be taken.
        disable_raw_mode()?;
        enter_screen()?;
        let Size { width, height } = self.inner.size()?;
        self.inner.resize(Rect::new(0, 0, width, height))
    }

    pub(super) fn size(&self) -> io::Result<Size> {
        self.inner.size()
    }

    pub(super) fn draw(&mut self, model: &Model) -> io::Result<()> {
        self.inner.draw(|frame| view(model, frame))?;
        Ok(())
    }

    /// Whether there is anything to read within this time.
    pub(super) fn poll(&self, wait: Duration) -> io::Result<bool> {
        // What was read along with the last event is there already.
        self.wait_for_input(Duration::ZERO)?;
        if event::poll(Duration::ZERO)? {
            return Ok(true);
        }
        self.wait_for_input(wait)?;
        event::poll(Duration::ZERO)
    }

    /// Waits until there is something to read, and fails if nothing will come any more: of a terminal that is gone
    /// the library would read nothing again and again, and never return.
    #[cfg(unix)]
    #[expect(clippy::unused_self, reason = "whoever asks has opened it")]
    fn wait_for_input(&self, wait: Duration) -> io::Result<()> {
        let input = io::stdin();
        let mut asked = [PollFd::new(&input, PollFlags::IN)];
        let wait = Timespec::try_from(wait).map_err(io::Error::other)?;
        match rustix::event::poll(&mut asked, Some(&wait)) {
            // A signal, such as that of another size, is something to look at.
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        if asked[0].revents().intersects(gone) {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the terminal is gone",
            ));
        }
        Ok(())
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "whoever asks has opened it")]
    fn wait_for_input(&self, wait: Duration) -> io::Result<()> {
        event::poll(wait).map(|_| ())
    }

    /// Draws all of it anew the next time.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// How long a screen may take to close when it is told to.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// How often it is looked whether it was told to.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Ends the program if it was told to and the screen stays open, because its terminal neither takes nor gives
/// anything any more.
pub(super) fn spawn_exit_watchdog(interrupt: Shutdown) -> io::Result<()> {
    let watch = move || {
        while !interrupt.is_requested() {
            thread::sleep(POLL_INTERVAL);
        }
        thread::sleep(CLOSE_TIMEOUT);
        if IS_OPEN.load(Ordering::SeqCst) {
            // Standard output is locked by the screen.
            let _ = execute!(
                io::stderr(),
                Show,
                DisableMouseCapture,
                LeaveAlternateScreen
            );
            let _ = disable_raw_mode();
            process::exit(EXIT_CODE_INTERRUPTED.into());
        }
    };
    thread::Builder::new()
        .name("watch".to_owned())
        .spawn(watch)
        .map(|_| ())
}

/// Lets the terminal be as a screen wants it.
fn enter_screen() -> io::Result<()> {
    enable_raw_mode()?;
    IS_OPEN.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture, Hide)
}

/// Puts the terminal back as it was, once.
fn restore() {
    if IS_OPEN.swap(false, Ordering::SeqCst) {
        // There is nobody left to tell that it cannot be.
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

/// A panic of the thread with the screen is told where it can be read; those of others are told by whoever has begun
/// them.
fn install_panic_hook(screen: ThreadId) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_OPEN.load(Ordering::SeqCst) {
                tell(info);
            } else if thread::current().id() == screen {
                restore();
                tell(info);
            }
        }));
    });
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::env;
    use std::process::Command;

    use rexpect::session::spawn_command;

    /// Far more than it takes, in milliseconds.
    const PATIENCE: u64 = 300_000;
    /// The variable that makes the test below its own child process.
    const PANICS: &str = "KALAH_TEST_PANICS_ON_A_TERMINAL";

    /// Starts itself on a terminal, where it panics with an open screen.
    #[test]
    fn the_terminal_is_put_back_before_a_panic_is_told() {
        if env::var_os(PANICS).is_some() {
            let _terminal = Terminal::open().expect("a terminal");
            panic!("the board is on fire");
        }
        let mut command = Command::new(env::current_exe().expect("it runs"));
        command
            .args(["--include-ignored", "--exact", "--nocapture"])
            .arg("screen::terminal::tests::the_terminal_is_put_back_before_a_panic_is_told")
            .env(PANICS, "1")
            .env("TERM", "xterm");
        let mut session = spawn_command(command, Some(PATIENCE)).expect("it starts");
        let shown = session.exp_eof().expect("it ends");
        let opened = shown.find("\u{1b}[?1049h").expect("the other screen");
        let left = shown.find("\u{1b}[?1049l").expect("the screen that was");
        let cursor = shown.rfind("\u{1b}[?25h").expect("a cursor");
        let told = shown.find("the board is on fire").expect("a panic");
        assert!(opened < cursor && cursor < left && left < told, "{shown:?}");
    }
}
