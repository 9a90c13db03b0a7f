//! The reference implementation of the rules: slow and simple, every seed sown by itself.
//!
//! It shares no code with [`Position`] and [`Rules`] for sowing, captures, bonus turns and the end
//! of a game. Fast code is tested against it.
//!
//! ```
//! use kalah::reference::{self, ReferencePosition};
//! use kalah::{House, Move, Position, Rules};
//!
//! let mut position = Position::start(6, 4, Rules::STANDARD)?;
//! let mut reference = ReferencePosition::from(&position);
//! let mv = Move::Sow(House::new(6).expect("from 1 to 26"));
//! assert_eq!(reference.play(mv), position.play(mv));
//! assert_eq!(reference, position);
//! assert_eq!(reference::margin(&Position::start(3, 3, Rules::STANDARD)?).to_string(), "+2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::HashMap;
use std::iter;

use crate::position::Position;
use crate::position::setup::Setup;
use crate::rules::{CaptureRule, EndRule, FirstPlies, FirstPlyRules, HouseRules, Rules};
use crate::side::{BySide, Side};
use crate::types::{
    Capture, House, IllegalMove, Margin, Move, MoveResult, Outcome, Pit, SeedCount, SowEffect,
    SowResult,
};

/// The counts of a board of any size as two plain rows, sown seed by seed.
///
/// Houses are numbered from 1 in the sowing order of their owner. It has no limits of its own:
/// tests compare bounded boards with it, up to those limits.
///
/// ```
/// use kalah::reference::ReferenceBoard;
/// use kalah::{Pit, Side};
/// let mut board = ReferenceBoard::new(6, 4);
/// assert_eq!(board.sow(Side::South, 3), Some(Pit::Store(Side::South)));
/// assert_eq!(board.stores.south, 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceBoard {
    /// The seeds in the houses of each side, from house 1 on.
    pub rows: BySide<Vec<u64>>,
    /// The seeds in the stores.
    pub stores: BySide<u64>,
}

/// Sowings of more seeds than this are computed for each pit instead of seed by seed.
const MAX_SEEDS_ONE_BY_ONE: u64 = 500;

impl ReferenceBoard {
    /// Returns a board of `houses` houses a side with `seeds` seeds in each, and empty stores.
    pub fn new(houses: usize, seeds: u64) -> Self {
        Self {
            rows: BySide::from_fn(|_| vec![seeds; houses]),
            stores: BySide::new(0, 0),
        }
    }

    /// Returns the number of houses a side.
    ///
    /// # Panics
    /// If the number does not fit in 32 bits.
    pub fn houses(&self) -> u32 {
        u32::try_from(self.rows.south.len()).expect("a number of houses below 2^32")
    }

    /// Returns the number of all seeds, stores included.
    pub fn total(&self) -> u128 {
        let rows = self.rows.south.iter().chain(&self.rows.north);
        (rows.chain([&self.stores.south, &self.stores.north]))
            .map(|&seeds| u128::from(seeds))
            .sum()
    }

    /// Returns the seeds of a pit, or `None` if the board has no such house.
    pub fn pit(&mut self, pit: Pit<u32>) -> Option<&mut u64> {
        match pit {
            Pit::House(owner, house) => self.rows[owner].get_mut((house as usize).checked_sub(1)?),
            Pit::Store(owner) => Some(&mut self.stores[owner]),
        }
    }

    /// Returns the pits of one lap of `side`, from its house 1 on.
    fn lap(&self, side: Side) -> Vec<Pit<u32>> {
        let row = |owner| (1..=self.houses()).map(move |house| Pit::House(owner, house));
        (row(side).chain([Pit::Store(side)]))
            .chain(row(side.opponent()))
            .collect()
    }

