"""Vector drawings in the PDFs: the boiler with its parts, its panel and wires, a bar chart."""

from __future__ import annotations

from collections.abc import Callable

from reportlab.graphics.shapes import Circle, Drawing, Line, PolyLine, Rect, String
from reportlab.lib import colors

from .figures import BILLS

STEEL = colors.HexColor("#dfe5ea")
DARK = colors.HexColor("#33414d")
HOT = colors.HexColor("#c0503c")
COLD = colors.HexColor("#3f78b0")
GAS = colors.HexColor("#d6a52c")


def _label(drawing: Drawing, number: int, x: float, y: float, at: tuple[float, float]) -> None:
    """A numbered circle at (x, y) with a line to the part it names."""
    drawing.add(Line(x, y, *at, strokeColor=DARK, strokeWidth=0.6))
    drawing.add(Circle(*at, 1.6, fillColor=DARK, strokeColor=None))
    drawing.add(Circle(x, y, 9, fillColor=colors.white, strokeColor=DARK, strokeWidth=0.8))
    drawing.add(
        String(x, y - 3.5, str(number), fontSize=10, textAnchor="middle", fontName="Helvetica-Bold")
    )


def boiler() -> Drawing:
    """The boiler without its front cover; nine numbered parts."""
    d = Drawing(400, 330)
    d.add(
        Rect(
            110, 60, 180, 240, rx=8, ry=8, fillColor=colors.white, strokeColor=DARK, strokeWidth=1.6
        )
    )
    d.add(Rect(175, 300, 50, 26, fillColor=STEEL, strokeColor=DARK))  # flue
    d.add(Rect(140, 200, 120, 78, rx=6, ry=6, fillColor=STEEL, strokeColor=DARK))  # heat exchanger
    for i in range(6):
        y = 210 + i * 11
        d.add(PolyLine([150, y, 250, y, 250, y + 5, 150, y + 5], strokeColor=HOT, strokeWidth=1.4))
    d.add(Circle(165, 168, 20, fillColor=STEEL, strokeColor=DARK))  # fan
    for dx, dy in ((14, 0), (-14, 0), (0, 14), (0, -14)):
        d.add(Line(165, 168, 165 + dx, 168 + dy, strokeColor=DARK, strokeWidth=2))
    d.add(Rect(225, 150, 34, 34, fillColor=GAS, strokeColor=DARK))  # gas valve
    d.add(Circle(150, 112, 16, fillColor=colors.HexColor("#8fa3b3"), strokeColor=DARK))  # pump
    d.add(Circle(250, 112, 14, fillColor=colors.white, strokeColor=DARK, strokeWidth=1.2))  # gauge
    d.add(Line(250, 112, 258, 120, strokeColor=HOT, strokeWidth=1.6))
    d.add(Rect(180, 96, 40, 34, fillColor=colors.HexColor("#c8d6cf"), strokeColor=DARK))  # trap
    d.add(Rect(120, 66, 160, 20, fillColor=colors.HexColor("#46535e"), strokeColor=DARK))  # panel
    d.add(Rect(180, 70, 40, 12, fillColor=colors.HexColor("#b9d7c4"), strokeColor=None))
    d.add(PolyLine([200, 192, 200, 200], strokeColor=DARK, strokeWidth=3))  # electrode
    for x, colour in ((130, HOT), (160, HOT), (200, GAS), (240, COLD), (270, COLD)):
        d.add(Rect(x - 4, 28, 8, 32, fillColor=colour, strokeColor=DARK, strokeWidth=0.5))
    parts = [
        (60, 290, (180, 312)), (60, 240, (146, 238)), (60, 168, (148, 168)), (60, 112, (136, 112)),
        (340, 240, (201, 196)), (340, 168, (256, 168)), (340, 112, (262, 112)),
        (340, 76, (276, 76)), (60, 76, (186, 100)),
    ]  # fmt: skip
    for number, (x, y, at) in enumerate(parts, 1):
        _label(d, number, x, y, at)
    for x, text in ((130, "A"), (160, "B"), (200, "C"), (240, "D"), (270, "E")):
        d.add(String(x, 14, text, fontSize=10, textAnchor="middle"))
    return d


def panel() -> Drawing:
    """The control panel: display, two knobs, three buttons."""
    d = Drawing(400, 120)
    d.add(Rect(40, 20, 320, 74, rx=8, ry=8, fillColor=colors.HexColor("#46535e"), strokeColor=DARK))
    for x in (85, 315):
        d.add(Circle(x, 57, 22, fillColor=STEEL, strokeColor=DARK))
        d.add(Line(x, 57, x, 76, strokeColor=HOT, strokeWidth=2))
    d.add(Rect(150, 56, 100, 30, fillColor=colors.HexColor("#b9d7c4"), strokeColor=DARK))
    d.add(String(200, 65, "55 °C  1.5 bar", fontSize=10, textAnchor="middle"))
    for x, text in ((165, "mode"), (200, "reset"), (235, "info")):
        d.add(Rect(x - 14, 28, 28, 16, rx=3, ry=3, fillColor=STEEL, strokeColor=DARK))
        d.add(String(x, 33, text, fontSize=7.5, textAnchor="middle"))
    d.add(String(85, 8, "heating", fontSize=9, textAnchor="middle"))
    d.add(String(315, 8, "hot water", fontSize=9, textAnchor="middle"))
    return d


def wiring() -> Drawing:
    """The wiring diagram: a strip of eight terminals, and what each wire leads to."""
    d = Drawing(400, 130)
    d.add(Rect(30, 20, 340, 34, fillColor=STEEL, strokeColor=DARK))
    ends = ("L", "N", "PE", "RT2", "RT2", "fan", "pump", "gas")
    wires = ("#7a4a21", "#3f78b0", "#5d8a3a", "#9aa6b0", "#9aa6b0", "#22303c", "#6b7680", "#c0503c")
    for number, (end, colour) in enumerate(zip(ends, wires, strict=True), 1):
        x = 9 + number * 42
        d.add(Line(x, 37, x, 98, strokeColor=colors.HexColor(colour), strokeWidth=2))
        d.add(Circle(x, 37, 8, fillColor=colors.white, strokeColor=DARK))
        d.add(String(x, 33.5, str(number), fontSize=9, textAnchor="middle"))
        d.add(String(x, 104, end, fontSize=9, textAnchor="middle"))
    return d


def electricity(until: int) -> Drawing:
    """Bars of the kilowatt hours used each year up to `until`."""
    d = Drawing(400, 120)
    d.add(Line(20, 20, 340, 20, strokeColor=DARK))
    for i, bill in enumerate(bill for bill in BILLS if bill.year <= until):
        x, height = 45 + i * 100, bill.used / 40
        d.add(Rect(x, 20, 56, height, fillColor=colors.HexColor("#1e7f6d"), strokeColor=None))
        d.add(String(x + 28, 24 + height, f"{bill.used:,} kWh", fontSize=8.5, textAnchor="middle"))
        d.add(String(x + 28, 8, str(bill.year), fontSize=9, textAnchor="middle"))
    return d


DRAWINGS: dict[str, Callable[..., Drawing]] = {
    "boiler": boiler,
    "panel": panel,
    "wiring": wiring,
    "electricity": electricity,
}
