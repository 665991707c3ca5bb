import json
from datetime import date

import pytest

from manole.errors import UsageError
from manole_evaluate.questions import absent, load, parse, select, within


def write(path, *rows):
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", "utf-8")
    return path


def test_a_line_is_read_with_all_its_fields(tmp_path):
    row = {
        "id": "q1",
        "question": " When? ",
        "answers": ["7 May 2023", 3],
        "file": "files/a.pdf",
        "page": 4,
        "scope": "files",
        "kind": "file",
        "date_from": "2023-05-07",
        "date_to": "2023-05-08",
        "unheard_of": {"x": 1},
    }
    [question] = load(write(tmp_path / "q.jsonl", row))
    assert question.question == "When?"
    assert question.answers == ("7 May 2023", "3")
    assert (question.files, question.pages) == (("files/a.pdf",), (4,))
    assert (question.date_from, question.date_to) == (date(2023, 5, 7), date(2023, 5, 8))
    assert question.answerable
    assert question.kind == "file"
    assert question.fields["unheard_of"] == {"x": 1}


@pytest.mark.parametrize(
    ("row", "answerable"),
    [
        ({"answers": ["x"]}, True),
        ({"answers": []}, False),
        ({"answers": [], "answerable": False}, False),
        ({"answerable": False}, False),
        ({"answers": ["x"], "answerable": None}, True),
    ],
)
def test_without_answers_a_question_is_unanswerable(row, answerable):
    assert parse({"question": "?", **row}).answerable is answerable


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        ({"answers": ["a", "b"]}, ()),
        ({"answers": ["a", "b"], "all_of": True}, (("a",), ("b",))),
        ({"answers": ["a", "b"], "all_required": True}, (("a",), ("b",))),
        ({"answers": ["a, b"], "all_of": ["a", "b"]}, (("a",), ("b",))),
        ({"answers": ["a"], "all_of": [["a", "A."], "b"]}, (("a", "A."), ("b",))),
        ({"answers": ["['a', 'b']"], "answer_format": "List"}, (("a",), ("b",))),
        ({"answers": ["a or b"], "answer_format": "List"}, ()),
    ],
)
def test_required_parts(row, parts):
    assert parse({"question": "?", **row}).parts == parts


def test_pages_go_before_page_and_null_is_no_page():
    assert parse({"question": "?", "answers": ["x"], "page": 3, "pages": [3, 5]}).pages == (3, 5)
    assert parse({"question": "?", "answers": ["x"], "page": None}).pages == ()


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "line 3"),
        ("[1]", "not a JSON object"),
        ('{"answers": ["x"]}', '"question" is missing'),
        ('{"question": "?"}', '"answers" is missing'),
        ('{"question": "?", "answers": [{}]}', '"answers" is not a list of texts'),
        ('{"question": "?", "answers": [], "answerable": true}', '"answers" is empty'),
        ('{"question": "?", "answers": ["x"], "answerable": "no"}', '"answerable"'),
        ('{"question": "?", "answers": ["x"], "page": "4"}', '"page" is not a number'),
        ('{"question": "?", "answers": ["x"], "date_from": "May"}', '"date_from" is not a date'),
        ('{"question": "?", "answers": ["x"], "scope": 3}', '"scope" is not a text'),
    ],
)
def test_a_malformed_line_is_named_with_what_is_wrong(tmp_path, line, what):
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "?", "answers": ["x"]}\n\n' + line, "utf-8")
    with pytest.raises(UsageError) as caught:
        load(path)
    assert "line 3" in caught.value.message
    assert what in caught.value.message


def test_a_missing_or_empty_file_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match=r"gone\.jsonl cannot be read"):
        load(tmp_path / "gone.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(UsageError, match="holds no questions"):
        load(tmp_path / "empty.jsonl")


def make(n, **row):
    return [parse({"id": str(i), "question": "?", "answers": ["x"], **row}) for i in range(n)]


def test_filters_compare_as_json_writes_values():
    questions = [*make(2, self_contained=True), *make(3, self_contained=False, kind="file")]
    assert len(select(questions, filters=["self_contained=true"])) == 2
    assert len(select(questions, filters=["self_contained=false", "kind=file"])) == 3


def test_a_filter_can_ask_for_a_part():
    questions = [*make(2, files=["files/a.pdf"]), *make(3, files=["files/b.jpg"])]
    assert len(select(questions, filters=["files~.pdf"])) == 2
    assert len(select(questions, filters=["files~files/"])) == 5


def test_offset_and_limit_cut_and_a_seed_repeats_its_sample():
    questions = make(20)
    assert [q.id for q in select(questions, offset=3, limit=2)] == ["3", "4"]
    first = [q.id for q in select(questions, sample=7, limit=5)]
    assert first == [q.id for q in select(questions, sample=7, limit=5)]
    assert first != [q.id for q in select(questions, sample=8, limit=5)]
    assert len(set(first)) == 5


@pytest.mark.parametrize("options", [{"filters": ["kind"]}, {"filters": ["a=b"]}, {"offset": 9}])
def test_a_choice_that_leaves_nothing_is_a_usage_error(options):
    with pytest.raises(UsageError):
        select(make(3), **options)


@pytest.mark.parametrize("folder", ["files", "files/set"])
@pytest.mark.parametrize("value", ["files/set/a.md", "set/a.md", "a.md"])
def test_gold_files_are_found_from_any_base(tmp_path, folder, value):
    (tmp_path / "files" / "set").mkdir(parents=True)
    (tmp_path / "files" / "set" / "a.md").write_text("x")
    root = tmp_path / folder
    if value == "a.md" and folder == "files":
        value = "files/set/a.md"
    questions = [parse({"question": "?", "answers": ["x"], "file": value, "scope": "files"})]
    [resolved] = within(questions, tmp_path / "q.jsonl", root)
    wanted = "set/a.md" if folder == "files" else "a.md"
    if folder == "files/set" and value == "set/a.md":
        wanted = "a.md"
    assert resolved.files == (wanted,)
    assert absent([resolved], root) == []


def test_a_scope_that_is_the_whole_root_is_no_scope(tmp_path):
    (tmp_path / "files" / "set").mkdir(parents=True)
    row = {"question": "?", "answers": ["x"]}
    questions = [parse({**row, "scope": "files"}), parse({**row, "scope": "files/set"})]
    whole, part = within(questions, tmp_path / "q.jsonl", tmp_path / "files")
    assert (whole.scope, part.scope) == (None, "set")


def test_files_that_are_nowhere_are_kept_and_named(tmp_path):
    (tmp_path / "files").mkdir()
    questions = [parse({"question": "?", "answers": ["x"], "file": "files/gone.md"})]
    resolved = within(questions, tmp_path / "q.jsonl", tmp_path / "files")
    assert absent(resolved, tmp_path / "files") == ["files/gone.md"]


def test_the_day_and_what_came_before_are_the_questions(tmp_path):
    path = tmp_path / "q.jsonl"
    said = [{"role": "user", "content": "how many?"}, {"role": "assistant", "content": "3"}]
    row = {"question": "and in May?", "all_of": [["2"]], "today": "2024-06-01", "history": said}
    path.write_text(json.dumps(row))
    (asked,) = load(path)
    assert asked.answerable
    assert asked.asked_on == date(2024, 6, 1)
    assert [(m.role, m.content) for m in asked.history] == [("user", "how many?"),
                                                           ("assistant", "3")]  # fmt: skip
    for wrong in ([{"role": "system", "content": "x"}], ["x"], [{"role": "user"}]):
        path.write_text(json.dumps(row | {"history": wrong}))
        with pytest.raises(UsageError, match="history"):
            load(path)
