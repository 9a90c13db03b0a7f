//! An engine whose input and output are values: its replies to a whole input.

use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use kalah::Position;
use kalah_engine::TableCache;
use kalah_players::{EngineFactory, MemorySize, PlayerSpec};
use kalah_uki::{
    EngineIdentity, EngineMessage, EngineResources, EngineSettings, Info, TablesSetting, run_engine,
};

/// The memory of a search in bytes.
const MEMORY_BYTES: u64 = 1 << 20;

const TIME_OF_A_READING: Duration = Duration::from_millis(100);

/// Engines without tables, and a clock that advances at each reading, so that stages are short.
#[derive(Default)]
struct NoTables {
    readings: AtomicU32,
}

impl EngineResources for NoTables {
    fn now(&self) -> Duration {
        TIME_OF_A_READING.saturating_mul(self.readings.fetch_add(1, Ordering::Relaxed))
    }

    fn random_seed(&self) -> u64 {
        7
    }

    fn check_table_folder(&self, _folder: &Path) -> Result<(), String> {
        Err("there are no tables".to_owned())
    }

    fn default_engine_factory(&self) -> EngineFactory {
        EngineFactory::new(
            NonZeroUsize::MIN,
            MemorySize::new(MEMORY_BYTES),
            TableCache::new(),
        )
    }

    fn engine_factory(
        &self,
        settings: &EngineSettings,
        _position: &Position,
    ) -> Result<EngineFactory, String> {
        if settings.tables == TablesSetting::Default {
            return Err("the folder is missing".to_owned());
        }
        let tables = TableCache::new();
        Ok(EngineFactory::new(
            settings.threads,
            settings.memory,
            tables,
        ))
    }
}

/// Returns the output of an engine for these commands. The end of its input ends a search.
fn replies(commands: &[&str]) -> Vec<String> {
    let mut output = Vec::new();
    run(Cursor::new(commands.join("\n")), &mut output);
    lines(output)
}

fn lines(output: Vec<u8>) -> Vec<String> {
    let output = String::from_utf8(output).expect("UTF-8");
    output.lines().map(str::to_owned).collect()
}

fn run(input: impl BufRead + Send + 'static, output: &mut dyn Write) {
    run_with(Arc::new(NoTables::default()), input, output);
}

fn run_with(
    resources: Arc<dyn EngineResources>,
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
) {
    let identity = EngineIdentity {
        name: "Engine".to_owned(),
        author: "its author".to_owned(),
    };
    let settings = EngineSettings {
        player: PlayerSpec::SMART,
        threads: NonZeroUsize::MIN,
        memory: MemorySize::new(MEMORY_BYTES),
        tables: TablesSetting::Disabled,
        seed: None,
    };
    run_engine(identity, settings, resources, input, output).expect("no errors");
}

/// Resources whose engines are there only after the first move.
struct LateEngines {
    resources: NoTables,
    moves: Mutex<Receiver<()>>,
}

/// The time after which a test counts as hanging.
const HANG_TIMEOUT: Duration = Duration::from_mins(1);

impl EngineResources for LateEngines {
    fn now(&self) -> Duration {
        self.resources.now()
    }

    fn random_seed(&self) -> u64 {
        self.resources.random_seed()
    }

    fn check_table_folder(&self, folder: &Path) -> Result<(), String> {
        self.resources.check_table_folder(folder)
    }

    fn default_engine_factory(&self) -> EngineFactory {
        self.resources.default_engine_factory()
    }

    fn engine_factory(
        &self,
        settings: &EngineSettings,
        position: &Position,
    ) -> Result<EngineFactory, String> {
        let moves = self.moves.lock().expect("one search at a time");
        let result = moves.recv_timeout(HANG_TIMEOUT);
        assert_ne!(result, Err(RecvTimeoutError::Timeout), "no move");
        self.resources.engine_factory(settings, position)
    }
}

/// An end of a part of the input that comes after a number of moves.
struct EndAfterMoves {
    moves: Receiver<()>,
    count: usize,
}

impl EndAfterMoves {
    fn first(moves: Receiver<()>) -> Self {
        Self { moves, count: 1 }
    }
}

impl Read for EndAfterMoves {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        let _ = self.moves.iter().take(self.count).count();
        Ok(0)
    }
}

/// An output that reports each move.
struct ReportingOutput {
    text: Vec<u8>,
    moves: Vec<Sender<()>>,
}

