//! Proofs of margins as data.

#![forbid(unsafe_code)]

mod goal;
mod tree;

pub use goal::{ChildGoal, ProofGoal};
pub use tree::{Edge, JOB_FACTOR, Node, NodeId, Path, Tree};
