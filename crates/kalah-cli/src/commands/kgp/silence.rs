use std::time::Duration;

/// How long the other side has said nothing: a connection can be lost without a word.
#[derive(Debug)]
pub(super) struct KeepAlive {
    /// The silence after which it is asked.
    ping_after: Duration,
    /// The silence after which it is left.
    disconnect_after: Duration,
    /// When the other side said something last, since the connection began.
    last_received: Duration,
    /// Whether it has been asked since.
    is_ping_sent: bool,
}

/// What is to be done about a silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeepAliveAction {
    /// Nothing yet.
    Nothing,
    /// To ask whether anybody is there.
    Ping,
    /// To hang up.
    Disconnect,
}

impl KeepAlive {
    /// That of a server. The stock one lets up to a minute pass before the first game; who is silent for longer is asked.
    /// It answers a ping within 20 s, or is gone.
    pub(super) const FOR_SERVER: Self = Self::new(Duration::from_secs(90), Duration::from_mins(2));

    /// That of a client, which has 20 s to answer a ping.
    pub(super) const FOR_CLIENT: Self = Self::new(Duration::from_secs(20), Duration::from_secs(40));

    const fn new(ping_after: Duration, disconnect_after: Duration) -> Self {
        Self {
            ping_after,
            disconnect_after,
            last_received: Duration::ZERO,
            is_ping_sent: false,
        }
    }

    /// When something is due next, since the connection began.
    pub(super) fn next_deadline(&self) -> Duration {
        let silence = if self.is_ping_sent {
            self.disconnect_after
        } else {
            self.ping_after
        };
        self.last_received + silence
    }

    /// The other side has said something.
    pub(super) fn reset(&mut self, now: Duration) {
        self.last_received = now;
        self.is_ping_sent = false;
    }

    /// What is due; each ping is only once.
    pub(super) fn poll(&mut self, now: Duration) -> KeepAliveAction {
        let quiet = now.saturating_sub(self.last_received);
        if quiet >= self.disconnect_after {
            KeepAliveAction::Disconnect
        } else if quiet >= self.ping_after && !self.is_ping_sent {
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
    fn who_is_silent_is_asked_once_and_then_left() {
        let second = Duration::from_secs(1);
        let mut silence = KeepAlive::new(second * 20, second * 40);
        silence.reset(second * 10);
        assert_eq!(silence.next_deadline(), second * 30);
        assert_eq!(silence.poll(second * 29), KeepAliveAction::Nothing);
        assert_eq!(silence.poll(second * 30), KeepAliveAction::Ping);
        assert_eq!(silence.poll(second * 31), KeepAliveAction::Nothing);
        assert_eq!(silence.next_deadline(), second * 50);
        assert_eq!(silence.poll(second * 50), KeepAliveAction::Disconnect);
        silence.reset(second * 45);
        assert_eq!(silence.poll(second * 64), KeepAliveAction::Nothing);
        assert_eq!(silence.poll(second * 65), KeepAliveAction::Ping);
    }
}
