"""Proofs, tournaments and books whose jobs are done by many processes and machines.

`prove` hands the jobs of a proof to any `concurrent.futures.Executor`: a `ProcessPoolExecutor`,
the `DaskExecutor` of a Dask cluster, or an `mpi4py.futures.MPIPoolExecutor`. The proof is in a
file, the store, which this process alone writes. Every result is in it at once, so that a proof
that ends in any way goes on from there.

>>> from concurrent.futures import ThreadPoolExecutor
>>> import os, tempfile
>>> import kalah.cluster
>>> with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as executor:
...     store = os.path.join(folder, "4x3.proof")
...     status = kalah.cluster.prove("4x3", "standard", store, executor, memory="16MiB")
>>> status.margin
6

`tournament` does the same with the pairs of games of a tournament of `kalah arena`, which are in a
folder.

>>> with tempfile.TemporaryDirectory() as parent, ThreadPoolExecutor(2) as executor:
...     folder = os.path.join(parent, "mine")
...     contestants = ["level:3", "first"]
...     status = kalah.cluster.tournament(contestants, folder, executor, start="4x3", rounds=5)
>>> status.games, status.standings[0].name
(10, 'level:3')

`build_book` does the same with the leaves of an opening book of `kalah book build`.

`python -m kalah.cluster` is the same as a program.
"""

from kalah.cluster._book import BookStatus, build_book
from kalah.cluster._executors import DaskExecutor, PoolExecutor
from kalah.cluster._jobs import ClusterError
from kalah.cluster._proof import prove
from kalah.cluster._status import CurrentGoal, ProofStatus
from kalah.cluster._tournament import tournament
from kalah.cluster._tournament_status import Sprt, SprtStatus, Standing, TournamentStatus

__all__ = [
    "BookStatus",
    "ClusterError",
    "CurrentGoal",
    "DaskExecutor",
    "PoolExecutor",
    "ProofStatus",
    "Sprt",
    "SprtStatus",
    "Standing",
    "TournamentStatus",
    "build_book",
    "prove",
    "tournament",
]
