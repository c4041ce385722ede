"""The values in a project's `.env`: which count as secrets, and that a file is read again only where
it has changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_tui.safety import file_access
from agent_tui.safety.secrets.env_files import EnvFiles, is_env_file, values_in
from agent_tui.safety.secrets.scrubber import Scrubber


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("DB_PASSWORD=hunter2xyzzy", "hunter2xyzzy"),
        ("API_PIN=9981-zz-secretval", "9981-zz-secretval"),
        ("export SESSION_SECRET='Zx81 kfj2 kd93'  # of ours", "Zx81 kfj2 kd93"),
        ('PGPASSWORD = "tiger-77x"', "tiger-77x"),
        ("#OLD_TOKEN=kd93jfk2zx81", "kd93jfk2zx81"),
        ("STRIPE_KEY=kd93jfk2zx81 # live", "kd93jfk2zx81"),
        ("DATABASE_URL=postgres://app:k93jfk2zx81@db/app", "k93jfk2zx81"),
        ("DEBUG=true", ""),
        ("PORT=8080", ""),
        ("NAME=password", ""),
        ("DB_PASSWORD=password", ""),
        ("DB_PASSWORD=postgres15", ""),
        ("API_KEY=changeme123", ""),
        ("API_PIN=9981", ""),
        ("TOKEN_LIMIT=claude-4096", ""),
        ("REGION=eu-central-1", ""),
        ("MODEL=gpt-4o-mini", ""),
        ("KEY_FILE=/home/me/project2/data", ""),
        ("SECRET_KEY=/home/me/project2/data", ""),
        ("MONKEY=kd93jfk2zx81", ""),
        ("no setting at all", ""),
        ("=", ""),
    ],
)
def test_a_value_is_hidden_where_its_name_and_its_shape_say_so(line: str, value: str) -> None:
    text = f"it says {value or line.rpartition('=')[2]} here"
    hidden = Scrubber(values_in(f"A=1\n{line}\r\nB=2")).scrub_known(text)
    assert (hidden == text) == (not value)
    assert not value or value not in hidden


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('N_TOKEN="Tq81\\"kkPw02mQtt"', ['Tq81\\"kkPw02mQtt', 'Tq81"kkPw02mQtt']),
        ('P_TOKEN="Sq81\\$kkPw02mQss"', ["Sq81$kkPw02mQss"]),
        ('API_KEY="multi\nlineSecretValue99"', ["multi\nlineSecretValue99", "lineSecretValue99"]),
        ("API_KEY='multi\nlineSecretValue99'\nB=1", ["multi\nlineSecretValue99"]),
        *(
            (f"A=1\nAPI_KEY={q}Zq81kk{end}Pw02mQxx{q}\nB=2", [f"Zq81kk{end}Pw02mQxx"])
            for end in "\x0b\x0c\x1c\x85\u2028\u2029"
            for q in ("", "'", '"')
        ),
        ("A=1\rDB_PASSWORD=Zq81kkPw02mQxx\r\nB=2", ["Zq81kkPw02mQxx"]),
        *(
            (f"A=1\n{line}\nB=2", ["Zq81kkPw02mQxx"])
            for line in (
                *(
                    "export STAGE=prod API_KEY=Zq81kkPw02mQxx",
                    "STAGE=1; export API_KEY=Zq81kkPw02mQxx",
                ),
                *(
                    f"{word} API_KEY=Zq81kkPw02mQxx"
                    for word in ("declare -x", "readonly", "typeset")
                ),
                *("export API_KEY=Zq81kk\\\nPw02mQxx", 'API_KEY="Zq81kk\\\nPw02mQxx"'),
                *(
                    "API_KEY='Zq81kk'\"Pw02mQxx\"",
                    "API_KEY: Zq81kkPw02mQxx",
                    "API_KEY=Zq81\\kkPw02mQxx",
                ),
            )
        ),
        ('A_TOKEN="never closed\nDB_PASSWORD=Zq81kkPw02mQxx', ["Zq81kkPw02mQxx"]),
    ],
)
def test_what_is_quoted_is_known_as_a_program_reads_it(text: str, values: list[str]) -> None:
    known = tuple(values_in(text))
    assert set(values) <= {*known}
    hide = Scrubber(known).scrub_known
    assert [value for value in values if value in hide(f"it says {value} here")] == []


def test_a_mark_of_byte_order_hides_no_name(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xef\xbb\xbfDB_PASSWORD=Zq81kkPw02mQxx\n")
    assert set(EnvFiles().new_values([tmp_path])) == {"Zq81kkPw02mQxx"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, True) for name in (".env", ".env.local", ".ENV", ".envrc", "prod.env", "env.bak")),
        *(
            (name, False)
            for name in (".env.example", "environment.py", "env", "server.pem", ".ssh")
        ),
    ],
)
def test_which_files_are_read(name: str, expected: bool) -> None:
    assert is_env_file(name) is expected


def test_a_file_is_read_again_where_it_changed_and_else_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Path] = []
    read = file_access.read_regular
    monkeypatch.setattr(
        file_access, "read_regular", lambda *given: looked.append(given[0]) or read(*given)
    )
    env, files = tmp_path / ".env", EnvFiles()
    assert files.new_values([tmp_path, tmp_path / "gone"]) == ()
    env.write_text("DB_PASSWORD=hunter2xyzzy\n")
    assert "hunter2xyzzy" in files.new_values([tmp_path])
    os.utime(tmp_path, (1, 1))
    for _ in range(3):
        assert files.new_values([tmp_path]) == ()
    assert looked == [env]
    env.write_text("DB_PASSWORD=hunter3xyzzy!\n")
    assert "hunter3xyzzy!" in files.new_values([tmp_path])
    (tmp_path / ".env.local").write_text("API_PIN=9981-zz-secretval\n")
    assert "9981-zz-secretval" in files.new_values([tmp_path])


def test_what_is_no_file_is_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".env")
    (tmp_path / ".env.d").mkdir()
    (tmp_path / ".env.gone").symlink_to("nowhere")
    (tmp_path / "kept").write_text("DB_PASSWORD=hunter2xyzzy\n")
    (tmp_path / ".env.linked").symlink_to("kept")
    assert set(EnvFiles().new_values([tmp_path])) == {"hunter2xyzzy"}
