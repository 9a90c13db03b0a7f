//! The checks of programs that speak UKI.

use std::time::{Duration, Instant};

use kalah::{Game, Move, Position, Quoted, format_number};
use kalah_arena::MIN_SLOW_START;
use kalah_players::MAX_LINE_BYTES;
use kalah_uki::{
    EngineMessage, OneLine, ParseUkiError, PositionForm, is_ponder_option, is_position_option,
};

use super::CheckContext;
use super::positions::{PositionResults, RandomGames, prefixes};
use super::report::BotReport;
use super::session::{CheckStep, ProgramSession, SessionError, WrittenLine, describe_too_long};

/// The time of the checks of the time.
const CHECKED_TIME: Duration = Duration::from_millis(500);

/// The number of faults after which no further position is tried.
const MAX_FAULTS: usize = 3;

/// Lines that are no messages, or that no program can obey.
const GARBAGE: [&str; 5] = [
    "",
    "  \t ",
    "sing a song",
    "position <6,garbage> s",
    "position startpos 6x4 rules cs32 moves F F F",
];

/// The lines of a program that are no messages, which the arena skips.
#[derive(Debug, Default)]
pub(super) struct IgnoredLines {
    count: u64,
    first: String,
}

impl IgnoredLines {
    fn add(&mut self, line: &str) {
        if self.count == 0 {
            line.clone_into(&mut self.first);
        }
        self.count += 1;
    }

    /// Adds a note to the report if there are any.
    fn report(&self, report: &mut BotReport) {
        if self.count > 0 {
            let first = Quoted::new(&self.first);
            let count = format_number(self.count);
            let note = format!("{count} that are no messages, the first one {first}");
            report.add_ok("ignored lines", note);
        }
    }
}

/// An answer that is due, and the time for it.
struct DueAnswer<'a> {
    expected: &'a str,
    asked: Instant,
    timeout: Duration,
}

impl<'a> DueAnswer<'a> {
    /// Returns the answer to the lines that the program has just received.
    fn new(session: &ProgramSession, expected: &'a str) -> Self {
        Self {
            expected,
            asked: Instant::now(),
            timeout: session.wait(),
        }
    }

    /// Returns the time that is left.
    fn left(&self) -> Duration {
        self.timeout.saturating_sub(self.asked.elapsed())
    }
}

/// An engine after its handshake.
struct CheckedEngine {
    session: ProgramSession,
    form: PositionForm,
    start_time: Duration,
}

/// The checks that every engine has, in their order.
const CHECKS: [&str; 9] = [
    "handshake",
    "start time",
    "positions",
    "time for a move",
    "clock",
    "stop",
    "garbage in",
    "quit",
    "end of input",
];

/// Runs the checks.
pub(super) fn check(context: &CheckContext, report: &mut BotReport) -> Result<(), SessionError> {
    if !run_checks(context, report)? {
        report.add_not_run(&CHECKS);
    }
    context.ignored_lines.borrow().report(report);
    Ok(())
}

/// Runs the checks up to a fault after which the program cannot be asked further. Returns whether
/// there was no such fault.
fn run_checks(context: &CheckContext, report: &mut BotReport) -> Result<bool, SessionError> {
    let mut engine = match CheckedEngine::start(context)? {
        Ok(engine) => engine,
        Err(fault) => {
            report.add("handshake", "", Err(fault));
            return Ok(false);
        }
    };
    let form = match engine.form {
        PositionForm::Moves => "receives moves",
        PositionForm::Now => "receives positions",
    };
    report.add_ok("handshake", form);
    report.add_ok("start time", describe_start(engine.start_time));
    if !check_positions(context, report, &mut engine)? || context.is_silent() {
        return Ok(false);
    }
    let result = engine.check_time(
        context,
        &format!("go movetime {}", CHECKED_TIME.as_millis()),
    );
    report.add("time for a move", "", result?);
    let clock = CHECKED_TIME.as_millis();
    let go = format!("go stime {clock} ntime {clock} sinc 0 ninc 0");
    report.add("clock", "", engine.check_time(context, &go)?);
    if context.is_silent() {
        return Ok(false);
    }
    if !report.add("stop", "", engine.check_stop(context)?) {
        return Ok(false);
    }
    if !report.add("garbage in", "", engine.check_garbage(context)?) {
        return Ok(false);
    }
    engine.session.send("quit");
    report.add("quit", "", engine.session.expect_exit());
    match CheckedEngine::start(context)? {
        Ok(mut engine) => {
            engine.session.close_input();
            report.add("end of input", "", engine.session.expect_exit());
        }
        Err(fault) => {
            report.add("second start", "", Err(fault));
        }
    }
    Ok(true)
}

