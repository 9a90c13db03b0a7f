use std::fmt;

use kalah::Gain;

use super::words::{Tokens, set_once, unexpected};
use super::{Expected, Milliseconds, ParseUkiError, UkiMove};

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
    pub pv: Vec<UkiMove>,
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
    pub(super) fn parse(mut words: Tokens) -> Result<Self, ParseUkiError> {
        let mut info = Self::default();
        while let Some(word) = words.next_token() {
            match word {
                "depth" => set_once(
                    &mut info.depth,
                    words.parse_unsigned(Expected::Number)?,
                    word,
                )?,
                "nodes" => set_once(
                    &mut info.nodes,
                    words.parse_unsigned(Expected::Number)?,
                    word,
                )?,
                "nps" => set_once(&mut info.nps, words.parse_unsigned(Expected::Number)?, word)?,
                "time" => set_once(&mut info.time, Milliseconds::parse(&mut words)?, word)?,
                "score" => set_once(&mut info.score, Score::parse(&mut words)?, word)?,
                "line" => {
                    while let Some(word) = words.next_token() {
                        info.pv.extend(UkiMove::parse_all(word)?);
                    }
                }
                // What other engines tell beside has one word for its value.
                _ => {
                    words.next_token();
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

    fn parse(words: &mut Tokens) -> Result<Self, ParseUkiError> {
        let kind = words.require(Expected::GainOrExact)?;
        let kind = match kind {
            "gain" => Self::Estimate,
            "exact" => Self::Exact,
            _ => return Err(unexpected(kind, Expected::GainOrExact)),
        };
        words.parse_number(Expected::Gain).map(Gain::new).map(kind)
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
        if !self.pv.is_empty() {
            f.write_str(" line")?;
            for mv in &self.pv {
                write!(f, " {mv}")?;
            }
        }
        Ok(())
    }
}
