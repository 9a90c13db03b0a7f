//! `kalah play --plain`, plain mode: a game as lines of text, with prompts for people and built-in
//! players.

use std::cell::{Cell, RefCell};
use std::io::{self, BufRead, IsTerminal as _, Read, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kalah::{
    BySide, Ending, Game, GameEvent, Labels, MoveTime, Player, PlayerAction, Position, Referee,
    Side, Termination,
};
use kalah_engine::Limits;
use kalah_players::{
    EngineFactory, GamePlayerSpec, InputLine, LineReader, ParticipantFailure, PlayerSpec,
};
use kalah_record_files::{HistoryError, Recorder, SaveFiles, set_undone};
use kalah_text::{Echo, GamePrinter, Hint, HumanPlayer, Palette};
use kalah_tui::{GameSession, Profile as _, RatingChange, RatingOutcome, StartHelp, rating_note};

use super::kept_games::GameKeeper;
use super::plain_program::{AfterFailure, PlainProgram, ask_after_failure, failure_text};
use super::plain_signals::exit_on_signal;
use super::session::PlaySession;
use super::session_files::{restore_rating, set_rating_tags};
use super::{CONTINUE_TEXT, StartNotices};
use crate::error::CliError;
use crate::output::messages::{output_width, path_option, print_warning};
use crate::profile::ProfileFile;

/// The minimum time limit of a program for which the output shows that it is thinking.
const MIN_ANNOUNCED_WAIT: Duration = Duration::from_secs(1);

pub(super) fn run(
    session: &PlaySession,
    keeper: Option<GameKeeper>,
    notices: StartNotices,
) -> Result<(), CliError> {
    let PlaySession {
        arguments, source, ..
    } = session;
    let mut printer = session.printer();
    let recorder = source.recorder(arguments)?;
    let mut rated = GameSession::new(
        source.game.clone(),
        session.specs.clone(),
        session.names.clone(),
    );
    if arguments.resume.is_some() {
        // The record may be of any game.
        rated.set_helped();
    }
    restore_rating(&mut rated, &source.record);
    let is_helped = Rc::new(Cell::new(rated.is_helped()));
    let players = build_players(session, recorder.as_ref(), &is_helped)?;
    let interactive = BySide::from_fn(|side| session.specs[side].is_human());
    // A script keeps no games, and has no rating.
    let is_person_there = io::stdin().is_terminal();
    let (profile, _, damage) = ProfileFile::open(arguments.no_history || !is_person_there);
    let keeper = keeper.filter(|_| recorder.is_none() && is_person_there);
    let has_program = Side::ALL
        .iter()
        .any(|&side| session.specs[side].program().is_some());
    let is_kept = Arc::new(AtomicBool::new(false));
    if keeper.is_some() || has_program {
        exit_on_signal(Arc::clone(&is_kept))?;
    }
    let referee = Referee::new(source.game.clone(), interactive);
    let warnings = damage.into_iter().chain(notices.warnings);
    for notice in warnings.chain(notices.unfinished) {
        if is_person_there {
            printer.print_line(&notice)?;
        }
    }
    printer.print_header(&referee)?;
    let plies = referee.game().plies().len();
    if plies == 0
        && profile.is_some()
        && !rated.is_helped()
        && let Some(note) = rating_note(&session.specs, referee.game().start(), StartHelp::Unused)
    {
        printer.print_line(&note)?;
    }
    if plies > 0 {
        printer.print_line(&format!("The game continues after ply {plies}."))?;
    }
    let has_no_person = interactive == BySide::new(false, false);
    let pauses = (has_no_person && !arguments.no_pause && io::stdin().is_terminal())
        .then(TurnPauses::default);
    let mut game = PlainGame {
        session,
        printer,
        recorder,
        keeper,
        is_kept,
        profile,
        rated,
        is_helped,
        pauses,
        referee,
        specs: session.specs.clone(),
        players,
        unanswered: None,
    };
    let played = game.play();
    game.shut_down();
    let closed = game.keeper.as_mut().map_or(Ok(()), GameKeeper::close);
    played?;
    if let Err(unmoved) = closed {
        print_warning(&unmoved.to_string());
    }
    let [south, north] = [
        game.players.south.take_error(),
        game.players.north.take_error(),
    ];
    let error = south.or(north).or(game.unanswered);
    error.map_or(Ok(()), Err)
}

/// A game in plain mode.
struct PlainGame<'a> {
    session: &'a PlaySession<'a>,
    printer: GamePrinter<anstream::Stdout>,
    recorder: Option<Recorder>,
    /// Keeps the game of a person without a recorder, unless the history is switched off.
    keeper: Option<GameKeeper>,
    /// Whether the history keeps the game.
    is_kept: Arc<AtomicBool>,
    /// The profile of the person at the terminal, unless it is switched off.
    profile: Option<ProfileFile>,
    /// The game with what its record says about the rating.
    rated: GameSession,
    /// Whether a person has used help.
    is_helped: Rc<Cell<bool>>,
    pauses: Option<TurnPauses>,
    referee: Referee,
    /// The players by the side on which each began.
    specs: BySide<GamePlayerSpec>,
    players: BySide<LocalPlayer>,
    /// The failure of a program after which the input has ended.
    unanswered: Option<CliError>,
}

