//! The file `data/values.csv`: its rows and the starts that it covers.

use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use std::{fmt, fs};

use anyhow::{Context as _, bail, ensure};
use kalah::{Margin, Position, Rules};

/// A start in the table: rules, houses a side, and seeds in each house.
///
/// The order is that of the table: by rules, then by houses, then by seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Start {
    rules: usize,
    houses: u8,
    seeds: u8,
}

/// The rule sets of the table.
const RULES: [Rules; 3] = [Rules::CS32, Rules::STANDARD, Rules::EMPTY_CAPTURE];

/// The range of houses a side, and of seeds in each house.
pub(crate) const SIZE_RANGE: RangeInclusive<u8> = 1..=8;

/// The greatest number of seeds in each house that the table can have, for boards of 1 to 8 houses
/// a side. The table may lack the starts with the longest proofs.
const MAX_SEEDS: [u8; 8] = [6, 6, 6, 6, 6, 8, 6, 4];

impl Start {
    /// Creates a start.
    ///
    /// # Errors
    /// The start is not in the table.
    pub(crate) fn new(rules: Rules, houses: u8, seeds: u8) -> anyhow::Result<Self> {
        let rules_index = RULES.iter().position(|&other| other == rules);
        let max_seeds = houses
            .checked_sub(1)
            .and_then(|index| MAX_SEEDS.get(usize::from(index)));
        let (Some(rules), true) = (
            rules_index,
            max_seeds.is_some_and(|max| (1..=*max).contains(&seeds)),
        ) else {
            bail!("{houses}x{seeds} under {rules} is not in the table of values");
        };
        Ok(Self {
            rules,
            houses,
            seeds,
        })
    }

    /// Returns all starts of the table, those with the shortest expected proofs first.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for rules in RULES {
            for houses in SIZE_RANGE {
                all.extend(SIZE_RANGE.filter_map(|seeds| Self::new(rules, houses, seeds).ok()));
            }
        }
        all.sort_by_key(|start| start.proof_cost());
        all
    }

    pub(crate) fn rules(self) -> Rules {
        RULES[self.rules]
    }

    pub(crate) fn houses(self) -> u8 {
        self.houses
    }

    pub(crate) fn seeds(self) -> u8 {
        self.seeds
    }

    /// Returns the position of the start.
    pub(crate) fn position(self) -> anyhow::Result<Position> {
        Ok(Position::start(
            self.houses,
            self.seeds.into(),
            self.rules(),
        )?)
    }

    /// Returns a number that grows with the expected time of a proof, which is exponential in the
    /// number of seeds, with a smaller base for fewer houses.
    fn proof_cost(self) -> u32 {
        let (houses, seeds) = (u32::from(self.houses), u32::from(self.seeds));
        houses * houses * seeds
    }
}

/// The text is like `6x4 standard`.
impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{} {}", self.houses, self.seeds, self.rules())
    }
}

/// A row of the table: the margin of a start, and how it was proven.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ValueRow {
    pub(crate) start: Start,
    /// The margin for South, which moves first.
    pub(crate) margin: Margin,
    /// The number of positions searched.
    pub(crate) nodes: u64,
    /// Seeds in the houses of the endgame table that was built for the proof; 0 without a table.
    pub(crate) table_seeds: u8,
    /// The number of positions searched by a second proof, with another endgame table.
    pub(crate) second_nodes: u64,
    /// Seeds in the houses of the endgame table of the second proof.
    pub(crate) second_table_seeds: u8,
    pub(crate) threads: NonZeroUsize,
    /// The time of the first proof: the table build and the search.
    pub(crate) time: Duration,
    /// The version of the program that proved the margin.
    pub(crate) program: String,
    /// The principal variation in the letters of a record without turn numbers; may be incomplete.
    pub(crate) line: String,
    pub(crate) evidence: MarginEvidence,
}

/// The evidence for a margin beside its two proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarginEvidence {
    /// Whether the second proof began with the goals of the first, without their answers.
    pub(crate) second_is_guided: bool,
    pub(crate) publication: Publication,
    pub(crate) check: ProofCheck,
}

impl MarginEvidence {
    /// The evidence of a margin that was proven twice, independently.
    pub(crate) const TWO_PROOFS: Self = Self {
        second_is_guided: false,
        publication: Publication::Unknown,
        check: ProofCheck::NotDone,
    };
}

/// An earlier publication of a margin, by another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Publication {
    /// No publication is known.
    Unknown,
    /// G. Irving, J. Donkers and J. Uiterwijk, "Solving Kalah", 2000.
    Irving,
    /// M. Rawlings, 2015.
    Rawlings,
    /// A lower bound of the margin, by the same author.
    RawlingsLowerBound,
}

impl Publication {
    const ALL: [Self; 4] = [
        Self::Unknown,
        Self::Irving,
        Self::Rawlings,
        Self::RawlingsLowerBound,
    ];
}

impl fmt::Display for Publication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "no",
            Self::Irving => "irving-2000",
            Self::Rawlings => "rawlings-2015",
            Self::RawlingsLowerBound => "rawlings-2015-lower-bound",
        })
    }
}

/// The check of a proof of a margin by `kalah prove check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProofCheck {
    NotDone,
    /// The logic and some of the leaves on which the margins depend.
    Sample {
        searched: u32,
        leaves: u32,
    },
    /// The logic and all leaves on which the margins depend.
    Whole,
}

impl fmt::Display for ProofCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDone => f.write_str("no"),
            Self::Sample { searched, leaves } => write!(f, "{searched}/{leaves}"),
            Self::Whole => f.write_str("whole"),
        }
    }
}

