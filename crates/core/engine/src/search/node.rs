//! Nodes of the search tree, moves between them, and the values that a search returns.

use kalah::{House, Move};

use crate::board::search_board::SearchBoard;

/// The difference between two neighbouring gains of one position: they are all odd or all even.
pub(crate) const GAIN_STEP: i32 = 2;

/// The value of a node as a search returns it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchValue {
    /// The gain for the side to move, in seeds.
    pub(crate) gain: i32,
    /// Whether no part of the gain rests on the static evaluation.
    pub(crate) proven: bool,
}

/// The open interval of gains that a search has to tell apart: `alpha < gain < beta`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    /// Returns the null window that separates gains of at least `gain` from smaller ones.
    pub(crate) fn null_at(gain: i32) -> Self {
        Self {
            alpha: gain - 1,
            beta: gain,
        }
    }

    /// Returns whether no gain lies strictly between `alpha` and `beta`.
    pub(crate) fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }
}

/// The running maximum over the children of a node, with the window that it narrows.
pub(crate) struct BestScore {
    pub(crate) window: Window,
    best: SearchValue,
    /// The move that last raised alpha.
    pub(crate) best_move: Option<Move>,
    all_proven: bool,
}

impl BestScore {
    #[inline]
    pub(crate) fn new(window: Window) -> Self {
        Self {
            window,
            best: SearchValue {
                gain: i32::MIN,
                proven: false,
            },
            best_move: None,
            all_proven: true,
        }
    }

    /// Updates the maximum with a child's value in the parent's terms.
    ///
    /// The value follows the contract of the search: an upper bound if it is at most alpha, a lower
    /// bound if it is at least beta, and exact in between.
    #[inline]
    pub(crate) fn update(&mut self, mv: Move, value: SearchValue) {
        self.all_proven &= value.proven;
        self.update_lower_bound(mv, value);
    }

    /// Updates the maximum with a lower bound of a child's gain.
    #[inline]
    pub(crate) fn update_lower_bound(&mut self, mv: Move, value: SearchValue) {
        if value.gain > self.best.gain {
            self.best = value;
        }
        if value.gain > self.window.alpha {
            self.window.alpha = value.gain;
            self.best_move = Some(mv);
        }
    }

    /// Returns whether the remaining children cannot change the result.
    #[inline]
    pub(crate) fn is_cutoff(&self) -> bool {
        self.window.alpha >= self.window.beta
    }

    #[inline]
    pub(crate) fn value(&self) -> SearchValue {
        // A cutoff rests on one child alone, any other value on all children.
        let proven = if self.is_cutoff() {
            self.best.proven
        } else {
            self.all_proven
        };
        SearchValue {
            proven,
            ..self.best
        }
    }
}

/// A position in the search tree that is not over.
#[derive(Clone)]
pub(crate) struct Node<H> {
    pub(crate) board: H,
    /// Seeds in the houses of both sides. No gain is greater in absolute value.
    pub(crate) in_play: i32,
}

/// A move and the node that it leads to.
#[derive(Clone)]
pub(crate) struct Child<H> {
    pub(crate) mv: Move,
    pub(crate) transform: ScoreTransform,
    pub(crate) node: Node<H>,
    /// The priority in move ordering: the child with the highest score is searched first.
    pub(crate) order_score: i32,
}

/// The transformation of a child's gain into its parent's.
#[derive(Clone, Copy)]
pub(crate) struct ScoreTransform {
    /// Seeds banked by the move, less the opponent's, from the parent's point of view.
    pub(crate) banked: i32,
    /// Whether the mover plays again.
    pub(crate) same_player: bool,
}

/// Bonus for a bonus turn: such moves come before any capture.
const BONUS_TURN_PRIORITY: i32 = 1 << 24;
/// Penalty for a child that another thread is searching: such moves come last, in their order.
const DEFERRED_PENALTY: i32 = 1 << 28;
/// Weights of the other ordering terms, in units of one house nearer to the store.
const BANKED_SEED_WEIGHT: i32 = 32;
const OPPONENT_BONUS_TURN_WEIGHT: i32 = 12;
const OPPONENT_HOUSE_WEIGHT: i32 = 2;

impl<H: SearchBoard> Node<H> {
    /// Returns the value of a node with too few seeds left for a gain inside the window, if its
    /// gain depends on the houses alone.
    ///
    /// The value is proven and a bound: the gain is at most `alpha`, or at least `beta`.
    #[inline]
    pub(crate) fn trivial_value(&self, window: Window) -> Option<SearchValue> {
        let gain = if self.in_play <= window.alpha {
            self.in_play
        } else if -self.in_play >= window.beta {
            -self.in_play
        } else {
            return None;
        };
        self.board
            .is_cacheable()
            .then_some(SearchValue { gain, proven: true })
    }
}

impl<H: SearchBoard> Child<H> {
    /// Returns the least and the greatest gain of the move that the seeds in play allow, in the
    /// parent's terms. `None` if the gain depends on more than the houses.
    pub(crate) fn bounds(&self) -> Option<(i32, i32)> {
        let in_play = self.node.in_play;
        let is_cacheable = self.node.board.is_cacheable();
        is_cacheable.then(|| self.transform.parent_bounds(-in_play, in_play))
    }

