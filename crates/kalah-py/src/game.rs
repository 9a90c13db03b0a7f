//! Games: plies, record tags and comments, with the text of a record.

#![expect(
    clippy::doc_link_with_quotes,
    reason = "the examples in the documentation are Python"
)]

use std::borrow::Cow;

use kalah::record::{Record, RecordBuilder, RecordEntry, Tags};
use kalah::{Ending, Game, MoveResult, Ply, Position, SowEffect, Termination};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyIterator, PyString, PyTuple};

use crate::arguments;
use crate::errors::{Error, KalahError};
use crate::position::PyPosition;
use crate::values::{PyMove, PyOutcome, side_from_py, side_to_py};

/// The Python enumeration `Termination`.
static TERMINATION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

fn termination_class(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    let class = TERMINATION.get_or_try_init(py, || {
        let class = py.import("kalah._termination")?.getattr("Termination")?;
        Ok::<_, PyErr>(class.unbind())
    })?;
    Ok(class.bind(py))
}

/// Returns the termination that a member of the Python enumeration or its word is.
fn termination_from_py(value: &Bound<'_, PyAny>) -> PyResult<Termination> {
    let word = if value.is_instance(termination_class(value.py())?)? {
        value.getattr("value")?
    } else {
        value.clone()
    };
    let Some(word) = arguments::text(&word, "termination")? else {
        return Err(arguments::type_error(
            value,
            "termination",
            "Termination or str",
        ));
    };
    let termination = word.parse::<Termination>();
    termination.map_err(|error| KalahError::new_err(error.to_string()))
}

/// A game: its start, its plies, and the tags, comments and variations of its record.
///
/// `start` is a `Position` or its text, `6x4` by default, and `rules` a `Rules` or its text, `cs32` by
/// default. `moves` are the first moves: an iterable of moves, or a text of letters and the word
/// `swap`, such as `CF a`.
///
/// The length of a game is the number of its plies, and its iterator yields each `Ply`. A game is
/// true, also without plies. `str(game)` is the text of its record, from which `Game.parse` makes an
/// equal game. Games are equal if their records are.
///
/// Comments and variations that were read stay, and are written again, up to the first ply that `pop`
/// takes back. A move that is made after the end of the record follows them. A move or a `pop` also
/// replaces a termination such as `resign` by that of the board.
///
/// Raises `ParseError` for a text that is no position or no move, and `IllegalMoveError` for a move
/// that the rules do not allow.
///
/// >>> import kalah
/// >>> game = kalah.Game("6x4", rules="standard")
/// >>> game.push("C")
/// >>> game.push("F")
/// >>> game.headers["South"] = "Marge"
/// >>> print(game)
/// [South "Marge"]
/// [Rules "standard"]
/// [Position "6x4"]
/// [Result "*"]
/// [Termination "unfinished"]
/// <BLANKLINE>
/// 1. CF *
/// <BLANKLINE>
/// >>> [str(move) for move in game.moves], game.position.to_move
/// (['C', 'F'], <Side.NORTH: 'north'>)
#[pyclass(name = "Game", module = "kalah", subclass)]
#[derive(Clone)]
pub(crate) struct PyGame {
    game: Game,
    /// The record of the game up to `recorded_plies`.
    record: Record,
    /// The number of plies in `record`, at most those of `game`.
    recorded_plies: usize,
}

impl PyGame {
    pub(crate) fn from_record(record: Record) -> Self {
        let game = record.game();
        Self {
            recorded_plies: game.plies().len(),
            game,
            record,
        }
    }

    pub(crate) fn from_game(game: &Game) -> Self {
        Self::from_record(Record::from_game(game))
    }

