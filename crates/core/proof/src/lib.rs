//! Proofs of exact margins that are stored, interrupted, resumed and shared by many workers.
//!
//! A proof is a tree of [`ProofGoal`]s: that the side to move of a position reaches a margin.
//! Equal goals are one node. The [`Coordinator`] selects open leaves by proof numbers and hands
//! them out as [`Job`]s, which `kalah_engine::GoalEngine` searches within a node limit. A leaf is
//! expanded when its searches have reached the limit without an answer. This is job-level
//! proof-number search (I-C. Wu et al., "Job-level proof number search", IEEE Transactions on
//! Computational Intelligence and AI in Games 5, 2013). [`ProofStore`] keeps the tree in an
//! `SQLite` file, and [`prove`] runs a proof on the threads of this machine. A [`ProofGuide`] lets
//! a new proof begin with the goals on which an earlier one depends, without their answers.

#![forbid(unsafe_code)]

mod conditions;
mod coordinator;
mod exchange;
mod goal;
mod guide;
mod job_result;
mod local;
mod margin;
mod simulation;
mod statement;
mod status;
mod store;
mod tree;

pub use coordinator::{Coordinator, Job, JobId, JobSize, NextJob};
pub use exchange::EntryExchange;
pub use goal::{ChildGoal, ProofGoal};
pub use guide::ProofGuide;
pub use job_result::JobResultError;
pub use local::{LocalRun, prove};
pub use margin::MarginProof;
pub use simulation::{Delivery, ServiceTime, SimulatedExchange, Simulation, SimulationResult};
pub use statement::{ProofStatement, estimate_margin};
pub use status::{CurrentGoal, ProofStatus};
pub use store::{ProofStore, ProofStoreError, Run, RunTotals, StoreDamage, StoredProof};
pub use tree::{Edge, NodeId, Selection, Tree, TreeNode};
