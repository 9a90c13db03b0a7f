use serde::{Deserialize, Serialize};

use crate::{Analyst, RequestError, start};

/// Be ready for searches that begin here or later in the same game! The question `prepare`, for a worker that has nothing
/// else to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrepareRequest {
    /// `cs32` if missing.
    pub rules: Option<String>,
    /// `6x4` if missing.
    pub position: Option<String>,
    /// Such as `500ms`; five seconds if missing. It may take half as long again.
    pub time: Option<String>,
}

/// What there is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrepareResponse {
    /// Positions with so many seeds in the houses need no search any more.
    pub seeds: u8,
}

impl PrepareRequest {
    /// Builds an endgame table as large as pays and as time and memory allow.
    ///
    /// # Errors
    /// Why there is no such position, or not so much time.
    pub fn execute(&self, thinker: &mut Analyst) -> Result<PrepareResponse, RequestError> {
        let position = start::parse_position(self.rules.as_deref(), self.position.as_deref())?;
        let time = thinker.resolve_time_limit(self.time.as_deref())?;
        let (engine, clock) = thinker.engine_and_clock();
        let seeds = engine.prepare(&position, time, &**clock);
        Ok(PrepareResponse { seeds })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kalah_engine::Engine;

    use crate::{Analyst, handle_request};

    #[test]
    fn a_table_is_built_once_and_is_as_large_as_memory_allows() {
        let seeds = |memory: usize| {
            let engine = Engine::new().with_memory(memory);
            let mut thinker = Analyst::new(engine, Duration::MAX, || Duration::ZERO);
            let body = br#"{"position":"5x3"}"#;
            let prepared = handle_request("prepare", body, &mut thinker);
            assert_eq!(prepared, handle_request("prepare", body, &mut thinker));
            prepared
        };
        assert_eq!(seeds(64 << 20), Ok(r#"{"seeds":15}"#.to_owned()));
        assert_eq!(seeds(20 << 20), Ok(r#"{"seeds":13}"#.to_owned()));
        assert_eq!(seeds(0), Ok(r#"{"seeds":0}"#.to_owned()));
    }
}