    /// Returns the start that the arguments of a function give, 6x4 by default.
    pub(crate) fn start_position(
        start: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Position> {
        match start {
            Some(start) => arguments::position(start, rules),
            None => arguments::default_start(rules),
        }
    }

    /// Returns the moves made.
    pub(crate) fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the current position.
    pub(crate) fn position(&self) -> &Position {
        self.game.position()
    }

    /// Returns the record of the whole game.
    pub(crate) fn record(&self) -> Result<Cow<'_, Record>, Error> {
        if self.recorded_plies == self.game.plies().len() {
            return Ok(Cow::Borrowed(&self.record));
        }
        let mut record = self.record.clone();
        record.set_game(&self.game)?;
        Ok(Cow::Owned(record))
    }

    /// Brings the record up to the whole game.
    fn update_record(&mut self) -> Result<(), Error> {
        self.record.set_game(&self.game)?;
        self.recorded_plies = self.game.plies().len();
        Ok(())
    }

    fn ending(&self) -> Result<Ending, Error> {
        Ok(self.record()?.ending())
    }

    /// Changes the record of the whole game; after an error it is unchanged.
    fn change_record(
        &mut self,
        change: impl FnOnce(&mut Record) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut record = self.record()?.into_owned();
        change(&mut record)?;
        self.record = record;
        self.recorded_plies = self.game.plies().len();
        Ok(())
    }

    fn play(&mut self, mv: &Bound<'_, PyAny>) -> PyResult<()> {
        let mv = PyMove::extract_for(mv, self.position().to_move())?;
        self.game.play(mv).map_err(Error::from)?;
        Ok(())
    }

    /// Makes the moves of a text or an iterable.
    fn play_all(&mut self, moves: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = moves.py();
        let moves: Vec<Bound<'_, PyAny>> = if let Some(text) = arguments::text(moves, "moves")? {
            let words = text.split_whitespace().flat_map(|word| match word {
                "swap" => vec![word.to_owned()],
                _ => word.chars().map(String::from).collect(),
            });
            words
                .map(|word| PyString::new(py, &word).into_any())
                .collect()
        } else {
            let Ok(moves) = moves.try_iter() else {
                return Err(arguments::type_error(
                    moves,
                    "moves",
                    "str or an iterable of moves",
                ));
            };
            moves.collect::<PyResult<_>>()?
        };
        for (number, mv) in (1..).zip(&moves) {
            self.play(mv).map_err(|error| {
                if !error.is_instance_of::<KalahError>(py) {
                    return error;
                }
                let message = format!("ply {number}: {}", error.value(py));
                PyErr::from_type(error.get_type(py), message)
            })?;
        }
        Ok(())
    }
}

#[pymethods]
impl PyGame {
    #[new]
    #[pyo3(signature = (start=None, rules=None, *, moves=None))]
    fn new(
        start: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyAny>>,
        moves: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let start = Self::start_position(start, rules)?;
        let mut game = Self::from_game(&Game::new(start));
        if let Some(moves) = moves {
            game.play_all(moves)?;
            game.update_record()?;
        }
        Ok(game)
    }

    /// Returns the game that `text`, the record of one game, describes.
    ///
    /// Raises `ParseError`, whose message has the line and the column, for any other text.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game.parse('[South "Marge"] 1. CF a { a good reply } *')
    /// >>> game.headers["South"], len(game), game.comments
    /// ('Marge', 3, ((3, 'a good reply'),))
    /// >>> kalah.Game.parse("1. CF C *")
    /// Traceback (most recent call last):
    ///     ...
    /// kalah.ParseError: line 1, column 7, turn 1...: sowing `C`: it is North's turn
    #[staticmethod]
    fn parse(py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = arguments::only_text(text, "text")?;
        let record = py.detach(|| text.parse::<Record>());
        Ok(Self::from_record(record.map_err(Error::from)?))
    }

