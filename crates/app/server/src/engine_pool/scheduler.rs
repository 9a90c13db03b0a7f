//! The order of engine requests: round robin over client addresses.
//!
//! The scheduler is a plain data structure without threads and without a clock. A pool calls
//! [`FairScheduler::push`] for a new request, [`FairScheduler::next`] for a free worker, and
//! [`FairScheduler::finish`] at the end of a request.
//!
//! # Order
//! Every client that has queued requests and may start one more is *ready*. The counter `tick` goes
//! up with each push and each start. `waiting_since` of a client is the tick at which its queue
//! began to be non-empty, or the tick of its last start if that is later. A client one of whose
//! requests has started after another ready client began to wait lets that client go first; the
//! others are candidates. Among the candidates, one with an opponent's move goes first, then the
//! one that has waited longest. So while a client is ready and waits, every other client starts at
//! most one request, whatever the kinds of requests are.

use std::collections::{HashMap, VecDeque};
use std::num::NonZeroUsize;
use std::time::Duration;

use kalah_api::SearchKind;

use crate::http::rate_limit::ClientIp;

/// The limits of a scheduler.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchedulerLimits {
    /// The number of requests that may run at the same time.
    pub(super) workers: NonZeroUsize,
    /// The number of requests of one client that may run at the same time.
    pub(super) workers_per_client: NonZeroUsize,
    /// The number of queued requests.
    pub(super) queue_length: usize,
    /// The number of queued requests of one client.
    pub(super) queue_length_per_client: usize,
}

/// The number of a request, unique in its scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RequestId(u64);

/// The reason why a request is not queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueueFull {
    /// The client has as many queued requests as one client may have.
    OfClient,
    /// All clients together have as many queued requests as the queue holds.
    OfAll,
}

/// The result of queueing a request.
#[derive(Debug)]
pub(super) struct Pushed<T> {
    /// The number of the request.
    pub(super) id: RequestId,
    /// A request that has left the full queue to make room, with its payload.
    pub(super) displaced: Option<(RequestId, T)>,
}

/// The expected start of a queued request that has to wait for the end of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Forecast {
    pub(super) id: RequestId,
    pub(super) client: ClientIp,
    /// The number of waiting requests that start before this one, plus 1.
    pub(super) place: usize,
    /// The time until the start if all requests use up their time limits and no others arrive.
    pub(super) wait: Duration,
}

/// Requests with payloads of type `T`, in fair order.
#[derive(Debug)]
pub(super) struct FairScheduler<T> {
    limits: SchedulerLimits,
    clients: HashMap<ClientIp, ClientQueue<T>>,
    running: HashMap<RequestId, RunningRequest>,
    queued_count: usize,
    next_id: u64,
    /// Counts pushes and starts.
    tick: u64,
}

#[derive(Debug)]
struct ClientQueue<T> {
    opponent_moves: VecDeque<QueuedRequest<T>>,
    analyses: VecDeque<QueuedRequest<T>>,
    running_count: usize,
    waiting_since: u64,
    last_start: u64,
}

#[derive(Debug)]
struct QueuedRequest<T> {
    id: RequestId,
    time_limit: Duration,
    payload: T,
}

#[derive(Clone, Copy, Debug)]
struct RunningRequest {
    client: ClientIp,
    /// The time at which its time limit is used up.
    ends_at: Duration,
}

impl<T> FairScheduler<T> {
    pub(super) fn new(limits: SchedulerLimits) -> Self {
        Self {
            limits,
            clients: HashMap::new(),
            running: HashMap::new(),
            queued_count: 0,
            next_id: 0,
            tick: 0,
        }
    }

    /// Returns the limits.
    pub(super) fn limits(&self) -> SchedulerLimits {
        self.limits
    }

    /// Returns the number of queued requests.
    pub(super) fn queued_count(&self) -> usize {
        self.queued_count
    }

    /// Returns the number of running requests.
    pub(super) fn running_count(&self) -> usize {
        self.running.len()
    }

