"""`docs_lookup` on an environment and a `node_modules` as they lie on disk."""

from __future__ import annotations

import asyncio
import shutil
from base64 import b64encode
from pathlib import Path

import pytest

from agent_tui.safety.permissions import own_rules
from agent_tui.settings.table import PermissionSettings
from agent_tui.tools import docs_lookup
from agent_tui.tools.base import ToolFailure
from tests.tools.context import Context

PACKAGE = {
    "__init__.py": '''"""A client."""
from ._client import *
from ._client import Client as Agent
from .missing import gone
LIMIT: int = 3
if True:
    def fetch(url: str, *, timeout: float = 5.0) -> bytes:
        """Fetch it."""
import os
os.mkdir("ran")
''',
    "_client.py": '''
from .base import Base
class Client(Base[int], metaclass=type):
    """Speaks."""
    retries: int = 2
    def __init__(self, url: str) -> None: ...
    async def get(self, path: str, /, **more: object) -> str:
        """Get a path.

        In parts."""
    def _own(self) -> None: ...
''',
    "base.py": '''
class Base:
    @property
    def is_open(self) -> bool:
        """Whether it is."""
''',
    "broken.py": "def (",
    "loop.py": "from .loop import me\nfrom .other import *\n",
    "other.py": "from .loop import *\n",
}
METADATA = """Metadata-Version: 2.1
Name: Web-Client
Version: 1.2
Summary: Talks to servers.

# Web client

[![badge](https://e.test/b.svg)](https://e.test)

Read me first.
"""
TYPES = """
declare namespace pad {}
/** Pads. */
export declare function padLeft(text: string, length: number): string;
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    site = tmp_path / ".venv" / "lib" / "python3.12" / "site-packages"
    (site / "webclient").mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /usr\n")
    for name, text in PACKAGE.items():
        (site / "webclient" / name).write_text(text)
    info = site / "web_client-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    (info / "RECORD").write_text("webclient/__init__.py,,\nwebclient/_client.py,,\n")
    pad = tmp_path / "node_modules" / "pad"
    pad.mkdir(parents=True)
    (pad / "package.json").write_text('{"name": "pad", "version": "3.0", "types": "pad.d.ts"}')
    (pad / "pad.d.ts").write_text(TYPES)
    (pad / "README.md").write_text("# pad\nPads text.")
    return tmp_path


def look_up(project: Path, library: str, symbol: str = "") -> str:
    arguments = docs_lookup.DocsLookup(library=library, symbol=symbol)
    return asyncio.run(docs_lookup.TOOL.run(arguments, Context(project))).content


@pytest.mark.parametrize(
    ("symbol", "shown"),
    [
        ("fetch", ["def fetch(url: str, *, timeout: float=5.0) -> bytes", "Fetch it."]),
        (
            "Client",
            ["class Client(Base[int], metaclass=type)", "Speaks.", "def __init__(self, url"],
        ),
        ("Client", ["retries: int", "webclient._client, line 3"]),
        ("Client.get", ["async def get(self, path: str, /, **more: object) -> str", "In parts."]),
        ("webclient.Client.get()", ["Get a path."]),
        ("Agent.get", ["Get a path."]),
        ("Client.is_open", ["@property\ndef is_open(self) -> bool", "Whether it is."]),
        ("LIMIT", ["LIMIT: int = 3"]),
        ("_client", ["module webclient._client", "class Client"]),
    ],
)
def test_a_name_of_python_is_found_where_it_is_defined(
    project: Path, symbol: str, shown: list[str]
) -> None:
    said = look_up(project, "web-client", symbol)
    assert said.startswith("Web-Client  1.2  Talks to servers.")
    assert [words for words in shown if words not in said] == []
    assert "_own" not in said
    assert not (project / "ran").exists() and not Path("ran").exists(), "no code of it runs"


def test_the_overview_has_the_words_and_the_names(project: Path) -> None:
    said = look_up(project, "Web_Client")
    for words in ("Read me first.", "module webclient", "A client.", "LIMIT: int", "def fetch"):
        assert words in said
    assert "badge" not in said


def test_a_package_of_node_is_found(project: Path) -> None:
    assert "Pads text." in look_up(project, "pad")
    said = look_up(project, "pad", "padLeft")
    assert "pad/pad.d.ts, line 4" in said and "padLeft(text: string, length: number)" in said


@pytest.mark.parametrize(
    "symbol", ["nothing", "gone", "Client.nothing", "broken.x", "loop.me", "loop.you"]
)
def test_what_is_not_there_is_said(project: Path, symbol: str) -> None:
    with pytest.raises(ToolFailure) as raised:
        look_up(project, "web-client", symbol)
    assert raised.value.tag == "not_found" and "without a symbol" in raised.value.text


def test_unknown_libraries_and_names_that_are_none(project: Path) -> None:
    with pytest.raises(ToolFailure, match="there are: pad, web_client"):
        look_up(project, "requests")
    for name in ("../../etc", "/etc/passwd", "", "-x", "a/../../b"):
        with pytest.raises(ToolFailure) as raised:
            look_up(project, name)
        assert raised.value.tag == "invalid_arguments"
    (empty := project / "empty").mkdir()
    with pytest.raises(ToolFailure, match="no installed libraries"):
        look_up(empty, "requests")


def test_a_library_that_lies_outside_is_not_read(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "__init__.py").write_text("def secret() -> None: ...\n")
    site = project / ".venv" / "lib" / "python3.12" / "site-packages"
    (site / "linked").symlink_to(outside)
    with pytest.raises(ToolFailure):
        look_up(project, "linked", "secret")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pad/pad.d.ts", "\n" * 1_000_000),
        ("pad/pad.d.ts", " " * 1_000_000 + "x"),
        ("pad/pad.d.ts", "export " * 200_000),
        ("pad/pad.d.ts", "![" * 500_000),
    ],
)
def test_a_file_of_any_content_is_searched_in_one_pass(project: Path, name: str, text: str) -> None:
    (project / "node_modules" / name).write_text(text)
    with pytest.raises(ToolFailure) as raised:
        look_up(project, "pad", "padLeft")
    assert raised.value.tag == "not_found"


def test_python_that_is_too_long_or_too_deep_is_passed_over(project: Path) -> None:
    site = project / ".venv" / "lib" / "python3.12" / "site-packages" / "webclient"
    (site / "_client.py").write_text("(" * 300_000)
    (site / "base.py").write_text("x = 1\n" * 100_000)
    for symbol in ("Client", "base.x"):
        with pytest.raises(ToolFailure):
            look_up(project, "web-client", symbol)


@pytest.mark.parametrize("types", ["../../notes.txt", "/etc/passwd", "notes.txt", "../../x.d.ts"])
def test_the_types_of_a_package_lie_in_it(project: Path, types: str) -> None:
    for name in ("notes.txt", "x.d.ts"):
        (project / name).write_text("customer: ACME\n")
    (project / "node_modules" / "pad" / "notes.txt").write_text("customer: ACME\n")
    about = f'{{"name": "pad", "types": "{types}"}}'
    (project / "node_modules" / "pad" / "package.json").write_text(about)
    with pytest.raises(ToolFailure) as raised:
        look_up(project, "pad", "customer")
    assert raised.value.tag == "not_found"


def test_a_key_in_a_declaration_is_hidden_whole(project: Path) -> None:
    dashes = "-" * 5
    key = "".join(f"{b64encode(bytes([n] * 7 + [*range(41)])).decode()}\n" for n in range(20))
    begin, end = (f"{dashes}{word} RSA PRIVATE KEY{dashes}" for word in ("BEGIN", "END"))
    text = f"{begin}\nDEK-Info: AES\n\n{key}{end}\n"
    (project / "node_modules" / "pad" / "pad.d.ts").write_text(text)
    said = look_up(project, "pad", "DEK-Info")
    assert "DEK-Info" in said and [line for line in key.split() if line in said] == []


def test_a_readme_of_any_content_is_shown_in_part(project: Path) -> None:
    (project / "node_modules" / "pad" / "README.md").write_text("![" * 500_000)
    info = project / ".venv" / "lib" / "python3.12" / "site-packages" / "web_client-1.2.dist-info"
    (info / "METADATA").write_text("Name: x\n\n" + "<img " * 300_000)
    assert "![" in look_up(project, "pad") and look_up(project, "web-client")


@pytest.mark.parametrize(
    "modules",
    [
        {"a.py": "from webclient.a import *\n" * 60, "__init__.py": "from .a import *\n" * 60},
        {
            "__init__.py": "from .m0 import *\n",
            **{
                f"m{one}.py": "".join(f"from .m{other} import *\n" for other in range(30))
                for one in range(30)
            },
        },
        {"__init__.py": f"class A({', '.join(['B'] * 9)}): ...\nclass B(A, A, A, A): ...\n"},
        {
            "__init__.py": "".join(
                f"class C{one}({', '.join(f'C{other}' for other in range(one))}): ...\n"
                for one in range(40)
            )
            + "A = C39\nclass A(C39): ...\n"
        },
    ],
    ids=("itself", "each-other", "bases", "diamonds"),
)
def test_each_module_and_class_is_asked_once_for_a_name(
    project: Path, modules: dict[str, str]
) -> None:
    site = project / ".venv" / "lib" / "python3.12" / "site-packages" / "webclient"
    for name, text in modules.items():
        (site / name).write_text(text)
    for symbol in ("A.missing", "C39.missing", "missing"):
        with pytest.raises(ToolFailure) as raised:
            look_up(project, "web-client", symbol)
        assert raised.value.tag == "not_found"


def test_a_search_ends_when_it_is_stopped(project: Path) -> None:
    """Also where every file is known already: in the middle of what one module names."""
    site = project / ".venv" / "lib" / "python3.12" / "site-packages" / "webclient"
    bases = ", ".join(f"B{one}" for one in range(1_000))
    (site / "__init__.py").write_text(f"class A({bases}): ...\n")
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked > 500

    arguments = docs_lookup.DocsLookup(library="web-client", symbol="A.missing")
    with pytest.raises(ToolFailure, match="stopped"):
        docs_lookup.find(arguments, Context(project), stopped)
    assert asked == 501


@pytest.mark.parametrize(
    "place",
    [
        "node_modules",
        "node_modules/@scope",
        ".venv",
        ".venv/lib",
        ".venv/lib/python3.12",
        ".venv/lib/python3.12/site-packages",
    ],
)
def test_no_folder_outside_is_listed_through_a_link(
    project: Path, tmp_path_factory: pytest.TempPathFactory, place: str
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "top"
    shutil.copytree(project / ".venv", outside)
    for name in ("private-0.1.dist-info", "lib/private-0.1.dist-info", "private"):
        (outside / name).mkdir()
    (outside / "private" / "x.d.ts").write_text("export function padLeft(): void;\n")
    inner = {".venv/lib": "lib", ".venv/lib/python3.12": "lib/python3.12"}.get(place, "")
    link = project / place
    if link.is_dir():
        shutil.rmtree(link)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / inner)
    for library in ("zzz", "private", "web-client", "@scope/private"):
        for symbol in ("", "padLeft"):
            try:
                said = look_up(project, library, symbol)
            except ToolFailure as failure:
                said = failure.text.replace(f"no library {library}", "")
            assert "private" not in said
            assert ("web_client" in said) <= place.startswith("node")


def test_a_file_that_a_rule_keeps_from_being_read_is_not_shown(project: Path) -> None:
    rules = own_rules(PermissionSettings(deny=("read_file(node_modules/**)",)))
    arguments = docs_lookup.DocsLookup(library="pad")
    with pytest.raises(ToolFailure, match="no library pad"):
        asyncio.run(docs_lookup.TOOL.run(arguments, Context(project, permissions=rules)))
