"""Running the linear mode: what the command line calls."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agent_tui import std_output
from agent_tui.protocol.engine import Engine
from agent_tui.protocol.exit_codes import FAILED, of_saving
from agent_tui.protocol.transcript import Transcript
from agent_tui.settings.layers import Place
from agent_tui.settings.store import Store
from agent_tui.structures.visible import visible
from agent_tui.tui.core.display_options import DEFAULT, Look
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.window import Window
from agent_tui.tui.core.words import one_line
from agent_tui.tui.linear.chat import Chat
from agent_tui.tui.linear.effects import Deeds
from agent_tui.tui.linear.keys import KEYS
from agent_tui.tui.linear.lines import Input
from agent_tui.tui.linear.out import Out
from agent_tui.tui.runtime.editor import Foreground
from agent_tui.tui.runtime.history import PromptHistory

STOP_SECONDS: Final = 3.0
BOUNDLESS: Final = 100_000
"""Columns and lines: nothing is cut to a screen."""


def run(
    engine: Engine,
    *,
    prompt: str = "",
    look: Look = DEFAULT,
    history: Path | None,
    cwd: Path,
    themes: Sequence[Path] = (),
    place: Place | None = None,
    foreground: Foreground | None = None,
    coloured: bool = False,
) -> int:
    """Talk line by line until the person leaves or the input ends; the exit code."""
    out = Out(coloured)
    model = Model(
        sessions={"": Transcript(cwd=str(cwd))},
        look=look,
        keys=KEYS,
        width=BOUNDLESS,
        height=BOUNDLESS,
        home=str(Path.home()),
        window=Window(on=(), titled=False),
    )
    deeds = Deeds(out, Store(place) if place else None, themes, foreground)
    chat = Chat(
        engine, model, out, Input(), deeds, PromptHistory(history, str(cwd)) if history else None
    )
    try:
        code = _talk(chat, prompt)
    finally:
        deeds.ending = True
        chat.link.close(STOP_SECONDS)
        ended = chat.link.fold_rest(chat.model.transcript)
    code = 128 + chat.heard[0] if chat.heard else code
    if ended.is_unsaved:
        print(f"agent-tui: {visible(ended.describe_loss())}", file=sys.stderr)
        code = of_saving(code, True)
    return _say_farewell(chat, ended, code)


def _talk(chat: Chat, prompt: str) -> int:
    try:
        return chat.run(prompt)
    except OSError as error:
        std_output.refused(error)
        return FAILED


def _say_farewell(chat: Chat, ended: Transcript, code: int) -> int:
    try:
        if chat.source.terminal:
            chat.out.say(_farewell(ended))
        return code
    except OSError as error:
        std_output.refused(error)
        return code or FAILED


def _farewell(transcript: Transcript) -> list[str]:
    """What was not sent, and how to go on, as far as it is on disk; nothing for a session without
    any of it, or that is off the record."""
    kept = "" if transcript.is_unsaved else one_line(transcript.draft)
    if not transcript.session or transcript.otr or not (transcript.turn or kept):
        return []
    said = [f"Not sent, but saved: {kept}"] if kept else []
    if way := transcript.way_back("agent-tui chat"):
        said.append(f"To continue this session: {way}")
    return said