/// Describes the time of a start. Clocks run from the end of the handshake.
fn describe_start(time: Duration) -> String {
    let note = format!("{} ms", time.as_millis());
    if time < MIN_SLOW_START {
        return note;
    }
    format!("{note}, which the time for moves does not include")
}

/// Checks a move in each position. Returns whether the program can be asked further.
fn check_positions(
    context: &CheckContext,
    report: &mut BotReport,
    engine: &mut CheckedEngine,
) -> Result<bool, SessionError> {
    let mut games = RandomGames::new(
        context.arguments.board.clone(),
        context.rules(),
        context.arguments.seed,
    );
    let mut results = PositionResults::new();
    let mut ended = Ok(());
    let (mut checked, mut faults, mut finished) = (0, 0, 0);
    while checked < context.arguments.positions && faults < MAX_FAULTS && !context.is_silent() {
        let game = games.next_game().map_err(SessionError::Start)?;
        if let Err(fault) = engine.new_game(context)? {
            report.add("new game", "", Err(fault));
            return Ok(false);
        }
        for prefix in prefixes(&game) {
            let is_last = checked == context.arguments.positions || faults == MAX_FAULTS;
            if is_last || context.is_silent() {
                break;
            }
            let result = engine.check_move(context, &prefix)?;
            if prefix.position().is_over() {
                finished += 1;
                if let (Err(fault), Ok(())) = (result, &ended) {
                    faults += 1;
                    ended = Err(fault);
                }
                continue;
            }
            checked += 1;
            results.add(&prefix, result.as_ref().copied());
            if result.is_err() {
                faults += 1;
                if context.is_silent() {
                    break;
                }
                // The program may have ended.
                match CheckedEngine::start(context)? {
                    Ok(restarted) => *engine = restarted,
                    Err(fault) => {
                        results.report(report);
                        report.add("second start", "", Err(fault));
                        return Ok(false);
                    }
                }
            }
        }
    }
    results.report(report);
    if finished > 0 {
        report.add("ended games", finished.to_string(), ended);
    }
    Ok(true)
}

impl CheckedEngine {
    /// Starts the program, and waits until it is ready.
    fn start(context: &CheckContext) -> CheckStep<Self> {
        let session = context.start_program()?;
        let mut engine = Self {
            session,
            form: PositionForm::default(),
            start_time: Duration::ZERO,
        };
        engine.session.send("uki");
        let mut is_form_declared = false;
        let due = DueAnswer::new(&engine.session, "ukiok");
        loop {
            let message = engine.read_message(context, &due)?;
            match message {
                Err(fault) => return Ok(Err(fault)),
                Ok(EngineMessage::UkiOk) => break,
                Ok(EngineMessage::Option(option)) => {
                    if let Some(form) = PositionForm::declared_by(&option) {
                        engine.form = form;
                        is_form_declared = true;
                    }
                }
                Ok(_) => {}
            }
        }
        for option in &context.program.options {
            if is_position_option(&option.name) {
                engine.form = PositionForm::from_word(&option.value).unwrap_or_default();
                if !is_form_declared {
                    continue;
                }
            }
            // The checks have no turns of an opponent.
            if is_ponder_option(&option.name) {
                continue;
            }
            let line = format!("setoption name {} value {}", option.name, option.value);
            engine.session.send(&line);
        }
        let ready = engine.wait_until_ready(context)?;
        Ok(ready.map(|()| {
            engine.start_time = engine.session.note_started();
            engine
        }))
    }

