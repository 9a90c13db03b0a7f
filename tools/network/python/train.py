"""Train the evaluation network from samples, or write the one whose estimate is always 0.

`cargo network make` calls this program.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax

from model import Positions, Weights, estimated_gains, first_weights, zero_weights
from network_file import FileWeights, write_network
from samples import Samples, expected_gains, read_samples, seeds_in_play

LEARNING_RATE = 4e-3
# The last learning rate in parts of the first one.
LAST_LEARNING_RATE = 0.01

REPORT_STEPS = 500
REPORT_BATCH = 1 << 16


def parse_arguments() -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="file of the network")
    parser.add_argument(
        "--samples", type=Path, help="folder of the samples; without it the network is 0"
    )
    parser.add_argument("--description", default="", help="text that the file says of its making")
    parser.add_argument("--steps", type=int, default=12_000)
    parser.add_argument("--batch", type=int, default=16_384, help="samples of a step")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def to_positions(samples: Samples) -> Positions:
    """Copies the inputs of samples to the device."""
    fields = ("houses", "rules", "own", "other")
    return Positions(*(jnp.asarray(np.ascontiguousarray(samples[field])) for field in fields))


def loss(weights: Weights, positions: Positions, gains: jax.Array) -> jax.Array:
    """Returns the mean square of the errors, in which positions with many seeds count less."""
    seeds = positions.own.sum(axis=1, dtype=jnp.int32) + positions.other.sum(
        axis=1, dtype=jnp.int32
    )
    errors = estimated_gains(weights, positions) - gains
    return jnp.mean(errors**2 * 20.0 / (seeds + 8.0))


def train(samples: Samples, steps: int, batch: int, seed: int) -> Weights:
    """Trains a network by Adam with a learning rate that falls as a cosine."""
    positions = to_positions(samples)
    gains = jnp.asarray(expected_gains(samples))
    schedule = optax.cosine_decay_schedule(LEARNING_RATE, steps, LAST_LEARNING_RATE)
    optimizer = optax.adam(schedule)

    @jax.jit
    def step(
        weights: Weights, state: optax.OptState, key: jax.Array
    ) -> tuple[Weights, optax.OptState, jax.Array]:
        chosen = jax.random.randint(key, (batch,), 0, len(gains))
        picked = Positions(*(field[chosen] for field in positions))
        value, gradient = jax.value_and_grad(loss)(weights, picked, gains[chosen])
        updates, state = optimizer.update(gradient, state, weights)
        return optax.apply_updates(weights, updates), state, value

    weights = first_weights(seed)
    state = optimizer.init(weights)
    started_at = time.monotonic()
    for number, key in enumerate(jax.random.split(jax.random.key(seed + 1), steps), start=1):
        weights, state, value = step(weights, state, key)
        if number % REPORT_STEPS == 0:
            seconds = time.monotonic() - started_at
            print(f"step {number} of {steps}: loss {float(value):.3f}, {seconds:.0f} s", flush=True)
    return weights


def report(weights: Weights, samples: Samples) -> Iterator[str]:
    """Describes the errors on held-out samples: against results, and against proven gains."""
    estimate = jax.jit(estimated_gains)
    parts = [
        np.asarray(estimate(weights, to_positions(samples[first : first + REPORT_BATCH])))
        for first in range(0, len(samples), REPORT_BATCH)
    ]
    estimates = np.concatenate(parts)
    seeds = seeds_in_play(samples)
    is_proven = samples["is_proven"] == 1
    is_played = samples["is_played"] == 1

    def line(name: str, chosen: np.ndarray, gains: np.ndarray) -> str:
        errors = estimates[chosen] - gains[chosen]
        if len(errors) == 0:
            return f"{name}: no positions"
        root_mean_square = float(np.sqrt(np.mean(errors**2)))
        spread = float(np.sqrt(np.mean(gains[chosen].astype(np.float64) ** 2)))
        return (
            f"{name}: {len(errors)} positions, root mean square {root_mean_square:.2f} "
            f"(of 0: {spread:.2f}), mean {float(errors.mean()):+.2f}"
        )

    yield line("results", is_played, samples["result"])
    yield line("estimates by search", ~is_proven, samples["score"])
    yield line("side lines", ~is_proven & ~is_played, samples["score"])
    for houses in sorted(set(samples["houses"].tolist())):
        yield line(
            f"proven, {houses} houses a side",
            is_proven & (samples["houses"] == houses),
            samples["score"],
        )
    for low in range(0, 48, 8):
        in_range = (seeds >= low) & (seeds < low + 8)
        yield line(f"proven, {low} to {low + 7} seeds", is_proven & in_range, samples["score"])


def to_file_weights(weights: Weights) -> FileWeights:
    """Copies weights from the device."""
    inputs, output = (np.asarray(part, dtype=np.float64) for part in weights[:2])
    return FileWeights(inputs, output, float(weights.output_bias))


def main() -> None:
    """Trains a network, or writes the one whose estimate is always 0."""
    arguments = parse_arguments()
    if arguments.samples is None:
        write_network(arguments.out, to_file_weights(zero_weights()), "always 0")
        return
    samples = read_samples(arguments.samples, is_held_out=False)
    weights = train(samples, arguments.steps, arguments.batch, arguments.seed)
    for text in report(weights, read_samples(arguments.samples, is_held_out=True)):
        print(text)
    made_by = (
        f"{arguments.description}\n{len(samples)} samples, {arguments.steps} steps of "
        f"{arguments.batch}, seed {arguments.seed}"
    )
    write_network(arguments.out, to_file_weights(weights), made_by)


if __name__ == "__main__":
    main()
