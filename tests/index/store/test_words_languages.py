"""Words of many languages in one index: their forms, scripts without blanks, and odd questions."""

# ruff: noqa: E501  (texts)

from __future__ import annotations

import asyncio
import json

import pytest
from contract.records import a_pair

from manole.index.search.hybrid import search
from manole.index.store import vocabulary
from manole.index.store.lance import LanceStore
from manole.serve.snippets import Asked, snippet
from manole.text.analysis import forms, terms
from manole.text.question import Question
from manole.text.words import fold, meaning

TEXTS = {
    "fr1.txt": "Les propriétaires ont signé les contrats d'assurance. La chaudière sera réparée par "
    "un plombier avant la fin de l'hiver, et les factures seront payées par virement bancaire.",
    "fr2.txt": "Chers voisins, les œufs de nos poules sont vendus le samedi matin devant la grange. "
    "Pensez à rapporter les boîtes vides, nous les réutilisons chaque semaine.",
    "es1.txt": "Los inquilinos pagarán las reparaciones pequeñas. Las llaves se entregarán al final "
    "del contrato, y los niños pueden jugar en los jardines de la comunidad.",
    "it1.txt": "Le lasagne si cuociono in forno per quaranta minuti. Le cipolle vanno tritate finemente "
    "e i pomodori pelati aggiunti dopo che la carne è stata rosolata.",
    "nl1.txt": "De huurovereenkomst gaat in op de eerste dag van de maand. De ziektekostenverzekering "
    "moet door de huurder zelf worden geregeld, en de fietsen staan in de schuur.",
    "sv1.txt": "Hyresgästerna skall själva teckna en hemförsäkring. Cyklarna ställs i källaren och "
    "nycklarna lämnas tillbaka till hyresvärden när lägenheten är städad.",
    "ru1.txt": "Договоры аренды квартиры подписаны обеими сторонами. Соседи попросили починить крышу "
    "до наступления зимы, а счета за электричество оплачены вовремя.",
    "el1.txt": "Οι ενοικιαστές πληρώνουν τους λογαριασμούς του ηλεκτρικού ρεύματος κάθε δύο μήνες. "
    "Τα κλειδιά των διαμερισμάτων παραδίδονται στον διαχειριστή της πολυκατοικίας.",
    "zh1.txt": "房屋租赁合同由双方签字。租客每月初支付租金，押金在退房时退还。空调需要每年清洗一次。",
    "ja1.txt": "保証書は大切に保管してください。洗濯機のフィルターは月に一度掃除します。ガスの契約は来月更新されます。",
    "th1.txt": "สัญญาเช่าบ้านมีระยะเวลาหนึ่งปี ผู้เช่าต้องจ่ายค่าไฟฟ้าและค่าน้ำทุกเดือน",
    "ar1.txt": "وقّع المستأجرون عقود الإيجار في بداية الشهر. يجب دفع فواتير الكهرباء قبل نهاية الأسبوع، "
    "وتسلَّم المفاتيح إلى المالك عند مغادرة الشقة.",
    "ko1.txt": "임대차 계약서는 두 사람이 서명했습니다. 보증금은 이사하는 날에 돌려받습니다.",
    "en1.txt": "The tenants signed the agreements in March. Mr. Müller repaired both boilers, and the "
    "cafe\u0301 next door lent us its ladders until the chimney was cleaned.",
}  # fmt: skip
QUESTIONS = [
    ("contrat d'assurance", "fr1.txt"),
    ("propriétaire", "fr1.txt"),
    ("reparer une chaudiere", "fr1.txt"),
    ("facture payée", "fr1.txt"),
    ("oeuf", "fr2.txt"),
    ("ŒUFS", "fr2.txt"),
    ("boite", "fr2.txt"),
    ("reparación", "es1.txt"),
    ("nino", "es1.txt"),
    ("llave del jardin", "es1.txt"),
    ("pomodoro", "it1.txt"),
    ("cipolla tritata", "it1.txt"),
    ("verzekering", "nl1.txt"),
    ("fiets", "nl1.txt"),
    ("hyresvärd", "sv1.txt"),
    ("lägenheter", "sv1.txt"),
    ("договор", "ru1.txt"),
    ("соседу", "ru1.txt"),
    ("λογαριασμός", "el1.txt"),
    ("ΚΛΕΙΔΙ ΔΙΑΜΕΡΙΣΜΑ", "el1.txt"),
    ("租金", "zh1.txt"),
    ("合同", "zh1.txt"),
    ("空调清洗", "zh1.txt"),
    ("保証書", "ja1.txt"),
    ("フィルター", "ja1.txt"),
    ("ﾌｨﾙﾀｰ", "ja1.txt"),
    ("ค่าไฟฟ้า", "th1.txt"),
    ("عقد الإيجار", "ar1.txt"),
    ("المفاتيح", "ar1.txt"),
    ("계약서", "ko1.txt"),
    ("tenant agreement", "en1.txt"),
    ("Ｂｏｉｌｅｒ", "en1.txt"),
    ("Mueller", "en1.txt"),
    ("CAFÉ", "en1.txt"),
]


async def filled(path, texts):
    store = await LanceStore.open(path)
    async with store.writing(dimensions=4, embedder="none"):
        await store.replace([a_pair(str(at), *item) for at, item in enumerate(texts.items())])
    return store


@pytest.fixture
async def store(tmp_path):
    store = await filled(tmp_path / "index", TEXTS)
    yield store
    await store.close()


async def found(store, query, **how):
    hits = await search(store, None, query, **how)
    return [hit.passage.path for hit in hits if hit.bm25 is not None]


async def test_each_language_has_its_own_forms(store):
    lost = [(query, file) for query, file in QUESTIONS if (await found(store, query))[:1] != [file]]
    assert lost == []


