//! Positions drawn from the layers of an endgame table, for data sets.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kalah::{Position, Setup};
use kalah_env::{CountType, Observations, VectorEnv, VectorEnvOptions};
use kalah_players::system_memory;
use kalah_tables::Table;
use numpy::{PyArray1, PyArrayMethods as _};
use pyo3::prelude::*;
use rand::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

use crate::errors::{Error, KalahError};
use crate::games::position::PyPosition;
use crate::interrupt;
use crate::progress::{Progress, PyPositionProgress};
use crate::table::{PyTable, verify};

/// The number of positions that are drawn between two looks at the stop flag.
const BATCH: usize = 4096;

/// The rows of the arrays: observations, legal actions and gains.
struct Rows {
    /// The length of a row of observations.
    width: usize,
    /// The length of a row of legal actions and gains.
    actions: usize,
    observations: Counts,
    legal: Vec<bool>,
    gains: Vec<i16>,
}

/// The counts of observations in one of the two types.
enum Counts {
    U8(Vec<u8>),
    U16(Vec<u16>),
}

/// Draws positions uniformly from the layers of a table.
struct Sampler<'a> {
    table: &'a Table,
    /// The start of the games whose positions are drawn: it gives the rules and the seeds.
    start: &'a Position,
    /// The layers in which some position is not over.
    layers: Vec<u8>,
    random: Pcg64Mcg,
}

/// Draws a number in `0..count`. The probability of each number differs from `1 / count` by less
/// than 2^-64.
fn draw_below(random: &mut Pcg64Mcg, count: usize) -> usize {
    let product = u128::from(random.next_u64()) * count as u128;
    usize::try_from(product >> u64::BITS).unwrap_or(0)
}

impl Sampler<'_> {
    /// Draws a layer, each with equal probability, a position of it in which the game is not over,
    /// and the seeds of South's store.
    fn draw(&mut self) -> Position {
        let layer = self.layers[draw_below(&mut self.random, self.layers.len())];
        let values = self.table.layer(layer).unwrap_or_default().len();
        let banked = usize::from(self.start.total().get()).saturating_sub(layer.into());
        loop {
            let index = draw_below(&mut self.random, values);
            let south = draw_below(&mut self.random, banked + 1);
            let drawn = self.table.setup(layer, index).and_then(|mut setup: Setup| {
                setup.stores.south = south as u64;
                setup.stores.north = (banked - south) as u64;
                setup.position(self.start.rules()).ok()
            });
            if let Some(position) = drawn.filter(|position| !position.is_over()) {
                return position;
            }
        }
    }
}

/// Returns whether a layer has a position in which the game is not over. The last positions of a
/// layer have about as many seeds in both rows, so that the first one tried usually is.
fn is_playable(table: &Table, layer: u8, start: &Position) -> bool {
    let values = table.layer(layer).unwrap_or_default().len();
    (0..values).rev().any(|index| {
        let position = table.setup(layer, index);
        position
            .and_then(|setup| setup.position(start.rules()).ok())
            .is_some_and(|position| !position.is_over())
    })
}

/// Draws `count` positions, and writes their rows.
fn draw_rows(
    sampler: &mut Sampler<'_>,
    env: &mut VectorEnv,
    count: usize,
    stop_flag: &AtomicBool,
    done: &AtomicU64,
) -> PyResult<Rows> {
    let refuse = |error: &dyn std::error::Error| KalahError::new_err(error.to_string());
    let (width, actions) = (env.observation_width(), env.action_count());
    let games = env.games();
    let mut rows = Rows {
        width,
        actions,
        observations: match env.count_type() {
            CountType::U8 => Counts::U8(vec![0; count.next_multiple_of(games) * width]),
            CountType::U16 => Counts::U16(vec![0; count.next_multiple_of(games) * width]),
        },
        legal: vec![false; count.next_multiple_of(games) * actions],
        gains: vec![0; count.next_multiple_of(games) * actions],
    };
    for first in (0..count).step_by(games) {
        if stop_flag.load(Ordering::Relaxed) {
            break;
        }
        for game in 0..games.min(count - first) {
            let position = sampler.draw();
            env.set_position(game, &position)
                .map_err(|error| refuse(&error))?;
        }
        let counts = first * width..(first + games) * width;
        let written = env.write_observations(match &mut rows.observations {
            Counts::U8(all) => Observations::U8(&mut all[counts]),
            Counts::U16(all) => Observations::U16(&mut all[counts]),
        });
        written.map_err(|error| refuse(&error))?;
        let entries = first * actions..(first + games) * actions;
        env.write_legal_mask(&mut rows.legal[entries.clone()])
            .map_err(|error| refuse(&error))?;
        env.write_exact_gains(sampler.table, &mut rows.gains[entries])
            .map_err(|error| refuse(&error))?;
        done.store((first + games).min(count) as u64, Ordering::Relaxed);
    }
    match &mut rows.observations {
        Counts::U8(all) => all.truncate(count * width),
        Counts::U16(all) => all.truncate(count * width),
    }
    rows.legal.truncate(count * actions);
    rows.gains.truncate(count * actions);
    Ok(rows)
}

