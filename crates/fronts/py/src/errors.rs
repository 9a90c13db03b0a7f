//! The exceptions of the module.

use std::io;
use std::path::Path;

use kalah::record::{MovetextError, RecordError, RecordProblem, TagError};
use kalah::{IllegalMove, ParseRulesError, ParseSetupError, SetupError};
use kalah_players::{MemorySize, ParseMemorySizeError, display_path};
use kalah_proof::ProofStoreError;
use kalah_tables::BuildError;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    kalah,
    KalahError,
    PyValueError,
    "The base class of the errors of this package. It is a ValueError."
);
create_exception!(
    kalah,
    ParseError,
    KalahError,
    "A text that is no position, no rules, no move or no record, or a position that cannot be played."
);
create_exception!(
    kalah,
    IllegalMoveError,
    KalahError,
    "A move that the rules do not allow in its position."
);

create_exception!(
    kalah,
    TableError,
    KalahError,
    "A table that cannot be built, or a file that is no valid table."
);

create_exception!(
    kalah,
    BookError,
    KalahError,
    "A book that cannot be built, or a result of a worker that is refused."
);

create_exception!(
    kalah,
    ProofError,
    KalahError,
    "A proof store that cannot be used, or a result of a job that is refused."
);

create_exception!(
    kalah,
    TournamentError,
    KalahError,
    "A tournament that cannot be played or continued, or games of a worker that are refused."
);

/// An error of a crate, as the exception that Python receives.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A text is not a position.
    #[error(transparent)]
    Setup(#[from] ParseSetupError),
    /// A position cannot be played.
    #[error(transparent)]
    Position(#[from] SetupError),
    /// A text is not a rule set.
    #[error("rules: {0}")]
    Rules(#[from] ParseRulesError),
    /// A text is not a move.
    #[error(
        "invalid move {0}: expected a house letter, A to Z for South and a to z for North, or swap"
    )]
    Move(kalah::Quoted),
    /// A text has a code point that is not a character.
    #[error("{0}: the text has a surrogate, which is not a character")]
    Surrogate(&'static str),
    /// A move is against the rules.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// A move after the end of a game.
    #[error("the game has ended with the termination `{0}`")]
    Ended(kalah::Termination),
    /// A move of the side that is not to move.
    #[error("{letter} is a house of {owner}, and {to_move} is to move")]
    WrongSide {
        /// The letter of the house.
        letter: char,
        /// The owner of the house.
        owner: kalah::Side,
        /// The side to move.
        to_move: kalah::Side,
    },
    /// A text is not a record.
    #[error(transparent)]
    Record(Box<RecordError>),
    /// A file is not a list of records.
    #[error("'{path}': {reason}")]
    RecordFile {
        /// The path of the file.
        path: String,
        /// The error with its place in the file.
        reason: Box<RecordError>,
    },
    /// A file is not UTF-8 text.
    #[error("'{path}' is not UTF-8 text: byte {byte}")]
    NotUtf8 {
        /// The path of the file.
        path: String,
        /// The first byte that is not text, from 1.
        byte: usize,
    },
    /// A tag is invalid or contradicts the game.
    #[error(transparent)]
    Tag(Box<TagError>),
    /// A comment is invalid.
    #[error(transparent)]
    Movetext(Box<MovetextError>),
    /// A change contradicts the rest of a record.
    #[error(transparent)]
    RecordProblem(Box<RecordProblem>),
    /// A text is not an amount of memory.
    #[error("memory: {0}")]
    Memory(#[from] ParseMemorySizeError),
    /// A table cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A proof store cannot be used.
    #[error(transparent)]
    Store(ProofStoreError),
    /// A table needs more memory than is free.
    #[error("building this table needs {needed} of memory, but only {free} are free")]
    TableMemory {
        /// The memory that the build needs.
        needed: MemorySize,
        /// The free memory.
        free: MemorySize,
    },
    /// The games of an environment need more memory than is free.
    #[error("games: {games} games do not fit into the free memory, {free}")]
    GamesMemory {
        /// The number of games.
        games: usize,
        /// The free memory.
        free: MemorySize,
    },
    /// An object with a lock is used in a forked process.
    #[error("this object belongs to another process: create one in each process")]
    OtherProcess,
    /// A function that an engine calls, such as that of its progress, uses the engine.
    #[error("the engine is in use by this thread")]
    InUse,
    /// The engine was closed.
    #[error("the engine is closed")]
    Closed,
    /// A value is out of its range.
    #[error("{name}: expected {expected}, not {actual}")]
    Argument {
        /// The name of the argument.
        name: &'static str,
        /// The values that are allowed.
        expected: String,
        /// The value as Python prints it.
        actual: String,
    },
}

/// The errors of records are large.
macro_rules! from_large_errors {
    ($($error:ident => $variant:ident),*) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::$variant(Box::new(error))
            }
        })*
    };
}

from_large_errors! {
    RecordError => Record,
    TagError => Tag,
    MovetextError => Movetext,
    RecordProblem => RecordProblem
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Setup(_)
            | Error::Position(_)
            | Error::Rules(_)
            | Error::Move(_)
            | Error::Record(_)
            | Error::RecordFile { .. }
            | Error::NotUtf8 { .. }
            | Error::Surrogate(_) => ParseError::new_err(message),
            Error::Illegal(_) | Error::Ended(_) | Error::WrongSide { .. } => {
                IllegalMoveError::new_err(message)
            }
            Error::Build(_) | Error::TableMemory { .. } => TableError::new_err(message),
            Error::Store(_) => ProofError::new_err(message),
            Error::Tag(_)
            | Error::Movetext(_)
            | Error::RecordProblem(_)
            | Error::Memory(_)
            | Error::OtherProcess
            | Error::GamesMemory { .. }
            | Error::InUse
            | Error::Closed
            | Error::Argument { .. } => KalahError::new_err(message),
        }
    }
}

/// Returns the exception for an error of the operating system: a subclass of `OSError` with the
/// path.
pub(crate) fn os_error(path: &Path, error: &io::Error) -> PyErr {
    let path = path.to_owned();
    match error.raw_os_error() {
        Some(code) => Python::attach(|py| {
            let strerror = py
                .import("os")
                .and_then(|os| os.call_method1("strerror", (code,)))
                .and_then(|text| text.extract::<String>());
            match strerror {
                Ok(text) => PyOSError::new_err((code, text, path.into_os_string())),
                Err(error) => error,
            }
        }),
        None => PyOSError::new_err(format!("{error}: '{}'", display_path(&path))),
    }
}
