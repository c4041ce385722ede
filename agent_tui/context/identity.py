"""Files that say who the model is and whom it works for: in the person's config home, and in
`.agent-tui/` of a project that they trust.

They go with every request, so they share a limit, and Markdown that only decorates is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.context import text_files
from agent_tui.context.aieos import NoIdentity, describe_identity
from agent_tui.context.instruction_files import LIMIT, Instruction
from agent_tui.paths import project_folders
from agent_tui.protocol.turn_events import Profile
from agent_tui.structures import late

AIEOS: Final = "identity.json"
BOOTSTRAP: Final = "BOOTSTRAP.md"
FILES: Final[dict[str, str]] = {
    "SOUL.md": "Guardrails. Where another instruction or a wish disagrees with them, they hold; only "
    "the rules on trust and sensitive data stand above them.",
    "IDENTITY.md": "",
    "USER.md": "About the person.",
    AIEOS: "",
    BOOTSTRAP: "To do once, before anything else.",
}
"""The identity files, those first that must not be cut, and what is said before each."""
DONE: Final = "When all of that is done, remove the file {}, or ask the person to: it is for once."
"""Stands behind a BOOTSTRAP.md as its last rule."""
LIMITS: Final[dict[Profile, int]] = {"full": 4_000, "small": 1_000}
"""Characters of all identity files together."""
PROJECT: Final = ".agent-tui"

_RULE: Final = late.pattern(r" {0,3}([-*_=])(?:\s*\1){2,}\s*")
_BOLD: Final = late.pattern(r"(\*\*|__)(?=\S)(.{1,200}?)(?<=\S)\1")
_HEADING: Final = late.pattern(r"(#{1,6})(?:\s|$)")
_FENCE: Final = late.pattern(r"\s*(```|~~~)")


def read(
    cwd: Path,
    config: Path,
    hide: Callable[[str], str],
    *,
    admits: Callable[[Path, bytes], bool],
    closed: Sequence[str] = (),
) -> tuple[Instruction, ...]:
    """All of these files, the person's own first, then those of the project from the git root down
    to `cwd`; a file behind two names only once. `admits` says which of the project's are used, and
    `hide` replaces the secrets in them."""
    folders = project_folders(cwd)
    project = text_files.Project(folders[:1], folders[-1:], hide, admits)
    places: list[tuple[Path, text_files.Project | None]] = [(config, None)]
    places += [(folder / PROJECT, project) for folder in folders]
    found, seen = list[Instruction](), set[tuple[int, int]]()
    for folder, within in places:
        for name in FILES:
            path = folder / name
            file = text_files.read(path, LIMIT, within, closed)
            if file is None or file.identity in seen:
                continue
            if file.identity is not None:
                seen.add(file.identity)
            shown = name if within is None else str(path.relative_to(folders[0]))
            one = _understood(Instruction(shown, path, file.text.strip(), file.problem))
            if one.text or one.problem:
                found.append(one)
    return tuple(found)


def _understood(one: Instruction) -> Instruction:
    if one.path.name != AIEOS or not one.text:
        return replace(one, text=strip_decoration(one.text))
    try:
        return replace(one, text=describe_identity(one.text))
    except NoIdentity as error:
        return replace(one, text="", problem=f"{one.path} is not used: {error}")


def as_identity(files: Sequence[Instruction], profile: Profile) -> tuple[Instruction, ...]:
    """The files as the model reads them, within their limit."""
    limit = LIMITS[profile]
    room, less, kept = limit, list[str](), list[Instruction]()
    for one in files:
        text = one.text
        if len(text) > room:
            less.append(one.name)
            text = f"{text[:room].rstrip()}\n[cut here: too long]" if room else ""
        room = max(0, room - len(one.text))
        last = DONE.format(one.path) if one.path.name == BOOTSTRAP else ""
        told = "\n".join(filter(None, (FILES[one.path.name], text, last))) if text else ""
        kept.append(replace(one, text=told))
    if less:
        said = f"The identity files are longer than {limit:,} characters together"
        said += f": the rest of {', '.join(less)} is not used"
        kept[-1] = replace(kept[-1], problem="; ".join(filter(None, (kept[-1].problem, said))))
    return tuple(kept)


def strip_decoration(text: str) -> str:
    """Markdown without what only decorates: comments, bold, rules, headings with nothing below.
    What stands in a fence stays, but for comments."""
    lines, fenced = list[str](), ""
    for line in _without_comments(text).split("\n"):
        fence = _FENCE.match(line)
        if fence and (not fenced or fence[1] == fenced):
            fenced = "" if fenced else fence[1]
        elif not fenced:
            if _RULE.fullmatch(line):
                continue
            line = _BOLD.sub(r"\2", line).rstrip()
        lines.append(line)
    return "\n".join(reversed(list(_with_text_below(lines)))).strip()


def _without_comments(text: str) -> str:
    first, *rest = text.split("<!--")
    for part in rest:
        _, end, after = part.partition("-->")
        first += after if end else f"<!--{part}"
    return first


def _with_text_below(lines: Sequence[str]) -> Iterator[str]:
    """The lines, the last first, without headings that nothing stands below, and with one empty
    line where there were more."""
    fenced = [False]
    for line in lines:
        fenced.append(fenced[-1] != bool(_FENCE.match(line)))
    next_level = 0  # of the heading below, which has text
    below, last = False, ""
    for line, inside in zip(reversed(lines), reversed(fenced[:-1]), strict=True):
        heading = None if inside else _HEADING.match(line)
        if heading is not None:
            if not below and len(heading[1]) >= next_level:
                continue
            below, next_level = False, len(heading[1])
        elif line or inside:
            below = True
        elif not last:
            continue
        last = line
        yield line
