"""What holds for all tests: no key of the person who runs them is read or changed, and what
Hypothesis makes up is the same in every run of the same code. With AGENT_TUI_RANDOM=1 it makes up
something new each time, and more of it: the campaign."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator

import pytest
from hypothesis import settings

from agent_tui import programs
from tests import starts
from tests.campaigns import WHOLE, examples

# A thousand programs are started here, and each would compile the whole of agent_tui again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"

starts.install()

LONGEST_NAME = 100
"""Characters of a text that a test is named after."""

WITHOUT_CONFIGURATION = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
NOBODY = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "n"), ("EMAIL", "e@x"))
}
os.environ.update(
    WITHOUT_CONFIGURATION | NOBODY
)  # git commits the same on a machine where nobody set it up

if os.environ.get("TERM") in (
    "dumb",
    "unknown",
):  # of the machine that runs the tests; theirs can draw
    os.environ["TERM"] = "xterm-256color"

settings.register_profile("steady", derandomize=True, deadline=None, max_examples=examples(100))
settings.register_profile("campaign", print_blob=True, deadline=None)
settings.load_profile("campaign" if WHOLE else "steady")

for number in (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
):  # a shell that runs the tests in the background, and `nohup`, have them ignored
    if signal.getsignal(number) is signal.SIG_IGN:  # and what we start would inherit it
        signal.signal(
            number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        )


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """A test is not named after all of a long text: the names of all tests are held by each process
    that runs some, sent to the one that hands them out, and given to all programs that a test
    starts."""
    return argname if isinstance(val, str | bytes) and len(val) > LONGEST_NAME else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """All that collecting makes stays: to walk it again and again takes seconds."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """The ten thousand tests themselves stay: a collection that walks them again and again stops a
    process for over a second on a slow machine, in the midst of what is tested."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    starts.switched_on = item.nodeid.partition("::")[0] not in starts.EXECUTED


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, None, None]:
    """The folders of a test's sessions are gone with it: hundreds of them would be compared with
    each folder of PATH for each program that a later test starts."""
    yield
    programs._closed.clear()
