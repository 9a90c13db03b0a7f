//! Limits and results of a search.

use std::fmt;

use kalah::{BySide, Gain, Side};

use super::parse::{Expected, ParseUkiError, Tokens, set_once, unexpected};
use super::{Milliseconds, UkiMove};
use crate::Quoted;

/// How long to search; whatever comes first ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Go {
    /// `movetime`: the time for this ply.
    pub move_time: Option<Milliseconds>,
    /// `nodes`: positions to search.
    pub nodes: Option<u64>,
    /// `depth`: turns to look ahead.
    pub depth: Option<u32>,
    /// The clocks of the game.
    pub clocks: Option<Clocks>,
    /// `infinite`: answer only when told to stop.
    pub infinite: bool,
}

/// The clocks of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Clocks {
    /// `stime` and `ntime`: what is left for the rest of the game.
    pub left: BySide<Milliseconds>,
    /// `sinc` and `ninc`: what is added after each ply of that side.
    pub increment: BySide<Milliseconds>,
}

impl Go {
    pub(super) fn parse(mut words: Tokens) -> Result<Self, ParseUkiError> {
        let mut go = Self::default();
        let mut left = BySide::<Option<Milliseconds>>::default();
        let mut increment = left;
        while let Some(word) = words.next_token() {
            match word {
                "movetime" => set_once(&mut go.move_time, Milliseconds::parse(&mut words)?, word)?,
                "nodes" => set_once(&mut go.nodes, words.parse_unsigned(Expected::Number)?, word)?,
                "depth" => set_once(&mut go.depth, words.parse_unsigned(Expected::Number)?, word)?,
                "stime" => set_once(&mut left.south, Milliseconds::parse(&mut words)?, word)?,
                "ntime" => set_once(&mut left.north, Milliseconds::parse(&mut words)?, word)?,
                "sinc" => set_once(&mut increment.south, Milliseconds::parse(&mut words)?, word)?,
                "ninc" => set_once(&mut increment.north, Milliseconds::parse(&mut words)?, word)?,
                "infinite" if go.infinite => {
                    return Err(ParseUkiError::Duplicate(Quoted::new(word)));
                }
                "infinite" => go.infinite = true,
                _ => return Err(unexpected(word, Expected::Limit)),
            }
        }
        go.clocks = match left {
            BySide {
                south: Some(south),
                north: Some(north),
            } => Some(Clocks {
                left: BySide::new(south, north),
                increment: BySide::from_fn(|side| increment[side].unwrap_or_default()),
            }),
            BySide {
                south: None,
                north: None,
            } if increment == BySide::default() => None,
            BySide {
                south: None,
                north: None,
            } => return Err(ParseUkiError::Missing(Expected::Times)),
            _ => return Err(ParseUkiError::Missing(Expected::BothTimes)),
        };
        Ok(go)
    }
}

/// The whole message.
impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        if let Some(time) = self.move_time {
            write!(f, " movetime {time}")?;
        }
        if let Some(nodes) = self.nodes {
            write!(f, " nodes {nodes}")?;
        }
        if let Some(depth) = self.depth {
            write!(f, " depth {depth}")?;
        }
        if let Some(Clocks { left, increment }) = self.clocks {
            write!(f, " stime {} ntime {}", left.south, left.north)?;
            for (side, name) in [(Side::South, "sinc"), (Side::North, "ninc")] {
                if increment[side] != Milliseconds::default() {
                    write!(f, " {name} {}", increment[side])?;
                }
            }
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        Ok(())
    }
}

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
