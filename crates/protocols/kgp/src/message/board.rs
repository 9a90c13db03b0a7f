//! Boards, on which South is to move.

use std::fmt;

use kalah::{
    FirstPlies, House, ParseSetupReason, Position, Rules, Setup, SetupError, Side, SowEffect,
};

/// A board on which South is to move. The client that receives it plays South, whichever side it
/// has in the game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KgpBoard(Setup);

/// The result of a sowing, which a client in verify mode has to compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The board after the sowing, seen from the side that has sown.
    pub board: KgpBoard,
    /// Whether that side has a bonus turn.
    pub bonus_turn: bool,
}

impl KgpBoard {
    /// Parses a board in brackets.
    pub(super) fn parse(literal: &str) -> Result<Self, ParseSetupReason> {
        let setup: Setup = literal
            .parse()
            .map_err(|error: kalah::ParseSetupError| error.reason)?;
        Ok(Self(setup))
    }

    /// Wraps a setup. South must be to move, and plies 1 and 2 must be over.
    pub(crate) fn new(setup: Setup) -> Self {
        Self(setup)
    }

    /// Returns the board as a setup with South to move.
    pub fn setup(&self) -> &Setup {
        &self.0
    }

    /// Returns the position under the rules of the protocol, [`Rules::STANDARD`].
    ///
    /// # Errors
    /// If the board cannot be played, for example because it has too many seeds.
    pub fn position(&self) -> Result<Position, SetupError> {
        self.0.position(Rules::STANDARD)
    }

    /// Sows one of South's houses. Returns `None` if that is not a legal move.
    ///
    /// ```
    /// use kalah::House;
    /// use kalah_kgp::{Line, Message};
    /// let line: Line = "2 problem <3,0,0,2,2,2,2,2,2> 1".parse()?;
    /// let Message::Problem { board, house } = line.message else { panic!("expected a problem") };
    /// let solution = board.solve(house).expect("the house has seeds");
    /// assert!(solution.bonus_turn);
    /// assert_eq!(solution.board.to_string(), "<3,1,0,2,0,3,2,2,2>");
    /// # Ok::<(), kalah_kgp::ParseLineError>(())
    /// ```
    pub fn solve(&self, house: House) -> Option<Solution> {
        let mut position = self.position().ok()?;
        let sown = position.sow(house).ok()?;
        // A solution keeps the point of view of its problem.
        let mut after = Setup::from(&position);
        after.to_move = Side::South;
        Some(Solution {
            board: Self(after),
            bonus_turn: sown.effect == SowEffect::BonusTurn,
        })
    }
}

/// Converts a position to the point of view of the side to move: if that is North, the sides are
/// exchanged.
///
/// A house keeps its number, because each side numbers its houses in its own sowing order.
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
        // KGP does not write the side to move.
        f.write_str(text.strip_suffix(" s").unwrap_or(&text))
    }
}
