//! The search of the checker: plain alpha-beta with a null window.

#![expect(clippy::cast_sign_loss, reason = "a board has from 0 to 65,535 seeds")]

mod board;
mod endgame;
mod numbering;
mod small_board;
mod transpositions;

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kalah::{House, HouseRules, Setup};

use board::{BoardRules, LargeBoardRules, Sowing};
use endgame::GainTable;
use numbering::Numbering;
use small_board::SmallBoardRules;
use transpositions::{BoundsTable, GainBounds};

/// The moves between a goal and the end of the longest line that is searched. The recursion needs
/// memory of the stack for each.
const MAX_DEPTH: u32 = 4000;

/// The stack of a thread that searches, in bytes.
pub(crate) const STACK_BYTES: usize = 32 << 20;

/// The nodes between two looks at the stop flag and at the growth of the endgame table.
const INTERVAL: u64 = 1 << 12;

/// The part of the memory of a search that its endgame table may take at most: 1 / this.
const ENDGAME_SHARE: usize = 2;

/// Positions have entries in the hash table if they have at least this many seeds more than the
/// seed limit of the endgame table: to search others takes less time than to look them up.
const MIN_HASH_SEEDS: usize = 3;

/// The tables of searches, which threads share.
pub(crate) enum SearchTables {
    Small(BoardTables<SmallBoardRules>),
    Large(BoardTables<LargeBoardRules>),
}

/// The tables of boards of one kind.
pub(crate) struct BoardTables<R: BoardRules> {
    rules: R,
    numbering: Numbering,
    transpositions: BoundsTable,
    endgames: GainTable<R>,
    /// The nodes that have been visited in all searches.
    nodes: AtomicU64,
}

impl SearchTables {
    /// Creates the tables of searches of boards with `houses` houses a side and at most `seeds`
    /// seeds in them, which take at most about `bytes`.
    pub(crate) fn new(rules: HouseRules, houses: usize, seeds: u32, bytes: usize) -> Self {
        Self::with_endgames(rules, houses, seeds, bytes, bytes / ENDGAME_SHARE)
    }

    /// Creates a hash table alone.
    pub(crate) fn without_endgames(
        rules: HouseRules,
        houses: usize,
        seeds: u32,
        bytes: usize,
    ) -> Self {
        Self::with_endgames(rules, houses, seeds, bytes, 0)
    }

    fn with_endgames(
        rules: HouseRules,
        houses: usize,
        seeds: u32,
        bytes: usize,
        endgame_bytes: usize,
    ) -> Self {
        let seeds = seeds as usize;
        if let Some(rules) = SmallBoardRules::new(rules, houses, seeds) {
            Self::Small(BoardTables::new(rules, seeds, bytes, endgame_bytes))
        } else {
            let rules = LargeBoardRules { rules, houses };
            Self::Large(BoardTables::new(rules, seeds, bytes, endgame_bytes))
        }
    }

    /// Removes the entries of the hash table.
    pub(crate) fn clear(&mut self) {
        match self {
            Self::Small(tables) => tables.transpositions.clear(),
            Self::Large(tables) => tables.transpositions.clear(),
        }
    }
}

impl<R: BoardRules> BoardTables<R> {
    fn new(rules: R, seeds: usize, bytes: usize, endgame_bytes: usize) -> Self {
        let pits = 2 * rules.houses();
        let endgames = GainTable::new(&rules, endgame_bytes, seeds);
        let hash_bytes = bytes - endgames.bytes();
        Self {
            numbering: Numbering::new(pits, seeds),
            transpositions: BoundsTable::new(hash_bytes, pits, seeds),
            endgames,
            rules,
            nodes: AtomicU64::new(0),
        }
    }

    /// Returns the number of a position for the hash table; `None` if the table does not take it.
    #[inline]
    fn number(&self, board: &R::Board, in_play: i32) -> Option<u64> {
        let seeds = in_play as usize;
        let is_hashed =
            seeds >= self.endgames.seed_limit() + MIN_HASH_SEEDS && self.transpositions.has(seeds);
        is_hashed.then(|| {
            let (own, other) = self.rules.running_totals(board);
            let (own_seeds, _) = self.rules.row_totals(board);
            let other = other.map(|total| own_seeds as usize + total);
            self.numbering.number(own.chain(other))
        })
    }

