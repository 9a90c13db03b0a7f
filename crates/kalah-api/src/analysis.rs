use std::sync::Arc;
use std::time::Duration;

use kalah::{Player as _, Position, Side};
use kalah_engine::{Decision, Engine, Goal, LevelNumber, LevelPlayer, Limits, SmartPlayer};
use kalah_players::TimeLimit;
use serde::{Deserialize, Serialize};

use crate::{BoundsView, RequestError, positions};

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

/// What is each choice worth? The question `analyse`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalyseRequest {
    /// `cs32` if missing.
    pub rules: Option<String>,
    /// `6x4` if missing.
    pub position: Option<String>,
    /// Such as `500ms`; five seconds if missing.
    pub time: Option<String>,
    /// What is to be proven.
    #[serde(default)]
    pub moves: MovesToProve,
}

/// The choices whose margins are to be proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MovesToProve {
    /// The best one.
    Best,
    /// The best one first, and then all others.
    #[default]
    All,
}

/// What an analysis found. Margins are for the player to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalyseResponse {
    /// The position as text.
    pub position: String,
    /// The rules as text.
    pub rules: String,
    /// Who is to move.
    #[serde(rename = "side")]
    pub to_move: Side,
    /// The margin to expect, which is proven if the bounds are exact.
    pub margin: i32,
    /// What is proven of it.
    #[serde(flatten)]
    pub bounds: BoundsView,
    /// The best choice found; none if the game is over.
    pub best: Option<String>,
    /// Every choice, in order, and what is proven of it.
    pub moves: Vec<MoveBoundsView>,
    /// The plies to expect, the best choice first; may be cut short.
    pub line: Vec<String>,
    /// Positions searched.
    pub nodes: u64,
    /// Turns looked ahead, before a proof began.
    pub depth: u32,
    /// Time taken.
    pub seconds: f64,
}

/// What a choice is worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveBoundsView {
    /// The choice.
    #[serde(rename = "choice")]
    pub mv: String,
    /// What is proven of its margin.
    #[serde(flatten)]
    pub bounds: BoundsView,
}

impl AnalyseRequest {
    /// What is asked about.
    ///
    /// # Errors
    /// Why there is no such position.
    pub fn position(&self) -> Result<Position, RequestError> {
        positions::parse_position(self.rules.as_deref(), self.position.as_deref())
    }

    /// What each choice is worth.
    ///
    /// # Errors
    /// Why there is no such position, or not so much time.
    pub fn execute(&self, thinker: &mut Analyst) -> Result<AnalyseResponse, RequestError> {
        let position = self.position()?;
        let limits = Limits {
            time: Some(thinker.resolve_time_limit(self.time.as_deref())?),
            goal: match self.moves {
                MovesToProve::Best => Goal::BestMargin,
                MovesToProve::All => Goal::AllMargins,
            },
            ..Limits::default()
        };
        let (engine, clock) = thinker.engine_and_clock();
        let report = engine.analyse(&position, limits, &**clock);
        let side = position.to_move();
        Ok(AnalyseResponse {
            position: position.to_string(),
            rules: position.rules().to_string(),
            to_move: side,
            margin: report.expected_margin().seeds(),
            bounds: report.bounds.into(),
            best: report.best_move.map(|mv| mv.text(side)),
            moves: (report.moves.iter())
                .map(|&(mv, bounds)| MoveBoundsView {
                    mv: mv.text(side),
                    bounds: bounds.into(),
                })
                .collect(),
            line: (report.line.iter())
                .map(|&(side, mv)| mv.text(side))
                .collect(),
            nodes: report.nodes,
            depth: report.depth,
            seconds: report.time.as_secs_f64(),
        })
    }
}

/// What does this opponent do? The question `choose`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChooseRequest {
    /// `cs32` if missing.
    pub rules: Option<String>,
    /// `6x4` if missing.
    pub position: Option<String>,
    /// `level:1` to `level:10`, or `perfect`.
    pub opponent: String,
    /// What the mistakes of levels follow from: the same seed makes the same ones. 0 if missing.
    #[serde(default)]
    pub seed: u64,
    /// Such as `500ms`; five seconds if missing. Only `perfect` and `level:10` take any.
    pub time: Option<String>,
}

/// What an opponent does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChooseResponse {
    /// Its choice.
    #[serde(rename = "choice")]
    pub mv: String,
    /// What it has proven of the margin of that choice; levels prove nothing.
    #[serde(rename = "proven")]
    pub bounds: Option<BoundsView>,
    /// Whether it has proven that no other choice gains more.
    #[serde(rename = "best")]
    pub is_best: bool,
}

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opponent {
    Level(LevelNumber),
    /// Who plays as well as can be proven in its time.
    Perfect,
}

impl Opponent {
    fn parse(text: &str) -> Result<Self, RequestError> {
        let number = |text: &str| LevelNumber::all().find(|level| level.to_string() == text);
        match text.strip_prefix("level:") {
            None if text == "perfect" => Some(Self::Perfect),
            None => None,
            Some(text) => number(text).map(Self::Level),
        }
        .ok_or_else(|| RequestError::UnknownOpponent(text.to_owned()))
    }
}

impl ChooseRequest {
    /// What is asked about.
    ///
    /// # Errors
    /// Why there is no such position.
    pub fn position(&self) -> Result<Position, RequestError> {
        positions::parse_position(self.rules.as_deref(), self.position.as_deref())
    }

    /// Whether the opponent takes the time that it is given: the others choose at once.
    ///
    /// # Errors
    /// That there is no such opponent.
    pub fn uses_time_limit(&self) -> Result<bool, RequestError> {
        Opponent::parse(&self.opponent).map(|opponent| match opponent {
            Opponent::Level(number) => number == LevelNumber::MAX,
            Opponent::Perfect => true,
        })
    }

    /// What the opponent does.
    ///
    /// # Errors
    /// Why there is no such position or opponent or not so much time, or that the game is over.
    pub fn execute(&self, thinker: &mut Analyst) -> Result<ChooseResponse, RequestError> {
        let position = self.position()?;
        let opponent = Opponent::parse(&self.opponent)?;
        let time = thinker.resolve_time_limit(self.time.as_deref())?;
        let chosen = match opponent {
            Opponent::Level(number) if number < LevelNumber::MAX => {
                let clock = ClockFn::clone(thinker.engine_and_clock().1);
                let mut level = LevelPlayer::new("Level", number, self.seed, move || clock());
                let mv = level.choose_move(&position, time);
                mv.map(|mv| Decision {
                    mv,
                    bounds: None,
                    is_best: false,
                })
            }
            // The highest level is as good as it can be in its time, too.
            Opponent::Level(_) | Opponent::Perfect => thinker.smart().decide(&position, time),
        };
        let decision = chosen.ok_or(RequestError::GameOver)?;
        Ok(ChooseResponse {
            mv: decision.mv.text(position.to_move()),
            bounds: decision.bounds.map(BoundsView::from),
            is_best: decision.is_best,
        })
    }
}

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
        let position = positions::parse_position(self.rules.as_deref(), self.position.as_deref())?;
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
