"""The benchmark."""

import json
import random

import pytest

import kalah
from kalah import Side, bench
from kalah.bench import _rows


def test_the_rules_in_pure_python_agree_with_the_package() -> None:
    generator = random.Random(3)
    for _ in range(50):
        position = kalah.Position.start(6, 4, rules="standard")
        board = [4, 4, 4, 4, 4, 4, 0] * 2
        while not position.is_over:
            first = 0 if position.to_move is Side.SOUTH else 7
            move = generator.choice(position.legal_moves)
            assert move.house is not None
            bonus = bench._sow(board, 6, first, first + move.house - 1)
            after = position.play(move)
            if after.is_over:
                assert not any(board[:6]) or not any(board[7:13])
            else:
                assert bonus == (after.to_move is position.to_move)
                rows = [*after.row(Side.SOUTH), after.store(Side.SOUTH)]
                rows += [*after.row(Side.NORTH), after.store(Side.NORTH)]
                assert board == rows
            position = after


def test_a_tiny_run_prints_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    bench.main(["--json", "--scale", "0.001"])
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == len(_rows.ROWS)
    for row in rows:
        if row["skipped"] is None:
            assert row["ratio"] == pytest.approx(row["rate"] / row["other_rate"])
        else:
            assert row["rate"] is None
    assert all(row["skipped"] is None for row in rows[:4])


def test_the_help_has_a_description_without_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.main(["--help"])
    text = capsys.readouterr().out
    assert "Measures the package against other programs." in text
    assert ">>>" not in text


@pytest.mark.parametrize("scale", ["nan", "inf", "0", "-1", "x"])
def test_a_scale_that_is_no_amount_of_work_is_refused(
    scale: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        bench.main([f"--scale={scale}"])
    assert "argument --scale: " in capsys.readouterr().err


def test_skipped_rows_have_their_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(_: float) -> bench.Row:
        message = "no module named example"
        raise ImportError(message)

    monkeypatch.setattr(_rows, "ROWS", (("example", missing),))
    bench.main([])
    assert capsys.readouterr().out == "example: skipped, no module named example\n"
