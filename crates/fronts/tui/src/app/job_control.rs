//! The job control of a shell, which stops the process and lets it continue.

#[cfg(not(unix))]
pub(crate) use other::JobControl;
#[cfg(unix)]
pub(crate) use unix::JobControl;

/// A signal of the job control of a shell, such as `kill -TSTP` and `fg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobSignal {
    /// The process is to stop.
    Stop,
    /// The process was stopped and continues, on a terminal that other programs have used.
    #[cfg_attr(not(unix), expect(dead_code, reason = "a signal of Unix"))]
    Continue,
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::process::{Signal, kill_current_process_group};
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

        /// Stops all processes of the foreground job, such as `cargo run` with this process, as
        /// Ctrl-Z does in other programs. Returns when the shell continues them.
        pub(crate) fn stop_job(&self) -> io::Result<()> {
            kill_current_process_group(Signal::TSTP)?;
            // The handler of this process has only noted the signal.
            self.stop_requested.store(false, Ordering::SeqCst);
            self.stop_process()
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
mod other {
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

        pub(crate) fn stop_job(&self) -> io::Result<()> {
            Ok(())
        }

        pub(crate) fn stop_process(&self) -> io::Result<()> {
            Ok(())
        }
    }
}
