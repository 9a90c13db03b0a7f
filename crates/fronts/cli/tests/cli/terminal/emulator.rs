//! A terminal that a test reads: `kalah` on a pseudo-terminal, and the cells that it has drawn.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::harness::{KALAH, TIMEOUT};

/// The size of the terminal.
const LINES: NonZero<u16> = NonZero::new(24).expect("not 0");
const COLUMNS: NonZero<u16> = NonZero::new(80).expect("not 0");

/// `kalah` on a terminal of [`COLUMNS`] by [`LINES`].
pub(super) struct Emulator {
    program: Child,
    terminal: File,
    parser: vt100::Parser,
}

impl Emulator {
    /// Starts `kalah` in a directory.
    pub(super) fn start(directory: &Path, arguments: &str) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        // The program must not keep this end open.
        fcntl_setfd(&terminal, FdFlags::CLOEXEC).expect("a pseudo-terminal");
        unlockpt(&terminal).expect("a pseudo-terminal");
        let name = ptsname(&terminal, Vec::new()).expect("a name");
        let size = Winsize {
            ws_row: LINES.get(),
            ws_col: COLUMNS.get(),
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&terminal, size).expect("a pseudo-terminal");
        let open = || {
            let mut options = File::options();
            let path = OsStr::from_bytes(name.to_bytes());
            let file = options.read(true).write(true).open(path);
            Stdio::from(file.expect("the other end of the pseudo-terminal"))
        };
        let program = Command::new(KALAH)
            .args(arguments.split_whitespace())
            .current_dir(directory)
            .env("TERM", "xterm-256color")
            .env("LC_ALL", "C.UTF-8")
            .env("XDG_DATA_HOME", directory.join("data"))
            .stdin(open())
            .stdout(open())
            .stderr(open())
            .spawn()
            .expect("a process");
        Self {
            program,
            terminal: File::from(terminal),
            parser: vt100::Parser::new(LINES, COLUMNS, 0),
        }
    }

    /// Sends keys.
    pub(super) fn press(&mut self, keys: &str) {
        self.terminal
            .write_all(keys.as_bytes())
            .expect("an open terminal");
    }

    /// Returns whether the program receives each key at once, and the terminal does not show it.
    pub(super) fn has_single_keys(&self) -> bool {
        let settings = tcgetattr(&self.terminal).expect("an open terminal");
        !(settings.local_modes).intersects(LocalModes::ICANON | LocalModes::ECHO)
    }

    /// Presses Ctrl-C, for which the terminal writes `^C`, and interrupts the program, whose
    /// controlling terminal is another one.
    pub(super) fn interrupt(&mut self) {
        self.press("\u{3}");
        let id = Pid::from_child(&self.program);
        kill_process(id, Signal::INT).expect("a running program");
    }

    /// Returns the lines of the screen that begin with a text.
    pub(super) fn lines_with(&self, begin: &str) -> Vec<String> {
        let screen = self.parser.screen().contents();
        let lines = screen.lines().filter(|line| line.starts_with(begin));
        lines.map(str::to_owned).collect()
    }

    /// Reads until the screen shows a text in one line.
    #[track_caller]
    pub(super) fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |screen| screen.contains(text));
    }

    /// Reads until a condition on the text of the screen is met. The program could not write
    /// without a reader.
    #[track_caller]
    pub(super) fn wait_until(&mut self, description: &str, condition: impl Fn(&str) -> bool) {
        let timeout = Timespec::try_from(TIMEOUT).expect("a short time");
        loop {
            let screen = self.parser.screen().contents();
            if condition(&screen) {
                return;
            }
            let ready = poll(
                &mut [PollFd::new(&self.terminal, PollFlags::IN)],
                Some(&timeout),
            );
            assert_eq!(ready, Ok(1), "{description} is missing on\n{screen}");
            let mut buffer = [0; 4096];
            let length = self.terminal.read(&mut buffer);
            let length = length.unwrap_or_else(|error| panic!("{error}: {description}: {screen}"));
            self.parser.process(&buffer[..length]);
        }
    }

    /// Closes the terminal, and returns the status of the program.
    pub(super) fn close(self) -> ExitStatus {
        let Self {
            mut program,
            terminal,
            ..
        } = self;
        drop(terminal);
        program.wait().expect("an exit status")
    }

    /// Kills the program.
    pub(super) fn kill(mut self) {
        self.program.kill().expect("a running program");
        self.program.wait().expect("an exit status");
    }

    /// Presses `Q`, and waits for the end of the program, which must succeed.
    #[track_caller]
    pub(super) fn quit(mut self) {
        self.press("q");
        // The program waits until its output is read.
        let mut buffer = [0; 4096];
        while self
            .terminal
            .read(&mut buffer)
            .is_ok_and(|length| length > 0)
        {}
        let status = self.program.wait().expect("an exit status");
        assert!(status.success(), "{status}");
    }
}
