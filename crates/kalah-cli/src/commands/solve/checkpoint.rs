use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kalah::{Choice, Margin, Position};
use kalah_engine::{Bounds, Report};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::Failure;
use crate::shown::{shown, tame};
use crate::text_file;

/// A file that keeps what is proven of a position while a long proof goes on.
pub(super) struct Checkpoint {
    path: PathBuf,
    position: Position,
    /// When it was written last by a step of the proof.
    written: Option<Instant>,
}

/// What is in the file: an object of JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    proof: Proof,
    /// XXH3 of the proof as compact JSON, in hexadecimal digits.
    checksum: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Proof {
    format: String,
    position: String,
    rules: String,
    /// Every choice, or none if nothing is known.
    moves: Vec<Move>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    #[serde(rename = "move")]
    choice: String,
    lower: i32,
    upper: i32,
}

/// What the file says of itself.
const FORMAT: &str = "kalah checkpoint 1";

/// Steps that follow one another faster are not all written: at most so much is done again.
const SHORTEST_TIME_BETWEEN: Duration = Duration::from_secs(1);

/// Choices and what is proven of them.
type Known = Vec<(Choice, Bounds)>;

impl Checkpoint {
    /// The checkpoint in this file, which is made if it is not there, and what it knows.
    ///
    /// # Errors
    /// [`Failure::Work`] if it cannot be read or written, is none, or is about something else; the file
    /// is as it was then.
    pub(super) fn open(path: &Path, position: &Position) -> Result<(Self, Known), Failure> {
        let checkpoint = Self {
            path: path.to_owned(),
            position: position.clone(),
            written: None,
        };
        let known = if text_file::is_there(path).map_err(Failure::from)? {
            let text = text_file::read(path).map_err(Failure::from)?;
            checkpoint.parse(&text)?
        } else {
            Vec::new()
        };
        // Better now than after hours of work.
        checkpoint.write(&known)?;
        Ok((checkpoint, known))
    }

    /// Keeps a step of the proof.
    pub(super) fn see(&mut self, report: &Report) {
        let now = Instant::now();
        let soon = |written| now.saturating_duration_since(written) < SHORTEST_TIME_BETWEEN;
        if !self.written.is_some_and(soon) {
            // What cannot be written now may be later, and at the end it is told.
            if self.write(&report.choices).is_ok() {
                self.written = Some(now);
            }
        }
    }

    /// Keeps all that was found, and says so.
    ///
    /// # Errors
    /// [`Failure::Work`] if it cannot be written.
    pub(super) fn close(self, report: &Report) -> Result<String, Failure> {
        self.write(&report.choices)?;
        Ok(format!(
            "{} keeps it, and the same command goes on from there",
            self.quoted()
        ))
    }

    fn write(&self, known: &[(Choice, Bounds)]) -> Result<(), Failure> {
        let side = self.position.to_move();
        let moves = known.iter().map(|&(choice, bounds)| Move {
            choice: choice.text(side),
            lower: bounds.lower.seeds(),
            upper: bounds.upper.seeds(),
        });
        let proof = Proof {
            format: FORMAT.to_owned(),
            position: self.position.to_string(),
            rules: self.position.rules().to_string(),
            moves: moves.collect(),
        };
        let contents = Contents {
            checksum: checksum(&proof)?,
            proof,
        };
        let text = serde_json::to_string(&contents)? + "\n";
        text_file::replace(&self.path, &text).map_err(Failure::from)
    }

    fn parse(&self, text: &str) -> Result<Known, Failure> {
        let refuse = |reason: String| Failure::Work(format!("{} {reason}", self.quoted()));
        let contents: Contents = serde_json::from_str(text)
            .map_err(|reason| refuse(format!("is no checkpoint: {}", tame(&reason.to_string()))))?;
        let Contents {
            proof,
            checksum: told,
        } = contents;
        if proof.format != FORMAT {
            let format = shown(&proof.format);
            return Err(refuse(format!("is `{format}`, and not `{FORMAT}`")));
        }
        let found = checksum(&proof)?;
        if found != told {
            let told = shown(&told);
            return Err(refuse(format!(
                "is damaged: its checksum is {found}, and it says {told}"
            )));
        }
        let (position, rules) = (self.position.to_string(), self.position.rules().to_string());
        if proof.position != position || proof.rules != rules {
            let (other, others) = (shown(&proof.position), shown(&proof.rules));
            return Err(refuse(format!(
                "is about `{other}` under the rules {others}, and not about `{position}` under {rules}"
            )));
        }
        let known = proof.moves.iter().map(|of| {
            self.known(of)
                .ok_or_else(|| refuse(format!("is wrong about `{}`", shown(&of.choice))))
        });
        known.collect()
    }

    /// What a move of the file says; `None` if that cannot be.
    fn known(&self, told: &Move) -> Option<(Choice, Bounds)> {
        let side = self.position.to_move();
        let choice = (self.position.choices()).find(|choice| choice.text(side) == told.choice)?;
        // At the end all seeds lie in the stores: what one has more is odd or even as they are.
        let all = i32::from(self.position.total());
        let can_be = |margin: i32| (-all..=all).contains(&margin) && (margin - all) % 2 == 0;
        let good = told.lower <= told.upper && can_be(told.lower) && can_be(told.upper);
        let bounds = Bounds {
            lower: Margin::new(told.lower),
            upper: Margin::new(told.upper),
        };
        good.then_some((choice, bounds))
    }

    fn quoted(&self) -> String {
        format!("'{}'", shown(&self.path.display().to_string()))
    }
}

fn checksum(proof: &Proof) -> Result<String, Failure> {
    let text = serde_json::to_string(proof)?;
    Ok(format!("{:016x}", xxh3_64(text.as_bytes())))
}
