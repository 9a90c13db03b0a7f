use kalah::{FirstPlies, Move, Position, SeedCount};

use crate::evaluation::Evaluation;
use crate::houses::Houses;
use crate::key::Key;
use crate::packed::Packed;
use crate::sowings::{Sowings, Sown};
use crate::word::Word;

/// The houses of any position: packed where they can be, and a whole position where they cannot.
///
/// A game that begins with a swap to choose, or with more than 255 seeds, can be packed later on.
#[derive(Clone)]
pub(crate) enum AnyHouses<W> {
    Packed(Packed<W>),
    /// Not over.
    Whole(Box<Position>),
}

/// What the positions of any game have in common.
pub(crate) struct AnyGame<W> {
    /// How its packed positions are sown, if any are.
    sowings: Option<Sowings<W>>,
}

impl<W: Word> AnyHouses<W> {
    /// What comes of a legal choice.
    fn after(position: &Position, choice: Move) -> Sown<Self> {
        let mut next = position.clone();
        let legal = next.play(choice).is_ok();
        debug_assert!(legal, "only legal choices are searched");
        let before = position.lead().seeds();
        let same_side = next.to_move() == position.to_move();
        let (banked, same_player) = match choice {
            // The mover's margin afterwards is the other player's turned round, stores included.
            Move::Swap => (-2 * before, false),
            Move::Sow(_) if same_side => (next.lead().seeds() - before, true),
            Move::Sow(_) => (-next.lead().seeds() - before, false),
        };
        Sown {
            banked,
            same_player,
            over: next.is_over(),
            next: Self::see(next),
        }
    }

    fn see(position: Position) -> Self {
        match Packed::of(&position) {
            Some(packed) => Self::Packed(packed),
            None => Self::Whole(Box::new(position)),
        }
    }
}

impl<W: Word> Houses for AnyHouses<W> {
    type Game = AnyGame<W>;

    fn game(position: &Position) -> Option<Self::Game> {
        Some(AnyGame {
            sowings: Sowings::of(position),
        })
    }

    fn of(position: &Position) -> Option<Self> {
        Some(Self::see(position.clone()))
    }

    fn each_choice(&self, game: &Self::Game, mut each: impl FnMut(Move, Sown<Self>)) {
        match (self, &game.sowings) {
            (Self::Packed(packed), Some(sowings)) => {
                sowings.each_choice(*packed, |choice, sown| {
                    each(
                        choice,
                        Sown {
                            next: Self::Packed(sown.next),
                            banked: sown.banked,
                            same_player: sown.same_player,
                            over: sown.over,
                        },
                    );
                });
            }
            (Self::Whole(position), _) => {
                let houses = position.legal_houses().rev().map(Move::Sow);
                for choice in houses.chain(position.can_swap().then_some(Move::Swap)) {
                    each(choice, Self::after(position, choice));
                }
            }
            (Self::Packed(_), None) => unreachable!("what is packed can be sown"),
        }
    }

    fn evaluation(&self) -> Evaluation {
        match self {
            Self::Packed(packed) => packed.evaluation(),
            Self::Whole(position) => Evaluation::of_position(position),
        }
    }

    fn occupied(&self) -> [i32; 2] {
        match self {
            Self::Packed(packed) => packed.occupied(),
            Self::Whole(position) => {
                let mover = position.to_move();
                [mover, mover.opponent()].map(|side| {
                    let row = position.houses_of(side).iter();
                    row.map(|&seeds| i32::from(seeds > SeedCount::ZERO)).sum()
                })
            }
        }
    }

    fn bonus_turns(&self) -> [i32; 2] {
        match self {
            Self::Packed(packed) => packed.bonus_turns(),
            Self::Whole(position) => {
                let mover = position.to_move();
                [mover, mover.opponent()].map(|side| {
                    let row = position.houses_of(side).iter().rev();
                    (1..)
                        .zip(row)
                        .map(|(distance, &seeds)| i32::from(seeds.get() == distance))
                        .sum()
                })
            }
        }
    }

    fn tell_all(&self) -> bool {
        match self {
            Self::Packed(_) => true,
            // With a swap to choose, the stores matter too, and with ply 1 to make, what it is.
            Self::Whole(position) => position.first_plies() == FirstPlies::Later,
        }
    }

    fn key(&self, game: &Self::Game) -> Key {
        match (self, &game.sowings) {
            (Self::Packed(packed), Some(sowings)) => packed.key(sowings),
            (Self::Packed(packed), None) => Key::hash(*packed),
            (Self::Whole(position), _) => Key::hash_position(position),
        }
    }

    fn rows(&self) -> Option<[u64; 2]> {
        match self {
            Self::Packed(packed) => packed.rows(),
            Self::Whole(_) => None,
        }
    }
}
