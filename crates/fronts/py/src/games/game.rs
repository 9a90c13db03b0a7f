//! The class of games: moves, record tags, comments and endings.

#![expect(
    clippy::doc_link_with_quotes,
    reason = "the examples in the documentation are Python"
)]

mod pickle;
mod ply;
mod recorded_game;
mod termination;

use kalah::record::Record;
use kalah::{Ending, Game, Position, Termination, format_count};
use pyo3::exceptions::PyIndexError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyBytes, PyIterator, PyString, PyTuple, PyType};

use pickle::{PickledGame, attributes, set_attributes};
pub(crate) use ply::PyPly;
use recorded_game::RecordedGame;
use termination::{expected_winner, python_side, termination_from_py, termination_to_py};

use crate::arguments;
use crate::errors::{Error, KalahError};
use crate::games::position::{PyPosition, default_start, position_from_py};
use crate::games::values::{PyMove, PyOutcome, side_argument, side_from_py, side_to_py};

/// A game: its start, its plies, and the tags, comments and variations of its record.
///
/// `start` is a `Position` or its text, `6x4` by default, and `rules` a `Rules` or its text, `cs32`
/// by default. `moves` are the first moves: an iterable of moves, or a text of letters and the word
/// `swap`, such as `CF a`.
///
/// The length of a game is the number of its plies, and its iterator yields each `Ply`. A game is
/// true, also without plies. `str(game)` is the text of its record, from which `Game.parse` makes
/// an equal game. Games are equal if their records are.
///
/// Comments and variations that were read stay, and are written again, up to the first ply that
/// `pop` takes back. A move that is made after the end of the record follows them.
///
/// A game ends by the rules, or by `end`, such as with a resignation. `is_over` is true for both,
/// and no move can follow. `pop` takes back the last ply together with the ending.
///
/// Raises `ParseError` for a text that is no position or no move, `IllegalMoveError` for a move
/// that the rules do not allow, and `KalahError` for `rules` that differ from those of a
/// `Position`.
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
pub(crate) struct PyGame(RecordedGame);

impl PyGame {
    pub(crate) fn from_record(record: Record) -> Self {
        Self(RecordedGame::from_record(record))
    }

    pub(crate) fn from_game(game: &Game) -> Self {
        Self(RecordedGame::from_game(game))
    }

    /// Returns the start that the arguments of a function give, 6x4 by default.
    pub(crate) fn start_position(
        start: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Position> {
        let Some(start) = start else {
            return default_start(rules);
        };
        let is_position = start.is_instance_of::<PyPosition>();
        if !is_position && arguments::text(start, "start")?.is_none() {
            return Err(arguments::type_error(start, "start", "Position or str"));
        }
        position_from_py(start, rules)
    }

    /// Returns the moves made.
    pub(crate) fn game(&self) -> &Game {
        self.0.game()
    }

    /// Returns the current position.
    pub(crate) fn position(&self) -> &Position {
        self.game().position()
    }

    /// Returns the number of plies of the opening of a tournament.
    pub(crate) fn opening_plies(&self) -> Result<usize, Error> {
        Ok(self.0.record()?.opening_plies())
    }

    /// Returns the text of the record.
    pub(crate) fn record_text(&self) -> Result<String, Error> {
        Ok(self.0.record()?.to_string())
    }

    /// Returns whether two games have equal records.
    pub(crate) fn has_equal_record(&self, other: &Self) -> Result<bool, Error> {
        Ok(self.0.record()? == other.0.record()?)
    }

    /// Makes the moves of a text or an iterable, which may be endless: the first illegal move ends
    /// it.
    fn play_all(&mut self, moves: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = moves.py();
        if let Some(text) = arguments::text(moves, "moves")? {
            let words = text.split_whitespace().flat_map(|word| match word {
                "swap" => vec![word],
                _ => word.split_inclusive(|_| true).collect(),
            });
            for (number, word) in (1..).zip(words) {
                self.play_numbered(number, &PyString::new(py, word))?;
            }
            return Ok(());
        }
        // The items of `bytes` are numbers.
        let items = match moves.cast::<PyBytes>() {
            Ok(_) => None,
            Err(_) => moves.try_iter().ok(),
        };
        let Some(items) = items else {
            return Err(arguments::type_error(
                moves,
                "moves",
                "str or an iterable of moves",
            ));
        };
        for (number, mv) in (1..).zip(items) {
            self.play_numbered(number, &mv?)?;
        }
        Ok(())
    }

    /// Makes a move. The message of an error begins with the number of the ply.
    fn play_numbered(&mut self, number: usize, mv: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = mv.py();
        let played = PyMove::extract_for(mv, self.position().to_move())
            .and_then(|mv| Ok(self.0.play(mv)?));
        played.map_err(|error| {
            if !error.is_instance_of::<KalahError>(py) {
                return error;
            }
            let message = format!("ply {number}: {}", error.value(py));
            PyErr::from_type(error.get_type(py), message)
        })
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
            game.0.update_record()?;
        }
        Ok(game)
    }

