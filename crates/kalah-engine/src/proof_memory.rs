use std::sync::atomic::Ordering;

use crate::key::Key;
use crate::pages::{Entry, Pages, Place, Places};
use crate::proof_numbers::{Logarithm, ProofNumbers};

/// A memory of questions that are not answered yet, of a size given once.
///
/// What is remembered here only says where it is best to go on: answers are kept by
/// [`Transpositions`](crate::transposition::Transpositions).
pub(crate) struct ProofMemory {
    pages: Pages,
}

/// The same, as the threads of a search share it: see [`Place`](crate::pages::Place).
///
/// The word of an entry is the tail of a key, what is wanted, and the logarithms of the two numbers.
#[derive(Clone, Copy)]
pub(crate) struct SharedProofMemory<'a> {
    places: Places<'a>,
}

/// What a question is remembered by: whether the side to move of a position gains as much as is wanted.
///
/// Keys that are not exact, as those of boards of 7 houses in so small a memory, at worst take one question's
/// numbers for another's.
#[derive(Clone, Copy)]
pub(crate) struct QuestionKey {
    /// The key of the position.
    pub(crate) key: Key,
    /// What is wanted: so many of the seeds in play, in its own store at the end.
    pub(crate) seeds: u8,
}

/// With less, a search forgets what it has begun before it ends it.
pub(crate) const LEAST_BYTES: usize = 1 << 20;

const WANTED_SHIFT: u32 = 2 * Logarithm::BITS;
const NUMBERS: u64 = (1 << WANTED_SHIFT) - 1;
const _: () = assert!(WANTED_SHIFT + u8::BITS + u32::BITS == u64::BITS);

impl QuestionKey {
    /// The word of its entry without the numbers.
    #[inline]
    fn word(self) -> u64 {
        (u64::from(self.key.tail) << u8::BITS | u64::from(self.seeds)) << WANTED_SHIFT
    }

    /// Whether an entry is this question's.
    #[inline]
    fn is_of(self, entry: &Entry) -> bool {
        entry[0].load(Ordering::Relaxed) == self.key.head
            && entry[1].load(Ordering::Relaxed) & !NUMBERS == self.word()
    }
}

/// The numbers of an entry, unless it is empty: no logarithm is 0.
#[inline]
fn numbers(entry: &Entry) -> Option<[Logarithm; 2]> {
    let numbers = entry[1].load(Ordering::Relaxed) & NUMBERS;
    let disprove = numbers & ((1 << Logarithm::BITS) - 1);
    (numbers > 0).then(|| [numbers >> Logarithm::BITS, disprove].map(Logarithm::from_bits))
}

impl ProofMemory {
    /// A memory of at most `bytes`, taken from the system as it comes into use; of nothing where the system
    /// has not as much, or where that would be too little.
    pub(crate) fn new(bytes: usize) -> Self {
        let bytes = if bytes < LEAST_BYTES { 0 } else { bytes };
        Self {
            pages: Pages::new(bytes / size_of::<Place>()),
        }
    }

    /// As many threads can use it at once as like.
    pub(crate) fn share(&mut self) -> SharedProofMemory<'_> {
        SharedProofMemory {
            places: self.pages.share(),
        }
    }
}

impl SharedProofMemory<'_> {
    /// Whether nothing can be remembered.
    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        self.places.is_empty()
    }

    /// Says that questions with this key will be asked for soon.
    #[inline]
    pub(crate) fn prefetch(&self, key: Key) {
        self.places.prefetch(key);
    }

    /// What is remembered of a question.
    #[inline]
    pub(crate) fn get(&self, question: QuestionKey) -> Option<ProofNumbers> {
        let place = self.places.place(question.key)?;
        let entry = place.iter().find(|entry| question.is_of(entry))?;
        let [prove, disprove] = numbers(entry)?.map(Logarithm::number);
        Some(ProofNumbers { prove, disprove })
    }

    /// Remembers how far a question is from its answer, in place of the one with the least work left.
    #[inline]
    pub(crate) fn put(&self, question: QuestionKey, of: ProofNumbers) {
        let Some(place) = self.places.place(question.key) else {
            return;
        };
        let known = place.iter().find(|entry| question.is_of(entry));
        let least = || {
            place
                .iter()
                .min_by_key(|entry| numbers(entry).map(|of| of.iter().max().copied()))
        };
        let Some(entry) = known.or_else(least) else {
            return;
        };
        let [prove, disprove] = [of.prove, of.disprove].map(|number| Logarithm::of(number).bits());
        entry[0].store(question.key.head, Ordering::Relaxed);
        let word = question.word() | prove << Logarithm::BITS | disprove;
        entry[1].store(word, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(head: u64, seeds: u8) -> QuestionKey {
        let key = Key {
            place: 0,
            head,
            tail: u32::MAX,
        };
        QuestionKey { key, seeds }
    }

    fn numbers(prove: f64, disprove: f64) -> ProofNumbers {
        ProofNumbers { prove, disprove }
    }

    #[test]
    fn questions_are_told_apart_by_what_is_wanted() {
        let mut memory = ProofMemory::new(LEAST_BYTES);
        let shared = memory.share();
        assert_eq!(shared.get(question(0, 0)), None);
        shared.put(question(7, 200), numbers(1.0, 8.0));
        shared.put(question(7, 201), numbers(2.0, 4.0));
        assert_eq!(shared.get(question(7, 200)), Some(numbers(1.0, 8.0)));
        assert_eq!(shared.get(question(7, 201)), Some(numbers(2.0, 4.0)));
        assert_eq!(shared.get(question(7, 202)), None);
        assert_eq!(shared.get(question(8, 200)), None);
        shared.put(question(7, 200), numbers(16.0, 0.5));
        assert_eq!(shared.get(question(7, 200)), Some(numbers(16.0, 0.5)));
    }

    #[test]
    fn a_full_place_forgets_what_has_the_least_work_left() {
        let mut memory = ProofMemory::new(LEAST_BYTES);
        let shared = memory.share();
        for (head, prove, disprove) in [
            (1, 64.0, 1.0),
            (2, 2.0, 4.0),
            (3, 1.0, 32.0),
            (4, 8.0, 8.0),
            (5, 1.0, 1.0),
        ] {
            shared.put(question(head, 9), numbers(prove, disprove));
        }
        assert_eq!(shared.get(question(2, 9)), None);
        for head in [1, 3, 4, 5] {
            assert!(shared.get(question(head, 9)).is_some(), "{head}");
        }
    }

    #[test]
    fn too_little_memory_is_none() {
        assert!(ProofMemory::new(LEAST_BYTES - 1).share().is_none());
        assert!(!ProofMemory::new(LEAST_BYTES).share().is_none());
    }
}
