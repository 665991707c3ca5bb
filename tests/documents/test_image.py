"""Pictures, drawings, and files that lie about what they are."""

from __future__ import annotations

import sys
from datetime import date

import numpy as np
import pytest
from heic_sample import HEIC
from PIL import Image

from manole.documents import image
from manole.documents.drawing import open_picture
from manole.documents.model import Status
from manole.documents.opened import named
from manole.documents.opener import open_found
from reading_here import read_document

NO_TEXT = "image: its words are not read yet"


def pixels(path, longest):
    with open_found(named(path)) as file:
        return open_picture(file, longest)


@pytest.mark.parametrize("suffix", ["png", "jpg", "gif", "webp", "bmp", "tiff"])
def test_a_picture_is_skipped_with_its_size(tmp_path, settings, suffix):
    path = tmp_path / f"a.{suffix}"
    Image.new("RGB", (40, 30), "red").save(path)
    document = read_document(path, settings)
    assert (document.status, document.reason) == (Status.SKIPPED, NO_TEXT)
    assert (document.metadata["width"], document.metadata["height"]) == ("40", "30")


def test_a_photo_is_dated_by_its_exif(tmp_path, settings):
    exif = Image.Exif()
    exif[0x0110] = "Camera"
    exif.get_ifd(0x8769)[0x9003] = "2022:07:04 10:00:00"
    path = tmp_path / "photo.jpg"
    Image.new("RGB", (8, 8)).save(path, exif=exif)
    document = read_document(path, settings)
    assert (document.date, document.date_source) == (date(2022, 7, 4), "metadata")
    assert document.metadata["camera"] == "Camera"


def test_a_broken_picture_fails(tmp_path, settings):
    path = tmp_path / "a.jpg"
    path.write_bytes(b"\xff\xd8\xff\xe0" + b"junk" * 10)
    document = read_document(path, settings)
    assert document.status is Status.FAILED
    assert "image" in document.reason


def test_a_picture_of_billions_of_pixels_costs_nothing(tmp_path, settings, png_header):
    path = tmp_path / "huge.png"
    path.write_bytes(png_header(60_000, 60_000))
    document = read_document(path, settings)
    assert (document.status, document.metadata["width"]) == (Status.SKIPPED, "60000")


def test_a_drawing_gives_its_words_and_fetches_nothing(tmp_path, settings):
    (tmp_path / "secret.txt").write_text("do not read me")
    path = tmp_path / "a.svg"
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg"><title>Valve</title><text>open <tspan>left</tspan>'
        "</text><script>no()</script></svg>"
    )
    assert read_document(path, settings).pages[0].text == "Valve\nopen left"
    path.write_text(
        f'<!DOCTYPE svg [<!ENTITY x SYSTEM "file://{tmp_path}/secret.txt">]>'
        '<svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>'
    )
    document = read_document(path, settings)
    assert document.status is Status.FAILED
    assert document.pages == ()


def test_content_decides_where_the_extension_lies(tmp_path, settings, make_pdf, png_header):
    pdf = make_pdf([[(60, 100, "words")]])
    lying = tmp_path / "picture.jpg"
    lying.write_bytes(pdf.read_bytes())
    assert read_document(lying, settings).pages[0].text == "words"
    picture = tmp_path / "letter.pdf"
    picture.write_bytes(png_header(10, 10))
    assert read_document(picture, settings).format == "png"


def test_an_office_file_without_extension_is_known_by_its_members(tmp_path, settings, letter):
    path = tmp_path / "lease"
    path.write_bytes(letter.read_bytes())
    assert read_document(path, settings).format == "docx"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.rar", b"Rar!\x1a\x07" + b"\0" * 60, "archive: what is packed inside is not read"),
        ("a", b"7z\xbc\xaf'\x1c" + b"\0" * 60, "archive: what is packed inside is not read"),
        ("a.wma", b"0&\xb2u" + b"\0" * 60, "audio: this format is not read"),
        ("a", b"\x7fELF" + b"\0" * 60, "program: not a document"),
        ("a.bin7", b"\x01\x00\x02" * 60, "unknown binary format"),
    ],
)
def test_what_is_not_read_is_skipped_with_the_reason(tmp_path, settings, name, data, reason):
    path = tmp_path / name
    path.write_bytes(data)
    document = read_document(path, settings)
    assert (document.status, document.reason) == (Status.SKIPPED, reason)