/// The memory of a position in bytes for each house a side, and one more, an upper estimate: the
/// observation, the legal actions, the gains, and a copy of all.
const BYTES_PER_HOUSE: u64 = 16;

/// Draws `count` positions from the layers `lowest` to `highest` of `table`, with the seeds and the
/// rules of `start`, and returns observations, legal actions and gains, as `VectorEnv` writes them.
///
/// Each layer has the same probability, and so has each of its positions in which the game is not
/// over. The seeds outside the houses are distributed to the stores uniformly.
#[pyfunction]
#[pyo3(signature = (table, start, count, lowest, highest, seed, progress=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "arguments of a private function of the package"
)]
pub(crate) fn _draw_from_layers<'py>(
    py: Python<'py>,
    table: &PyTable,
    start: &PyPosition,
    count: usize,
    lowest: u8,
    highest: u8,
    seed: u64,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (table, start) = (table.table.as_ref(), &start.0);
    verify(py, table)?;
    let games = count.clamp(1, BATCH);
    let free = system_memory().map_or(u64::MAX, |memory| memory.available);
    let max = free / (BYTES_PER_HOUSE * u64::from(start.houses() + 1));
    if count as u64 > max {
        return Err(Error::Argument {
            name: "n",
            expected: format!("at most {max} positions, for which there is memory"),
            actual: count.to_string(),
        }
        .into());
    }
    let options = VectorEnvOptions {
        auto_reset: false,
        ..VectorEnvOptions::new(
            start.clone(),
            std::num::NonZeroUsize::new(games).unwrap_or(std::num::NonZeroUsize::MIN),
        )
    };
    let progress = Progress::new(py, progress)?;
    let (stop_flag, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let poll = |py: Python<'_>| {
        let done = done.load(Ordering::Relaxed);
        let total = count as u64;
        progress.update(py, PyPositionProgress { done, total })
    };
    let rows = interrupt::run(py, &stop_flag, poll, || {
        let mut env =
            VectorEnv::new(options).map_err(|error| KalahError::new_err(error.to_string()))?;
        let layers = lowest..=highest;
        let mut sampler = Sampler {
            table,
            start,
            layers: layers
                .filter(|&layer| is_playable(table, layer, start))
                .collect(),
            random: Pcg64Mcg::seed_from_u64(seed),
        };
        if sampler.layers.is_empty() {
            let message = format!(
                "layers: the game is over in every position of the layers {lowest} to {highest}"
            );
            return Err(KalahError::new_err(message));
        }
        draw_rows(&mut sampler, &mut env, count, &stop_flag, &done)
    });
    let Rows {
        width,
        actions,
        observations,
        legal,
        gains,
    } = progress.close_after(py, rows)??;
    let observations = match observations {
        Counts::U8(all) => array(py, all, [count, width])?,
        Counts::U16(all) => array(py, all, [count, width])?,
    };
    Ok((
        observations,
        array(py, legal, [count, actions])?,
        array(py, gains, [count, actions])?,
    ))
}

/// Returns an array with the elements of `values` in rows.
fn array<T: numpy::Element>(
    py: Python<'_>,
    values: Vec<T>,
    shape: [usize; 2],
) -> PyResult<Bound<'_, PyAny>> {
    Ok(PyArray1::from_vec(py, values).reshape(shape)?.into_any())
}
