//! Plain minimax: its scores, the player of CS 32 and Yale's assignment, and the complete tree.

use std::cell::Cell;
use std::fmt;
use std::ops::Neg;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kalah::{Margin, Move, Player, Position, Side, format_count};
use thiserror::Error;

use crate::search::control::Stopped;

/// The score of a position in plain minimax, for one of the players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MinimaxScore {
    /// The game ends with fewer seeds than the opponent.
    Loss,
    /// The own store minus the opponent's: at a leaf before the end of the game, or 0 at a tie.
    Difference(Margin),
    /// The game ends with more seeds than the opponent.
    Win,
}

/// Returns the score for the other player.
impl Neg for MinimaxScore {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Difference(margin) => Self::Difference(-margin),
            Self::Win => Self::Loss,
        }
    }
}

/// Writes `+3`, `0`, `won` or `lost`.
impl fmt::Display for MinimaxScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loss => f.pad("lost"),
            Self::Difference(margin) => margin.fmt(f),
            Self::Win => f.pad("won"),
        }
    }
}

/// Returns the score of a leaf for its side to move; `None` if the position has to be searched.
fn leaf_score(position: &Position, depth: u32) -> Option<MinimaxScore> {
    let lead = position.lead();
    match position.outcome() {
        Some(_) if lead > Margin::ZERO => Some(MinimaxScore::Win),
        Some(_) if lead < Margin::ZERO => Some(MinimaxScore::Loss),
        None if depth > 0 => None,
        _ => Some(MinimaxScore::Difference(lead)),
    }
}

/// Returns the position after a legal move, and whether the same player moves again. After a swap
/// the same side moves, but the other player.
pub(super) fn play(position: &Position, mv: Move) -> (Position, bool) {
    let mut next = position.clone();
    let is_legal = next.play(mv).is_ok();
    debug_assert!(is_legal, "only legal moves are searched");
    let same_side = next.to_move() == position.to_move();
    (next, same_side && mv != Move::Swap)
}

/// The player that the assignments of CS 32 and of Yale specify, and the reference for others:
/// plain minimax to a fixed depth on the difference of the stores.
///
/// The depth counts turns of the two players: a bonus turn belongs to the turn of the sowing that
/// gave it. Among equal moves the first in sowing order is played. The player does not read the
/// clock. Alpha-beta pruning saves time and does not change the result; [`MinimaxTree`] does not
/// prune.
#[derive(Clone, Debug)]
pub struct MinimaxPlayer {
    name: String,
    depth: u32,
    stop_flag: Arc<AtomicBool>,
}

/// A minimax search with a stop flag.
struct MinimaxSearch<'a> {
    stop_flag: &'a AtomicBool,
    /// The number of nodes before the search stops.
    nodes_left: Cell<u64>,
}

/// Returns the move that [`MinimaxPlayer`] plays with this depth, or `None` if the search takes
/// more than `max_nodes` nodes, and the number of nodes searched.
pub(crate) fn minimax_move(position: &Position, depth: u32, max_nodes: u64) -> (Option<Move>, u64) {
    let search = MinimaxSearch {
        stop_flag: &AtomicBool::new(false),
        nodes_left: Cell::new(max_nodes),
    };
    let result = search.best_move(position, depth);
    (result.ok().flatten(), max_nodes - search.nodes_left.get())
}

impl MinimaxPlayer {
    /// Creates a player that searches `depth` turns, at least one.
    pub fn new(name: impl Into<String>, depth: u32) -> Self {
        Self {
            name: name.into(),
            depth,
            stop_flag: Arc::default(),
        }
    }

    /// Sets a flag that makes the player answer soon with the best move that it has searched.
    #[must_use]
    pub fn with_stop_flag(self, flag: Arc<AtomicBool>) -> Self {
        Self {
            stop_flag: flag,
            ..self
        }
    }
}