impl PlainGame<'_> {
    /// Requests actions of the players by turns until the game has ended.
    fn play(&mut self) -> Result<(), CliError> {
        while self.referee.ending().is_none() {
            let side = self.referee.position().to_move();
            self.report(&GameEvent::ToMove(side))?;
            let action = self.next_action(side)?;
            match self.referee.apply(action) {
                // Reported below.
                Ok(GameEvent::Ended(_)) => {}
                Ok(event) => self.report(&event)?,
                Err(reason) => self.report(&GameEvent::Refused { side, reason })?,
            }
        }
        match self.referee.ending() {
            Some(ending) => {
                self.report(&GameEvent::Ended(ending))?;
                self.rate(ending)
            }
            None => Ok(()),
        }
    }

    /// Returns the action of the side to move. If a program fails, a person decides how the game
    /// goes on.
    fn next_action(&mut self, side: Side) -> Result<PlayerAction, CliError> {
        loop {
            let game = self.referee.game();
            let player = game.player_on(side).started_as;
            let limit = self.time_limit(player);
            let failure = match &mut self.players[player] {
                LocalPlayer::Program(program) => {
                    match program.choose_move(game, MoveTime::fixed(limit)) {
                        Ok(mv) => return Ok(PlayerAction::Move(mv)),
                        // The process is about to exit.
                        Err(ParticipantFailure::Aborted) => return Ok(PlayerAction::Quit),
                        Err(failure) => failure,
                    }
                }
                local => return Ok(local.player_action(game, limit)),
            };
            self.players[player].print_messages();
            let reason = failure_text(&failure);
            self.printer.print_failure(&self.referee, side, &reason)?;
            match ask_after_failure(self.referee.game())? {
                AfterFailure::Restart => {}
                AfterFailure::Replace(spec) => self.replace(player, spec)?,
                AfterFailure::Act(action) => return Ok(action),
                AfterFailure::Unanswered => {
                    // A script would take the unfinished game for a success.
                    let error = format!("{side} has failed, and the input has ended: {reason}");
                    self.unanswered = Some(CliError::Runtime(error));
                    return Ok(PlayerAction::Quit);
                }
            }
        }
    }

    /// Replaces the player that began on the side `player`.
    fn replace(&mut self, player: Side, spec: GamePlayerSpec) -> Result<(), CliError> {
        let name = spec.default_name();
        self.printer.rename(player, &name);
        self.referee.set_interactive(player, spec.is_human());
        let factory = self.session.engine_factory()?;
        let recorder = self.recorder.as_ref();
        let options = player_options(self.session, recorder, &factory, &self.is_helped);
        self.players[player] = LocalPlayer::new(&spec, &name, player, &options)?;
        self.specs[player] = spec;
        Ok(())
    }

    fn time_limit(&self, player: Side) -> Duration {
        let (spec, arguments) = (&self.specs[player], self.session.arguments);
        let default = match spec {
            GamePlayerSpec::Local(_) if !arguments.is_time_limited() => Duration::MAX,
            GamePlayerSpec::Local(_) | GamePlayerSpec::Program(_) => arguments.move_time(),
        };
        spec.time_limit().unwrap_or(default)
    }

    /// Prints an event, and records or keeps the game if the event has changed it.
    fn report(&mut self, event: &GameEvent) -> Result<(), CliError> {
        if matches!(event, GameEvent::Undone(_) | GameEvent::Redone(_)) {
            self.is_helped.set(true);
        }
        if changes_game(&self.referee, event) {
            self.keep()?;
        }
        let referee = &self.referee;
        if let GameEvent::Ended(ending) = event
            && ending.termination == Termination::Unfinished
        {
            if let Some(recorder) = &self.recorder {
                let resume = path_option("--resume", recorder.path());
                self.printer
                    .print_command(&format!("To continue this game: kalah play {resume}"))?;
            } else if self.is_kept.load(Ordering::SeqCst) {
                self.printer.print_command(CONTINUE_TEXT)?;
            }
        }
        self.printer.print_event(referee, event)?;
        if let GameEvent::ToMove(side) = *event {
            let player = referee.game().player_on(side).started_as;
            if let Some(pauses) = &mut self.pauses {
                pauses.pause_before(side)?;
            }
            if may_take_long(referee, &self.specs[player], self.time_limit(player)) {
                self.printer.print_thinking(referee, side)?;
            }
        }
        Ok(())
    }

    /// Writes the game to the file that records it, or to the history.
    fn keep(&mut self) -> Result<(), CliError> {
        let (game, ending) = (self.referee.game(), self.referee.ending());
        if let Some(recorder) = &mut self.recorder {
            recorder.write(game, ending, &[])?;
        } else if let Some(keeper) = &mut self.keeper {
            let mut record = self.session.source.record.clone();
            record.set_game(game).map_err(HistoryError::from)?;
            set_undone(&mut record, game).map_err(HistoryError::from)?;
            if let Some(ending) = ending {
                record.set_ending(ending).map_err(HistoryError::from)?;
            }
            if self.is_helped.get() {
                self.rated.set_helped();
            }
            set_rating_tags(&mut record, &self.rated).map_err(HistoryError::from)?;
            keeper.write(&record, None)?;
            self.is_kept.store(keeper.has_game(), Ordering::SeqCst);
        }
        Ok(())
    }

    /// Counts a finished game for the rating of the person, and prints the change.
    fn rate(&mut self, ending: Ending) -> Result<(), CliError> {
        let Some(profile) = &mut self.profile else {
            return Ok(());
        };
        if ending.termination == Termination::Unfinished {
            return Ok(());
        }
        let game = self.referee.game().clone();
        let mut session = GameSession::new(game, self.specs.clone(), self.session.names.clone());
        if session.ending().is_none() {
            session.end(ending);
        }
        if self.is_helped.get() {
            session.set_helped();
        }
        let outcome = profile.rate_game(&session);
        let outcome = outcome.map_err(|reason| CliError::Runtime(reason.to_string()))?;
        match outcome {
            RatingOutcome::NotRated => return Ok(()),
            RatingOutcome::Helped => {
                let text = "Not rated: a hint or undo was used.";
                return Ok(self.printer.print_line(text)?);
            }
            RatingOutcome::Changed(RatingChange { before, after }) => {
                let text = format!("Your rating: {after} ({:+})", after - before);
                self.printer.print_line(&text)?;
            }
        }
        self.rated.set_rating(outcome);
        self.keep()
    }

    /// Ends the programs.
    fn shut_down(&mut self) {
        for side in Side::ALL {
            if let LocalPlayer::Program(program) = &mut self.players[side] {
                program.shut_down();
            }
        }
    }
}

