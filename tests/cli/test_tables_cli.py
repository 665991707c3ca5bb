"""A question to a table that strains a database, as it is typed, with a scripted endpoint."""

from __future__ import annotations

import json

import pytest
from fake_endpoint import fake_endpoint

COUNT = 40
LAST = str(10**19 + (COUNT - 1) * 7)
HIGHEST = (
    "which of the amounts in orders.csv is higher than each other amount"  # for the model alone
)


@pytest.fixture(scope="module")
def orders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("orders")
    rows = "".join(f"cust{i},{10**19 + i * 7},{i * 3}.50\n" for i in range(COUNT))
    (folder / "orders.csv").write_text(f"customer,order number,amount\n{rows}")
    return folder


@pytest.fixture
def ask(manole, orders):
    """`ask(question, query)` gives the events of an answer; all the model says is `query`."""

    def run(question, query):
        with fake_endpoint(query) as (url, _):
            done = manole(
                "--set", f"model.base_url={url}", "ask", question, str(orders), "--json",
                "--model", "openai:fake", MANOLE_DATA_DIR=f"{orders}-data",
            )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


@pytest.mark.parametrize(
    ("question", "query", "answer", "line"),
    [
        (HIGHEST, "SELECT MAX(amount) FROM t", "117.5 (highest amount): orders.csv [{n}]", 41),
        (HIGHEST, "SELECT amount FROM t ORDER BY amount DESC LIMIT 1", "amount: 117.50 [{n}]", 41),
        ("which order number in orders.csv is higher than each other order number",
         "SELECT MAX(order_number) FROM t",
         f"{LAST} (highest order number): orders.csv [{{n}}]", 41),
        (f"who has order number {LAST} in orders.csv?",
         f"SELECT customer FROM t WHERE order_number = {LAST}", "customer: cust39 [{n}]", 41),
    ],
)  # fmt: skip
def test_order_numbers_of_twenty_digits_are_right_to_the_last_one(
    ask, question, query, answer, line
):
    end = ask(question, query)[-1]
    n = end["sources"][0]["n"]  # counted on from the extracts that were shown
    assert end["answer"] == answer.replace("{n}", str(n))
    assert [(s["file"], s["line"]) for s in end["sources"]] == [("orders.csv", line)]


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT {'(' * 200}amount{')' * 200} FROM t",
        "SELECT 'CANARY-SQL'",
        "SELECT 'CANARY-SQL' FROM t",
        "SELECT fts3_tokenizer(customer) FROM t",
        "SELECT printf('%999999d', amount) FROM t",
    ],
)
def test_a_query_that_cannot_be_trusted_leaves_the_extracts(ask, query):
    events = ask(HIGHEST, query)
    assert any("Reading instead." in e["message"] for e in events if e["type"] == "status")
    assert not [e for e in events if e["type"] == "result" and e["tool"] == "query_table"]
