//! One game of a tournament between two participants, and the clocks of its players.

use std::time::Duration;

use kalah::{ByPlayer, BySide, Game, PlayerId, Position, Side};
use kalah_players::{MoveLimits, Participant, ParticipantFailure, TimeControl};
use kalah_protocols::uki::{Clocks, Go, Milliseconds};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::adjudicate::Adjudicator;
use crate::finished_game::{FinishedGame, ThinkTime};
use crate::game_end::GameEnd;
use crate::openings::Opening;
use crate::run::config::ArenaConfig;
use crate::schedule::{Encounter, Leg};

/// A game of a tournament that is to be played.
pub(super) struct MatchGame<'a> {
    pub(super) config: &'a ArenaConfig,
    pub(super) adjudicator: &'a Adjudicator,
    pub(super) encounter: Encounter,
    pub(super) leg: Leg,
    pub(super) opening: &'a Opening,
    /// Returns the time since any fixed moment.
    pub(super) clock: &'a (dyn Fn() -> Duration + Sync),
}

impl MatchGame<'_> {
    /// Plays the game. Returns `None` if a shutdown aborts it.
    pub(super) fn play(
        &self,
        mut participants: ByPlayer<&mut Participant>,
    ) -> Option<FinishedGame> {
        let mut game = self.opening.game().clone();
        let mut times = ByPlayer::<Vec<Duration>>::default();
        let end = self.play_plies(&mut game, &mut participants, &mut times);
        let side_at_fault = end.as_ref().and_then(GameEnd::side_at_fault);
        for player in PlayerId::ALL {
            // The participants of an aborted game may still be thinking.
            if end.is_none() || side_at_fault == Some(player.started_as) {
                participants[player].shut_down();
            } else {
                participants[player].end_game();
            }
        }
        let contestants = self.encounter.players(self.leg);
        Some(FinishedGame {
            encounter: self.encounter,
            leg: self.leg,
            names: BySide::from_fn(|side| self.config.name(contestants[side]).to_owned()),
            opening_plies: self.opening.game().plies().len(),
            game,
            end: end?,
            think_time: BySide::from_fn(|side| {
                let times = &times[PlayerId::new(side)];
                times.iter().copied().collect::<ThinkTime>()
            }),
        })
    }

    /// Requests moves until the game has ended, and appends the time of each to `times`.
    fn play_plies(
        &self,
        game: &mut Game,
        participants: &mut ByPlayer<&mut Participant>,
        times: &mut ByPlayer<Vec<Duration>>,
    ) -> Option<GameEnd> {
        for player in PlayerId::ALL {
            let seed = self.player_seed(player);
            if let Err(failure) = participants[player].start_game(player.started_as, seed) {
                return game_end(failure, player, game.position());
            }
        }
        let mut clock = MatchClock::new(self.config.time_control, self.config.grace);
        loop {
            if let Some(outcome) = game.outcome() {
                return Some(GameEnd::normal(outcome));
            }
            if let Some(margin) = self.adjudicator.proven_margin(game.position()) {
                return Some(GameEnd::adjudicated(margin));
            }
            let side = game.position().to_move();
            let player = game.player_on(side);
            let limits = clock.limits_for(player, game.is_swapped());
            let start = (self.clock)();
            let (mv, time) = match participants[player].choose_move(game, &limits) {
                Ok(answer) => answer,
                Err(failure) => {
                    times[player].push((self.clock)().saturating_sub(start));
                    return game_end(failure, player, game.position());
                }
            };
            times[player].push(time);
            if let Some(delay) = clock.charge(player, &limits, time) {
                return Some(GameEnd::TimeLoss {
                    by: player.started_as,
                    late_ms: milliseconds(delay),
                });
            }
            if let Err(reason) = game.play(mv) {
                let (by, answer) = (player.started_as, mv.text(side));
                return Some(GameEnd::illegal_move(by, answer, reason, game.position()));
            }
            for each in PlayerId::ALL {
                participants[each].notify_ply(game, each.started_as, each == player);
            }
        }
    }

    /// Returns the seed of the random choices of a player, which depends on the game and on the
    /// seed of the tournament.
    fn player_seed(&self, player: PlayerId) -> u64 {
        let side: u64 = match player.started_as {
            Side::South => 0,
            Side::North => 1,
        };
        let leg: u64 = match self.leg {
            Leg::First => 0,
            Leg::Second => 1,
        };
        let pair = u64::try_from(self.encounter.pair).unwrap_or(u64::MAX);
        let words = [pair, leg, side].map(u64::to_le_bytes);
        xxh3_64_with_seed(words.as_flattened(), self.config.tournament.seed)
    }
}

/// The clocks of both players of a game.
struct MatchClock {
    time_control: TimeControl,
    grace: Duration,
    remaining: ByPlayer<Duration>,
}

/// The delay after which a player counts as stalled rather than late.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);

