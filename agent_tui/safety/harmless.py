"""Which commands only look: a table of programs with the options that are known to be harmless.

What is not in the table asks: an unknown program, an unknown or abbreviated option, an operand too
many. Options are written as `a` and `all` (flags), `n=` and `lines=` (with a value), `color?` (a
value behind `=`, if any), `f@` and `file@` (a file that is read), `#` (a number, as in `head -5`).
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from agent_tui.safety.harmless_scripts import (
    is_harmless_assignment,
    is_harmless_awk,
    is_harmless_jq,
    is_harmless_sed,
)
from agent_tui.structures.frozen import frozen

Operands = Literal["paths", "pattern", "text", "none"]


class Unknown(Exception):
    """Nothing says that this only looks. The text is one line for the person."""


@frozen
class Spec:
    """What is known of a program. `operands`: all of them files (`paths`), the first one a pattern
    and the rest files, words that name no file, or none; `most` of them."""

    options: frozenset[str]
    operands: Operands = "paths"
    most: int = 1000

    def kind(self, name: str) -> str:
        """How `name` takes a value (one of `=`, `?`, `@`), or empty for a flag. Raises Unknown."""
        for kind in ("", "=", "?", "@"):
            if name + kind in self.options:
                return kind
        raise Unknown(
            f"its option {'--' if len(name) > 1 else '-'}{name} is not known to only look"
        )


def spec(options: str = "", operands: Operands = "paths", most: int = 1000) -> Spec:
    """A row: `options` with blanks between them; a word of dots and letters is a row of flags."""
    names = set[str]()
    for one in options.split():
        names.update(one[1:] if one.startswith(".") else (one,))
    return Spec(frozenset(names), operands, most)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LONG_LISTING: Final = (
    ".aAbBcCdDfFgGhiklmnNopqQrRsStuUvxX1Z I= w= T= all almost-all author color? directory classify?"
    " format= full-time group-directories-first human-readable si ignore= hide= inode literal"
    " no-group"
    " numeric-uid-gid quote-name reverse recursive size sort= time= time-style= width="
    " indicator-style="
)
_GREP: Final = (
    ".EFGPivwxcloLqsbHhnTuUarIyZ e= f@ A= B= C= m= d= # regexp= file@ ignore-case invert-match"
    " count"
    " word-regexp line-regexp color? colour? files-with-matches files-without-match max-count="
    " quiet"
    " silent no-messages only-matching byte-offset with-filename no-filename line-number"
    " initial-tab null after-context= before-context= context= text recursive include= exclude="
    " exclude-dir= extended-regexp fixed-strings basic-regexp perl-regexp binary-files="
    " directories="
)
_RG: Final = (
    ".FiIsSvwxclonNpPuHhaUq0 e= f@ g= t= T= A= B= C= m= d= j= M= r= # files files-with-matches"
    " files-without-match count count-matches glob= iglob= type= type-not= after-context="
    " before-context= context= max-count= max-depth= max-columns= ignore-case smart-case"
    " case-sensitive fixed-strings word-regexp line-regexp invert-match line-number no-line-number"
    " column heading no-heading hidden no-ignore no-ignore-vcs color= colors= sort= sortr="
    " json stats"
    " only-matching pcre2 multiline multiline-dotall passthru pretty quiet replace= text trim"
    " vimgrep"
    " with-filename no-filename type-list unrestricted null no-config no-messages debug"
    " max-filesize= threads= encoding= regexp= file@ crlf type-add= type-clear= null-data"
    " max-columns-preview passthrough no-ignore-parent no-ignore-dot one-file-system binary"
    " line-buffered context-separator= glob-case-insensitive sort-files no-unicode no-pcre2"
)
_SUM: Final = ".btwz binary text quiet status strict warn ignore-missing tag zero a= algorithm="
"""Without `-c`: the list that it checks names files that nobody has judged."""

PROGRAMS: Final[dict[str, Spec]] = {
    "ls": spec(_LONG_LISTING),
    "dir": spec(_LONG_LISTING),
    "cat": spec(
        ".AbeEnstTuv show-all number-nonblank show-ends number squeeze-blank show-tabs"
        " show-nonprinting"
    ),
    "head": spec(".qvz # n= c= lines= bytes= quiet silent verbose zero-terminated"),
    "tail": spec(".qvz # n= c= lines= bytes= quiet silent verbose zero-terminated"),
    "wc": spec(".clmwL bytes chars lines words max-line-length total="),
    "nl": spec(".p b= d= f= h= i= l= n= s= v= w= body-numbering= number-format= number-width="),
    "tac": spec(".br s= before regex separator="),
    "rev": spec(),
    "file": spec(".bhikNr0E brief mime mime-type mime-encoding keep-going no-pad"),
    "stat": spec(".fLtx c= f= dereference file-system format= printf= terse"),
    "du": spec(
        ".0abchklmsSx d= t= all apparent-size block-size= bytes total human-readable max-depth="
        " summarize separate-dirs si threshold= exclude= one-file-system time? time-style= inodes"
    ),
    "df": spec(
        ".ahHiklPT B= t= x= all block-size= human-readable si inodes local output? portability"
        " total"
        " type= exclude-type= print-type"
    ),
    "realpath": spec(
        ".eEmLPqsz canonicalize-existing canonicalize-missing logical physical quiet strip"
        " no-symlinks"
        " zero relative-to@ relative-base@"
    ),
    "readlink": spec(
        ".femnqsvz canonicalize canonicalize-existing canonicalize-missing no-newline quiet"
    ),
    "basename": spec(".az s= multiple suffix= zero", "text"),
    "dirname": spec(".z zero", "text"),
    "md5sum": spec(_SUM),
    "sha1sum": spec(_SUM),
    "sha224sum": spec(_SUM),
    "sha256sum": spec(_SUM),
    "sha384sum": spec(_SUM),
    "sha512sum": spec(_SUM),
    "b2sum": spec(_SUM),
    "shasum": spec(_SUM),
    "cksum": spec(_SUM),
    "od": spec(".abcdfhiloOsxv A= j= N= t= w? S= address-radix= skip-bytes= read-bytes= format="),
    "hexdump": spec(".bcCdovx n= s= e= length= skip= canonical no-squeezing"),
    "xxd": spec(".abeEipuC c= g= l= o= s= cols= len= seek=", most=1),
    "strings": spec(".afow n= t= e= all bytes= radix= encoding= print-file-name"),
    "fold": spec(".bs w= # bytes spaces width="),
    "cut": spec(
        ".nsz b= c= d= f= bytes= characters= delimiter= fields= complement only-delimited"
        " output-delimiter= zero-terminated"
    ),
    "paste": spec(".sz d= delimiters= serial zero-terminated"),
    "column": spec(
        ".etxnJLd s= o= c= N= R= H= O= table separator= output-separator= table-columns= json"
    ),
    "comm": spec(".123z check-order nocheck-order output-delimiter= total zero-terminated", most=2),
    "cmp": spec(".bls i= n= print-bytes verbose quiet silent bytes= ignore-initial="),
    "diff": spec(
        ".abBcdeEiNnpqrstTuwyZ U= C= W= x= I= F= L= # brief unified? context? side-by-side width="
        " recursive new-file report-identical-files ignore-case ignore-all-space"
        " ignore-space-change"
        " ignore-blank-lines minimal color? label= exclude= strip-trailing-cr text"
        " suppress-common-lines"
        " left-column no-dereference show-c-function speed-large-files tabsize= normal ed rcs",
        most=2,
    ),
    "uniq": spec(
        ".cdDiuz f= s= w= count repeated ignore-case skip-fields= skip-chars= unique"
        " check-chars= zero-terminated all-repeated?",
        most=1,
    ),
    "tr": spec(".cCdst complement delete squeeze-repeats truncate-set1", "text", 2),
    "sort": spec(
        ".bcCdfghiMmnRrsuVz k= t= S= key= field-separator= numeric-sort human-numeric-sort reverse"
        " unique check? stable merge ignore-case dictionary-order general-numeric-sort month-sort"
        " version-sort random-sort sort= zero-terminated parallel= buffer-size="
        " ignore-leading-blanks"
    ),
    "grep": spec(_GREP, "pattern"),
    "egrep": spec(_GREP, "pattern"),
    "fgrep": spec(_GREP, "pattern"),
    "rg": spec(_RG, "pattern"),
    "fd": spec(
        ".HIuasigFp10 t= e= d= E= c= S= # hidden no-ignore unrestricted case-sensitive ignore-case"
        " glob regex fixed-strings absolute-path full-path max-depth= min-depth= exact-depth= type="
        " extension= exclude= color= size= changed-within= changed-before= max-results= print0",
        "pattern",
    ),
    "tree": spec(
        ".adfigpqrstucDFACnNhQvUJX L= P= I= H= dirsfirst noreport prune gitignore du si charset="
        " filelimit= filesfirst sort= ignore-case matchdirs"
    ),
    "true": spec("", "text"),
    "false": spec("", "text"),
    ":": spec("", "text"),
    "pwd": spec(".LP", "none", 0),
    "cd": spec(".LP", "paths", 1),
    "whoami": spec("", "none", 0),
    "id": spec(".agGnruz user group groups name real zero", "text"),
    "groups": spec("", "text"),
    "uname": spec(
        ".asnrvmpio all kernel-name nodename kernel-release kernel-version machine"
        " operating-system",
        "none",
        0,
    ),
    "arch": spec("", "none", 0),
    "hostname": spec(".fsidIA short fqdn", "none", 0),
    "nproc": spec("all ignore=", "none", 0),
    "uptime": spec(".ps pretty since", "none", 0),
    "free": spec(".bkmghtwl human total wide giga mega kilo si", "none", 0),
    "lscpu": spec(".aeJpx json", "none", 0),
    "tty": spec(".s", "none", 0),
    "seq": spec(".w s= f= separator= format= equal-width", "text", 3),
    "expr": spec("", "text"),
    "sleep": spec("", "text", 1),
    "which": spec(".as all", "text"),
    "type": spec(".aftpP", "text"),
    "date": spec(
        ".uR d= r@ I? reference@ date= utc universal iso-8601? rfc-3339= rfc-email", "text", 1
    ),
    "cal": spec(".13jmswy", "text"),
}

_GO_DEEP: Final = {
    **dict.fromkeys(("grep", "egrep", "fgrep"), _words("r recursive")),
    "rg": _words("hidden . u unrestricted no-ignore no-ignore-vcs"),
    "diff": _words("r recursive"),
}
"""With one of these options a program reads all files of a folder."""
_SAY_THEIRS: Final = _words("python python3 node git gcc clang cmake rg bash")
_VERSIONS: Final = frozenset(f"{name} --version" for name in _SAY_THEIRS) | {
    "python -V",
    "python3 -V",
    "go version",
    "git version",
    "node -v",
}
"""What programs say of themselves; others (`rustc` and `cargo` of rustup, too) read files of the
project that may name another program."""

_FIND_FLAGS: Final = _words(
    """
    ( ) ! , -not -o -or -a -and -print -print0 -ls -prune -quit -empty -depth -mount -xdev -readable
    -writable -executable -nouser -nogroup -true -false -daystart -noleaf -P
    """
)
_FIND_TEXTS: Final = _words(
    """
    -name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -atime
    -ctime -mmin -amin -cmin -perm -user -group -uid -gid -maxdepth -mindepth -links -inum
    -regextype -printf -lname -ilname -fstype -used -newerat -newerBt -newerct -newermt
    """
)
_FIND_PATHS: Final = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"}) | {
    f"-newer{one}{other}" for one in "aBcm" for other in "aBcm"
}

_SED_ROW: Final = spec(".nErsuz e= quiet silent regexp-extended expression=")
_AWK_ROW: Final = spec("F= v= field-separator= assign=")
_JQ_ROW: Final = spec(
    ".rcjaSMCens raw-output compact-output sort-keys tab null-input exit-status slurp indent="
    " monochrome-output color-output join-output ascii-output raw-input"
)
_STORES_A_COUNT: Final = re.compile(r"%[^a-zA-Z%]*[hjlLtz]*n")
"""In a format of `printf`: bash puts the number of characters into a variable, whose index runs."""


def judge(argv: Sequence[str]) -> Iterator[str]:
    """The files that the simple command `argv` reads, as they are written. Raises Unknown where
    nothing says that it only looks."""
    name, *words = argv
    if f"{name} {' '.join(words)}" in _VERSIONS and len(words) == 1:
        return iter(())
    if name == "command" and words[:1] in (["-v"], ["-V"]):
        return iter(())
    if name in _SPECIAL:
        return _SPECIAL[name](words)
    if name not in PROGRAMS:
        raise Unknown(f"{name} is not known to only look")
    return _files(PROGRAMS[name], words)


def followed(argv: Sequence[str]) -> tuple[str, ...]:
    """Of a command that only looks, the folders in which it follows links."""
    if argv[0] != "diff":
        return ()
    found = parse_words(PROGRAMS["diff"], argv[1:])
    names = {name for name, _ in found.options}
    return found.operands if names & {"r", "recursive"} and "no-dereference" not in names else ()


@frozen
class ParsedWords:
    """A program's words, told apart: its options with their values, its operands, and the files
    that are values of options."""

    options: tuple[tuple[str, str], ...]
    operands: tuple[str, ...]
    files: tuple[str, ...]

    def values(self, *names: str) -> list[str]:
        return [value for name, value in self.options if name in names]


@frozen
class Walk:
    """A folder all of whose files a program reads, but for those that its options leave out."""

    folder: str
    left_out: tuple[str, ...] = ()
    included: tuple[str, ...] = ()

    def enters(self, name: str) -> bool:
        return name not in self.left_out

    def reads(self, name: str) -> bool:
        return not self.included or any(fnmatch.fnmatchcase(name, one) for one in self.included)


def walks(argv: Sequence[str], files: Sequence[str]) -> Iterator[Walk]:
    """The folders that a command goes through, of which `judge` gave `files`. `rg` leaves out what is
    hidden and ignored, unless it is told otherwise."""
    deep = _GO_DEEP.get(argv[0])
    if deep is None:
        return
    found = parse_words(PROGRAMS[argv[0]], argv[1:])
    if any(name in deep or value == "recurse" for name, value in found.options):
        out, only = found.values("exclude-dir"), found.values("include")
        for folder in files or (".",):
            yield Walk(folder, tuple(out), tuple(only))


def _files(row: Spec, words: Sequence[str]) -> Iterator[str]:
    """The files among `words`."""
    found = parse_words(row, words)
    operands = found.operands
    if len(operands) > row.most:
        raise Unknown("it has more words than it may have here")
    if row.operands == "pattern" and not found.values("e", "f", "regexp", "file", "files"):
        operands = operands[1:]
    named = operands if row.operands in ("paths", "pattern") else ()
    return iter((*found.files, *named))


def parse_words(row: Spec, words: Sequence[str]) -> ParsedWords:
    """`words` by the row of their program. Raises Unknown for what is not in it."""
    options, operands, files = list[tuple[str, str]](), list[str](), list[str]()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if word.startswith("--"):
            taken = _long(row, word[2:], rest)
        elif word == "-" or not word.startswith("-"):
            operands.append(word)
            continue
        elif "#" in row.options and word[1:].isascii() and word[1:].isdigit():
            continue
        else:
            taken = _cluster(row, word[1:], rest)
        had = len(rest)
        for name, value, is_file in taken:
            options.append((name, value))
            # behind an operand some programs take an option for a file, and its value for one more
            files += [value] if is_file or (operands and len(rest) < had) else []
    return ParsedWords(tuple(options), tuple(operands), tuple(files))


def _long(row: Spec, word: str, rest: list[str]) -> Iterator[tuple[str, str, bool]]:
    name, equals, value = word.partition("=")
    kind = row.kind(name) if len(name) > 1 else row.kind("--")
    if not kind and equals:
        raise Unknown(f"its option --{name} takes no value")
    if kind in ("=", "@") and not equals:
        value = _taken(rest, name)
    yield name, value, kind == "@"


def _cluster(row: Spec, letters: str, rest: list[str]) -> Iterator[tuple[str, str, bool]]:
    """Short options in one word, the last of them perhaps with its value."""
    for at, letter in enumerate(letters, 1):
        kind = row.kind(letter)
        if kind:
            value = letters[at:] if kind == "?" else letters[at:] or _taken(rest, letter)
            yield letter, value, kind == "@"
            return
        yield letter, "", False


def _taken(rest: list[str], name: str) -> str:
    if not rest:
        raise Unknown(f"its option {name} has no value")
    return rest.pop(0)


def _find(words: Sequence[str]) -> Iterator[str]:
    files, at = list[str](), 0
    while at < len(words) and words[at][:1] not in ("-", "(", ")", "!", ","):
        files.append(words[at])
        at += 1
    while at < len(words):
        word = words[at]
        if word in _FIND_TEXTS or word in _FIND_PATHS:
            if at + 1 == len(words):
                raise Unknown(f"its test {word} has no value")
            files += words[at + 1 : at + 2] if word in _FIND_PATHS else []
            at += 1
        elif word not in _FIND_FLAGS:
            raise Unknown(f"find with {word} is not known to only look")
        at += 1
    return iter(files)


def _sed(words: Sequence[str]) -> Iterator[str]:
    found = parse_words(_SED_ROW, words)
    scripts, operands = found.values("e", "expression"), found.operands
    if not scripts:
        scripts, operands = list(operands[:1]), operands[1:]
    if not scripts or not all(map(is_harmless_sed, scripts)):
        raise Unknown("a script of sed may write or run")
    return iter((*found.files, *operands))


def _awk(words: Sequence[str]) -> Iterator[str]:
    found = parse_words(_AWK_ROW, words)
    program, *files = found.operands or ("",)
    if not is_harmless_awk(program):
        raise Unknown("a program of awk may write or run")
    if not all(map(is_harmless_assignment, found.values("v", "assign"))):
        raise Unknown("an option of awk sets a variable that may name a file")
    if any("=" in one for one in files):
        raise Unknown("a word of awk sets a variable")
    return iter((*found.files, *files))


def _jq(words: Sequence[str]) -> Iterator[str]:
    rest = list(words)
    for name in ("--arg", "--argjson"):
        while name in rest and "--" not in rest:
            at = rest.index(name)
            if at + 2 >= len(rest):
                raise Unknown(f"its option {name} has no value")
            del rest[at : at + 3]
    found = parse_words(_JQ_ROW, rest)
    program, *files = found.operands or ("",)
    if not is_harmless_jq(program):
        raise Unknown("a program of jq reads more than its files")
    return iter((*found.files, *files))


def _strings(words: Sequence[str]) -> Iterator[str]:
    if any(word.startswith("@") for word in words):
        raise Unknown("a word of strings names a file with more words")
    return _files(PROGRAMS["strings"], words)


def _printf(words: Sequence[str]) -> Iterator[str]:
    if words[:1] in ([], ["-v"]) or words[0].startswith("-") or _STORES_A_COUNT.search(words[0]):
        raise Unknown("printf may set a variable here")
    return iter(())


def _date(words: Sequence[str]) -> Iterator[str]:
    found = parse_words(PROGRAMS["date"], words)
    if any(not one.startswith("+") for one in found.operands):
        raise Unknown("date may set the clock")
    return iter(found.files)


def _test(words: Sequence[str]) -> Iterator[str]:
    words = words[:-1] if words[-1:] == ["]"] else words
    words = words[1:] if words[:1] == ["!"] else words
    if len(words) != 2 or words[0] not in ("-f", "-d", "-e", "-s", "-L", "-r", "-w", "-x"):
        raise Unknown("it tests more than whether a file is there")
    return iter(words[1:])


_SPECIAL: Final = {
    "echo": lambda _: iter(()),
    "find": _find,
    "strings": _strings,
    "sed": _sed,
    "awk": _awk,
    "jq": _jq,
    "printf": _printf,
    "date": _date,
    "test": _test,
    "[": _test,
}
