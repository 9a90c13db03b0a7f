use std::mem;
use std::time::Duration;

use kalah::{Choice, Effect, Opening, Played, Position};

use crate::evaluation::evaluate;
use crate::transposition::{Bound, Entry, Key, TranspositionTable};

/// One search of a game: the stack of one thread, and where it has to stop.
///
/// Values are gains in seeds for the side to move. A bonus turn is searched for the same side; the
/// sign changes with the player and never else.
pub(crate) struct Search<'a> {
    table: &'a mut TranspositionTable,
    game: Key,
    stop: Stop<'a>,
    nodes: u64,
    sowings_since_look: usize,
    /// The best choice at the root so far, and its gain.
    best: Option<(Choice, i32)>,
    /// Lists of children that are not in use.
    spare: Vec<Vec<Child>>,
}

/// When a search has to stop.
pub(crate) struct Stop<'a> {
    pub(crate) clock: &'a dyn Fn() -> Duration,
    pub(crate) deadline: Option<Duration>,
    pub(crate) nodes: u64,
}

/// The search was stopped before it had a value.
pub(crate) struct Stopped;

/// What a search found of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Gain for the side to move.
    pub(crate) gain: i32,
    /// Whether nothing that the gain rests on was estimated.
    pub(crate) resolved: bool,
}

impl Found {
    fn resolved(gain: i32) -> Self {
        Self {
            gain,
            resolved: true,
        }
    }
}

/// A choice and what it leads to.
struct Child {
    choice: Choice,
    next: Position,
    change: Change,
    /// Higher is searched earlier; `None` once it is.
    promise: Option<i32>,
}

impl Change {
    /// The depth left for the child of a position that is searched to `depth`.
    fn depth(self, depth: i32) -> i32 {
        let cost = if self.same_player {
            DEPTH_OF_BONUS_TURN
        } else {
            DEPTH_OF_TURN
        };
        depth - cost
    }

    /// The parent's window `alpha`, `beta` in the child's terms.
    fn window(self, alpha: i32, beta: i32) -> (i32, i32) {
        if self.same_player {
            (alpha - self.banked, beta - self.banked)
        } else {
            (self.banked - beta, self.banked - alpha)
        }
    }

    /// The child's gain in the parent's terms.
    fn gain(self, gain: i32) -> i32 {
        if self.same_player {
            self.banked + gain
        } else {
            self.banked - gain
        }
    }
}

/// The child to search next: of equals the first in sowing order, alike for both sides.
fn most_promising(children: &mut [Child]) -> Option<&Child> {
    let child = children
        .iter_mut()
        .rev()
        .max_by_key(|child| child.promise)?;
    child.promise.take()?;
    Some(child)
}

/// How the gain of a child becomes that of its parent.
#[derive(Clone, Copy)]
struct Change {
    /// Added in the parent's terms: what was banked on the way.
    banked: i32,
    /// Whether the same player chooses again.
    same_player: bool,
}

/// What a turn takes of the depth to search.
const DEPTH_OF_TURN: i32 = 4;

/// What a bonus turn takes of it: little, as it answers nothing, but something, as on large boards
/// there is no end of them.
const DEPTH_OF_BONUS_TURN: i32 = 1;

/// Sowings between two looks at the clock: some 20 microseconds on 6x4.
const SOWINGS_PER_LOOK: usize = 256;

/// Plies from the root below which everything is estimated, so that the stack cannot overflow.
const MOST_PLIES: u32 = 1000;

impl<'a> Search<'a> {
    pub(crate) fn new(
        table: &'a mut TranspositionTable,
        position: &Position,
        stop: Stop<'a>,
    ) -> Self {
        Self {
            table,
            game: Key::of_game(position.houses(), position.rules()),
            stop,
            nodes: 0,
            sowings_since_look: 0,
            best: None,
            spare: Vec::new(),
        }
    }

    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The best choice at the root so far, and its gain.
    pub(crate) fn best(&self) -> Option<(Choice, i32)> {
        self.best
    }

