"""The reader that ships: which sentence of a passage answers a question."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from manole.models.encode import reader as module
from manole.models.encode.reader import Reader

LEASE = (
    "Lease of flat 7",
    [
        "The rent is 980 euros and is due on the third working day of each month.",
        "The tenants may end the lease with three months' notice.",
        "The deposit of two rents is paid back six months after they have moved out.",
        "The cellar has a number of its own.",
    ],
)
RULES = ("House rules", ["Bicycles stand in the yard.", "After ten in the evening it is quiet."])


@pytest.fixture(scope="module")
def read() -> Reader:
    return module.reader()


def best(read: Reader, question: str) -> str:
    scores = read(question, [LEASE, RULES])
    found = [(score, text) for own, (_, texts) in zip(scores, (LEASE, RULES), strict=True)
             for score, text in zip(own, texts, strict=True)]  # fmt: skip
    return max(found)[1]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("how long until the deposit comes back to us", "six months"),
        ("how much warning do i have to give if i want out", "notice"),
        ("wie hoch ist die miete", "980"),
        ("jusqu'à quelle heure peut-on faire du bruit", "quiet"),
    ],
)
def test_the_sentence_that_answers_comes_first(read: Reader, question: str, said: str) -> None:
    assert said in best(read, question)


def test_it_is_less_sure_of_what_no_sentence_says(read: Reader) -> None:
    def sure(question: str) -> float:
        return max(max(own) for own in read(question, [LEASE, RULES]))

    assert sure("how high is the rent") > 2 + sure("what is the password of the printer")


def test_each_sentence_has_its_score_whatever_stands_beside_it(read: Reader) -> None:
    alone, both = (
        read("how high is the rent", [LEASE]),
        read("how high is the rent", [RULES, LEASE]),
    )
    assert [len(own) for own in both] == [2, 4]
    assert both[1] == pytest.approx(alone[0], abs=0.5)  # int8 scales depend on the batch


def test_what_is_beyond_the_window_is_told_to_be_unlikely(read: Reader) -> None:
    many = [f"Sentence number {n} says nothing of interest at all." for n in range(80)]
    (scores,) = read("who?", [("", many)])
    assert len(scores) == 80
    assert scores[-1] < min(scores[:10])


def test_odd_texts_are_read(read: Reader) -> None:
    odd = ["", "\ud800", "שלום עולם", "🎉" * 500, "x" * 100_000]
    assert [len(own) for own in read("\ud800 " * 900, [("", odd), ("", [])])] == [5, 0]
    assert read("", []) == []


def test_several_threads_may_read_at_once(read: Reader) -> None:
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: read("how high is the rent", [LEASE]), range(8)))
    assert all(one[0] == pytest.approx(found[0][0], abs=1e-3) for one in found)


def test_the_files_are_those_that_were_written() -> None:
    folder = Path(module.__file__).parent / "weights"
    lines = (folder / "SHA256SUMS").read_text("utf-8").splitlines()
    sums = dict(reversed(line.split()) for line in lines)
    files = {path.name: path for path in folder.iterdir() if path.name != "SHA256SUMS"}
    assert sums.keys() == files.keys()
    for name, path in files.items():
        assert sha256(path.read_bytes()).hexdigest() == sums[name]
