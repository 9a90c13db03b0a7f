//! The rating list of all contestants of a cross table.

use std::cmp::Ordering;
use std::fmt;

use petgraph::algo::{has_path_connecting, tarjan_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use serde::Serialize;

use super::bradley_terry::RatingFit;
use super::cross_table::{Contestant, CrossTable, Tally};
use super::elo::Elo;
use super::estimate::{Interval, Z_95};

/// The zero point of a rating list. Games determine differences of ratings only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// The mean of all numeric ratings is 0.
    Mean,
    /// This contestant has this rating.
    Fixed(Contestant, Elo),
}

/// A contestant's strength according to the games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Rating {
    /// A finite rating.
    Number {
        /// The most likely strength.
        elo: Elo,
        /// The 95 % interval relative to the anchor; `None` if every pair scored exactly as
        /// expected, which leaves the variance unknown.
        interval: Option<Interval<Elo>>,
    },
    /// Stronger than all contestants with a number, by an infinite difference. If there are none:
    /// it has not lost half a point.
    AboveAll,
    /// Weaker than all contestants with a number, by an infinite difference. If there are none: it
    /// has not made half a point.
    BelowAll,
    /// No games compare the contestant with the others.
    Unknown,
}

/// An entry of the list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RatingEntry {
    /// The contestant.
    pub contestant: Contestant,
    /// Its strength.
    pub rating: Rating,
    /// All its games.
    pub games: Tally,
}

/// The strengths of all contestants on one scale, estimated from all games.
///
/// A contestant that is d Elo stronger than another expects the fraction p = 1 / (1 + 10^(-d/400))
/// of the points. The list maximizes the likelihood of all results, where a tie counts as half a
/// win and half a loss (the model of E. Zermelo, *Die Berechnung der Turnier-Ergebnisse*, 1929, and
/// of R. Bradley and M. Terry, 1952). Under it every contestant has made exactly its expected
/// points.
///
/// Such a list exists for a group in which every contestant has made points against every other
/// one, directly or through a chain of contestants (L. Ford, *Solution of a Ranking Problem from
/// Binary Comparisons*, 1957). The group with numbers is that of the anchor, or the largest one if
/// there is no anchor. All other contestants are [`Rating::AboveAll`], [`Rating::BelowAll`] or
/// [`Rating::Unknown`].
///
/// The intervals come from the squared residuals of pairs, which counts a pair as one experiment
/// and needs no assumption on ties. The covariance is the "sandwich" A⁻¹BA⁻¹, where A holds the
/// derivatives of the expected points by strength and B the squared differences between the points
/// of pairs and their expectation (H. White, *Maximum Likelihood Estimation of Misspecified
/// Models*, 1982). For two contestants the interval is that of [`Estimate`](crate::Estimate),
/// except that this one is symmetric around the rating.
///
/// ```
/// use kalah_arena::{Anchor, Contestant, CrossTable, Elo, GameScore, Rating, RatingList};
/// let mut table = CrossTable::new(2);
/// for (first, second) in [(GameScore::Win, GameScore::Win), (GameScore::Win, GameScore::Loss)] {
///     table.add_pair(Contestant(0), Contestant(1), first, second);
/// }
/// let list = RatingList::from_table(&table, Anchor::Fixed(Contestant(1), Elo::ZERO));
/// let best = list.entries()[0];
/// assert_eq!(best.contestant, Contestant(0));
/// // Three points of four.
/// assert!(matches!(best.rating, Rating::Number { elo, .. } if elo.to_string() == "+190.8"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct RatingList {
    entries: Vec<RatingEntry>,
}

/// The variance, of strengths as natural logarithms of odds, below which a value is a rounding
/// error of zero.
const MIN_VARIANCE: f64 = 1e-12;

impl RatingList {
    /// Computes the list of all contestants of the table. A fixed anchor that is not in the table
    /// or whose rating is infinite counts as [`Anchor::Mean`].
    pub fn from_table(table: &CrossTable, anchor: Anchor) -> Self {
        let anchor = match anchor {
            Anchor::Fixed(contestant, elo) if contestant.0 < table.contestants() => {
                elo.points().map(|points| (contestant, points))
            }
            _ => None,
        };
        let group = ConnectedGroup::new(table, anchor.map(|(contestant, _)| contestant));
        let fit = RatingFit::new(table, &group.members, anchor);
        let mut entries: Vec<_> = Contestant::all(table.contestants())
            .map(|contestant| RatingEntry {
                contestant,
                rating: match group.relation(contestant) {
                    GroupRelation::Member(index) => Self::member_rating(&fit, index),
                    GroupRelation::Above => Rating::AboveAll,
                    GroupRelation::Below => Rating::BelowAll,
                    GroupRelation::Incomparable => Rating::Unknown,
                },
                games: table.total(contestant).games,
            })
            .collect();
        entries.sort_by(RatingEntry::cmp_rank);
        Self { entries }
    }

