//! The process `kalah serve`: its output, its end, and refused arguments.

use std::net::TcpStream;
use std::path::Path;

use serde_json::json;

use super::page_server::{PageServer, post_request, serve};
use crate::harness::{run, temp_dir};

/// Returns the messages of a server that cannot start with some arguments.
fn refusal(data: &Path, arguments: &[&str], code: i32) -> String {
    run(&mut serve(data, arguments)).failure(code)
}

#[test]
fn url_is_printed_and_requests_are_logged_without_secrets() {
    let data = temp_dir();
    let mut server = PageServer::start(data.path(), &["--log", "json"]);
    assert!(server.get("/").starts_with("HTTP/1.1 200 "));
    let response = server.get("/api/v1/games/secret-of-two?secret");
    assert!(response.starts_with("HTTP/1.1 404 "), "{response}");
    server.process.kill();
    let log = server.process.wait().stderr;
    let lines: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let requests = lines.iter().filter(|line| line["message"] == "request");
    let requests: Vec<_> = requests
        .map(|line| (line["route"].as_str(), line["status"].as_u64()))
        .collect();
    assert_eq!(
        requests,
        [
            (Some("/"), Some(200)),
            (Some("/api/v1/games/{game}"), Some(404))
        ]
    );
    assert!(!log.contains("secret"), "{log}");
}

#[cfg(unix)]
#[test]
fn sigint_and_sigterm_end_the_server_with_success() {
    for signal in ["INT", "TERM"] {
        let data = temp_dir();
        let server = PageServer::start(data.path(), &["--log", "off"]);
        server.process.signal(signal);
        server.process.wait().success();
        assert!(TcpStream::connect(&server.address).is_err());
    }
}

#[test]
fn address_in_use_is_reported() {
    let data = temp_dir();
    let server = PageServer::start(data.path(), &[]);
    let other = temp_dir();
    let address = &server.address;
    let message = refusal(other.path(), &["--addr", address], 1);
    assert!(
        message.contains(&format!(
            "error: address {address} is already in use: use another address with --addr"
        )),
        "{message}"
    );
}

#[cfg(unix)]
#[test]
fn second_sigint_ends_the_server_without_waiting_for_requests() {
    use std::io::Write as _;
    use std::thread::sleep;
    use std::time::Duration;

    use crate::harness::wait_until;

    /// The exit code after Ctrl-C.
    const INTERRUPTED: i32 = 130;
    /// The time within which a second signal counts as the first one, and a margin.
    const DUPLICATE_SIGNAL_WINDOW: Duration = Duration::from_secs(1);

    let data = temp_dir();
    let mut server = PageServer::start(data.path(), &["--log", "text"]);
    // A request that takes a while.
    let mut stream = TcpStream::connect(&server.address).expect("a listening server");
    let body = json!({"position": "6x6", "time": "30s"});
    let request = post_request("/api/v1/analyze", "", &body);
    stream.write_all(request.as_bytes()).expect("a connection");
    wait_until("the request runs", || {
        server
            .get("/metrics")
            .contains("engine_requests_running{pool=\"analysis\"} 1")
    });
    server.process.signal("INT");
    wait_until("the server accepts no connections", || {
        TcpStream::connect(&server.address).is_err()
    });
    assert!(server.process.is_running());
    // A second signal counts only after the time in which it may be a duplicate of the first one.
    sleep(DUPLICATE_SIGNAL_WINDOW);
    server.process.signal("INT");
    // A server that waited for the request would end with success.
    let message = server.process.wait().failure(INTERRUPTED);
    assert!(
        message.contains("stopped at once by a second signal"),
        "{message}"
    );
}

#[test]
fn server_listens_at_host_names_and_at_all_addresses() {
    let data = temp_dir();
    for (listening, reachable, others) in [
        ("localhost:0", ["127.0.0.1:", "[::1]:"].as_slice(), false),
        ("0.0.0.0:0", &["127.0.0.1:"], true),
    ] {
        let mut server = PageServer::start_at(listening, data.path(), &["--log", "off"]);
        let address = &server.address;
        assert!(
            reachable.iter().any(|start| address.starts_with(start)),
            "{address}"
        );
        assert!(server.get("/").starts_with("HTTP/1.1 200 "));
        server.process.kill();
        let output = server.process.wait().stdout;
        let port = server.address.rsplit(':').next().expect("a port");
        let mentions_others =
            output.contains("other machines") && output.trim_end().ends_with(port);
        assert_eq!(mentions_others, others, "{output}");
    }
}

