//! The text form of a certificate, which `docs/proofs.md` describes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use kalah::{House, Margin, Move, Quoted, Rules, Side, strip_byte_order_mark};

use crate::certificate::{
    Certificate, CertificateEntry, Claims, Evidence, MarginBounds, Statement,
};
use crate::error::{Damage, LineError, ReadError};
use crate::goal::{Goal, MAX_TARGET};
use crate::store::{self, parse_goal, parse_statement};

/// The first word of a certificate.
const FORMAT: &str = "kalah-certificate";

/// The version of the format.
const VERSION: i32 = 1;

/// The first bytes of files in the formats that are read.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

/// The byte order marks of UTF-16, with which no text in UTF-8 begins.
const UTF_16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// The longest line, in bytes: more than the position of the largest board takes.
const MAX_LINE_BYTES: u64 = 1 << 10;

const YES: &str = "yes";
const NO: &str = "no";
const MOVES: &str = "moves";
const SEARCH: &str = "search";

impl Certificate {
    /// Reads a proof store or a certificate.
    ///
    /// # Errors
    /// [`ReadError`] if the file cannot be read or is damaged. Its goals are not checked.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let cannot_read = |reason| ReadError::Io {
            path: path.to_owned(),
            reason,
        };
        let mut file = File::open(path).map_err(cannot_read)?;
        let mut magic = Vec::new();
        (&mut file)
            .take(SQLITE_MAGIC.len() as u64)
            .read_to_end(&mut magic)
            .map_err(cannot_read)?;
        if magic == SQLITE_MAGIC {
            return store::read(path);
        }
        file.rewind().map_err(cannot_read)?;
        let parsed = if magic.starts_with(GZIP_MAGIC) {
            Self::parse(BufReader::new(MultiGzDecoder::new(BufReader::new(file))))
        } else {
            Self::parse(BufReader::new(file))
        };
        parsed.map_err(|error| match error {
            ParseError::Format => ReadError::NotAProof(path.to_owned()),
            ParseError::Utf16 => ReadError::Utf16(path.to_owned()),
            ParseError::Version(found) => ReadError::Version {
                path: path.to_owned(),
                found,
                known: VERSION,
            },
            ParseError::Damage(damage) => ReadError::Damaged {
                path: path.to_owned(),
                damage,
            },
        })
    }

    /// Parses the text of a certificate.
    fn parse(mut text: impl BufRead) -> Result<Self, ParseError> {
        let start = text.fill_buf().unwrap_or_default();
        if UTF_16_MARKS.iter().any(|mark| start.starts_with(mark)) {
            return Err(ParseError::Utf16);
        }
        let mut lines = Lines { text, number: 0 };
        let first = lines.read().map_err(|_| ParseError::Format)?;
        let first = first.as_deref().map(strip_byte_order_mark);
        let version = first.and_then(|line| line.strip_prefix(FORMAT));
        let version = version.and_then(|version| version.strip_prefix(' '));
        let version = version.ok_or(ParseError::Format)?;
        if version != VERSION.to_string() {
            return Err(ParseError::Version(Quoted::new(version).to_string()));
        }
        let position = lines.expect("position ", "`position` and a position")?;
        let position_line = lines.number;
        let rules = lines.expect("rules ", "`rules` and a rule set")?;
        let margin = lines.expect("margin ", "`margin` and two margins")?;
        let bounds = parse_bounds(&margin);
        let bounds = bounds.ok_or_else(|| lines.unexpected("two margins", &margin))?;
        let mut moves = Vec::new();
        let goals_line = "`move`, a move and two margins, or `goals`";
        loop {
            let line = lines.next()?;
            let Some(mv) = line.strip_prefix("move ") else {
                if line == "goals" {
                    break;
                }
                return Err(lines.unexpected(goals_line, &line));
            };
            let parsed = mv
                .split_once(' ')
                .and_then(|(mv, bounds)| Some((parse_move(mv)?, parse_bounds(bounds)?)));
            moves.push(parsed.ok_or_else(|| lines.unexpected(goals_line, &line))?);
        }
        let statement = parse_statement(&position, &rules, !moves.is_empty());
        let rules_line = position_line + 1;
        let statement = statement.map_err(|damage| {
            let are_rules_valid = rules.parse::<Rules>().is_ok();
            content(
                if are_rules_valid {
                    position_line
                } else {
                    rules_line
                },
                damage,
            )
        })?;
        check_form(position_line, &position, &position_text(&statement))?;
        check_form(rules_line, &rules, &rules_text(&statement))?;
        let claims = Claims {
            position: bounds,
            moves,
        };
        let mut certificate = Self::new(statement, Some(claims));
        loop {
            let line = lines.next()?;
            if let Some(counted) = line.strip_prefix("end ") {
                let found = certificate.goals().len();
                if counted != found.to_string() {
                    let counted = Quoted::new(counted);
                    return Err(lines.error(LineError::Count { found, counted }));
                }
                break;
            }
            let expected = "`moves` or `search`, `yes` or `no`, a target and a position, or `end`";
            let parsed = parse_goal_line(&line);
            let (entry, target, position) =
                parsed.ok_or_else(|| lines.unexpected(expected, &line))?;
            let goal = parse_goal(position, target, certificate.statement());
            let goal = goal.map_err(|damage| content(lines.number, damage))?;
            check_form(lines.number, &line, &goal_line(&goal, entry))?;
            if !certificate.insert(goal, entry) {
                let position = position.to_owned();
                return Err(content(lines.number, Damage::Repeated { position, target }));
            }
        }
        match lines.read()? {
            None => Ok(certificate),
            Some(line) => Err(lines.unexpected("the end of the file", &line)),
        }
    }

    /// Writes the certificate as compressed text. The margins are those that it states, or else
    /// those that follow from its goals.
    ///
    /// # Errors
    /// The error of the output.
    pub fn write(&self, output: impl Write) -> io::Result<()> {
        let mut output = GzEncoder::new(output, Compression::default());
        self.write_text(&mut output)?;
        output.finish()?.flush()
    }

    fn write_text(&self, output: &mut impl Write) -> io::Result<()> {
        let statement = self.statement();
        let claims = (self.stated_claims().cloned()).unwrap_or_else(|| self.claims());
        writeln!(output, "{FORMAT} {VERSION}")?;
        writeln!(output, "position {}", position_text(statement))?;
        writeln!(output, "rules {}", rules_text(statement))?;
        writeln!(output, "margin {}", format_bounds(claims.position))?;
        for (mv, bounds) in claims.moves {
            let mv = mv.text(Side::South);
            writeln!(output, "move {mv} {}", format_bounds(bounds))?;
        }
        writeln!(output, "goals")?;
        let mut count = 0_u64;
        for (goal, &entry) in self.goals() {
            if entry.answer.is_some() {
                writeln!(output, "{}", goal_line(goal, entry))?;
                count += 1;
            }
        }
        writeln!(output, "end {count}")
    }
}

