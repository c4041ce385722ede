"""Which session was forked from which: their list as a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agent_tui.protocol.answers import Branch, Summary


def tree(sessions: Iterable[Summary]) -> list[Branch]:
    """Every session once, parents before children, as they are listed. A parent that is not there is none."""
    listed = list(sessions)
    ids = {one.id for one in listed}
    children: dict[str, list[Summary]] = {}
    for one in listed:
        parent = one.parent if one.parent in ids and one.parent != one.id else ""
        children.setdefault(parent, []).append(one)
    found = list(_below(children, "", 0, ""))
    placed = {branch.session.id for branch in found}
    # Logs may say that each came from the other: then neither hangs below the top.
    return found + [Branch(one, 0, True) for one in listed if one.id not in placed]


def of(sessions: Sequence[Summary], id: str) -> list[Branch]:
    """The part of the tree that `id` belongs to."""
    branches = tree(sessions)
    place = next((place for place, branch in enumerate(branches) if branch.session.id == id), None)
    if place is None:
        return []
    start = next(at for at in range(place, -1, -1) if branches[at].depth == 0)
    stop = next((at for at in range(place + 1, len(branches)) if branches[at].depth == 0), len(branches))
    return branches[start:stop]


def _below(children: dict[str, list[Summary]], id: str, depth: int, lines: str) -> Iterator[Branch]:
    stack = [(one, depth, lines, place == 0) for place, one in enumerate(reversed(children.get(id, [])))]
    while stack:
        session, level, before, last = stack.pop()
        yield Branch(session, level, last, before + ("└─ " if last else "├─ ") if level else "")
        inner = before + ("   " if last else "│  ") if level else ""
        kids = children.get(session.id, [])
        stack.extend((kid, level + 1, inner, place == 0) for place, kid in enumerate(reversed(kids)))
