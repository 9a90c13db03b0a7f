use std::io;
use std::process::ExitCode;

use crate::interrupt::EXIT_CODE_INTERRUPTED;
use crate::{RecordFileError, RecorderError, TextFileError};

/// Why a command did not do what it was asked to.
///
/// ```
/// use std::io;
/// use kalah_cli::CliError;
/// let closed = CliError::from(io::Error::from(io::ErrorKind::BrokenPipe));
/// assert_eq!(closed.message(), None);
/// let full = CliError::from(io::Error::from(io::ErrorKind::StorageFull));
/// assert_eq!(full.message().as_deref(), Some("cannot write the output: no storage space"));
/// ```
#[derive(Debug)]
pub enum CliError {
    /// The command line asks for something that cannot be.
    Usage(String),
    /// What was asked for went wrong.
    Runtime(String),
    /// Ctrl-C came before all was done that was asked for.
    Interrupted(String),
    /// The input cannot be read.
    Input(io::Error),
    /// The output cannot be written.
    Output(io::Error),
}

/// The exit code of [`CliError::Usage`]; work that went wrong has that of the system, 1.
const EXIT_CODE_USAGE: u8 = 2;

impl CliError {
    /// What to tell the user; `None` where nobody listens any more.
    pub fn message(&self) -> Option<String> {
        match self {
            Self::Usage(message) | Self::Runtime(message) | Self::Interrupted(message) => {
                Some(message.clone())
            }
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
            Self::Output(error) => Some(format!("cannot write the output: {error}")),
            Self::Input(error) => Some(format!("cannot read the input: {error}")),
        }
    }

    /// The exit code of the command. Whoever closes a pipe has seen enough: that is no failure.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(EXIT_CODE_USAGE),
            Self::Interrupted(_) => ExitCode::from(EXIT_CODE_INTERRUPTED),
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Runtime(_) | Self::Input(_) | Self::Output(_) => ExitCode::FAILURE,
        }
    }
}

/// Work that went wrong for a reason that explains itself.
impl From<RecordFileError> for CliError {
    fn from(error: RecordFileError) -> Self {
        Self::Runtime(error.to_string())
    }
}

/// Work that went wrong for a reason that explains itself.
impl From<RecorderError> for CliError {
    fn from(error: RecorderError) -> Self {
        Self::Runtime(error.to_string())
    }
}

/// Work that went wrong for a reason that explains itself.
impl From<TextFileError> for CliError {
    fn from(error: TextFileError) -> Self {
        Self::Runtime(error.to_string())
    }
}

/// An error in writing the output.
impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// An error in writing the output as JSON.
impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}
