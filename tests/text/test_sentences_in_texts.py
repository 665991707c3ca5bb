"""Where sentences end."""

from __future__ import annotations

import pytest

from manole.text.sentences import ends, sentences, spans


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("It rained. We stayed.", ["It rained.", "We stayed."]),
        ("Dr. Vogt called. Frau Prof. Lind, too.", ["Dr. Vogt called.", "Frau Prof. Lind, too."]),
        ("Fällig am 5. Mai 2024. Danke.", ["Fällig am 5. Mai 2024.", "Danke."]),
        ("Vom 3. 4. 2024 an. 12 Personen.", ["Vom 3. 4. 2024 an.", "12 Personen."]),
        ("Obst, z. B. Äpfel. Und no. 5.", ["Obst, z. B. Äpfel.", "Und no. 5."]),
        ("She said no. Then she left.", ["She said no.", "Then she left."]),
        ("It has 60 °C. Test it.", ["It has 60 °C.", "Test it."]),
        ("Paid to Acme Inc. The rest is due.", ["Paid to Acme Inc.", "The rest is due."]),
        ("1. Pay the bill. 2 weeks are left.", ["1. Pay the bill.", "2 weeks are left."]),
        ("“Stay!” (They did.) Fine.", ["“Stay!”", "(They did.)", "Fine."]),
        ("今日は雨。明日は晴れ！", ["今日は雨。", "明日は晴れ！"]),
        ("A title\n\nA line\ngoes on.\n- item", ["A title", "A line\ngoes on.", "- item"]),
        ("", []),
    ],
)  # fmt: skip
def test_a_text_is_taken_apart_where_its_sentences_end(text, parts):
    assert sentences(text) == parts


def test_a_small_letter_begins_a_sentence_only_where_capitals_are_not_kept():
    text = "we went out. then it rained, wind etc. and so on."
    assert sentences(text) == [text]
    assert sentences(text, small=True) == ["we went out.", "then it rained, wind etc. and so on."]


@pytest.mark.parametrize(
    "text", ["Done.", "Done.”", "**Done!**", "Ja (doch?)", "終わり。", "2019."]
)
def test_what_ends_a_sentence(text):
    assert ends(text)


@pytest.mark.parametrize("text", ["Done", "see Dr.", "z.B.", "Acme Inc.", "as follows:", ""])
def test_what_does_not(text):
    assert not ends(text)
    assert ends("as follows:", also=":;|")


def test_dots_in_a_row_are_passed_once():
    assert list(spans("." * 200_000)) == [(0, 200_000)]
