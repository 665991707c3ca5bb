"""The contract of conversations, kept in SQLite files."""

from agent.conversations.contract import *  # noqa: F403  # its tests are collected here
