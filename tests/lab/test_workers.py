"""The processes beside the server: whatever happens to one, the lab goes on."""

import asyncio
import os

import pytest

import armwise as aw
from armwise.lab.wire import unpacked
from armwise.lab.workers import Workers

from .conftest import TRACE

OWN = """
import armwise as aw
class Uncompiled(aw.Policy):
    label = "uncompiled"
    def score(self, shared, arm, alpha, beta, rng):
        return sum([alpha, beta])
"""


def with_workers(test, files=()):
    async def run():
        workers = Workers(files)
        try:
            await test(workers)
        finally:
            workers.close()

    asyncio.run(run())


def test_a_process_that_dies_is_replaced():
    async def test(workers):
        with pytest.raises(aw.InputError, match="a process of the lab died"):
            await workers._slow.call(os._exit, 1)
        assert unpacked(await workers.interpreted(TRACE))[0]["kind"] == "trace"

    with_workers(test)


def test_what_cannot_be_compiled_is_interpreted_and_tried_once(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    asked = TRACE | {"agent": {"policy": {"name": "uncompiled"}}}

    async def test(workers):
        for _ in range(2):
            with pytest.raises(aw.InputError, match="cannot be compiled"):
                await workers.compile("trace", asked)
        assert not workers.is_ready("trace", asked)
        assert unpacked(await workers.interpreted(asked))[0]["engine"] == "interpreted"

    with_workers(test, [tmp_path / "mine.py"])
