//! `kalah play --plain`, plain mode: a game as lines of text, with prompts for people and built-in
//! players.

use std::cell::RefCell;
use std::io::{self, BufRead, IsTerminal as _, Read, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

use kalah::{BySide, GameEvent, Labels, Player, Position, Referee, Side, Termination, TimedPlayer};
use kalah_engine::Limits;
use kalah_players::{EngineFactory, InputLine, LineReader, PlayerSpec};
use kalah_record_files::{Recorder, SaveFiles};
use kalah_text::{Echo, Hint, HumanPlayer, Palette};

use super::session::{PlayArgs, PlaySession};
use super::unsaved_games::{self, WatchedGame};
use crate::error::CliError;
use crate::output::messages::path_option;

/// The minimum time limit of a program for which the output shows that it is thinking.
const MIN_ANNOUNCED_WAIT: Duration = Duration::from_secs(1);

pub(super) fn run(session: &PlaySession) -> Result<(), CliError> {
    let PlaySession {
        arguments,
        source,
        specs,
        ..
    } = session;
    let mut printer = session.printer();
    let mut recorder = source.recorder(arguments)?;
    let mut players = build_players(session, recorder.as_ref())?;
    let interactive = BySide::new(
        players.south.player().is_interactive(),
        players.north.player().is_interactive(),
    );
    let limit = |side: Side| specs[side].time_limit.unwrap_or(arguments.time).get();
    let timed_players = BySide::new(
        TimedPlayer {
            player: players.south.player(),
            limit: limit(Side::South),
        },
        TimedPlayer {
            player: players.north.player(),
            limit: limit(Side::North),
        },
    );

    let is_unsaved = recorder.is_none() && io::stdin().is_terminal();
    let mut watched_game = None;
    if is_unsaved {
        watched_game = Some(WatchedGame::watch(source.record.clone())?);
    }
    let mut referee = Referee::new(source.record.game(), interactive);
    if is_unsaved && let Some(notice) = unsaved_games::take_notice() {
        printer.print_line(&notice)?;
    }
    printer.print_header(&referee)?;
    let plies = referee.game().plies().len();
    if plies > 0 {
        printer.print_line(&format!("The game continues after ply {plies}."))?;
    }
    let has_no_person = interactive == BySide::new(false, false);
    let mut pauses = (has_no_person && !arguments.no_pause && io::stdin().is_terminal())
        .then(TurnPauses::default);
    referee.run(timed_players, |referee, event| {
        if let Some(recorder) = &mut recorder {
            record(recorder, referee, event)?;
            if let GameEvent::Ended(ending) = event
                && ending.termination == Termination::Unfinished
            {
                let resume = path_option("--resume", recorder.path());
                printer.print_line(&format!("To continue this game: kalah play {resume}"))?;
            }
        }
        if let Some(watched_game) = &watched_game {
            watched_game.update(referee.game())?;
        }
        printer.print_event(referee, event)?;
        if let GameEvent::ToMove(side) = *event {
            if let Some(pauses) = &mut pauses {
                pauses.pause_before(side)?;
            }
            let spec = specs[referee.game().player_on(side).started_as];
            if may_take_long(referee, spec, arguments) {
                printer.print_thinking(referee, side)?;
            }
        }
        Ok::<(), CliError>(())
    })?;
    let [south, north] = [players.south.take_error(), players.north.take_error()];
    south.or(north).map_or(Ok(()), Err)
}

/// Builds the players by the side on which each begins. People save to the same files.
fn build_players(
    session: &PlaySession,
    recorder: Option<&Recorder>,
) -> Result<BySide<LocalPlayer>, CliError> {
    let record = session.source.record.clone();
    let recording_path = recorder.map(|recorder| recorder.path().to_owned());
    let save_files = Rc::new(RefCell::new(SaveFiles::new(record, recording_path)));
    let engine_factory = session.engine_factory()?;
    let seed = session.seed();
    Ok(BySide::from_fn(|side| {
        let options = LocalPlayerOptions {
            name: &session.names[side],
            seed: match side {
                Side::South => seed,
                // Two random players must not make the same choices.
                Side::North => !seed,
            },
            labels: session.arguments.labels.labels,
            palette: session.palette,
            save_files: &save_files,
            engine_factory: &engine_factory,
            hint_time_limit: session.hint_time_limit(),
        };
        LocalPlayer::new(session.specs[side], &options)
    }))
}

/// Returns whether the player to move may think so long that a person at the terminal needs a
/// message.
fn may_take_long(referee: &Referee, player: PlayerSpec, arguments: &PlayArgs) -> bool {
    player.uses_clock()
        && player.time_limit.unwrap_or(arguments.time).get() >= MIN_ANNOUNCED_WAIT
        && referee.position().legal_moves().nth(1).is_some()
        && io::stdout().is_terminal()
}

/// Records the game after an event that changed it.
fn record(recorder: &mut Recorder, referee: &Referee, event: &GameEvent) -> Result<(), CliError> {
    match event {
        GameEvent::ToMove(_) => {}
        GameEvent::Refused { .. } if referee.ending().is_none() => {}
        _ => recorder.write(referee.game(), referee.ending())?,
    }
    Ok(())
}

/// The size of the transposition table for hints. A search within the time limit of a hint hardly
/// fills more.
const HINT_MEMORY_BYTES: usize = 64 << 20;

/// A player in the terminal.
enum LocalPlayer {
    Human(Box<HumanPlayer<'static, StdinLines, anstream::Stdout>>),
    Builtin(Box<dyn Player>),
}

/// The options from which a [`LocalPlayer`] is built, beside its spec.
struct LocalPlayerOptions<'a> {
    /// The name of the player.
    name: &'a str,
    /// The seed of players that make random choices.
    seed: u64,
    labels: Labels,
    palette: Palette,
    /// The files to which a person saves the game.
    save_files: &'a Rc<RefCell<SaveFiles>>,
    /// Builds the engines of players that search, and of hints.
    engine_factory: &'a EngineFactory,
    /// The time limit of the search for a hint.
    hint_time_limit: Duration,
}

impl LocalPlayer {
    fn new(spec: PlayerSpec, options: &LocalPlayerOptions) -> Self {
        let builtin = spec.build_player(options.name, options.seed, options.engine_factory);
        if let Some(player) = builtin {
            return Self::Builtin(player);
        }
        let echo = if io::stdin().is_terminal() {
            Echo::Off
        } else {
            Echo::On
        };
        let save_files = Rc::clone(options.save_files);
        let human = HumanPlayer::new(options.name, StdinLines::new(), anstream::stdout())
            .labels(options.labels)
            .palette(options.palette)
            .echo(echo)
            .hint_source(hint_source(
                options.engine_factory.clone(),
                options.hint_time_limit,
            ))
            .save_handler(move |game, path| save_files.borrow_mut().save(game, None, path));
        Self::Human(Box::new(human))
    }

    fn player(&mut self) -> &mut dyn Player {
        match self {
            Self::Human(human) => human.as_mut(),
            Self::Builtin(player) => player.as_mut(),
        }
    }

    /// Returns and clears the input or output error because of which a person left the game.
    fn take_error(&mut self) -> Option<CliError> {
        match self {
            Self::Human(human) => human.take_error().map(CliError::from),
            Self::Builtin(_) => None,
        }
    }
}

/// Returns a function that finds hints within `limit`.
fn hint_source(
    engine_factory: EngineFactory,
    limit: Duration,
) -> impl FnMut(&Position) -> Option<Hint> {
    let origin = Instant::now();
    let limits = Limits {
        time: Some(limit),
        ..Limits::default()
    };
    let mut engine = None;
    move |position| {
        // The engine is built for the first hint, because most games need none.
        let engine =
            engine.get_or_insert_with(|| engine_factory.build().with_memory(HINT_MEMORY_BYTES));
        let report = engine.analyze(position, limits, &|| origin.elapsed());
        Hint::from_report(position, &report)
    }
}

/// Pauses until ENTER between the turns of two programs. The end of the input ends the pauses.
#[derive(Default)]
struct TurnPauses {
    /// The side of the last turn.
    last_side: Option<Side>,
    input: LineReader<StdinLines>,
    is_input_ended: bool,
}

impl TurnPauses {
    /// Pauses if `side` begins a turn other than the first.
    fn pause_before(&mut self, side: Side) -> Result<(), CliError> {
        let is_new_turn = self
            .last_side
            .replace(side)
            .is_some_and(|last| last != side);
        if is_new_turn && !self.is_input_ended {
            let mut output = anstream::stdout();
            write!(output, "Press ENTER to continue. ")?;
            output.flush()?;
            let line = self.input.read();
            self.is_input_ended = matches!(line, Ok(InputLine::End) | Err(_));
            if self.is_input_ended {
                writeln!(output)?;
            }
            line.map_err(CliError::Input)?;
        }
        Ok(())
    }
}

/// A reader of standard input that buffers at most one line, so that several readers, such as two
/// people or a person and a pause, can take lines in turn.
#[derive(Debug, Default)]
pub(in crate::commands) struct StdinLines {
    /// The line, or the part of a long line, that was read last.
    buffer: Vec<u8>,
    /// The number of bytes of `buffer` that were consumed.
    consumed: usize,
}

/// The maximum number of bytes of a line that are read at once.
const MAX_CHUNK_BYTES: u64 = 4096;

impl StdinLines {
    /// Creates a reader with an empty buffer.
    pub(in crate::commands) fn new() -> Self {
        Self::default()
    }
}

impl Read for StdinLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for StdinLines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.consumed == self.buffer.len() {
            self.buffer.clear();
            self.consumed = 0;
            io::stdin()
                .lock()
                .take(MAX_CHUNK_BYTES)
                .read_until(b'\n', &mut self.buffer)?;
        }
        Ok(&self.buffer[self.consumed..])
    }

    fn consume(&mut self, amount: usize) {
        self.consumed = (self.consumed + amount).min(self.buffer.len());
    }
}
