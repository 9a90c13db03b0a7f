use std::time::Duration;

/// How many lines a client may say: who says more is listened to later.
#[derive(Debug)]
pub(super) struct Allowance {
    /// When it was full or will have been, since the connection began, if nothing more is said.
    full: Duration,
}

/// The time that a line costs: 100 a second in the long run. Engines say a few a second.
const COST: Duration = Duration::from_millis(10);

/// What can be saved up: 500 lines.
const MOST: Duration = Duration::from_secs(5);

impl Allowance {
    pub(super) const FULL: Self = Self {
        full: Duration::ZERO,
    };

    /// When the next line may be said, if not now.
    pub(super) fn later(&self, now: Duration) -> Option<Duration> {
        let next = (self.full + COST).saturating_sub(MOST);
        (next > now).then_some(next)
    }

    /// Pays for a line.
    pub(super) fn pay(&mut self, now: Duration) {
        self.full = self.full.max(now) + COST;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_listened_to_at_its_pace() {
        let mut allowance = Allowance::FULL;
        let now = Duration::from_mins(1);
        let mut said = 0_u32;
        while allowance.later(now).is_none() {
            allowance.pay(now);
            said += 1;
        }
        assert_eq!(MOST, COST * said);
        assert_eq!(allowance.later(now), Some(now + COST));
        assert_eq!(allowance.later(now + COST), None);
        // All that can be saved up is saved up after a rest.
        assert_eq!(allowance.later(now + MOST * 3), None);
    }
}
