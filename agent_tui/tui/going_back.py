"""Going back, as far as the person has come with it: what would be taken back or made again, and what they chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Literal

from agent_tui.protocol.display import Hunk
from agent_tui.structures.frozen import frozen

What = Literal["code", "conversation", "both"]


@frozen
class OldFile:
    """A file and what going back does to it. `why` says what is in the way, `choices` what may be chosen then (empty:
    nobody needs to be asked); `diff` goes from what it is now to what it would be. `goes`: it would be deleted;
    `comes`: it would be there again."""

    path: str
    why: str = ""
    choices: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0
    diff: tuple[Hunk, ...] = ()
    goes: bool = False
    comes: bool = False


@frozen
class GoingBack:
    """`to`: the record number of the turn (0: the last one that changed files). `talks`: the conversation can be taken
    back too. `told`: the engine has said which files. `sent`: what was asked for; empty: nothing yet."""

    redo: bool = False
    to: int = 0
    prompt: str = ""
    talks: bool = True
    told: bool = False
    told_at: float = 0.0
    files: tuple[OldFile, ...] = ()
    turns: tuple[int, ...] = ()
    caps: tuple[str, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    sent: Literal["", "code", "conversation", "both"] = ""
    changed: bool = False
    """These turns changed files, whether or not that is taken back already."""

    @property
    def version(self) -> str:
        """What the content is called that going back would put there."""
        return "changed version" if self.redo else "earlier version"

    def stays(self, file: OldFile) -> bool:
        """Whether it is left as it is: by choice, or because nothing else is possible."""
        return self.choices.get(file.path) in ("keep", "both") or file.choices == ("keep",)

    @property
    def chosen(self) -> tuple[OldFile, ...]:
        """The files as the choices are: one that stays has no difference."""
        return tuple(replace(f, diff=(), goes=False, comes=False) if self.stays(f) else f for f in self.files)

    @property
    def asked(self) -> tuple[OldFile, ...]:
        """The files that need a word."""
        return tuple(file for file in self.files if file.choices)

    @property
    def offered(self) -> tuple[What, ...]:
        """What can be taken back, or made again; first what is most likely meant."""
        if not self.told:
            return ()
        if not self.files:
            return ("conversation",) if self.talks else ()
        if not self.talks:
            return ("code",)
        if self.redo:
            return ("code", "conversation")
        return ("both", "code", "conversation") if self.to else ("code", "both", "conversation")


def files_told(data: Any) -> tuple[OldFile, ...]:
    """The files of an answer, first those that need a word: their differences have to be seen for it. What has another
    shape is left out."""
    found = data.get("files") if isinstance(data, Mapping) else None
    listed = found if isinstance(found, list | tuple) else ()
    files = (_file(one) for one in listed if isinstance(one, Mapping))
    return tuple(sorted(files, key=lambda file: not file.choices))


def _file(one: Mapping[str, Any]) -> OldFile:
    hunks = (
        Hunk(int(hunk.get("old_start", 1)), int(hunk.get("new_start", 1)), tuple(map(str, hunk.get("lines") or ())))
        for hunk in one.get("diff") or ()
        if isinstance(hunk, Mapping)
    )
    choices = tuple(map(str, one.get("choices") or ()))
    return OldFile(
        str(one.get("path", "")), str(one.get("why") or ""), choices, int(one.get("added") or 0),
        int(one.get("removed") or 0), tuple(hunks), bool(one.get("goes")), bool(one.get("comes")),
    )  # fmt: skip
