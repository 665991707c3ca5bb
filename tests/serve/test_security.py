"""The door: hosts, origins, the token, sizes, rates, and files that nobody may read."""

from __future__ import annotations

import http.client
import json
import logging
import socket

import httpx
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as some

from agent.fake_models import FakeModel
from manole.errors import UsageError
from manole.serve.http.app import create_app
from manole.serve.security import Rates, check_exposure, is_loopback
from manole.serve.service import Service
from manole.settings import ServeSettings

from .conftest import ANSWER, SECRET
from .running import running
from .test_http_ask import problem

TOKEN = "a-token-of-sixteen-or-more"
ASKED = {"query": "How many files are there?"}


# -- hosts and origins -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8137", "127.0.0.1.evil.example", "localhost.evil",
             "[::2]", "10.0.0.7", "127.0.0.1@evil.example", "127.0.0.1 evil.example"],
)  # fmt: skip
@pytest.mark.parametrize(("method", "path"), [("GET", "/health"), ("POST", "/agentic_search")])
def test_another_name_for_this_address_is_refused(server, host, method, path):
    got = server.client.request(method, path, headers={"Host": host}, json=ASKED)
    assert problem(got, 403)["code"] == "host_not_allowed"


@pytest.mark.parametrize("host", ["localhost", "localhost:9000", "LOCALHOST", "[::1]:8137"])
def test_loopback_names_are_ours(server, host):
    assert server.client.get("/health", headers={"Host": host}).status_code == 200


def test_a_request_without_a_host_is_refused(server):
    with socket.create_connection(server.client.base_url.netloc.decode().split(":")) as sock:
        sock.sendall(b"GET /health HTTP/1.0\r\n\r\n")
        assert b" 403 " in sock.recv(100)


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"},
     {"Origin": "http://localhost"}, {"Sec-Fetch-Site": "cross-site"},
     {"Sec-Fetch-Site": "same-site"}],
)  # fmt: skip
@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/search?q=x"), ("POST", "/agentic_search"), ("OPTIONS", "/agentic_search"),
     ("DELETE", "/libraries/x/conversations/y")],
)  # fmt: skip
def test_another_sites_page_is_refused_whatever_it_sends(server, headers, method, path):
    got = server.client.request(method, path, headers=headers, json=ASKED)
    assert problem(got, 403)["code"] == "cross_site"
    assert not [name for name in got.headers if name.startswith("access-control")]


def test_our_own_pages_are_let_in(server):
    headers = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    assert server.client.get("/health", headers=headers).status_code == 200
    got = server.client.get("/health", headers={"Sec-Fetch-Site": "none"})
    assert got.status_code == 200
    assert not [name for name in got.headers if name.startswith("access-control")]


def test_every_answer_has_safe_headers(server):
    for path in ("/health", "/nothing", "/search", "/openapi.json"):
        headers = server.client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


# -- the token ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def guarded(indexed, settings):
    with running(indexed, settings, FakeModel(ANSWER), token=TOKEN) as server:
        yield server


@pytest.mark.parametrize(
    "given_", [None, "", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}",
               "Bearer", "Bearer \xff"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/health", "/search?q=x", "/openapi.json", "/nothing"])
def test_without_the_token_nothing_is_told(guarded, given_, path):
    headers = {} if given_ is None else {"Authorization": given_.encode("latin-1")}
    got = guarded.client.get(path, headers=headers)
    assert problem(got, 401)["code"] == "token_needed"
    assert got.headers["www-authenticate"] == "Bearer"
    assert TOKEN not in got.text


def test_with_the_token_everything_is_as_without_one(guarded):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert guarded.client.get("/health", headers=headers).status_code == 200
    schema = guarded.client.get("/openapi.json", headers=headers).json()
    assert schema["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("localhost", True), ("", False),
     ("0.0.0.0", False), ("::", False), ("192.168.1.5", False), ("my-machine", False)],
)  # fmt: skip
def test_other_machines_need_a_token(host, loopback, settings):
    assert is_loopback(host) == loopback
    open_ = ServeSettings(host=host)
    check_exposure(ServeSettings(host=host, token=TOKEN))
    if loopback:
        check_exposure(open_)
        return
    with pytest.raises(UsageError, match="no token is set"):
        create_app(Service(settings.model_copy(update={"serve": open_}), model=FakeModel("x")))


def test_who_listens_everywhere_may_be_called_by_address_but_not_by_name(indexed, settings):
    with running(indexed, settings, FakeModel("x"), token=TOKEN, host="0.0.0.0") as server:
        headers = {"Authorization": f"Bearer {TOKEN}"}

        def status(host):
            return server.client.get("/health", headers=headers | {"Host": host}).status_code

        assert status("192.168.1.5:8137") == status("[fe80::1]") == status("localhost") == 200
        assert status("evil.example") == 403


# -- sizes and rates ---------------------------------------------------------------------------


@pytest.mark.parametrize("chunked", [False, True])
def test_a_large_body_is_refused(server, chunked, monkeypatch):
    monkeypatch.setattr("manole.serve.security.MAX_BODY", 2048)
    body = b'{"query": "' + b"x" * 3000 + b'"}'
    sent = (body[at : at + 500] for at in range(0, len(body), 500)) if chunked else body
    got = server.client.post("/agentic_search", content=sent)
    assert ("content-length" not in got.request.headers) == chunked
    assert problem(got, 413)["code"] == "too_large"
    assert server.client.get("/health").status_code == 200


def test_a_body_that_claims_to_be_large_is_not_waited_for(server):
    link = http.client.HTTPConnection(server.client.base_url.netloc.decode())
    link.putrequest("POST", "/agentic_search")
    link.putheader("Content-Length", str(2**40))
    link.endheaders()
    assert link.getresponse().status == 413
    link.close()


