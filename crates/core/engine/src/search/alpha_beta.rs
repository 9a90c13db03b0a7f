//! Alpha-beta search of one thread.

use kalah::Move;

use super::context::{MAX_PLY, SearchContext};
use super::node::{
    BestScore, Child, DEPTH_PER_TURN, Node, ScoreTransform, SearchValue, Window, sown_house,
};
use super::proof_numbers::ProofChild;
use super::selectivity::{late_move_reduction, pruned_value};
use super::shared_entries::SharedEntries;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::search::control::{SearchControl, SearchLimits, Stopped};
use crate::tt::{Depth, TtEntry};

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
    /// Whether a stopped search stores the proof numbers of the nodes on its path.
    pub(super) stores_stopped_numbers: bool,
    /// Gets the entries that searches on other machines can use.
    pub(super) shared_entries: Option<&'a SharedEntries>,
}

/// A move whose gain the endgame table holds.
struct TableChild<S> {
    mv: Move,
    transform: ScoreTransform,
    slot: S,
}

/// The depth, in turns, of a search that estimates nothing.
pub(crate) const FULL_DEPTH: u32 = u32::MAX;

/// The greatest depth of a depth-limited search. A search of [`FULL_DEPTH`] turns begins at
/// `i32::MAX`, and [`MAX_PLY`] moves use up far less than the upper half of the range.
const MAX_LIMITED_DEPTH: i32 = i32::MAX / 2;

/// Returns whether a search to `depth` estimates nothing.
#[inline]
pub(super) fn is_full_depth(depth: i32) -> bool {
    depth > MAX_LIMITED_DEPTH
}

impl<'a, H: SearchBoard, E: EndgameTable> Search<'a, H, E> {
    pub(crate) fn new(context: SearchContext<'a, H, E>, control: SearchControl<'a>) -> Self {
        Self {
            context,
            control,
            child_stack: Vec::new(),
            table_children: Vec::new(),
            proof_child_stack: Vec::new(),
            stores_stopped_numbers: false,
            shared_entries: None,
        }
    }

    /// Makes a stopped search store the proof numbers of the nodes on its path, with which a later
    /// search of a child continues.
    pub(crate) fn with_stopped_numbers(self) -> Self {
        Self {
            stores_stopped_numbers: true,
            ..self
        }
    }

