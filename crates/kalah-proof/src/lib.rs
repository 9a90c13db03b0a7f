//! Proofs of margins as data.

#![forbid(unsafe_code)]

mod coordinator;
mod goal;
mod local;
mod margin;
mod store;
mod tree;

pub use coordinator::{Coordinator, Job, JobId, JobSize, NextJob};
pub use goal::{ChildGoal, ProofGoal};
pub use local::prove;
pub use margin::MarginProof;
pub use store::{ProofStore, ProofTask, StoreDamage, StoreError};
pub use tree::{Edge, Node, NodeId, Selection, Tree};
