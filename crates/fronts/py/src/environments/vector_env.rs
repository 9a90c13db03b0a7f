//! The environment of many games for reinforcement learning. `vector_env/options.rs` reads the
//! arguments of its constructor.

mod options;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kalah::format_count;
use kalah_env::{
    CountType, GameStart, OptionsError, SetPositionError, StepError, VectorEnv, VectorEnvOptions,
};
use kalah_players::{MemorySize, system_memory};
use kalah_tables::Table;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods as _};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arguments;
use crate::arrays::{Shape, action_numbers, borrow_error, elements, slice_error};
use crate::errors::{Error, IllegalMoveError, KalahError};
use crate::games::position::{PyPosition, position_from_py};
use crate::games::values::PyRules;
use crate::resources;
use crate::table::{PyTable, verify};
use options::{auto_reset_argument, exact_table, new_board, opening_positions, position_argument};

/// The maximum number of games.
const MAX_GAMES: usize = 1 << 28;

/// The memory of a game in bytes, an upper estimate: a position and its random numbers.
const BYTES_PER_GAME: u64 = 256;

/// The maximum number of random plies before a game begins.
const MAX_RANDOM_PLIES: u32 = 1000;

/// Many games in Rust memory that make one ply each at every call.
///
/// `games` is their number. They begin with `houses` houses a side and `seeds` seeds in each, by
/// default 6 and 4, under `rules`, by default `standard`; or with the position `start`. The
/// constructor begins all games, so that `step` needs no `reset` before it: `reset` begins them
/// anew. With `random_plies` this number of random plies precedes each game, and with `openings`,
/// an iterable of `Position` or text, each game begins with one of them, drawn uniformly. Equal
/// seeds give equal games, whatever the number of `threads`, by default 1. With `auto_reset`, the
/// default, the ply that ends a game also begins the next one. `exact` is a `Table` for
/// `exact_gains`, or `True` to build one.
///
/// An observation has `2 * houses + 2` counts of seeds, seen from the side to move: its houses in
/// sowing order, its store, the other side's houses in its sowing order, and the other store. The
/// type is `uint8`, or `uint16` for more than 255 seeds. Action `a` sows house `a + 1` of the side
/// to move, and the last action is the swap if the rules have one. After a bonus turn the same side
/// is to move.
///
/// Several methods take arrays for their results, so that a step allocates nothing. Such an array
/// has the right shape and type and is C-contiguous. An environment belongs to the process that has
/// created it. Raises `KalahError` for values out of range.
///
/// >>> import kalah
/// >>> env = kalah.VectorEnv(3, houses=6, seeds=4, rules="standard", seed=1)
/// >>> observation = env.reset()
/// >>> observation.shape, observation.dtype.name
/// ((3, 14), 'uint8')
/// >>> observation, reward, done = env.step([2, 0, 5])
/// >>> reward
/// array([1, 0, 1], dtype=int32)
#[pyclass(name = "VectorEnv", module = "kalah", frozen)]
pub(crate) struct PyVectorEnv {
    env: Mutex<VectorEnv>,
    shape: Shape,
    rules: kalah::Rules,
    table: Option<Arc<Table>>,
    /// The process that has created the environment.
    process: u32,
}

/// The observation, the rewards, and whether the games are done.
type StepResult<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<bool>>,
);

/// A method of the environment that makes plies.
type MakePlies = fn(&mut VectorEnv, &[i64], &mut [i32], &mut [bool]) -> Result<(), StepError>;

/// Turns an error of the options into an exception that names the argument.
fn options_error(error: &OptionsError) -> PyErr {
    let argument = match error {
        OptionsError::StartIsOver => "start",
        OptionsError::NoPositions | OptionsError::InvalidPosition { .. } => "openings",
        OptionsError::TooManyGames(_) => "games",
        OptionsError::ThreadPool(_) => "threads",
    };
    KalahError::new_err(format!("{argument}: {error}"))
}

/// Turns an error of the environment into an exception.
fn env_error(error: impl std::error::Error) -> PyErr {
    KalahError::new_err(error.to_string())
}

impl PyVectorEnv {
    /// Waits until no other thread uses the environment. Call it without the lock of the
    /// interpreter.
    fn lock(&self) -> PyResult<MutexGuard<'_, VectorEnv>> {
        if std::process::id() != self.process {
            return Err(Error::OtherProcess.into());
        }
        Ok(self.env.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the observation in the given array or in a new one, after a change of the games. An
    /// array that cannot be written is refused before the change.
    fn observe_after<'py>(
        &self,
        py: Python<'py>,
        given: Option<&Bound<'py, PyAny>>,
        change: impl FnOnce(&mut VectorEnv) -> PyResult<()> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = self.shape.observation_output(py, given, "observation")?;
        {
            let mut elements = array.elements("observation")?;
            let observations = elements.observations("observation")?;
            py.detach(|| {
                let mut env = self.lock()?;
                change(&mut env)?;
                env.write_observations(observations).map_err(env_error)
            })?;
        }
        Ok(array.into_any())
    }

