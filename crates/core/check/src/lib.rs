//! An independent check of proofs of Kalah margins.
//!
//! A proof is a set of [`Goal`]s with answers, a [`Certificate`]: it comes from a store that
//! `kalah prove` has written, or from a text for other programs. [`check`] verifies it with the
//! naive rules of [`kalah::reference`] and with a search of its own, and [`export`] writes the
//! text. The crate does not depend on the crates that search and prove, so a proof and its
//! check share no code but the data types and the naive rules of `kalah`. `docs/proofs.md`
//! describes the logic. [`check_book`] checks the gains of an opening book in the same way.
//!
//! ```no_run
//! use std::num::NonZeroUsize;
//! use std::sync::atomic::AtomicBool;
//!
//! use kalah_check::{Certificate, CheckOptions, LeafSelection, check};
//!
//! let certificate = Certificate::read("6x4.proof".as_ref())?;
//! let options = CheckOptions {
//!     leaves: LeafSelection::Sample { count: 100, seed: 1 },
//!     threads: NonZeroUsize::MIN,
//!     max_nodes: u64::MAX,
//!     memory: 64 << 20,
//!     stop_flag: &AtomicBool::new(false),
//!     observer: &|_| {},
//! };
//! let report = check(&certificate, options);
//! assert!(report.faults.is_empty());
//! println!("{}, conditional on {} leaves", report.claims.position, report.conditional_leaves());
//! # Ok::<(), kalah_check::ReadError>(())
//! ```

#![forbid(unsafe_code)]

mod book;
mod certificate;
mod check;
mod decide;
mod error;
mod export;
mod fault;
mod goal;
mod needed;
mod search;
mod store;
mod text;
mod threads;

pub use book::{BookCheckOptions, BookFault, BookGains, BookLeaves, BookReport, check_book};
pub use certificate::{Certificate, CertificateEntry, Claims, Evidence, MarginBounds, Statement};
pub use check::{CheckOptions, CheckProgress, CheckReport, LeafSample, LeafSelection, check};
pub use error::{Damage, LineError, ReadError};
pub use export::{CertificateExportError, ExportOptions, export};
pub use fault::{Fault, GoalFault};
pub use goal::{Goal, MAX_TARGET};
