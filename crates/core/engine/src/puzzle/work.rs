//! The work that a puzzle takes, and its limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kalah::Position;

/// An amount of work: nodes times the square of the houses a side, because the number of moves and
/// the time of a node both grow with them.
#[derive(Debug)]
pub(super) struct Work {
    left: u64,
    /// The work of a node.
    per_node: u64,
    /// Whether the rest of the work is given up.
    stop_flag: Arc<AtomicBool>,
}

impl Work {
    /// Creates an amount of work for positions on the board of `position`.
    pub(super) fn new(work: u64, position: &Position) -> Self {
        Self {
            left: work,
            per_node: u64::from(position.houses()).pow(2),
            stop_flag: Arc::default(),
        }
    }

    /// Sets the amount that is left.
    pub(super) fn with_left(self, left: u64) -> Self {
        Self { left, ..self }
    }

    /// Sets the flag that ends the work soon after it becomes `true`.
    pub(super) fn with_stop_flag(self, stop_flag: Arc<AtomicBool>) -> Self {
        Self { stop_flag, ..self }
    }

    /// Returns the flag that ends the work.
    pub(super) fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stop_flag
    }

    pub(super) fn is_left(&self) -> bool {
        self.left > 0 && !self.stop_flag.load(Ordering::Relaxed)
    }

    pub(super) fn use_nodes(&mut self, nodes: u64) {
        self.left = self
            .left
            .saturating_sub(nodes.saturating_mul(self.per_node));
    }

    pub(super) fn nodes_left(&self) -> u64 {
        if self.is_left() {
            self.left / self.per_node
        } else {
            0
        }
    }

    /// Calls a function with at most `max` of the work, and subtracts the part that it has used.
    pub(super) fn use_part<T>(&mut self, max: u64, function: impl FnOnce(&mut Self) -> T) -> T {
        let given = self.left.min(max);
        let mut part = Self {
            left: given,
            per_node: self.per_node,
            stop_flag: Arc::clone(&self.stop_flag),
        };
        let result = function(&mut part);
        self.left -= given - part.left;
        result
    }
}