    /// Makes plies, and returns the results in the given arrays or in new ones: the observation,
    /// the rewards, and which games are done.
    fn make_plies<'py>(
        &self,
        py: Python<'py>,
        make_plies: MakePlies,
        actions: &Bound<'py, PyAny>,
        [observation, reward, done]: [Option<&Bound<'py, PyAny>>; 3],
    ) -> PyResult<StepResult<'py>> {
        let actions = action_numbers(actions)?;
        let actions = actions.as_slice().map_err(|_| slice_error("actions"))?;
        let reward: Bound<'py, PyArray1<i32>> = self.shape.column(py, reward, "reward")?;
        let done: Bound<'py, PyArray1<bool>> = self.shape.column(py, done, "done")?;
        let (mut rewards, mut dones) = (elements(&reward, "reward")?, elements(&done, "done")?);
        let observation = {
            let rewards = rewards.as_slice_mut().map_err(|_| slice_error("reward"))?;
            let dones = dones.as_slice_mut().map_err(|_| slice_error("done"))?;
            self.observe_after(py, observation, |env| {
                let stepped = make_plies(env, actions, rewards, dones);
                stepped.map_err(|error| match error {
                    StepError::Length(_) => env_error(error),
                    _ => IllegalMoveError::new_err(error.to_string()),
                })
            })?
        };
        Ok((observation, reward, done))
    }

    /// Fills an array of results, and returns it.
    fn fill<'py, T: Element + Send, D: numpy::ndarray::Dimension, E: std::error::Error>(
        &self,
        array: Bound<'py, numpy::PyArray<T, D>>,
        name: &'static str,
        write: impl FnOnce(&mut VectorEnv, &mut [T]) -> Result<(), E> + Send,
    ) -> PyResult<Bound<'py, numpy::PyArray<T, D>>> {
        {
            let mut values = elements(&array, name)?;
            let values = values.as_slice_mut().map_err(|_| slice_error(name))?;
            (array.py()).detach(|| write(&mut *self.lock()?, values).map_err(env_error))?;
        }
        Ok(array)
    }
}

#[pymethods]
impl PyVectorEnv {
    /// The entry of `exact_gains` for an action that is illegal or whose gain is not known.
    #[classattr]
    const UNKNOWN_GAIN: i16 = VectorEnv::UNKNOWN_GAIN;

    /// The action of a game that makes no ply in `step_some`.
    #[classattr]
    const NO_ACTION: i64 = VectorEnv::NO_ACTION;

