use super::{Entry, LineError, Record, RecordProblem, TagError, Tags, Turn};
use crate::{BySide, Choice, Position, Side};

/// How deep variations within variations may go.
pub const MAX_DEPTH: usize = 100;

/// Writes a [`Record`] down: plies, comments and variations, one after another and each of them
/// checked. What is refused changes nothing.
///
/// ```
/// use kalah::{Choice, House, Side};
/// use kalah::record::{RecordBuilder, Tags, Turn};
///
/// let sow = |number| Choice::Sow(House::new(number).expect("from 1 to 26"));
/// let mut builder = RecordBuilder::new(Tags::new())?;
/// builder.play(sow(1))?;
/// builder.comment("C gives a bonus turn")?;
/// builder.begin(Turn { number: 1, side: Side::South })?;
/// builder.play(sow(3))?;
/// builder.play(sow(6))?;
/// builder.end()?;
/// builder.play(sow(2))?;
/// let record = builder.finish()?;
/// assert_eq!(record.to_string(), "1. A { C gives a bonus turn } ( 1. CF ) 1... b *\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordBuilder {
    tags: Tags,
    entries: Vec<Entry>,
    main: Line,
    /// Variations that have begun and not ended, each within the one before.
    open: Vec<Line>,
}

/// A line as far as it has come.
#[derive(Clone, Debug)]
struct Line {
    /// Its first turn; sides alternate from there on.
    first: Turn,
    /// The position at the beginning of each turn that has a ply.
    begun: Vec<Position>,
    /// The last turn of each side that has a ply.
    latest: BySide<Option<Turn>>,
    /// The turn of the next ply.
    turn: Turn,
    /// Whether the next ply is the first of its turn.
    at_beginning: bool,
    /// The position now.
    position: Position,
}

impl Line {
    fn new(first: Turn, position: Position) -> Self {
        Self {
            first,
            begun: Vec::new(),
            latest: BySide::default(),
            turn: first,
            at_beginning: true,
            position,
        }
    }

    fn play(&mut self, choice: Choice) -> Result<(), LineError> {
        let turn = self.turn;
        let before = self.at_beginning.then(|| self.position.clone());
        self.position
            .play(choice)
            .map_err(|reason| LineError::Illegal {
                turn,
                choice,
                reason,
            })?;
        if let Some(before) = before {
            self.begun.push(before);
            self.latest[turn.side] = Some(turn);
        }
        // A swap leaves the same side to move, and so its turn goes on.
        self.at_beginning = self.position.to_move() != turn.side;
        if self.at_beginning {
            self.turn = turn.next();
        }
        Ok(())
    }

    /// The position at the beginning of a turn that the line has come to.
    fn at(&self, turn: Turn) -> Result<&Position, LineError> {
        let latest = self.latest().ok_or(LineError::NothingToVary)?;
        let about_to_begin = self.at_beginning && !self.position.is_over();
        let last = if about_to_begin { self.turn } else { latest };
        let begun = turn
            .turns_after(self.first)
            .and_then(|index| self.begun.get(index));
        let now = (about_to_begin && turn == self.turn).then_some(&self.position);
        begun.or(now).ok_or(LineError::NoSuchTurn {
            turn,
            first: self.first,
            last,
        })
    }

    /// The last turn that has a ply.
    fn latest(&self) -> Option<Turn> {
        self.latest.south.max(self.latest.north)
    }
}

impl RecordBuilder {
    /// Begins a record with these tags, of which `Rules` and `Position` say how the game starts;
    /// [`Tags::of_start`] makes these two.
    ///
    /// # Errors
    /// What is wrong with either of those two; the others are checked at the end.
    pub fn new(tags: Tags) -> Result<Self, TagError> {
        let start = tags.start()?;
        let first = Turn {
            number: 1,
            side: start.to_move(),
        };
        Ok(Self {
            tags,
            entries: Vec::new(),
            main: Line::new(first, start),
            open: Vec::new(),
        })
    }

    fn line(&self) -> &Line {
        self.open.last().unwrap_or(&self.main)
    }

    /// The position now, in the variation that is open.
    pub fn position(&self) -> &Position {
        &self.line().position
    }

    /// The turn to which the next ply belongs.
    pub fn turn(&self) -> Turn {
        self.line().turn
    }

