//! The errors of files with proofs.

use std::io;
use std::path::PathBuf;

use kalah::Quoted;
use thiserror::Error;

/// The reason why a file with a proof cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("cannot read '{}': {reason}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        reason: io::Error,
    },
    /// The file is neither a proof store nor a certificate.
    #[error("'{}' is neither a proof store nor a certificate", .0.display())]
    NotAProof(PathBuf),
    /// The file is text in UTF-16.
    #[error("'{}' is UTF-16, expected UTF-8", .0.display())]
    Utf16(PathBuf),
    /// The file has another version.
    #[error("'{}' is a proof of version {found}, and this program reads version {known}", path.display())]
    Version {
        /// The path of the file.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The version of this program.
        known: i32,
    },
    /// The content of the file is not a proof.
    #[error("'{}' is damaged: {damage}", path.display())]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// The damage.
        damage: Damage,
    },
    /// `SQLite` cannot read the store.
    #[error("cannot read '{}': {reason}", path.display())]
    Sqlite {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        reason: rusqlite::Error,
    },
}

/// Damage of the content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Damage {
    /// The file is not a valid database.
    #[error("{0}")]
    Database(String),
    /// The store does not state what it proves.
    #[error("it does not state what it proves")]
    NoStatement,
    /// A text is not a position, or not a rule set.
    #[error("{0}")]
    Text(String),
    /// A goal is not in its normal form.
    #[error("the goal {target:+} of '{position}' is not in its normal form")]
    NormalForm {
        /// The position.
        position: String,
        /// The target.
        target: i64,
    },
    /// A goal is about another board.
    #[error("the board of '{position}' has another size than that of the proof")]
    Board {
        /// The position of the goal.
        position: String,
    },
    /// The goals are not numbered without gaps.
    #[error("goal number {expected} is missing: number {found} follows")]
    Number {
        /// The number of the next goal.
        expected: i64,
        /// The number in the store.
        found: i64,
    },
    /// A goal occurs twice.
    #[error("the goal {target:+} of '{position}' occurs twice")]
    Repeated {
        /// The position.
        position: String,
        /// The target.
        target: i64,
    },
    /// A line of a certificate is wrong.
    #[error("line {line}: {reason}")]
    Line {
        /// The number of the line, from 1.
        line: u64,
        /// The error in the line.
        reason: LineError,
    },
    /// The compressed data are damaged or cut off.
    #[error("after line {line}: {reason}")]
    Compression {
        /// The number of the last line that can be read.
        line: u64,
        /// The reason.
        reason: String,
    },
}

/// An error in a line of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    /// The line does not have the expected form.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// The expected form.
        expected: &'static str,
        /// The line.
        found: Quoted,
    },
    /// The content of the line has another form in the format.
    #[error("expected {form}, found {found}")]
    Form {
        /// The form.
        form: Quoted,
        /// The text.
        found: Quoted,
    },
    /// The line is not UTF-8, or too long.
    #[error("it is not text of at most {0} bytes")]
    NotText(u64),
    /// The file ends before its last line.
    #[error("the certificate ends before its line `end`")]
    Truncated,
    /// The number of goals is not that of the last line.
    #[error("there are {found} goals, and the line `end` counts {counted}")]
    Count {
        /// The number of goals.
        found: usize,
        /// The number in the line.
        counted: Quoted,
    },
    /// The content of the line is wrong.
    #[error("{0}")]
    Content(Box<Damage>),
}
