"""A setting is one row, and a dialect two small files: each proved by adding one to a copy of the
program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = """
    ruler: int = setting(
        80, whole_number(20, 200), "The column of a ruler.", live=True, variable=Variable("RULER"),
        flag=Flag("--ruler", "the column of a ruler", "N"),
    )
"""
DECLARED = """
from agent_tui.providers.services.base import Service
from agent_tui.settings.table import STREAM
from agent_tui.settings.values import SWITCH, Setting

ACME = Service(
    "acme", "Acme", "acme", ("ACME_API_KEY",), ("ACME_BASE_URL",), prefixes=("anvil-",), base_url="https://acme.test",
    options={"stream": STREAM, "loud": Setting(SWITCH, False, "Whether it shouts.")},
)
SERVICES = (ACME,)
"""
DIALECT = """
from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers.base import Finished, TextChunk
from agent_tui.providers.services.acme import ACME


def create(model, setup):
    return Acme(model, setup)


def effort(name, model, wanted):
    return {"effort": wanted}


class Acme:
    name, roots = ACME.name, ()

    def __init__(self, model, setup):
        self.model, self.setup = model, setup
        self.base_url = setup.base_url or ACME.url(setup.environment) or ACME.base_url

    async def info(self):
        return ModelInfo(f"acme/{self.model}", 1000, 1000)

    async def models(self):
        return (await self.info(),)

    async def stream(self, request):
        yield TextChunk("BOOM" if self.setup.options.get("loud") else "boom")
        yield Finished("stop")

    async def prepare(self):
        return None

    async def close(self):
        return None
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A copy of the program, with its documents."""
    made = tmp_path / "program"
    shutil.copytree(
        ROOT / "agent_tui", made / "agent_tui", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("docs", "themes"):
        shutil.copytree(ROOT / name, made / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "README.md", made)
    return made


def python(program: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    home = str(program / "home")
    given = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(program),
        "AGENT_TUI_HOME": home,
        "HOME": home,
    }
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=program,
        env=given | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def told(program: Path, code: str, **environment: str) -> Any:
    """What `code` prints as JSON."""
    done = python(program, "-c", code, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def config(program: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    done = python(program, "-m", "agent_tui", "config", *arguments, **environment)
    return done.returncode, done.stdout + done.stderr


SHOWN = """
import json
from dataclasses import replace
from pathlib import Path
from agent_tui.settings.layers import place_at, read
from agent_tui.settings.store import public
from agent_tui.tui.core.display_options import look_of
from agent_tui.tui.core.model import Configured, Model, Overlay
from agent_tui.tui.core.msg import SettingsRead
from agent_tui.tui.sheets import settings as sheet
from agent_tui.tui.screen.settings import on_settings_read

found = read(place_at(Path.cwd()))
model = replace(Model(), look=look_of(found.settings, False, 0), width=160)
model = replace(model, configured=Configured(public(found.values)))
rows = {row.id: [row.value, row.detail] for row in sheet.SHEET.rows(model, None)}
values = {**found.values, "display.ruler": replace(found.values["display.ruler"], value=90)}
after = on_settings_read(model, SettingsRead(Configured(values), "display.ruler"))[0]
print(json.dumps([rows["display.ruler"], model.look.ruler, after.look.ruler]))
"""


def test_a_new_setting_is_one_row(program: Path) -> None:
    table = program / "agent_tui" / "settings" / "table.py"
    before = table.read_text("utf-8")
    anchor = "    ascii: bool | Literal"
    assert before.count(anchor) == 1
    table.write_text(before.replace(anchor, f"{ROW.lstrip(chr(10))}{anchor}"), "utf-8")

    assert "display.ruler = 80" in config(program, "show")[1]
    assert config(program, "set", "display.ruler", "100")[0] == 0
    assert config(program, "get", "display.ruler") == (0, "100\n")
    code, said = config(program, "set", "display.ruler", "7")
    assert code == 2 and "expected a whole number from 20 to 200" in said
    assert "# environment RULER" in config(program, "show", "--sources", RULER="120")[1]
    (program / "home" / "config.toml").write_text("[display]\nrulre = 3\nruler = 100\n")
    assert "display.rulre: is not a setting; did you mean ruler?" in config(program, "show")[1]
    assert told(program, SHOWN) == [["100", "user"], 100, 90], (
        "in /settings, and at once where it is drawn"
    )
    assert "--ruler N" in python(program, "-m", "agent_tui", "run", "--help").stdout
    docs = (
        "import json, sys; sys.path.insert(0, 'docs'); import generate;"
        " print(json.dumps(generate.pages()[generate.SETTINGS]))"
    )
    assert "| `display.ruler` | `80` | the column of a ruler |" in told(program, docs)


SPOKEN = """
import asyncio, json, os
from pathlib import Path
from agent_tui.agent.services import setup
from agent_tui.protocol.messages import Request, UserMessage
from agent_tui.providers.choosing import choose
from agent_tui.providers.facts import effort
from agent_tui.settings.layers import place_at, read

place = place_at(Path.cwd())
found = read(place)
here = place.with_settings(found.settings)

async def spoken():
    choice = await choose.choose("acme/anvil-1", here)
    words = [item.text async for item in choice.provider.stream(Request("", (UserMessage("hi"),))) if hasattr(item, "text")]
    return choice.info.name, choice.provider.base_url, words

offers = {one.name: [one.label, one.group, one.key] for one in setup.offers(here)}
print(json.dumps([
    asyncio.run(spoken()), offers["acme"], [str(one) for one in found.problems],
    found.values["providers.acme.base_url"].source, len(effort.levels("acme", "anvil-1")),
]))
"""  # noqa: E501


def test_a_new_dialect_is_two_files(program: Path) -> None:
    providers = program / "agent_tui" / "providers"
    (providers / "acme.py").write_text(DIALECT)
    (providers / "services" / "acme.py").write_text(DECLARED)
    environment = {"ACME_API_KEY": "k" * 20, "ACME_BASE_URL": "https://a.test"}

    assert config(program, "set", "providers.acme.loud", "true")[0] == 0
    file = program / "home" / "config.toml"
    file.write_text(f"{file.read_text()}stream = 3\n")
    spoken, offered, problems, source, levels = told(program, SPOKEN, **environment)
    assert spoken == ["acme/anvil-1", "https://a.test", ["BOOM"]]
    assert offered == ["Acme", "ready", "ACME_API_KEY"] and levels == 7
    assert len(problems) == 1 and "providers.acme.stream: the value 3 is not used" in problems[0]
    assert source == "environment ACME_BASE_URL"
    assert "providers.acme.loud" in told(
        program,
        "import json; from agent_tui.tui.screen.settings import all_entries;"
        " print(json.dumps([one.key for one in all_entries()]))",
    ), "/settings lists it"
