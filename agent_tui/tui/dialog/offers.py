"""The ways to answer a question: their keys, their words, and how far each goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_tui.protocol.ops import Choice
from agent_tui.protocol.transcript import Approval, Question
from agent_tui.registry import late
from agent_tui.structures.frozen import frozen

with late():
    from agent_tui.present import displays

GRANTS: Final = frozenset(("once", "always", "prefix", "folder", "outside"))
"""Choices after which something runs."""
DECLINES: Final = frozenset(("no", "stop", "say", "later"))
"""Choices that allow nothing."""
ALLOWS: Final = "Yes, and tell the model"
ALLOWS_ALWAYS: Final = "Yes, always, and tell the model"
DENIES: Final = "Tell the model why not"


@frozen
class Offer:
    """One way to answer. `keys`: what takes it, the shown one first. `purpose`: what to ask for
    first. `mode`: what holds from then on. `short`: the label where there is little room. `also`:
    the ids of other questions that it answers, too. `says`: what to ask for where words go with it.
    `picks`: the options that it chooses. `does`: what a key that takes it does, where the label
    does not say it."""

    keys: tuple[str, ...]
    label: str
    choice: Choice
    detail: str = ""
    purpose: str = ""
    mode: str = ""
    short: str = ""
    also: tuple[str, ...] = ()
    says: str = ""
    picks: tuple[int, ...] = ()
    does: str = ""

    @property
    def brief(self) -> str:
        return self.short or self.label

    @property
    def action_name(self) -> str:
        """What a key that takes it does: its row says how far that goes."""
        return self.does or self.brief.partition(":")[0]


def offers(question: Approval | Question, alike: Sequence[Approval] = ()) -> tuple[Offer, ...]:
    """The ways to answer `question`, in the order shown. A number is always the same answer: what
    is only sometimes offered between them has a letter alone. `alike`: the other questions that one
    key may answer with it."""
    return _of_question(question) if isinstance(question, Question) else _of_call(question, alike)


def _of_question(question: Question) -> tuple[Offer, ...]:
    if question.kind == "skill_argument":
        return ()
    if question.kind == "ask":
        return _of_model(question)
    if question.kind == "plan":
        return _of_plan(question)
    if question.kind == "skill":
        yes = (*question.options, "yes")[0]
        means, not_so = (*question.details, "", "")[:2]
        return (
            Offer(("y", "1"), yes, "choose", means, short="yes", picks=(0,), does="use it"),
            Offer(("n", "2"), "no", "no", not_so),
        )
    if question.kind == "confirm":
        yes, no = (*question.options, "", "")[:2]  # a log may hold anything
        return Offer(("y", "1"), "yes", "yes", yes), Offer(("n", "2"), "no", "stop", no)
    if question.kind in ("budget", "price"):
        more = (
            "continue with as much again"
            if question.kind == "budget"
            else "continue without counting the cost"
        )
        return (
            Offer(("s", "1"), "stop", "stop", "end the turn here; changes stay"),
            Offer(("c", "2"), "continue", "continue", more),
        )
    return (
        Offer(("s", "1"), "stop", "stop", "end the turn here"),
        Offer(("c", "2"), "continue", "continue", "continue as before"),
        Offer(
            ("m", "3"),
            "say something",
            "say",
            "continue with a message to the model",
            "Tell the model",
        ),
    )


def _of_changes() -> tuple[Offer, ...]:
    """A no is first: what a command did unasked stays only if somebody means it."""
    return (
        Offer(("n", "3"), "no, put them back", "no", says=DENIES),
        Offer(("y", "1"), "yes, keep them", "once", short="yes", says=ALLOWS),
        Offer(("m", "4"), "no, and say why", "no", "", DENIES, short="no, say why"),
    )


def _of_model(question: Question) -> tuple[Offer, ...]:
    details = (*question.details, *[""] * len(question.options))
    does = "mark" if question.multi else "answer"
    options = (
        Offer((str(n + 1),), label, "choose", details[n], picks=(n,), does=does)
        for n, label in enumerate(question.options)
    )
    return (
        *options,
        Offer(("m",), "another answer", "say", "", "Your answer", short="other", does="write it"),
        Offer(("n",), "decline", "no", "it goes on without an answer"),
    )


def _of_plan(question: Question) -> tuple[Offer, ...]:
    details = (*question.details, *[""] * len(question.options))
    letters = ("y", "e")  # a log may hold more
    options = (
        Offer((*letters[n : n + 1], str(n + 1)), label, "choose", details[n], picks=(n,))
        for n, label in enumerate(question.options)
    )
    last = len(question.options)
    revise, stays = "What to change", "plan mode stays"
    return (
        *options,
        Offer(("m", f"{last + 1}"), "revise it", "say", stays, revise, short="revise"),
        Offer(("n", f"{last + 2}"), "reject it", "no", stays, short="reject"),
    )


def _of_call(question: Approval, alike: Sequence[Approval]) -> tuple[Offer, ...]:
    if question.ran:
        return _of_changes()
    together: tuple[Offer, ...] = ()
    always: tuple[Offer, ...] = ()
    edits: tuple[Offer, ...] = ()
    if alike and not question.hard:
        count = f"all {len(alike) + 1}" if len(alike) > 1 else "both"
        words = f"yes to {count} {_kind(question)}s"
        ids = tuple(one.id for one in alike)
        together = (Offer(("t",), words, "once", also=ids),)
    if question.always:
        always = (_lasting("a", "2", choice="always", allowed=question.always),)
    if question.prefix:
        begins = _lasting("p", choice="prefix", allowed=question.prefix, detail="whatever follows")
        always += (begins,)
    if question.folder and not question.hard:
        always += (
            _lasting("f", choice="folder", allowed=question.folder, detail="in this folder"),
        )
    if question.mode and not question.hard and not displays.kind_of(question.display).runs:
        words, more = (
            "yes, and accept edits from now on",
            "commands still ask",
        )
        edits = (Offer(("e",), words, "once", more, mode=question.mode, short="yes, accept edits"),)
    yes, short = "yes, once", "yes"
    if question.hosts:
        yes, short = f"yes, with network to {', '.join(question.hosts)}", "yes, with network"
        more = "with your rights and the whole network"
        edits = (Offer(("o",), "yes, without the sandbox", "outside", more, says=ALLOWS),)
    return (
        Offer(("y", "1"), yes, "once", short=short, says="" if question.hard else ALLOWS),
        *together,
        *always,
        *edits,
        Offer(("n", "3"), "no", "no", says=DENIES),
        Offer(("m", "4"), "no, and say why", "no", "", DENIES, short="no, say why"),
    )


def _lasting(*keys: str, choice: Choice, allowed: str, detail: str = "") -> Offer:
    """An answer that holds longer. How long comes first, and what it allows is the answer itself:
    the end of a line is the first to be cut, and so are words beside it."""
    how, long = ("for good", "every session") if choice == "folder" else ("always", "this session")
    return Offer(
        keys,
        f"{how}, {long}: {allowed}",
        choice,
        detail,
        short=f"{long.removeprefix('this ')}: {allowed.partition(', ')[0]}",
        says=ALLOWS_ALWAYS,
        does=how,
    )


def alike(question: Approval | Question, pending: Sequence[Approval | Question]) -> list[Approval]:
    """The other open questions of the same kind that one key may answer with `question`: never one
    about what cannot be undone, that of another agent, a change that asks for another reason (a
    protected name), or what is asked about a command that has run."""
    if isinstance(question, Question) or question.hard or question.ran:
        return []
    return [
        one
        for one in pending
        if isinstance(one, Approval)
        and one.id != question.id
        and not (one.hard or one.ran)
        and _likeness(one) == _likeness(question)
    ]


def _likeness(question: Approval) -> tuple[str, str, bool, str, tuple[str, ...]]:
    kind = _kind(question)
    why = "" if kind == "command" else question.reason
    return kind, question.agent, bool(question.always), why, tuple(question.hosts)


def _kind(question: Approval) -> str:
    """What a call does, in a word: `edit`, `command`."""
    if displays.kind_of(question.display).runs:
        return "command"
    changes = displays.diff_of(question.display) is not None
    return "edit" if changes else f"{question.tool.partition('_')[0]} call"
