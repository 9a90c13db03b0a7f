use std::io::Write as _;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use crate::commands::kill_child_processes;

/// Whether Ctrl-C was pressed since somebody began to listen.
static CTRL_C_PRESSED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// What a shell says of a program that Ctrl-C has ended.
pub(crate) const EXIT_CODE_INTERRUPTED: u8 = 130;

/// Signals so soon after the first are the same wish: who ends a program and its group sends two.
const DUPLICATE_SIGNAL_WINDOW: Duration = Duration::from_millis(500);

/// Somebody who would rather come to a good place than be ended by Ctrl-C at once; a second Ctrl-C
/// ends the program all the same, and says so.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt {
    pressed: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on, to the end of the program. Where the system knows no such thing, Ctrl-C stays
    /// what it was.
    pub(crate) fn install() -> Self {
        let pressed = Arc::clone(&CTRL_C_PRESSED);
        // A second listener hears what the first one hears.
        let mut first = None;
        let _ = ctrlc::set_handler(move || {
            CTRL_C_PRESSED.store(true, Ordering::Relaxed);
            let first: Instant = *first.get_or_insert_with(Instant::now);
            if first.elapsed() > DUPLICATE_SIGNAL_WINDOW {
                // There is nobody left to tell that standard error cannot be written.
                let _ = writeln!(
                    anstream::stderr(),
                    "error: ended at once, as was asked a second time"
                );
                kill_child_processes();
                process::exit(EXIT_CODE_INTERRUPTED.into());
            }
        });
        Self { pressed }
    }

    /// What listens to somebody else, who sets this.
    pub(crate) fn from_flag(flag: Arc<AtomicBool>) -> Self {
        Self { pressed: flag }
    }

    pub(crate) fn is_set(&self) -> bool {
        self.pressed.load(Ordering::Relaxed)
    }

    /// What is set when it comes.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.pressed)
    }
}
