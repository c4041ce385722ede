"""Keys that are kept: in a real file, in a keyring, in one place only."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agent_tui.safety import credentials
from agent_tui.safety.secrets.scrubber import Scrubber, placeholder
from agent_tui.settings.store import Refused
from tests import keyrings

KEY = "sk-abcdefghijklmnop0123"


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TEST_KEYRING", str(tmp_path / "ring.json"))
    return tmp_path / "ring.json"


def test_without_a_keyring_it_is_a_file_for_the_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "config"
    assert credentials.save(folder, "openai", KEY) == str(folder / "credentials.toml")
    assert stat.S_IMODE((folder / "credentials.toml").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    found = credentials.read_stored(folder, ("openai", "gemini"))
    assert {name: (key.value, key.source) for name, key in found.keys.items()} == {
        "openai": (KEY, "credentials.toml")
    }
    assert found.problems == () and KEY not in repr(found)
    assert credentials.remove(folder, "openai") == (str(folder / "credentials.toml"),)
    assert (
        credentials.remove(folder, "openai") == ()
        and not credentials.read_stored(folder, ("openai",)).keys
    )


def test_the_keyring_has_it_alone(tmp_path: Path, ring: Path) -> None:
    credentials.save(tmp_path, "openai", "an older key")
    with keyrings.used(keyrings.FileKeyring()):
        assert credentials.save(tmp_path, "openai", KEY) == credentials.KEYRING
        assert not credentials.in_file(tmp_path).keys, (
            "an old key in the file would come back some day"
        )
        found = credentials.read_stored(tmp_path, ("openai", "gemini"))
        assert {name: (key.value, key.source) for name, key in found.keys.items()} == {
            "openai": (KEY, "the keyring")
        }
        assert credentials.remove(tmp_path, "openai") == (credentials.KEYRING,)
        assert ring.read_text() == "{}"


def test_a_keyring_that_is_locked_is_said_and_the_file_takes_its_place(
    tmp_path: Path, ring: Path
) -> None:
    with keyrings.used(keyrings.LockedKeyring()):
        assert "because the keyring does not answer" in credentials.save(tmp_path, "openai", KEY)
        found = credentials.read_stored(tmp_path, ("openai",))
    assert found.keys["openai"].value == KEY
    assert found.problems == (
        "the keyring does not answer: KeyringLocked: agent-tui/openai: dismissed",
    )
    assert not ring.exists()


def test_the_package_is_imported_only_where_it_is_asked(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from agent_tui.safety import credentials as c;"
        f" c.in_file(Path({str(tmp_path)!r})); assert 'keyring' not in sys.modules;"
        f" print(c.read_stored(Path({str(tmp_path)!r}), ('openai',)), 'keyring' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Stored(keys={}, problems=()) True\n"


QUIET = """
import sys
from pathlib import Path
started, starts = [], ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec", "os.system")
sys.addaudithook(lambda event, args: started.append((event, args)) if event in starts else None)
from agent_tui.safety import credentials
print(credentials.read_stored(Path(sys.argv[1]), ("openai",)), started)
"""


def test_asking_the_keyring_starts_no_process(tmp_path: Path) -> None:
    """The package looks for the keyring of macOS on every system, with a compiler and a linker
    where there are any."""
    done = subprocess.run(
        [sys.executable, "-c", QUIET, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "Stored(keys={}, problems=()) []\n"


@pytest.mark.parametrize(
    "content", [b"[keys\nopenai = 'sk-hidden-hidden'", b"\xff\xfe", b"keys = 3", b"[keys]\na = 1"]
)
def test_a_broken_file_has_no_keys_and_shows_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "credentials.toml").write_bytes(content)
    (tmp_path / "credentials.toml").chmod(0o600)
    found = credentials.in_file(tmp_path)
    assert not found.keys and "hidden" not in " ".join(found.problems)


def test_a_file_that_others_may_read_is_said(tmp_path: Path) -> None:
    credentials.save(tmp_path, "openai", KEY)
    (tmp_path / "credentials.toml").chmod(0o644)
    found = credentials.in_file(tmp_path)
    assert found.keys["openai"].value == KEY
    assert "chmod 600" in found.problems[0]
    credentials.save(tmp_path, "gemini", KEY)
    assert credentials.in_file(tmp_path).problems == (), "the next key that is kept closes it"


def test_a_folder_that_takes_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file")
    with pytest.raises(Refused, match="cannot be written"):
        credentials.save(tmp_path / "config", "openai", KEY)


def test_a_scrubber_learns() -> None:
    scrubber = Scrubber(("older-secret",))
    assert scrubber.scrub(KEY) == KEY
    scrubber.learn((KEY,))
    assert (
        scrubber.scrub(f"{KEY} older-secret")
        == f"{placeholder('key', KEY)} {placeholder('key', 'older-secret')}"
    )
    stream = scrubber.stream()
    assert stream.feed(KEY.encode(), final=True) == placeholder("key", KEY).encode()
