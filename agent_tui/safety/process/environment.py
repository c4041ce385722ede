"""The environment of what the program starts: what of the person's variables a command gets, and
what is put beside.

It is a list of what passes. A credential can stand under any name (`STRIPE_KEY`, `PGPASSWORD`,
`COOKIE`), and a variable can change what a program runs (`LD_PRELOAD`, `NODE_OPTIONS`): a list of
what does not pass has gaps.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from agent_tui.safety.secrets.scrubber import find_in_variable, is_secret_name
from agent_tui.structures import late

_NEEDED: Final = """
    PATH HOME USER LOGNAME SHELL HOSTNAME LANG LANGUAGE TZ TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR TMPDIR TMP TEMP
    CI DEBIAN_FRONTEND MANPATH INFOPATH SOURCE_DATE_EPOCH
    CC CXX CPP CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS VCPKG_ROOT EMSDK VULKAN_SDK QTDIR OMP_NUM_THREADS
    VIRTUAL_ENV MAMBA_EXE MAMBA_ROOT_PREFIX POETRY_HOME PIPX_HOME PIPX_BIN_DIR HF_HOME
    PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONIOENCODING PYTHONUNBUFFERED PYTHONUTF8
    NODE_ENV PNPM_HOME BUN_INSTALL DENO_DIR DENO_INSTALL COREPACK_HOME YARN_CACHE_FOLDER N_PREFIX CHROME_BIN
    NPM_CONFIG_CACHE NPM_CONFIG_PREFIX NPM_CONFIG_REGISTRY PLAYWRIGHT_BROWSERS_PATH PUPPETEER_EXECUTABLE_PATH
    GO111MODULE GOARCH GOBIN GOCACHE GOFLAGS GOMODCACHE GONOPROXY GONOSUMDB GOOS GOPATH GOPRIVATE GOPROXY GOROOT
    GOSUMDB GOTOOLCHAIN CGO_ENABLED
    CARGO_HOME CARGO_INCREMENTAL CARGO_NET_OFFLINE CARGO_TARGET_DIR RUSTFLAGS RUSTUP_HOME RUSTUP_TOOLCHAIN
    RUST_BACKTRACE RUST_LOG
    JAVA_HOME JDK_HOME M2_HOME MAVEN_HOME GRADLE_HOME GRADLE_USER_HOME SCALA_HOME KOTLIN_HOME DOTNET_ROOT FLUTTER_ROOT
    GEM_HOME GEM_PATH BUNDLE_PATH COMPOSER_HOME OPAMROOT OPAM_SWITCH_PREFIX STACK_ROOT JULIA_DEPOT_PATH
    DOCKER_HOST DOCKER_BUILDKIT COMPOSE_PROJECT_NAME
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE AWS_CA_BUNDLE NODE_EXTRA_CA_CERTS
    HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY
