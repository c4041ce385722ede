"""Any keys in any order on the settings sheet: nothing raises, and only what a file may hold is
written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tui.protocol.events import ApprovalAsked, SessionStarted
from agent_tui.settings.values import Value
from agent_tui.tui.core.effects import Send, WriteSetting
from agent_tui.tui.core.model import Configured, Model, initial
from agent_tui.tui.core.msg import (
    DraftChanged,
    EventsArrived,
    KeyPressed,
    Resized,
    SettingsRead,
    Started,
    Submitted,
)
from agent_tui.tui.screen import settings as sheet
from agent_tui.tui.update import update
from agent_tui.tui.view import view
from tests.campaigns import examples

KEYS = (
    "up",
    "down",
    "pageup",
    "pagedown",
    "home",
    "end",
    "enter",
    "left",
    "right",
    "delete",
    "ctrl+r",
    "backspace",
    "ctrl+u",
    "escape",
    "ctrl+c",
    "f1",
    "tab",
)
PRESSED = st.sampled_from(KEYS).map(lambda key: KeyPressed(key)) | st.sampled_from(
    "adegkmostv. 1"
).map(lambda letter: KeyPressed(letter, letter))
TYPED = st.sampled_from(
    ["", "0", "7", "1e3", "true", "ctrl+g", "f22, f23", "x", "a/b", "http://box", "nan", "\x1b[2J"]
)
QUESTION = EventsArrived((ApprovalAsked(id="1", call_id="1", tool="t", label="l", session="s"),))
MSGS = st.one_of(
    PRESSED,
    PRESSED,
    PRESSED,
    TYPED.map(Submitted),
    TYPED.map(lambda text: DraftChanged(text, len(text))),
    st.just(Submitted("/settings")),
    st.builds(Resized, st.integers(1, 200), st.integers(1, 60)),
    st.just(QUESTION),
    st.sampled_from(["", "config.toml: cannot be written"]),
)


def written(model: Model, effect: WriteSetting, failed: str) -> SettingsRead:
    """What the runtime says after a write; what is written is what a file may hold."""
    entry = next(one for one in sheet.all_entries() if one.key == effect.key)
    values = dict(model.configured.values)
    if effect.value is None:
        values.pop(effect.key, None)
    else:
        values[effect.key] = Value(entry.kind.read(effect.value), "user")
    found = Configured(values, ("dark", "light"), ("config.toml:1: x",))
    return (
        SettingsRead(model.configured, failed=failed) if failed else SettingsRead(found, effect.key)
    )


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.tuples(MSGS, st.sampled_from([0.0, 0.4])), max_size=40))
def test_any_keys_in_any_order(told: list[tuple[Any, float]]) -> None:
    model, at, failed = initial(), 1_000.0, ""
    start = (
        Started(80, 24),
        EventsArrived((SessionStarted(session="s", model="fake/model"),)),
        Submitted("/settings"),
    )
    for msg, after in (*((msg, 1.0) for msg in start), *told):
        if isinstance(msg, str):
            failed = msg
            continue
        at += after
        if isinstance(msg, KeyPressed):
            msg = replace(msg, draft=model.composer.draft)
        model, effects = update(model, replace(msg, at=at))
        assert not any(isinstance(one, Send) and "sk-" in repr(one) for one in effects)
        for effect in effects:
            if isinstance(effect, WriteSetting):
                model, _ = update(model, replace(written(model, effect, failed), at=at))
        shown = view(model)
        assert not (shown.dialog is not None and shown.overlay is not None)
        if shown.overlay is not None and shown.overlay.title == "Settings":
            assert 0 <= shown.overlay.selected <= max(0, len(shown.overlay.options) - 1)
