"""Measures the package and prints ratios: `python -m kalah.bench`.

Each row compares two programs in one run, in seconds of the processor on one core; each is
measured several times, and the best time counts. `--json` prints the rows as JSON, and `--scale`
changes the amount of work. Rows of packages that are not installed are skipped with the reason.

>>> from kalah import bench
>>> bench.random_plies([4] * 6, [4] * 6, seed=1, plies=100)
100
"""

import argparse
import dataclasses
import importlib
import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

import kalah

__all__ = ["Row", "main", "measure", "random_plies"]

#: The rules of all rows, which are those of OpenSpiel's game.
RULES: Final = "standard"
HOUSES: Final = 6
SEEDS: Final = 4
GAMES: Final = 4096
ENV_PLIES: Final = 200
POSITION_PLIES: Final = 20_000
API_PLIES: Final = 5_000
#: The seeds of the table whose values are read: a layer of 13 MB.
TABLE_SEEDS: Final = 16
COPIES: Final = 40
ANALYSES: Final = 300
TINY_POSITION: Final = "<3,1,1,0,1,1,1,0,1> s"
REPEATS: Final = 5
MIB: Final = 1 << 20
#: The games of the rows of Gymnasium's vector environment.
VECTOR_GAMES: Final = 1024
VECTOR_STEPS: Final = 100
MAX_SCALE: Final = 1_000_000
DESCRIPTION: Final = (
    "Measures the package against other programs. Each row has the ratio of two rates of one run, "
    "in seconds of the processor on one core; each rate is the best of several measurements."
)


@dataclasses.dataclass(frozen=True)
class Row:
    """A comparison of two rates, or the reason why it was skipped.

    >>> from kalah.bench import Row
    >>> Row("plies", "plies/s", 200.0, "pure Python", 100.0).ratio
    2.0
    """

    name: str
    """The program measured."""
    unit: str
    """The unit of both rates."""
    rate: float | None = None
    """The rate of the program."""
    other: str = ""
    """The program that it is compared with."""
    other_rate: float | None = None
    """The rate of the other program."""
    skipped: str | None = None
    """The reason why the row was not measured."""

    @property
    def ratio(self) -> float | None:
        """The rate divided by that of the other program."""
        if self.rate is None or self.other_rate is None:
            return None
        return self.rate / self.other_rate


def measure(run: Callable[[], int], repeats: int = REPEATS) -> float:
    """Returns the best rate of several runs: the work that `run` returns, for each second.

    >>> from kalah.bench import measure
    >>> measure(lambda: sum(range(1000)) and 1000, repeats=2) > 0
    True
    """
    best = 0.0
    for _ in range(repeats):
        start = time.process_time()
        work = run()
        best = max(best, work / max(time.process_time() - start, 1e-9))
    return best


def random_plies(south: list[int], north: list[int], *, seed: int, plies: int) -> int:
    """Plays random games in pure Python and returns the number of plies made, at least `plies`.

    `south` and `north` are the rows at the start of each game. The rules are `standard`: a game is
    over when a row is empty, and a capture needs seeds in the opposite house.

    >>> from kalah.bench import random_plies
    >>> random_plies([4] * 6, [4] * 6, seed=1, plies=100)
    100
    """
    generator = random.Random(seed)
    houses = len(south)
    # Houses and store of South, then those of North, in sowing order.
    start = [*south, 0, *north, 0]
    board, first, made = start.copy(), 0, 0
    while made < plies:
        legal = [house for house in range(first, first + houses) if board[house]]
        has_bonus_turn = _sow(board, houses, first, generator.choice(legal))
        made += 1
        if not any(board[:houses]) or not any(board[houses + 1 : -1]):
            board, first = start.copy(), 0
        elif not has_bonus_turn:
            first = houses + 1 - first
    return made


def _sow(board: list[int], houses: int, first: int, house: int) -> bool:
    """Sows a house of the side whose row begins at `first`; returns whether it sows again."""
    pits = len(board)
    store = first + houses
    other_store = (store + houses + 1) % pits
    seeds, board[house] = board[house], 0
    pit = house
    while seeds:
        pit = (pit + 1) % pits
        if pit != other_store:
            board[pit] += 1
            seeds -= 1
    opposite = 2 * houses - pit
    if first <= pit < store and board[pit] == 1 and board[opposite]:
        board[store] += 1 + board[opposite]
        board[pit] = board[opposite] = 0
    return pit == store


