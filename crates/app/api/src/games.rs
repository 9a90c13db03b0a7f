//! Requests about games as lists of plies: `play`, `read` and `write`.
//!
//! A list of plies holds a game with its variations: each ply names the index of its parent, the
//! ply before it. Of the plies with one parent, the first continues the line of the parent, and
//! each of the others begins a variation.

use kalah::record::{Record, RecordBuilder, RecordEntry, RecordError, Tags, Turn};
use kalah::{Ending, Move, Position, Side, Termination};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::{SideSchema, deserialize_objects};
use crate::{
    BodySize, Endpoint, Execution, MoveResultView, PositionView, RequestError, parse_move,
    parse_position,
};

/// A game with its variations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GameView {
    /// The names and values of the tags, in the order of the text.
    pub tags: Vec<(String, String)>,
    /// The position before the first ply.
    pub start: PositionView,
    /// The comments before the first ply.
    pub comments: Vec<String>,
    /// The plies, each after its parent.
    pub plies: Vec<PlyView>,
    /// The way in which the game ended: `normal`, `resign`, `unfinished` and so on.
    pub termination: String,
    /// The winner, by the side at the end; `None` for a tie and for an unfinished game.
    #[schemars(with = "Option<SideSchema>")]
    pub winner: Option<Side>,
}

/// A ply of a game with variations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlyView {
    /// The index of the ply before it; `None` for a first ply.
    pub parent: Option<usize>,
    /// The move and its result.
    pub result: MoveResultView,
    /// The comments after the move.
    pub comments: Vec<String>,
}

impl GameView {
    /// The maximum number of plies of one request, over all of its games. A response has a whole
    /// position for each ply, so that a short request could cause a very long response.
    pub const MAX_PLIES: usize = 5000;
}

/// The request `play`: makes moves one after another.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    pub rules: Option<String>,
    /// The position before the first move; `6x4` by default.
    #[schemars(example = &"6x4")]
    pub position: Option<String>,
    /// The moves: houses or `swap`; at most 5,000.
    pub moves: Vec<String>,
}

/// The results of a sequence of moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlayResponse {
    /// The position before the first move.
    pub start: PositionView,
    /// The result of each move.
    pub plies: Vec<MoveResultView>,
}

impl PlayRequest {
    /// Makes the moves and returns their results.
    ///
    /// # Errors
    /// Those of [`parse_position`], [`RequestError::TooManyPlies`], and [`RequestError::AtPly`] for
    /// the first move that is invalid or illegal.
    pub fn execute(&self) -> Result<PlayResponse, RequestError> {
        let mut position = parse_position(self.rules.as_deref(), self.position.as_deref())?;
        if self.moves.len() > GameView::MAX_PLIES {
            return Err(RequestError::TooManyPlies(GameView::MAX_PLIES));
        }
        let start = PositionView::from(&position);
        let mut plies = Vec::new();
        for (ply, text) in (1..).zip(&self.moves) {
            let result =
                parse_move(text, &position).and_then(|mv| MoveResultView::play(&mut position, mv));
            plies.push(result.map_err(|problem| RequestError::AtPly {
                ply,
                problem: Box::new(problem),
            })?);
        }
        Ok(PlayResponse { start, plies })
    }
}

impl Endpoint for PlayRequest {
    type Response = PlayResponse;
    const NAME: &str = "play";
    const SUMMARY: &str = "Makes moves one after another.";
    const RESPONSE_SUMMARY: &str = "The results of the moves.";
    const EXECUTION: Execution<Self> = Execution::WholeGame(Self::execute);

    fn example() -> Value {
        json!({"position": "6x4", "moves": ["C", "F", "b"]})
    }
}

/// The request `read`: parses game records.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadRequest {
    /// The text of at most 1,000 records, with at most 5,000 plies.
    #[schemars(example = &"[Rules \"cs32\"]\n\n1. CF c 2. A d *\n")]
    pub text: String,
}

/// The games of a text, and the errors of games that are not valid.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadResponse {
    /// The valid games in the order of the text.
    pub games: Vec<GameView>,
    /// The error of each other game, in the order of the text.
    pub errors: Vec<ReadErrorView>,
}

