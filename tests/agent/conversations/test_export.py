"""Exports: Markdown that shows the text and nothing else, JSON that is read again."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agent.conversations.exported import read_json
from agent.conversations.samples import FULL, events, say, texts
from manole.agent.conversations.export import as_json, as_markdown
from manole.agent.conversations.model import CONTROL, Conversation, Turn, one_line, writable
from manole.agent.events import Complete, Source, Token

NOW = datetime(2025, 1, 15, 12, 30, tzinfo=UTC)
EVIL = [
    "<script>alert(1)</script>", "[click](javascript:alert(1))", "![x](file:///etc/passwd)",
    "# no heading", "```\ncode\n```", "    indented", "1. one\n2) two", "- a\n+ b\n* c",
    "a\n===\nb\n---", "> quote", "| a | b |\n|---|---|\n| 1 | 2 |", "<!-- ", "&lt;b&gt; &amp;",
    "*a* _b_ ~~c~~ `d`", "\\*a\\*", "[a]: /b\n\n[a]", "https://127.0.0.1/x www.x.y",
    "{: onclick=x}", "<a@b.c>", "\u2028# x", "a\r# b", "***", "\ttab", "!!! note", "<div\n>x</div>",
    "a  \nb\\\nc", "\x1b[31mred", "\u202eturned",
]  # fmt: skip
wild = st.one_of(
    st.text(st.sampled_from(list("#*_`[]()<>!-+=|~&;:/\\{}.1a \n\t\"'@^$")), max_size=40),
    st.lists(st.sampled_from(EVIL), max_size=4).map("\n".join),
    texts,
)


def conversation(title="A title", turns=1):
    return Conversation("a" * 14, title, NOW, NOW, turns)


def turn(question, answer, *, quote="", file="a.pdf", scope=None, comment=None):
    source = Source(n=1, file=file, page=2, line=3, quote=quote)
    end = Complete(answer=answer, sources=[source])
    return Turn(1, question, scope, NOW, (end,), "up" if comment else None, comment)


def words(text):
    """`text` without what no reader shows, blanks aside."""
    return CONTROL.sub("", writable(text).replace("\r", "\n")).split()


MARKERS = re.compile(r"(?:^|(?<=[\n\r]))(?:[-*]|\d{1,9}\.) +(?=\S)")  # of lists


def bare(found):
    """Words without what makes cells of them, or bold type."""
    return [plain for word in found if (plain := re.sub(r"[|*]", "", word)) and plain.strip(":-")]


def parsed(markdown):
    """The kinds of blocks, and each one's text as it is shown."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(markdown)
    shown, kinds = [], {token.type for token in tokens}
    for token in tokens:
        if token.type == "inline":
            kinds |= {child.type for child in token.children}
            shown.append("".join(
                child.content or ("\n" if child.type.endswith("break") else "")
                for child in token.children
            ))  # fmt: skip
    return kinds, shown


ALLOWED = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text",
    "em_open", "em_close", "strong_open", "strong_close", "hardbreak", "softbreak",
    "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "text_special",
    *(f"{tag}_{end}" for tag in ("ordered_list", "table", "thead", "tbody", "tr", "th", "td")
      for end in ("open", "close")),
}  # fmt: skip


@given(wild, wild, wild, wild)
@example(*["\n\n".join(EVIL)] * 4)
def test_no_text_breaks_the_markdown(title, question, answer, quote):
    markdown = as_markdown(
        conversation(title),
        [turn(question, answer, quote=quote, file=title, scope=quote or None, comment=question)],
    )
    kinds, shown = parsed(markdown)
    assert kinds <= ALLOWED
    assert "<" not in markdown.replace("&lt;", "")
    said = [" ".join(block.split()) for block in shown]
    assert said[0].split() == words(one_line(title))
    assert said[2].split() == ["1.", *words(one_line(question))]
    sources = said.index("Sources")
    answered = [word for block in said[4:sources] for word in block.split()]
    assert bare(answered) == bare(words(MARKERS.sub("", answer)))
    place = f"[1] {one_line(title)}, page 2, line 3"
    quoted = f": “{one_line(quote)}”" if quote.strip() else ""
    assert said[sources + 1].split() == words(place + quoted)
    assert len(said) == sources + (3 if question else 2)


def test_markdown_as_it_is_read(store):
    id = store.create().id
    n = store.begin(id, "What is the *rent*?", "home")
    for event in FULL:
        store.append(id, n, event)
    say(store, id, "And then?", events=[Token(content="It beg")])
    store.rate(id, 1, "down", "too <short>")
    lines = store.export(id, "markdown").splitlines()
    assert lines[0] == "# What is the \\*rent\\*?"
    assert "The rent is 900. [1]" in lines
    assert "- [1] home/rent.pdf, page 2, lines 3 to 5: “rent: 900”" in lines
    assert "*Rated down: too &lt;short&gt;.*" in lines
    assert lines[-3:] == ["It beg", "", "*This answer was not finished.*"]


def test_lines_and_paragraphs_stay():
    markdown = as_markdown(conversation(), [turn("q", "One:\n  - a\n  - b\n\n\nTwo\x07.\n")])
    assert "One:  \n&nbsp;&nbsp;\\- a  \n&nbsp;&nbsp;\\- b\n\nTwo.\n\n**Sources**" in markdown


def test_lists_tables_bold_words_and_numbers_of_sources_are_markdown():
    answer = (
        "The rent is **1,455.00 EUR** [1].\n- since [October](//x)\n- with *heating*\n"
        "1. sign\n2. send\n\n| a_b | c |\n| --- | --- |\n| 1 [2] | <b> |\nnever | more"
    )
    markdown = as_markdown(conversation(), [turn("q", answer)])
    assert (
        "The rent is **1,455.00 EUR** [1].\n\n- since \\[October\\](//x)\n- with \\*heating\\*\n"
        "1. sign\n2. send\n\n| a_b | c |\n| --- | --- |\n| 1 [2] | &lt;b&gt; |\n\nnever \\| more\n"
    ) in markdown


def test_sources_that_nothing_cites_are_called_so():
    end = Complete(answer="I could not find it.", sources=[Source(n=1, file="a", cited=False)])
    markdown = as_markdown(conversation(), [Turn(1, "q", None, NOW, (end,))])
    assert markdown.endswith("**Nearest passages**\n\n- [1] a\n")


@given(st.lists(st.lists(events, max_size=4), max_size=3), texts, texts)
def test_json_holds_everything(turns, question, comment):
    kept = [
        Turn(n, question, None, NOW, tuple(emitted), "down", comment)
        for n, emitted in enumerate(turns, start=1)
    ]
    text = as_json("papers", conversation(turns=len(kept)), kept)
    text.encode("utf-8")
    assert read_json(text) == (conversation(turns=len(kept)), kept)


def test_json_of_a_store_is_read_again(store):
    id = store.create().id
    say(store, id, "What is the rent?", events=FULL)
    text = store.export(id, "json")
    assert read_json(text) == (store.get(id), store.turns(id))
    value = json.loads(text)
    assert (value["format"], value["version"], value["library"]) == (
        "manole-conversation", 1, "papers",
    )  # fmt: skip
    assert value["turns"][0]["answer"] == "The rent is 900. [1]"
    assert value["turns"][0]["events"] == [json.loads(event.model_dump_json()) for event in FULL]
