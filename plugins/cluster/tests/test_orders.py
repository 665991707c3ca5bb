"""What a node is given: the settings that say how a file is read, and no key of this machine."""

from __future__ import annotations

import pickle

from manole.settings import Settings
from manole_cluster.work import Orders


def test_the_section_of_what_makes_vectors_of_pages_travels():
    settings = Settings.load({"index.pages": "colqwen", "colqwen.half": True, "colqwen.pool": 3})
    orders = pickle.loads(pickle.dumps(Orders.of(settings)))
    assert (orders.pages.half, orders.pages.pool) == (True, 3)
    assert {orders: "a reader"}[Orders.of(settings)] == "a reader"


def test_its_defaults_travel_too():
    assert Orders.of(Settings.load({"index.pages": "colqwen"})).pages.pool == 1


def test_lines_need_no_section():
    assert Orders.of(Settings.load({})).pages is None