    fn member_rating(fit: &RatingFit, member: usize) -> Rating {
        let (points, variance) = (fit.elo(member), fit.variance(member));
        let interval = match variance {
            None => Some(Interval {
                lower: points,
                upper: points,
            }),
            Some(variance) => (variance > MIN_VARIANCE).then(|| {
                let half_width = Z_95 * RatingFit::standard_deviation(variance);
                Interval {
                    lower: points - half_width,
                    upper: points + half_width,
                }
            }),
        };
        Rating::Number {
            elo: Elo::from_points(points),
            interval: interval.map(|interval| interval.map(Elo::from_points)),
        }
    }

    /// Returns the entries, the strongest first and the unknown ones last.
    pub fn entries(&self) -> &[RatingEntry] {
        &self.entries
    }

    /// Returns the rating of a contestant, `None` if it is not in the list.
    pub fn rating(&self, contestant: Contestant) -> Option<Rating> {
        let mut entries = self.entries.iter();
        let entry = entries.find(|entry| entry.contestant == contestant)?;
        Some(entry.rating)
    }
}

impl RatingEntry {
    /// Compares the positions in the list.
    fn cmp_rank(&self, other: &Self) -> Ordering {
        let class = |rating: Rating| match rating {
            Rating::AboveAll => 0,
            Rating::Number { .. } => 1,
            Rating::BelowAll => 2,
            Rating::Unknown => 3,
        };
        let by_number = match (self.rating, other.rating) {
            (Rating::Number { elo, .. }, Rating::Number { elo: other, .. }) => other.cmp(&elo),
            _ => Ordering::Equal,
        };
        (class(self.rating).cmp(&class(other.rating)))
            .then(by_number)
            .then(self.contestant.cmp(&other.contestant))
    }
}

/// `+12.3`, `above all`, `below all` or `unknown`.
impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { elo, .. } => elo.fmt(f),
            Self::AboveAll => f.pad("above all"),
            Self::BelowAll => f.pad("below all"),
            Self::Unknown => f.pad("unknown"),
        }
    }
}

/// The contestants that get numeric ratings: a strongly connected component of the graph in which
/// an edge leads from each contestant to those that it has made points against.
struct ConnectedGroup {
    /// Sorted.
    members: Vec<Contestant>,
    graph: DiGraph<(), ()>,
}

/// The relation of a contestant to the group.
enum GroupRelation {
    /// The member with this index.
    Member(usize),
    /// Infinitely stronger.
    Above,
    /// Infinitely weaker.
    Below,
    /// Not comparable.
    Incomparable,
}

impl ConnectedGroup {
    /// Returns the group of the anchor, or the largest group of at least two members if there is no
    /// anchor. Ties are broken by the number of games, then by the first member.
    fn new(table: &CrossTable, anchor: Option<Contestant>) -> Self {
        let all = || Contestant::all(table.contestants());
        let mut graph = DiGraph::new();
        for _ in all() {
            graph.add_node(());
        }
        for one in all() {
            for other in all() {
                if table.head_to_head(one, other).games.half_points() > 0 {
                    graph.add_edge(node_index(one), node_index(other), ());
                }
            }
        }
        let groups = tarjan_scc(&graph).into_iter().map(|nodes| {
            let mut members: Vec<_> = nodes.iter().map(|node| Contestant(node.index())).collect();
            members.sort();
            members
        });
        let games = |members: &[Contestant]| -> u64 {
            (members.iter())
                .map(|&member| table.total(member).games.game_count())
                .sum()
        };
        let members = match anchor {
            Some(anchor) => (groups.into_iter()).find(|members| members.contains(&anchor)),
            None => (groups.filter(|members| members.len() > 1)).max_by_key(|members| {
                let first = members.first().copied();
                (members.len(), games(members), std::cmp::Reverse(first))
            }),
        };
        Self {
            members: members.unwrap_or_default(),
            graph,
        }
    }

    fn relation(&self, contestant: Contestant) -> GroupRelation {
        if let Ok(index) = self.members.binary_search(&contestant) {
            return GroupRelation::Member(index);
        }
        let node = node_index(contestant);
        let (has_won, has_lost) = if let Some(&member) = self.members.first() {
            // One member represents all, as there is a path between any two.
            let member = node_index(member);
            (
                has_path_connecting(&self.graph, node, member, None),
                has_path_connecting(&self.graph, member, node, None),
            )
        } else {
            let has_neighbor = |direction| {
                let mut others = self.graph.neighbors_directed(node, direction);
                others.next().is_some()
            };
            (
                has_neighbor(petgraph::Outgoing),
                has_neighbor(petgraph::Incoming),
            )
        };
        match (has_won, has_lost) {
            (true, false) => GroupRelation::Above,
            (false, true) => GroupRelation::Below,
            _ => GroupRelation::Incomparable,
        }
    }
}

fn node_index(contestant: Contestant) -> NodeIndex {
    NodeIndex::new(contestant.0)
}
