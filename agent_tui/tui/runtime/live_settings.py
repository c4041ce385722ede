"""The settings as the runtime holds them: reads and writes the files when the core asks for it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agent_tui.boot.frame import known_dark
from agent_tui.registry import late
from agent_tui.structures.terminal_facts import depth
from agent_tui.tui.core import keymap
from agent_tui.tui.core.effects import WriteSecret, WriteSetting
from agent_tui.tui.core.model import Configured
from agent_tui.tui.core.msg import SettingsRead
from agent_tui.tui.widgets.theme import Theme, load_theme, names

if TYPE_CHECKING:
    from agent_tui.settings.layers import Place

with late():
    from agent_tui.settings import layers, store

ByGround = tuple[str, str]
"""The theme for a dark ground, and for a light one."""
AUTO: Final = "auto"
BY_GROUND: Final[ByGround] = ("dark", "light")


class LiveSettings:
    """`place`: None where there are no files (a screen that a test shows); then nothing can be
    changed."""

    def __init__(
        self,
        place: Place | None = None,
        themes: Sequence[Path] = (),
        by_ground: ByGround = BY_GROUND,
    ) -> None:
        self._place, self._themes = place, themes
        self._dark, self._by_ground, self._auto = known_dark(os.environ), by_ground, False

    def read(self, key: str = "", failed: str = "", project: bool = False) -> SettingsRead:
        """What holds now; `key` was just written (into the file of the `project`), or `failed` says
        why not."""
        if self._place is None:
            return SettingsRead(
                Configured(), failed=failed or "there is no config file here", at=time.time()
            )
        loaded = layers.read(self._place)
        wrong = (*loaded.problems, *keymap.problems(loaded.settings.keys, loaded.problem))
        display = loaded.settings.display
        self._by_ground = (display.theme_dark, display.theme_light)
        found = Configured(
            store.public(loaded.values), (AUTO, *names(self._themes)), tuple(map(str, wrong))
        )
        return SettingsRead(found, key, failed, project, at=time.time())

    def perform(self, effect: WriteSetting | WriteSecret, typed: str) -> SettingsRead:
        """What came of writing a setting; a secret is what was `typed`."""
        if isinstance(effect, WriteSecret):
            return self.write(effect.key, typed)
        return self.write(effect.key, effect.value, effect.project)

    def write(self, key: str, value: Any, project: bool = False) -> SettingsRead:
        """Set `key` in the person's file, or the project's; None takes it out."""
        if self._place is None:
            return self.read()
        failed = store.Store(self._place).put(key, value, project)
        return self.read("" if failed else key, failed, project)

    def theme(self, name: str) -> Theme:
        """The theme `name`; `auto`, or empty: the one for the ground of the terminal."""
        self._auto = name in ("", AUTO)
        if self._auto:
            name = (
                "no-colour"
                if os.environ.get("NO_COLOR")
                else self._by_ground[0 if self._dark else 1]
            )
        return load_theme(name, self._themes, depth(os.environ))

    def theme_for_ground(self, dark: bool) -> Theme | None:
        """The theme for this ground; None where it makes no difference."""
        before, self._dark = self._dark, dark
        return self.theme(AUTO) if self._auto and before is not dark else None
