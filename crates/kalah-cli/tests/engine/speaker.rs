use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use kalah_protocols::uki::EngineMessage;

/// An engine that is spoken to; what it says is read as it comes.
pub(crate) struct Speaker {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

/// Nobody waits longer for a line that has to come.
const PATIENCE: Duration = Duration::from_mins(5);

/// What an engine left behind.
pub(crate) struct Left {
    pub(crate) status: ExitStatus,
    /// Lines that nobody had heard.
    pub(crate) lines: Vec<String>,
    pub(crate) errors: String,
}

impl Speaker {
    /// `kalah engine` with these arguments, which looks for no tables.
    pub(crate) fn kalah(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kalah"));
        Self::start(command.args(["engine", "--tables", "none"]).args(arguments))
    }

    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (teller, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { return };
                if teller.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            input,
            lines,
        }
    }

    /// Writes a line.
    pub(crate) fn say(&mut self, line: &str) {
        self.say_bytes(line.as_bytes());
        self.say_bytes(b"\n");
    }

    pub(crate) fn say_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("still open");
        input.write_all(bytes).expect("it listens");
        input.flush().expect("it listens");
    }

    /// Writes bytes to somebody who may be gone.
    pub(crate) fn try_to_say(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("still open");
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    /// The next line that it writes.
    pub(crate) fn hear(&mut self) -> String {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(reason) => panic!("nothing is heard: {reason}"),
        }
    }

    /// Whether it is silent so long.
    pub(crate) fn is_silent_for(&mut self, time: Duration) -> bool {
        self.lines.recv_timeout(time).is_err()
    }

    /// All that it writes up to its choice, which is the last; every line is a message.
    pub(crate) fn hear_to_bestmove(&mut self) -> Vec<EngineMessage> {
        let mut heard = Vec::new();
        loop {
            let line = self.hear();
            let message = line
                .parse()
                .unwrap_or_else(|error| panic!("{line}: {error}"));
            let is_last = matches!(message, EngineMessage::BestMove(_));
            heard.push(message);
            if is_last {
                return heard;
            }
        }
    }

    /// Closes its input and waits for its end.
    pub(crate) fn end(mut self) -> Left {
        drop(self.input.take());
        self.left()
    }

    /// Waits for its end.
    pub(crate) fn left(mut self) -> Left {
        let mut errors = String::new();
        let mut pipe = self.child.stderr.take().expect("piped");
        pipe.read_to_string(&mut errors).expect("text");
        let status = self.child.wait().expect("it ends");
        Left {
            status,
            lines: self.lines.iter().collect(),
            errors,
        }
    }
}

impl Drop for Speaker {
    fn drop(&mut self) {
        // A test that has failed leaves no process behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
