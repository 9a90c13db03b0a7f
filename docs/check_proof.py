"""Checks a certificate of `kalah prove export`, and accepts those that `kalah prove check` accepts.
A position has the mover's row and the other one in sowing order, and at ply 1 or 2, if the rules
treat it apart, both stores and the ply, or zeros."""
import collections, re, sys, zlib
from typing import Dict, Iterator, List, MutableMapping, Set, Tuple

Position = Tuple[Tuple[int, ...], Tuple[int, ...], Tuple[int, int], int]
Table = MutableMapping[Position, Tuple[int, int]]  # a margin that is reached, and one that is not
RULES: Dict[str, str] = {}
FORMAT = "ends=(row|stuck),capture=(opposite|always),swap=(yes|no),first-bonus=(yes|no)"
GOAL, GZIP_FORMAT = r"(moves|search) (yes|no) (\S+) (.+)", 31  # for zlib: with the largest window
MAX_HOUSES, MAX_SEEDS, MAX_MARGIN, MAX_LINE = 26, 65_535, 2 * 65_535 + 2, 1_023

def require(holds: object, problem: str) -> None:
    if not holds:
        raise ValueError(problem)

def read_lines(path: str) -> List[str]:
    with open(path, "rb") as file:
        data = file.read()
    text = b"" if data.startswith(b"\x1f\x8b") else data
    while data and text is not data:
        member = zlib.decompressobj(GZIP_FORMAT)
        text += member.decompress(data)
        require(member.eof, "the compressed data are cut off")
        data = member.unused_data
    require(text[:2] not in (b"\xff\xfe", b"\xfe\xff"), "the file is UTF-16, expected UTF-8")
    *lines, rest = text.decode("utf-8-sig").split("\n")
    require(not rest and all(len(line) <= MAX_LINE for line in lines), "a line is not complete")
    return lines

def number(text: str, least: int, most: int) -> int:
    require(str(int(text)) == text and least <= int(text) <= most, f"wrong number: {text}")
    return int(text)

def has_first_plies(ply: int) -> bool:
    """Returns whether the rules treat a ply apart from later ones."""
    return ply > 0 and RULES["swap"] == "yes" or ply == 1 and RULES["first-bonus"] == "no"

def normal(own: List[int], other: List[int], stores: List[int], ply: int) -> Tuple[Position, int]:
    """Returns a position, and the lead in the stores that it leaves out."""
    lead = 0 if ply else stores[0] - stores[1]
    return (tuple(own), tuple(other), (stores[0], stores[1]) if ply else (0, 0), ply), lead

def parse(text: str) -> Tuple[Position, int]:
    match = re.fullmatch("<([0-9,]+)> ([sn])(?: ply=([12]))?", text)
    numbers, side, digit = match.groups() if match else ("0", "s", None)
    houses, *pits = [number(word, 0, MAX_SEEDS) for word in numbers.split(",")]
    ply, turn = int(digit or 0), -1 if side == "n" else 1
    is_board = 1 <= houses <= MAX_HOUSES and len(pits) == 2 * houses + 2
    is_playable = is_board and sum(pits) <= MAX_SEEDS and (not ply or has_first_plies(ply))
    require(is_playable, f"wrong position: {text}")
    own, other = [pits[2 : houses + 2], pits[houses + 2 :]][::turn]
    return normal(own, other, pits[:2][::turn], ply)

def moves(position: Position) -> Iterator[Tuple[str, Position, int, bool]]:
    """Yields each move, the position after it with its lead, and if the mover moves again."""
    own, other, stores, ply = position
    houses = 0 if is_over(position) else len(own)
    for house in [house for house in range(houses) if own[house]]:
        pits, place = [*own, 0, *other], (house + own[house]) % (2 * houses + 1)
        pits[house] = 0
        for step in range(own[house]):
            pits[(house + 1 + step) % len(pits)] += 1
        if place < houses and pits[place] == 1 and (pits[~place] or RULES["capture"] == "always"):
            pits[houses] += 1 + pits[~place]
            pits[place] = pits[~place] = 0
        row, opposite, store = pits[:houses], pits[houses + 1 :], stores[0] + pits[houses]
        if place == houses and (ply != 1 or RULES["first-bonus"] == "yes"):
            yield (chr(65 + house), *normal(row, opposite, [store, stores[1]], 0), True)
        else:
            next_ply = 2 if ply == 1 and has_first_plies(2) else 0
            yield (chr(65 + house), *normal(opposite, row, [stores[1], store], next_ply), False)
    if ply == 2 and houses:
        yield ("swap", *normal([*own], [*other], [*stores], 0), False)

def is_over(position: Position) -> bool:
    own, other = position[:2]
    return not any(own) or RULES["ends"] == "row" and not any(other)

