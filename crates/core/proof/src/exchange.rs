//! The exchange of hash-table entries between the machines of a proof.

use std::collections::VecDeque;

use kalah_engine::SharedEntry;

/// The entries that the machines of a proof have found, for the others.
///
/// An entry is believed as the result of a job is: it comes from a search of the same proof.
#[derive(Debug, Default)]
pub struct EntryExchange {
    /// The newest entries, each with the number of the machine that has found it.
    entries: VecDeque<(usize, SharedEntry)>,
    /// The number of entries that were dropped before these.
    dropped: usize,
    /// The number of entries that each machine has taken or found unnecessary.
    taken: Vec<usize>,
}

/// The greatest number of entries that wait for machines, which have a few megabytes.
const MAX_WAITING: usize = 1 << 16;

impl EntryExchange {
    /// Adds the entries that a machine has found.
    pub fn publish(&mut self, machine: usize, entries: impl IntoIterator<Item = SharedEntry>) {
        self.entries
            .extend(entries.into_iter().map(|entry| (machine, entry)));
        let excess = self.entries.len().saturating_sub(MAX_WAITING);
        self.entries.drain(..excess);
        self.dropped += excess;
    }

    /// Takes the entries of other machines that a machine does not have: the newest `max` of them,
    /// in the order in which they came. The machine does not get older ones later.
    pub fn take(&mut self, machine: usize, max: usize) -> Vec<SharedEntry> {
        if self.taken.len() <= machine {
            self.taken.resize(machine + 1, 0);
        }
        let first = self.taken[machine].saturating_sub(self.dropped);
        self.taken[machine] = self.dropped + self.entries.len();
        let others = self.entries.range(first..).rev();
        let others = others.filter(|&&(finder, _)| finder != machine).take(max);
        let mut entries: Vec<SharedEntry> = others.map(|&(_, entry)| entry).collect();
        entries.reverse();
        entries
    }
}
