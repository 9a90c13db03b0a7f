//! A game of the program, followed over its WebSocket.

use std::time::Duration;

use kalah::{BySide, Game, Move, Side};
use kalah_api::{parse_move, parse_position};
use kalah_players::{MoveLimits, SideClocks, ThinkLimits};

use crate::messages::{ClockJson, EndingJson, GameStateJson};

/// The time after its limit at which the player counts as stalled.
const GRACE_PERIOD: Duration = Duration::from_secs(10);

/// A game as the client knows it.
#[derive(Debug)]
pub(crate) struct FollowedGame {
    pub(crate) game: Game,
    /// The side of the program.
    pub(crate) side: Side,
    clock: Option<ClockJson>,
    is_paused: bool,
    pub(crate) ending: Option<EndingJson>,
}

impl FollowedGame {
    /// Reads the state of a game.
    ///
    /// # Errors
    /// Returns the reason if it is no game of the program.
    pub(crate) fn new(state: GameStateJson) -> Result<Self, String> {
        let start = parse_position(Some(&state.rules), Some(&state.start));
        let mut followed = Self {
            game: Game::new(start.map_err(|error| error.to_string())?),
            side: state.you.ok_or("the program has no side in its game")?,
            clock: state.clock,
            is_paused: state.paused,
            ending: state.ending,
        };
        for mv in &state.plies {
            followed.play(mv)?;
        }
        Ok(followed)
    }

    /// Adds ply `number`, counted from 1. One that is known already changes only the clock.
    ///
    /// # Errors
    /// Returns the reason if the ply is illegal or another one is missing before it.
    pub(crate) fn add_ply(
        &mut self,
        number: usize,
        mv: &str,
        clock: Option<ClockJson>,
    ) -> Result<(), String> {
        if clock.is_some() {
            self.clock = clock;
        }
        let known = self.game.plies().len();
        if number <= known {
            return Ok(());
        }
        if number > known + 1 {
            return Err(format!("ply {number} came after ply {known}"));
        }
        self.play(mv)
    }

    fn play(&mut self, text: &str) -> Result<(), String> {
        let mv = parse_move(text, self.game.position()).map_err(|error| error.to_string())?;
        self.game
            .play(mv)
            .map_err(|reason| format!("move `{text}`: {reason}"))?;
        if mv == Move::Swap {
            // The state that follows says the same.
            self.side = self.side.opponent();
        }
        Ok(())
    }

    /// Returns whether the program is to move.
    pub(crate) fn is_own_turn(&self) -> bool {
        let position = self.game.position();
        self.ending.is_none()
            && !self.is_paused
            && !position.is_over()
            && position.to_move() == self.side
    }

    /// Returns the limits for the next move; `move_time` is that of a game without a clock.
    pub(crate) fn limits(&self, move_time: Duration) -> MoveLimits {
        let Some(clock) = &self.clock else {
            let think = ThinkLimits {
                move_time: Some(move_time),
                ..ThinkLimits::default()
            };
            return MoveLimits {
                think,
                time: Some(move_time),
                timeout: move_time.saturating_add(GRACE_PERIOD),
            };
        };
        let millis = Duration::from_millis;
        let left = BySide::new(millis(clock.south_ms), millis(clock.north_ms));
        let times = &clock.times;
        let increment = BySide::new(
            millis(times.south.increment_ms),
            millis(times.north.increment_ms),
        );
        let own = left[self.side];
        MoveLimits {
            think: ThinkLimits {
                clocks: Some(SideClocks { left, increment }),
                ..ThinkLimits::default()
            },
            time: Some(own),
            timeout: own.saturating_add(GRACE_PERIOD),
        }
    }
}