/// Builds the players by the side on which each begins. People save to the same files.
fn build_players(
    session: &PlaySession,
    recorder: Option<&Recorder>,
    is_helped: &Rc<Cell<bool>>,
) -> Result<BySide<LocalPlayer>, CliError> {
    let engine_factory = session.engine_factory()?;
    let options = player_options(session, recorder, &engine_factory, is_helped);
    let build =
        |side: Side| LocalPlayer::new(&session.specs[side], &session.names[side], side, &options);
    Ok(BySide::new(build(Side::South)?, build(Side::North)?))
}

fn player_options<'a>(
    session: &'a PlaySession,
    recorder: Option<&Recorder>,
    engine_factory: &'a EngineFactory,
    is_helped: &Rc<Cell<bool>>,
) -> LocalPlayerOptions<'a> {
    let record = session.source.record.clone();
    let recording_path = recorder.map(|recorder| recorder.path().to_owned());
    LocalPlayerOptions {
        seed: session.seed(),
        labels: session.arguments.labels.labels,
        palette: session.palette,
        save_files: Rc::new(RefCell::new(SaveFiles::new(record, recording_path))),
        engine_factory,
        hint_time_limit: (session.arguments.is_time_limited()).then(|| session.hint_time_limit()),
        is_helped: Rc::clone(is_helped),
    }
}