    /// Returns a bound as [`CheckSearch::search`] does, if it follows without a search.
    #[inline]
    fn look_up(&self, board: &R::Board, target: i32) -> Option<i32> {
        let (own, other) = self.rules.row_totals(board);
        let in_play = own + other;
        if self.rules.is_over(board) {
            Some(own - other)
        } else if target > in_play {
            Some(in_play)
        } else if target <= -in_play {
            Some(-in_play)
        } else if (in_play as usize) < self.endgames.seed_limit() {
            Some(self.endgames.gain(&self.rules, board))
        } else {
            None
        }
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
        let gain = match self.tables {
            SearchTables::Small(tables) => self.search_setup(tables, position, target),
            SearchTables::Large(tables) => self.search_setup(tables, position, target),
        };
        Ok(gain? >= target)
    }

    fn search_setup<R: BoardRules>(
        &mut self,
        tables: &BoardTables<R>,
        position: &Setup,
        target: i32,
    ) -> Result<i32, NoAnswer> {
        let rules = &tables.rules;
        let row = |seeds: &Vec<u64>| rules.row(seeds);
        let board = rules.board(row(&position.rows.south), row(&position.rows.north));
        self.grow_table(tables, 0);
        if let Some(gain) = tables.look_up(&board, target) {
            return Ok(gain);
        }
        let nodes_before = self.nodes;
        let gain = self.search(tables, &board, target, 0);
        // The nodes since the last interval.
        let nodes = (self.nodes - nodes_before).min(self.nodes % INTERVAL);
        tables.nodes.fetch_add(nodes, Ordering::Relaxed);
        gain
    }

    /// Searches with the null window below `target`, for which no bound follows without a search.
    ///
    /// Returns a bound `b` of the gain `g` of the side to move, which is the seeds that it banks
    /// from now on minus those of the other side:
    ///
    /// - if `b >= target`, then `g >= b`;
    /// - if `b < target`, then `g <= b`.
    fn search<R: BoardRules>(
        &mut self,
        tables: &BoardTables<R>,
        board: &R::Board,
        target: i32,
        depth: u32,
    ) -> Result<i32, NoAnswer> {
        let rules = &tables.rules;
        let (own, other) = rules.row_totals(board);
        let in_play = own + other;
        let number = tables.number(board, in_play);
        if let Some(GainBounds { lower, upper }) =
            number.and_then(|number| tables.transpositions.get(number))
        {
            if lower >= target {
                return Ok(lower);
            }
            if upper < target {
                return Ok(upper);
            }
        }
        self.count_node(tables, depth)?;
        let nodes_before = self.nodes;
        let mut best = -in_play;
        let mut moves = [None; House::MAX as usize];
        let mut count = 0;
        // Moves near the store come first among equals.
        let houses = (0..rules.houses()).rev();
        for house in houses.filter(|&house| rules.can_sow(board, house)) {
            let sowing = rules.sow(board, house);
            if let Some(bound) = tables.look_up(&sowing.board, sowing.target_after(target)) {
                best = best.max(sowing.gain_before(bound));
                if best >= target {
                    break;
                }
            } else {
                moves[count] = Some(sowing);
                count += 1;
            }
        }
        if best < target {
            let moves = &mut moves[..count];
            moves.sort_by_key(|sowing| {
                let sowing = sowing.as_ref();
                sowing.map(|sowing| move_order(rules, sowing))
            });
            for sowing in moves.iter().flatten() {
                let target_after = sowing.target_after(target);
                let bound = self.search(tables, &sowing.board, target_after, depth + 1)?;
                best = best.max(sowing.gain_before(bound));
                if best >= target {
                    break;
                }
            }
        }
        if let Some(number) = number {
            let (lower, upper) = if best >= target {
                (best, in_play)
            } else {
                (-in_play, best)
            };
            let nodes = self.nodes - nodes_before + 1;
            tables
                .transpositions
                .narrow(number, GainBounds { lower, upper }, nodes);
        }
        Ok(best)
    }

