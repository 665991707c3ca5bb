"""The page that a browser opens, and the cookie that lets it in."""

from __future__ import annotations

import http.client
import logging

import pytest

from agent.fake_models import FakeModel
from manole.serve.http.page import POLICY, read_page
from serve.conftest import ANSWER
from serve.running import running
from serve.test_http_ask import problem

TOKEN = "a token: of sixteen, or more; ü"
HTML = b'<!doctype html><script type="module" src="/assets/index-a1.js"></script>'
NARROW = "default-src 'none'; frame-ancestors 'none'"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A page as the build leaves it, with files beside it that are none of it."""
    folder = tmp_path_factory.mktemp("built") / "web"
    assets = folder / "assets"
    (assets / "inner").mkdir(parents=True)
    (folder / "index.html").write_bytes(HTML)
    (folder / "favicon.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (folder / "secret.json").write_text("{}")
    (folder.parent / "outside.js").write_text("outside")
    for name in ("index-a1.js", "index-b2.css", "map.json", "word.woff2", "layout.wasm", "a.svg"):
        (assets / name).write_bytes(f"content of {name}".encode())
    (assets / "long.js").write_text("let a = 1;\n" * 500)
    (assets / "notes.txt").write_text("of no use to a page")
    (assets / "inner" / "deep.js").write_text("deep")
    (assets / "link.js").symlink_to(folder.parent / "outside.js")
    return folder


@pytest.fixture(scope="module")
def paged(indexed, settings, built):
    with running(indexed, settings, FakeModel(ANSWER), web=built) as server:
        yield server


@pytest.fixture
def guarded(indexed, settings, built):
    with running(indexed, settings, FakeModel(ANSWER), web=built, token=TOKEN) as server:
        yield server


# -- the page ----------------------------------------------------------------------------------


def test_the_page_has_its_policy_and_is_not_kept(paged):
    got = paged.client.get("/")
    assert (got.status_code, got.content) == (200, HTML)
    assert got.headers["content-type"] == "text/html; charset=utf-8"
    assert got.headers["content-security-policy"] == POLICY
    assert got.headers["cache-control"] == "no-store"
    assert got.headers["x-content-type-options"] == "nosniff"
    assert "unsafe" not in POLICY


@pytest.mark.parametrize(
    ("name", "kind"),
    [("index-a1.js", "text/javascript; charset=utf-8"), ("index-b2.css", "text/css; charset=utf-8"),
     ("map.json", "application/json"), ("word.woff2", "font/woff2"),
     ("layout.wasm", "application/wasm"), ("a.svg", "image/svg+xml")],
)  # fmt: skip
def test_what_belongs_to_it_is_kept_for_good(paged, name, kind):
    got = paged.client.get(f"/assets/{name}")
    assert (got.status_code, got.text) == (200, f"content of {name}")
    assert got.headers["content-type"] == kind
    assert "immutable" in got.headers["cache-control"]
    assert got.headers["content-security-policy"] == NARROW


def test_its_icon(paged):
    got = paged.client.get("/favicon.svg")
    assert (got.status_code, got.headers["content-type"]) == (200, "image/svg+xml")
    assert got.headers["content-security-policy"] == NARROW


@pytest.mark.parametrize("path", ["/", "/assets/index-a1.js", "/favicon.svg"])
def test_head_gives_the_headers_alone(paged, path):
    whole, head = paged.client.get(path), paged.client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-type", "content-length", "content-security-policy", "cache-control"):
        assert head.headers[name] == whole.headers[name]


@pytest.mark.parametrize(
    "path",
    ["/assets/", "/assets", "/assets/nothing.js", "/assets/notes.txt", "/assets/inner",
     "/assets/inner/deep.js", "/assets/link.js", "/assets/../secret.json",
     "/assets/..%2fsecret.json", "/assets/%2e%2e/secret.json", "/assets/..%2f..%2foutside.js",
     "/assets/%2fetc%2fpasswd", "/assets/a.svg%00", "/secret.json", "/index.html",
     "/web/index.html", "/favicon.ico"],
)  # fmt: skip
def test_nothing_else_is_given(paged, path):
    link = http.client.HTTPConnection(paged.client.base_url.netloc.decode())
    link.request("GET", path)  # as it stands: clients tidy paths
    got = link.getresponse()
    assert got.status == 404
    assert got.getheader("content-type") == "application/json"
    link.close()


def test_another_site_cannot_use_it(paged):
    for path in ("/", "/assets/index-a1.js"):
        for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
            assert problem(paged.client.get(path, headers=headers), 403)["code"] == "cross_site"
        got = paged.client.get(path, headers={"Host": "evil.example"})
        assert problem(got, 403)["code"] == "host_not_allowed"


def test_other_answers_keep_the_narrow_policy(paged):
    for path in ("/health", "/libraries", "/openapi.json", "/nothing", "/assets/nothing.js"):
        assert paged.client.get(path).headers["content-security-policy"] == NARROW


def test_where_it_was_not_built_it_says_how(indexed, settings, tmp_path):
    with running(indexed, settings, FakeModel(ANSWER), web=tmp_path / "web") as server:
        got = server.client.get("/")
        assert got.status_code == 200
        assert got.headers["content-type"] == "text/html; charset=utf-8"
        assert got.headers["content-security-policy"] == POLICY
        assert "make web" in got.text
        assert "<style" not in got.text
        problem(server.client.get("/favicon.svg"), 404)
        problem(server.client.get("/assets/index.js"), 404)


def test_what_is_changed_on_the_disk_is_not_given_until_the_next_start(tmp_path, built):
    page = read_page(built)
    assert set(page.assets) == {
        "index-a1.js", "index-b2.css", "map.json", "word.woff2", "layout.wasm", "a.svg", "long.js"
    }  # fmt: skip
    assert read_page(tmp_path).assets == {}


# -- the cookie --------------------------------------------------------------------------------


def test_without_a_token_only_the_page_is_told(guarded):
    for path in ("/", "/assets/index-a1.js", "/favicon.svg"):
        assert guarded.client.get(path).status_code == 200
        assert guarded.client.head(path).status_code == 200
    for method, path in (
        ("GET", "/health"), ("GET", "/openapi.json"), ("GET", "/libraries"), ("GET", "/session"),
        ("DELETE", "/session"), ("POST", "/"), ("POST", "/assets/index-a1.js"), ("PUT", "/session"),
        ("GET", "/assets/inner/deep.js"), ("GET", "/assets/"), ("POST", "/session/"),
        ("GET", "/index.html"),
    ):  # fmt: skip
        got = guarded.client.request(method, path, follow_redirects=False)
        assert problem(got, 401)["code"] == "token_needed", (method, path)


def test_the_token_becomes_a_cookie_that_lets_in_until_it_is_taken_back(guarded):
    client = guarded.client
    got = client.post("/session", json={"token": TOKEN})
    assert (got.status_code, got.content) == (204, b"")
    kept = got.headers["set-cookie"]
    assert kept.startswith("manole_token=")
    parts = {part.strip().lower() for part in kept.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= parts
    assert "token:" not in kept  # it proves the token and does not tell it
    assert client.get("/health").status_code == 200
    assert client.post("/agentic_search", json={"query": "How many files?"}).status_code == 200
    ended = client.delete("/session")
    assert (ended.status_code, ended.content) == (204, b"")
    assert "manole_token" not in client.cookies
    problem(client.get("/health"), 401)


@pytest.mark.parametrize(
    "cookie",
    ["manole_token=", "manole_token=wrong", f"manole_token={TOKEN.encode().hex()}", "manole_token",
     "other=1", ";;;=", "manole_token=\xff", "Manole_Token=x", "x" * 5000],
)  # fmt: skip
def test_another_cookie_does_not(guarded, cookie):
    got = guarded.client.get("/health", headers={"Cookie": cookie.encode("latin-1")})
    assert problem(got, 401)["code"] == "token_needed"


def test_the_cookie_is_found_among_others_and_bound_to_the_token(guarded, indexed, settings, built):
    made = guarded.client.post("/session", json={"token": TOKEN}).headers["set-cookie"]
    value = made.partition(";")[0]
    guarded.client.cookies.clear()
    headers = {"Cookie": f"a=b; {value} ;c=d"}
    assert guarded.client.get("/health", headers=headers).status_code == 200
    with running(indexed, settings, FakeModel("x"), web=built, token=f"{TOKEN}!") as other:
        assert other.client.get("/health", headers=headers).status_code == 401
    problem(guarded.client.get("/health", headers=headers | {"Host": "evil.example"}), 403)
    problem(guarded.client.get("/health", headers=headers | {"Origin": "http://127.0.0.1:1"}), 403)


@pytest.mark.parametrize(
    ("body", "status"),
    [({"token": ""}, 401), ({"token": TOKEN[:-1]}, 401), ({"token": f"{TOKEN}x"}, 401),
     ({}, 422), ({"token": 7}, 422), ({"token": None}, 422),
     ({"token": TOKEN, "more": 1}, 422), ({"token": "x" * 4097}, 422), ([], 422)],
)  # fmt: skip
def test_a_wrong_token_gives_no_cookie(guarded, body, status):
    got = guarded.client.post("/session", json=body)
    told = problem(got, status)
    assert "set-cookie" not in got.headers
    assert TOKEN not in str(told)
    assert (told["code"] == "token_needed") == (status == 401)


def test_a_token_of_what_is_no_character_is_refused(guarded):
    body = b'{"token": "\\ud800"}'
    got = guarded.client.post(
        "/session", content=body, headers={"Content-Type": "application/json"}
    )
    assert problem(got, 422)["code"] == "invalid"


def test_a_session_cannot_be_opened_from_another_site(guarded):
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "same-site"}):
        got = guarded.client.post("/session", json={"token": TOKEN}, headers=headers)
        assert problem(got, 403)["code"] == "cross_site"
        assert "set-cookie" not in got.headers


def test_guesses_are_slowed_down(indexed, settings, built):
    with running(
        indexed, settings, FakeModel("x"), web=built, token=TOKEN, requests_per_minute=8
    ) as server:
        got = [server.client.post("/session", json={"token": "no"}).status_code for _ in range(4)]
        assert got == [401, 401, 429, 429]


def test_where_no_token_is_demanded_no_cookie_is_made(paged):
    got = paged.client.post("/session", json={"token": "whatever it is"})
    assert got.status_code == 204
    assert "set-cookie" not in got.headers
    assert paged.client.delete("/session").status_code == 204


def test_the_log_tells_neither_token_nor_cookie(guarded, caplog):
    caplog.set_level(logging.DEBUG)
    made = guarded.client.post("/session", json={"token": TOKEN})
    guarded.client.get("/health")
    log = "\n".join(r.getMessage() for r in caplog.records if not r.name.startswith("http"))
    assert "POST /session 204" in log
    assert "GET /health 200" in log
    assert TOKEN not in log
    assert made.headers["set-cookie"].partition(";")[0].partition("=")[2] not in log


@pytest.mark.parametrize(
    ("takes", "packed"),
    [("gzip, br", True), ("br, gzip;q=0.5", True), ("gzip;q=0", False), ("identity", False)],
)
def test_what_is_long_is_packed_for_those_who_take_it(paged, built, takes, packed):
    script = built / "assets" / "index-a1.js"
    response = paged.client.get("/assets/long.js", headers={"Accept-Encoding": takes})
    assert response.text == "let a = 1;\n" * 500
    assert (response.headers.get("content-encoding") == "gzip") is packed
    assert response.headers["vary"] == "Accept-Encoding"
    short = paged.client.get("/assets/index-a1.js", headers={"Accept-Encoding": takes})
    assert short.content == script.read_bytes()
    assert "content-encoding" not in short.headers


def test_who_types_a_wrong_address_comes_to_the_page(paged):
    visit = {"Accept": "text/html,application/xhtml+xml"}
    for path in ("/nonsense", "/index.html", "/a/b"):
        got = paged.client.get(path, headers=visit)
        assert (got.status_code, got.headers["location"]) == (307, "/")
        problem(paged.client.get(path, headers={"Accept": "*/*"}), 404)
    problem(paged.client.post("/nonsense", headers=visit), 404)
