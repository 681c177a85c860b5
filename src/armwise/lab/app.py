"""The application: addresses, the guard before them, and the life of the workers."""

import contextlib
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from armwise.errors import InputError
from armwise.lab.guard import Guard
from armwise.lab.rooms import Given, Rooms
from armwise.lab.session import Session
from armwise.lab.wire import written

STATIC = Path(__file__).parent / "static"


def app(given: Given, hosts: Iterable[str] = (), token: str | None = None) -> Guard:
    """The lab as an ASGI application."""
    rooms = Rooms(given)
    facts = written(rooms.facts())

    async def catalogue(_: Request) -> Response:
        return Response(facts, media_type="application/json")

    async def played(request: Request) -> Response:
        try:
            text = rooms.runs.csv(request.path_params["run"])
        except InputError as problem:
            return PlainTextResponse(str(problem), 404)
        name = 'attachment; filename="choices.csv"'
        return Response(text, media_type="text/csv", headers={"content-disposition": name})

    async def talk(socket: WebSocket) -> None:
        await Session(socket, rooms).serve()

    @contextlib.asynccontextmanager
    async def life(_: Any) -> AsyncIterator[None]:
        rooms.workers.warm_up()
        yield
        rooms.workers.close()

    routes = [
        Route("/api/catalogue", catalogue),
        Route("/api/played/{run}.csv", played),
        WebSocketRoute("/talk", talk),
        Mount("/", StaticFiles(directory=STATIC, html=True, check_dir=False)),
    ]
    return Guard(Starlette(routes=routes, lifespan=life), hosts, token)