    /// Searches the root `turns` deep. When stopped, [`best`](Self::best) is still the best choice
    /// of those that were compared.
    pub(crate) fn root(&mut self, position: &Position, turns: u32) -> Result<Found, Stopped> {
        // Nobody gains more than all seeds in play, except by a swap, which moves the stores too.
        let most = match position.opening() {
            Opening::Past => in_play(position),
            Opening::PlyOne | Opening::PlyTwo => 2 * i32::from(position.total()),
        };
        let depth = i32::try_from(turns).unwrap_or(i32::MAX);
        self.node(
            position,
            depth.saturating_mul(DEPTH_OF_TURN),
            -most - 1,
            most + 1,
            0,
        )
    }

    /// The gain of `position`, as far as a search to `depth` can tell: at most the returned
    /// value if that is `alpha` or less, at least the returned value if it is `beta` or more, and
    /// else the returned value itself.
    fn node(
        &mut self,
        position: &Position,
        depth: i32,
        alpha: i32,
        beta: i32,
        ply: u32,
    ) -> Result<Found, Stopped> {
        self.count_node()?;
        if position.is_over() {
            // The sweep was banked by the ply that ended the game.
            return Ok(Found::resolved(0));
        }
        // With a swap to choose, the stores matter too, and with ply 1 to make, what it is.
        let houses_tell_all = position.opening() == Opening::Past;
        if !houses_tell_all {
            let (found, _) = self.children(position, None, depth, alpha, beta, ply)?;
            return Ok(found);
        }

        // The horizon.
        if depth <= 0 || ply >= MOST_PLIES {
            return Ok(Found {
                gain: evaluate(position),
                resolved: false,
            });
        }

        // Nobody gains more than all seeds in play.
        let in_play = in_play(position);
        if ply > 0 && beta <= -in_play {
            return Ok(Found::resolved(-in_play));
        }
        if ply > 0 && alpha >= in_play {
            return Ok(Found::resolved(in_play));
        }

        // Next to the horizon a search is cheaper than a look into memory.
        if depth <= DEPTH_OF_TURN {
            let (found, _) = self.children(position, None, depth, alpha, beta, ply)?;
            return Ok(found);
        }

        // It may be known from before.
        let key = self.game.of_position(position);
        let entry = self.table.get(key);
        if let Some(entry) = entry
            && ply > 0
            && entry.decides(depth, alpha, beta)
        {
            return Ok(Found {
                gain: entry.gain,
                resolved: entry.depth == Entry::RESOLVED,
            });
        }

        // Everything else is found out from the children, and remembered.
        let known_best = entry.and_then(|entry| entry.house).map(Choice::Sow);
        let (found, best) = self.children(position, known_best, depth, alpha, beta, ply)?;
        let entry = Entry {
            gain: found.gain,
            bound: if found.gain >= beta {
                Bound::Lower
            } else if found.gain > alpha {
                Bound::Exact
            } else {
                Bound::Upper
            },
            depth: if found.resolved {
                Entry::RESOLVED
            } else {
                u16::try_from(depth).unwrap_or(Entry::RESOLVED - 1)
            },
            house: match best.or(known_best) {
                Some(Choice::Sow(house)) => Some(house),
                Some(Choice::Swap) | None => None,
            },
        };
        self.table.put(key, entry);
        Ok(found)
    }

