"""Who is refused, and that nothing which a page sends can run code."""

import json

import pytest
from starlette.websockets import WebSocketDisconnect

from armwise.lab.guard import CONTENT, COOKIE, REFUSED
from armwise.lab.rooms import Given

from .conftest import AGENT, BANDIT, HOST, OWN, TRACE, Page, client_of, page_of

STRANGERS = ["evil.example", "evil.example:8642", "127.0.0.1.evil.example", "", "[", "127.0.0.2"]
STRANGERS += ["me@127.0.0.1", "127.0.0.1:8642, evil.example", "127.0.0.1/x", "localhost."]
ORIGINS = [
    None,
    "null",
    "http://evil.example",
    "http://127.0.0.1:9999",
    "http://localhost:8642",
    "http://127.0.0.1",
    "http://[",
    f"file://{HOST}",
    f"http://{HOST}/path",
    f"http://me@{HOST}",
    f"http://{HOST}.evil.example",
]


@pytest.mark.parametrize("host", STRANGERS)
def test_a_name_that_is_not_the_labs_is_refused(client, host):
    answer = client.get("/api/catalogue", headers={"host": host})
    assert answer.status_code == 403
    assert "This lab is not called" in answer.text
    with pytest.raises(WebSocketDisconnect) as refused:
        page_of(client, {"host": host, "origin": f"http://{host}"}).__enter__()
    assert refused.value.code == REFUSED


@pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:8642", "LOCALHOST"])
def test_this_machine_has_three_names(client, host):
    assert client.get("/api/catalogue", headers={"host": host}).status_code == 200


def test_a_further_name_can_be_allowed():
    with client_of(hosts=["lab.example"]) as client:
        assert client.get("/api/catalogue", headers={"host": "lab.example"}).status_code == 200


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_socket_from_another_origin_is_refused(client, origin):
    headers = {"host": HOST} | ({} if origin is None else {"origin": origin})
    with pytest.raises(WebSocketDisconnect) as refused:
        page_of(client, headers).__enter__()
    assert refused.value.code == REFUSED


@pytest.mark.parametrize("origin", ORIGINS[1:])
def test_a_page_of_another_origin_may_not_even_read(client, origin):
    answer = client.get("/api/catalogue", headers={"origin": origin})
    assert (answer.status_code, answer.text) == (403, "A page of another origin asked.")


def test_a_request_from_another_site_is_refused_except_for_the_first_page(client):
    across = {"sec-fetch-site": "cross-site"}
    assert client.get("/api/catalogue", headers=across).status_code == 403
    assert client.get("/", headers=across).status_code != 403
    assert client.get("/api/catalogue", headers={"sec-fetch-site": "none"}).status_code == 200


def test_nothing_can_be_posted(client):
    assert client.post("/api/catalogue").status_code == 403
    assert client.post("/api/catalogue", headers=OWN).status_code == 405


def test_no_script_may_stand_in_a_page_and_nothing_may_be_framed_or_kept(client):
    for path in ("/api/catalogue", "/nothing-here"):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == CONTENT
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
    assert "unsafe" not in CONTENT
    assert "default-src 'none'" in CONTENT
    assert "frame-ancestors 'none'" in CONTENT


def test_a_refusal_has_the_same_headers(client):
    refused = client.get("/", headers={"host": "evil.example"})
    assert refused.headers["content-security-policy"] == CONTENT


def test_off_this_machine_a_token_is_needed():
    with client_of(token="secret") as client:
        assert client.get("/api/catalogue").status_code == 403
        assert client.get("/api/catalogue?token=wrong").status_code == 403
        assert client.get("/api/catalogue?token=s%C3%A9cret").status_code == 403
        with pytest.raises(WebSocketDisconnect):
            page_of(client).__enter__()
        told = client.get("/api/catalogue?token=secret").headers["set-cookie"]
        assert told.startswith(f"{COOKIE}=secret;")
        assert "HttpOnly" in told
        assert "SameSite=Strict" in told
        assert client.get("/api/catalogue").status_code == 200  # by the cookie
        with page_of(client, OWN | {"cookie": f"{COOKIE}=secret"}) as socket:
            assert "word" in str(Page(socket).ask("words", bandit=BANDIT, agents=[AGENT])[0])


@pytest.mark.parametrize("role", ["policy", "learner", "choice", "bandit"])
def test_a_planted_file_never_runs(page, tmp_path, role):
    planted, trace = tmp_path / "planted.py", tmp_path / "ran"
    planted.write_text(f"open({str(trace)!r}, 'w').close()\n")
    for name in (str(planted), f"{planted}:Any", "planted.py"):
        part = {role: {"name": name}}
        asked = TRACE | ({"bandit": part[role]} if role == "bandit" else {"agent": AGENT | part})
        told = page.ask(**asked)[0]
        assert told["kind"] == "problem"
        assert f"There is no {role}" in told["problem"]
    assert not trace.exists()


def test_a_file_of_the_command_line_is_a_component_by_its_label(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import armwise as aw\n"
        "class Mine(aw.Policy):\n"
        "    '''The mean.'''\n"
        "    label = 'mine'\n"
        "    def score(self, shared, arm, alpha, beta, rng):\n"
        "        return alpha / (alpha + beta)\n"
    )
    with client_of(Given(components=(tmp_path / "mine.py",))) as client, page_of(client) as socket:
        found = client.get("/api/catalogue").json()["catalogue"]["policies"][-1]
        assert (found["name"], found["summary"]) == ("mine", "The mean.")
        told, _ = Page(socket).ask(**TRACE | {"agent": {"policy": {"name": "mine"}}})
        assert (told["kind"], told["label"]) == ("trace", "mine")


def test_a_long_message_closes_the_socket(page):
    page.socket.send_text(json.dumps({"do": "words", "id": "x" * 17_000}))
    with pytest.raises(ConnectionError, match="1009"):
        page.next()


@pytest.mark.parametrize("text", ["", "no", "[1]", "3", "null", "[" * 10_000])
def test_what_is_no_object_closes_the_socket(page, text):
    page.socket.send_text(text)
    with pytest.raises(ConnectionError, match="1003"):
        page.next()


def test_bytes_close_the_socket(page):
    page.socket.send_bytes(b"{}")
    with pytest.raises(ConnectionError, match="1003"):
        page.next()


def test_files_outside_the_page_are_not_served(client):
    for path in ("/../app.py", "/..%2fapp.py", "/%2e%2e/app.py", "//etc/passwd", "/protocol.py"):
        assert client.get(path).status_code == 404
