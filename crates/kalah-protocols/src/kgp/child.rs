use std::fmt;
use std::str::FromStr;

use kalah::{BySide, FirstPlies, House, Setup, Side};
use thiserror::Error;

use super::KgpBoard;
use crate::Quoted;

/// The states that a child process of a client is told, put together from its input as that comes: houses
/// a side, the two stores, South's houses, then North's, as whole numbers with blanks or line ends between.
///
/// ```
/// use kalah_protocols::kgp::ChildStates;
/// let mut states = ChildStates::default();
/// assert_eq!(states.hear("3")?, []);
/// assert_eq!(states.hear("0 1")?, []);
/// let told = states.hear("2 4 5 6 7 8")?;
/// assert_eq!(told[0].to_string(), "<3,0,1,2,4,5,6,7,8>");
/// # Ok::<(), kalah_protocols::kgp::ParseChildError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ChildStateParser {
    /// The numbers of the state that is being told.
    numbers: Vec<u64>,
}

/// Why something in the input of a child process is no state. The rest of the line is passed over, and a new
/// state begins after it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseChildError {
    /// It is no number.
    #[error("{} is not a whole number", Quoted::new(.0))]
    NotANumber(String),
    /// No board has so many houses.
    #[error("{0} is no number of houses: there are from 1 to {most} a side", most = House::MAX)]
    Houses(u64),
    /// The answer is no house.
    #[error("{} is no answer: expected the number of a house, from 0", Quoted::new(.0))]
    Move(String),
}

impl ChildStateParser {
    /// Takes a line, and gives the states that are complete with it.
    ///
    /// # Errors
    /// What in the line is wrong.
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

    /// The state that has been told, if it is complete.
    fn take_board(&mut self) -> Option<KgpBoard> {
        let (&houses, told) = self.numbers.split_first()?;
        let (stores, rows) = told.split_at_checked(2)?;
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

/// A board as a child process reads it: four lines.
///
/// ```
/// use kalah_protocols::kgp::{Board, child_state};
/// let start = kalah::Position::start(3, 2, kalah::Rules::STANDARD)?;
/// assert_eq!(child_state(&Board::from(&start)), "3\n0 0\n2 2 2\n2 2 2\n");
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

/// What a child process answers: a house, by its number from 0. The last answer before the next state counts.
///
/// ```
/// use kalah_protocols::kgp::ChildAnswer;
/// let answer: ChildAnswer = " 3\r".parse()?;
/// assert_eq!(answer.0.number(), 4);
/// assert_eq!(answer.to_string(), "3");
/// # Ok::<(), kalah_protocols::kgp::ParseChildError>(())
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
