"""What holds for all tests: no key of the person who runs them is read or changed, and what Hypothesis makes up is the
same in every run of the same code. With AGENT_TUI_RANDOM=1 it makes up something new each time: the campaign."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"

if os.environ.get("TERM") in ("dumb", "unknown"):  # of the machine that runs the tests; theirs can draw
    os.environ["TERM"] = "xterm-256color"

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("campaign", print_blob=True, deadline=None)
settings.load_profile("campaign" if os.environ.get("AGENT_TUI_RANDOM") else "steady")