    #[new]
    #[pyo3(signature = (games, houses=None, seeds=None, rules=None, *, start=None, seed=None,
        random_plies=None, openings=None, threads=None, auto_reset=true, exact=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of a Python class"
    )]
    fn new(
        py: Python<'_>,
        games: &Bound<'_, PyAny>,
        houses: Option<&Bound<'_, PyAny>>,
        seeds: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyAny>>,
        start: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        random_plies: Option<&Bound<'_, PyAny>>,
        openings: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = auto_reset_argument)] auto_reset: bool,
        exact: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let games = arguments::integer_in(games, "games", 1, MAX_GAMES)?;
        let free = system_memory().map_or(u64::MAX, |memory| memory.available);
        if games as u64 > free / BYTES_PER_GAME {
            let free = MemorySize::new(free);
            return Err(Error::GamesMemory { games, free }.into());
        }
        let standard = Bound::new(py, PyRules(kalah::Rules::STANDARD))?;
        let rules_or_standard = Some(rules.unwrap_or(standard.as_any()));
        let start = match start {
            Some(_) if houses.is_some() || seeds.is_some() => {
                return Err(PyTypeError::new_err(
                    "start: expected either start or houses and seeds, not both",
                ));
            }
            Some(start) if start.is_instance_of::<PyPosition>() => {
                position_argument(start, "start", rules)?
            }
            Some(start) => position_argument(start, "start", rules_or_standard)?,
            None => new_board(houses, seeds, rules_or_standard)?,
        };
        let game_start = match (random_plies, openings) {
            (Some(_), Some(_)) => {
                return Err(PyTypeError::new_err(
                    "openings: expected either openings or random_plies, not both",
                ));
            }
            (None, None) => GameStart::Fixed,
            (Some(plies), None) => GameStart::RandomPlies(arguments::integer_in(
                plies,
                "random_plies",
                0,
                MAX_RANDOM_PLIES,
            )?),
            (None, Some(openings)) => GameStart::Drawn(opening_positions(openings, &start)?),
        };
        let table = exact.map(|exact| exact_table(exact, &start)).transpose()?;
        let options = VectorEnvOptions {
            game_start,
            seed: arguments::seed(py, seed)?,
            threads: threads.map_or(Ok(NonZeroUsize::MIN), resources::threads)?,
            auto_reset,
            ..VectorEnvOptions::new(
                start.clone(),
                NonZeroUsize::new(games).unwrap_or(NonZeroUsize::MIN),
            )
        };
        let env = py.detach(|| VectorEnv::new(options).map_err(|error| options_error(&error)))?;
        Ok(Self {
            shape: Shape {
                games,
                observation_width: env.observation_width(),
                actions: env.action_count(),
                count_type: env.count_type(),
            },
            rules: start.rules(),
            env: Mutex::new(env),
            table: table.flatten(),
            process: std::process::id(),
        })
    }

    /// Begins all games anew and returns the observation, `(games, 2 * houses + 2)`.
    ///
    /// With `seed` the games are those of a new environment with this seed; without it their random
    /// numbers continue. `observation` is an array for the result.
    ///
    /// >>> import kalah
    /// >>> kalah.VectorEnv(1, houses=3, seeds=2).reset()
    /// array([[2, 2, 2, 0, 2, 2, 2, 0]], dtype=uint8)
    #[pyo3(signature = (*, seed=None, observation=None))]
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seed: Option<&Bound<'py, PyAny>>,
        observation: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let seed = seed
            .map(|seed| arguments::integer_in(seed, "seed", 0, u64::MAX))
            .transpose()?;
        self.observe_after(py, observation, |env| {
            match seed {
                Some(seed) => env.reset_with_seed(seed),
                None => env.reset(),
            }
            Ok(())
        })
    }

    /// Returns the observation, `(games, 2 * houses + 2)`. `observation` is an array for the
    /// result.
    ///
    /// >>> import kalah
    /// >>> kalah.VectorEnv(1, start="<3,7,5,0,1,2,3,0,1> n").observe()
    /// array([[3, 0, 1, 5, 0, 1, 2, 7]], dtype=uint8)
    #[pyo3(signature = (*, observation=None))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        observation: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.observe_after(py, observation, |_| Ok(()))
    }

    /// Returns whether each action is legal, `(games, actions)`, as booleans. The row of a finished
    /// game is all false. `mask` is an array for the result.
    ///
    /// >>> import kalah
    /// >>> env = kalah.VectorEnv(1, start="<3,0,0,0,1,2,2,1,0> s")
    /// >>> env.legal_mask()
    /// array([[False,  True,  True]])
    #[pyo3(signature = (*, mask=None))]
    fn legal_mask<'py>(
        &self,
        py: Python<'py>,
        mask: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let array = self.shape.action_rows(py, mask, "mask")?;
        self.fill(array, "mask", |env, values| env.write_legal_mask(values))
    }

    /// Returns a legal action for each game, drawn uniformly, `(games,)` as `int64`. A finished
    /// game has the action 0. `actions` is an array for the result.
    ///
    /// >>> import kalah
    /// >>> kalah.VectorEnv(2, start="<3,0,0,0,5,0,2,1,0> s").sample_actions()
    /// array([1, 1])
    #[pyo3(signature = (*, actions=None))]
    fn sample_actions<'py>(
        &self,
        py: Python<'py>,
        actions: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let array = self.shape.column(py, actions, "actions")?;
        self.fill(array, "actions", VectorEnv::sample_actions)
    }

    /// Makes one ply in each game and returns `(observation, reward, done)`.
    ///
    /// `actions` has an integer for each game, `(games,)`; an array of `int64` is not copied. The
    /// reward, `int32`, is the change of the lead of the side that has moved, in seeds: the sum of
    /// the rewards of both sides, with a minus sign for one of them, is the margin at the end of a
    /// game. `done` tells which games the ply has ended. Without `auto_reset` a finished game
    /// accepts any action, and its reward is 0. `observation`, `reward` and `done` are arrays for
    /// the results.
    ///
    /// Raises `IllegalMoveError`, with the number of the game, if an action is illegal; no game has
    /// changed then.
    ///
    /// >>> import kalah
    /// >>> env = kalah.VectorEnv(1, start="<2,3,4,0,1,2,0> s")
    /// >>> observation, reward, done = env.step([1])
    /// >>> int(reward[0]), bool(done[0])  # the store is now 4, and North's row of 2 is swept
    /// (-1, True)
    #[pyo3(signature = (actions, *, observation=None, reward=None, done=None))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
        observation: Option<&Bound<'py, PyAny>>,
        reward: Option<&Bound<'py, PyAny>>,
        done: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<StepResult<'py>> {
        self.make_plies(py, VectorEnv::step, actions, [observation, reward, done])
    }

    /// Makes one ply in some games, as `step` does in all, and returns
    /// `(observation, reward, done)`.
    ///
    /// A game with the action `VectorEnv.NO_ACTION`, which is -1, stays as it is: its reward is 0,
    /// and it is done if it is over.
    ///
    /// >>> import kalah
    /// >>> env = kalah.VectorEnv(2, houses=6, seeds=4, rules="standard")
    /// >>> observation, reward, done = env.step_some([2, kalah.VectorEnv.NO_ACTION])
    /// >>> reward
    /// array([1, 0], dtype=int32)
    #[pyo3(signature = (actions, *, observation=None, reward=None, done=None))]
    fn step_some<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
        observation: Option<&Bound<'py, PyAny>>,
        reward: Option<&Bound<'py, PyAny>>,
        done: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<StepResult<'py>> {
        self.make_plies(
            py,
            VectorEnv::step_some,
            actions,
            [observation, reward, done],
        )
    }

    /// Makes the plies of an opponent that moves at random, in each game until it is over or the
    /// player is to move, and returns which games are over.
    ///
    /// `player` has the side of the player of each game, `(games,)` as `uint8`: 0 for South and 1
    /// for North. If the opponent swaps, the player has the other side from then on, and its
    /// element changes. No game begins anew. `done` is an array for the result.
    ///
    /// >>> import kalah, numpy
    /// >>> env = kalah.VectorEnv(1, houses=6, seeds=4, auto_reset=False)
    /// >>> env.play_opponent(numpy.ones(1, "uint8"))
    /// array([False])
    /// >>> env.to_move()
    /// array([1], dtype=uint8)
    #[pyo3(signature = (player, *, done=None))]
    fn play_opponent<'py>(
        &self,
        py: Python<'py>,
        player: &Bound<'py, PyAny>,
        done: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let players: Bound<'py, PyArray1<u8>> = self.shape.column(py, Some(player), "player")?;
        let mut players = elements(&players, "player")?;
        let players = players.as_slice_mut().map_err(|_| slice_error("player"))?;
        if let Some(other) = players.iter().find(|&&player| player > 1) {
            return Err(Error::Argument {
                name: "player",
                expected: "elements 0 and 1".to_owned(),
                actual: other.to_string(),
            }
            .into());
        }
        let array = self.shape.column(py, done, "done")?;
        self.fill(array, "done", |env, dones| {
            env.play_opponent(players, dones)
        })
    }

    /// Begins the games anew whose element of `mask`, `(games,)` as booleans, is true. Their random
    /// numbers continue.
    ///
    /// >>> import kalah, numpy
    /// >>> env = kalah.VectorEnv(2, houses=6, seeds=4)
    /// >>> _ = env.step([0, 0])
    /// >>> env.reset_games(numpy.array([True, False]))
    /// >>> env.to_move()
    /// array([0, 1], dtype=uint8)
    fn reset_games(&self, py: Python<'_>, mask: &Bound<'_, PyAny>) -> PyResult<()> {
        let mask: Bound<'_, PyArray1<bool>> = self.shape.column(py, Some(mask), "mask")?;
        let mask = mask
            .try_readonly()
            .map_err(|error| borrow_error("mask", &error))?;
        let mask = mask.as_slice().map_err(|_| slice_error("mask"))?;
        py.detach(|| self.lock()?.reset_games(mask).map_err(env_error))
    }

    /// Returns the side to move of each game, `(games,)` as `uint8`: 0 for South and 1 for North.
    /// `side` is an array for the result.
    ///
    /// >>> import kalah
    /// >>> env = kalah.VectorEnv(2)
    /// >>> observation, reward, done = env.step([2, 0])
    /// >>> env.to_move()
    /// array([0, 1], dtype=uint8)
    #[pyo3(signature = (*, side=None))]
    fn to_move<'py>(
        &self,
        py: Python<'py>,
        side: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let array = self.shape.column(py, side, "side")?;
        self.fill(array, "side", |env, values| env.write_to_move(values))
    }

    /// Returns the exact gain of every action in seeds, `(games, actions)` as `int16`.
    ///
    /// The gain of an action is the change of the lead of the side to move until the end of the
    /// game, with best play of both sides after the action: an action with the greatest gain is a
    /// best one. The entry is `VectorEnv.UNKNOWN_GAIN` for an illegal action, and where the endgame
    /// table does not have the position after the action. `gain` is an array for the result.
    ///
    /// Raises `KalahError` if the environment was created without `exact`.
    ///
    /// >>> import kalah
    /// >>> env = kalah.VectorEnv(1, start="<3,0,0,1,1,1,1,0,2> s", exact=True)
    /// >>> env.exact_gains()
    /// array([[-4,  0,  4]], dtype=int16)
    #[pyo3(signature = (*, gain=None))]
    fn exact_gains<'py>(
        &self,
        py: Python<'py>,
        gain: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<i16>>> {
        let Some(table) = &self.table else {
            return Err(KalahError::new_err(
                "exact_gains needs an endgame table: create the environment with exact=True",
            ));
        };
        verify(py, table)?;
        let array = self.shape.action_rows(py, gain, "gain")?;
        self.fill(array, "gain", |env, values| {
            env.write_exact_gains(table, values)
        })
    }

    /// Returns the position of a game, numbered from 0.
    ///
    /// >>> import kalah
    /// >>> env = kalah.VectorEnv(2, rules="standard")
    /// >>> observation, reward, done = env.step([2, 0])
    /// >>> env.position(1)
    /// Position('<6,0,0,0,5,5,5,5,4,4,4,4,4,4,4> n', rules='standard')
    fn position(&self, py: Python<'_>, game: &Bound<'_, PyAny>) -> PyResult<PyPosition> {
        let game = arguments::integer_in(game, "game", 0, self.shape.games - 1)?;
        let position = py.detach(|| Ok::<_, PyErr>(self.lock()?.position(game)))?;
        let missing = || KalahError::new_err("there is no such game");
        position.map(PyPosition).ok_or_else(missing)
    }

    /// Replaces the position of a game, numbered from 0. It has the houses and the rules of the
    /// games.
    ///
    /// >>> import kalah
    /// >>> env = kalah.VectorEnv(2, houses=3, seeds=2)
    /// >>> env.set_position(1, "<3,0,0,0,5,0,2,1,0> s")
    /// >>> env.legal_mask()
    /// array([[ True,  True,  True],
    ///        [False,  True, False]])
    fn set_position(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        position: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let game = arguments::integer_in(game, "game", 0, self.shape.games - 1)?;
        let position = if position.is_instance_of::<PyPosition>() {
            position_from_py(position, None)?
        } else {
            let rules = Bound::new(py, PyRules(self.rules))?;
            position_from_py(position, Some(rules.as_any()))?
        };
        py.detach(|| {
            let mut env = self.lock()?;
            env.set_position(game, &position)
                .map_err(|error| match error {
                    SetPositionError::InvalidPosition { problem, .. } => {
                        KalahError::new_err(format!("position: {problem}"))
                    }
                    SetPositionError::NoSuchGame { .. } => env_error(error),
                })
        })
    }

    /// The number of games.
    #[getter]
    fn games(&self) -> usize {
        self.shape.games
    }

    /// The number of actions: the houses a side, and one more under rules with a swap.
    #[getter]
    fn actions(&self) -> usize {
        self.shape.actions
    }

    /// The shape of an observation of all games, `(games, 2 * houses + 2)`.
    #[getter]
    fn observation_shape(&self) -> (usize, usize) {
        (self.shape.games, self.shape.observation_width)
    }

    /// The name of the type of observations, `uint8` or `uint16`.
    #[getter]
    fn observation_dtype(&self) -> &'static str {
        match self.shape.count_type {
            CountType::U8 => "uint8",
            CountType::U16 => "uint16",
        }
    }

    /// The rules.
    #[getter]
    fn rules(&self) -> PyRules {
        PyRules(self.rules)
    }

    /// The endgame table of `exact_gains`, or `None`.
    #[getter]
    fn table(&self) -> Option<PyTable> {
        let table = self.table.as_ref()?;
        Some(PyTable {
            table: Arc::clone(table),
        })
    }

    fn __len__(&self) -> usize {
        self.shape.games
    }

    fn __repr__(&self) -> String {
        let houses = (self.shape.observation_width - 2) / 2;
        let games = format_count(self.shape.games as u64, "game");
        let houses = format_count(houses as u64, "house");
        format!(
            "<VectorEnv, {games}, {houses} a side, rules {}>",
            self.rules
        )
    }
}
