//! Search of the root: iterative deepening and proofs of the moves' bounds.

use std::num::NonZeroUsize;

use kalah::Move;

use super::alpha_beta::{FULL_DEPTH, Search};
use super::context::SearchContext;
use super::node::{Child, GAIN_STEP, RootChild, SearchValue, Window};
use super::parallel::search_in_parallel;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::search::control::{SearchControl, SearchLimits, SharedControl, Stopped};

/// A gain below those of all positions. Half of the range keeps conversions of windows from
/// overflowing.
const MIN_ALPHA: i32 = i32::MIN / 2;

/// Nodes per thread that a single thread searches before others are started: this takes longer than
/// to start a thread, which takes some tens of microseconds.
const SERIAL_NODES_PER_THREAD: u64 = 1_000;

/// The first null window of a proof within limits lies this many seeds below the estimate: proving
/// that a gain is reached takes less work than proving that it is not, and yields a move if the
/// limits stop the proof. In 40 positions of 6x3 the gain was never lower than that after six
/// turns. Without limits a proof begins at the estimate, which takes 6 to 13 % fewer nodes.
const FIRST_TEST_OFFSET_WITHIN_LIMITS: i32 = 4;

/// The node budget of [`RootSearch::is_likely_out_of_reach`]: at least the first number, or the
/// total so far divided by the second. In 42 positions at ply 4 of 6x4 with a table of 22 seeds, 73
/// million nodes proved the best move instead of 111 million, and the largest count was 8 million
/// instead of 18. Minima from 5 to 50 thousand and divisors from 4 to 32 did about as well.
const MIN_STEP_TEST_NODES: u64 = 20_000;
const STEP_TEST_NODES_DIVISOR: u64 = 8;

/// Turns of the estimate for a move that is not the best, before its gain is proven. In 12
/// positions of 6x3 proving all gains took a tenth fewer nodes than with tests from the upper bound
/// downwards; with four turns it saved nothing.
const GUESS_TURNS: u32 = 6;

/// The search of a root position: its moves with their estimates and their proven bounds.
///
/// Gains are those of the player to move at the root. Iterative deepening estimates them and always
/// has a move to offer; proofs by null-window searches to the end of the game narrow their bounds.
pub(crate) struct RootSearch<'a, H: SearchBoard, E: EndgameTable> {
    context: SearchContext<'a, H, E>,
    shared_control: &'a SharedControl,
    search: Search<'a, H, E>,
    threads: NonZeroUsize,
    root_moves: Vec<RootMove<Child<H>>>,
    /// Indices into `root_moves`, the most promising move first.
    order: Vec<usize>,
    /// The index of the move with the best estimated gain, and that gain.
    best_estimate: Option<(usize, i32)>,
    /// Turns of the last completed iteration.
    depth: u32,
}

/// The estimates and bounds of a root search, with which another search of the same position can
/// start.
pub(crate) struct RootResults {
    moves: Vec<RootMove<()>>,
    depth: u32,
}

/// A move at the root.
pub(crate) struct RootMove<C> {
    pub(crate) mv: Move,
    /// The node after the move, if its gain needs a search.
    child: Option<C>,
    /// The proven lower bound of the gain.
    pub(crate) lower: i32,
    /// The proven upper bound of the gain.
    pub(crate) upper: i32,
    /// The gain by the last search that estimated it; after [`RootSearch::deepen`] an upper bound
    /// of it for moves other than the best one.
    estimate: i32,
    /// The depth of that search in turns; 0 for the static evaluation.
    pub(crate) depth: u32,
}

/// The part of the best move that a proof is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BestProof {
    /// The gain.
    Gain,
    /// Which move is best, and then its gain.
    MoveThenGain,
    /// Which move is best.
    Move,
}

impl<C> RootMove<C> {
    fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    /// The expected gain within the proven bounds.
    pub(crate) fn expected_gain(&self) -> i32 {
        self.estimate.clamp(self.lower, self.upper)
    }

    /// Narrows the bounds by the result of a search with `window`.
    ///
    /// Bounds never cross. With a corrupt endgame table file they could; then the bound that was
    /// proven first stays.
    fn tighten(&mut self, value: SearchValue, window: Window) {
        if value.proven && value.gain > window.alpha {
            self.lower = self.lower.max(value.gain.min(self.upper));
        }
        if value.proven && value.gain < window.beta {
            self.upper = self.upper.min(value.gain.max(self.lower));
        }
    }
}

