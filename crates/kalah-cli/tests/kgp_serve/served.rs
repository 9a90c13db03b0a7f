//! A server that runs, and clients of it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use kalah::record::Record;
use kalah_protocols::kgp::{Line, Message};

/// Nothing here takes as long.
pub(crate) const PATIENCE: Duration = Duration::from_mins(5);

pub(crate) const KALAH: &str = env!("CARGO_BIN_EXE_kalah");

/// A server that runs; it is ended with this.
pub(crate) struct Server {
    child: Child,
    _stdout: BufReader<ChildStdout>,
    pub(crate) tcp: String,
    pub(crate) ws: String,
    pub(crate) out: tempfile::TempDir,
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::launch(Command::new(KALAH), arguments, true)
    }

    /// One that can have so many files open.
    #[cfg(unix)]
    pub(crate) fn start_with_files(most: u32, arguments: &[&str]) -> Self {
        let mut command = Command::new("sh");
        let script = format!("ulimit -n {most}; exec \"$0\" \"$@\"");
        command.args(["-c", &script, KALAH]);
        Self::launch(command, arguments, true)
    }

    /// One on which nobody plays.
    pub(crate) fn verify() -> Self {
        Self::launch(Command::new(KALAH), &["--play", "verify"], false)
    }

    fn launch(mut command: Command, arguments: &[&str], keeps_games: bool) -> Self {
        let out = tempfile::tempdir().expect("a folder");
        command
            .args([
                "kgp",
                "serve",
                "--addr",
                "127.0.0.1:0",
                "--ws",
                "127.0.0.1:0",
            ])
            .args(["--tables", "none"])
            .args(arguments);
        if keeps_games {
            command.arg("--out").arg(out.path());
        }
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = || {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("a line");
            line.trim().to_owned()
        };
        let (tcp, ws) = (line(), line());
        Self {
            child,
            _stdout: stdout,
            tcp,
            ws,
            out,
        }
    }

    pub(crate) fn connect(&self) -> Peer {
        let address = self.tcp.strip_prefix("tcp://").expect("an address");
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("it has one");
        let lines = BufReader::new(stream.try_clone().expect("one more"));
        Peer { stream, lines }
    }

    /// Waits until the server has ended by itself, and gives what it has said and its games.
    pub(crate) fn end(mut self) -> (String, Vec<Record>) {
        let mut errors = String::new();
        let began = Instant::now();
        while self.child.try_wait().expect("it can be asked").is_none() {
            assert!(began.elapsed() < PATIENCE, "it goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
        let status = self.child.wait().expect("it has ended");
        let mut stderr = self.child.stderr.take().expect("piped");
        stderr.read_to_string(&mut errors).expect("text");
        assert!(status.success(), "{status}: {errors}");
        (errors, records(self.out.path()))
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.expect("it runs").success());
    }
}

/// One of our own clients.
pub(crate) fn client(url: &str, arguments: &[&str]) -> Child {
    Command::new(KALAH)
        .args(["kgp", "connect", url, "--tables", "none"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The games of a folder, in their order.
pub(crate) fn records(folder: &Path) -> Vec<Record> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let texts = paths
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("a record"));
    texts.map(|text| text.parse().expect("one game")).collect()
}

/// The client's end of a connection, line by line.
pub(crate) struct Peer {
    pub(crate) stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Peer {
    pub(crate) fn say(&mut self, text: impl AsRef<[u8]>) {
        self.stream.write_all(text.as_ref()).expect("it is there");
        self.stream.write_all(b"\r\n").expect("it is there");
    }

    /// The next line; `None` when the server has hung up.
    pub(crate) fn hear(&mut self) -> Option<Line> {
        let mut text = String::new();
        let length = self.lines.read_line(&mut text).unwrap_or(0);
        assert!(length == 0 || text.ends_with("\r\n"), "{text:?}");
        (length > 0).then(|| text.parse().expect("it is of the protocol"))
    }

    /// Goes on to the first line of a kind.
    pub(crate) fn until(&mut self, is_it: impl Fn(&Message) -> bool) -> Line {
        loop {
            let line = self.hear().expect("the server is there");
            if is_it(&line.message) {
                return line;
            }
        }
    }

    /// The id of the next state.
    pub(crate) fn state(&mut self) -> u64 {
        let line = self.until(|message| matches!(message, Message::State(_)));
        line.id.expect("a state has one")
    }

    pub(crate) fn play(&mut self, name: &str) {
        self.say(format!("1 set info:name \"{name}\""));
        self.say("3 mode freeplay");
        let ok = self.until(|message| *message == Message::Ok);
        assert_eq!(ok.reference, Some(3));
    }

    /// Waits until the server hangs up.
    pub(crate) fn bye(mut self) -> bool {
        let mut was_goodbye = false;
        while let Some(line) = self.hear() {
            was_goodbye = line.message == Message::Goodbye;
        }
        was_goodbye
    }
}

pub(crate) fn wait_for(mut client: Child) -> bool {
    let began = Instant::now();
    loop {
        if let Some(status) = client.try_wait().expect("it can be asked") {
            return status.success();
        }
        if began.elapsed() > PATIENCE {
            client.kill().expect("it is there");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
