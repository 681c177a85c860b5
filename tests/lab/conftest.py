"""A lab without a network: starlette's client, as a page of the lab's own address would be."""

import json

import pytest
from starlette.testclient import TestClient

from armwise.lab.app import app
from armwise.lab.rooms import Given
from armwise.lab.wire import unpacked

HOST = "127.0.0.1:8642"
OWN = {"host": HOST, "origin": f"http://{HOST}"}
BANDIT = {"name": "switching", "arms": 3, "epsilon": 0.4, "rho": 0.02, "p": 0.3}
SMILE = {"name": "smile", "rho": 0.02}
AGENT = {"policy": {"name": "g-ai", "lam": 0.5}, "learner": SMILE}
TRACE = {"do": "trace", "bandit": BANDIT, "agent": AGENT, "horizon": 60, "seed": 3, "number": 2}


class Page:
    """The websocket of a page."""

    def __init__(self, socket):
        self.socket = socket
        self.heard = []  # everything that the server sent, as it was sent

    def tell(self, do, **more):
        self.socket.send_text(json.dumps({"id": 1, "do": do, **more}))

    def next(self):
        message = self.socket.receive()
        if message["type"] == "websocket.close":
            raise ConnectionError(message["code"])
        self.heard.append(message.get("text") or message.get("bytes"))
        if message.get("text") is not None:
            return json.loads(message["text"]), {}
        return unpacked(message["bytes"])

    def ask(self, do, **more):
        self.tell(do, **more)
        while (found := self.next())[0]["kind"] in ("ready", "compiling"):
            pass
        return found


def client_of(given=None, hosts=(), token=None):
    return TestClient(app(given or Given(), hosts, token), f"http://{HOST}")


def page_of(client, headers=OWN):
    return client.websocket_connect("/talk", headers=headers)


@pytest.fixture(scope="module")
def client():
    with client_of() as found:
        yield found


@pytest.fixture
def page(client):
    with page_of(client) as socket:
        yield Page(socket)
