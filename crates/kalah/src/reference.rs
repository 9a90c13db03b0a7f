//! The rules once more, slow and obvious: every seed is dropped by itself, around a ring of pits.
//!
//! Nothing here shares code with the sowing, judging and sweeping of [`Position`], and nothing is
//! clever. It is the twin that fast code is tested against.
//!
//! ```
//! use kalah::{House, Move, Position, Rules, reference};
//!
//! let mut position = Position::start(6, 4, Rules::STANDARD)?;
//! let mut ring = reference::ReferencePosition::from(&position);
//! let choice = Move::Sow(House::new(6).expect("from 1 to 26"));
//! assert_eq!(ring.play(choice), position.play(choice));
//! assert_eq!(ring, position);
//! assert_eq!(reference::margin(&Position::start(3, 3, Rules::STANDARD)?).to_string(), "+2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::HashMap;
use std::iter;

use crate::moves::{Capture, IllegalMove, Move, MoveResult, SowEffect, SowResult};
use crate::position::Position;
use crate::rules::{CaptureRule, EndRule, FirstPlies, Rules};
use crate::setup::Setup;
use crate::side::{BySide, Side};
use crate::types::{House, Margin, Outcome, Pit, SeedCount};

/// A position as a ring of pits.
///
/// It is equal to a [`Position`] that has the same seeds in every pit, the same side to move, the
/// same rules and the same place in the opening.
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
    /// The position of `setup` under `rules`, swept if the game is over in it.
    /// `None` where [`Setup::position`] has a reason to refuse it.
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
        let mut ring = Self {
            houses: u8::try_from(south.len()).ok()?,
            seeds,
            rules,
            to_move: setup.to_move,
            first_plies: relevant_first_plies(setup.first_plies, rules),
        };
        if ring.is_over() {
            ring.sweep();
        }
        Some(ring)
    }

    /// Houses a side.
    pub fn houses(&self) -> u8 {
        self.houses
    }

    /// Whose turn it is, or would be if the game were not over.
    pub fn to_move(&self) -> Side {
        self.to_move
    }

    /// All pits, counterclockwise from South's house 1.
    pub fn pits(&self) -> impl Iterator<Item = Pit> + use<> {
        let half = |owner| {
            (House::all(self.houses).map(move |house| Pit::House(owner, house)))
                .chain(iter::once(Pit::Store(owner)))
        };
        half(Side::South).chain(half(Side::North))
    }

    /// Seeds in a pit; none in a house that the board does not have.
    pub fn seeds(&self, pit: Pit) -> u16 {
        self.seeds
            .get(self.pit_index(pit))
            .map_or(0, |&seeds| seeds)
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        match self.rules.ends {
            EndRule::Stuck => self.row_total(self.to_move) == 0,
            EndRule::Row => self.row_total(Side::South) == 0 || self.row_total(Side::North) == 0,
        }
    }

    /// The stores when the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        let in_store = |side| SeedCount::new(self.seeds(Pit::Store(side)).into());
        let (south, north) = (in_store(Side::South)?, in_store(Side::North)?);
        self.is_over().then_some(Outcome {
            stores: BySide::new(south, north),
        })
    }

    /// Everything that may be chosen: houses in sowing order, then the swap. Nothing when the game is over.
    pub fn legal_moves(&self) -> Vec<Move> {
        (House::all(self.houses).map(Move::Sow))
            .chain([Move::Swap])
            .filter(|&choice| self.check_legal(choice).is_ok())
            .collect()
    }

    /// Makes a choice of the side to move.
    ///
    /// # Errors
    /// Why it is illegal; the ring is then as it was.
    pub fn play(&mut self, choice: Move) -> Result<MoveResult, IllegalMove> {
        self.check_legal(choice)?;
        Ok(match choice {
            Move::Sow(house) => MoveResult::Sown(self.sow(house)),
            Move::Swap => {
                // Only the people exchange seats: the same side is to move, now the other person's.
                self.first_plies = FirstPlies::Later;
                MoveResult::Swapped
            }
        })
    }

    fn check_legal(&self, choice: Move) -> Result<(), IllegalMove> {
        let (side, houses) = (self.to_move, self.houses);
        if self.is_over() {
            return Err(IllegalMove::GameOver);
        }
        match choice {
            Move::Sow(house) if house.number() > houses => Err(IllegalMove::NoSuchHouse {
                side,
                house,
                houses,
            }),
            Move::Sow(house) if self.seeds(Pit::House(side, house)) == 0 => {
                Err(IllegalMove::EmptyHouse { side, house })
            }
            Move::Sow(_) => Ok(()),
            Move::Swap if self.rules.swap && self.first_plies == FirstPlies::PlyTwo => Ok(()),
            Move::Swap => Err(IllegalMove::NoSwap),
        }
    }

    /// Sows a house that has seeds, in a game that is not over.
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
                if is_first && !self.rules.first_bonus {
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
        // A swap is the second player's instead of ply 2: if ply 1 gave a bonus turn, there is none.
        let next_ply = match self.first_plies {
            FirstPlies::PlyOne if self.to_move == other => FirstPlies::PlyTwo,
            FirstPlies::PlyOne | FirstPlies::PlyTwo | FirstPlies::Later => FirstPlies::Later,
        };
        self.first_plies = relevant_first_plies(next_ply, self.rules);
        SowResult {
            side,
            house,
            seeds: to_seed_count(in_hand),
            last,
            effect,
            swept: self.is_over().then(|| self.sweep()),
        }
    }

    /// The last seed has fallen in an own house that was empty just before.
    fn capture(&mut self, side: Side, house: House) -> SowEffect {
        let across = self.houses + 1 - house.number();
        let Some(from) = House::new(across.into()) else {
            return SowEffect::TurnPasses;
        };
        let opposite = Pit::House(side.opponent(), from);
        if self.rules.capture == CaptureRule::Opposite && self.seeds(opposite) == 0 {
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

    /// Each row goes to its owner's store, and nothing matters any more.
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

    /// Which pit of the ring it is, from 0; the number of pits for a house that the board does not have.
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
        let mut ring = Self {
            houses: position.houses(),
            seeds: Vec::new(),
            rules: position.rules(),
            to_move: position.to_move(),
            first_plies: position.first_plies(),
        };
        let seeds = ring.pits().map(|pit| match pit {
            Pit::House(owner, house) => position.seeds(owner, house).get(),
            Pit::Store(owner) => position.store(owner).get(),
        });
        ring.seeds = seeds.collect();
        ring
    }
}