    /// Returns the next message. Lines that are none are noted and skipped, as the arena does.
    fn read_message(
        &mut self,
        context: &CheckContext,
        due: &DueAnswer,
    ) -> CheckStep<EngineMessage> {
        loop {
            let line = match self.session.read(due.left(), due.expected)? {
                Ok(WrittenLine::Text(line)) => line,
                Ok(WrittenLine::TooLong) => {
                    let text = describe_too_long();
                    context.ignored_lines.borrow_mut().add(&text);
                    continue;
                }
                Err(fault) => return Ok(Err(fault)),
            };
            match line.parse() {
                Ok(message) => return Ok(Ok(message)),
                Err(ParseUkiError::Empty(_)) => {}
                Err(reason) if line.trim_start().starts_with("bestmove") => {
                    return Ok(Err(self.session.fault(due.expected, reason.to_string())));
                }
                Err(_) => context.ignored_lines.borrow_mut().add(&line),
            }
        }
    }

    /// Sends `isready` behind valid lines, and waits for its answer.
    fn wait_until_ready(&mut self, context: &CheckContext) -> CheckStep<()> {
        self.wait_until_ready_after(LinesBefore::Valid, context)
    }

    /// Sends `isready`, and waits for its answer. Valid lines before it may not be refused.
    fn wait_until_ready_after(
        &mut self,
        lines: LinesBefore,
        context: &CheckContext,
    ) -> CheckStep<()> {
        const EXPECTED: &str = "readyok";
        self.session.send("isready");
        let due = DueAnswer::new(&self.session, EXPECTED);
        loop {
            match self.read_message(context, &due)? {
                Err(fault) => return Ok(Err(fault)),
                Ok(EngineMessage::ReadyOk) => return Ok(Ok(())),
                Ok(EngineMessage::Error(reason)) if lines == LinesBefore::Valid => {
                    let actual = describe_refusal(&reason);
                    return Ok(Err(self.session.fault(EXPECTED, actual)));
                }
                Ok(EngineMessage::BestMove(_)) => {
                    let fault = self
                        .session
                        .fault(EXPECTED, "a bestmove that no go has asked for");
                    return Ok(Err(fault));
                }
                Ok(_) => {}
            }
        }
    }

    fn new_game(&mut self, context: &CheckContext) -> CheckStep<()> {
        self.session.send("newgame");
        self.wait_until_ready(context)
    }

    /// Checks the answer in the last position of a game.
    fn check_move(&mut self, context: &CheckContext, game: &Game) -> CheckStep<()> {
        let line = self.form.position_line(game);
        self.session.send(&line);
        let time = context.arguments.time.get().as_millis();
        self.session.send(&format!("go movetime {time}"));
        let answer = self.wait_for_move(context, game)?;
        Ok(answer.map(|_| ()))
    }

    /// Waits for a legal answer to `go`.
    fn wait_for_move(&mut self, context: &CheckContext, game: &Game) -> CheckStep<Option<Move>> {
        let position = game.position();
        let expected = describe_answers(position);
        let due = DueAnswer::new(&self.session, &expected);
        let best_move = loop {
            match self.read_message(context, &due)? {
                Err(fault) => return Ok(Err(fault)),
                Ok(EngineMessage::BestMove(best_move)) => break best_move,
                Ok(EngineMessage::Error(reason)) => {
                    let actual = describe_refusal(&reason);
                    return Ok(Err(self.session.fault(&expected, actual)));
                }
                Ok(_) => {}
            }
        };
        let Some(best_move) = best_move else {
            return Ok(if position.is_over() {
                Ok(None)
            } else {
                Err(self
                    .session
                    .fault(&expected, "none, although the game is not over"))
            });
        };
        let side = position.to_move();
        let actual = match best_move.for_side(side) {
            _ if position.is_over() => "a move, although the game is over".to_owned(),
            None => format!("{best_move} is no move of {side}"),
            Some(mv) => match position.check_legal(mv) {
                Ok(()) => return Ok(Ok(Some(mv))),
                Err(reason) => format!("{best_move} is illegal: {reason}"),
            },
        };
        Ok(Err(self.session.fault(&expected, actual)))
    }

