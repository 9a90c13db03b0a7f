//! Checkpoint files of `kalah solve`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kalah::{Margin, Move, Position};
use kalah_engine::{Bounds, Report};
use kalah_parse::{JsonError, parse_json};
use kalah_players::{escape_truncated, quoted_path};
use kalah_record_files::text_file;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::CliError;

/// The value of the field `format`.
const FORMAT: &str = "kalah checkpoint 1";

/// The end of messages about files from which no proof can resume.
const RESTART_ADVICE: &str = "; name another file, or remove this one to begin the proof anew";

/// The minimum time between two writes during a proof. A crash loses at most this time of work.
const MIN_WRITE_INTERVAL: Duration = Duration::from_millis(100);

/// The proven bounds of moves.
pub(crate) type KnownBounds = Vec<(Move, Bounds)>;

/// A file with the proven bounds of the moves of a position during a long proof.
pub(crate) struct Checkpoint {
    path: PathBuf,
    position: Position,
    /// The time of the last write by a step of the proof.
    last_written: Option<Instant>,
}

/// The content of the file: an object of JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointFile {
    proof: CheckpointProof,
    /// The XXH3 hash of the proof as compact JSON, in hexadecimal digits.
    checksum: String,
}

/// The format of a file, whose other keys depend on it.
#[derive(Deserialize)]
struct CheckpointHeader {
    proof: ProofHeader,
}