impl Player for MinimaxPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose_move(&mut self, position: &Position, _limit: Duration) -> Option<Move> {
        let search = MinimaxSearch {
            stop_flag: &self.stop_flag,
            nodes_left: Cell::new(u64::MAX),
        };
        match search.best_move(position, self.depth) {
            Ok(best) => best,
            Err(Interrupted { best_so_far }) => {
                best_so_far.or_else(|| position.legal_moves().next())
            }
        }
    }
}

/// A search has stopped before it has searched all moves.
struct Interrupted {
    /// The best move of those searched.
    best_so_far: Option<Move>,
}

impl MinimaxSearch<'_> {
    /// Searches all moves to `depth` turns, at least one, and returns the first of the best.
    fn best_move(&self, position: &Position, depth: u32) -> Result<Option<Move>, Interrupted> {
        let mut best = None;
        for mv in position.legal_moves() {
            let alpha = best.map_or(MinimaxScore::Loss, |(alpha, _)| alpha);
            match self.move_score(position, mv, depth.max(1), alpha, MinimaxScore::Win) {
                Ok(score) if best.is_none_or(|(best_score, _)| score > best_score) => {
                    best = Some((score, mv));
                }
                Ok(_) => {}
                Err(Stopped) => {
                    return Err(Interrupted {
                        best_so_far: best.map(|(_, mv)| mv),
                    });
                }
            }
        }
        Ok(best.map(|(_, mv)| mv))
    }

    /// Searches a position `depth` turns deep and returns its score for the side to move,
    /// fail-hard: the score itself if it lies between `alpha` and `beta`, or else the nearer of the
    /// two.
    fn score(
        &self,
        position: &Position,
        depth: u32,
        mut alpha: MinimaxScore,
        beta: MinimaxScore,
    ) -> Result<MinimaxScore, Stopped> {
        if let Some(score) = leaf_score(position, depth) {
            return Ok(score.clamp(alpha, beta));
        }
        let nodes_left = self.nodes_left.get();
        if nodes_left == 0 || self.stop_flag.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        self.nodes_left.set(nodes_left - 1);
        for mv in position.legal_moves() {
            if alpha >= beta {
                break;
            }
            alpha = self.move_score(position, mv, depth, alpha, beta)?;
        }
        Ok(alpha)
    }

    /// Searches a legal move and returns its score for the mover under the contract of
    /// [`Self::score`]; `depth` is at least 1.
    fn move_score(
        &self,
        position: &Position,
        mv: Move,
        depth: u32,
        alpha: MinimaxScore,
        beta: MinimaxScore,
    ) -> Result<MinimaxScore, Stopped> {
        let (next, same_player) = play(position, mv);
        if same_player {
            self.score(&next, depth, alpha, beta)
        } else {
            Ok(-self.score(&next, depth - 1, -beta, -alpha)?)
        }
    }
}

/// A minimax tree: a position with its score and the subtrees of its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimaxTree {
    /// The side and the move that lead here; `None` at the root.
    pub mv: Option<(Side, Move)>,
    /// The position.
    pub position: Position,
    /// The score for the player to move at the root.
    pub score: MinimaxScore,
    /// The subtrees of all moves in the order of [`Position::legal_moves`]; none at a leaf.
    pub children: Vec<MinimaxTree>,
    /// The index of the subtree that the player to move chooses.
    pub best_child: Option<usize>,
}

/// A minimax tree exceeds the allowed size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a tree of {} has more than {max_positions} positions",
    format_count((*.depth).into(), "turn")
)]
pub struct TreeTooLarge {
    /// The requested depth in turns.
    pub depth: u32,
    /// The allowed number of positions.
    pub max_positions: usize,
}

impl MinimaxTree {
    /// Builds the tree of all moves, `depth` turns deep, with at most `max_positions` positions.
    ///
    /// # Errors
    /// Fails if the tree would be larger.
    pub fn build(
        position: &Position,
        depth: u32,
        max_positions: usize,
    ) -> Result<Self, TreeTooLarge> {
        let mut left = max_positions;
        Self::build_subtree(position.clone(), None, depth, &mut left).ok_or(TreeTooLarge {
            depth,
            max_positions,
        })
    }

