//! Requests that Schemathesis makes up from the description of the API, and holds the answers to it.
//!
//! It is `schemathesis`, or what `SCHEMATHESIS` names; `.ci/run` installs it.

use std::process::Stdio;
use std::time::Duration;

use kalah_server::ServerLimits;
use test_tools::Tool;
use tokio::process::Command;

use crate::common::{TestServer, config};

/// Requests that are made up for each operation, beside those that its description leads to.
const MADE_UP: &str = "20";

/// What they are made up from: the same ones every time.
const SEED: &str = "1";

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(not(has_schemathesis), ignore = "schemathesis not found")]
async fn the_server_is_as_it_is_described() {
    let schemathesis = Tool::Schemathesis.require();
    let server = TestServer::start(&config(ServerLimits {
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
        // Only a request that hangs takes so long.
        .args(["--request-timeout", "300"])
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