    /// How many variations are open, each within the one before.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether the main line has any plies.
    pub(super) fn has_plies(&self) -> bool {
        !self.main.begun.is_empty()
    }

    /// Makes a choice of the side to move.
    ///
    /// # Errors
    /// If it is against the rules.
    pub fn play(&mut self, choice: Choice) -> Result<(), LineError> {
        let line = self.open.last_mut().unwrap_or(&mut self.main);
        let turn = line.turn;
        line.play(choice)?;
        self.entries.push(Entry::Ply { turn, choice });
        Ok(())
    }

    /// Adds a comment on what stands before it. White space around it is dropped, and `\r\n` and
    /// `\r` become `\n`.
    ///
    /// # Errors
    /// If it holds `}`, which would end it.
    pub fn comment(&mut self, text: &str) -> Result<(), LineError> {
        if text.contains('}') {
            return Err(LineError::Brace);
        }
        let text = text.trim();
        let text = if text.contains('\r') {
            text.replace("\r\n", "\n").replace('\r', "\n")
        } else {
            text.to_owned()
        };
        self.entries.push(Entry::Comment(text));
        Ok(())
    }

    /// Begins a variation: the next plies are made from the beginning of `turn` on, which is a turn
    /// of the line that this variation stands in, up to the turn that has just come.
    ///
    /// # Errors
    /// If that line has no plies before the variation, or not this turn, or if more than
    /// [`MAX_DEPTH`] would be open.
    pub fn begin(&mut self, turn: Turn) -> Result<(), LineError> {
        let position = self.line().at(turn)?.clone();
        if self.open.len() == MAX_DEPTH {
            return Err(LineError::TooDeep);
        }
        self.open.push(Line::new(turn, position));
        self.entries.push(Entry::Begin(turn));
        Ok(())
    }

    /// Ends the variation that began last; its line goes on where it was left.
    ///
    /// # Errors
    /// If none is open, or it has no plies.
    pub fn end(&mut self) -> Result<(), LineError> {
        match self.open.last() {
            None => Err(LineError::NoVariation),
            Some(line) if line.begun.is_empty() => Err(LineError::EmptyVariation),
            Some(_) => {
                self.open.pop();
                self.entries.push(Entry::End);
                Ok(())
            }
        }
    }

    /// Adds an entry, whichever it is; to which turn a ply belongs is found anew. With this an
    /// annotated record can be copied, and more be added on the way.
    ///
    /// # Errors
    /// As the method for the entry's kind.
    pub fn push(&mut self, entry: &Entry) -> Result<(), LineError> {
        match entry {
            Entry::Ply { choice, .. } => self.play(*choice),
            Entry::Comment(text) => self.comment(text),
            Entry::Begin(turn) => self.begin(*turn),
            Entry::End => self.end(),
        }
    }

    /// The record. Variations that are open end here.
    ///
    /// # Errors
    /// If an open variation has no plies, or if `Result`, `Termination` or `Winner` is not what
    /// [the module](super) says or contradicts the board.
    pub fn finish(mut self) -> Result<Record, RecordProblem> {
        while !self.open.is_empty() {
            self.end()?;
        }
        let outcome = self.main.position.outcome();
        let ending = self.tags.settle(outcome)?;
        self.entries.shrink_to_fit();
        Ok(Record::from_checked(self.tags, self.entries, ending))
    }

    /// The turn of the line that a variation varies which stands here and is written without a
    /// number, by what it begins with.
    pub(super) fn varied_turn(&self, begins_with: Beginning) -> Result<Turn, LineError> {
        let line = self.line();
        let latest = line.latest().ok_or(LineError::NothingToVary)?;
        match begins_with {
            Beginning::Sowing(side) => line.latest[side].ok_or(LineError::NotMoved(side)),
            // A swap is made in one turn of a game at most, which is its first or its second one.
            Beginning::Swap => Ok([line.first, line.first.next()]
                .into_iter()
                .zip(&line.begun)
                .find(|(_, position)| position.can_swap())
                .map_or(latest, |(turn, _)| turn)),
        }
    }
}

/// What a variation begins with.
#[derive(Clone, Copy)]
pub(super) enum Beginning {
    /// A letter, whose case names the side.
    Sowing(Side),
    /// `swap`, which names none.
    Swap,
}
