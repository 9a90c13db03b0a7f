//! Requests that Schemathesis makes up from the description of the API, and holds the answers to it.
//!
//! It is `schemathesis`, or what `SCHEMATHESIS` names; `.ci/run` installs it.

use std::env;
use std::ffi::OsStr;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use kalah_server::ServerLimits;
use tokio::process::Command;

use crate::running::{Running, settings};

/// Requests that are made up for each operation, beside those that its description leads to.
const MADE_UP: &str = "20";

/// What they are made up from: the same ones every time.
const SEED: &str = "1";

/// Whether there is such a program.
async fn is_there(program: &OsStr) -> bool {
    let asked = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    asked.await.is_ok_and(|status| status.success())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_is_as_it_is_described() {
    let schemathesis = env::var_os("SCHEMATHESIS").unwrap_or_else(|| "schemathesis".into());
    if !is_there(&schemathesis).await {
        // Past the test harness, which shows only what failing tests print.
        let line = b"SKIPPED: the_server_is_as_it_is_described: schemathesis not found\n";
        std::io::stderr().write_all(line).expect("it is written");
        return;
    }
    let server = Running::with(settings(ServerLimits {
        max_engine_time: Duration::from_millis(50),
        requests_per_second: u32::MAX.try_into().expect("positive"),
        request_burst: u32::MAX.try_into().expect("positive"),
        ..ServerLimits::default()
    }))
    .await;
    let url = format!("http://{}", server.address);
    // What it keeps, it keeps where it runs.
    let folder = tempfile::tempdir().expect("a folder");
    let run = Command::new(&schemathesis)
        .arg("run")
        .arg(format!("{url}/api/v1/openapi.json"))
        .args(["--url", &url, "--checks", "all"])
        // Whether a text is a position is more than a schema says.
        .args(["--exclude-checks", "positive_data_acceptance"])
        .args(["--phases", "examples,coverage,fuzzing"])
        .args(["--max-examples", MADE_UP, "--seed", SEED, "--no-color"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output();
    let run = run.await.expect("it runs");
    let (said, complained) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    assert!(run.status.success(), "{said}\n{complained}");
}