    /// Sows a house of `side`, and returns the pit of the last seed: `None` for an empty house and
    /// for a house that the board does not have.
    pub fn sow(&mut self, side: Side, house: u32) -> Option<Pit<u32>> {
        let start = Pit::House(side, house);
        let seeds = std::mem::take(self.pit(start)?);
        let mut lap = self.lap(side);
        // The pit of the first seed comes first.
        lap.rotate_left(house as usize);
        if seeds <= MAX_SEEDS_ONE_BY_ONE {
            let mut last = None;
            for (_, &pit) in (0..seeds).zip(lap.iter().cycle()) {
                *self.pit(pit)? += 1;
                last = Some(pit);
            }
            return last;
        }
        let lap_length = lap.len() as u64;
        for (before, &pit) in (0..).zip(&lap) {
            *self.pit(pit)? += (seeds - before).div_ceil(lap_length);
        }
        // The remainder is below the length of the lap, which is a `usize`.
        lap.get(usize::try_from((seeds - 1) % lap_length).ok()?)
            .copied()
    }

    /// Moves the seeds of a house to the store of `taker`, and returns their number, or `None` if
    /// the board has no such house.
    pub fn bank(&mut self, owner: Side, house: u32, taker: Side) -> Option<u64> {
        let seeds = std::mem::take(self.pit(Pit::House(owner, house))?);
        self.stores[taker] += seeds;
        Some(seeds)
    }

    /// Moves the seeds of a row to the store of `taker`, and returns their number.
    pub fn bank_row(&mut self, owner: Side, taker: Side) -> u64 {
        (1..=self.houses())
            .filter_map(|house| self.bank(owner, house, taker))
            .sum()
    }

    /// Sets the seeds of a pit, unless the board would have more than `max_total` seeds or has no
    /// such house. Returns whether it has set them.
    pub fn set(&mut self, pit: Pit<u32>, seeds: u64, max_total: u64) -> bool {
        let mut changed = self.clone();
        let Some(count) = changed.pit(pit) else {
            return false;
        };
        *count = seeds;
        let fits = changed.total() <= max_total.into();
        if fits {
            *self = changed;
        }
        fits
    }
}

/// A position as a ring of pits.
///
/// It equals a [`Position`] with the same seeds in every pit, the same side to move, the same rules
/// and the same [`FirstPlies`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReferencePosition {
    houses: u8,
    /// Counterclockwise, in the order of [`ReferencePosition::pits`]; at most 65,535 seeds in all.
    seeds: Vec<u16>,
    rules: Rules,
    to_move: Side,
    first_plies: FirstPlies,
}

impl ReferencePosition {
    /// Creates the position of `setup` under `rules`, swept if the game is over in it. `None` where
    /// [`Setup::position`] refuses the setup.
    pub fn from_setup(setup: &Setup, rules: Rules) -> Option<Self> {
        let row_fits = |row: &Vec<u64>| (1..=House::MAX.into()).contains(&row.len());
        let BySide { south, north } = &setup.rows;
        if !row_fits(south) || !row_fits(north) || south.len() != north.len() {
            return None;
        }
        let order = (south.iter().chain([&setup.stores.south]))
            .chain(north.iter().chain([&setup.stores.north]));
        let seeds =
            (order.map(|&seeds| u16::try_from(seeds).ok())).collect::<Option<Vec<u16>>>()?;
        if seeds.iter().copied().map(u64::from).sum::<u64>() > SeedCount::MAX.into() {
            return None;
        }
        let mut position = Self {
            houses: u8::try_from(south.len()).ok()?,
            seeds,
            rules,
            to_move: setup.to_move,
            first_plies: relevant_first_plies(setup.first_plies, rules.first_ply_rules),
        };
        if position.is_over() {
            position.sweep();
        }
        Some(position)
    }

    /// Returns the number of houses a side.
    pub fn houses(&self) -> u8 {
        self.houses
    }

    /// Returns the side to move; it has no meaning once the game is over.
    pub fn to_move(&self) -> Side {
        self.to_move
    }

