//! The level whose players make mistakes like those of a player.

use kalah::{Position, Rules};

use super::ReviewedPly;
use super::commentary::GamePhase;
use crate::players::LevelNumber;

/// The number of classes of costs.
const COST_CLASSES: usize = 4;

/// The greatest cost of each class but the last, in seeds. The classes are those of the grades by
/// seeds: nothing, less than an inaccuracy, an inaccuracy, a mistake.
const MAX_CLASS_COSTS: [u32; COST_CLASSES - 1] = [0, 3, 7];

/// The number of plies of each class of cost, in each phase.
type CostCounts = [[u32; COST_CLASSES]; GamePhase::ALL.len()];

/// How often a player made moves of each cost in each phase of games. A ply counts if the margins
/// of all moves are proven and not all of them are equal, and if it does not belong to the opening
/// of a tournament.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlyCosts {
    counts: CostCounts,
}

/// The level from 1 to 10 whose players make mistakes like those of a player, with a range.
///
/// Each level has a table of how often its moves cost nothing, 1 to 3 seeds, 4 to 7 seeds or more,
/// in each phase, from games of the level against itself and its neighbours. The probability of the
/// player's costs under each table, with equal probabilities of all levels before, gives the
/// probability of each level by Bayes' rule.
///
/// The tables hold for games of 6 houses and 48 seeds under [`Rules::STANDARD`]. `docs/analysis.md`
/// has the measurement and how often the range contains the level of the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelEstimate {
    /// The most probable level.
    pub level: LevelNumber,
    /// The lowest level of the range.
    pub lowest: LevelNumber,
    /// The highest level of the range. The levels of the range have a probability of at least
    /// [`Self::CONFIDENCE`] together.
    pub highest: LevelNumber,
    /// The number of plies that the estimate is made from.
    pub plies: u32,
}

/// The number of levels.
const LEVELS: usize = LevelNumber::MAX.get() as usize;

/// The houses and seeds of the games from which the tables were made.
const HOUSES: u8 = 6;
const SEEDS: u16 = 48;

/// The number of plies of each level by phase and class of cost: the output of
/// `cargo lab level-costs --games 40`, 760 games of 6x4 under the rules `standard`.
const LEVEL_COSTS: [CostCounts; LEVELS] = [
    [[146, 41, 55, 44], [327, 77, 106, 103], [176, 56, 67, 23]],
    [[233, 73, 62, 44], [530, 99, 129, 72], [380, 68, 64, 17]],
    [[270, 52, 54, 31], [599, 117, 101, 71], [343, 41, 36, 13]],
    [[314, 52, 41, 18], [630, 81, 82, 40], [339, 35, 22, 9]],
    [[341, 60, 24, 12], [728, 80, 68, 19], [498, 29, 21, 4]],
    [[364, 52, 17, 7], [780, 79, 58, 7], [482, 19, 9, 6]],
    [[374, 50, 22, 1], [771, 82, 39, 5], [480, 31, 9, 1]],
    [[353, 47, 29, 3], [774, 59, 28, 1], [438, 14, 6, 0]],
    [[402, 30, 18, 0], [801, 58, 16, 1], [545, 8, 1, 0]],
    [[336, 2, 5, 0], [537, 3, 2, 0], [453, 0, 0, 0]],
];