impl FromStr for ProofCheck {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        match text {
            "no" => Ok(Self::NotDone),
            "whole" => Ok(Self::Whole),
            _ => {
                let sample = text.split_once('/');
                let (searched, leaves) =
                    sample.with_context(|| format!("`{text}` is not a check of a proof"))?;
                let (searched, leaves) = (
                    parse_number("searched leaves", searched)?,
                    parse_number("leaves", leaves)?,
                );
                ensure!(searched < leaves, "`{text}` is not a sample of leaves");
                Ok(Self::Sample { searched, leaves })
            }
        }
    }
}

impl ValueRow {
    /// The first line of the table, with the names of the columns.
    pub(crate) const HEADER: &str = "rules,houses,seeds,margin,nodes,table_seeds,second_nodes,second_table_seeds,threads,seconds,\
         program,line,second_guided,published,checked";
}

impl fmt::Display for ValueRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.start;
        write!(
            f,
            "{},{},{},{},{},{},{},{},{},{:.2},{},{},{},{},{}",
            start.rules(),
            start.houses(),
            start.seeds(),
            self.margin.seeds(),
            self.nodes,
            self.table_seeds,
            self.second_nodes,
            self.second_table_seeds,
            self.threads,
            self.time.as_secs_f64(),
            self.program,
            self.line,
            if self.evidence.second_is_guided {
                "yes"
            } else {
                "no"
            },
            self.evidence.publication,
            self.evidence.check,
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
            second_nodes,
            second_table_seeds,
            threads,
            seconds,
            program,
            line,
            second_guided,
            published,
            checked,
        ] = fields[..]
        else {
            bail!("{} columns instead of {}", fields.len(), columns.len());
        };
        let rules: Rules = rules.parse()?;
        let seconds: f64 = parse_number("seconds", seconds)?;
        let start = Start::new(
            rules,
            parse_number("houses", houses)?,
            parse_number("seeds", seeds)?,
        )?;
        ensure!(!line.is_empty(), "the line of {start} is empty");
        let mut publications = Publication::ALL.into_iter();
        let evidence = MarginEvidence {
            second_is_guided: match second_guided {
                "yes" => true,
                "no" => false,
                _ => bail!("`{second_guided}` is neither yes nor no"),
            },
            publication: publications
                .find(|publication| publication.to_string() == published)
                .with_context(|| format!("`{published}` is not a publication"))?,
            check: checked.parse()?,
        };
        Ok(Self {
            start,
            margin: Margin::new(parse_number("margin", margin)?),
            nodes: parse_number("nodes", nodes)?,
            table_seeds: parse_number("table_seeds", table_seeds)?,
            second_nodes: parse_number("second_nodes", second_nodes)?,
            second_table_seeds: parse_number("second_table_seeds", second_table_seeds)?,
            threads: parse_number("threads", threads)?,
            time: Duration::try_from_secs_f64(seconds)
                .with_context(|| format!("`{seconds}` is not a time"))?,
            program: program.to_owned(),
            line: line.to_owned(),
            evidence,
        })
    }
}

fn parse_number<N: FromStr>(column: &str, text: &str) -> anyhow::Result<N> {
    text.parse()
        .map_err(|_| anyhow::anyhow!("`{text}` is not a number of {column}"))
}

/// The file with the table of values, which may be incomplete.
pub(crate) struct ValuesFile {
    path: PathBuf,
}

impl ValuesFile {
    /// Creates a handle of the file at `path`, which need not exist.
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the values in their order; a missing file has none.
    ///
    /// # Errors
    /// The file cannot be read, or is not a table of values.
    pub(crate) fn read(&self) -> anyhow::Result<Vec<ValueRow>> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", self.path.display()));
            }
        };
        parse_rows(&text)
            .with_context(|| format!("{} is not a table of values", self.path.display()))
    }

    /// Inserts a value. The file is replaced atomically.
    ///
    /// # Errors
    /// The file cannot be read or written, or already has a value of this start.
    pub(crate) fn add(&self, value: ValueRow) -> anyhow::Result<()> {
        // Read again, because another process may have added values.
        let mut values = self.read()?;
        let Err(at) = values.binary_search_by_key(&value.start, |value| value.start) else {
            bail!("{} already has {}", self.path.display(), value.start);
        };
        values.insert(at, value);
        self.replace(&values)
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn replace(&self, values: &[ValueRow]) -> anyhow::Result<()> {
        fs::create_dir_all(kalah_files::parent_folder(&self.path))?;
        let rows = values.iter().map(|value| format!("{value}\n"));
        let text = format!("{}\n{}", ValueRow::HEADER, rows.collect::<String>());
        Ok(kalah_files::replace(&self.path, text.as_bytes())?)
    }
}

/// Parses a table. Each start must occur at most once, in order.
pub(crate) fn parse_rows(text: &str) -> anyhow::Result<Vec<ValueRow>> {
    let mut lines = (1..).zip(text.lines());
    ensure!(
        lines
            .next()
            .is_some_and(|(_, line)| line == ValueRow::HEADER),
        "the first line is not `{}`",
        ValueRow::HEADER
    );
    let mut values: Vec<ValueRow> = Vec::new();
    let mut last: Option<Start> = None;
    for (number, line) in lines {
        let value: ValueRow = line.parse().with_context(|| format!("line {number}"))?;
        ensure!(
            last < Some(value.start),
            "line {number}: {} is out of order",
            value.start
        );
        last = Some(value.start);
        values.push(value);
    }
    Ok(values)
}
