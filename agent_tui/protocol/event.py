"""The base of every event: whose it is, when, and the fold that it takes part in.

The fold routes what a sub-agent says to its own transcript, which lies in the block of the call
that started it.

The id of a sub-agent is its path below the session's main agent (`reviewer-1`,
`reviewer-1/tester-1`): a call's id is unique among the calls of one agent only, so the path says in
whose calls `parent_call` is looked for. From its first event on an agent is known by its row
(`Transcript.agents`). An agent whose call is not there (a torn log) gets a block of its own; what
one says whose block was taken back by a rewind is shown nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import ClassVar, Final

from agent_tui.protocol.transcript import Child, ToolBlock, Transcript
from agent_tui.structures.frozen import frozen

MAIN: Final = "main"
GONE: Final = -1
"""The row of an agent whose block was taken back."""
LOST: Final = "agent"
"""The name of the block of an agent whose call is not known; it is no call's."""


@frozen(kw_only=True)
class Event:
    """`n`: sequence number in the log (0: not stored); `at`: seconds since the epoch; the rest says
    whose it is:
    `agent` is the id of a sub-agent, and `parent_call` the call that started it."""

    settled: ClassVar[bool] = True
    n: int = 0
    at: float = 0.0
    session: str = ""
    run: str = ""
    trace: str = ""
    turn: int = 0
    step: int = 0
    agent: str = MAIN
    parent_call: str = ""
    newer: Mapping[str, object] | None = field(default=None, repr=False)
    """Fields of this event that only a newer version knows: kept as they came, written back
    unchanged."""

    @property
    def is_main(self) -> bool:
        """Whether the session's main agent says it, and no sub-agent."""
        return self.agent in (MAIN, "")

    def apply(self, t: Transcript) -> Transcript:
        """The one fold: the session's transcript `t` after this event, which changes that of its
        own agent alone."""
        if self.is_main:
            return self.change(t)
        return _route(
            t,
            _Said(
                self.agent, self.parent_call, self.at, self.settled, self.change, self.apply_above
            ),
        )

    def change(self, t: Transcript) -> Transcript:
        """What it changes in the transcript of its agent."""
        return t

    def apply_above(self, t: Transcript, row: int) -> Transcript:  # noqa: ARG002
        """What it changes in that of an agent above, where its own one's block is in `row`: sums,
        and no rows."""
        return t


@frozen
class Unknown(Event):
    """A record of a newer version: kept as it came, shown to nobody, written back unchanged."""

    raw: dict[str, object]
    type: str = "unknown"


@frozen
class Restored:
    """Not an event: a transcript that the engine has folded already, in its own thread (resume),
    from the records up to number `n`."""

    transcript: Transcript
    n: int = 0

    def apply(self, _: Transcript) -> Transcript:
        return self.transcript


@frozen
class _Said:
    """One event of a sub-agent. `change` is what it does to the transcript of its own agent;
    `above` what it does to that of each agent above, whose row is given (`GONE`: there is none)."""

    agent: str
    parent_call: str
    at: float
    settled: bool
    change: Callable[[Transcript], Transcript]
    above: Callable[[Transcript, int], Transcript]


def _route(t: Transcript, said: _Said, own: str = "") -> Transcript:
    """`t`, the transcript of the agent `own`, after an agent below it has said something."""
    if said.agent not in t.agents:
        if (
            not said.settled
        ):  # what begins an agent is on record: else the log would fold to something else
            return t
        t = _begin(t, said, own)
    row = t.agents[said.agent]
    if row != GONE:
        t = _within(t, row, said.agent, lambda child: _heard(child, said))
    return said.above(t, row)


def _heard(child: Child, said: _Said) -> Transcript:
    return (
        said.change(child.seen)
        if child.agent == said.agent
        else _route(child.seen, said, child.agent)
    )


def _begin(t: Transcript, said: _Said, own: str) -> Transcript:
    """`t` with a place for an agent that says something for the first time."""
    above = said.agent.rpartition("/")[0]
    row = _row_of(t, said.parent_call) if above in ("", own) else None
    holder = (
        above
        if above in t.agents
        else _holder(t, said.parent_call)
        if not above and row is None
        else ""
    )
    if holder:
        row = t.agents[holder]
        if row != GONE:
            t = _within(t, row, holder, lambda child: _begin(child.seen, said, child.agent))
    else:
        if row is None:
            row = t.streaming.base if t.streaming else len(t.rows)
            t = t.add(ToolBlock("", LOST, said.agent, "done", said.at))
        block = t.rows[row]
        assert isinstance(block, ToolBlock)
        start = Transcript(session=t.session, cwd=t.cwd, model=t.model, mode=t.mode, otr=t.otr)
        t = replace(
            t,
            rows=t.rows.set(
                row, replace(block, children=(*block.children, Child(said.agent, start)))
            ),
        )
    return replace(t, agents={**t.agents, said.agent: row})


def _holder(t: Transcript, call: str) -> str:
    """The agent below that has the call, where no path says which."""
    for agent, row in t.agents.items():
        block = None if row == GONE else t.rows[row]
        for child in block.children if isinstance(block, ToolBlock) else ():
            if child.agent == agent and _row_of(child.seen, call) is not None:
                return agent
    return ""


def _row_of(t: Transcript, call: str) -> int | None:
    """The row of the call: an open one, or the newest that has ended (what it started may go on
    behind it)."""
    if not call or call in t.open_tools:
        return t.open_tools.get(call)
    for row in range(len(t.rows) - 1, -1, -1):
        block = t.rows[row]
        if isinstance(block, ToolBlock) and block.call_id == call:
            return row
    return None


def _within(
    t: Transcript, row: int, agent: str, change: Callable[[Child], Transcript]
) -> Transcript:
    """`t` with another child in `row`: the one that is `agent`, or has it below; its questions are
    asked here, too."""
    block = t.rows[row]
    assert isinstance(block, ToolBlock)
    place = next(
        n for n, one in enumerate(block.children) if one.agent == agent or agent in one.seen.agents
    )
    before = block.children[place]
    seen = change(before)
    if seen is before.seen:
        return t
    children = (*block.children[:place], replace(before, seen=seen), *block.children[place + 1 :])
    t = replace(t, rows=t.rows.set(row, replace(block, children=children)))
    return t.replace_questions(before.seen.questions, seen.questions)
