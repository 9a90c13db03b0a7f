//! Many games that make one ply each at a call.

use std::fmt;
use std::iter;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kalah::{Move, Position, Rules, Variant};
use kalah_tables::Table;

use crate::error::{GainsError, LengthError, ObservationsError, SetPositionError, StepError};
use crate::games::{ActionRequired, Games, NO_ACTION, Settings, UNKNOWN_GAIN, action_move};
use crate::observations::{CountType, Observations};
use crate::options::{OptionsError, PositionProblem, VectorEnvOptions, check_variant};
use crate::packed::{PackedGames, SharedGameData};
use crate::parts::Parts;
use crate::position_games::PositionGames;
use crate::random::GameRandom;

/// Many games of Kalah that make one ply each at a call.
///
/// # Actions and observations
///
/// With m houses a side, action a below m sows house a + 1 of the side to move. Under rules with a
/// swap, action m is the swap. An observation has 2m + 2 counts of seeds as the side to move sees
/// them: its houses in sowing order, its store, the houses of the other side in that side's sowing
/// order, and the other store.
///
/// # Rewards
///
/// The reward of a ply is the change of the lead of the side that made it, in seeds: its store
/// minus the other store. It includes the sweep at the end of the game. The sum of the rewards of a
/// game, those of North's plies with the opposite sign, is South's final lead minus its lead at the
/// start. After a bonus turn the same side moves again.
///
/// A swap has the reward 0, because it moves no seed. It exchanges the sides of the two players,
/// and the side to move stays the same. After it, the player that swapped has the lead of the other
/// side. That player's lead has changed by -2 times the lead of the side to move.
///
/// # Buffers
///
/// The caller owns all buffers. A buffer has one element, or one row, for each game, from game 0. A
/// call with a buffer of another length returns an error and changes nothing. With one thread no
/// call after the creation allocates memory, except [`clone`](Clone::clone),
/// [`position`](Self::position) and errors.
///
/// # Threads
///
/// An environment with several threads owns a pool, which divides the games among the threads.
/// Games do not depend on the number of threads. The threads of a pool do not exist in a process
/// that was forked, and a call there would wait for them forever: the forked process uses a clone,
/// which starts threads of its own. With one thread there is no pool, and the calling thread does
/// all the work.
///
/// Each call waits for the threads, which takes microseconds. A ply takes nanoseconds, and several
/// threads are faster than one only with tens of thousands of games.
///
/// # Example
///
/// ```
/// use std::num::NonZeroUsize;
/// use kalah::{Position, Rules};
/// use kalah_env::{Observations, VectorEnv, VectorEnvOptions};
///
/// let start = Position::start(6, 4, Rules::STANDARD)?;
/// let games = NonZeroUsize::new(16).expect("not 0");
/// let mut env = VectorEnv::new(VectorEnvOptions::new(start, games))?;
///
/// let mut actions = vec![0_i64; env.games()];
/// let mut rewards = vec![0_i32; env.games()];
/// let mut dones = vec![false; env.games()];
/// let mut observations = vec![0_u8; env.games() * env.observation_width()];
/// for _ in 0..100 {
///     env.sample_actions(&mut actions)?;
///     env.step(&actions, &mut rewards, &mut dones)?;
///     env.write_observations(Observations::U8(&mut observations))?;
/// }
/// let first_game = &observations[..env.observation_width()];
/// assert_eq!(first_game.iter().sum::<u8>(), 48);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct VectorEnv {
    settings: Arc<Settings>,
    count_type: CountType,
    games: NonZeroUsize,
    parts: Parts,
}

impl VectorEnv {
    /// The entry of [`write_exact_gains`](Self::write_exact_gains) for an action that is illegal or
    /// whose gain the table does not know.
    pub const UNKNOWN_GAIN: i16 = UNKNOWN_GAIN;

    /// The action of a game that makes no ply in [`step_some`](Self::step_some).
    pub const NO_ACTION: i64 = NO_ACTION;

    /// Creates an environment and begins all games.
    ///
    /// # Errors
    /// [`OptionsError`].
    pub fn new(options: VectorEnvOptions) -> Result<Self, OptionsError> {
        Self::create(options, true)
    }

