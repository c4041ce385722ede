"""The settings as the runtime holds them: reads and writes the files when the core asks for it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent_tui.settings_store import Refused, Store
from agent_tui.tui import keymap
from agent_tui.tui.model import Configured
from agent_tui.tui.msg import SettingsRead
from agent_tui.tui.theme import Theme, load_theme, names


class Configuration:
    """`store`: None where there are no files (a screen that a test shows); then nothing can be changed."""

    def __init__(self, store: Store | None = None, themes: Sequence[Path] = ()) -> None:
        self._store, self._themes = store, themes

    def read(self, key: str = "", failed: str = "") -> SettingsRead:
        """What holds now; `key` was just written, or `failed` says why not."""
        if self._store is None:
            return SettingsRead(Configured(), failed=failed or "there is no config file here", at=time.time())
        loaded = self._store.read()
        wrong = (*loaded.problems, *keymap.problems(loaded.settings.keys, loaded.problem))
        found = Configured(loaded.values, names(self._themes), tuple(map(str, wrong)))
        return SettingsRead(found, key, failed, at=time.time())

    def write(self, key: str, value: Any) -> SettingsRead:
        """Set `key` in the person's file; None takes it out."""
        if self._store is None:
            return self.read()
        try:
            if value is None:
                self._store.remove(key)
            else:
                self._store.write(key, value)
        except Refused as error:
            return self.read(failed=str(error).replace(f"{self._store.path().parent}/", ""))
        return self.read(key)

    def theme(self, name: str) -> Theme:
        return load_theme(name or ("no-colour" if os.environ.get("NO_COLOR") else "dark"), self._themes)
