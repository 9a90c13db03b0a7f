//! A command line in a shell with all processes that it starts: a process group on Unix, a job on
//! Windows.

#[cfg(unix)]
pub(crate) use unix::{ProcessGroup, ShellProcess};
#[cfg(windows)]
pub(crate) use windows::{ProcessGroup, ShellProcess};

use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

/// The standard streams of a process.
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

/// Returns `command` with pipes for its standard streams.
fn piped(mut command: Command) -> Command {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[cfg(unix)]
mod unix {
    use std::env;
    use std::io;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command, ExitStatus};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    use super::{Pipes, piped};
    use crate::program::shell::is_simple_command;

    /// The first process of a [`ProcessGroup`].
    pub(crate) struct ShellProcess(Child);

    /// All processes of a command line.
    #[derive(Debug)]
    pub(crate) struct ProcessGroup(Pid);

    impl ShellProcess {
        /// Starts a shell that parses `command_line`, in a process group of its own, which Ctrl-C
        /// does not reach.
        pub(crate) fn spawn(command_line: &str) -> io::Result<Self> {
            let mut command = Command::new("sh");
            let line = if is_simple_command(command_line) {
                format!("exec {command_line}")
            } else {
                command_line.to_owned()
            };
            command.args(["-c", &line]).process_group(0);
            // Messages of the system in English tell a fault of the host. The user's own
            // `LC_ALL`, which has precedence over all other variables of a locale, is kept.
            if env::var_os("LC_ALL").is_none_or(|locale| locale.is_empty()) {
                command.env("LC_MESSAGES", "C");
            }
            Ok(Self(piped(command).spawn()?))
        }

        pub(crate) fn id(&self) -> u32 {
            self.0.id()
        }

        pub(crate) fn take_pipes(&mut self) -> Pipes {
            Pipes {
                stdin: self.0.stdin.take(),
                stdout: self.0.stdout.take(),
                stderr: self.0.stderr.take(),
            }
        }

        /// Returns its group. The id of the group is free for others after [`Self::wait`].
        pub(crate) fn group(&self) -> ProcessGroup {
            ProcessGroup(Pid::from_child(&self.0))
        }

        /// Returns whether the process has exited. The system does not reuse its id before
        /// [`Self::wait`].
        pub(crate) fn has_exited(&mut self) -> bool {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let status = waitid(WaitId::Pid(Pid::from_child(&self.0)), options);
            status.is_ok_and(|status| status.is_some())
        }

        pub(crate) fn wait(&mut self) -> io::Result<ExitStatus> {
            self.0.wait()
        }
    }

    impl ProcessGroup {
        /// Kills all its processes.
        pub(crate) fn kill(&self) {
            // The only expected error is that the group has no process left.
            let _ = kill_process_group(self.0, Signal::KILL);
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::io;
    use std::process::{Command, ExitStatus};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    use process_wrap::std::{ChildWrapper, CommandWrap, JobObject};

    use super::{Pipes, piped};
    use crate::program::shell::is_simple_command;

    /// The first process of a [`ProcessGroup`].
    pub(crate) struct ShellProcess(ProcessGroup);

    /// All processes of a command line, as a job object.
    #[derive(Clone, Debug)]
    pub(crate) struct ProcessGroup(Arc<Mutex<Box<dyn ChildWrapper>>>);

    impl ShellProcess {
        /// Starts a shell that parses `command_line`. It joins its job before it runs, so that the
        /// job has every process that it starts.
        pub(crate) fn spawn(command_line: &str) -> io::Result<Self> {
            let mut command = Command::new("cmd");
            command.args(["/C", command_line]);
            let child = CommandWrap::from(piped(command)).wrap(JobObject).spawn()?;
            Ok(Self(ProcessGroup(Arc::new(Mutex::new(child)))))
        }

        pub(crate) fn id(&self) -> u32 {
            self.0.lock().id()
        }

        pub(crate) fn take_pipes(&mut self) -> Pipes {
            let mut child = self.0.lock();
            Pipes {
                stdin: child.stdin().take(),
                stdout: child.stdout().take(),
                stderr: child.stderr().take(),
            }
        }

        /// Returns its group.
        pub(crate) fn group(&self) -> ProcessGroup {
            self.0.clone()
        }

        /// Returns whether the process has exited. Others of its job may still run.
        pub(crate) fn has_exited(&mut self) -> bool {
            let status = self.0.lock().inner_mut().try_wait();
            status.is_ok_and(|status| status.is_some())
        }

        /// Waits for the exit of the process, and not for that of others of its job.
        pub(crate) fn wait(&mut self) -> io::Result<ExitStatus> {
            self.0.lock().inner_mut().wait()
        }
    }

    impl ProcessGroup {
        fn lock(&self) -> MutexGuard<'_, Box<dyn ChildWrapper>> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// Kills all its processes.
        pub(crate) fn kill(&self) {
            // The only expected error is that the job has no process left.
            let _ = self.lock().start_kill();
        }
    }
}