impl PartialEq<Position> for ReferencePosition {
    fn eq(&self, position: &Position) -> bool {
        let other = Self::from(position);
        *self == other
    }
}

/// The ply matters at ply 1 where that gives no bonus turn or a swap may follow, and at ply 2 where
/// sides may be exchanged.
fn relevant_first_plies(opening: FirstPlies, rules: Rules) -> FirstPlies {
    match opening {
        FirstPlies::PlyOne if rules.swap || !rules.first_bonus => FirstPlies::PlyOne,
        FirstPlies::PlyTwo if rules.swap => FirstPlies::PlyTwo,
        FirstPlies::PlyOne | FirstPlies::PlyTwo | FirstPlies::Later => FirstPlies::Later,
    }
}

fn to_seed_count(seeds: u16) -> SeedCount {
    SeedCount::new(seeds.into()).unwrap_or(SeedCount::MAX)
}

/// How many sequences of exactly `depth` plies there are, counted one by one: the twin of
/// [`kalah::perft`](crate::perft). It recurses once a ply.
pub fn perft(ring: &ReferencePosition, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut sequences = 0;
    for choice in ring.legal_moves() {
        let mut next = ring.clone();
        if next.play(choice).is_ok() {
            sequences += perft(&next, depth - 1);
        }
    }
    sequences
}

/// The margin of the side to move if both sides play perfectly, by looking at every position that
/// can come up. That is quick for a few houses with few seeds, and out of reach for a real board.
///
/// A swap counts for the person who makes it: the side to move stays, and its margin from then on
/// is the other person's.
pub fn margin(position: &Position) -> Margin {
    // What the side to move has more than the other at the end, of every position looked at.
    let mut known: HashMap<ReferencePosition, i32> = HashMap::new();
    // Each position waits here until all that follow from it are known. The game has no cycles.
    let root = ReferencePosition::from(position);
    let mut waiting = vec![root.clone()];
    while let Some(ring) = waiting.pop() {
        if known.contains_key(&ring) {
            continue;
        }
        match best_margin(&ring, &known) {
            Ok(margin) => {
                known.insert(ring, margin);
            }
            Err(unknown) => {
                waiting.push(ring);
                waiting.extend(unknown);
            }
        }
    }
    Margin::new(known[&root])
}

/// The best margin of the side to move, or what has to be known first.
fn best_margin(
    ring: &ReferencePosition,
    known: &HashMap<ReferencePosition, i32>,
) -> Result<i32, Vec<ReferencePosition>> {
    let mover = ring.to_move;
    if ring.is_over() {
        let store = |side| i32::from(ring.seeds(Pit::Store(side)));
        return Ok(store(mover) - store(mover.opponent()));
    }
    let (mut margins, mut unknown) = (Vec::new(), Vec::new());
    for choice in ring.legal_moves() {
        let mut next = ring.clone();
        let Ok(played) = next.play(choice) else {
            continue;
        };
        let same_person_moves = played != MoveResult::Swapped && next.to_move == mover;
        match known.get(&next) {
            Some(&margin) if same_person_moves => margins.push(margin),
            Some(&margin) => margins.push(-margin),
            None => unknown.push(next),
        }
    }
    if unknown.is_empty() {
        // While the game is not over there is something to choose.
        Ok(margins.into_iter().max().unwrap_or_default())
    } else {
        Err(unknown)
    }
}