impl PlyCosts {
    /// Counts the costs of the plies of a player with the phases before them.
    pub fn from_plies<'a>(plies: impl IntoIterator<Item = (GamePhase, &'a ReviewedPly)>) -> Self {
        let mut costs = Self::default();
        for (phase, ply) in plies {
            if !ply.is_opening_ply
                && ply.cost.is_exact()
                && ply.stake.is_some_and(|stake| stake > 0)
            {
                costs.add(phase, ply.cost.lower.seeds().unsigned_abs());
            }
        }
        costs
    }

    /// Counts a ply of this cost, in seeds.
    pub fn add(&mut self, phase: GamePhase, cost: u32) {
        let class = MAX_CLASS_COSTS.iter().position(|&most| cost <= most);
        self.counts[phase as usize][class.unwrap_or(COST_CLASSES - 1)] += 1;
    }

    /// Adds the plies of `other`.
    pub fn merge(&mut self, other: &Self) {
        let sums = self.counts.iter_mut().flatten();
        for (sum, count) in sums.zip(other.counts.iter().flatten()) {
            *sum += count;
        }
    }

    /// Returns the number of plies.
    pub fn plies(&self) -> u32 {
        self.counts.iter().flatten().sum()
    }

    /// Returns the number of plies in each phase that cost nothing, 1 to 3 seeds, 4 to 7 seeds, and
    /// 8 seeds or more.
    pub fn counts(&self) -> CostCounts {
        self.counts
    }
}

impl LevelEstimate {
    /// The least probability of the levels of the range together.
    pub const CONFIDENCE: f64 = 0.8;

    /// The least number of plies of an estimate.
    pub const MIN_PLIES: u32 = 8;

    /// Returns the estimate of a player's level in a game from `start`; `None` on boards and under
    /// rules other than those of the tables, or with fewer than [`Self::MIN_PLIES`] plies.
    pub fn from_costs(start: &Position, costs: &PlyCosts) -> Option<Self> {
        let is_measured = start.houses() == HOUSES
            && start.total().get() == SEEDS
            && start.rules() == Rules::STANDARD;
        if !is_measured || costs.plies() < Self::MIN_PLIES {
            return None;
        }
        let probabilities = probabilities(costs);
        let most = (0..LEVELS)
            .max_by(|&one, &other| probabilities[one].total_cmp(&probabilities[other]))?;
        let (mut lowest, mut highest) = (most, most);
        while probabilities[lowest..=highest].iter().sum::<f64>() < Self::CONFIDENCE {
            let below = lowest.checked_sub(1).map(|level| probabilities[level]);
            let above = probabilities.get(highest + 1).copied();
            // At the ends of the scale there is a level on one side alone.
            match (below, above) {
                (Some(below), Some(above)) if below > above => lowest -= 1,
                (Some(_), None) => lowest -= 1,
                (_, Some(_)) => highest += 1,
                (None, None) => break,
            }
        }
        Some(Self {
            level: level_at(most)?,
            lowest: level_at(lowest)?,
            highest: level_at(highest)?,
            plies: costs.plies(),
        })
    }
}

fn level_at(index: usize) -> Option<LevelNumber> {
    LevelNumber::new(u8::try_from(index + 1).ok()?)
}

