"""The tables that conversations are kept in by PostgreSQL, all in a schema of their own.

`library` separates libraries. A search compares text folded by Python, so that it finds the same as
in a file; hence the columns `folded`. The writer makes `mark`, so that a row written twice, because
a connection broke, is there once. Events are text and not `jsonb`: they are returned as they came.
"""

from __future__ import annotations

SCHEMA = "manole"
LOCK = 0x6D616E6F6C65  # "manole": of the servers that make the schema
STATEMENTS = (
    f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}",
    f"CREATE TABLE {SCHEMA}.version (version integer NOT NULL)",
    f"""CREATE TABLE {SCHEMA}.conversations (
        key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        library text NOT NULL, id text NOT NULL, title text, folded text COLLATE "C",
        created timestamptz NOT NULL, updated timestamptz NOT NULL,
        UNIQUE (library, id))""",
    f"CREATE INDEX ON {SCHEMA}.conversations (library, updated)",
    f"""CREATE TABLE {SCHEMA}.turns (
        key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        conversation bigint NOT NULL REFERENCES {SCHEMA}.conversations ON DELETE CASCADE,
        n integer NOT NULL, question text NOT NULL, scope text, asked timestamptz NOT NULL,
        answer text, rating text CHECK (rating IN ('up', 'down')), comment text,
        folded_question text COLLATE "C" NOT NULL, folded_answer text COLLATE "C",
        mark uuid NOT NULL UNIQUE,
        UNIQUE (conversation, n))""",
    f"""CREATE TABLE {SCHEMA}.events (
        key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        turn bigint NOT NULL REFERENCES {SCHEMA}.turns ON DELETE CASCADE,
        event text NOT NULL, mark uuid NOT NULL UNIQUE)""",
    f"CREATE INDEX ON {SCHEMA}.events (turn, key)",
)
VERSION = 1
