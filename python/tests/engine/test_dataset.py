"""Data sets."""

import json
import os
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kalah
from environments.player_view import RULES
from kalah import Dataset, KalahError, Position, Side


def check_margins(data: Dataset) -> None:
    """Compares the rows with proofs of the engine."""
    engine = kalah.Engine()
    for row in range(len(data)):
        position = data.position(row)
        report = engine.analyse(position)
        margins = {entry.move.house: entry.margin for entry in report.moves}
        for action in range(data.houses):
            is_legal = action + 1 in margins
            assert data.legal[row, action] == is_legal
            assert data.margins[row, action] == margins.get(action + 1, Dataset.UNKNOWN)
        assert data.values[row] == report.margin
        assert data.leads[row] == position.lead
        assert data.gains[row].max() == report.margin - position.lead
        assert data.best[row].sum() == sum(m == report.margin for m in margins.values())


@pytest.mark.parametrize("rules", RULES)
def test_drawn_positions_have_exact_margins(rules: str) -> None:
    data = kalah.dataset(60, houses=4, seeds=3, rules=rules, source="layer", layers=(1, 9), seed=5)
    check_margins(data)
    assert data.margins.shape == (60, 5 if rules == "mankalah" else 4)
    for row in range(60):
        assert 1 <= data.position(row).seeds_in_play <= 9
        assert data.position(row).total == 24


@pytest.mark.parametrize("rules", RULES)
def test_played_positions_have_exact_margins(rules: str) -> None:
    data = kalah.dataset(
        60, houses=4, seeds=2, rules=rules, players=("random", "level:1"), opening_plies=2, seed=3
    )
    check_margins(data)


def test_the_engine_proves_margins_beyond_the_table() -> None:
    table = kalah.Table.build(4, 3)
    data = kalah.dataset(40, houses=4, seeds=2, layers=(4, 16), table=table, seed=3)
    check_margins(data)
    assert (data.observations.astype(int).sum(axis=1) == 16).all()


def test_open_margins_are_unknown() -> None:
    arguments: dict[str, Any] = {"layers": (30, 48), "nodes": 50, "opening_plies": 4, "seed": 2}
    table = kalah.Table.build(6, 2)
    data = kalah.dataset(8, table=table, **arguments)
    assert (data.values == Dataset.UNKNOWN).any()
    again = kalah.dataset(8, table=table, **arguments)
    assert (data.margins == again.margins).all()


def test_a_swap_has_its_margin() -> None:
    data = kalah.dataset(
        30, houses=3, seeds=2, rules="mankalah", layers=(8, 12), opening_plies=1, seed=1
    )
    swaps = data.legal[:, 3]
    assert swaps.any()
    assert (data.margins[swaps, 3] != Dataset.UNKNOWN).all()


def test_positions_are_drawn_uniformly_from_a_layer() -> None:
    table = kalah.Table.build(2, 3, "standard")
    data = kalah.dataset(
        40_000, houses=2, seeds=1, rules="standard", source="layer", layers=3, table=table, seed=9
    )
    playable = set()
    for index in range(len(table.layer(3))):
        position = table.position(3, index)
        if not position.is_over:
            playable.add(position.row(Side.SOUTH) + position.row(Side.NORTH))
    houses = data.observations[:, [0, 1, 3, 4]]
    drawn, counts = np.unique(houses, axis=0, return_counts=True)
    assert {tuple(row) for row in drawn.tolist()} == playable
    expected = len(data) / len(playable)
    # Six standard deviations of a binomial distribution.
    assert (abs(counts - expected) < 6 * np.sqrt(expected)).all()
    stores = np.unique(data.observations[:, 2], return_counts=True)
    assert stores[0].tolist() == [0, 1]
    assert abs(stores[1][0] - len(data) / 2) < 3 * np.sqrt(len(data))


def test_layers_have_equal_probabilities() -> None:
    data = kalah.dataset(30_000, houses=3, seeds=2, source="layer", layers=(1, 5), seed=9)
    houses = data.observations[:, [0, 1, 2, 4, 5, 6]].sum(axis=1, dtype=np.int64)
    counts = np.bincount(houses)[1:]
    assert len(counts) == 5
    assert (abs(counts - 6000) < 6 * np.sqrt(6000)).all()


@pytest.mark.parametrize("source", ["play", "layer"])
def test_equal_seeds_give_equal_data_sets(source: Any) -> None:
    first, second, other = (
        kalah.dataset(100, houses=4, seeds=3, source=source, seed=seed) for seed in (1, 1, 2)
    )
    assert (first.observations == second.observations).all()
    assert (first.margins == second.margins).all()
    assert (first.games == second.games).all()
    assert (first.observations != other.observations).any()


def test_positions_of_a_game_have_its_number() -> None:
    data = kalah.dataset(200, houses=3, seeds=3, players=("random", "random"), seed=1)
    steps = np.diff(data.games)
    assert (steps >= 0).all()
    assert data.games[0] == 0
    assert data.games[-1] > 1