/// Returns the probability of each level.
fn probabilities(costs: &PlyCosts) -> [f64; LEVELS] {
    let logarithms = LEVEL_COSTS.map(|level| log_likelihood(&level, costs));
    let most = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights = logarithms.map(|logarithm| (logarithm - most).exp());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// Returns the logarithm of the probability of costs by the table of a level. A class has one ply
/// more than was counted, so that none is impossible (Laplace's rule of succession).
fn log_likelihood(level: &CostCounts, costs: &PlyCosts) -> f64 {
    let phases = level.iter().zip(&costs.counts);
    let logarithms = phases.flat_map(|(level, costs)| {
        let expected = level.map(|count| f64::from(count) + 1.0);
        let all: f64 = expected.iter().sum();
        let classes = expected.into_iter().zip(costs);
        classes.map(move |(expected, &count)| f64::from(count) * (expected / all).ln())
    });
    logarithms.sum()
}

#[cfg(test)]
mod tests {
    use kalah::Setup;
    use rand::RngExt as _;
    use rand::SeedableRng as _;
    use rand_pcg::Pcg64Mcg;

    use super::*;

    fn start() -> Position {
        Position::start(6, 4, Rules::STANDARD).expect("a board")
    }

    /// Returns the mean of the least costs of the classes in all phases, in seeds.
    fn mean_cost(level: &CostCounts) -> f64 {
        let least = [0.0, 2.0, 4.0, 8.0];
        let all: u32 = level.iter().flatten().sum();
        let costs = level.iter().flat_map(|phase| phase.iter().zip(least));
        let sum: f64 = costs.map(|(&count, least)| f64::from(count) * least).sum();
        sum / f64::from(all)
    }

    #[test]
    fn higher_levels_lose_fewer_seeds() {
        let costs = LEVEL_COSTS.map(|level| mean_cost(&level));
        assert!(costs.windows(2).all(|pair| pair[0] > pair[1]), "{costs:?}");
    }

    /// Draws the costs of a game in which a level makes these numbers of plies in the phases.
    fn draw_costs(level: &CostCounts, plies: [u32; 3], random: &mut Pcg64Mcg) -> PlyCosts {
        let costs = [0, 2, 4, 8];
        let mut drawn = PlyCosts::default();
        for ((phase, counts), plies) in GamePhase::ALL.into_iter().zip(level).zip(plies) {
            for _ in 0..plies {
                let mut place = random.random_range(0..counts.iter().sum());
                let class = counts.iter().position(|&count| {
                    let is_here = place < count;
                    place = place.saturating_sub(count);
                    is_here
                });
                drawn.add(phase, costs[class.expect("a class")]);
            }
        }
        drawn
    }

    #[test]
    fn the_range_contains_the_level_as_often_as_stated() {
        const GAMES: u32 = 300;
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut means = Vec::new();
        let mut contained = 0;
        for (index, level) in LEVEL_COSTS.iter().enumerate() {
            let number = level_at(index).expect("a level");
            let mut sum = 0;
            for game in 0..GAMES {
                let costs = draw_costs(
                    level,
                    [2 + game % 3, 4 + game % 5, 2 + game % 4],
                    &mut random,
                );
                let estimate = LevelEstimate::from_costs(&start(), &costs).expect("an estimate");
                assert!((estimate.lowest..=estimate.highest).contains(&estimate.level));
                contained += u32::from((estimate.lowest..=estimate.highest).contains(&number));
                sum += u32::from(estimate.level.get());
            }
            means.push(sum);
        }
        let games = GAMES * u32::from(LevelNumber::MAX.get());
        assert!(
            f64::from(contained) / f64::from(games) >= LevelEstimate::CONFIDENCE,
            "{contained}"
        );
        assert!(means.is_sorted(), "{means:?}");
    }

    #[test]
    fn more_plies_make_the_range_narrower() {
        let mut random = Pcg64Mcg::seed_from_u64(2);
        let width = |factor: u32, random: &mut Pcg64Mcg| {
            let widths = (0..100).map(|_| {
                let costs = draw_costs(
                    &LEVEL_COSTS[3],
                    [3 * factor, 6 * factor, 3 * factor],
                    random,
                );
                let estimate = LevelEstimate::from_costs(&start(), &costs).expect("an estimate");
                u32::from(estimate.highest.get() - estimate.lowest.get())
            });
            widths.sum::<u32>()
        };
        assert!(width(1, &mut random) > 2 * width(20, &mut random));
    }

    #[test]
    fn there_is_no_level_on_other_boards_under_other_rules_or_from_few_plies() {
        let mut costs = PlyCosts::default();
        for _ in 1..LevelEstimate::MIN_PLIES {
            costs.add(GamePhase::Opening, 0);
        }
        assert_eq!(LevelEstimate::from_costs(&start(), &costs), None);
        costs.add(GamePhase::Endgame, 0);
        let estimate = LevelEstimate::from_costs(&start(), &costs).expect("an estimate");
        assert_eq!(estimate.plies, LevelEstimate::MIN_PLIES);
        for (setup, rules) in [
            ("6x4", Rules::CS32),
            ("6x5", Rules::STANDARD),
            ("8x3", Rules::STANDARD),
        ] {
            let position = setup.parse::<Setup>().expect("a setup").position(rules);
            let position = position.expect("a position");
            assert_eq!(
                LevelEstimate::from_costs(&position, &costs),
                None,
                "{setup} {rules}"
            );
        }
    }
}
