//! Proof numbers: their estimates for new nodes, the goals that they belong to, and the hash table
//! that stores them.

use std::sync::atomic::Ordering;

use kalah::Move;

use super::node::{Child, GAIN_STEP, Node, sown_house};
use super::proof_cost::{GoalFeatures, ProofCostModel};
use crate::board::key::PositionKey;
use crate::board::search_board::SearchBoard;
use crate::tt::{Cluster, ClusterTable, ClusterTableRef, Depth, Slot, TtEntry};

/// The proof and the disproof number of a goal: whether the side to move gains a given number of
/// seeds.
///
/// The proof number is the work left until the goal is proven, the disproof number the work left
/// until it is disproven, each by the easiest way (L. V. Allis, M. van der Meulen and H. J. van den
/// Herik, "Proof-number search", 1994). A new goal starts with the work that it is expected to
/// take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProofNumbers {
    /// 0 if the goal is proven, infinite if it is disproven.
    pub proof: f64,
    /// 0 if the goal is disproven, infinite if it is proven.
    pub disproof: f64,
}

/// A binary logarithm in units of 1/64, from 2^-16 on, linear between powers of two.
///
/// It consists of the exponent and the leading mantissa bits of a number, so it is the same on
/// every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PackedLog(i32);

/// The low bits of an `f64` that a packed logarithm leaves out.
const DROPPED_MANTISSA_BITS: u32 = 46;
/// The units of a packed logarithm for a factor of two: 64.
const UNITS_PER_DOUBLING: i32 = 1 << (f64::MANTISSA_DIGITS - 1 - DROPPED_MANTISSA_BITS);
/// The least number with a packed logarithm is two to the power of minus this.
const DOUBLINGS_BELOW_ONE: i32 = 16;
/// The upper bits of that number as an `f64`; its packed logarithm is 0.
const LOG_OFFSET: i32 = (f64::MAX_EXP - 1 - DOUBLINGS_BELOW_ONE) * UNITS_PER_DOUBLING;
/// The packed logarithm of 1.
const LOG_OF_ONE: i32 = DOUBLINGS_BELOW_ONE * UNITS_PER_DOUBLING;

impl ProofNumbers {
    /// The numbers of a proven goal.
    pub const PROVEN: Self = Self {
        proof: 0.0,
        disproof: f64::INFINITY,
    };
    /// The numbers of a disproven goal.
    pub const DISPROVEN: Self = Self {
        proof: f64::INFINITY,
        disproof: 0.0,
    };
    /// Thresholds that no node exceeds, and the numbers of a child until they are estimated.
    pub const INFINITE: Self = Self {
        proof: f64::INFINITY,
        disproof: f64::INFINITY,
    };

    /// The numbers of a goal of which nothing is known.
    pub const UNKNOWN: Self = Self {
        proof: 1.0,
        disproof: 1.0,
    };

    /// Returns the numbers of a solved goal.
    pub fn from_result(is_proven: bool) -> Self {
        if is_proven {
            Self::PROVEN
        } else {
            Self::DISPROVEN
        }
    }

    /// Returns the expected numbers of a new goal.
    #[inline]
    pub(super) fn estimate(model: &ProofCostModel, features: &GoalFeatures) -> Self {
        let [proof, disproof] = (model.logarithms(features))
            .map(|logarithm| PackedLog::new(LOG_OF_ONE + logarithm).to_number());
        Self { proof, disproof }
    }

    /// Returns `true` if the goal is proven, `false` if it is disproven, and `None` while it is
    /// open.
    #[inline]
    pub fn result(self) -> Option<bool> {
        if self.proof == 0.0 {
            Some(true)
        } else if self.disproof == 0.0 {
            Some(false)
        } else {
            None
        }
    }

    /// Returns the numbers in the [`PACKED_NUMBERS_BITS`] bits in which a table stores them.
    #[inline]
    pub(super) fn pack(self) -> u32 {
        let [proof, disproof] =
            [self.proof, self.disproof].map(|number| PackedLog::from_number(number).to_bits());
        proof << PackedLog::BITS | disproof
    }