/// Returns the text of the position of a statement. It has a ply only where the rules depend on it.
fn position_text(statement: &Statement) -> String {
    let mut setup = statement.position().clone();
    setup.first_plies = (statement.rules().first_ply_rules).relevant(setup.first_plies);
    setup.to_string()
}

/// Returns the four fields of the rules of a statement.
fn rules_text(statement: &Statement) -> String {
    let fields = statement.rules().fields();
    let fields = fields.map(|(key, value)| format!("{key}={value}"));
    fields.join(",")
}

/// Returns the line of a goal with an answer.
fn goal_line(goal: &Goal, entry: CertificateEntry) -> String {
    let evidence = match entry.evidence {
        Evidence::Moves => MOVES,
        Evidence::Search | Evidence::MovesOrSearch => SEARCH,
    };
    let answer = if entry.answer == Some(true) { YES } else { NO };
    let (target, position) = (goal.target(), goal.position());
    format!("{evidence} {answer} {target} {position}")
}

/// Checks that a text has the one form that the format allows for its content.
fn check_form(line: u64, found: &str, form: &str) -> Result<(), ParseError> {
    if found == form {
        return Ok(());
    }
    let (form, found) = (Quoted::new(form), Quoted::new(found));
    let reason = LineError::Form { form, found };
    Err(ParseError::Damage(Damage::Line { line, reason }))
}

