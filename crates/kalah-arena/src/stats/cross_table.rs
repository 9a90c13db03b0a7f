use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::pentanomial::{GameScore, PairScore, Pentanomial};

/// Who takes part, by the place in the list of all who do, from 0. Names are a matter of those who show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Contestant(pub usize);

impl Contestant {
    /// The first so many, in order.
    pub fn all(contestants: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..contestants).map(Self)
    }
}

/// How many games ended how, told of one of the two players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

/// The games between two contestants, told of one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct HeadToHead {
    /// All of them.
    pub games: Tally,
    /// Those that are whole pairs, as pairs.
    pub pairs: Pentanomial,
    /// Those whose other game has not been finished.
    pub unpaired: Tally,
}

/// Who has made how much against whom, for any number of contestants.
///
/// ```
/// use kalah_arena::{Contestant, CrossTable, GameScore};
/// let [ann, ben, eve] = [0, 1, 2].map(Contestant);
/// let mut table = CrossTable::new(3);
/// table.add_pair(ann, ben, GameScore::Win, GameScore::Draw);
/// table.add_pair(ben, eve, GameScore::Win, GameScore::Loss);
/// table.add_single(eve, ann, GameScore::Draw);
/// assert_eq!(table.between(ben, ann).games.half_points(), 1);
/// let order: Vec<_> = table.standings().iter().map(|line| (line.rank, line.contestant)).collect();
/// assert_eq!(order, [(1, ann), (2, eve), (3, ben)]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossTable {
    /// For each contestant its meetings with all before it, told of it.
    rows: Vec<Vec<HeadToHead>>,
}

/// A line of the table, for one contestant against all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Who.
    pub contestant: Contestant,
    /// How many have a greater share of their points, and one.
    pub rank: usize,
    /// All games.
    pub games: Tally,
    /// All whole pairs.
    pub pairs: Pentanomial,
}

impl Tally {
    /// Counts one more game.
    pub fn add(&mut self, score: GameScore) {
        let count = match score {
            GameScore::Loss => &mut self.losses,
            GameScore::Draw => &mut self.draws,
            GameScore::Win => &mut self.wins,
        };
        *count = count.saturating_add(1);
    }

    /// How many games there are.
    pub fn game_count(&self) -> u64 {
        u64::from(self.wins) + u64::from(self.draws) + u64::from(self.losses)
    }

    /// The points in halves; a game has two to share.
    pub fn half_points(&self) -> u64 {
        2 * u64::from(self.wins) + u64::from(self.draws)
    }

    /// The same games, told of the other player.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.wins = self.wins.saturating_add(other.wins);
        self.draws = self.draws.saturating_add(other.draws);
        self.losses = self.losses.saturating_add(other.losses);
    }
}

impl HeadToHead {
    /// The same games, told of the other player.
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
    /// Nothing played yet.
    pub fn new(contestants: usize) -> Self {
        let rows = (0..contestants).map(|before| vec![HeadToHead::default(); before]);
        Self {
            rows: rows.collect(),
        }
    }

    /// How many take part.
    pub fn contestants(&self) -> usize {
        self.rows.len()
    }

    /// Counts a whole pair of games, both told of `one`. Nothing is counted for anybody who does not take part, nor
    /// for somebody against itself.
    pub fn add_pair(
        &mut self,
        one: Contestant,
        other: Contestant,
        first: GameScore,
        second: GameScore,
    ) {
        self.update(one, other, |meeting, told| {
            let (first, second) = (told(first), told(second));
            meeting.games.add(first);
            meeting.games.add(second);
            meeting.pairs.add(PairScore::from_games(first, second));
        });
    }

    /// Counts a game whose pair is not whole, told of `one`; for whom, see [`CrossTable::add_pair`].
    pub fn add_single(&mut self, one: Contestant, other: Contestant, score: GameScore) {
        self.update(one, other, |meeting, told| {
            meeting.games.add(told(score));
            meeting.unpaired.add(told(score));
        });
    }

    /// Changes what is kept of the two, with how a score of `one` is told there.
    fn update(
        &mut self,
        one: Contestant,
        other: Contestant,
        change: impl FnOnce(&mut HeadToHead, fn(GameScore) -> GameScore),
    ) {
        let (row, column) = (one.max(other).0, one.min(other).0);
        let told = if one > other {
            |score| score
        } else {
            GameScore::mirrored
        };
        if let Some(meeting) = self.rows.get_mut(row).and_then(|row| row.get_mut(column)) {
            change(meeting, told);
        }
    }

    /// The games of `one` against `other`, told of `one`; none if one of them does not take part.
    pub fn head_to_head(&self, one: Contestant, other: Contestant) -> HeadToHead {
        let (row, column) = (one.max(other).0, one.min(other).0);
        let meeting = self.rows.get(row).and_then(|row| row.get(column));
        let meeting = meeting.copied().unwrap_or_default();
        if one > other {
            meeting
        } else {
            meeting.mirrored()
        }
    }

    /// The games of `one` against all, told of it.
    pub fn total(&self, one: Contestant) -> HeadToHead {
        let mut sum = HeadToHead::default();
        for other in Contestant::all(self.contestants()) {
            let meeting = self.head_to_head(one, other);
            sum.games += meeting.games;
            sum.pairs += meeting.pairs;
            sum.unpaired += meeting.unpaired;
        }
        sum
    }

    /// All contestants, the greatest share of the points first, whoever has played nothing last; equals share a
    /// rank and stand in their order.
    pub fn standings(&self) -> Vec<Standing> {
        let mut lines: Vec<_> = Contestant::all(self.contestants())
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
        let share = |line: &Standing| Share {
            half_points: line.games.half_points(),
            games: line.games.game_count(),
        };
        lines.sort_by_key(|line| std::cmp::Reverse(share(line)));
        let mut above: Option<(usize, Share)> = None;
        for (place, line) in (1..).zip(&mut lines) {
            let share = share(line);
            line.rank = match above {
                Some((rank, equal)) if equal == share => rank,
                _ => place,
            };
            above = Some((line.rank, share));
        }
        lines
    }
}

/// Points of games, compared as fractions; none of no games is less than none of some.
#[derive(Clone, Copy)]
struct Share {
    half_points: u64,
    games: u64,
}

impl Ord for Share {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let across =
            |one: &Self, other: &Self| u128::from(one.half_points) * u128::from(other.games);
        let played = |share: &Self| share.games > 0;
        (played(self).cmp(&played(other))).then(across(self, other).cmp(&across(other, self)))
    }
}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Share {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Share {}
