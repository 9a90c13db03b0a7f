//! Requests that Schemathesis generates from the description of the API, and checks of their
//! responses.
//!
//! The test runs the program `schemathesis`, or the one named by the variable `SCHEMATHESIS`.
//! `.ci/run` installs it.

use std::process::Stdio;
use std::time::Duration;

use kalah_server::ServerLimits;
use test_tools::Tool;
use tokio::process::Command;

use crate::common::{TestServer, config};

/// The number of generated requests per operation, besides the examples.
const MAX_EXAMPLES: &str = "20";

/// A fixed seed makes runs reproducible.
const SEED: &str = "1";

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(not(has_schemathesis), ignore = "schemathesis not found")]
async fn server_conforms_to_the_description() {
    let schemathesis = Tool::Schemathesis.require();
    let server = TestServer::start(&config(ServerLimits {
        max_engine_time: Duration::from_millis(50),
        requests_per_second: u32::MAX.try_into().expect("positive"),
        request_burst: u32::MAX.try_into().expect("positive"),
        ..ServerLimits::default()
    }))
    .await;
    let url = format!("http://{}", server.address);
    // Schemathesis writes files to its working folder.
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new(&schemathesis)
        .arg("run")
        .arg(format!("{url}/api/v1/openapi.json"))
        .args(["--url", &url, "--checks", "all"])
        // The schema cannot tell whether a text is a valid position, and the status of a missing
        // token is 403.
        .args([
            "--exclude-checks",
            "positive_data_acceptance,missing_required_header",
        ])
        .args(["--phases", "examples,coverage,fuzzing"])
        // Only a hanging request takes this long.
        .args(["--request-timeout", "300", "--max-response-time", "300"])
        .args(["--max-examples", MAX_EXAMPLES, "--seed", SEED, "--no-color"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output();
    let output = output.await.expect("it runs");
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{stdout}\n{stderr}");
}
