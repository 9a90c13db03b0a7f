//! The detection of connections that were lost without a notice.

use std::time::Duration;

/// A timer that detects a silent peer: it requests a ping, and then the end of the connection.
/// Times are durations since the connection was opened.
#[derive(Debug)]
pub struct KeepAlive {
    /// The silence after which a ping is due.
    ping_after: Duration,
    /// The time to answer a ping, after which the connection has to end.
    answer_time: Duration,
    /// The time of the last line of the peer.
    last_received: Duration,
    /// The time at which a ping was requested since then.
    ping_sent: Option<Duration>,
}

/// The action that a [`KeepAlive`] requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepAliveAction {
    /// No action is due.
    Nothing,
    /// Send a ping.
    Ping,
    /// End the connection.
    Disconnect,
}

impl KeepAlive {
    /// The timer of a client for its server, which has 10 s to answer a ping.
    pub const FOR_SERVER: Self = Self::new(Duration::from_secs(20), Duration::from_secs(10));

    /// The timer of a server for a client, which has 20 s to answer a ping.
    pub const FOR_CLIENT: Self = Self::new(Duration::from_secs(20), Duration::from_secs(20));

    const fn new(ping_after: Duration, answer_time: Duration) -> Self {
        Self {
            ping_after,
            answer_time,
            last_received: Duration::ZERO,
            ping_sent: None,
        }
    }

    /// Returns the time of the next action, if the peer stays silent.
    pub fn next_deadline(&self) -> Duration {
        match self.ping_sent {
            Some(sent) => sent + self.answer_time,
            None => self.last_received + self.ping_after,
        }
    }

    /// Returns whether a ping was requested after the last line of the peer.
    pub fn is_ping_sent(&self) -> bool {
        self.ping_sent.is_some()
    }

    /// Restarts the timer after a line of the peer.
    pub fn reset(&mut self, now: Duration) {
        self.last_received = now;
        self.ping_sent = None;
    }

    /// Returns the action that is due. A ping is requested once per silence, also if this process
    /// has not run in the meantime, so that the peer always has the time to answer it.
    pub fn poll(&mut self, now: Duration) -> KeepAliveAction {
        if now < self.next_deadline() {
            return KeepAliveAction::Nothing;
        }
        if self.is_ping_sent() {
            return KeepAliveAction::Disconnect;
        }
        self.ping_sent = Some(now);
        KeepAliveAction::Ping
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_peer_gets_one_ping_and_is_then_disconnected() {
        let second = Duration::from_secs(1);
        let mut keep_alive = KeepAlive::new(second * 20, second * 20);
        keep_alive.reset(second * 10);
        assert_eq!(keep_alive.next_deadline(), second * 30);
        assert_eq!(keep_alive.poll(second * 29), KeepAliveAction::Nothing);
        assert!(!keep_alive.is_ping_sent());
        assert_eq!(keep_alive.poll(second * 30), KeepAliveAction::Ping);
        assert!(keep_alive.is_ping_sent());
        assert_eq!(keep_alive.poll(second * 31), KeepAliveAction::Nothing);
        assert_eq!(keep_alive.next_deadline(), second * 50);
        assert_eq!(keep_alive.poll(second * 50), KeepAliveAction::Disconnect);
        keep_alive.reset(second * 45);
        assert!(!keep_alive.is_ping_sent());
        assert_eq!(keep_alive.poll(second * 64), KeepAliveAction::Nothing);
        // The process has not run for a while.
        assert_eq!(keep_alive.poll(second * 165), KeepAliveAction::Ping);
        assert_eq!(keep_alive.poll(second * 184), KeepAliveAction::Nothing);
        assert_eq!(keep_alive.poll(second * 185), KeepAliveAction::Disconnect);
    }
}
