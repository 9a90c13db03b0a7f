//! The editor of a position on the board.

use kalah::{BySide, FirstPlies, House, Pit, Position, Rules, Setup, SetupError, Side};

use crate::screen::model::animation::DisplayedSeeds;

/// The maximum number of seeds in a pit.
const MAX_SEEDS: u32 = u16::MAX as u32;

/// An edited position, which may have too many seeds.
#[derive(Clone, Debug)]
pub(crate) struct PositionEditor {
    seeds: DisplayedSeeds,
    pub(crate) to_move: Side,
    rules: Rules,
    /// The pit whose seeds the keys change.
    pub(crate) cursor: Pit,
    /// Whether the number of the pit was typed, so that the next digit is appended to it.
    is_typing: bool,
}

/// A direction on the drawn board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Left,
    Right,
    Up,
    Down,
}

impl PositionEditor {
    pub(crate) fn new(position: &Position) -> Self {
        let first = House::all(position.houses()).next();
        Self {
            seeds: DisplayedSeeds::from_position(position),
            to_move: position.to_move(),
            rules: position.rules(),
            cursor: Pit::House(Side::South, first.expect("a row has a first house")),
            is_typing: false,
        }
    }

    pub(crate) fn seeds(&self) -> &DisplayedSeeds {
        &self.seeds
    }

    /// Returns the number of seeds on the board.
    pub(crate) fn total(&self) -> u32 {
        let DisplayedSeeds { rows, stores } = &self.seeds;
        let houses = rows.south.iter().chain(&rows.north).sum::<u32>();
        houses + stores.south + stores.north
    }

    pub(crate) fn setup(&self) -> Setup {
        let stores = self.seeds.stores;
        Setup {
            stores: BySide::new(stores.south.into(), stores.north.into()),
            rows: BySide::from_fn(|side| {
                let row = self.seeds.rows[side].iter();
                row.map(|&count| count.into()).collect()
            }),
            to_move: self.to_move,
            first_plies: FirstPlies::Later,
        }
    }

    /// Returns the position.
    ///
    /// # Errors
    /// If it has too many seeds.
    pub(crate) fn position(&self) -> Result<Position, SetupError> {
        self.setup().position(self.rules)
    }

    /// Changes the side to move.
    pub(crate) fn change_side(&mut self) {
        self.to_move = self.to_move.opponent();
        self.is_typing = false;
    }

    /// Moves the cursor to the next pit in a direction, on a board with `bottom` as the lower row.
    pub(crate) fn move_cursor(&mut self, direction: Direction, bottom: Side) {
        self.is_typing = false;
        let houses = self.houses();
        // Columns from left to right: the store of the upper row, the houses, the other store.
        let (row, column) = match self.cursor {
            Pit::Store(side) if side == bottom => (side, houses + 1),
            Pit::Store(side) => (side, 0),
            Pit::House(side, house) if side == bottom => (side, house.number()),
            Pit::House(side, house) => (side, houses + 1 - house.number()),
        };
        let (row, column) = match direction {
            Direction::Left => (row, column.saturating_sub(1)),
            Direction::Right => (row, (column + 1).min(houses + 1)),
            Direction::Up => (bottom.opponent(), column),
            Direction::Down => (bottom, column),
        };
        let house = |number: u8| House::new(number.into());
        let pit = match column {
            0 => Some(Pit::Store(bottom.opponent())),
            column if column > houses => Some(Pit::Store(bottom)),
            column if row == bottom => house(column).map(|house| Pit::House(row, house)),
            column => house(houses + 1 - column).map(|house| Pit::House(row, house)),
        };
        self.cursor = pit.unwrap_or(self.cursor);
    }

    /// Moves the cursor to the first or to the last house of its row.
    pub(crate) fn move_to_end(&mut self, last: bool) {
        self.is_typing = false;
        let mut houses = House::all(self.houses());
        let house = if last {
            houses.next_back()
        } else {
            houses.next()
        };
        if let (Pit::House(side, _), Some(house)) = (self.cursor, house) {
            self.cursor = Pit::House(side, house);
        }
    }