/// The time to wait for an answer without a clock.
const UNTIMED_TIMEOUT: Duration = Duration::from_mins(10);

impl MatchClock {
    fn new(time_control: TimeControl, grace: Duration) -> Self {
        let remaining = match time_control {
            TimeControl::Clock { base, .. } => base,
            TimeControl::PerMove(time) => time,
            TimeControl::Nodes(_) => UNTIMED_TIMEOUT,
        };
        Self {
            time_control,
            grace,
            remaining: ByPlayer::new(remaining, remaining),
        }
    }

    /// Returns the limits of the next move of `player`. `is_swapped` tells whether the players have
    /// exchanged sides.
    fn limits_for(&self, player: PlayerId, is_swapped: bool) -> MoveLimits {
        let (go, time) = match self.time_control {
            TimeControl::PerMove(time) => {
                let go = Go {
                    move_time: Some(time.into()),
                    ..Go::default()
                };
                (go, Some(time))
            }
            TimeControl::Clock { increment, .. } => {
                // Engines receive the clocks by side.
                let remaining = self.remaining.by_side(is_swapped);
                let clocks = Clocks {
                    left: BySide::from_fn(|side| Milliseconds::from(remaining[side])),
                    increment: BySide::from_fn(|_| Milliseconds::from(increment)),
                };
                let go = Go {
                    clocks: Some(clocks),
                    ..Go::default()
                };
                (go, Some(self.remaining[player]))
            }
            TimeControl::Nodes(nodes) => {
                let go = Go {
                    nodes: Some(nodes.get()),
                    ..Go::default()
                };
                (go, None)
            }
        };
        let timeout = time.map_or(UNTIMED_TIMEOUT, |time| {
            time.saturating_add(self.grace)
                .saturating_add(STALL_TIMEOUT)
        });
        MoveLimits { go, time, timeout }
    }

    /// Charges the time of a move to the clock of `player`. Returns the delay of a move that
    /// exceeds its limit and the grace.
    fn charge(
        &mut self,
        player: PlayerId,
        limits: &MoveLimits,
        time: Duration,
    ) -> Option<Duration> {
        let limit = limits.time?;
        if let TimeControl::Clock { increment, .. } = self.time_control {
            self.remaining[player] = limit.saturating_sub(time).saturating_add(increment);
        }
        let is_late = time > limit.saturating_add(self.grace);
        is_late.then(|| time.saturating_sub(limit))
    }
}

/// Returns the end of a game in which `player` failed; `None` if the game was aborted.
fn game_end(failure: ParticipantFailure, player: PlayerId, position: &Position) -> Option<GameEnd> {
    let by = player.started_as;
    Some(match failure {
        ParticipantFailure::Aborted => return None,
        ParticipantFailure::IllegalMove { answer, reason } => GameEnd::IllegalMove {
            by,
            answer,
            reason,
            position: position.to_string(),
        },
        ParticipantFailure::Crash {
            status,
            stderr_tail,
        } => GameEnd::Crash {
            by,
            status,
            stderr_tail,
        },
        ParticipantFailure::Stall { waited } => GameEnd::Stall {
            by,
            waited_ms: milliseconds(waited),
        },
        ParticipantFailure::ProtocolError(message) => GameEnd::ProtocolError { by, message },
    })
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUTH: PlayerId = PlayerId::ALL[0];
    const NORTH: PlayerId = PlayerId::ALL[1];

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn clock_is_charged_and_gains_the_increment() {
        let control = TimeControl::Clock {
            base: ms(1000),
            increment: ms(100),
        };
        let mut clock = MatchClock::new(control, ms(50));
        let limits = clock.limits_for(SOUTH, false);
        assert_eq!(limits.time, Some(ms(1000)));
        assert_eq!(clock.charge(SOUTH, &limits, ms(400)), None);
        assert_eq!(
            limits.go.to_string(),
            "go stime 1000 ntime 1000 sinc 100 ninc 100"
        );
        let swapped = clock.limits_for(NORTH, true);
        assert_eq!(
            swapped.go.to_string(),
            "go stime 1000 ntime 700 sinc 100 ninc 100"
        );
        // Within the grace the clock is at zero, but the game is not lost.
        let limits = clock.limits_for(SOUTH, false);
        assert_eq!(clock.charge(SOUTH, &limits, ms(750)), None);
        let limits = clock.limits_for(SOUTH, false);
        assert_eq!(limits.time, Some(ms(100)));
        assert_eq!(clock.charge(SOUTH, &limits, ms(160)), Some(ms(60)));
    }

    #[test]
    fn limit_of_nodes_has_no_clock() {
        let control: TimeControl = "nodes=100".parse().expect("nodes");
        let mut clock = MatchClock::new(control, ms(50));
        let limits = clock.limits_for(NORTH, false);
        assert_eq!(limits.go.to_string(), "go nodes 100");
        assert_eq!(clock.charge(NORTH, &limits, Duration::from_hours(1)), None);
    }
}
