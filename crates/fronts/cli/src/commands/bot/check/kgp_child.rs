//! The checks of programs that a client of the Kalah Game Protocol starts for each move.

use std::time::{Duration, Instant};

use kalah::{Game, Move, Position};
use kalah_arena::MIN_SLOW_START;
use kalah_kgp::{ChildMove, KgpBoard, format_child_state};

use super::CheckContext;
use super::positions::{PositionResults, RandomGames, prefixes};
use super::report::BotReport;
use super::session::{CheckStep, SessionError};

/// The number of faults after which no further position is tried.
const MAX_FAULTS: usize = 3;

/// The checks that every program has, in their order.
const CHECKS: [&str; 4] = ["positions", "answer times", "garbage in", "end of input"];

/// Runs the checks, up to the answers that a silent program does not give.
pub(super) fn check(context: &CheckContext, report: &mut BotReport) -> Result<(), SessionError> {
    let mut games = RandomGames::new(
        context.arguments.board.clone(),
        context.rules(),
        context.arguments.seed,
    );
    let mut results = PositionResults::new();
    let mut slowest = Duration::ZERO;
    let (mut checked, mut faults) = (0, 0);
    while checked < context.arguments.positions && faults < MAX_FAULTS && !context.is_silent() {
        let game = games.next_game().map_err(SessionError::Start)?;
        for prefix in prefixes(&game).filter(|prefix| !prefix.position().is_over()) {
            let is_last = checked == context.arguments.positions || faults == MAX_FAULTS;
            if is_last || context.is_silent() {
                break;
            }
            checked += 1;
            let result = check_move(context, &prefix)?;
            results.add(&prefix, result.as_ref().map(|_| ()));
            match result {
                Ok(time) => slowest = slowest.max(time),
                Err(_) => faults += 1,
            }
        }
    }
    results.report(report);
    if slowest > Duration::ZERO {
        report.add_ok("answer times", describe_slowest(slowest));
    }
    for (name, line) in [("garbage in", "garbage"), ("end of input", "")] {
        if context.is_silent() {
            break;
        }
        report.add(name, "", send_and_end(context, line)?);
    }
    report.add_not_run(&CHECKS);
    Ok(())
}

/// Describes the slowest answer. The program starts for each move, and its time includes that.
fn describe_slowest(slowest: Duration) -> String {
    let note = format!("slowest {} ms, start included", slowest.as_millis());
    if slowest < MIN_SLOW_START {
        return note;
    }
    format!("{note}: a short --time loses games, since each move starts the program")
}

/// Checks the first answer in the last position of a game, and returns its time with the start of
/// the program.
fn check_move(context: &CheckContext, game: &Game) -> CheckStep<Duration> {
    let position = game.position();
    let start = Instant::now();
    let mut session = context.start_program()?;
    for line in format_child_state(&KgpBoard::from(position)).lines() {
        session.send(line);
    }
    session.close_input();
    let expected = describe_answers(position);
    let line = loop {
        match session.read_text(&expected)? {
            Err(fault) => return Ok(Err(fault)),
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => break line,
        }
    };
    session.note_started();
    let time = start.elapsed();
    let answer: Result<ChildMove, _> = line.parse();
    let actual = match answer {
        Err(reason) => reason.to_string(),
        Ok(ChildMove(house)) => match position.check_legal(Move::Sow(house)) {
            Ok(()) => return Ok(Ok(time)),
            Err(reason) => format!("{line} is illegal: {reason}"),
        },
    };
    Ok(Err(session.fault(&expected, actual)))
}

/// Checks that the program ends after a line that is no state.
fn send_and_end(context: &CheckContext, line: &str) -> CheckStep<()> {
    let mut session = context.start_program()?;
    session.send(line);
    session.close_input();
    let ended = session.expect_exit();
    if context.shutdown.is_requested() {
        return Err(SessionError::Interrupted);
    }
    Ok(ended)
}

/// Returns the valid answers in a position: houses from 0.
fn describe_answers(position: &Position) -> String {
    let houses: Vec<String> = (position.legal_houses())
        .map(|house| ChildMove(house).to_string())
        .collect();
    format!("one of {}", houses.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_starts_are_warned_about() {
        let [fast, slow] = [99, 100].map(|time| describe_slowest(Duration::from_millis(time)));
        assert_eq!(fast, "slowest 99 ms, start included");
        assert!(
            slow.starts_with("slowest 100 ms, start included: a short --time"),
            "{slow}"
        );
    }
}