    /// Adds a request of `client`. A request that can start at once does not count as queued for
    /// the limits. If the queue is full, the last request of the client with the most queued ones
    /// leaves it, as long as that client still has more of them than this one.
    ///
    /// # Errors
    /// Returns the limit that is reached.
    pub(super) fn push(
        &mut self,
        client: ClientIp,
        kind: SearchKind,
        time_limit: Duration,
        payload: T,
    ) -> Result<Pushed<T>, QueueFull> {
        let (queued, running) = self
            .clients
            .get(&client)
            .map_or((0, 0), |queue| (queue.queued_count(), queue.running_count));
        // Requests that are pushed and not started yet occupy the free workers.
        let free = self.limits.workers.get() - self.running.len();
        let free_of_client = self.limits.workers_per_client.get() - running;
        if queued >= self.limits.queue_length_per_client + free_of_client.min(free) {
            return Err(QueueFull::OfClient);
        }
        let displaced = if self.queued_count >= self.limits.queue_length + free {
            Some(self.displace(queued + 1).ok_or(QueueFull::OfAll)?)
        } else {
            None
        };
        self.next_id += 1;
        self.tick += 1;
        self.queued_count += 1;
        let id = RequestId(self.next_id);
        let queue = self.clients.entry(client).or_default();
        if queue.queued_count() == 0 {
            queue.waiting_since = self.tick;
        }
        queue.of_kind(kind).push_back(QueuedRequest {
            id,
            time_limit,
            payload,
        });
        Ok(Pushed { id, displaced })
    }

    /// Removes the last request, an analysis if there is one, of the client with the most queued
    /// requests. Returns `None` if no client has more than `count`.
    fn displace(&mut self, count: usize) -> Option<(RequestId, T)> {
        // The time breaks ties, so that the result does not depend on the order of the map.
        let longest = (self.clients.values_mut())
            .filter(|queue| queue.queued_count() > count)
            .max_by_key(|queue| (queue.queued_count(), queue.waiting_since))?;
        let analysis = longest.analyses.pop_back();
        let request = analysis.or_else(|| longest.opponent_moves.pop_back())?;
        self.queued_count -= 1;
        Some((request.id, request.payload))
    }

    /// Starts the next request at the time `now`, or returns `None` if no worker is free or no
    /// client may start a request.
    pub(super) fn next(&mut self, now: Duration) -> Option<(RequestId, T)> {
        if self.running.len() >= self.limits.workers.get() {
            return None;
        }
        let per_client = self.limits.workers_per_client.get();
        let is_ready =
            |queue: &ClientQueue<T>| queue.queued_count() > 0 && queue.running_count < per_client;
        let ready = || self.clients.iter().filter(|(_, queue)| is_ready(queue));
        let longest_wait = ready().map(|(_, queue)| queue.waiting_since).min()?;
        let (&client, _) = ready()
            .filter(|(_, queue)| queue.last_start <= longest_wait)
            .min_by_key(|(_, queue)| (queue.opponent_moves.is_empty(), queue.waiting_since))?;
        self.tick += 1;
        self.queued_count -= 1;
        let queue = self.clients.get_mut(&client)?;
        queue.running_count += 1;
        queue.waiting_since = self.tick;
        queue.last_start = self.tick;
        let opponent_move = queue.opponent_moves.pop_front();
        let request = opponent_move.or_else(|| queue.analyses.pop_front())?;
        let ends_at = now.saturating_add(request.time_limit);
        self.running
            .insert(request.id, RunningRequest { client, ends_at });
        Some((request.id, request.payload))
    }

    /// Removes a running request.
    pub(super) fn finish(&mut self, id: RequestId) {
        if let Some(request) = self.running.remove(&id) {
            if let Some(queue) = self.clients.get_mut(&request.client) {
                queue.running_count -= 1;
            }
            self.forget_idle_clients();
        }
    }