def test_a_client_that_asks_too_often_is_told_to_wait(indexed, settings):
    with running(indexed, settings, FakeModel("x"), requests_per_minute=8) as server:
        got = [server.client.get("/health") for _ in range(3)]
        assert [response.status_code for response in got] == [200, 200, 429]
        assert problem(got[-1], 429)["code"] == "too_many_requests"
        assert 1 <= int(got[-1].headers["retry-after"]) <= 8


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_what_a_foreign_page_sends_does_not_use_up_the_rate_of_ours(indexed, settings, headers):
    with running(indexed, settings, FakeModel("x"), requests_per_minute=8) as server:
        got = [server.client.get("/health", headers=headers) for _ in range(4)]
        assert [response.status_code for response in got] == [403, 403, 429, 429]
        assert server.client.get("/health").status_code == 200


def test_a_bucket_fills_with_time():
    now = [0.0]
    rates = Rates(60, lambda: now[0])
    assert [rates.take("a") for _ in range(15)] == [0.0] * 15
    assert rates.take("a") == pytest.approx(1.0)
    assert rates.take("b") == 0
    now[0] += 2
    assert [rates.take("a") == 0 for _ in range(3)] == [True, True, False]


def test_only_so_many_clients_are_remembered():
    rates = Rates(60)
    for number in range(5000):
        rates.take(str(number))
    assert len(rates._buckets) < 2000


# -- files that are not the library's -----------------------------------------------------------

OUTSIDE = (
    "../outside.txt", "home/../../outside.txt", "..%2foutside.txt", "..\\outside.txt",
    "%2e%2e/outside.txt", "/etc/passwd", "//etc/passwd", "file:///etc/passwd", "out.txt",
    "up/outside.txt", "up/papers-old/a.txt", "../papers-old/a.txt", ".env", "./.env", "later.txt",
    "home", "", ".", "..", "~", "a\x00b", "home/rental-contract.pdf/../../.env", "x" * 3000,
)  # fmt: skip


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("route", ["files/content", "pages", "view"])
def test_nothing_but_the_librarys_files_is_read(server, indexed, path, route):
    for asked in (path, str(indexed / path.lstrip("/")).replace("\x00", "")):
        got = server.client.get(f"{server.library}/{route}", params={"path": asked})
        if (route, asked) == ("view", "later.txt"):  # what was read when it was a file
            assert (got.status_code, got.json()["state"]) == (200, "gone")
        else:
            assert problem(got, 404)["code"] == "not_found"
        assert SECRET not in got.text


@examples(max_examples=25)
@given(
    some.lists(
        some.sampled_from(["..", ".", "home", "up", "out.txt", "later.txt", ".env", "papers",
                           "papers-old", "outside.txt", "a.txt", "%2e%2e", "", "\\"]),
        max_size=6,
    )
)  # fmt: skip
def test_no_path_leads_out(server, parts):
    path = "/".join(parts)
    got = server.client.get(f"{server.library}/files/content", params={"path": path})
    assert got.status_code == 404
    raw = server.client.get(f"{server.library}/files/content?path={path}")
    assert SECRET not in raw.text


@pytest.mark.parametrize("scope", ["..", "../", "/", "../papers-old", "/etc", "up", ".env"])
def test_no_scope_leads_out(server, scope):
    for question in ("What is the secret of the test?", "How many files are there?", "list files"):
        got = server.client.post("/agentic_search", json={"query": question, "scope": scope})
        assert got.status_code == (400 if ".." in scope else 200)
        assert SECRET not in got.text
    found = server.client.get("/search", params={"q": SECRET, "path": scope}).json()
    assert found.pop("query", SECRET) == SECRET  # what was typed is said again, and no more
    assert SECRET not in json.dumps(found)


@pytest.mark.parametrize("name", ["..", "%2e%2e", "~root", "%2fetc", "a%00b", "..%2f.."])
def test_no_library_name_leads_out(server, name):
    for rest in ("files", "files/content?path=outside.txt", "conversations", "sync"):
        target = f"/libraries/{name}/{rest}".encode()  # as it stands: httpx itself resolves ".."
        got = server.client.get("/", extensions={"target": target})
        assert got.status_code in (404, 422)
        assert SECRET not in got.text


# -- the log -----------------------------------------------------------------------------------


def test_the_log_has_no_query_no_token_and_no_question(guarded, caplog):
    caplog.set_level(logging.DEBUG)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    guarded.client.get("/search", params={"q": "my-private-words"}, headers=headers)
    guarded.client.post("/agentic_search", json={"query": "my-private-words"}, headers=headers)
    guarded.client.get("/no%0aline", headers=headers)
    log = "\n".join(r.getMessage() for r in caplog.records if not r.name.startswith("http"))
    assert "GET /search 200" in log
    assert "POST /agentic_search 200" in log
    assert "GET /no%0aline 404" in log
    assert "my-private-words" not in log
    assert TOKEN not in log


def test_only_http_is_spoken(server):
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}  # fmt: skip
    got = httpx.get(f"{server.url}/agentic_search", headers=upgrade)
    assert got.status_code == 405


# -- collectors ----------------------------------------------------------------------------------


def test_a_collector_that_is_set_up_in_the_process_hears_of_no_request(server, monkeypatch):
    """FastAPI would tell it of each request, and of what was wrong in it."""
    heard = []

    class FakeProvider:
        def __getattr__(self, name):
            heard.append(name)
            raise AssertionError(name)

    for kind in ("trace.get_tracer", "metrics.get_meter", "_logs.get_logger"):
        monkeypatch.setattr(f"opentelemetry.{kind}_provider", FakeProvider)
    assert server.client.get("/health").status_code == 200
    assert problem(server.client.post("/agentic_search", json={}), 422)
    assert heard == []