    /// Creates an environment as [`new`](Self::new) does that stores each game as a [`Position`],
    /// whatever the size of the board.
    ///
    /// It is the slow counterpart for tests and benchmarks: the same calls have the same results.
    ///
    /// # Errors
    /// [`OptionsError`].
    pub fn with_positions(options: VectorEnvOptions) -> Result<Self, OptionsError> {
        Self::create(options, false)
    }

    fn create(options: VectorEnvOptions, allow_packed: bool) -> Result<Self, OptionsError> {
        let count_type = options.check()?;
        let VectorEnvOptions {
            start,
            game_start,
            games,
            seed,
            threads,
            auto_reset,
        } = options;
        let settings = Arc::new(Settings {
            start,
            game_start,
            auto_reset,
        });
        let packed = allow_packed
            .then(|| SharedGameData::new(&settings))
            .flatten();
        let packed = packed.map(Arc::new);

        let parts = Parts::new(games, threads, |games_of_part| match &packed {
            Some(shared) => PackedGames::new(shared, games_of_part).map(boxed),
            None => PositionGames::new(&settings, games_of_part).map(boxed),
        })?;
        let mut env = Self {
            settings,
            count_type,
            games,
            parts,
        };
        env.reset_with_seed(seed);
        Ok(env)
    }

    /// Returns the number of games.
    pub fn games(&self) -> usize {
        self.games.get()
    }

    /// Returns the rules of the games.
    pub fn rules(&self) -> Rules {
        self.settings.rules()
    }

    /// Returns the number of threads that do the work: at most that of the options and at most one
    /// for each game.
    pub fn threads(&self) -> usize {
        self.parts.threads()
    }

    /// Returns the number of houses a side.
    pub fn houses(&self) -> u8 {
        self.settings.houses()
    }

    /// Returns the number of counts in the observation of one game: 2m + 2 with m houses a side.
    pub fn observation_width(&self) -> usize {
        self.settings.observation_width()
    }

    /// Returns the number of actions: m with m houses a side, and m + 1 under rules with a swap.
    pub fn action_count(&self) -> usize {
        self.settings.action_count()
    }

    /// Returns the smallest type that fits all counts of the observations.
    pub fn count_type(&self) -> CountType {
        self.count_type
    }

    /// Returns whether the ply that ends a game also begins the next one.
    pub fn auto_reset(&self) -> bool {
        self.settings.auto_reset
    }

    /// Begins all games anew and continues their random numbers.
    pub fn reset(&mut self) {
        self.parts.run(iter::repeat(()), |games, ()| games.reset());
    }

    /// Begins all games anew with random numbers from a seed. The state is that of a new
    /// environment with this seed.
    pub fn reset_with_seed(&mut self, seed: u64) {
        let mut randoms = GameRandom::from_seed(seed);
        self.parts.set_randoms(&mut randoms);
        self.reset();
    }