    /// Returns the phase of the game, as far as the rules depend on it.
    pub fn first_plies(&self) -> FirstPlies {
        self.first_plies
    }

    /// Returns all pits, counterclockwise from South's house 1.
    pub fn pits(&self) -> impl Iterator<Item = Pit> + use<> {
        let half = |owner| {
            (House::all(self.houses).map(move |house| Pit::House(owner, house)))
                .chain(iter::once(Pit::Store(owner)))
        };
        half(Side::South).chain(half(Side::North))
    }

    /// Returns the seeds in a pit; 0 for a house that the board does not have.
    pub fn seeds(&self, pit: Pit) -> u16 {
        self.seeds
            .get(self.pit_index(pit))
            .map_or(0, |&seeds| seeds)
    }

    /// Returns whether the game is over.
    pub fn is_over(&self) -> bool {
        // Captures are made before.
        let HouseRules { ends, capture: _ } = self.rules.house_rules;
        match ends {
            EndRule::Stuck => self.row_total(self.to_move) == 0,
            EndRule::Row => self.row_total(Side::South) == 0 || self.row_total(Side::North) == 0,
        }
    }

    /// Returns the stores once the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        let in_store = |side| SeedCount::new(self.seeds(Pit::Store(side)).into());
        let (south, north) = (in_store(Side::South)?, in_store(Side::North)?);
        self.is_over().then_some(Outcome {
            stores: BySide::new(south, north),
        })
    }

    /// Returns the legal moves: houses in sowing order, then the swap.
    pub fn legal_moves(&self) -> Vec<Move> {
        (House::all(self.houses).map(Move::Sow))
            .chain([Move::Swap])
            .filter(|&mv| self.check_legal(mv).is_ok())
            .collect()
    }

    /// Makes a move of the side to move.
    ///
    /// # Errors
    /// The reason why the move is illegal; the position is unchanged then.
    pub fn play(&mut self, mv: Move) -> Result<MoveResult, IllegalMove> {
        self.check_legal(mv)?;
        Ok(match mv {
            Move::Sow(house) => MoveResult::Sown(self.sow(house)),
            Move::Swap => {
                // Only the players change: the same side is to move, now for the other player.
                self.first_plies = FirstPlies::Later;
                MoveResult::Swapped
            }
        })
    }

    fn check_legal(&self, mv: Move) -> Result<(), IllegalMove> {
        let (side, houses) = (self.to_move, self.houses);
        if self.is_over() {
            return Err(IllegalMove::GameOver);
        }
        match mv {
            Move::Sow(house) if house.number() > houses => Err(IllegalMove::NoSuchHouse {
                side,
                house,
                houses,
            }),
            Move::Sow(house) if self.seeds(Pit::House(side, house)) == 0 => {
                Err(IllegalMove::EmptyHouse { side, house })
            }
            Move::Sow(_) => Ok(()),
            Move::Swap => {
                // A bonus turn at ply 1 is part of `first_plies`.
                let FirstPlyRules {
                    swap,
                    first_bonus: _,
                } = self.rules.first_ply_rules;
                let can_swap = swap && self.first_plies == FirstPlies::PlyTwo;
                can_swap.then_some(()).ok_or(IllegalMove::NoSwap)
            }
        }
    }

    /// Sows a house that has seeds in a game that is not over.
    fn sow(&mut self, house: House) -> SowResult {
        let side = self.to_move;
        let other = side.opponent();
        let start = Pit::House(side, house);
        let in_hand = self.take_seeds(start);

        // One seed a pit, counterclockwise, past the other store.
        let around = self.seeds.len();
        let passed = self.pit_index(Pit::Store(other));
        let mut place = self.pit_index(start);
        let mut last_was_empty = false;
        for _ in 0..in_hand {
            place = (place + 1) % around;
            if place == passed {
                place = (place + 1) % around;
            }
            last_was_empty = self.seeds[place] == 0;
            self.seeds[place] += 1;
        }

        let last = self.pits().nth(place).unwrap_or(start);
        let effect = match last {
            Pit::Store(_) => {
                let is_first = self.first_plies == FirstPlies::PlyOne;
                // A swap is a move of its own.
                let FirstPlyRules {
                    first_bonus,
                    swap: _,
                } = self.rules.first_ply_rules;
                if is_first && !first_bonus {
                    SowEffect::TurnPasses
                } else {
                    SowEffect::BonusTurn
                }
            }
            Pit::House(owner, own_house) if owner == side && last_was_empty => {
                self.capture(side, own_house)
            }
            Pit::House(..) => SowEffect::TurnPasses,
        };

        self.to_move = match effect {
            SowEffect::BonusTurn => side,
            SowEffect::TurnPasses | SowEffect::Capture(_) => other,
        };
        // The second player swaps instead of ply 2. After a bonus turn at ply 1 ply 2 is not its
        // ply, and there is no swap.
        let next_ply = match self.first_plies {
            FirstPlies::PlyOne if self.to_move == other => FirstPlies::PlyTwo,
            FirstPlies::PlyOne | FirstPlies::PlyTwo | FirstPlies::Later => FirstPlies::Later,
        };
        self.first_plies = relevant_first_plies(next_ply, self.rules.first_ply_rules);
        SowResult {
            side,
            house,
            seeds: to_seed_count(in_hand),
            last,
            effect,
            swept: self.is_over().then(|| self.sweep()),
        }
    }

    /// Captures after the last seed fell in an own house that was empty before.
    fn capture(&mut self, side: Side, house: House) -> SowEffect {
        let across = self.houses + 1 - house.number();
        let Some(from) = House::new(across.into()) else {
            return SowEffect::TurnPasses;
        };
        let opposite = Pit::House(side.opponent(), from);
        // A game ends after the effect of a sowing.
        let HouseRules { capture, ends: _ } = self.rules.house_rules;
        if capture == CaptureRule::Opposite && self.seeds(opposite) == 0 {
            return SowEffect::TurnPasses;
        }
        let seeds = self.take_seeds(Pit::House(side, house)) + self.take_seeds(opposite);
        self.add_seeds(Pit::Store(side), seeds);
        SowEffect::Capture(Capture {
            house,
            from,
            seeds: to_seed_count(seeds),
        })
    }

    /// Moves each row into its owner's store.
    fn sweep(&mut self) -> BySide<SeedCount> {
        self.first_plies = FirstPlies::Later;
        BySide::from_fn(|side| {
            let mut swept = 0;
            for house in House::all(self.houses) {
                swept += self.take_seeds(Pit::House(side, house));
            }
            self.add_seeds(Pit::Store(side), swept);
            to_seed_count(swept)
        })
    }

    fn row_total(&self, owner: Side) -> u16 {
        let houses = usize::from(self.houses);
        let (south, north) = self.seeds.split_at(houses + 1);
        match owner {
            Side::South => south[..houses].iter().sum(),
            Side::North => north[..houses].iter().sum(),
        }
    }

    /// Returns the index of the pit in the ring, or the number of pits for a house that the board
    /// does not have.
    fn pit_index(&self, pit: Pit) -> usize {
        self.pits().take_while(|&other| other != pit).count()
    }

    fn take_seeds(&mut self, pit: Pit) -> u16 {
        let place = self.pit_index(pit);
        self.seeds.get_mut(place).map_or(0, std::mem::take)
    }

    fn add_seeds(&mut self, pit: Pit, seeds: u16) {
        let place = self.pit_index(pit);
        if let Some(there) = self.seeds.get_mut(place) {
            *there += seeds;
        }
    }
}

