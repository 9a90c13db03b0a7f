/// Files that stay free for records, besides those that connections are, as long as nobody else takes them.
const RESERVED_FDS: u64 = 64;

/// For how many connections, of those that are wanted, this process can have open files. It takes as many as the system
/// lets it.
#[cfg(unix)]
pub(super) fn raise_fd_limit(wanted: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let need = u64::try_from(wanted).unwrap_or(u64::MAX);
    let taken = open_fd_count();
    let all = need.saturating_add(taken).saturating_add(RESERVED_FDS);
    let limit = getrlimit(Resource::Nofile);
    let mut most = limit.current.unwrap_or(u64::MAX);
    if most < all {
        let higher = limit.maximum.unwrap_or(u64::MAX).min(all);
        let raised = Rlimit {
            current: Some(higher),
            ..limit
        };
        if higher > most && setrlimit(Resource::Nofile, raised).is_ok() {
            most = higher;
        }
    }
    available_connections(most, taken, wanted)
}

#[cfg(not(unix))]
pub(super) fn raise_fd_limit(wanted: usize) -> usize {
    wanted
}

/// The places for which there are files, at least one.
#[cfg(unix)]
fn available_connections(most: u64, taken: u64, wanted: usize) -> usize {
    let free = most
        .saturating_sub(taken)
        .saturating_sub(RESERVED_FDS)
        .max(1);
    usize::try_from(free).unwrap_or(usize::MAX).min(wanted)
}

/// The files that are open, where the system tells.
#[cfg(unix)]
fn open_fd_count() -> u64 {
    let open = std::fs::read_dir("/dev/fd").map_or(0, Iterator::count);
    u64::try_from(open).unwrap_or(0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn no_more_clients_are_taken_than_leave_files_for_records() {
        assert_eq!(available_connections(u64::MAX, 10, 500), 500);
        assert_eq!(available_connections(10 + RESERVED_FDS + 500, 10, 500), 500);
        assert_eq!(available_connections(10 + RESERVED_FDS + 499, 10, 500), 499);
        assert_eq!(available_connections(16, 10, 500), 1);
    }
}
