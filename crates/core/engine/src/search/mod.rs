//! The search: alpha-beta, depth-first proof-number search, and the root.

pub(crate) mod alpha_beta;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod node;
mod parallel;
mod proof;
pub(crate) mod proof_cost;
pub(crate) mod proof_numbers;
pub(crate) mod root;
mod selectivity;
pub(crate) mod shared_entries;
