"""What stands on the slides about the holiday in Denmark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Slide:
    """One slide: bullets or a table, and what the speaker's notes say."""

    title: str
    bullets: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    notes: str = ""


SLIDES = (
    Slide(
        "Denmark 2023: two weeks by the sea",
        (
            "Blokhus, North Jutland, 5 to 19 August 2023",
            'Holiday house "Havly", 400 m from the beach',
            "For the family evening on 25 June, by Jonas",
        ),
        notes="Start with the photo of the dunes. Ida gets to hold the map.",
    ),
    Slide(
        "How we get there",
        table=(
            ("Day", "From - to", "Kilometres", "Stop"),
            ("Friday, 4 August", "Freiburg - Göttingen", "495", "Aunt Renate, dinner"),
            ("Saturday, 5 August", "Göttingen - Blokhus", "745", "Playground near Flensburg"),
            ("Saturday, 19 August", "Blokhus - Hamburg", "460", "Youth hostel, room for four"),
            ("Sunday, 20 August", "Hamburg - Freiburg", "760", "Home in the evening"),
        ),
        notes="Total 2,460 km. Charge both tablets before we leave.",
    ),
    Slide(
        "What it costs",
        table=(
            ("Item", "Euros"),
            ("House, two weeks", "1,640"),
            ("Petrol and tolls", "290"),
            ("Food", "620"),
            ("Outings", "180"),
            ("Total", "2,730"),
        ),
        notes="The total is what stands in the budget for 2023. The deposit is paid already.",
    ),
    Slide(
        "What we want to do",
        (
            "Emil: fly the new kite, and visit the lighthouse at Rubjerg Knude",
            "Ida: look for amber after a storm",
            "Mara: draw the dunes; two whole days without a plan",
            "Jonas: cycle to Løkken and back, 32 km",
            "Rainy day: the aquarium in Hirtshals",
        ),
        notes="Tickets for the aquarium are cheaper if they are booked a day before.",
    ),
    Slide(
        "Who packs what",
        (
            "Mara: first-aid kit, medicines, passports, the dog's pet passport",
            "Jonas: roof box, bicycle rack, tools, snow-white sun shade",
            "Emil: games, kite, three books",
            "Ida: bucket, her blue rabbit, nothing that needs batteries",
        ),
        notes="Pippa needs her rabies vaccination entered at least 21 days before we travel.",
    ),
    Slide(
        "Before we leave",
        (
            "Water for the balcony: neighbour Mr Okafor has the key",
            "Main tap in the kitchen closed (we remember June 2022)",
            "Balance of the house paid by 24 June: done",
            "Emergency number of the landlord of the house: +45 55 55 01 28",
        ),
        notes="Ask Mr Okafor whether he likes liquorice.",
    ),
)