def test_players_may_be_functions() -> None:
    def last(position: Position) -> kalah.Move:
        return position.legal_moves[-1]

    data = kalah.dataset(20, houses=3, seeds=3, players=(last, "first"), seed=1)
    assert len(data) == 20


@pytest.mark.parametrize("source", ["play", "layer"])
def test_a_data_set_may_be_empty(source: Any) -> None:
    data = kalah.dataset(0, houses=3, seeds=2, source=source)
    assert len(data) == 0
    assert data.margins.shape == (0, 3)
    assert data.values.shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": "games"}, "source"),
        ({"layers": 0}, "layers"),
        ({"layers": (5, 4)}, "layers"),
        ({"layers": 13}, "layers"),
        ({"seed": -1}, "seed"),
        ({"houses": 27}, "houses"),
        ({"layers": 1, "rules": "standard", "source": "layer"}, "over in every position"),
        ({"table": kalah.Table.build(2, 2)}, "table: expected 3 houses a side and the rules cs32"),
        ({"table": kalah.Table.build(3, 2, "standard")}, "table: expected 3 houses a side"),
        ({"layers": (1, 2, 3)}, "layers: expected a number or two, not 3"),
        ({"players": ("random",)}, "players: expected two players, not 1"),
        ({"players": ("random", "x")}, "players: `x` is not a player"),
        ({"opening_plies": -1}, "opening_plies: expected 0 to 1000, not -1"),
        ({"opening_plies": 1000}, "opening_plies: 1000 random plies end every game"),
        ({"nodes": 0}, "nodes: expected 1 to"),
        ({"seeds": 0}, "seeds: expected at least 1, not 0"),
        ({"seeds": 10**30}, "seeds: expected 0 to 10922, not 10{30}"),
        ({"source": "layer", "players": ("random", "random")}, "players: an argument of"),
        ({"source": "layer", "opening_plies": 2}, "opening_plies: an argument of"),
        ({"source": "layer", "nodes": 2}, "nodes: an argument of"),
    ],
)
def test_values_out_of_range_are_refused(arguments: dict[str, Any], message: str) -> None:
    defaults: dict[str, Any] = {"houses": 3, "seeds": 2}
    with pytest.raises(KalahError, match=message):
        kalah.dataset(1, **(defaults | arguments))


