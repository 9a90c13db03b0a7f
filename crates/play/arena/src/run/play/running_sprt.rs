//! The sequential test of a tournament, which follows its results.

use crate::schedule::Results;
use crate::stats::{Contestant, PairScore, Pentanomial, Sprt, SprtState, Verdict};

/// A sequential test that counts each finished pair once.
#[derive(Clone, Debug)]
pub(crate) struct RunningSprt {
    /// The pairs up to the decision, by the score of the first contestant.
    pairs: Pentanomial,
    state: SprtState,
    /// The number of finished pairs that `update` has read, those after the decision included.
    seen_pairs: usize,
}

impl RunningSprt {
    pub(crate) fn new(test: Sprt, results: &Results) -> Self {
        let pairs = Pentanomial::default();
        let mut running = Self {
            state: test.state(&pairs),
            pairs,
            seen_pairs: 0,
        };
        running.update(results);
        running
    }

    /// Counts the pairs that have finished since the last call. Pairs after the decision do not
    /// change it.
    pub(super) fn update(&mut self, results: &Results) {
        for (encounter, score) in results.finished_pairs_after(self.seen_pairs) {
            self.seen_pairs += 1;
            if self.is_decided() {
                continue;
            }
            self.pairs.add(if encounter.first == Contestant(0) {
                score
            } else {
                PairScore::mirrored(score)
            });
            self.state = self.state.test.state(&self.pairs);
        }
    }

    pub(crate) fn is_decided(&self) -> bool {
        self.state.verdict != Verdict::Continue
    }

    pub(crate) fn state(&self) -> SprtState {
        self.state
    }

    /// Returns the number of pairs up to the decision.
    pub(crate) fn pair_count(&self) -> u64 {
        self.pairs.pair_count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schedule::{Encounter, Leg};
    use crate::stats::{Elo, GameScore};

    fn test() -> Sprt {
        let elo = |points| Elo::new(points).expect("a number");
        Sprt::new(elo(0.0), elo(80.0), 0.05, 0.05).expect("a test")
    }

    proptest! {
        #[test]
        fn updates_give_the_same_state_as_all_pairs_at_once(
            scores in proptest::collection::vec((0_usize..3, 0_usize..3, any::<bool>()), 0..200),
        ) {
            let mut results = Results::default();
            let mut running = RunningSprt::new(test(), &results);
            let mut first_scores = Vec::new();
            for (pair, (one, other, is_turned)) in scores.into_iter().enumerate() {
                let first = Contestant(usize::from(is_turned));
                let second = Contestant(usize::from(!is_turned));
                let encounter = Encounter { pair, round: pair, first, second };
                let scores = [one, other].map(|score| GameScore::ALL[score]);
                for (leg, score) in Leg::ALL.into_iter().zip(scores) {
                    prop_assert!(results.add(encounter, leg, score));
                    running.update(&results);
                }
                let score = PairScore::from_games(scores[0], scores[1]);
                first_scores.push(if is_turned { score.mirrored() } else { score });
            }
            prop_assert_eq!((running.state(), running.pair_count()), test().run(first_scores));
            prop_assert_eq!(RunningSprt::new(test(), &results).state(), running.state());
        }
    }
}
