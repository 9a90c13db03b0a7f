//! The selective part of a search to a limited depth: reductions of late moves, and pruning by the
//! static evaluation. A proof uses neither.
//!
//! Matches decided on both parts and on their numbers: docs/strength.md has the results.

use super::alpha_beta::is_full_depth;
use super::node::{Child, DEPTH_PER_TURN, Node, SearchValue, Window};
use crate::board::search_board::SearchBoard;
use crate::evaluation::Evaluator;

/// Only nodes with more than this depth reduce the depth of late moves.
const MIN_REDUCED_DEPTH: i32 = 2 * DEPTH_PER_TURN;
/// The first moves of a node, which are searched to its full depth.
const FULL_DEPTH_MOVES: usize = 2;
/// The first moves of a node, including the above, that are reduced by at most `REDUCTION`.
const SLIGHTLY_REDUCED_MOVES: usize = 4;
/// The reduction of moves after the full-depth ones, and that of moves after the slightly reduced
/// ones.
const REDUCTION: i32 = DEPTH_PER_TURN * 3 / 2;
const LATE_REDUCTION: i32 = REDUCTION * 3 / 2;

/// Nodes with at most this depth can be pruned by their static evaluation.
const MAX_PRUNED_DEPTH: i32 = 4 * DEPTH_PER_TURN;

/// Returns the depth by which the first search of a move may be less deep, if the move comes after
/// `earlier` others in the order of its node. A move with a bonus turn is never reduced: its turn
/// goes on.
#[inline]
pub(super) fn late_move_reduction<H>(child: &Child<H>, earlier: usize, depth: i32) -> i32 {
    if depth <= MIN_REDUCED_DEPTH || is_full_depth(depth) || child.transform.same_player {
        return 0;
    }
    if earlier < FULL_DEPTH_MOVES {
        0
    } else if earlier < SLIGHTLY_REDUCED_MOVES {
        REDUCTION
    } else {
        LATE_REDUCTION
    }
}

/// Returns an estimated value of a node that is searched to `depth`, at least `window.beta`, if its
/// static evaluation exceeds the null window by a margin that grows with the seeds in play and the
/// depth.
#[inline]
pub(super) fn pruned_value<H: SearchBoard>(
    node: &Node<H>,
    depth: i32,
    window: Window,
    evaluator: &Evaluator<'_>,
) -> Option<SearchValue> {
    if depth > MAX_PRUNED_DEPTH || !window.is_null() || !node.board.is_cacheable() {
        return None;
    }
    let gain = evaluator.gain(&node.board) - pruning_margin(node.in_play, depth);
    (gain >= window.beta).then(|| SearchValue {
        gain: gain.min(node.in_play),
        proven: false,
    })
}

/// Returns the margin of pruning in seeds: the first whole number above 0.6 × √(seeds in play ×
/// (turns left + 1)).
#[inline]
fn pruning_margin(in_play: i32, depth: i32) -> i32 {
    let turns_in_quarters = depth.max(0) + DEPTH_PER_TURN;
    // 0.6 squared is 36 hundredths, of which a quarter of a turn has 9.
    (in_play * turns_in_quarters * 9 / 100).isqrt() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margin_is_that_of_the_formula() {
        for in_play in 0..=2000 {
            for depth in -DEPTH_PER_TURN..=MAX_PRUNED_DEPTH {
                let turns = f64::from(depth.max(0)) / f64::from(DEPTH_PER_TURN) + 1.0;
                let exact = 0.6 * (f64::from(in_play) * turns).sqrt();
                let margin = f64::from(pruning_margin(in_play, depth));
                let is_next_seed = (exact - 1e-9..=exact + 1.0 + 1e-9).contains(&margin);
                assert!(is_next_seed, "{in_play} {depth}: {exact}, {margin}");
            }
        }
    }
}
