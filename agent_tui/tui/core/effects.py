"""What the core wants done. Imperatives, plain data; only the runtime performs them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agent_tui.protocol.ops import Op
from agent_tui.structures.frozen import frozen

if TYPE_CHECKING:
    from agent_tui.protocol.setup_op import SetUp


@frozen
class Send:
    """Give `op` to the engine."""

    op: Op

    def fill_op(self, _: str) -> Op:
        """What the engine is given."""
        return self.op


@frozen
class SendKey:
    """Give `op` to the engine with what the prompt holds as its key: the core does not know it."""

    op: SetUp

    def fill_op(self, typed: str) -> Op:
        """What the engine is given: it alone has the key."""
        return replace(self.op, key=typed.strip())


@frozen
class Quit:
    pass


@frozen
class Copy:
    """Put `text` on the clipboard of the terminal (OSC 52)."""

    text: str


@frozen
class Mouse:
    """Take the mouse from the terminal, or leave it to it."""

    taken: bool


@frozen
class CopySelection:
    """Put what the mouse selected on the clipboard."""


@frozen
class ClearSelection:
    """Nothing is selected any more."""


@frozen
class Remember:
    """Add `text` to the prompt history."""

    text: str


@frozen
class ReadHistory:
    """Say `HistoryRead` of search `number` until all earlier prompts are told."""

    number: int


@frozen
class EditDraft:
    """Let the person's own editor change `text`, and say `DraftEdited`."""

    text: str


@frozen
class OpenFile:
    """Let the person's own editor show the file at `path` (absolute), at `line` (0: anywhere)."""

    path: str
    line: int = 0


@frozen
class LookBack:
    """Show the session's recording until the person leaves it."""


@frozen
class WriteBug:
    """Write the session to a file for a report, and say `BugWritten`."""


@frozen
class Suspend:
    """Stop, and give the terminal to the shell until it calls us back."""


@frozen
class ExpireToast:
    """Say `ToastExpired(number)` after `seconds`."""

    number: int
    seconds: float


@frozen
class Scroll:
    """Move the transcript: `page_up`, `page_down`, `top`, `end`."""

    where: str


@frozen
class Type:
    """Let the prompt handle a key by itself (text typed while a dialog was not yet answering).
    `key` is Textual's name for it, for keys that type no character (`backspace`)."""

    character: str
    key: str = ""


@frozen
class Yield:
    """Let what came in the meantime be handled, and say `Yielded` after `seconds`."""

    seconds: float


@frozen
class LookLater:
    """Say `LookDue` for the sheet `kind` after `seconds`."""

    kind: str
    seconds: float


@frozen
class ReadSettings:
    """Read all settings, and say `SettingsRead`. `of_project`: those of the project may be used
    only now."""

    of_project: bool = False


@frozen
class WriteSetting:
    """Write `value` for `key` into the person's config file (or the project's), or take it out
    (None); then say `SettingsRead`."""

    key: str
    value: Any
    project: bool = False


@frozen
class WriteSecret:
    """Write what the prompt holds for `key`, as `WriteSetting` does: the core does not know it."""

    key: str


@frozen
class UseTheme:
    """Draw everything in the colours of the theme `name`; empty: of the one that holds without a
    setting."""

    name: str


@frozen
class ReadFacts:
    """Look at the running program, and say `FactsRead`."""


@frozen
class UseGround:
    """The ground of the terminal is dark, or light: draw accordingly, where that is left to it."""

    dark: bool


@frozen
class ReadBranch:
    """Look which branch the folder `cwd` has, and say `BranchRead`."""

    cwd: str


@frozen
class SetTitle:
    """Make `text` the title of the terminal."""

    text: str


@frozen
class Notify:
    """Show `text` on the desktop, if there is any; ring the bell."""

    text: str
    bell: bool


Effect = (
    Send
    | Quit
    | Copy
    | CopySelection
    | ClearSelection
    | Mouse
    | Remember
    | ExpireToast
    | Scroll
    | Type
    | Yield
    | LookLater
    | ReadHistory
    | EditDraft
    | OpenFile
    | LookBack
    | WriteBug
    | Suspend
    | ReadSettings
    | WriteSetting
    | WriteSecret
    | UseTheme
    | SendKey
    | UseGround
    | ReadBranch
    | SetTitle
    | Notify
    | ReadFacts
)
