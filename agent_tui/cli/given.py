"""What the command line of a front end may give, and what holds where it gives nothing."""

from __future__ import annotations


class Given:
    """The flags of the screen, of `chat` and of `run`; each front end has some of them (see
    `cli_flags`). The flags of other settings are there where they were given."""

    prompt = ""
    model = ""
    mode = ""
    cwd = ""
    last = False
    resume = ""
    otr = False
    debug_wire = False
    demo = False
    color = False
    output = "text"

    def __init__(self) -> None:
        self.add_dir: list[str] = []
        self.trust: list[str] = []