    /// Makes one ply in each game.
    ///
    /// `rewards` receives the rewards in seeds, see [Rewards](Self#rewards), and `dones` receives
    /// whether the ply has ended the game. With [`auto_reset`](VectorEnvOptions::auto_reset) a game
    /// that has ended begins anew in the same call. Otherwise it stays finished: it accepts any
    /// action, its reward is 0 and it is done.
    ///
    /// # Errors
    /// [`StepError`]. No game has changed then, and no buffer is written.
    ///
    /// ```
    /// use std::num::NonZeroUsize;
    /// use kalah::{IllegalMove, Position, Rules};
    /// use kalah_env::{StepError, VectorEnv, VectorEnvOptions};
    ///
    /// let start = Position::start(6, 4, Rules::STANDARD)?;
    /// let games = NonZeroUsize::new(2).expect("not 0");
    /// let mut env = VectorEnv::new(VectorEnvOptions::new(start, games))?;
    /// let (mut rewards, mut dones) = ([0; 2], [false; 2]);
    /// // House 3 has four seeds, of which the last one falls in the store.
    /// env.step(&[2, 5], &mut rewards, &mut dones)?;
    /// assert_eq!((rewards, dones), ([1, 1], [false, false]));
    /// // The first game has a bonus turn, and house 3 is empty now.
    /// let error = env.step(&[2, 0], &mut rewards, &mut dones).unwrap_err();
    /// assert_eq!(error.to_string(), "game 0: action 2 is illegal: house C is empty");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step(
        &mut self,
        actions: &[i64],
        rewards: &mut [i32],
        dones: &mut [bool],
    ) -> Result<(), StepError> {
        self.make_plies(actions, ActionRequired::Always, rewards, dones)
    }

    /// Makes one ply in some games, as [`step`](Self::step) does in all.
    ///
    /// A game with the action [`NO_ACTION`](Self::NO_ACTION) stays as it is. Its reward is 0, and
    /// it is done if it is over.
    ///
    /// # Errors
    /// [`StepError`]. No game has changed then, and no buffer is written.
    ///
    /// ```
    /// # use std::num::NonZeroUsize;
    /// # use kalah::{Position, Rules, Side};
    /// # use kalah_env::{VectorEnv, VectorEnvOptions};
    /// let start = Position::start(6, 4, Rules::STANDARD)?;
    /// let games = NonZeroUsize::new(2).expect("not 0");
    /// let mut env = VectorEnv::new(VectorEnvOptions::new(start.clone(), games))?;
    /// env.step_some(&[VectorEnv::NO_ACTION, 0], &mut [0; 2], &mut [false; 2])?;
    /// assert_eq!(env.position(0), Some(start));
    /// assert_eq!(env.position(1).map(|position| position.to_move()), Some(Side::North));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_some(
        &mut self,
        actions: &[i64],
        rewards: &mut [i32],
        dones: &mut [bool],
    ) -> Result<(), StepError> {
        self.make_plies(actions, ActionRequired::Optional, rewards, dones)
    }

    fn make_plies(
        &mut self,
        actions: &[i64],
        required: ActionRequired,
        rewards: &mut [i32],
        dones: &mut [bool],
    ) -> Result<(), StepError> {
        self.check_length("actions", actions.len(), 1)?;
        self.check_length("rewards", rewards.len(), 1)?;
        self.check_length("dones", dones.len(), 1)?;
        self.check_actions(actions, required)?;
        let size = self.parts.size();
        let results = rewards.chunks_mut(size).zip(dones.chunks_mut(size));
        let rows = actions.chunks(size).zip(results);
        self.parts.run(rows, |games, (actions, (rewards, dones))| {
            games.step(actions, required, rewards, dones);
        });
        Ok(())
    }

    /// Makes the plies of an opponent that moves at random: in each game, until it is over or the
    /// player is to move.
    ///
    /// `players` has the side of the player of each game, 0 for South and 1 for North. If the
    /// opponent swaps, the player has the other side from then on, and its element changes. `dones`
    /// receives whether the game is over. No game begins anew, also with
    /// [`auto_reset`](VectorEnvOptions::auto_reset), under which [`step`](Self::step) then makes no
    /// ply in a finished game.
    ///
    /// The moves are drawn as [`sample_actions`](Self::sample_actions) draws them.
    ///
    /// # Errors
    /// [`LengthError`].
    ///
    /// ```
    /// # use std::num::NonZeroUsize;
    /// # use kalah::{Position, Rules, Side};
    /// # use kalah_env::{VectorEnv, VectorEnvOptions};
    /// let start = Position::start(6, 4, Rules::STANDARD)?;
    /// let mut env = VectorEnv::new(VectorEnvOptions::new(start, NonZeroUsize::MIN))?;
    /// env.play_opponent(&mut [1], &mut [false])?;
    /// assert_eq!(env.position(0).map(|position| position.to_move()), Some(Side::North));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play_opponent(
        &mut self,
        players: &mut [u8],
        dones: &mut [bool],
    ) -> Result<(), LengthError> {
        self.check_length("players", players.len(), 1)?;
        self.check_length("dones", dones.len(), 1)?;
        let size = self.parts.size();
        let rows = players.chunks_mut(size).zip(dones.chunks_mut(size));
        self.parts.run(rows, |games, (players, dones)| {
            games.play_opponent(players, dones);
        });
        Ok(())
    }

    /// Begins the games anew whose element of `mask` is true, and continues their random numbers.
    ///
    /// # Errors
    /// [`LengthError`].
    pub fn reset_games(&mut self, mask: &[bool]) -> Result<(), LengthError> {
        self.check_length("mask", mask.len(), 1)?;
        let rows = mask.chunks(self.parts.size());
        self.parts.run(rows, |games, mask| games.reset_games(mask));
        Ok(())
    }

    /// Checks that all games accept their actions.
    fn check_actions(&self, actions: &[i64], required: ActionRequired) -> Result<(), StepError> {
        let first_refused = AtomicUsize::new(usize::MAX);
        let size = self.parts.size();
        let rows = (0..).step_by(size).zip(actions.chunks(size));
        self.parts.read(rows, |games, (start, actions)| {
            if let Some(game) = games.first_refused(actions, required) {
                first_refused.fetch_min(start + game, Ordering::Relaxed);
            }
        });
        let game = first_refused.into_inner();
        match self.position(game) {
            Some(position) => Err(self.refusal(game, &position, actions[game])),
            None => Ok(()),
        }
    }

    /// Returns the reason why a game does not accept an action.
    #[cold]
    fn refusal(&self, game: usize, position: &Position, action: i64) -> StepError {
        let illegal = |mv: Move| position.check_legal(mv).err();
        match action_move(&self.settings, action).and_then(illegal) {
            Some(reason) => StepError::IllegalAction {
                game,
                action,
                reason,
            },
            None => StepError::NoSuchAction {
                game,
                action,
                actions: self.action_count(),
            },
        }
    }

    /// Draws a legal action for each game from the game's random numbers. A finished game has the
    /// action 0.
    ///
    /// Each legal action has the same probability up to a difference of less than 2^-32.
    ///
    /// # Errors
    /// [`LengthError`].
    pub fn sample_actions(&mut self, actions: &mut [i64]) -> Result<(), LengthError> {
        self.check_length("actions", actions.len(), 1)?;
        let rows = actions.chunks_mut(self.parts.size());
        self.parts
            .run(rows, |games, actions| games.sample_actions(actions));
        Ok(())
    }

    /// Writes the observations: for each game a row of
    /// [`observation_width`](Self::observation_width) counts, see [Actions and
    /// observations](Self#actions-and-observations).
    ///
    /// The type of the elements is [`count_type`](Self::count_type), or a larger one.
    ///
    /// # Errors
    /// [`ObservationsError`].
    pub fn write_observations(
        &self,
        observations: Observations<'_>,
    ) -> Result<(), ObservationsError> {
        let width = self.observation_width();
        self.check_length("observations", observations.len(), width)?;
        if observations.count_type().max_seeds() < self.count_type.max_seeds() {
            return Err(ObservationsError::CountType);
        }
        let rows = observations.chunks(self.parts.size() * width);
        self.parts
            .read(rows, |games, rows| games.write_observations(rows));
        Ok(())
    }

    /// Writes whether each action is legal: for each game a row of
    /// [`action_count`](Self::action_count) elements. The row of a finished game is all false.
    ///
    /// # Errors
    /// [`LengthError`].
    pub fn write_legal_mask(&self, mask: &mut [bool]) -> Result<(), LengthError> {
        let width = self.action_count();
        self.check_length("mask", mask.len(), width)?;
        let rows = mask.chunks_mut(self.parts.size() * width);
        self.parts
            .read(rows, |games, rows| games.write_legal_mask(rows));
        Ok(())
    }

    /// Writes the side to move of each game: 0 for South and 1 for North.
    ///
    /// # Errors
    /// [`LengthError`].
    pub fn write_to_move(&self, sides: &mut [u8]) -> Result<(), LengthError> {
        self.check_length("sides", sides.len(), 1)?;
        let rows = sides.chunks_mut(self.parts.size());
        self.parts
            .read(rows, |games, rows| games.write_to_move(rows));
        Ok(())
    }

    /// Writes the exact gain of each action in seeds: for each game a row of
    /// [`action_count`](Self::action_count) elements.
    ///
    /// The gain of an action is the change of the lead of the player to move from before the action
    /// to the end of the game, with best play of both players after it. If no gain of a legal
    /// action is unknown, an action with the greatest gain is a best one. The lead of the player
    /// that swaps changes with its side, as [Rewards](Self#rewards) describes.
    ///
    /// The entry is [`UNKNOWN_GAIN`](Self::UNKNOWN_GAIN) if the action is illegal, or if the game
    /// continues after it and the table does not have that position, because the houses hold too
    /// many seeds or a swap is possible. Gains beyond the range of the elements, which require more
    /// than 32,767 seeds, are unknown, too.
    ///
    /// # Errors
    /// [`GainsError`].
    ///
    /// ```
    /// use std::num::NonZeroUsize;
    /// use std::ops::ControlFlow;
    /// use kalah::{Rules, Setup, Variant};
    /// use kalah_env::{VectorEnv, VectorEnvOptions};
    /// use kalah_tables::Table;
    ///
    /// let start = "<3,0,0,1,0,1,0,0,2> s".parse::<Setup>()?.position(Rules::CS32)?;
    /// let env = VectorEnv::new(VectorEnvOptions::new(start.clone(), NonZeroUsize::MIN))?;
    /// let variant = Variant::from_position(&start);
    /// let mut progress = |_| ControlFlow::Continue(());
    /// let table = Table::build(variant, 4, NonZeroUsize::MIN, &mut progress)?;
    /// let mut gains = [0; 3];
    /// env.write_exact_gains(&table, &mut gains)?;
    /// assert_eq!(gains[1], VectorEnv::UNKNOWN_GAIN); // house 2 is empty
    /// assert_eq!(i32::from(*gains.iter().max().unwrap()), table.probe(&start)?.unwrap().seeds());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_exact_gains(&self, table: &Table, gains: &mut [i16]) -> Result<(), GainsError> {
        let width = self.action_count();
        self.check_length("gains", gains.len(), width)?;
        let (houses, rules) = (self.houses(), self.settings.rules());
        if table.variant() != Variant::new(houses, rules) {
            return Err(GainsError::OtherVariant {
                table_houses: table.variant().houses(),
                table_rules: table.variant().rules(),
                houses,
                rules,
            });
        }
        let _ = table.verify_layers(table.seeds(), &mut || ControlFlow::Continue(()))?;
        let revision = table.check_unchanged()?;
        let rows = gains.chunks_mut(self.parts.size() * width);
        self.parts
            .read(rows, |games, rows| games.write_exact_gains(table, rows));
        // A value may have turned out to be damaged, or the file may have changed meanwhile.
        Ok(table.check_unchanged_since(revision)?)
    }

    /// Returns the position of a game, numbered from 0; `None` if there is no such game.
    pub fn position(&self, game: usize) -> Option<Position> {
        (game < self.games()).then(|| self.parts.position(game))
    }

    /// Replaces the position of a game, numbered from 0.
    ///
    /// The position has the houses and the rules of the games, and its seeds fit
    /// [`count_type`](Self::count_type). The game may be over in it only without
    /// [`auto_reset`](VectorEnvOptions::auto_reset). The random numbers of the game continue.
    ///
    /// # Errors
    /// [`SetPositionError`]. The game is unchanged then.
    pub fn set_position(
        &mut self,
        game: usize,
        position: &Position,
    ) -> Result<(), SetPositionError> {
        let games = self.games();
        if game >= games {
            return Err(SetPositionError::NoSuchGame { game, games });
        }
        self.check_position(position)
            .map_err(|problem| SetPositionError::InvalidPosition { game, problem })?;
        self.parts.set_position(game, position);
        Ok(())
    }

    fn check_position(&self, position: &Position) -> Result<(), PositionProblem> {
        check_variant(&self.settings.start, position)?;
        let (actual, max) = (position.total().get(), self.count_type.max_seeds());
        if actual > max {
            Err(PositionProblem::TooManySeeds { actual, max })
        } else if position.is_over() && self.auto_reset() {
            Err(PositionProblem::GameOver)
        } else {
            Ok(())
        }
    }

    /// Checks the length of a buffer with `width` elements a game.
    fn check_length(
        &self,
        argument: &'static str,
        actual: usize,
        width: usize,
    ) -> Result<(), LengthError> {
        let expected = self.games().saturating_mul(width);
        if actual == expected {
            Ok(())
        } else {
            Err(LengthError {
                argument,
                expected,
                actual,
            })
        }
    }
}

/// The copy has threads of its own, see [Threads](VectorEnv#threads). If the system does not start
/// them, the calling thread does all the work of the copy, whose results are the same.
impl Clone for VectorEnv {
    fn clone(&self) -> Self {
        Self {
            settings: Arc::clone(&self.settings),
            count_type: self.count_type,
            games: self.games,
            parts: self.parts.clone(),
        }
    }
}

impl fmt::Debug for VectorEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorEnv")
            .field("start", &format_args!("{}", self.settings.start))
            .field("rules", &format_args!("{}", self.rules()))
            .field("games", &self.games)
            .field("threads", &self.threads())
            .finish_non_exhaustive()
    }
}

fn boxed<G: Games + 'static>(games: G) -> Box<dyn Games> {
    Box::new(games)
}
