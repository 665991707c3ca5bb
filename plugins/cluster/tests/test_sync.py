"""An index on object storage is what one machine makes of the same files, whoever reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from rays import RayCluster
from remote import remote, upload
from rows import assert_same, rows_of

from manole.errors import UsageError, WouldDropError
from manole.library import Library
from manole.settings import Settings
from manole_cluster.address import Address
from manole_cluster.bucket import Bucket
from manole_cluster.library import library_of, open_place

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize("by", ["this machine", "ray"])
async def test_it_equals_an_index_of_one_machine(
    by: str,
    documents: Address,
    bucket: Bucket,
    household: Path,
    at_home: Library,
    settings: Settings,
    ray_cluster: RayCluster,
) -> None:
    upload(household, bucket)
    async with remote(documents, settings, ray_cluster if by == "ray" else None) as library:
        report = await library.sync()
        assert report.added == len(await at_home.files())
        assert_same(await rows_of(library), await rows_of(at_home))
        again = await library.sync()
        assert (again.added, again.changed, again.passages, again.wrote) == (0, 0, 0, False)
        assert again.unchanged == report.added


async def test_documents_may_lie_in_a_folder_that_all_mount(
    documents: Address,
    household: Path,
    at_home: Library,
    settings: Settings,
    ray_cluster: RayCluster,
) -> None:
    index = str(documents / "index")
    async with library_of([str(household)], index, settings, ray=ray_cluster.address) as library:
        await library.sync()
        assert_same(await rows_of(library), await rows_of(at_home))
        hits = await library.search("rental contract", limit=1)
        assert library.resolve(hits[0].passage.path).is_relative_to(household)
    async with await open_place(index, settings) as library:
        assert library.places == (str(household),)


async def test_what_changes_is_followed(
    documents: Address, bucket: Bucket, settings: Settings
) -> None:
    for name in ("a.md", "b.md", "folder/c.md"):
        bucket.put(name, f"# {name}\n\nThe word of it is {name[-4]}-word.".encode())
    async with remote(documents, settings) as library:
        await library.sync()
        before = {file.path: file.id for file in await library.files()}
        bucket.put("a.md", b"# Another\n\nIt speaks of walnuts now.")
        bucket.remove("b.md")
        found = bucket.get("folder/c.md")
        assert found is not None
        bucket.put("elsewhere/d.md", found[0])
        bucket.remove("folder/c.md")
        report = await library.sync()
        assert (report.changed, report.deleted, report.renamed) == (1, 1, 1)
        files = {file.path: file for file in await library.files()}
        assert files.keys() == {"a.md", "elsewhere/d.md"}
        assert files["elsewhere/d.md"].id == before["folder/c.md"]
        hits = await library.search("walnuts")
        assert hits[0].passage.path == "a.md"
        store = await library.store()
        total, embedded = await store.count()
        assert total == embedded == sum(file.passages for file in files.values())


async def test_most_of_it_gone_is_asked_first(
    documents: Address, bucket: Bucket, settings: Settings
) -> None:
    for name in ("a.md", "b.md", "c.md"):
        bucket.put(name, name.encode())
    async with remote(documents, settings) as library:
        await library.sync()
        for name in ("a.md", "b.md"):
            bucket.remove(name)
        with pytest.raises(WouldDropError):
            await library.sync()
        assert len(await library.files()) == 3
        assert (await library.sync(yes=True)).deleted == 2


async def test_the_rules_of_a_folder_hold(
    documents: Address, bucket: Bucket, settings: Settings
) -> None:
    for name in (
        "kept.md", "+plus.md", ".hidden.md", "id_rsa", "node_modules/x.md", ".git/y.md",
        "drafts/z.md", "inner/out.log", "inner/in.md", "~$open.docx",
    ):  # fmt: skip
        bucket.put(name, b"words")
    bucket.put(".gitignore", b"drafts/\n")
    bucket.put("inner/.manoleignore", b"*.log\n")
    async with remote(documents, settings) as library:
        await library.sync()
        found = {file.path for file in await library.files()}
        assert found == {"+plus.md", "kept.md", "inner/in.md"}
        library.exclude(["kept.md"])
        assert (await library.sync()).deleted == 1


async def test_opened_to_answer_it_is_not_written(
    documents: Address, bucket: Bucket, settings: Settings
) -> None:
    bucket.put("a.md", b"words")
    async with remote(documents, settings) as library:
        await library.sync()
    async with await open_place(str(documents), settings) as library:
        assert library.name.startswith("documents-")
        assert [hit.passage.path for hit in await library.search("words")] == ["a.md"]
        assert library.resolve("a.md").read_bytes() == b"words"
        bucket.put("a.md", b"other words")
        assert library.resolve("a.md").read_bytes() == b"other words"
        for wrong in ("../a.md", "/etc/passwd", "missing.md"):
            with pytest.raises(UsageError):
                library.resolve(wrong)
        with pytest.raises(UsageError, match="manole index"):
            await library.sync()
