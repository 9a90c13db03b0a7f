//! The parameters and reports of a search: the messages `go` and `info`.

use std::fmt;

use kalah::{BySide, Gain, Quoted, Side};
use kalah_engine::ResultChances;
use kalah_players::{SideClocks, ThinkLimits};

use crate::parse::{Expected, Milliseconds, ParseUkiError, Tokens, UkiMove, set_once, unexpected};

/// The limits of a search, of which the first one that is reached ends it, and its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Go {
    /// `movetime`: the time for this ply.
    pub move_time: Option<Milliseconds>,
    /// `nodes`: the number of positions to search.
    pub nodes: Option<u64>,
    /// `depth`: the number of turns to look ahead.
    pub depth: Option<u32>,
    /// The clocks of the game.
    pub clocks: Option<Clocks>,
    /// `infinite`: search until `stop`.
    pub infinite: bool,
    /// `ponder`: search until `ponderhit`, from which on the limits count, or until `stop`.
    pub ponder: bool,
    /// `searchmoves`: the moves to choose from; empty for all.
    pub search_moves: Vec<UkiMove>,
}

/// The clocks of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Clocks {
    /// `stime` and `ntime`: the time left for the rest of the game.
    pub left: BySide<Milliseconds>,
    /// `sinc` and `ninc`: the time that each side gains after each of its turns.
    /// A bonus turn belongs to the turn before it.
    pub increment: BySide<Milliseconds>,
}

impl Go {
    /// Parses the words behind `go`.
    pub(crate) fn parse(mut tokens: Tokens) -> Result<Self, ParseUkiError> {
        let mut go = Self::default();
        let mut left = BySide::<Option<Milliseconds>>::default();
        let mut increment = left;
        while let Some(keyword) = tokens.next_token() {
            let time = match keyword {
                "movetime" => &mut go.move_time,
                "stime" => &mut left.south,
                "ntime" => &mut left.north,
                "sinc" => &mut increment.south,
                "ninc" => &mut increment.north,
                "nodes" => {
                    let nodes = tokens.parse_unsigned(Expected::Number)?;
                    set_once(&mut go.nodes, nodes, keyword)?;
                    continue;
                }
                "depth" => {
                    let depth = tokens.parse_unsigned(Expected::Number)?;
                    set_once(&mut go.depth, depth, keyword)?;
                    continue;
                }
                "infinite" => {
                    set_flag(&mut go.infinite, keyword)?;
                    continue;
                }
                "ponder" => {
                    set_flag(&mut go.ponder, keyword)?;
                    continue;
                }
                "searchmoves" => {
                    go.search_moves = parse_search_moves(&mut tokens)?;
                    continue;
                }
                // A limit of another version of the protocol, or its value.
                _ => continue,
            };
            set_once(time, tokens.parse_milliseconds()?, keyword)?;
        }
        let has_increment = increment != BySide::default();
        go.clocks = match (left.south, left.north) {
            (Some(south), Some(north)) => Some(Clocks {
                left: BySide::new(south, north),
                increment: BySide::from_fn(|side| increment[side].unwrap_or_default()),
            }),
            (None, None) if has_increment => {
                return Err(ParseUkiError::Missing(Expected::Times));
            }
            (None, None) => None,
            _ => return Err(ParseUkiError::Missing(Expected::BothTimes)),
        };
        Ok(go)
    }
}

/// Sets a word without a value, or fails if it is set already.
fn set_flag(flag: &mut bool, keyword: &str) -> Result<(), ParseUkiError> {
    if std::mem::replace(flag, true) {
        return Err(ParseUkiError::Duplicate(Quoted::new(keyword)));
    }
    Ok(())
}

/// Parses the words behind `searchmoves`: one move each, up to the end of the line.
fn parse_search_moves(tokens: &mut Tokens) -> Result<Vec<UkiMove>, ParseUkiError> {
    let mut moves = vec![parse_search_move(tokens.require(Expected::Move)?)?];
    while let Some(word) = tokens.next_token() {
        moves.push(parse_search_move(word)?);
    }
    Ok(moves)
}

fn parse_search_move(word: &str) -> Result<UkiMove, ParseUkiError> {
    UkiMove::parse_one(word).ok_or_else(|| unexpected(word, Expected::Move))
}

/// Rounds times down to whole milliseconds.
impl From<&ThinkLimits> for Go {
    fn from(limits: &ThinkLimits) -> Self {
        Self {
            move_time: limits.move_time.map(Milliseconds::from),
            nodes: limits.nodes,
            depth: limits.depth,
            clocks: limits.clocks.map(|SideClocks { left, increment }| Clocks {
                left: BySide::from_fn(|side| left[side].into()),
                increment: BySide::from_fn(|side| increment[side].into()),
            }),
            infinite: limits.infinite,
            ..Self::default()
        }
    }
}

impl From<&Go> for ThinkLimits {
    fn from(go: &Go) -> Self {
        Self {
            move_time: go.move_time.map(Milliseconds::duration),
            nodes: go.nodes,
            depth: go.depth,
            clocks: go.clocks.map(|Clocks { left, increment }| SideClocks {
                left: BySide::from_fn(|side| left[side].duration()),
                increment: BySide::from_fn(|side| increment[side].duration()),
            }),
            infinite: go.infinite,
        }
    }
}