impl Write for ReportingOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend(bytes);
        let text = String::from_utf8_lossy(&self.text);
        if text.ends_with('\n') && text.lines().next_back().is_some_and(is_best_move) {
            for sender in &self.moves {
                let _ = sender.send(());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn is_best_move(line: &str) -> bool {
    matches!(line.parse(), Ok(EngineMessage::BestMove(Some(_))))
}

#[test]
fn handshake_names_the_engine_and_its_options() {
    let lines = replies(&[
        "uki",
        "",
        "isready",
        "setoption name Player value level:2",
        "uki",
    ]);
    assert_eq!(
        lines[..3],
        [
            "id name Engine",
            "id author its author",
            "option name Player type string default smart"
        ]
    );
    let ready = lines
        .iter()
        .position(|line| line == "readyok")
        .expect("readyok");
    assert_eq!(lines[ready - 1], "ukiok");
    assert_eq!(
        lines[ready + 3],
        "option name Player type string default smart"
    );
}

#[test]
fn search_answers_with_a_move_of_the_side_to_move() {
    let position = "position startpos 3x1 rules standard moves C";
    let lines = replies(&[position, "go depth 2"]);
    assert!(is_best_move(lines.last().expect("a move")), "{lines:?}");
    let missing = replies(&["setoption name Tables value auto", position, "go depth 2"]);
    assert_eq!(
        missing[0],
        "info string the search uses no tables: the folder is missing"
    );
    assert!(is_best_move(missing.last().expect("a move")), "{missing:?}");
}

/// Returns the progress of an unlimited search.
fn progress(position: &str) -> Vec<Info> {
    let commands = format!("position {position} rules standard\ngo\n");
    let (moves, end) = mpsc::channel();
    let input = Cursor::new(commands).chain(EndAfterMoves::first(end));
    let text = Vec::new();
    let moves = vec![moves];
    let mut output = ReportingOutput { text, moves };
    run(BufReader::new(input), &mut output);
    let lines = lines(output.text);
    assert!(is_best_move(lines.last().expect("a move")), "{lines:?}");
    let infos = lines.iter().filter_map(|line| match line.parse() {
        Ok(EngineMessage::Info(info)) => Some(info),
        _ => None,
    });
    infos.collect()
}

#[test]
fn unlimited_search_reports_ascending_depths_and_its_speed() {
    let infos = progress("startpos 4x5");
    let depths: Vec<_> = infos.iter().map(|info| info.depth).collect();
    assert!(depths.is_sorted(), "{depths:?}");
    assert!(depths.len() > 3, "{depths:?}");
    // The speed is that of the whole search.
    for info in &infos {
        let time = info.time.expect("a time").get();
        let nodes = info.nodes.expect("nodes");
        assert_eq!(info.nps, (nodes * 1000).checked_div(time), "{info:?}");
    }
}

#[test]
fn infinite_search_refuses_commands_until_it_is_stopped() {
    let lines = replies(&["go infinite", "newgame", "go", "stop", "quit", "uki"]);
    let errors = lines.iter().filter(|line| {
        line.starts_with("error a search is in progress: only isready, uki, stop and quit")
    });
    assert_eq!(errors.count(), 2, "{lines:?}");
    let moves = lines.iter().filter(|line| is_best_move(line));
    assert_eq!(moves.count(), 1, "{lines:?}");
    assert!(is_best_move(lines.last().expect("a move")), "{lines:?}");
}

#[test]
fn refused_lines_are_reported_and_change_nothing() {
    let lines = replies(&[
        "position startpos 3x1 moves a",
        "setoption name Tables value elsewhere",
        "dance",
    ]);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(
        lines.iter().all(|line| line.starts_with("error ")),
        "{lines:?}"
    );
    assert_eq!(lines[1], "error option Tables: there are no tables");
}

#[test]
fn commands_are_answered_while_the_last_search_has_not_ended() {
    let (moves_of_input, ends): (Vec<_>, Vec<_>) = (1..=2)
        .map(|count| {
            let (sender, moves) = mpsc::channel();
            (sender, EndAfterMoves { moves, count })
        })
        .unzip();
    let [first_end, second_end] = <[_; 2]>::try_from(ends).ok().expect("two ends");
    let input = Cursor::new("position startpos 6x4\ngo depth 3\nstop\n")
        .chain(first_end)
        .chain(Cursor::new(
            "isready\nsetoption name Threads value 1\nnewgame\n\
             position startpos 3x2\ngo depth 3\nisready\nstop\n",
        ))
        .chain(second_end)
        .chain(Cursor::new("isready\nquit\n"));
    let mut output = ReportingOutput {
        text: Vec::new(),
        moves: moves_of_input,
    };
    let (_never, moves) = mpsc::channel();
    let resources = LateEngines {
        resources: NoTables::default(),
        moves: Mutex::new(moves),
    };
    run_with(Arc::new(resources), BufReader::new(input), &mut output);
    let lines = lines(output.text);
    let [first, ready, second_ready, second, last_ready] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert_eq!(first, "bestmove C");
    assert!(is_best_move(second), "{lines:?}");
    for line in [ready, second_ready, last_ready] {
        assert_eq!(line, "readyok");
    }
}

#[test]
fn move_is_sent_in_time_while_the_search_has_not_begun() {
    let (move_of_input, end) = mpsc::channel();
    let (move_of_engine, moves) = mpsc::channel();
    let input = Cursor::new("position startpos 6x4\ngo movetime 20\n")
        .chain(EndAfterMoves::first(end))
        .chain(Cursor::new(
            "isready\nposition startpos 3x2 moves A\ngo depth 2\n",
        ));
    let mut output = ReportingOutput {
        text: Vec::new(),
        // Two engines are made, for boards of two sizes.
        moves: vec![move_of_input, move_of_engine.clone(), move_of_engine],
    };
    let resources = LateEngines {
        resources: NoTables::default(),
        moves: Mutex::new(moves),
    };
    run_with(Arc::new(resources), BufReader::new(input), &mut output);
    let lines = lines(output.text);
    // The first search is over before the next one begins, and sends nothing more.
    let is_info = |line: &String| line.starts_with("info ");
    let without_info: Vec<_> = lines.iter().filter(|line| !is_info(line)).collect();
    assert_eq!(without_info[..2], ["bestmove C", "readyok"], "{lines:?}");
    assert!(is_best_move(without_info[2]), "{lines:?}");
    assert_eq!(without_info.len(), 3, "{lines:?}");
    assert!(lines[2].starts_with("info depth 1 "), "{lines:?}");
    assert!(!lines[..2].iter().any(is_info), "{lines:?}");
}