/// The error of a game that is not valid. It does not affect the other games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadErrorView {
    /// The number of the game among all games of the text, from 1.
    pub game: usize,
    /// The line of the text, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// The error message, without the location.
    pub message: String,
}

impl From<RecordError> for ReadErrorView {
    fn from(error: RecordError) -> Self {
        Self {
            game: error.game,
            line: error.line,
            column: error.column,
            message: error.problem.to_string(),
        }
    }
}

impl ReadRequest {
    /// The maximum number of games, valid or not. A response has a whole position for each game.
    pub const MAX_GAMES: usize = 1000;

    /// Returns the valid games, and the errors of the others.
    ///
    /// ```
    /// let text = "1. A a * 1. A z * 1. C D *".to_owned();
    /// let read = kalah_api::ReadRequest { text }.execute()?;
    /// assert_eq!(read.games.len(), 2);
    /// assert_eq!(read.errors[0].game, 2);
    /// # Ok::<(), kalah_api::RequestError>(())
    /// ```
    ///
    /// # Errors
    /// [`RequestError::TooManyGames`] and [`RequestError::TooManyPlies`].
    pub fn execute(&self) -> Result<ReadResponse, RequestError> {
        let mut response = ReadResponse::default();
        let mut plies = 0;
        for (index, record) in Record::parse_each(&self.text).enumerate() {
            if index == Self::MAX_GAMES {
                return Err(RequestError::TooManyGames(Self::MAX_GAMES));
            }
            match record {
                Ok(record) => {
                    plies += ply_count(&record);
                    if plies > GameView::MAX_PLIES {
                        return Err(RequestError::TooManyPlies(GameView::MAX_PLIES));
                    }
                    response.games.push(game_view(&record)?);
                }
                Err(error) => response.errors.push(error.into()),
            }
        }
        Ok(response)
    }
}

/// Returns the number of plies of a record and its variations.
fn ply_count(record: &Record) -> usize {
    let is_ply = |entry: &&RecordEntry| matches!(entry, RecordEntry::Ply { .. });
    record.entries().iter().filter(is_ply).count()
}

impl Endpoint for ReadRequest {
    type Response = ReadResponse;
    const NAME: &str = "read";
    const SUMMARY: &str = "Parses game records.";
    const RESPONSE_SUMMARY: &str = "The valid games, and the errors of the others.";
    const BODY_SIZE: BodySize = BodySize::Large;
    const EXECUTION: Execution<Self> = Execution::WholeGame(Self::execute);

    fn example() -> Value {
        json!({"text": "1. CF b *"})
    }
}

/// A game as a tree: variations that begin with the same plies share them.
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

/// The current location in the main line or in a variation.
struct VariationCursor {
    /// The index of the last ply; `None` at the start of the game.
    last_ply: Option<usize>,
    /// The comments before the first ply of a variation.
    pending_comments: Vec<String>,
}