impl From<&Position> for ReferencePosition {
    fn from(position: &Position) -> Self {
        let mut reference = Self {
            houses: position.houses(),
            seeds: Vec::new(),
            rules: position.rules(),
            to_move: position.to_move(),
            first_plies: position.first_plies(),
        };
        let seeds = reference.pits().map(|pit| match pit {
            Pit::House(owner, house) => position.seeds(owner, house).get(),
            Pit::Store(owner) => position.store(owner).get(),
        });
        reference.seeds = seeds.collect();
        reference
    }
}

impl PartialEq<Position> for ReferencePosition {
    fn eq(&self, position: &Position) -> bool {
        let other = Self::from(position);
        *self == other
    }
}

/// Returns `first_plies` as far as `rules` depend on it: ply 1 if it gives no bonus turn or a swap
/// may follow, ply 2 if the rules have a swap.
fn relevant_first_plies(first_plies: FirstPlies, rules: FirstPlyRules) -> FirstPlies {
    let FirstPlyRules { swap, first_bonus } = rules;
    match first_plies {
        FirstPlies::PlyOne if swap || !first_bonus => FirstPlies::PlyOne,
        FirstPlies::PlyTwo if swap => FirstPlies::PlyTwo,
        FirstPlies::PlyOne | FirstPlies::PlyTwo | FirstPlies::Later => FirstPlies::Later,
    }
}

