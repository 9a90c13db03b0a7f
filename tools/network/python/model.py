"""The evaluation network: its inputs and its layers.

crates/core/engine/src/evaluation computes the same with integers.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from network_file import (
    BOARD_ROWS,
    CAPTURE_INPUTS,
    COUNT_INPUTS,
    HIDDEN_UNITS,
    HOUSE_ROWS,
    INPUT_ROWS,
    RULES_INPUTS,
    SEEDS_PER_OUTPUT,
)
from samples import MAX_HOUSES


class Positions(NamedTuple):
    """The inputs of samples as arrays of the device."""

    houses: jax.Array
    rules: jax.Array
    own: jax.Array
    other: jax.Array


class Weights(NamedTuple):
    """The weights: a row of the hidden layer for each input, and the output layer."""

    inputs: jax.Array
    output: jax.Array
    output_bias: jax.Array


def first_weights(seed: int) -> Weights:
    """Returns random weights to begin with."""
    first, second = jax.random.split(jax.random.key(seed))
    inputs = 0.05 * jax.random.normal(first, (INPUT_ROWS, HIDDEN_UNITS))
    # Each position has one input of its board: hidden units begin in the middle of their range.
    inputs = inputs.at[2 * HOUSE_ROWS : 2 * HOUSE_ROWS + BOARD_ROWS].add(0.3)
    output = 0.3 * jax.random.normal(second, (HIDDEN_UNITS,))
    return Weights(inputs, output, jnp.zeros(()))


def zero_weights() -> Weights:
    """Returns the network whose estimate is always 0."""
    inputs = jnp.zeros((INPUT_ROWS, HIDDEN_UNITS))
    return Weights(inputs, jnp.zeros(HIDDEN_UNITS), jnp.zeros(()))


def estimated_gains(weights: Weights, positions: Positions) -> jax.Array:
    """Returns the estimated gains of the sides to move in seeds."""
    rows, is_on = input_rows(positions)
    sums = jnp.where(is_on[..., None], weights.inputs[rows], 0.0).sum(axis=1)
    hidden = jnp.clip(sums, 0.0, 1.0)
    return (hidden @ weights.output + weights.output_bias) * SEEDS_PER_OUTPUT


def input_rows(positions: Positions) -> tuple[jax.Array, jax.Array]:
    """Returns the rows of the inputs that are 1, and which of them count."""
    houses, rules, own, other = (field.astype(jnp.int32) for field in positions)
    from_store = jnp.arange(MAX_HOUSES)[None, :]
    is_house = from_store < houses[:, None]
    house_row = from_store * COUNT_INPUTS
    own_rows = house_row + jnp.minimum(own, COUNT_INPUTS - 1)
    other_rows = HOUSE_ROWS + house_row + jnp.minimum(other, COUNT_INPUTS - 1)
    board_rows = 2 * HOUSE_ROWS + (houses - 1) * RULES_INPUTS + rules
    captured = jnp.minimum(greatest_captures(houses, own, other), CAPTURE_INPUTS - 1)
    capture_rows = 2 * HOUSE_ROWS + BOARD_ROWS + captured
    rows = jnp.concatenate(
        [own_rows, other_rows, board_rows[:, None], capture_rows[:, None]], axis=1
    )
    is_on = jnp.concatenate([is_house, is_house, jnp.ones((len(houses), 2), bool)], axis=1)
    return rows, is_on


def greatest_captures(houses: jax.Array, own: jax.Array, other: jax.Array) -> jax.Array:
    """Returns the greatest numbers of seeds that the sides to move can capture with one sowing.

    Captures of the last seed alone do not count, and neither do those of a whole lap or more.
    """
    houses = houses[:, None]
    lap = 2 * houses + 1
    from_store = jnp.arange(MAX_HOUSES)[None, :]
    is_wrapped = own > houses + from_store + 1
    last = from_store - own + jnp.where(is_wrapped, lap, 0)
    is_own_house = (last >= 0) & (last < houses)
    last = jnp.clip(last, 0, MAX_HOUSES - 1)
    is_empty = jnp.take_along_axis(own, last, 1) == 0
    opposite = jnp.take_along_axis(other, jnp.clip(houses - 1 - last, 0, MAX_HOUSES - 1), 1)
    captured = jnp.where(is_wrapped, opposite + 2, jnp.where(opposite > 0, opposite + 1, 0))
    is_sowing = (from_store < houses) & (own > 0) & (own < lap)
    return jnp.where(is_sowing & is_own_house & is_empty, captured, 0).max(axis=1)
