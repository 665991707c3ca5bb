"""Unanswerable questions by leaving their files out: the choice, and the folder without them."""

import os

from manole_evaluate.questions import parse
from withhold import copy_without, withhold


def questions(*files):
    return [
        parse({"id": str(n), "question": "What?", "answers": ["x"], "files": list(found)})
        for n, found in enumerate(files)
    ]


def test_as_many_as_asked_for_turn_unanswerable():
    asked = questions(*([f"{n}.txt"] for n in range(20)))
    changed, left_out = withhold(asked, 6, seed=3)
    assert [q.id for q in changed] == [q.id for q in asked]
    gone = [q for q in changed if not q.answerable]
    assert len(gone) == len(left_out) == 6
    assert {q.files[0] for q in gone} == left_out
    assert all(q.answers for q in gone)


def test_the_choice_is_the_seeds():
    asked = questions(*([f"{n}.txt"] for n in range(20)))
    assert withhold(asked, 5, seed=1) == withhold(asked, 5, seed=1)
    assert withhold(asked, 5, seed=1)[1] != withhold(asked, 5, seed=2)[1]


def test_questions_about_the_same_file_go_together():
    changed, left_out = withhold(questions(["a"], ["a"], ["a"]), 1)
    assert left_out == {"a"}
    assert [q.answerable for q in changed] == [False] * 3


def test_a_file_that_others_need_in_part_stays():
    asked = questions(["a"], ["a", "b"], ["b"], ["c"], [])
    changed, left_out = withhold(asked, 5)
    assert left_out == {"c"}
    assert [q.answerable for q in changed] == [True, True, True, False, True]


def test_none_are_withheld_unless_asked_for():
    asked = questions(["a"], ["b"])
    assert withhold(asked, 0) == (asked, set())


def test_the_copy_lacks_those_files_only(tmp_path):
    root, copy = tmp_path / "root", tmp_path / "copy"
    for file in ("a.txt", "in/a.txt", "in/b.txt"):
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(file)
    os.utime(root / "a.txt", (1e9, 1e9))
    for _ in range(2):  # a second time completes nothing and breaks nothing
        copy_without(root, {"in/a.txt"}, copy)
        found = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
        assert found == {"a.txt", "in/b.txt"}
    assert (copy / "a.txt").read_text() == "a.txt"
    assert (copy / "a.txt").stat().st_mtime == 1e9
    assert (root / "in/a.txt").exists()


def test_links_are_copied_as_links(tmp_path):
    root, copy = tmp_path / "root", tmp_path / "copy"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    copy_without(root, set(), copy)
    assert (copy / "out").is_symlink()
