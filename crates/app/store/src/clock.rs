//! Time in games: timestamps, and the clocks of games between friends.

use std::time::{Duration, SystemTime};

use kalah::record::Tags;
use kalah::{ByPlayer, ClockSetting, GameClock, PlayerId};
use thiserror::Error;

/// A point in time in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Creates a timestamp from milliseconds since the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns the milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the time as a time of the system, if that has it.
    pub fn to_system_time(self) -> Option<SystemTime> {
        let millis = u64::try_from(self.0).ok()?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(millis))
    }

    /// Returns the time in UTC with milliseconds, as in RFC 3339; `None` before 1970 and after the
    /// year 9999.
    ///
    /// ```
    /// use std::time::Duration;
    /// use kalah_store::Timestamp;
    /// let time = Timestamp::from_millis(1_772_323_200_007);
    /// assert_eq!(time.to_text().as_deref(), Some("2026-03-01T00:00:00.007Z"));
    /// let last = Timestamp::from_millis(253_402_300_799_999);
    /// assert_eq!(last.to_text().as_deref(), Some("9999-12-31T23:59:59.999Z"));
    /// assert_eq!(last.saturating_add(Duration::from_millis(1)).to_text(), None);
    /// assert_eq!(Timestamp::from_millis(i64::MAX).to_text(), None);
    /// ```
    pub fn to_text(self) -> Option<String> {
        let since_epoch = Duration::from_millis(u64::try_from(self.0).ok()?);
        let time = SystemTime::UNIX_EPOCH.checked_add(since_epoch)?;
        (since_epoch < Tags::END_OF_DATES)
            .then(|| humantime::format_rfc3339_millis(time).to_string())
    }

    /// Returns the timestamp `duration` later, saturating at the latest one.
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }

    /// Returns the timestamp `duration` earlier, saturating at the earliest one.
    #[must_use]
    pub fn saturating_sub(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(millis))
    }

    /// Returns the time since `earlier`, or zero if `earlier` is later.
    pub fn saturating_duration_since(self, earlier: Self) -> Duration {
        let millis = self.0.saturating_sub(earlier.0);
        Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }
}

/// Returns the Unix epoch for earlier system times.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let since_epoch = time.duration_since(SystemTime::UNIX_EPOCH);
        Self(0).saturating_add(since_epoch.unwrap_or_default())
    }
}

/// The shortest playable initial time.
const MIN_INITIAL: Duration = Duration::from_secs(1);
/// The longest initial time. Slower games are games by correspondence.
const MAX_INITIAL: Duration = Duration::from_hours(24);
/// The longest increment.
const MAX_INCREMENT: Duration = Duration::from_hours(1);
/// The most days for a move in a game by correspondence.
const MAX_DAYS_PER_MOVE: u32 = 14;
const DAY: Duration = Duration::from_hours(24);

/// The time for the first move of each player in a game with times for the whole game: a friend who
/// has just opened the invitation may still be reading.
pub const FIRST_MOVE_TIME: Duration = Duration::from_mins(10);

/// The reason why games between friends do not have a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FriendClockError {
    /// The initial time is out of range.
    #[error("a clock starts with a time from 1s to 24h")]
    Initial,
    /// The increment is out of range.
    #[error("a turn adds 1h to a clock at most")]
    Increment,
    /// The days for each move are out of range.
    #[error("a move by correspondence has 1 to {MAX_DAYS_PER_MOVE} days")]
    DaysPerMove,
}

/// The clock of a new game between friends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FriendClockSetting {
    /// Each player has a time for the whole game and an increment, which the players' settings
    /// give.
    Game(ByPlayer<ClockSetting>),
    /// A game by correspondence: each move has the initial time of this setting.
    Move(ClockSetting),
}

impl FriendClockSetting {
    /// Returns the setting of a game by correspondence.
    ///
    /// # Errors
    /// Returns [`FriendClockError::DaysPerMove`] unless a move has 1 to 14 days.
    pub fn correspondence(days_per_move: u32) -> Result<Self, FriendClockError> {
        if !(1..=MAX_DAYS_PER_MOVE).contains(&days_per_move) {
            return Err(FriendClockError::DaysPerMove);
        }
        let time = DAY.saturating_mul(days_per_move);
        let setting = ClockSetting::new(time, Duration::ZERO);
        setting.map(Self::Move).ok_or(FriendClockError::DaysPerMove)
    }

