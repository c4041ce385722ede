"""The map of the project in the engine: the tool of the model, `/map`, and behind the first prompt
where the person wants that."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agent_tui.agent.services import map_desk
from agent_tui.protocol.answers import RepoMap
from agent_tui.protocol.events import (
    Answered,
    ContextBuilt,
    ContextTold,
    Notice,
    SessionStarted,
    ToolEnded,
    ToolStarted,
)
from agent_tui.protocol.ops import Clear, Query
from agent_tui.settings.table import AgentSettings, PermissionSettings
from tests.agent.driving import Driver, Place

LOAD = {"call": "load_tools", "arguments": {"group": "find"}}
DONE = [{"text": "done"}]
WITH_MAP = AgentSettings(map_tokens=400)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.script(DONE)
    (made.cwd / "price.py").write_text('TOKEN = "x"\n\ndef round_price(cents):\n    pass\n')
    (made.cwd / "cart.py").write_text("def cart_total():\n    round_price(1)\n")
    return made


def call(**arguments: object) -> dict[str, object]:
    return {"call": "repo_map", "arguments": arguments}


def result(place: Place, *calls: dict[str, object], **options: object) -> list[ToolEnded]:
    script = place.script([LOAD], [*calls], DONE)
    with place.engine(script, **options) as driver:
        assert driver.turn("go").state == "completed"
        ended = {event.call_id: event for event in driver.all(ToolEnded)}
        return [ended[call.call_id] for call in driver.all(ToolStarted)[1:]]


def test_the_model_loads_the_tool_and_asks_for_the_map(place: Place) -> None:
    whole, one, focused = result(
        place, call(), call(path="cart.py"), call(focus="cart total", tokens=128)
    )
    assert whole.content.startswith("price.py\n    1 TOKEN\n    3 def round_price(cents)")
    assert "cart.py\n    1 def cart_total()" in whole.content
    assert one.content == "cart.py\n    1 def cart_total()"
    assert focused.content.startswith("cart.py")


def test_no_schema_of_it_is_in_the_first_request(place: Place) -> None:
    with place.engine(place.script(DONE)) as driver:
        driver.turn("go")
        [built] = driver.all(ContextBuilt)
    assert "repo_map" not in built.tools and "find (repo_map)" in built.system


def test_the_map_has_no_more_room_than_a_result(place: Place) -> None:
    for n in range(300):
        text = "".join(f"def function_{n}_{m}(first, second):\n    pass\n" for m in range(20))
        (place.cwd / f"m{n}.py").write_text(text)
    [ended] = result(place, call(tokens=16_384))
    assert 10_000 < len(ended.content) <= 32_000 and ended.tag == "ok"


def test_what_is_denied_to_be_read_is_not_in_the_map(place: Place) -> None:
    rules = PermissionSettings(deny=("read_file(price.py)",))
    whole, one = result(place, call(), call(path="price.py"), permissions=rules)
    assert "round_price" not in whole.content and "cart_total" in whole.content
    assert "No file in price.py" in one.content and "round_price" not in one.content


def test_a_folder_that_is_not_there_is_said(place: Place) -> None:
    [ended] = result(place, call(path="nowhere"))
    assert ended.tag == "not_found" and "no such file or folder" in ended.content


def asked(driver: Driver, argument: str) -> RepoMap:
    driver.send(Query("m1", "repo_map", argument))
    data = driver.until(Answered, lambda event: event.id == "m1").data
    assert isinstance(data, RepoMap)
    return data


def test_a_person_asks_for_a_path_or_with_words(place: Place) -> None:
    (place.cwd / "tools").mkdir()
    (place.cwd / "tools" / "undo.py").write_text("def undo_last():\n    pass\n")
    with place.engine(place.script(DONE)) as driver:
        names = [one.path for one in asked(driver, "").files]
        assert names[0] == "price.py" and {*names} >= {"cart.py", "tools/undo.py"}
        assert [one.path for one in asked(driver, "tools").files] == ["tools/undo.py"]
        assert asked(driver, "undo last").files[0].path == "tools/undo.py"


def test_what_a_person_sees_is_kept_from_them_by_the_same_rules(place: Place) -> None:
    rules = PermissionSettings(deny=("read_file(price.py)",))
    with place.engine(place.script(DONE), permissions=rules) as driver:
        assert "price.py" not in [one.path for one in asked(driver, "").files]


def test_a_new_question_ends_the_one_before_it(place: Place) -> None:
    for n in range(1_500):
        text = "".join(f"def function_{n}_{m}(first, second):\n    pass\n" for m in range(40))
        (place.cwd / f"m{n}.py").write_text(text)
    with place.engine(place.script(DONE)) as driver:
        driver.send(Query("m0", "repo_map", ""))
        assert len(asked(driver, "").files) > 10
        assert [event.id for event in driver.all(Answered) if event.id[0] == "m"] == ["m1"]


def told(driver: Driver) -> list[str]:
    return [event.text for event in driver.all(ContextTold)]


def test_it_goes_behind_the_first_prompt_once_where_the_person_wants_it(place: Place) -> None:
    script = place.script(DONE, DONE, DONE)
    with place.engine(script, agent=WITH_MAP) as driver:
        driver.turn("go")
        [text] = told(driver)
        assert "price.py\n    1 TOKEN" in text and text.startswith("[A map of the project")
        assert "round_price" not in driver.all(ContextBuilt)[0].system
        driver.turn("on")
        driver.send(Clear())
        driver.turn("again")
        assert told(driver) == [text], "never again unless somebody asks"
        session = driver.all(SessionStarted)[0].session
    with place.engine(script, agent=WITH_MAP, resume=session) as driver:
        driver.turn("and again")
        assert told(driver) == []


@pytest.mark.parametrize("how", ["as it is", "by a link", "all of it"])
def test_no_name_of_a_forbidden_folder_goes_with_the_first_prompt(place: Place, how: str) -> None:
    closed, link = place.cwd / "clients", place.root / "link"
    (closed / "a").mkdir(parents=True)
    (closed / "a" / "client.py").write_text("def secret_client():\n    round_price(1)\n")
    link.symlink_to(closed)
    named = {"as it is": closed, "by a link": link, "all of it": place.cwd}[how]
    rules = PermissionSettings(forbidden_dirs=(str(named),))
    with place.engine(place.script(DONE), agent=WITH_MAP, permissions=rules) as driver:
        driver.turn("go")
        texts = told(driver)
        shown = asked(driver, "").files
    assert not any("client" in text for text in texts)
    assert len(texts) == (how != "all of it") and bool(shown) == (how != "all of it")
    assert not any("client" in file.path for file in shown)


def test_by_itself_no_map_is_made(place: Place) -> None:
    with place.engine(place.script(DONE)) as driver:
        driver.turn("go")
        assert told(driver) == []
    assert not (place.home / "maps").exists()


def test_the_first_prompt_does_not_wait_for_ever(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(map_desk, "LONGEST_WAIT", 0.0)
    with place.engine(place.script(DONE), agent=WITH_MAP) as driver:
        assert driver.turn("go").state == "completed"
        assert told(driver) == []
        assert any("not ready in time" in event.text for event in driver.all(Notice))


@pytest.mark.parametrize("module", ["agent_tui.tui.runtime.start", "agent_tui.agent.worker"])
def test_nothing_of_it_is_imported_before_somebody_asks(module: str) -> None:
    code = f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout)
    assert not [name for name in loaded if name.startswith("agent_tui.context.repo_map")]
    assert not [name for name in loaded if name.startswith("tree_sitter_")]
