//! Positions: validated, playable, and played by moves.

pub(crate) mod setup;

use std::fmt;

use crate::board::{Board, PitCounts as _};
use crate::position::setup::{Setup, SetupError, SetupProblem};
use crate::rules::{FirstPlies, FirstPlyRules, Rules};
use crate::side::{BySide, Side};
use crate::types::{
    Capture, Gain, House, IllegalMove, Margin, Move, MoveResult, Outcome, Pit, SeedCount,
    SowEffect, SowResult,
};

/// A playable position: a board, the side to move and the rules.
///
/// [`Setup::position`] and [`Position::start`] create positions. A position in which the game is
/// over is swept: its rows are empty.
///
/// ```
/// use kalah::{SowEffect, House, Position, Rules};
/// let mut position = Position::start(6, 4, Rules::CS32)?;
/// let house = House::new(3).expect("from 1 to 26");
/// let result = position.sow(house)?;
/// assert_eq!(result.effect, SowEffect::BonusTurn);
/// assert_eq!(position.to_string(), "<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4> s");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    board: Board,
    rules: Rules,
    to_move: Side,
    first_plies: FirstPlies,
}

impl Position {
    /// Creates the start of a game of `houses` a side with `seeds` in each, South to move.
    ///
    /// # Errors
    /// As [`Setup::position`].
    pub fn start(houses: u8, seeds: u64, rules: Rules) -> Result<Self, SetupError> {
        Setup::start(houses, seeds).position(rules)
    }

    /// Creates a position from a setup that [`Setup::position`] has validated.
    fn from_checked_setup(setup: &Setup, rules: Rules) -> Self {
        const CHECKED: &str = "a validated setup has at most 65,535 seeds and 26 houses";
        let count = |seeds: u64| SeedCount::new(seeds).expect(CHECKED);
        let houses = u32::try_from(setup.rows.south.len()).expect(CHECKED);
        let mut board = Board::new(houses, 0).expect(CHECKED);
        for side in Side::ALL {
            board.set_store_unchecked(side, count(setup.stores[side]));
            for (house, &seeds) in (1..).zip(&setup.rows[side]) {
                board.set_house_unchecked(side, house, count(seeds));
            }
        }
        let mut position = Self {
            board,
            rules,
            to_move: setup.to_move,
            first_plies: rules.first_ply_rules.relevant(setup.first_plies),
        };
        position.sweep_if_over();
        position
    }

    /// Returns the rules.
    #[inline]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns the number of houses a side, `1..=26`.
    #[inline]
    pub fn houses(&self) -> u8 {
        to_house(self.board.houses()).number()
    }

    /// Returns the side to move; it has no meaning once the game is over.
    #[inline]
    pub fn to_move(&self) -> Side {
        self.to_move
    }

    /// Returns the phase of the game, as far as the rules depend on it.
    #[inline]
    pub fn first_plies(&self) -> FirstPlies {
        self.first_plies
    }

