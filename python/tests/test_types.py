"""The completeness of the types, as basedpyright sees them."""

import json
import os
import shutil
import subprocess

import pytest

#: Modules with base classes of packages that have no types, or other types than a type checker
#: infers here.
ADAPTERS = ("kalah.gymnasium", "kalah.open_spiel", "kalah.pettingzoo")

BASEDPYRIGHT = shutil.which("basedpyright")


@pytest.mark.skipif(
    BASEDPYRIGHT is None and "CI" not in os.environ, reason="basedpyright is not installed"
)
def test_types_of_all_public_names_are_known() -> None:
    assert BASEDPYRIGHT is not None, "basedpyright is not installed"
    command = [BASEDPYRIGHT, "--verifytypes", "kalah", "--ignoreexternal", "--outputjson"]
    output = subprocess.run(command, capture_output=True, text=True, check=False)
    symbols = json.loads(output.stdout)["typeCompleteness"]["symbols"]
    exported = [symbol for symbol in symbols if symbol["isExported"]]
    assert len(exported) > 200
    unknown = [
        symbol["name"]
        for symbol in exported
        if not symbol["name"].startswith(ADAPTERS)
        and (not symbol["isTypeKnown"] or symbol["isTypeAmbiguous"])
    ]
    assert unknown == []
