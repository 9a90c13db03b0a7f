//! A running `kalah serve`, and HTTP requests to it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Process, TIMEOUT, kalah};

/// A running server.
pub(crate) struct PageServer {
    pub(crate) process: Process,
    /// The host and port of the URL that the server has printed.
    pub(crate) address: String,
}

impl PageServer {
    /// Starts a server at a free port, with its games in a directory.
    pub(crate) fn start(data: &Path, arguments: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", data, arguments)
    }

    pub(crate) fn start_at(address: &str, data: &Path, arguments: &[&str]) -> Self {
        let arguments = [&["--addr", address], arguments].concat();
        let mut process = Process::spawn(&mut serve(data, &arguments));
        let line = process.read_line();
        let address = line
            .strip_prefix("http://")
            .and_then(|rest| rest.strip_suffix('/'));
        let address = address.unwrap_or_else(|| panic!("{line:?} is not a URL"));
        Self {
            address: address.to_owned(),
            process,
        }
    }

    /// Returns the response to a GET request, with its head.
    pub(crate) fn get(&self, path: &str) -> String {
        send_request(&self.address, &get_request(path)).expect("a response")
    }
}

/// Returns `kalah serve` with its games in a directory.
pub(crate) fn serve(data: &Path, arguments: &[&str]) -> Command {
    let mut command = kalah(["serve"]);
    command.args(arguments).arg("--data").arg(data);
    command
}

pub(crate) fn get_request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
}

/// Returns a POST request with a token, unless it is empty.
pub(crate) fn post_request(path: &str, token: &str, body: &Value) -> String {
    let body = body.to_string();
    let authorization = match token {
        "" => String::new(),
        token => format!("authorization: Bearer {token}\r\n"),
    };
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{authorization}\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// Returns the response to a request, or `None` if the server has ended.
pub(crate) fn send_request(address: &str, request: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut response = String::new();
    stream.read_to_string(&mut response).ok()?;
    Some(response)
}