#[test]
fn invalid_arguments_are_refused() {
    let folder = temp_dir();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "mine").expect("a file");
    let name = file.display();
    let local = ["--addr", "127.0.0.1:0"];
    assert_eq!(
        refusal(&file, &local, 1),
        format!("error: '{name}' is not a folder\n")
    );
    let message = refusal(folder.path(), &["--addr", "8080"], 2);
    assert!(message.contains("'8080'"), "{message}");
    assert!(message.contains("expected a host and a port"), "{message}");
    let message = refusal(folder.path(), &["--page", &name.to_string()], 1);
    assert_eq!(
        message,
        format!("error: there is no page in '{name}': it has no index.html\n")
    );

    let message = refusal(folder.path(), &["--host", "a.example:80"], 2);
    assert!(message.contains("'a.example:80'"), "{message}");
    assert!(message.contains("without a port"), "{message}");

    let copy = folder.path().join("copy");
    let message = refusal(folder.path(), &["--backup", &copy.display().to_string()], 1);
    let name = folder.path().display();
    assert_eq!(message, format!("error: there are no games in '{name}'\n"));
    for (flag, value) in [
        ("--addr", "127.0.0.1:0"),
        ("--host", "a.example"),
        ("--rate", "7"),
        ("--threads", "1"),
        ("--queue", "1"),
        ("--live-connections", "1"),
        ("--memory", "1GiB"),
        ("--tables", "none"),
        ("--log", "off"),
        ("--page", "."),
    ] {
        let message = refusal(folder.path(), &["--backup", "copy", flag, value], 2);
        assert!(message.contains("cannot be used with"), "{flag}: {message}");
    }
    for flag in ["--open", "--behind-proxy"] {
        let message = refusal(folder.path(), &["--backup", "copy", flag], 2);
        assert!(message.contains("cannot be used with"), "{flag}: {message}");
    }
}

#[test]
fn backup_into_a_folder_or_to_a_missing_one_is_refused() {
    let data = temp_dir();
    drop(PageServer::start(data.path(), &["--log", "off"]));
    let elsewhere = temp_dir();
    let name = elsewhere.path().display();
    let message = refusal(data.path(), &["--backup", &name.to_string()], 1);
    assert_eq!(
        message,
        format!("error: '{name}' is a folder: choose a file in it\n")
    );
    let nowhere = elsewhere.path().join("none/copy").display().to_string();
    let message = refusal(data.path(), &["--backup", &nowhere], 1);
    assert!(
        message.starts_with(&format!("error: cannot write '{nowhere}': ")),
        "{message}"
    );
    assert!(!message.contains(".kalah-backup"), "{message}");
}

#[cfg(unix)]
#[test]
fn database_is_readable_only_by_its_owner() {
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let mode = |path: &Path| metadata(path).expect("a file").permissions().mode() & 0o777;
    let parent = temp_dir();
    let data = parent.path().join("new/server");
    for is_new in [true, false] {
        let server = PageServer::start(&data, &[]);
        // The server does not change the mode of an existing directory.
        assert_eq!(mode(&data), if is_new { 0o700 } else { 0o750 });
        for file in ["games.sqlite3", "games.sqlite3-wal", "games.lock"] {
            assert_eq!(mode(&data.join(file)), 0o600, "{file}");
        }
        drop(server);
        set_permissions(&data, Permissions::from_mode(0o750)).expect("our directory");
    }
}

#[test]
fn page_of_another_directory_is_served() {
    let data = temp_dir();
    let site = temp_dir();
    std::fs::write(site.path().join("index.html"), "another page").expect("a file");
    std::fs::write(site.path().join("engine.wasm"), "\0asm").expect("a file");
    let folder = site.path().display().to_string();
    let server = PageServer::start(data.path(), &["--page", &folder, "--log", "off"]);
    let page = server.get("/");
    assert!(page.contains("'wasm-unsafe-eval'"), "{page}");
    assert!(page.ends_with("another page"), "{page}");
    let engine = server.get("/engine.wasm");
    assert!(
        engine.contains("content-type: application/wasm"),
        "{engine}"
    );
}
