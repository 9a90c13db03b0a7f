//! Maximum matchings of people by petgraph.

use petgraph::algo::maximum_matching;
use petgraph::graph::{NodeIndex, UnGraph};

/// Returns the pairs of a maximum matching of the numbers below `count`, of which `may_pair` says
/// which two can be paired. It is called with the higher number first.
pub(crate) fn matching(
    count: usize,
    may_pair: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut graph = UnGraph::<(), ()>::new_undirected();
    for one in 0..count {
        graph.add_node(());
        for other in 0..one {
            if may_pair(one, other) {
                graph.add_edge(NodeIndex::new(one), NodeIndex::new(other), ());
            }
        }
    }
    let matching = maximum_matching(&graph);
    (matching.edges())
        .map(|(one, other)| (one.index(), other.index()))
        .collect()
}
