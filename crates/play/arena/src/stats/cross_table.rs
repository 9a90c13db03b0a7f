//! Contestants, and the cross table of their games.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::pentanomial::{GameScore, PairScore, Pentanomial};

/// A contestant of a tournament, identified by its index in the list of contestants, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Contestant(pub usize);

impl Contestant {
    /// Returns the first `contestants` contestants, in order.
    pub fn all(contestants: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..contestants).map(Self)
    }
}

/// Counts of games by result, from the perspective of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u32,
    /// Games tied.
    pub ties: u32,
    /// Games lost.
    pub losses: u32,
}

/// The games between two contestants, from the perspective of one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct HeadToHead {
    /// All games.
    pub games: Tally,
    /// The pairs of which both games are finished.
    pub pairs: Pentanomial,
    /// The games whose partner in the pair is not finished.
    pub unpaired: Tally,
}

/// The results of any number of contestants against each other.
///
/// ```
/// use kalah_arena::{Contestant, CrossTable, GameScore};
/// let [ann, ben, eve] = [0, 1, 2].map(Contestant);
/// let mut table = CrossTable::new(3);
/// table.add_pair(ann, ben, GameScore::Win, GameScore::Tie);
/// table.add_pair(ben, eve, GameScore::Win, GameScore::Loss);
/// table.add_single(eve, ann, GameScore::Tie);
/// assert_eq!(table.head_to_head(ben, ann).games.half_points(), 1);
/// let order: Vec<_> = table.standings().iter().map(|row| (row.rank, row.contestant)).collect();
/// assert_eq!(order, [(1, ann), (2, eve), (3, ben)]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossTable {
    /// For each contestant its games against all contestants of lower index, from its perspective.
    rows: Vec<Vec<HeadToHead>>,
}

/// A row of the standings: one contestant against all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// The contestant.
    pub contestant: Contestant,
    /// One more than the number of contestants with a higher fraction of their points.
    pub rank: usize,
    /// All its games.
    pub games: Tally,
    /// All its pairs of which both games are finished.
    pub pairs: Pentanomial,
}

impl Tally {
    /// Counts one more game.
    pub fn add(&mut self, score: GameScore) {
        let count = match score {
            GameScore::Loss => &mut self.losses,
            GameScore::Tie => &mut self.ties,
            GameScore::Win => &mut self.wins,
        };
        *count = count.saturating_add(1);
    }

    /// Returns the number of games.
    pub fn game_count(&self) -> u64 {
        u64::from(self.wins) + u64::from(self.ties) + u64::from(self.losses)
    }

    /// Returns the points in halves, at most two a game.
    pub fn half_points(&self) -> u64 {
        2 * u64::from(self.wins) + u64::from(self.ties)
    }

    /// Returns the same games from the perspective of the other player.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self {
            wins: self.losses,
            ties: self.ties,
            losses: self.wins,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.wins = self.wins.saturating_add(other.wins);
        self.ties = self.ties.saturating_add(other.ties);
        self.losses = self.losses.saturating_add(other.losses);
    }
}

impl HeadToHead {
    /// Returns the same games from the perspective of the other player.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self {
            games: self.games.mirrored(),
            pairs: self.pairs.mirrored(),
            unpaired: self.unpaired.mirrored(),
        }
    }
}

impl CrossTable {
    /// Creates a table without games.
    pub fn new(contestants: usize) -> Self {
        let rows = (0..contestants).map(|row| vec![HeadToHead::default(); row]);
        Self {
            rows: rows.collect(),
        }
    }

    /// Returns the number of contestants.
    pub fn contestants(&self) -> usize {
        self.rows.len()
    }

    /// Counts the two games of a pair, with the scores of `one`. Does nothing if a contestant is
    /// not in the table or plays against itself.
    pub fn add_pair(
        &mut self,
        one: Contestant,
        other: Contestant,
        first: GameScore,
        second: GameScore,
    ) {
        self.update(one, other, |cell, orient| {
            let (first, second) = (orient(first), orient(second));
            cell.games.add(first);
            cell.games.add(second);
            cell.pairs.add(PairScore::from_games(first, second));
        });
    }

    /// Counts a game without its partner in the pair, with the score of `one`. Does nothing in the
    /// same cases as [`CrossTable::add_pair`].
    pub fn add_single(&mut self, one: Contestant, other: Contestant, score: GameScore) {
        self.update(one, other, |cell, orient| {
            cell.games.add(orient(score));
            cell.unpaired.add(orient(score));
        });
    }

    /// Passes `change` the cell of the two contestants and the function that converts a score of
    /// `one` to the perspective of the cell.
    fn update(
        &mut self,
        one: Contestant,
        other: Contestant,
        change: impl FnOnce(&mut HeadToHead, fn(GameScore) -> GameScore),
    ) {
        let (row, column) = (one.max(other).0, one.min(other).0);
        let orient = if one > other {
            |score| score
        } else {
            GameScore::mirrored
        };
        if let Some(cell) = self.rows.get_mut(row).and_then(|row| row.get_mut(column)) {
            change(cell, orient);
        }
    }

    /// Returns the games of `one` against `other`, from the perspective of `one`; none if one of
    /// them is not in the table.
    pub fn head_to_head(&self, one: Contestant, other: Contestant) -> HeadToHead {
        let (row, column) = (one.max(other).0, one.min(other).0);
        let cell = self.rows.get(row).and_then(|row| row.get(column));
        let cell = cell.copied().unwrap_or_default();
        if one > other { cell } else { cell.mirrored() }
    }

    /// Returns the games of `one` against all, from its perspective.
    pub fn total(&self, one: Contestant) -> HeadToHead {
        let mut sum = HeadToHead::default();
        for other in Contestant::all(self.contestants()) {
            let head_to_head = self.head_to_head(one, other);
            sum.games += head_to_head.games;
            sum.pairs += head_to_head.pairs;
            sum.unpaired += head_to_head.unpaired;
        }
        sum
    }

    /// Returns all contestants, the highest fraction of the points first and contestants without
    /// games last. Equal ones share a rank and keep their order.
    pub fn standings(&self) -> Vec<Standing> {
        let mut standings: Vec<_> = Contestant::all(self.contestants())
            .map(|contestant| {
                let HeadToHead { games, pairs, .. } = self.total(contestant);
                Standing {
                    contestant,
                    rank: 1,
                    games,
                    pairs,
                }
            })
            .collect();
        let fraction = |standing: &Standing| PointFraction {
            half_points: standing.games.half_points(),
            games: standing.games.game_count(),
        };
        standings.sort_by_key(|standing| std::cmp::Reverse(fraction(standing)));
        let mut previous: Option<(usize, PointFraction)> = None;
        for (position, standing) in (1..).zip(&mut standings) {
            let fraction = fraction(standing);
            standing.rank = match previous {
                Some((rank, equal)) if equal == fraction => rank,
                _ => position,
            };
            previous = Some((standing.rank, fraction));
        }
        standings
    }
}

/// Points per game, compared exactly as fractions. No games are less than any number of games.
#[derive(Clone, Copy)]
struct PointFraction {
    half_points: u64,
    games: u64,
}

impl Ord for PointFraction {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let cross_product =
            |one: &Self, other: &Self| u128::from(one.half_points) * u128::from(other.games);
        let has_games = |fraction: &Self| fraction.games > 0;
        (has_games(self).cmp(&has_games(other)))
            .then(cross_product(self, other).cmp(&cross_product(other, self)))
    }
}

impl PartialOrd for PointFraction {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PointFraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PointFraction {}