    /// Returns the numbers that were packed into these bits.
    #[inline]
    pub(super) fn unpack(bits: u32) -> Option<Self> {
        let [proof, disproof] = unpack_logarithms(bits)?.map(PackedLog::to_number);
        Some(Self { proof, disproof })
    }

    /// Returns the numbers of the negated goal.
    #[inline]
    #[must_use]
    pub fn opposite(self) -> Self {
        Self {
            proof: self.disproof,
            disproof: self.proof,
        }
    }
}

impl PackedLog {
    /// The width of the packed form in bits.
    const BITS: u32 = 12;
    const MAX: i32 = (1 << Self::BITS) - 1;

    /// Clamps `log` to the range of the packed form. The least value is 1, because tables use 0 for
    /// an empty slot.
    #[inline]
    fn new(log: i32) -> Self {
        Self(log.clamp(1, Self::MAX))
    }

    /// Converts a number that is not negative, rounding down.
    #[inline]
    fn from_number(number: f64) -> Self {
        let bits = (number.to_bits() >> DROPPED_MANTISSA_BITS) as i32;
        Self::new(bits - LOG_OFFSET)
    }

    #[inline]
    fn to_number(self) -> f64 {
        let bits = u64::from((self.0 + LOG_OFFSET).unsigned_abs());
        f64::from_bits(bits << DROPPED_MANTISSA_BITS)
    }

    /// Returns the packed form, which is never 0.
    #[inline]
    fn to_bits(self) -> u32 {
        self.0.unsigned_abs()
    }

    /// Reads the packed form.
    #[inline]
    fn from_bits(bits: u32) -> Self {
        Self::new(i32::try_from(bits).unwrap_or(Self::MAX))
    }
}

/// A child of a proof node and the goal to prove there.
pub(super) struct ProofChild<H> {
    pub(super) child: Child<H>,
    /// The gain to prove or disprove, in the child's terms.
    pub(super) target_gain: i32,
    /// The child's key in the transposition table, if the child is stored there.
    pub(super) key: Option<PositionKey>,
    /// Whether the child is searched by alpha-beta.
    pub(super) is_leaf: bool,
    /// The proof numbers of the child's goal in the parent's terms.
    pub(super) numbers: ProofNumbers,
}

/// The goal to prove that the side to move at a node gains at least `target_gain`.
pub(super) struct NodeGoal<'s, H> {
    pub(super) node: &'s Node<H>,
    pub(super) target_gain: i32,
}

impl<H: SearchBoard> ProofChild<H> {
    pub(super) fn goal(&self) -> NodeGoal<'_, H> {
        NodeGoal {
            node: &self.child.node,
            target_gain: self.target_gain,
        }
    }

    /// Sets the numbers, given in the child's terms.
    #[inline]
    pub(super) fn update(&mut self, numbers: ProofNumbers) {
        self.numbers = self.flip_perspective(numbers);
    }

    /// Converts proof numbers between the child's terms and the parent's, in either direction.
    #[inline]
    pub(super) fn flip_perspective(&self, numbers: ProofNumbers) -> ProofNumbers {
        if self.child.transform.same_player {
            numbers
        } else {
            numbers.opposite()
        }
    }
}

impl<H> Clone for NodeGoal<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for NodeGoal<'_, H> {}

impl<H: SearchBoard> NodeGoal<'_, H> {
    /// Returns the key of the goal in the table of proof numbers.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 255"
    )]
    pub(super) fn proof_key(self, key: PositionKey) -> ProofKey {
        // A gain is the mover's share of the seeds in play less the opponent's.
        let seeds = i32::midpoint(self.target_gain, self.node.in_play);
        ProofKey {
            key,
            target_seeds: seeds as u8,
        }
    }

    /// Returns the entry of a solved goal for the transposition table; `best_move` is the move that
    /// proves it.
    pub(super) fn tt_entry(self, is_proven: bool, best_move: Option<Move>) -> TtEntry {
        let unknown = TtEntry::unknown(self.node.in_play);
        TtEntry {
            lower: if is_proven {
                self.target_gain
            } else {
                unknown.lower
            },
            upper: if is_proven {
                unknown.upper
            } else {
                self.target_gain - GAIN_STEP
            },
            depth: Depth::PROVEN,
            best_house: sown_house(best_move),
        }
    }
}

