//! The dialect between a client of KGP and the child process that chooses its moves.

use std::fmt;
use std::str::FromStr;

use kalah::{BySide, FirstPlies, House, Quoted, Setup, Side};
use thiserror::Error;

use crate::message::KgpBoard;

/// An incremental parser of the states that a child process reads.
///
/// A state is a sequence of whole numbers, separated by blanks or line ends: the number of houses a
/// side, South's store and North's, South's houses, then North's houses.
///
/// ```
/// use kalah_kgp::ChildStateParser;
/// let mut parser = ChildStateParser::default();
/// assert_eq!(parser.push_line("3")?, []);
/// assert_eq!(parser.push_line("0 1")?, []);
/// let states = parser.push_line("2 4 5 6 7 8")?;
/// assert_eq!(states[0].to_string(), "<3,0,1,2,4,5,6,7,8>");
/// # Ok::<(), kalah_kgp::ParseChildError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ChildStateParser {
    /// The numbers of the incomplete state.
    numbers: Vec<u64>,
}

/// An error in the text between a client and its child process. After an error in a state, the rest
/// of the line is skipped and the next line begins a new state.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseChildError {
    /// A word of a state is not a number.
    #[error("{} is not a whole number", Quoted::new(.0))]
    NotANumber(String),
    /// The number of houses is out of range.
    #[error("{0} is not a number of houses: a side has from 1 to {max}", max = House::MAX)]
    Houses(u64),
    /// A move is not the number of a house.
    #[error("{} is not a move: expected the number of a house, from 0", Quoted::new(.0))]
    Move(String),
    /// The input ends within a state.
    #[error("the input ends within a state: {numbers} of {expected} numbers")]
    IncompleteState {
        /// The numbers that the input has of the state.
        numbers: usize,
        /// The numbers that the state needs.
        expected: usize,
    },
}

impl ChildStateParser {
    /// Parses a line and returns the states that it completes.
    ///
    /// # Errors
    /// If a word is not a number, or the number of houses is out of range.
    pub fn push_line(&mut self, line: &str) -> Result<Vec<KgpBoard>, ParseChildError> {
        let mut states = Vec::new();
        for word in line.split_whitespace() {
            if let Err(error) = self.push_number(word) {
                self.numbers.clear();
                return Err(error);
            }
            states.extend(self.take_board());
        }
        Ok(states)
    }

    /// Checks that the input does not end within a state.
    ///
    /// # Errors
    /// If the last state is incomplete.
    pub fn finish(&self) -> Result<(), ParseChildError> {
        let Some(&houses) = self.numbers.first() else {
            return Ok(());
        };
        Err(ParseChildError::IncompleteState {
            numbers: self.numbers.len(),
            expected: usize::try_from(houses).map_or(usize::MAX, state_length),
        })
    }

    fn push_number(&mut self, word: &str) -> Result<(), ParseChildError> {
        let number = word
            .parse()
            .map_err(|_| ParseChildError::NotANumber(word.to_owned()))?;
        if self.numbers.is_empty() && !(1..=u64::from(House::MAX)).contains(&number) {
            return Err(ParseChildError::Houses(number));
        }
        self.numbers.push(number);
        Ok(())
    }

    /// Removes and returns the state, once it is complete.
    fn take_board(&mut self) -> Option<KgpBoard> {
        let (&houses, numbers) = self.numbers.split_first()?;
        let (stores, rows) = numbers.split_at_checked(2)?;
        let houses = usize::try_from(houses).ok()?;
        let (south, north) = rows.split_at_checked(houses)?;
        if north.len() < houses {
            return None;
        }
        let board = KgpBoard::new(Setup {
            stores: BySide::new(stores[0], stores[1]),
            rows: BySide::new(south.to_vec(), north.to_vec()),
            to_move: Side::South,
            first_plies: FirstPlies::Later,
        });
        self.numbers.clear();
        Some(board)
    }
}

/// Returns how many numbers a state has: the number of houses a side, the stores and the rows.
const fn state_length(houses: usize) -> usize {
    3 + 2 * houses
}

/// Formats a board for a child process, in four lines.
///
/// ```
/// use kalah_kgp::{KgpBoard, format_child_state};
/// let start = kalah::Position::start(3, 2, kalah::Rules::STANDARD)?;
/// assert_eq!(format_child_state(&KgpBoard::from(&start)), "3\n0 0\n2 2 2\n2 2 2\n");
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub fn format_child_state(board: &KgpBoard) -> String {
    let Setup { stores, rows, .. } = board.setup();
    let row = |side: Side| {
        let seeds: Vec<String> = rows[side].iter().map(u64::to_string).collect();
        seeds.join(" ")
    };
    format!(
        "{}\n{} {}\n{}\n{}\n",
        rows.south.len(),
        stores.south,
        stores.north,
        row(Side::South),
        row(Side::North)
    )
}

/// A move of a child process: the number of a house, from 0. The last move before the next state
/// counts.
///
/// ```
/// use kalah_kgp::ChildMove;
/// let mv: ChildMove = " 3\r".parse()?;
/// assert_eq!(mv.0.number(), 4);
/// assert_eq!(mv.to_string(), "3");
/// # Ok::<(), kalah_kgp::ParseChildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChildMove(pub House);

impl fmt::Display for ChildMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0.number() - 1).fmt(f)
    }
}

impl FromStr for ChildMove {
    type Err = ParseChildError;

    fn from_str(text: &str) -> Result<Self, ParseChildError> {
        let number: Option<u32> = text.trim().parse().ok();
        let house = number.and_then(|number| House::new(number.checked_add(1)?));
        house
            .map(Self)
            .ok_or_else(|| ParseChildError::Move(text.to_owned()))
    }
}
