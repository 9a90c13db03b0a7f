//! The exchange of hash-table entries between the machines of a proof.

use std::collections::VecDeque;

use kalah_engine::SharedEntry;

/// The entries that the machines of a proof have found, for the others.
///
/// A machine is a process with one engine. An entry is believed as the result of a job is: it comes
/// from a search of the same proof.
#[derive(Debug, Default)]
pub struct EntryExchange {
    /// The newest entries, each with the number of the machine that has found it.
    entries: VecDeque<(usize, SharedEntry)>,
    /// The number of entries that were dropped before these.
    dropped: usize,
    machines: Vec<Machine>,
    /// The number of results that came from any machine.
    results: usize,
}

/// The part of a machine in an exchange.
#[derive(Clone, Copy, Debug, Default)]
struct Machine {
    /// The machine needs none of this number of entries, counted from the first one published.
    received: usize,
    /// The number of results of any machine when its last one came.
    last_result: usize,
}

/// The greatest number of entries that wait for machines, which have a few megabytes.
const MAX_WAITING: usize = 1 << 16;

/// A machine counts as lost if each machine has had this number of results on average since its
/// last one.
const LOST_ROUNDS: usize = 16;

impl EntryExchange {
    /// Adds the entries that a machine has found.
    pub fn publish(&mut self, machine: usize, entries: impl IntoIterator<Item = SharedEntry>) {
        self.add_machine(machine);
        self.entries
            .extend(entries.into_iter().map(|entry| (machine, entry)));
        let excess = self.entries.len().saturating_sub(MAX_WAITING);
        self.entries.drain(..excess);
        self.dropped += excess;
    }

    /// Takes the entries of other machines that a machine does not have: the newest `max` of them,
    /// in the order in which they came. The machine does not get older ones later.
    pub fn take(&mut self, machine: usize, max: usize) -> Vec<SharedEntry> {
        self.add_machine(machine);
        let entries = self.newest_missing(&[machine], max);
        self.machines[machine].received = self.published();
        entries
    }

    /// Returns the entries that at least one machine lacks: the newest `max` of them, in the order
    /// in which they came. A machine without a result for a long time is left out.
    ///
    /// This is for a job of which it is not known which machine will do it. When the result tells
    /// that, the caller passes the present [`Self::published`] to [`Self::receive`], and the
    /// machine does not get older entries later.
    pub fn missing_anywhere(&self, max: usize) -> Vec<SharedEntry> {
        let is_lost = |machine: &Machine| {
            self.results - machine.last_result > LOST_ROUNDS * self.machines.len()
        };
        let machines = self.machines.iter().enumerate();
        let present: Vec<usize> = machines
            .filter(|(_, machine)| !is_lost(machine))
            .map(|(number, _)| number)
            .collect();
        self.newest_missing(&present, max)
    }

    /// The number of entries that were published until now.
    pub fn published(&self) -> usize {
        self.dropped + self.entries.len()
    }

    /// Notes a result of a machine, whose job had the entries up to the first `count` published
    /// ones.
    pub fn receive(&mut self, machine: usize, count: usize) {
        self.add_machine(machine);
        self.results += 1;
        let machine = &mut self.machines[machine];
        machine.received = count.max(machine.received);
        machine.last_result = self.results;
    }

    fn add_machine(&mut self, machine: usize) {
        let new = Machine {
            last_result: self.results,
            ..Machine::default()
        };
        let count = self.machines.len().max(machine + 1);
        self.machines.resize(count, new);
    }

