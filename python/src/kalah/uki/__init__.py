"""The engine protocol: programs that play Kalah, from both ends.

`Engine` runs a program that speaks the engine protocol and asks it for moves and analyses, and
`serve` makes a function such a program. `docs/engine-protocol.md` of the project describes the
protocol. This is an engine:

    import kalah.uki

    def choose(position, limits):
        def store(move):
            return position.play(move).store(position.to_move)
        return max(position.legal_moves, key=store)

    kalah.uki.serve(choose, name="Greedy")
"""

from kalah.uki._engine import (
    Engine,
    EngineError,
    EngineExitError,
    EngineTimeoutError,
    Info,
    PlayResult,
    ProtocolError,
)
from kalah.uki._messages import (
    Button,
    Check,
    Clocks,
    Combo,
    Option,
    OptionValue,
    Spin,
    String,
)
from kalah.uki._server import Limits, serve

__all__ = [
    "Button",
    "Check",
    "Clocks",
    "Combo",
    "Engine",
    "EngineError",
    "EngineExitError",
    "EngineTimeoutError",
    "Info",
    "Limits",
    "Option",
    "OptionValue",
    "PlayResult",
    "ProtocolError",
    "Spin",
    "String",
    "serve",
]
