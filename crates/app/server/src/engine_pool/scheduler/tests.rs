//! The order in which requests start, and forecasts of it.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn client(number: u8) -> ClientIp {
    ClientIp::new([192, 0, 2, number].into())
}

fn limits(workers: usize, workers_per_client: usize) -> SchedulerLimits {
    let positive = |number| NonZeroUsize::new(number).expect("a positive number");
    SchedulerLimits {
        workers: positive(workers),
        workers_per_client: positive(workers_per_client),
        queue_length: 8,
        queue_length_per_client: 4,
    }
}

/// A scheduler whose payloads name their requests.
type Named = FairScheduler<&'static str>;

fn push(scheduler: &mut Named, number: u8, name: &'static str) -> RequestId {
    let kind = if name.starts_with("move") {
        SearchKind::OpponentMove
    } else {
        SearchKind::Analysis
    };
    let pushed = scheduler.push(client(number), kind, SECOND, name);
    let pushed = pushed.expect("a place in the queue");
    assert_eq!(pushed.displaced, None);
    pushed.id
}

/// Runs all queued requests on one worker, and returns their names in order.
fn run_all(scheduler: &mut Named) -> Vec<&'static str> {
    let mut names = Vec::new();
    while let Some((id, name)) = scheduler.next(Duration::ZERO) {
        names.push(name);
        scheduler.finish(id);
    }
    names
}

