//! Whether a machine has room for a table, before any work is done.

use std::path::Path;

use indicatif::BinaryBytes;

use super::quoted_path;
use crate::CliError;

/// Memory that building a table takes beside the values, in bytes for a million positions: lists of sowings
/// and a layer's rows. Measured at 6 houses with 20 and 24 seeds, 173,000 and 89,000.
const OVERHEAD_PER_MILLION: u64 = 200_000;

/// Memory for building even the smallest table.
const MIN_BYTES: u64 = 16 << 20;

const MILLION: u64 = 1_000_000;

/// That there is memory enough to build a table of so many positions.
pub(in crate::commands) fn check_memory(positions: u64) -> Result<(), CliError> {
    let beside = positions.div_ceil(MILLION) * OVERHEAD_PER_MILLION;
    let needed = positions.saturating_add(beside.saturating_add(MIN_BYTES));
    // Where the system tells nothing, it refuses by itself.
    let free = kalah_players::system_memory().map_or(u64::MAX, |memory| memory.available);
    if needed <= free {
        return Ok(());
    }
    Err(CliError::Runtime(format!(
        "building this table takes {} of memory, and {} are free",
        BinaryBytes(needed),
        BinaryBytes(free)
    )))
}

/// That there is room for so many more bytes in a folder that is there.
pub(in crate::commands) fn check_disk_space(folder: &Path, needed: u64) -> Result<(), CliError> {
    match fs4::available_space(folder) {
        Ok(free) if free < needed => Err(CliError::Runtime(format!(
            "this table takes {} more of the disk with {}, and {} are free",
            BinaryBytes(needed),
            quoted_path(folder),
            BinaryBytes(free)
        ))),
        // Where the system tells nothing, it refuses by itself.
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused_before_any_work() {
        let folder = tempfile::tempdir().expect("a folder");
        check_disk_space(folder.path(), 1).expect("a byte");
        let refused =
            check_disk_space(folder.path(), u64::MAX).expect_err("all that can be counted");
        let told = refused.message().expect("a reason");
        assert!(
            told.starts_with("this table takes 16.00 EiB more of the disk with '"),
            "{told}"
        );
        check_memory(1).expect("a byte");
        let refused = check_memory(u64::MAX).expect_err("all that can be counted");
        let told = refused.message().expect("a reason");
        assert!(
            told.starts_with("building this table takes 16.00 EiB of memory, and "),
            "{told}"
        );
    }
}
