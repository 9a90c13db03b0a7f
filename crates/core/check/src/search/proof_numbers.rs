//! Depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
//! applications", 2002).

use super::board::{BoardRules, Sowing};
use super::open_goals::OpenGoals;
use super::transpositions::GainBounds;
use super::{BoardTables, CheckSearch, NoAnswer};

/// The greatest proof number of an open goal.
pub(super) const MAX_NUMBER: f64 = 1e18;

/// Goals of positions with fewer seeds than this above the seed limit of the endgame table are
/// decided by alpha-beta, which needs more nodes and less time.
const LEAF_SEEDS: usize = 7;

/// The search stays with a move until its proof number exceeds that of the second best by this
/// factor and by 1 (J. Pawlewicz and Ł. Lew, "Improving depth-first PN-search: 1+ε trick", 2006).
const THRESHOLD_FACTOR: f64 = 1.25;

/// The expected work, in no particular unit, until a goal is proven and until it is disproven: 0
/// and infinity if it is, infinity and 0 if the opposite is, and otherwise at least 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ProofNumbers {
    pub(super) proof: f64,
    pub(super) disproof: f64,
}

impl ProofNumbers {
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

    /// Converts the numbers of the goal after a sowing into those of the mover's goal that it is
    /// reached by the sowing, or back.
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
    /// The gain to be reached, which is possible: it is even if the number of seeds is.
    pub(super) target: i32,
}

/// A move from a goal.
#[derive(Clone, Copy)]
struct Child<B> {
    sowing: Sowing<B>,
    /// The goal after the sowing.
    goal: BoardGoal<B>,
    /// The proof numbers of the mover's goal if it makes this move.
    numbers: ProofNumbers,
}

/// The proof numbers of a goal, and the child to be searched next.
struct Choice {
    numbers: ProofNumbers,
    child: usize,
    /// The second smallest proof number of the children.
    second_proof: f64,
}

/// A search of goals, which continues where an answer is expected to take the least work.
pub(super) struct ProofSearch<'s, 'a, R: BoardRules> {
    search: &'s mut CheckSearch<'a>,
    tables: &'s BoardTables<R>,
    open_goals: &'s OpenGoals,
    /// The moves from all goals on the path of the search.
    children: Vec<Child<R::Board>>,
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
            children: Vec::new(),
        }
    }

    /// Decides whether the side to move reaches `target`.
    pub(super) fn decide(&mut self, board: &R::Board, target: i32) -> Result<bool, NoAnswer> {
        let goal = self.tables.goal(*board, target);
        loop {
            let numbers = self.prove(&goal, ProofNumbers::INFINITE, 0)?;
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
        thresholds: ProofNumbers,
        depth: u32,
    ) -> Result<ProofNumbers, NoAnswer> {
        let BoardGoal { board, target } = goal;
        let Some(number) = self.tables.proof_search_number(board) else {
            let gain = self.search.search(self.tables, board, *target, depth)?;
            return Ok(ProofNumbers::from_answer(gain >= *target));
        };
        if let Some(answer) = self.tables.known_answer(number, *target) {
            return Ok(ProofNumbers::from_answer(answer));
        }
        self.search.count_node(self.tables, depth)?;
        let nodes_before = self.search.nodes;
        let first_child = self.children.len();
        self.add_children(goal);
        let numbers = self.search_children(first_child, thresholds, depth)?;
        self.children.truncate(first_child);
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
    fn add_children(&mut self, goal: &BoardGoal<R::Board>) {
        let rules = &self.tables.rules;
        // Moves near the store come first among equals.
        let houses = (0..rules.houses()).rev();
        for house in houses.filter(|&house| rules.can_sow(&goal.board, house)) {
            let sowing = rules.sow(&goal.board, house);
            let target = sowing.target_after(goal.target);
            let goal = self.tables.goal(sowing.board, target);
            let numbers = self.first_numbers(&goal, !sowing.is_bonus);
            self.children.push(Child {
                sowing,
                goal,
                numbers: numbers.across(&sowing),
            });
        }
    }

    /// Returns the proof numbers of a goal before it is searched.
    fn first_numbers(&self, goal: &BoardGoal<R::Board>, is_after_turn: bool) -> ProofNumbers {
        let tables = self.tables;
        let BoardGoal { board, target } = goal;
        if let Some(bound) = tables.look_up(board, *target) {
            return ProofNumbers::from_answer(bound >= *target);
        }
        if let Some(number) = tables.number(board) {
            if let Some(answer) = tables.known_answer(number, *target) {
                return ProofNumbers::from_answer(answer);
            }
            if let Some(numbers) = self.open_goals.get(number, *target) {
                return numbers;
            }
        }
        tables.estimate(goal, is_after_turn)
    }

    /// Searches the children from `first` on until the goal before them is decided or reaches a
    /// threshold, and returns its numbers.
    fn search_children(
        &mut self,
        first: usize,
        thresholds: ProofNumbers,
        depth: u32,
    ) -> Result<ProofNumbers, NoAnswer> {
        loop {
            let Choice {
                numbers,
                child,
                second_proof,
            } = self.choose(first);
            let is_reached =
                numbers.proof >= thresholds.proof || numbers.disproof >= thresholds.disproof;
            if is_reached || numbers.answer().is_some() {
                return Ok(numbers);
            }
            let Child {
                sowing,
                goal,
                numbers: child_numbers,
            } = self.children[child];
            let thresholds = ProofNumbers {
                proof: (thresholds.proof).min(second_proof * THRESHOLD_FACTOR + 1.0),
                disproof: thresholds.disproof - numbers.disproof + child_numbers.disproof,
            };
            let numbers = self.prove(&goal, thresholds.across(&sowing), depth + 1)?;
            self.children[child].numbers = numbers.across(&sowing);
        }
    }

    /// Computes the proof numbers of a goal from its children, those from `first` on, and chooses
    /// the child with the smallest proof number: a proof needs one of them, a disproof all.
    fn choose(&self, first: usize) -> Choice {
        let mut numbers = ProofNumbers::from_answer(false);
        let mut child = first;
        let mut second_proof = f64::INFINITY;
        for (index, other) in (first..).zip(&self.children[first..]) {
            numbers.disproof += other.numbers.disproof;
            if other.numbers.proof < numbers.proof {
                second_proof = numbers.proof;
                numbers.proof = other.numbers.proof;
                child = index;
            } else {
                second_proof = second_proof.min(other.numbers.proof);
            }
        }
        if numbers.answer().is_none() {
            numbers.disproof = numbers.disproof.min(MAX_NUMBER);
        }
        Choice {
            numbers,
            child,
            second_proof,
        }
    }
}

impl<R: BoardRules> BoardTables<R> {
    /// Returns the goal that the side to move reaches `target`, with the least possible gain of at
    /// least that.
    #[inline]
    fn goal(&self, board: R::Board, target: i32) -> BoardGoal<R::Board> {
        let (own, other) = self.rules.row_totals(&board);
        BoardGoal {
            board,
            target: target + (target - own - other).rem_euclid(2),
        }
    }

    /// Returns the number of a position for the hash table; `None` if alpha-beta decides its goals.
    #[inline]
    fn proof_search_number(&self, board: &R::Board) -> Option<u64> {
        let (own, other) = self.rules.row_totals(board);
        let least = self.endgames.seed_limit() + LEAF_SEEDS;
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