@pytest.mark.parametrize("source", ["play", "layer"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"table": 4}, "table: expected Table, not int"),
        ({"table": True}, "table: expected Table, not bool"),
        ({"layers": "x"}, "layers: expected an integer, not str"),
        ({"progress": 4}, "progress: expected bool or a function, not int"),
        ({"n": 1.5}, "n: expected an integer, not float"),
        ({"seed": "x"}, "seed: expected an integer, not str"),
    ],
)
def test_values_of_other_types_are_refused(
    source: Any, arguments: dict[str, Any], message: str
) -> None:
    defaults: dict[str, Any] = {"n": 1, "houses": 3, "seeds": 2, "source": source}
    with pytest.raises(TypeError, match=message):
        kalah.dataset(**(defaults | arguments))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": "random"}, "players: expected two players, not str"),
        ({"players": ("random", 4)}, "players: expected"),
        ({"opening_plies": "x"}, "opening_plies: expected an integer, not str"),
        ({"nodes": 1.5}, "nodes: expected an integer, not float"),
    ],
)
def test_arguments_of_play_with_other_types_are_refused(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        kalah.dataset(1, houses=3, seeds=2, **arguments)


def test_an_illegal_move_of_a_player_is_an_error_with_its_name() -> None:
    def cheat(position: Position) -> str:
        return "C" if position.to_move is Side.SOUTH else "c"

    with pytest.raises(
        kalah.IllegalMoveError,
        match=r"players: cheat in game \d+: illegal move by (South|North): `[Cc]` in <3,",
    ):
        kalah.dataset(100, houses=3, seeds=2, players=("random", cheat), seed=1)


def test_layers_may_be_a_list() -> None:
    data = kalah.dataset(5, houses=3, seeds=2, source="layer", layers=[2, 3], seed=1)  # type: ignore[arg-type]
    assert len(data) == 5


def test_wrong_paths_are_refused_with_the_name_of_the_argument() -> None:
    data = kalah.dataset(1, houses=2, seeds=2, source="layer")
    for call in (data.to_parquet, Dataset.read_parquet):
        with pytest.raises(TypeError, match=r"path: expected str, bytes or os\.PathLike, not int"):
            call(4)  # type: ignore[arg-type]
        with pytest.raises(KalahError, match="path: expected no null character"):
            call("a\0b")


def test_progress_counts_positions() -> None:
    seen: list[kalah.PositionProgress] = []
    kalah.dataset(20, houses=3, seeds=3, seed=1, progress=seen.append)
    assert [progress.done for progress in seen] == list(range(1, 21))


def same(first: Dataset, second: Dataset) -> bool:
    return (
        (first.houses, first.seeds, first.rules) == (second.houses, second.seeds, second.rules)
        and (first.observations == second.observations).all()
        and (first.legal == second.legal).all()
        and (first.margins == second.margins).all()
        and (first.games == second.games).all()
    )


@pytest.mark.parametrize("count", [0, 50])
@pytest.mark.parametrize("rules", ["cs32", "mankalah"])
def test_parquet_files_are_read_as_they_were_written(
    tmp_path: Path, rules: str, count: int
) -> None:
    pytest.importorskip("pyarrow")
    data = kalah.dataset(count, houses=4, seeds=3, rules=rules, source="layer", seed=5)
    path = tmp_path / "positions.parquet"
    path.write_text("old")
    data.to_parquet(path)
    read = Dataset.read_parquet(path)
    assert same(read, data)
    assert read.margins.dtype == data.margins.dtype
    assert read.observations.dtype == data.observations.dtype
    assert [file.name for file in tmp_path.iterdir()] == ["positions.parquet"]


def test_other_files_are_no_data_sets(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    text = tmp_path / "text"
    text.write_text("no Parquet file")
    other = tmp_path / "other"
    parquet.write_table(pa.table({"a": [1]}), other)
    for path in (text, other):
        with pytest.raises(KalahError, match=path.name):
            Dataset.read_parquet(path)


@pytest.mark.parametrize("column", ["observation", "legal", "margin", "game"])
def test_columns_of_other_types_are_no_data_set(tmp_path: Path, column: str) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "data"
    kalah.dataset(2, houses=3, seeds=2, source="layer", seed=1).to_parquet(path)
    table = parquet.read_table(path)
    index = table.column_names.index(column)
    kind = table.schema.types[index]
    for values in (pa.array(["a", "b"]), pa.array([None, 4]), pa.nulls(2, kind)):
        parquet.write_table(table.set_column(index, column, values), path)
        with pytest.raises(KalahError, match="is no data set of kalah"):
            Dataset.read_parquet(path)


@pytest.mark.parametrize(
    "board",
    [
        {"houses": -3, "seeds": 2, "rules": "cs32"},
        {"houses": 4, "seeds": 2, "rules": "cs32"},
        {"houses": 3, "seeds": "x", "rules": "cs32"},
        {"houses": 3, "seeds": 2, "rules": 4},
        [1],
    ],
)
def test_wrong_metadata_is_no_data_set(tmp_path: Path, board: Any) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "data"
    kalah.dataset(2, houses=3, seeds=2, source="layer", seed=1).to_parquet(path)
    table = parquet.read_table(path)
    metadata = {b"kalah": json.dumps(board)}
    parquet.write_table(table.replace_schema_metadata(metadata), path)
    with pytest.raises(KalahError, match="is no data set of kalah"):
        Dataset.read_parquet(path)


def test_a_missing_folder_is_an_os_error_with_the_path(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    data = kalah.dataset(1, houses=2, seeds=2, source="layer")
    path = tmp_path / "missing" / "positions.parquet"
    with pytest.raises(FileNotFoundError, match="missing") as error:
        data.to_parquet(path)
    assert error.value.filename == str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="the limit of a file's size is that of Unix")
def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "positions.parquet"
    path.write_text("old")
    # The limit of a file's size makes a write fail as a full disk does.
    program = textwrap.dedent(f"""
        import resource, signal
        import pyarrow.parquet
        import kalah
        data = kalah.dataset(20_000, houses=4, seeds=3, source="layer", seed=5)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            data.to_parquet({str(path)!r})
        except OSError as error:
            assert error.filename == {str(path)!r}, error
            assert error.errno, error
        else:
            raise SystemExit("no error")
    """)
    subprocess.run([sys.executable, "-c", program], check=True)
    assert [file.name for file in tmp_path.iterdir()] == ["positions.parquet"]
    assert path.read_text() == "old"


def test_positions_of_a_table_have_its_values() -> None:
    table = kalah.Table.build(3, 5, "standard")
    for seeds in range(6):
        for index, value in enumerate(table.layer(seeds).tolist()):
            position = table.position(seeds, index, stores=(10, 3))
            assert position.total == seeds + 13
            gain = table.probe(position)
            if position.is_over:
                assert position.lead == 7 + value - 128
            else:
                assert gain == value - 128
    with pytest.raises(KalahError, match="index"):
        table.position(5, len(table.layer(5)))
    with pytest.raises(KalahError, match="seeds"):
        table.position(6, 0)
    with pytest.raises(KalahError):
        table.position(1, 0, stores=(65535, 65535))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_parquet_file_keeps_its_permissions_and_a_pipe_stays_one(tmp_path: Path) -> None:
    data = kalah.dataset(3, houses=2, seeds=2, seed=1)
    path = tmp_path / "data.parquet"
    data.to_parquet(path)
    path.chmod(0o600)
    data.to_parquet(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    data.to_parquet(pipe)
    reader.join()
    assert pipe.is_fifo()
    assert received[0].startswith(b"PAR1")


def test_data_set_beyond_the_memory_is_refused() -> None:
    with pytest.raises(kalah.KalahError, match="n: expected at most"):
        kalah.dataset(2**31 - 1, houses=7, seeds=1, source="layer", layers=2)
