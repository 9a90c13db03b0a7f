//! Programs that read a board of the Kalah Game Protocol and print house numbers.

use std::time::{Duration, Instant};

use kalah::{Move, Position};
use kalah_protocols::kgp::{ChildMove, KgpBoard, format_child_state};

use super::failure::ParticipantFailure;
use super::program::EngineProcess;
use crate::{MoveLimits, ProgramSpec, Shutdown};

/// A program that is started for each state, as clients of the Kalah Game Protocol do it: it answers any number of
/// times until it ends or is ended, and the last answer counts.
pub(super) struct KgpChild {
    spec: ProgramSpec,
    shutdown: Shutdown,
}

impl KgpChild {
    pub(super) fn new(spec: ProgramSpec, shutdown: Shutdown) -> Self {
        Self { spec, shutdown }
    }

    /// Starts it, for it to look at a position.
    pub(super) fn start(&self, position: &Position) -> Result<EngineProcess, ParticipantFailure> {
        let mut program = EngineProcess::start(&self.spec.command, &self.shutdown)?;
        program.send(&format_child_state(&KgpBoard::from(position)).trim_end());
        program.close_input();
        Ok(program)
    }

    /// Its choice and the time that this took: who answers in time is ended when the time is over, and not late.
    pub(super) fn choose_move(
        &self,
        position: &Position,
        turn: &MoveLimits,
    ) -> Result<(Move, Duration), ParticipantFailure> {
        let asked = Instant::now();
        let mut program = self.start(position)?;
        let limit = turn.time_for_move(position).unwrap_or(turn.timeout);
        let mut last: Option<(Move, Duration)> = None;
        loop {
            let is_over = asked.elapsed() >= limit;
            let (line, mv) = match (last, is_over) {
                (Some((mv, at)), true) => return Ok((mv, at.max(limit))),
                (Some((mv, _)), false) => (program.read_line(asked, limit), Some(mv)),
                (None, _) => (program.read_line(asked, turn.timeout), None),
            };
            let line = match (line, mv) {
                (
                    Err(ParticipantFailure::Crash { .. } | ParticipantFailure::Stall { .. }),
                    Some(mv),
                ) => {
                    return Ok((mv, asked.elapsed().min(limit)));
                }
                (line, _) => line?,
            };
            if !line.trim().is_empty() {
                let answer: Result<ChildMove, _> = line.parse();
                let ChildMove(house) = answer.map_err(|reason| {
                    ParticipantFailure::invalid_house(&line, line.trim())
                        .unwrap_or_else(|| ParticipantFailure::ProtocolError(reason.to_string()))
                })?;
                last = Some((Move::Sow(house), asked.elapsed()));
            }
        }
    }
}
