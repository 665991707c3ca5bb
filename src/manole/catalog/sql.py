"""Queries as trees."""

from __future__ import annotations

from sqlglot import exp


def depth(tree: exp.Expr) -> int:
    """Levels of a tree, counted without going down them."""
    levels = 0
    level: list[exp.Expr] = [tree]
    while level:
        levels, level = levels + 1, [child for node in level for child in node.iter_expressions()]
    return levels