/// Returns whether the player to move may think so long that a person at the terminal needs a
/// message.
fn may_take_long(referee: &Referee, player: &GamePlayerSpec, limit: Duration) -> bool {
    let uses_time = player.local().is_none_or(PlayerSpec::uses_clock);
    uses_time
        && limit >= MIN_ANNOUNCED_WAIT
        && referee.position().legal_moves().nth(1).is_some()
        && io::stdout().is_terminal()
}

/// Returns whether an event has changed the game or ended it.
fn changes_game(referee: &Referee, event: &GameEvent) -> bool {
    match event {
        GameEvent::ToMove(_) => false,
        GameEvent::Refused { .. } => referee.ending().is_some(),
        _ => true,
    }
}

/// The size of the transposition table for hints. A search within the time limit of a hint hardly
/// fills more.
const HINT_MEMORY_BYTES: usize = 64 << 20;

/// A player in the terminal.
enum LocalPlayer {
    Human(Box<HumanPlayer<'static, StdinLines, anstream::Stdout>>),
    Builtin(Box<dyn Player>),
    Program(Box<PlainProgram>),
}

/// The options from which a [`LocalPlayer`] is built, beside its spec and its name.
struct LocalPlayerOptions<'a> {
    /// The seed of players that make random choices.
    seed: u64,
    labels: Labels,
    palette: Palette,
    /// The files to which a person saves the game.
    save_files: Rc<RefCell<SaveFiles>>,
    /// Builds the engines of players that search, and of hints.
    engine_factory: &'a EngineFactory,
    /// The time limit of the search for a hint; `None` if the limits of engines alone end it.
    hint_time_limit: Option<Duration>,
    /// Whether a person has used help.
    is_helped: Rc<Cell<bool>>,
}

impl LocalPlayer {
    /// Creates the player that began on the side `started_as`.
    fn new(
        spec: &GamePlayerSpec,
        name: &str,
        started_as: Side,
        options: &LocalPlayerOptions,
    ) -> Result<Self, CliError> {
        let spec = match spec {
            GamePlayerSpec::Program(spec) => {
                let program = PlainProgram::new(spec, name, started_as)?;
                return Ok(Self::Program(Box::new(program)));
            }
            GamePlayerSpec::Local(spec) => *spec,
        };
        let seed = match started_as {
            Side::South => options.seed,
            // Two random players must not make the same choices.
            Side::North => !options.seed,
        };
        if let Some(player) = spec.build_player(name, seed, options.engine_factory) {
            return Ok(Self::Builtin(player));
        }
        let echo = if io::stdin().is_terminal() {
            Echo::Off
        } else {
            Echo::On
        };
        let save_files = Rc::clone(&options.save_files);
        let human = HumanPlayer::new(name, StdinLines::new(), anstream::stdout())
            .labels(options.labels)
            .palette(options.palette)
            .echo(echo)
            .width(output_width())
            .hint_source({
                let mut source =
                    hint_source(options.engine_factory.clone(), options.hint_time_limit);
                let is_helped = Rc::clone(&options.is_helped);
                move |position| {
                    is_helped.set(true);
                    source(position)
                }
            })
            .save_handler(move |game, path| save_files.borrow_mut().save(game, None, &[], path));
        Ok(Self::Human(Box::new(human)))
    }

    /// Returns the action of a player that is no program.
    fn player_action(&mut self, game: &Game, limit: Duration) -> PlayerAction {
        match self {
            Self::Human(human) => human.next_action(game, limit),
            Self::Builtin(player) => player.next_action(game, limit),
            Self::Program(_) => PlayerAction::NoMove,
        }
    }

    /// Prints the lines of a program's standard error that are not printed yet.
    fn print_messages(&self) {
        if let Self::Program(program) = self {
            program.print_messages();
        }
    }

    /// Returns and clears the input or output error because of which a person left the game.
    fn take_error(&mut self) -> Option<CliError> {
        match self {
            Self::Human(human) => human.take_error().map(CliError::from),
            Self::Builtin(_) | Self::Program(_) => None,
        }
    }
}

/// Returns a function that finds hints within `limit`, a time, and the limits of the engines.
fn hint_source(
    engine_factory: EngineFactory,
    limit: Option<Duration>,
) -> impl FnMut(&Position) -> Option<Hint> {
    let origin = Instant::now();
    let limits = Limits {
        time: limit,
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
