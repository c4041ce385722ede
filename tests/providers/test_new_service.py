"""A new service is one row in one file: everything else learns of it from there."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from subprocess import DEVNULL, run

import pytest

from agent_tui.providers.services import all_services
from tests.test_cli_auth import environment
from tests.test_cli_doctor import KEY, listing
from tests.tui.pty_stage import ROOT, Pty

ROW = """
from agent_tui.providers.services.base import Known, Service

SERVICES = (
    Service(
        "acme", "Acme", "compatible", ("ACME_API_KEY",), ("ACME_BASE_URL",),
        base_url="https://api.acme.example/v1", prefixes=("acme-",), short=("ac",), model="a",
        known={"acme-": Known(77_000, True)}, rank=45,
    ),
)
"""
RUN = """
import sys
from agent_tui.providers import services
services.__path__.append(sys.argv[1])
from agent_tui.cli.main import main
sys.exit(main(sys.argv[2:]))
"""
TABLES = """
import runpy, sys
from agent_tui.providers import services
services.__path__.append(sys.argv[1])
made = runpy.run_path("docs/generate.py")
print(*made["pages"]().values())
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder with the new row."""
    folder = tmp_path / "rows"
    folder.mkdir()
    (folder / "acme.py").write_text(ROW)
    return folder


def said(place: Path, *words: str, **given: str) -> str:
    home = place.parent
    home.chmod(0o700)
    done = run(
        [sys.executable, "-c", RUN, str(place), *words],
        env=environment(home, OLLAMA_HOST="127.0.0.1:1", **given),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=60,
        stdin=DEVNULL,
    )
    return done.stdout + done.stderr


def test_keys_models_and_doctor_know_a_new_service(place: Path) -> None:
    assert "no key is saved" in said(place, "auth", "remove", "acme")
    assert "ACME_API_KEY" in said(place, "auth", "list", ACME_API_KEY=KEY)
    with listing() as address:
        given = {"ACME_API_KEY": KEY, "ACME_BASE_URL": address}
        assert "acme/b" in said(place, "models", **given)
        checks = json.loads(said(place, "doctor", "--json", **given))["checks"]
        acme = [one for one in checks if "acme" in one["said"]]
        assert {one["area"]: one["state"] for one in acme} == {"servers": "ok", "keys": "ok"}
    lacks = said(place, "run", "-m", "acme-large", "hello")
    assert "a model of Acme" in lacks and "agent-tui auth set acme" in lacks


def test_setup_offers_a_new_service(place: Path) -> None:
    home = place.parent
    with listing() as address:
        given = environment(home, ACME_BASE_URL=address, OLLAMA_HOST="127.0.0.1:1")
        pty = Pty(["-c", RUN, str(place), "setup"], given, (100, 40))
        pty.until("an empty line to close")
        assert "Acme" in pty.text
        pty.type("acme\r")
        pty.until("Key for Acme")
        pty.type(f"{KEY}\r")
        pty.until("1: a, proposed")
        pty.type("1\r")
        pty.until("in every project")
        pty.type("1\r")
        assert pty.wait(20) == 0
        pty.close()
    assert 'model = "acme/a"' in (home / "config.toml").read_text()


def test_the_documents_tell_of_a_new_service(place: Path) -> None:
    argv = [sys.executable, "-c", TABLES, str(place)]
    made = run(argv, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True).stdout
    row = "| `acme` | Chat Completions | `ACME_API_KEY` | `ACME_BASE_URL` | `a` |"
    assert row in made and "| `acme-` | `ac` | `acme` |" in made
    assert "Together, Acme, Azure" in made, "the README names it"


def test_what_is_known_of_its_models_comes_from_its_row(place: Path) -> None:
    script = (
        RUN.rsplit("from", 1)[0]
        + "from agent_tui.providers.facts.model_names import known_of as of\n"
    )
    script += "print(of('router/acme-large'), of('kimi-k3').window)"
    argv = [sys.executable, "-c", script, str(place)]
    done = run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert "77000" in done.stdout and "1048576" in done.stdout


OWN = {
    "agent/services/local_ollama.py": "the program that is started",
    "providers/dialects/ollama_chat.py": "what an answer is told apart by",
    "providers/script/demo.py": "what the script calls itself",
    "sessions/imports/files.py": "whose models wrote the sessions of another program",
    "tui/sheets/first_run.py": "a row of the list",
}
"""Files that have the name of a provider as a word of their own, and what it means there."""


def test_only_a_providers_own_files_have_its_name() -> None:
    names = {word for name in all_services() for word in (name, f"{name}/")}
    own = {f"providers/{one.dialect}.py" for one in all_services().values()} | OWN.keys()
    wrong = []
    for path in sorted((ROOT / "agent_tui").rglob("*.py")):
        file = path.relative_to(ROOT / "agent_tui").as_posix()
        if file in own or file.startswith("providers/services/"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        words = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
        wrong += [f"{file}:{word.lineno}: {word.value}" for word in words if word.value in names]
    assert wrong == [], "a fact about a provider belongs to its declaration"
