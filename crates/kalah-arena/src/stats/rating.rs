//! A rating list from all games of a cross table.

use std::cmp::Ordering;
use std::fmt;

use petgraph::algo::{has_path_connecting, tarjan_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use serde::Serialize;

use super::bradley_terry::RatingFit;
use super::cross_table::{Contestant, CrossTable, Tally};
use super::elo::Elo;
use super::estimate::{Interval, Z_95};

/// What the ratings of a list are counted from; games tell differences only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// The mean of all who have a number is 0.
    Mean,
    /// This contestant has this rating.
    Fixed(Contestant, Elo),
}

/// What the games tell of a contestant's strength.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "known")]
pub enum Rating {
    /// So much.
    Number {
        /// The most likely strength.
        elo: Elo,
        /// From where to where it lies with 95 %, counted from what the list is counted from; `None` where chance
        /// has not shown in any pair, so that nothing is known of how much of it there is.
        interval: Option<Interval<Elo>>,
    },
    /// Stronger, by more than games can tell, than all who have a number; or it has not lost half a point, where
    /// nobody has a number.
    Above,
    /// Weaker, by more than games can tell, than all who have a number; or it has not made half a point, where
    /// nobody has a number.
    Below,
    /// Nothing: there are no games that would compare it with the others.
    Unknown,
}

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RatingEntry {
    /// Who.
    pub contestant: Contestant,
    /// How strong.
    pub rating: Rating,
    /// All its games.
    pub games: Tally,
}

/// How strong all contestants are on one scale, by all their games.
///
/// A contestant that is d Elo stronger than another expects the share p = 1 / (1 + 10^(-d/400)) of the points, and
/// the list is the one by which what came is most likely, a draw being half a win and half a loss (the model of E.
/// Zermelo, *Die Berechnung der Turnier-Ergebnisse*, 1929, and of R. Bradley and M. Terry, 1952). It is the one for
/// which everybody has made as many points as expected.
///
/// There is such a list for those among whom everybody has made something against everybody, if by way of others
/// (L. Ford, *Solution of a Ranking Problem from Binary Comparisons*, 1957). With an anchor, the numbers are for
/// those who are connected with it in this way; otherwise for the largest such group. All others are
/// [`Rating::Above`] or [`Rating::Below`] these, or not comparable.
///
/// The intervals are from the spread of pairs of games around what is expected of them, which counts a pair as one
/// experiment and needs no assumption on draws (the "sandwich" A⁻¹BA⁻¹: A holds how fast expected points change
/// with strength, B the squares of what pairs brought beyond what was expected; H. White, *Maximum Likelihood
/// Estimation of Misspecified Models*, 1982). For two contestants that is the interval of
/// [`Estimate`](crate::Estimate), but for its bend.
///
/// ```
/// use kalah_arena::{Anchor, Contestant, CrossTable, Elo, GameScore, Rating, RatingList};
/// let mut table = CrossTable::new(2);
/// for (first, second) in [(GameScore::Win, GameScore::Win), (GameScore::Win, GameScore::Loss)] {
///     table.add_pair(Contestant(0), Contestant(1), first, second);
/// }
/// let list = RatingList::of(&table, Anchor::At(Contestant(1), Elo::ZERO));
/// assert_eq!(list.lines()[0].contestant, Contestant(0));
/// // Three points of four.
/// assert!(matches!(list.lines()[0].rating, Rating::Number { elo, .. } if elo.to_string() == "+190.8"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct RatingList {
    entries: Vec<RatingEntry>,
}

/// Variances below this, of odds as powers of e, are what is left of zero by rounding.
const MIN_VARIANCE: f64 = 1e-12;