def bounds(position: Position, table: Table) -> Tuple[int, int]:
    """Returns what the rules and the table say. The margins of a position differ by 2."""
    own, other, stores, _ = position
    margin, seeds = stores[0] + sum(own) - stores[1] - sum(other), sum(own + other + stores)
    return (margin, margin + 2) if is_over(position) else table.get(position, (-seeds, seeds + 2))

def reaches(position: Position, target: int, table: Table, searches: bool) -> bool:
    """Returns whether the mover reaches a margin, from the table or by a search of the rest."""
    yes, no = bounds(position, table)
    rest, reached = [], target <= yes
    if yes < target < no:
        for _, child, lead, again in moves(position):
            # The other player has to miss the next margin above the negative of the target.
            goal = (target if again else 2 - target) - lead
            yes_after, no_after = bounds(child, table)
            reached = reached or (goal <= yes_after if again else goal >= no_after)
            if yes_after < goal < no_after:
                rest.append((not again, sum(child[0] + child[1]), child, goal))
        require(searches or reached or not rest, f"unproven moves: {position}, {target}")
        if searches:
            answers = (reaches(*goal, table, True) != other for other, _, *goal in sorted(rest))
            reached = reached or any(answers)
            table[position] = (target, no) if reached else (yes, target)
    return reached

def check_goals(lines: List[str], houses: int) -> Table:
    """Returns the margins that the goals prove, each by the ones before it or by a search."""
    table: Table = {}
    found: Table = collections.ChainMap({}, table)  # with the results of searches
    checked: Set[Tuple[Position, int]] = set()
    for line in lines:
        match = re.fullmatch(GOAL, line)
        evidence, answer, word, text = match.groups() if match else ("", "", "0", "")
        target, (position, _) = number(word, -MAX_MARGIN, MAX_MARGIN), parse(text)
        own, other, stores, ply = position
        pits = ",".join(map(str, (len(own), *stores, *own, *other)))
        is_normal = text == f"<{pits}> s" + (f" ply={ply}" if ply else "") and len(own) == houses
        has_parity = (target - sum(own + other + stores)) % 2 == 0
        is_swept = not ((any(own + other) or ply) and is_over(position))
        is_new = (position, target) not in checked
        checked.add((position, target))
        searches = evidence == "search"
        reached = reaches(position, target, found if searches else table, searches)
        is_valid = is_normal and has_parity and is_swept and is_new
        require(is_valid and reached == (answer == "yes"), f"wrong goal: {line}")
        yes, no = bounds(position, table)
        table[position] = (max(yes, target), no) if reached else (yes, min(no, target))
    return table

def check(lines: List[str]) -> None:
    start = lines.index("goals") if "goals" in lines else 0
    is_whole = lines[:1] == ["kalah-certificate 1"] and lines[-1] == f"end {len(lines) - start - 2}"
    require(is_whole and start > 3, "no certificate of version 1, or not all of it")
    kinds, _, texts = zip(*[line.partition(" ") for line in lines[1:start]])
    require(kinds[:3] == ("position", "rules", "margin") and {*kinds[3:]} <= {"move"}, "no margins")
    require(re.fullmatch(FORMAT, texts[1]), f"unknown rules: {texts[1]}")
    RULES.update(field.split("=") for field in texts[1].split(","))
    root, root_lead = parse(texts[0])
    table = check_goals(lines[start + 1 : -1], len(root[0]))
    after = {"margin": (root, 0, True), **{name: rest for name, *rest in moves(root)}}
    names = ["margin", *(text.split(" ")[0] for text in texts[3:])]
    require(len(names) == 1 or sorted(names) == sorted(after), "not one line for each move")
    print("position", texts[0], "rules", texts[1])
    if root[3] == 0 and has_first_plies(1) and not is_over(root):
        print("after the opening: the position has neither ply=1 nor ply=2")
    for name, text in zip(names, ["margin " + texts[2], *texts[3:]]):
        position, lead, again = after[name]
        yes, no = [margin + lead for margin in bounds(position, table)]
        least, most = (yes, no - 2) if again else (2 - no, -yes)
        least, most = least + root_lead, most + root_lead
        low, high = [number(word, -MAX_MARGIN, MAX_MARGIN) for word in text.split(" ")[1:]]
        require(low <= least == most <= high, f"the goals do not prove: {name} {low} {high}")
        print("verified:", name, least, most)

if len(sys.argv) != 2:
    sys.exit("usage: check_proof.py CERTIFICATE")
try:
    check(read_lines(sys.argv[1]))
except (LookupError, OSError, RecursionError, ValueError, zlib.error) as error:
    sys.exit(f"error: cannot check '{sys.argv[1]}': {getattr(error, 'strerror', 0) or error}")
