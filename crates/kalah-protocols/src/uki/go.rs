use std::fmt;

use kalah::{BySide, Side};

use super::words::{Words, put, unexpected};
use super::{Awaited, MessageError, Milliseconds};
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
    pub(super) fn read(mut words: Words) -> Result<Self, MessageError> {
        let mut go = Self::default();
        let mut left = BySide::<Option<Milliseconds>>::default();
        let mut increment = left;
        while let Some(word) = words.take() {
            match word {
                "movetime" => put(&mut go.move_time, Milliseconds::take(&mut words)?, word)?,
                "nodes" => put(&mut go.nodes, words.digits(Awaited::Number)?, word)?,
                "depth" => put(&mut go.depth, words.digits(Awaited::Number)?, word)?,
                "stime" => put(&mut left.south, Milliseconds::take(&mut words)?, word)?,
                "ntime" => put(&mut left.north, Milliseconds::take(&mut words)?, word)?,
                "sinc" => put(&mut increment.south, Milliseconds::take(&mut words)?, word)?,
                "ninc" => put(&mut increment.north, Milliseconds::take(&mut words)?, word)?,
                "infinite" if go.infinite => return Err(MessageError::Twice(Quoted::new(word))),
                "infinite" => go.infinite = true,
                _ => return Err(unexpected(word, Awaited::Limit)),
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
            } => return Err(MessageError::Missing(Awaited::Times)),
            _ => return Err(MessageError::Missing(Awaited::OtherTime)),
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
