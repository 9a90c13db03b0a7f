use std::cmp::Reverse;

use super::{MOST_PLIES, Search, Shared};
use crate::child::{Child, Spot};
use crate::endgames::Endgames;
use crate::found::{Found, Sum, Window};
use crate::houses::Houses;
use crate::key::Key;
use crate::proof_memory::Question;
use crate::proof_numbers::ProofNumbers;
use crate::stop::Stopped;
use crate::transposition::{Depth, Memory};

/// A choice in a position of which it is asked whether the side to move gains as much as is wanted.
pub(super) struct Branch<H> {
    child: Child<H>,
    /// What is asked of the child in its own terms: the gain that is wanted there.
    wanted: i32,
    /// What the child is remembered by, if it is.
    key: Option<Key>,
    /// Whether the question is left to alpha-beta search.
    is_leaf: bool,
    /// How far the parent is from its answer by this choice.
    numbers: ProofNumbers,
}

/// The question whether the side to move in a position gains as much as is wanted.
struct Asked<'s, H> {
    spot: &'s Spot<H>,
    wanted: i32,
}

/// What some choices come to.
struct Comparison {
    /// How far it is to an answer.
    numbers: ProofNumbers,
    /// The index of the choice with least to do, and what there is to do for the second.
    easiest: usize,
    second: f64,
}

/// Up to so many seeds more than in a table, a question is left to alpha-beta search.
const SEEDS_OF_LEAF: i32 = 6;

/// A choice is followed until it has so much more work left than the second best, by this part and this much:
/// to go from one to the other too often costs more than to be on the wrong one for a while.
const PATIENCE: f64 = 0.17;
const LEAST_PATIENCE: f64 = 1.0;

/// What another thread is at work on seems so many times as much work.
const TIMES_IF_BUSY: f64 = 1.5;

/// The gains of a position are all odd or all even.
const STEP: i32 = 2;

/// Depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
/// applications", 2002), far above the tables: always where least is left to do for an answer.
///
/// Alpha-beta search takes choices in a fixed order and follows each to its end, whatever that costs.
impl<H: Houses, E: Endgames> Search<'_, H, E> {
    /// Whether questions about this position deserve proof numbers.
    pub(super) fn deserves_numbers(&self, spot: &Spot<H>) -> bool {
        !self.shared.proofs.is_none()
            && !self.shared.is_leaf(spot, 0)
            && spot.in_play <= u8::MAX.into()
            && spot.houses.tell_all()
    }

    /// Whether a choice at the root gains as much as the upper end of the window, in the root's terms.
    pub(super) fn prove_root_child(
        &mut self,
        child: &Child<H>,
        window: Window,
    ) -> Result<Found, Stopped> {
        let Child { spot, change, .. } = child;
        let window = change.window(window);
        let found = if let Some(found) = spot.beyond(window) {
            found
        } else {
            let wanted = with_parity(window.beta, spot.in_play);
            self.branches.clear();
            let numbers = self.prove(Asked { spot, wanted }, ProofNumbers::UNLIMITED, 1)?;
            let yes = numbers.answer().ok_or(Stopped)?;
            Found {
                gain: if yes { wanted } else { wanted - STEP },
                resolved: true,
            }
        };
        Ok(Found {
            gain: change.gain(found.gain),
            ..found
        })
    }

    /// Works on a question until it is answered, or one of its numbers reaches its limit.
    fn prove(
        &mut self,
        asked: Asked<H>,
        limits: ProofNumbers,
        ply: u32,
    ) -> Result<ProofNumbers, Stopped> {
        let key = asked.spot.houses.key(self.shared.game);
        if let Some(yes) = self.remembered_answer(asked, key) {
            return Ok(ProofNumbers::of_answer(yes));
        }
        self.stop.count_node()?;
        let nodes_before = self.stop.nodes();
        let base = self.branches.len();
        let numbers = if self.branch_out(asked, ply) {
            ProofNumbers::YES
        } else {
            let busy = self.shared.busy;
            busy.inspect(|busy| busy.begin(key));
            let numbers = self.follow_branches(asked, base, limits, ply);
            busy.inspect(|busy| busy.end(key));
            numbers?
        };
        self.branches.truncate(base);
        match numbers.answer() {
            Some(yes) => {
                let nodes = self.stop.nodes() - nodes_before;
                let transpositions = self.shared.transpositions;
                transpositions.put(key, asked.spot.in_play, asked.memory(yes), nodes);
            }
            None => self.shared.proofs.put(asked.question(key), numbers),
        }
        Ok(numbers)
    }

    /// Lists the choices whose gains are not known, the most promising first; true if one whose gain
    /// is known is enough.
    fn branch_out(&mut self, asked: Asked<H>, ply: u32) -> bool {
        let window = Window::at_least(asked.wanted);
        let mut sum = Sum::new(window);
        let base = self.branches.len();
        let open = self.open.len();
        self.list(asked.spot, i32::MAX, ply, &mut sum);
        let shared = self.shared;
        for mut child in self.open.drain(open..) {
            child.promise = child.look();
            let key = shared.key(&child.spot);
            let is_leaf = shared.is_leaf(&child.spot, ply + 1);
            if let Some(key) = key {
                shared.transpositions.prefetch(key);
                if !is_leaf {
                    shared.proofs.prefetch(key);
                }
            }
            self.branches.push(Branch {
                wanted: with_parity(child.change.window(window).beta, child.spot.in_play),
                child,
                key,
                is_leaf,
                numbers: ProofNumbers::UNLIMITED,
            });
        }
        self.probe(&mut sum);
        if sum.is_cut() {
            return true;
        }
        for index in base..self.branches.len() {
            let numbers = self.numbers_of(&self.branches[index]);
            self.branches[index].learn(numbers);
        }
        self.branches[base..].sort_by_key(|branch| Reverse(branch.child.promise));
        false
    }

    /// Follows the choices from `base` on, each for as long as it is the easiest.
    fn follow_branches(
        &mut self,
        asked: Asked<H>,
        base: usize,
        limits: ProofNumbers,
        ply: u32,
    ) -> Result<ProofNumbers, Stopped> {
        loop {
            let Comparison {
                numbers,
                easiest,
                second,
            } = self.compare_branches(base, limits.prove);
            let reached = numbers.prove >= limits.prove || numbers.disprove >= limits.disprove;
            if reached || numbers.answer().is_some() {
                return Ok(numbers);
            }
            let branch = &self.branches[easiest];
            let child = branch.child.clone();
            let asked_there = Asked {
                spot: &child.spot,
                wanted: branch.wanted,
            };
            let found = if branch.is_leaf {
                self.answer(asked_there, branch.key, ply + 1)?
            } else {
                let limits = ProofNumbers {
                    prove: limits.prove.min(second * (1.0 + PATIENCE) + LEAST_PATIENCE),
                    disprove: limits.disprove - numbers.disprove + branch.numbers.disprove,
                };
                self.prove(asked_there, branch.in_other_terms(limits), ply + 1)?
            };
            self.branches[easiest].learn(found);
            if self.shared.busy.is_some() {
                let key = asked.spot.houses.key(self.shared.game);
                if let Some(yes) = self.remembered_answer(asked, key) {
                    return Ok(ProofNumbers::of_answer(yes));
                }
                self.learn_from_others(base);
            }
        }
    }

    /// How far it is to an answer by the choices from `base` on, and which of them is the easiest; one with
    /// `most` to do or more is none to follow.
    fn compare_branches(&self, base: usize, most: f64) -> Comparison {
        let mut comparison = Comparison {
            numbers: ProofNumbers::NO,
            easiest: base,
            second: f64::INFINITY,
        };
        let mut least = f64::INFINITY;
        let Comparison {
            numbers,
            easiest,
            second,
        } = &mut comparison;
        for (index, branch) in (base..).zip(&self.branches[base..]) {
            // One choice is enough for the one answer, and all are needed for the other.
            numbers.prove = numbers.prove.min(branch.numbers.prove);
            numbers.disprove += branch.numbers.disprove;
            if branch.numbers.prove >= most {
                continue;
            }
            let busy = branch.key.zip(self.shared.busy);
            let times = if busy.is_some_and(|(key, busy)| busy.has(key)) {
                TIMES_IF_BUSY
            } else {
                1.0
            };
            let seems = branch.numbers.prove * times;
            if seems < least {
                (*second, least) = (least, seems);
                *easiest = index;
            } else {
                *second = second.min(seems);
            }
        }
        comparison
    }

    /// Answers a question by alpha-beta search.
    fn answer(
        &mut self,
        asked: Asked<H>,
        key: Option<Key>,
        ply: u32,
    ) -> Result<ProofNumbers, Stopped> {
        let busy = key.zip(self.shared.busy);
        busy.inspect(|(key, busy)| busy.begin(*key));
        let window = Window::at_least(asked.wanted);
        let found = self.node(asked.spot, i32::MAX, window, ply);
        busy.inspect(|(key, busy)| busy.end(*key));
        let Found { gain, resolved } = found?;
        // Lines that are too long to be followed are estimated, and prove nothing.
        if resolved {
            Ok(ProofNumbers::of_answer(gain >= asked.wanted))
        } else {
            Err(Stopped)
        }
    }

    /// Takes in what other threads have answered of the choices from `base` on.
    fn learn_from_others(&mut self, base: usize) {
        for index in base..self.branches.len() {
            let branch = &self.branches[index];
            let Some(key) = branch.key.filter(|_| branch.numbers.answer().is_none()) else {
                continue;
            };
            if let Some(yes) = self.remembered_answer(branch.asked(), key) {
                self.branches[index].learn(ProofNumbers::of_answer(yes));
            }
        }
    }

    /// What is known of the question that a choice raises, or else expected.
    fn numbers_of(&self, branch: &Branch<H>) -> ProofNumbers {
        let asked = branch.asked();
        if let Some(found) = asked.spot.beyond(Window::at_least(asked.wanted)) {
            return ProofNumbers::of_answer(found.gain >= asked.wanted);
        }
        let remembered = branch.key.and_then(|key| {
            let answer = self.remembered_answer(asked, key);
            let numbers = || {
                let inner = !branch.is_leaf;
                inner.then(|| self.shared.proofs.get(asked.question(key)))?
            };
            answer.map(ProofNumbers::of_answer).or_else(numbers)
        });
        remembered.unwrap_or_else(|| {
            let seeds = self.shared.seeds_above_leaf(asked.spot);
            ProofNumbers::expected(&branch.child, asked.wanted, seeds)
        })
    }

    /// The answer that memory gives.
    #[inline]
    fn remembered_answer(&self, asked: Asked<H>, key: Key) -> Option<bool> {
        let Asked { spot, wanted } = asked;
        let known = self.shared.transpositions.get(key, spot.in_play)?;
        let found = known.answer(i32::MAX, Window::at_least(wanted))?;
        found.resolved.then_some(found.gain >= wanted)
    }
}

