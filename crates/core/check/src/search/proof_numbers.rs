//! Depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
//! applications", 2002).

use super::board::{BoardRules, Sowing};
use super::open_goals::OpenGoals;
use super::transpositions::GainBounds;
use super::{BoardTables, CheckSearch, NoAnswer};

/// The greatest proof number of an open goal.
pub(super) const MAX_NUMBER: f64 = 1e18;

/// Goals of positions with fewer seeds than this above the seed limit of the endgame table are
/// decided by alpha-beta, which visits more nodes in less time.
const ALPHA_BETA_SEEDS: usize = 7;

/// The search stays with a move until its proof number exceeds that of the second best by this
/// factor and by 1 (J. Pawlewicz and Ł. Lew, "Improving depth-first PN-search: 1+ε trick", 2006).
const THRESHOLD_FACTOR: f64 = 1.25;

/// The expected work until a goal is proven and until it is disproven, in no particular unit. They
/// are 0 and infinity for a proven goal, infinity and 0 for a disproven one, and otherwise at least
/// 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GoalNumbers {
    pub(super) proof: f64,
    pub(super) disproof: f64,
}

impl GoalNumbers {
    const INFINITE: Self = Self {
        proof: f64::INFINITY,
        disproof: f64::INFINITY,
    };

    fn from_answer(answer: bool) -> Self {
        let (proof, disproof) = if answer {
            (0.0, f64::INFINITY)
        } else {
            (f64::INFINITY, 0.0)
        };
        Self { proof, disproof }
    }

    /// Returns whether a goal is proven; `None` if it is open.
    pub(super) fn answer(self) -> Option<bool> {
        if self.proof == 0.0 {
            Some(true)
        } else if self.disproof == 0.0 {
            Some(false)
        } else {
            None
        }
    }

    /// Converts the numbers of the goal after a sowing into those of the mover, who needs this
    /// sowing to reach its own goal, or back: the other side's proof is the mover's disproof.
    fn across<B>(self, sowing: &Sowing<B>) -> Self {
        if sowing.is_bonus {
            self
        } else {
            Self {
                proof: self.disproof,
                disproof: self.proof,
            }
        }
    }
}

/// A goal: the side to move on a board reaches a target.
#[derive(Clone, Copy)]
pub(super) struct BoardGoal<B> {
    pub(super) board: B,
    /// The gain to be reached. It is even or odd as the number of seeds, as all possible gains are.
    pub(super) target: i32,
}

/// A move from a goal.
#[derive(Clone, Copy)]
struct GoalMove<B> {
    sowing: Sowing<B>,
    /// The goal after the sowing.
    goal: BoardGoal<B>,
    /// The proof numbers of the mover's goal if it makes this move.
    numbers: GoalNumbers,
}

/// The proof numbers of a goal, and the move to be searched next.
struct MoveSelection {
    numbers: GoalNumbers,
    /// The index of the move with the smallest proof number.
    best: usize,
    /// The second smallest proof number of the moves.
    second_proof: f64,
}

/// A search of goals, which continues where an answer is expected to take the least work.
pub(super) struct ProofSearch<'s, 'a, R: BoardRules> {
    search: &'s mut CheckSearch<'a>,
    tables: &'s BoardTables<R>,
    open_goals: &'s OpenGoals,
    /// The moves from all goals on the path of the search.
    moves: Vec<GoalMove<R::Board>>,
}

impl<'s, 'a, R: BoardRules> ProofSearch<'s, 'a, R> {
    pub(super) fn new(
        search: &'s mut CheckSearch<'a>,
        tables: &'s BoardTables<R>,
        open_goals: &'s OpenGoals,
    ) -> Self {
        Self {
            search,
            tables,
            open_goals,
            moves: Vec::new(),
        }
    }

    /// Decides whether the side to move reaches `target`.
    pub(super) fn decide(&mut self, board: &R::Board, target: i32) -> Result<bool, NoAnswer> {
        let goal = self.tables.goal(*board, target);
        loop {
            let numbers = self.prove(&goal, GoalNumbers::INFINITE, 0)?;
            if let Some(answer) = numbers.answer() {
                return Ok(answer);
            }
        }
    }

    /// Searches a goal until it is decided or one of its numbers reaches its threshold, and returns
    /// its numbers.
    fn prove(
        &mut self,
        goal: &BoardGoal<R::Board>,
        thresholds: GoalNumbers,
        depth: u32,
    ) -> Result<GoalNumbers, NoAnswer> {
        let BoardGoal { board, target } = goal;
        let Some(number) = self.tables.proof_search_number(board) else {
            let gain = self.search.search(self.tables, board, *target, depth)?;
            return Ok(GoalNumbers::from_answer(gain >= *target));
        };
        if let Some(answer) = self.tables.known_answer(number, *target) {
            return Ok(GoalNumbers::from_answer(answer));
        }
        self.search.count_node(self.tables, depth)?;
        let nodes_before = self.search.nodes;
        let first_move = self.moves.len();
        self.add_moves(goal);
        let numbers = self.search_moves(first_move, thresholds, depth)?;
        self.moves.truncate(first_move);
        match numbers.answer() {
            Some(answer) => {
                let nodes = self.search.nodes - nodes_before + 1;
                self.tables.store_answer(number, goal, answer, nodes);
            }
            None => self.open_goals.put(number, *target, numbers),
        }
        Ok(numbers)
    }

