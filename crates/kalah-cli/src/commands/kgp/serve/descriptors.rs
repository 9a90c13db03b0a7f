/// Files that stay free for records, besides those that connections are, as long as nobody else takes them.
const SPARE: u64 = 64;

/// For how many connections, of those that are wanted, this process can have open files. It takes as many as the system
/// lets it.
#[cfg(unix)]
pub(super) fn places(wanted: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let need = u64::try_from(wanted).unwrap_or(u64::MAX);
    let taken = open_now();
    let all = need.saturating_add(taken).saturating_add(SPARE);
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
    left(most, taken, wanted)
}

#[cfg(not(unix))]
pub(super) fn places(wanted: usize) -> usize {
    wanted
}

/// The places for which there are files, at least one.
#[cfg(unix)]
fn left(most: u64, taken: u64, wanted: usize) -> usize {
    let free = most.saturating_sub(taken).saturating_sub(SPARE).max(1);
    usize::try_from(free).unwrap_or(usize::MAX).min(wanted)
}

/// The files that are open, where the system tells.
#[cfg(unix)]
fn open_now() -> u64 {
    let open = std::fs::read_dir("/dev/fd").map_or(0, Iterator::count);
    u64::try_from(open).unwrap_or(0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn no_more_clients_are_taken_than_leave_files_for_records() {
        assert_eq!(left(u64::MAX, 10, 500), 500);
        assert_eq!(left(10 + SPARE + 500, 10, 500), 500);
        assert_eq!(left(10 + SPARE + 499, 10, 500), 499);
        assert_eq!(left(16, 10, 500), 1);
    }
}
