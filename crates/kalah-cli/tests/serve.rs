//! `kalah serve` as a process: what it prints, and how it ends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

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
    let (server, address, _) = started_at(data, "127.0.0.1:0", more);
    (server, address)
}

/// A server that listens there, the address that it prints, and what it prints besides.
fn started_at(
    data: &TempDir,
    address: &str,
    more: &[&str],
) -> (Child, String, BufReader<ChildStdout>) {
    let arguments = [&["--addr", address], more].concat();
    let mut server = serve(data.path(), &arguments).spawn().expect("it starts");
    let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
    let mut line = String::new();
    output.read_line(&mut line).expect("a line");
    let address = line
        .strip_prefix("http://")
        .and_then(|rest| rest.strip_suffix("/\n"));
    let address = address
        .unwrap_or_else(|| panic!("{line:?} is no address"))
        .to_owned();
    (server, address, output)
}

/// What a server says that cannot be started with these arguments.
fn refused(data: &Path, arguments: &[&str]) -> String {
    let output = serve(data, arguments).output().expect("it runs");
    let words = String::from_utf8(output.stderr).expect("text");
    assert!(!output.status.success(), "{words}");
    words
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
            "error: address {address} is already in use: choose another address with --addr"
        )),
        "{words}"
    );
}

/// Sends a signal to a process.
#[cfg(unix)]
fn signal(server: &Child, name: &str) {
    let kill = Command::new("kill")
        .args([name, &server.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
}

#[cfg(unix)]
#[test]
fn who_asks_a_second_time_does_not_wait() {
    use std::thread::sleep;
    use std::time::Duration;

    /// The exit code of a shell for what Ctrl-C has ended.
    const INTERRUPTED: i32 = 130;

    let data = tempfile::tempdir().expect("a folder");
    let (mut server, address) = started(&data, &["--log", "text"]);
    // It takes a while to answer.
    let mut stream = TcpStream::connect(&address).expect("it listens");
    let body = r#"{"position":"6x6","time":"30s"}"#;
    let request = format!(
        "POST /api/v1/analyse HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("it listens");
    while !answer(&address, "/metrics").contains("questions_running{to=\"analysts\"} 1") {
        sleep(Duration::from_millis(20));
    }
    signal(&server, "-INT");
    while TcpStream::connect(&address).is_ok() {
        sleep(Duration::from_millis(20));
    }
    assert!(
        server.try_wait().expect("a process").is_none(),
        "it finishes"
    );
    signal(&server, "-INT");
    let output = server.wait_with_output().expect("it ran");
    let words = String::from_utf8(output.stderr).expect("text");
    // A server that waited for the answer would end with success.
    assert_eq!(output.status.code(), Some(INTERRUPTED), "{words}");
    assert!(
        words.contains("stopped before all accepted requests were finished"),
        "{words}"
    );
}

#[test]
fn a_host_can_be_named_and_all_addresses_are_told_as_one() {
    let data = tempfile::tempdir().expect("a folder");
    for (listening, reachable, others) in [
        ("localhost:0", ["127.0.0.1:", "[::1]:"].as_slice(), false),
        ("0.0.0.0:0", &["127.0.0.1:"], true),
    ] {
        let (mut server, address, mut output) = started_at(&data, listening, &["--log", "off"]);
        assert!(
            reachable.iter().any(|start| address.starts_with(start)),
            "{address}"
        );
        assert!(answer(&address, "/").starts_with("HTTP/1.1 200 "));
        server.kill().expect("it runs");
        server.wait().expect("it ran");
        let mut more = String::new();
        output.read_to_string(&mut more).expect("text");
        let port = address.rsplit(':').next().expect("a port");
        let is_told = more.contains("by the name or the address of this machine")
            && more.trim_end().ends_with(port);
        assert_eq!(is_told, others, "{more}");
    }
}

#[test]
fn what_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "mine").expect("a file");
    let named = file.display();
    let local = ["--addr", "127.0.0.1:0"];
    assert_eq!(
        refused(&file, &local),
        format!("error: '{named}' is not a folder\n")
    );
    let words = refused(folder.path(), &["--addr", "8080"]);
    assert!(words.contains("'8080'"), "{words}");
    assert!(words.contains("it must be a host and a port"), "{words}");
    let words = refused(folder.path(), &["--page", &named.to_string()]);
    assert_eq!(
        words,
        format!("error: there is no page in '{named}': it has no index.html\n")
    );

    let copy = folder.path().join("copy");
    let nothing = refused(folder.path(), &["--backup", &copy.display().to_string()]);
    let named = folder.path().display();
    assert_eq!(nothing, format!("error: there are no games in '{named}'\n"));
    for (flag, value) in [
        ("--addr", "127.0.0.1:0"),
        ("--rate", "7"),
        ("--threads", "1"),
        ("--memory", "1GiB"),
        ("--tables", "none"),
        ("--log", "off"),
        ("--page", "."),
    ] {
        let words = refused(folder.path(), &["--backup", "copy", flag, value]);
        assert!(words.contains("cannot be used with"), "{flag}: {words}");
    }
    for flag in ["--open", "--behind-proxy"] {
        let words = refused(folder.path(), &["--backup", "copy", flag]);
        assert!(words.contains("cannot be used with"), "{flag}: {words}");
    }
}

#[test]
fn a_copy_needs_a_place() {
    let data = tempfile::tempdir().expect("a folder");
    let (mut server, _) = started(&data, &["--log", "off"]);
    server.kill().expect("it runs");
    server.wait().expect("it ran");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let named = elsewhere.path().display();
    let words = refused(data.path(), &["--backup", &named.to_string()]);
    assert_eq!(
        words,
        format!("error: '{named}' is a folder: choose a file in it\n")
    );
    let nowhere = elsewhere.path().join("none/copy").display().to_string();
    let words = refused(data.path(), &["--backup", &nowhere]);
    assert!(
        words.starts_with(&format!("error: cannot write '{nowhere}': ")),
        "{words}"
    );
    assert!(!words.contains(".kalah-backup"), "{words}");
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_what_it_keeps() {
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let mode = |path: &Path| metadata(path).expect("it is there").permissions().mode() & 0o777;
    let parent = tempfile::tempdir().expect("a folder");
    let data = parent.path().join("new/server");
    for is_new in [true, false] {
        let mut server = serve(&data, &["--addr", "127.0.0.1:0"])
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let output = server.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("a line");
        // What was there stays as its owner has it.
        assert_eq!(mode(&data), if is_new { 0o700 } else { 0o750 });
        for file in ["games.sqlite3", "games.sqlite3-wal", "games.lock"] {
            assert_eq!(mode(&data.join(file)), 0o600, "{file}");
        }
        server.kill().expect("it runs");
        server.wait().expect("it ran");
        set_permissions(&data, Permissions::from_mode(0o750)).expect("it is ours");
    }
}

#[test]
fn another_page_is_served() {
    let data = tempfile::tempdir().expect("a folder");
    let site = tempfile::tempdir().expect("a folder");
    std::fs::write(site.path().join("index.html"), "another page").expect("a file");
    std::fs::write(site.path().join("engine.wasm"), "\0asm").expect("a file");
    let folder = site.path().display().to_string();
    let (mut server, address) = started(&data, &["--page", &folder, "--log", "off"]);
    let page = answer(&address, "/");
    assert!(page.contains("'wasm-unsafe-eval'"), "{page}");
    assert!(page.ends_with("another page"), "{page}");
    let engine = answer(&address, "/engine.wasm");
    assert!(
        engine.contains("content-type: application/wasm"),
        "{engine}"
    );
    server.kill().expect("it runs");
    server.wait().expect("it ran");
}
