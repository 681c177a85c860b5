"""Who may talk to the lab: hosts by name, pages of its own origin, and a token off this machine."""

import hmac
import re
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
CONTENT = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = (
    (b"content-security-policy", CONTENT.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
_HOST = re.compile(r"(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?")
COOKIE = "armwise_lab"
REFUSED = 4403  # the code with which a websocket is closed


class Guard:
    """Lets a request pass to an ASGI application, or refuses it with a sentence.

    A page elsewhere can reach this machine by a name of its own (DNS rebinding) and open websockets
    anywhere, so the name asked for and the origin of the page are both checked.
    """

    def __init__(self, app: Any, hosts: Iterable[str] = (), token: str | None = None) -> None:
        self.app, self.hosts, self.token = app, LOOPBACK | {*map(str.lower, hosts)}, token

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a request, a websocket, or the life of the application."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        reason = self._stranger(scope, headers) or self._lacks_token(scope, headers)
        if reason:
            return await _refuse(scope, receive, send, reason)
        if scope["type"] == "websocket":
            return await self.app(scope, receive, send)
        await self.app(scope, receive, self._with_headers(scope, send))

    def _stranger(self, scope: Any, headers: dict[str, str]) -> str | None:
        """Why a request does not come from a page of this lab, if it does not."""
        host = headers.get("host", "")
        name = _host_name(host)
        if name not in self.hosts:
            return f"This lab is not called {name!r}."
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if (changes or origin is not None) and not _own(origin, host):
            return "A page of another origin asked."
        if headers.get("sec-fetch-site") == "cross-site" and scope["path"] != "/":
            return "A page of another site asked."
        return None

    def _lacks_token(self, scope: Any, headers: dict[str, str]) -> str | None:
        if self.token is None or _same(self._given(scope), self.token):
            return None
        if _same(_cookie(headers.get("cookie", "")), self.token):
            return None
        return "The address lacks the token that armwise lab printed."

    def _given(self, scope: Any) -> str:
        query = scope.get("query_string", b"").decode("latin-1")
        return parse_qs(query).get("token", [""])[0]

    def _with_headers(self, scope: Any, send: Any) -> Any:
        """`send`, which adds the headers, and the cookie once the token was in the address."""
        more = list(HEADERS)
        if self.token is not None and _same(self._given(scope), self.token):
            cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
            more.append((b"set-cookie", cookie.encode()))

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in more}
                kept = [(n, v) for n, v in message["headers"] if n.lower() not in names]
                message = {**message, "headers": [*kept, *more]}
            await send(message)

        return sent


def _host_name(host: str) -> str | None:
    """The name in a Host header, which is a name and perhaps a port, and nothing else.

    >>> _host_name("LOCALHOST:8642"), _host_name("[::1]:80"), _host_name("me@localhost")
    ('localhost', '::1', None)
    """
    found = _HOST.fullmatch(host)
    return found[1].strip("[]").lower() if found else None


def _own(origin: str | None, host: str) -> bool:
    """Whether a page comes from this host, perhaps through a server with HTTPS before it."""
    return origin in (f"http://{host}", f"https://{host}")


def _cookie(text: str) -> str:
    try:
        jar = SimpleCookie(text)
    except CookieError:
        return ""
    return jar[COOKIE].value if COOKIE in jar else ""


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


async def _refuse(scope: Any, receive: Any, send: Any, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": REFUSED, "reason": reason})
        return
    head = [(b"content-type", b"text/plain; charset=utf-8"), *HEADERS]
    await send({"type": "http.response.start", "status": 403, "headers": head})
    await send({"type": "http.response.body", "body": reason.encode()})
