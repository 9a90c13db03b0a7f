//! Errors of file systems that lack an operation.

use std::io::{Error, ErrorKind};

/// Returns whether an error says that the file system or the system lacks the operation.
pub(crate) fn is_unsupported(error: &Error) -> bool {
    error.kind() == ErrorKind::Unsupported || is_without_lock_service(error)
}

/// Returns whether an error is that of a network file system whose server has no service for locks.
#[cfg(unix)]
fn is_without_lock_service(error: &Error) -> bool {
    error.raw_os_error() == Some(libc::ENOLCK)
}

#[cfg(not(unix))]
fn is_without_lock_service(_error: &Error) -> bool {
    false
}
