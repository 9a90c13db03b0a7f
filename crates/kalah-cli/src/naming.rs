use kalah::record::format_plies;
use kalah::{House, IllegalMove, Labels, Move, Position, Side};

/// How the houses of a board are named where people see them: labels, on so many houses a side.
///
/// ```
/// use kalah::{Labels, Position, Rules};
/// use kalah_cli::Notation;
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
    /// The names on the board of `position`.
    pub fn new(position: &Position, labels: Labels) -> Self {
        Self {
            labels,
            houses: position.houses(),
        }
    }

    /// A house of `side`, which is on this board.
    ///
    /// # Panics
    /// If it is not.
    pub fn format_house(self, side: Side, house: House) -> String {
        self.labels.label(side, house, self.houses)
    }

    /// The choices that `position` leaves: `1, 2, 4 or 6`.
    pub fn format_legal_moves(self, position: &Position) -> String {
        let side = position.to_move();
        let mut names: Vec<String> = position
            .legal_houses()
            .map(|house| self.format_house(side, house))
            .collect();
        // Numbers are read upwards.
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

    /// A choice of `side`, as it is typed.
    ///
    /// # Panics
    /// If it is a house that is not on this board.
    pub fn format_move(self, side: Side, mv: Move) -> String {
        match mv {
            Move::Sow(house) => self.format_house(side, house),
            Move::Swap => mv.text(side),
        }
    }

    /// Plies with the side to move at each: the sowings of a turn stand together, letters as in a record and
    /// other names with a hyphen between them, and the turns apart.
    ///
    /// # Panics
    /// If there is a house that is not on this board.
    ///
    /// ```
    /// use kalah::{Move, House, Labels, Position, Rules, Side};
    /// use kalah_cli::Notation;
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
        let together = |one: &(Side, Move), next: &(Side, Move)| {
            one.0 == next.0 && one.1 != Move::Swap && next.1 != Move::Swap
        };
        let turns = plies.chunk_by(together).map(|turn| {
            let names = turn.iter().map(|&(side, mv)| self.format_move(side, mv));
            names.collect::<Vec<_>>().join("-")
        });
        turns.collect::<Vec<_>>().join(" ")
    }

    /// A choice of `side` in words: `house 3`.
    ///
    /// # Panics
    /// If it is a house that is not on this board.
    pub fn describe_move(self, side: Side, mv: Move) -> String {
        match mv {
            Move::Sow(house) => format!("house {}", self.format_house(side, house)),
            Move::Swap => mv.text(side),
        }
    }

    /// Why a choice cannot be made, with the houses named as they are drawn.
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
