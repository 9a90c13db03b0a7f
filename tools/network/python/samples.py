"""The samples of `cargo network samples`."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

MAX_HOUSES = 26

# The bytes of a sample; rows begin with the house next to the store of their owner.
SAMPLE = np.dtype(
    [
        ("houses", "u1"),
        ("rules", "u1"),
        ("is_proven", "u1"),
        ("is_played", "u1"),
        ("score", "<i2"),
        ("result", "<i2"),
        ("lead", "<i2"),
        ("unused", "<i2"),
        ("own", "u1", MAX_HOUSES),
        ("other", "u1", MAX_HOUSES),
    ]
)

# The share of a search's estimate in the expected gain of a position of a game; the rest is that
# of the game's result.
SCORE_SHARE = 0.5

Samples = npt.NDArray[np.void]


def read_samples(folder: Path, *, is_held_out: bool) -> Samples:
    """Reads the files of a folder: each 20th one is held out."""
    paths = sorted(folder.glob("*.samples"))
    chosen = [path for index, path in enumerate(paths) if (index % 20 == 0) == is_held_out]
    return np.concatenate([np.fromfile(path, dtype=SAMPLE) for path in chosen])


def expected_gains(samples: Samples) -> npt.NDArray[np.float32]:
    """Returns the gains that the network learns."""
    mixed = SCORE_SHARE * samples["score"] + (1 - SCORE_SHARE) * samples["result"]
    return np.where(samples["is_proven"] == 1, samples["score"], mixed).astype(np.float32)


def seeds_in_play(samples: Samples) -> npt.NDArray[np.int64]:
    """Returns the seeds in the houses of both sides."""
    own: npt.NDArray[np.int64] = samples["own"].sum(axis=1, dtype=np.int64)
    other: npt.NDArray[np.int64] = samples["other"].sum(axis=1, dtype=np.int64)
    return own + other
