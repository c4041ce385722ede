"""Effects that concern the surroundings: settings, the person's editor, the shell, what there is to
know."""

from __future__ import annotations

import os
import platform
import signal
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agent_tui.paths import stems
from agent_tui.present.wording import count
from agent_tui.settings.store import Store, public
from agent_tui.structures.visible import pasteable
from agent_tui.tui.core import effects as do
from agent_tui.tui.core import keymap, msg
from agent_tui.tui.core.model import Configured, Model
from agent_tui.tui.core.words import tokens
from agent_tui.tui.linear.lines import Out
from agent_tui.tui.runtime.editor import (
    NO_EDITOR,
    Foreground,
    edit_text,
    editor,
    no_shell,
    show_file,
)
from agent_tui.tui.runtime.foreground_run import bug_words, chosen_by


class Deeds:
    """`store`: where settings are; `themes`: the folders of the themes (a setting, even where
    nothing is drawn)."""

    def __init__(
        self, out: Out, store: Store | None, themes: Sequence[Path], foreground: Foreground | None
    ) -> None:
        self._out, self._store, self._themes, self._foreground = out, store, themes, foreground
        self.ending = False

    def perform(self, effect: do.Effect, model: Model, secret: str = "") -> Iterator[msg.Msg]:
        """Do it, and say what came of it. What only a screen can do is not done. `secret` is what
        the core only knows of."""
        now = time.time()
        match effect:
            case do.ReadSettings(of_project):
                yield self._read(project=of_project)
            case do.WriteSetting(key, value, project):
                yield self._write(key, value, project)
            case do.WriteSecret(key):
                yield self._write(key, secret)
            case do.ReadFacts():
                yield msg.FactsRead(_facts(model), at=now)
            case do.Copy(text):
                text = pasteable(text)
                yield msg.Copied(at=now, chars=len(text), text=text)
            case do.EditDraft(text):
                left, problem = self._edit(text)
                yield msg.DraftEdited(at=now, text=left, problem=problem)
            case do.OpenFile(path, line):
                if problem := self._open(path, line):
                    yield msg.EffectFailed(at=now, text=problem)
            case do.LookBack():
                yield msg.EffectFailed(
                    at=now, text="a replay needs the full screen: agent-tui replay, in a terminal"
                )
            case do.WriteBug():
                path, problem = self._bug(model)
                yield msg.BugWritten(at=now, path=path, problem=problem)
            case do.Suspend():
                if problem := _suspend():
                    yield msg.EffectFailed(at=now, text=problem)
            case _:
                return

    def _read(self, key: str = "", failed: str = "", project: bool = False) -> msg.SettingsRead:
        if self._store is None:
            return msg.SettingsRead(
                Configured(), failed=failed or "there is no config file here", at=time.time()
            )
        loaded = self._store.read()
        wrong = (*loaded.problems, *keymap.problems(loaded.settings.keys, loaded.problem))
        themes = ("auto", *stems(self._themes, ".toml"))
        found = Configured(public(loaded.values), themes, tuple(map(str, wrong)))
        return msg.SettingsRead(found, key, failed, project, at=time.time())

    def _write(self, key: str, value: Any, project: bool = False) -> msg.SettingsRead:
        if self._store is None:
            return self._read()
        failed = self._store.put(key, value, project)
        return self._read("" if failed else key, failed, project)

    def _bug(self, model: Model) -> tuple[str, str]:
        """Write the session to a file for a report: where it is, or why it is not there."""
        transcript, run = model.transcript, self._foreground
        if not transcript.session or not transcript.turn or run is None:
            return "", "this session has no prompt yet"
        words = bug_words(transcript.session, transcript.cwd)
        return chosen_by(lambda argv: run(argv, lambda: self.ending), words)

    def _edit(self, text: str) -> tuple[str, str]:
        argv, run = editor(os.environ), self._foreground
        if not argv or run is None:
            return text, NO_EDITOR
        self._out.say([f"Opening {Path(argv[0]).name}."])
        return edit_text(argv, text, run, lambda: self.ending)

    def _open(self, path: str, line: int) -> str:
        argv, run = editor(os.environ), self._foreground
        if not argv or run is None:
            return NO_EDITOR
        self._out.say([f"Opening {Path(argv[0]).name}."])
        return show_file(argv, path, line, run, lambda: self.ending)


def _suspend() -> str:
    """Stop, with what was started along with us, until the shell says go on; or why that cannot
    be."""
    if problem := no_shell():
        return problem
    os.killpg(0, signal.SIGTSTP)
    return ""


def _facts(model: Model) -> tuple[tuple[str, str], ...]:
    t = model.transcript
    room = f" of {tokens(t.window, t.window_assumed)}" if t.window else ""
    return (
        ("agent-tui", f"{version('agent-tui')}, linear mode"),
        ("Python", f"{platform.python_version()}, {platform.python_implementation()}"),
        ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        (
            "environment",
            "  ".join(
                f"{n}={os.environ[n]}" for n in ("TERM", "LANG", "NO_COLOR") if n in os.environ
            ),
        ),
        ("session", t.session or "none yet"),
        ("model", t.model or "none"),
        ("mode", t.mode),
        ("state", f"{t.state}{', the queue is paused' if t.paused else ''}"),
        ("context", f"{tokens(t.context_tokens, t.estimated)}{room} tokens"),
        (
            "waiting",
            f"{count(len(model.waiting_prompts), 'prompt')}, {count(len(t.questions), 'question')}",
        ),
        ("rows", f"{len(t.rows):,}, turn {t.turn}"),
    )
