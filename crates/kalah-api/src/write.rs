use kalah::record::{RecordBuilder, Tags};
use kalah::{Ending, Move, Side};
use serde::{Deserialize, Serialize};

use crate::{Problem, object, start};

/// What is the record of this game? The question `write`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteQuestion {
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
    #[serde(deserialize_with = "object::list")]
    pub plies: Vec<PlyToWrite>,
    /// How it ended, if not on the board: `resign`, for example.
    pub termination: Option<String>,
    /// The side that won, as it sat at the end, if the seeds do not say it.
    pub winner: Option<Side>,
}

/// A ply to be written. Of the plies that follow the same one, the first belongs to the main line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlyToWrite {
    /// The place in the list of the ply before it; none for a first ply.
    pub parent: Option<usize>,
    /// A house, or `swap`.
    pub choice: String,
    /// What is said of it.
    #[serde(default)]
    pub comments: Vec<String>,
}

/// A record as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The text.
    pub text: String,
}

/// Tags that the game itself tells.
const TOLD_BY_GAME: [&str; 5] = [
    Tags::RULES,
    Tags::POSITION,
    Tags::RESULT,
    Tags::TERMINATION,
    Tags::WINNER,
];

impl WriteQuestion {
    /// The record.
    ///
    /// # Errors
    /// What in the game cannot be.
    pub fn answer(&self) -> Result<Written, Problem> {
        let start = start::position(self.rules.as_deref(), self.position.as_deref())?;
        let mut tags = Tags::from_start(&start);
        for (name, value) in &self.tags {
            if !TOLD_BY_GAME.contains(&name.as_str()) {
                tags.set(name, value)?;
            }
        }
        let mut writer = Writer {
            plies: &self.plies,
            after: self.followers()?,
            builder: RecordBuilder::new(tags)?,
        };
        writer.comments(&self.comments)?;
        if let Some(first) = writer.after[0].first() {
            let first = *first;
            writer.line(None, first, Vec::new())?;
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
        Ok(Written {
            text: record.to_string(),
        })
    }

    /// The plies that follow each: at 0 those that follow none, at n + 1 those that follow ply n.
    fn followers(&self) -> Result<Vec<Vec<usize>>, Problem> {
        let mut followers = vec![Vec::new(); self.plies.len() + 1];
        for (ply, written) in self.plies.iter().enumerate() {
            match written.parent {
                Some(parent) if parent >= ply => return Err(Problem::Parent { ply, parent }),
                parent => followers[place(parent)].push(ply),
            }
        }
        Ok(followers)
    }
}

/// Where the followers of a ply stand.
fn place(ply: Option<usize>) -> usize {
    ply.map_or(0, |ply| ply + 1)
}

struct Writer<'a> {
    plies: &'a [PlyToWrite],
    after: Vec<Vec<usize>>,
    builder: RecordBuilder,
}

impl Writer<'_> {
    /// Writes the line that goes on with `ply` after `parent`, and the variations that branch off it;
    /// `begun` is what has been chosen already in the turn that goes on. It calls itself as deep as variations are
    /// within one another, which the builder limits.
    fn line(
        &mut self,
        mut parent: Option<usize>,
        mut ply: usize,
        mut begun: Vec<Move>,
    ) -> Result<(), Problem> {
        loop {
            let turn = self.builder.turn();
            let choice = self.play(ply)?;
            // Other plies instead of this one stand behind it, and begin where its turn does.
            let siblings = self.after[place(parent)].clone();
            if siblings.first() == Some(&ply) {
                for &other in &siblings[1..] {
                    self.builder.begin_variation(turn)?;
                    for &choice in &begun {
                        self.builder.play(choice)?;
                    }
                    self.line(parent, other, begun.clone())?;
                    self.builder.end_variation()?;
                }
            }
            if self.builder.turn() == turn {
                begun.push(choice);
            } else {
                begun.clear();
            }
            parent = Some(ply);
            match self.after[place(parent)].first() {
                Some(&next) => ply = next,
                None => return Ok(()),
            }
        }
    }

    fn play(&mut self, ply: usize) -> Result<Move, Problem> {
        let written = &self.plies[ply];
        let choice =
            start::choice(&written.choice, self.builder.position()).map_err(|problem| {
                Problem::AtPly {
                    ply: ply + 1,
                    problem: Box::new(problem),
                }
            })?;
        self.builder.play(choice)?;
        self.comments(&written.comments)?;
        Ok(choice)
    }

    fn comments(&mut self, comments: &[String]) -> Result<(), Problem> {
        for comment in comments {
            self.builder.comment(comment)?;
        }
        Ok(())
    }
}
