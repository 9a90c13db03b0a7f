//! Search of a root child by several threads.

use std::num::NonZeroUsize;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::alpha_beta::Search;
use super::context::SearchContext;
use super::node::{Child, SearchValue, Window};
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::search::control::{SearchControl, SearchLimits, SharedControl, Stopped};

/// Interval at which the waiting thread checks the limits.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Searches a root child with `threads` new threads while the calling thread polls the clock. With
/// more threads than processors the operating system schedules a thread that mostly sleeps at once,
/// but not one that searches.
///
/// If the operating system starts fewer threads, these search, and without any the calling thread.
///
/// Returns the first result of a thread; its contract is that of [`Search::search_root_child`].
pub(super) fn search_in_parallel<H: SearchBoard, E: EndgameTable>(
    control: &SearchControl,
    (context, shared_control, threads): (SearchContext<H, E>, &SharedControl, NonZeroUsize),
    child: &Child<H>,
    turns: u32,
    window: Window,
) -> Result<SearchValue, Stopped> {
    let (stop_flags, nodes) = control.flags_and_max_nodes();
    let (sender, receiver) = mpsc::channel();
    let result = thread::scope(|scope| {
        for number in 0..threads.get() {
            if control.should_stop() {
                break;
            }
            let sender = sender.clone();
            let search = move || {
                let limits = SearchLimits {
                    deadline: None,
                    stop_flags,
                    max_nodes: nodes,
                    heartbeat: None,
                };
                let control = SearchControl::new(limits, shared_control);
                let value =
                    Search::<H, E>::new(context, control).search_root_child(child, turns, window);
                if let Ok(value) = value {
                    // The receiver is gone if the time was up before.
                    let _ = sender.send(value);
                    shared_control.stop_all();
                }
            };
            if thread::Builder::new().spawn_scoped(scope, search).is_ok() {
                continue;
            }
            if number == 0 {
                let control = SearchControl::new(control.limits(), shared_control);
                return Search::<H, E>::new(context, control)
                    .search_root_child(child, turns, window);
            }
            break;
        }
        drop(sender);
        let result = loop {
            match receiver.recv_timeout(POLL_INTERVAL) {
                Ok(value) => break Ok(value),
                Err(RecvTimeoutError::Timeout) if !control.should_stop() => control.beat(),
                // A stop, or all threads have stopped by themselves.
                Err(_) => break Err(Stopped),
            }
        };
        shared_control.stop_all();
        result
    });
    shared_control.reset();
    result
}
