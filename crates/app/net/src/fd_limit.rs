//! The limit of open files.

/// The number of open files to reserve for files on disk, next to those of connections.
#[cfg(unix)]
const RESERVED_FDS: u64 = 64;

/// Raises the soft limit of open files as far as `wanted` connections or pipes need: every one is
/// an open file, and the soft limit is often about 1,000. Programs that this process starts inherit
/// the limit, and some of them close all numbers of files below it, so it is raised no further.
/// Returns the number of connections or pipes, at most `wanted`, for which the limit suffices.
#[cfg(unix)]
pub fn raise_fd_limit(wanted: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let open = open_fd_count();
    let needed = u64::try_from(wanted)
        .unwrap_or(u64::MAX)
        .saturating_add(open)
        .saturating_add(RESERVED_FDS);
    let limit = getrlimit(Resource::Nofile);
    let mut available = limit.current.unwrap_or(u64::MAX);
    let target = limit.maximum.map_or(needed, |maximum| maximum.min(needed));
    if target > available {
        let raised = Rlimit {
            current: Some(target),
            ..limit
        };
        match setrlimit(Resource::Nofile, raised) {
            Ok(()) => available = target,
            Err(reason) => tracing::warn!(%reason, "cannot raise the limit of open files"),
        }
    }
    let connections = max_connections(available, open, wanted);
    if connections < wanted {
        tracing::warn!(
            "only {connections} connections instead of {wanted} are accepted: the limit of open \
             files is too low"
        );
    }
    connections
}

/// Returns `wanted`, because this system has no such limit.
#[cfg(not(unix))]
pub fn raise_fd_limit(wanted: usize) -> usize {
    wanted
}

/// Returns the number of connections for which a limit of open files suffices, at least one.
#[cfg(unix)]
fn max_connections(limit: u64, open: u64, wanted: usize) -> usize {
    let free = limit
        .saturating_sub(open)
        .saturating_sub(RESERVED_FDS)
        .max(1);
    usize::try_from(free).unwrap_or(usize::MAX).min(wanted)
}

/// Returns the number of open files of this process, or 0 if the system does not report it.
#[cfg(unix)]
fn open_fd_count() -> u64 {
    let open = std::fs::read_dir("/dev/fd").map_or(0, Iterator::count);
    u64::try_from(open).unwrap_or(0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_open_files_for_other_purposes() {
        assert_eq!(max_connections(u64::MAX, 10, 500), 500);
        assert_eq!(max_connections(10 + RESERVED_FDS + 500, 10, 500), 500);
        assert_eq!(max_connections(10 + RESERVED_FDS + 499, 10, 500), 499);
        assert_eq!(max_connections(16, 10, 500), 1);
    }
    #[test]
    fn open_files_are_counted() {
        const FILES: usize = 100;

        let before = open_fd_count();
        let files = [(); FILES].map(|()| std::fs::File::open("/dev/null"));
        assert!(files.iter().all(Result::is_ok));
        // Other tests of this process may have closed some files.
        assert!(open_fd_count() > before + FILES as u64 / 2);
    }
}
