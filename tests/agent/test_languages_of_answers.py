"""The answer is in the question's language; what is quoted stays as it is in its file."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.fake_models import FakeModel
from agent.turns import streamed, turn
from manole.agent.answer.draft import LanguageCheck
from manole.agent.answer.grounding import declines
from manole.agent.languages import ENGLISH, Words, words_of
from manole.agent.plan.verbalize import _NOUNS
from manole.catalog.relations import RELATIONS
from manole.library import Library
from manole.text.dates import find_dates
from manole.text.figures import Held, Known, figures
from manole.text.language import LANGUAGES, certain_language, language_of

TABLES = pytest.mark.parametrize("words", [*map(words_of, LANGUAGES)], ids=LANGUAGES)
SENTENCES = ("not_found", "not_stated", "not_certain", "closest", "conflict", "choices")
CONTRACT = """# Rental contract

Notice: The notice period for the tenants is three months to the end of a month.

Rent: The rent is 1,234.50 EUR a month and is due on 3 March 2024 for the first time.
"""
BRIEF = """# Brief der Hausverwaltung

Die Nachzahlung der Nebenkosten beträgt 471,64 € und ist am 31. August 2024 fällig.
"""
TEXTS = " ".join((CONTRACT + BRIEF).split())


def quoted(end):
    """What the answer quotes first, spaces aside."""
    return " ".join(re.search("“(.*?)”", end.answer, re.DOTALL)[1].split())


# -- the tables --------------------------------------------------------------------------------


@TABLES
def test_a_table_fills_in_what_the_english_one_does(words):
    for name, value in ENGLISH.model_dump().items():
        own = getattr(words, name)
        if isinstance(value, str):
            assert own, name
            assert set(re.findall(r"\{\w+\}", own)) == set(re.findall(r"\{\w+\}", value)), name
    shown = {"count": 1, "all": "", "found": "2 of them", "column": "total"}
    assert all("1" in form.format(**shown) for form in words.lacking)
    for sentences in (words.have, words.fits):
        assert all(sentence.count("{found}") == 1 for sentence in sentences)
    assert len(words.months) == 12
    assert words.nouns.keys() == ENGLISH.nouns.keys() >= set(_NOUNS.values())
    known = {name for relation in RELATIONS.values() for name in relation.columns}
    recurs = {"party", "amount", "currency", "every", "since", "last", "a year", "ended"}
    assert words.columns.keys() <= known | recurs


@TABLES
def test_its_sentences_are_told_to_be_in_its_language(words):
    said = " ".join(getattr(words, name).format(quote="", n=1, file="a.md", count=2)
                    for name in SENTENCES)  # fmt: skip
    assert certain_language(said) == words.code


@TABLES
def test_what_it_takes_for_declining_is_heard(words):
    assert all(declines(f"{text.capitalize()}.") for text in words.declines)
    assert not declines(f"{words.written(date(2024, 5, 3))}: 12 m².")


@given(code=st.sampled_from(LANGUAGES), day=st.dates(date(1990, 1, 1), date(2060, 1, 1)))
def test_a_day_in_its_words_is_read_as_that_day(code, day):
    text = words_of(code).written(day)
    assert find_dates(text) == [(0, len(text), day)]


@given(code=st.sampled_from(LANGUAGES), value=st.decimals("0", "99999999", places=2))
def test_a_number_in_its_notation_means_the_same(code, value):
    figure = figures(words_of(code).number(value, 2))[0]
    assert Known.of([str(value)]).holds(figure) is not Held.NO


def test_a_table_with_a_word_too_many_is_refused():
    with pytest.raises(ValueError, match="greeting"):
        Words.model_validate({**ENGLISH.model_dump(), "greeting": "Hello"})


# -- the language of a question ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie hoch ist die Nachzahlung?", "de"),
        ("Quel est le préavis pour quitter l'appartement ?", "fr"),
        ("¿Cuánto cuesta el seguro del coche?", "es"),
        ("Quanto costa l'assicurazione dell'auto?", "it"),
        ("Hoeveel kost de autoverzekering per jaar?", "nl"),
        ("Quanto custa o seguro do carro por ano?", "pt"),
        # None of the tables: English, and not the likest of them.
        ("Hur hög är depositionen för lägenheten?", "en"),
        ("Mennyibe kerül az autó biztosítása?", "en"),
        ("押金是多少？", "en"),
        ("家賃はいくらですか？", "en"),
        ("كم يبلغ الإيجار؟", "en"),
        # In doubt, and in two at once.
        ("Miete?", "en"),
        ("1.234,50", "en"),
        ("", "en"),
        ("What does die Kaution kosten in the Mietvertrag?", "en"),
    ],
)
def test_the_language_of_a_question(question, language):
    assert language_of(question) == language


def test_a_short_or_mixed_text_is_in_no_language_for_certain():
    assert certain_language("Thermaro B24, 12.5 l") is None
    assert certain_language("Die Kündigungsfrist beträgt drei Monate zum Monatsende.") == "de"


def test_names_and_quotations_do_not_make_an_answer_foreign():
    check = LanguageCheck("de")
    for piece in ("In der Datei ", "“The notice period for the tenants is three months to the end ",
                  "of a month.” [1]", " und weiter steht dort nichts mehr davon"):  # fmt: skip
        check.feed(piece)
        assert not check.is_foreign
    assert not check.is_undecided


# -- answers -----------------------------------------------------------------------------------


@pytest.fixture
async def ask(tmp_path, session_settings):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "contract.md").write_text(CONTRACT)
    (folder / "brief.md").write_text(BRIEF)
    async with await Library.open(folder, session_settings) as library:
        await library.sync()

        async def ask(model, question):
            return await turn(library, session_settings, model, question)

        yield ask


GERMAN = "Wie lange ist die Kündigungsfrist der Wohnung?"
SAID_IN_ENGLISH = "The notice period for the tenants is three months to the end of a month."
SAID_IN_GERMAN = "Die Kündigungsfrist für die Mieter beträgt drei Monate zum Monatsende."


@pytest.mark.usefixtures("a_model_answers")
async def test_an_answer_in_another_language_is_asked_for_once_more(ask):
    model = FakeModel(SAID_IN_ENGLISH, SAID_IN_GERMAN)
    events = await ask(model, GERMAN)
    end = events[-1]
    assert end.answer.startswith(SAID_IN_GERMAN)
    assert SAID_IN_ENGLISH not in streamed(events).split("“")[0]
    assert "Answer in German." in model.prompts[1]
    assert "Answer in" not in model.prompts[0]
    assert len(model.prompts) == 2
    assert end.found


@pytest.mark.usefixtures("a_model_answers")
async def test_where_it_is_again_in_another_one_the_file_is_quoted(ask):
    events = await ask(FakeModel(SAID_IN_ENGLISH), GERMAN)
    end = events[-1]
    words = words_of("de")
    assert end.answer.startswith(words.not_certain)
    assert quoted(end) in TEXTS
    assert end.corrected
    assert not end.found
    assert end.confidence == "low"


@pytest.mark.usefixtures("a_model_answers")
async def test_an_english_question_about_a_german_file_gets_an_english_answer(ask):
    question = "What do we have to pay for the Nebenkosten by the end of August?"
    german = "Die Nachzahlung der Nebenkosten beträgt 471,64 € und ist am 31. August 2024 fällig."
    english = "The extra payment for the service charges is 471.64 euros, due on August 31, 2024."
    end = (await ask(FakeModel(german, english), question))[-1]
    assert end.answer.startswith(english)


@pytest.mark.usefixtures("a_model_answers")
async def test_an_answer_in_the_right_language_is_not_asked_for_again(ask):
    model = FakeModel(SAID_IN_GERMAN)
    end = (await ask(model, GERMAN))[-1]
    assert end.answer.startswith(SAID_IN_GERMAN)
    assert len(model.prompts) == 1


@pytest.mark.parametrize(
    "question",
    ["Quel est le numéro de passeport de Jonas ?", "¿Cuál es el número de pasaporte de Jonas?",
     "Qual è il numero di passaporto di Jonas?", "Wat is het paspoortnummer van Jonas Linde?",
     "Qual é o número do passaporte do Jonas?", "Wie lautet die Passnummer von Jonas?"],
)  # fmt: skip
async def test_declining_is_in_the_question_s_language(ask, question):
    end = (await ask(FakeModel("Not found."), question))[-1]
    words = words_of(language_of(question))
    assert words is not ENGLISH
    assert end.answer.startswith((words.not_found, words.not_stated))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Wie viele Markdown-Dateien habe ich?", "Es gibt 2 Markdown-Dateien."),
        ("Combien de fichiers Markdown ai-je ici ?", "Il y a 2 fichiers Markdown."),
        ("¿Cuántos archivos Markdown tengo aquí?", "Hay 2 archivos Markdown."),
    ],
)
async def test_what_a_query_gives_is_said_in_the_question_s_language(ask, question, said):
    plan = "SELECT count(*) FROM files WHERE kind = 'markdown'"
    end = (await ask(FakeModel("x", plan=plan), question))[-1]
    assert end.answer == said
    assert {source.file for source in end.sources} == {"contract.md", "brief.md"}


@pytest.mark.parametrize(
    "question",
    ["押金是多少？", "Hur lång är uppsägningstiden för lägenheten?", "家賃はいくらですか？"],
)
async def test_a_language_without_a_table_is_answered_in_english(ask, question):
    model = FakeModel("Not found.")
    assert (await ask(model, question))[-1].answer.startswith(
        (ENGLISH.not_stated, ENGLISH.not_found)
    )


@pytest.mark.usefixtures("a_model_answers")
async def test_a_question_in_two_languages_and_other_digits(ask):
    model = FakeModel("The rent is ١٬٢٣٤٫٥٠ EUR a month, as the rental contract says.")
    end = (await ask(model, "What is die Miete in the rental contract, ١٢٣٤ or more?"))[-1]
    assert end.found
    assert "١٬٢٣٤٫٥٠" in end.answer
    wrong = FakeModel("The rent is ١٬٢٣٤٫٠٥ EUR a month, as the rental contract says.")
    assert not (await ask(wrong, "What is die Miete in the rental contract?"))[-1].found


def test_money_of_any_size_is_written_with_the_signs_of_the_language():
    assert words_of("de").number(Decimal("1234567.5"), 2) == "1.234.567,50"
    assert words_of("fr").number(1234567) == "1\u202f234\u202f567"
    assert words_of("en").number(999, 2) == "999.00"
    assert words_of("de").many(1, "file") == "1 Datei"
    assert words_of("de").many(1200, "sender") == "1.200 senders"