    /// Makes a move, which is a `Move`, its text, or the number of a house of the side to move.
    ///
    /// Raises `IllegalMoveError` for a move that the rules do not allow, and `ParseError` for a text
    /// that is no move. The game is unchanged then.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game()
    /// >>> game.push("C")
    /// >>> game.push(6)
    /// >>> game.moves
    /// (Move('C'), Move('F'))
    /// >>> game.push("A")
    /// Traceback (most recent call last):
    ///     ...
    /// kalah.IllegalMoveError: A is a house of South, and North is to move
    fn push(&mut self, r#move: &Bound<'_, PyAny>) -> PyResult<()> {
        self.play(r#move)
    }

    /// Takes back the last ply and returns its move.
    ///
    /// Raises `IndexError` if no move has been made.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game(moves="CF a")
    /// >>> game.pop()
    /// Move('a')
    /// >>> len(game)
    /// 2
    fn pop(&mut self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        let Some(ply) = self.game.undo() else {
            return Err(no_moves());
        };
        let mv = PyMove::object(py, ply.side, ply.mv)?.clone_ref(py);
        if self.game.plies().len() < self.recorded_plies {
            self.update_record()?;
        }
        Ok(mv)
    }

    /// Returns the last move.
    ///
    /// Raises `IndexError` if no move has been made.
    ///
    /// >>> import kalah
    /// >>> kalah.Game(moves="CF a").peek()
    /// Move('a')
    fn peek(&self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        let ply = self.game.plies().last().ok_or_else(no_moves)?;
        Ok(PyMove::object(py, ply.side, ply.mv)?.clone_ref(py))
    }

    /// The moves made.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let plies = self.game.plies().iter();
        let moves = plies.map(|ply| PyMove::object(py, ply.side, ply.mv));
        PyTuple::new(py, moves.collect::<PyResult<Vec<_>>>()?)
    }

