//! The positions of a book in their order.

use std::collections::HashMap;
use std::fmt;

use kalah::{FirstPlies, Gain, Move, Position, Rules, Setup, Variant};
use kalah_board::{PackedBoard, PackedRow, SowTable};

use crate::book::share;
use crate::error::BookError;

/// The houses as a book stores them.
pub(crate) type BookBoard = PackedBoard<u128>;

/// The most positions of a book, so that the text of a file cannot ask for all memory.
const MAX_POSITIONS: usize = 1 << 20;

/// The start of a book, and the number of plies to its leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookStart {
    /// Houses a side, at most 15.
    pub houses: u8,
    /// Seeds in each house, at most 255 on the whole board.
    pub seeds: u64,
    /// The rules.
    pub rules: Rules,
    /// The plies from the start to a leaf, at most [`Self::MAX_PLIES`]. Each sowing of a turn is a
    /// ply.
    pub plies: u32,
}

/// Writes the start as the header of a file has it.
impl fmt::Display for BookStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            houses,
            seeds,
            rules,
            plies,
        } = self;
        write!(f, "board={houses}x{seeds} rules={rules} plies={plies}")
    }
}

impl BookStart {
    /// The most plies of a book.
    pub const MAX_PLIES: u32 = 99;

    /// Returns the position of the start.
    ///
    /// # Errors
    /// If the board is not valid.
    pub fn position(&self) -> Result<Position, BookError> {
        Ok(Setup::start(self.houses, self.seeds).position(self.rules)?)
    }
}

/// The positions that a start reaches with at most some number of plies and that are not over, by
/// the least number of plies, without repetitions. Each is seen from its side to move.
///
/// The order is that of a breadth-first search which sows the house next to the store first.
/// Positions whose next ply has rules of its own, as the first two under `mankalah`, are left out.
/// In each layer the positions after them come first, in their order, and a swap is their last
/// move.
pub struct BookPositions {
    start: BookStart,
    table: SowTable<u128>,
    boards: Vec<BookBoard>,
    numbers: HashMap<BookBoard, u32>,
    /// The number of the first leaf.
    first_leaf: usize,
}

impl BookPositions {
    /// Finds the positions.
    ///
    /// # Errors
    /// If the start is not valid or over, has more houses, seeds or plies than a book can have, or
    /// reaches more than 1,048,576 positions, or if some of its leaves have rules of their own for
    /// the next ply.
    pub fn new(start: BookStart) -> Result<Self, BookError> {
        if start.plies > BookStart::MAX_PLIES {
            return Err(BookError::TooManyPlies(start.plies));
        }
        let position = start.position()?;
        let is_small = u8::try_from(position.seeds_in_play().get()).is_ok();
        let table = SowTable::from_position(&position).filter(|_| is_small);
        let table = table.ok_or(BookError::LargeBoard(start))?;
        if position.is_over() {
            return Err(BookError::Over(start));
        }
        let mut positions = Self {
            start,
            table,
            boards: Vec::new(),
            numbers: HashMap::new(),
            first_leaf: 0,
        };
        let mut first_plies = positions.add_later([position]);
        for _ in 0..start.plies {
            let layer = positions.first_leaf..positions.boards.len();
            if layer.is_empty() && first_plies.is_empty() {
                break;
            }
            positions.first_leaf = layer.end;
            first_plies = positions.add_later(first_plies.iter().flat_map(children));
            for number in layer {
                positions.add_children(number);
                if positions.boards.len() > MAX_POSITIONS {
                    return Err(BookError::TooManyPositions(start));
                }
            }
        }
        if first_plies.is_empty() {
            Ok(positions)
        } else {
            Err(BookError::TooFewPlies(start))
        }
    }

    /// Adds the positions that are new, after the first plies, and not over. Returns those whose
    /// next ply has rules of its own.
    fn add_later(&mut self, positions: impl IntoIterator<Item = Position>) -> Vec<Position> {
        let mut first_plies = Vec::new();
        for position in positions {
            if position.first_plies() != FirstPlies::Later {
                first_plies.push(position);
            } else if !position.is_over() {
                let board = BookBoard::from_position(&position);
                self.add(board.expect("the board of a small start"));
            }
        }
        first_plies
    }

    /// Adds a position if it is new.
    fn add(&mut self, board: BookBoard) {
        let Self {
            boards, numbers, ..
        } = self;
        numbers.entry(board).or_insert_with(|| {
            boards.push(board);
            u32::try_from(boards.len() - 1).expect("at most a million positions")
        });
    }

