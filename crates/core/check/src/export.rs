//! Certificates for other programs: only the goals that the claims depend on, and no large
//! searches.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use thiserror::Error;

use crate::certificate::{Certificate, CertificateEntry, Evidence};
use crate::decide::{decide, max_seeds, search_tables};
use crate::fault::{Fault, GoalFault};
use crate::goal::{Goal, GoalChild, seeds_in_play};
use crate::search::{NoAnswer, SearchTables};

/// The stack of the thread that exports, in bytes, and the longest line that it follows.
const STACK_BYTES: usize = 64 << 20;
const MAX_DEPTH: u32 = 4000;

/// The bytes of the hash table of a search of a leaf for each of its nodes: more than an entry
/// takes, so that hardly any is lost.
const HASH_BYTES_PER_NODE: usize = 128;

/// The way a certificate is exported.
#[derive(Clone, Copy)]
pub struct ExportOptions<'a> {
    /// The most nodes that a plain search of a leaf visits, with an empty hash table and without an
    /// endgame table.
    pub leaf_nodes: u64,
    /// The memory of the searches that expand leaves, in bytes.
    pub memory: usize,
    /// Stops the export soon after it is set.
    pub stop_flag: &'a AtomicBool,
    /// Called with the number of goals so far.
    pub observer: &'a (dyn Fn(usize) + Sync),
}

/// The reason why a certificate cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CertificateExportError {
    /// The proof is wrong.
    #[error("{0}")]
    Fault(Box<Fault>),
    /// The game can last too long for the search.
    #[error("the game can last more than {MAX_DEPTH} moves after '{position}'", position = .0.position())]
    TooDeep(Box<Goal>),
    /// The stop flag is set.
    #[error("the export was stopped")]
    Stopped,
    /// The system has no thread left.
    #[error("cannot start a thread: {0}")]
    Thread(String),
}

/// Returns a certificate of the same claims that has only the goals that they depend on, the goals
/// after a move before the goal that follows from them. Leaves with more than
/// [`ExportOptions::leaf_nodes`] nodes are expanded by the search of the checker.
///
/// # Errors
/// [`CertificateExportError`] if a goal is wrong, and if the stop flag is set.
pub fn export(
    certificate: &Certificate,
    options: ExportOptions<'_>,
) -> Result<Certificate, CertificateExportError> {
    // The recursion follows the longest line of the game.
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    thread::scope(|scope| {
        let exporting = thread.spawn_scoped(scope, || Exporter::new(certificate, options).run());
        let exporting =
            exporting.map_err(|error| CertificateExportError::Thread(error.to_string()))?;
        let stopped = |_| Err(CertificateExportError::Thread("it has panicked".to_owned()));
        exporting.join().unwrap_or_else(stopped)
    })
}

struct Exporter<'a> {
    source: &'a Certificate,
    result: Certificate,
    options: ExportOptions<'a>,
    /// The tables of the searches that expand leaves.
    tables: SearchTables,
    /// The table of the search of a leaf.
    leaf_tables: SearchTables,
}

impl<'a> Exporter<'a> {
    fn new(source: &'a Certificate, options: ExportOptions<'a>) -> Self {
        let statement = source.statement();
        let (rules, seeds) = (statement.rules().house_rules, max_seeds(source));
        let houses = statement.position().rows.south.len();
        let leaf_nodes = usize::try_from(options.leaf_nodes).unwrap_or(usize::MAX);
        let leaf_bytes = leaf_nodes
            .saturating_mul(HASH_BYTES_PER_NODE)
            .min(options.memory);
        Self {
            source,
            result: Certificate::new(statement.clone(), None),
            options,
            tables: search_tables(source, options.memory),
            leaf_tables: SearchTables::without_endgames(rules, houses, seeds, leaf_bytes),
        }
    }

    fn run(mut self) -> Result<Certificate, CertificateExportError> {
        for (goal, answer) in self.source.claim_goals() {
            self.add(&goal, answer, 0)?;
        }
        self.result.set_stated_claims(self.source.claims());
        Ok(self.result)
    }

    /// Adds a goal after those from which its answer follows.
    fn add(&mut self, goal: &Goal, answer: bool, depth: u32) -> Result<(), CertificateExportError> {
        if depth > MAX_DEPTH {
            return Err(CertificateExportError::TooDeep(Box::new(goal.clone())));
        }
        if self.options.stop_flag.load(Ordering::Relaxed) {
            return Err(CertificateExportError::Stopped);
        }
        if self.result.answer(goal) == Some(answer) {
            return Ok(());
        }
        let evidence = if self.is_leaf(goal, answer)? {
            Evidence::Search
        } else {
            let mut children = goal.children(self.source.statement().rules());
            if answer {
                children = vec![self.proven_move(goal, children)?];
            }
            for child in children {
                let child_answer = child.convert(answer);
                self.add(&child.goal, child_answer, depth + 1)?;
            }
            Evidence::Moves
        };
        let entry = CertificateEntry {
            answer: Some(answer),
            evidence,
        };
        self.result.insert(goal.clone(), entry);
        (self.options.observer)(self.result.goals().len());
        Ok(())
    }

    /// Returns whether a small search confirms the answer of a goal.
    fn is_leaf(&mut self, goal: &Goal, answer: bool) -> Result<bool, CertificateExportError> {
        self.leaf_tables.clear();
        let max_nodes = self.options.leaf_nodes;
        match self.search(goal, &self.leaf_tables, max_nodes) {
            Ok(found) if found == answer => Ok(true),
            Ok(_) => Err(wrong(goal, answer)),
            Err(NoAnswer::NodeLimit) => Ok(false),
            Err(NoAnswer::DepthLimit) => {
                Err(CertificateExportError::TooDeep(Box::new(goal.clone())))
            }
            Err(NoAnswer::Stopped) => Err(CertificateExportError::Stopped),
        }
    }

    /// Returns a move that reaches the target of a goal: one that is in a certificate already, or
    /// one that a search finds.
    fn proven_move(
        &self,
        goal: &Goal,
        mut children: Vec<GoalChild>,
    ) -> Result<GoalChild, CertificateExportError> {
        // The order of the search: bonus turns first, then by the seeds that the move banks.
        children.reverse();
        children.sort_by_key(|child| {
            let in_play = seeds_in_play(child.goal.position());
            (!child.same_player, in_play)
        });
        for certificate in [&self.result, self.source] {
            let is_proven = |child: &&GoalChild| {
                let answer = certificate.answer(&child.goal);
                answer.is_some_and(|answer| child.convert(answer))
            };
            if let Some(child) = children.iter().find(is_proven) {
                return Ok(child.clone());
            }
        }
        for child in children {
            match self.search(&child.goal, &self.tables, u64::MAX) {
                Ok(answer) if child.convert(answer) => return Ok(child),
                Ok(_) => {}
                Err(NoAnswer::Stopped) => return Err(CertificateExportError::Stopped),
                Err(NoAnswer::NodeLimit | NoAnswer::DepthLimit) => {
                    return Err(CertificateExportError::TooDeep(Box::new(child.goal)));
                }
            }
        }
        Err(wrong(goal, true))
    }

    fn search(&self, goal: &Goal, tables: &SearchTables, max_nodes: u64) -> Result<bool, NoAnswer> {
        let rules = self.source.statement().rules();
        decide(goal, rules, tables, max_nodes, self.options.stop_flag).0
    }
}

fn wrong(goal: &Goal, answer: bool) -> CertificateExportError {
    CertificateExportError::Fault(Box::new(Fault::new(goal, Some(answer), GoalFault::Search)))
}
