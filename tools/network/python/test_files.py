"""The files of the training: its samples and its networks. The training itself needs JAX."""

from pathlib import Path

import numpy as np
import pytest

from network_file import (
    BOARD_ROWS,
    COUNT_INPUTS,
    HIDDEN_ONE,
    HIDDEN_UNITS,
    HOUSE_ROWS,
    INPUT_ROWS,
    OUTPUT_PER_SEED,
    RULES_INPUTS,
    SEEDS_PER_OUTPUT,
    FileWeights,
    write_network,
)
from samples import MAX_HOUSES, SAMPLE, expected_gains, read_samples, seeds_in_play

PUBLISHED = Path(__file__).parents[3] / "crates/core/engine/src/evaluation/kalah.network"


def zero_weights() -> FileWeights:
    return FileWeights(np.zeros((INPUT_ROWS, HIDDEN_UNITS)), np.zeros(HIDDEN_UNITS), 0.0)


def sample_bytes(*, houses: int, is_proven: bool, score: int, result: int, lead: int) -> bytes:
    """Returns a sample as `tools/network/src/samples/sample.rs` writes it."""
    numbers = b"".join(
        number.to_bytes(2, "little", signed=True) for number in (score, result, lead, 0)
    )
    own = bytes(range(1, houses + 1)).ljust(MAX_HOUSES, b"\0")
    other = bytes([255] * houses).ljust(MAX_HOUSES, b"\0")
    return bytes([houses, 3, is_proven, not is_proven]) + numbers + own + other


def test_samples_have_the_fields_that_the_program_writes(tmp_path: Path) -> None:
    assert SAMPLE.itemsize == 64
    for number in range(21):
        content = sample_bytes(houses=6, is_proven=True, score=number, result=0, lead=-300)
        if number == 1:
            content += sample_bytes(houses=26, is_proven=False, score=-4, result=7, lead=2)
        (tmp_path / f"games-{number:05}.samples").write_bytes(content)
    held_out = read_samples(tmp_path, is_held_out=True)
    assert held_out["score"].tolist() == [0, 20]
    samples = read_samples(tmp_path, is_held_out=False)
    assert len(samples) == 20
    first, second = samples[:2]
    assert (first["houses"], first["rules"], first["lead"]) == (6, 3, -300)
    assert first["own"][:7].tolist() == [1, 2, 3, 4, 5, 6, 0]
    assert (second["is_proven"], second["is_played"]) == (0, 1)
    # A proven gain counts alone, and otherwise half of it is that of the game.
    assert expected_gains(samples[:2]).tolist() == [1.0, 1.5]
    assert seeds_in_play(samples[:2]).tolist() == [21 + 6 * 255, 351 + 26 * 255]


def test_published_network_is_written_again_from_its_weights(tmp_path: Path) -> None:
    published = PUBLISHED.read_bytes()
    header, body = published.split(b"\n\n", 1)
    description = "\n".join(header.decode().splitlines()[1:-1])
    bias = int.from_bytes(body[-12:-8], "little", signed=True)
    integers = np.frombuffer(body[:-12], "<i2").astype(np.float64)
    rows = integers.reshape(-1, HIDDEN_UNITS) / HIDDEN_ONE
    houses = rows[: 2 * HOUSE_ROWS].reshape(MAX_HOUSES, 2, COUNT_INPUTS, HIDDEN_UNITS)
    own, other = (houses[:, side].reshape(HOUSE_ROWS, HIDDEN_UNITS) for side in (0, 1))
    weights = FileWeights(
        np.concatenate([own, other, rows[2 * HOUSE_ROWS : -1]]),
        integers[-HIDDEN_UNITS:] / (OUTPUT_PER_SEED // HIDDEN_ONE) / SEEDS_PER_OUTPUT,
        bias / OUTPUT_PER_SEED / SEEDS_PER_OUTPUT,
    )
    path = tmp_path / "a.network"
    write_network(path, weights, description)
    assert path.read_bytes() == published


def test_weights_are_rounded_and_those_of_a_house_stand_together(tmp_path: Path) -> None:
    weights = zero_weights()
    unit = 3
    # Four seeds in the third house of the other side, the rules 1 on six houses, and a capture.
    other_row = HOUSE_ROWS + 2 * COUNT_INPUTS + 4
    board_row = 2 * HOUSE_ROWS + 5 * RULES_INPUTS + 1
    capture_row = 2 * HOUSE_ROWS + BOARD_ROWS + 7
    for row, value in ((other_row, 0.5), (board_row, -1.0), (capture_row, 2.6 / HIDDEN_ONE)):
        weights.inputs[row, unit] = value
    path = tmp_path / "a.network"
    write_network(path, weights._replace(output_bias=-1.0), "a test")
    header, body = path.read_bytes().split(b"\n\n", 1)
    assert header.decode().splitlines()[:2] == ["kalah-network 1", "a test"]
    integers = np.frombuffer(body[:-12], "<i2").reshape(-1, HIDDEN_UNITS)
    assert integers.shape == (INPUT_ROWS + 1, HIDDEN_UNITS)
    in_file = {(2 * 2 + 1) * COUNT_INPUTS + 4: 128, board_row: -256, capture_row: 3}
    assert {row: integers[row, unit] for row in in_file} == in_file
    assert np.count_nonzero(integers) == len(in_file)
    assert int.from_bytes(body[-12:-8], "little", signed=True) == -16 * OUTPUT_PER_SEED


def test_weight_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    weights = zero_weights()
    weights.inputs[0, 0] = 128.0
    with pytest.raises(ValueError, match=r"a weight of 128\.0 does not fit 16 bits"):
        write_network(tmp_path / "a.network", weights, "")
    assert not any(tmp_path.iterdir())
