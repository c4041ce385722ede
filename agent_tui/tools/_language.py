"""The language of a file, guessed from its name, for highlighting."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_SUFFIXES: Final = {
    "py": "python", "pyi": "python", "pyw": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
    "jsx": "jsx", "ts": "typescript", "tsx": "tsx", "rs": "rust", "go": "go", "c": "c", "h": "c", "cc": "cpp",
    "cpp": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp", "cs": "csharp", "java": "java", "kt": "kotlin",
    "kts": "kotlin", "swift": "swift", "m": "objective-c", "rb": "ruby", "php": "php", "pl": "perl", "pm": "perl",
    "lua": "lua", "r": "r", "jl": "julia", "scala": "scala", "clj": "clojure", "ex": "elixir", "exs": "elixir",
    "erl": "erlang", "hs": "haskell", "ml": "ocaml", "dart": "dart", "zig": "zig", "nim": "nim", "sh": "bash",
    "bash": "bash", "zsh": "zsh", "fish": "fish", "ps1": "powershell", "bat": "batch", "sql": "sql", "html": "html",
    "htm": "html", "xml": "xml", "svg": "xml", "css": "css", "scss": "scss", "less": "less", "vue": "vue",
    "json": "json", "jsonl": "json", "yaml": "yaml", "yml": "yaml", "toml": "toml", "ini": "ini", "cfg": "ini",
    "md": "markdown", "markdown": "markdown", "rst": "rst", "tex": "tex", "diff": "diff", "patch": "diff",
    "tf": "terraform", "proto": "protobuf", "graphql": "graphql", "cmake": "cmake", "nix": "nix", "tcss": "css",
}  # fmt: skip
_NAMES: Final = {
    "dockerfile": "docker", "makefile": "make", "gnumakefile": "make", "cmakelists.txt": "cmake", "gemfile": "ruby",
    "rakefile": "ruby", ".bashrc": "bash", ".profile": "bash", ".zshrc": "zsh", "jenkinsfile": "groovy",
}  # fmt: skip


def language(path: Path) -> str:
    """The name of a language as highlighters know it; empty where the name says nothing."""
    name = path.name.lower()
    return _NAMES.get(name) or _SUFFIXES.get(name.rpartition(".")[2] if "." in name else "", "")
