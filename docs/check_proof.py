"""Checks a certificate of `kalah prove export`. A position has the mover's row and the other one in
sowing order, and at ply 1 or 2, if the rules treat it apart, both stores and the ply, or zeros."""
import gzip, re, sys, zlib
from typing import Dict, Iterator, List, Tuple

Position = Tuple[Tuple[int, ...], Tuple[int, ...], Tuple[int, int], int]
Table = Dict[Position, Tuple[int, int]]  # a margin that is reached, and a higher one that is not
RULES: Dict[str, str] = {}
FORMAT = "ends=(row|stuck),capture=(opposite|always),swap=(yes|no),first-bonus=(yes|no)"

def normal(own: List[int], other: List[int], stores: List[int], ply: int) -> Tuple[Position, int]:
    """Returns a position, and the lead in the stores that it leaves out."""
    lead = 0 if ply else stores[0] - stores[1]
    return (tuple(own), tuple(other), (stores[0], stores[1]) if ply else (0, 0), ply), lead

def parse(text: str) -> Tuple[Position, int]:
    numbers, side, *ply = text.lstrip("<").replace(">", "").split(" ")
    houses, *pits = map(int, numbers.split(","))
    turn = -1 if side == "n" else 1
    own, other = [pits[2 : houses + 2], pits[houses + 2 :]][::turn]
    return normal(own, other, pits[:2][::turn], int(ply[0][-1]) if ply else 0)

def moves(position: Position) -> Iterator[Tuple[str, Position, int, bool]]:
    """Yields each move, the position after it with its lead, and if the mover moves again."""
    own, other, stores, ply = position
    houses = len(own)
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
            next_ply = 2 if ply == 1 and RULES["swap"] == "yes" else 0
            yield (chr(65 + house), *normal(opposite, row, [stores[1], store], next_ply), False)
    if ply == 2 and RULES["swap"] == "yes":
        yield ("swap", *normal([*own], [*other], [*stores], 0), False)

def bounds(position: Position, table: Table) -> Tuple[int, int]:
    """Returns what the rules and the table say. The margins of a position differ by 2."""
    own, other, stores, _ = position
    margin, seeds = stores[0] + sum(own) - stores[1] - sum(other), sum(own + other + stores)
    is_over = not any(own) or RULES["ends"] == "row" and not any(other)
    return (margin, margin + 2) if is_over else table.get(position, (-seeds, seeds + 2))

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
        if rest and not reached and not searches:
            sys.exit(f"error: unproven moves: {position}, {target}")
        reached = reached or any(reaches(*goal, table, True) != no for no, _, *goal in sorted(rest))
        table[position] = (target, no) if reached else (yes, target)
    return reached

def check(lines: List[str], table: Table) -> None:
    start = lines.index("goals")
    is_complete = lines[-1] == f"end {len(lines) - start - 2}" and lines[3].startswith("margin ")
    if lines[0] != "kalah-certificate 1" or not is_complete:
        sys.exit("error: no certificate of version 1, or not all of it")
    (_, *start_text), (_, rules), *claims = map(str.split, lines[1:start])
    if not re.fullmatch(FORMAT, rules):
        sys.exit(f"error: unknown rules: {rules}")
    root, root_lead = parse(" ".join(start_text))
    RULES.update(field.split("=") for field in rules.split(","))
    for line in lines[start + 1 : -1]:
        evidence, answer, target, *text = line.split()
        position, is_odd = parse(" ".join(text))[0], int(target) % 2
        reached = reaches(position, int(target), table, evidence == "search")
        if reached != (answer == "yes") or sum(map(sum, position[:3])) % 2 != is_odd:
            sys.exit(f"error: wrong goal: {line}")
    after = {name: result for name, *result in [("margin", root, 0, True), *moves(root)]}
    print("position", *start_text, "rules", rules)
    for *_, name, low, high in claims:
        position, lead, again = after[name]
        yes, no = [margin + lead for margin in bounds(position, table)]
        least, most = (yes, no - 2) if again else (2 - no, -yes)
        if least + root_lead < int(low) or most + root_lead > int(high):
            sys.exit(f"error: the goals do not prove: {name} {low} {high}")
        print("verified:", name, low, high)

if len(sys.argv) != 2:
    sys.exit("usage: check_proof.py CERTIFICATE")
try:
    check(gzip.open(sys.argv[1], "rt", encoding="ascii", newline="").read().split("\n")[:-1], {})
except (EOFError, LookupError, OSError, ValueError, zlib.error) as error:
    sys.exit(f"error: cannot check '{sys.argv[1]}': {error!r}")