fn to_seed_count(seeds: u16) -> SeedCount {
    SeedCount::new(seeds.into()).unwrap_or(SeedCount::MAX)
}

/// Returns the number of sequences of exactly `depth` plies, counted one by one. It is the
/// reference for [`kalah::perft`](crate::perft). The function calls itself once a ply.
pub fn perft(position: &ReferencePosition, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut sequences = 0;
    for mv in position.legal_moves() {
        let mut next = position.clone();
        if next.play(mv).is_ok() {
            sequences += perft(&next, depth - 1);
        }
    }
    sequences
}

/// Returns the margin of the side to move under perfect play by both sides.
///
/// It visits every position that can arise, which takes less than a second for a few houses with
/// few seeds and is not feasible for a usual board. After a swap the same side is to move but for
/// the other player, so that its margin counts for the opponent of the player that swapped.
pub fn margin(position: &Position) -> Margin {
    // The margin of the side to move in every position solved so far.
    let mut known: HashMap<ReferencePosition, i32> = HashMap::new();
    // The positions on the way to the current one. A position is solved after all that follow from
    // it; the game has no cycles.
    let root = ReferencePosition::from(position);
    let mut waiting = vec![root.clone()];
    while let Some(position) = waiting.pop() {
        if known.contains_key(&position) {
            continue;
        }
        match best_margin(&position, &known) {
            Ok(margin) => {
                known.insert(position, margin);
            }
            Err(unknown) => {
                waiting.push(position);
                waiting.extend(unknown);
            }
        }
    }
    Margin::new(known[&root])
}

/// Returns the best margin of the side to move, or the positions that have to be solved first.
fn best_margin(
    position: &ReferencePosition,
    known: &HashMap<ReferencePosition, i32>,
) -> Result<i32, Vec<ReferencePosition>> {
    let mover = position.to_move;
    if position.is_over() {
        let store = |side| i32::from(position.seeds(Pit::Store(side)));
        return Ok(store(mover) - store(mover.opponent()));
    }
    let (mut margins, mut unknown) = (Vec::new(), Vec::new());
    for mv in position.legal_moves() {
        let mut next = position.clone();
        let Ok(result) = next.play(mv) else {
            continue;
        };
        let same_player_moves = result != MoveResult::Swapped && next.to_move == mover;
        match known.get(&next) {
            Some(&margin) if same_player_moves => margins.push(margin),
            Some(&margin) => margins.push(-margin),
            None => unknown.push(next),
        }
    }
    if unknown.is_empty() {
        // A position in which the game is not over has a legal move.
        Ok(margins.into_iter().max().unwrap_or_default())
    } else {
        Err(unknown)
    }
}
