"""Connections that say nothing, too many of them, and answers that take their time."""

from __future__ import annotations

import socket
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from agent.fake_models import FakeModel
from manole.serve.connections import Limits

from .running import LONG, FakeWaitingModel, running

QUICK = Limits(header_s=0.3)
QUESTION = {"query": "What is the notice period?", "strategy": "simple"}
HALF = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
WHOLE = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"


def connect(server):
    url = httpx.URL(server.url)
    sock = socket.create_connection((url.host, url.port), timeout=LONG)
    sock.settimeout(LONG)
    return sock


def is_closed(sock):
    """Waits until the other side has closed it."""
    try:
        while sock.recv(1 << 16):
            pass
    except ConnectionResetError:
        pass
    return True


@contextmanager
def asked(server):
    """An answer that has begun and waits for the model."""
    with server.client.stream("POST", "/agentic_search", json=QUESTION) as answer:
        lines = answer.iter_lines()
        next(lines)
        yield lines


@pytest.mark.parametrize("sent", [b"", b"G", HALF], ids=["nothing", "a letter", "half"])
def test_a_request_whose_headers_do_not_arrive_is_given_up(indexed, settings, sent):
    with running(indexed, settings, FakeModel("x"), limits=QUICK) as server, connect(server) as one:
        one.sendall(sent)
        assert is_closed(one)


def test_so_is_one_on_a_connection_that_was_answered_before(indexed, settings):
    with running(indexed, settings, FakeModel("x"), limits=QUICK) as server, connect(server) as one:
        one.sendall(WHOLE)
        assert b" 200 " in one.recv(100)
        one.sendall(HALF)
        assert is_closed(one)


def test_an_answer_that_takes_longer_is_not_cut_off(indexed, settings):
    model = FakeWaitingModel()
    with running(indexed, settings, model, limits=QUICK) as server, asked(server) as lines:
        assert model.began.acquire(timeout=LONG)
        with connect(server) as silent:
            assert is_closed(silent)  # so the time is over
        model.go.set()
        assert any("complete" in line for line in lines)


def test_hundreds_of_silent_connections_lock_nobody_out(server):
    with ExitStack() as stack:
        silent = [stack.enter_context(connect(server)) for _ in range(515)]
        for one in silent[::2]:
            try:
                one.sendall(HALF)
            except OSError:  # it had to make room already
                continue
        assert httpx.get(f"{server.url}/health").status_code == 200


def test_only_where_all_are_answered_is_a_new_one_turned_away(indexed, settings):
    model = FakeWaitingModel()
    limits = Limits(of_client=2)
    with running(indexed, settings, model, limits=limits, turns=2) as server:
        with asked(server), asked(server):
            assert httpx.get(f"{server.url}/health").status_code == 503
            model.go.set()
        assert httpx.get(f"{server.url}/health").status_code == 200


def test_there_are_so_many_for_all_clients_together(indexed, settings):
    limits = Limits(of_client=9, of_all=2)
    with (
        running(indexed, settings, FakeModel("x"), limits=limits) as server,
        connect(server) as one,
        connect(server) as two,
        connect(server) as three,
    ):
        assert is_closed(one)
        for sock in (two, three):
            sock.sendall(WHOLE)
            assert b" 200 " in sock.recv(100)