    /// Returns the setting of a game in which the players have exchanged their sides.
    #[must_use]
    pub fn exchanged(self) -> Self {
        match self {
            Self::Game(settings) => {
                Self::Game(ByPlayer::from_fn(|player| settings[player.opponent()]))
            }
            Self::Move(setting) => Self::Move(setting),
        }
    }
}

/// Returns the clock of one player in a game between friends. The clock counts in milliseconds.
///
/// # Errors
/// Returns the component that is out of range.
pub fn friend_clock_setting(
    initial: Duration,
    increment: Duration,
) -> Result<ClockSetting, FriendClockError> {
    if !(MIN_INITIAL..=MAX_INITIAL).contains(&initial) {
        return Err(FriendClockError::Initial);
    }
    if increment > MAX_INCREMENT {
        return Err(FriendClockError::Increment);
    }
    ClockSetting::new(initial, increment).ok_or(FriendClockError::Initial)
}

/// The clock of a game between friends: the times of its players, and the start of the current
/// turn.
///
/// The clock of a player starts with the player's first move. Before it the player has a time for
/// that move, which is not taken from the clock. A clock that does not run adds no increment. In a
/// game by correspondence the time of a player begins anew with each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FriendClock {
    /// The times at the start of the current turn.
    clock: GameClock,
    /// Whether the initial times are those for each move.
    is_by_correspondence: bool,
    running: Option<RunningClock>,
}

/// The player whose time runs, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningClock {
    /// The player whose time runs.
    pub player: PlayerId,
    /// The start of the turn or of the last bonus turn.
    pub since: Timestamp,
    /// Whether it is the time for the player's first move, which is not taken from the clock.
    pub is_first_move: bool,
}

impl FriendClock {
    /// Creates a clock that does not run yet.
    pub fn new(setting: FriendClockSetting) -> Self {
        let (clock, is_by_correspondence) = match setting {
            FriendClockSetting::Game(settings) => (GameClock::with_settings(settings), false),
            FriendClockSetting::Move(setting) => (GameClock::new(setting), true),
        };
        Self {
            clock,
            is_by_correspondence,
            running: None,
        }
    }

    /// Restores a clock from the store.
    pub fn from_stored(
        setting: FriendClockSetting,
        remaining: ByPlayer<Duration>,
        running: Option<RunningClock>,
    ) -> Self {
        let new = Self::new(setting);
        Self {
            clock: GameClock::from_remaining(new.clock.settings(), remaining),
            running,
            ..new
        }
    }

    /// Returns the setting of the clock at the start of the game.
    pub fn setting(&self) -> FriendClockSetting {
        let settings = self.clock.settings();
        if self.is_by_correspondence {
            FriendClockSetting::Move(settings[PlayerId::ALL[0]])
        } else {
            FriendClockSetting::Game(settings)
        }
    }

    /// Returns the player whose time runs, and since when.
    pub const fn running(&self) -> Option<RunningClock> {
        self.running
    }

    /// Returns the remaining times at [`RunningClock::since`].
    pub const fn remaining_at_turn_start(&self) -> ByPlayer<Duration> {
        self.clock.times()
    }

    /// Returns the remaining time of a player.
    pub fn remaining(&self, player: PlayerId, now: Timestamp) -> Duration {
        let remaining = self.clock.remaining(player);
        match self.running {
            Some(running) if running.player == player && self.is_on_clock(running) => {
                remaining.saturating_sub(now.saturating_duration_since(running.since))
            }
            _ => remaining,
        }
    }

    /// Returns whether a running time is on the clock: the time for a first move is not, except by
    /// correspondence, where each move has the same time.
    const fn is_on_clock(&self, running: RunningClock) -> bool {
        !running.is_first_move || self.is_by_correspondence
    }

