//! One game of a tournament between two participants, and the clocks of its players.

use std::num::NonZeroU64;
use std::time::{Duration, SystemTime};

use kalah::record::Tags;
use kalah::{ByPlayer, BySide, FirstPlies, Game, GameClock, PlayerId, Position, Side};
use kalah_players::{
    MoveLimits, Participant, ParticipantFailure, PauseMonitor, SideClocks, ThinkLimits, TimeControl,
};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::adjudicate::Adjudicator;
use super::resign::PlayerEstimates;
use crate::compact_game::CompactGame;
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
    /// Returns the time of the system.
    pub(super) now: &'a (dyn Fn() -> SystemTime + Sync),
    /// The pauses of this process, which are observed on another thread.
    pub(super) pauses: &'a PauseMonitor<'a>,
    /// Called when the game is void because of a pause.
    pub(super) paused: &'a (dyn Fn() + Sync),
}

/// The reason why a game has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VoidGame {
    /// A shutdown has aborted it.
    Aborted,
    /// The host cannot start the program of a contestant.
    HostFault {
        /// The name of the contestant.
        name: String,
        /// The error of the system.
        reason: String,
    },
}

impl MatchGame<'_> {
    /// Plays the game. It begins again if the process pauses meanwhile.
    ///
    /// # Errors
    /// Returns the reason why the game has no result.
    pub(super) fn play(
        &self,
        mut participants: ByPlayer<&mut Participant>,
    ) -> Result<FinishedGame, VoidGame> {
        if let Some(end) = self.config.forfeit(self.encounter, self.leg) {
            let opening = self.opening.game();
            return Ok(self.finished(opening, end, &AnswerTimes::default(), BySide::default()));
        }
        loop {
            if let Some(finished) = self.play_once(&mut participants)? {
                return Ok(finished);
            }
            (self.paused)();
        }
    }

    /// Plays the game, and returns `None` if the process has paused meanwhile.
    fn play_once(
        &self,
        participants: &mut ByPlayer<&mut Participant>,
    ) -> Result<Option<FinishedGame>, VoidGame> {
        let paused = self.pauses.observe();
        let mut game = self.opening.game().clone();
        let mut times = AnswerTimes::default();
        let end = self.play_plies(&mut game, participants, &mut times);
        let has_paused = self.pauses.observe() > paused;
        let side_at_fault = end.as_ref().ok().and_then(GameEnd::side_at_fault);
        for player in PlayerId::ALL {
            // The participants of a void game may still be thinking.
            if has_paused || end.is_err() || side_at_fault == Some(player.started_as) {
                participants[player].shut_down();
            } else {
                participants[player].end_game();
            }
        }
        let end = end?;
        if has_paused {
            return Ok(None);
        }
        let ignored_lines =
            BySide::from_fn(|side| participants[PlayerId::new(side)].take_ignored_line());
        Ok(Some(self.finished(&game, end, &times, ignored_lines)))
    }

    /// Returns the finished game.
    fn finished(
        &self,
        game: &Game,
        end: GameEnd,
        times: &AnswerTimes,
        ignored_lines: BySide<Option<String>>,
    ) -> FinishedGame {
        let contestants = self.encounter.players(self.leg);
        FinishedGame {
            encounter: self.encounter,
            leg: self.leg,
            date: Tags::date_text((self.now)()),
            time_controls: BySide::from_fn(|side| {
                self.config.time_control_of(contestants[side]).describe()
            }),
            ply_times_ms: times.plies.iter().copied().map(ply_milliseconds).collect(),
            names: BySide::from_fn(|side| self.config.name(contestants[side]).to_owned()),
            opening_plies: self.opening.game().plies().len(),
            game: CompactGame::from(game),
            end,
            think_time: BySide::from_fn(|side| {
                let times = &times.by_player[PlayerId::new(side)];
                times.iter().copied().collect::<ThinkTime>()
            }),
            ignored_lines,
        }
    }

    /// Requests moves until the game has ended, and appends the time of each answer to `times`.
    fn play_plies(
        &self,
        game: &mut Game,
        participants: &mut ByPlayer<&mut Participant>,
        times: &mut AnswerTimes,
    ) -> Result<GameEnd, VoidGame> {
        for player in PlayerId::ALL {
            let seed = self.player_seed(player);
            if let Err(failure) = participants[player].start_game(player.started_as, seed) {
                return self.game_end(failure, player, game.position());
            }
        }
        let contestants = self.encounter.players(self.leg);
        let time_controls =
            ByPlayer::from_fn(|player| self.config.time_control_of(contestants[player.started_as]));
        let mut clock = MatchClock::new(time_controls, self.config.grace);
        let mut estimates = self.config.resign.map(PlayerEstimates::new);
        loop {
            if let Some(outcome) = game.outcome() {
                return Ok(GameEnd::normal(outcome));
            }
            if let Some(margin) = self.adjudicator.proven_margin(game.position()) {
                return Ok(GameEnd::adjudicated(margin));
            }
            if let Some(end) = estimates.as_ref().and_then(PlayerEstimates::resignation) {
                return Ok(end);
            }
            let side = game.position().to_move();
            let player = game.player_on(side);
            let limits = clock.limits_for(player, game.is_swapped());
            let start = (self.clock)();
            let (mv, time) = match participants[player].choose_move(game, &limits) {
                Ok(answer) => answer,
                Err(failure) => {
                    times.by_player[player].push((self.clock)().saturating_sub(start));
                    return self.game_end(failure, player, game.position());
                }
            };
            times.by_player[player].push(time);
            if let Some(delay) = clock.charge(player, &limits, time) {
                return Ok(GameEnd::TimeLoss {
                    by: player.started_as,
                    late_ms: milliseconds(delay),
                });
            }
            let margin = participants[player].take_estimate();
            // In the first plies an estimate can be that of the player after a swap.
            if let (Some(estimates), Some(margin)) = (&mut estimates, margin)
                && game.position().first_plies() == FirstPlies::Later
            {
                estimates.add(player, margin);
            }
            if let Err(reason) = game.play(mv) {
                let (by, answer) = (player.started_as, mv.text(side));
                return Ok(GameEnd::illegal_move(by, answer, reason, game.position()));
            }
            times.plies.push(time);
            clock.complete_ply(player, game.player_on(game.position().to_move()));
            for each in PlayerId::ALL {
                participants[each].notify_ply(game, each.started_as, each == player);
            }
        }
    }

    /// Returns the end of a game in which `player` failed.
    fn game_end(
        &self,
        failure: ParticipantFailure,
        player: PlayerId,
        position: &Position,
    ) -> Result<GameEnd, VoidGame> {
        let by = player.started_as;
        Ok(match failure {
            ParticipantFailure::Aborted => return Err(VoidGame::Aborted),
            ParticipantFailure::HostFault(reason) => {
                let contestants = self.encounter.players(self.leg);
                return Err(VoidGame::HostFault {
                    name: self.config.name(contestants[by]).to_owned(),
                    reason,
                });
            }
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
            ParticipantFailure::Stall { waited, .. } => GameEnd::Stall {
                by,
                waited_ms: milliseconds(waited),
            },
            ParticipantFailure::ProtocolError(message) => GameEnd::ProtocolError { by, message },
        })
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

/// The times of the answers of a game.
#[derive(Default)]
struct AnswerTimes {
    /// The time of each request, also of one without a legal move.
    by_player: ByPlayer<Vec<Duration>>,
    /// The time of each ply.
    plies: Vec<Duration>,
}

/// The time of both players of a game.
struct MatchClock {
    times: ByPlayer<PlayerTime>,
    grace: Duration,
}

/// The time control of a player, with its clock.
enum PlayerTime {
    PerMove(Duration),
    /// The times of the player in this clock. The opponent can have another setting.
    Clock(GameClock),
    Nodes(NonZeroU64),
}

/// The delay after which a player counts as stalled rather than late.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);

/// The time to wait for an answer without a clock.
const UNTIMED_TIMEOUT: Duration = Duration::from_mins(10);

impl MatchClock {
    fn new(time_controls: ByPlayer<TimeControl>, grace: Duration) -> Self {
        let times = ByPlayer::from_fn(|player| match time_controls[player] {
            TimeControl::PerMove(time) => PlayerTime::PerMove(time),
            TimeControl::Clock(setting) => PlayerTime::Clock(GameClock::new(setting)),
            TimeControl::Nodes(nodes) => PlayerTime::Nodes(nodes),
        });
        Self { times, grace }
    }

    /// Returns the time that a player on a clock has left, and its increment.
    fn clock_of(&self, player: PlayerId) -> Option<(Duration, Duration)> {
        match &self.times[player] {
            PlayerTime::Clock(clock) => Some((
                clock.remaining(player),
                clock.settings()[player].increment(),
            )),
            PlayerTime::PerMove(_) | PlayerTime::Nodes(_) => None,
        }
    }

    /// Returns the limits of the next move of `player`. `is_swapped` tells whether the players have
    /// exchanged sides.
    fn limits_for(&self, player: PlayerId, is_swapped: bool) -> MoveLimits {
        let mut think = ThinkLimits::default();
        let time = match &self.times[player] {
            PlayerTime::Clock(clock) => {
                let own = (
                    clock.remaining(player),
                    clock.settings()[player].increment(),
                );
                // A player whose opponent has no clock receives its own times for both.
                let clocks = ByPlayer::from_fn(|player| self.clock_of(player).unwrap_or(own));
                let clocks = clocks.by_side(is_swapped);
                think.clocks = Some(SideClocks {
                    left: BySide::from_fn(|side| clocks[side].0),
                    increment: BySide::from_fn(|side| clocks[side].1),
                });
                Some(own.0)
            }
            &PlayerTime::PerMove(time) => {
                think.move_time = Some(time);
                Some(time)
            }
            &PlayerTime::Nodes(nodes) => {
                think.nodes = Some(nodes.get());
                None
            }
        };
        let timeout = time.map_or(UNTIMED_TIMEOUT, |time| {
            time.saturating_add(self.grace)
                .saturating_add(STALL_TIMEOUT)
        });
        MoveLimits {
            think,
            time,
            timeout,
        }
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
        if let PlayerTime::Clock(clock) = &mut self.times[player] {
            clock.spend(player, time);
        }
        let is_late = time > limit.saturating_add(self.grace);
        is_late.then(|| time.saturating_sub(limit))
    }

    /// Completes a ply of `player`, after which `next` is to move.
    fn complete_ply(&mut self, player: PlayerId, next: PlayerId) {
        if let PlayerTime::Clock(clock) = &mut self.times[player] {
            clock.complete_ply(player, next);
        }
    }
}

/// Returns the time of a ply for its record, at most seven weeks.
fn ply_milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use kalah::{House, Move, Rules};
    use kalah_uki::Go;

    use super::*;

    const SOUTH: PlayerId = PlayerId::ALL[0];
    const NORTH: PlayerId = PlayerId::ALL[1];

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn match_clock(time_control: &str) -> MatchClock {
        let time_control = time_control.parse().expect("a time control");
        MatchClock::new(ByPlayer::new(time_control, time_control), ms(50))
    }

    /// Returns the limits as an engine receives them.
    fn go_line(limits: &MoveLimits) -> String {
        Go::from(&limits.think).to_string()
    }

    #[test]
    fn clock_is_charged_and_gains_the_increment_when_the_turn_passes() {
        let mut clock = match_clock("1s+100ms");
        let limits = clock.limits_for(SOUTH, false);
        assert_eq!(limits.time, Some(ms(1000)));
        assert_eq!(limits.timeout, ms(6050));
        assert_eq!(
            go_line(&limits),
            "go stime 1000 ntime 1000 sinc 100 ninc 100"
        );
        // A bonus turn.
        assert_eq!(clock.charge(SOUTH, &limits, ms(300)), None);
        clock.complete_ply(SOUTH, SOUTH);
        let limits = clock.limits_for(SOUTH, false);
        assert_eq!(limits.time, Some(ms(700)));
        assert_eq!(clock.charge(SOUTH, &limits, ms(100)), None);
        clock.complete_ply(SOUTH, NORTH);
        let limits = clock.limits_for(NORTH, true);
        assert_eq!(limits.time, Some(ms(1000)));
        assert_eq!(
            go_line(&limits),
            "go stime 1000 ntime 700 sinc 100 ninc 100"
        );
        // Within the grace the clock is at zero, but the game is not lost.
        let limits = clock.limits_for(SOUTH, false);
        assert_eq!(clock.charge(SOUTH, &limits, ms(750)), None);
        clock.complete_ply(SOUTH, NORTH);
        let limits = clock.limits_for(SOUTH, false);
        assert_eq!(limits.time, Some(ms(100)));
        assert_eq!(clock.charge(SOUTH, &limits, ms(150)), None);
        assert_eq!(clock.charge(SOUTH, &limits, ms(151)), Some(ms(51)));
    }

    #[test]
    fn time_of_a_move_is_sent_with_each_move() {
        let mut clock = match_clock("1s");
        for _ in 0..2 {
            let limits = clock.limits_for(SOUTH, false);
            assert_eq!((limits.time, limits.timeout), (Some(ms(1000)), ms(6050)));
            assert_eq!(go_line(&limits), "go movetime 1000");
            assert_eq!(clock.charge(SOUTH, &limits, ms(1050)), None);
            assert_eq!(clock.charge(SOUTH, &limits, ms(1051)), Some(ms(51)));
            clock.complete_ply(SOUTH, SOUTH);
        }
    }

    /// The turns of a game with its clock, which the users of `GameClock` share.
    const TURNS: &str = include_str!("../../../../../core/kalah/tests/data/clock_turns.txt");

    #[test]
    fn increment_is_added_once_a_turn() {
        let mut game = Game::new(Position::start(6, 4, Rules::CS32).expect("a start"));
        let mut clock = match_clock("1m+2s");
        let mut delays = Vec::new();
        for line in TURNS.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(' ').collect();
            let &[mv, used, south, north] = fields.as_slice() else {
                panic!("{line}");
            };
            let letter = mv.chars().next().expect("a letter");
            let (side, house) = House::from_letter(letter).expect("a house");
            let player = game.player_on(side);
            let limits = clock.limits_for(player, game.is_swapped());
            let used = Duration::from_secs(used.parse().expect("a number"));
            if let Some(delay) = clock.charge(player, &limits, used) {
                delays.push(delay);
            } else {
                game.play(Move::Sow(house)).expect("a legal move");
                clock.complete_ply(player, game.player_on(game.position().to_move()));
            }
            let left = PlayerId::ALL.map(|player| clock.limits_for(player, false).time);
            let expected = [south, north].map(|text| text.parse().map(Duration::from_secs).ok());
            assert_eq!(left, expected, "{line}");
        }
        // The last move of the turns comes too late.
        assert_eq!(delays, [Duration::from_secs(1)]);
    }

    #[test]
    fn limits_of_a_time_for_each_move_are_that_time() {
        let mut clock = match_clock("1s");
        for player in PlayerId::ALL {
            let limits = clock.limits_for(player, true);
            assert_eq!(go_line(&limits), "go movetime 1000");
            assert_eq!(limits.time, Some(ms(1000)));
            assert_eq!(limits.timeout, ms(6050));
            assert_eq!(clock.charge(player, &limits, ms(1050)), None);
            assert_eq!(clock.charge(player, &limits, ms(1051)), Some(ms(51)));
            clock.complete_ply(player, player.opponent());
        }
    }

    #[test]
    fn players_have_time_controls_of_their_own() {
        let new = |south: &str, north: &str| {
            let parse = |text: &str| text.parse().expect("a time control");
            MatchClock::new(ByPlayer::new(parse(south), parse(north)), ms(50))
        };
        let mut clock = new("1s+100ms", "5s+0s");
        let limits = clock.limits_for(SOUTH, false);
        assert_eq!(clock.charge(SOUTH, &limits, ms(300)), None);
        clock.complete_ply(SOUTH, NORTH);
        let limits = clock.limits_for(NORTH, true);
        assert_eq!(go_line(&limits), "go stime 5000 ntime 800 ninc 100");
        assert_eq!(clock.charge(NORTH, &limits, ms(5051)), Some(ms(51)));

        let mut clock = new("1s+100ms", "nodes=500");
        let limits = clock.limits_for(SOUTH, false);
        assert_eq!(
            go_line(&limits),
            "go stime 1000 ntime 1000 sinc 100 ninc 100"
        );
        let limits = clock.limits_for(NORTH, false);
        assert_eq!(go_line(&limits), "go nodes 500");
        assert_eq!(clock.charge(NORTH, &limits, Duration::from_hours(1)), None);

        let clock = new("20ms", "nodes=500");
        assert_eq!(go_line(&clock.limits_for(SOUTH, false)), "go movetime 20");
    }

    #[test]
    fn limit_of_nodes_has_no_clock() {
        let mut clock = match_clock("nodes=100");
        let limits = clock.limits_for(NORTH, false);
        assert_eq!(go_line(&limits), "go nodes 100");
        assert_eq!((limits.time, limits.timeout), (None, UNTIMED_TIMEOUT));
        assert_eq!(clock.charge(NORTH, &limits, Duration::from_hours(1)), None);
    }
}
