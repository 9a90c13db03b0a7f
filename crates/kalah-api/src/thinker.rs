use std::sync::Arc;
use std::time::Duration;

use kalah_engine::{Engine, SmartPlayer};

use kalah_players::TimeLimit;

use crate::RequestError;

/// Who answers what takes thought: an engine that remembers what it has found, and a clock.
pub struct Analyst {
    smart: SmartPlayer,
    clock: ClockFn,
    max_time: Duration,
}

pub(crate) type ClockFn = Arc<dyn Fn() -> Duration + Send + Sync>;

impl Analyst {
    /// One that thinks with `engine`, for no longer than `most_time` about one question. `clock` tells the time
    /// since any fixed moment.
    pub fn new(
        engine: Engine,
        max_time: Duration,
        clock: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Self {
        let clock: ClockFn = Arc::new(clock);
        let its_clock = Arc::clone(&clock);
        Self {
            smart: SmartPlayer::with_engine("Smart", engine, move || its_clock()),
            clock,
            max_time,
        }
    }

    /// The engine that it thinks with, to be given other tables, or a flag that ends what it is asked next.
    pub fn engine(&mut self) -> &mut Engine {
        self.smart.engine_mut()
    }

    /// The time that a question asks for, or as much as there is by default.
    pub(crate) fn resolve_time_limit(&self, asked: Option<&str>) -> Result<Duration, RequestError> {
        let Some(text) = asked else {
            return Ok(SmartPlayer::DEFAULT_TIME_LIMIT.min(self.max_time));
        };
        let time = text.parse::<TimeLimit>()?.get();
        if time > self.max_time {
            return Err(RequestError::TooMuchTime {
                requested: text.to_owned(),
                max: self.max_time,
            });
        }
        Ok(time)
    }

    pub(crate) fn smart(&mut self) -> &mut SmartPlayer {
        &mut self.smart
    }

    pub(crate) fn engine_and_clock(&mut self) -> (&mut Engine, &ClockFn) {
        (self.smart.engine_mut(), &self.clock)
    }
}
