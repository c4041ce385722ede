"""Where skills come from. The later place wins: shipped, `~/.claude/skills/`, `~/.agents/skills/`,
the person's own (`skills.md` and `skills/` in the config folder).

The project's (`.agents/skills/`, `.claude/skills/`, `.agent-tui/skills.md` and `.agent-tui/skills/`,
those of the nearest folder last) come with a repository, from anyone: one that is called as one of
those is `/project:name`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_tui.context import text_files
from agent_tui.context.skills.catalog import PROJECT, Skills
from agent_tui.context.skills.parsing import NAME, Skill, from_file, from_folder, from_sections
from agent_tui.paths import project_folders
from agent_tui.safety.secrets.scrubber import hide_secrets
from agent_tui.structures.frozen import frozen

LIMIT: Final = 256_000
"""Characters of one skill file that are used."""
SHIPPED: Final = "shipped"


@frozen
class _Place:
    """A folder of skills. `own`: it is of this program, so a skill may also be a file `name.md` in
    it, or a section of the file `skills.md` beside it."""

    source: str
    folder: Path
    own: bool = False

    @property
    def sections(self) -> Path:
        return self.folder.with_suffix(".md")


def discover(
    shipped: Path,
    config: Path,
    cwd: Path,
    home: Path,
    hide: Callable[[str], str] = hide_secrets,
    *,
    admits: Callable[[Path, bytes], bool],
    closed: Sequence[str] = (),
) -> Skills:
    """Read all there are; of the project's, `admits` says which are used and `hide` replaces
    the secrets. Never raises: what cannot be read is a problem."""
    found: dict[str, Skill] = {}
    problems: list[str] = []
    folders = project_folders(cwd)
    project = text_files.Project(folders[:1], folders[-1:], hide, admits)
    seen: set[str] = set()
    for place in _places(shipped, config, home, folders):
        within = project if place.source == PROJECT else None
        real = os.path.realpath(place.folder)
        if within is not None and real in seen:
            continue  # a session in the home folder, or a link to a folder that was read
        seen.add(real)
        written = _in_file(place.sections, within, closed, problems) if place.own else ()
        here: dict[str, Skill] = {}
        for skill in (*written, *_in_folder(place, within, closed, problems)):
            if within is not None:
                skill = _beside_others(skill, found, problems)
            if skill.name in here:
                said = f"/{skill.name} is defined twice; this one is used"
                problems.append(f"{skill.file}: {said}")
            here[skill.name] = replace(skill, source=place.source)
        found.update(here)
    return Skills(found, tuple(problems))


def _places(shipped: Path, config: Path, home: Path, folders: tuple[Path, ...]) -> Iterator[_Place]:
    yield _Place(SHIPPED, shipped)
    yield _Place("~/.claude", home / ".claude" / "skills")
    yield _Place("~/.agents", home / ".agents" / "skills")
    yield _Place("user", config / "skills", own=True)
    for folder in folders:
        yield _Place(PROJECT, folder / ".agents" / "skills")
        yield _Place(PROJECT, folder / ".claude" / "skills")
        yield _Place(PROJECT, folder / ".agent-tui" / "skills", own=True)


def _beside_others(skill: Skill, found: Mapping[str, Skill], problems: list[str]) -> Skill:
    """A skill of the project, which takes nobody's name."""
    known = found.get(skill.name)
    if known is None or known.source == PROJECT:
        return skill
    whose, name = "shipped" if known.source == SHIPPED else "your own", f"{PROJECT}:{skill.name}"
    problems.append(f"/{skill.name} is {whose}; the one of this project is /{name}")
    return replace(skill, name=name)


def _in_file(
    path: Path,
    within: text_files.Project | None,
    closed: Sequence[str],
    problems: list[str],
) -> Iterator[Skill]:
    file = text_files.read(path, LIMIT, within, closed)
    if file is not None:
        problems.extend([file.problem] if file.problem else [])
        yield from from_sections(file.text, str(path), problems)


def _in_folder(
    place: _Place,
    within: text_files.Project | None,
    closed: Sequence[str],
    problems: list[str],
) -> Iterator[Skill]:
    """The skills in a folder: each a folder with a SKILL.md in it, or a file."""
    folder = place.folder
    try:
        real = folder.resolve(strict=True)
        if within is not None and not within.holds(real):
            problems.append(f"{folder} leads outside the project, to {real}: not used")
            return
        if why := text_files.forbid(real, closed):
            problems.append(f"{folder} {why}: not used")
            return
        entries = sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        reason = error.strerror if isinstance(error, OSError) else "links in a circle"
        problems.append(f"{folder} cannot be read ({reason}): not used")
        return
    for entry in entries:
        # a README.md is none
        alone = place.own and entry.suffix == ".md" and NAME.fullmatch(entry.stem) is not None
        file = text_files.read(entry if alone else entry / "SKILL.md", LIMIT, within, closed)
        if file is None:
            continue
        problems.extend([file.problem] if file.problem else [])
        if not file.text.strip():
            continue
        skill = (
            from_file(file.text, entry, problems)
            if alone
            else from_folder(file.text, str(entry), entry.name, problems)
        )
        if skill is not None:
            yield skill