/// A hash table with the proof numbers of open goals, of a fixed size.
///
/// Its entries only guide the search: results of solved goals are stored in the
/// [`TranspositionTable`](crate::tt::TranspositionTable).
pub(crate) struct ProofTable {
    clusters: ClusterTable,
}

/// A view of a [`ProofTable`] that any number of threads can share.
///
/// The second word of a slot holds the tail of the key, the target, and the logarithms of the two
/// numbers.
#[derive(Clone, Copy)]
pub(crate) struct ProofTableRef<'a> {
    clusters: ClusterTableRef<'a>,
}

/// The key of a goal: whether the side to move of a position gains at least a target.
///
/// Keys that are not exact, as those of boards of 7 or 8 houses in a table this small, at worst
/// return another goal's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProofKey {
    /// The key of the position.
    pub(super) key: PositionKey,
    /// The target as the mover's share of the seeds in play.
    pub(super) target_seeds: u8,
}

/// The bits of two packed logarithms.
pub(super) const PACKED_NUMBERS_BITS: u32 = 2 * PackedLog::BITS;
const TARGET_SHIFT: u32 = PACKED_NUMBERS_BITS;
const NUMBERS_MASK: u64 = (1 << TARGET_SHIFT) - 1;
const _: () = assert!(TARGET_SHIFT + u8::BITS + u32::BITS == u64::BITS);

impl ProofKey {
    /// Returns the second word of the goal's slot without the numbers.
    #[inline]
    fn tag_bits(self) -> u64 {
        (u64::from(self.key.tail) << u8::BITS | u64::from(self.target_seeds)) << TARGET_SHIFT
    }

    /// Returns whether a slot holds this goal.
    #[inline]
    fn matches(self, slot: &Slot) -> bool {
        slot[0].load(Ordering::Relaxed) == self.key.head
            && slot[1].load(Ordering::Relaxed) & !NUMBERS_MASK == self.tag_bits()
    }
}

/// Returns the packed numbers of a slot, which are 0 if it is empty.
#[inline]
fn packed_numbers(slot: &Slot) -> u32 {
    (slot[1].load(Ordering::Relaxed) & NUMBERS_MASK) as u32
}

/// Returns the logarithms of packed numbers, or `None` for those of an empty slot: no logarithm
/// is 0.
#[inline]
fn unpack_logarithms(bits: u32) -> Option<[PackedLog; 2]> {
    let disproof = bits & ((1 << PackedLog::BITS) - 1);
    (bits > 0).then(|| [bits >> PackedLog::BITS, disproof].map(PackedLog::from_bits))
}

impl ProofTable {
    /// The least useful size: a smaller table overwrites goals before they are solved.
    pub(crate) const MIN_BYTES: usize = 1 << 20;

    /// Allocates a table of at most `bytes` bytes. It is empty, and disabled, if the system refuses
    /// or if `bytes` is less than [`Self::MIN_BYTES`].
    pub(crate) fn new(bytes: usize) -> Self {
        let bytes = if bytes < Self::MIN_BYTES { 0 } else { bytes };
        Self {
            clusters: ClusterTable::new(bytes / size_of::<Cluster>()),
        }
    }

    /// Returns the shared view.
    pub(crate) fn share(&mut self) -> ProofTableRef<'_> {
        ProofTableRef {
            clusters: self.clusters.share(),
        }
    }
}

