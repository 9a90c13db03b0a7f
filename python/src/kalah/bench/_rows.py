"""The programs that the benchmark compares."""

import importlib
import random
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

import kalah
from kalah.bench import REPEATS, Row, measure, random_plies

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
MIB: Final = 1 << 20
#: The games of the rows of Gymnasium's vector environment.
VECTOR_GAMES: Final = 1024
VECTOR_STEPS: Final = 100


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


def measured_rows(scale: float) -> list[Row]:
    rows = []
    for name, make in ROWS:
        try:
            rows.append(make(scale))
        except ImportError as error:
            rows.append(Row(name, "", skipped=str(error)))
    return rows
