//! Programs that are stopped and go on, as a shell does with `kill -TSTP` and `fg`.

use std::io;

#[cfg(unix)]
pub(super) use unix::JobControl;

/// What a shell has done with the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// It is to stop.
    Stop,
    /// It has been stopped and goes on, on a terminal that others have used.
    GoOn,
}

#[cfg(unix)]
mod unix {
    use super::{Wish, io};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::{SIGCONT, SIGTSTP};
    use signal_hook::low_level::{emulate_default_handler, unregister};
    use signal_hook::{SigId, flag};

    /// Somebody who hears both signals.
    pub(in super::super) struct JobControl {
        stop: Arc<AtomicBool>,
        go_on: Arc<AtomicBool>,
        heard: [SigId; 2],
    }

    impl JobControl {
        pub(in super::super) fn listen() -> io::Result<Self> {
            let (stop, go_on) = (Arc::default(), Arc::default());
            let heard = [
                flag::register(SIGTSTP, Arc::clone(&stop))?,
                flag::register(SIGCONT, Arc::clone(&go_on))?,
            ];
            Ok(Self { stop, go_on, heard })
        }

        pub(in super::super) fn wish(&self) -> Option<Wish> {
            if self.stop.swap(false, Ordering::SeqCst) {
                Some(Wish::Stop)
            } else if self.go_on.swap(false, Ordering::SeqCst) {
                Some(Wish::GoOn)
            } else {
                None
            }
        }

        /// Stops the program until it is told to go on.
        pub(in super::super) fn stop(&self) -> io::Result<()> {
            emulate_default_handler(SIGTSTP)?;
            // That it goes on is known here.
            self.go_on.store(false, Ordering::SeqCst);
            Ok(())
        }
    }

    impl Drop for JobControl {
        fn drop(&mut self) {
            for id in self.heard {
                unregister(id);
            }
        }
    }
}

/// Where there is no such thing.
#[cfg(not(unix))]
pub(super) struct JobControl;

#[cfg(not(unix))]
#[expect(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "as where there is"
)]
impl JobControl {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) fn wish(&self) -> Option<Wish> {
        None
    }

    pub(super) fn stop(&self) -> io::Result<()> {
        Ok(())
    }
}
