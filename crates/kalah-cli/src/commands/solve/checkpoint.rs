use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kalah::{Margin, Move, Position};
use kalah_engine::{Bounds, Report};
use kalah_players::{display_path, escape_control, escape_truncated};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::CliError;
use crate::text_file;

/// A file that keeps the proven bounds of the choices of a position while a long proof goes on.
pub(super) struct Checkpoint {
    path: PathBuf,
    position: Position,
    /// When it was written last by a step of the proof.
    last_written: Option<Instant>,
}

/// What is in the file: an object of JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointFile {
    proof: CheckpointProof,
    /// XXH3 of the proof as compact JSON, in hexadecimal digits.
    checksum: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointProof {
    format: String,
    position: String,
    rules: String,
    /// Every choice, or none if nothing is known.
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

/// What the file says of itself.
const FORMAT: &str = "kalah checkpoint 1";

/// Steps that follow one another faster are not all written: at most so much is done again.
const MIN_WRITE_INTERVAL: Duration = Duration::from_secs(1);

/// Choices and what is proven of them.
type KnownBounds = Vec<(Move, Bounds)>;

impl Checkpoint {
    /// The checkpoint in this file, which is made if it is not there, and what it knows.
    ///
    /// # Errors
    /// [`Failure::Work`] if it cannot be read or written, is none, or is about something else; the file
    /// is as it was then.
    pub(super) fn open(path: &Path, position: &Position) -> Result<(Self, KnownBounds), CliError> {
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
        // Better now than after hours of work.
        checkpoint.write(&known)?;
        Ok((checkpoint, known))
    }

    /// Keeps a step of the proof.
    pub(super) fn update(&mut self, report: &Report) {
        let now = Instant::now();
        let soon = |written| now.saturating_duration_since(written) < MIN_WRITE_INTERVAL;
        if !self.last_written.is_some_and(soon) {
            // What cannot be written now may be later, and at the end it is told.
            if self.write(&report.moves).is_ok() {
                self.last_written = Some(now);
            }
        }
    }

    /// Keeps the bounds that were found, and says so.
    ///
    /// # Errors
    /// [`Failure::Work`] if it cannot be written.
    pub(super) fn finish(self, report: &Report) -> Result<String, CliError> {
        self.write(&report.moves)?;
        Ok(format!(
            "{} keeps these bounds of the moves: the same command goes on with them, and begins the step under \
             way again",
            self.quoted_path()
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
        let refuse = |reason: String| CliError::Runtime(format!("{} {reason}", self.quoted_path()));
        let contents: CheckpointFile = serde_json::from_str(text).map_err(|reason| {
            refuse(format!(
                "is no checkpoint: {}",
                escape_control(&reason.to_string())
            ))
        })?;
        let CheckpointFile {
            proof,
            checksum: told,
        } = contents;
        if proof.format != FORMAT {
            let format = escape_truncated(&proof.format);
            return Err(refuse(format!("is `{format}`, and not `{FORMAT}`")));
        }
        let found = checksum(&proof)?;
        if found != told {
            let told = escape_truncated(&told);
            return Err(refuse(format!(
                "is damaged: its checksum is {found}, and it says {told}"
            )));
        }
        let (position, rules) = (self.position.to_string(), self.position.rules().to_string());
        if proof.position != position || proof.rules != rules {
            let (other, others) = (
                escape_truncated(&proof.position),
                escape_truncated(&proof.rules),
            );
            return Err(refuse(format!(
                "is about `{other}` under the rules {others}, and not about `{position}` under {rules}"
            )));
        }
        let known = proof.moves.iter().map(|of| {
            self.parse_move(of)
                .ok_or_else(|| refuse(format!("is wrong about `{}`", escape_truncated(&of.mv))))
        });
        let known: KnownBounds = known.collect::<Result<_, _>>()?;
        let is_once = |mv| known.iter().filter(|(of, _)| *of == mv).count() == 1;
        let all_once = known.len() == self.position.legal_moves().count()
            && self.position.legal_moves().all(is_once);
        if !known.is_empty() && !all_once {
            return Err(refuse("does not tell of every move once".to_owned()));
        }
        Ok(known)
    }

    /// What a move of the file says; `None` if that cannot be.
    fn parse_move(&self, told: &CheckpointMove) -> Option<(Move, Bounds)> {
        let side = self.position.to_move();
        let mv = (self.position.legal_moves()).find(|mv| mv.text(side) == told.mv)?;
        // At the end all seeds lie in the stores: what one has more is odd or even as they are.
        let all = i32::from(self.position.total());
        let can_be = |margin: i32| (-all..=all).contains(&margin) && (margin - all) % 2 == 0;
        let good = told.lower <= told.upper && can_be(told.lower) && can_be(told.upper);
        let bounds = Bounds {
            lower: Margin::new(told.lower),
            upper: Margin::new(told.upper),
        };
        good.then_some((mv, bounds))
    }

    fn quoted_path(&self) -> String {
        format!("'{}'", display_path(&self.path))
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

    /// What is read of a checkpoint of 3x2 with bounds of these choices.
    fn read(moves: &[&str]) -> Result<Vec<String>, String> {
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
        let mv = |text: &&str| position.legal_moves().find(|of| of.text(side) == *text);
        let known: KnownBounds = (moves.iter())
            .map(|text| (mv(text).expect("a choice"), bounds))
            .collect();
        checkpoint.write(&known).expect("it is written");
        match Checkpoint::open(&checkpoint.path, &position) {
            Ok((_, known)) => Ok(known.iter().map(|(mv, _)| mv.text(side)).collect()),
            Err(failure) => Err(failure.message().expect("a reason")),
        }
    }

    #[test]
    fn each_choice_is_told_of_once_or_none_is() {
        for good in [&[] as &[&str], &["A", "B", "C"], &["C", "A", "B"]] {
            assert_eq!(read(good).expect("good"), good);
        }
        for wrong in [&["A"] as &[&str], &["A", "A", "B"], &["A", "B", "C", "C"]] {
            let told = read(wrong).expect_err("wrong");
            assert!(
                told.ends_with("proof' does not tell of every move once"),
                "{told}"
            );
        }
    }
}
