use std::time::{Duration, Instant};

use kalah::{BySide, Game, Position, Side};
use kalah_arena::{Encounter, FinishedGame, GameEnd, Leg, Opening, ThinkTime};
use kalah_players::{Participant, ParticipantFailure};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::adjudicator::Adjudicator;
use super::clock::MatchClock;
use super::plan::ArenaConfig;

/// A game of a tournament that is to be played.
pub(super) struct MatchGame<'a> {
    pub(super) config: &'a ArenaConfig,
    pub(super) adjudicator: &'a Adjudicator,
    pub(super) encounter: Encounter,
    pub(super) leg: Leg,
    pub(super) opening: &'a Opening,
}

impl MatchGame<'_> {
    /// Plays it; `None` if it is broken off. Players are told apart by the sides on which they began.
    pub(super) fn play(&self, mut seats: BySide<&mut Participant>) -> Option<FinishedGame> {
        let mut game = self.opening.game().clone();
        let mut times = BySide::<Vec<Duration>>::default();
        let end = self.play_plies(&mut game, &mut seats, &mut times);
        for side in Side::ALL {
            let fault = end.as_ref().and_then(GameEnd::side_at_fault);
            // What was broken off may still think.
            if end.is_none() || fault == Some(side) {
                seats[side].shut_down();
            } else {
                seats[side].end_game();
            }
        }
        let players = BySide::new(
            self.encounter.south(self.leg),
            self.encounter.north(self.leg),
        );
        let name = |side| self.config.name(players[side]).to_owned();
        Some(FinishedGame {
            encounter: self.encounter,
            leg: self.leg,
            names: BySide::new(name(Side::South), name(Side::North)),
            opening_plies: self.opening.game().plies().len(),
            game,
            end: end?,
            think_time: BySide::from_fn(|side| times[side].drain(..).collect::<ThinkTime>()),
        })
    }

    fn play_plies(
        &self,
        game: &mut Game,
        seats: &mut BySide<&mut Participant>,
        times: &mut BySide<Vec<Duration>>,
    ) -> Option<GameEnd> {
        for side in Side::ALL {
            if let Err(fault) = seats[side].start_game(side, self.player_seed(side)) {
                return game_end(fault, side, game.position());
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
            let to_move = game.position().to_move();
            let began = if game.is_swapped() {
                to_move.opponent()
            } else {
                to_move
            };
            let turn = clock.limits_for(began, game.is_swapped());
            let asked = Instant::now();
            let (mv, time) = match seats[began].choose_move(game, &turn) {
                Ok(answer) => answer,
                Err(fault) => {
                    times[began].push(asked.elapsed());
                    return game_end(fault, began, game.position());
                }
            };
            times[began].push(time);
            if let Some(late) = clock.charge(began, &turn, time) {
                return Some(GameEnd::TimeLoss {
                    by: began,
                    late_ms: u64::try_from(late.as_millis()).unwrap_or(u64::MAX),
                });
            }
            if let Err(reason) = game.play(mv) {
                let fault = ParticipantFailure::illegal_move(mv.text(to_move), reason);
                return game_end(fault, began, game.position());
            }
            for side in Side::ALL {
                seats[side].notify_ply(game, side, side == began);
            }
        }
    }

    /// What the chances of a player in this game are drawn from.
    fn player_seed(&self, side: Side) -> u64 {
        let side: u64 = match side {
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

/// Returns the end of a game in which the player `by` failed; `None` if the game was aborted.
fn game_end(failure: ParticipantFailure, by: Side, position: &Position) -> Option<GameEnd> {
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
            stderr_tail: last_words,
        } => GameEnd::Crash {
            by,
            status,
            stderr_tail: last_words,
        },
        ParticipantFailure::Stall { waited } => GameEnd::Stall {
            by,
            waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
        },
        ParticipantFailure::ProtocolError(message) => GameEnd::ProtocolError { by, message },
    })
}