/// Converts a record to a list of plies.
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
    // The lines around the current one, each with the ply after which the inner line branches off.
    let mut outer_lines = Vec::new();
    for entry in record.entries() {
        match entry {
            RecordEntry::Ply { turn, mv } => {
                let ply = tree.find_or_add_ply(line.last_ply, *turn, *mv)?;
                let comments = &mut tree.plies[ply].view.comments;
                comments.append(&mut line.pending_comments);
                line.last_ply = Some(ply);
            }
            RecordEntry::Comment(text) => match line.last_ply {
                _ if line.is_empty_variation(&outer_lines) => {
                    line.pending_comments.push(text.clone());
                }
                Some(ply) => tree.plies[ply].view.comments.push(text.clone()),
                None => tree.comments.push(text.clone()),
            },
            RecordEntry::BeginVariation(turn) => {
                let branch_ply = tree.last_ply_before(line.last_ply, *turn);
                let variation = VariationCursor {
                    last_ply: branch_ply,
                    pending_comments: Vec::new(),
                };
                outer_lines.push((std::mem::replace(&mut line, variation), branch_ply));
            }
            RecordEntry::EndVariation => {
                if let Some((outer_line, _)) = outer_lines.pop() {
                    line = outer_line;
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
        plies: tree.plies.into_iter().map(|node| node.view).collect(),
        termination: ending.termination.to_string(),
        winner: ending.winner,
    })
}

impl VariationCursor {
    /// Returns whether the line is a variation that has no ply of its own yet.
    fn is_empty_variation(&self, outer_lines: &[(VariationCursor, Option<usize>)]) -> bool {
        let innermost = outer_lines.last();
        innermost.is_some_and(|&(_, branch_ply)| branch_ply == self.last_ply)
    }
}

impl GameTree {
    /// Returns the index of the ply after `parent` with the move `mv`; adds the ply if it is new.
    fn find_or_add_ply(
        &mut self,
        parent: Option<usize>,
        turn: Turn,
        mv: Move,
    ) -> Result<usize, RequestError> {
        let text = mv.text(turn.side);
        let first = parent.map_or(0, |parent| parent + 1);
        let existing = (self.plies[first..].iter())
            .position(|node| node.view.parent == parent && node.view.result.mv == text);
        if let Some(offset) = existing {
            return Ok(first + offset);
        }
        let mut after = parent
            .map_or(&self.start, |parent| &self.plies[parent].after)
            .clone();
        let result = MoveResultView::play(&mut after, mv)?;
        let view = PlyView {
            parent,
            result,
            comments: Vec::new(),
        };
        self.plies.push(GameTreeNode { view, turn, after });
        Ok(self.plies.len() - 1)
    }

    /// Returns the last ply before `turn` in the line that ends with `ply`.
    fn last_ply_before(&self, ply: Option<usize>, turn: Turn) -> Option<usize> {
        let mut current = ply;
        while let Some(ply) = current
            && self.plies[ply].turn >= turn
        {
            current = self.plies[ply].view.parent;
        }
        current
    }
}

/// The request `write`: writes a game as a record.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    pub rules: Option<String>,
    /// The position before the first ply; `6x4` by default.
    #[schemars(example = &"6x4")]
    pub position: Option<String>,
    /// The names and values of tags. Those that follow from the game, such as `Rules` and `Result`,
    /// are ignored, except for the `Result` of an adjudicated game.
    #[serde(default)]
    pub tags: Vec<(String, String)>,
    /// The comments before the first ply.
    #[serde(default)]
    pub comments: Vec<String>,
    /// The plies, each after its parent.
    #[serde(deserialize_with = "deserialize_objects")]
    pub plies: Vec<PlyInput>,
    /// The way in which the game ended, such as `resign`; by default, it follows from the board.
    pub termination: Option<String>,
    /// The winner, by the side at the end, if the game was decided before its end. Ignored without
    /// a termination.
    #[schemars(with = "Option<SideSchema>")]
    pub winner: Option<Side>,
}

/// A ply of a game to write.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlyInput {
    /// The index of the ply before it; `None` for a first ply.
    pub parent: Option<usize>,
    /// The move: a house or `swap`.
    #[serde(rename = "move")]
    #[schemars(example = &"C")]
    pub mv: String,
    /// The comments after the move.
    #[serde(default)]
    pub comments: Vec<String>,
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WriteResponse {
    /// The text of the record.
    pub text: String,
}

/// The tags that follow from the game.
const DERIVED_TAGS: [&str; 5] = [
    Tags::RULES,
    Tags::POSITION,
    Tags::RESULT,
    Tags::TERMINATION,
    Tags::WINNER,
];

