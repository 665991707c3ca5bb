"""Pictures, drawn with Pillow: a floor plan, three "photos" with a date taken, a scanned letter."""

from __future__ import annotations

import io
from datetime import datetime
from pathlib import Path

import numpy as np
import reportlab
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from .pdf import fixed_date

TEXTS = Path(__file__).with_name("texts")
FONTS = Path(reportlab.__file__).with_name("fonts")  # Vera comes with reportlab: same everywhere
PHOTO = (1200, 800)
DATE_TAKEN, CAMERA = 0x9003, 0x0110


def _font(size: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(FONTS / ("VeraBd.ttf" if bold else "Vera.ttf"), size)


def _noisy(image: Image.Image, strength: float, seed: int) -> Image.Image:
    """`image` with the grain of a camera or a scanner; the same grain for the same seed."""
    grain = np.random.default_rng(seed).normal(0, strength, (image.height, image.width))
    values = np.asarray(image, dtype=np.float64)
    values = values + (grain if values.ndim == 2 else grain[..., None])
    return Image.fromarray(np.clip(values, 0, 255).astype(np.uint8))


def _sky(top: tuple[int, int, int], bottom: tuple[int, int, int]) -> Image.Image:
    share = np.linspace(0, 1, PHOTO[1])[:, None, None]
    rows = np.array(top) * (1 - share) + np.array(bottom) * share
    return Image.fromarray(np.broadcast_to(rows, (PHOTO[1], PHOTO[0], 3)).astype(np.uint8))


def _save_photo(image: Image.Image, target: Path, date: datetime, seed: int) -> None:
    """Soften, add grain, and write with the date taken in the EXIF data."""
    exif = Image.Exif()
    exif[CAMERA] = "Pictor 5"
    exif[0x0132] = f"{date:%Y:%m:%d} 15:{seed % 60:02}:20"
    exif.get_ifd(0x8769)[DATE_TAKEN] = exif[0x0132]
    softened = image.filter(ImageFilter.GaussianBlur(1.2))
    _noisy(softened, 5, seed).save(target, quality=80, exif=exif)


def beach(target: Path, date: datetime) -> None:
    """The North Sea beach near Blokhus: sea, dunes, a striped tent, a kite."""
    image = _sky((92, 148, 205), (214, 232, 240))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 390, 1200, 520), fill=(58, 112, 140))
    for y in range(405, 520, 22):
        for x in range((y * 7) % 90, 1200, 130):
            draw.arc((x, y, x + 80, y + 14), 190, 350, fill=(170, 205, 215), width=3)
    draw.rectangle((0, 520, 1200, 800), fill=(224, 203, 160))
    draw.polygon(((0, 470), (160, 430), (330, 560), (0, 640)), fill=(203, 182, 132))
    for x in range(15, 280, 14):
        draw.line((x, 520, x + 12, 450 + x // 6), fill=(112, 132, 74), width=3)
    for i in range(6):
        colour = (196, 62, 54) if i % 2 else (245, 240, 230)
        draw.polygon(((640, 470), (520 + i * 44, 690), (564 + i * 44, 690)), fill=colour)
    draw.polygon(((900, 130), (955, 190), (905, 260), (865, 185)), fill=(230, 130, 40))
    draw.line((905, 260, 930, 420, 985, 600), fill=(70, 60, 50), width=2)
    draw.ellipse((968, 590, 1000, 622), fill=(222, 178, 140))
    draw.rectangle((970, 622, 998, 700), fill=(44, 84, 150))
    draw.ellipse((80, 60, 170, 150), fill=(255, 240, 190))
    _save_photo(image, target, date, 11)


def christmas_tree(target: Path, date: datetime) -> None:
    """A lit tree in the living room, with parcels."""
    image = _sky((72, 48, 40), (120, 82, 60))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 640, 1200, 800), fill=(96, 62, 40))
    draw.rectangle((120, 120, 420, 480), fill=(24, 34, 62), outline=(220, 210, 195), width=14)
    draw.rectangle((720, 590, 770, 680), fill=(80, 52, 30))
    for i in range(4):
        top, half = 90 + i * 115, 110 + i * 55
        draw.polygon(
            ((745, top), (745 - half, top + 200), (745 + half, top + 200)),
            fill=(26, 84 + i * 6, 46),
        )
    for i in range(46):
        y = 180 + (i * 97) % 430
        spread = 50 + (y - 150) * 0.42
        x = 745 + ((i * 53) % 100 - 50) / 50 * spread
        colour = ((250, 214, 110), (206, 50, 50), (235, 235, 240))[i % 3]
        draw.ellipse((x - 8, y - 8, x + 8, y + 8), fill=colour)
    draw.regular_polygon((745, 84, 38), 5, fill=(250, 210, 80))
    for x, colour in ((520, (170, 40, 60)), (620, (60, 90, 160)), (870, (200, 160, 60))):
        draw.rectangle((x, 660, x + 110, 740), fill=colour)
        draw.rectangle((x + 46, 660, x + 62, 740), fill=(240, 235, 225))
    _save_photo(image, target, date, 23)