    /// The gain of `position` by its children, on the terms of [`node`](Self::node), and the choice
    /// that raised `alpha` last; `first` is tried before the others.
    fn children(
        &mut self,
        position: &Position,
        first: Option<Choice>,
        depth: i32,
        mut alpha: i32,
        beta: i32,
        ply: u32,
    ) -> Result<(Found, Option<Choice>), Stopped> {
        let first = match (ply, self.best) {
            (0, Some((choice, _))) => Some(choice),
            _ => first,
        };
        let mut children = self.spare.pop().unwrap_or_default();
        self.grow(position, first, &mut children);

        let mut best = Found {
            gain: i32::MIN,
            resolved: false,
        };
        let mut best_choice = None;
        let mut all_resolved = true;
        let mut is_first = true;
        while let Some(child) = most_promising(&mut children) {
            let found = if mem::take(&mut is_first) {
                self.child(child, depth, alpha, beta, ply)?
            } else {
                // Expect that no other choice is better, and look again at one that is.
                let probe = self.child(child, depth, alpha, alpha + 1, ply)?;
                if probe.gain > alpha && probe.gain < beta {
                    self.child(child, depth, alpha, beta, ply)?
                } else {
                    probe
                }
            };
            all_resolved &= found.resolved;
            if found.gain > best.gain {
                best = found;
            }
            if found.gain > alpha {
                alpha = found.gain;
                best_choice = Some(child.choice);
                if ply == 0 {
                    self.best = Some((child.choice, found.gain));
                }
            }
            if alpha >= beta {
                break;
            }
        }
        children.clear();
        self.spare.push(children);
        // A cutoff rests on one child alone, anything else on all of them.
        if best.gain < beta {
            best.resolved = all_resolved;
        }
        Ok((best, best_choice))
    }

    /// Searches a child, in the terms of its parent.
    fn child(
        &mut self,
        child: &Child,
        depth: i32,
        alpha: i32,
        beta: i32,
        ply: u32,
    ) -> Result<Found, Stopped> {
        let Child { next, change, .. } = child;
        let (alpha, beta) = change.window(alpha, beta);
        let found = self.node(next, change.depth(depth), alpha, beta, ply + 1)?;
        Ok(Found {
            gain: change.gain(found.gain),
            ..found
        })
    }

    fn count_node(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes > self.stop.nodes {
            return Err(Stopped);
        }
        if self.sowings_since_look >= SOWINGS_PER_LOOK
            && let Some(deadline) = self.stop.deadline
        {
            self.sowings_since_look = 0;
            if (self.stop.clock)() >= deadline {
                return Err(Stopped);
            }
        }
        Ok(())
    }

    /// Lists the children of a position.
    fn grow(&mut self, position: &Position, first: Option<Choice>, children: &mut Vec<Child>) {
        for choice in position.choices() {
            // Copied once, to where it stays.
            let child = children.push_mut(Child {
                choice,
                next: position.clone(),
                change: Change {
                    banked: 0,
                    same_player: true,
                },
                promise: None,
            });
            let Ok(played) = child.next.play(choice) else {
                unreachable!("only legal choices are searched");
            };
            child.change = change(position, &child.next, choice);
            let promise = if Some(choice) == first {
                i32::MAX
            } else {
                match played {
                    Played::Sown(sown) => {
                        let house = i32::from(sown.house.number());
                        match sown.effect {
                            Effect::BonusTurn => BONUS_FIRST + house,
                            _ => child.change.banked * SEED_BEFORE_HOUSE + house,
                        }
                    }
                    Played::Swapped => 0,
                }
            };
            child.promise = Some(promise);
        }
        self.sowings_since_look += children.len();
    }
}

/// In the order of choices, a bonus turn comes before any capture.
const BONUS_FIRST: i32 = 1 << 24;

/// In the order of choices, a seed banked counts for more than any difference in house number.
const SEED_BEFORE_HOUSE: i32 = 32;

/// Seeds in the houses of both sides.
fn in_play(position: &Position) -> i32 {
    let mover = position.to_move();
    i32::from(position.row(mover)) + i32::from(position.row(mover.opponent()))
}

/// How the gain of `next`, reached by `choice`, becomes that of `position`.
fn change(position: &Position, next: &Position, choice: Choice) -> Change {
    let before = position.lead().seeds();
    let same_side = next.to_move() == position.to_move();
    match choice {
        // The mover's margin afterwards is the other player's turned round, stores included.
        Choice::Swap => Change {
            banked: -2 * before,
            same_player: false,
        },
        Choice::Sow(_) if same_side => Change {
            banked: next.lead().seeds() - before,
            same_player: true,
        },
        Choice::Sow(_) => Change {
            banked: -next.lead().seeds() - before,
            same_player: false,
        },
    }
}
