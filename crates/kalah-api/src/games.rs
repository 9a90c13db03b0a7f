use kalah::record::{Record, RecordBuilder, RecordEntry, Tags, Turn};
use kalah::{Ending, Move, Position, Side};
use serde::{Deserialize, Serialize};

use crate::{MoveResultView, PositionView, RequestError, json, positions};

/// A game with its variations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameView {
    /// Names and what they say, in the order of the text.
    pub tags: Vec<(String, String)>,
    /// The position before the first ply.
    pub start: PositionView,
    /// What is said before the first ply.
    pub comments: Vec<String>,
    /// All plies, each after the one that it follows.
    pub plies: Vec<PlyView>,
    /// How it ended: `normal`, `resign`, `unfinished` and so on.
    pub termination: String,
    /// The side that won, as it sat at the end.
    pub winner: Option<Side>,
}

/// A ply of a game with variations. Of the plies that follow the same one, the first belongs to the main line, or to
/// the main line of its variation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlyView {
    /// The place in the list of the ply before it; none for a first ply.
    pub parent: Option<usize>,
    /// What was played.
    #[serde(rename = "sown")]
    pub result: MoveResultView,
    /// What is said of it.
    pub comments: Vec<String>,
}

impl GameView {
    /// The most plies of games that are answered at once, so that a short question has no endless answer.
    pub const MAX_PLIES: usize = 5000;
}

/// What do these choices do, one after another? The question `play`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayRequest {
    /// `cs32` if missing.
    pub rules: Option<String>,
    /// `6x4` if missing.
    pub position: Option<String>,
    /// Houses or `swap`, at most [`GameView::MAX_PLIES`].
    #[serde(rename = "choices")]
    pub moves: Vec<String>,
}

/// A line that was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayResponse {
    /// The position before it.
    pub start: PositionView,
    /// Its plies.
    pub plies: Vec<MoveResultView>,
}

impl PlayRequest {
    /// The line.
    ///
    /// # Errors
    /// Why there is no such position, or which choice cannot be made and why.
    pub fn execute(&self) -> Result<PlayResponse, RequestError> {
        let mut position =
            positions::parse_position(self.rules.as_deref(), self.position.as_deref())?;
        if self.moves.len() > GameView::MAX_PLIES {
            return Err(RequestError::TooManyPlies(GameView::MAX_PLIES));
        }
        let start = PositionView::from(&position);
        let mut plies = Vec::new();
        for (ply, text) in (1..).zip(&self.moves) {
            let sown = positions::parse_move(text, &position)
                .and_then(|mv| MoveResultView::play(&mut position, mv));
            plies.push(sown.map_err(|problem| RequestError::AtPly {
                ply,
                problem: Box::new(problem),
            })?);
        }
        Ok(PlayResponse { start, plies })
    }
}

/// Which games are in this text? The question `read`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadRequest {
    /// A file of game records; at most [`GameView::MAX_PLIES`] plies are read.
    pub text: String,
}

/// The games of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadResponse {
    /// In the order of the text.
    pub games: Vec<GameView>,
}

impl ReadRequest {
    /// The games.
    ///
    /// # Errors
    /// What is wrong with the text, and where.
    pub fn execute(&self) -> Result<ReadResponse, RequestError> {
        let records = Record::parse_all(&self.text)?;
        let is_ply = |entry: &&RecordEntry| matches!(entry, RecordEntry::Ply { .. });
        let entries = records.iter().flat_map(Record::entries);
        if entries.filter(is_ply).count() > GameView::MAX_PLIES {
            return Err(RequestError::TooManyPlies(GameView::MAX_PLIES));
        }
        let games = records.iter().map(game_view).collect::<Result<_, _>>()?;
        Ok(ReadResponse { games })
    }
}

/// A game as a tree: variations with plies in common share them.
struct GameTree {
    start: Position,
    comments: Vec<String>,
    plies: Vec<GameTreeNode>,
}

