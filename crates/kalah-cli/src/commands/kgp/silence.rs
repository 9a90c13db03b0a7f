use std::time::Duration;

/// How long the other side has said nothing: a connection can be lost without a word.
#[derive(Debug)]
pub(super) struct Silence {
    /// The silence after which it is asked.
    quiet: Duration,
    /// The silence after which it is left.
    too_quiet: Duration,
    /// When the other side said something last, since the connection began.
    heard: Duration,
    /// Whether it has been asked since.
    is_asked: bool,
}

/// What is to be done about a silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing yet.
    Nothing,
    /// To ask whether anybody is there.
    Ping,
    /// To hang up.
    Leave,
}

impl Silence {
    /// That of a server. The stock one lets up to a minute pass before the first game; who is silent for longer is asked.
    /// It answers a ping within 20 s, or is gone.
    pub(super) const OF_SERVER: Self = Self::new(Duration::from_secs(90), Duration::from_mins(2));

    /// That of a client, which has 20 s to answer a ping.
    pub(super) const OF_CLIENT: Self = Self::new(Duration::from_secs(20), Duration::from_secs(40));

    const fn new(quiet: Duration, too_quiet: Duration) -> Self {
        Self {
            quiet,
            too_quiet,
            heard: Duration::ZERO,
            is_asked: false,
        }
    }

    /// When something is due next, since the connection began.
    pub(super) fn next(&self) -> Duration {
        let silence = if self.is_asked {
            self.too_quiet
        } else {
            self.quiet
        };
        self.heard + silence
    }

    /// The other side has said something.
    pub(super) fn broken(&mut self, now: Duration) {
        self.heard = now;
        self.is_asked = false;
    }

    /// What is due; each ping is only once.
    pub(super) fn due(&mut self, now: Duration) -> Due {
        let quiet = now.saturating_sub(self.heard);
        if quiet >= self.too_quiet {
            Due::Leave
        } else if quiet >= self.quiet && !self.is_asked {
            self.is_asked = true;
            Due::Ping
        } else {
            Due::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_silent_is_asked_once_and_then_left() {
        let second = Duration::from_secs(1);
        let mut silence = Silence::new(second * 20, second * 40);
        silence.broken(second * 10);
        assert_eq!(silence.next(), second * 30);
        assert_eq!(silence.due(second * 29), Due::Nothing);
        assert_eq!(silence.due(second * 30), Due::Ping);
        assert_eq!(silence.due(second * 31), Due::Nothing);
        assert_eq!(silence.next(), second * 50);
        assert_eq!(silence.due(second * 50), Due::Leave);
        silence.broken(second * 45);
        assert_eq!(silence.due(second * 64), Due::Nothing);
        assert_eq!(silence.due(second * 65), Due::Ping);
    }
}
