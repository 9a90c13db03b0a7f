"""Proofs in jobs of Slurm, on one node whose daemons the test starts."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import kalah
from cluster.processes import HANG_SECONDS, RULES, START, jobs_in_store, wait_until
from optional import require

require("distributed")

#: The script that `docs/cluster.md` describes.
SCRIPT = Path(__file__).parents[3] / "docs/cluster.slurm"

#: The daemons: authentication, the controller and the node.
DAEMONS = ("munged", "slurmctld", "slurmd")

#: The settings of a cluster whose only node is this machine.
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES State=UP
"""


def _missing() -> str | None:
    """Returns why the daemons cannot run here."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])
    missing = [name for name in (*DAEMONS, "sbatch") if shutil.which(name, path=path) is None]
    if missing:
        return f"{', '.join(missing)} not found"
    if os.geteuid() != 0:
        return "the daemons of Slurm need root"
    return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Runs Slurm, and returns the folder of its jobs."""
    reason = _missing()
    if reason is not None:
        if "CI" in os.environ:
            pytest.fail(reason)
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("slurm")
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o600)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as other,
    ):
        ports = [server.getsockname()[1] for server in (one, other)]
    configuration = folder / "slurm.conf"
    configuration.write_text(
        CONFIGURATION.format(
            host=socket.gethostname().partition(".")[0],
            controller_port=ports[0],
            node_port=ports[1],
            folder=folder,
            cpus=max(2, os.cpu_count() or 1),
        )
    )
    bin_folder = str(Path(sys.executable).parent)
    path = os.pathsep.join([bin_folder, os.environ["PATH"], "/usr/sbin"])
    environment = os.environ | {"PATH": path, "SLURM_CONF": str(configuration)}
    files = ("key-file", "socket", "pid-file", "log-file", "seed-file")
    munge = ["munged", "--foreground", "--force"]
    munge += [f"--{name}={folder}/munge.{name.partition('-')[0]}" for name in files]
    with (folder / "log").open("w") as log:
        daemons = [
            subprocess.Popen(command, env=environment, stdout=log, stderr=log)
            for command in (munge, ["slurmctld", "-D"], ["slurmd", "-D", "-c"])
        ]
    previous = {name: os.environ.get(name) for name in ("PATH", "SLURM_CONF")}
    os.environ.update(environment)
    try:
        wait_until(lambda: "idle" in _output("sinfo", "--noheader", "--format=%T"))
        yield folder
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            daemon.wait(HANG_SECONDS)
        for name, value in previous.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _output(*command: str) -> str:
    """Returns the output of a command, which may fail."""
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=HANG_SECONDS, check=False
    )
    return result.stdout


def _submit(folder: Path, *arguments: str) -> str:
    """Submits the script, and returns the number of the job."""
    options = ["--parsable", "--ntasks=2", "--output=%j.out", f"--chdir={folder}"]
    return _output("sbatch", *options, str(SCRIPT), *arguments).strip()


def _wait_for(job: str, folder: Path) -> str:
    """Waits for the end of a job, and returns its output."""
    wait_until(lambda: not _output("squeue", "--noheader", f"--jobs={job}").strip())
    return (folder / f"{job}.out").read_text()


def test_job_of_slurm_proves_a_margin(folder: Path) -> None:
    arguments = ["prove", START, "--rules", RULES, "--store", "slurm.proof", "--memory", "16MiB"]
    output = _wait_for(_submit(folder, *arguments), folder)
    margin = kalah.solve(START, RULES).margin
    assert output.startswith(f"South to move: {margin:+} exact\n"), output
    assert not list(folder.glob("kalah-cluster-*"))


def test_job_of_slurm_plays_a_tournament(folder: Path) -> None:
    arguments = ["tournament", "--engine", "smart", "--engine", "random", "--rounds", "3"]
    arguments += ["--board", START, "--time", "nodes=100", "--out", "slurm"]
    output = _wait_for(_submit(folder, *arguments), folder)
    games = (folder / "slurm" / "games.jsonl").read_text().splitlines()
    assert len(games) == 6, output
    assert not list(folder.glob("kalah-cluster-*"))


def test_job_that_slurm_ends_goes_on_from_its_store(folder: Path) -> None:
    store = folder / "ended.proof"
    arguments = ["prove", "6x6", "--rules", RULES, "--store", store.name]
    arguments += ["--memory", "16MiB", "--job-nodes", "1000"]
    for run in (1, 2):
        before = jobs_in_store(store)
        job = _submit(folder, *arguments)
        wait_until(lambda before=before: jobs_in_store(store) > before)  # type: ignore[misc]
        # This is the signal that the script gets before the end of its time.
        _output("scancel", "--batch", "--signal=TERM", job)
        output = _wait_for(job, folder)
        assert "interrupted: 'ended.proof' has all results so far" in output, (run, output)
        assert not list(folder.glob("kalah-cluster-*"))
