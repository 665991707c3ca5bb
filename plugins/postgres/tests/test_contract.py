"""The contract of conversations, kept in a real PostgreSQL server."""

from agent.conversations.contract import *  # noqa: F403  # its tests are collected here
