"""Cells on a Dask cluster: workers compute and return data, this process writes."""

import contextlib
import logging
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any

from armwise.engine.threads import available_threads
from armwise.errors import InputError, whole_number
from armwise.sweeps.cell import Cell, code_of

if TYPE_CHECKING:
    import xarray

AHEAD = 2  # cells sent per thread of the cluster, so that none waits for the next
PATIENCE = 60.0  # seconds to wait for a scheduler and the first worker


def on_cluster(
    cells: list[Cell],
    tracker: Any,
    write: Callable[[Cell, "xarray.Dataset"], None],
    address: str,
    workers: int | None,
    device: str,
) -> None:
    """Compute cells on a cluster, one per thread of its workers, and write each as it comes."""
    from distributed import as_completed

    with _client(address, workers) as client:
        tracker.workers = max(1, sum(client.nthreads().values()))
        waiting = iter(cells)
        sent: dict[str, Cell] = {}

        def send() -> Any:
            cell = next(waiting, None)
            if cell is None:
                return None
            future = client.submit(_compute, _packed(cell), device, key=f"armwise-{cell.name}")
            sent[future.key] = cell
            return future

        first = [send() for _ in range(min(len(cells), AHEAD * tracker.workers))]
        results = as_completed(first, loop=client.loop)
        for future in results:
            cell = sent.pop(future.key)
            result = _result(future, cell)
            future.release()
            following = send()
            if following is not None:
                results.add(following)
            tracker.advance(cell, cell.work)
            write(cell, result)


def _compute(packed: bytes, device: str) -> tuple[Any, str]:
    """On a worker: the result, and the version of the algorithms that made it."""
    cell = pickle.loads(packed)
    result = cell.run(threads=1, device=device)
    return result, code_of(cell.bandit, cell.agent)


def _result(future: Any, cell: Cell) -> "xarray.Dataset":
    from distributed import KilledWorker

    try:
        result, code = future.result()
    except (CancelledError, OSError) as problem:
        raise InputError(f"The Dask cluster went away ({problem}).") from None
    except KilledWorker:
        raise InputError(
            f"Workers died again and again while they computed {cell.agent} in {cell.bandit}: they "
            "may have too little memory."
        ) from None
    if _own(cell) and code != code_of(cell.bandit, cell.agent):
        raise InputError(
            "The workers have another version of armwise than this process: install the same."
        )
    return result


def _own(cell: Cell) -> bool:
    """Whether all components are armwise's own; the code of others may lack a source elsewhere."""
    return not _foreign_modules(cell)


def _foreign_modules(cell: Cell) -> list[str]:
    modules = [kind.__module__ for kind in cell.kind]
    return [module for module in modules if not module.startswith("armwise.")]


def _packed(cell: Cell) -> bytes:
    """A cell for another machine; components from a user's file travel with their code."""
    import cloudpickle

    for module in _foreign_modules(cell):
        cloudpickle.register_pickle_by_value(sys.modules[module])
    return cloudpickle.dumps(cell)


@contextlib.contextmanager
def _client(address: str, workers: int | None) -> Iterator[Any]:
    import distributed

    if address == "local":
        with _local(distributed, workers) as client:
            yield client
        return
    is_file = os.path.exists(address)
    if not is_file and address.endswith(".json"):
        raise InputError(f"There is no scheduler file {address}.")
    scheduler = {"scheduler_file" if is_file else "address": address}
    try:
        client = distributed.Client(**scheduler, timeout=PATIENCE, set_as_default=False)
        client.wait_for_workers(1, timeout=PATIENCE)
    except (OSError, ValueError, TimeoutError) as problem:
        raise InputError(f"No Dask cluster answered at {address}: {problem}.") from None
    with client:
        yield client


@contextlib.contextmanager
def _local(distributed: Any, workers: int | None) -> Iterator[Any]:
    """Worker processes of this machine."""
    count = whole_number("threads", workers or available_threads(), 1, 4096)
    options: dict[str, Any] = {"dashboard_address": None, "silence_logs": logging.CRITICAL}
    try:
        made = distributed.LocalCluster(n_workers=count, threads_per_worker=1, **options)
    except (RuntimeError, OSError) as problem:  # a worker was killed before it was there
        raise InputError(
            f"The local Dask workers did not start ({problem}): they may have too little memory."
        ) from None
    with made as cluster, distributed.Client(cluster, set_as_default=False) as client:
        try:
            yield client
        except BaseException:
            # Dask would wait for the cells under way; nobody wants them any more.
            for nanny in cluster.workers.values():
                nanny.auto_restart = False
                if nanny.pid is not None:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(nanny.pid, signal.SIGKILL)
            raise
