use std::io::{self, Write};
use std::time::{Duration, Instant};

use kalah::Rules;
use kalah_players::{InputLine, escape_truncated};
use kalah_protocols::mankalah::{Agent, AgentAction, MankalahEngineMessage};

use super::super::answerer::PlayerCache;
use super::super::print_warning;
use crate::{CliError, MankalahAgentArguments};

/// No answer takes more than so many parts of the time that is left for the game: on 7x7 a player has some
/// thirty answers to give.
const PARTS_OF_GAME_TIME: u32 = 20;

pub(super) fn run(
    arguments: &MankalahAgentArguments,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let mut agent = Agent::new(arguments.board.playable(Rules::MANKALAH)?);
    let mut answerer = PlayerCache::new(&arguments.program);
    let mut used = Duration::ZERO;
    let mut input = io::stdin().lock();
    loop {
        let line = match InputLine::read(&mut input).map_err(CliError::Input)? {
            InputLine::Text(line) => line,
            InputLine::TooLong | InputLine::NotUtf8 => {
                print_warning("a line is no message of an engine, and passed over");
                continue;
            }
            InputLine::End => return Ok(()),
        };
        let began = Instant::now();
        let message = match line.parse::<MankalahEngineMessage>() {
            Ok(message) => message,
            Err(reason) => {
                print_warning(&reason.to_string());
                continue;
            }
        };
        if matches!(message, MankalahEngineMessage::Start(_)) {
            used = Duration::ZERO;
        }
        match agent.handle_message(&message) {
            Ok(AgentAction::ChooseMove(position)) => {
                let left = arguments.game_time.get().saturating_sub(used);
                let limit = arguments.time.get().min(left / PARTS_OF_GAME_TIME);
                if let Some(mv) = answerer.choose_move(&position, limit)? {
                    writeln!(output, "{}", agent.play(mv))?;
                    output.flush()?;
                }
                used += began.elapsed();
            }
            Ok(AgentAction::Wait) => {}
            Ok(AgentAction::Exit) => return Ok(()),
            Err(reason) => print_warning(&format!("`{}`: {reason}", escape_truncated(&line))),
        }
    }
}