    fn count_node<R: BoardRules>(
        &mut self,
        tables: &BoardTables<R>,
        depth: u32,
    ) -> Result<(), NoAnswer> {
        if depth >= MAX_DEPTH {
            return Err(NoAnswer::DepthLimit);
        }
        if self.nodes >= self.max_nodes {
            return Err(NoAnswer::NodeLimit);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(INTERVAL) {
            if self.stop_flag.load(Ordering::Relaxed) {
                return Err(NoAnswer::Stopped);
            }
            self.grow_table(tables, INTERVAL);
        }
        Ok(())
    }

    /// Lets the endgame table grow after more visited nodes.
    fn grow_table<R: BoardRules>(&self, tables: &BoardTables<R>, nodes: u64) {
        let nodes = tables.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        tables.endgames.grow(&tables.rules, nodes, self.stop_flag);
    }
}

/// Returns the place of a sowing in the order in which the search tries them: bonus turns first,
/// then by the seeds that the move banks, and then by the difference of the rows after it. The
/// order has no influence on the answer.
fn move_order<R: BoardRules>(rules: &R, sowing: &Sowing<R::Board>) -> (bool, Reverse<(i32, i32)>) {
    let (next, last) = rules.row_totals(&sowing.board);
    let (banked, difference) = if sowing.is_bonus {
        (0, next - last)
    } else {
        (sowing.banked, last - next)
    };
    (!sowing.is_bonus, Reverse((banked, difference)))
}

#[cfg(test)]
mod tests {
    use kalah::{BySide, FirstPlies, Rules, Side, reference};
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    use super::*;

    /// Returns a random position after the first plies with `seeds` seeds.
    fn random_setup(houses: usize, seeds: u32, random: &mut Pcg64) -> Setup {
        let mut pits = vec![0; 2 * houses];
        for _ in 0..seeds {
            pits[random.random_range(0..2 * houses)] += 1;
        }
        Setup {
            stores: BySide::new(0, 0),
            rows: BySide::new(pits[..houses].to_vec(), pits[houses..].to_vec()),
            to_move: Side::South,
            first_plies: FirstPlies::Later,
        }
    }

    /// All targets of random positions, with and without an endgame table, with a hash table that
    /// loses entries, and on both kinds of boards.
    #[test]
    fn answers_are_those_of_the_reference() {
        const BYTES: usize = 1 << 14;
        let mut random = Pcg64::seed_from_u64(2);
        let stop_flag = AtomicBool::new(false);
        for preset in Rules::PRESETS {
            let rules = preset.rules.house_rules;
            for (houses, seeds) in [(1, 20), (2, 16), (3, 14), (4, 12), (6, 10), (8, 9), (9, 8)] {
                let count = usize::try_from(seeds).unwrap();
                let large = || LargeBoardRules { rules, houses };
                let tables = [
                    SearchTables::new(rules, houses, seeds, BYTES),
                    SearchTables::without_endgames(rules, houses, seeds, BYTES),
                    SearchTables::Large(BoardTables::new(large(), count, BYTES, BYTES / 2)),
                    SearchTables::Large(BoardTables::new(large(), count, BYTES, 0)),
                ];
                for _ in 0..4 {
                    let setup = random_setup(houses, seeds, &mut random);
                    let position = setup.position(preset.rules).unwrap();
                    let margin = reference::margin(&position).seeds();
                    for tables in &tables {
                        let mut search = CheckSearch::new(tables, u64::MAX, &stop_flag);
                        let most = i32::try_from(seeds).unwrap() + 2;
                        for target in -most..=most {
                            let answer = search.reaches(&setup, target);
                            assert_eq!(answer, Ok(margin >= target), "{setup}, {target}");
                        }
                    }
                }
            }
        }
    }

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
