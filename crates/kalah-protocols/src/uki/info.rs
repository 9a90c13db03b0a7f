use std::fmt;

use kalah::Gain;

use super::words::{Words, put, unexpected};
use super::{Awaited, MessageError, Milliseconds, NamedChoice};

/// What an engine tells of a search that goes on; everything may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Info {
    /// Turns that it has looked ahead.
    pub depth: Option<u32>,
    /// Positions that it has searched.
    pub nodes: Option<u64>,
    /// Positions a second.
    pub nps: Option<u64>,
    /// Time since `go`.
    pub time: Option<Milliseconds>,
    /// What the position is worth.
    pub score: Option<Score>,
    /// The plies that it expects, the one that it would choose first.
    pub line: Vec<NamedChoice>,
}

/// What the houses of a position still bring the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Score {
    /// `gain`: as far as the engine can tell.
    Estimate(Gain),
    /// `exact`: it is proven.
    Exact(Gain),
}

impl Info {
    pub(super) fn read(mut words: Words) -> Result<Self, MessageError> {
        let mut info = Self::default();
        while let Some(word) = words.take() {
            match word {
                "depth" => put(&mut info.depth, words.digits(Awaited::Number)?, word)?,
                "nodes" => put(&mut info.nodes, words.digits(Awaited::Number)?, word)?,
                "nps" => put(&mut info.nps, words.digits(Awaited::Number)?, word)?,
                "time" => put(&mut info.time, Milliseconds::take(&mut words)?, word)?,
                "score" => put(&mut info.score, Score::take(&mut words)?, word)?,
                "line" => {
                    while let Some(word) = words.take() {
                        info.line.extend(NamedChoice::all_of(word)?);
                    }
                }
                // What other engines tell beside has one word for its value.
                _ => {
                    words.take();
                }
            }
        }
        Ok(info)
    }
}

impl Score {
    /// The gain, proven or not.
    pub fn gain(self) -> Gain {
        match self {
            Self::Estimate(gain) | Self::Exact(gain) => gain,
        }
    }

    fn take(words: &mut Words) -> Result<Self, MessageError> {
        let kind = words.require(Awaited::GainOrExact)?;
        let kind = match kind {
            "gain" => Self::Estimate,
            "exact" => Self::Exact,
            _ => return Err(unexpected(kind, Awaited::GainOrExact)),
        };
        words.number(Awaited::Gain).map(Gain::new).map(kind)
    }
}

/// The whole message.
impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        if let Some(depth) = self.depth {
            write!(f, " depth {depth}")?;
        }
        if let Some(nodes) = self.nodes {
            write!(f, " nodes {nodes}")?;
        }
        if let Some(nps) = self.nps {
            write!(f, " nps {nps}")?;
        }
        if let Some(time) = self.time {
            write!(f, " time {time}")?;
        }
        match self.score {
            Some(Score::Estimate(gain)) => write!(f, " score gain {gain}")?,
            Some(Score::Exact(gain)) => write!(f, " score exact {gain}")?,
            None => {}
        }
        if !self.line.is_empty() {
            f.write_str(" line")?;
            for choice in &self.line {
                write!(f, " {choice}")?;
            }
        }
        Ok(())
    }
}
