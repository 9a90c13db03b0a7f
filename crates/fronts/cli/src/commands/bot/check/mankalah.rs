//! The checks of agents of Manchester's protocol.

use kalah::{Game, Move, Player as _, Position, Rules, Side};
use kalah_engine::RandomPlayer;
use kalah_mankalah::{AgentMessage, HOUSES, MankalahBoard, MankalahEngineMessage, NextTurn, SEEDS};
use std::time::Duration;

use super::CheckContext;
use super::positions::PositionResults;
use super::report::BotReport;
use super::session::{CheckStep, ProgramSession, SessionError};

/// The number of faults after which no further game is played.
const MAX_FAULTS: usize = 3;

/// The checks that every agent has, in their order.
const CHECKS: [&str; 2] = ["positions", "end of input"];

/// Plays games against random moves, on both sides by turns, until the agent has made enough moves.
pub(super) fn check(context: &CheckContext, report: &mut BotReport) -> Result<(), SessionError> {
    let mut results = PositionResults::new();
    let mut ends = Ok(());
    let (mut checked, mut faults, mut games, mut finished) = (0, 0, 0, 0);
    while checked < context.arguments.positions && faults < MAX_FAULTS && !context.is_silent() {
        let side = if games % 2 == 0 {
            Side::South
        } else {
            Side::North
        };
        let seed = context.arguments.seed.wrapping_add(games);
        games += 1;
        let mut left = context.arguments.positions - checked;
        let before = left;
        let mut session = context.start_program()?;
        let is_faultless = play(&mut session, side, seed, &mut left, &mut results)?;
        checked += before - left;
        if !is_faultless {
            faults += 1;
        } else if left > 0 {
            finished += 1;
            session.send(&MankalahEngineMessage::End.to_string());
            session.close_input();
            let end = session.expect_exit();
            if ends.is_ok() && end.is_err() {
                faults += 1;
                ends = end;
            }
        }
    }
    results.report(report);
    if finished > 0 {
        report.add("ended games", finished.to_string(), ends);
    }
    if context.is_silent() {
        report.add_not_run(&CHECKS);
        return Ok(());
    }
    let mut session = context.start_program()?;
    session.close_input();
    report.add("end of input", "", session.expect_exit());
    Ok(())
}

/// Plays a game in which the agent begins on `side`, until it ends or the agent has made `left`
/// moves. Returns whether the agent has no fault.
fn play(
    session: &mut ProgramSession,
    side: Side,
    seed: u64,
    left: &mut u64,
    results: &mut PositionResults,
) -> Result<bool, SessionError> {
    let start = Position::start(HOUSES, SEEDS, Rules::MANKALAH);
    let start = start.map_err(|reason| SessionError::Start(reason.to_string()))?;
    let mut game = Game::new(start);
    let mut opponent = RandomPlayer::new("random", seed);
    session.send(&MankalahEngineMessage::Start(side).to_string());
    while !game.position().is_over() && *left > 0 {
        let is_own = game.player_on(game.position().to_move()).started_as == side;
        let mv = if is_own {
            *left -= 1;
            let answer = read_move(session, game.position())?;
            results.add(&game, answer.as_ref().map(|_| ()));
            match answer {
                Ok(mv) => mv,
                Err(_) => return Ok(false),
            }
        } else {
            match opponent.choose_move(game.position(), Duration::ZERO) {
                Some(mv) => mv,
                None => break,
            }
        };
        if game.play(mv).is_err() {
            break;
        }
        // The protocol does not confirm the agent's own swap.
        if !(is_own && mv == Move::Swap) {
            let message = MankalahEngineMessage::Change {
                mv,
                board: MankalahBoard::from(game.position()),
                next: next_turn(&game, side),
            };
            session.send(&message.to_string());
        }
    }
    Ok(true)
}

/// Returns whose turn is next, for the agent that began on the side `started_as`.
fn next_turn(game: &Game, started_as: Side) -> NextTurn {
    let position = game.position();
    if position.is_over() {
        NextTurn::End
    } else if game.player_on(position.to_move()).started_as == started_as {
        NextTurn::You
    } else {
        NextTurn::Opponent
    }
}

/// Waits for a legal move.
fn read_move(session: &mut ProgramSession, position: &Position) -> CheckStep<Move> {
    let answers: Vec<String> = (position.legal_moves())
        .map(|mv| AgentMessage(mv).to_string())
        .collect();
    let expected = format!("one of {}", answers.join(", "));
    let line = match session.read_text(&expected)? {
        Ok(line) => line,
        Err(fault) => return Ok(Err(fault)),
    };
    session.note_started();
    let answer: Result<AgentMessage, _> = line.parse();
    let actual = match answer {
        Err(reason) => reason.to_string(),
        Ok(AgentMessage(mv)) => match position.check_legal(mv) {
            Ok(()) => return Ok(Ok(mv)),
            Err(reason) => format!("{line} is illegal: {reason}"),
        },
    };
    Ok(Err(session.fault(&expected, actual)))
}
