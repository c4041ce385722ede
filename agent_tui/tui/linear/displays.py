"""What a tool shows of its work, as plain text: one function for each member of `protocol/display.py`."""

from __future__ import annotations

from typing import assert_never

from agent_tui.present import wording
from agent_tui.protocol import display as d
from agent_tui.structures.visible import visible


def display_lines(display: d.Display) -> list[str]:
    """All of it, line by line; raw texts, which `say` makes harmless."""
    match display:
        case d.TextDisplay() | d.MarkdownDisplay() | d.PlanDisplay():
            return display.text.rstrip("\n").split("\n")
        case d.CodeDisplay():
            return display.text.rstrip("\n").split("\n")
        case d.DiffDisplay():
            return _diff(display)
        case d.ListingDisplay():
            return _listing(display)
        case d.MatchesDisplay():
            return [f"{one.path}, line {one.line}: {one.text}" for one in display.matches] or ["no match"]
        case d.CommandDisplay():
            return [*_command(display), *output(display)]
        case d.TableDisplay():
            return [", ".join(display.header), *(", ".join(row) for row in display.rows)]
        case d.TodoDisplay():
            return [f"{d.TODO_WORDS[item.state]}: {item.text}" for item in display.items]
        case d.QuestionDisplay():
            options = [f"{number}. {option}" for number, option in enumerate(display.options, 1)]
            return [display.text, *options, *([f"answer: {display.answer}"] if display.answer else [])]
        case d.ImageDisplay():
            size = f", {display.width} by {display.height}" if display.width else ""
            return [f"image {display.path}{size}"]
        case d.AgentsDisplay():
            return [f"{one.name}, {one.state}: {one.task}" for one in display.agents]
        case _:
            assert_never(display)


def output(command: d.CommandDisplay) -> list[str]:
    """What the command said."""
    output = visible(command.output, overwrite=True)
    return output.rstrip().split("\n") if output.strip() else []


def summary(display: d.Display | None) -> str:
    """What came of it, in a few words; empty where the label says it all."""
    match display:
        case d.DiffDisplay():
            new = "new file, " if display.created else ""
            return f"{new}{wording.count(display.added, 'line')} added, {display.removed} removed"
        case d.CommandDisplay():
            return "timed out" if display.timed_out else "" if display.exit_code is None else _exit(display.exit_code)
        case d.CodeDisplay():
            return wording.count(display.text.removesuffix("\n").count("\n") + 1, "line")
        case d.ListingDisplay():
            return wording.count(max(display.total, len(display.entries)), "entry", "entries")
        case d.MatchesDisplay():
            return wording.count(max(display.total, len(display.matches)), "match", "matches")
        case d.TableDisplay():
            return wording.count(len(display.rows), "row")
        case d.TodoDisplay():
            return f"{sum(item.state == 'done' for item in display.items)} of {len(display.items)} done"
        case _:
            return ""


def _exit(code: int) -> str:
    return f"exit code {code}"


def _diff(diff: d.DiffDisplay) -> list[str]:
    lines = [f"Diff of {diff.path}: {summary(diff)}"]
    for hunk in diff.hunks:
        lines.append(f"At line {hunk.new_start or hunk.old_start}:")
        lines.extend(hunk.lines)
    return lines


def _listing(listing: d.ListingDisplay) -> list[str]:
    lines = [f"{one.name.removesuffix('/')}{'/' if one.kind == 'folder' else ''}" for one in listing.entries]
    if listing.total > len(listing.entries):
        lines.append(f"of {listing.total:,} in all")
    return lines or ["empty"]


def _command(command: d.CommandDisplay) -> list[str]:
    first, *more = command.command.strip("\n").split("\n")
    where = [f"in {command.cwd}"] if command.cwd else []
    return [f"$ {first}", *more, *where]
