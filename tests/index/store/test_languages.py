"""The languages of a library, of real files in German, French and English."""

from __future__ import annotations

import pytest

from manole.care.languages import in_words, offer
from manole.index.store.languages import Languages, estimated, keep, kept
from manole.index.store.libraries import library_info, read_meta, write_meta
from manole.library import Library
from manole.models.catalog.encoders import MULTILINGUAL, USUAL
from manole.text.language import UNKNOWN, count_languages

GERMAN = (
    "Hiermit kündige ich den Mietvertrag über die Wohnung in der Hauptstraße zum Ende des Monats. "
    "Bitte bestätigen Sie den Eingang dieses Schreibens und nennen Sie einen Termin zur Übergabe."
)
FRENCH = (
    "Je vous prie de bien vouloir trouver ci-joint la facture du mois de mars pour l'appartement. "
    "Le paiement est dû avant la fin du mois, faute de quoi des frais supplémentaires s'appliquent."
)
ENGLISH = (
    "The tenant shall pay the rent on the first of each month. The landlord keeps the roof and the "
    "heating in good order, and repairs are announced at least a week before they begin."
)
TABLE = "id,amount,paid\n" + "\n".join(f"{row},{row * 37 % 91},{row % 2}" for row in range(40))
CODE = (
    "def f(x):\n    return [i for i in range(x)]\n\nfor k, v in d.items():\n    print(k, v)\n" * 3
)
MINILM = "all-minilm-l6-v2"


@pytest.fixture
def write(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()

    def put(german: int = 0, french: int = 0, english: int = 0):
        texts = [GERMAN] * german + [FRENCH] * french + [ENGLISH] * english
        for number, text in enumerate(texts):
            (folder / f"{number:03}.txt").write_text(f"{text} {number}", "utf-8")
        return folder

    return put


@pytest.fixture
def settings(session_settings, tmp_path):
    return session_settings.model_copy(update={"data_dir": tmp_path / "data"})


def test_texts_are_counted_by_language_and_what_has_none_is_unknown():
    texts = [GERMAN, FRENCH, FRENCH, ENGLISH, TABLE, CODE, "Rechnung 2024", "", "12 34"]
    assert count_languages(texts) == {"de": 1, "fr": 2, "en": 1, UNKNOWN: 5}


async def test_shares_are_those_of_the_passages_and_an_offer_says_what_it_takes(write, settings):
    folder = write(german=6, french=3, english=3)
    async with await Library.open(folder, settings) as library:
        await library.sync()
        told = await estimated(await library.store())
        assert told.shares == pytest.approx({"de": 0.5, "fr": 0.25, "en": 0.25})
        assert told.beside({"en"}) == pytest.approx(0.75)
        text, remedy = offer(told, 12, MINILM, [str(folder)], settings)
        assert "75% of the passages are in languages (de 50%, fr 25%, en 25%) that" in text
        assert offer(told, 12, USUAL, [str(folder)], settings) is None
        assert f"manole --set index.embedder={MULTILINGUAL} index {folder}" in remedy
        assert "all 12 passages anew, 123.5 MB to fetch" in remedy
        timed = Languages(told.shares, 12, seconds=10.0)
        assert "about 4 min" in offer(timed, 12, MINILM, [], settings)[1]  # at twice the cost


@pytest.mark.parametrize("embedder", [MULTILINGUAL, "openai:bge-m3@http://127.0.0.1:1/v1"])
def test_an_embedder_of_many_languages_or_of_an_endpoint_is_left_alone(settings, embedder):
    assert offer(Languages({"de": 1.0}, 9), 9, embedder, [], settings) is None


@pytest.mark.parametrize(("foreign", "offered"), [(0.05, False), (0.06, True)])
def test_a_twentieth_is_not_enough(settings, foreign, offered):
    told = Languages({"en": 0.5, "de": foreign, UNKNOWN: 0.5 - foreign}, 100)
    assert (offer(told, 100, MINILM, [], settings) is not None) is offered


async def test_what_was_told_is_kept_until_the_library_has_changed_by_a_quarter(write, settings):
    async with await Library.open(write(german=4), settings) as library:
        await library.sync()
        assert kept(library.path) is None
        told = await estimated(await library.store())
        keep(library.path, told)
        assert kept(library.path) == told
        assert library_info(library.name, settings).languages == {"de": 1.0}
        write(german=4, english=1)
        await library.sync()
        assert (await estimated(await library.store())).shares == {"de": 1.0}
        write(german=4, english=4)
        await library.sync()
        assert (await estimated(await library.store())).shares == {"de": 0.5, "en": 0.5}
        assert kept(library.path) == told  # telling writes nothing


@pytest.mark.parametrize(
    "damaged",
    [7, {}, [], {"shares": 3}, {"shares": {"de": "x"}, "passages": 1, "seconds": None},
     {"shares": {"de": 1.0}, "passages": "many", "seconds": None}],
)  # fmt: skip
async def test_a_damaged_description_tells_nothing(write, settings, damaged):
    async with await Library.open(write(german=1), settings) as library:
        await library.sync()
        write_meta(library.path, {"languages": damaged})
        assert kept(library.path) is None
        assert (await estimated(await library.store())).shares == {"de": 1.0}
        assert isinstance(library_info(library.name, settings).languages, dict)


async def test_an_empty_library_has_no_languages(write, settings):
    async with await Library.open(write(), settings) as library:
        await library.sync()
        assert (await estimated(await library.store())).shares == {}


def test_the_unknown_share_stands_last():
    assert in_words({UNKNOWN: 0.6, "de": 0.396, "fr": 0.004}) == "de 40%, unknown 60%"


async def test_a_sync_takes_no_time_for_languages(write, settings):
    """`manole index` tells them afterwards, once."""
    async with await Library.open(write(german=2), settings) as library:
        await library.sync()
        assert "languages" not in read_meta(library.path)
