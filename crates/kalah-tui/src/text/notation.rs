//! Names of houses and moves on a board, as people read and type them.

use kalah::record::format_plies;
use kalah::{House, IllegalMove, Labels, Move, Position, Side};

/// The labels of the houses on a board of a given size.
///
/// ```
/// use kalah::{Labels, Position, Rules};
/// use kalah_tui::Notation;
/// let start = Position::start(3, 2, Rules::CS32)?;
/// assert_eq!(Notation::new(&start, Labels::Yale).format_legal_moves(&start), "S3, S2 or S1");
/// # Ok::<(), kalah::SetupError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notation {
    labels: Labels,
    houses: u8,
}

impl Notation {
    /// Creates the notation of boards of the size of `position`.
    pub fn new(position: &Position, labels: Labels) -> Self {
        Self {
            labels,
            houses: position.houses(),
        }
    }

    /// Formats a house of `side` as its label.
    ///
    /// # Panics
    /// If the board does not have this house.
    pub fn format_house(self, side: Side, house: House) -> String {
        self.labels.label(side, house, self.houses)
    }

    /// Formats the legal moves of `position` as a list: `1, 2, 4 or 6`.
    pub fn format_legal_moves(self, position: &Position) -> String {
        let side = position.to_move();
        let mut names: Vec<String> = position
            .legal_houses()
            .map(|house| self.format_house(side, house))
            .collect();
        // North sows towards lower column numbers. The list is in ascending order for both sides.
        if (self.labels, side) == (Labels::Columns, Side::North) {
            names.reverse();
        }
        if position.can_swap() {
            names.push(self.format_move(side, Move::Swap));
        }
        match names.split_last() {
            None => "none".to_owned(),
            Some((only, [])) => only.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }

    /// Formats a move of `side` as a person types it: a label, or `swap`.
    ///
    /// # Panics
    /// If the move sows a house that the board does not have.
    pub fn format_move(self, side: Side, mv: Move) -> String {
        match mv {
            Move::Sow(house) => self.format_house(side, house),
            Move::Swap => mv.text(side),
        }
    }

    /// Formats `plies`, each with the side that moves, with spaces between turns. The moves of a
    /// turn are joined without a separator for letters, as in a record, and with hyphens for other
    /// labels.
    ///
    /// # Panics
    /// If a move sows a house that the board does not have.
    ///
    /// ```
    /// use kalah::{House, Labels, Move, Position, Rules, Side};
    /// use kalah_tui::Notation;
    /// let start = Position::start(6, 4, Rules::CS32)?;
    /// let sow = |side, number| (side, Move::Sow(House::new(number).expect("from 1 to 26")));
    /// let line = [sow(Side::South, 3), sow(Side::South, 6), sow(Side::North, 2)];
    /// assert_eq!(Notation::new(&start, Labels::Columns).format_line(&line), "3-6 5");
    /// assert_eq!(Notation::new(&start, Labels::Letters).format_line(&line), "CF b");
    /// # Ok::<(), kalah::SetupError>(())
    /// ```
    pub fn format_line(self, plies: &[(Side, Move)]) -> String {
        if self.labels == Labels::Letters {
            return format_plies(plies);
        }
        let is_same_turn = |ply: &(Side, Move), next: &(Side, Move)| {
            ply.0 == next.0 && ply.1 != Move::Swap && next.1 != Move::Swap
        };
        let turns = plies.chunk_by(is_same_turn).map(|turn| {
            let names = turn.iter().map(|&(side, mv)| self.format_move(side, mv));
            names.collect::<Vec<_>>().join("-")
        });
        turns.collect::<Vec<_>>().join(" ")
    }

    /// Describes a move of `side` in words: `house 3`, or `swap`.
    ///
    /// # Panics
    /// If the move sows a house that the board does not have.
    pub fn describe_move(self, side: Side, mv: Move) -> String {
        match mv {
            Move::Sow(house) => format!("house {}", self.format_house(side, house)),
            Move::Swap => mv.text(side),
        }
    }

    /// Describes why a move is illegal, with the label of the house.
    pub fn describe_illegal_move(self, reason: IllegalMove) -> String {
        match reason {
            IllegalMove::EmptyHouse { side, house } => {
                let label = self.format_house(side, house);
                format!("house {label} is empty")
            }
            reason => reason.to_string(),
        }
    }
}
