//! Servers, clients and peers of the Kalah Game Protocol.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use kalah::record::Record;
use kalah_kgp::{Line, Message};
use tempfile::TempDir;

use crate::harness::{KALAH, Process, TIMEOUT, args, kalah, temp_dir};

/// A running `kalah kgp serve`.
pub(crate) struct KgpServerProcess {
    pub(crate) process: Process,
    /// The URL of the TCP transport.
    pub(crate) tcp: String,
    /// The URL of the WebSocket transport.
    pub(crate) ws: String,
    /// The directory of the records.
    pub(crate) out: TempDir,
}

impl KgpServerProcess {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::launch(kalah([] as [&str; 0]), arguments, true)
    }

    /// Starts a server with a limit of open files.
    #[cfg(unix)]
    pub(crate) fn start_with_file_limit(limit: u32, arguments: &[&str]) -> Self {
        let mut command = Command::new("sh");
        let script = format!("ulimit -n {limit}; exec \"$0\" \"$@\"");
        command.args(["-c", &script, KALAH]);
        Self::launch(command, arguments, true)
    }

    /// Starts a server that offers only the mode `verify`.
    pub(crate) fn verify() -> Self {
        Self::launch(kalah([] as [&str; 0]), &["--play", "verify"], false)
    }

    /// Starts a server with a folder that has records.
    #[cfg(unix)]
    pub(crate) fn start_in(out: TempDir, arguments: &[&str]) -> Self {
        Self::launch_in(out, kalah([] as [&str; 0]), arguments, true)
    }

    /// Ends the server by a signal. Returns the folder of its records, and its messages.
    #[cfg(unix)]
    pub(crate) fn stop(self) -> (TempDir, String) {
        self.process.signal("TERM");
        let stopped = self.process.wait();
        assert!(stopped.status.success(), "{stopped:#?}");
        (self.out, stopped.stderr)
    }

    /// Kills the server, which has no time to write anything. Returns the folder of its records.
    #[cfg(unix)]
    pub(crate) fn kill(mut self) -> TempDir {
        self.process.kill();
        self.out
    }

    fn launch(command: Command, arguments: &[&str], keeps_games: bool) -> Self {
        Self::launch_in(temp_dir(), command, arguments, keeps_games)
    }

    fn launch_in(
        out: TempDir,
        mut command: Command,
        arguments: &[&str],
        keeps_games: bool,
    ) -> Self {
        command
            .args(args("kgp serve --addr 127.0.0.1:0 --ws 127.0.0.1:0"))
            .args(["--tables", "none"])
            .args(arguments);
        if keeps_games {
            command.arg("--out").arg(out.path());
        }
        let mut process = Process::spawn(&mut command);
        let (tcp, ws) = (process.read_line(), process.read_line());
        Self {
            process,
            tcp,
            ws,
            out,
        }
    }

    pub(crate) fn connect(&self) -> Peer {
        let address = self.tcp.strip_prefix("tcp://").expect("an address");
        Peer::new(TcpStream::connect(address).expect("a listening server"))
    }

    /// Waits until the server has ended by itself. Returns its messages and the records.
    pub(crate) fn wait(self) -> (String, Vec<Record>) {
        let output = self.process.wait();
        assert!(output.status.success(), "{output:#?}");
        (output.stderr, records(self.out.path()))
    }
}

/// Starts `kalah kgp connect`.
pub(crate) fn start_client(url: &str, arguments: &[&str]) -> Process {
    let mut command = kalah(["kgp", "connect", url, "--tables", "none"]);
    Process::spawn(command.args(arguments))
}

/// Returns the records of a directory in the order of the file names. While a record is written,
/// its file has another extension.
pub(crate) fn records(directory: &Path) -> Vec<Record> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "kgn"))
        .collect();
    paths.sort();
    let texts = paths
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("a record"));
    texts.map(|text| text.parse().expect("one game")).collect()
}

/// The end of a TCP connection that the test holds.
pub(crate) struct Peer {
    pub(crate) stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Peer {
    fn new(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
        let lines = BufReader::new(stream.try_clone().expect("a socket"));
        Self { stream, lines }
    }

    pub(crate) fn accept(listener: &TcpListener) -> Self {
        Self::new(listener.accept().expect("a client").0)
    }

    pub(crate) fn send(&mut self, text: impl AsRef<[u8]>) {
        self.stream.write_all(text.as_ref()).expect("a connection");
        self.stream.write_all(b"\r\n").expect("a connection");
    }

    /// Returns the next line, or `None` after the end of the connection.
    pub(crate) fn receive(&mut self) -> Option<Line> {
        let mut text = String::new();
        let length = self.lines.read_line(&mut text).unwrap_or(0);
        assert!(length == 0 || text.ends_with("\r\n"), "{text:?}");
        (length > 0).then(|| text.parse().expect("a valid line"))
    }

    /// Receives lines up to the first with a certain message.
    pub(crate) fn receive_until(&mut self, is_expected: impl Fn(&Message) -> bool) -> Line {
        loop {
            let line = self.receive().expect("an open connection");
            if is_expected(&line.message) {
                return line;
            }
        }
    }

    /// Receives lines up to the next state and returns its id.
    pub(crate) fn receive_state(&mut self) -> u64 {
        let line = self.receive_until(|message| matches!(message, Message::State(_)));
        line.id.expect("an id")
    }

    /// Sends a name and the mode `freeplay`.
    pub(crate) fn join(&mut self, name: &str) {
        self.send(format!("1 set info:name \"{name}\""));
        self.send("3 mode freeplay");
        let ok = self.receive_until(|message| *message == Message::Ok);
        assert_eq!(ok.reference, Some(3));
    }

    /// Waits for the end of the connection. Returns whether the last line was `goodbye`.
    pub(crate) fn receive_goodbye(mut self) -> bool {
        let mut is_goodbye = false;
        while let Some(line) = self.receive() {
            is_goodbye = line.message == Message::Goodbye;
        }
        is_goodbye
    }
}
