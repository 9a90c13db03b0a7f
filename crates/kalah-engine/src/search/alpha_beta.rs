//! Alpha-beta search of one thread.

use std::mem;

use kalah::Move;

use super::context::{MAX_PLY, SearchContext};
use super::node::{
    BestScore, Child, DEPTH_PER_TURN, Node, ScoreTransform, SearchValue, Window, sown_house,
};
use super::proof_goal::ProofChild;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::limits::{SearchControl, SearchLimits, Stopped};
use crate::tt::transposition::{Depth, TtEntry};

/// The search of one thread: its stacks and its limits.
///
/// Values are gains in seeds for the side to move. The sign changes when the other player moves
/// next, and only then: a bonus turn is searched with the same sign.
pub(crate) struct Search<'a, H: SearchBoard, E: EndgameTable> {
    pub(super) context: SearchContext<'a, H, E>,
    pub(super) control: SearchControl<'a>,
    /// Unsearched children of all nodes on the path from the root, those of the deepest node last.
    pub(super) child_stack: Vec<Child<H>>,
    /// Children of the current node that the endgame table holds.
    table_children: Vec<TableChild<E::ValueSlot>>,
    /// Proof children of all nodes on the path of a proof, those of the deepest node last.
    pub(super) proof_child_stack: Vec<ProofChild<H>>,
}

/// A move whose gain the endgame table holds.
struct TableChild<S> {
    mv: Move,
    transform: ScoreTransform,
    slot: S,
}

/// The depth, in turns, of a search that estimates nothing.
pub(crate) const FULL_DEPTH: u32 = u32::MAX;

/// Whether a search to `depth` estimates nothing.
#[inline]
fn is_full_depth(depth: i32) -> bool {
    depth > i32::MAX / 2
}

impl<'a, H: SearchBoard, E: EndgameTable> Search<'a, H, E> {
    pub(crate) fn new(context: SearchContext<'a, H, E>, control: SearchControl<'a>) -> Self {
        Self {
            context,
            control,
            child_stack: Vec::new(),
            table_children: Vec::new(),
            proof_child_stack: Vec::new(),
        }
    }

