"""Names that models were trained on, by the names that our tools have for the same: one table.

A name here is read as ours only where the tool has no argument of that name itself, and ours is not
given as well with another value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "path": (
        "file_path",
        "filepath",
        "filePath",
        "filename",
        "file_name",
        "file",
        "target_file",
        "absolute_path",
        "relative_path",
        "relative_workspace_path",
        "notebook_path",
        "directory",
        "directory_path",
        "dir_path",
        "dir",
        "folder",
        "source_path",
        "source",
        "src",
        "from",
    ),
    "to": ("destination", "destination_path", "dest", "dst", "new_path", "target_path"),
    "old": ("old_string", "oldString", "old_str", "oldText", "old_text", "search"),
    "new": ("new_string", "newString", "new_str", "newText", "new_text", "replace", "replacement"),
    "replace_all": ("replaceAll", "all_occurrences"),
    "content": ("contents", "text", "file_text", "file_content", "code_content"),
    "command": ("cmd", "shell_command", "bash_command", "script"),
    "timeout": ("timeout_seconds", "timeout_s", "timeout_secs"),
    "pattern": ("query", "regex", "regexp", "search_pattern", "glob_pattern", "search_term"),
    "glob": ("include", "include_pattern", "file_pattern"),
    "ignore_case": ("case_insensitive", "-i"),
    "start_line": ("start", "line_start", "from_line", "start_line_one_indexed"),
    "end_line": ("end", "line_end", "to_line", "end_line_one_indexed_inclusive"),
    "query": ("q", "search_query", "search_term"),
    "url": ("uri", "link", "address"),
    "todos": ("items", "tasks", "todo_list"),
    "source": ("new_source", "cell_source"),
    "action": ("edit_mode",),
    "patch": ("input", "diff", "patch_text"),
}
"""Ours → theirs. A unit or a sense that differs (`limit`, `offset`, `timeout_ms`, `case_sensitive`)
is no other name."""


def ours(name: str, known: Mapping[str, object]) -> str:
    """The one argument of `known` that a model may mean by `name`; empty: none, or more than
    one."""
    found = [own for own, others in NAMES.items() if own in known and name in others]
    return found[0] if len(found) == 1 and name not in known else ""
