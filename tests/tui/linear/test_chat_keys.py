"""Keys of one's own where there is no keyboard of keys: what does not hold of them is said all the
same."""

from __future__ import annotations

from agent_tui.settings.store import Store
from agent_tui.tui.core.effects import ReadSettings, WriteSetting
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import SettingsRead
from agent_tui.tui.linear.effects import Deeds
from agent_tui.tui.linear.lines import Out
from agent_tui.tui.update import update
from tests.agent.driving import Place
from tests.places import place_in
from tests.tui.linear.talk import CREATE, chat, place, steps

__all__ = ["place"]
KEYS = '[keys]\nserach = "f4"\nsearch = "f5"\nhelp = "f5"\nmouse = "nokey"\n'
SAID = (
    "config.toml:2: keys.serach: there is no such command; did you mean search?",
    "config.toml:4: keys.help: F5 is already the key of search: not used",
    "config.toml:5: keys.mouse: 'nokey' is not a key",
)


def test_what_does_not_hold_is_said_once_at_the_start(place: Place) -> None:
    place.home.mkdir(parents=True, exist_ok=True)
    (place.home / "config.toml").write_text(KEYS)
    done = chat(place, "hello\n", "-m", place.script(*steps("hi")))
    assert [done.stdout.count(line) for line in SAID] == [1, 1, 1], done.stdout


def test_the_settings_know_it_too(place: Place) -> None:
    place.home.mkdir(parents=True, exist_ok=True)
    (place.home / "config.toml").write_text(KEYS)
    deeds = Deeds(Out(), Store(place_in(place.cwd, place.home)), (), None)
    [read] = deeds.perform(ReadSettings(), Model())
    assert isinstance(read, SettingsRead)
    found = [line.rpartition("/")[2] for line in read.found.problems]
    assert [line.startswith(said) for line, said in zip(found, SAID, strict=True)] == [True] * 3, (
        found
    )


def test_what_is_written_for_the_project_is_said_to_be(place: Place) -> None:
    place.home.mkdir(parents=True, exist_ok=True)
    deeds = Deeds(Out(), Store(place_in(place.cwd, place.home)), (), None)
    [read] = deeds.perform(WriteSetting("display.timestamps", True, project=True), Model())
    assert isinstance(read, SettingsRead) and read.project and not read.failed
    assert read.found.values["display.timestamps"].layer == "project"
    model, _ = update(Model(), read)
    assert model.toast is not None and "saved for this project" in model.toast.text


def test_keys_that_hold_are_no_news(place: Place) -> None:
    place.home.mkdir(parents=True, exist_ok=True)
    (place.home / "config.toml").write_text('[keys]\nsearch = "f5"\n')
    done = chat(place, "/settings\n\nhello\n", "-m", place.script(*steps("hi")))
    assert "config.toml:" not in done.stdout and "Assistant: hi" in done.stdout


def test_a_yes_for_all_edits_is_a_letter_or_a_word_and_says_the_mode(place: Place) -> None:
    second = {"call": "create_file", "arguments": {"path": "other.txt", "content": "two\n"}}
    for word in ("e", "edits"):
        model = place.script([CREATE, second], [{"text": "made"}])
        done = chat(place, f"go\n{word}\n", "-m", model)
        assert "e: yes, and accept edits from now on (commands still ask)" in done.stdout
        assert (
            done.stdout.count("Allow this?") == 1 and "Accept-edits: edits files" in done.stdout
        ), done.stdout
        assert (place.cwd / "new.txt").exists() and (place.cwd / "other.txt").exists()
        (place.cwd / "new.txt").unlink()
        (place.cwd / "other.txt").unlink()
