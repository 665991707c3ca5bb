"""The address of a database: what it may say, and that its password is never shown."""

from __future__ import annotations

import sys

import pytest

from manole.agent.conversations import Conversations
from manole.errors import SettingsError
from manole.settings import ConversationsSettings, Settings, without_password
from manole_postgres.address import parsed

SECRET = "pass word/@:#%"
ADDRESS = "postgresql://me:pass%20word%2F%40%3A%23%25@db.example:6432/talks"


def test_an_address_is_read():
    address = parsed(ADDRESS + "?sslmode=disable&application_name=one")
    assert (address.user, address.password, address.host) == ("me", SECRET, "db.example")
    assert (address.port, address.database, address.application) == (6432, "talks", "one")
    assert address.place == "the PostgreSQL database talks at db.example:6432"
    assert address.options()["ssl_context"] is False
    assert "pass" not in repr(address)


def test_what_is_left_out_is_as_libpq_has_it():
    address = parsed("postgres://")
    assert (address.user, address.host, address.port) == ("postgres", "localhost", 5432)
    assert (address.database, address.password, address.sslmode) == ("postgres", None, "prefer")


def test_a_socket_may_be_named():
    address = parsed("postgresql:///talks?host=/run/postgresql&user=me")
    assert address.options()["unix_sock"] == "/run/postgresql/.s.PGSQL.5432"
    assert address.user == "me"


def test_encryption_is_what_was_asked_for():
    whole = parsed("postgresql://h/d?sslmode=verify-full").options()["ssl_context"]
    assert whole.check_hostname
    ca = parsed("postgresql://h/d?sslmode=verify-ca").options()["ssl_context"]
    assert not ca.check_hostname
    assert ca.verify_mode == whole.verify_mode == 2  # a certificate is demanded
    assert parsed("postgresql://h/d?sslmode=require").options()["ssl_context"] is True
    with pytest.raises(SettingsError, match=r"none\.pem cannot be used"):
        parsed("postgresql://h/d?sslmode=verify-ca&sslrootcert=none.pem").options()


@pytest.mark.parametrize(
    "wrong",
    [
        "postgresql://me:geh/eim@h/d", "postgresql://me:geh#eim@h/d", "postgresql://me:geheim@h:x/d",
        "postgresql://me:geheim@h:99999/d", "postgresql://me:geheim@h/d?sslmode=maybe",
        "postgresql://me:geheim@h/d?colour=red",
        "postgresql://me:geheim@[h/d",
    ],
)  # fmt: skip
def test_a_wrong_address_is_refused_without_showing_it(wrong):
    with pytest.raises(SettingsError, match=r"conversations\.database") as caught:
        parsed(wrong)
    assert "geh" not in str(caught.value)
    assert "geh" not in without_password(wrong)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (ADDRESS, "postgresql://me:***@db.example:6432/talks"),
        ("postgresql://me@h/d?password=secret", "postgresql://me@h/d"),
        ("postgres://h", "postgres://h"),
        ("postgresql://me:a@b@h/d", "postgresql://me:***@h/d"),
    ],
)
def test_an_address_is_shown_without_its_password(address, shown):
    assert without_password(address) == shown


def test_settings_never_show_the_password(monkeypatch):
    monkeypatch.setenv("MANOLE_CONVERSATIONS__DATABASE", ADDRESS)
    settings = Settings.load()
    assert settings.conversations.database == ADDRESS
    assert settings.describe()["conversations.database"][0] == without_password(ADDRESS)
    assert "pass" not in repr(settings.conversations)
    for wrong in ("mysql://me:pass@h/d", "file:pass"):
        monkeypatch.setenv("MANOLE_CONVERSATIONS__DATABASE", wrong)
        with pytest.raises(SettingsError, match="not shown") as caught:
            Settings.load()
        assert "pass" not in str(caught.value).replace("PASSWORD", "")
        assert "postgresql://" in str(caught.value)


def test_without_the_extra_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pg8000", None)
    monkeypatch.delitem(sys.modules, "pg8000.native", raising=False)
    shared = ConversationsSettings(database=ADDRESS)
    with pytest.raises(SettingsError, match="extra `cluster`"):
        Conversations.of(Settings(data_dir=tmp_path, conversations=shared), "papers")