impl<H: Houses, E: Endgames> Shared<'_, H, E> {
    /// Whether questions about a position so many plies from the root are left to alpha-beta search.
    #[inline]
    fn is_leaf(&self, spot: &Spot<H>, ply: u32) -> bool {
        // Nothing is listed at the last ply.
        self.seeds_above_leaf(spot) <= 0 || ply + 1 >= MOST_PLIES
    }

    #[inline]
    fn seeds_above_leaf(&self, spot: &Spot<H>) -> i32 {
        spot.in_play - self.endgames.most_seeds() - SEEDS_OF_LEAF
    }
}

impl<H: Houses> Branch<H> {
    fn asked(&self) -> Asked<'_, H> {
        Asked {
            spot: &self.child.spot,
            wanted: self.wanted,
        }
    }

    /// Takes in the numbers of the question that it raises.
    #[inline]
    fn learn(&mut self, found: ProofNumbers) {
        self.numbers = self.in_other_terms(found);
    }

    /// The numbers of the parent's question as those of the child's, or the other way round.
    #[inline]
    fn in_other_terms(&self, numbers: ProofNumbers) -> ProofNumbers {
        if self.child.change.same_player {
            numbers
        } else {
            numbers.opposite()
        }
    }
}

impl<H> Clone for Asked<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for Asked<'_, H> {}

