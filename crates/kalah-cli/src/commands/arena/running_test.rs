use kalah_arena::{Contestant, PairScore, Pentanomial, Results, Sprt, SprtState, Verdict};

/// A sequential test that looks at each pair once, as it becomes whole.
#[derive(Clone, Debug)]
pub(super) struct RunningSprt {
    /// The pairs up to the decision, told of the first engine.
    pairs: Pentanomial,
    state: SprtState,
    /// Whole pairs that were looked at.
    pairs_seen: usize,
}

impl RunningSprt {
    pub(super) fn new(test: Sprt, results: &Results) -> Self {
        let pairs = Pentanomial::default();
        let mut running = Self {
            state: test.state(&pairs),
            pairs,
            pairs_seen: 0,
        };
        running.update(results);
        running
    }

    /// Looks at the pairs that have become whole since.
    pub(super) fn update(&mut self, results: &Results) {
        for (encounter, score) in results.finished_pairs().skip(self.pairs_seen) {
            self.pairs_seen += 1;
            // What comes after the decision changes nothing.
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

    pub(super) fn is_decided(&self) -> bool {
        self.state.verdict != Verdict::Continue
    }

    pub(super) fn state(&self) -> SprtState {
        self.state
    }

    /// How many pairs it rests on.
    pub(super) fn pair_count(&self) -> u64 {
        self.pairs.pair_count()
    }
}

#[cfg(test)]
mod tests {
    use kalah_arena::{Elo, Encounter, GameScore, Leg};
    use proptest::prelude::*;

    use super::*;

    fn test() -> Sprt {
        let elo = |points| Elo::new(points).expect("a number");
        Sprt::new(elo(0.0), elo(80.0), 0.05, 0.05).expect("a test")
    }

    proptest! {
        /// Step by step it comes out as all at once.
        #[test]
        fn step_by_step_is_as_all_at_once(
            scores in proptest::collection::vec((0_usize..3, 0_usize..3, any::<bool>()), 0..200),
        ) {
            let mut results = Results::default();
            let mut running = RunningSprt::new(test(), &results);
            let mut told = Vec::new();
            for (pair, (one, other, is_turned)) in scores.into_iter().enumerate() {
                let (first, second) = (Contestant(usize::from(is_turned)), Contestant(usize::from(!is_turned)));
                let encounter = Encounter { pair, round: pair, first, second };
                let scores = [one, other].map(|score| GameScore::ALL[score]);
                for (leg, score) in Leg::ALL.into_iter().zip(scores) {
                    prop_assert!(results.add(encounter, leg, score));
                    running.update(&results);
                }
                let score = PairScore::from_games(scores[0], scores[1]);
                told.push(if is_turned { score.mirrored() } else { score });
            }
            prop_assert_eq!((running.state(), running.pair_count()), test().run(told));
            prop_assert_eq!(RunningSprt::new(test(), &results).state(), running.state());
        }
    }
}
