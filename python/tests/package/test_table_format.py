"""The readers of `docs/tables.md`."""

import re
from pathlib import Path
from typing import Any

import pytest

import kalah

ROOT = Path(__file__).parents[3]
PACKED = ROOT / "crates/core/tables/tests/data/kalah-3-houses-5-seeds-standard.packed"


@pytest.fixture(scope="module")
def readers() -> dict[str, Any]:
    document = (ROOT / "docs/tables.md").read_text()
    examples = re.findall(r"^```python\n(.*?)^```", document, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    for example in examples:
        exec(compile(example, "tables.md", "exec"), names)
    return names


def test_both_readers_agree_with_the_program(readers: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "some.table"
    table = kalah.Table.build(3, 5, "standard", path=path)
    gains = readers["PackedTable"](PACKED).gains()
    assert len(gains) == kalah.Table.count(3, 5)
    layers: list[list[int]] = [[] for _ in range(6)]
    for (mover, other), gain in gains.items():
        layers[sum(mover) + sum(other)].append(gain + 128)
    for seeds, layer in enumerate(layers):
        assert layer == list(table.layer(seeds))
    reader = readers["Table"](path)
    with reader.file:
        assert all(reader.gain(*rows) == gain for rows, gain in gains.items())