    /// The plies made, one `Ply` each.
    #[getter]
    fn plies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let plies = self.game.plies().iter().cloned().map(PyPly);
        PyTuple::new(py, plies.collect::<Vec<_>>())
    }

    /// The positions of the game: the start, and the position after each ply.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game("2x3", moves="A")
    /// >>> [str(position) for position in game.positions]
    /// ['<2,0,0,3,3,3,3> s', '<2,1,0,0,4,4,3> n']
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let after = self.game.plies().iter().map(|ply| &ply.after);
        let positions = [self.game.start()].into_iter().chain(after);
        PyTuple::new(py, positions.cloned().map(PyPosition).collect::<Vec<_>>())
    }

    /// The position before the first ply.
    #[getter]
    fn start(&self) -> PyPosition {
        PyPosition(self.game.start().clone())
    }

    /// The current position.
    #[getter(position)]
    fn current_position(&self) -> PyPosition {
        PyPosition(self.position().clone())
    }

    /// The tags of the record, a mutable mapping of names to values in the order of the text.
    ///
    /// A name consists of ASCII letters, digits and underscores. `Event`, `Site`, `Date` and `Round`
    /// are free text, and so are `South` and `North`, the names of the players by the sides on which
    /// they began. `Rules` and `Position` must agree with the start of the game, and `Result`,
    /// `Termination` and `Winner` with the board; any other value raises `KalahError`.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game()
    /// >>> game.headers["Event"] = "Saturday"
    /// >>> dict(game.headers)["Event"]
    /// 'Saturday'
    /// >>> game.headers["Result"] = "25-23"
    /// Traceback (most recent call last):
    ///     ...
    /// kalah.KalahError: the result `25-23` contradicts the board: the game was not played to its end
    #[getter]
    fn headers<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("kalah._headers")?;
        module.call_method1("Headers", (slf,))
    }

    /// The tags as pairs of names and values.
    fn _tags(&self) -> Result<Vec<(String, String)>, Error> {
        let record = self.record()?;
        let pairs = record.tags().iter();
        Ok(pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect())
    }

    /// Sets a tag, or removes it if `value` is `None`.
    #[pyo3(signature = (name, value))]
    fn _set_tag(
        &mut self,
        name: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let name = arguments::only_text(name, "name")?;
        let value = value
            .map(|value| arguments::only_text(value, "value"))
            .transpose()?;
        let change = |record: &mut Record| -> Result<(), Error> {
            let mut tags: Tags = record.tags().clone();
            match value {
                Some(value) => tags.set(&name, value)?,
                None => {
                    tags.remove(&name);
                }
            }
            Ok(record.set_tags(tags)?)
        };
        Ok(self.change_record(change)?)
    }

    /// The comments of the main line in the order of the text: for each the number of plies before
    /// it, and its text. The comments of variations are not among them.
    #[getter]
    fn comments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let record = self.record()?;
        let (mut depth, mut plies) = (0_usize, 0_usize);
        let mut comments = Vec::new();
        for entry in record.entries() {
            match entry {
                RecordEntry::BeginVariation(_) => depth += 1,
                RecordEntry::EndVariation => depth -= 1,
                RecordEntry::Ply { .. } if depth == 0 => plies += 1,
                RecordEntry::Comment(text) if depth == 0 => comments.push((plies, text.clone())),
                _ => {}
            }
        }
        PyTuple::new(py, comments)
    }

    /// Adds a comment on the last ply, or on the game if no move has been made. White space around
    /// it is removed.
    ///
    /// Raises `KalahError` for a text with `}`, which would end the comment.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game(moves="C")
    /// >>> game.add_comment("a bonus turn")
    /// >>> game.push("F")
    /// >>> str(game).splitlines()[-1]
    /// '1. C { a bonus turn } F *'
    fn add_comment(&mut self, text: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = arguments::only_text(text, "text")?;
        let add = |record: &mut Record| -> Result<(), Error> {
            let ending = record.ending();
            let mut builder = RecordBuilder::new(record.tags().clone())?;
            for entry in record.entries() {
                builder.push(entry)?;
            }
            builder.comment(&text)?;
            *record = builder.finish()?;
            debug_assert_eq!(record.ending(), ending);
            Ok(())
        };
        Ok(self.change_record(add)?)
    }

    /// The stores once the game is over by the rules, or `None` before.
    #[getter]
    fn outcome(&self) -> Option<PyOutcome> {
        self.game.outcome().map(PyOutcome)
    }

    /// Whether the game is over by the rules.
    #[getter]
    fn is_over(&self) -> bool {
        self.position().is_over()
    }

    /// The seeds of South and North at the end, such as `25-23`, or `*` if the game was not played to
    /// its end.
    #[getter]
    fn result(&self) -> String {
        let outcome = self.game.outcome();
        outcome.map_or_else(|| "*".to_owned(), |outcome| outcome.to_string())
    }

    /// The way in which the game ended: `Termination.NORMAL` for a game that is over by the rules.
    #[getter]
    fn termination(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let word = self.ending()?.termination.as_str();
        Ok(termination_class(py)?.call1((word,))?.unbind())
    }

    /// The winner's side at the end; `None` for a tie and for an unfinished game.
    #[getter]
    fn winner(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let winner = self.ending()?.winner;
        winner.map(|side| side_to_py(py, side)).transpose()
    }

    /// Ends a game before its end by the rules: `termination` is a `Termination` or its word, and
    /// `winner` the winner's side at the end.
    ///
    /// Raises `KalahError` if that contradicts the board.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game(moves="A")
    /// >>> game.end(kalah.Termination.RESIGN, kalah.Side.SOUTH)
    /// >>> game.headers["Winner"]
    /// 'South'
    #[pyo3(signature = (termination, winner=None))]
    fn end(
        &mut self,
        termination: &Bound<'_, PyAny>,
        winner: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let ending = Ending {
            termination: termination_from_py(termination)?,
            winner: winner.map(side_from_py).transpose()?,
            outcome: self.game.outcome(),
        };
        Ok(self.change_record(|record| Ok(record.set_ending(ending)?))?)
    }

    /// Whether the two players have exchanged sides.
    #[getter]
    fn is_swapped(&self) -> bool {
        self.game.is_swapped()
    }

    /// Returns the side on which the player began that sits on `side` now: `side` itself, or the
    /// other side after a swap.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game(rules="mankalah", moves="A swap")
    /// >>> game.player_on(kalah.Side.SOUTH)
    /// <Side.NORTH: 'north'>
    fn player_on(&self, side: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let player = self.game.player_on(side_from_py(side)?);
        side_to_py(side.py(), player.started_as)
    }

    /// Returns a copy, whose changes do not change this game.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game()
    /// >>> game.copy().push("A")
    /// >>> len(game)
    /// 0
    fn copy(&self) -> Self {
        self.clone()
    }

    fn __len__(&self) -> usize {
        self.game.plies().len()
    }

    #[expect(clippy::unused_self, reason = "a Python method has a receiver")]
    fn __bool__(&self) -> bool {
        true
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.plies(py)?.try_iter()
    }

    fn __richcmp__<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        operator: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let (Ok(other), CompareOp::Eq | CompareOp::Ne) = (other.cast::<Self>(), operator) else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        let other = other.borrow();
        let is_equal = self.record()? == other.record()?;
        let is_true = is_equal == matches!(operator, CompareOp::Eq);
        Ok(is_true.into_pyobject(py)?.to_owned().into_any())
    }

    fn __str__(&self) -> Result<String, Error> {
        Ok(self.record()?.to_string())
    }

    fn __repr__(&self) -> String {
        let plies = match self.game.plies().len() {
            1 => "1 ply".to_owned(),
            count => format!("{count} plies"),
        };
        let (start, rules) = (self.game.start(), self.game.start().rules());
        let result = self.result();
        format!("<Game: {start} {rules}, {plies}, {result}>")
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>, String)> {
        let text = slf.borrow().__str__()?;
        Ok((slf.get_type().into_any(), PyTuple::empty(slf.py()), text))
    }

    fn __setstate__(&mut self, text: &str) -> Result<(), Error> {
        *self = Self::from_record(text.parse::<Record>()?);
        Ok(())
    }
}

