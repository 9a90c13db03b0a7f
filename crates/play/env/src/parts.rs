//! The games of an environment, divided among threads.

use std::collections::TryReserveError;
use std::num::NonZeroUsize;

use kalah::Position;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::games::Games;
use crate::options::OptionsError;
use crate::random::GameRandom;

/// All games in order, one part a thread.
pub(crate) struct Parts {
    games: Vec<Box<dyn Games>>,
    /// The number of games in each part; the last one may have fewer.
    size: usize,
    /// `None` with one part, which the calling thread works on.
    pool: Option<ThreadPool>,
}

impl Parts {
    /// Divides `games` games among at most `threads` threads. `create` returns a number of games.
    ///
    /// # Errors
    /// [`OptionsError`] if the memory or the threads are missing.
    pub(crate) fn new(
        games: NonZeroUsize,
        threads: NonZeroUsize,
        create: impl Fn(usize) -> Result<Box<dyn Games>, TryReserveError>,
    ) -> Result<Self, OptionsError> {
        let size = games.get().div_ceil(threads.get());
        let mut all = Vec::new();
        for first in (0..games.get()).step_by(size) {
            let part = create(size.min(games.get() - first));
            all.push(part.map_err(|_| OptionsError::TooManyGames(games))?);
        }
        let pool = start_pool(all.len()).map_err(|_| OptionsError::ThreadPool(threads))?;
        Ok(Self {
            games: all,
            size,
            pool,
        })
    }

    /// Returns the number of games in each part; the last one may have fewer.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Returns the number of threads that do the work.
    pub(crate) fn threads(&self) -> usize {
        self.pool
            .as_ref()
            .map_or(1, ThreadPool::current_num_threads)
    }

    /// Replaces the random numbers of all games, and takes one generator for each game.
    pub(crate) fn set_randoms(&mut self, randoms: &mut dyn Iterator<Item = GameRandom>) {
        for part in &mut self.games {
            part.set_randoms(randoms);
        }
    }

    /// Changes each part with its element of `rows`.
    pub(crate) fn run<T: Send>(
        &mut self,
        rows: impl Iterator<Item = T> + Send,
        work: impl Fn(&mut dyn Games, T) + Send + Sync,
    ) {
        let parts = self.games.iter_mut().zip(rows);
        run(self.pool.as_ref(), parts, |(part, row)| {
            work(part.as_mut(), row);
        });
    }

    /// Reads each part with its element of `rows`.
    pub(crate) fn read<T: Send>(
        &self,
        rows: impl Iterator<Item = T> + Send,
        work: impl Fn(&dyn Games, T) + Send + Sync,
    ) {
        let parts = self.games.iter().zip(rows);
        run(self.pool.as_ref(), parts, |(part, row)| {
            work(part.as_ref(), row);
        });
    }

    /// Returns the position of a game that exists.
    pub(crate) fn position(&self, game: usize) -> Position {
        self.games[game / self.size].position(game % self.size)
    }

    /// Replaces the position of a game that exists, see [`Games::set_position`].
    pub(crate) fn set_position(&mut self, game: usize, position: &Position) {
        self.games[game / self.size].set_position(game % self.size, position);
    }
}

/// The copy has threads of its own. If the system does not start them, the calling thread does all
/// the work.
impl Clone for Parts {
    fn clone(&self) -> Self {
        Self {
            games: self.games.iter().map(|games| games.clone_box()).collect(),
            size: self.size,
            pool: start_pool(self.games.len()).unwrap_or_default(),
        }
    }
}

/// Starts a pool of threads; one thread is the calling one, without a pool.
fn start_pool(threads: usize) -> Result<Option<ThreadPool>, rayon::ThreadPoolBuildError> {
    if threads == 1 {
        return Ok(None);
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    Ok(Some(pool))
}

/// Runs `work` on each part, on the threads of the pool or on the calling thread.
fn run<T: Send>(
    pool: Option<&ThreadPool>,
    parts: impl Iterator<Item = T> + Send,
    work: impl Fn(T) + Send + Sync,
) {
    match pool {
        None => parts.for_each(work),
        Some(pool) => pool.scope(|scope| {
            let work = &work;
            for part in parts {
                scope.spawn(move |_| work(part));
            }
        }),
    }
}