    /// Returns the newest `max` entries that at least one of these machines needs.
    fn newest_missing(&self, machines: &[usize], max: usize) -> Vec<SharedEntry> {
        let received = machines
            .iter()
            .map(|&number| self.machines[number].received);
        let first = received.min().unwrap_or(usize::MAX);
        let first = first.clamp(self.dropped, self.published());
        let is_needed = |index: usize, finder: usize| {
            let mut others = machines.iter().filter(|&&number| number != finder);
            others.any(|&number| self.machines[number].received <= index)
        };
        let entries = self.entries.range(first - self.dropped..);
        let mut newest: Vec<SharedEntry> = (first..self.published())
            .zip(entries)
            .rev()
            .filter(|&(index, &(finder, _))| is_needed(index, finder))
            .map(|(_, &(_, entry))| entry)
            .take(max)
            .collect();
        newest.reverse();
        newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the entry with a number, in the form of a message.
    fn entry(number: u8) -> SharedEntry {
        let mut message = [0; SharedEntry::BYTES];
        // An open goal with proof numbers that are not 0.
        (message[0], message[1], message[23]) = (1, number, 1);
        SharedEntry::decode(&message).unwrap()[0]
    }

    fn entries(numbers: impl IntoIterator<Item = u8>) -> Vec<SharedEntry> {
        numbers.into_iter().map(entry).collect()
    }

    #[test]
    fn a_machine_gets_the_newest_entries_of_others_once() {
        let mut exchange = EntryExchange::default();
        exchange.publish(0, entries([1, 2, 3]));
        exchange.publish(1, entries([4]));
        assert_eq!(exchange.take(0, 10), entries([4]));
        assert_eq!(exchange.take(1, 2), entries([2, 3]));
        // The older one does not come later.
        assert_eq!(exchange.take(1, 10), []);
        assert_eq!(exchange.take(2, 10), entries([1, 2, 3, 4]));
    }

    #[test]
    fn a_job_for_any_machine_has_what_one_of_them_lacks() {
        let mut exchange = EntryExchange::default();
        exchange.publish(0, entries([1, 2]));
        // A machine alone needs none of its own entries.
        assert_eq!(exchange.missing_anywhere(10), []);
        exchange.publish(1, entries([3]));
        assert_eq!(exchange.missing_anywhere(10), entries([1, 2, 3]));
        assert_eq!(exchange.missing_anywhere(2), entries([2, 3]));
        let handed_out = exchange.published();
        exchange.publish(0, entries([4]));
        exchange.receive(1, handed_out);
        assert_eq!(exchange.missing_anywhere(10), entries([3, 4]));
        exchange.receive(0, handed_out);
        assert_eq!(exchange.missing_anywhere(10), entries([4]));
        // A result that comes late takes nothing back.
        exchange.receive(1, exchange.published());
        exchange.receive(1, handed_out);
        assert_eq!(exchange.missing_anywhere(10), []);
    }

    #[test]
    fn a_lost_machine_needs_nothing() {
        let mut exchange = EntryExchange::default();
        exchange.receive(0, 0);
        exchange.receive(1, 0);
        exchange.publish(0, entries([1]));
        for _ in 0..2 * LOST_ROUNDS {
            assert_eq!(exchange.missing_anywhere(10), entries([1]));
            exchange.receive(0, exchange.published());
        }
        assert_eq!(exchange.missing_anywhere(10), entries([1]));
        exchange.receive(0, exchange.published());
        assert_eq!(exchange.missing_anywhere(10), []);
        // It was only slow.
        exchange.receive(1, 0);
        assert_eq!(exchange.missing_anywhere(10), entries([1]));
    }

    #[test]
    fn old_entries_are_dropped() {
        let mut exchange = EntryExchange::default();
        exchange.receive(1, 0);
        exchange.publish(0, (0..=MAX_WAITING).map(|_| entry(1)));
        exchange.publish(0, entries([2]));
        assert_eq!(exchange.entries.len(), MAX_WAITING);
        assert_eq!(exchange.published(), MAX_WAITING + 2);
        assert_eq!(exchange.missing_anywhere(2), entries([1, 2]));
        assert_eq!(exchange.take(1, usize::MAX).len(), MAX_WAITING);
        assert_eq!(exchange.missing_anywhere(1), []);
    }
}