impl ProofTableRef<'_> {
    /// Returns whether the table stores nothing.
    #[inline]
    pub(super) fn is_disabled(&self) -> bool {
        self.clusters.is_empty()
    }

    /// Prefetches the cluster of the goals of a position.
    #[inline]
    pub(super) fn prefetch(&self, key: PositionKey) {
        self.clusters.prefetch(key);
    }

    /// Returns the numbers of a goal.
    #[inline]
    pub(super) fn get(&self, goal: ProofKey) -> Option<ProofNumbers> {
        let cluster = self.clusters.cluster(goal.key)?;
        let slot = cluster.iter().find(|slot| goal.matches(slot))?;
        ProofNumbers::unpack(packed_numbers(slot))
    }

    /// Stores the numbers of a goal, replacing the goal with the least work left.
    #[inline]
    pub(super) fn put(&self, goal: ProofKey, numbers: ProofNumbers) {
        let Some(cluster) = self.clusters.cluster(goal.key) else {
            return;
        };
        let existing = cluster.iter().find(|slot| goal.matches(slot));
        let least = || {
            cluster.iter().min_by_key(|slot| {
                let logarithms = unpack_logarithms(packed_numbers(slot));
                logarithms.map(|logarithms| logarithms.iter().max().copied())
            })
        };
        let Some(slot) = existing.or_else(least) else {
            return;
        };
        slot[0].store(goal.key.head, Ordering::Relaxed);
        slot[1].store(
            goal.tag_bits() | u64::from(numbers.pack()),
            Ordering::Relaxed,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packing_rounds_down_by_less_than_a_32nd(log in -11.0_f64..32.0) {
            let number = log.exp();
            let rounded = PackedLog::from_number(number).to_number();
            prop_assert!(rounded <= number && number < rounded * (1.0 + 1.0 / 32.0));
        }
    }

    #[test]
    fn packed_range_covers_one_to_1e14() {
        assert_eq!(PackedLog::from_number(1.0), PackedLog::new(LOG_OF_ONE));
        assert_eq!(
            PackedLog::from_number(2.0),
            PackedLog::new(LOG_OF_ONE + UNITS_PER_DOUBLING)
        );
        assert_eq!(
            PackedLog::from_number(3.0),
            PackedLog::new(LOG_OF_ONE + UNITS_PER_DOUBLING * 3 / 2)
        );
        assert_eq!(
            PackedLog::from_number(f64::INFINITY),
            PackedLog::new(i32::MAX)
        );
        assert_eq!(PackedLog::from_number(0.0), PackedLog::new(0));
        assert!(PackedLog::new(i32::MAX).to_number() > 1e14);
    }

    fn goal(head: u64, seeds: u8) -> ProofKey {
        let key = PositionKey {
            cluster_hash: 0,
            head,
            tail: u32::MAX,
        };
        ProofKey {
            key,
            target_seeds: seeds,
        }
    }

    fn numbers(proof: f64, disproof: f64) -> ProofNumbers {
        ProofNumbers { proof, disproof }
    }

    #[test]
    fn goals_with_different_targets_are_distinct() {
        let mut table = ProofTable::new(ProofTable::MIN_BYTES);
        let shared = table.share();
        assert_eq!(shared.get(goal(0, 0)), None);
        shared.put(goal(7, 200), numbers(1.0, 8.0));
        shared.put(goal(7, 201), numbers(2.0, 4.0));
        assert_eq!(shared.get(goal(7, 200)), Some(numbers(1.0, 8.0)));
        assert_eq!(shared.get(goal(7, 201)), Some(numbers(2.0, 4.0)));
        assert_eq!(shared.get(goal(7, 202)), None);
        assert_eq!(shared.get(goal(8, 200)), None);
        shared.put(goal(7, 200), numbers(16.0, 0.5));
        assert_eq!(shared.get(goal(7, 200)), Some(numbers(16.0, 0.5)));
    }

    #[test]
    fn full_cluster_replaces_the_goal_with_the_least_work() {
        let mut table = ProofTable::new(ProofTable::MIN_BYTES);
        let shared = table.share();
        for (head, proof, disproof) in [
            (1, 64.0, 1.0),
            (2, 2.0, 4.0),
            (3, 1.0, 32.0),
            (4, 8.0, 8.0),
            (5, 1.0, 1.0),
        ] {
            shared.put(goal(head, 9), numbers(proof, disproof));
        }
        assert_eq!(shared.get(goal(2, 9)), None);
        for head in [1, 3, 4, 5] {
            assert!(shared.get(goal(head, 9)).is_some(), "{head}");
        }
    }

    #[test]
    fn small_table_is_disabled() {
        assert!(
            ProofTable::new(ProofTable::MIN_BYTES - 1)
                .share()
                .is_disabled()
        );
        assert!(!ProofTable::new(ProofTable::MIN_BYTES).share().is_disabled());
    }
}
