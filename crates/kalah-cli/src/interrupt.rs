use std::io::Write as _;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use crate::commands::end_all_programs;

/// Whether Ctrl-C was pressed since somebody began to listen.
static PRESSED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// What a shell says of a program that Ctrl-C has ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// Signals so soon after the first are the same wish: who ends a program and its group sends two.
const ONE_WISH: Duration = Duration::from_millis(500);

/// Somebody who would rather come to a good place than be ended by Ctrl-C at once; a second Ctrl-C
/// ends the program all the same, and says so.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt {
    pressed: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on, to the end of the program. Where the system knows no such thing, Ctrl-C stays
    /// what it was.
    pub(crate) fn listen() -> Self {
        let pressed = Arc::clone(&PRESSED);
        // A second listener hears what the first one hears.
        let mut first = None;
        let _ = ctrlc::set_handler(move || {
            PRESSED.store(true, Ordering::Relaxed);
            let first: Instant = *first.get_or_insert_with(Instant::now);
            if first.elapsed() > ONE_WISH {
                // There is nobody left to tell that standard error cannot be written.
                let _ = writeln!(
                    anstream::stderr(),
                    "error: ended at once, as was asked a second time"
                );
                end_all_programs();
                process::exit(INTERRUPTED.into());
            }
        });
        Self { pressed }
    }

    /// What listens to somebody else, who sets this.
    pub(crate) fn by(flag: Arc<AtomicBool>) -> Self {
        Self { pressed: flag }
    }

    pub(crate) fn came(&self) -> bool {
        self.pressed.load(Ordering::Relaxed)
    }

    /// What is set when it comes.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.pressed)
    }
}