#[derive(Deserialize)]
struct ProofHeader {
    format: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointProof {
    format: String,
    position: String,
    rules: String,
    /// Every legal move, or none if nothing is known.
    moves: Vec<CheckpointMove>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointMove {
    #[serde(rename = "move")]
    mv: String,
    lower: i32,
    upper: i32,
}

impl Checkpoint {
    /// Opens the checkpoint file, or creates it, and returns the bounds in it.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the file cannot be read or written, is not a valid checkpoint, or
    /// has another position or other rules. The file is unchanged then.
    pub(crate) fn open(path: &Path, position: &Position) -> Result<(Self, KnownBounds), CliError> {
        let checkpoint = Self {
            path: path.to_owned(),
            position: position.clone(),
            last_written: None,
        };
        let known = if text_file::exists(path).map_err(CliError::from)? {
            let text = text_file::read(path).map_err(CliError::from)?;
            checkpoint.parse(&text)?
        } else {
            Vec::new()
        };
        // A file that cannot be written is reported now, and not after hours of work.
        checkpoint.write(&known)?;
        Ok((checkpoint, known))
    }

    /// Writes the bounds of a step of the proof.
    pub(crate) fn update(&mut self, report: &Report) {
        let now = Instant::now();
        let is_recent = |written| now.saturating_duration_since(written) < MIN_WRITE_INTERVAL;
        if !self.last_written.is_some_and(is_recent) {
            // A later write may succeed, and `finish` reports an error of the last one.
            if self.write(&report.move_bounds()).is_ok() {
                self.last_written = Some(now);
            }
        }
    }

    /// Writes the final bounds, and returns a message about it.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the file cannot be written.
    pub(crate) fn finish(self, report: &Report) -> Result<String, CliError> {
        self.write(&report.move_bounds())?;
        Ok(format!(
            "{} has these bounds of the moves: the same command resumes from them and repeats only the \
             interrupted step",
            quoted_path(&self.path)
        ))
    }

    fn write(&self, known: &[(Move, Bounds)]) -> Result<(), CliError> {
        let side = self.position.to_move();
        let moves = known.iter().map(|&(mv, bounds)| CheckpointMove {
            mv: mv.text(side),
            lower: bounds.lower.seeds(),
            upper: bounds.upper.seeds(),
        });
        let proof = CheckpointProof {
            format: FORMAT.to_owned(),
            position: self.position.to_string(),
            rules: self.position.rules().to_string(),
            moves: moves.collect(),
        };
        let contents = CheckpointFile {
            checksum: checksum(&proof)?,
            proof,
        };
        let text = serde_json::to_string(&contents)? + "\n";
        text_file::replace(&self.path, &text).map_err(CliError::from)
    }

    fn parse(&self, text: &str) -> Result<KnownBounds, CliError> {
        let refuse =
            |reason: String| CliError::Runtime(format!("{} {reason}", quoted_path(&self.path)));
        let no_checkpoint =
            |reason: JsonError| refuse(format!("is not a checkpoint: {reason}{RESTART_ADVICE}"));
        // Another format can have other keys, so the format is compared first.
        let header: CheckpointHeader = parse_json(text.as_bytes()).map_err(no_checkpoint)?;
        if header.proof.format != FORMAT {
            let format = escape_truncated(&header.proof.format);
            return Err(refuse(format!(
                "has the format `{format}`, not `{FORMAT}`{RESTART_ADVICE}"
            )));
        }
        let CheckpointFile {
            proof,
            checksum: expected,
        } = parse_json(text.as_bytes()).map_err(no_checkpoint)?;
        let computed = checksum(&proof)?;
        if computed != expected {
            let expected = escape_truncated(&expected);
            return Err(refuse(format!(
                "is damaged: its checksum is {computed}, expected {expected}{RESTART_ADVICE}"
            )));
        }
        let (position, rules) = (self.position.to_string(), self.position.rules().to_string());
        if proof.position != position || proof.rules != rules {
            let (file_position, file_rules) = (
                escape_truncated(&proof.position),
                escape_truncated(&proof.rules),
            );
            return Err(refuse(format!(
                "has the position `{file_position}` under the rules {file_rules}, not `{position}` under \
                 {rules}"
            )));
        }
        let known = proof.moves.iter().map(|entry| {
            self.parse_move(entry).ok_or_else(|| {
                refuse(format!(
                    "has invalid bounds for `{}`{RESTART_ADVICE}",
                    escape_truncated(&entry.mv)
                ))
            })
        });
        let known: KnownBounds = known.collect::<Result<_, _>>()?;
        let has_once = |mv| known.iter().filter(|(known_mv, _)| *known_mv == mv).count() == 1;
        let has_all_once = known.len() == self.position.legal_moves().count()
            && self.position.legal_moves().all(has_once);
        if !known.is_empty() && !has_all_once {
            return Err(refuse(format!(
                "does not have each move exactly once{RESTART_ADVICE}"
            )));
        }
        Ok(known)
    }

    /// Parses a move of the file; `None` if the move is illegal or its bounds are impossible.
    fn parse_move(&self, entry: &CheckpointMove) -> Option<(Move, Bounds)> {
        let side = self.position.to_move();
        let mv = (self.position.legal_moves()).find(|mv| mv.text(side) == entry.mv)?;
        // At the end all seeds are in the stores, so a margin has the parity of their number.
        let total = i32::from(self.position.total());
        let is_possible =
            |margin: i32| (-total..=total).contains(&margin) && (margin - total) % 2 == 0;
        let are_valid =
            entry.lower <= entry.upper && is_possible(entry.lower) && is_possible(entry.upper);
        let bounds = Bounds {
            lower: Margin::new(entry.lower),
            upper: Margin::new(entry.upper),
        };
        are_valid.then_some((mv, bounds))
    }
}

fn checksum(proof: &CheckpointProof) -> Result<String, CliError> {
    let text = serde_json::to_string(proof)?;
    Ok(format!("{:016x}", xxh3_64(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;

    /// Writes a checkpoint of 3x2 with bounds of `moves`, and returns the moves that are read back.
    fn write_and_read(moves: &[&str]) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let position = Position::start(3, 2, Rules::CS32).expect("a start");
        let checkpoint = Checkpoint {
            path: folder.path().join("proof"),
            position: position.clone(),
            last_written: None,
        };
        let side = position.to_move();
        let bounds = Bounds {
            lower: Margin::new(-2),
            upper: Margin::new(4),
        };
        let mv = |text: &&str| position.legal_moves().find(|mv| mv.text(side) == *text);
        let known: KnownBounds = (moves.iter())
            .map(|text| (mv(text).expect("a legal move"), bounds))
            .collect();
        checkpoint.write(&known).expect("a write");
        match Checkpoint::open(&checkpoint.path, &position) {
            Ok((_, known)) => Ok(known.iter().map(|(mv, _)| mv.text(side)).collect()),
            Err(error) => Err(error.message().expect("a message")),
        }
    }

    #[test]
    fn checkpoint_has_each_move_exactly_once_or_no_move() {
        for moves in [&[] as &[&str], &["A", "B", "C"], &["C", "A", "B"]] {
            assert_eq!(write_and_read(moves).expect("a valid checkpoint"), moves);
        }
        for moves in [&["A"] as &[&str], &["A", "A", "B"], &["A", "B", "C", "C"]] {
            let message = write_and_read(moves).expect_err("an invalid checkpoint");
            assert!(
                message.contains("proof' does not have each move exactly once; name another"),
                "{message}"
            );
        }
    }
}
