"""Every language has every sentence that code writes for people, with its values."""

from __future__ import annotations

import ast
import re
import tomllib

import pytest
from written import OPEN, PACKAGES, ROOT, modules, tree

from manole import hooks
from manole.models.catalog.table import CATALOG
from manole.sentences import LANGUAGES, catalog

OTHERS = [language for language in LANGUAGES if language != "en"]
VALUE = re.compile(r"\{(\w+)(?:!t)?\}")
CODE = re.compile(r"`[^`]*`|--\S+")
OPENED = re.compile(r"70\d\d")
ADDED = re.compile(r"(?<=\w)70\d\d|^70\d\d (?=[A-Z])")  # a part, or a sentence, of its own
# What only programs read, or who measures Manole: protocols, `manole eval`, and the extras that run
# on clusters. The help texts of commands are English as well.
ENGLISH = (
    "src/manole/serve/http/routes/openai.py",
    *(f"plugins/{name}/" for name in ("cluster", "colqwen", "evaluate", "mcp", "stdio")),
)
# Sentences of which a value is a word: what they are with each word stands in the catalogs. And
# what answers a question by itself, which is said in the question's language or not at all.
WORDED = {
    "the 7001 7003 is at hand", "the 7001 7003 is not at hand", " builds it again from your files.",
    "7000; until then what is searched for is sent there", "7000 hashes it. gets it anew.",
    "7000 entries 7002:\n7001", "There 7001 7003.",
    "7000 with “7002” in the name:\n70017001", "{num_objects} pages: 7001", "this one",
    "7000 confidence", "7000; this one", "7000.name = 7002 is no 7004.", "Known are 7001; or 7003.",
    "The 7001 cannot be loaded: 7003.",
}  # fmt: skip
# Names that are no sentences, and codes.
NAMES = re.compile(r"[a-z_]+|pip install .*|[^A-Za-z]*|`[^`]*`|.*%s.*")


def sentences() -> dict[str, str]:
    """Each sentence, and the first place that says it."""
    found: dict[str, str] = {}
    for module in modules(ENGLISH):
        for line, text in module.sentences():
            if not NAMES.fullmatch(text.strip()) and text not in WORDED:
                found.setdefault(text, f"{module.path.relative_to(ROOT)}:{line}")
    return found


@pytest.fixture(scope="module", autouse=True)
def _every_plugin() -> None:
    for package in PACKAGES[1:]:
        hooks.LOADED[package.name] = None


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    found = sentences()
    assert len(found) > 500
    return found


@pytest.mark.parametrize("language", OTHERS)
def test_has_every_sentence(language: str, written: dict[str, str]) -> None:
    lacking = [
        f"{place}: {text}" for text, place in written.items() if told(language, text) is None
    ]
    assert lacking == []


@pytest.mark.parametrize("language", OTHERS)
def test_describes_every_model(language: str) -> None:
    texts = {text for spec in CATALOG.values() for text in (spec.description, spec.pinned_by)}
    assert [text for text in texts if text and catalog(language).sentence(text) is None] == []


@pytest.mark.parametrize("language", OTHERS)
def test_says_every_value(language: str, written: dict[str, str]) -> None:
    lost = [
        (text, said)
        for text in written
        if (said := told(language, text))
        and set(OPENED.findall(first(text))) - set(OPENED.findall(said))
    ]
    assert lost == []


@pytest.mark.parametrize("language", OTHERS)
def test_leaves_no_english_between_the_values(language: str, written: dict[str, str]) -> None:
    english = re.compile(
        r"\b(?:the|and|of|to|for|is|it|its|are|has|have|not|what|that|this|with)\b"
    )
    left = [
        said for text in written if english.search(CODE.sub("", said := told(language, text) or ""))
    ]
    assert left == []


@pytest.mark.parametrize("language", OTHERS)
def test_holds_no_sentence_of_words_that_no_code_says(language: str) -> None:
    code = "\n".join(constants()).lower()
    for key in read(language)["sentences"]:
        words = re.findall(r"[a-z]{4,}", VALUE.sub("", key).lower())
        assert [word for word in words if word not in code] == [], key


@pytest.mark.parametrize("language", OTHERS)
def test_values_of_a_sentence_are_those_of_its_key(language: str) -> None:
    given = read(language)
    for key, said in [*given["sentences"].items(), *given["words"].items()]:
        assert set(VALUE.findall(said)) == set(VALUE.findall(key)), key
        assert "!t" not in key
    open_ = [key for key in given["sentences"] if re.search(r"\{\w\w", key)]
    assert [key for key in open_ if len(re.sub(r"\{\w+\}|\W", "", key)) < 2] == []


def told(language: str, text: str) -> str | None:
    """How a language says it: whole, its first line, without what is added, or as a phrase."""
    known = catalog(language)
    whole = known.sentence(text) or known.sentence(text.partition("\n")[0])
    whole = whole or known.sentence(first(text))
    phrase = known.phrase(text)
    return whole or (phrase if phrase != text else None)


def first(text: str) -> str:
    """Its first line, without what is added to it."""
    return ADDED.sub("", text.partition("\n")[0])


def read(language: str) -> dict[str, dict[str, str]]:
    """Everything that the core and the plug-ins that ship with it say in a language."""
    whole: dict[str, dict[str, str]] = {}
    places = [PACKAGES[0] / "sentences", *PACKAGES[1:]]
    for file in (place / f"{language}.toml" for place in places):
        if not file.is_file():
            continue
        for part, given in tomllib.loads(file.read_text("utf-8")).items():
            whole.setdefault(part, {}).update(given)
    return whole


def constants() -> list[str]:
    """Every text in the code."""
    nodes = (
        node
        for package in PACKAGES
        for path in package.rglob("*.py")
        for node in ast.walk(tree(path))
    )
    return [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def test_a_value_left_open_is_a_number() -> None:
    assert OPENED.fullmatch(OPEN.format(3))