impl<H: Houses> Asked<'_, H> {
    /// What is to be remembered of it before there is an answer.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 255"
    )]
    fn question(self, key: Key) -> Question {
        // A gain is what the side to move gets of the seeds in play, less what the other one gets.
        let seeds = i32::midpoint(self.wanted, self.spot.in_play);
        Question {
            key,
            seeds: seeds as u8,
        }
    }

    /// What is to be remembered of the answer.
    fn memory(self, yes: bool) -> Memory {
        let unknown = Memory::nothing(self.spot.in_play);
        Memory {
            lower: if yes { self.wanted } else { unknown.lower },
            upper: if yes {
                unknown.upper
            } else {
                self.wanted - STEP
            },
            depth: Depth::RESOLVED,
            house: None,
        }
    }
}

/// The least gain from `wanted` on that a position with so many seeds in play can have.
#[inline]
fn with_parity(wanted: i32, in_play: i32) -> i32 {
    wanted + (wanted - in_play).rem_euclid(STEP)
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use kalah::{Player, Position, Rules, Side, naive};

    use super::*;
    use crate::Random;
    use crate::busy::Busy;
    use crate::endgames::NoEndgames;
    use crate::packed::Packed;
    use crate::proof_memory::ProofMemory;
    use crate::stop::{SharedStop, Stop, StopLimits};
    use crate::transposition::Transpositions;

    const LIMITS: StopLimits = StopLimits {
        deadline: None,
        flag: None,
        nodes: u64::MAX,
    };

    /// Asks of every choice in a position whether it gains so much, for all gains there are, and compares
    /// with the naive twin; how many questions that were.
    fn compare(position: &Position, threads: usize) -> usize {
        type Houses = Packed<u64>;
        let in_play = Side::ALL
            .map(|side| i32::from(position.row(side)))
            .iter()
            .sum();
        let (houses, game) = (
            Houses::of(position).unwrap(),
            Houses::game(position).unwrap(),
        );
        let mut transpositions = Transpositions::new(1 << 20, position.houses().into());
        let mut proofs = ProofMemory::new(1 << 20);
        let busy = Busy::new();
        let shared = Shared {
            game: &game,
            transpositions: transpositions.share(),
            proofs: proofs.share(),
            endgames: &NoEndgames,
            busy: (threads > 1).then_some(&busy),
        };
        let lead = position.lead().seeds();
        let mut questions = 0;
        for (choice, child) in shared.root_children(&houses, in_play) {
            let Err(child) = child else { continue };
            let mut next = position.clone();
            next.play(choice).unwrap();
            let margin = naive::margin(&next).seeds();
            let same_player = next.to_move() == position.to_move();
            let gain = if same_player { margin } else { -margin } - lead;
            let stop = SharedStop::default();
            let ask = |wanted| {
                let mut search = Search::new(shared, Stop::new(LIMITS, &stop));
                assert!(
                    search.deserves_numbers(&child.spot) || child.spot.in_play <= SEEDS_OF_LEAF
                );
                let window = Window::at_least(wanted);
                let found = search.prove_root_child(&child, window).unwrap();
                assert!(found.resolved);
                found.gain >= wanted
            };
            for wanted in -in_play..=in_play {
                let answers: Vec<bool> = thread::scope(|scope| {
                    let asked: Vec<_> = (0..threads).map(|_| scope.spawn(|| ask(wanted))).collect();
                    asked
                        .into_iter()
                        .map(|asked| asked.join().unwrap())
                        .collect()
                });
                let expected = vec![gain >= wanted; threads];
                assert_eq!(answers, expected, "{wanted} by {choice:?} in '{position}'");
                questions += 1;
            }
        }
        questions
    }

    #[test]
    fn answers_agree_with_the_naive_twin() {
        const BOARDS: [(u8, u64); 4] = [(3, 2), (2, 4), (4, 2), (3, 3)];
        let mut questions = 0;
        for preset in Rules::PRESETS {
            for (seed, (houses, seeds)) in (0..12).zip(BOARDS.into_iter().cycle()) {
                let mut position = Position::start(houses, seeds, preset.rules).unwrap();
                let mut random = Random::new("Random", seed);
                for _ in 0..2 + seed % 5 {
                    if let Some(choice) = random.choose(&position, Duration::ZERO) {
                        position.play(choice).unwrap();
                    }
                }
                if !position.is_over() && Packed::<u64>::of(&position).is_some() {
                    questions += compare(&position, 1);
                    questions += compare(&position, 3);
                }
            }
        }
        assert!(questions > 5_000, "{questions}");
    }
}
