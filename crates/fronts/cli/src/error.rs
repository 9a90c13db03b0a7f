//! The error of a command, with its message and exit code.

use std::io;
use std::process::ExitCode;

use kalah_record_files::text_file::TextFileError;
use kalah_record_files::{HistoryError, RecordFileError, RecorderError};
use kalah_text::PromptError;
use kalah_tui::TuiError;

use crate::interrupt::{self, StopSignal};

/// The exit code of [`CliError::Usage`]. Other errors have [`ExitCode::FAILURE`], which is 1.
const EXIT_CODE_USAGE: u8 = 2;

/// The exit code of [`CliError::Conditional`].
const EXIT_CODE_CONDITIONAL: u8 = 3;

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) enum CliError {
    /// The arguments are invalid.
    Usage(String),
    /// The command failed while it ran.
    Runtime(String),
    /// A check has found nothing wrong, and the margin depends on leaves that it has not searched.
    Conditional(String),
    /// A signal such as Ctrl-C stopped the command before it was complete.
    Interrupted(String),
    /// The input cannot be read.
    Input(io::Error),
    /// The output cannot be written.
    Output(io::Error),
}

impl CliError {
    /// Returns the message for the user; `None` if the reader of the output has closed it, or if
    /// the terminal is closed.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::Interrupted(_) if interrupt::received_signal() == Some(StopSignal::HangUp) => {
                None
            }
            Self::Usage(message)
            | Self::Runtime(message)
            | Self::Conditional(message)
            | Self::Interrupted(message) => Some(message.clone()),
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
            Self::Output(error) => Some(format!("cannot write the output: {error}")),
            Self::Input(error) => Some(format!("cannot read the input: {error}")),
        }
    }

    /// Returns the exit code of the command. A closed pipe at the output is a success.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(EXIT_CODE_USAGE),
            Self::Conditional(_) => ExitCode::from(EXIT_CODE_CONDITIONAL),
            Self::Interrupted(_) => ExitCode::from(interrupt::exit_code()),
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Runtime(_) | Self::Input(_) | Self::Output(_) => ExitCode::FAILURE,
        }
    }
}

/// Converts the error with its message.
impl From<RecordFileError> for CliError {
    fn from(error: RecordFileError) -> Self {
        Self::Runtime(error.to_string())
    }
}

/// Converts the error with its message.
impl From<RecorderError> for CliError {
    fn from(error: RecorderError) -> Self {
        Self::Runtime(error.to_string())
    }
}

/// Converts the error with its message.
impl From<HistoryError> for CliError {
    fn from(error: HistoryError) -> Self {
        Self::Runtime(error.to_string())
    }
}

/// Converts the error with its message.
impl From<TextFileError> for CliError {
    fn from(error: TextFileError) -> Self {
        Self::Runtime(error.to_string())
    }
}

/// Converts an error of the output.
impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Converts an error of the output as JSON.
impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}

/// Converts an error of plain mode.
impl From<PromptError> for CliError {
    fn from(error: PromptError) -> Self {
        match error {
            PromptError::Input(error) => Self::Input(error),
            PromptError::Output(error) => Self::Output(error),
        }
    }
}

/// Converts an error of the screen.
impl From<TuiError> for CliError {
    fn from(error: TuiError) -> Self {
        match error {
            TuiError::Interrupted => Self::Interrupted(error.to_string()),
            TuiError::TerminalClosed => {
                interrupt::note_closed_terminal();
                Self::Interrupted(error.to_string())
            }
            TuiError::Input(error) => Self::Input(error),
            TuiError::Output(error) => Self::Output(error),
            TuiError::Thread(_)
            | TuiError::Worker(_)
            | TuiError::Engine(_)
            | TuiError::Files(_) => Self::Runtime(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_pipe_at_the_output_has_no_message() {
        let closed = CliError::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(closed.message(), None);
        let full = CliError::from(io::Error::from(io::ErrorKind::StorageFull));
        let message = full.message().expect("a message");
        assert_eq!(message, "cannot write the output: no storage space");
    }
}
