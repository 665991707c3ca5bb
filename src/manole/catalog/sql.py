"""Measures queries as trees."""

from __future__ import annotations

from sqlglot import exp


def depth(tree: exp.Expr) -> int:
    """Count the levels of a tree without recursion."""
    levels = 0
    level: list[exp.Expr] = [tree]
    while level:
        levels, level = levels + 1, [child for node in level for child in node.iter_expressions()]
    return levels
