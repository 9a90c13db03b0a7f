use kalah::Position;
use kalah::record::{Record, RecordEntry, Turn};
use serde::{Deserialize, Serialize};

use crate::{GameView, MoveResultView, PlyView, PositionView, RequestError};

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
        mv: kalah::Move,
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
