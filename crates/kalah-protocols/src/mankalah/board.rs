use std::fmt;
use std::str::FromStr;

use kalah::{BySide, FirstPlies, Position, Rules, Setup, SetupError, Side};

use super::ParseMankalahError;

/// A board as it is sent: North's houses and store, then South's, each row in its own sowing order. Whose turn
/// it is the line around it tells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MankalahBoard {
    stores: BySide<u64>,
    rows: BySide<Vec<u64>>,
}

impl MankalahBoard {
    /// The position that it means when `to_move` is to answer.
    ///
    /// # Errors
    /// Why it cannot be played.
    pub fn position(&self, to_move: Side, opening: FirstPlies) -> Result<Position, SetupError> {
        let setup = Setup {
            stores: self.stores,
            rows: self.rows.clone(),
            to_move,
            first_plies: opening,
        };
        setup.position(Rules::MANKALAH)
    }
}

impl MankalahBoard {
    /// Houses a side, and all seeds.
    pub(crate) fn houses_and_seeds(&self) -> [u64; 2] {
        let row = |side| self.rows[side].iter().copied();
        let seeds = Side::ALL.into_iter().flat_map(row);
        let seeds = seeds.chain(Side::ALL.map(|side| self.stores[side]));
        [
            self.rows.south.len() as u64,
            seeds.fold(0, u64::saturating_add),
        ]
    }
}

impl From<&Position> for MankalahBoard {
    fn from(position: &Position) -> Self {
        let Setup { stores, rows, .. } = Setup::from(position);
        Self { stores, rows }
    }
}

/// The order of the sides on the board.
const SIDE_ORDER: [Side; 2] = [Side::North, Side::South];

impl fmt::Display for MankalahBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, side) in SIDE_ORDER.into_iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}")?;
            for seeds in &self.rows[side] {
                write!(f, "{seeds},")?;
            }
            self.stores[side].fmt(f)?;
        }
        Ok(())
    }
}

impl FromStr for MankalahBoard {
    type Err = ParseMankalahError;

    fn from_str(text: &str) -> Result<Self, ParseMankalahError> {
        let wrong = || ParseMankalahError::Board(text.to_owned());
        let numbers: Vec<u64> = text
            .split(',')
            .map(|word| parse_number(word).ok_or_else(wrong))
            .collect::<Result<_, _>>()?;
        if !numbers.len().is_multiple_of(SIDE_ORDER.len()) || numbers.len() < MIN_NUMBERS {
            return Err(wrong());
        }
        let mut halves = numbers.chunks(numbers.len() / SIDE_ORDER.len());
        let mut half = || {
            let half = halves.next().and_then(<[u64]>::split_last);
            half.map_or((0, Vec::new()), |(&store, row)| (store, row.to_vec()))
        };
        let (north, south) = (half(), half());
        Ok(Self {
            stores: BySide::new(south.0, north.0),
            rows: BySide::new(south.1, north.1),
        })
    }
}

/// A house and a store a side.
const MIN_NUMBERS: usize = 4;

/// A number of seeds or of a house, without a sign.
pub(super) fn parse_number(word: &str) -> Option<u64> {
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| word.parse().ok()).flatten()
}
