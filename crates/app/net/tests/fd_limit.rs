//! The limit of open files, in a process of its own.

#![cfg(unix)]

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// A limit with which a few connections are possible.
const LOW_LIMIT: u64 = 100;
const CONNECTIONS: usize = 150;

#[test]
fn limit_is_raised_for_the_wanted_connections() {
    let limit = getrlimit(Resource::Nofile);
    let low = Rlimit {
        current: Some(LOW_LIMIT),
        ..limit
    };
    setrlimit(Resource::Nofile, low).expect("a lower limit");
    assert_eq!(kalah_net::raise_fd_limit(CONNECTIONS), CONNECTIONS);
    let raised = getrlimit(Resource::Nofile).current;
    assert!(raised > Some(CONNECTIONS as u64), "{raised:?}");
    // A limit that suffices is left as it is.
    assert_eq!(kalah_net::raise_fd_limit(1), 1);
    assert_eq!(getrlimit(Resource::Nofile).current, raised);
}