    /// Returns the game that `text`, the record of one game, describes, as an instance of the
    /// class.
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
    #[classmethod]
    fn parse<'py>(
        class: &Bound<'py, PyType>,
        text: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let py = class.py();
        let text = arguments::only_text(text, "text")?;
        let record = py.detach(|| text.parse::<Record>());
        let parsed = Self::from_record(record.map_err(Error::from)?);
        if class.is(py.get_type::<Self>()) {
            return Bound::new(py, parsed);
        }
        let game = class.call0()?.cast_into::<Self>()?;
        *game.try_borrow_mut()? = parsed;
        Ok(game)
    }

    /// Makes a move, which is a `Move`, its text, or the number of a house of the side to move.
    ///
    /// Raises `IllegalMoveError` for a move that the rules do not allow and for any move after the
    /// end of the game, and `ParseError` for a text that is no move. The game is unchanged then.
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
    fn push(slf: &Bound<'_, Self>, r#move: &Bound<'_, PyAny>) -> PyResult<()> {
        // A method of the argument can use the game, so that the game is not borrowed meanwhile.
        let to_move = slf.try_borrow()?.position().to_move();
        let mv = PyMove::extract_for(r#move, to_move)?;
        Ok(slf.try_borrow_mut()?.0.play(mv)?)
    }

    /// Takes back the last ply, together with the ending of the game, and returns its move.
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
        let ply = self.0.undo()?.ok_or_else(no_moves)?;
        Ok(PyMove::object(py, ply.side, ply.mv)?.clone_ref(py))
    }

    /// Returns the last move.
    ///
    /// Raises `IndexError` if no move has been made.
    ///
    /// >>> import kalah
    /// >>> kalah.Game(moves="CF a").peek()
    /// Move('a')
    fn peek(&self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        let ply = self.game().plies().last().ok_or_else(no_moves)?;
        Ok(PyMove::object(py, ply.side, ply.mv)?.clone_ref(py))
    }

    /// The moves made.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let plies = self.game().plies().iter();
        let moves = plies.map(|ply| PyMove::object(py, ply.side, ply.mv));
        PyTuple::new(py, moves.collect::<PyResult<Vec<_>>>()?)
    }

    /// The plies made, one `Ply` each.
    #[getter]
    fn plies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, PyPly::all(self.game()))
    }

    /// The positions of the game: the start, and the position after each ply.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game("2x3", moves="A")
    /// >>> [str(position) for position in game.positions]
    /// ['<2,0,0,3,3,3,3> s', '<2,1,0,0,4,4,3> n']
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let after = self.game().plies().iter().map(|ply| &ply.after);
        let positions = [self.game().start()].into_iter().chain(after);
        PyTuple::new(py, positions.cloned().map(PyPosition).collect::<Vec<_>>())
    }

    /// The position before the first ply.
    #[getter]
    fn start(&self) -> PyPosition {
        PyPosition(self.game().start().clone())
    }

    /// The current position.
    #[getter(position)]
    fn current_position(&self) -> PyPosition {
        PyPosition(self.position().clone())
    }

    /// The tags of the record, a mutable mapping of names to values in the order of the text.
    ///
    /// A name consists of ASCII letters, digits and underscores. `Event`, `Site`, `Date` and
    /// `Round` are free text, and so are `South` and `North`, the names of the players by the sides
    /// on which they began. `Rules` and `Position` must agree with the start of the game, and
    /// `Result`, `Termination` and `Winner` with the board; any other value raises `KalahError`.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game()
    /// >>> game.headers["Event"] = "Saturday"
    /// >>> dict(game.headers)["Event"]
    /// 'Saturday'
    /// >>> game.headers["Result"] = "25-23"
    /// Traceback (most recent call last):
    ///     ...
    /// kalah.KalahError: the result `25-23` contradicts the board: the game was neither played to its end nor adjudicated
    #[getter]
    fn headers<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("kalah._headers")?;
        module.call_method1("Headers", (slf,))
    }

    /// Returns the names of the tags.
    fn _tag_names(&self) -> Result<Vec<String>, Error> {
        let record = self.0.record()?;
        Ok(record
            .tags()
            .iter()
            .map(|(name, _)| name.to_owned())
            .collect())
    }

    /// Returns the value of a tag, or `None` if the record does not have it, such as for a name
    /// that is no text.
    fn _tag(&self, name: &Bound<'_, PyAny>) -> Result<Option<String>, Error> {
        let Ok(Some(name)) = arguments::text(name, "name") else {
            return Ok(None);
        };
        Ok(self.0.record()?.tags().get(&name).map(str::to_owned))
    }

    /// Sets a tag.
    fn _set_tag(&mut self, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let name = arguments::only_text(name, "name")?;
        let value = arguments::only_text(value, "value")?;
        Ok(self.0.set_tag(&name, Some(&value))?)
    }

    /// Removes a tag.
    fn _remove_tag(&mut self, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let name = arguments::only_text(name, "name")?;
        Ok(self.0.set_tag(&name, None)?)
    }

    /// The comments of the main line in the order of the text: for each the number of plies before
    /// it, and its text. The comments of variations are not among them.
    #[getter]
    fn comments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.comments()?)
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
        Ok(self.0.add_comment(&text)?)
    }

    /// The stores once the game is over by the rules, or `None` before.
    #[getter]
    fn outcome(&self) -> Option<PyOutcome> {
        self.game().outcome().map(PyOutcome)
    }

    /// Whether the game has ended, by the rules or otherwise, such as by a resignation. No move can
    /// follow then.
    ///
    /// Only a game that is over by the rules has an `outcome`.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.ending().termination != Termination::Unfinished
    }

    /// The seeds of South and North at the end, such as `25-23`, or those that an adjudication has
    /// given, or `*`. `winner` is the winner in all cases.
    #[getter]
    fn result(&self) -> String {
        let outcome = self.0.ending().outcome;
        outcome.map_or_else(|| "*".to_owned(), |outcome| outcome.to_string())
    }

    /// The way in which the game ended: `Termination.NORMAL` for a game that is over by the rules.
    #[getter]
    fn termination(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        termination_to_py(py, self.0.ending().termination)
    }

    /// The winner's side at the end; `None` for a tie, for an unfinished game, and if a record does
    /// not name the winner.
    #[getter]
    fn winner(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let winner = self.0.ending().winner;
        winner.map(|side| side_to_py(py, side)).transpose()
    }

    /// Ends a game before its end by the rules.
    ///
    /// `termination` is a `Termination` or its word, and `winner` the winner's side at the end. A
    /// game that is `adjudicated` may have no winner, which is a tie; the tag `Result` can then be
    /// set to its final stores. For the other terminations `winner` is required. `unfinished`,
    /// without a winner, takes an ending back.
    ///
    /// Raises `KalahError` for a missing winner, and if the ending contradicts the board. The game
    /// is unchanged then.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game(moves="A")
    /// >>> game.end(kalah.Termination.RESIGN, kalah.Side.SOUTH)
    /// >>> game.is_over, game.winner, game.outcome
    /// (True, <Side.SOUTH: 'south'>, None)
    /// >>> game.push("b")
    /// Traceback (most recent call last):
    ///     ...
    /// kalah.IllegalMoveError: the game has ended with the termination `resign`
    /// >>> game.end("unfinished")
    /// >>> game.push("b")
    #[pyo3(signature = (termination, winner=None))]
    fn end(
        slf: &Bound<'_, Self>,
        termination: &Bound<'_, PyAny>,
        winner: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let termination = termination_from_py(termination)?;
        let winner = winner
            .map(|winner| side_argument(winner, "winner"))
            .transpose()?;
        let mut game = slf.try_borrow_mut()?;
        let outcome = game.game().outcome();
        if let Some(expected) = expected_winner(termination, winner, outcome) {
            return Err(Error::Argument {
                name: "winner",
                expected,
                actual: python_side(winner).to_owned(),
            }
            .into());
        }
        let ending = Ending {
            termination,
            winner,
            outcome,
        };
        Ok(game.0.set_ending(ending)?)
    }

    /// Whether the two players have exchanged sides.
    #[getter]
    fn is_swapped(&self) -> bool {
        self.game().is_swapped()
    }

    /// Returns the player that has `side` now, as the side on which this player began: `side`
    /// itself, or the other side after a swap.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game(rules="mankalah", moves="A swap")
    /// >>> game.player_on(kalah.Side.SOUTH)
    /// <Side.NORTH: 'north'>
    fn player_on(&self, side: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let player = self.game().player_on(side_from_py(side)?);
        side_to_py(side.py(), player.started_as)
    }

    /// Returns a copy of the same class, whose changes do not change this game. The attributes of
    /// an instance of a subclass are copied as by `copy.copy`.
    ///
    /// >>> import kalah
    /// >>> game = kalah.Game()
    /// >>> game.copy().push("A")
    /// >>> len(game)
    /// 0
    fn copy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let py = slf.py();
        let contents = slf.try_borrow()?.clone();
        let class = slf.get_type();
        if class.is(py.get_type::<Self>()) {
            return Bound::new(py, contents);
        }
        let new = class.getattr(intern!(py, "__new__"))?;
        let copy = new.call1((class,))?.cast_into::<Self>()?;
        *copy.try_borrow_mut()? = contents;
        set_attributes(&copy, &attributes(slf)?)?;
        Ok(copy)
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        Self::copy(slf)
    }

    fn __len__(&self) -> usize {
        self.game().plies().len()
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
        let is_equal = self.has_equal_record(&*other.try_borrow()?)?;
        let is_true = is_equal == matches!(operator, CompareOp::Eq);
        Ok(is_true.into_pyobject(py)?.to_owned().into_any())
    }

    fn __str__(&self) -> Result<String, Error> {
        self.record_text()
    }

    fn __repr__(&self) -> String {
        let plies = format_count(self.game().plies().len() as u64, "ply");
        let (start, rules) = (self.game().start(), self.game().start().rules());
        let termination = self.0.ending().termination;
        let result = match termination {
            Termination::Normal | Termination::Unfinished => self.result(),
            _ => termination.to_string(),
        };
        format!("<Game: {start} {rules}, {plies}, {result}>")
    }

    /// Returns the class, and as the state the text of the record and the attributes of an instance
    /// of a subclass. `__init__` of a subclass is not called when a pickle is read.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<PickledGame<'py>> {
        let py = slf.py();
        let new = py.import("copyreg")?.getattr("__newobj__")?;
        let text = slf.try_borrow()?.record_text()?;
        Ok((new, (slf.get_type(),), (text, attributes(slf)?)))
    }

    fn __setstate__(slf: &Bound<'_, Self>, state: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok((text, attributes)) = state.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
            let expected = "a tuple of a record and attributes";
            return Err(arguments::type_error(state, "state", expected));
        };
        let record = arguments::only_text(&text, "state")?.parse::<Record>();
        let record = record.map_err(Error::from)?;
        set_attributes(slf, &attributes)?;
        *slf.try_borrow_mut()? = Self::from_record(record);
        Ok(())
    }
}

fn no_moves() -> PyErr {
    PyIndexError::new_err("no move has been made")
}