    /// Adds the moves from a goal.
    fn add_moves(&mut self, goal: &BoardGoal<R::Board>) {
        let rules = &self.tables.rules;
        // Moves near the store come first among equals.
        let houses = (0..rules.houses()).rev();
        for house in houses.filter(|&house| rules.can_sow(&goal.board, house)) {
            let sowing = rules.sow(&goal.board, house);
            let target = sowing.target_after(goal.target);
            let goal = self.tables.goal(sowing.board, target);
            let numbers = self.first_numbers(&goal, !sowing.is_bonus);
            self.moves.push(GoalMove {
                sowing,
                goal,
                numbers: numbers.across(&sowing),
            });
        }
    }

    /// Returns the proof numbers of a goal before it is searched.
    fn first_numbers(&self, goal: &BoardGoal<R::Board>, is_after_turn: bool) -> GoalNumbers {
        let tables = self.tables;
        let BoardGoal { board, target } = goal;
        if let Some(bound) = tables.look_up(board, *target) {
            return GoalNumbers::from_answer(bound >= *target);
        }
        if let Some(number) = tables.number(board) {
            if let Some(answer) = tables.known_answer(number, *target) {
                return GoalNumbers::from_answer(answer);
            }
            if let Some(numbers) = self.open_goals.get(number, *target) {
                return numbers;
            }
        }
        tables.estimate(goal, is_after_turn)
    }

    /// Searches the moves from `first` on until the goal before them is decided or reaches a
    /// threshold, and returns its numbers.
    fn search_moves(
        &mut self,
        first: usize,
        thresholds: GoalNumbers,
        depth: u32,
    ) -> Result<GoalNumbers, NoAnswer> {
        loop {
            let MoveSelection {
                numbers,
                best,
                second_proof,
            } = self.select(first);
            let is_reached =
                numbers.proof >= thresholds.proof || numbers.disproof >= thresholds.disproof;
            if is_reached || numbers.answer().is_some() {
                return Ok(numbers);
            }
            let GoalMove {
                sowing,
                goal,
                numbers: move_numbers,
            } = self.moves[best];
            let thresholds = GoalNumbers {
                proof: (thresholds.proof).min(second_proof * THRESHOLD_FACTOR + 1.0),
                disproof: thresholds.disproof - numbers.disproof + move_numbers.disproof,
            };
            let numbers = self.prove(&goal, thresholds.across(&sowing), depth + 1)?;
            self.moves[best].numbers = numbers.across(&sowing);
        }
    }

    /// Computes the proof numbers of a goal from its moves, those from `first` on, and selects the
    /// move with the smallest proof number: a proof needs one of them, a disproof all.
    fn select(&self, first: usize) -> MoveSelection {
        let mut numbers = GoalNumbers::from_answer(false);
        let mut best = first;
        let mut second_proof = f64::INFINITY;
        for (index, mv) in (first..).zip(&self.moves[first..]) {
            numbers.disproof += mv.numbers.disproof;
            if mv.numbers.proof < numbers.proof {
                second_proof = numbers.proof;
                numbers.proof = mv.numbers.proof;
                best = index;
            } else {
                second_proof = second_proof.min(mv.numbers.proof);
            }
        }
        if numbers.answer().is_none() {
            numbers.disproof = numbers.disproof.min(MAX_NUMBER);
        }
        MoveSelection {
            numbers,
            best,
            second_proof,
        }
    }
}

impl<R: BoardRules> BoardTables<R> {
    /// Returns the goal that the side to move reaches `target`, which is raised by 1 if no gain is
    /// equal to it.
    #[inline]
    fn goal(&self, board: R::Board, target: i32) -> BoardGoal<R::Board> {
        let (own, other) = self.rules.row_totals(&board);
        BoardGoal {
            board,
            target: target + (target - own - other).rem_euclid(2),
        }
    }

    /// Returns what [`Self::number`] does for a position whose goals have proof numbers; `None` if
    /// alpha-beta decides them.
    #[inline]
    fn proof_search_number(&self, board: &R::Board) -> Option<u64> {
        let (own, other) = self.rules.row_totals(board);
        let least = self.endgames.seed_limit() + ALPHA_BETA_SEEDS;
        let number = self.number(board)?;
        ((own + other) as usize >= least).then_some(number)
    }

    /// Returns the answer of a goal from the hash table.
    #[inline]
    fn known_answer(&self, number: u64, target: i32) -> Option<bool> {
        let GainBounds { lower, upper } = self.transpositions.get(number)?;
        if lower >= target {
            Some(true)
        } else if upper < target {
            Some(false)
        } else {
            None
        }
    }

    /// Stores the answer of a goal, which took `nodes` nodes, in the hash table.
    fn store_answer(&self, number: u64, goal: &BoardGoal<R::Board>, answer: bool, nodes: u64) {
        let (own, other) = self.rules.row_totals(&goal.board);
        let in_play = own + other;
        let bounds = if answer {
            GainBounds {
                lower: goal.target,
                upper: in_play,
            }
        } else {
            // The next lower gain that is possible.
            GainBounds {
                lower: -in_play,
                upper: goal.target - 2,
            }
        };
        self.transpositions.narrow(number, bounds, nodes);
    }
}
