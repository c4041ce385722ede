"""The names a styled line may use: closed, so that a theme can be checked to be whole."""

from __future__ import annotations

from typing import Final

STYLES: Final[tuple[str, ...]] = (
    "text", "dim", "accent", "strong", "emphasis", "strike", "code", "link", "link.target", "image", "html",
    "heading.1", "heading.2", "heading.3", "quote", "quote.bar", "list.marker", "list.done", "list.open",
    "table.head", "table.border", "rule",
    "code.block", "code.label", "code.text", "code.keyword", "code.string", "code.number", "code.comment",
    "code.name", "code.type", "code.operator", "code.meta", "code.added", "code.removed", "code.heading",
    "diff.path", "diff.hunk", "diff.number", "diff.context", "diff.context.code", "diff.added", "diff.removed",
    "diff.added.sign", "diff.removed.sign", "diff.added.word", "diff.removed.word",
    "diff.count.added", "diff.count.removed",
    "tool.mark", "tool.name", "tool.label", "tool.ok", "tool.bad", "tool.wait", "tool.time", "tool.output",
    "tool.note", "tool.more", "match.path", "match.number", "match.hit",
    "user", "user.mark", "user.note", "thinking", "notice.info", "notice.warning", "notice.error", "notice.hint",
    "turn", "turn.bad", "divider", "indent", "margin", "selection", "new",
    "search", "search.current", "place", "stamp",
)  # fmt: skip

DECORATION: Final[frozenset[str]] = frozenset((
    "indent", "margin", "code.block", "quote.bar", "table.border", "rule", "diff.number", "tool.mark", "tool.more",
    "user.mark", "stamp",
))  # fmt: skip
"""Styles of what is drawn around the text and is no part of it: a copy leaves it out."""