    /// Returns whether the rules treat the first plies differently and these are over. The text of
    /// the position has neither `ply=1` nor `ply=2` then; with one of them it is another position,
    /// whose margin can differ.
    ///
    /// ```
    /// use kalah::{Rules, Setup};
    /// let typed: Setup = "<2,0,0,1,1,1,1> s".parse()?;
    /// assert!(typed.position(Rules::MANKALAH)?.is_after_first_plies());
    /// let start: Setup = "<2,0,0,1,1,1,1> s ply=1".parse()?;
    /// assert!(!start.position(Rules::MANKALAH)?.is_after_first_plies());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_after_first_plies(&self) -> bool {
        let relevant = self.rules.first_ply_rules.relevant(FirstPlies::PlyOne);
        relevant != FirstPlies::Later && self.first_plies == FirstPlies::Later
    }

    /// Returns the pits as a board.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the seeds in a house, 0 for one that the board does not have.
    #[inline]
    pub fn seeds(&self, owner: Side, house: House) -> SeedCount {
        to_seed_count(self.board.house(owner, house.number().into()).unwrap_or(0))
    }

    /// Returns the seeds in each house of a side, in the owner's sowing order.
    #[inline]
    pub fn houses_of(&self, owner: Side) -> &[SeedCount] {
        self.board.houses_of(owner)
    }

    /// Returns the seeds in a store.
    #[inline]
    pub fn store(&self, owner: Side) -> SeedCount {
        to_seed_count(self.board.store(owner))
    }

    /// Returns the seeds in all houses of a side.
    #[inline]
    pub fn row_total(&self, owner: Side) -> SeedCount {
        to_seed_count(self.board.row_total(owner))
    }

    /// Returns the seeds in play, which are those in the houses of both sides.
    #[inline]
    pub fn seeds_in_play(&self) -> SeedCount {
        to_seed_count(self.board.row_total(Side::South) + self.board.row_total(Side::North))
    }

    /// Returns all seeds, stores included.
    pub fn total(&self) -> SeedCount {
        to_seed_count(self.board.total())
    }

    /// Returns whether the game is over, which is whether both rows are empty.
    #[inline]
    pub fn is_over(&self) -> bool {
        Side::ALL.iter().all(|&side| self.board.is_row_empty(side))
    }

    /// Returns the final stores once the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.is_over().then(|| Outcome {
            stores: BySide::from_fn(|side| self.store(side)),
        })
    }

    /// Returns the current lead of the side to move: its store minus the other store.
    #[inline]
    pub fn lead(&self) -> Margin {
        let store = |side| i32::from(self.store(side));
        Margin::new(store(self.to_move) - store(self.to_move.opponent()))
    }

    /// Returns the margin at the end for the side to move if its houses gain `gain` from here.
    pub fn margin(&self, gain: Gain) -> Margin {
        Margin::new(self.lead().seeds().saturating_add(gain.seeds()))
    }

    /// Returns the gain of the side to move that leads to `margin` at the end. It is the inverse of
    /// [`Position::margin`].
    pub fn gain(&self, margin: Margin) -> Gain {
        Gain::new(margin.seeds().saturating_sub(self.lead().seeds()))
    }

    /// Returns the houses that the side to move may sow, in sowing order.
    #[inline]
    pub fn legal_houses(&self) -> impl DoubleEndedIterator<Item = House> + Clone + '_ {
        House::all(self.houses())
            .filter(|house| self.board.in_house(self.to_move, house.number().into()) > 0)
    }

    /// Returns whether the side to move may exchange sides instead of sowing.
    #[inline]
    pub fn can_swap(&self) -> bool {
        // A bonus turn at ply 1 is part of `first_plies`.
        let FirstPlyRules {
            swap,
            first_bonus: _,
        } = self.rules.first_ply_rules;
        swap && self.first_plies == FirstPlies::PlyTwo && !self.is_over()
    }

    /// Returns the legal moves of the side to move: houses in sowing order, then the swap.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.legal_houses()
            .map(Move::Sow)
            .chain(self.can_swap().then_some(Move::Swap))
    }

    /// Returns the legal move if there is exactly one.
    ///
    /// ```
    /// use kalah::{House, Move, Rules, Setup};
    /// let position = "<2,0,0,0,1,1,1> s".parse::<Setup>()?.position(Rules::CS32)?;
    /// assert_eq!(position.only_move(), House::new(2).map(Move::Sow));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn only_move(&self) -> Option<Move> {
        let mut moves = self.legal_moves();
        let first = moves.next()?;
        moves.next().is_none().then_some(first)
    }

    /// Checks that `mv` is legal.
    ///
    /// # Errors
    /// The reason why it is not.
    pub fn check_legal(&self, mv: Move) -> Result<(), IllegalMove> {
        let side = self.to_move;
        if self.is_over() {
            return Err(IllegalMove::GameOver);
        }
        match mv {
            Move::Swap if self.can_swap() => Ok(()),
            Move::Swap => Err(IllegalMove::NoSwap),
            Move::Sow(house) => match self.board.house(side, house.number().into()) {
                None => Err(IllegalMove::NoSuchHouse {
                    side,
                    house,
                    houses: self.houses(),
                }),
                Some(0) => Err(IllegalMove::EmptyHouse { side, house }),
                Some(_) => Ok(()),
            },
        }
    }

    /// Returns the pits into which the seeds of a house of the side to move would fall, one by one;
    /// none where the house is empty.
    ///
    /// ```
    /// use kalah::{House, Pit, Position, Rules, Side};
    /// let start = Position::start(6, 4, Rules::CS32)?;
    /// let house = House::new(3).expect("from 1 to 26");
    /// assert_eq!(start.path(house).last(), Some(Pit::Store(Side::South)));
    /// # Ok::<(), kalah::SetupError>(())
    /// ```
    pub fn path(&self, house: House) -> impl Iterator<Item = Pit> + use<> {
        let (side, houses) = (self.to_move, self.houses());
        let row = move |owner| House::all(houses).map(move |house| Pit::House(owner, house));
        let ring = row(side)
            .chain([Pit::Store(side)])
            .chain(row(side.opponent()));
        ring.cycle()
            .skip(house.number().into())
            .take(self.seeds(side, house).get().into())
    }

    /// Makes a move of the side to move.
    ///
    /// # Errors
    /// The reason why the move is illegal; the position is unchanged then.
    pub fn play(&mut self, mv: Move) -> Result<MoveResult, IllegalMove> {
        match mv {
            Move::Sow(house) => self.sow(house).map(MoveResult::Sown),
            Move::Swap => {
                self.check_legal(mv)?;
                self.first_plies = FirstPlies::Later;
                Ok(MoveResult::Swapped)
            }
        }
    }

    /// Sows a house of the side to move: moves the seeds, captures, determines the next side to
    /// move, and sweeps both rows if the game is over.
    ///
    /// # Errors
    /// The reason why the move is illegal; the position is unchanged then.
    #[inline]
    pub fn sow(&mut self, house: House) -> Result<SowResult, IllegalMove> {
        let result = self.sow_without_sweep(house)?;
        let swept = self.sweep_if_over();
        Ok(SowResult { swept, ..result })
    }

    /// Returns the board after a house is sown, with its capture, but before the sweep at the end
    /// of the game.
    ///
    /// # Errors
    /// The reason why the move is illegal.
    ///
    /// ```
    /// use kalah::{House, Rules, Setup, Side};
    ///
    /// let position = "<2,0,0,0,1,1,1> s".parse::<Setup>()?.position(Rules::CS32)?;
    /// let house = House::new(2).expect("a house");
    /// let board = position.board_before_sweep(house)?;
    /// assert_eq!((board.house(Side::North, 1), board.house(Side::North, 2)), (Some(1), Some(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn board_before_sweep(&self, house: House) -> Result<Board, IllegalMove> {
        let mut after = self.clone();
        after.sow_without_sweep(house)?;
        Ok(after.board)
    }

    /// Sows a house as [`Position::sow`] does, except that it does not sweep the rows.
    #[inline]
    fn sow_without_sweep(&mut self, house: House) -> Result<SowResult, IllegalMove> {
        let side = self.to_move;
        let seeds = self.seeds(side, house);
        let Some(last) = self.board.sow(side, house.number().into()) else {
            self.check_legal(Move::Sow(house))?;
            unreachable!("the board sows every house that the rules allow");
        };
        let effect = self
            .rules
            .sow_effect(&self.board, side, last, self.first_plies);
        let effect = match effect {
            SowEffect::TurnPasses => SowEffect::TurnPasses,
            SowEffect::BonusTurn => SowEffect::BonusTurn,
            SowEffect::Capture(Capture { house, from, seeds }) => {
                self.board.bank(side, house, side);
                self.board.bank(side.opponent(), from, side);
                SowEffect::Capture(Capture {
                    house: to_house(house),
                    from: to_house(from),
                    seeds: to_seed_count(seeds),
                })
            }
        };
        if effect != SowEffect::BonusTurn {
            self.to_move = side.opponent();
        }
        let next = if self.first_plies == FirstPlies::PlyOne && self.to_move != side {
            FirstPlies::PlyTwo
        } else {
            FirstPlies::Later
        };
        self.first_plies = self.rules.first_ply_rules.relevant(next);
        Ok(SowResult {
            side,
            house,
            seeds,
            last: match last {
                Pit::House(owner, house) => Pit::House(owner, to_house(house)),
                Pit::Store(owner) => Pit::Store(owner),
            },
            effect,
            swept: None,
        })
    }

    /// Moves each row into its owner's store if the game is over.
    #[inline]
    fn sweep_if_over(&mut self) -> Option<BySide<SeedCount>> {
        self.rules.is_over(&self.board, self.to_move).then(|| {
            self.first_plies = FirstPlies::Later;
            BySide::from_fn(|side| to_seed_count(self.board.bank_row(side, side)))
        })
    }

    /// Returns the position with the sides exchanged: South's seeds become North's, and the side to
    /// move changes too.
    #[must_use]
    pub fn flipped(&self) -> Self {
        let mut setup = Setup::from(self);
        setup.stores = setup.stores.swapped();
        setup.rows = setup.rows.swapped();
        setup.to_move = setup.to_move.opponent();
        Self::from_checked_setup(&setup, self.rules)
    }
}

