use std::io::{self, Write};
use std::time::{Duration, Instant};

use kalah::Rules;
use kalah_protocols::mankalah::{Agent, EngineMessage, Heard};

use super::super::answerer::Answerer;
use super::super::warn;
use crate::line::Line;
use crate::shown::shown;
use crate::{Failure, MankalahAgentArguments};

/// No answer takes more than so many parts of the time that is left for the game: on 7x7 a player has some
/// thirty answers to give.
const PARTS_OF_GAME_TIME: u32 = 20;

pub(super) fn run(
    arguments: &MankalahAgentArguments,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    let mut agent = Agent::new(arguments.board.playable(Rules::MANKALAH)?);
    let mut answerer = Answerer::new(&arguments.program);
    let mut used = Duration::ZERO;
    let mut input = io::stdin().lock();
    loop {
        let line = match Line::read(&mut input).map_err(Failure::Input)? {
            Line::Text(line) => line,
            Line::TooLong | Line::NotText => {
                warn("a line is no message of an engine, and passed over");
                continue;
            }
            Line::End => return Ok(()),
        };
        let began = Instant::now();
        let message = match line.parse::<EngineMessage>() {
            Ok(message) => message,
            Err(reason) => {
                warn(&reason.to_string());
                continue;
            }
        };
        if matches!(message, EngineMessage::Start(_)) {
            used = Duration::ZERO;
        }
        match agent.hear(&message) {
            Ok(Heard::Asked(position)) => {
                let left = arguments.game_time.get().saturating_sub(used);
                let limit = arguments.time.get().min(left / PARTS_OF_GAME_TIME);
                if let Some(choice) = answerer.choose(&position, limit)? {
                    writeln!(output, "{}", agent.answer(choice))?;
                    output.flush()?;
                }
                used += began.elapsed();
            }
            Ok(Heard::Wait) => {}
            Ok(Heard::Ended) => return Ok(()),
            Err(reason) => warn(&format!("`{}`: {reason}", shown(&line))),
        }
    }
}
