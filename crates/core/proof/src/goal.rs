//! Goals of a proof: a position, and the margin that its side to move has to reach.

use kalah::{FirstPlies, Margin, Move, Position, Setup, Side};

/// A goal: that the side to move of a position reaches a margin with best play of both sides.
///
/// Goals that mean the same are equal: the position is turned to the side to move and has empty
/// stores where the rules do not depend on them, and the target has the parity of the seeds.
///
/// ```
/// use kalah::{Margin, Rules, Setup};
/// use kalah_proof::ProofGoal;
///
/// let goal = |text: &str, target| {
///     let position = text.parse::<Setup>().unwrap().position(Rules::STANDARD).unwrap();
///     ProofGoal::new(&position, Margin::new(target))
/// };
/// // North leads by 2 and has to gain one more.
/// assert_eq!(goal("<2,1,3,1,2,0,4> n", 3), goal("<2,0,0,0,4,1,2> s", 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProofGoal {
    position: Position,
    target: i32,
}

/// The goal of a child, and what its result means for the parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildGoal {
    /// The goal of the side to move in the child.
    pub goal: ProofGoal,
    /// Whether that is the player to move in the parent; otherwise a proof of the child's goal
    /// refutes the move.
    pub same_player: bool,
}

impl ProofGoal {
    /// Returns the goal that the side to move in `position` reaches `target`.
    #[expect(clippy::missing_panics_doc, reason = "the position stays valid")]
    pub fn new(position: &Position, target: Margin) -> Self {
        let turned = if position.to_move() == Side::North {
            position.flipped()
        } else {
            position.clone()
        };
        let (position, target) = if turned.first_plies() == FirstPlies::Later {
            let target = turned.gain(target).seeds();
            let mut setup = Setup::from(&turned);
            setup.stores = kalah::BySide { south: 0, north: 0 };
            let empty = setup.position(turned.rules());
            (
                empty.expect("a position with empty stores is valid"),
                target,
            )
        } else {
            (turned, target.seeds())
        };
        let parity = i32::from(position.total());
        Self {
            target: target + (target - parity).rem_euclid(2),
            position,
        }
    }

    /// The position, with South to move.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The margin that the side to move has to reach.
    pub fn target(&self) -> Margin {
        Margin::new(self.target)
    }

    /// Returns the answer if it needs no search: the game is over, or the target is out of the
    /// range of the seeds in play.
    pub fn trivial_answer(&self) -> Option<bool> {
        let lead = self.position.lead().seeds();
        if self.position.is_over() {
            return Some(lead >= self.target);
        }
        if self.position.first_plies() != FirstPlies::Later {
            return None;
        }
        let in_play = i32::from(self.position.seeds_in_play());
        if self.target <= -in_play {
            Some(true)
        } else if self.target > in_play {
            Some(false)
        } else {
            None
        }
    }

    /// Returns whether the answer of another goal of the position is also that of this one: a
    /// player that reaches a margin also reaches every lower one.
    pub(crate) fn follows_from(&self, other: &Self, answer: bool) -> bool {
        if answer {
            self.target < other.target
        } else {
            self.target > other.target
        }
    }

    /// Returns the goal of the child after a legal move.
    ///
    /// # Panics
    /// If the move is not legal.
    pub fn child(&self, mv: Move) -> ChildGoal {
        let mut next = self.position.clone();
        next.play(mv).expect("the move is legal");
        // After a swap the other player moves, on the same side.
        let same_player = next.to_move() == self.position.to_move() && mv != Move::Swap;
        let target = if same_player {
            self.target
        } else {
            1 - self.target
        };
        ChildGoal {
            goal: Self::new(&next, Margin::new(target)),
            same_player,
        }
    }
}
