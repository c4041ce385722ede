"""What may know what: the import contracts, what is loaded when, and who alone may do the dangerous
things.

The tables in this file are the exceptions. A new line in one of them needs its reason.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "agent_tui"
MAX_LINES = 600

PURE = (
    "agent_tui.tui.update",
    "agent_tui.tui.view",
    "agent_tui.tui.core",
    "agent_tui.tui.screen",
    "agent_tui.tui.sheets",
    "agent_tui.tui.commands",
    "agent_tui.tui.markdown",
    "agent_tui.tui.prompt",
    "agent_tui.tui.dialog",
    "agent_tui.tui.transcript",
    "agent_tui.present",
    "agent_tui.structures",
    "agent_tui.protocol.events",
)
"""But for the `WIDGETS` in them."""
WIDGETS = frozenset(
    f"agent_tui.tui.{name}"
    for name in (
        "prompt.widget",
        "prompt.editor",
        "dialog.layout",
        "dialog.widget",
        "transcript.scrollbar",
        "transcript.page",
        "transcript.copy_text",
        "transcript.selection",
        "transcript.source_map",
        "transcript.widget",
        "transcript.painted_rows",
        "transcript.marks",
    )
)
"""What draws with Textual, beside the thing that it draws."""

LOADED_WITH_FIRST_USE = {
    "agent_tui.structures.lexing": "its lexers are Pygments' own; imported with the first code"
}

LAZY = {
    "agent_tui.__main__": {
        "agent_tui.boot:terminal": "only a full screen prepares the terminal, before anything slow is imported",
        "agent_tui.cli.main:main": "after the terminal is prepared",
        "agent_tui:std_output": "only where what was printed cannot be written",
    },
    "agent_tui.cli.parser": {"importlib.metadata:version": "only for --version: slow"},
    "agent_tui.paths": {"platformdirs": "not needed where AGENT_TUI_HOME is set; third party"},
    "agent_tui.providers.ollama": {"ollama": "slow, and only needed to fetch a model"},
    "agent_tui.present.html": {
        "markdown_it:MarkdownIt": "only for an export to HTML",
        "pygments:highlight": "only for an export to HTML",
        "pygments.formatters:HtmlFormatter": "only for an export to HTML",
        "pygments.lexers:get_lexer_by_name": "only for an export to HTML",
        "pygments.lexers:get_lexer_for_filename": "only for an export to HTML",
        "pygments.util:ClassNotFound": "only for an export to HTML",
    },
    "agent_tui.safety.credentials": {
        "keyring": "only where it is installed, and a key is wanted: slow, third party",
        "keyring.errors": "as above",
    },
    "agent_tui.safety.ignore": {
        "pathspec:GitIgnoreSpec": "only where a .gitignore is read",
        "re2": "only where a .gitignore is read; third party",
    },
    "agent_tui.safety.shell.syntax": {
        "tree_sitter:Language": "only where a command is judged; third party",
        "tree_sitter:Parser": "only where a command is judged; third party",
        "tree_sitter_bash": "only where a command is judged; third party",
    },
    "agent_tui.settings.store": {
        "tomlkit": "only where a setting is written",
        "tomlkit.exceptions:TOMLKitError": "only where a setting is written",
        "tomlkit.items:AbstractTable": "only where a setting is written",
    },
    "agent_tui.tools.support.expression": {"re2": "only where files are searched; third party"},
    "agent_tui.context.repo_map.grammars": {
        "tree_sitter:Language": "only where a map is made, and the grammar of a file is installed",
        "tree_sitter:Parser": "as above",
    },
    "agent_tui.context.repo_map.parsing": {
        "pygments.token:Token": "only where a map is made, and no grammar of a file is installed",
        "agent_tui.structures.lexing:find_lexer": "as above",
    },
    "agent_tui.context.vectors": {
        "sqlite_vec": "only where it is installed, and facts are searched by meaning"
    },
    "agent_tui.tools.support.pdf": {"pypdf": "only where it is installed, and a PDF is read"},
    "agent_tui.tools.support.pictures": {
        "PIL:Image": "only where it is installed, and a picture is large",
        "PIL:ImageOps": "as above",
    },
    "agent_tui.tools.support.walk": {"re2": "only where files are searched; third party"},
    "agent_tui.tui.linear.lines": {
        "readline": "only where somebody types: it changes how the terminal is read"
    },
    "agent_tui.tui.runtime.app": {
        "agent_tui.tui.runtime.facts:facts": "only for the debug console"
    },
    "agent_tui.tui.markdown.inline": {
        "markdown_it.common.normalize_url:normalizeLink": "with the first bare address in Markdown"
    },
    "agent_tui.tui.markdown.render": {"markdown_it:MarkdownIt": "with the first block of Markdown"},
}
"""Imports inside functions, and why each is there."""

BOUNDARIES = {
    (
        "agent_tui.agent.turn.agent_run",
        "run",
    ): "a turn: whatever fails in it ends it as an error event",
    ("agent_tui.agent.turn.executor", "_execute"): "a tool call: whatever it raises is its result",
    ("agent_tui.agent.turn.custom_tools", "load_tool"): "somebody's code: it is named and left out",
    ("agent_tui.agent.worker", "_main"): "the thread: without it the screen would wait for ever",
    ("agent_tui.tui.runtime.app", "dispatch"): "an effect: what cannot be done is said",
}
"""Where a broad `except` may stand: (module, function), and what it turns the error into."""

STARTS_PROCESSES = "agent_tui.safety.process.processes"
FORKS = "agent_tui.safety.process.guard"
"""The process that it starts, to have it start and end the commands; they talk over a pair
of sockets."""
SUPERVISES = "agent_tui.safety.process.supervisor"
"""What that forks for each command, and what becomes the command."""
STARTS = {
    "agent_tui.agent.services.clipboard: processes.feed": "the clipboard's tools, tmux",
    "agent_tui.agent.services.doctor: processes.run": "`env`, by its whole path",
    "agent_tui.agent.services.images: processes.feed": "the clipboard's tools",
    "agent_tui.agent.services.local_ollama: processes.feed": "`ollama serve`",
    "agent_tui.agent.turn.tool_context: processes.run": "commands, which a shell of the system runs",
    "agent_tui.cli.main: processes.start_beside": "this program, by the path of its Python",
    "agent_tui.cli.main: processes.foreground": "the person's editor, and this program",
    "agent_tui.cli.config: processes.foreground": "the person's editor",
    "agent_tui.safety.git: processes.feed": "git",
    "agent_tui.safety.sandbox.support: processes.run": "this program's Python, which tries to get out",
    "agent_tui.tools.support.ripgrep: processes.feed": "ripgrep",
}
"""Who starts programs, and which."""
OPENS_SOCKETS = {
    "agent_tui.safety.process.output_keeper": "a pair of sockets between the program and the keeper",
    "agent_tui.safety.process.running": "a pair of sockets between the program and a supervisor",
    "agent_tui.safety.process.watch": "names the type of that",
    "agent_tui.safety.sandbox.namespaces": "switches the loopback of a command's own network on",
    "agent_tui.safety.sandbox.network_proxy": "connects commands in the sandbox to the hosts that a person allowed",
    "agent_tui.safety.sandbox.support": "listens for a moment whether a confined command gets out",
}
NAMES_GIT = {
    "agent_tui.safety.git": "asks git, and nobody else does: a repository's configuration could run programs",
    "agent_tui.safety.work_tree": "the folder of the person's own ignore rules",
    "agent_tui.safety.shell.git_settings": "judges commands of the model",
    "agent_tui.safety.shell.git_alone": "judges commands of the model",
    "agent_tui.safety.shell.hard_list": "judges commands of the model",
    "agent_tui.safety.limits": "judges commands of the model",
    "agent_tui.safety.sandbox.network_hosts": "judges commands of the model",
    "agent_tui.safety.shell.classifier": "judges commands of the model",
    "agent_tui.safety.shell.programs": "knows which options stand before a command of git",
    "agent_tui.safety.shell.carried_code": "judges commands of the model",
    "agent_tui.safety.shell.option_values": "judges commands of the model",
    "agent_tui.safety.shell.started_programs": "judges commands of the model",
    "agent_tui.safety.shell.listed_files": "judges commands of the model",
    "agent_tui.safety.shell.open_words": "judges commands of the model",
    "agent_tui.sessions.imports.codex": "a key in the logs of another program",
}
"""Where the word stands as a value of its own, and why."""
LOOP_THREAD = "asyncio.get_running_loop().run_in_executor(None,"
STARTS_THREADS = "agent_tui.agent.worker"
OPENS_CONNECTIONS = "agent_tui.providers.wire.http"
GETS_PAGES = "agent_tui.tools.support.web_client"
PROXY = "agent_tui.safety.sandbox.network_proxy"
LISTENS = "agent_tui.telemetry.prometheus"
"""Answers who asks for metrics on this machine, where the person gave a port; it opens no
connection itself."""

KNOWS_THREADING = {
    "agent_tui.agent.worker": "starts the one thread, and its executor",
    "agent_tui.agent.turn.tool_context": "the stop flag that blocking work reads in the executor",
    "agent_tui.safety.closed_folders": "the lock of the modes that are changed for a moment",
    "agent_tui.safety.sandbox.histories": "the lock of what commands at once read and write",
    "agent_tui.tools.support.seen_files": "the lock of what several reads at once remember",
    "agent_tui.tui.textual_port.terminal": "the flag that the thread of Textual waits for before it reads keys",
}
KNOWS_HTTPX = {
    "agent_tui.providers.wire.http": "opens the connections",
    "agent_tui.providers.wire.log": "watches what goes over them",
    "agent_tui.providers.wire.pace": "reads what comes over them, and what came before one of their errors",
    "agent_tui.providers.wire.failures": "names the exceptions of httpx",
    "agent_tui.providers.ollama": "gives the ollama package a timeout, and names the exceptions that it lets through",
}

IMPURE = {
    "textual",
    "rich",
    "asyncio",
    "threading",
    "os",
    "time",
    "random",
    "pathlib",
    "httpx",
    "pydantic",
}
PROCESS_MODULES = {"subprocess", "pty", "multiprocessing"}
PROCESS_CALLS = {
    "os": {
        "fork",
        "forkpty",
        "posix_spawn",
        "posix_spawnp",
        "popen",
        "system",
        "execv",
        "execve",
        "execvp",
        "execvpe",
        "execl",
        "execlp",
        "execle",
        "execlpe",
        "spawnv",
        "spawnve",
        "spawnvp",
        "spawnvpe",
        "spawnl",
        "spawnlp",
    },
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
    "loop": {"subprocess_exec", "subprocess_shell"},
}
THREAD_CALLS = {"Thread", "Timer", "ThreadPoolExecutor", "ProcessPoolExecutor", "start_new_thread"}
CONNECTION_CALLS = {
    "httpx": {
        "AsyncClient",
        "Client",
        "get",
        "post",
        "put",
        "patch",
        "delete",
        "head",
        "stream",
        "request",
    },
    "asyncio": {"open_connection", "open_unix_connection", "start_server"},
    "loop": {"create_connection", "create_server"},
}
CONNECTION_MODULES = {"requests", "urllib3", "aiohttp", "socket", "http", "urllib.request"}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def trees() -> dict[str, ast.Module]:
    return {
        module_name(path): ast.parse(path.read_text("utf-8"), str(path))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


@cache
def nodes(module: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(trees()[module]))


def imported(node: ast.AST) -> Iterator[str]:
    """What an import statement imports: `package.module`, or `package.module:name`."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        yield from (f"{node.module}:{alias.name}" for alias in node.names)


