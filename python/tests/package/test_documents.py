"""The examples of the documents."""

import re
from pathlib import Path

import pytest

from optional import require

require("gymnasium", "pyarrow")

ROOT = Path(__file__).parents[3]
DOCUMENTS = [
    *(ROOT / f"docs/{name}.md" for name in ("python", "cluster", "findings")),
    ROOT / "python/README.md",
]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_examples_run_in_order(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)
    assert examples
    names: dict[str, object] = {"__name__": "__main__"}
    for example in examples:
        exec(compile(example, document.name, "exec"), names)
