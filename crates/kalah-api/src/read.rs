use kalah::Position;
use kalah::record::{Record, RecordEntry, Turn};
use serde::{Deserialize, Serialize};

use crate::{GameView, PlyView, PositionView, Problem, SownView};

/// Which games are in this text? The question `read`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadQuestion {
    /// A file of game records; at most [`GameView::MOST_PLIES`] plies are read.
    pub text: String,
}

/// The games of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Games {
    /// In the order of the text.
    pub games: Vec<GameView>,
}

impl ReadQuestion {
    /// The games.
    ///
    /// # Errors
    /// What is wrong with the text, and where.
    pub fn answer(&self) -> Result<Games, Problem> {
        let records = Record::parse_all(&self.text)?;
        let is_ply = |entry: &&RecordEntry| matches!(entry, RecordEntry::Ply { .. });
        let entries = records.iter().flat_map(Record::entries);
        if entries.filter(is_ply).count() > GameView::MOST_PLIES {
            return Err(Problem::TooManyPlies(GameView::MOST_PLIES));
        }
        let games = records.iter().map(game).collect::<Result<_, _>>()?;
        Ok(Games { games })
    }
}

/// A game as a tree: variations with plies in common share them.
struct Tree {
    start: Position,
    comments: Vec<String>,
    plies: Vec<Branch>,
}

struct Branch {
    view: PlyView,
    turn: Turn,
    after: Position,
}

/// A line that is being read.
struct Line {
    /// Its last ply; none at the start.
    at: Option<usize>,
    /// What is said before its first ply.
    waiting: Vec<String>,
}

fn game(record: &Record) -> Result<GameView, Problem> {
    let start = record.start();
    let mut tree = Tree {
        start: start.clone(),
        comments: Vec::new(),
        plies: Vec::new(),
    };
    let mut line = Line {
        at: None,
        waiting: Vec::new(),
    };
    let mut outer = Vec::new();
    for entry in record.entries() {
        match entry {
            RecordEntry::Ply { turn, mv: choice } => {
                let ply = tree.play(line.at, *turn, *choice)?;
                tree.plies[ply].view.comments.append(&mut line.waiting);
                line.at = Some(ply);
            }
            RecordEntry::Comment(text) => match line.at {
                _ if line.waits_for_its_first_ply(&outer) => line.waiting.push(text.clone()),
                Some(ply) => tree.plies[ply].view.comments.push(text.clone()),
                None => tree.comments.push(text.clone()),
            },
            RecordEntry::BeginVariation(turn) => {
                let begun = tree.before(line.at, *turn);
                let variation = Line {
                    at: begun,
                    waiting: Vec::new(),
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

impl Line {
    /// Whether this is a variation that has no ply of its own yet.
    fn waits_for_its_first_ply(&self, outer: &[(Line, Option<usize>)]) -> bool {
        outer.last().is_some_and(|&(_, begun)| begun == self.at)
    }
}

impl Tree {
    /// The place of a ply that follows another one, which is there already or is made.
    fn play(
        &mut self,
        parent: Option<usize>,
        turn: Turn,
        choice: kalah::Move,
    ) -> Result<usize, Problem> {
        let text = choice.text(turn.side);
        let first = parent.map_or(0, |parent| parent + 1);
        let known = (self.plies[first..].iter())
            .position(|branch| branch.view.parent == parent && branch.view.sown.choice == text);
        if let Some(known) = known {
            return Ok(first + known);
        }
        let mut after = parent
            .map_or(&self.start, |parent| &self.plies[parent].after)
            .clone();
        let sown = SownView::play(&mut after, choice)?;
        let view = PlyView {
            parent,
            sown,
            comments: Vec::new(),
        };
        self.plies.push(Branch { view, turn, after });
        Ok(self.plies.len() - 1)
    }

    /// The last ply before a turn, going back from a ply of the same line.
    fn before(&self, from: Option<usize>, turn: Turn) -> Option<usize> {
        let mut at = from;
        while let Some(ply) = at
            && self.plies[ply].turn >= turn
        {
            at = self.plies[ply].view.parent;
        }
        at
    }
}