    /// Adds seeds to a pit, or takes them away, and moves the cursor to it.
    pub(crate) fn add(&mut self, pit: Pit, seeds: i32) {
        self.cursor = pit;
        self.is_typing = false;
        self.change(|count| count.saturating_add_signed(seeds));
    }

    /// Handles a typed digit of the number of seeds.
    pub(crate) fn type_digit(&mut self, digit: u32) {
        let is_continued = self.is_typing;
        self.change(|count| {
            if is_continued {
                count * 10 + digit
            } else {
                digit
            }
        });
        self.is_typing = true;
    }

    /// Deletes the last digit of the number of seeds.
    pub(crate) fn delete_digit(&mut self) {
        self.change(|count| count / 10);
        self.is_typing = true;
    }

    /// Empties all pits.
    pub(crate) fn clear(&mut self) {
        self.is_typing = false;
        for side in Side::ALL {
            self.seeds.stores[side] = 0;
            self.seeds.rows[side].fill(0);
        }
    }

    fn houses(&self) -> u8 {
        u8::try_from(self.seeds.rows.south.len()).unwrap_or(u8::MAX)
    }

    fn change(&mut self, change: impl Fn(u32) -> u32) {
        if let Some(count) = self.seeds.pit_mut(self.cursor) {
            *count = change(*count).min(MAX_SEEDS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn editor(text: &str) -> PositionEditor {
        let setup: Setup = text.parse().expect("a setup");
        PositionEditor::new(&setup.position(Rules::CS32).expect("a position"))
    }

    #[test]
    fn the_cursor_reaches_all_pits_in_the_directions_of_the_screen() {
        let mut editor = editor("3x2");
        let path = |editor: &mut PositionEditor, directions: &str| {
            for direction in directions.chars() {
                let direction = match direction {
                    'l' => Direction::Left,
                    'r' => Direction::Right,
                    'u' => Direction::Up,
                    _ => Direction::Down,
                };
                editor.move_cursor(direction, Side::South);
            }
            match editor.cursor {
                Pit::Store(side) => format!("{side}'s store"),
                Pit::House(side, house) => format!("{side}'s house {}", house.number()),
            }
        };
        assert_eq!(path(&mut editor, "r"), "South's house 2");
        assert_eq!(path(&mut editor, "u"), "North's house 2");
        assert_eq!(path(&mut editor, "l"), "North's house 3");
        assert_eq!(path(&mut editor, "l"), "North's store");
        assert_eq!(path(&mut editor, "rdrrr"), "South's store");
        assert_eq!(path(&mut editor, "r"), "South's store");
        assert_eq!(path(&mut editor, "lu"), "North's house 1");
    }

    #[test]
    fn seeds_are_typed_added_and_taken_away() {
        let mut editor = editor("2x1");
        editor.type_digit(1);
        editor.type_digit(2);
        assert_eq!(editor.setup().to_string(), "<2,0,0,12,1,1,1> s");
        editor.delete_digit();
        editor.move_cursor(Direction::Right, Side::South);
        editor.type_digit(3);
        editor.change_side();
        assert_eq!(editor.setup().to_string(), "<2,0,0,1,3,1,1> n");
        editor.add(Pit::Store(Side::North), 1);
        editor.add(Pit::Store(Side::South), -1);
        assert_eq!(
            (editor.setup().to_string(), editor.total()),
            ("<2,0,1,1,3,1,1> n".to_owned(), 7)
        );
        for _ in 0..9 {
            editor.type_digit(9);
        }
        assert!(editor.position().is_err());
        editor.clear();
        assert_eq!(editor.setup().to_string(), "<2,0,0,0,0,0,0> n");
        assert!(editor.position().is_ok());
    }
}
