use std::num::{NonZeroU32, NonZeroUsize};
use std::thread;
use std::time::Duration;

/// What a visitor may ask of the server, and for how long it waits for anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes in the head of a request; less than 8 KiB counts as that.
    pub head_bytes: usize,
    /// Bytes in the body of a request.
    pub body_bytes: usize,
    /// The same, where records of games are to be read.
    pub record_bytes: usize,
    /// Connections that are open at the same time.
    pub connections: usize,
    /// Requests a second that are answered to an address in the long run.
    pub requests_per_second: NonZeroU32,
    /// Requests that an address may have saved up: it can make so many at once.
    pub requests_at_once: NonZeroU32,
    /// Questions to an engine that are thought about at the same time; as many opponents that answer at once.
    pub questions_at_once: NonZeroUsize,
    /// Questions to an engine that wait besides.
    pub waiting_questions: usize,
    /// The most time that may be asked for to answer one question.
    pub thinking_time: Duration,
    /// The time from the first byte of a connection, or from the last answer, until the next request's head is there.
    pub head_time: Duration,
    /// The time for the body of a request to arrive.
    pub body_time: Duration,
    /// The time in which a client has to take some of what is sent to it.
    pub write_time: Duration,
    /// The time that requests have to be finished once the server is asked to end.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        const fn positive(number: u32) -> NonZeroU32 {
            NonZeroU32::new(number).expect("a positive number")
        }
        let processors = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self {
            // Browsers bring all cookies of their host along, those of other programs at other ports, too.
            head_bytes: 16 << 10,
            body_bytes: 16 << 10,
            // A game of 5,000 plies has some 50 KiB without comments.
            record_bytes: 256 << 10,
            // Two players a game, and 5,000 games, leave room for those who look around.
            connections: 16_384,
            // A page loads some sixty files, and a class may share an address.
            requests_per_second: const { positive(200) },
            requests_at_once: const { positive(4_000) },
            questions_at_once: processors,
            // Nobody waits for more than some others, who take some seconds each.
            waiting_questions: 8 * processors.get(),
            thinking_time: Duration::from_secs(30),
            head_time: Duration::from_secs(30),
            body_time: Duration::from_secs(10),
            write_time: Duration::from_secs(30),
            grace: Duration::from_secs(10),
        }
    }
}
