"""Answers for programs that show Markdown: they lead nowhere, and remain readable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from manole.agent.conversations.markdown import HarmlessPieces, harmless

EVIL = [
    "![x](http://127.0.0.1:9/a)", "![x](//host/y)", "![x](http:/host/y)", "[a](javascript:b)",
    "![x][y]\n\n[y]: http://h/z", "[y]:\n http://h/z", '<img src="//h/y">', "<IMG\nsrc=x>",
    "<http://h/y>", "<!-- x -->", "<?x?>", "<a@b.c>", "<\x00img src=x>", "!\\[x](y)", "\\![x](y)",
    "[![x](y)](z)", "![x]\x00(y)", "[^y]: z", "![x](<http://h y>)", "]\u2028(x)", "`]`(x)",
]  # fmt: skip
LEADING = {"link_open", "image", "html_inline", "html_block"}
wild = st.one_of(
    st.lists(st.sampled_from(EVIL), max_size=5).map("".join),
    st.text(st.sampled_from(list("![]()<>:/\\`*_ \nabw.img\x00&")), max_size=40),
)


def kinds(markdown):
    tokens = MarkdownIt("commonmark", {"html": True}).parse(markdown)
    children = [child for token in tokens for child in token.children or []]
    return {token.type for token in (*tokens, *children)}


@pytest.mark.parametrize("text", EVIL)
def test_nothing_that_leads_elsewhere_is_left(text):
    assert not kinds(harmless(f"Before {text} after\n\n{text}")) & LEADING


@given(wild)
def test_nor_in_any_mixture(text):
    assert not kinds(harmless(text)) & LEADING


@given(st.lists(wild, max_size=4).map("".join), st.integers(1, 5))
def test_in_pieces_it_is_the_same(text, size):
    shown = HarmlessPieces()
    pieces = [shown.feed(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join([*pieces, shown.end()]) == harmless(text)


@pytest.mark.parametrize(
    "text",
    ["It costs **29.90 EUR** [1][2].", "- one\n- two (see [3])", "| a | b |\n|---|---|\n| 1 | 2 |",
     "a < b, c <5, [1] (page 2)", "my_file [final].pdf, line 3", "`code`", "10:30, C:\\x, and/or"],
)  # fmt: skip
def test_what_an_answer_may_have_stays_as_it_is(text):
    assert harmless(text) == text


def test_addresses_are_no_links_of_their_own():
    assert harmless("https://a.b www.x.y mailto:a@b.c") == "https:\\//a.b www\\.x.y mailto\\:a@b.c"
