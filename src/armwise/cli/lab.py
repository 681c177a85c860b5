"""`armwise lab`: a page on this machine, to see agents think and to play against them."""

import contextlib
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from armwise.errors import InputError, require, whole_number

PORT = 8642
EVERYWHERE = ("0.0.0.0", "::")


def lab(
    files: Annotated[
        list[Path] | None,
        Argument(help="Files of your own components (.py), or a task for participants (.toml)."),
    ] = None,
    port: Annotated[int, Option(help="The port; the next free one if it is taken.")] = PORT,
    host: Annotated[
        str, Option(help="The address to listen at. Any other than 127.0.0.1 needs a token.")
    ] = "127.0.0.1",
    allowed_host: Annotated[
        list[str] | None, Option(help="A further name by which pages may call this lab. Repeat.")
    ] = None,
    browser: Annotated[
        bool, Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    data: Annotated[
        Path | None, Option(help="A folder for what people choose; without it nothing is written.")
    ] = None,
    watch: Annotated[Path | None, Option(help="The file of a shared player, to look at.")] = None,
    store: Annotated[Path | None, Option(help="A store of results, to look at.")] = None,
) -> None:
    """Open a page in which agents can be seen to think, compared, and played against.

    The page talks to this machine alone, and works offline. Ctrl-C ends the lab.

    Example:

    `armwise lab`, `armwise lab mine.py`, `armwise lab task.toml --data data`
    """
    require("starlette", "uvicorn", "websockets", "markdown_it", "pydantic")
    from armwise.lab.app import app
    from armwise.lab.guard import LOOPBACK
    from armwise.lab.rooms import sorted_files

    given = sorted_files(files or [])._replace(data=data, watch=watch, store=store)
    if given.task is not None and data is None:
        raise InputError("A task needs a folder for what people choose: --data FOLDER.")
    whole_number("port", port, 0, 1 << 16)
    if host in EVERYWHERE and not allowed_host:
        raise InputError(
            f"With --host {host}, say by which name or address pages call this lab: "
            "--allowed-host NAME."
        )
    local = host in LOOPBACK
    token = None if local else secrets.token_urlsafe(24)
    hosts = [*(allowed_host or []), *([] if local else [host])]
    application = app(given, hosts, token)
    listening = _listening(host, port, exact=port != PORT)
    named = allowed_host[0] if host in EVERYWHERE and allowed_host else host
    address = _address(named, listening.getsockname()[1], token)
    print(f"armwise lab: {address}", flush=True)
    if not local:
        print("This is plain HTTP: whoever can read the network can read what is sent.", flush=True)
    if browser:
        threading.Timer(0.3, webbrowser.open, (address,)).start()
    _serve(application, listening)


def _listening(host: str, port: int, exact: bool) -> socket.socket:
    """A socket at the port, or at the next free one unless it must be exactly this."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for one in (port,) if exact else (*range(port, min(port + 20, 1 << 16)), 0):
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1 if os.name == "posix" else 0)
        try:
            found.bind((host, one))
            found.listen()  # who is told the address may come before the lab is ready, and waits
        except OSError as problem:
            found.close()
            reason = problem.strerror
            continue
        return found
    raise InputError(f"The lab cannot listen at {host}, port {port}: {reason}.")


def _address(host: str, port: int, token: str | None) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")


def _serve(application: Any, listening: socket.socket) -> None:
    import uvicorn

    settings = uvicorn.Config(
        application,
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=1 << 16,
        ws_per_message_deflate=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    # uvicorn ends in order, and then raises the signal again.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(settings).run(sockets=[listening])