impl<'a, H: SearchBoard, E: EndgameTable> RootSearch<'a, H, E> {
    /// Creates a search with the bounds that need no search; `min_gain` and `max_gain` bound every
    /// gain.
    pub(crate) fn new(
        context: SearchContext<'a, H, E>,
        (board, in_play, (min_gain, max_gain)): (&H, i32, (i32, i32)),
        limits: SearchLimits<'a>,
        shared_control: &'a SharedControl,
        threads: NonZeroUsize,
    ) -> Self {
        let mut order_scores = Vec::new();
        let root_moves: Vec<_> = context
            .root_children(board, in_play)
            .into_iter()
            .map(|(mv, child)| {
                let (lower, upper, estimate, child) = match child {
                    RootChild::Known(gain) => (gain, gain, gain, None),
                    RootChild::Open(child) => {
                        let (lower, upper) = child.bounds().unwrap_or((min_gain, max_gain));
                        let evaluation = context.evaluator.gain(&child.node.board);
                        let estimate = child.transform.parent_gain(evaluation);
                        (lower, upper, estimate, Some(child))
                    }
                };
                order_scores.push(child.as_ref().map_or(i32::MIN, |child| child.order_score));
                RootMove {
                    mv,
                    child,
                    lower,
                    upper,
                    estimate,
                    depth: 0,
                }
            })
            .collect();
        let mut order: Vec<usize> = (0..root_moves.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(order_scores[index]));
        Self {
            context,
            shared_control,
            search: Search::new(context, SearchControl::new(limits, shared_control)),
            threads,
            root_moves,
            order,
            best_estimate: None,
            depth: 0,
        }
    }

    /// Removes all moves but these before the search begins.
    pub(crate) fn retain_moves(&mut self, moves: &[Move]) {
        let is_retained = |root: &RootMove<_>| moves.contains(&root.mv);
        let new_index = |index: usize| {
            let before = &self.root_moves[..index];
            before.iter().filter(|root| is_retained(root)).count()
        };
        let in_order = self.order.iter().copied();
        self.order = in_order
            .filter(|&index| is_retained(&self.root_moves[index]))
            .map(new_index)
            .collect();
        self.root_moves.retain(is_retained);
    }

    /// Returns the results so far.
    pub(crate) fn results(&self) -> RootResults {
        let moves = self.root_moves.iter().map(|root| RootMove {
            mv: root.mv,
            child: None,
            lower: root.lower,
            upper: root.upper,
            estimate: root.estimate,
            depth: root.depth,
        });
        RootResults {
            moves: moves.collect(),
            depth: self.depth,
        }
    }

    /// Continues from the results of an earlier search of the same position.
    pub(crate) fn resume(&mut self, results: &RootResults) {
        for earlier in &results.moves {
            self.set_known_bounds(earlier.mv, earlier.lower, earlier.upper);
            for root in (self.root_moves.iter_mut()).filter(|root| root.mv == earlier.mv) {
                (root.estimate, root.depth) = (earlier.estimate, earlier.depth);
            }
        }
        self.depth = results.depth;
    }

    /// Narrows the bounds of all moves to those that `other`, a search of the same position, has
    /// proven.
    pub(crate) fn merge_bounds(&mut self, other: &RootSearch<'_, H, E>) {
        for root in &other.root_moves {
            self.set_known_bounds(root.mv, root.lower, root.upper);
        }
    }

