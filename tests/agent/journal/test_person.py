"""What a model says as if it were the diary is said to its writer."""

import pytest

from manole.agent.journal.person import to_reader


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I have been stressed about my boiler.", "You have been stressed about your boiler."),
        ("Mr Okafor lent us a drill.", "Mr Okafor lent you a drill."),
        ("I was ill, and I'm well. We slept.", "You were ill, and you're well. You slept."),
        ("Was I late? It was me.", "Were you late? It was you."),
        ("Our cat and my own dog are mine.", "Your cat and your own dog are yours."),
        ("He said: “I will come to us.”", "He said: “I will come to us.”"),
        ("It was cheap in the US, says Ida.", "It was cheap in the US, says Ida."),
        ("The boiler went out.", "The boiler went out."),
        ("", ""),
    ],
)  # fmt: skip
def test_the_first_person_becomes_the_second_outside_quotations(said, told):
    assert to_reader(said) == told
