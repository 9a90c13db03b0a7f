//! A program as a player of games in which plies can be undone, and its standard error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kalah::{Game, Move, MoveTime, Side};

use super::engine_protocol::Program;
use super::failure::ParticipantFailure;
use super::process::Shutdown;
use crate::game_player::GameProgramSpec;
use crate::move_limits::{MoveLimits, ThinkLimits};
use crate::time_control::TimeControl;

/// A program that plays a game at a terminal, whose plies a person can undo.
///
/// The program starts when its first move is needed. After a failure, and after plies were undone,
/// it starts anew for its next move.
pub struct ProgramPlayer {
    spec: GameProgramSpec,
    started_as: Side,
    program: Box<dyn Program + Send>,
    /// The game as the program knows it; `None` while the program plays none.
    known: Option<Game>,
    stderr: StderrLines,
}

/// The delay after its time after which a program counts as stalled.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);

/// The time to wait for an answer without a time for the move.
const UNTIMED_TIMEOUT: Duration = Duration::from_mins(10);

impl ProgramPlayer {
    /// Creates the player that began on the side `started_as`, whose program has not started yet.
    ///
    /// A request on `shutdown` aborts its moves with [`ParticipantFailure::Aborted`].
    pub fn new(spec: &GameProgramSpec, started_as: Side, shutdown: &Shutdown) -> Self {
        let stderr = StderrLines::default();
        let shutdown = shutdown.with_stderr(&stderr);
        let create = spec.program().protocol.create;
        Self {
            spec: spec.clone(),
            started_as,
            program: create(spec.program().clone(), shutdown),
            known: None,
            stderr,
        }
    }

    /// Returns the lines that the program writes to its standard error, also while it thinks.
    pub fn stderr(&self) -> StderrLines {
        self.stderr.clone()
    }

    /// Asks for a legal move within `time`, or within the time of the program's own if that is
    /// less.
    ///
    /// # Errors
    /// Returns the failure of a program without a legal answer. The program has ended then.
    pub fn choose_move(&mut self, game: &Game, time: MoveTime) -> Result<Move, ParticipantFailure> {
        let chosen = self.try_choose_move(game, time);
        if chosen.is_err() {
            self.shut_down();
        }
        chosen
    }

    /// Ends the program. The next move starts it again.
    pub fn shut_down(&mut self) {
        self.known = None;
        self.program.end_game();
        self.program.shut_down();
    }

    fn try_choose_move(&mut self, game: &Game, time: MoveTime) -> Result<Move, ParticipantFailure> {
        self.follow(game)?;
        let (mv, _) = self.program.choose_move(game, &self.limits(time))?;
        let position = game.position();
        position.check_legal(mv).map_err(|reason| {
            ParticipantFailure::illegal_move(mv.text(position.to_move()), reason)
        })?;
        Ok(mv)
    }

    fn limits(&self, time: MoveTime) -> MoveLimits {
        let mut think = ThinkLimits::default();
        let time = match self.spec.time_control() {
            Some(TimeControl::Nodes(nodes)) => {
                think.nodes = Some(nodes.get());
                None
            }
            Some(TimeControl::PerMove(own)) => Some(time.min(own).planned()),
            // A player has no clock of its own.
            Some(TimeControl::Clock(_)) | None => Some(time.planned()),
        };
        think.move_time = time;
        let timeout = time.map_or(UNTIMED_TIMEOUT, |time| time.saturating_add(STALL_TIMEOUT));
        MoveLimits {
            think,
            time,
            timeout,
        }
    }

    /// Informs the program of the plies that it does not know, after its start if it plays another
    /// game or one whose plies were undone.
    fn follow(&mut self, game: &Game) -> Result<(), ParticipantFailure> {
        let known = self.known.take().filter(|known| {
            known.start() == game.start() && game.plies().starts_with(known.plies())
        });
        let mut known = match known {
            Some(known) => known,
            None => self.start(game)?,
        };
        for ply in &game.plies()[known.plies().len()..] {
            let is_own_ply = known.player_on(ply.side).started_as == self.started_as;
            if known.play(ply.mv).is_err() {
                // The plies of a game are legal.
                break;
            }
            self.program.notify_ply(&known, self.started_as, is_own_ply);
        }
        self.known = Some(known);
        Ok(())
    }

    /// Starts the program for a game, and returns the part of the game that it knows: its start.
    fn start(&mut self, game: &Game) -> Result<Game, ParticipantFailure> {
        let start = Game::new(game.start().clone());
        let protocol = self.spec.program().protocol;
        let has_own_ply = (game.plies().iter().scan(start.clone(), |before, ply| {
            let player = before.player_on(ply.side);
            before.play(ply.mv).ok().map(|_| player)
        }))
        .any(|player| player.started_as == self.started_as);
        if protocol.plain_start.is_some() && has_own_ply {
            return Err(ParticipantFailure::ProtocolError(format!(
                "{} has no message for a position in which the program has moved already",
                protocol.name
            )));
        }
        self.program.end_game();
        self.program.start_game(self.started_as)?;
        Ok(start)
    }
}

impl Drop for ProgramPlayer {
    fn drop(&mut self) {
        self.shut_down();
    }
}

/// The maximum number of lines that are kept until they are taken.
const MAX_STDERR_LINES: usize = 200;

/// The maximum number of characters that are kept of a line.
const MAX_STDERR_LINE_CHARS: usize = 1000;

/// The lines that a program has written to its standard error and that were not taken yet: the last
/// 200, and the number of those before them. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct StderrLines(Arc<Mutex<PendingLines>>);

#[derive(Debug, Default)]
struct PendingLines {
    lines: VecDeque<String>,
    skipped: u64,
}

impl StderrLines {
    /// Takes the lines. If some are missing, the first one tells how many.
    pub fn take(&self) -> Vec<String> {
        let PendingLines { lines, skipped } = std::mem::take(&mut *self.pending());
        let note = (skipped > 0).then(|| format!("({skipped} lines are left out)"));
        note.into_iter().chain(lines).collect()
    }

    /// Adds a line, cut after 1,000 characters.
    pub(super) fn push(&self, line: &str) {
        let mut pending = self.pending();
        let line = line.chars().take(MAX_STDERR_LINE_CHARS).collect();
        pending.lines.push_back(line);
        if pending.lines.len() > MAX_STDERR_LINES {
            pending.lines.pop_front();
            pending.skipped += 1;
        }
    }

    fn pending(&self) -> MutexGuard<'_, PendingLines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_flood_are_left_out_with_their_number() {
        let lines = StderrLines::default();
        for number in 0..MAX_STDERR_LINES + 2 {
            lines.push(&number.to_string());
        }
        let taken = lines.take();
        assert_eq!(taken[..2], ["(2 lines are left out)", "2"]);
        assert_eq!(taken.len(), MAX_STDERR_LINES + 1);
        assert!(lines.take().is_empty());
        lines.push(&"x".repeat(MAX_STDERR_LINE_CHARS + 1));
        assert_eq!(lines.take(), ["x".repeat(MAX_STDERR_LINE_CHARS)]);
    }
}
