//! `kalah serve` and its description, held against each other by Schemathesis, which makes up requests of its own.
//!
//! It is `schemathesis`, or what `SCHEMATHESIS` names; `.ci/run` installs it.

mod tools;

use std::env;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use tools::{is_there, skip};

/// Requests that are made up for each operation, beside those that its description leads to: some seconds' worth.
const MADE_UP: &str = "5";

/// What they are made up from: the same ones every time.
const SEED: &str = "1";

/// A server, which ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_server_is_as_it_is_described() {
    let schemathesis = env::var_os("SCHEMATHESIS").unwrap_or_else(|| "schemathesis".into());
    if !is_there(&schemathesis) {
        skip("the_server_is_as_it_is_described", "schemathesis");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Command::new(env!("CARGO_BIN_EXE_kalah"))
        .args(["serve", "--addr", "127.0.0.1:0", "--rate", "1000000"])
        .args(["--log", "off", "--tables", "none", "--data"])
        .arg(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let output = server.stdout.take().expect("a pipe");
    let _server = Server(server);
    let mut url = String::new();
    BufReader::new(output).read_line(&mut url).expect("a line");
    let url = url.trim_end().trim_end_matches('/');

    let run = Command::new(&schemathesis)
        .arg("run")
        .arg(format!("{url}/api/v1/openapi.json"))
        .args(["--url", url, "--checks", "all"])
        // Whether a text is a position is more than a schema says.
        .args(["--exclude-checks", "positive_data_acceptance"])
        .args(["--phases", "examples,coverage,fuzzing"])
        .args(["--max-examples", MADE_UP, "--seed", SEED])
        .args(["--generation-database", "none", "--no-color"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    let (said, complained) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    assert!(run.status.success(), "{said}\n{complained}");
}
