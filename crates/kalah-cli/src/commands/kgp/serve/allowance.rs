use std::time::Duration;

/// How many lines a client may say: who says more is listened to later.
#[derive(Debug)]
pub(super) struct LineRateLimit {
    /// When it was full or will have been, since the connection began, if nothing more is said.
    full_at: Duration,
}

/// The time that a line costs: 100 a second in the long run. Engines say a few a second.
const LINE_COST: Duration = Duration::from_millis(10);

/// What can be saved up: 500 lines.
const MAX_CREDIT: Duration = Duration::from_secs(5);

impl LineRateLimit {
    pub(super) const UNUSED: Self = Self {
        full_at: Duration::ZERO,
    };

    /// When the next line may be said, if not now.
    pub(super) fn retry_at(&self, now: Duration) -> Option<Duration> {
        let next = (self.full_at + LINE_COST).saturating_sub(MAX_CREDIT);
        (next > now).then_some(next)
    }

    /// Pays for a line.
    pub(super) fn charge(&mut self, now: Duration) {
        self.full_at = self.full_at.max(now) + LINE_COST;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_listened_to_at_its_pace() {
        let mut allowance = LineRateLimit::UNUSED;
        let now = Duration::from_mins(1);
        let mut said = 0_u32;
        while allowance.retry_at(now).is_none() {
            allowance.charge(now);
            said += 1;
        }
        assert_eq!(MAX_CREDIT, LINE_COST * said);
        assert_eq!(allowance.retry_at(now), Some(now + LINE_COST));
        assert_eq!(allowance.retry_at(now + LINE_COST), None);
        // All that can be saved up is saved up after a rest.
        assert_eq!(allowance.retry_at(now + MAX_CREDIT * 3), None);
    }
}
