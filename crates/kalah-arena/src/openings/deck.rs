use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64Mcg;

use super::{Opening, Openings};

/// Openings by lot: each comes once before any comes again, then they are shuffled anew. Equal seeds deal equally.
///
/// ```
/// use kalah_arena::Openings;
/// let openings: Openings = "rules cs32\nboard 6x4\n? A\n? B\n? D\n".parse()?;
/// let mut deck = openings.deck(3);
/// let mut dealt: Vec<_> = (0..3).map(|number| deck.get(number).plies()).collect();
/// assert_eq!(deck.get(0).plies(), dealt[0]);
/// dealt.sort();
/// assert_eq!(dealt, ["A", "B", "D"]);
/// # Ok::<(), kalah_arena::OpeningsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShuffledOpenings<'a> {
    openings: &'a Openings,
    rng: Pcg64Mcg,
    /// What has been dealt so far, whole decks of it.
    order: Vec<usize>,
}

impl<'a> ShuffledOpenings<'a> {
    pub(super) fn new(openings: &'a Openings, seed: u64) -> Self {
        Self {
            openings,
            rng: Pcg64Mcg::seed_from_u64(seed),
            order: Vec::new(),
        }
    }

    /// The opening of that number, from 0: always the same, see [`Encounter::opening`](crate::Encounter::opening).
    pub fn get(&mut self, number: usize) -> &'a Opening {
        let all = self.openings.as_slice();
        while self.order.len() <= number {
            let mut deck: Vec<usize> = (0..all.len()).collect();
            deck.shuffle(&mut self.rng);
            self.order.extend(deck);
        }
        &all[self.order[number]]
    }
}