impl RatingList {
    /// The list that fits all games best. An anchor who does not take part, or whose rating is infinite, is none.
    pub fn from_table(table: &CrossTable, anchor: Anchor) -> Self {
        let anchor = match anchor {
            Anchor::Fixed(who, elo) if who.0 < table.contestants() => {
                elo.points().map(|points| (who, points))
            }
            _ => None,
        };
        let group = ConnectedGroup::new(table, anchor.map(|(who, _)| who));
        let fit = RatingFit::new(table, group.members(), anchor);
        let mut entries: Vec<_> = Contestant::all(table.contestants())
            .map(|contestant| RatingEntry {
                contestant,
                rating: match group.relation(contestant) {
                    GroupRelation::Member(place) => Self::known_rating(&fit, place),
                    GroupRelation::Above => Rating::Above,
                    GroupRelation::Below => Rating::Below,
                    GroupRelation::Incomparable => Rating::Unknown,
                },
                games: table.total(contestant).games,
            })
            .collect();
        entries.sort_by(RatingEntry::cmp_rank);
        Self { entries }
    }

    fn known_rating(fit: &RatingFit, place: usize) -> Rating {
        let (points, variance) = (fit.elo(place), fit.variance(place));
        let interval = match variance {
            None => Some(Interval {
                lower: points,
                upper: points,
            }),
            Some(variance) => (variance > MIN_VARIANCE).then(|| {
                let reach = Z_95 * RatingFit::standard_deviation(variance);
                Interval {
                    lower: points - reach,
                    upper: points + reach,
                }
            }),
        };
        Rating::Number {
            elo: Elo::from_points(points),
            interval: interval.map(|interval| interval.map(Elo::from_points)),
        }
    }

    /// The strongest first, those of whom nothing is known last.
    pub fn entries(&self) -> &[RatingEntry] {
        &self.entries
    }

    /// What is known of one of them.
    pub fn rating(&self, contestant: Contestant) -> Option<Rating> {
        let mut lines = self.entries.iter();
        let line = lines.find(|line| line.contestant == contestant)?;
        Some(line.rating)
    }
}

impl RatingEntry {
    /// Where a line stands before another.
    fn cmp_rank(&self, other: &Self) -> Ordering {
        let class = |rating: Rating| match rating {
            Rating::Above => 0,
            Rating::Number { .. } => 1,
            Rating::Below => 2,
            Rating::Unknown => 3,
        };
        let by_number = match (self.rating, other.rating) {
            (Rating::Number { elo, .. }, Rating::Number { elo: others, .. }) => others.cmp(&elo),
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
            Self::Above => f.pad("above all"),
            Self::Below => f.pad("below all"),
            Self::Unknown => f.pad("unknown"),
        }
    }
}

/// Those who can be given numbers: among them everybody has made points against everybody, if by way of others.
struct ConnectedGroup {
    members: Vec<Contestant>,
    /// From whoever has made points to those against whom.
    graph: DiGraph<(), ()>,
}

/// Where somebody stands to the group.
enum GroupRelation {
    /// In it, at that place.
    Member(usize),
    /// Stronger than any number says.
    Above,
    /// Weaker than any number says.
    Below,
    /// Not to be compared.
    Incomparable,
}

impl ConnectedGroup {
    /// The group of the anchor, or else the largest; of those as large the one with more games, and then the one
    /// whose first member comes first. Nobody is a group alone without an anchor.
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
            let each = members
                .iter()
                .map(|&member| table.total(member).games.game_count());
            each.sum()
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

    /// In the order of contestants.
    fn members(&self) -> &[Contestant] {
        &self.members
    }

    /// Where somebody who takes part stands.
    fn relation(&self, who: Contestant) -> GroupRelation {
        if let Ok(place) = self.members.binary_search(&who) {
            return GroupRelation::Member(place);
        }
        let (made, lost) = if let Some(&member) = self.members.first() {
            // One member stands for all: there is a way from each to each.
            (
                has_path_connecting(&self.graph, node_index(who), node_index(member), None),
                has_path_connecting(&self.graph, node_index(member), node_index(who), None),
            )
        } else {
            let has = |direction| {
                let mut others = self.graph.neighbors_directed(node_index(who), direction);
                others.next().is_some()
            };
            (has(petgraph::Outgoing), has(petgraph::Incoming))
        };
        match (made, lost) {
            (true, false) => GroupRelation::Above,
            (false, true) => GroupRelation::Below,
            _ => GroupRelation::Incomparable,
        }
    }
}

fn node_index(contestant: Contestant) -> NodeIndex {
    NodeIndex::new(contestant.0)
}
