"""A program in a real tmux window: keys are pressed by name, text is pasted, the screen is read."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.tui.pty_stage import ROOT


class TmuxWindow:
    """One window of a tmux server of its own; `close` ends both."""

    def __init__(
        self, argv: Sequence[str], folder: Path, env: Mapping[str, str], size: tuple[int, int]
    ) -> None:
        assert shutil.which("tmux"), "these tests press keys in tmux: install it"
        self._name = f"agent-tui-{uuid.uuid4().hex}"
        self._left = False
        settings = folder / "tmux.conf"
        settings.write_text(
            "set -g status off\nset -g default-shell /bin/sh\nset -s escape-time 0\n"
        )
        own = {
            "PYTHONPATH": str(ROOT),
            "AGENT_TUI_HOME": str(folder),
            "HOME": str(folder),
            "ESCDELAY": "60",
            **env,
        }
        command = shlex.join(
            ["env", *(f"{name}={value}" for name, value in own.items()), sys.executable, *argv]
        )
        self._tmux(
            "-f",
            str(settings),
            "new-session",
            "-d",
            "-x",
            str(size[0]),
            "-y",
            str(size[1]),
            command,
        )

    def _tmux(self, *words: str, said: str | None = None) -> str:
        env = {name: value for name, value in os.environ.items() if name != "TMUX"} | {
            "LC_ALL": "C.UTF-8"
        }
        argv = ["tmux", "-u", "-L", self._name, *words]
        return subprocess.run(
            argv, env=env, check=True, capture_output=True, encoding="utf-8", input=said
        ).stdout

    def press(self, *keys: str) -> None:
        """Keys by tmux's names: `Enter`, `Escape`, `C-r`, `M-q`, `Down`."""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """`text` key by key, seen in the prompt."""
        self._tmux("send-keys", "-l", "--", text)
        self.until(text)

    def send(self, text: str, shown: str) -> None:
        self.type(text)
        self.press("Enter")
        self.until(shown)

    def paste(self, text: str) -> None:
        """`text` as the terminal pastes it: in brackets, where the program has asked for them."""
        self._tmux("load-buffer", "-", said=text)
        self._tmux("paste-buffer", "-p")

    @property
    def text(self) -> str:
        return self._tmux("capture-pane", "-p")

    def until(self, seen: Callable[[str], bool] | str, seconds: float = 15.0) -> str:
        """The screen, once it shows this. Fails with the screen if it never does."""
        end = time.monotonic() + seconds
        while True:
            text = self.text
            if seen in text if isinstance(seen, str) else seen(text):
                return text
            assert time.monotonic() < end, f"never shown: {seen}\n{text}"
            time.sleep(0.03)

    def leave(self, seconds: float = 15.0) -> None:
        """Leave the program by its key, and wait until it has ended: window and server go with it."""
        self.press("C-d")
        end = time.monotonic() + seconds
        while not self._left:
            try:
                shown = self.text
                assert time.monotonic() < end, f"never left\n{shown}"
                time.sleep(0.03)
            except subprocess.CalledProcessError:  # no window is left to be read
                self._left = True

    def close(self) -> None:
        if not self._left:
            self._tmux("kill-server")
