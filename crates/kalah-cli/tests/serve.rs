//! `kalah serve` as a process: what it prints, and how it ends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// `kalah serve` with games in this folder.
fn serve(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalah"));
    command
        .arg("serve")
        .args(arguments)
        .arg("--data")
        .arg(data)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A server at any free port, and the address that it prints: a host and a port.
fn started(data: &TempDir, more: &[&str]) -> (Child, String) {
    let arguments = [&["--addr", "127.0.0.1:0"], more].concat();
    let mut server = serve(data.path(), &arguments).spawn().expect("it starts");
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("a pipe"))
        .read_line(&mut line)
        .expect("a line");
    let address = line
        .strip_prefix("http://")
        .and_then(|rest| rest.strip_suffix("/\n"));
    let address = address
        .unwrap_or_else(|| panic!("{line:?} is no address"))
        .to_owned();
    (server, address)
}

/// What is answered to a request.
fn answer(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it listens");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    answer
}

#[test]
fn it_prints_where_the_page_is_and_logs_requests() {
    let data = tempfile::tempdir().expect("a folder");
    let (mut server, address) = started(&data, &["--log", "json"]);
    assert!(answer(&address, "/").starts_with("HTTP/1.1 200 "));
    assert!(answer(&address, "/api/v1/games/secret-of-two?secret").starts_with("HTTP/1.1 404 "));
    server.kill().expect("it runs");
    let output = server.wait_with_output().expect("it ran");
    let log = String::from_utf8(output.stderr).expect("text");
    let lines: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let requests = lines.iter().filter(|line| line["message"] == "request");
    let seen: Vec<_> = requests
        .map(|line| (line["route"].as_str(), line["status"].as_u64()))
        .collect();
    assert_eq!(
        seen,
        [
            (Some("/"), Some(200)),
            (Some("/api/v1/games/{game}"), Some(404))
        ]
    );
    assert!(!log.contains("secret"), "{log}");
}

#[cfg(unix)]
#[test]
fn it_ends_well_when_it_is_asked_to() {
    for signal in ["-INT", "-TERM"] {
        let data = tempfile::tempdir().expect("a folder");
        let (mut server, address) = started(&data, &["--log", "off"]);
        let kill = Command::new("kill")
            .args([signal, &server.id().to_string()])
            .status();
        assert!(kill.expect("kill runs").success());
        assert!(server.wait().expect("it ends").success(), "{signal}");
        assert!(TcpStream::connect(&address).is_err());
    }
}

#[test]
fn an_address_that_is_taken_is_told() {
    let data = tempfile::tempdir().expect("a folder");
    let (mut server, address) = started(&data, &[]);
    let other = tempfile::tempdir().expect("a folder");
    let again = serve(other.path(), &["--addr", &address]).output();
    let again = again.expect("it runs");
    server.kill().expect("it runs");
    server.wait().expect("it ran");
    assert_eq!(again.status.code(), Some(1));
    let words = String::from_utf8(again.stderr).expect("text");
    assert!(
        words.contains(&format!(
            "error: something else listens at {address} already"
        )),
        "{words}"
    );
}
