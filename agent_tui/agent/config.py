"""What an engine is built from: plain values, so that a front end can hand them over before
anything is imported."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Final, Literal

from agent_tui.protocol.session_events import Directory
from agent_tui.settings.layers import Configuration, Suggestion
from agent_tui.settings.schema import Problem
from agent_tui.structures.frozen import frozen

CHOOSE: Final = "?"
"""Stands for the id of a session that the person will choose from a list."""


@frozen
class EngineConfig(Configuration):
    """What the engine is built from: a configuration, and what is to be opened. `resume`: the id of
    the session to go on with, or `CHOOSE`; empty: a new one. `or_new`: if another program has that
    one, open a new one in its place. `interactive`: somebody can answer. `otr`: off the record."""

    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Keys that are stored, also those that are not used: they are hidden wherever they come up."""
    problems: tuple[Problem, ...] = ()
    suggestion: Suggestion | None = None
    """The model that the project suggests, about which the person is still to be asked."""
    resume: str = ""
    model_given: bool = False
    """The model was named on the command line: it wins over the one of a resumed session."""
    mode_given: bool = False
    interactive: bool = True
    asks: bool = True
    """Somebody can be asked before the first prompt. A script writes prompts, whatever is asked."""
    or_new: bool = False
    how: Literal["", "read", "fork"] = ""
    """How the session to go on with is opened: `read` along while another program has it, or as a
    copy (`fork`)."""
    otr: bool = False
    """Nothing is written: no log, no contents, no output that stays; only tools that read can run.
    """
    debug_wire: bool = False
    """What goes to model servers and comes back is written down."""
    directories: tuple[Directory, ...] = ()
    """Folders beside its own that the session is to work in, as the command line names them."""
    scratch: Path | None = None
    """The folder of an off-the-record session, for as long as it lasts."""

    @property
    def contents(self) -> Path:
        """The folder for contents and outputs."""
        return self.scratch or self.folders.data

    @property
    def outputs(self) -> Path:
        """The folder for outputs of commands, one folder a session."""
        return self.contents / "outputs"

    @property
    def blobs(self) -> Path:
        return self.contents / "blobs"
