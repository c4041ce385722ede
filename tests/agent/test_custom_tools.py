"""Tools of the person and of a project, in the real engine: who may bring them, what a broken one does,
and that they come and go."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agent_tui.agent.turn.custom_tools import CustomTools
from agent_tui.protocol.display import TextDisplay
from agent_tui.protocol.events import ApprovalAsked, ContextBuilt, Notice, ToolEnded
from agent_tui.protocol.ops import Answer, Submit
from agent_tui.settings.trust import ThisRun
from tests.agent.driving import Driver, Place
from tests.test_headless import environment

TOOL = """
from __future__ import annotations
from agent_tui.tools.base import Arguments, Tool, ToolContext, ToolResult

class Greet(Arguments):
    name: str

async def run(arguments: Greet, ctx: ToolContext) -> ToolResult:
    return ToolResult(f"{word}, {{arguments.name}}")

TOOL = Tool(
    name="{name}", description="Greet somebody by name.", arguments=Greet, effect="{effect}",
    label=lambda a: f"Greet {{a.name}}", run=run,
)
"""
BY_SCHEMA = """
from agent_tui.tools.base import Tool, ToolResult
from agent_tui.tools.support.json_schema import SchemaArguments

SCHEMA = {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}}, "required": ["count"]}

async def run(arguments, ctx):
    return ToolResult(str(arguments["count"] * 2))

TOOL = Tool(name="double", description="Double a number.", arguments=SchemaArguments(SCHEMA),
            effect="read", label=lambda a: "Double it", run=run)
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.cwd.mkdir()
    return place


def own(place: Place, name: str, text: str) -> Path:
    return write(place.home / "tools" / f"{name}.py", text)


def of_project(place: Place, name: str, text: str) -> Path:
    return write(place.cwd / ".agent-tui" / "tools" / f"{name}.py", text)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def greeting(name: str = "greet", effect: str = "read", word: str = "Hello") -> str:
    return TOOL.format(name=name, effect=effect, word=word)


def call(tool: str, id: str = "c1", /, **arguments: object) -> list[dict[str, object]]:
    return [{"call": tool, "arguments": arguments, "id": id}]


def offered(driver: Driver) -> list[str]:
    return [tool["name"] for tool in json.loads(driver.all(ContextBuilt)[-1].tools)]


def test_a_file_in_the_persons_folder_is_a_tool(place: Place) -> None:
    own(place, "greet", greeting())
    own(place, "double", BY_SCHEMA)
    calls = call("greet", name="Ada"), call("double", "c2", count="4"), call("double", "c3")
    with place.engine(place.script(*calls, [{"text": "done"}])) as driver:
        assert driver.turn("go").state == "completed"
        said = [ended.content for ended in driver.all(ToolEnded)]
        assert said[:2] == ["Hello, Ada", "8"]
        assert said[2].startswith("Error [invalid_arguments]: count: is missing")
        assert 'double({"count": 1})' in said[2]
        assert {"greet", "double", "read_file"} <= set(offered(driver))


def test_a_tool_that_acts_outside_is_asked_about(place: Place) -> None:
    own(place, "greet", greeting(effect="external"))
    with place.engine(place.script(call("greet", name="Ada"), [{"text": "done"}])) as driver:
        driver.send(Submit("go"))
        asked = driver.until(ApprovalAsked)
        assert "the tool greet may act outside" in asked.reason
        driver.send(Answer(asked.id, "once"))
        ended = driver.until(ToolEnded)
        assert ended.content == "Hello, Ada" and ended.display == TextDisplay("Hello, Ada")
    with place.engine(place.script(call("greet", name="Ada"), []), mode="plan") as driver:
        driver.send(Submit("go"))
        assert driver.until(ToolEnded).tag == "blocked"


@pytest.mark.parametrize("effect", ["read", "write"])
def test_what_it_returns_is_shown_to_the_person(place: Place, effect: str) -> None:
    own(place, "greet", greeting(effect=effect))
    look = call("load_tools", group="research")
    script = place.script(call("greet", name="Ada"), look, [{"text": "done"}])
    with place.engine(script, mode="accept-all") as driver:
        assert driver.turn("go").state == "completed"
        greeted, loaded = driver.all(ToolEnded)
    assert greeted.display == TextDisplay("Hello, Ada")
    assert loaded.display is None, "what the program's own tools return is for the model"


def test_what_a_project_brings_runs_only_once_it_is_trusted(place: Place) -> None:
    marker = place.root / "ran"
    acts = f"open({str(marker)!r}, 'w').close()\n"
    of_project(place, "greet", acts + greeting().replace("from __future__ import annotations", ""))
    config = replace(place.config("demo"), this_run=ThisRun())
    custom = CustomTools(config)
    assert custom.list() == [] and not marker.exists()
    gate = config.gate()
    assert not gate.admits(of_path(place), of_path(place).read_bytes())
    gate.trust(gate.left_out.values(), lasting=True)
    assert custom.changed()
    assert [tool.name for tool in custom.list()] == ["greet"] and marker.exists()
    of_path(place).write_text(of_path(place).read_text() + "\n# changed\n")
    assert custom.changed() and custom.list() == [], "another content asks again"


