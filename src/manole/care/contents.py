"""Checks of the tables of an index that can be opened: rows, vectors, versions, indexes."""

from __future__ import annotations

from pathlib import Path

from manole.care.findings import REPAIR, Finding, Fix, command, good, problem, warning
from manole.care.languages import in_words, offer
from manole.index.store.lance_tables import WORDS
from manole.index.store.languages import estimated
from manole.index.store.libraries import LibraryInfo
from manole.index.store.opening import open_store
from manole.index.store.protocol import Store
from manole.index.store.rows import are_whole
from manole.index.store.upkeep import TableState, put_in_order, sampled_vectors, states
from manole.models.endpoints import chosen_embedder
from manole.models.weights.files import human_size
from manole.settings import Settings
from manole.text.counted import counted

# The bounds of a healthy index, all set by hand.
OLD_VERSIONS = 200
OLD_BYTES = 100 * 10**6  # and more than the live data
FRAGMENTS = 200
UNFOLDED = 10_000  # rows outside the full-text index, which slow a search down
LEAST_RECALL = 0.97  # of the vector index
SAMPLE = 2000  # vectors that a quick check reads


async def check_contents(
    topic: str, info: LibraryInfo, settings: Settings, again: str, mend: Fix, *, thorough: bool
) -> list[Finding]:
    """Check the tables of an index without damage.

    `again` is the command of a sync, and `mend` puts tables in order. Raises `StoreError`,
    `IndexVersionError`.
    """
    store = await open_store(info.path)
    try:
        found = await _rows(topic, info, store, again)
        found += _embedder(topic, store, settings)
        found += await _languages(topic, info, store, settings)
        found += await _vectors(topic, info, store, thorough)
        found += await _vector_index(topic, store, again)
    finally:
        await store.close()
    for table in await states(info.path):
        found += _room(topic, info.path, table, mend)
        if table.name == "passages":
            found += _words(topic, info, table)
    return found


async def _rows(topic: str, info: LibraryInfo, store: Store, again: str) -> list[Finding]:
    """Check whether files, passages and pages fit each other, and which wait for vectors."""
    place = info.path / "tables"
    files = len(await store.files())
    passages, embedded = await store.count()
    pages, seen = await store.pages.count()
    misfits, orphans = await store.stale()
    found = [
        good(topic, f"{counted(files, 'file')}, {counted(passages, 'passage')} can be read", place)
    ]
    if misfits or orphans:
        text = f"{len(misfits | orphans)} files do not fit their passages or pages"
        found.append(warning(topic, text, place, f"{again} reads them again."))
    for what, waiting, total in (
        ("passages", passages - embedded, passages),
        ("pages", pages - seen, pages),
    ):
        if waiting:
            text = f"{waiting} of {total} {what} have no vector yet: found by their words only"
            found.append(warning(topic, text, place, f"{again} goes on."))
    return found


def _embedder(topic: str, store: Store, settings: Settings) -> list[Finding]:
    wanted = chosen_embedder(settings, store.embedder)
    if wanted.startswith("openai:"):  # the address may be the chat model's
        same = store.embedder.startswith(wanted.partition("@")[0])
    else:
        same = store.embedder == wanted
    if same:
        return []
    text = f"made with the embedder {store.embedder}; the next sync embeds it all with {wanted}"
    if store.embedder.startswith("openai:"):
        text = f"{text}; until then what is searched for is sent there"
    undo = command("manole", "--set", f"index.embedder={store.embedder}", "index", "...")
    return [warning(topic, text, "index.embedder", f"If you do not mean that: {undo}")]


async def _languages(
    topic: str, info: LibraryInfo, store: Store, settings: Settings
) -> list[Finding]:
    """Check the languages of the passages, and whether the embedder is one for them."""
    languages, (passages, _) = await estimated(store), await store.count()
    if not languages.shares:
        return []
    advice = offer(languages, passages, store.embedder, info.roots, settings)
    if advice is not None:
        return [warning(topic, advice[0], "index.embedder", advice[1])]
    return [good(topic, f"languages of its passages: {in_words(languages.shares)}")]


async def _vectors(topic: str, info: LibraryInfo, store: Store, thorough: bool) -> list[Finding]:
    """Check whether vectors are finite and of length 1: all of them, or a sample."""
    looked = wrong = 0
    if thorough:
        async for part in store.scan_contents():
            looked += len(part.vectors)
            wrong += len(part.vectors) - int(are_whole(part.vectors).sum())
    else:
        sample = await sampled_vectors(info.path, SAMPLE)
        looked, wrong = len(sample), len(sample) - int(are_whole(sample).sum())
    if not wrong:
        return (
            [good(topic, f"{counted(looked, 'vector')} looked at, all of length 1")]
            if looked
            else []
        )
    text = f"{wrong} of {looked} vectors are not of length 1"
    rebuild = command("manole", "index", "--force", roots=info.roots)
    again = f"{rebuild} makes them anew."
    return [problem(topic, text, info.path / "tables" / "passages.lance", again)]


def _room(topic: str, path: Path, table: TableState, mend: Fix) -> list[Finding]:
    """Check for old versions and small parts, which the end of a sync removes."""
    place = path / "tables" / f"{table.name}.lance"
    spare = table.disk - table.live
    old = human_size(max(spare, 0))
    kept = f"{table.name}: {human_size(table.disk)}, of which {old} for old versions"
    if table.old > OLD_VERSIONS or (table.old and spare > max(OLD_BYTES, table.live)):
        text = f"{kept} ({table.old} of {table.versions} can go)"
        return [warning(topic, text, place, f"{REPAIR} removes them.", mend)]
    if table.fragments > FRAGMENTS:
        text = f"{table.name}: its {table.rows} rows lie in {table.fragments} parts"
        return [warning(topic, text, place, f"{REPAIR} joins them.", mend)]
    return [good(topic, f"{kept} ({table.versions} versions)", place)]


def _words(topic: str, info: LibraryInfo, table: TableState) -> list[Finding]:
    """Check the full-text index."""
    place = info.path / "tables" / "passages.lance"
    index = next((item for item in table.indexes if WORDS in item.columns), None)
    if index is None:
        text = "there is no full-text index: a search by words fails or is slow"
        return [problem(topic, text, place, f"{REPAIR} makes it.", _words_fix(info))]
    if index.rows + index.missing != table.rows or index.missing > UNFOLDED:
        text = f"the full-text index has {index.rows} of {table.rows} passages"
        return [warning(topic, text, place, f"{REPAIR} makes it anew.", _words_fix(info))]
    later = f", {index.missing} are looked through beside it" if index.missing else ""
    return [good(topic, f"the full-text index has {counted(index.rows, 'passage')}{later}")]


def _words_fix(info: LibraryInfo) -> Fix:
    """Return the fix that rebuilds the full-text index."""

    async def run() -> str:
        await put_in_order(info.path, words=True)
        return f"{info.name}: its full-text index was made anew."

    return Fix(f"words {info.name}", run)


async def _vector_index(topic: str, store: Store, again: str) -> list[Finding]:
    """Check the approximate vector index, if there is one, and its recall."""
    index = await store.vector_index()
    if index is None:
        return []
    text = f"the vector index ({index.kind}) has {index.indexed} of {index.rows} vectors"
    tuned = index.tuned
    if tuned is None:
        return [warning(topic, f"{text}; its recall is not known", "", f"{again} measures it.")]
    text += f" and finds {tuned.recall:.1%} of the true ten best ({tuned.samples} questions)"
    if tuned.recall < LEAST_RECALL:
        return [warning(topic, text, "", f"{again} --force makes it anew.")]
    return [good(topic, text)]