    /// Returns the time at which the running player has no time left, for the game or for the first
    /// move.
    pub fn expires_at(&self) -> Option<Timestamp> {
        let running = self.running?;
        let time = if self.is_on_clock(running) {
            self.clock.remaining(running.player)
        } else {
            FIRST_MOVE_TIME
        };
        Some(running.since.saturating_add(time))
    }

    /// Returns the remaining time for the first move of the player to move, before that move.
    pub fn remaining_for_first_move(&self, now: Timestamp) -> Option<Duration> {
        let is_first_move = self.running.is_some_and(|running| running.is_first_move);
        let expiry = self.expires_at().filter(|_| is_first_move)?;
        Some(expiry.saturating_duration_since(now))
    }

    /// Whether the running player has no time left.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at().is_some_and(|expiry| expiry <= now)
    }

    /// Starts the time of `player` at `now`, and stops that of the other player.
    pub fn run(&mut self, player: PlayerId, now: Timestamp) {
        self.start(RunningClock {
            player,
            since: now,
            is_first_move: false,
        });
    }

    /// Starts the time for the first move of `player`, and stops the time of the other player.
    pub fn await_first_move(&mut self, player: PlayerId, now: Timestamp) {
        self.start(RunningClock {
            player,
            since: now,
            is_first_move: true,
        });
    }

    fn start(&mut self, running: RunningClock) {
        self.stop(running.since);
        if self.is_by_correspondence {
            self.clock = GameClock::with_settings(self.clock.settings());
        }
        self.running = Some(running);
    }

    /// Stops the clock after a ply of the player whose time runs, after which `next` is to move. A
    /// first move adds no increment.
    pub fn complete_ply(&mut self, next: PlayerId, now: Timestamp) {
        if let Some(running) = self.running {
            self.stop(now);
            if !running.is_first_move {
                self.clock.complete_ply(running.player, next);
            }
        }
    }

    /// Stops the clock.
    pub fn stop(&mut self, now: Timestamp) {
        if let Some(running) = self.running.take()
            && !running.is_first_move
        {
            let used = now.saturating_duration_since(running.since);
            self.clock.spend(running.player, used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: PlayerId = PlayerId::ALL[0];
    const SECOND: PlayerId = PlayerId::ALL[1];

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn clock() -> FriendClock {
        let setting = friend_clock_setting(seconds(60), seconds(5)).expect("a good setting");
        FriendClock::new(FriendClockSetting::Game(ByPlayer::new(setting, setting)))
    }

    #[test]
    fn timestamps_saturate() {
        let (earlier, later) = (Timestamp::from_millis(-7), at(1));
        assert_eq!(later.saturating_duration_since(earlier).as_millis(), 1007);
        assert_eq!(earlier.saturating_duration_since(later), Duration::ZERO);
        let epoch = SystemTime::UNIX_EPOCH;
        assert_eq!(Timestamp::from(epoch + seconds(1)), at(1));
        assert_eq!(Timestamp::from(epoch - seconds(1)), at(0));
    }

    #[test]
    fn clock_runs_for_the_player_to_move_and_adds_the_increment_once() {
        let mut clock = clock();
        assert_eq!(
            (clock.remaining(FIRST, at(99)), clock.expires_at()),
            (seconds(60), None)
        );
        // A clock that does not run adds no increment.
        clock.complete_ply(SECOND, at(100));
        assert_eq!(clock.remaining(FIRST, at(100)), seconds(60));
        clock.run(FIRST, at(100));
        assert_eq!(clock.remaining(FIRST, at(110)), seconds(50));
        assert_eq!(clock.remaining(SECOND, at(110)), seconds(60));
        // A bonus turn.
        clock.complete_ply(FIRST, at(110));
        clock.run(FIRST, at(110));
        assert_eq!(clock.remaining(FIRST, at(110)), seconds(50));
        clock.complete_ply(SECOND, at(120));
        clock.run(SECOND, at(120));
        assert_eq!(clock.remaining(FIRST, at(130)), seconds(45));
        assert_eq!(clock.remaining(SECOND, at(130)), seconds(50));
        clock.stop(at(130));
        assert_eq!(clock.remaining(SECOND, at(200)), seconds(50));
        assert_eq!(clock.running(), None);
    }

    #[test]
    fn clock_expires_to_the_millisecond() {
        let mut clock = clock();
        clock.run(SECOND, at(7));
        assert_eq!(clock.expires_at(), Some(at(67)));
        assert!(!clock.has_expired(Timestamp::from_millis(66_999)));
        assert!(clock.has_expired(at(67)));
        assert_eq!(clock.remaining(SECOND, at(1000)), Duration::ZERO);
    }

    #[test]
    fn first_move_takes_no_time_of_the_clock() {
        let mut clock = clock();
        clock.await_first_move(FIRST, at(0));
        let wait = i64::try_from(FIRST_MOVE_TIME.as_secs()).expect("minutes");
        assert_eq!(clock.expires_at(), Some(at(wait)));
        assert_eq!(
            clock.remaining_for_first_move(at(wait - 7)),
            Some(seconds(7))
        );
        assert_eq!(clock.remaining(FIRST, at(50)), seconds(60));
        // A bonus turn, after which the clock runs.
        clock.complete_ply(FIRST, at(50));
        clock.run(FIRST, at(50));
        assert_eq!(clock.remaining_for_first_move(at(51)), None);
        clock.complete_ply(SECOND, at(60));
        assert_eq!(clock.remaining(FIRST, at(60)), seconds(55));
        clock.await_first_move(SECOND, at(60));
        clock.complete_ply(FIRST, at(90));
        assert_eq!(clock.remaining(SECOND, at(90)), seconds(60));
    }

    #[test]
    fn each_move_by_correspondence_has_the_whole_time() {
        let day = i64::try_from(DAY.as_secs()).expect("seconds");
        let setting = FriendClockSetting::correspondence(3).expect("days");
        let mut clock = FriendClock::new(setting);
        assert_eq!(clock.setting(), setting);
        clock.await_first_move(FIRST, at(0));
        assert_eq!(clock.expires_at(), Some(at(3 * day)));
        assert_eq!(clock.remaining(FIRST, at(day)), 2 * DAY);
        clock.complete_ply(FIRST, at(2 * day));
        clock.run(FIRST, at(2 * day));
        assert_eq!(clock.expires_at(), Some(at(5 * day)));
        clock.complete_ply(SECOND, at(4 * day));
        clock.run(SECOND, at(4 * day));
        assert_eq!(clock.expires_at(), Some(at(7 * day)));
        clock.complete_ply(FIRST, at(6 * day));
        clock.run(FIRST, at(6 * day));
        assert_eq!(clock.remaining(FIRST, at(7 * day)), 2 * DAY);
        for days in [0, 15] {
            let error = FriendClockSetting::correspondence(days);
            assert_eq!(error, Err(FriendClockError::DaysPerMove));
        }
    }

    #[test]
    fn times_follow_their_players_when_sides_are_exchanged() {
        let setting = |initial| friend_clock_setting(seconds(initial), seconds(1)).expect("valid");
        let unequal = FriendClockSetting::Game(ByPlayer::new(setting(60), setting(30)));
        let exchanged = FriendClockSetting::Game(ByPlayer::new(setting(30), setting(60)));
        assert_eq!(unequal.exchanged(), exchanged);
        let clock = FriendClock::new(unequal);
        assert_eq!(clock.remaining(FIRST, at(0)), seconds(60));
        assert_eq!(clock.remaining(SECOND, at(0)), seconds(30));
    }

    #[test]
    fn settings_out_of_range_are_rejected() {
        let hour = Duration::from_hours(1);
        for (initial, increment, error) in [
            (Duration::from_millis(999), hour, FriendClockError::Initial),
            (24 * hour + seconds(1), hour, FriendClockError::Initial),
            (hour, hour + seconds(1), FriendClockError::Increment),
        ] {
            assert_eq!(friend_clock_setting(initial, increment), Err(error));
        }
        assert!(friend_clock_setting(seconds(1), Duration::ZERO).is_ok());
        assert!(friend_clock_setting(24 * hour, hour).is_ok());
    }
}