def all_imports(module: str) -> Iterator[tuple[str, str]]:
    """(top-level package, what) of every import in `module`, wherever it stands."""
    for node in nodes(module):
        for what in imported(node):
            yield what.split(":")[0].split(".")[0], what


def lazy_imports(module: str) -> set[str]:
    return {
        what
        for function in nodes(module)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
        for what in imported(node)
    }


def calls(module: str) -> Iterator[tuple[str, int]]:
    """(last name of what is called or referred to by attribute, line)."""
    for node in nodes(module):
        if isinstance(node, ast.Attribute):
            yield node.attr, node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id, node.lineno


def inside(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


# --------------------------------------------------------------------------------- import contracts


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """import-linter over the package in `folder`, by the contracts of its pyproject.toml."""
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_import_contract_is_kept() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    assert f"{len(contracts)} kept, 0 broken" in done.stdout


VIOLATIONS = {
    "left may import right": ("paths.py", "import agent_tui.protocol.events"),
    "the screen does not know the agent": (
        "tui/runtime/app.py",
        "import agent_tui.agent.turn.loop",
    ),
    "the core is pure": ("tui/core/model.py", "import time"),
    "only the screen draws": ("headless.py", "import rich.console"),
    "the linear mode draws nothing": ("tui/linear/lines.py", "import rich.text"),
    "every module has a place": ("unplaced.py", "import agent_tui.paths"),
}


def test_a_violation_breaks_its_contract(tmp_path: Path) -> None:
    """All violations at once in a copy of the package: every contract sees its own."""
    shutil.copytree(PACKAGE, tmp_path / "agent_tui", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file, line in VIOLATIONS.values():
        path = tmp_path / "agent_tui" / file
        text = path.read_text("utf-8") if path.exists() else ""
        path.write_text(f"{text}\n\ndef _late() -> None:\n    {line}\n", "utf-8")
    done = lint_imports(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "kept, 5 broken" in done.stdout, done.stdout
    for file, line in VIOLATIONS.values():
        module = "agent_tui." + file.removesuffix(".py").replace("/", ".")
        assert module in done.stdout, f"{line} in {file} was not noticed"


# ---------------------------------------------------------------------------------- what loads when


def loaded_by(code: str) -> set[str]:
    """The top-level third-party packages that `code` loads in a fresh interpreter."""
    after = "import json; print(json.dumps(sorted(set(sys.modules) - before)))"
    program = f"import sys; before = set(sys.modules)\n{code}\n{after}"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    roots = {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}
    return {
        root for root in roots if root not in sys.stdlib_module_names and not root.startswith("_")
    } - {"agent_tui"}


def pure_modules() -> list[str]:
    return [module for module in trees() if inside(module, PURE) and module not in WIDGETS]


def test_the_pure_core_loads_no_third_party() -> None:
    assert len(pure_modules()) > 20
    early = [module for module in pure_modules() if module not in LOADED_WITH_FIRST_USE]
    assert loaded_by("\n".join(f"import {module}" for module in early)) == set()


@pytest.mark.parametrize(
    "module",
    [
        "agent_tui.__main__",
        "agent_tui.boot.terminal",
        "agent_tui.cli.main",
        "agent_tui.protocol.ops",
    ],
)
def test_what_comes_before_the_screen_loads_no_third_party(module: str) -> None:
    assert loaded_by(f"import {module}") == set()


def test_the_screen_loads_textual_and_what_that_loads_itself() -> None:
    bare = loaded_by(
        "import textual.app, textual.scroll_view\nfrom textual.widgets import Static, TextArea"
    )
    screen = loaded_by("import agent_tui.tui.runtime.app")
    assert "textual" in screen
    assert screen <= bare
    assert not screen & {"pydantic", "httpx", "ollama", "markdown_it", "pathspec"}


# ---------------------------------------------------------------------------- who alone may do what


def test_lazy_imports_are_those_with_a_reason() -> None:
    found = {module: names for module in trees() if (names := lazy_imports(module))}
    assert found == {module: set(reasons) for module, reasons in LAZY.items()}
    assert all(reason for reasons in LAZY.values() for reason in reasons.values())


def test_what_is_late_is_a_module() -> None:
    """Nothing else can be: its name would not be what was imported, but what stands for a module."""
    blocks = [
        node
        for module in trees()
        for node in nodes(module)
        if isinstance(node, ast.With)
        and re.match(r"(registry\.)?late\(", ast.unparse(node.items[0]))
    ]
    assert len(blocks) > 20
    for block in blocks:
        for line in block.body:
            assert isinstance(line, ast.Import | ast.ImportFrom), ast.unparse(line)
            for what in imported(line):
                assert what.replace(":", ".") in trees() if ":" in what else "." not in what, what


MOST_AT_FIRST = 115
"""Modules of ours that may be loaded before the first frame: each costs about a third of a
millisecond."""


def test_the_first_frame_needs_few_modules() -> None:
    code = "import json, sys, agent_tui.tui.runtime.start; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    ours = [name for name in json.loads(done.stdout) if name.split(".")[0] == "agent_tui"]
    assert len(ours) <= MOST_AT_FIRST, (
        f"{len(ours)}: import what it does not need in a block of `registry.late`"
    )


def test_modules_are_loaded_by_name_only_in_the_registry() -> None:
    found = {
        module
        for module in trees()
        for name, _ in calls(module)
        if name in ("import_module", "__import__")
    }
    assert found == {"agent_tui.registry"}


def importers(*packages: str) -> dict[str, set[str]]:
    """Which modules import something of `packages`, and what."""
    found: dict[str, set[str]] = {}
    for module in trees():
        for _, what in all_imports(module):
            if any(what == name or what.startswith((f"{name}.", f"{name}:")) for name in packages):
                found.setdefault(module, set()).add(what)
    return found


def uses(table: dict[str, set[str]], beside: str) -> set[str]:
    """Where `name.attribute` of `table` is written, in any module but `beside`."""
    return {
        f"{module}:{node.lineno}: {node.value.id}.{node.attr}"
        for module in trees().keys() - {beside}
        for node in nodes(module)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.attr in table.get(node.value.id, ())
    }


def test_only_one_module_starts_processes() -> None:
    assert set(importers(*PROCESS_MODULES)) <= {STARTS_PROCESSES}
    used = {re.sub(r":\d+:", ":", found) for found in uses(PROCESS_CALLS, STARTS_PROCESSES)}
    forks = {f"{module}: os.fork" for module in (FORKS, SUPERVISES)}
    assert used == {*forks, f"{SUPERVISES}: os.execvpe"}


def test_every_start_of_a_program_is_known() -> None:
    """Who has what started, and that nobody looks for programs but `programs.py`."""
    starts = {"run", "feed", "foreground", "start_beside"}
    found = uses({"processes": starts}, STARTS_PROCESSES) | {
        f"{module}:0: processes.{what.partition(':')[2]}"
        for module in trees()
        for _, what in all_imports(module)
        if what.startswith(f"{STARTS_PROCESSES}:") and what.partition(":")[2] in starts
    }
    assert {re.sub(r":\d+:", ":", one) for one in found} == set(STARTS)
    assert not [module for module in trees() for name, _ in calls(module) if name == "which"]


def test_only_one_module_asks_git() -> None:
    found = {
        module
        for module in trees()
        for node in nodes(module)
        if isinstance(node, ast.Constant) and node.value in ("git", "/usr/bin/git")
    }
    assert found == set(NAMES_GIT)
    assert set(importers("agent_tui.safety.git")) == {
        "agent_tui.agent.opening",
        "agent_tui.agent.services.differences",
        "agent_tui.agent.turn.git_view",
        "agent_tui.context.project",
        "agent_tui.safety.sandbox.lost_commits",  # what leads to a commit only commits say
    }


def test_only_the_worker_starts_threads() -> None:
    assert set(importers("threading", "_thread")) == set(KNOWS_THREADING)
    assert all(
        module == STARTS_THREADS or names <= {"concurrent.futures:Executor"}
        for module, names in importers("concurrent").items()
    ), "others may name an executor that they were given"
    found = {
        f"{module}:{line}: {name}"
        for module in trees().keys() - {STARTS_THREADS}
        for name, line in calls(module)
        if name in THREAD_CALLS or name == "to_thread"
    }
    assert found == set()
    own = {
        module
        for module, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node).startswith(LOOP_THREAD)
    }
    assert own == {"agent_tui.tui.runtime.preload"}, "the loop's own threads are for imports"


def test_only_the_wire_opens_connections() -> None:
    assert set(importers("httpx")) == set(KNOWS_HTTPX)
    assert set(importers("httpcore")) == {GETS_PAGES}
    own = {FORKS, SUPERVISES, *OPENS_SOCKETS}
    assert importers(*CONNECTION_MODULES) == {module: {"socket"} for module in own}
    others = {re.sub(r":\d+:", ":", found) for found in uses(CONNECTION_CALLS, OPENS_CONNECTIONS)}
    of_commands = {f"{PROXY}: asyncio.{call}" for call in ("open_connection", "start_server")}
    assert others == {f"{LISTENS}: asyncio.start_server", *of_commands}


def test_only_the_screen_knows_textual_and_rich() -> None:
    assert all(inside(module, ("agent_tui.tui",)) for module in importers("textual", "rich"))


def test_the_pure_core_imports_nothing_impure() -> None:
    assert not importers(*IMPURE).keys() & set(pure_modules())


# --------------------------------------------------------------------------------- shape and errors


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    long = {
        module_name(path): lines
        for path in PACKAGE.rglob("*.py")
        if (lines := len(path.read_text("utf-8").splitlines())) > MAX_LINES
    }
    assert long == {}


def broad(kind: ast.expr | None) -> bool:
    """Whether an `except` clause catches what it cannot name."""
    if kind is None:
        return True
    names = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(
        isinstance(name, ast.Name) and name.id in ("Exception", "BaseException") for name in names
    )


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Every function with its name, and the module itself with the name ``""``; nested ones count
    as their own too."""
    yield "", tree
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node


def raises_again(handler: ast.ExceptHandler) -> bool:
    return any(isinstance(node, ast.Raise) and node.exc is None for node in handler.body)


def test_broad_excepts_stand_only_at_the_boundaries() -> None:
    found = set()
    for module, tree in trees().items():
        owners: dict[ast.ExceptHandler, str] = {}
        for name, function in functions(tree):
            owners.update(
                {node: name for node in ast.walk(function) if isinstance(node, ast.ExceptHandler)}
            )
        found |= {
            (module, owner)
            for handler, owner in owners.items()
            if broad(handler.type) and not raises_again(handler)
        }
    assert found == set(BOUNDARIES)
    assert len(BOUNDARIES) <= 5


def test_no_except_is_silent() -> None:
    silent = []
    for module, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and all(
                isinstance(line, ast.Pass) for line in node.body
            ):
                silent.append(f"{module}:{node.lineno}: except … pass")
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "attr", getattr(node.func, "id", "")) == "suppress"
            ):
                silent += [f"{module}:{node.lineno}: suppress" for kind in node.args if broad(kind)]
    assert silent == []


def test_unions_of_the_core_are_matched_to_the_end() -> None:
    """mypy's exhaustive-match lists the places that a new Msg, Effect or Op must be decided; it has
    to be on."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert settings["strict"] is True
    assert "exhaustive-match" in settings["enable_error_code"]
