//! Programs that are stopped and go on, as a shell does with `kill -TSTP` and `fg`.

use std::io;

#[cfg(unix)]
pub(super) use unix::JobControl;

/// What a shell has done with the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobSignal {
    /// It is to stop.
    Stop,
    /// It has been stopped and goes on, on a terminal that others have used.
    Continue,
}

#[cfg(unix)]
mod unix {
    use super::{JobSignal, io};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::{SIGCONT, SIGTSTP};
    use signal_hook::low_level::{emulate_default_handler, unregister};
    use signal_hook::{SigId, flag};

    /// Somebody who hears both signals.
    pub(in super::super) struct JobControl {
        stop_requested: Arc<AtomicBool>,
        continued: Arc<AtomicBool>,
        signal_ids: [SigId; 2],
    }

    impl JobControl {
        pub(in super::super) fn register() -> io::Result<Self> {
            let (stop, go_on) = (Arc::default(), Arc::default());
            let heard = [
                flag::register(SIGTSTP, Arc::clone(&stop))?,
                flag::register(SIGCONT, Arc::clone(&go_on))?,
            ];
            Ok(Self {
                stop_requested: stop,
                continued: go_on,
                signal_ids: heard,
            })
        }

        pub(in super::super) fn take_signal(&self) -> Option<JobSignal> {
            if self.stop_requested.swap(false, Ordering::SeqCst) {
                Some(JobSignal::Stop)
            } else if self.continued.swap(false, Ordering::SeqCst) {
                Some(JobSignal::Continue)
            } else {
                None
            }
        }

        /// Stops the program until it is told to go on.
        pub(in super::super) fn suspend(&self) -> io::Result<()> {
            emulate_default_handler(SIGTSTP)?;
            // That it goes on is known here.
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
    pub(super) fn register() -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) fn take_signal(&self) -> Option<JobSignal> {
        None
    }

    pub(super) fn suspend(&self) -> io::Result<()> {
        Ok(())
    }
}
