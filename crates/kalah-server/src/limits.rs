use std::num::{NonZeroU32, NonZeroUsize};
use std::thread;
use std::time::Duration;

/// What a visitor may ask of the server, and for how long it waits for anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// Bytes in the head of a request; less than 8 KiB counts as that.
    pub max_head_bytes: usize,
    /// Bytes in the body of a request.
    pub max_body_bytes: usize,
    /// The same, where records of games are to be read.
    pub max_record_bytes: usize,
    /// Connections that are open at the same time.
    pub max_connections: usize,
    /// Requests a second that are answered to an address in the long run.
    pub requests_per_second: NonZeroU32,
    /// Requests that an address may have saved up: it can make so many at once.
    pub request_burst: NonZeroU32,
    /// Questions to an engine that are thought about at the same time; as many opponents that answer at once.
    pub engine_workers: NonZeroUsize,
    /// Questions to an engine that wait besides.
    pub engine_queue_length: usize,
    /// The most time that may be asked for to answer one question.
    pub max_engine_time: Duration,
    /// The time from the first byte of a connection, or from the last answer, until the next request's head is there.
    pub head_timeout: Duration,
    /// The time for the body of a request to arrive.
    pub body_timeout: Duration,
    /// The time in which a client has to take some of what is sent to it.
    pub write_timeout: Duration,
    /// The time that requests have to be finished once the server is asked to end.
    pub shutdown_timeout: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        const fn positive(number: u32) -> NonZeroU32 {
            NonZeroU32::new(number).expect("a positive number")
        }
        let processors = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self {
            // Browsers bring all cookies of their host along, those of other programs at other ports, too.
            max_head_bytes: 16 << 10,
            max_body_bytes: 16 << 10,
            // A game of 5,000 plies has some 50 KiB without comments.
            max_record_bytes: 256 << 10,
            // Two players a game, and 5,000 games, leave room for those who look around.
            max_connections: 16_384,
            // A page loads some sixty files, and a class may share an address.
            requests_per_second: const { positive(200) },
            request_burst: const { positive(4_000) },
            engine_workers: processors,
            // Nobody waits for more than some others, who take some seconds each.
            engine_queue_length: 8 * processors.get(),
            max_engine_time: Duration::from_secs(30),
            head_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}