#[test]
fn clients_take_turns() {
    let mut scheduler = Named::new(limits(1, 1));
    for (number, name) in [
        (1, "a1"),
        (1, "a2"),
        (1, "a3"),
        (2, "b1"),
        (2, "b2"),
        (3, "c1"),
    ] {
        push(&mut scheduler, number, name);
    }
    let order = run_all(&mut scheduler);
    assert_eq!(order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
    assert!(scheduler.clients.is_empty());
}

#[test]
fn opponents_moves_go_first() {
    let mut scheduler = Named::new(limits(1, 1));
    for (number, name) in [
        (1, "a1"),
        (1, "move a"),
        (2, "b1"),
        (3, "move c1"),
        (3, "move c2"),
    ] {
        push(&mut scheduler, number, name);
    }
    // One move of a client goes before a request that waits, a second one does not.
    let order = run_all(&mut scheduler);
    assert_eq!(order, ["move a", "move c1", "b1", "a1", "move c2"]);
}

#[test]
fn client_leaves_workers_to_others() {
    let mut scheduler = Named::new(limits(4, 2));
    for name in ["a1", "a2", "a3"] {
        push(&mut scheduler, 1, name);
    }
    let first = scheduler.next(Duration::ZERO).expect("a start").0;
    assert!(scheduler.next(Duration::ZERO).is_some());
    assert_eq!(scheduler.next(Duration::ZERO), None);
    push(&mut scheduler, 2, "b1");
    assert_eq!(
        scheduler.next(Duration::ZERO).map(|(_, name)| name),
        Some("b1")
    );
    scheduler.finish(first);
    assert_eq!(
        scheduler.next(Duration::ZERO).map(|(_, name)| name),
        Some("a3")
    );
    assert_eq!(
        (scheduler.running_count(), scheduler.queued_count()),
        (3, 0)
    );
}

#[test]
fn queue_has_a_limit_of_one_client() {
    let mut scheduler = Named::new(limits(2, 1));
    for number in [1, 2] {
        for _ in 0..=4 {
            push(&mut scheduler, number, "");
            scheduler.next(Duration::ZERO);
        }
        let full = scheduler.push(client(number), SearchKind::Analysis, SECOND, "");
        assert_eq!(full.err(), Some(QueueFull::OfClient), "{number}");
    }
}

#[test]
fn longest_queue_gives_way_in_a_full_queue() {
    let mut scheduler = Named::new(limits(1, 1));
    let running = push(&mut scheduler, 1, "a1");
    assert!(scheduler.next(Duration::ZERO).is_some());
    for name in ["a2", "move a3", "a4", "move a5"] {
        push(&mut scheduler, 1, name);
    }
    for (number, name) in [(2, "b1"), (2, "b2"), (2, "b3"), (3, "c1")] {
        push(&mut scheduler, number, name);
    }
    // The queue is full. The last analysis of the longest queue leaves it, then the next one.
    let mut displaced = |number, name| {
        let pushed = scheduler.push(client(number), SearchKind::Analysis, SECOND, name);
        pushed.map(|pushed| pushed.displaced.map(|(_, name)| name))
    };
    assert_eq!(displaced(4, "d1"), Ok(Some("a4")));
    assert_eq!(displaced(3, "c2"), Ok(Some("b3")));
    assert_eq!(displaced(5, "e1"), Ok(Some("a2")));
    // Now each client has at most two.
    assert_eq!(displaced(1, "a6"), Err(QueueFull::OfAll));
    assert_eq!(displaced(4, "d2"), Err(QueueFull::OfAll));
    assert_eq!(displaced(6, "f1"), Ok(Some("c2")));
    scheduler.finish(running);
    assert_eq!(scheduler.queued_count(), 8);
    let mut names = run_all(&mut scheduler);
    names.sort_unstable();
    let expected = ["b1", "b2", "c1", "d1", "e1", "f1", "move a3", "move a5"];
    assert_eq!(names, expected);
}

#[test]
fn clients_with_one_request_each_do_not_displace_each_other() {
    let mut scheduler = Named::new(limits(1, 1));
    for number in 0..=8 {
        push(&mut scheduler, number, "");
    }
    let full = scheduler.push(client(9), SearchKind::Analysis, SECOND, "");
    assert_eq!(full.err(), Some(QueueFull::OfAll));
}

#[test]
fn cancelled_request_leaves_the_queue() {
    let mut scheduler = Named::new(limits(1, 1));
    let running = push(&mut scheduler, 1, "a1");
    assert!(scheduler.next(Duration::ZERO).is_some());
    let queued = push(&mut scheduler, 1, "a2");
    assert_eq!(scheduler.cancel(running), None);
    assert_eq!(scheduler.cancel(queued), Some("a2"));
    assert_eq!(scheduler.cancel(queued), None);
    assert_eq!(
        (scheduler.running_count(), scheduler.queued_count()),
        (1, 0)
    );
    scheduler.finish(running);
    assert!(scheduler.clients.is_empty());
}

#[test]
fn forecast_uses_the_time_limits() {
    let mut scheduler = Named::new(limits(2, 1));
    let mut push_for = |number, seconds: u32| {
        let time_limit = SECOND * seconds;
        let pushed = scheduler.push(client(number), SearchKind::Analysis, time_limit, "");
        pushed.expect("a place in the queue");
        // A free worker takes the request at once.
        scheduler.next(Duration::ZERO);
    };
    // Two run for 5 s and 20 s; then each client takes its turn.
    for (number, seconds) in [(1, 5), (2, 20), (1, 5), (3, 4), (1, 5)] {
        push_for(number, seconds);
    }
    let waits = |now| {
        let forecast = scheduler.forecast(now).into_iter();
        let wait = |forecast: Forecast| (forecast.place, forecast.client, forecast.wait);
        forecast.map(wait).collect::<Vec<_>>()
    };
    let (first, second) = (client(1), client(3));
    // The first client may occupy one worker only, so that both its requests follow each other.
    let expected = |ends: [u64; 3]| {
        let [a, b, c] = ends.map(Duration::from_secs);
        [(1, first, a), (2, second, b), (3, first, c)]
    };
    assert_eq!(waits(Duration::ZERO), expected([5, 10, 14]));
    assert_eq!(waits(3 * SECOND), expected([2, 7, 11]));
    // A request that exceeds its time limit may end at any moment.
    assert_eq!(waits(6 * SECOND), expected([0, 5, 9]));
    let wait = |full, client| scheduler.time_to_free_place(full, client, Duration::ZERO);
    assert_eq!(wait(QueueFull::OfClient, second), 10 * SECOND);
    assert_eq!(wait(QueueFull::OfAll, second), 5 * SECOND);
}

/// A step of a random history.
#[derive(Clone, Copy, Debug)]
enum HistoryStep {
    Push { client: u8, kind: SearchKind },
    Finish(usize),
    Cancel(usize),
}

fn step() -> impl Strategy<Value = HistoryStep> {
    let kind = prop_oneof![Just(SearchKind::OpponentMove), Just(SearchKind::Analysis)];
    prop_oneof![
        3 => (0_u8..5, kind).prop_map(|(client, kind)| HistoryStep::Push { client, kind }),
        3 => any::<usize>().prop_map(HistoryStep::Finish),
        1 => any::<usize>().prop_map(HistoryStep::Cancel),
    ]
}

/// Counts the requests of other clients that start while a client is ready and waits.
#[derive(Default)]
struct Waits {
    queued: Vec<(RequestId, u8)>,
    running: Vec<(RequestId, u8)>,
    starts_of_others: HashMap<u8, HashMap<u8, usize>>,
}

impl Waits {
    fn is_ready(&self, client: u8, limits: SchedulerLimits) -> bool {
        let running = self.running.iter().filter(|(_, of)| *of == client).count();
        self.queued.iter().any(|(_, of)| *of == client) && running < limits.workers_per_client.get()
    }

    fn start(&mut self, id: RequestId, limits: SchedulerLimits) {
        let index = self.queued.iter().position(|(queued, _)| *queued == id);
        let (_, starting) = self.queued.remove(index.expect("a queued request"));
        for other in (0..5).filter(|&other| other != starting) {
            if self.is_ready(other, limits) {
                let starts = self.starts_of_others.entry(other).or_default();
                let count = starts.entry(starting).or_default();
                *count += 1;
                assert!(
                    *count <= 1,
                    "client {other} waited for {count} of {starting}"
                );
            }
        }
        self.running.push((id, starting));
        self.starts_of_others.remove(&starting);
    }

    /// Forgets the waits of clients without queued requests.
    fn forget(&mut self) {
        let queued = &self.queued;
        (self.starts_of_others).retain(|client, _| queued.iter().any(|(_, of)| of == client));
    }
}

proptest! {
    #[test]
    fn client_waits_for_at_most_one_request_of_every_other_client(
        (workers, per_client) in (1_usize..5).prop_flat_map(|all| (Just(all), 1..=all)),
        steps in vec(step(), 1..200),
    ) {
        let limits = SchedulerLimits {
            queue_length: usize::MAX / 2,
            queue_length_per_client: usize::MAX / 2,
            ..limits(workers, per_client)
        };
        let mut scheduler = FairScheduler::new(limits);
        let mut waits = Waits::default();
        for step in steps {
            match step {
                HistoryStep::Push { client: number, kind } => {
                    let id = scheduler.push(client(number), kind, SECOND, ());
                    waits.queued.push((id.expect("a place").id, number));
                }
                HistoryStep::Finish(index) if !waits.running.is_empty() => {
                    let (id, _) = waits.running.remove(index % waits.running.len());
                    scheduler.finish(id);
                }
                HistoryStep::Cancel(index) if !waits.queued.is_empty() => {
                    let (id, _) = waits.queued.remove(index % waits.queued.len());
                    prop_assert_eq!(scheduler.cancel(id), Some(()));
                    waits.forget();
                }
                HistoryStep::Finish(_) | HistoryStep::Cancel(_) => {}
            }
            // The forecast names the requests that do not start now, in the order of starts.
            let expected = scheduler.forecast(Duration::ZERO).len();
            while let Some((id, ())) = scheduler.next(Duration::ZERO) {
                waits.start(id, limits);
                waits.forget();
            }
            prop_assert_eq!(scheduler.queued_count(), waits.queued.len());
            prop_assert_eq!(scheduler.running_count(), waits.running.len());
            prop_assert_eq!(scheduler.queued_count(), expected);
            // No worker is idle while a client is ready.
            let is_any_ready = (0..5).any(|client| waits.is_ready(client, limits));
            prop_assert!(waits.running.len() == workers || !is_any_ready);
        }
    }
}
