"""One page: its questions and answers over a websocket; `protocol` says what is said."""

import asyncio
import contextlib
import json
import logging
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from armwise.errors import InputError
from armwise.lab import copies
from armwise.lab.parts import MESSAGE
from armwise.lab.saving import copies_file
from armwise.lab.tracing import slot_of, trace_of
from armwise.lab.wire import packed, written
from armwise.lab.words import words_of

if TYPE_CHECKING:
    from armwise.lab.rooms import Rooms

TOO_LONG, NO_OBJECT = 1009, 1003  # why a socket is closed
LATEST = 10.0  # seconds until a page that takes no answer has gone
SLOTS = 8  # lines of questions about traces
LATE = "The lab failed to answer; its terminal says why."

_log = logging.getLogger(__name__)


class Session:
    """One page. Of its questions about a trace the latest counts; many copies can be stopped."""

    def __init__(self, socket: WebSocket, rooms: "Rooms") -> None:
        self.socket, self.rooms = socket, rooms
        self._sending = asyncio.Lock()
        self._waiting: dict[str, dict[str, Any]] = {}
        self._lines: dict[str, asyncio.Task] = {}
        self._tasks: set[asyncio.Task] = set()
        self._stop: threading.Event | None = None
        self._tally: copies.Tally | None = None
        self._following: asyncio.Task | None = None
        self._fitting: asyncio.Task | None = None

    async def serve(self) -> None:
        """Answer until the page goes."""
        await self.socket.accept()
        try:
            while (asked := await self._next()) is not None:
                await self._answered(asked, self._act)
        except WebSocketDisconnect:
            pass
        finally:
            self._end_copies()
            for task in [*self._lines.values(), *self._tasks]:
                task.cancel()

    async def _next(self) -> dict[str, Any] | None:
        """The next question; None after closing the socket of a page that asks none."""
        message = await self.socket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        text = message.get("text")
        if len(text or message.get("bytes") or "") > MESSAGE:
            await self.socket.close(TOO_LONG)
            return None
        try:
            asked = json.loads(text) if text is not None else None
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            await self.socket.close(NO_OBJECT)
            return None
        return asked

    async def _answered(
        self, asked: dict[str, Any], act: Callable[[dict[str, Any]], Awaitable[None]]
    ) -> None:
        try:
            await act(asked)
        except InputError as problem:
            await self._tell({"id": asked.get("id"), "kind": "problem", "problem": str(problem)})
        except (WebSocketDisconnect, asyncio.CancelledError):
            raise
        except Exception:
            _log.exception("No answer to %s", asked.get("do"))
            await self._tell({"id": asked.get("id"), "kind": "problem", "problem": LATE})

    async def _act(self, asked: dict[str, Any]) -> None:
        do = asked.get("do")
        own = {
            "trace": self._trace_later,
            "words": self._words,
            "reveal": self._reveal_later,
            "fits": self._fit_later,
            "file": self._file,
            "copies": self._copies_later,
            "stop": self._stop_copies,
            "watch": self._follow,
            "results": self._follow,
            "curves": self._curves,
            "unwatch": self._unfollow,
        }
        if not isinstance(do, str):
            raise InputError("That is no request that the lab knows.")
        if do in own:
            await own[do](asked)
        elif do in self.rooms.runs.ACTS:
            await self._play(asked)
        else:
            raise InputError("That is no request that the lab knows.")

    # Traces

    async def _trace_later(self, asked: dict[str, Any]) -> None:
        slot = slot_of(asked)
        if slot not in self._lines and len(self._lines) >= SLOTS:
            raise InputError(f"A page has at most {SLOTS} slots.")
        self._waiting[slot] = asked
        if slot not in self._lines or self._lines[slot].done():
            self._lines[slot] = asyncio.create_task(self._traces(slot))

    async def _traces(self, slot: str) -> None:
        while slot in self._waiting:
            await self._answered(self._waiting.pop(slot), self._trace)

    async def _trace(self, asked: dict[str, Any]) -> None:
        workers = self.rooms.workers
        if workers.is_ready("trace", asked):
            told = await asyncio.to_thread(trace_of, workers.shelf, asked, "cpu")
            return await self._tell_bytes(told)
        await self._tell_bytes(await workers.interpreted(asked))
        self._later(self._say_when_ready(asked))

    async def _say_when_ready(self, asked: dict[str, Any]) -> None:
        with contextlib.suppress(InputError):  # what cannot be compiled stays interpreted
            await self.rooms.workers.compile("trace", asked)
            await self._tell({"id": asked.get("id"), "kind": "ready", "slot": slot_of(asked)})

    async def _words(self, asked: dict[str, Any]) -> None:
        await self._tell({"id": asked.get("id"), **words_of(self.rooms.workers.shelf, asked)})

    async def _file(self, asked: dict[str, Any]) -> None:
        """A netCDF file of a trace, or of the many copies that this page asked for last."""
        if asked.get("of") == "copies":
            if self._tally is None or not self._tally.done:
                raise InputError("There are no copies to save: run them, or wait for their end.")
            told = await asyncio.to_thread(copies_file, self._tally, asked.get("id"))
        else:
            told = await self.rooms.workers.file(asked)
        await self._tell_bytes(told)

    # Many copies

    async def _copies_later(self, asked: dict[str, Any]) -> None:
        self._end_copies()
        self._tally = None
        stop = self._stop = threading.Event()
        what = copies.read(self.rooms.workers.shelf, asked)
        self._later(self._answered(asked, lambda _: self._copies(what, asked, stop)))

    async def _copies(self, what: Any, asked: dict[str, Any], stop: threading.Event) -> None:
        workers, loop = self.rooms.workers, asyncio.get_running_loop()
        if not workers.is_ready("copies", asked):
            await self._tell({"id": asked.get("id"), "kind": "compiling"})
            await workers.compile("copies", asked)

        tally = copies.Tally(what)

        def report(told: bytes) -> None:
            if tally.done == what.copies:
                self._tally = tally  # which nobody changes any more
            asyncio.run_coroutine_threadsafe(self._tell_bytes(told), loop).result(LATEST)

        done = await asyncio.to_thread(copies.stream, tally, asked.get("id"), report, stop)
        if done < what.copies:
            self._tally = tally
            await self._tell({"id": asked.get("id"), "kind": "stopped", "done": done})

    async def _stop_copies(self, asked: dict[str, Any]) -> None:
        self._end_copies()

    def _end_copies(self) -> None:
        if self._stop is not None:
            self._stop.set()

    # People

    async def _play(self, asked: dict[str, Any]) -> None:
        told = await self.rooms.runs.answer(asked)
        if isinstance(told, bytes):
            await self._tell_bytes(told)
        else:
            await self._tell({"id": asked.get("id"), **told})

    async def _reveal_later(self, asked: dict[str, Any]) -> None:
        self._later(self._answered(asked, self._play))

    async def _fit_later(self, asked: dict[str, Any]) -> None:
        """Fit agents to a run, the last that this page asked for."""
        if self._fitting is not None:
            self._fitting.cancel()
        self._fitting = self._later(self._answered(asked, self._fit))

    async def _fit(self, asked: dict[str, Any]) -> None:
        async for told in self.rooms.runs.fits(asked):
            await self._tell({"id": asked.get("id"), **told})

    # A live player, a store

    async def _follow(self, asked: dict[str, Any]) -> None:
        await self._unfollow(asked)
        changes = self.rooms.changes(asked["do"])

        async def follow(_: Any) -> None:
            async for told in changes:
                await self._tell({"id": asked.get("id"), **told})

        self._following = self._later(self._answered(asked, follow))

    async def _curves(self, asked: dict[str, Any]) -> None:
        told = await asyncio.to_thread(self.rooms.curves, asked)
        await self._tell({"id": asked.get("id"), **told})

    async def _unfollow(self, asked: dict[str, Any]) -> None:
        if self._following is not None:
            self._following.cancel()
            self._following = None

    # The wire

    def _later(self, work: Any) -> asyncio.Task:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _tell(self, data: dict[str, Any]) -> None:
        """Send an answer: as text, or with its arrays."""
        if "arrays" in data:
            header = {name: value for name, value in data.items() if name != "arrays"}
            return await self._tell_bytes(packed(header, data["arrays"]))
        async with self._sending:
            await self.socket.send_text(written(data))

    async def _tell_bytes(self, told: bytes) -> None:
        async with self._sending:
            await self.socket.send_bytes(told)
