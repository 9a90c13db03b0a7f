"""Endgame tables."""

import pickle
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kalah


def random_endgame(houses: int, seeds: int, rules: str, generator: random.Random) -> kalah.Position:
    """Returns a position with at most `seeds` seeds in the houses."""
    counts = [0] * (2 * houses)
    for _ in range(generator.randint(1, seeds)):
        counts[generator.randrange(2 * houses)] += 1
    numbers = ",".join(str(count) for count in [houses, 3, 2, *counts])
    return kalah.Position(f"<{numbers}> {generator.choice('sn')}", rules=rules)


@pytest.mark.parametrize("rules", ["cs32", "standard", "empty-capture", "mankalah"])
@pytest.mark.parametrize("houses", [1, 2, 4, 8])
def test_gains_are_those_of_the_solver(houses: int, rules: str) -> None:
    table = kalah.Table.build(houses, 9, rules=rules)
    generator = random.Random(houses)
    engine = kalah.Engine(memory="8MiB")
    for _ in range(60):
        position = random_endgame(houses, 9, rules, generator)
        gain = table.probe(position)
        assert gain is not None
        assert engine.analyse(position, goal="best-margin").margin == position.lead + gain


def test_layers_have_all_positions() -> None:
    table = kalah.Table.build(4, 10)
    sizes = [len(table.layer(seeds)) for seeds in range(11)]
    assert sum(sizes) == kalah.Table.count(4, 10)
    assert sizes == [
        kalah.Table.count(4, seeds) - (kalah.Table.count(4, seeds - 1) if seeds else 0)
        for seeds in range(11)
    ]
    gains = table.layer(10).astype(np.int16) - 128
    assert gains.min() >= -10
    assert gains.max() <= 10


def test_layer_shares_the_memory_of_the_table() -> None:
    table = kalah.Table.build(5, 8)
    layer = table.layer(8)
    base: object = layer.base
    assert base is table
    assert np.shares_memory(layer, table.layer(8))
    assert not layer.flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        layer.setflags(write=True)
    expected = layer.copy()
    del table
    # The array keeps the table.
    assert (layer == expected).all()


def test_file_has_the_same_values(tmp_path: Path) -> None:
    path = tmp_path / "table"
    built = kalah.Table.build(4, 9, rules="standard", path=path)
    opened = kalah.Table.open(path)
    opened.verify()
    for seeds in range(10):
        assert (built.layer(seeds) == opened.layer(seeds)).all()
    assert (opened.houses, opened.seeds, opened.rules) == (4, 9, kalah.Rules.STANDARD)


def test_damaged_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "table"
    kalah.Table.build(3, 8, path=path)
    intact = path.read_bytes()
    damaged = bytearray(intact)
    damaged[-1] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(kalah.TableError, match="the positions with 8 seeds are damaged"):
        kalah.Table.open(path).verify()
    generator = random.Random(1)
    for _ in range(300):
        damaged = bytearray(intact[: generator.choice([len(intact), generator.randrange(5000)])])
        for _ in range(generator.randrange(4)):
            if damaged:
                damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        path.write_bytes(damaged)
        try:
            table = kalah.Table.open(path)
            table.probe(kalah.Position("3x1"))
            table.verify()
        except (kalah.TableError, OSError) as error:
            assert str(path) in str(error) or "positions with" in str(error)


def test_damaged_values_are_never_used(tmp_path: Path) -> None:
    path = tmp_path / "table"
    kalah.Table.build(4, 10, path=path)
    header = path.read_bytes()[:4096]
    path.write_bytes(header + bytes(path.stat().st_size - len(header)))
    expected = kalah.Engine().analyse("4x3")
    for trust in (False, True):
        table = kalah.Table.open(path, trust=trust)
        report = kalah.Engine(tables=table).analyse("4x3")
        assert report.table_damage is not None
        assert str(path) in report.table_damage
        assert "kalah tables build --houses 4 --seeds 10" in report.table_damage
        assert pickle.loads(pickle.dumps(report)) == report
        assert [move.bounds for move in report.moves] == [move.bounds for move in expected.moves]
        with pytest.raises(kalah.TableError, match=re.escape(str(path))):
            kalah.Table.open(path, trust=trust).probe("4x1")
    with pytest.raises(kalah.TableError, match="with 0 seeds are damaged"):
        kalah.Table.open(path).layer(5)


def test_exception_of_the_progress_function_stops_a_verification(tmp_path: Path) -> None:
    def fail(_progress: kalah.PositionProgress) -> None:
        raise LookupError("stop")

    path = tmp_path / "table"
    kalah.Table.build(3, 8, path=path)
    table = kalah.Table.open(path)
    with pytest.raises(LookupError, match="stop"):
        table.verify(progress=fail)
    table.verify()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda _: kalah.Table.build(9, 3), kalah.KalahError, "houses: expected 1 to 8, not 9"),
        (lambda _: kalah.Table.build(0, 3), kalah.KalahError, "houses: expected 1 to 8, not 0"),
        (lambda _: kalah.Table.build(3, 300), kalah.KalahError, "seeds: expected 0 to 63, not 300"),
        (lambda _: kalah.Table.build(7, 64), kalah.KalahError, "seeds: expected 0 to 63, not 64"),
        (lambda _: kalah.Table.build(7, 63), kalah.TableError, "of memory, but only"),
        (lambda folder: kalah.Table.open(folder / "x"), FileNotFoundError, "there is no file"),
        (lambda folder: kalah.Table.open(folder), OSError, "not a regular file"),
        (lambda folder: kalah.Table.build(2, 2, path=folder / "x/y"), OSError, "x/y'"),
        (lambda folder: kalah.Table.build(2, 2, path=folder), FileExistsError, "already exists"),
        (lambda _: kalah.Table.build(2, 2).layer(3), kalah.KalahError, "seeds: expected 0 to 2"),
        (lambda _: kalah.Table.build(2, 2).probe(3), TypeError, "position: expected Position"),  # type: ignore[arg-type]
        (
            lambda _: kalah.Table.build(2, 2).probe("3x1"),
            kalah.KalahError,
            "position: expected 2 houses a side under the rules cs32, not 3 houses a side under",
        ),
        (
            lambda _: kalah.Table.build(2, 2).probe(kalah.Position("2x1", "standard")),
            kalah.KalahError,
            "under the rules cs32, not 2 houses a side under the rules standard",
        ),
        (lambda _: kalah.Table.open(5), TypeError, "path: expected str, bytes or os.PathLike"),  # type: ignore[arg-type]
        (
            lambda _: kalah.Table.build(2, 2).position(0, 0, stores=3),  # type: ignore[arg-type]
            TypeError,
            "stores: expected two integers, not int",
        ),
        (lambda _: pickle.dumps(kalah.Table.build(2, 2)), TypeError, "cannot pickle"),
    ],
)
def test_errors_name_the_reason(
    call: Callable[[Path], Any], error: type[Exception], text: str, tmp_path: Path
) -> None:
    with pytest.raises(error) as caught:
        call(tmp_path)
    assert text in str(caught.value)
