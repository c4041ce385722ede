"""What the command line of a front end may give, and what holds where it gives nothing."""

from __future__ import annotations


class Given:
    """The flags of the screen, of `chat` and of `run`; each front end has some of them (see `cli_flags`)."""

    prompt = ""
    model = ""
    mode = ""
    cwd = ""
    last = False
    resume = ""
    max_cost: float | None = None
    max_tokens: int | None = None
    otr = False
    debug_wire = False
    demo = False
    no_animation = False
    color = False
    output = "text"
    max_steps: int | None = None
    timeout: float | None = None

    def __init__(self) -> None:
        self.add_dir: list[str] = []