struct GameTreeNode {
    view: PlyView,
    turn: Turn,
    after: Position,
}

/// A line that is being read.
struct VariationCursor {
    /// Its last ply; none at the start.
    last_ply: Option<usize>,
    /// What is said before its first ply.
    pending_comments: Vec<String>,
}

fn game_view(record: &Record) -> Result<GameView, RequestError> {
    let start = record.start();
    let mut tree = GameTree {
        start: start.clone(),
        comments: Vec::new(),
        plies: Vec::new(),
    };
    let mut line = VariationCursor {
        last_ply: None,
        pending_comments: Vec::new(),
    };
    let mut outer = Vec::new();
    for entry in record.entries() {
        match entry {
            RecordEntry::Ply { turn, mv } => {
                let ply = tree.find_or_add_ply(line.last_ply, *turn, *mv)?;
                tree.plies[ply]
                    .view
                    .comments
                    .append(&mut line.pending_comments);
                line.last_ply = Some(ply);
            }
            RecordEntry::Comment(text) => match line.last_ply {
                _ if line.is_empty_variation(&outer) => line.pending_comments.push(text.clone()),
                Some(ply) => tree.plies[ply].view.comments.push(text.clone()),
                None => tree.comments.push(text.clone()),
            },
            RecordEntry::BeginVariation(turn) => {
                let begun = tree.last_ply_before(line.last_ply, *turn);
                let variation = VariationCursor {
                    last_ply: begun,
                    pending_comments: Vec::new(),
                };
                outer.push((std::mem::replace(&mut line, variation), begun));
            }
            RecordEntry::EndVariation => {
                if let Some((around, _)) = outer.pop() {
                    line = around;
                }
            }
        }
    }
    let ending = record.ending();
    Ok(GameView {
        tags: (record.tags().iter())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        start: PositionView::from(&start),
        comments: tree.comments,
        plies: tree.plies.into_iter().map(|branch| branch.view).collect(),
        termination: ending.termination.to_string(),
        winner: ending.winner,
    })
}

impl VariationCursor {
    /// Whether this is a variation that has no ply of its own yet.
    fn is_empty_variation(&self, outer: &[(VariationCursor, Option<usize>)]) -> bool {
        outer
            .last()
            .is_some_and(|&(_, begun)| begun == self.last_ply)
    }
}

impl GameTree {
    /// The place of a ply that follows another one, which is there already or is made.
    fn find_or_add_ply(
        &mut self,
        parent: Option<usize>,
        turn: Turn,
        mv: Move,
    ) -> Result<usize, RequestError> {
        let text = mv.text(turn.side);
        let first = parent.map_or(0, |parent| parent + 1);
        let known = (self.plies[first..].iter())
            .position(|branch| branch.view.parent == parent && branch.view.result.mv == text);
        if let Some(known) = known {
            return Ok(first + known);
        }
        let mut after = parent
            .map_or(&self.start, |parent| &self.plies[parent].after)
            .clone();
        let sown = MoveResultView::play(&mut after, mv)?;
        let view = PlyView {
            parent,
            result: sown,
            comments: Vec::new(),
        };
        self.plies.push(GameTreeNode { view, turn, after });
        Ok(self.plies.len() - 1)
    }

    /// The last ply before a turn, going back from a ply of the same line.
    fn last_ply_before(&self, from: Option<usize>, turn: Turn) -> Option<usize> {
        let mut at = from;
        while let Some(ply) = at
            && self.plies[ply].turn >= turn
        {
            at = self.plies[ply].view.parent;
        }
        at
    }
}

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
    #[serde(deserialize_with = "json::deserialize_objects")]
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
        let start = positions::parse_position(self.rules.as_deref(), self.position.as_deref())?;
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
        let mv =
            positions::parse_move(&written.mv, self.builder.position()).map_err(|problem| {
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
