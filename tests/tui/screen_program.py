"""The program as `python -m agent_tui` starts it, with an engine that plays. For tests in a real
terminal.

Environment: OPS (a file that gets one line for each Op), SCENE (what is to happen), HOLD (seconds
of slow imports), LOGS (a folder for the program's log).
"""

from __future__ import annotations

import os
import sys
import time
import types
from pathlib import Path


def main() -> None:
    from agent_tui import __main__ as start

    stub = types.ModuleType("agent_tui.cli.main")
    stub.main = play  # type: ignore[attr-defined]
    sys.modules["agent_tui.cli.main"] = stub
    start.main()


def play(_: list[str], early: object) -> int:
    time.sleep(float(os.environ.get("HOLD", "0")))
    if os.environ.get("SCENE") == "broken-start":
        raise RuntimeError("broken at the start")
    from agent_tui.agent.worker import open_log
    from agent_tui.paths import shipped_folder
    from agent_tui.protocol.events import ApprovalAsked
    from agent_tui.protocol.ops import Op, Submit
    from agent_tui.safety.process.processes import foreground
    from agent_tui.settings.table import DisplaySettings, NotifySettings, Settings
    from agent_tui.tui.runtime.start import run
    from tests.tui.stage import SESSION, PlayedEngine, echo

    if "LOGS" in os.environ:
        open_log(Path(os.environ["LOGS"]))

    def react(engine: PlayedEngine, op: Op) -> None:
        with Path(os.environ["OPS"]).open("a") as file:
            file.write(repr(op) + "\n")
        if isinstance(op, Submit) and op.text == "crash":
            engine.say(object())  # type: ignore[arg-type]
            return
        if isinstance(op, Submit) and op.text == "wait":
            engine.begin(op.text)
            return
        if isinstance(op, Submit) and op.text == "ask":
            engine.begin(op.text)
            engine.say(
                ApprovalAsked(
                    session=SESSION, id="q", call_id="c", tool="t", label="Run it", reason="it runs"
                )
            )
            return
        if isinstance(op, Submit) and op.text == "markup":
            engine.begin(op.text)
            engine.answer(
                "[bold red]not markup[/] [/x] \x1b[31mred\x1b[0m \x9b2J [@click=app.quit]no[/]"
            )
            engine.end()
            return
        echo(engine, op)

    return run(
        PlayedEngine(react),
        Settings(display=DisplaySettings(theme="dark"), notify=NotifySettings(title=False)),
        history=Path(os.environ["OPS"]).with_name("history.jsonl"),
        cwd=Path.cwd(),
        themes=(shipped_folder("themes"),),
        early=early,  # type: ignore[arg-type]
        at_once=True,
        foreground=foreground,
    )


if __name__ == "__main__":
    main()