/// The reason why a text is not a certificate.
enum ParseError {
    Format,
    Utf16,
    Version(String),
    Damage(Damage),
}

/// The lines of a text, with their numbers.
struct Lines<R> {
    text: R,
    /// The number of the last line.
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// Returns the next line; `None` at the end of the text.
    fn read(&mut self) -> Result<Option<String>, ParseError> {
        let mut line = Vec::new();
        let read = (&mut self.text)
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line);
        if let Err(reason) = read {
            return Err(ParseError::Damage(Damage::Compression {
                line: self.number,
                reason: reason.to_string(),
            }));
        }
        if line.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let text = line.strip_suffix(b"\n").map(<[u8]>::to_vec);
        let text = text.and_then(|text| String::from_utf8(text).ok());
        match text {
            Some(text) => Ok(Some(text)),
            // A last line without its end is cut off.
            None if (line.len() as u64) < MAX_LINE_BYTES && str::from_utf8(&line).is_ok() => {
                Err(self.error(LineError::Truncated))
            }
            None => Err(self.error(LineError::NotText(MAX_LINE_BYTES))),
        }
    }

    /// Returns the next line.
    fn next(&mut self) -> Result<String, ParseError> {
        let line = self.read()?;
        line.ok_or_else(|| self.error(LineError::Truncated))
    }

    /// Returns the rest of the next line after `start`.
    fn expect(&mut self, start: &str, expected: &'static str) -> Result<String, ParseError> {
        let line = self.next()?;
        match line.strip_prefix(start) {
            Some(rest) => Ok(rest.to_owned()),
            None => Err(self.unexpected(expected, &line)),
        }
    }

    fn unexpected(&self, expected: &'static str, line: &str) -> ParseError {
        let found = Quoted::new(line);
        self.error(LineError::Unexpected { expected, found })
    }

    fn error(&self, reason: LineError) -> ParseError {
        let line = self.number;
        ParseError::Damage(Damage::Line { line, reason })
    }
}

fn content(line: u64, damage: Damage) -> ParseError {
    let reason = LineError::Content(Box::new(damage));
    ParseError::Damage(Damage::Line { line, reason })
}

/// Parses a move of South, or of North as the same letter.
fn parse_move(text: &str) -> Option<Move> {
    if text == Move::Swap.text(Side::South) {
        return Some(Move::Swap);
    }
    let mut letters = text.chars();
    let (side, house) = House::from_letter(letters.next()?)?;
    let is_house = letters.next().is_none() && side == Side::South;
    is_house.then_some(Move::Sow(house))
}

fn parse_bounds(text: &str) -> Option<MarginBounds> {
    let (lower, upper) = text.split_once(' ')?;
    let margin = |text: &str| {
        let margin: i32 = text.parse().ok()?;
        let fits = (-MAX_TARGET..=MAX_TARGET).contains(&margin);
        fits.then(|| Margin::new(margin))
    };
    let bounds = MarginBounds {
        lower: margin(lower)?,
        upper: margin(upper)?,
    };
    (format_bounds(bounds) == text).then_some(bounds)
}

fn format_bounds(bounds: MarginBounds) -> String {
    format!("{} {}", bounds.lower.seeds(), bounds.upper.seeds())
}

fn parse_goal_line(line: &str) -> Option<(CertificateEntry, i64, &str)> {
    let mut words = line.splitn(4, ' ');
    let evidence = match words.next()? {
        MOVES => Evidence::Moves,
        SEARCH => Evidence::Search,
        _ => return None,
    };
    let answer = match words.next()? {
        YES => Some(true),
        NO => Some(false),
        _ => return None,
    };
    let target = words.next()?.parse().ok()?;
    Some((CertificateEntry { answer, evidence }, target, words.next()?))
}
