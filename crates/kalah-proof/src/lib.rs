//! Proofs of margins as data.

#![forbid(unsafe_code)]

mod coordinator;
mod goal;
mod margin;
mod tree;

pub use coordinator::{Coordinator, Job, JobId, JobSize, NextJob};
pub use goal::{ChildGoal, ProofGoal};
pub use margin::MarginProof;
pub use tree::{Edge, Node, NodeId, Selection, Tree};
