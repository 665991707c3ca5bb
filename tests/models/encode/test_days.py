"""What a day in a sentence is for, in four languages."""

from __future__ import annotations

from manole.models.encode.days import purposes

SENTENCES = [
    ("The plumbing bill of 88.00 has to be paid no later than DAY.", "pay"),
    ("Bitte überweisen Sie die Hundesteuer bis DAY.", "pay"),
    ("La redevance de 35 € sera prélevée sur votre compte le DAY.", "pay"),
    ("Pague la cuota del comedor antes del DAY.", "pay"),
    ("The rental agreement for the piano ends on DAY.", "ends"),
    ("Der Pachtvertrag endet am DAY.", "ends"),
    ("Le bail du garage prend fin le DAY.", "ends"),
    ("El contrato de la luz termina el DAY.", "ends"),
    ("The electrician will come to your flat on DAY at 10:30.", "event"),
    ("Ihr Termin beim Augenarzt ist am DAY um 8 Uhr.", "event"),
    ("Votre rendez-vous chez le notaire est le DAY à 14 h.", "event"),
    ("Su cita con el abogado es el DAY a las 12:00.", "event"),
    ("Paid on DAY by bank transfer.", "none"),
    ("Ida, born on DAY, plays the flute.", "none"),
    ("Leistungszeitraum OTHER bis DAY laut Vertrag", "none"),
    ("Unsere Kanzlei ist am DAY geschlossen.", "none"),
    ("Le décret entre en vigueur le DAY.", "none"),
    ("Las elecciones municipales serán el DAY.", "none"),
]  # in no set
SHARE = 0.75  # right at least: 0.83 of what is held out are (`training/due.py`)


def test_most_days_are_told_with_their_purpose_in_four_languages():
    told = [purpose for purpose, _ in purposes([sentence for sentence, _ in SENTENCES])]
    right = sum(one == wanted for one, (_, wanted) in zip(told, SENTENCES, strict=True))
    assert right >= SHARE * len(SENTENCES)


def test_a_purpose_comes_with_how_sure_it_is():
    assert all(1 / 7 < share <= 1 for _, share in purposes([one for one, _ in SENTENCES]))


def test_no_sentence_has_no_purpose():
    assert purposes([]) == []