    /// Returns the order score: bonus turns first, then by seeds banked, then by how few
    /// bonus turns and how few occupied houses the opponent has, then by distance to the store.
    ///
    /// Without the opponent's bonus turns solving 6x4 takes a tenth more nodes. Terms for the seeds
    /// in the rows, or for how well a house did elsewhere in the search, cost half as many nodes
    /// again or more: see docs/performance.md.
    #[inline]
    pub(crate) fn compute_order_score(&self) -> i32 {
        let house = match self.mv {
            Move::Sow(house) => house.number().into(),
            Move::Swap => 0,
        };
        let next = &self.node.board;
        let [own, other] = next.occupied_counts();
        let [bonus_turns, _] = next.bonus_turn_counts();
        let ScoreTransform {
            banked,
            same_player,
        } = self.transform;
        let score = banked * BANKED_SEED_WEIGHT + house;
        if same_player {
            score - other * OPPONENT_HOUSE_WEIGHT + BONUS_TURN_PRIORITY
        } else {
            score - own * OPPONENT_HOUSE_WEIGHT - bonus_turns * OPPONENT_BONUS_TURN_WEIGHT
        }
    }

    /// Returns the place in the order of the moves that the child had before it was deferred, if it
    /// was.
    #[inline]
    pub(crate) fn deferred_place(&self) -> Option<usize> {
        usize::try_from((-DEFERRED_PENALTY).checked_sub(self.order_score)?).ok()
    }

    /// Returns the child with a score behind all children that are not deferred. It had the place
    /// `place` in the order of the moves.
    pub(crate) fn deferred(self, place: usize) -> Self {
        let place = i32::try_from(place).unwrap_or(i32::MAX);
        Self {
            order_score: (-DEFERRED_PENALTY).saturating_sub(place),
            ..self
        }
    }
}

/// Depth that a move of the other player uses up.
pub(crate) const DEPTH_PER_TURN: i32 = 4;

/// Depth that a bonus turn uses up. It is small because a bonus turn answers no threat, and not
/// zero because on large boards a turn can have hundreds of sowings.
const DEPTH_PER_BONUS_TURN: i32 = 1;

impl ScoreTransform {
    /// Returns the seeds in play after the move, given those before it.
    #[inline]
    pub(crate) fn child_in_play(self, mv: Move, in_play: i32) -> i32 {
        match mv {
            Move::Sow(_) => in_play - self.banked,
            Move::Swap => in_play,
        }
    }

    /// Returns the remaining depth for a child of a node that is searched to `depth`.
    #[inline]
    pub(crate) fn child_depth(self, depth: i32) -> i32 {
        let depth_cost = if self.same_player {
            DEPTH_PER_BONUS_TURN
        } else {
            DEPTH_PER_TURN
        };
        depth - depth_cost
    }

    /// Converts the parent's window into the child's terms.
    #[inline]
    pub(crate) fn child_window(self, Window { alpha, beta }: Window) -> Window {
        if self.same_player {
            Window {
                alpha: alpha - self.banked,
                beta: beta - self.banked,
            }
        } else {
            Window {
                alpha: self.banked - beta,
                beta: self.banked - alpha,
            }
        }
    }

    /// Converts the child's gain into the parent's terms.
    #[inline]
    pub(crate) fn parent_gain(self, gain: i32) -> i32 {
        if self.same_player {
            self.banked + gain
        } else {
            self.banked - gain
        }
    }

    /// Converts the lower and the upper bound of the child's gain into the parent's terms.
    #[inline]
    pub(crate) fn parent_bounds(self, lower: i32, upper: i32) -> (i32, i32) {
        if self.same_player {
            (self.banked + lower, self.banked + upper)
        } else {
            (self.banked - upper, self.banked - lower)
        }
    }
}

/// The result of a root move: a gain that needs no search, or a node to search.
pub(crate) enum RootChild<H> {
    /// The gain of the move in the root's terms.
    Known(i32),
    Open(Child<H>),
}

/// Returns the house that a move sows, or `None` for a swap.
#[inline]
pub(super) fn sown_house(mv: Option<Move>) -> Option<House> {
    match mv? {
        Move::Sow(house) => Some(house),
        Move::Swap => None,
    }
}

#[cfg(test)]
mod tests {
    use kalah::{Position, Rules};
    use kalah_board::PackedBoard;

    use super::*;

    #[test]
    fn deferred_children_keep_their_places_behind_all_others() {
        let position = Position::start(6, 4, Rules::CS32).unwrap();
        let child = |order_score| Child {
            mv: Move::Sow(House::new(1).unwrap()),
            transform: ScoreTransform {
                banked: 0,
                same_player: false,
            },
            node: Node {
                board: PackedBoard::<u64>::from_position(&position).unwrap(),
                in_play: 48,
            },
            order_score,
        };
        for order_score in [i32::MAX, 2 * BONUS_TURN_PRIORITY, 0, -BONUS_TURN_PRIORITY] {
            let child = child(order_score);
            assert_eq!(child.deferred_place(), None);
            let [first, second] = [2, 3].map(|place| child.clone().deferred(place));
            assert!(first.order_score > second.order_score);
            assert!(first.order_score < -BONUS_TURN_PRIORITY);
            assert_eq!(first.deferred_place(), Some(2));
            assert_eq!(second.deferred_place(), Some(3));
        }
    }
}
