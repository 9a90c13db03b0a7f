use std::fmt;

use kalah::{
    FirstPlies, House, ParseSetupReason, Position, Rules, Setup, SetupError, Side, SowEffect,
};

/// A board as it is sent, on which South is to move: whoever gets it is South.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KgpBoard(Setup);

/// What comes of a sowing, as a client in verify mode has to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The board after it, seen from the side that has sown.
    pub board: KgpBoard,
    /// Whether that side sows again.
    pub bonus_turn: bool,
}

impl KgpBoard {
    /// The board of a literal in brackets.
    pub(super) fn parse(literal: &str) -> Result<Self, ParseSetupReason> {
        let setup: Setup = literal
            .parse()
            .map_err(|error: kalah::ParseSetupError| error.reason)?;
        Ok(Self(setup))
    }

    /// A setup on which South is to move, past the opening.
    pub(super) fn new(setup: Setup) -> Self {
        Self(setup)
    }

    /// The board as it was written down, with South to move.
    pub fn setup(&self) -> &Setup {
        &self.0
    }

    /// The position that it means, under the rules that the protocol assumes, [`Rules::STANDARD`].
    ///
    /// # Errors
    /// Why it cannot be played.
    pub fn position(&self) -> Result<Position, SetupError> {
        self.0.position(Rules::STANDARD)
    }

    /// What comes of sowing a house of South's; `None` where that cannot be sown.
    ///
    /// ```
    /// use kalah::House;
    /// use kalah_protocols::kgp::{Line, Message};
    /// let line: Line = "2 problem <3,0,0,2,2,2,2,2,2> 1".parse()?;
    /// let Message::Problem { board, house } = line.message else { panic!("a problem") };
    /// let solved = board.solve(house).expect("it has seeds");
    /// assert!(solved.bonus_turn);
    /// assert_eq!(solved.board.to_string(), "<3,1,0,2,0,3,2,2,2>");
    /// # Ok::<(), kalah_protocols::kgp::ParseLineError>(())
    /// ```
    pub fn solve(&self, house: House) -> Option<Solution> {
        let mut position = self.position().ok()?;
        let sown = position.sow(house).ok()?;
        // A problem is seen from one side throughout.
        let mut after = Setup::from(&position);
        after.to_move = Side::South;
        Some(Solution {
            board: Self(after),
            bonus_turn: sown.effect == SowEffect::BonusTurn,
        })
    }
}

/// The board as the side to move sees it: turned round where that is North.
///
/// A house keeps its number: each side counts in its own sowing order.
impl From<&Position> for KgpBoard {
    fn from(position: &Position) -> Self {
        let mut setup = Setup::from(position);
        if setup.to_move == Side::North {
            setup.stores = setup.stores.swapped();
            setup.rows = setup.rows.swapped();
        }
        setup.to_move = Side::South;
        setup.first_plies = FirstPlies::Later;
        Self(setup)
    }
}

impl fmt::Display for KgpBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        // The side to move is understood.
        f.write_str(text.strip_suffix(" s").unwrap_or(&text))
    }
}