fn no_moves() -> PyErr {
    PyIndexError::new_err("no move has been made")
}

/// A ply of a game: a move, its effect, and the position after it.
///
/// >>> import kalah
/// >>> [(str(ply.move), ply.captured, ply.bonus_turn) for ply in kalah.Game(moves="CF a")]
/// [('C', 0, True), ('F', 0, False), ('a', 0, False)]
#[pyclass(name = "Ply", module = "kalah", frozen, eq)]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PyPly(Ply);

#[pymethods]
impl PyPly {
    /// The side that made the move.
    #[getter]
    fn side(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        side_to_py(py, self.0.side)
    }

    /// The move.
    #[getter]
    fn r#move(&self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        Ok(PyMove::object(py, self.0.side, self.0.mv)?.clone_ref(py))
    }

    /// The seeds that went to the store by a capture, the last seed included; 0 without a capture.
    #[getter]
    fn captured(&self) -> u16 {
        match self.0.result {
            MoveResult::Sown(sowing) => match sowing.effect {
                SowEffect::Capture(capture) => capture.seeds.get(),
                SowEffect::TurnPasses | SowEffect::BonusTurn => 0,
            },
            MoveResult::Swapped => 0,
        }
    }

    /// Whether the same side sows again.
    #[getter]
    fn bonus_turn(&self) -> bool {
        matches!(self.0.result, MoveResult::Sown(sowing) if sowing.effect == SowEffect::BonusTurn)
    }

    /// The position after the move.
    #[getter]
    fn position(&self) -> PyPosition {
        PyPosition(self.0.after.clone())
    }

    fn __repr__(&self) -> String {
        let mv = self.0.mv.text(self.0.side);
        format!("<Ply: {mv}, then {}>", self.0.after)
    }
}