def dog(target: Path, date: datetime) -> None:
    """Pippa, brown and white, on the balcony between flower boxes."""
    image = _sky((150, 190, 220), (225, 235, 225))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 560, 1200, 800), fill=(150, 120, 92))
    for x in range(0, 1200, 60):
        draw.line((x, 560, x - 60, 800), fill=(126, 98, 74), width=3)
        draw.rectangle((x, 330, x + 10, 570), fill=(80, 84, 88))
    draw.rectangle((0, 320, 1200, 338), fill=(70, 74, 78))
    for x in range(40, 1200, 390):
        draw.rectangle((x, 330, x + 290, 400), fill=(170, 88, 60))
        for i in range(14):
            cx, cy = x + 16 + i * 20, 290 + (i * 37) % 50
            draw.line((cx, cy, cx, 340), fill=(66, 120, 56), width=4)
            draw.ellipse(
                (cx - 14, cy - 14, cx + 14, cy + 14), fill=((214, 60, 70), (240, 190, 60))[i % 2]
            )
    brown, white = (140, 92, 56), (238, 232, 222)
    draw.ellipse((430, 500, 760, 720), fill=brown)
    for x in (470, 540, 650, 710):
        draw.rounded_rectangle((x, 640, x + 38, 765), 16, fill=white)
    draw.ellipse((650, 400, 830, 580), fill=brown)
    draw.ellipse((720, 480, 860, 575), fill=white)
    draw.ellipse((838, 505, 870, 533), fill=(40, 34, 32))
    draw.ellipse((756, 452, 778, 474), fill=(30, 26, 24))
    draw.ellipse((640, 410, 710, 560), fill=(104, 66, 40))
    draw.line((440, 560, 370, 470), fill=brown, width=26)
    draw.rectangle((668, 560, 750, 576), fill=(196, 44, 50))
    _save_photo(image, target, date, 31)


# name, area, and the room's rectangle in decimetres
ROOMS = (
    ("Living room", "27.4 m²", (0, 0, 58, 47)),
    ("Kitchen", "13.2 m²", (58, 0, 94, 37)),
    ("Emil", "10.0 m²", (94, 0, 120, 43)),
    ("WC", "2.5 m²", (94, 43, 120, 51)),
    ("Bath", "7.1 m²", (94, 51, 120, 72)),
    ("Hall", "12.6 m²", (58, 37, 94, 72)),
    ("Bedroom", "15.1 m²", (0, 47, 58, 72)),
    ("Ida", "8.1 m²", (58, 72, 80, 95)),
)


# doors, in pixels: living room, bedroom, kitchen, Emil, WC, bath, Ida, entrance
DOORS = (
    (549, 396, 549, 446), (549, 500, 549, 560), (660, 384, 720, 384), (859, 392, 859, 424),
    (859, 444, 859, 486), (859, 560, 859, 620), (600, 671, 660, 671), (768, 671, 838, 671),
)  # fmt: skip


def floor_plan(target: Path, date: datetime) -> None:
    """The flat from above: eight rooms, doors, a scale and a north arrow."""
    del date  # a drawing, not a photograph: its date is the file's
    image = Image.new("RGB", (1160, 940), "white")
    draw = ImageDraw.Draw(image)
    draw.text(
        (50, 24), "Kastanienhof 14, second floor left: floor plan", "black", _font(26, bold=True)
    )
    for name, area, box in ROOMS:
        x0, y0, x1, y1 = (50 + v * 8.6 if i % 2 == 0 else 80 + v * 8.2 for i, v in enumerate(box))
        draw.rectangle((x0, y0, x1, y1), fill="#f4f1ea", outline="#333333", width=7)
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        draw.text((middle[0], middle[1] - 13), name, "#222222", _font(21, bold=True), anchor="mm")
        draw.text((middle[0], middle[1] + 14), area, "#555555", _font(18), anchor="mm")
    for door in DOORS:
        draw.line(door, fill="#f4f1ea", width=9)
    draw.line((620, 905, 792, 905), fill="black", width=4)
    draw.text((706, 885), "2 m", "black", _font(18), anchor="mm")
    draw.polygon(((1080, 800), (1062, 850), (1080, 838), (1098, 850)), fill="black")
    draw.text((1080, 872), "N", "black", _font(22, bold=True), anchor="mm")
    draw.text(
        (50, 890), "Total area 96.0 m². Balcony (not counted) to the west.", "#333333", _font(18)
    )
    image.quantize(32).save(target, optimize=True)


def scanned_letter(target: Path, date: datetime) -> None:
    """A letter as a scanner sees it: a slightly turned, grainy picture, and no text."""
    page = Image.new("L", (1240, 1754), 250)
    draw = ImageDraw.Draw(page)
    text = (TEXTS / "home" / f"{target.name}.letter").read_text("utf-8")
    draw.multiline_text((150, 110), text, 35, _font(25), spacing=12)
    draw.line((150, 1490, 205, 1425, 225, 1500, 285, 1450, 315, 1488, 420, 1460), fill=60, width=4)
    page = page.rotate(1.3, Image.Resampling.BICUBIC, fillcolor=228)
    page = _noisy(page.filter(ImageFilter.GaussianBlur(0.8)), 7, 47)
    buffer = io.BytesIO()
    page.save(buffer, "JPEG", quality=55)
    buffer.seek(0)
    with fixed_date(date):
        canvas = Canvas(str(target), pagesize=A4, invariant=1)
        canvas.setTitle("Scan")
        canvas.drawInlineImage(Image.open(buffer), 0, 0, *A4)
        canvas.save()