def _vector_env(scale: float) -> Row:
    env = kalah.VectorEnv(GAMES, HOUSES, SEEDS, RULES, seed=1)
    observation = env.reset()
    mask, actions = env.legal_mask(), env.sample_actions()
    reward, done = np.zeros(GAMES, np.int32), np.zeros(GAMES, np.bool_)
    steps = max(1, round(ENV_PLIES * scale))

    def run() -> int:
        for _ in range(steps):
            env.sample_actions(actions=actions)
            env.step(actions, observation=observation, reward=reward, done=done)
            env.legal_mask(mask=mask)
        return steps * GAMES

    rate = measure(run)
    name = f"random plies of VectorEnv, {GAMES} games, with observation and mask"
    return Row(name, "plies/s", rate, "pure Python", _pure_python(scale))


def _pure_python(scale: float) -> float:
    plies = max(1, round(POSITION_PLIES * scale))
    row = [SEEDS] * HOUSES
    return measure(lambda: random_plies(row, row, seed=1, plies=plies))


def _positions(scale: float) -> Row:
    plies = max(1, round(POSITION_PLIES * scale))
    start = kalah.Position.start(HOUSES, SEEDS, RULES)

    def run() -> int:
        generator = random.Random(1)
        position = start
        for _ in range(plies):
            position = position.play(generator.choice(position.legal_moves))
            if position.is_over:
                position = start
        return plies

    name = "random plies of Position, one game"
    return Row(name, "plies/s", measure(run), "pure Python", _pure_python(scale))


def _table(scale: float) -> Row:
    seeds = TABLE_SEEDS if scale >= 1 else 8
    table = kalah.Table.build(HOUSES, seeds, RULES, threads=1)
    values = np.zeros_like(table.layer(seeds))
    plain = values.copy()
    copies = max(1, round(COPIES * scale))

    def read(source: Callable[[], Any]) -> Callable[[], int]:
        def run() -> int:
            for _ in range(copies):
                np.copyto(values, source())
            return copies * values.nbytes

        return run

    name = f"values of a table copied, {values.nbytes / MIB:.1f} MiB a layer"
    rate = measure(read(lambda: table.layer(seeds)))
    return Row(name, "bytes/s", rate, "NumPy array", measure(read(lambda: plain)))


def _analyses(scale: float) -> Row:
    engine = kalah.Engine(memory="16MiB")
    count = max(1, round(ANALYSES * scale))
    best_call, best_engine = float("inf"), float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        spent = sum(engine.analyse(TINY_POSITION).time for _ in range(count))
        best_call = min(best_call, (time.perf_counter() - start) / count)
        best_engine = min(best_engine, spent / count)
    name = "Engine.analyse of a tiny position, wall time"
    return Row(name, "calls/s", 1 / best_call, "Report.time", 1 / max(best_engine, 1e-9))


def _pettingzoo(scale: float) -> Row:
    module: Any = importlib.import_module("kalah.pettingzoo")
    env = module.env(rules=RULES)
    plies = max(1, round(API_PLIES * scale))

    def run() -> int:
        generator = random.Random(1)
        made = 0
        while made < plies:
            env.reset(seed=made)
            for _ in env.agent_iter():
                observation, _, terminated, truncated, info = env.last()
                action = None
                if not (terminated or truncated):
                    mask = (
                        info["action_mask"] if "action_mask" in info else observation["action_mask"]
                    )
                    action = generator.choice(np.flatnonzero(mask).tolist())
                    made += 1
                env.step(action)
        return plies

    return Row("random plies of PettingZoo", "plies/s", measure(run), *_python_again(scale))


def _python_again(scale: float) -> tuple[str, float]:
    return "pure Python", _pure_python(scale)


def _gymnasium(scale: float) -> Row:
    gymnasium: Any = importlib.import_module("gymnasium")
    importlib.import_module("kalah.gymnasium")
    env = gymnasium.make("kalah:Kalah-v0", opponent="random", rules=RULES)
    plies = max(1, round(API_PLIES * scale))

    def run() -> int:
        generator = random.Random(1)
        observation, info = env.reset(seed=1)
        for _ in range(plies):
            mask = info["action_mask"] if "action_mask" in info else observation["action_mask"]
            action = generator.choice(np.flatnonzero(mask).tolist())
            observation, _, terminated, truncated, info = env.step(action)
            if terminated or truncated:
                observation, info = env.reset()
        return plies

    return Row(
        "random steps of Gymnasium against random", "steps/s", measure(run), *_python_again(scale)
    )


