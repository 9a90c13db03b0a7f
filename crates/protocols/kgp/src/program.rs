//! The programs that clients of the Kalah Game Protocol start, as programs that play.

use std::time::{Duration, Instant};

use kalah::{Game, Move, MoveTime, Position, Rules, Side};
use kalah_players::{
    EngineProcess, EngineProtocol, MoveLimits, ParticipantFailure, Program, ProgramSpec, Shutdown,
};

use crate::child::{ChildMove, format_child_state};
use crate::message::KgpBoard;

/// A program that reads a board of the Kalah Game Protocol and prints house numbers.
///
/// It is started for each state, as clients of the Kalah Game Protocol do it. It prints any number
/// of answers until it exits or is killed, and the last answer counts.
struct KgpChild {
    spec: ProgramSpec,
    shutdown: Shutdown,
}

/// The protocol of the programs that a client of the Kalah Game Protocol starts.
pub static KGP_CHILD: EngineProtocol = EngineProtocol {
    name: "kgp-child",
    required_rules: Some(Rules::STANDARD),
    plain_start: None,
    supports_node_limit: false,
    has_handshake: false,
    parse_option: None,
    create: |spec, shutdown| Box::new(KgpChild { spec, shutdown }),
};

impl KgpChild {
    /// Starts the program for `position`.
    fn start(&self, position: &Position) -> Result<EngineProcess, ParticipantFailure> {
        let mut process = EngineProcess::start(&self.spec.command, &self.shutdown)?;
        process.send(&format_child_state(&KgpBoard::from(position)).trim_end());
        process.close_input();
        Ok(process)
    }
}

impl Program for KgpChild {
    fn check_starts(&mut self, start: &Position) -> Result<(), ParticipantFailure> {
        self.start(start)?.check_runs()
    }

    fn start_game(&mut self, _started_as: Side) -> Result<(), ParticipantFailure> {
        Ok(())
    }

    /// A program with an answer before the time limit is killed at the limit, and is not late. A
    /// program without one can still answer until the timeout.
    fn choose_move(
        &mut self,
        game: &Game,
        limits: &MoveLimits,
    ) -> Result<(Move, Duration), ParticipantFailure> {
        let position = game.position();
        let start = Instant::now();
        let mut process = self.start(position)?;
        let time = (limits.time_for_move(position)).map_or(limits.timeout, MoveTime::planned);
        let mut last: Option<(Move, Duration)> = None;
        loop {
            let is_over = start.elapsed() >= time;
            let (line, mv) = match (last, is_over) {
                (Some((mv, answered)), true) => return Ok((mv, answered.max(time))),
                (Some((mv, _)), false) => (process.read_line(start, time), Some(mv)),
                (None, _) => (process.read_line(start, limits.timeout), None),
            };
            let line = match (line, mv) {
                (
                    Err(ParticipantFailure::Crash { .. } | ParticipantFailure::Stall { .. }),
                    Some(mv),
                ) => {
                    return Ok((mv, start.elapsed().min(time)));
                }
                (line, _) => line?,
            };
            if !line.trim().is_empty() {
                let answer: Result<ChildMove, _> = line.parse();
                let ChildMove(house) = answer.map_err(|reason| {
                    ParticipantFailure::invalid_house(&line, line.trim())
                        .unwrap_or_else(|| ParticipantFailure::ProtocolError(reason.to_string()))
                })?;
                last = Some((Move::Sow(house), start.elapsed()));
            }
        }
    }

    fn shut_down(&mut self) {}
}