impl WriteRequest {
    /// Returns the record.
    ///
    /// # Errors
    /// Those of [`parse_position`], [`RequestError::AtPly`], and those of
    /// [`ProblemKind::InvalidGame`](crate::ProblemKind::InvalidGame).
    pub fn execute(&self) -> Result<WriteResponse, RequestError> {
        let start = parse_position(self.rules.as_deref(), self.position.as_deref())?;
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
        if let Some(&first) = writer.children[child_index(None)].first() {
            writer.write_line(None, first, Vec::new())?;
        }
        let mut record = writer.builder.finish()?;
        let mut ending = record.ending();
        if let Some(termination) = &self.termination {
            ending = Ending {
                termination: termination.parse()?,
                winner: self.winner.or(ending.winner),
                ..ending
            };
        }
        record.set_ending(ending)?;
        if ending.termination == Termination::Adjudicated {
            let mut tags = self.tags.iter();
            if let Some((name, result)) = tags.find(|(name, _)| name == Tags::RESULT) {
                record.set_tag(name, result)?;
            }
        }
        Ok(WriteResponse {
            text: record.to_string(),
        })
    }

    /// Returns the plies after each ply, by [`child_index`].
    fn child_plies(&self) -> Result<Vec<Vec<usize>>, RequestError> {
        let mut children = vec![Vec::new(); self.plies.len() + 1];
        for (ply, input) in self.plies.iter().enumerate() {
            match input.parent {
                Some(parent) if parent >= ply => {
                    return Err(RequestError::InvalidParent { ply, parent });
                }
                parent => children[child_index(parent)].push(ply),
            }
        }
        Ok(children)
    }
}

impl Endpoint for WriteRequest {
    type Response = WriteResponse;
    const NAME: &str = "write";
    const SUMMARY: &str = "Writes a game as a record.";
    const RESPONSE_SUMMARY: &str = "The record.";
    const BODY_SIZE: BodySize = BodySize::Large;
    const EXECUTION: Execution<Self> = Execution::WholeGame(Self::execute);

    fn example() -> Value {
        json!({"plies": [{"move": "C"}, {"move": "F", "parent": 0}]})
    }
}

/// Returns the index in [`RecordWriter::children`] of the plies after `parent`.
fn child_index(parent: Option<usize>) -> usize {
    parent.map_or(0, |parent| parent + 1)
}

struct RecordWriter<'a> {
    plies: &'a [PlyInput],
    /// At 0 the first plies, and at n + 1 the plies whose parent is ply n.
    children: Vec<Vec<usize>>,
    builder: RecordBuilder,
}

impl RecordWriter<'_> {
    /// Writes the line that continues after `parent` with `ply`, and the variations that branch off
    /// it. `turn_moves` are the moves already made in the current turn.
    ///
    /// The recursion is as deep as the nesting of variations, which the builder limits.
    fn write_line(
        &mut self,
        mut parent: Option<usize>,
        mut ply: usize,
        mut turn_moves: Vec<Move>,
    ) -> Result<(), RequestError> {
        loop {
            let turn = self.builder.turn();
            let mv = self.write_ply(ply)?;
            // Variations stand behind the ply that they replace, and begin with its turn.
            let siblings = self.children[child_index(parent)].clone();
            if siblings.first() == Some(&ply) {
                for &sibling in &siblings[1..] {
                    self.builder.begin_variation(turn)?;
                    for &mv in &turn_moves {
                        self.builder.play(mv)?;
                    }
                    self.write_line(parent, sibling, turn_moves.clone())?;
                    self.builder.end_variation()?;
                }
            }
            if self.builder.turn() == turn {
                turn_moves.push(mv);
            } else {
                turn_moves.clear();
            }
            parent = Some(ply);
            match self.children[child_index(parent)].first() {
                Some(&next) => ply = next,
                None => return Ok(()),
            }
        }
    }

    fn write_ply(&mut self, ply: usize) -> Result<Move, RequestError> {
        let input = &self.plies[ply];
        let mv = parse_move(&input.mv, self.builder.position()).map_err(|problem| {
            RequestError::AtPly {
                ply: ply + 1,
                problem: Box::new(problem),
            }
        })?;
        self.builder.play(mv)?;
        self.write_comments(&input.comments)?;
        Ok(mv)
    }

    fn write_comments(&mut self, comments: &[String]) -> Result<(), RequestError> {
        for comment in comments {
            self.builder.comment(comment)?;
        }
        Ok(())
    }
}