"""
"""What programs need to be found and to build; some of them are also written in small letters."""
_PASSED: Final = frozenset(_NEEDED.split())
_PREFIXES: Final = (
    "ANDROID_",
    "ASDF_",
    "CCACHE_",
    "CMAKE_",
    "CONDA_",
    "CUDA_",
    "FNM_",
    "HOMEBREW_",
    "LC_",
    "NIX_",
    "NVM_",
    "PIP_",
    "PKG_CONFIG_",
    "PYENV_",
    "RBENV_",
    "SDKMAN_",
    "UV_",
    "VOLTA_",
    "XDG_",
)
CLIPBOARD: Final = (
    "DISPLAY",
    "TMUX",
    "TMUX_TMPDIR",
    "WAYLAND_DISPLAY",
    "WSLENV",
    "WSL_*",
    "XAUTHORITY",
)
"""What the tools of the clipboard need beside it: they reach the screen."""
MODEL_SERVER: Final = (
    "CUDA_*",
    "GGML_*",
    "GPU_*",
    "HIP_*",
    "HSA_*",
    "LD_LIBRARY_PATH",
    "NVIDIA_*",
    "OLLAMA_*",
    "ROCR_*",
)
"""What a model server on this machine needs beside it, which the person starts."""
_CREDENTIAL: Final = late.pattern(
    r"KEY|SECRET|TOKEN|PASS|_PWD|CRED|AUTH|COOKIE|SESSION|PRIVATE|SIGN|HEADERS", re.IGNORECASE
)
_SIGNED_IN: Final = late.pattern(r"://[^/?#\s]*@")
"""An address with a user or a password in it."""
_PROXY: Final = late.pattern(r"[^/?#\s]*@")
"""The same of a proxy, which needs no scheme."""
_OF_THE_TERMINAL: Final = late.pattern(
    r"_|__\w*|(?:AGENT_TUI|ALACRITTY|BASH|DBUS|FZF|GHOSTTY|GNOME|GTK2?|ITERM|KDE|KITTY|KONSOLE|LESS|P9K|STARSHIP"
    r"|SYSTEMD|TMUX|VSCODE|VTE|WAYLAND|WEZTERM|WSL|WT|XDG|XTERM|ZSH)(?:_\w+)?"
    r"|BASHOPTS|COLORFGBG|COLORTERM|COLUMNS|DESKTOP_(?:AUTOSTART_ID|SESSION|STARTUP_ID)|DISPLAY|EDITOR|GDMSESSION"
    r"|GDM_LANG|GIT_(?:EDITOR|PAGER)|GPG_TTY|HIST(?:CONTROL|FILE|FILESIZE|IGNORE|SIZE|TIMEFORMAT)|INVOCATION_ID"
    r"|JOURNAL_STREAM|LC_TERMINAL(?:_VERSION)?|LESS(?:CHARSET|CLOSE|HISTFILE|KEY|OPEN)|LINES|LOGIN_SHELL|LS_COLORS|MAIL"
    r"|MANAGERPID(?:FDID)?|MANPAGER|OLDPWD|PAGER|PROMPT|PROMPT_(?:COMMAND|DIRTRIM)|PS[1-4]|PWD"
    r"|QT_(?:ACCESSIBILITY|AUTO_SCREEN_SCALE_FACTOR|ENABLE_HIGHDPI_SCALING|FONT_DPI|IM_MODULES?"
    r"|LINUX_ACCESSIBILITY_ALWAYS_ON|QPA_PLATFORM(?:THEME)?|SCALE_FACTOR|SCREEN_SCALE_FACTORS|STYLE_OVERRIDE"
    r"|WAYLAND_\w+)|SESSION_MANAGER|SHLVL|SSH_(?:AGENT_PID|CLIENT|CONNECTION|TTY)|STY|SUDO_(?:COMMAND|GID|HOME|UID|USER)"
    r"|TERM(?:CAP|INFO|INFO_DIRS|INAL_EMULATOR|INATOR_\w+)|TERM_(?:FEATURES|PROGRAM|PROGRAM_VERSION|SESSION_ID)|VISUAL"
    r"|WINDOW|WINDOWID|WINDOWPATH|WSLENV|XAUTHORITY|XMODIFIERS|ZDOTDIR"
)
"""Names of what terminals, shells and desktops leave: nobody misses them in a command."""
_MOST_NAMES: Final = 40


def child_environment(environment: Mapping[str, str], passed: Sequence[str] = ()) -> dict[str, str]:
    """What of `environment` a command gets. `passed`: the names that pass besides, as the person
    gave them; `NAME_*` stands for all that begin so, but for credentials: those pass by their whole
    name alone."""
    return {name: value for name, value in environment.items() if _passes(name, value, passed)}


def names_left_out(environment: Mapping[str, str], passed: Sequence[str] = ()) -> tuple[str, ...]:
    """The names of the variables that a command does not get and may miss, in their order."""
    missed = (name for name, value in environment.items() if not _passes(name, value, passed))
    return tuple(
        sorted(
            name for name in missed if not _OF_THE_TERMINAL.fullmatch(name) and name.isprintable()
        )
    )


def describe_left_out(names: Sequence[str]) -> str:
    """These names in one line."""
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def may_be_credential(name: str, value: str) -> bool:
    """Whether a variable can hold a credential, by its name or by its value."""
    return bool(is_secret_name(name) or _CREDENTIAL.search(name) or _has_credential(name, value))


@lru_cache(maxsize=512)
def _has_credential(name: str, value: str) -> bool:
    """Whether the value of a variable is an address with a user or a password, or has something
    in it that looks like a secret: also a list of options may."""
    if _SIGNED_IN.search(value) or (name.upper().endswith("PROXY") and _PROXY.match(value)):
        return True
    return bool(find_in_variable(name, value))


def unattended_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` for a program that nobody can answer: nothing in it asks, nor opens a pager or
    an editor."""
    refuse = "/bin/false" if Path("/bin/false").exists() else "/usr/bin/false"
    ssh = environment.get("GIT_SSH_COMMAND", "ssh")
    return {
        **environment,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": refuse,
        "SSH_ASKPASS": refuse,
        "SUDO_ASKPASS": refuse,
        "GIT_SSH_COMMAND": ssh if "BatchMode" in ssh else f"{ssh} -o BatchMode=yes",
        "GIT_PAGER": "cat",
        "PAGER": "cat",
        "MANPAGER": "cat",
        "GIT_EDITOR": "true",
        "TERM": "dumb",
    }


def in_english(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` for a program whose messages are read by this one; all else that belongs to the
    person's language stays."""
    overall = environment.get("LC_ALL")
    kept = {
        name: value
        for name, value in environment.items()
        if not (name == "LC_ALL" or (overall and name.startswith("LC_")))
    }
    return {**kept, **({"LANG": overall} if overall else {}), "LC_MESSAGES": "C"}


def _passes(name: str, value: str, passed: Sequence[str]) -> bool:
    if name in passed:
        return True
    if _has_credential(name, value):
        return False
    if name.upper() in _PASSED:
        return True
    wanted = name.startswith(_PREFIXES) or any(
        one.endswith("*") and name.startswith(one[:-1]) for one in passed
    )
    return wanted and not may_be_credential(name, value)


_STAT: Final = Path("/proc/self/stat")
_START, _END = 47, 48
"""Where that memory begins and ends, among the fields behind the name of the program."""


def hide_secrets() -> None:
    """Write over the values of the variables that hold credentials; where the system does not say
    where, nothing."""
    try:
        fields = _STAT.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        start, end = int(fields[_START]), int(fields[_END])
    except (OSError, IndexError, ValueError):
        return  # no Linux, or one that does not tell
    at = start
    for entry in ctypes.string_at(start, max(0, end - start)).split(b"\0"):
        name, _, value = entry.partition(b"=")
        if may_be_credential(name.decode("utf-8", "replace"), value.decode("utf-8", "replace")):
            ctypes.memset(at + len(entry) - len(value), ord("*"), len(value))
        at += len(entry) + 1
