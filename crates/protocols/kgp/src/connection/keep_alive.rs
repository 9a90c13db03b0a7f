//! The detection of connections that were lost without a notice.

use std::time::Duration;

/// A timer that detects a silent peer: it requests a ping, and then the end of the connection.
/// Times are durations since the connection was opened.
#[derive(Debug)]
pub struct KeepAlive {
    /// The silence after which a ping is due.
    ping_after: Duration,
    /// The silence after which the connection has to end.
    disconnect_after: Duration,
    /// The time of the last line of the peer.
    last_received: Duration,
    /// Whether a ping was requested since then.
    is_ping_sent: bool,
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
    pub const FOR_SERVER: Self = Self::new(Duration::from_secs(20), Duration::from_secs(30));

    /// The timer of a server for a client, which has 20 s to answer a ping.
    pub const FOR_CLIENT: Self = Self::new(Duration::from_secs(20), Duration::from_secs(40));

    const fn new(ping_after: Duration, disconnect_after: Duration) -> Self {
        Self {
            ping_after,
            disconnect_after,
            last_received: Duration::ZERO,
            is_ping_sent: false,
        }
    }

    /// Returns the time of the next action, if the peer stays silent.
    pub fn next_deadline(&self) -> Duration {
        let silence = if self.is_ping_sent {
            self.disconnect_after
        } else {
            self.ping_after
        };
        self.last_received + silence
    }

    /// Returns whether a ping was requested after the last line of the peer.
    pub fn is_ping_sent(&self) -> bool {
        self.is_ping_sent
    }

    /// Restarts the timer after a line of the peer.
    pub fn reset(&mut self, now: Duration) {
        self.last_received = now;
        self.is_ping_sent = false;
    }

    /// Returns the action that is due. A ping is requested once per silence.
    pub fn poll(&mut self, now: Duration) -> KeepAliveAction {
        let silence = now.saturating_sub(self.last_received);
        if silence >= self.disconnect_after {
            KeepAliveAction::Disconnect
        } else if silence >= self.ping_after && !self.is_ping_sent {
            self.is_ping_sent = true;
            KeepAliveAction::Ping
        } else {
            KeepAliveAction::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_peer_gets_one_ping_and_is_then_disconnected() {
        let second = Duration::from_secs(1);
        let mut keep_alive = KeepAlive::new(second * 20, second * 40);
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
        assert_eq!(keep_alive.poll(second * 65), KeepAliveAction::Ping);
    }
}
