//! A client and the server that a test plays for it.

use std::cell::RefCell;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use kalah_engine::TableCache;
use kalah_kgp::client::{
    ClientError, ClientOutput, ClientReport, ClientSettings, Introduction, LineLog, run_client,
};
use kalah_kgp::{Argument, KgpConnection, Line, Message, Mode};
use kalah_players::{EngineFactory, MemorySize};
use test_tools::stopped_time::{TICKS, stop_time};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex,
    split,
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::yield_now;
use tokio::time::advance;
use tokio_util::sync::CancellationToken;

/// A small board on which South wins by 4 with house 2 alone.
pub(crate) const SMALL: &str = "<3,0,0,2,2,2,2,2,2>";

/// A board that no search proves within a test.
pub(crate) const LARGE: &str = "<8,0,0,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8>";

/// The time between a state and the first answer.
pub(crate) const ANSWER_DELAY: Duration = Duration::from_millis(50);

/// The number of times that a test lets other tasks run, until all of them wait. Nothing but
/// searches runs outside of the test's thread.
const YIELDS: usize = 1000;

/// The bytes that a stream holds until the other side reads them.
const STREAM_BYTES: usize = 1 << 16;

/// The memory of a search.
const SEARCH_BYTES: u64 = 64 << 20;

/// The options of a client.
pub(crate) struct Options {
    pub(crate) player: &'static str,
    pub(crate) move_time: Duration,
    pub(crate) idle_limit: Option<Duration>,
    pub(crate) is_persistent: bool,
    pub(crate) introduction: Introduction,
    pub(crate) has_log: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            player: "first",
            move_time: Duration::from_secs(1),
            idle_limit: Some(Duration::from_mins(2)),
            is_persistent: false,
            introduction: Introduction::default(),
            has_log: false,
        }
    }
}

/// The output of a client that has ended.
pub(crate) struct FinishedClient {
    pub(crate) result: Result<(), ClientError>,
    /// The lines of the report.
    pub(crate) report: Vec<String>,
    /// Messages, and warnings with a prefix.
    pub(crate) messages: Vec<String>,
    /// The log, as far as the client has one.
    pub(crate) log: String,
}

#[derive(Default)]
struct TestOutput {
    report: Vec<String>,
    messages: Vec<String>,
}

impl ClientOutput for TestOutput {
    fn report(&mut self, line: &str) -> io::Result<()> {
        self.report.push(line.to_owned());
        Ok(())
    }

    fn notify(&mut self, message: &str) {
        self.messages.push(message.to_owned());
    }

    fn warn(&mut self, message: &str) {
        self.messages.push(format!("warning: {message}"));
    }
}

/// A log in memory.
#[derive(Clone, Default)]
struct SharedLog(Rc<RefCell<Vec<u8>>>);

impl Write for SharedLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a client against the server that `play` is, with a stopped clock.
pub(crate) async fn run(
    options: Options,
    play: impl AsyncFnOnce(&mut ScriptedServer),
) -> FinishedClient {
    let _stopped = stop_time();
    let (streams, accepted) = unbounded_channel();
    let connect = async || {
        let (near, far) = duplex(STREAM_BYTES);
        streams.send(far).expect("a running test");
        Ok(KgpConnection::from_stream(near))
    };
    let memory = MemorySize::new(SEARCH_BYTES);
    let engines = EngineFactory::new(NonZeroUsize::MIN, memory, TableCache::new());
    let settings = ClientSettings {
        server: "kalah.example".parse().expect("an address"),
        mode: Mode::Freeplay,
        introduction: options.introduction,
        player: options.player.parse().expect("a player"),
        move_time: options.move_time,
        idle_limit: options.idle_limit,
        is_persistent: options.is_persistent,
        engines: &|_| Ok(engines.clone()),
        seed: &|| 1,
    };
    let log = SharedLog::default();
    let line_log = || LineLog::new(Box::new(log.clone()), || SystemTime::UNIX_EPOCH);
    let mut output = TestOutput::default();
    let mut report = ClientReport::new(&mut output, options.has_log.then(line_log));
    let shutdown = CancellationToken::new();
    let mut server = ScriptedServer { accepted };
    let client = run_client(&settings, connect, &mut report, &shutdown);
    let (result, ()) = tokio::join!(client, play(&mut server));
    report.print_tally().expect("an output in memory");
    let text = log.0.borrow();
    FinishedClient {
        result,
        report: output.report,
        messages: output.messages,
        log: String::from_utf8_lossy(&text).into_owned(),
    }
}

/// The server of a test.
pub(crate) struct ScriptedServer {
    accepted: UnboundedReceiver<DuplexStream>,
}

impl ScriptedServer {
    /// Waits for the next connection of the client.
    pub(crate) async fn accept(&mut self) -> ServerEnd {
        let stream = self.accepted.recv().await.expect("a client");
        let (reader, writer) = split(stream);
        ServerEnd {
            reader: BufReader::new(reader),
            writer,
        }
    }
}

/// Lets the client handle all that it has received, and then the time pass.
pub(crate) async fn pass(time: Duration) {
    settle().await;
    advance(time + TICKS).await;
    settle().await;
}

async fn settle() {
    for _ in 0..YIELDS {
        yield_now().await;
    }
}

/// The end of a connection that the test holds.
pub(crate) struct ServerEnd {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl ServerEnd {
    pub(crate) async fn send(&mut self, text: impl AsRef<[u8]>) {
        let bytes = [text.as_ref(), b"\r\n"].concat();
        self.writer.write_all(&bytes).await.expect("a connection");
    }

    /// Returns the next line, or `None` after the end of the connection.
    pub(crate) async fn try_receive(&mut self) -> Option<Line> {
        let mut text = String::new();
        let length = self.reader.read_line(&mut text).await.expect("text");
        assert!(length == 0 || text.ends_with("\r\n"), "{text:?}");
        (length > 0).then(|| text.parse().expect("a valid line"))
    }

    pub(crate) async fn receive(&mut self) -> Line {
        self.try_receive().await.expect("an open connection")
    }

    /// Waits for the end of the connection. Returns whether the last line was `goodbye`.
    pub(crate) async fn receive_goodbye(&mut self) -> bool {
        let mut is_goodbye = false;
        while let Some(line) = self.try_receive().await {
            is_goodbye = line.message == Message::Goodbye;
        }
        is_goodbye
    }

    /// Greets a client, which plays, and returns its other first lines.
    pub(crate) async fn greet(&mut self) -> Vec<String> {
        self.send("2 kgp 1 0 1").await;
        let mut lines = Vec::new();
        loop {
            let line = self.receive().await;
            if let Message::Mode(_) = line.message {
                return lines;
            }
            lines.push(line.to_string());
        }
    }

    /// Returns the moves of a state up to its `yield`. Lines about other states are appended to
    /// `others`.
    pub(crate) async fn moves_of(&mut self, state: u64, others: &mut Vec<Line>) -> Vec<u8> {
        let mut houses = Vec::new();
        loop {
            let line = self.receive().await;
            if comment(&line).is_some() {
                continue;
            }
            if line.reference != Some(state) {
                others.push(line);
                continue;
            }
            match line.message {
                Message::Move(house) => houses.push(house.number()),
                Message::Yield => return houses,
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Returns the text of a comment on a move.
pub(crate) fn comment(line: &Line) -> Option<&str> {
    match &line.message {
        Message::Set { option, value } if option.as_str() == "info:comment" => match value {
            Argument::Text(text) => Some(text.as_str()),
            other => panic!("{other:?}"),
        },
        _ => None,
    }
}
