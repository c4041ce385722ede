"""The corpus of shell commands (`shell_corpus.txt`), and the project in which they are judged."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_suffix(".txt")
SEVERITIES = ("looks", "asks", "hard", "false ask")


@dataclass(frozen=True)
class Entry:
    """A command of the corpus: what must become of it, and its class."""

    severity: str
    group: str
    command: str


@cache
def entries() -> tuple[Entry, ...]:
    """All commands. Raises ValueError for a line that stands under no heading."""
    found, severity, group = list[Entry](), "", ""
    for line in FILE.read_text(encoding="utf-8").split("\n"):
        if line.startswith("== "):
            severity, _, group = line[3:].partition(": ")
            if severity not in SEVERITIES:
                raise ValueError(f"no such severity: {line}")
        elif line and not line.startswith("// "):
            if not severity:
                raise ValueError(f"no heading above {line}")
            command = json.loads(line) if line.startswith('"') and _is_json(line) else line
            found.append(Entry(severity, group, command))
    return tuple(found)


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), str)
    except ValueError:
        return False


def of(*severities: str) -> tuple[Entry, ...]:
    return tuple(entry for entry in entries() if entry.severity in severities)


FILES = {
    "README.md": "# Work\n\ninstall, main, version 1.2.3\nTODO\n",
    "Makefile": "main:\n\ttrue\n",
    "package.json": '{"name": "work", "version": "1.0.0", "scripts": {"test": "x"}}\n',
    "pyproject.toml": '[project]\nversion = "1.2.3"\n',
    "config.yaml": "# settings\nserver:\n  port: 80\n  timeout: 5\n",
    ".gitignore": "node_modules\n",
    ".env": "KEY=planted\n",
    ".env.example": "KEY=\n",
    "src/app.py": 'import os\n\n\ndef main():\n    print("foo")\n    return 1\n\n\nclass App:\n    pass\n',
    "src/util/text.py": "def get():\n    return 1\n",
    "tests/test_app.py": "def test_main():\n    pass\n",
    "docs/guide.md": "# Guide\n",
    "docs/release notes.md": "# Notes\n",
    "data/users.csv": "ada,36,x\nbob,29,y\n",
    "data/old.csv": "ada,36,x\n",
    "data/items.json": '[{"id": 4, "name": "a"}]\n',
    "data/sums": "",
    "logs/app.log": "2024 ERROR one\n2024 INFO two\n",
    "deep/er/other": "inside\n",
    "[a]x": "odd name\n",
}
LINKS = {"inside": "src/app.py", "link": "../other", "outlink": "../elsewhere", "ln": "deep/er"}
REPOSITORY = {
    "HEAD": "ref: refs/heads/main\n",
    "config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
    '[remote "origin"]\n\turl = https://example.com/work.git\n'
    "\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
}


def build(folder: Path) -> Path:
    """The project `folder/work`, with what lies beside it; its repository is made without git."""
    work = folder / "work"
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "secret").write_text("outside\n", encoding="utf-8")
    (folder / "other").write_text("outside\n", encoding="utf-8")
    git = {f".git/{name}": text for name, text in REPOSITORY.items()}
    for name, text in (FILES | git).items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text, encoding="utf-8")
    for name in ("objects", "refs/heads", "refs/tags"):
        (work / ".git" / name).mkdir(parents=True)
    for name, target in LINKS.items():
        (work / name).symlink_to(target)
    return work.resolve()