def _gymnasium_vector(mode: str) -> Callable[[float], Row]:
    """Returns the function that measures `KalahVectorEnv` with a mode of automatic resets."""

    def measure_row(scale: float) -> Row:
        module: Any = importlib.import_module("kalah.gymnasium")
        envs = module.KalahVectorEnv(VECTOR_GAMES, rules=RULES, autoreset_mode=mode)
        steps = max(1, round(VECTOR_STEPS * scale))

        def run() -> int:
            generator = np.random.default_rng(1)
            _, info = envs.reset(seed=1)
            for _ in range(steps):
                mask = info["action_mask"]
                actions = np.argmax(mask * generator.random(mask.shape, np.float32), axis=1)
                _, _, _, _, info = envs.step(actions)
            return steps * VECTOR_GAMES

        name = f"random steps of KalahVectorEnv, {VECTOR_GAMES} games, {mode}, against random"
        return Row(name, "steps/s", measure(run), *_python_again(scale))

    return measure_row


def _open_spiel(scale: float) -> Row:
    pyspiel: Any = importlib.import_module("pyspiel")
    game = pyspiel.load_game("mancala")
    plies = max(1, round(API_PLIES * scale))

    def run() -> int:
        generator = random.Random(1)
        state = game.new_initial_state()
        for _ in range(plies):
            state.apply_action(generator.choice(state.legal_actions()))
            if state.is_terminal():
                state = game.new_initial_state()
        return plies

    return Row(
        "random plies of OpenSpiel's mancala", "plies/s", measure(run), *_python_again(scale)
    )


def _cart_pole(scale: float) -> Row:
    gymnasium: Any = importlib.import_module("gymnasium")
    games = 64
    cart_pole = gymnasium.make_vec("CartPole-v1", num_envs=games, vectorization_mode="sync")
    cart_pole.reset(seed=1)
    steps = max(1, round(API_PLIES * scale / games))
    actions = cart_pole.action_space.sample()

    def run() -> int:
        for _ in range(steps):
            cart_pole.step(actions)
        return steps * games

    rate = measure(run)
    env = kalah.VectorEnv(games, HOUSES, SEEDS, RULES, seed=1)
    env.reset()

    def run_kalah() -> int:
        for _ in range(steps):
            env.step(env.sample_actions())
            env.legal_mask()
        return steps * games

    name = f"random plies of VectorEnv, {games} games, with new arrays"
    return Row(name, "plies/s", measure(run_kalah), "vector CartPole of Gymnasium", rate)


#: The rows with their names while they are not measured.
ROWS: Final[tuple[tuple[str, Callable[[float], Row]], ...]] = (
    ("VectorEnv", _vector_env),
    ("Position", _positions),
    ("table", _table),
    ("Engine.analyse", _analyses),
    ("PettingZoo", _pettingzoo),
    ("Gymnasium", _gymnasium),
    ("KalahVectorEnv, NextStep", _gymnasium_vector("NextStep")),
    ("KalahVectorEnv, SameStep", _gymnasium_vector("SameStep")),
    ("OpenSpiel", _open_spiel),
    ("CartPole", _cart_pole),
)


def _rows(scale: float) -> list[Row]:
    rows = []
    for name, make in ROWS:
        try:
            rows.append(make(scale))
        except ImportError as error:
            rows.append(Row(name, "", skipped=str(error)))
    return rows


def _text(row: Row) -> str:
    if row.rate is None or row.other_rate is None or row.ratio is None:
        return f"{row.name}: skipped, {row.skipped}"
    return (
        f"{row.name}: {row.ratio:.2f} times {row.other} "
        f"({row.rate:,.0f} to {row.other_rate:,.0f} {row.unit})"
    )


def _scale(text: str) -> float:
    """Returns the value of `--scale`."""
    scale = float(text)
    if not 0 < scale <= MAX_SCALE:
        message = f"expected more than 0 and at most {MAX_SCALE}, not {text}"
        raise argparse.ArgumentTypeError(message)
    return scale


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line.

    >>> from kalah.bench import main
    >>> main(["--help"])
    Traceback (most recent call last):
        ...
    SystemExit: 0
    """
    parser = argparse.ArgumentParser(prog="python -m kalah.bench", description=DESCRIPTION)
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--scale", type=_scale, default=1.0, help="the amount of work [default: 1]")
    options = parser.parse_args(arguments)
    rows = _rows(options.scale)
    if options.json:
        documents = [dataclasses.asdict(row) | {"ratio": row.ratio} for row in rows]
        sys.stdout.write(json.dumps(documents) + "\n")
    else:
        sys.stdout.write("".join(_text(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
