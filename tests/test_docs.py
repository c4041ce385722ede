"""What the documents say is so: links, tables, the map of the code, settings, flags, modes and
examples."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent_tui import registry
from agent_tui.boot.terminal import COMMANDS
from agent_tui.protocol import exit_codes
from agent_tui.safety.policy import MODES, Facts, decide
from agent_tui.settings import schema
from agent_tui.settings.table import Settings

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
THEMES = (ROOT / "docs" / "themes.md").read_text(encoding="utf-8")
PAGES = sorted(
    [ROOT / "README.md", ROOT / "AGENTS.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/*.md")]
)
EFFECTS = (("reads", "read"), ("edits", "write"), ("commands", "execute"))
VERDICTS = {"allow": "run", "ask": "ask", "refuse": "refused"}


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(text: str) -> list[list[str]]:
    """The cells of every table line, code marks taken off."""
    return [
        [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| ")
    ]


def section(text: str, heading: str) -> str:
    """What stands under `heading`, up to the next one."""
    return re.split(r"^#+ ", text.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def test_what_is_made_from_the_code_is_fresh() -> None:
    assert generator().stale() == [], "run python docs/generate.py"


def test_a_stale_table_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    made = generator()
    monkeypatch.setattr(made, "slash_table", lambda: "| something | else |\n")
    assert made.stale() == ["docs/keys.md"]


def test_every_tool_is_told_with_its_arguments() -> None:
    said = {
        cells[0]: cells[1:]
        for cells in rows(section((ROOT / "docs" / "tools.md").read_text("utf-8"), "Tools"))
    }
    assert set(registry.names("agent_tui.tools")) == set(said) - {"tool", "---"}
    for name in registry.names("agent_tui.tools"):
        tool = registry.load("agent_tui.tools", name, "TOOL")
        assert said[name][0] == tool.effect
        for argument in tool.arguments.model_fields:
            assert re.search(rf"(^|`){argument}` \(", said[name][1]), f"{name}: {argument}"
    assert "`todos[].state` (one of pending, active, done" in said["update_todos"][1]


def test_every_tag_of_a_result_is_told() -> None:
    names = r'(?:ToolFailure|WebFailure|_failed)\(\s*"([a-z_]+)"|ToolResult\([^()"]*,\s*"([a-z_]+)"\)|tag="([a-z_]+)"'
    sources = [
        *(ROOT / "agent_tui" / "tools").rglob("*.py"),
        *(ROOT / "agent_tui" / "agent").rglob("*.py"),
    ]
    used = {
        tag
        for path in sources
        for found in re.findall(names, path.read_text(encoding="utf-8"))
        for tag in found
        if tag
    }
    assert len(used) > 12
    page = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    told = set(
        re.findall(r"`([a-z_]+)`", page.split("## How a call can end")[1].split("## Your")[0])
    )
    assert used - {"ok"} <= told


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), f"{page.name}: {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {
                re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings
            }
            assert anchor in anchors, f"{page.name}: {target}"


def test_the_map_names_all_code_and_nothing_else() -> None:
    mapped = {
        name
        for cells in re.findall(r"^\| (`[^|]+) \|", section(README, "The code"), re.MULTILINE)
        for name in re.findall(r"`([^`]+)`", cells)
    }
    found = {
        name: [path.relative_to(ROOT).as_posix() for path in ROOT.glob(name)] for name in mapped
    }
    assert all(found.values()), (
        f"the map names what is not there: {[name for name in found if not found[name]]}"
    )
    mapped |= {path for paths in found.values() for path in paths}
    package = ROOT / "agent_tui"
    there = {
        f"agent_tui/{path.name}" for path in package.glob("*.py") if path.name != "__init__.py"
    }
    there |= {f"agent_tui/{path.parent.name}/" for path in package.glob("*/__init__.py")}
    assert there <= mapped, f"not on the map: {sorted(there - mapped)}"


@pytest.mark.parametrize(
    "command",
    [
        "python3 -m venv .venv && .venv/bin/pip install -e . && .venv/bin/agent-tui",
        "python3 -m venv .venv && .venv/bin/pip install -e . && .venv/bin/agent-tui --demo",
        "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/pytest",
    ],
)
def test_the_commands_stand_there_as_they_are(command: str) -> None:
    assert f"```sh\n{command}\n```" in README


def test_modes_are_as_the_policy_decides() -> None:
    said = {
        cells[0].split("`")[0]: cells[1:]
        for cells in rows(section(README, "Modes"))
        if cells[0] != "mode"
    }
    assert tuple(said) == MODES
    for mode, cells in said.items():
        for (_, effect), cell in zip(EFFECTS, cells, strict=True):
            facts = Facts("tool", effect, command="ls" if effect == "execute" else "")  # type: ignore[arg-type]
            verdict = decide(mode, facts).verdict
            assert cell.split(",")[0] == VERDICTS[verdict], f"{mode}, {effect}: {verdict}"


def test_every_setting_is_there_with_its_default() -> None:
    said = {
        cells[0]: cells[1]
        for cells in rows(section(SETTINGS, "All settings").strip().split("\n\n")[0])
    }
    known = Settings()
    wanted: dict[str, object] = {key: getattr(known, key) for key in schema.top_rows()}
    for name, keys in schema.sections().items():
        if keys:
            wanted |= {f"{name}.{key}": getattr(getattr(known, name), key) for key in keys}
    for key, value in wanted.items():
        default = tomllib.loads(f"x = {said[key]}")["x"]
        assert default == (list(value) if isinstance(value, tuple) else value), key
    for key in schema.PROVIDER:
        assert f"providers.<name>.{key}" in said


@pytest.mark.parametrize("page", ["README.md", "docs/settings.md"])
def test_examples_of_settings_are_valid(page: str) -> None:
    examples = re.findall(
        r"```toml\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL
    )
    assert examples
    for example in examples:
        problems: list[schema.Problem] = []
        if "[colours]" not in example:  # that one is a theme
            schema.check(tomllib.loads(example), schema.Source(page, example), problems)
        assert problems == []


def test_the_example_of_a_theme_is_valid(tmp_path: Path) -> None:
    from agent_tui.paths import shipped_folder
    from agent_tui.tui.widgets.theme import load_theme

    example = next(
        e for e in re.findall(r"```toml\n(.*?)```", THEMES, re.DOTALL) if "[colours]" in e
    )
    (tmp_path / "harbour.toml").write_text(example, encoding="utf-8")
    theme = load_theme("harbour", (shipped_folder("themes"), tmp_path))
    assert theme.name == "harbour"
    assert theme.colours["accent"] == "#f0b35a"
    assert not [problem for problem in theme.problems if "not given" not in problem]


def test_every_flag_and_exit_code_is_told(tmp_path: Path) -> None:
    usage = (ROOT / "docs" / "usage.md").read_text(encoding="utf-8")
    flags: set[str] = set()
    for arguments in (("--help",), ("chat", "--help"), ("run", "--help")):
        done = subprocess.run(
            [sys.executable, "-m", "agent_tui", *arguments],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            env={**os.environ, "AGENT_TUI_HOME": str(tmp_path), "NO_COLOR": "1"},
        )
        options = done.stdout.split("options:")[1].split("\n\n")[0]
        flags |= set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", options))
        codes = re.findall(r"(?:codes: |, |\n *)(\d+) ", done.stdout)
    assert {"-m", "--continue", "--output", "--timeout"} <= flags
    for flag in flags:
        assert re.search(rf"`{flag}[` ]", usage), f"docs/usage.md does not tell of {flag}"
    [head] = re.findall(r"^\| command ((?:\| \d+ )+)\|$", usage, re.MULTILINE)
    assert codes == re.findall(r"\d+", head)


def test_every_command_has_its_exit_codes() -> None:
    assert set(exit_codes.MEANINGS) == set(COMMANDS)
    for command in set(COMMANDS) - {"run", "chat", "bug"}:
        module = importlib.import_module(f"agent_tui.cli.{command}")
        assert exit_codes.summary(command) in module.EPILOG


def test_the_picture_fetches_nothing() -> None:
    picture = (ROOT / "docs" / "screenshot.svg").read_text(encoding="utf-8")
    assert "@font-face" not in picture
    assert "url(http" not in picture
    assert str(ROOT) not in picture
    assert "Please&#160;fix&#160;it." in picture
