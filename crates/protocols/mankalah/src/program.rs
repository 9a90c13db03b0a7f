//! Agents as programs that play: the engine of an agent's game, as Manchester calls the host.

use std::time::{Duration, Instant};

use kalah::{Game, Move, Position, Rules, Side};
use kalah_players::{
    EngineProcess, EngineProtocol, MoveLimits, ParticipantFailure, PlainStart, Program,
    ProgramSpec, Shutdown,
};

use crate::message::{AgentMessage, HOUSES, MankalahBoard, MankalahEngineMessage, NextTurn, SEEDS};

/// An agent of Manchester's protocol, which runs for one game.
struct MankalahAgent {
    spec: ProgramSpec,
    shutdown: Shutdown,
    /// `None` between games.
    process: Option<EngineProcess>,
}

/// The prefix of an agent's answer that names a house.
const MOVE_PREFIX: &str = "MOVE;";

/// The protocol of agents. It has no message for a position, so games have to begin at the start
/// that an agent expects.
pub static MANKALAH: EngineProtocol = EngineProtocol {
    name: "mankalah",
    required_rules: Some(Rules::MANKALAH),
    plain_start: Some(PlainStart {
        houses: HOUSES,
        seeds: SEEDS,
    }),
    supports_node_limit: false,
    has_handshake: false,
    parse_option: None,
    create: |spec, shutdown| {
        Box::new(MankalahAgent {
            spec,
            shutdown,
            process: None,
        })
    },
};

impl MankalahAgent {
    /// Starts the program on the side `started_as`.
    fn start(&self, started_as: Side) -> Result<EngineProcess, ParticipantFailure> {
        let process = EngineProcess::start(&self.spec, &self.shutdown)?;
        process.send(&MankalahEngineMessage::Start(started_as));
        Ok(process)
    }
}

impl Program for MankalahAgent {
    fn check_starts(&mut self, _start: &Position) -> Result<(), ParticipantFailure> {
        self.start(Side::South)?.check_runs()
    }

    fn start_game(&mut self, started_as: Side) -> Result<(), ParticipantFailure> {
        self.process = Some(self.start(started_as)?);
        Ok(())
    }

    fn choose_move(
        &mut self,
        _game: &Game,
        limits: &MoveLimits,
    ) -> Result<(Move, Duration), ParticipantFailure> {
        let start = Instant::now();
        let process = (self.process.as_mut()).ok_or_else(ParticipantFailure::not_running)?;
        let line = process.read_raw_line(start, limits.timeout)?;
        let message: Result<AgentMessage, _> = line.parse();
        let AgentMessage(mv) = message.map_err(|reason| {
            let number = line.strip_prefix(MOVE_PREFIX).unwrap_or_default();
            ParticipantFailure::invalid_house(&line, number)
                .unwrap_or_else(|| ParticipantFailure::ProtocolError(reason.to_string()))
        })?;
        Ok((mv, start.elapsed()))
    }

    /// Informs the agent of the ply, except of its own swap, which the protocol does not confirm.
    fn notify_ply(&mut self, game: &Game, started_as: Side, is_own_ply: bool) {
        if let (Some(process), Some(ply)) = (&self.process, game.plies().last())
            && !(is_own_ply && ply.mv == Move::Swap)
        {
            process.send(&MankalahEngineMessage::Change {
                mv: ply.mv,
                board: MankalahBoard::from(&ply.after),
                next: next_turn(game, started_as),
            });
        }
    }

    /// Ends the program, which runs for one game.
    fn end_game(&mut self) {
        if let Some(process) = self.process.take() {
            process.send(&MankalahEngineMessage::End);
            process.terminate();
        }
    }

    fn shut_down(&mut self) {
        self.end_game();
    }
}

/// Returns whose turn is next, for the agent that began on the side `started_as`.
fn next_turn(game: &Game, started_as: Side) -> NextTurn {
    let position = game.position();
    let side = if game.is_swapped() {
        started_as.opponent()
    } else {
        started_as
    };
    if position.is_over() {
        NextTurn::End
    } else if position.to_move() == side {
        NextTurn::You
    } else {
        NextTurn::Opponent
    }
}
