//! An engine whose input and output are values: its replies to a whole input.

use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use kalah::Position;
use kalah_engine::TableCache;
use kalah_players::{EngineFactory, MemorySize, PlayerSpec};
use kalah_uki::{
    EngineIdentity, EngineMessage, EngineResources, EngineSettings, Info, Score, TablesSetting,
    run_engine,
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
        lines: 1,
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
        line.starts_with("error a search is in progress: only isready, uki, ponderhit, stop")
    });
    assert_eq!(errors.count(), 2, "{lines:?}");
    let moves = lines.iter().filter(|line| is_best_move(line));
    assert_eq!(moves.count(), 1, "{lines:?}");
    assert!(is_best_move(lines.last().expect("a move")), "{lines:?}");
}

/// An input that begins once the engine has sent a line.
struct AfterLine {
    lines: Receiver<String>,
    beginning: &'static str,
}

impl Read for AfterLine {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        while let Ok(line) = self.lines.recv_timeout(HANG_TIMEOUT) {
            if line.starts_with(self.beginning) {
                break;
            }
        }
        Ok(0)
    }
}

/// An output that sends each line to the input.
struct LineSender {
    text: Vec<u8>,
    lines: Sender<String>,
}

impl Write for LineSender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend(bytes);
        if self.text.ends_with(b"\n") {
            let text = String::from_utf8_lossy(&self.text);
            let last = text.lines().next_back().expect("a line");
            let _ = self.lines.send(last.to_owned());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the replies to `commands` and, once one of them begins with `awaited`, to `later`. The
/// input ends after the next move.
fn replies_in_two_parts(commands: &str, awaited: &'static str, later: &str) -> Vec<String> {
    let (sender, lines_of_output) = mpsc::channel();
    let (first, second) = (mpsc::channel(), mpsc::channel());
    let forward = thread::spawn(move || {
        for line in lines_of_output {
            let line: String = line;
            let _ = first.0.send(line.clone());
            let _ = second.0.send(line);
        }
    });
    let wait = |lines, beginning| AfterLine { lines, beginning };
    let input = Cursor::new(commands.to_owned())
        .chain(wait(first.1, awaited))
        .chain(Cursor::new(later.to_owned()))
        .chain(wait(second.1, "bestmove"));
    let mut output = LineSender {
        text: Vec::new(),
        lines: sender,
    };
    run(BufReader::new(input), &mut output);
    let LineSender {
        text,
        lines: sender,
    } = output;
    drop(sender);
    forward.join().expect("no panic");
    lines(text)
}

#[test]
fn pondering_answers_only_after_ponderhit_or_stop() {
    for command in ["ponderhit", "stop"] {
        // The search ends at once, and its move waits.
        let lines = replies_in_two_parts(
            "position startpos 2x1\ngo ponder depth 1\n",
            "info depth",
            &format!("newgame\nisready\n{command}\n"),
        );
        let [.., error, ready, mv] = lines.as_slice() else {
            panic!("{lines:?}")
        };
        assert!(
            error.starts_with("error a search is in progress"),
            "{lines:?}"
        );
        assert_eq!(ready, "readyok");
        assert!(is_best_move(mv), "{lines:?}");
    }
}

#[test]
fn limits_count_from_ponderhit_on() {
    let lines = replies_in_two_parts(
        "position startpos 6x4\ngo movetime 500 ponder\n",
        "info depth",
        "ponderhit\n",
    );
    // The input ends only after the move, so that the time after `ponderhit` has ended the search.
    assert!(is_best_move(lines.last().expect("a move")), "{lines:?}");
}

#[test]
fn ponderhit_without_a_search_has_no_effect() {
    assert_eq!(replies(&["ponderhit", "isready"]), ["readyok"]);
}

#[test]
fn search_moves_are_the_only_candidates() {
    for mv in ["A", "B", "C"] {
        let go = format!("go depth 4 searchmoves {mv}");
        let lines = replies(&["position startpos 3x2 rules standard", &go]);
        assert_eq!(lines.last(), Some(&format!("bestmove {mv}")), "{lines:?}");
    }
    let player = "setoption name Player value first";
    let lines = replies(&[player, "position startpos 3x2", "go searchmoves C B"]);
    assert_eq!(lines, ["bestmove C"]);
}

#[test]
fn several_lines_are_ranked_by_their_scores() {
    let commands = "setoption name MultiPV value 3\nposition startpos 4x2\ngo nodes 1000000\n";
    let lines = replies_in_two_parts(commands, "bestmove", "");
    let infos: Vec<Info> = (lines.iter())
        .filter_map(|line| match line.parse() {
            Ok(EngineMessage::Info(info)) => Some(info),
            _ => None,
        })
        .collect();
    let (groups, rest) = infos.as_chunks::<3>();
    assert!(rest.is_empty() && !groups.is_empty(), "{lines:?}");
    for group in groups {
        assert_eq!(group.each_ref().map(|info| info.rank), [1, 2, 3].map(Some));
        let gains = group.each_ref().map(|info| info.score.map(Score::gain));
        assert!(
            gains.is_sorted_by(|better, worse| better >= worse),
            "{group:?}"
        );
    }
    let last = groups.last().expect("lines");
    for info in last {
        assert!(matches!(info.score, Some(Score::Exact(_))), "{info:?}");
    }
    let best = format!("bestmove {}", last[0].pv[0]);
    assert_eq!(lines.last(), Some(&best));
}

#[test]
fn refused_lines_are_reported_and_change_nothing() {
    let lines = replies(&[
        "position startpos 3x1 moves a",
        "setoption name Tables value elsewhere",
        "go searchmoves b",
        "dance",
    ]);
    assert_eq!(lines.len(), 4, "{lines:?}");
    let (unknown, errors) = lines.split_last().expect("lines");
    assert!(
        errors.iter().all(|line| line.starts_with("error ")),
        "{lines:?}"
    );
    assert_eq!(errors[2], "error searchmoves `b`: South is to move");
    assert!(
        unknown.starts_with("info string unknown command `dance`: expected uki, "),
        "{unknown}"
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