    /// Checks that the answer to `go` at a start comes within [`CHECKED_TIME`] and the grace.
    fn check_time(&mut self, context: &CheckContext, go: &str) -> CheckStep<()> {
        let game = start_game(context)?;
        if let Err(fault) = self.new_game(context)? {
            return Ok(Err(fault));
        }
        let line = self.form.position_line(&game);
        self.session.send(&line);
        self.session.send(go);
        let start = Instant::now();
        if let Err(fault) = self.wait_for_move(context, &game)? {
            return Ok(Err(fault));
        }
        let elapsed = start.elapsed();
        let limit = CHECKED_TIME.saturating_add(context.arguments.grace.get());
        Ok(if elapsed <= limit {
            Ok(())
        } else {
            let expected = format!("an answer within {} ms", CHECKED_TIME.as_millis());
            let actual = format!("an answer after {} ms", elapsed.as_millis());
            Err(self.session.fault(&expected, actual))
        })
    }

    /// Checks that `stop` ends a search, and that a search has one answer.
    fn check_stop(&mut self, context: &CheckContext) -> CheckStep<()> {
        let game = start_game(context)?;
        let line = self.form.position_line(&game);
        self.session.send(&line);
        self.session.send("go infinite");
        self.session.send("stop");
        if let Err(fault) = self.wait_for_move(context, &game)? {
            return Ok(Err(fault));
        }
        self.wait_until_ready(context)
    }

    /// Checks that the program goes on after lines that are no messages.
    fn check_garbage(&mut self, context: &CheckContext) -> CheckStep<()> {
        let too_long = "x".repeat(MAX_LINE_BYTES + 1);
        for line in GARBAGE.into_iter().chain([&*too_long]) {
            self.session.send(line);
            if let Err(fault) = self.wait_until_ready_after(LinesBefore::Invalid, context)? {
                return Ok(Err(fault));
            }
        }
        let game = start_game(context)?;
        self.check_move(context, &game)
    }
}

/// The lines that a program has received before `isready`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinesBefore {
    Valid,
    Invalid,
}

fn describe_refusal(reason: &OneLine) -> String {
    format!("the program refuses a valid line: {}", reason.as_str())
}

/// The board of the checks other than that of positions.
const DEFAULT_BOARD: (u8, u64) = (6, 4);

/// Returns a game that has just begun.
fn start_game(context: &CheckContext) -> Result<Game, SessionError> {
    let rules = context.arguments.rules.unwrap_or_default();
    let (houses, seeds) = DEFAULT_BOARD;
    let start = match &context.arguments.board {
        Some(setup) => setup.clone().position(rules),
        None => Position::start(houses, seeds, rules),
    };
    let start = start.map_err(|reason| SessionError::Start(reason.to_string()))?;
    Ok(Game::new(start))
}

/// Returns the valid answers in a position.
fn describe_answers(position: &Position) -> String {
    let side = position.to_move();
    let moves: Vec<String> = position.legal_moves().map(|mv| mv.text(side)).collect();
    if moves.is_empty() {
        "bestmove none".to_owned()
    } else {
        format!("bestmove and one of {}", moves.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_starts_are_not_part_of_the_time_for_moves() {
        let [fast, slow] = [99, 7643].map(|time| describe_start(Duration::from_millis(time)));
        assert_eq!(fast, "99 ms");
        assert_eq!(slow, "7643 ms, which the time for moves does not include");
    }
}
