"""A shell command as simple commands with literal words, or the reason why it is not that simple.

Only what is on the list of this file passes: bash's own grammar (tree-sitter-bash) finds the
commands, and every word is read again from its bytes. What neither knows, what is expanded when it
runs (`$x`, `$(…)`, `{a,b}`, `~`), and what a person would not see, is a reason to ask.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from agent_tui.safety.shell import words as shell_words
from agent_tui.safety.shell.words import simple_commands
from agent_tui.structures.frozen import frozen

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LONGEST: Final = 10_000
"""Characters of a command beyond which it is not read at all."""
_DEEPEST: Final = 50
_MOST_COMMANDS: Final = 100
_MOST_WORDS: Final = 1_000
"""Of one command."""
_BLANKS: Final = b" \t\n"
_UNSEEN: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Co", "Cs", "Cn"})
_SHOWN_VARIABLES: Final = frozenset({"HOME", "PWD", "USER", "SHELL", "PATH", "LANG", "TERM", "?"})
"""Those that `echo` may show: they hold nothing that is secret."""
_SETTABLE: Final = frozenset({"LC_ALL", "LANG", "TZ", "NO_COLOR"})
"""Those that may stand before a command: they change how it shows things, and nothing else."""
_SETTING: Final = re.compile(r"(?:[\w+,-][\w+,.@-]*(?:/[\w+-]+)*)?", re.ASCII)
"""A value that names no file: a locale, a zone, a number."""
_SHOWN_IN_TEXT: Final = re.compile(rf"(?<!\\)\$(?:{'|'.join(sorted(_SHOWN_VARIABLES - {'?'}))})\b")
_SET: Final = re.compile(r"[A-Z_]+=")
_JOINS: Final = frozenset({"&&", "||", "|", "|&", ";", "\n", "!", "(", ")"})
_FILE_TESTS: Final = frozenset({"-f", "-d", "-e", "-s", "-L"})
_ENDS_A_DOLLAR: Final = frozenset({"", " ", "|", ")"})
"""Behind one of these a dollar in double quotes is itself."""


class Unclear(Exception):
    """The command is more than what this file reads. The text is one line for the person."""


@frozen
class Word:
    """A word without its quotes. `pattern`: it holds `*` or `?` that the shell replaces by
    names."""

    text: str
    pattern: bool = False


@frozen
class Command:
    """One simple command: the program and its words, and the files that it reads by `<`. `moves`:
    a `cd` here holds for all that comes behind it, whatever happens."""

    words: tuple[Word, ...]
    reads: tuple[Word, ...] = ()
    moves: bool = False

    @property
    def name(self) -> str:
        return self.words[0].text


def parse(text: str) -> tuple[Command, ...]:
    """The simple commands of `text`, in order. Raises Unclear."""
    _check_characters(text)
    data = text.encode()
    root = _parser().parse(data).root_node
    if root.has_error:
        raise Unclear("it is not a command that can be read with certainty")
    commands = tuple(_Reader(data).statements(root, 0, first=True))
    if not commands:
        raise Unclear("it holds no command")
    if [_plain(command.words) for command in commands] != _read_again(text):
        raise Unclear("it can be read in two ways")
    return commands


def _read_again(text: str) -> list[list[str]]:
    """The words of the same commands as the reader sees them that looks for harm: a second opinion
    on where each word ends."""
    found = list[list[str]]()
    try:
        commands = simple_commands(text, lambda _: "")
    except shell_words.TooMany as many:
        raise Unclear(str(many)) from None
    for simple in commands:
        words = list(simple.words)
        while words and (words[0].text == "!" or _SET.match(words[0].text)):
            words.pop(0)
        if words:
            found.append(_plain(words))
    return found


def _plain(words: Sequence[Word | shell_words.Word]) -> list[str]:
    """The words of a command. Of a test only that it is one, because its brackets are words to one
    reader alone; and of `echo`, whose words are only shown, with variables to one reader alone."""
    name = words[0].text
    if name in ("[", "[[", "test", "echo"):
        return ["echo" if name == "echo" else "test"]
    return [word.text for word in words]


def _check_characters(text: str) -> None:
    if len(text) > LONGEST:
        raise Unclear(f"it is too long to be judged ({len(text):,} characters)")
    if "\\\n" in text:
        raise Unclear("a line of it goes on in the next one")
    for character in set(text):
        kind = unicodedata.category(character)
        odd = kind in _UNSEEN or (kind == "Zs" and character != " ") or _varies(character)
        if odd and character not in "\n\t":
            raise Unclear(f"it holds a character that cannot be seen (U+{ord(character):04X})")


def _varies(character: str) -> bool:
    """Whether this only changes the look of the character before it, or fills a place unseen."""
    code = ord(character)
    fillers = (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2800)
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or code in fillers


@cache
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


class _Reader:
    """Walks the tree over `data`. What has no place here raises."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._commands = 0

    def statements(self, node: Node, depth: int, first: bool) -> Iterator[Command]:
        """The commands of what `node` joins. `first`: nothing stands before it that could end or
        skip it."""
        if depth > _DEEPEST:
            raise Unclear("it is nested too deeply to be judged")
        if node.child_count > 4 * _MOST_COMMANDS:
            raise Unclear("it is made of too many parts to be judged")
        self._check_gaps(node)
        plain = node.type in ("program", "list")
        for child in node.children:
            if not child.is_named or child.type == "\n":
                if child.type not in _JOINS:
                    raise Unclear(f"it holds `{child.type}`")
                first = first and child.type in ("&&", ";", "\n")
            elif child.type != "comment":
                commands = tuple(self._statement(child, depth + 1, first and plain))
                yield from commands
                first = first and all(command.moves for command in commands)

    def _statement(self, node: Node, depth: int, first: bool) -> Iterator[Command]:
        match node.type:
            case "command":
                yield self._command(node, first)
            case "program" | "list" | "pipeline" | "negated_command" | "subshell":
                yield from self.statements(node, depth, first)
            case "redirected_statement":
                yield from self._redirected(node, depth)
            case "test_command":
                yield self._test(node)
            case kind:
                raise Unclear(f"it has a {kind.replace('_', ' ')}, so it is not checked")

    def _redirected(self, node: Node, depth: int) -> Iterator[Command]:
        self._check_gaps(node)
        body, *redirects = node.children
        for one in redirects:
            self._check_apart(one, node.start_byte)
        commands = list(self._statement(body, depth + 1, first=False))
        reads = tuple(word for one in redirects if (word := self._redirect(one)) is not None)
        last = commands[-1]
        yield from commands[:-1]
        yield Command(last.words, (*last.reads, *reads))

    def _command(self, node: Node, first: bool) -> Command:
        self._commands += 1
        if self._commands > _MOST_COMMANDS or node.child_count > _MOST_WORDS:
            raise Unclear("it is made of too many parts to be judged")
        self._check_gaps(node)
        words, reads = list[Word](), list[Word]()
        for child in node.children:
            self._check_apart(child, node.start_byte)
            match child.type:
                case "variable_assignment":
                    self._assignment(child, bool(words))
                case "file_redirect" | "herestring_redirect":
                    if (read := self._redirect(child)) is not None:
                        reads.append(read)
                case "simple_expansion" if words and words[0].text == "echo":
                    words.append(self._variable(child))
                case "string" if words and words[0].text == "echo":
                    words.append(literal(_SHOWN_IN_TEXT.sub("", self._text(child))))
                case "command_name" | "word" | "number" | "string" | "raw_string" | "concatenation":
                    words.append(literal(self._text(child)))
                case kind:
                    raise Unclear(f"a part of it is not literal ({kind.replace('_', ' ')})")
        if not words or words[0].pattern or not words[0].text:
            raise Unclear("the program is not named")
        return Command(tuple(words), tuple(reads), first and words[0].text == "cd")

    def _assignment(self, node: Node, late: bool) -> None:
        name, _, value = self._text(node).partition("=")
        if late or name not in _SETTABLE or not _SETTING.fullmatch(literal(value or "''").text):
            raise Unclear(f"it sets the variable {name}")

    def _variable(self, node: Node) -> Word:
        name = self._text(node).removeprefix("$")
        if name not in _SHOWN_VARIABLES:
            raise Unclear(f"it shows the variable {name}")
        return Word(f"${name}")

    def _redirect(self, node: Node) -> Word | None:
        """The file that is read; None where nothing is. Writing is only into nothing, or to another
        output."""
        self._check_gaps(node)
        parts = [child for child in node.children if child.type != "file_descriptor"]
        if len(parts) != 2:
            raise Unclear("a redirection of it cannot be read")
        operator, target = parts[0].type, literal(self._text(parts[1]))
        if operator == "<<<":
            return None
        if operator == "<" and not target.pattern:
            return target
        if operator in (">&", "<&") and target.text.isdecimal():
            return None
        if operator in (">", ">>", "&>", "&>>") and target.text == "/dev/null":
            return None
        raise Unclear(f"it writes to {target.text}" if ">" in operator else f"it holds {operator}")

    def _test(self, node: Node) -> Command:
        """`[ -f name ]`, as the command `test`."""
        self._check_gaps(node)
        inner = [child for child in node.children if child.is_named]
        parts = inner[0].children if len(inner) == 1 and inner[0].type == "unary_expression" else []
        if len(parts) == 2 and self._text(parts[0]) == "!":
            self._check_gaps(inner[0])
            inner = parts[1:]
            parts = inner[0].children if inner[0].type == "unary_expression" else []
        if len(parts) != 2 or self._text(parts[0]) not in _FILE_TESTS:
            raise Unclear("it tests more than whether a file is there")
        self._check_gaps(inner[0])
        return Command((Word("test"), literal(self._text(parts[0])), literal(self._text(parts[1]))))

    def _text(self, node: Node) -> str:
        return self._data[node.start_byte : node.end_byte].decode()

    def _check_apart(self, part: Node, start: int) -> None:
        """A blank stands before each word and each redirection of a command: what follows a word
        without one may be more of that word."""
        at, before = part.start_byte, part.start_byte - 1
        is_operator = self._data[at : at + 1] in (b"<", b">", b"&")
        if (
            at > start
            and self._data[before:at] not in (b" ", b"\t")
            and not (is_operator and self._data[before:at].isalpha())
        ):
            raise Unclear("it cannot be seen where a word of it ends")

    def _check_gaps(self, node: Node) -> None:
        """Whatever is in no part of the tree could be something to the shell."""
        at = node.start_byte if node.parent is not None else 0
        end = node.end_byte if node.parent is not None else len(self._data)
        for child in node.children:
            if self._data[at : child.start_byte].strip(_BLANKS):
                raise Unclear("a part of it cannot be read")
            at = max(at, child.end_byte)
        if self._data[at:end].strip(_BLANKS):
            raise Unclear("a part of it cannot be read")


