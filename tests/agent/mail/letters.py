"""A folder of real `.eml` files: threads of three people, with what is broken in real mail."""

# ruff: noqa: E501  # mails as rows of a table
from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

MINA, NINA, KRAMER, TOM = (
    "Mina Terpstra <mina@home.example>", "Nina Weber <nina@choir.example>",
    "Kramer Dachbau <office@kramer-dachbau.example>", "Tom Reed <tom@choir.example>",
)  # fmt: skip


def mail(who, to, subject, day, body, id="", **headers):
    """The source of a mail; `day` is ISO with a time."""
    lines = [f"From: {who}", f"To: {to}", f"Subject: {subject}"]
    lines.append(f"Date: {format_datetime(datetime.fromisoformat(day).replace(tzinfo=UTC))}")
    lines += [f"Message-ID: <{id}>"] if id else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\n".join([*lines, "", body, ""])


def write(folder):
    """Write them into a folder."""
    folder.mkdir()
    for name, text in LETTERS.items():
        (folder / f"{name}.eml").write_text(text)


LETTERS = {
    "roof1": mail(MINA, f"{KRAMER}, {NINA}", "The roof leaks", "2024-09-02T08:00",
                  "Dear Mr Kramer,\n\nthe roof leaks above the stairs. When can you come?\n\n-- \nMina\n0123", "r1@home"),
    "roof2": mail(KRAMER, MINA, "AW: The roof leaks", "2024-09-03T09:00",
                  "Hello Mina,\n\nwe come on Thursday at nine.\n\nOn 2 September 2024 Mina Terpstra wrote:\n> the roof leaks above the stairs.\n> When can you come?", "r2@kramer", In_Reply_To="<r1@home>", References="<r1@home>"),
    "roof3": mail(MINA, KRAMER, "Re: AW: The roof leaks", "2024-09-03T12:00",
                  "Thursday suits me, the key hangs in the shed.\n\n-----Original Message-----\nFrom: Kramer\nwe come", "r3@home", In_Reply_To="<r2@kramer>", References="<r1@home>\n <r2@kramer>"),
    "roof4": mail(NINA, f"{MINA}, {KRAMER}", "Re: The roof leaks", "2024-09-04T07:00",
                  "> the roof leaks above the stairs.", "r4@choir", References="<r1@home>"),
    "roof5": mail(KRAMER, MINA, "AW: The roof leaks", "2024-09-10T07:00",
                  "Mina,\nthe tiles cost 420 euros. Do you want them?", "r5@kramer"),  # no References
    "later": mail(KRAMER, MINA, "Re: The roof leaks", "2025-09-12T07:00",
                  "It is a year, shall we look at the roof again?", "y1@kramer"),  # a year later
    "proben1": mail(NINA, MINA, "Rehearsals in October", "2024-10-01T10:00",
                    "Hi Mina,\ncan you sing on the 12th? The rehearsals are on Mondays.", "p1@choir"),
    "proben2": mail(MINA, NINA, "Re: Rehearsals in October", "2024-10-02T10:00",
                    "Yes, gladly.", "p2@home", In_Reply_To="<p1@choir>"),
    "piano": mail(MINA, TOM, "The piano", "2024-11-20T10:00",
                  "Hi Tom,\nI saw the piano. Is it still for sale?\nMina", "k1@home"),
    "away": mail(TOM, MINA, "Out of office", "2024-11-20T10:01", "I am away.", "k2@choir",
                 In_Reply_To="<k1@home>", Auto_Submitted="auto-replied"),
    "news": mail("News <news@shop.example>", MINA, "Offers", "2024-11-25T10:00", "Buy!", "n1@shop",
                 List_Unsubscribe="<mailto:x@shop.example>"),
}  # fmt: skip
