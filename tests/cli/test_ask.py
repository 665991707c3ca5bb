"""`manole ask`, `search`, `index`, `status`, `library` and `models` as programs read them."""

from __future__ import annotations

import json

import pytest
from fake_endpoint import fake_endpoint

from manole.agent.events import EVENTS, Complete


def value(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# -- ask ---------------------------------------------------------------------------------------


def test_ask_json_is_a_line_an_event_and_ends_with_complete(manole, indexed):
    done = manole("ask", "how many invoices are there?", indexed, "--reuse", "--json")
    assert done.returncode == 0
    events = [EVENTS.validate_json(line) for line in done.stdout.splitlines()]
    assert isinstance(events[-1], Complete)
    assert sum(event.type == "complete" for event in events) == 1
    assert {"decision", "result", "token"} <= {event.type for event in events}
    end = json.loads(done.stdout.splitlines()[-1])
    assert {"answer", "sources", "confidence", "timings", "model_calls", "tokens"} <= end.keys()
    assert "12" in end["answer"]
    assert end["model_calls"] == 0
    assert done.stderr == ""


def test_ask_json_of_a_content_question_has_sources_and_quotes(manole, indexed):
    with fake_endpoint("The notice period is three months.") as (url, prompts):
        done = manole(
            "--set", f"model.base_url={url}", "ask", "What is our notice period as tenants?",
            indexed, "--reuse", "--json", "--model", "openai:fake",
        )  # fmt: skip
    end = json.loads(done.stdout.splitlines()[-1])
    assert "three months" in end["answer"]
    (cited,) = [s for s in end["sources"] if s["cited"]]
    assert (cited["file"], cited["page"]) == ("home/rental-contract.pdf", 1)
    assert cited["quote"]
    assert cited["line"] >= 1
    assert len(prompts) == end["model_calls"] == 0  # the sentence itself
    shown = [e for e in map(json.loads, done.stdout.splitlines()) if e["type"] == "evidence"]
    assert cited["n"] in {extract["n"] for event in shown for extract in event["extracts"]}


def test_ask_shows_reading_answer_and_sources(manole, indexed):
    done = manole("ask", "how many PDF files?", indexed, "--reuse")
    assert done.returncode == 0
    assert done.stdout.startswith("Read as: files")
    answer = "You have 21 PDF files: invoices 11, home 4, electricity 3, insurance 3."
    assert f"\n{answer}\n  [1] electricity/electricity-bill-2022.pdf\n" in done.stdout
    assert done.stdout.count(".pdf") == 3
    assert "… and 18 more" in done.stdout
    assert "model call" not in done.stdout
    assert "0 model calls" in manole("ask", "how many PDF files?", indexed, "--sources").stdout
    assert "\x1b" not in done.stdout  # not a terminal: no colours, no links


def test_links_can_be_asked_for(manole, indexed):
    done = manole("--set", "links=always", "ask", "list files", indexed, "--reuse")
    assert "floor-plan.png" in done.stdout


def test_debug_shows_timings(manole, indexed):
    done = manole("ask", "list files", indexed, "--reuse", "--debug")
    assert '"timings"' in done.stdout


def test_ask_within_a_folder(manole, indexed):
    done = manole("ask", "how many files?", indexed, "--reuse", "--json", "--in", "recipes/")
    assert "4 files" in json.loads(done.stdout.splitlines()[-1])["answer"]


def test_several_places_and_a_period(manole, indexed):
    ways = [["--in", "home", "--in", "recipes"], ["--in", "home", "--until", "1980-01-01"]]
    both, none = (
        manole("ask", "how many files?", indexed, "--reuse", *way, "--json").stdout for way in ways
    )
    assert "11 files" in json.loads(both.splitlines()[-1])["answer"]
    assert "no files in home, to 1980-01-01" in json.loads(none.splitlines()[-1])["answer"]
    wrong = manole("ask", "?a", indexed, "--since", "2024-02-01", "--until", "2024-01-01")
    assert wrong.returncode == 2
    assert "2024-01-01 is before 2024-02-01" in wrong.stderr


def test_all_libraries_at_once(manole, indexed, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "lease.txt").write_text("The lease of the garage costs 80 euros.")
    assert manole("index", str(tmp_path / "other")).returncode == 0
    found = value(manole("search", "the garage costs", "all", "--limit", "1", "--json"))
    assert found["results"][0]["file"] == "other/lease.txt"
    asked = manole("ask", "how many files?", "all", "--in", "other", "--json")
    assert "1 file" in json.loads(asked.stdout.splitlines()[-1])["answer"]
    assert manole("library", "remove", str(tmp_path / "other")).returncode == 0


def test_a_model_that_cannot_be_had_still_gives_the_passage(manole, indexed):
    done = manole(
        "--set", "model.base_url=http://127.0.0.1:9/v1", "ask",
        "Is the notice period fair?", indexed, "--in", "home/rental-contract.pdf",
        "--reuse", "--json", "--model", "openai:gone",
    )  # fmt: skip
    assert done.returncode == 0
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert any(e["type"] == "error" and "does not answer" in e["message"] for e in events)
    assert events[-1]["corrected"]
    assert events[-1]["confidence"] == "low"
    assert any(s["cited"] for s in events[-1]["sources"])


def test_ask_brings_the_index_up_to_date_and_reuse_does_not(manole, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.txt").write_text("one")

    def counted(*flags):
        done = manole("ask", "how many files?", "notes", "--json", *flags)
        return json.loads(done.stdout.splitlines()[-1])["answer"]

    assert "1 file" in counted()
    (folder / "two.txt").write_text("two")
    assert "1 file" in counted("--reuse")
    assert "2 files" in counted()
    assert "2 files" in counted("--force")


# -- search ------------------------------------------------------------------------------------


def test_search_json(manole, indexed):
    results = value(manole("search", "notice period", indexed, "--json"))["results"]
    assert results
    for item in results:
        assert set(item) == {"file", "page", "line", "score", "text", "also"}
    scores = [item["score"] for item in results]
    assert scores == sorted(scores, reverse=True)
    assert "home/rental-contract.pdf" in {item["file"] for item in results}


def test_search_filters(manole, indexed):
    def files(*flags):
        found = value(manole("search", "rent", indexed, "--json", *flags))["results"]
        return {item["file"] for item in found}

    assert len(value(manole("search", "rent", indexed, "--json", "--limit", "2"))["results"]) == 2
    assert all(f.startswith("home/") for f in files("--in", "home"))
    assert all(f.endswith(".eml") for f in files("--type", "emails"))
    assert files("--since", "2024-01-01").isdisjoint(files("--until", "2023-12-31"))


def test_search_names_copies_once(manole, tmp_path):
    papers = tmp_path / "papers"
    for number in range(6):
        folder = papers / f"copy{number}"
        folder.mkdir(parents=True)
        (folder / "lease.txt").write_text("The rent is 950 euros a month.")
    assert manole("index", str(papers)).returncode == 0
    (item,) = value(manole("search", "rent", str(papers), "--json"))["results"]
    assert item["file"] == "copy0/lease.txt"
    assert item["also"] == [f"copy{number}/lease.txt" for number in range(1, 6)]
    shown = manole("search", "rent", str(papers)).stdout
    assert shown.count("950 euros") == 1
    assert "also in copy1/lease.txt, copy2/lease.txt, copy3/lease.txt and 2 more files" in shown
    (alone,) = value(manole("search", "rent", str(papers), "--in", "copy4", "--json"))["results"]
    assert (alone["file"], alone["also"]) == ("copy4/lease.txt", [])
    shown = manole("search", "rent", str(papers), "--in", "copy4").stdout
    assert "950 euros" in shown
    assert "also in" not in shown


def test_search_on_the_screen(manole, indexed):
    done = manole("search", "notice period", indexed)
    assert "home/rental-contract.pdf, page 1" in done.stdout
    assert "Nothing found." in manole("search", "rent", indexed, "--in", "nowhere").stdout


def test_search_for_pages(manole, indexed):
    results = value(manole("search", "notice period", indexed, "--pages", "--json"))["results"]
    best = results[0]
    assert set(best) == {"file", "page", "score", "lines"}
    assert (best["file"], best["page"]) == ("home/rental-contract.pdf", 1)
    assert any("notice" in line["text"].lower() for line in best["lines"])
    assert all(len(line["box"]) == 4 for line in best["lines"])
    done = manole("search", "notice period", indexed, "--pages", "--limit", "1")
    assert "home/rental-contract.pdf, page 1" in done.stdout


@pytest.mark.parametrize("flag", [("--limit", "0"), ("--since", "yesterday")])
def test_search_refuses_senseless_options(manole, indexed, flag):
    assert manole("search", "rent", indexed, *flag).returncode == 2


# -- index, status, library, models ------------------------------------------------------------


def test_index_and_status_json(manole, tmp_path):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "good.md").write_text("# Good\n\nA good file.")
    (folder / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    first = value(manole("index", "papers", "--json"))
    assert (first["files"], first["added"]) == (2, 2)
    assert [p["file"] for p in first["problems"]] == ["bad.pdf"]
    again = value(manole("index", "papers", "--json"))
    assert (again["added"], again["unchanged"]) == (0, 2)
    files = {f["file"]: f for f in value(manole("status", "papers", "--json"))["files"]}
    assert files["good.md"]["status"] == "indexed"
    assert files["bad.pdf"]["status"] == "failed"
    assert files["bad.pdf"]["reason"]
    assert value(manole("index", "papers", "--reuse", "--json"))["files"] == 2


def test_library_json(manole, tmp_path):
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.txt").write_text("a")
    data = {"MANOLE_DATA_DIR": str(tmp_path / "data")}
    assert value(manole("library", "--json", **data)) == {"libraries": []}
    value(manole("index", "papers", "--json", **data))
    (listed,) = value(manole("library", "list", "--json", **data))["libraries"]
    assert listed["roots"] == [str(tmp_path / "papers")]
    assert listed["files"] == 1
    name = listed["name"]
    assert value(manole("library", "info", name, "--json", **data))["name"] == name
    # A library is found by its name too, or as the only one.
    assert value(manole("status", name, "--json", **data))["library"] == name
    assert value(manole("status", "--json", **data))["library"] == name
    assert value(manole("library", "remove", name, "--json", **data))["removed"]["name"] == name
    assert value(manole("library", "--json", **data)) == {"libraries": []}
    assert (tmp_path / "papers" / "a.txt").read_text() == "a"


def test_models_json_says_which_is_in_use(manole):
    listed = value(manole("models", "--json"))
    assert "smollm2-135m-instruct" in json.dumps(listed)
