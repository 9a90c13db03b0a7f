use petgraph::algo::{has_path_connecting, tarjan_scc};
use petgraph::graph::{DiGraph, NodeIndex};

use crate::{Contestant, CrossTable};

/// Those who can be given numbers: among them everybody has made points against everybody, if by way of others.
pub(super) struct ConnectedGroup {
    members: Vec<Contestant>,
    /// From whoever has made points to those against whom.
    graph: DiGraph<(), ()>,
}

/// Where somebody stands to the group.
pub(super) enum GroupRelation {
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
    pub(super) fn new(table: &CrossTable, anchor: Option<Contestant>) -> Self {
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
    pub(super) fn members(&self) -> &[Contestant] {
        &self.members
    }

    /// Where somebody who takes part stands.
    pub(super) fn relation(&self, who: Contestant) -> GroupRelation {
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
