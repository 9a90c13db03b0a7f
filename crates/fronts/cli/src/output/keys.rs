//! Keys that a person presses on a terminal while a command works.

#[cfg(unix)]
pub(crate) use unix::{KeyReader, restore_terminal};

#[cfg(not(unix))]
pub(crate) use other::{KeyReader, restore_terminal};

#[cfg(unix)]
mod unix {
    use std::io::{self, IsTerminal as _};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread::{self, JoinHandle};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::process::getpgrp;
    use rustix::stdio::stdin;
    use rustix::termios::{
        LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
    };

    /// The settings of the terminal before they were changed.
    static SAVED_SETTINGS: Mutex<Option<Termios>> = Mutex::new(None);

    /// The time to wait for a key before the reader looks whether it should end.
    const POLL_INTERVAL: Duration = Duration::from_millis(100);

    /// Reads single keys of the terminal that is standard input, on a thread, until it is dropped.
    /// The terminal neither shows them nor waits for the end of a line meanwhile. Ctrl-C and Ctrl-Z
    /// remain signals.
    pub(crate) struct KeyReader {
        should_end: Arc<AtomicBool>,
        thread: Option<JoinHandle<()>>,
    }

    impl KeyReader {
        /// Calls `handler` for each key. Returns `None` if standard input is no terminal, or if
        /// the system starts no thread.
        pub(crate) fn start(handler: impl Fn(char) + Send + 'static) -> Option<Self> {
            if !io::stdin().is_terminal() {
                return None;
            }
            if is_in_foreground() {
                read_single_keys().ok()?;
            }
            let should_end = Arc::new(AtomicBool::new(false));
            let flag = Arc::clone(&should_end);
            let thread = thread::Builder::new()
                .name("keys".to_owned())
                .spawn(move || read_keys(&flag, &handler));
            // Its drop restores the terminal if the thread does not start.
            let reader = Self {
                should_end,
                thread: thread.ok(),
            };
            reader.thread.is_some().then_some(reader)
        }
    }

    impl Drop for KeyReader {
        /// Ends the thread, and restores the terminal.
        fn drop(&mut self) {
            self.should_end.store(true, Ordering::Relaxed);
            if let Some(thread) = self.thread.take() {
                // A panic of the thread has been printed.
                let _ = thread.join();
            }
            restore_terminal();
        }
    }

    fn read_keys(should_end: &AtomicBool, handler: &impl Fn(char)) {
        let timeout = Timespec::try_from(POLL_INTERVAL).ok();
        let mut buffer = [0; 64];
        while !should_end.load(Ordering::Relaxed) {
            // The system stops a process in the background that changes or reads its terminal.
            if !is_in_foreground() {
                thread::sleep(POLL_INTERVAL);
                continue;
            }
            // A shell can change the settings while the process is stopped.
            if read_single_keys().is_err() {
                return;
            }
            let terminal = stdin();
            let mut ready = [PollFd::new(&terminal, PollFlags::IN)];
            let length = match poll(&mut ready, timeout.as_ref()) {
                Ok(1) if is_in_foreground() => rustix::io::read(stdin(), &mut buffer),
                Ok(_) | Err(Errno::INTR) => continue,
                Err(error) => Err(error),
            };
            match length {
                Ok(length) if length > 0 => {
                    for &byte in &buffer[..length] {
                        handler(byte.into());
                    }
                }
                Err(Errno::INTR) => {}
                // The terminal is closed.
                _ => return,
            }
        }
    }

    /// Returns whether this process may read its terminal, or has another one.
    fn is_in_foreground() -> bool {
        tcgetpgrp(stdin()).map_or(true, |group| group == getpgrp())
    }

    /// Makes the terminal pass on each key at once, unless it does so already.
    fn read_single_keys() -> rustix::io::Result<()> {
        let mut settings = tcgetattr(stdin())?;
        let line_modes = LocalModes::ICANON | LocalModes::ECHO;
        if !settings.local_modes.intersects(line_modes) {
            return Ok(());
        }
        let mut saved = SAVED_SETTINGS
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        saved.get_or_insert_with(|| settings.clone());
        settings.local_modes.remove(line_modes);
        settings.special_codes[SpecialCodeIndex::VMIN] = 1;
        settings.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(stdin(), OptionalActions::Now, &settings)
    }

    /// Restores the terminal, if its settings were changed. The shell of a process in the
    /// background has restored them already.
    pub(crate) fn restore_terminal() {
        let mut saved = SAVED_SETTINGS
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(settings) = saved.take()
            && is_in_foreground()
        {
            // A terminal that was closed cannot be restored.
            let _ = tcsetattr(stdin(), OptionalActions::Now, &settings);
        }
    }
}

#[cfg(not(unix))]
mod other {
    /// A reader of keys, which only terminals of Unix have.
    pub(crate) enum KeyReader {}

    impl KeyReader {
        pub(crate) fn start(_handler: impl Fn(char) + Send + 'static) -> Option<Self> {
            None
        }
    }

    pub(crate) fn restore_terminal() {}
}
