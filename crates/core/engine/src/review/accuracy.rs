//! The accuracy of a player in a reviewed game.

use super::ReviewedPly;

/// The accuracy of a player: 100 × (1 − cost ÷ stake), over the plies whose stake is proven,
/// without those of the opening of a tournament.
///
/// A player has an accuracy only if the share of the plies that count is at least
/// [`Self::MIN_PROVEN`].
/// The accuracy of a few plies would be that of the end of the game, and would change whenever an
/// analysis proves more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// The number of plies that count.
    pub plies: u32,
    /// The number of plies that do not count, because their stake is not proven.
    pub unproven: u32,
    /// The cost of the plies that count, in seeds.
    pub cost: u32,
    /// The stake of the plies that count, in seeds.
    pub stake: u32,
}

impl Accuracy {
    /// The least share of the plies that must count, as a numerator and a denominator.
    ///
    /// `docs/analysis.md` has the measurement by which it was chosen.
    pub const MIN_PROVEN: (u64, u64) = (4, 5);

    pub(super) fn from_plies<'a>(plies: impl Iterator<Item = &'a ReviewedPly>) -> Self {
        let mut all = Self::default();
        for ply in plies.filter(|ply| !ply.is_opening_ply) {
            let Some(stake) = ply.stake else {
                all.unproven += 1;
                continue;
            };
            let cost = ply.cost.lower.seeds().unsigned_abs();
            all.plies += 1;
            all.cost = all.cost.saturating_add(cost);
            all.stake = all.stake.saturating_add(stake);
        }
        all
    }

    /// Returns the number of plies of the player after the opening of a tournament.
    pub fn all_plies(self) -> u64 {
        u64::from(self.plies) + u64::from(self.unproven)
    }

    /// Returns whether enough plies are proven for an accuracy.
    pub fn has_enough_plies(self) -> bool {
        let (numerator, denominator) = Self::MIN_PROVEN;
        u64::from(self.plies) * denominator >= self.all_plies() * numerator
    }

    /// Returns the accuracy in percent, from 0 to 100; `None` if too few plies are proven or
    /// nothing was at stake.
    pub fn percent(self) -> Option<f64> {
        let is_known = self.has_enough_plies() && self.stake > 0;
        is_known.then(|| 100.0 * (1.0 - f64::from(self.cost) / f64::from(self.stake)))
    }
}
