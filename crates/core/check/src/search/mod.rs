//! The search of the checker: depth-first proof-number search above plain alpha-beta, or
//! alpha-beta alone for boards that are too large for the hash table.

#![expect(clippy::cast_sign_loss, reason = "a board has from 0 to 65,535 seeds")]

mod alpha_beta;
mod board;
mod endgame;
mod estimate;
mod numbering;
mod open_goals;
mod proof_numbers;
mod small_board;
mod transpositions;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kalah::{HouseRules, Setup};

use board::{BoardRules, LargeBoardRules};
use endgame::GainTable;
use numbering::Numbering;
use open_goals::OpenGoals;
use proof_numbers::ProofSearch;
use small_board::SmallBoardRules;
use transpositions::BoundsTable;

/// The moves between a goal and the end of the longest line that is searched. The recursion needs
/// memory of the stack for each.
const MAX_DEPTH: u32 = 4000;

/// The stack of a thread that searches, in bytes.
pub(crate) const STACK_BYTES: usize = 32 << 20;

/// The nodes between two looks at the stop flag and at the growth of the endgame table.
const INTERVAL: u64 = 1 << 12;

/// The part of the memory of a search that its endgame table may take at most: 1 / this.
const ENDGAME_SHARE: usize = 2;

/// The part of the memory beside the endgame table that proof numbers take: 1 / this.
const OPEN_GOALS_SHARE: usize = 4;

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
    /// The proof numbers of open goals; `None` if alpha-beta decides all goals.
    open_goals: Option<OpenGoals>,
    /// The nodes that have been visited in all searches.
    nodes: AtomicU64,
}

impl SearchTables {
    /// Creates the tables of searches of boards with `houses` houses a side and at most `seeds`
    /// seeds in them, which take at most about `bytes`.
    pub(crate) fn new(rules: HouseRules, houses: usize, seeds: u32, bytes: usize) -> Self {
        Self::with_endgames(rules, houses, seeds, bytes, bytes / ENDGAME_SHARE)
    }

    /// Creates the hash table of searches by alpha-beta alone.
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

    /// Removes what searches have left in the tables, but for the endgame table.
    pub(crate) fn clear(&mut self) {
        match self {
            Self::Small(tables) => tables.clear(),
            Self::Large(tables) => tables.clear(),
        }
    }
}

impl<R: BoardRules> BoardTables<R> {
    /// Creates tables of at most about `bytes`. With 0 `endgame_bytes` alpha-beta decides all
    /// goals.
    fn new(rules: R, seeds: usize, bytes: usize, endgame_bytes: usize) -> Self {
        let pits = 2 * rules.houses();
        let endgames = GainTable::new(&rules, endgame_bytes, seeds);
        let hash_bytes = bytes - endgames.bytes();
        let open_bytes = match endgame_bytes {
            0 => 0,
            _ => hash_bytes / OPEN_GOALS_SHARE,
        };
        Self {
            numbering: Numbering::new(pits, seeds),
            transpositions: BoundsTable::new(hash_bytes - open_bytes, pits, seeds),
            endgames,
            open_goals: (open_bytes > 0).then(|| OpenGoals::new(open_bytes)),
            rules,
            nodes: AtomicU64::new(0),
        }
    }

    fn clear(&mut self) {
        self.transpositions.clear();
        if let Some(open_goals) = &mut self.open_goals {
            open_goals.clear();
        }
    }

