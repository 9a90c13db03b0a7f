use kalah::record::{RecordBuilder, Tags};
use kalah::{Ending, Move, Side};
use serde::{Deserialize, Serialize};

use crate::{RequestError, object, start};

/// What is the record of this game? The question `write`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteRequest {
    /// `cs32` if missing.
    pub rules: Option<String>,
    /// `6x4` if missing.
    pub position: Option<String>,
    /// Names and what they say. Those that the game itself tells, such as `Rules` and `Result`, are passed over.
    #[serde(default)]
    pub tags: Vec<(String, String)>,
    /// What is said before the first ply.
    #[serde(default)]
    pub comments: Vec<String>,
    /// All plies, each after the one that it follows.
    #[serde(deserialize_with = "object::deserialize_objects")]
    pub plies: Vec<PlyInput>,
    /// How it ended, if not on the board: `resign`, for example.
    pub termination: Option<String>,
    /// The side that won, as it sat at the end, if the seeds do not say it.
    pub winner: Option<Side>,
}

/// A ply to be written. Of the plies that follow the same one, the first belongs to the main line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlyInput {
    /// The place in the list of the ply before it; none for a first ply.
    pub parent: Option<usize>,
    /// A house, or `swap`.
    #[serde(rename = "choice")]
    pub mv: String,
    /// What is said of it.
    #[serde(default)]
    pub comments: Vec<String>,
}

/// A record as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteResponse {
    /// The text.
    pub text: String,
}

/// Tags that the game itself tells.
const DERIVED_TAGS: [&str; 5] = [
    Tags::RULES,
    Tags::POSITION,
    Tags::RESULT,
    Tags::TERMINATION,
    Tags::WINNER,
];

impl WriteRequest {
    /// The record.
    ///
    /// # Errors
    /// What in the game cannot be.
    pub fn execute(&self) -> Result<WriteResponse, RequestError> {
        let start = start::parse_position(self.rules.as_deref(), self.position.as_deref())?;
        let mut tags = Tags::from_start(&start);
        for (name, value) in &self.tags {
            if !DERIVED_TAGS.contains(&name.as_str()) {
                tags.set(name, value)?;
            }
        }
        let mut writer = RecordWriter {
            plies: &self.plies,
            children: self.child_plies()?,
            builder: RecordBuilder::new(tags)?,
        };
        writer.write_comments(&self.comments)?;
        if let Some(first) = writer.children[0].first() {
            let first = *first;
            writer.write_line(None, first, Vec::new())?;
        }
        let mut record = writer.builder.finish()?;
        let mut ending = record.ending();
        if let Some(word) = &self.termination {
            ending = Ending {
                termination: word.parse()?,
                winner: self.winner.or(ending.winner),
                ..ending
            };
        }
        record.set_ending(ending)?;
        Ok(WriteResponse {
            text: record.to_string(),
        })
    }

    /// The plies that follow each: at 0 those that follow none, at n + 1 those that follow ply n.
    fn child_plies(&self) -> Result<Vec<Vec<usize>>, RequestError> {
        let mut followers = vec![Vec::new(); self.plies.len() + 1];
        for (ply, written) in self.plies.iter().enumerate() {
            match written.parent {
                Some(parent) if parent >= ply => {
                    return Err(RequestError::InvalidParent { ply, parent });
                }
                parent => followers[child_index(parent)].push(ply),
            }
        }
        Ok(followers)
    }
}

/// Where the followers of a ply stand.
fn child_index(ply: Option<usize>) -> usize {
    ply.map_or(0, |ply| ply + 1)
}

struct RecordWriter<'a> {
    plies: &'a [PlyInput],
    children: Vec<Vec<usize>>,
    builder: RecordBuilder,
}

impl RecordWriter<'_> {
    /// Writes the line that goes on with `ply` after `parent`, and the variations that branch off it;
    /// `begun` is what has been chosen already in the turn that goes on. It calls itself as deep as variations are
    /// within one another, which the builder limits.
    fn write_line(
        &mut self,
        mut parent: Option<usize>,
        mut ply: usize,
        mut begun: Vec<Move>,
    ) -> Result<(), RequestError> {
        loop {
            let turn = self.builder.turn();
            let mv = self.write_ply(ply)?;
            // Other plies instead of this one stand behind it, and begin where its turn does.
            let siblings = self.children[child_index(parent)].clone();
            if siblings.first() == Some(&ply) {
                for &other in &siblings[1..] {
                    self.builder.begin_variation(turn)?;
                    for &mv in &begun {
                        self.builder.play(mv)?;
                    }
                    self.write_line(parent, other, begun.clone())?;
                    self.builder.end_variation()?;
                }
            }
            if self.builder.turn() == turn {
                begun.push(mv);
            } else {
                begun.clear();
            }
            parent = Some(ply);
            match self.children[child_index(parent)].first() {
                Some(&next) => ply = next,
                None => return Ok(()),
            }
        }
    }

    fn write_ply(&mut self, ply: usize) -> Result<Move, RequestError> {
        let written = &self.plies[ply];
        let mv = start::parse_move(&written.mv, self.builder.position()).map_err(|problem| {
            RequestError::AtPly {
                ply: ply + 1,
                problem: Box::new(problem),
            }
        })?;
        self.builder.play(mv)?;
        self.write_comments(&written.comments)?;
        Ok(mv)
    }

    fn write_comments(&mut self, comments: &[String]) -> Result<(), RequestError> {
        for comment in comments {
            self.builder.comment(comment)?;
        }
        Ok(())
    }
}
