"""Proofs whose jobs many processes and machines search.

`prove` hands the jobs of a proof to any `concurrent.futures.Executor`: a `ProcessPoolExecutor`,
that of a Dask cluster (`dask.distributed.Client.get_executor()`), or an
`mpi4py.futures.MPIPoolExecutor`. The proof is in a file, the store, which this process alone
writes. Every result is in it at once, so that a proof that ends in any way goes on from there.

>>> from concurrent.futures import ThreadPoolExecutor
>>> import os, tempfile
>>> import kalah.cluster
>>> with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as executor:
...     store = os.path.join(folder, "4x3.proof")
...     status = kalah.cluster.prove("4x3", "standard", store, executor, memory="16MiB")
>>> status.margin
6

`python -m kalah.cluster` is the same as a program.
"""

from kalah.cluster._executors import DaskExecutor, PoolExecutor
from kalah.cluster._proof import ClusterError, prove
from kalah.cluster._status import CurrentGoal, ProofStatus

__all__ = [
    "ClusterError",
    "CurrentGoal",
    "DaskExecutor",
    "PoolExecutor",
    "ProofStatus",
    "prove",
]
