"""The board as SVG."""

from xml.etree import ElementTree as ET

import pytest

import kalah
from kalah import Move, Side
from kalah._display.svg import MAX_DRAWN_SEEDS, board_svg

NAMESPACE = "{http://www.w3.org/2000/svg}"

POSITIONS = [
    kalah.Position.start(1, 5),
    kalah.Position.start(6, 4, rules="mankalah").play("A"),
    kalah.Position.start(26, 1200).play("C"),
    kalah.Position("<6,12,10,0,1,2,3,4,5,12,14,7,8,9,10> s"),
    kalah.Position("<3,30,18,0,0,0,0,0,0> n"),
    kalah.Position("<3,24,24,0,0,0,0,0,0> n"),
]


def parts(svg: str, tag: str, css_class: str) -> list[ET.Element]:
    """Returns the elements with a tag and a class."""
    found = ET.fromstring(svg).iter(NAMESPACE + tag)
    return [part for part in found if css_class in part.get("class", "").split()]


def texts(svg: str) -> list[str]:
    """Returns the texts of a picture, in the order of their columns."""
    elements = ET.fromstring(svg).iter(NAMESPACE + "text")
    ordered = sorted(elements, key=lambda part: float(part.get("x", "0")))
    return [part.text or "" for part in ordered]


@pytest.mark.parametrize("position", POSITIONS, ids=str)
def test_picture_has_every_letter_count_and_seed(position: kalah.Position) -> None:
    svg = board_svg(position)
    houses = position.houses
    counts = [seeds for side in Side for seeds in position.row(side)]
    circles = parts(svg, "circle", "pit")
    assert len(circles) == 2 * houses
    drawn = sum(seeds for seeds in counts if seeds <= MAX_DRAWN_SEEDS)
    assert len(parts(svg, "circle", "seed")) == drawn
    shown = texts(svg)
    letters = [chr(ord(first) + index) for first in "Aa" for index in range(houses)]
    stores = [position.store(side) for side in Side]
    expected = [*letters, *map(str, counts), *map(str, stores), "South", "North"]
    captions = [text for text in shown if "to move" in text or "game over" in text]
    assert sorted(shown) == sorted([*expected, *captions])
    assert len(captions) == 1


def test_rows_run_against_each_other_and_stores_are_at_their_ends() -> None:
    svg = board_svg(POSITIONS[3])
    letters = [text for text in texts(svg) if len(text) == 1 and text.isalpha()]
    assert [letter for letter in letters if letter.isupper()] == list("ABCDEF")
    assert [letter for letter in letters if letter.islower()] == list("fedcba")
    assert texts(svg)[0] == "North"
    assert "South" in texts(svg)[-2:]


def test_only_the_row_of_the_side_to_move_is_marked() -> None:
    for position, expected in zip(POSITIONS, [1, 6, 26, 6, 0, 0], strict=True):
        svg = board_svg(position)
        assert len(parts(svg, "circle", "to-move")) == expected
        marked = [part.text or "" for part in parts(svg, "text", "to-move")]
        is_north = position.to_move is Side.NORTH
        assert all(letter.islower() == is_north for letter in marked)


CAPTIONS = [
    "South to move",
    "North to move",
    "North to move",
    "South to move",
    "game over, South wins by 12",
    "game over, a tie",
]


@pytest.mark.parametrize(
    ("position", "caption"), list(zip(POSITIONS, CAPTIONS, strict=True)), ids=str
)
def test_caption_and_title_have_the_state(position: kalah.Position, caption: str) -> None:
    svg = board_svg(position)
    assert caption in texts(svg)
    title = ET.fromstring(svg).findtext(NAMESPACE + "title")
    assert title is not None
    assert title.endswith(caption)
    assert f"store {position.store(Side.SOUTH)}" in title
    assert ET.fromstring(svg).get("aria-label") == title


def test_values_are_written_at_their_houses_and_escaped() -> None:
    position = POSITIONS[1]
    values = {Move("a"): "+4", Move("f"): "<&>", Move("swap"): "-2"}
    svg = board_svg(position, values)
    by_letter = {part.text: part.get("x") for part in parts(svg, "text", "letter")}
    by_value = {part.text: part.get("x") for part in parts(svg, "text", "value")}
    assert by_value == {"+4": by_letter["a"], "<&>": by_letter["f"]}
    assert "North to move, swap -2" in texts(svg)


def test_parts_stay_within_the_picture() -> None:
    for position in POSITIONS:
        values = dict.fromkeys(position.legal_moves, "+10")
        for svg in (board_svg(position), board_svg(position, values)):
            root = ET.fromstring(svg)
            width, height = float(root.get("width", 0)), float(root.get("height", 0))
            assert root.get("viewBox") == f"0 0 {width:g} {height:g}"
            for circle in root.iter(NAMESPACE + "circle"):
                x, y, radius = (float(circle.get(key, "nan")) for key in ("cx", "cy", "r"))
                assert radius <= x <= width - radius
                assert radius <= y <= height - radius
            for text in root.iter(NAMESPACE + "text"):
                assert 10 <= float(text.get("y", "nan")) <= height - 3


def test_notebooks_show_the_picture() -> None:
    for position in POSITIONS:
        assert position._repr_svg_() == board_svg(position)