def test_a_heic_photo_with_its_library(tmp_path, settings):
    path = tmp_path / "IMG_1.heic"
    path.write_bytes(HEIC)
    document = read_document(path, settings)
    assert document.metadata["camera"] == "Pictor 5"
    assert (document.metadata["width"], document.metadata["height"]) == ("64", "48")
    assert document.date == date(2023, 7, 4)
    red, white = (pixels(path, 100).getpixel((x, 20)) for x in (8, 56))
    assert min(white) > 240
    assert red[0] > 240 > 60 > red[1]
    path.write_bytes(HEIC[:300])
    broken = read_document(path, settings)
    assert (broken.status, bool(broken.reason)) == (Status.FAILED, True)


def test_a_heic_photo_without_its_library_says_what_to_install(tmp_path, settings, monkeypatch):
    path = tmp_path / "IMG_1.heic"
    path.write_bytes(HEIC)
    monkeypatch.setitem(sys.modules, "pi_heif", None)
    image.opens_heic.cache_clear()
    document = read_document(path, settings)
    image.opens_heic.cache_clear()
    assert (document.status, document.reason) == (Status.SKIPPED, image.NO_HEIC_READER)


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp", "tiff"])
def test_a_picture_is_shrunk_and_stands_upright(tmp_path, suffix):
    exif = Image.Exif()
    exif[0x0112] = 6  # taken with the camera turned: the left side is to be on top
    picture = Image.new("RGB", (400, 200), "white")
    picture.paste("red", (0, 0, 200, 200))
    picture.save(tmp_path / f"a.{suffix}", exif=exif)
    seen = pixels(tmp_path / f"a.{suffix}", 100)
    assert seen.size == (50, 100)
    assert seen.getpixel((25, 20))[2] < 60 < 200 < seen.getpixel((25, 80))[2]


@pytest.mark.parametrize(
    ("suffix", "kind", "top"),
    [("png", np.uint16, 65535), ("tiff", np.uint16, 65535), ("tiff", np.int32, 10**6),
     ("tiff", np.float32, 1.0)],
)  # fmt: skip
@pytest.mark.parametrize("longest", [100, 1000])
def test_a_scan_of_more_than_eight_bits_keeps_its_greys(tmp_path, suffix, kind, top, longest):
    shades = np.linspace(0, top, 400).astype(kind)
    Image.fromarray(np.tile(shades, (200, 1))).save(tmp_path / f"a.{suffix}")
    seen = np.asarray(pixels(tmp_path / f"a.{suffix}", longest))[25, :, 0]
    assert seen[0] <= 2
    assert abs(int(seen[len(seen) // 2]) - 128) <= 3
    assert seen[-1] >= 253


def test_the_place_of_a_photo(tmp_path, settings):
    exif = Image.Exif()
    gps = exif.get_ifd(0x8825)
    gps |= {1: "N", 2: (48.0, 8.0, 15.0), 3: "E", 4: (11.0, 34.0, 31.8)}
    exif[0x8825] = gps
    Image.new("RGB", (60, 60), "blue").save(tmp_path / "a.jpg", exif=exif)
    document = read_document(tmp_path / "a.jpg", settings)
    assert document.metadata["place"] == "48.13750° N, 11.57550° E"
    gps[2] = (480.0, 8.0, 15.0)
    exif[0x8825] = gps
    Image.new("RGB", (60, 60), "blue").save(tmp_path / "b.jpg", exif=exif)
    assert "place" not in read_document(tmp_path / "b.jpg", settings).metadata
