//! The clocks of a game on the screen.

use std::time::Duration;

use kalah::{ByPlayer, ClockSetting, GameClock, MoveTime, PlayerId, Position};
use kalah_players::clock_time;

use super::history::ClockTimes;

const fn suggestion(initial_seconds: u64, increment_seconds: u64) -> ClockSetting {
    let initial = Duration::from_secs(initial_seconds);
    let setting = ClockSetting::new(initial, Duration::from_secs(increment_seconds));
    setting.expect("a suggestion leaves time for the game")
}

/// The settings that the dialog for a new game offers.
pub(crate) const SUGGESTIONS: [ClockSetting; 6] = [
    suggestion(60, 0),
    suggestion(180, 2),
    suggestion(300, 0),
    suggestion(300, 3),
    suggestion(600, 0),
    suggestion(900, 10),
];

/// The clocks of both players on the screen, which stop while nothing can be moved, and go back
/// with an undo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScreenClock {
    clock: GameClock,
    /// The times after each number of plies, from 0.
    history: Vec<ByPlayer<Duration>>,
    /// The player whose clock runs, and since when.
    running: Option<(PlayerId, Duration)>,
}

impl ScreenClock {
    pub(crate) fn new(setting: ClockSetting) -> Self {
        let clock = GameClock::new(setting);
        Self {
            clock,
            history: vec![clock.times()],
            running: None,
        }
    }

    /// Continues the clocks of a game after this number of plies. An undo of these plies restores
    /// the same times.
    pub(crate) fn continue_from(times: ClockTimes, plies: usize) -> Self {
        let ClockTimes { setting, remaining } = times;
        let settings = ByPlayer::new(setting, setting);
        Self {
            clock: GameClock::from_remaining(settings, remaining),
            history: vec![remaining; plies + 1],
            running: None,
        }
    }

    /// Returns the times after the last ply.
    pub(crate) fn times(&self) -> ClockTimes {
        ClockTimes {
            setting: self.setting(),
            remaining: self.clock.times(),
        }
    }

    /// Returns the setting, which both players have.
    pub(crate) fn setting(&self) -> ClockSetting {
        self.clock.settings()[PlayerId::ALL[0]]
    }

    /// Returns the time that a player has left at the time `now`.
    pub(crate) fn remaining(&self, player: PlayerId, now: Duration) -> Duration {
        let used = match self.running {
            Some((running, since)) if running == player => now.saturating_sub(since),
            _ => Duration::ZERO,
        };
        self.clock.remaining(player).saturating_sub(used)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Lets the clock of this player run and stops that of the other one.
    pub(crate) fn run(&mut self, player: Option<PlayerId>, now: Duration) {
        if self.running.map(|(running, _)| running) == player {
            return;
        }
        if let Some((stopped, since)) = self.running {
            self.clock.spend(stopped, now.saturating_sub(since));
        }
        self.running = player.map(|player| (player, now));
    }

    /// Stops the clock of a player who has moved, after which `next` is to move.
    pub(crate) fn complete_ply(&mut self, player: PlayerId, next: PlayerId, now: Duration) {
        self.run(None, now);
        self.clock.complete_ply(player, next);
        self.history.push(self.clock.times());
    }

    /// Restores the times after this number of plies, to which the game was undone. Redone plies
    /// take no time.
    pub(crate) fn restore(&mut self, plies: usize) {
        self.running = None;
        self.history.resize(plies + 1, self.clock.times());
        if let Some(times) = self.history.last() {
            self.clock = GameClock::from_remaining(self.clock.settings(), *times);
        }
    }

    /// Returns the player whose time has run out.
    pub(crate) fn expired_player(&self, now: Duration) -> Option<PlayerId> {
        let (player, _) = self.running?;
        self.remaining(player, now).is_zero().then_some(player)
    }

    /// Returns the time of a program for its move in `position`.
    pub(crate) fn time_for_move(
        &self,
        player: PlayerId,
        now: Duration,
        position: &Position,
    ) -> MoveTime {
        let increment = self.setting().increment();
        clock_time(self.remaining(player, now), increment, position)
    }
}

/// Formats the time left on a clock: `4:07`, `1:02:03`, or `9.4` in the last ten seconds.
pub(crate) fn format_clock(time: Duration) -> String {
    const SHOW_TENTHS_BELOW: Duration = Duration::from_secs(10);
    if time < SHOW_TENTHS_BELOW {
        return format!("{}.{}", time.as_secs(), time.subsec_millis() / 100);
    }
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    const SOUTH: PlayerId = PlayerId::ALL[0];
    const NORTH: PlayerId = PlayerId::ALL[1];

    #[test]
    fn only_the_running_clock_loses_time() {
        let mut clock = ScreenClock::new(suggestion(60, 2));
        clock.run(Some(SOUTH), seconds(10));
        assert_eq!(clock.remaining(SOUTH, seconds(25)), seconds(45));
        assert_eq!(clock.remaining(NORTH, seconds(25)), seconds(60));
        // A bonus turn adds no time, and the pause after it takes none.
        clock.complete_ply(SOUTH, SOUTH, seconds(30));
        clock.run(Some(SOUTH), seconds(31));
        assert_eq!(clock.remaining(SOUTH, seconds(31)), seconds(40));
        clock.complete_ply(SOUTH, NORTH, seconds(36));
        clock.run(Some(NORTH), seconds(37));
        assert_eq!(clock.remaining(SOUTH, seconds(50)), seconds(37));
        assert_eq!(clock.remaining(NORTH, seconds(50)), seconds(47));
        assert_eq!(clock.expired_player(seconds(96)), None);
        assert_eq!(clock.expired_player(seconds(97)), Some(NORTH));
    }

    #[test]
    fn an_undo_restores_the_times() {
        let mut clock = ScreenClock::new(suggestion(60, 30));
        clock.run(Some(SOUTH), seconds(0));
        clock.complete_ply(SOUTH, NORTH, seconds(10));
        assert_eq!(clock.remaining(SOUTH, seconds(10)), seconds(80));
        clock.restore(0);
        assert_eq!(clock.remaining(SOUTH, seconds(10)), seconds(60));
        // A redo takes and adds no time.
        clock.restore(1);
        assert_eq!(clock.remaining(SOUTH, seconds(10)), seconds(60));
    }

    #[test]
    fn a_program_plans_with_the_time_that_its_clock_shows() {
        let start = Position::start(6, 4, Rules::CS32).expect("a start");
        let mut clock = ScreenClock::new(suggestion(60, 2));
        clock.run(Some(SOUTH), seconds(10));
        let time = clock.time_for_move(SOUTH, seconds(25), &start);
        assert_eq!(time, clock_time(seconds(45), seconds(2), &start));
    }

    #[test]
    fn times_are_formatted_as_on_a_clock() {
        for (millis, text) in [
            (0, "0.0"),
            (9_400, "9.4"),
            (10_000, "0:10"),
            (247_900, "4:07"),
            (3_723_000, "1:02:03"),
        ] {
            assert_eq!(format_clock(Duration::from_millis(millis)), text);
        }
    }
}