async def test_a_file_of_eleven_languages_is_found_by_words_of_each(tmp_path):
    store = await LanceStore.open(tmp_path / "index")
    async with store.writing(dimensions=4, embedder="none"):
        await store.replace([a_pair("0", "all.txt", *TEXTS.values())])
    reading = await store.reading("x")
    assert {"fr", "es", "it", "nl", "sv", "ru", "el", "zh", "ja", "th", "ar", "ko", "en"} == {
        *reading.languages
    }
    for query, file in QUESTIONS:
        (first, *_) = await search(store, None, query, limit=1)
        assert first.passage.text == TEXTS[file], query
    await store.close()


@pytest.mark.parametrize("query", ["", "  ", "?!", "\u0301", "\u00ad", "\u200f", "\ud800"])
async def test_a_query_without_a_word_finds_nothing(store, query):
    assert await found(store, query) == []
    assert (await store.reading(query)).exact == ()


async def test_a_query_of_function_words_only_finds_these(store):
    assert (await found(store, "in the"))[0] == "en1.txt"
    assert "nl1.txt" in await found(store, "de")


@pytest.mark.parametrize(
    "unit",
    ["Versicherungsvertrag ", "Verzekering", "租", "ا", "e\u0301", "\u0301", "-", "\U0001f600"],
)
async def test_a_query_of_ten_thousand_characters_is_answered(store, unit):
    query = (unit * 10_000)[:10_000]
    assert len(query) == 10_000
    assert isinstance(await found(store, query), list)


async def test_combining_characters_and_marks_that_are_not_seen_make_no_other_word(store):
    for query in ("cafe\u0301", "Mu\u0308ller", "boi\u00adlers", "\u202bboilers\u202c"):
        assert (await found(store, query))[:1] == ["en1.txt"], query


def test_folding_is_alike_for_forms_that_are_the_same():
    same = [
        ("Straße", "STRASSE"), ("œuvre", "OEUVRE"), ("ﬁn", "fin"), ("ＡＢＣ", "abc"),
        ("Æther", "aether"), ("Łódź", "lodz"), ("Ångström", "A\u030angstro\u0308m"),
        ("Ver\u00adtrag", "vertrag"), ("İzmir", "izmir"), ("ｶﾞｽ", "ガス"), ("Ὀδυσσεύς", "οδυσσευσ"),
    ]  # fmt: skip
    for one, other in same:
        assert fold(one) == fold(other), (one, other)
    assert fold("ガス") != fold("カス")
    assert fold("한국") == "한국"


def test_terms_are_stems_in_the_language_and_pairs_of_characters_where_there_are_no_blanks():
    assert terms("The boilers' repairs", "en") == ["the", "boiler", "repair"]
    assert terms("die Verträge, Vertraege", "de") == ["die", "vertrag", "vertrag"]
    assert terms("東京都 2024年", "ja") == ["東", "京", "都", "東京", "京都", "2024", "年"]
    assert terms("user_name@example.org 1,234.50", "en") == [
        "user", "name", "exampl", "org", "1", "234", "50",
    ]  # fmt: skip
    assert forms("x" * 81, "en") == ()
    assert forms("kissat", "xx") == ("kissat",)  # no such language


def test_a_question_keeps_its_words_as_they_are_typed():
    assert meaning("Where are the Verträge of Müller?") == "Verträge Müller"
    assert meaning("of the") == "of the"


async def test_found_words_are_marked_in_the_snippet(store):
    async def marked(query, file):
        asked = Asked(Question(query), [await store.reading(meaning(query))])
        shown = snippet(TEXTS[file], asked)
        return [shown.text[start:end] for start, end in shown.marks]

    assert await marked("contrat", "fr1.txt") == ["contrats"]
    assert await marked("verzekering", "nl1.txt") == ["ziektekostenverzekering"]
    assert await marked("oeuf", "fr2.txt") == ["œufs"]
    assert await marked("空调清洗", "zh1.txt") == ["空调", "清洗"]
    assert await marked("Ｂｏｉｌｅｒ", "en1.txt") == ["boilers"]


@pytest.mark.parametrize("content", [None, "", "[]", "{", '{"format": 9}', '{"format": 1}'])
async def test_a_vocabulary_that_is_lost_or_damaged_is_counted_anew(tmp_path, content):
    await (await filled(tmp_path, TEXTS)).close()
    place = tmp_path / vocabulary.FILE
    before = json.loads(place.read_text("utf-8"))
    place.unlink() if content is None else place.write_text(content)
    store = await LanceStore.open(tmp_path)
    assert await found(store, "verzekering") == ["nl1.txt"]
    async with store.writing(dimensions=4, embedder="none"):
        pass
    assert json.loads(place.read_text("utf-8")) == before
    await store.close()


async def test_another_process_is_told_of_new_words(tmp_path):
    writer = await filled(tmp_path, {"en1.txt": TEXTS["en1.txt"]})
    reader = await LanceStore.open(tmp_path)
    assert await found(reader, "verzekering") == []
    async with writer.writing(dimensions=4, embedder="none"):
        await writer.replace([a_pair("9", "nl1.txt", TEXTS["nl1.txt"])])
    assert await found(reader, "verzekering") == ["nl1.txt"]
    await asyncio.gather(writer.close(), reader.close())


async def test_a_file_that_moves_keeps_its_language(store):
    file = next(file for file in await store.files() if file.path == "nl1.txt")
    moved = a_pair(file.id, "moved.txt", TEXTS["nl1.txt"])[0]
    async with store.writing(dimensions=4, embedder="none"):
        await store.touch([moved])
    assert await found(store, "verzekering") == ["moved.txt"]
