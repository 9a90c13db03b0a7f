//! The message about a mapped table file that the system cannot read any more.
//!
//! The system ends a process with SIGBUS if it reads a page of a mapped file that another program
//! has cut off, or whose disk fails. The handler here names the file before the process ends.

#![cfg_attr(
    unix,
    expect(
        unsafe_code,
        reason = "a handler of a signal is registered, and reads the address in its argument"
    )
)]

use kalah_tables::Table;

/// Lets the message of SIGBUS name the file of `table`, if it is mapped. On Windows, which reports
/// such errors in another way, it does nothing.
pub(crate) fn name_in_bus_error(table: &Table) {
    #[cfg(unix)]
    unix::name_in_bus_error(table);
    #[cfg(not(unix))]
    let _ = table;
}

/// Lets SIGBUS restore the terminal as it is now, before a screen opens. `closing_sequence` closes
/// the screen. On Windows it does nothing.
pub(crate) fn restore_terminal_in_bus_error(closing_sequence: Vec<u8>) {
    #[cfg(unix)]
    unix::restore_terminal_in_bus_error(closing_sequence);
    #[cfg(not(unix))]
    drop(closing_sequence);
}

#[cfg(unix)]
mod unix {
    use std::ops::Range;
    use std::sync::{Once, OnceLock};

    use kalah_players::display_path;
    use kalah_tables::Table;
    use rustix::stdio::{stdin, stdout};
    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
    use signal_hook::consts::SIGBUS;
    use signal_hook::low_level::emulate_default_handler;
    use signal_hook_registry::register_sigaction;

    /// A map of a table file.
    struct MappedTable {
        addresses: Range<usize>,
        /// The line on standard error, because a handler of a signal cannot allocate memory.
        message: String,
    }

    /// The terminal before the screen opened.
    struct RestoredTerminal {
        attributes: Termios,
        closing_sequence: Vec<u8>,
    }

    static TERMINAL: OnceLock<RestoredTerminal> = OnceLock::new();

    pub(super) fn restore_terminal_in_bus_error(closing_sequence: Vec<u8>) {
        if let Ok(attributes) = tcgetattr(stdin()) {
            TERMINAL.get_or_init(|| RestoredTerminal {
                attributes,
                closing_sequence,
            });
        }
    }

    /// The maps of this process, each in the first free place, so that a later map stands behind an
    /// earlier one. Those of closed tables remain here.
    static MAPPED_TABLES: [OnceLock<MappedTable>; MAX_MAPPED_TABLES] =
        [const { OnceLock::new() }; MAX_MAPPED_TABLES];

    /// The maximum number of maps that a message can name. A command opens one table, or one for
    /// each variant of its games.
    const MAX_MAPPED_TABLES: usize = 64;

    pub(super) fn name_in_bus_error(table: &Table) {
        static HANDLER: Once = Once::new();
        let Some((path, addresses)) = table.mapped_file() else {
            return;
        };
        let message = format!(
            "error: the system cannot read '{}' any more: another program has cut it off, or its \
             disk fails\n",
            display_path(path)
        );
        let mut map = MappedTable { addresses, message };
        for slot in &MAPPED_TABLES {
            match slot.set(map) {
                Ok(()) => break,
                Err(refused) => map = refused,
            }
        }
        HANDLER.call_once(|| {
            // SAFETY: a handler may call only functions that are safe in handlers. `report` reads
            // values that never change once they are set, writes to file descriptors, sets the
            // attributes of a terminal, and lets the system end the process. For this signal the
            // system sets the address of the fault, and any address may be in it.
            let registered =
                unsafe { register_sigaction(SIGBUS, |info| report(info.si_addr().addr())) };
            // Without the handler the system ends the process without a message.
            let _ = registered;
        });
    }

    /// Restores the terminal, writes the message of the map that has the address of the fault, and
    /// ends the process as the signal does without a handler.
    fn report(address: usize) {
        // An error of the terminal cannot be reported anywhere.
        if let Some(terminal) = TERMINAL.get() {
            let _ = rustix::io::write(stdout(), &terminal.closing_sequence);
            let _ = tcsetattr(stdin(), OptionalActions::Now, &terminal.attributes);
        }
        // The latest map of the address is the one that exists.
        let maps = MAPPED_TABLES.iter().rev().filter_map(OnceLock::get);
        if let Some(map) = { maps }.find(|map| map.addresses.contains(&address)) {
            let stderr = rustix::stdio::stderr();
            // An error on standard error cannot be reported anywhere.
            let _ = rustix::io::write(stderr, map.message.as_bytes());
        }
        let _ = emulate_default_handler(SIGBUS);
    }
}
