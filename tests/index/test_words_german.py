"""German letters, contracts, recipes and manuals, found by their words in other forms.

Words only are searched, without an embedder: the file meant is to be among the first three of the
sixteen. The first half of the questions served to make the search, the second was written with
them and looked at when it was made.
"""

from __future__ import annotations

# (query, file): other inflections, umlauts as two letters, ss for ß, parts of compounds and
# compounds of parts.
DEVELOPED = [
    ("Räumlichkeit Raum", "a1.txt"),
    ("Schlossstrasse", "a1.txt"),
    ("Frist der Kündigung zum Quartal", "a1.txt"),
    ("Kaution", "a1.txt"),
    ("Weissmueller", "a1.txt"),
    ("Prämie", "a2.txt"),
    ("Fahrrad", "a2.txt"),
    ("Vertrag der Versicherung", "a2.txt"),
    ("Pflaume", "a3.md"),
    ("Nuß", "a3.md"),
    ("Wahl der Vorsitzenden Kaessmann", "a4.txt"),
    ("Beitrag", "a4.txt"),
    ("Wasser Schlauch", "a5.txt"),
    ("Karte der Krankenkasse", "a6.txt"),
    ("Vertrag über Strom", "a7.txt"),
]
HELD_OUT = [
    ("Reifen für den Winter", "b1.txt"),
    ("Oelwechsel", "b1.txt"),
    ("Untersuchung", "b1.txt"),
    ("Fussball", "b2.txt"),
    ("Stiefel", "b2.txt"),
    ("Entschuldigung", "b2.txt"),
    ("Geräusch", "b3.txt"),
    ("Temperatur", "b3.txt"),
    ("Lorbeerblatt", "b4.md"),
    ("Gemüse", "b4.md"),
    ("Steuer beim Erwerb", "b5.txt"),
    ("Preis", "b5.txt"),
    ("Häuschen in den Ferien", "b6.txt"),
    ("Spendenquittung", "b7.txt"),
    ("Obstbaum", "b8.txt"),
]