/// Converts a count of seeds of the board of a position.
#[inline]
fn to_seed_count(seeds: u64) -> SeedCount {
    SeedCount::new(seeds).expect("the board of a game holds at most 65,535 seeds")
}

/// Converts a house number of the board of a position.
#[inline]
fn to_house(house: u32) -> House {
    House::new(house).expect("the board of a game has at most 26 houses")
}

impl From<&Position> for Setup {
    fn from(position: &Position) -> Self {
        Self {
            stores: BySide::from_fn(|side| position.store(side).into()),
            rows: BySide::from_fn(|side| {
                let houses = position.houses_of(side).iter();
                houses.copied().map(u64::from).collect()
            }),
            to_move: position.to_move,
            first_plies: position.first_plies,
        }
    }
}

/// The text of its [`Setup`].
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Setup::from(self).fmt(f)
    }
}

impl Setup {
    /// Validates the setup and returns the position under `rules`, swept if the game is over in it.
    ///
    /// # Errors
    /// All reasons why the setup is not a valid position.
    ///
    /// ```
    /// use kalah::{Rules, Setup, SetupProblem};
    /// let error = Setup::start(27, 2000).position(Rules::CS32).unwrap_err();
    /// let problems = [SetupProblem::TooManyHouses(27), SetupProblem::TooManySeeds(108_000)];
    /// assert_eq!(error.problems(), problems);
    /// ```
    pub fn position(&self, rules: Rules) -> Result<Position, SetupError> {
        let (south, north) = (self.rows.south.len(), self.rows.north.len());
        let mut problems = Vec::new();
        if south == 0 || north == 0 {
            problems.push(SetupProblem::NoHouses);
        }
        if south.max(north) > usize::from(House::MAX) {
            problems.push(SetupProblem::TooManyHouses(south.max(north)));
        }
        if south != north {
            problems.push(SetupProblem::UnequalRows { south, north });
        }
        let in_houses = self.rows.south.iter().chain(&self.rows.north);
        let in_stores = [&self.stores.south, &self.stores.north];
        let total = in_houses
            .chain(in_stores)
            .fold(0_u128, |sum, &seeds| sum.saturating_add(seeds.into()));
        if total > SeedCount::MAX.get().into() {
            problems.push(SetupProblem::TooManySeeds(total));
        }
        if !problems.is_empty() {
            return Err(SetupError(problems));
        }
        Ok(Position::from_checked_setup(self, rules))
    }
}

/// Returns the number of sequences of exactly `depth` plies from a position; a swap is a ply.
///
/// A finished game has no continuation. Such counts are the usual check of an implementation of
/// the rules. The function calls itself once a ply.
///
/// ```
/// use kalah::{Position, Rules, perft};
/// assert_eq!(perft(&Position::start(6, 4, Rules::STANDARD)?, 3), 185);
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.legal_moves().map(|_| 1_u64).sum(),
        _ => position
            .legal_moves()
            .map(|mv| {
                let mut next = position.clone();
                next.play(mv).map_or(0, |_| perft(&next, depth - 1))
            })
            .sum(),
    }
}