    /// Adds the children of a position that are new and not over.
    fn add_children(&mut self, number: usize) {
        let mut children = Vec::new();
        (self.table).for_each_move(self.boards[number], |_, successor| {
            if !successor.is_over {
                children.push(successor.board);
            }
        });
        for board in children {
            self.add(board);
        }
    }

    /// The start and the number of plies.
    pub fn start(&self) -> BookStart {
        self.start
    }

    /// Returns the number of positions.
    pub fn position_count(&self) -> usize {
        self.boards.len()
    }

    /// Returns the number of leaves: the positions that need all the plies.
    pub fn leaf_count(&self) -> usize {
        self.boards.len() - self.first_leaf
    }

    /// Returns the leaves in their order, with empty stores and South to move.
    pub fn leaves(&self) -> impl ExactSizeIterator<Item = Position> + '_ {
        self.boards[self.first_leaf..]
            .iter()
            .map(|board| self.position(*board))
    }

    /// Returns the position of a board.
    fn position(&self, board: BookBoard) -> Position {
        let row = |row: u128| {
            let bytes = (0..self.table.houses()).rev();
            bytes.map(|index| row.byte(index).into()).collect()
        };
        let mut setup = Setup::start(self.start.houses, 0);
        setup.first_plies = FirstPlies::Later;
        setup.rows.south = row(board.own);
        setup.rows.north = row(board.other);
        let position = setup.position(self.start.rules);
        position.expect("the board of a valid game")
    }

    /// The variant of all positions.
    pub(crate) fn variant(&self) -> Variant {
        Variant::new(self.start.houses, self.start.rules)
    }

    /// Returns the leaf of a number, as [`Self::leaves`] has it; `None` if the number is
    /// too great.
    pub fn leaf(&self, number: usize) -> Option<Position> {
        let board = self.boards[self.first_leaf..].get(number)?;
        Some(self.position(*board))
    }

    /// Checks that a leaf can have a gain.
    ///
    /// # Errors
    /// If there is no such leaf, or if its gain is greater than the seeds in play allow or has
    /// another parity.
    pub fn check_gain(&self, leaf: usize, gain: Gain) -> Result<(), BookError> {
        let Some(board) = self.boards[self.first_leaf..].get(leaf) else {
            let leaves = self.leaf_count();
            return Err(BookError::NoLeaf { leaf, leaves });
        };
        let (gain, seeds) = (gain.seeds(), seeds_of(board));
        (share(gain, seeds).map(|_| ())).ok_or(BookError::LeafGain { leaf, gain, seeds })
    }

    /// Returns the seeds in play of each leaf.
    pub(crate) fn leaf_seeds(&self) -> impl Iterator<Item = u8> + '_ {
        self.boards[self.first_leaf..].iter().map(seeds_of)
    }

    /// Returns the gains of all positions by their numbers, which follow from those of the leaves.
    pub(crate) fn gains(&self, leaf_gains: &[i16]) -> Vec<i16> {
        assert_eq!(leaf_gains.len(), self.leaf_count(), "a gain for each leaf");
        let mut gains = vec![None; self.first_leaf];
        gains.extend(leaf_gains.iter().copied().map(Some));
        for number in 0..self.first_leaf {
            self.resolve(number, &mut gains);
        }
        let gains = gains.into_iter().map(|gain| gain.expect("it is resolved"));
        gains.collect()
    }

    /// Returns the numbers of the positions.
    pub(crate) fn into_numbers(self) -> HashMap<BookBoard, u32> {
        self.numbers
    }

    /// Returns the gain of a position, after those of its children: a child can have a smaller
    /// number. No game repeats a position, so that this ends.
    fn resolve(&self, number: usize, gains: &mut [Option<i16>]) -> i16 {
        if let Some(gain) = gains[number] {
            return gain;
        }
        let mut best = i16::MIN;
        self.table
            .for_each_move(self.boards[number], |_, successor| {
                let banked = i16::try_from(successor.banked).expect("at most 255 seeds");
                let child = if successor.is_over {
                    0
                } else {
                    self.resolve(self.numbers[&successor.board] as usize, gains)
                };
                let sign = if successor.same_player { 1 } else { -1 };
                best = best.max(banked + sign * child);
            });
        gains[number] = Some(best);
        best
    }
}

/// Returns the positions after each move, the house next to the store first and a swap last.
fn children(position: &Position) -> Vec<Position> {
    let houses = position.legal_houses().rev().map(Move::Sow);
    let moves = houses.chain(position.can_swap().then_some(Move::Swap));
    let after = moves.map(|mv| {
        let mut next = position.clone();
        next.play(mv).expect("a legal move");
        next
    });
    after.collect()
}

/// Returns the seeds in play.
fn seeds_of(board: &BookBoard) -> u8 {
    board.own.total() + board.other.total()
}
