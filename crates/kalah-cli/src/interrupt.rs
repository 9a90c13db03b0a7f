use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether Ctrl-C was pressed since somebody began to listen.
static PRESSED: AtomicBool = AtomicBool::new(false);

/// What a shell says of a program that Ctrl-C has ended.
const INTERRUPTED: i32 = 130;

/// Somebody who would rather come to a good place than be ended by Ctrl-C at once; a second Ctrl-C
/// ends the program all the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interrupt {
    pressed: &'static AtomicBool,
}

impl Interrupt {
    /// Listens from now on, to the end of the program. Where the system knows no such thing, Ctrl-C stays
    /// what it was.
    pub(crate) fn listen() -> Self {
        // A second listener hears what the first one hears.
        let _ = ctrlc::set_handler(|| {
            if PRESSED.swap(true, Ordering::Relaxed) {
                process::exit(INTERRUPTED);
            }
        });
        Self { pressed: &PRESSED }
    }

    pub(crate) fn came(self) -> bool {
        self.pressed.load(Ordering::Relaxed)
    }
}