    /// Returns the number of a position for the hash table; `None` if the table does not take it.
    #[inline]
    fn number(&self, board: &R::Board) -> Option<u64> {
        let (own_seeds, other_seeds) = self.rules.row_totals(board);
        let seeds = (own_seeds + other_seeds) as usize;
        let is_hashed =
            seeds >= self.endgames.seed_limit() + MIN_HASH_SEEDS && self.transpositions.has(seeds);
        is_hashed.then(|| {
            let (own, other) = self.rules.running_totals(board);
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
        match self.tables {
            SearchTables::Small(tables) => self.decide_setup(tables, position, target),
            SearchTables::Large(tables) => self.decide_setup(tables, position, target),
        }
    }

    fn decide_setup<R: BoardRules>(
        &mut self,
        tables: &BoardTables<R>,
        position: &Setup,
        target: i32,
    ) -> Result<bool, NoAnswer> {
        let rules = &tables.rules;
        let row = |seeds: &Vec<u64>| rules.row(seeds);
        let board = rules.board(row(&position.rows.south), row(&position.rows.north));
        self.grow_table(tables, 0);
        if let Some(gain) = tables.look_up(&board, target) {
            return Ok(gain >= target);
        }
        let nodes_before = self.nodes;
        let answer = self.decide(tables, &board, target);
        // The nodes since the last interval.
        let nodes = (self.nodes - nodes_before).min(self.nodes % INTERVAL);
        tables.nodes.fetch_add(nodes, Ordering::Relaxed);
        answer
    }

    /// Decides whether the side to move reaches `target`, which does not follow without a search.
    fn decide<R: BoardRules>(
        &mut self,
        tables: &BoardTables<R>,
        board: &R::Board,
        target: i32,
    ) -> Result<bool, NoAnswer> {
        match &tables.open_goals {
            Some(open_goals) => ProofSearch::new(self, tables, open_goals).decide(board, target),
            None => Ok(self.search(tables, board, target, 0)? >= target),
        }
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

    /// Returns the tables of searches with proof numbers from a few seeds on.
    fn proof_search_tables<R: BoardRules>(rules: R, seeds: u32, bytes: usize) -> BoardTables<R> {
        const ENDGAME_BYTES: usize = 1 << 6;
        BoardTables::new(rules, usize::try_from(seeds).unwrap(), bytes, ENDGAME_BYTES)
    }

    /// All targets of random positions, by alpha-beta with and without an endgame table and with
    /// proof numbers, with hash tables that lose entries, and on both kinds of boards.
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
                let small = || SmallBoardRules::new(rules, houses, count);
                let mut tables = vec![
                    SearchTables::new(rules, houses, seeds, BYTES),
                    SearchTables::without_endgames(rules, houses, seeds, BYTES),
                    SearchTables::Large(BoardTables::new(large(), count, BYTES, BYTES / 2)),
                    SearchTables::Large(BoardTables::new(large(), count, BYTES, 0)),
                    SearchTables::Large(proof_search_tables(large(), seeds, BYTES)),
                ];
                tables
                    .extend(small().map(|small| {
                        SearchTables::Small(proof_search_tables(small, seeds, BYTES))
                    }));
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

    /// Targets of random positions with more seeds than the reference can search, from one table
    /// for all positions and from tables that lose most entries.
    #[test]
    fn proof_numbers_answer_as_alpha_beta_does() {
        const POSITIONS: usize = 40;
        let mut random = Pcg64::seed_from_u64(3);
        let stop_flag = AtomicBool::new(false);
        let mut answers = [0; 2];
        for preset in Rules::PRESETS {
            let rules = preset.rules.house_rules;
            for (houses, seeds) in [(2, 30), (3, 26), (4, 22), (6, 18), (8, 16)] {
                let plain = SearchTables::without_endgames(rules, houses, seeds, 1 << 22);
                let small = SmallBoardRules::new(rules, houses, 255).unwrap();
                let large = LargeBoardRules { rules, houses };
                let tables = [
                    SearchTables::new(rules, houses, seeds, 1 << 14),
                    SearchTables::Small(proof_search_tables(small, seeds, 1 << 20)),
                    SearchTables::Large(proof_search_tables(large, seeds, 1 << 12)),
                ];
                for _ in 0..POSITIONS {
                    let setup = random_setup(houses, seeds, &mut random);
                    let target = random.random_range(-8..=8);
                    let decide = |tables| {
                        CheckSearch::new(tables, u64::MAX, &stop_flag).reaches(&setup, target)
                    };
                    let expected = decide(&plain);
                    for tables in &tables {
                        assert_eq!(decide(tables), expected, "{setup}, {target}");
                    }
                    answers[usize::from(expected.unwrap())] += 1;
                }
            }
        }
        assert!(answers.iter().all(|&count| count > 100), "{answers:?}");
    }

    /// Threads that share tables, of which the endgame table grows during the searches.
    #[test]
    fn threads_share_growing_tables() {
        const SEEDS: u32 = 24;
        const THREADS: usize = 4;
        let rules = Rules::STANDARD.house_rules;
        let mut random = Pcg64::seed_from_u64(4);
        let stop_flag = AtomicBool::new(false);
        let goals: Vec<_> = (0..40)
            .map(|_| {
                (
                    random_setup(4, SEEDS, &mut random),
                    random.random_range(-4..=4),
                )
            })
            .collect();
        let decide = |tables: &SearchTables, (setup, target): &(Setup, i32)| {
            CheckSearch::new(tables, u64::MAX, &stop_flag).reaches(setup, *target)
        };
        let plain = SearchTables::without_endgames(rules, 4, SEEDS, 1 << 22);
        let expected: Vec<_> = goals.iter().map(|goal| decide(&plain, goal)).collect();
        let tables = SearchTables::new(rules, 4, SEEDS, 1 << 20);
        let seed_limit = || match &tables {
            SearchTables::Small(tables) => tables.endgames.seed_limit(),
            SearchTables::Large(tables) => tables.endgames.seed_limit(),
        };
        let first_answer = decide(&tables, &goals[0]);
        assert_eq!(first_answer, expected[0]);
        let first_limit = seed_limit();
        std::thread::scope(|scope| {
            for first in 0..THREADS {
                let (goals, expected, tables) = (&goals, &expected, &tables);
                scope.spawn(move || {
                    // Each thread begins with another goal.
                    for index in (0..goals.len()).map(|index| (index + first) % goals.len()) {
                        let answer = decide(tables, &goals[index]);
                        assert_eq!(answer, expected[index], "{:?}", goals[index]);
                    }
                });
            }
        });
        assert!(seed_limit() > first_limit, "{first_limit}");
    }

    #[test]
    fn the_limit_of_nodes_is_that_of_the_visited_nodes() {
        let rules = Rules::CS32.house_rules;
        let start = Setup::start(3, 2);
        let stop_flag = AtomicBool::new(false);
        for with_proof_numbers in [false, true] {
            let search = |max_nodes| {
                let tables = if with_proof_numbers {
                    let small = SmallBoardRules::new(rules, 3, 12).unwrap();
                    SearchTables::Small(proof_search_tables(small, 12, 1 << 20))
                } else {
                    SearchTables::without_endgames(rules, 3, 12, 1 << 20)
                };
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
}