def literal(raw: str) -> Word:
    """The one word that the shell makes of `raw`. Raises Unclear where it would expand it."""
    parts, pattern, quoted, at = list[str](), False, "", 0
    if raw.startswith(("~", "#")):
        raise Unclear("a folder is named by ~" if raw[0] == "~" else "a part of it cannot be read")
    while at < len(raw):
        character = raw[at]
        if character == "'":
            end = raw.find("'", at + 1)
            quoted += raw[at + 1 : end]
            parts.append(raw[at + 1 : end])
            at = end + 1 if end >= 0 else len(raw) + 1
        elif character == '"':
            inner, at = _double_quoted(raw, at + 1)
            quoted += inner
            parts.append(inner)
        elif character == "\\":
            quoted += raw[at + 1 : at + 2]
            parts.append(raw[at + 1 : at + 2])
            at += 2
        elif character in "$`<>|&;() \t\n":
            raise Unclear("a part of it is only known when it runs")
        elif character == "[" or (character == "{" and _may_be_list(raw[at + 1 :])):
            raise Unclear(f"it holds a pattern with {character}")
        elif character == "~" and parts[-1:] in (["="], [":"]):
            raise Unclear("a folder is named by ~")
        else:
            pattern = pattern or character in "*?"
            parts.append(character)
            at += 1
    if at > len(raw):
        raise Unclear("a quote in it does not end")
    if pattern and any(mark in quoted for mark in "*?[\\"):
        raise Unclear("a pattern in it holds a mark that is quoted")
    return Word("".join(parts), pattern)


def _may_be_list(behind: str) -> bool:
    """Whether a brace with this behind it may begin a list: bash finds the end of one in many ways,
    so what holds no comma and no dots up to the last brace is none."""
    inner, closing, _ = behind.rpartition("}")
    return bool(closing) and ("," in inner or ".." in inner)


def _double_quoted(raw: str, at: int) -> tuple[str, int]:
    """What stands from `at` to the closing quote, and where it goes on behind that."""
    parts = list[str]()
    while at < len(raw) and raw[at] != '"':
        character, following = raw[at], raw[at + 1 : at + 2]
        if character == "`" or (character == "$" and (following.strip('"') not in _ENDS_A_DOLLAR)):
            raise Unclear("a part of it is only known when it runs")
        if character == "\\" and following and following in '$`"\\':
            parts.append(following)
            at += 2
        else:
            parts.append(character)
            at += 1
    return "".join(parts), at + 1