/// Writes the whole message.
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
            for (side, keyword) in [(Side::South, "sinc"), (Side::North, "ninc")] {
                if increment[side] != Milliseconds::default() {
                    write!(f, " {keyword} {}", increment[side])?;
                }
            }
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        if self.ponder {
            f.write_str(" ponder")?;
        }
        if !self.search_moves.is_empty() {
            f.write_str(" searchmoves")?;
        }
        for mv in &self.search_moves {
            write!(f, " {mv}")?;
        }
        Ok(())
    }
}

/// A progress report of a search. Every field may be absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Info {
    /// `depth`: the number of turns looked ahead.
    pub depth: Option<u32>,
    /// `nodes`: the number of positions searched.
    pub nodes: Option<u64>,
    /// `nps`: positions per second.
    pub nps: Option<u64>,
    /// `hashfull`: the part of the hash table that is in use, in thousandths.
    pub hash_fullness: Option<u16>,
    /// `time`: the time since `go`.
    pub time: Option<Milliseconds>,
    /// `multipv`: the rank of the first move of the line among the moves, from 1, if the engine
    /// reports several lines.
    pub rank: Option<u8>,
    /// `score`: the score of the position for the side to move, or of the first move of the line.
    pub score: Option<Score>,
    /// `wdl`: the probabilities of the results for the side to move.
    pub wdl: Option<ResultChances>,
    /// `line`: the expected plies. Without a rank, the first of them is the best move so far.
    pub pv: Vec<UkiMove>,
}

/// The gain that the side to move still makes from the houses of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Score {
    /// `gain`: an estimate of the engine.
    Estimate(Gain),
    /// `exact`: a proven value.
    Exact(Gain),
}

/// Parses the probabilities of a win, a tie and a loss.
fn parse_wdl(tokens: &mut Tokens) -> Result<ResultChances, ParseUkiError> {
    let mut next = || tokens.parse_unsigned(Expected::Wdl);
    let (win, tie, loss) = (next()?, next()?, next()?);
    ResultChances::new(win, tie, loss)
        .ok_or_else(|| unexpected(&format!("{win} {tie} {loss}"), Expected::Wdl))
}

impl Info {
    /// Returns whether the score and the line are those of the best move.
    pub fn is_about_best_move(&self) -> bool {
        self.rank.is_none_or(|rank| rank == 1)
    }

    /// Parses the words behind `info`, unless the first of them is `string`.
    pub(crate) fn parse(mut tokens: Tokens) -> Result<Self, ParseUkiError> {
        let mut info = Self::default();
        while let Some(keyword) = tokens.next_token() {
            match keyword {
                "depth" => {
                    let depth = tokens.parse_unsigned(Expected::Number)?;
                    set_once(&mut info.depth, depth, keyword)?;
                }
                "nodes" => {
                    let nodes = tokens.parse_unsigned(Expected::Number)?;
                    set_once(&mut info.nodes, nodes, keyword)?;
                }
                "nps" => {
                    let nps = tokens.parse_unsigned(Expected::Number)?;
                    set_once(&mut info.nps, nps, keyword)?;
                }
                "hashfull" => {
                    let fullness = tokens.parse_unsigned(Expected::Number)?;
                    set_once(&mut info.hash_fullness, fullness, keyword)?;
                }
                "multipv" => {
                    let rank = tokens.parse_unsigned(Expected::Number)?;
                    set_once(&mut info.rank, rank, keyword)?;
                }
                "wdl" => set_once(&mut info.wdl, parse_wdl(&mut tokens)?, keyword)?,
                "time" => set_once(&mut info.time, tokens.parse_milliseconds()?, keyword)?,
                "score" => set_once(&mut info.score, Score::parse(&mut tokens)?, keyword)?,
                "line" => {
                    while let Some(moves) = tokens.next_moves()? {
                        info.pv.extend(moves);
                    }
                }
                // A field of another engine: the protocol gives it one word for its value.
                _ => {
                    tokens.next_token();
                }
            }
        }
        Ok(info)
    }
}

impl Score {
    /// Returns the gain, whether it is proven or not.
    pub fn gain(self) -> Gain {
        match self {
            Self::Estimate(gain) | Self::Exact(gain) => gain,
        }
    }

    fn parse(tokens: &mut Tokens) -> Result<Self, ParseUkiError> {
        let keyword = tokens.require(Expected::GainOrExact)?;
        let kind = match keyword {
            "gain" => Self::Estimate,
            "exact" => Self::Exact,
            _ => return Err(unexpected(keyword, Expected::GainOrExact)),
        };
        tokens.parse_number(Expected::Gain).map(Gain::new).map(kind)
    }
}

/// Writes the whole message.
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
        if let Some(fullness) = self.hash_fullness {
            write!(f, " hashfull {fullness}")?;
        }
        if let Some(time) = self.time {
            write!(f, " time {time}")?;
        }
        if let Some(rank) = self.rank {
            write!(f, " multipv {rank}")?;
        }
        match self.score {
            Some(Score::Estimate(gain)) => write!(f, " score gain {gain}")?,
            Some(Score::Exact(gain)) => write!(f, " score exact {gain}")?,
            None => {}
        }
        if let Some(wdl) = self.wdl {
            write!(f, " wdl {} {} {}", wdl.win(), wdl.tie(), wdl.loss())?;
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