    /// The node counters and limits of this thread.
    pub(crate) fn control(&mut self) -> &mut SearchControl<'a> {
        &mut self.control
    }

    /// Runs a search that visits at most `nodes` nodes within the limits that are in force.
    pub(crate) fn with_node_limit<T>(
        &mut self,
        nodes: u64,
        search: impl FnOnce(&mut Self) -> Result<T, Stopped>,
    ) -> Result<T, Stopped> {
        let limits = self.control.limits();
        let most = self.control.total_nodes().saturating_add(nodes);
        self.control.set_limits(SearchLimits {
            max_nodes: limits.max_nodes.min(most),
            ..limits
        });
        let found = search(self);
        self.control.set_limits(limits);
        found
    }

    /// Searches a root child to a depth of `turns`, counted from the root. Window and result are in
    /// the root's terms.
    ///
    /// The contract of the result is that of [`Self::search_node`].
    pub(crate) fn search_root_child(
        &mut self,
        child: &Child<H>,
        turns: u32,
        window: Window,
    ) -> Result<SearchValue, Stopped> {
        self.child_stack.clear();
        self.proof_child_stack.clear();
        let depth = i32::try_from(turns).unwrap_or(i32::MAX);
        self.search_child(child, depth.saturating_mul(DEPTH_PER_TURN), window, 0)
    }

    /// Searches a node to `depth` and returns its gain for the side to move, fail-soft:
    ///
    /// - at most `window.alpha`: the gain is at most the returned value,
    /// - at least `window.beta`: the gain is at least the returned value,
    /// - in between: the gain is the returned value.
    ///
    /// The gain is that of the game if the value is `proven`, and an estimate of that depth
    /// otherwise.
    pub(super) fn search_node(
        &mut self,
        spot: &Node<H>,
        depth: i32,
        window: Window,
        ply: u32,
    ) -> Result<SearchValue, Stopped> {
        if let Some(found) = spot.trivial_value(window) {
            return Ok(found);
        }
        self.control.count_node()?;
        let nodes_before = self.control.nodes();

        // Generating the children hides the latency of the prefetched transposition table and
        // endgame table entries.
        let transpositions = self.context.transpositions;
        // Next to the horizon searching a node costs less than a probe.
        let key = (depth > DEPTH_PER_TURN).then(|| self.context.tt_key(spot));
        let key = key.flatten();
        key.inspect(|&key| transpositions.prefetch(key));
        let base = self.child_stack.len();
        let mut sum = BestScore::new(window);
        self.generate_children(spot, depth, ply, &mut sum);

        let mut first = None;
        if let Some(key) = key
            && let Some(known) = transpositions.get(key, spot.in_play)
        {
            if let Some(found) = known.cutoff_value(depth, window) {
                self.child_stack.truncate(base);
                return Ok(found);
            }
            // The best move of a search that estimated is worse for a proof than the static move
            // order.
            if known.depth.is_proven() || !is_full_depth(depth) {
                first = known.best_house.map(Move::Sow);
            }
        }
        self.probe_tables(&mut sum);
        if !sum.is_cutoff() && self.child_stack.len() > base {
            self.score_children(base, first);
            if self.context.is_far_above_table(spot) {
                self.probe_transpositions(base, depth, &mut sum);
                let busy = key.zip(self.context.currently_searching);
                busy.inspect(|(key, busy)| busy.begin(*key));
                let searched = self.search_children(base, depth, ply, &mut sum);
                busy.inspect(|(key, busy)| busy.end(*key));
                searched?;
            } else {
                self.search_children(base, depth, ply, &mut sum)?;
            }
        }
        self.child_stack.truncate(base);
        let found = sum.value();

        if let Some(key) = key {
            let unknown = TtEntry::unknown(spot.in_play);
            let memory = TtEntry {
                lower: if found.gain > window.alpha {
                    found.gain
                } else {
                    unknown.lower
                },
                upper: if found.gain < window.beta {
                    found.gain
                } else {
                    unknown.upper
                },
                depth: if found.proven {
                    Depth::PROVEN
                } else {
                    Depth::limited(depth)
                },
                best_house: sown_house(sum.best_move),
            };
            let nodes = self.control.nodes() - nodes_before;
            transpositions.put(key, spot.in_play, memory, nodes);
        }
        Ok(found)
    }

    /// Generates the children of a node.
    ///
    /// Children that need no search update `best` at once, those that the endgame table holds go to
    /// `table_children`, and the others to `child_stack`.
    #[inline]
    pub(super) fn generate_children(
        &mut self,
        spot: &Node<H>,
        depth: i32,
        ply: u32,
        sum: &mut BestScore,
    ) {
        let mut sowings = 0;
        let most_seeds = self.context.endgames.max_seeds();
        // A child after a bonus turn has the greatest remaining depth.
        let is_near_horizon = depth <= DEPTH_PER_TURN || ply + 1 >= MAX_PLY;
        self.table_children.clear();
        spot.board
            .for_each_move(self.context.move_tables, |choice, sown| {
                sowings += 1;
                let change = ScoreTransform {
                    banked: sown.banked,
                    same_player: sown.same_player,
                };
                if sown.is_over {
                    // `banked` includes the sweep at the end of the game.
                    let found = SearchValue {
                        gain: sown.banked,
                        proven: true,
                    };
                    sum.update(choice, found);
                    return;
                }
                let houses = sown.board;
                let in_play = change.child_in_play(choice, spot.in_play);
                if in_play <= most_seeds
                    && let Some(slot) = self.context.table_slot(&houses)
                {
                    self.table_children.push(TableChild {
                        mv: choice,
                        transform: change,
                        slot,
                    });
                } else if is_near_horizon
                    && (change.child_depth(depth) <= 0 || ply + 1 >= MAX_PLY)
                    && houses.is_cacheable()
                {
                    let found = SearchValue {
                        gain: change.parent_gain(houses.evaluation().gain()),
                        proven: false,
                    };
                    sum.update(choice, found);
                } else {
                    self.child_stack.push(Child {
                        mv: choice,
                        transform: change,
                        node: Node {
                            board: houses,
                            in_play,
                        },
                        order_score: 0,
                    });
                }
            });
        self.control.count_sowings(sowings);
    }

    /// Updates `best` with the children that the endgame table holds.
    #[inline]
    pub(super) fn probe_tables(&mut self, sum: &mut BestScore) {
        for &TableChild {
            mv: choice,
            transform: change,
            slot,
        } in &self.table_children
        {
            if sum.is_cutoff() {
                return;
            }
            self.control.count_table_hit();
            let found = SearchValue {
                gain: change.parent_gain(self.context.endgames.gain(slot).into()),
                proven: true,
            };
            sum.update(choice, found);
        }
    }

    /// Assigns ordering scores to the children from `base` on; the move `first` precedes all
    /// others.
    #[inline]
    fn score_children(&mut self, base: usize, first: Option<Move>) {
        for child in &mut self.child_stack[base..] {
            child.order_score = if Some(child.mv) == first {
                i32::MAX
            } else {
                child.ordering_score()
            };
        }
    }

    /// Updates `best` with the children from `base` on that the transposition table holds, and
    /// drops those that need no search.
    #[inline]
    fn probe_transpositions(&mut self, base: usize, depth: i32, sum: &mut BestScore) {
        let transpositions = self.context.transpositions;
        let key = |child: &Child<H>| {
            (child.transform.child_depth(depth) > DEPTH_PER_TURN)
                .then(|| self.context.tt_key(&child.node))?
        };
        for child in &self.child_stack[base..] {
            key(child).inspect(|&key| transpositions.prefetch(key));
        }
        let mut index = self.child_stack.len();
        while index > base && !sum.is_cutoff() {
            index -= 1;
            let child = &self.child_stack[index];
            let known = key(child).and_then(|key| transpositions.get(key, child.node.in_play));
            let Some(known) =
                known.filter(|known| known.depth.suffices_for(child.transform.child_depth(depth)))
            else {
                continue;
            };
            let choice = child.mv;
            let resolved = known.depth.is_proven();
            let (lower, upper) = child.transform.parent_bounds(known.lower, known.upper);
            if upper <= sum.window.alpha || lower == upper {
                let gain = upper;
                sum.update(
                    choice,
                    SearchValue {
                        gain,
                        proven: resolved,
                    },
                );
                self.child_stack.swap_remove(index);
            } else if resolved || lower >= sum.window.beta {
                // An estimated bound must not replace a search that may prove the value, unless it
                // cuts off.
                let gain = lower;
                sum.update_lower_bound(
                    choice,
                    SearchValue {
                        gain,
                        proven: resolved,
                    },
                );
            }
        }
    }

    /// Searches the children from `base` on in the order of their scores until a cutoff (principal
    /// variation search).
    #[inline]
    fn search_children(
        &mut self,
        base: usize,
        depth: i32,
        ply: u32,
        sum: &mut BestScore,
    ) -> Result<(), Stopped> {
        let mut is_first = sum.best_move.is_none();
        while !sum.is_cutoff()
            && let Some(child) = self.pick_best_child(base)
        {
            if !is_first && self.is_searched_elsewhere(&child) {
                self.child_stack.push(child.deferred());
                continue;
            }
            let Window { alpha, beta } = sum.window;
            let found = if mem::take(&mut is_first) {
                self.search_child(&child, depth, sum.window, ply)?
            } else {
                // Search with a null window first, and again with the full one if the move turns
                // out to be better.
                let narrow = Window {
                    alpha,
                    beta: alpha + 1,
                };
                let probe = self.search_child(&child, depth, narrow, ply)?;
                if probe.gain > alpha && probe.gain < beta {
                    self.search_child(&child, depth, sum.window, ply)?
                } else {
                    probe
                }
            };
            sum.update(child.mv, found);
        }
        Ok(())
    }

    /// Searches a child by alpha-beta or, with a null window and without a depth limit, by proof
    /// numbers. Window and result are in the parent's terms; the contract is that of
    /// [`Self::search_node`].
    fn search_child(
        &mut self,
        child: &Child<H>,
        depth: i32,
        window: Window,
        ply: u32,
    ) -> Result<SearchValue, Stopped> {
        let Child {
            node: spot,
            transform: change,
            ..
        } = child;
        let (window, ply) = (change.child_window(window), ply + 1);
        let found =
            if is_full_depth(depth) && window.is_null() && self.uses_proof_numbers(spot, ply) {
                self.prove_window(spot, window, ply)?
            } else {
                self.search_node(spot, change.child_depth(depth), window, ply)?
            };
        Ok(SearchValue {
            gain: change.parent_gain(found.gain),
            ..found
        })
    }

    /// Removes and returns the child with the highest score of those from `base` on.
    #[inline]
    fn pick_best_child(&mut self, base: usize) -> Option<Child<H>> {
        let listed = self.child_stack.get(base..)?;
        let (index, _) = listed
            .iter()
            .enumerate()
            .max_by_key(|(_, child)| child.order_score)?;
        Some(self.child_stack.swap_remove(base + index))
    }

    /// Whether another thread is searching the child. A child that was deferred once is not
    /// deferred again.
    #[inline]
    fn is_searched_elsewhere(&self, child: &Child<H>) -> bool {
        let Some(busy) = self.context.currently_searching else {
            return false;
        };
        let key = || self.context.tt_key(&child.node);
        self.context.is_far_above_table(&child.node)
            && !child.is_deferred()
            && key().is_some_and(|key| busy.contains(key))
    }
}
