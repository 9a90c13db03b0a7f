use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use kalah::{Margin, Rules};

use super::start::Start;

/// The margin of a start and how it was proven: a line of the table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ValueRow {
    pub(crate) start: Start,
    /// For South, who moves first.
    pub(crate) margin: Margin,
    /// Positions searched.
    pub(crate) nodes: u64,
    /// Seeds in the houses of the endgame table that was built for the proof; 0 if none was.
    pub(crate) table_seeds: u8,
    pub(crate) threads: NonZeroUsize,
    /// What building the table and the proof took together.
    pub(crate) time: Duration,
    /// What proved it.
    pub(crate) program: String,
    /// What both sides play, in the letters of a record without the numbers of turns; may be cut short.
    pub(crate) line: String,
}

impl ValueRow {
    /// The first line of the table: what its columns hold.
    pub(crate) const HEADER: &str =
        "rules,houses,seeds,margin,nodes,table_seeds,threads,seconds,program,line";
}

impl fmt::Display for ValueRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.start;
        write!(
            f,
            "{},{},{},{},{},{},{},{:.2},{},{}",
            start.rules(),
            start.houses(),
            start.seeds(),
            self.margin.seeds(),
            self.nodes,
            self.table_seeds,
            self.threads,
            self.time.as_secs_f64(),
            self.program,
            self.line
        )
    }
}

impl FromStr for ValueRow {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let columns: Vec<&str> = Self::HEADER.split(',').collect();
        let fields: Vec<&str> = text.split(',').collect();
        let [
            rules,
            houses,
            seeds,
            margin,
            nodes,
            table_seeds,
            threads,
            seconds,
            program,
            line,
        ] = fields[..]
        else {
            bail!(
                "there are {} columns in place of {}",
                fields.len(),
                columns.len()
            );
        };
        let rules: Rules = rules.parse()?;
        let seconds: f64 = parse_number("seconds", seconds)?;
        let start = Start::new(
            rules,
            parse_number("houses", houses)?,
            parse_number("seeds", seeds)?,
        )?;
        ensure!(!line.is_empty(), "there is no line of {start}");
        Ok(Self {
            start,
            margin: Margin::new(parse_number("margin", margin)?),
            nodes: parse_number("nodes", nodes)?,
            table_seeds: parse_number("table_seeds", table_seeds)?,
            threads: parse_number("threads", threads)?,
            time: Duration::try_from_secs_f64(seconds)
                .with_context(|| format!("`{seconds}` is not a time"))?,
            program: program.to_owned(),
            line: line.to_owned(),
        })
    }
}

fn parse_number<N: FromStr>(column: &str, text: &str) -> anyhow::Result<N> {
    text.parse()
        .map_err(|_| anyhow::anyhow!("`{text}` is not a number of {column}"))
}