    /// Adds the entries that searches on other machines can use to `shared_entries`.
    pub(crate) fn with_shared_entries(self, shared_entries: Option<&'a SharedEntries>) -> Self {
        Self {
            shared_entries,
            ..self
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
        let max_total = self.control.total_nodes().saturating_add(nodes);
        self.control.set_limits(SearchLimits {
            max_nodes: limits.max_nodes.min(max_total),
            ..limits
        });
        let result = search(self);
        self.control.set_limits(limits);
        result
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
    /// If the value is `proven`, the gain is exact or a proven bound. Otherwise it is the estimate
    /// of a selective search to that depth, for which the three cases hold.
    pub(super) fn search_node(
        &mut self,
        node: &Node<H>,
        depth: i32,
        window: Window,
        ply: u32,
    ) -> Result<SearchValue, Stopped> {
        if let Some(value) = node.trivial_value(window) {
            return Ok(value);
        }
        self.control.count_node()?;
        if let Some(value) = pruned_value(node, depth, window, self.context.evaluator) {
            return Ok(value);
        }
        let nodes_before = self.control.nodes();

        // Generating the children hides the latency of the prefetched transposition table and
        // endgame table entries.
        let transpositions = self.context.transpositions;
        // Next to the horizon searching a node costs less than a probe.
        let key = (depth > DEPTH_PER_TURN).then(|| self.context.tt_key(node));
        let key = key.flatten();
        key.inspect(|&key| transpositions.prefetch(key));
        let base = self.child_stack.len();
        let mut best = BestScore::new(window);
        self.generate_children(node, depth, ply, &mut best);

        let mut first = None;
        if let Some(key) = key
            && let Some(entry) = transpositions.get(key, node.in_play)
        {
            if let Some(value) = entry.cutoff_value(depth, window) {
                self.child_stack.truncate(base);
                return Ok(value);
            }
            // For a proof the static move order is better than the best move of a depth-limited
            // search.
            if entry.depth.is_proven() || !is_full_depth(depth) {
                first = entry.best_house.map(Move::Sow);
            }
        }
        self.probe_tables(&mut best);
        if !best.is_cutoff() && self.child_stack.len() > base {
            self.score_children(base, first);
            if self.context.is_far_above_table(node) {
                self.probe_transpositions(base, depth, &mut best);
                let currently_searching = key.zip(self.context.currently_searching);
                currently_searching.inspect(|(key, nodes)| nodes.begin(*key));
                let result = self.search_children(base, depth, ply, &mut best);
                currently_searching.inspect(|(key, nodes)| nodes.end(*key));
                result?;
            } else {
                self.search_children(base, depth, ply, &mut best)?;
            }
        }
        self.child_stack.truncate(base);
        let value = best.value();

        if let Some(key) = key {
            let unknown = TtEntry::unknown(node.in_play);
            let entry = TtEntry {
                lower: if value.gain > window.alpha {
                    value.gain
                } else {
                    unknown.lower
                },
                upper: if value.gain < window.beta {
                    value.gain
                } else {
                    unknown.upper
                },
                depth: if value.proven {
                    Depth::PROVEN
                } else {
                    Depth::limited(depth)
                },
                best_house: sown_house(best.best_move),
            };
            let nodes = self.control.nodes() - nodes_before;
            transpositions.put(key, node.in_play, entry, nodes);
        }
        Ok(value)
    }

    /// Generates the children of a node.
    ///
    /// Children that need no search update `best` at once, those that the endgame table holds go to
    /// `table_children`, and the others to `child_stack`.
    #[inline]
    pub(super) fn generate_children(
        &mut self,
        node: &Node<H>,
        depth: i32,
        ply: u32,
        best: &mut BestScore,
    ) {
        let mut sowings = 0;
        let max_seeds = self.context.endgames.max_seeds();
        // A child after a bonus turn has the greatest remaining depth.
        let is_near_horizon = depth <= DEPTH_PER_TURN || ply + 1 >= MAX_PLY;
        self.table_children.clear();
        node.board
            .for_each_move(self.context.move_tables, |mv, successor| {
                // Evaluating a child costs more than its sowing.
                if best.is_cutoff() {
                    return;
                }
                sowings += 1;
                let transform = ScoreTransform {
                    banked: successor.banked,
                    same_player: successor.same_player,
                };
                if successor.is_over {
                    // `banked` includes the sweep at the end of the game.
                    let value = SearchValue {
                        gain: successor.banked,
                        proven: true,
                    };
                    best.update(mv, value);
                    return;
                }
                let board = successor.board;
                let in_play = transform.child_in_play(mv, node.in_play);
                if in_play <= max_seeds
                    && let Some(slot) = self.context.table_slot(&board)
                {
                    self.table_children.push(TableChild {
                        mv,
                        transform,
                        slot,
                    });
                } else if is_near_horizon
                    && (transform.child_depth(depth) <= 0 || ply + 1 >= MAX_PLY)
                    && board.is_cacheable()
                {
                    let value = SearchValue {
                        gain: transform.parent_gain(self.context.evaluator.gain(&board)),
                        proven: false,
                    };
                    best.update(mv, value);
                } else {
                    self.child_stack.push(Child {
                        mv,
                        transform,
                        node: Node { board, in_play },
                        order_score: 0,
                    });
                }
            });
        self.control.count_sowings(sowings);
    }

    /// Updates `best` with the children that the endgame table holds.
    #[inline]
    pub(super) fn probe_tables(&mut self, best: &mut BestScore) {
        for &TableChild {
            mv,
            transform,
            slot,
        } in &self.table_children
        {
            if best.is_cutoff() {
                return;
            }
            self.control.count_table_hit();
            let value = SearchValue {
                gain: transform.parent_gain(self.context.endgames.gain(slot).into()),
                proven: true,
            };
            best.update(mv, value);
        }
    }

    /// Sets the order scores of the children from `base` on; the move `first` precedes all others.
    #[inline]
    fn score_children(&mut self, base: usize, first: Option<Move>) {
        for child in &mut self.child_stack[base..] {
            child.order_score = if Some(child.mv) == first {
                i32::MAX
            } else {
                child.compute_order_score()
            };
        }
    }

    /// Updates `best` with the children from `base` on that the transposition table holds, and
    /// drops those that need no search.
    #[inline]
    fn probe_transpositions(&mut self, base: usize, depth: i32, best: &mut BestScore) {
        let transpositions = self.context.transpositions;
        let key = |child: &Child<H>| {
            (child.transform.child_depth(depth) > DEPTH_PER_TURN)
                .then(|| self.context.tt_key(&child.node))?
        };
        for child in &self.child_stack[base..] {
            key(child).inspect(|&key| transpositions.prefetch(key));
        }
        let mut index = self.child_stack.len();
        while index > base && !best.is_cutoff() {
            index -= 1;
            let child = &self.child_stack[index];
            let entry = key(child).and_then(|key| transpositions.get(key, child.node.in_play));
            let Some(entry) =
                entry.filter(|entry| entry.depth.suffices_for(child.transform.child_depth(depth)))
            else {
                continue;
            };
            let mv = child.mv;
            let proven = entry.depth.is_proven();
            let (lower, upper) = child.transform.parent_bounds(entry.lower, entry.upper);
            if upper <= best.window.alpha || lower == upper {
                let gain = upper;
                best.update(mv, SearchValue { gain, proven });
                self.child_stack.swap_remove(index);
            } else if proven || lower >= best.window.beta {
                // An estimated bound must not replace a search that may prove the value, unless it
                // cuts off.
                let gain = lower;
                best.update_lower_bound(mv, SearchValue { gain, proven });
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
        best: &mut BestScore,
    ) -> Result<(), Stopped> {
        let mut next_place = 0;
        while !best.is_cutoff()
            && let Some(child) = self.pick_best_child(base)
        {
            let place = child.deferred_place().unwrap_or(next_place);
            let is_first = next_place == 0 && best.best_move.is_none();
            next_place += 1;
            if !is_first && self.is_searched_elsewhere(&child) {
                self.child_stack.push(child.deferred(place));
                continue;
            }
            let value = if is_first {
                self.search_child(&child, depth, best.window, ply)?
            } else {
                let reduction = late_move_reduction(&child, place, depth);
                self.search_later_child(&child, (depth, reduction), best.window, ply)?
            };
            best.update(child.mv, value);
        }
        Ok(())
    }

    /// Searches a child that is expected to be no better than an earlier one: with a null window
    /// and a reduced depth first, again to the full depth if it is better, and then with the full
    /// window.
    fn search_later_child(
        &mut self,
        child: &Child<H>,
        (depth, reduction): (i32, i32),
        window: Window,
        ply: u32,
    ) -> Result<SearchValue, Stopped> {
        let null_window = Window::null_at(window.alpha + 1);
        if reduction > 0 {
            let value = self.search_child(child, depth - reduction, null_window, ply)?;
            if value.gain <= window.alpha {
                return Ok(value);
            }
        }
        let value = self.search_child(child, depth, null_window, ply)?;
        if value.gain > window.alpha && value.gain < window.beta {
            self.search_child(child, depth, window, ply)
        } else {
            Ok(value)
        }
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
            node, transform, ..
        } = child;
        let (window, ply) = (transform.child_window(window), ply + 1);
        let value =
            if is_full_depth(depth) && window.is_null() && self.uses_proof_numbers(node, ply) {
                self.prove_window(node, window, ply)?
            } else {
                self.search_node(node, transform.child_depth(depth), window, ply)?
            };
        Ok(SearchValue {
            gain: transform.parent_gain(value.gain),
            ..value
        })
    }

    /// Removes and returns the child with the highest score of those from `base` on.
    #[inline]
    fn pick_best_child(&mut self, base: usize) -> Option<Child<H>> {
        let children = self.child_stack.get(base..)?;
        let (index, _) = children
            .iter()
            .enumerate()
            .max_by_key(|(_, child)| child.order_score)?;
        Some(self.child_stack.swap_remove(base + index))
    }

    /// Returns whether another thread is searching the child. A child that was deferred once is not
    /// deferred again.
    #[inline]
    fn is_searched_elsewhere(&self, child: &Child<H>) -> bool {
        let Some(currently_searching) = self.context.currently_searching else {
            return false;
        };
        let key = || self.context.tt_key(&child.node);
        self.context.is_far_above_table(&child.node)
            && child.deferred_place().is_none()
            && key().is_some_and(|key| currently_searching.contains(key))
    }
}