def of_path(place: Place) -> Path:
    return place.config("demo").cwd / ".agent-tui" / "tools" / "greet.py"


def test_the_question_about_trust_names_the_tools_of_a_project(place: Place) -> None:
    of_project(place, "greet", greeting())
    done = subprocess.run(
        [sys.executable, "-m", "agent_tui", "trust"],
        cwd=place.cwd,
        env=environment(place),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1 and ".agent-tui/tools/greet.py  new" in done.stdout


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def", "SyntaxError"),
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("x = 1", "has no TOOL"),
        (greeting("other"), "called as its file"),
        (greeting("broken", "magic"), "its effect must be one of"),
        (greeting("broken", "execute"), "names its command"),
        (greeting("broken", "network"), "names its host"),
        (greeting("broken").replace("Greet somebody by name.", ""), "needs a description"),
    ],
    ids=lambda value: value if len(value) < 40 else "file",
)
def test_a_broken_tool_is_named_and_the_rest_works(place: Place, text: str, why: str) -> None:
    own(place, "broken", text)
    own(place, "greet", greeting())
    with place.engine(place.script(call("greet", name="Ada"), [{"text": "done"}])) as driver:
        notice = driver.until(Notice, lambda one: "broken.py" in one.text)
        assert why in notice.text and notice.text.endswith("not used")
        assert driver.turn("go").state == "completed"
        assert driver.all(ToolEnded)[0].content == "Hello, Ada"


def test_no_custom_tool_takes_the_place_of_another(place: Place) -> None:
    own(place, "read_file", greeting("read_file"))
    own(place, "greet", greeting())
    of_project(place, "greet", greeting(word="Project"))
    custom = CustomTools(place.config("demo"))
    [tool] = custom.list()
    file = custom.file_of("greet")
    assert tool.name == "greet" and file is not None and file.whose == "user"
    assert len(custom.problems) == 2


def test_tools_come_and_go_between_turns(place: Place) -> None:
    calls = (
        [{"text": "none yet"}],
        call("greet", name="Ada"),
        [{"text": "one"}],
        call("greet", "c2", name="Ada"),
        [{"text": "another"}],
        call("greet", "c3", name="Ada"),
        [{"text": "gone"}],
    )
    with place.engine(place.script(*calls)) as driver:
        driver.turn("a")
        assert "greet" not in offered(driver)
        path = own(place, "greet", greeting())
        driver.turn("b")
        assert "greet" in offered(driver) and len(driver.all(ContextBuilt)) == 2
        path.write_text(greeting(word="Welcome"))
        driver.turn("c")
        path.unlink()
        driver.turn("d")
        assert "greet" not in offered(driver)
        said = [ended.content for ended in driver.all(ToolEnded)]
    assert said[:2] == ["Hello, Ada", "Welcome, Ada"]
    assert said[2].startswith("Error [unknown_tool]")


def test_the_list_says_what_tools_may_do_and_where_they_are_from(place: Place) -> None:
    own(place, "greet", greeting(effect="external"))

    def listed(*flags: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "agent_tui", "tools", "list", *flags],
            cwd=place.cwd,
            env=environment(place),
            capture_output=True,
            text=True,
            timeout=60,
        )

    done = listed("--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)["tools"]}
    assert done.returncode == 0
    assert rows["greet"]["effect"] == "external" and rows["greet"]["source"] == "user"
    assert (rows["grep_files"]["read_only"], rows["grep_files"]["concurrent_safe"]) == (True, True)
    assert (rows["edit_file"]["read_only"], rows["web_fetch"]["group"]) == (False, "research")
    assert (rows["read_file"]["small_group"], rows["ask_user"]["small_group"]) == ("", "plan")
    tokens = json.loads(done.stdout)["tokens"]
    own(place, "broken", "def")
    done = listed()
    assert f"about {tokens['full']:,} tokens, about {tokens['small']:,} with" in done.stdout
    assert done.returncode == 1 and "broken.py" in done.stderr
    [line] = [line for line in done.stdout.splitlines() if line.startswith("greet ")]
    assert line.split()[1:6] == ["external", "-", "no", "no", "yes"]


def test_a_rule_may_name_a_custom_tool(place: Place) -> None:
    own(place, "greet", greeting())
    write(place.home / "config.toml", '[permissions]\ndeny = ["greet"]\n')
    script = place.script(call("greet", name="Ada"), [{"text": "done"}])
    done = subprocess.run(
        [sys.executable, "-m", "agent_tui", "run", "go", "-m", script, "--output", "stream-json"],
        cwd=place.cwd,
        env=environment(place),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "your rule denies it: greet" in done.stdout