    /// Builds a subtree with scores for its own side to move; `None` once no positions are `left`.
    fn build_subtree(
        position: Position,
        mv: Option<(Side, Move)>,
        depth: u32,
        left: &mut usize,
    ) -> Option<Self> {
        *left = left.checked_sub(1)?;
        let leaf = leaf_score(&position, depth);
        let mut tree = Self {
            mv,
            score: leaf.unwrap_or(MinimaxScore::Loss),
            children: Vec::new(),
            best_child: None,
            position,
        };
        if leaf.is_some() {
            return Some(tree);
        }
        let side = tree.position.to_move();
        for (index, mv) in tree.position.legal_moves().enumerate() {
            let (next, same_player) = play(&tree.position, mv);
            let depth = if same_player { depth } else { depth - 1 };
            let mut child = Self::build_subtree(next, Some((side, mv)), depth, left)?;
            if !same_player {
                child.negate_scores();
            }
            if tree.best_child.is_none() || child.score > tree.score {
                tree.score = child.score;
                tree.best_child = Some(index);
            }
            tree.children.push(child);
        }
        Some(tree)
    }

    fn negate_scores(&mut self) {
        self.score = -self.score;
        for child in &mut self.children {
            child.negate_scores();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::Rules;
    use rand::SeedableRng as _;
    use rand::seq::IteratorRandom as _;
    use rand_pcg::Pcg64Mcg;

    /// The greatest depth of complete trees.
    const MAX_DEPTH: u32 = 3;
    const MAX_POSITIONS: usize = 100_000;

    #[test]
    fn player_matches_the_full_tree() {
        let mut compared = 0;
        for (seed, preset) in (0..60).zip(Rules::PRESETS.iter().cycle()) {
            let mut position = Position::start(4, 3, preset.rules).unwrap();
            let mut random = Pcg64Mcg::seed_from_u64(seed);
            while let Some(mv) = position.legal_moves().choose(&mut random) {
                for depth in 1..=MAX_DEPTH {
                    let tree = MinimaxTree::build(&position, depth, MAX_POSITIONS).unwrap();
                    let expected = tree.best_child.and_then(|best| tree.children[best].mv);
                    let answer =
                        MinimaxPlayer::new("Minimax", depth).choose_move(&position, Duration::ZERO);
                    assert_eq!(
                        answer,
                        expected.map(|(_, mv)| mv),
                        "kalah tree --rules {} '{position}' {depth}",
                        preset.name
                    );
                    compared += 1;
                }
                position.play(mv).unwrap();
            }
        }
        assert!(compared > 1000);
    }

    #[test]
    fn stop_flag_ends_the_search() {
        let start = Position::start(6, 4, Rules::CS32).unwrap();
        let flag = Arc::new(AtomicBool::new(true));
        // A search of this depth does not finish.
        let mut minimax = MinimaxPlayer::new("Minimax", 100).with_stop_flag(Arc::clone(&flag));
        let answer = minimax
            .choose_move(&start, Duration::ZERO)
            .expect("not over");
        assert_eq!(start.check_legal(answer), Ok(()));
        std::thread::scope(|scope| {
            flag.store(false, Ordering::Relaxed);
            let thinking = scope.spawn(|| minimax.choose_move(&start, Duration::ZERO));
            std::thread::sleep(Duration::from_millis(20));
            flag.store(true, Ordering::Relaxed);
            let answer = thinking.join().unwrap().expect("not over");
            assert_eq!(start.check_legal(answer), Ok(()));
        });
    }

    #[test]
    fn win_scores_above_any_difference() {
        // C ends the game 4-3 at once; A banks nothing.
        let position = "<3,3,3,1,0,1,0,0,0> s"
            .parse::<kalah::Setup>()
            .unwrap()
            .position(Rules::CS32)
            .unwrap();
        let tree = MinimaxTree::build(&position, 2, MAX_POSITIONS).unwrap();
        assert_eq!(tree.score, MinimaxScore::Win);
        let too_large = MinimaxTree::build(&position, 2, 2).unwrap_err();
        assert_eq!(
            too_large.to_string(),
            "a tree of 2 turns has more than 2 positions"
        );
    }
}
