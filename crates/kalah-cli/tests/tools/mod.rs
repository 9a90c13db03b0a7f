//! Programs of others that some tests take.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Says that a test is left out, past the test harness, which shows only what failing tests print.
pub(crate) fn skip(test: &str, missing: &str) {
    let line = format!("SKIPPED: {test}: {missing} not found\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// Whether there is a program of that name to be called.
pub(crate) fn is_there(program: &OsString) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
