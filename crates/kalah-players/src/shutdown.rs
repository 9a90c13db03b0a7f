//! A request to stop, shared by everything that a command has started.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "process")]
use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A request to stop, and the child processes that have to end with it.
///
/// Clones share both. Long work polls [`Shutdown::is_requested`], or hands [`Shutdown::flag`] to an
/// engine.
///
/// ```
/// use kalah_players::Shutdown;
/// let shutdown = Shutdown::default();
/// let worker = shutdown.clone();
/// shutdown.request();
/// assert!(worker.is_requested());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    flag: Arc<AtomicBool>,
    #[cfg(feature = "process")]
    children: Arc<Mutex<ChildGroups>>,
}

/// The process groups of running child processes.
#[cfg(feature = "process")]
#[derive(Debug, Default)]
pub(crate) struct ChildGroups {
    /// The ids of the groups, which are those of their first processes.
    pub(crate) ids: BTreeSet<u32>,
    /// Whether no further child process may start.
    pub(crate) is_closed: bool,
}

impl Shutdown {
    /// Asks everything that shares this value to stop.
    pub fn request(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Returns whether a stop was requested.
    pub fn is_requested(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Returns the flag that [`Shutdown::request`] sets, for engines that poll one.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Returns a request of its own that shares the child processes of this one.
    ///
    /// A tournament stops its games with such a request without stopping the command.
    #[must_use]
    pub fn with_own_flag(&self) -> Self {
        Self {
            flag: Arc::default(),
            #[cfg(feature = "process")]
            children: Arc::clone(&self.children),
        }
    }

    #[cfg(feature = "process")]
    pub(crate) fn child_groups(&self) -> MutexGuard<'_, ChildGroups> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the process groups of all running child processes, and lets no further one start.
    ///
    /// For a program that is about to exit. On systems without process groups the child processes
    /// read the end of their input instead.
    #[cfg(feature = "process")]
    pub fn kill_children(&self) {
        let mut children = self.child_groups();
        children.is_closed = true;
        for &id in &children.ids {
            crate::process::kill_group_by_id(id);
        }
    }
}
