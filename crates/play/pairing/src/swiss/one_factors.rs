//! Divisions of the pairs that have not met into rounds of all people.

use super::field::SwissField;
use crate::record::EntrantId;

/// The maximum number of partial rounds that a search for a division examines. A search that needs
/// more counts as successful.
const MAX_SEARCH_NODES: usize = 20_000;

/// The open pairs of a field: those that are no rematches. The bye of an odd field is one more
/// place, at the end.
///
/// A division of a graph into perfect matchings is a 1-factorization. Only a regular graph can have
/// one.
pub(super) struct OneFactors<'a> {
    places: &'a [EntrantId],
    /// For each place the set of places that are open to it, as bits.
    open: Vec<u32>,
}

impl<'a> OneFactors<'a> {
    /// Returns the open pairs of these people, `None` if some people have more of them than others.
    ///
    /// There may be at most 31 people.
    pub(super) fn of_open_pairs(field: &SwissField<'_>, people: &'a [EntrantId]) -> Option<Self> {
        let count = people.len();
        let places = count.next_multiple_of(2);
        let mut open = vec![0_u32; places];
        for one in 0..count {
            for other in 0..one {
                if !field.is_rematch(people[one], people[other]) {
                    open[one] |= 1 << other;
                    open[other] |= 1 << one;
                }
            }
            if places > count && field.history.byes[people[one].0] <= field.min_meetings {
                open[one] |= 1 << count;
                open[count] |= 1 << one;
            }
        }
        let degree = open.first()?.count_ones();
        let is_regular = open.iter().all(|bits| bits.count_ones() == degree);
        is_regular.then_some(Self {
            places: people,
            open,
        })
    }

    /// Returns whether the pairs of a round are open, and the other open pairs divide into rounds.
    pub(super) fn divide_without(
        &self,
        pairs: &[(EntrantId, EntrantId)],
        bye: Option<EntrantId>,
    ) -> bool {
        let place = |person| self.places.iter().position(|&other| other == person);
        let mut open = self.open.clone();
        let mut is_open = true;
        let mut remove = |one: Option<usize>, other: Option<usize>| {
            if let (Some(one), Some(other)) = (one, other) {
                is_open &= open[one] & (1 << other) != 0;
                open[one] &= !(1 << other);
                open[other] &= !(1 << one);
            }
        };
        for &(one, other) in pairs {
            remove(place(one), place(other));
        }
        if bye.is_some() {
            remove(bye.and_then(place), Some(self.places.len()));
        }
        let mut nodes = MAX_SEARCH_NODES;
        is_open && divides(&mut open, &mut nodes)
    }
}

/// Returns whether a regular graph divides into perfect matchings.
fn divides(open: &mut [u32], nodes: &mut usize) -> bool {
    // Each matching contains one edge of the first place, and their order does not matter: the next
    // is the one with its first edge.
    open.first().is_none_or(|&bits| bits == 0) || {
        let other = open[0].trailing_zeros();
        let taken = 1 | (1 << other);
        with_edge(open, 0, other, |open| divide_round(open, taken, nodes))
    }
}

/// Extends a perfect matching of the places that are not `taken` and divides the others.
fn divide_round(open: &mut [u32], taken: u32, nodes: &mut usize) -> bool {
    *nodes = nodes.saturating_sub(1);
    if *nodes == 0 {
        return true;
    }
    let Some(one) = (0..open.len()).find(|&place| taken & (1 << place) == 0) else {
        return divides(open, nodes);
    };
    let mut candidates = open[one] & !taken;
    while candidates != 0 {
        let other = candidates.trailing_zeros();
        candidates &= candidates - 1;
        let taken = taken | (1 << one) | (1 << other);
        if with_edge(open, one, other, |open| divide_round(open, taken, nodes)) {
            return true;
        }
    }
    false
}

/// Returns the result of `search` on the graph without an edge, which is there again afterwards.
fn with_edge(
    open: &mut [u32],
    one: usize,
    other: u32,
    search: impl FnOnce(&mut [u32]) -> bool,
) -> bool {
    let other_place = other as usize;
    open[one] &= !(1 << other);
    open[other_place] &= !(1 << one);
    let result = search(open);
    open[one] |= 1 << other;
    open[other_place] |= 1 << one;
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the graph with these edges.
    fn graph(places: usize, edges: &[(usize, usize)]) -> Vec<u32> {
        let mut open = vec![0; places];
        for &(one, other) in edges {
            open[one] |= 1 << other;
            open[other] |= 1 << one;
        }
        open
    }

    fn cycle(places: &[usize]) -> Vec<(usize, usize)> {
        let next = places.iter().copied().cycle().skip(1);
        places.iter().copied().zip(next).collect()
    }

    fn does_divide(mut open: Vec<u32>) -> bool {
        let before = open.clone();
        let result = divides(&mut open, &mut MAX_SEARCH_NODES.clone());
        assert_eq!(open, before);
        result
    }

    #[test]
    fn even_cycles_divide_and_odd_ones_do_not() {
        assert!(does_divide(graph(6, &cycle(&[0, 1, 2, 3, 4, 5]))));
        let triangles = [cycle(&[0, 1, 2]), cycle(&[3, 4, 5])].concat();
        assert!(!does_divide(graph(6, &triangles)));
        let squares = [cycle(&[0, 2, 4, 6]), cycle(&[1, 3, 5, 7])].concat();
        assert!(does_divide(graph(8, &squares)));
    }

    #[test]
    fn complete_graphs_divide_and_the_petersen_graph_does_not() {
        for places in [2, 4, 6, 8, 10, 12] {
            let edges = (0..places).flat_map(|one| (0..one).map(move |other| (one, other)));
            assert!(does_divide(graph(places, &edges.collect::<Vec<_>>())));
        }
        // J. Petersen, Sur le théorème de Tait, 1898.
        let spokes = (0..5).map(|place| (place, place + 5)).collect();
        let petersen = [cycle(&[0, 1, 2, 3, 4]), cycle(&[5, 7, 9, 6, 8]), spokes].concat();
        assert!(!does_divide(graph(10, &petersen)));
    }
}
