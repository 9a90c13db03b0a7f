"""The file of the evaluation network, as crates/core/engine/src/evaluation/network.rs reads it."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from samples import MAX_HOUSES

COUNT_INPUTS = 24
CAPTURE_INPUTS = 32
RULES_INPUTS = 4
HIDDEN_UNITS = 16

HOUSE_ROWS = MAX_HOUSES * COUNT_INPUTS
BOARD_ROWS = MAX_HOUSES * RULES_INPUTS
INPUT_ROWS = 2 * HOUSE_ROWS + BOARD_ROWS + CAPTURE_INPUTS

# The output of the network in seeds is this number times that of the last layer.
SEEDS_PER_OUTPUT = 16.0

# The integers of the file: a hidden unit of 1, and an output of one seed.
HIDDEN_ONE = 256
OUTPUT_PER_SEED = 1 << 14

FIRST_LINE = "kalah-network 1"
DIMENSIONS = (
    f"houses={MAX_HOUSES} counts={COUNT_INPUTS} captures={CAPTURE_INPUTS} "
    f"rules={RULES_INPUTS} units={HIDDEN_UNITS}"
)


class FileWeights(NamedTuple):
    """The trained weights, before they are rounded to the integers of the file."""

    inputs: npt.NDArray[np.float64]
    output: npt.NDArray[np.float64]
    output_bias: float


def write_network(path: Path, weights: FileWeights, description: str) -> None:
    """Writes the file of a network."""
    text = f"{FIRST_LINE}\n{description.strip()}\n{DIMENSIONS}\n\n"
    content = text.encode() + weight_bytes(weights)
    checksum = xxhash.xxh3_64(content).intdigest().to_bytes(8, "little")
    path.write_bytes(content + checksum)


def weight_bytes(weights: FileWeights) -> bytes:
    """Returns the weights as integers: each house with its own and the other side, then boards."""
    own, other, boards, captures = np.split(
        weights.inputs, [HOUSE_ROWS, 2 * HOUSE_ROWS, 2 * HOUSE_ROWS + BOARD_ROWS]
    )
    by_house = (MAX_HOUSES, COUNT_INPUTS, HIDDEN_UNITS)
    both = np.stack([own.reshape(by_house), other.reshape(by_house)], axis=1)
    output = weights.output * SEEDS_PER_OUTPUT
    bias = weights.output_bias * SEEDS_PER_OUTPUT * OUTPUT_PER_SEED
    parts = [rounded(part, HIDDEN_ONE) for part in (both.ravel(), boards.ravel(), captures.ravel())]
    parts.append(rounded(output, OUTPUT_PER_SEED // HIDDEN_ONE))
    return b"".join(part.tobytes() for part in parts) + round(bias).to_bytes(
        4, "little", signed=True
    )


def rounded(values: npt.NDArray[np.float64], scale: int) -> npt.NDArray[np.int16]:
    """Returns values times a scale as integers of 16 bits, the low byte first."""
    scaled = np.rint(values * scale)
    if np.abs(scaled).max() > np.iinfo(np.int16).max:
        message = f"a weight of {np.abs(values).max()} does not fit 16 bits"
        raise ValueError(message)
    return scaled.astype("<i2")
