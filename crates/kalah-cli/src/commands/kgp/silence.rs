use std::time::Duration;

/// How long a server has said nothing: a connection can be lost without a word.
#[derive(Debug, Default)]
pub(super) struct Silence {
    /// When the server said something last, since the connection began.
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

/// The stock server lets up to a minute pass before the first game. Who is silent for longer is asked.
const QUIET: Duration = Duration::from_secs(90);

/// A server answers a ping within 20 s, or is gone. This is when it is thought to be.
const TOO_QUIET: Duration = Duration::from_mins(2);

impl Silence {
    /// The server has said something.
    pub(super) fn broken(&mut self, now: Duration) {
        self.heard = now;
        self.is_asked = false;
    }

    /// What is due; each ping is only once.
    pub(super) fn due(&mut self, now: Duration) -> Due {
        let quiet = now.saturating_sub(self.heard);
        if quiet >= TOO_QUIET {
            Due::Leave
        } else if quiet >= QUIET && !self.is_asked {
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
        let mut silence = Silence::default();
        let second = Duration::from_secs(1);
        silence.broken(second * 10);
        assert_eq!(silence.due(QUIET), Due::Nothing);
        assert_eq!(silence.due(QUIET + second * 10), Due::Ping);
        assert_eq!(silence.due(QUIET + second * 11), Due::Nothing);
        assert_eq!(silence.due(TOO_QUIET + second * 10), Due::Leave);
        silence.broken(TOO_QUIET);
        assert_eq!(silence.due(TOO_QUIET), Due::Nothing);
        assert_eq!(silence.due(TOO_QUIET + QUIET), Due::Ping);
    }
}