    pub(crate) fn control(&mut self) -> &mut SearchControl<'a> {
        self.search.control()
    }

    /// Sets the number of threads and returns the one before.
    pub(crate) fn replace_threads(&mut self, threads: NonZeroUsize) -> NonZeroUsize {
        std::mem::replace(&mut self.threads, threads)
    }

    /// Narrows the bounds of a move to proven ones, unless the two contradict each other.
    pub(crate) fn set_known_bounds(&mut self, mv: Move, lower: i32, upper: i32) {
        for root in self.root_moves.iter_mut().filter(|root| root.mv == mv) {
            let (lower, upper) = (root.lower.max(lower), root.upper.min(upper));
            if lower <= upper {
                (root.lower, root.upper) = (lower, upper);
            }
        }
    }

    /// All moves of the root.
    pub(crate) fn root_moves(&self) -> &[RootMove<Child<H>>] {
        &self.root_moves
    }

    /// Turns of the last completed iteration.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// The proven bounds of the best move's gain.
    pub(crate) fn bounds(&self) -> (i32, i32) {
        let lower = self.root_moves.iter().map(|root| root.lower).max();
        let upper = self.root_moves.iter().map(|root| root.upper).max();
        (lower.unwrap_or(0), upper.unwrap_or(0))
    }

    /// Returns the best move so far and its expected gain, which is within [`Self::bounds`].
    pub(crate) fn best_move(&self) -> Option<(Move, i32)> {
        let (safest, is_best) = self.safest_move()?;
        Some(match self.best_estimate {
            Some((index, gain)) if !self.is_proven() => {
                // A move that is proven best, or better than the estimated one, takes precedence.
                let expected = &self.root_moves[index];
                let root = if is_best || expected.upper < safest.lower {
                    safest
                } else {
                    expected
                };
                (root.mv, gain.clamp(safest.lower, root.upper))
            }
            _ => (safest.mv, safest.lower),
        })
    }

    /// Returns the best move by the estimates of all moves, and its expected gain.
    pub(crate) fn best_estimated_move(&self) -> Option<(Move, i32)> {
        let (safest, is_best) = self.safest_move()?;
        if is_best {
            return Some((safest.mv, safest.expected_gain()));
        }
        let in_order = self.order.iter().map(|&index| &self.root_moves[index]);
        let best = in_order.rev().max_by_key(|root| root.expected_gain())?;
        Some((best.mv, best.expected_gain()))
    }

    /// Returns the move with the greatest lower bound, and whether it is proven that no other one
    /// gains more.
    fn safest_move(&self) -> Option<(&RootMove<Child<H>>, bool)> {
        let in_order = || self.order.iter().map(|&index| &self.root_moves[index]);
        let safest = in_order().rev().max_by_key(|root| root.lower)?;
        let mut others = in_order().filter(|root| root.mv != safest.mv);
        let is_best = others.all(|other| other.upper <= safest.lower);
        Some((safest, is_best))
    }

    /// Returns whether the gains of all moves are proven.
    pub(crate) fn is_every_move_proven(&self) -> bool {
        self.root_moves.iter().all(RootMove::is_exact)
    }

    /// Returns whether the gain of the best move is proven.
    pub(crate) fn is_proven(&self) -> bool {
        let (lower, upper) = self.bounds();
        lower == upper
    }

    /// Returns whether it is proven that no move gains more than a certain one.
    pub(crate) fn is_best_move_proven(&self) -> bool {
        self.safest_move().is_none_or(|(_, is_best)| is_best)
    }

    /// Runs one iteration of iterative deepening to a depth of `turns`.
    ///
    /// All moves after the first are searched with a null window, and again with the full one if
    /// they are better: values follow the contract of [`Search::search_root_child`].
    pub(crate) fn deepen(&mut self, turns: u32) -> Result<(), Stopped> {
        let (_, max_gain) = self.bounds();
        let mut window = Window {
            alpha: MIN_ALPHA,
            beta: max_gain.saturating_add(1),
        };
        for rank in 0..self.order.len() {
            let index = self.order[rank];
            let root = &self.root_moves[index];
            let gain = if root.is_exact() {
                root.lower
            } else if rank == 0 {
                self.search_root_move(index, turns, window)?
            } else {
                // Search with a null window first, and again with the full one if the move turns
                // out to be better.
                let gain =
                    self.search_root_move(index, turns, Window::null_at(window.alpha + 1))?;
                if gain > window.alpha {
                    self.search_root_move(index, turns, window)?
                } else {
                    gain
                }
            };
            // An estimate beyond a proven bound would leave no window for the other moves.
            let RootMove { lower, upper, .. } = self.root_moves[index];
            let gain = gain.clamp(lower, upper);
            (
                self.root_moves[index].estimate,
                self.root_moves[index].depth,
            ) = (gain, turns);
            if gain > window.alpha {
                window.alpha = gain;
                self.best_estimate = Some((index, gain));
            }
        }
        self.depth = turns;
        // The next iteration starts with the best move.
        if let Some((index, _)) = self.best_estimate {
            self.order.retain(|&other| other != index);
            self.order.insert(0, index);
        }
        Ok(())
    }

    /// Searches every move to a depth of `turns` with the full window, the one with the best
    /// estimate first, and calls `observer` after each. A move that an interrupted iteration has
    /// searched to this depth is not searched again.
    pub(crate) fn deepen_all_moves(
        &mut self,
        turns: u32,
        observer: &mut dyn FnMut(&mut Self),
    ) -> Result<(), Stopped> {
        let (_, max_gain) = self.bounds();
        let window = Window {
            alpha: MIN_ALPHA,
            beta: max_gain.saturating_add(1),
        };
        let mut order = self.order.clone();
        order.sort_by_key(|&index| std::cmp::Reverse(self.root_moves[index].expected_gain()));
        for index in order {
            let root = &self.root_moves[index];
            if root.is_exact() || root.depth >= turns {
                continue;
            }
            let gain = self.search_root_move(index, turns, window)?;
            (
                self.root_moves[index].estimate,
                self.root_moves[index].depth,
            ) = (gain, turns);
            observer(self);
        }
        self.depth = turns;
        Ok(())
    }

    /// Proves the best move, its gain or both, and calls `observer` after every step.
    pub(crate) fn prove_best(
        &mut self,
        proof: BestProof,
        observer: &mut dyn FnMut(&mut Self),
    ) -> Result<(), Stopped> {
        let (_, max_gain) = self.bounds();
        let offset = if self.search.control().limits().is_limited() {
            FIRST_TEST_OFFSET_WITHIN_LIMITS
        } else {
            0
        };
        let guess = self.best_estimate.map_or(0, |(_, gain)| gain) - offset;
        let mut test = guess - (guess - max_gain) % GAIN_STEP;
        loop {
            let (lower, upper) = self.bounds();
            if lower == upper || proof == BestProof::Move && self.is_best_move_proven() {
                return Ok(());
            }
            let target = test.clamp(lower + GAIN_STEP.min(upper - lower), upper);
            if proof != BestProof::Gain && self.is_likely_out_of_reach(target) {
                self.prove_others_less(target)?;
                observer(self);
            }
            test = if self.any_move_gains(target)? {
                target + GAIN_STEP
            } else {
                self.bounds().1
            };
            // A search that exceeds `MAX_PLY` proves nothing.
            if self.bounds() == (lower, upper) {
                return Err(Stopped);
            }
            observer(self);
        }
    }

    /// Proves of every other move whether it gains as much as the best one, whose gain is proven
    /// already.
    pub(crate) fn prove_ties(
        &mut self,
        observer: &mut dyn FnMut(&mut Self),
    ) -> Result<(), Stopped> {
        let (best, _) = self.bounds();
        for index in 0..self.root_moves.len() {
            let root = &self.root_moves[index];
            if root.lower < best && best <= root.upper {
                self.search_root_move(index, FULL_DEPTH, Window::null_at(best))?;
                observer(self);
            }
        }
        Ok(())
    }

    /// Proves the gains of all other moves, those with the greatest upper bound first.
    pub(crate) fn prove_others(
        &mut self,
        observer: &mut dyn FnMut(&mut Self),
    ) -> Result<(), Stopped> {
        let mut tests = vec![None; self.root_moves.len()];
        loop {
            let unproven = self.order.iter().copied();
            let unproven = unproven.filter(|&index| !self.root_moves[index].is_exact());
            let Some(index) = unproven.max_by_key(|&index| self.root_moves[index].upper) else {
                return Ok(());
            };
            let RootMove { lower, upper, .. } = self.root_moves[index];
            let Some(test) = tests[index] else {
                let window = Window {
                    alpha: MIN_ALPHA,
                    beta: upper + 1,
                };
                let guess = self.search_root_move(index, GUESS_TURNS, window)?;
                tests[index] = Some(guess - (guess - upper) % GAIN_STEP);
                continue;
            };
            let target = test.clamp(lower + GAIN_STEP.min(upper - lower), upper);
            self.search_root_move(index, FULL_DEPTH, Window::null_at(target))?;
            let root = &self.root_moves[index];
            if (root.lower, root.upper) == (lower, upper) {
                return Err(Stopped);
            }
            tests[index] = Some(if root.lower >= target {
                target + GAIN_STEP
            } else {
                root.upper
            });
            observer(self);
        }
    }

    /// Returns a move that is proven to gain at least `target`, if there is one. The transposition
    /// table may know it without a search.
    pub(crate) fn find_move_gaining(&mut self, target: i32) -> Result<Option<Move>, Stopped> {
        for root in &mut self.root_moves {
            let Some(child) = &root.child else { continue };
            if let Some((lower, upper)) = self.context.proven_bounds(&child.node) {
                let (lower, upper) = child.transform.parent_bounds(lower, upper);
                root.lower = root.lower.max(lower.min(root.upper));
                root.upper = root.upper.min(upper.max(root.lower));
            }
        }
        let is_reached = self.any_move_gains(target)?;
        Ok(is_reached.then(|| self.root_moves[self.order[0]].mv))
    }

    /// Returns whether some move is proven to gain at least `target`. That move becomes the first
    /// in order.
    fn any_move_gains(&mut self, target: i32) -> Result<bool, Stopped> {
        let is_known = |&index: &usize| self.root_moves[index].lower >= target;
        if let Some(rank) = self.order.iter().position(is_known) {
            self.order[..=rank].rotate_right(1);
            return Ok(true);
        }
        for rank in 0..self.order.len() {
            let index = self.order[rank];
            if self.root_moves[index].upper >= target
                && self.search_root_move(index, FULL_DEPTH, Window::null_at(target))? >= target
            {
                self.order[..=rank].rotate_right(1);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether the first move cannot be proven to gain `target`, one step more than its
    /// lower bound, within a small node budget. Then it probably does not, and disproving it would
    /// take long.
    fn is_likely_out_of_reach(&mut self, target: i32) -> bool {
        let first = self.order[0];
        let root = &self.root_moves[first];
        let is_next = (root.lower + 1..=root.lower + GAIN_STEP).contains(&target);
        let Some(child) = root
            .child
            .as_ref()
            .filter(|_| is_next && root.upper >= target)
        else {
            return false;
        };
        if self.threads.get() > 1 {
            return false;
        }
        let window = Window::null_at(target);
        let nodes =
            MIN_STEP_TEST_NODES.max(self.search.control().total_nodes() / STEP_TEST_NODES_DIVISOR);
        let result = (self.search).with_node_limit(nodes, |search| {
            search.search_root_child(child, FULL_DEPTH, window)
        });
        match result {
            Ok(value) => self.root_moves[first].tighten(value, window),
            Err(Stopped) => return true,
        }
        false
    }

    /// Proves of the moves after the first that they gain less than `target`, up to one that does
    /// not.
    fn prove_others_less(&mut self, target: i32) -> Result<(), Stopped> {
        for rank in 1..self.order.len() {
            let index = self.order[rank];
            if self.root_moves[index].upper >= target
                && self.search_root_move(index, FULL_DEPTH, Window::null_at(target))? >= target
            {
                break;
            }
        }
        Ok(())
    }

    /// Searches a root move to a depth of `turns` and returns its gain under the contract of
    /// [`Search::search_root_child`]. With several threads all of them search it, and the first
    /// result counts.
    fn search_root_move(
        &mut self,
        index: usize,
        turns: u32,
        window: Window,
    ) -> Result<i32, Stopped> {
        let RootMove { child, lower, .. } = &self.root_moves[index];
        let Some(child) = child else {
            return Ok(*lower);
        };
        let value = if self.threads.get() > 1 {
            let serial_nodes = SERIAL_NODES_PER_THREAD.saturating_mul(self.threads.get() as u64);
            let result = self.search.with_node_limit(serial_nodes, |search| {
                search.search_root_child(child, turns, window)
            });
            result.or_else(|Stopped| {
                let shared = (self.context, self.shared_control, self.threads);
                let result =
                    search_in_parallel(self.search.control(), shared, child, turns, window);
                // Includes the nodes that the other threads have flushed.
                self.search.control().flush_counters();
                result
            })?
        } else {
            self.search.search_root_child(child, turns, window)?
        };
        self.root_moves[index].tighten(value, window);
        Ok(value.gain)
    }
}
