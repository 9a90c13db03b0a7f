use kalah::{Move, Position};

use crate::evaluation::Evaluation;
use crate::key::Key;
use crate::packed::Packed;
use crate::sowings::{Sowings, Sown};
use crate::word::Word;

/// What a search sees of a position: the houses, from the side to move.
pub(crate) trait Houses: Clone + Send + Sync {
    /// What all positions of a game have in common.
    type Game: Sync;

    /// The game of a position that can be seen like this.
    fn game(position: &Position) -> Option<Self::Game>;

    /// What is seen of a position, if it can be seen like this.
    fn of(position: &Position) -> Option<Self>;

    /// Every choice, and what comes of it: houses from the one next to the store, then the swap.
    /// None once the game is over.
    fn each_choice(&self, game: &Self::Game, each: impl FnMut(Move, Sown<Self>));

    /// What is expected without looking ahead.
    fn evaluation(&self) -> Evaluation;

    /// Houses with seeds, of the side to move and of the other.
    fn occupied(&self) -> [i32; 2];

    /// Houses whose last seed would fall into the store, without a lap, of the side to move and of the
    /// other.
    fn bonus_turns(&self) -> [i32; 2];

    /// Whether houses tell all that matters to a gain, so that a search of them can be remembered.
    fn tell_all(&self) -> bool;

    /// What the houses are remembered by, where they tell all.
    fn key(&self, game: &Self::Game) -> Key;

    /// The rows of a board that endgame tables may know, each packed in 64 bits.
    fn rows(&self) -> Option<[u64; 2]>;
}

/// Up to 7 houses in 64 bits a row, which endgame tables know, or up to 15 in 128.
impl<W: Word> Houses for Packed<W> {
    type Game = Sowings<W>;

    fn game(position: &Position) -> Option<Self::Game> {
        Sowings::of(position)
    }

    fn of(position: &Position) -> Option<Self> {
        Packed::of(position)
    }

    #[inline]
    fn each_choice(&self, game: &Self::Game, each: impl FnMut(Move, Sown<Self>)) {
        game.each_choice(*self, each);
    }

    #[inline]
    fn evaluation(&self) -> Evaluation {
        Evaluation::of_packed(*self)
    }

    #[inline]
    fn occupied(&self) -> [i32; 2] {
        [self.own, self.other].map(|row| row.occupied().into())
    }

    #[inline]
    fn bonus_turns(&self) -> [i32; 2] {
        [self.own, self.other].map(|row| row.bonus_turns().into())
    }

    #[inline]
    fn tell_all(&self) -> bool {
        true
    }

    #[inline]
    fn key(&self, game: &Self::Game) -> Key {
        match self.rows() {
            Some([own, other]) => Key::exact(Packed { own, other }, game.houses()),
            None => Key::hash(*self),
        }
    }

    #[inline]
    fn rows(&self) -> Option<[u64; 2]> {
        let rows = [self.own, self.other].map(|row| row.halves()[0]);
        (W::MOST_HOUSES <= u64::MOST_HOUSES).then_some(rows)
    }
}