    /// Removes a queued request. Returns `None` if it is not queued, for example because it runs.
    pub(super) fn cancel(&mut self, id: RequestId) -> Option<T> {
        let removed = self.clients.values_mut().find_map(|queue| {
            let ClientQueue {
                opponent_moves,
                analyses,
                ..
            } = queue;
            [opponent_moves, analyses].into_iter().find_map(|requests| {
                let index = requests.iter().position(|request| request.id == id)?;
                requests.remove(index)
            })
        })?;
        self.queued_count -= 1;
        self.forget_idle_clients();
        Some(removed.payload)
    }

    /// Removes clients without requests, except those whose last start still counts for the order.
    fn forget_idle_clients(&mut self) {
        let waiting = self
            .clients
            .values()
            .filter(|queue| queue.queued_count() > 0);
        let longest_wait = waiting.map(|queue| queue.waiting_since).min();
        self.clients.retain(|_, queue| {
            queue.queued_count() > 0
                || queue.running_count > 0
                || longest_wait.is_some_and(|since| queue.last_start > since)
        });
    }

    /// Returns the expected starts of the queued requests that have to wait, in their order.
    pub(super) fn forecast(&self, now: Duration) -> Vec<Forecast> {
        let mut simulated = self.without_payloads();
        let mut time = now;
        let mut forecasts = Vec::new();
        let mut must_wait = false;
        loop {
            while let Some((id, ())) = simulated.next(time) {
                if must_wait {
                    forecasts.push(Forecast {
                        id,
                        client: simulated.running[&id].client,
                        place: forecasts.len() + 1,
                        wait: time.saturating_sub(now),
                    });
                }
            }
            if simulated.queued_count == 0 {
                return forecasts;
            }
            // Ids break ties, so that the forecast does not depend on the order of the map.
            let first_end = (simulated.running.iter())
                .map(|(&id, request)| (request.ends_at, id))
                .min();
            let Some((ends_at, id)) = first_end else {
                return forecasts;
            };
            must_wait = true;
            time = time.max(ends_at);
            simulated.finish(id);
        }
    }

    /// Returns the time until a queued request of `client`, or of any client, starts and leaves its
    /// place in the queue.
    pub(super) fn time_to_free_place(
        &self,
        full: QueueFull,
        client: ClientIp,
        now: Duration,
    ) -> Duration {
        let forecasts = self.forecast(now);
        let counts = |forecast: &&Forecast| full == QueueFull::OfAll || forecast.client == client;
        let first = forecasts.iter().find(counts);
        first.map_or(Duration::ZERO, |forecast| forecast.wait)
    }

    fn without_payloads(&self) -> FairScheduler<()> {
        let clients = self.clients.iter();
        FairScheduler {
            limits: self.limits,
            clients: clients
                .map(|(&client, queue)| (client, queue.without_payloads()))
                .collect(),
            running: self.running.clone(),
            queued_count: self.queued_count,
            next_id: self.next_id,
            tick: self.tick,
        }
    }
}

impl<T> Default for ClientQueue<T> {
    fn default() -> Self {
        Self {
            opponent_moves: VecDeque::new(),
            analyses: VecDeque::new(),
            running_count: 0,
            waiting_since: 0,
            last_start: 0,
        }
    }
}

impl<T> ClientQueue<T> {
    fn queued_count(&self) -> usize {
        self.opponent_moves.len() + self.analyses.len()
    }

    fn of_kind(&mut self, kind: SearchKind) -> &mut VecDeque<QueuedRequest<T>> {
        match kind {
            SearchKind::OpponentMove => &mut self.opponent_moves,
            SearchKind::Analysis => &mut self.analyses,
        }
    }

    fn without_payloads(&self) -> ClientQueue<()> {
        let copy = |requests: &VecDeque<QueuedRequest<T>>| {
            let requests = requests.iter();
            requests
                .map(|request| QueuedRequest {
                    id: request.id,
                    time_limit: request.time_limit,
                    payload: (),
                })
                .collect()
        };
        ClientQueue {
            opponent_moves: copy(&self.opponent_moves),
            analyses: copy(&self.analyses),
            running_count: self.running_count,
            waiting_since: self.waiting_since,
            last_start: self.last_start,
        }
    }
}

#[cfg(test)]
mod tests;
