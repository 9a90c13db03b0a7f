//! The search of the checker: plain alpha-beta with a null window.

mod board;
mod endgame;
mod transpositions;

use std::sync::atomic::{AtomicBool, Ordering};

use kalah::{House, HouseRules, Setup};

use board::{CheckBoard, Sowing};
use endgame::GainTable;
use transpositions::{BoundsTable, GainBounds};

/// The moves between a goal and the end of the longest line that is searched. The recursion needs
/// memory of the stack for each.
const MAX_DEPTH: u32 = 4000;

/// The stack of a thread that searches, in bytes.
pub(crate) const STACK_BYTES: usize = 16 << 20;

/// The nodes between two looks at the stop flag.
const STOP_INTERVAL: u64 = 1 << 12;

/// The most seeds of a position in the endgame table, and its size in bytes. To compute a table of
/// more seeds takes longer than the searches that it saves.
const ENDGAME_SEEDS: usize = 14;
const ENDGAME_BYTES: usize = 16 << 20;

/// The part of the memory of a search that its endgame table may take at most: 1 / this.
const ENDGAME_SHARE: usize = 4;

/// The tables of searches, which threads share.
pub(crate) struct SearchTables {
    rules: HouseRules,
    transpositions: BoundsTable,
    endgames: GainTable,
}

impl SearchTables {
    /// Creates the tables of searches of boards with `houses` houses a side and at most `seeds`
    /// seeds in them, which take at most about `bytes`.
    pub(crate) fn new(rules: HouseRules, houses: usize, seeds: u32, bytes: usize) -> Self {
        Self {
            rules,
            transpositions: BoundsTable::new(bytes - bytes / ENDGAME_SHARE, houses, seeds),
            endgames: GainTable::new(
                rules,
                houses,
                ENDGAME_BYTES.min(bytes / ENDGAME_SHARE),
                ENDGAME_SEEDS,
            ),
        }
    }

    /// Creates a hash table alone.
    pub(crate) fn without_endgames(
        rules: HouseRules,
        houses: usize,
        seeds: u32,
        bytes: usize,
    ) -> Self {
        Self {
            rules,
            transpositions: BoundsTable::new(bytes, houses, seeds),
            endgames: GainTable::new(rules, houses, 0, 0),
        }
    }

    /// Removes the entries of the hash table.
    pub(crate) fn clear(&mut self) {
        self.transpositions.clear();
    }
}

/// The reason why a search has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// It has visited as many nodes as it may.
    NodeLimit,
    /// The game can last longer than [`MAX_DEPTH`] moves.
    DepthLimit,
    /// The stop flag is set.
    Stopped,
}

/// A search with its count of nodes.
pub(crate) struct CheckSearch<'a> {
    tables: &'a SearchTables,
    stop_flag: &'a AtomicBool,
    nodes: u64,
    max_nodes: u64,
}

impl<'a> CheckSearch<'a> {
    /// Creates a search that visits at most `max_nodes` nodes.
    pub(crate) fn new(tables: &'a SearchTables, max_nodes: u64, stop_flag: &'a AtomicBool) -> Self {
        Self {
            tables,
            stop_flag,
            nodes: 0,
            max_nodes,
        }
    }

    /// The nodes that the search has visited.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns whether South, to move in a position past ply 2 with empty stores, reaches `target`.
    pub(crate) fn reaches(&mut self, position: &Setup, target: i32) -> Result<bool, NoAnswer> {
        let gain = self.search(&CheckBoard::from_setup(position), target, 0)?;
        Ok(gain >= target)
    }

    /// Searches with the null window below `target`.
    ///
    /// Returns a bound `b` of the gain `g` of the side to move, which is the seeds that it banks
    /// from now on minus those of the other side:
    ///
    /// - if `b >= target`, then `g >= b`;
    /// - if `b < target`, then `g <= b`.
    fn search(&mut self, board: &CheckBoard, target: i32, depth: u32) -> Result<i32, NoAnswer> {
        let rules = self.tables.rules;
        let (own, other) = board.row_totals();
        let in_play = own + other;
        if board.is_over(rules) {
            return Ok(own - other);
        }
        if target > in_play {
            return Ok(in_play);
        }
        if target <= -in_play {
            return Ok(-in_play);
        }
        if let Some(gain) = self.tables.endgames.gain(board) {
            return Ok(gain);
        }
        let known = self.tables.transpositions.get(board);
        if let Some(GainBounds { lower, upper }) = known {
            if lower >= target {
                return Ok(lower);
            }
            if upper < target {
                return Ok(upper);
            }
        }
        self.count_node(depth)?;
        let nodes_before = self.nodes;
        let mut best = -in_play;
        for (_, house) in order_moves(board, rules) {
            let Sowing {
                board: next,
                banked,
                is_bonus,
            } = board.sow(house, rules);
            let gain = if is_bonus {
                banked + self.search(&next, target - banked, depth + 1)?
            } else {
                // The mover reaches the target if the other side does not reach this one.
                banked - self.search(&next, banked - target + 1, depth + 1)?
            };
            best = best.max(gain);
            if best >= target {
                break;
            }
        }
        let bounds = if best >= target {
            GainBounds {
                lower: best,
                upper: in_play,
            }
        } else {
            GainBounds {
                lower: -in_play,
                upper: best,
            }
        };
        let nodes = self.nodes - nodes_before + 1;
        self.tables.transpositions.narrow(board, bounds, nodes);
        Ok(best)
    }

    fn count_node(&mut self, depth: u32) -> Result<(), NoAnswer> {
        if depth >= MAX_DEPTH {
            return Err(NoAnswer::DepthLimit);
        }
        if self.nodes >= self.max_nodes {
            return Err(NoAnswer::NodeLimit);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(STOP_INTERVAL) && self.stop_flag.load(Ordering::Relaxed) {
            return Err(NoAnswer::Stopped);
        }
        Ok(())
    }
}

/// Returns the houses that can be sown in the order in which the search tries them, each with a
/// score: bonus turns first, then by the seeds that the move banks. The order has no influence on
/// the answer.
fn order_moves(
    board: &CheckBoard,
    rules: HouseRules,
) -> impl Iterator<Item = (i32, usize)> + use<> {
    /// More than any move banks.
    const BONUS: i32 = 1 << 20;
    let mut moves = [(0, 0); House::MAX as usize];
    let mut count = 0;
    // Moves near the store come first among equals.
    for house in (0..board.houses())
        .rev()
        .filter(|&house| board.can_sow(house))
    {
        let sowing = board.sow(house, rules);
        let score = if sowing.is_bonus {
            BONUS
        } else {
            sowing.banked
        };
        moves[count] = (score, house);
        count += 1;
    }
    moves[..count].sort_by_key(|&(score, _)| std::cmp::Reverse(score));
    moves.into_iter().take(count)
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;

    #[test]
    fn the_limit_of_nodes_is_that_of_the_visited_nodes() {
        let rules = Rules::CS32.house_rules;
        let start = Setup::start(3, 2);
        let stop_flag = AtomicBool::new(false);
        let search = |max_nodes| {
            let tables = SearchTables::without_endgames(rules, 3, 12, 1 << 20);
            let mut search = CheckSearch::new(&tables, max_nodes, &stop_flag);
            let answer = search.reaches(&start, 1);
            (answer, search.nodes())
        };
        let (answer, nodes) = search(u64::MAX);
        assert!(answer.is_ok());
        assert!(nodes > 1);
        assert_eq!(search(nodes), (answer, nodes));
        assert_eq!(search(nodes - 1), (Err(NoAnswer::NodeLimit), nodes - 1));
    }
}
