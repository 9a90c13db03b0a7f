use std::time::{Duration, Instant};

use kalah::{Move, Position};
use kalah_protocols::kgp::{Board, ChildAnswer, child_state};

use super::clock::Turn;
use super::fault::Fault;
use super::program::Program;
use crate::ProgramSpec;
use crate::interrupt::Interrupt;

/// A program that is started for each state, as clients of the Kalah Game Protocol do it: it answers any number of
/// times until it ends or is ended, and the last answer counts.
pub(super) struct KgpChild {
    spec: ProgramSpec,
    interrupt: Interrupt,
}

impl KgpChild {
    pub(super) fn new(spec: ProgramSpec, interrupt: Interrupt) -> Self {
        Self { spec, interrupt }
    }

    /// Starts it, for it to look at a position.
    pub(super) fn start(&self, position: &Position) -> Result<Program, Fault> {
        let mut program = Program::start(&self.spec.command, &self.interrupt)?;
        program.tell(&child_state(&Board::from(position)).trim_end());
        program.close_input();
        Ok(program)
    }

    /// Its choice and the time that this took: who answers in time is ended when the time is over, and not late.
    pub(super) fn choose(
        &self,
        position: &Position,
        turn: &Turn,
    ) -> Result<(Move, Duration), Fault> {
        let asked = Instant::now();
        let mut program = self.start(position)?;
        let limit = turn.allotted(position).unwrap_or(turn.patience);
        let mut last: Option<(Move, Duration)> = None;
        loop {
            let is_over = asked.elapsed() >= limit;
            let (line, choice) = match (last, is_over) {
                (Some((choice, at)), true) => return Ok((choice, at.max(limit))),
                (Some((choice, _)), false) => (program.line(asked, limit), Some(choice)),
                (None, _) => (program.line(asked, turn.patience), None),
            };
            let line = match (line, choice) {
                (Err(Fault::Crash { .. } | Fault::Stall { .. }), Some(choice)) => {
                    return Ok((choice, asked.elapsed().min(limit)));
                }
                (line, _) => line?,
            };
            if !line.trim().is_empty() {
                let answer: Result<ChildAnswer, _> = line.parse();
                let ChildAnswer(house) = answer.map_err(|reason| {
                    Fault::no_house(&line, line.trim())
                        .unwrap_or_else(|| Fault::Protocol(reason.to_string()))
                })?;
                last = Some((Move::Sow(house), asked.elapsed()));
            }
        }
    }
}
