"""The file tools over the household, compared with the folder itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from manole.documents.born import created
from manole.index.search.scope import Scope
from manole.library import Library
from manole.text.question import Question
from manole.tools.base import Error, TurnState
from manole.tools.files import FileMetadata, ListInputs, StatsInputs, TreeInputs


def files_of(result):
    return [item.file for item in result.objects]


def changed(path):
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).date()


# -- count_files -------------------------------------------------------------------------------


async def test_counts_every_file(run, on_disk):
    result = await run("count_files")
    assert result.metadata["count"] == len(on_disk)
    assert f"{len(on_disk)} files" in result.message
    assert result.answers
    types = Counter(path.suffix for path in on_disk.values())
    for extension, count in types.items():
        assert f"{count} {extension}" in result.message


@pytest.mark.parametrize("written", ["pdf", ".pdf", "PDF", "*.pdf", "pdfs", "PDFs"])
async def test_an_extension_may_be_written_in_any_way(run, on_disk, written):
    count = sum(path.suffix == ".pdf" for path in on_disk.values())
    result = await run("count_files", extension=written)
    assert result.metadata["count"] == count
    assert f"{count} PDF files" in result.message


@pytest.mark.parametrize(
    ("kind", "extensions"),
    [
        ("images", {".jpg", ".png"}),
        ("photo", {".jpg", ".png"}),
        ("spreadsheets", {".xlsx", ".csv"}),
        ("presentations", {".pptx"}),
        ("word documents", {".docx", ".rtf"}),
        ("e-mails", {".eml"}),
        ("markdown files", {".md"}),
        ("contacts", {".vcf"}),
    ],
)
async def test_a_kind_stands_for_its_extensions(run, on_disk, kind, extensions):
    count = sum(path.suffix in extensions for path in on_disk.values())
    assert (await run("count_files", extension=kind)).metadata["count"] == count


async def test_counts_what_was_changed_in_a_time(run, on_disk):
    for year in (2022, 2023, 2024):
        count = sum(changed(path).year == year for path in on_disk.values())
        result = await run("count_files", time_filter=str(year))
        assert result.metadata["count"] == count
        assert f"in {year}" in result.message


async def test_relative_times_count_from_the_turns_day(run, on_disk):
    # The turn's day is 15 January 2025; 30 days before is 16 December 2024.
    recent = [p for p, path in on_disk.items() if str(changed(path)) >= "2024-12-16"]
    result = await run("count_files", time_filter="last 30 days")
    assert set(files_of(result)) == set(recent)
    assert recent


async def test_filters_add_up(run, on_disk):
    expected = {
        p
        for p, path in on_disk.items()
        if p.startswith("invoices/") and path.suffix == ".pdf" and changed(path).year == 2024
    }
    result = await run("count_files", extension="pdf", time_filter="2024", folder="invoices")
    assert set(files_of(result)) == expected
    assert 0 < len(expected) < 12


async def test_counts_by_name_and_by_folder(run):
    assert (await run("count_files", name="electricity bill")).metadata["count"] == 3
    assert (await run("count_files", folder="Recipes")).metadata["count"] == 4
    assert (await run("count_files", folder="photos")).metadata["count"] == 3


async def test_none_is_an_answer_too(run):
    result = await run("count_files", extension="mp4")
    assert result.metadata["count"] == 0
    assert "no MP4 files" in result.message
    assert result.answers


async def test_one_file_is_said_in_the_singular(run):
    assert "There is 1 presentation." in (await run("count_files", extension="slides")).message


# -- list_files --------------------------------------------------------------------------------


async def test_lists_the_newest_first_by_default(run, on_disk):
    result = await run("list_files", limit=1000)
    dates = [changed(on_disk[p]) for p in files_of(result)]
    assert dates == sorted(dates, reverse=True)
    assert set(files_of(result)) == set(on_disk)


@pytest.mark.parametrize("order", ["ascending", "descending"])
async def test_sorts_by_size_both_ways(run, on_disk, order):
    result = await run("list_files", sort_by="size", order=order, limit=1000)
    sizes = [on_disk[p].stat().st_size for p in files_of(result)]
    assert sizes == sorted(sizes, reverse=order == "descending")


async def test_sorts_by_name_from_a_to_z(run):
    part = await run("list_files", sort_by="name", limit=2)
    assert part.message.startswith(f"The first 2 of {part.metadata['count']} files by name:\n")
    names = files_of(await run("list_files", sort_by="name", limit=1000))
    assert names == sorted(names, key=str.lower)


async def test_sorts_by_the_documents_own_date(run):
    result = await run("list_files", sort_by="document_date", folder="journal", limit=1)
    assert files_of(result) == ["journal/2024-12-08.md"]


@pytest.mark.parametrize("limit", [1, 3, 10])
async def test_limit_cuts_the_list_and_the_total_is_told(run, on_disk, limit):
    result = await run("list_files", extension="pdf", limit=limit)
    assert len(result.objects) == limit
    assert result.metadata["count"] == sum(path.suffix == ".pdf" for path in on_disk.values())
    assert all(name in result.message for name in files_of(result))


async def test_the_one_largest_file_is_named_with_its_size(run, on_disk):
    largest = max(on_disk, key=lambda p: on_disk[p].stat().st_size)
    result = await run("list_files", sort_by="size", limit=1)
    assert result.message.startswith("The largest file: " + largest)
    assert f"{on_disk[largest].stat().st_size / 1000:.1f} kB" in result.message


async def test_a_list_shows_dates_and_sizes(run):
    result = await run("list_files", folder="recipes")
    assert "recipes/pancakes.md" in result.message
    assert "2023-02-19" in result.message
    assert result.message.startswith("4 files")


async def test_an_empty_list_says_so(run):
    result = await run("list_files", extension="videos")
    assert result.message == "There are no videos."
    assert result.answers


async def test_a_name_that_no_file_has_does_not_settle_the_question(run):
    assert not (await run("list_files", name="unicorn")).answers


@pytest.mark.parametrize(
    "bad", [{"limit": 0}, {"limit": 1001}, {"sort_by": "colour"}, {"order": "up"}, {"sise": 1}]
)
def test_list_inputs_refuse_what_is_out_of_range(bad):
    with pytest.raises(ValidationError):
        ListInputs(**bad)


# -- grep_files --------------------------------------------------------------------------------


async def test_greps_names(run, on_disk):
    result = await run("grep_files", pattern="invoice")
    assert set(files_of(result)) == {p for p in on_disk if "invoice" in p}
    assert all(p in result.message for p in files_of(result))


@pytest.mark.parametrize("pattern", ["*.eml", "*2024*", "rental-contract.???"])
async def test_greps_globs(run, on_disk, pattern):
    from fnmatch import fnmatch

    expected = {p for p in on_disk if fnmatch(p.rsplit("/", 1)[-1], pattern)}
    assert set(files_of(await run("grep_files", pattern=pattern))) == expected
    assert expected


@pytest.mark.parametrize("pattern", ["Floor Plan", "floor_plan", "FLOOR-PLAN", "floor plans"])
async def test_case_plural_and_joints_do_not_matter(run, pattern):
    assert files_of(await run("grep_files", pattern=pattern)) == ["home/floor-plan.png"]


async def test_grep_without_a_match_suggests_a_search(run):
    outcome = await run("grep_files", pattern="unicorn")
    assert isinstance(outcome, Error)
    assert "unicorn" in outcome.message
    assert "semantic_search" in outcome.suggestion
    assert outcome.recoverable


# -- file_metadata -----------------------------------------------------------------------------


async def test_metadata_of_one_file(run, on_disk):
    result = await run("file_metadata", name_hint="rental-contract.pdf")
    assert files_of(result) == ["home/rental-contract.pdf"]
    (item,) = result.objects
    assert item.size == on_disk["home/rental-contract.pdf"].stat().st_size
    assert f"{item.size:,} bytes" in result.message
    assert "2022-02-04" in result.message
    assert "pages" in result.message


async def test_metadata_has_three_dates_that_cannot_be_mixed_up(tmp_path, session_settings):
    path = tmp_path / "manual.md"
    path.write_text("# Manual\n\nDate: 1 October 2021\n\nThe boiler.\n")
    os.utime(path, (1_600_000_000, 1_600_000_000))  # 13 September 2020
    async with await Library.open(tmp_path, session_settings) as library:
        await library.sync()
        state = TurnState(Question("?", date(2025, 1, 15)), library, session_settings)
        tool = FileMetadata()
        (told,) = [o async for o in tool(state, tool.inputs(name_hint="manual"))]
        assert "The file was last modified on 2020-09-13" in told.message
        assert "The document itself is dated 2021-10-01" in told.message
        (file,) = told.objects
        assert file.created == created(path)
        day = f"created on this disk on {file.created:%Y-%m-%d}" if file.created else ""
        assert day in told.message
        path.write_text("another one by now")
        (told,) = [o async for o in tool(state, tool.inputs(name_hint="manual"))]
        assert told.objects[0].created is None
        assert "created" not in told.message
        assert "created" not in told.objects[0].to_json()


@pytest.mark.skipif(sys.platform != "linux", reason="asks GNU stat")
def test_a_files_creation_is_what_the_system_says_or_nothing(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    said = int(subprocess.run(["stat", "-c", "%W", path], capture_output=True, check=True).stdout)
    born = created(path)
    assert (int(born.timestamp()) if born else 0) == said
    assert created(tmp_path / "gone.txt") is None
    assert created(Path("/proc/self/stat")) is None  # this file system knows none


async def test_metadata_by_some_words_of_the_name(run):
    assert files_of(await run("file_metadata", name_hint="the vet record"))[0] == (
        "health/vet-record-pippa.rtf"
    )


async def test_metadata_gives_at_most_five(run):
    assert len((await run("file_metadata", name_hint="invoice")).objects) == 5


async def test_metadata_without_a_match_suggests_a_search(run):
    outcome = await run("file_metadata", name_hint="unicorn")
    assert isinstance(outcome, Error)
    assert "unicorn" in outcome.message
    assert outcome.suggestion


# -- directory_tree, folder_stats, disk_usage --------------------------------------------------


def folders_on(on_disk, depth):
    counts: Counter[str] = Counter()
    for path in on_disk:
        parts = path.split("/")[:-1]
        counts.update("/".join(parts[: i + 1]) for i in range(len(parts)))
    return {folder: n for folder, n in counts.items() if folder.count("/") < depth}


@pytest.mark.parametrize("depth", [1, 2, 20])
async def test_tree_down_to_a_depth(run, on_disk, depth):
    result = await run("directory_tree", max_depth=depth)
    shown = {item.folder: item.files for item in result.objects}
    assert shown == folders_on(on_disk, depth)
    for folder in shown:
        assert folder.rsplit("/", 1)[-1] + "/" in result.message


async def test_tree_tells_of_files_beside_the_folders(run, on_disk):
    beside = sum("/" not in p for p in on_disk)
    assert f"{beside} files beside the folders" in (await run("directory_tree")).message
    assert (await run("directory_tree")).message.startswith("household/")


@pytest.mark.parametrize("depth", [0, 21])
def test_tree_refuses_senseless_depths(depth):
    with pytest.raises(ValidationError):
        TreeInputs(max_depth=depth)


def totals_on(on_disk):
    totals: dict[str, list[int]] = {}
    for p, path in on_disk.items():
        entry = totals.setdefault(p.rpartition("/")[0] or ".", [0, 0])
        entry[0] += 1
        entry[1] += path.stat().st_size
    return totals


@pytest.mark.parametrize(("sort_by", "field"), [("size", "size"), ("count", "files")])
async def test_folder_stats_agree_with_the_disk(run, on_disk, sort_by, field):
    result = await run("folder_stats", sort_by=sort_by, limit=1000)
    shown = {item.folder: [item.files, item.size] for item in result.objects}
    assert shown == totals_on(on_disk)
    values = [getattr(item, field) for item in result.objects]
    assert values == sorted(values, reverse=True)


async def test_folder_stats_by_name_and_limited(run, on_disk):
    result = await run("folder_stats", sort_by="name", limit=3)
    assert [item.folder for item in result.objects] == sorted(totals_on(on_disk))[:3]
    assert result.message.count("\n") == 2


@pytest.mark.parametrize("bad", [{"limit": 0}, {"sort_by": "date"}])
def test_folder_stats_refuse_what_is_out_of_range(bad):
    with pytest.raises(ValidationError):
        StatsInputs(**bad)


async def test_disk_usage_agrees_with_the_disk(run, on_disk):
    result = await run("disk_usage")
    total = sum(path.stat().st_size for path in on_disk.values())
    assert result.metadata["total_bytes"] == total
    assert f"{total / 1000:.1f} kB in {len(on_disk)} files" in result.message
    by_type = Counter()
    for path in on_disk.values():
        by_type[path.suffix] += path.stat().st_size
    assert {item.type: item.size for item in result.objects} == by_type
    assert result.objects[0].type == by_type.most_common(1)[0][0]


# -- scope -------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["count_files", "list_files", "directory_tree", "disk_usage"])
async def test_nothing_outside_the_scope_is_seen(run, state, tool):
    state.scope = Scope(("recipes",))
    result = await run(tool)
    seen = [item.to_json() for item in result.objects]
    names = [item.get("file") or item.get("folder") or "recipes/" for item in seen]
    assert all(name.startswith("recipes") for name in names)
    assert "4" in result.message


async def test_a_scope_is_a_whole_folder_or_one_file(run, state):
    state.scope = Scope(("rec",))
    assert (await run("count_files")).metadata["count"] == 0
    state.scope = Scope(("contacts.vcf",))
    assert (await run("count_files")).metadata["count"] == 1
    state.scope = Scope(("recipes",))
    assert isinstance(await run("grep_files", pattern="invoice"), Error)
    assert isinstance(await run("file_metadata", name_hint="rental contract"), Error)


async def test_folder_stats_of_nothing_is_an_error(run, state):
    state.scope = Scope(("nowhere",))
    assert isinstance(await run("folder_stats"), Error)
