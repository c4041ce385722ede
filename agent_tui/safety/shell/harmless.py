"""Which commands only look: a table of programs with the options that are known to be harmless.

What is not in the table asks: an unknown program, an unknown or abbreviated option, an operand too
many. How options are written, `harmless_options` says.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agent_tui.safety.shell.harmless_options import (
    ParsedWords,
    Spec,
    Unknown,
    is_value,
    parse_words,
    spec,
    take_value,
)
from agent_tui.safety.shell.harmless_scripts import (
    is_harmless_assignment,
    is_harmless_awk,
    is_harmless_jq,
    is_harmless_sed,
)
from agent_tui.safety.shell.words import word_set
from agent_tui.structures import late
from agent_tui.structures.frozen import frozen

_LONG_LISTING: Final = (
    ".aAbBcCdDfFgGhiklmnNopqQrRsStuUvxX1Z I= all almost-all author color? directory classify?"
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
    ".FiIsSvwxclonNpPuHhaUq0 e= f@ g= t= T= A= B= C= m= d= j= M= r= files files-with-matches"
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
    "stat": spec(".fLtx c= dereference file-system format= printf= terse"),
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
    "xxd": spec(".abeEipuC c= g= l= o= s=", most=1, rows=False),
    "strings": spec(".afow n= t= e= all bytes= radix= encoding= print-file-name"),
    "fold": spec(".bs w= # bytes spaces width="),
    "cut": spec(
        ".nsz b= c= d= f= bytes= characters= delimiter= fields= complement only-delimited"
        " output-delimiter= zero-terminated"
    ),
    "paste": spec(".sz d= delimiters= serial zero-terminated"),
    "column": spec(
        ".etxJLd s= o= c= N= R= H= O= table separator= output-separator= table-columns= json"
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
        ".HIuasigFp10 t= e= d= E= c= S= hidden no-ignore unrestricted case-sensitive ignore-case"
        " glob regex fixed-strings absolute-path full-path max-depth= min-depth= exact-depth= type="
        " extension= exclude= color= size= changed-within= changed-before= max-results= print0",
        "pattern",
    ),
    "tree": spec(
        ".adfigpqrstucDFACnNhQvUJX L+ P+ I+ H+ dirsfirst noreport prune gitignore du si charset="
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
    "lscpu": spec(".aJx e? p? json", "none", 0),
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

_ENDS_OF_TYPES: Final = word_set(
    """
    py:py* rust:rs js:js,jsx,vue,cjs,mjs ts:ts,tsx,cts,mts go:go c:c,h,cats,in cpp:c*,h*,inl,in
    h:h,hh,hpp cs:cs css:css,scss sass:sass,scss less:less html:htm*,ejs md:md,m* markdown:md,m*
    rst:rst kotlin:kt* scala:scala,sbt swift:swift php:php*,pht* lua:lua elixir:ex* erlang:erl,hrl
    haskell:hs* hs:hs,lhs ocaml:ml* zig:zig nix:nix dart:dart sql:sql,psql svg:svg protobuf:proto
    csv:csv julia:jl clojure:clj* svelte:svelte vue:vue
    """
)
_TYPES: Final = {
    name: tuple(f"*.{end}" for end in ends.split(","))
    for name, _, ends in (one.partition(":") for one in _ENDS_OF_TYPES)
}
"""What the types of rg name. It shows such files although they are hidden. A type that is not here
may name anything."""
_PLAIN_NAME: Final = late.pattern(r"[\w. -]+")
_PLAIN_GLOB: Final = late.pattern(r"[\w.*?-]+")
"""What every program and this one read alike; a class of characters is not."""
_SAY_THEIRS: Final = word_set("python python3 node git gcc clang cmake rg bash")
_VERSIONS: Final = frozenset(f"{name} --version" for name in _SAY_THEIRS) | {
    "python -V",
    "python3 -V",
    "go version",
    "git version",
    "node -v",
}
"""What programs say of themselves; others (`rustc` and `cargo` of rustup, too) read files of the
project that may name another program."""

_FIND_FLAGS: Final = word_set(
    """
    ( ) ! , -not -o -or -a -and -print -print0 -ls -prune -quit -empty -depth -mount -xdev -readable
    -writable -executable -nouser -nogroup -true -false -daystart -noleaf -P
    """
)
_FIND_TEXTS: Final = word_set(
    """
    -name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -atime
    -ctime -mmin -amin -cmin -perm -user -group -uid -gid -maxdepth -mindepth -links -inum
    -regextype -printf -lname -ilname -fstype -used -newerat -newerBt -newerct -newermt
    """
)
_FIND_PATHS: Final = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"}) | {
    f"-newer{one}{other}" for one in "aBcm" for other in "aBcm"
}

_FIND_MODE: Final = late.pattern(r"-[ugoa]*[-+=][rwxXst]*")
"""A value of `-perm`."""

_SED_ROW: Final = spec(".nErsuz e= quiet silent regexp-extended expression=")
_AWK_ROW: Final = spec("F= v= field-separator= assign=")
_JQ_ROW: Final = spec(
    ".rcjaSMCens raw-output compact-output sort-keys tab null-input exit-status slurp"
    " monochrome-output color-output join-output ascii-output raw-input"
)
_JQ_VALUES: Final = {"--arg": 2, "--argjson": 2, "--indent": 1}
"""How many of the next words are values."""
_STORES_A_COUNT: Final = late.pattern(r"%[^a-zA-Z%]*[hjlLtz]*n")
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
        raise Unknown(f"{name} may change something")
    return _files(PROGRAMS[name], words)


@frozen
class Walk:
    """A folder whose files a program reads, but for those that its options leave out. `hidden`:
    also those whose name begins with a dot; `ignored`: also those that .gitignore names. `globs`:
    of all files only those that fit one, even if they are hidden or ignored. `shown`: what fits one
    is read in any case, folders alone where it ends with a slash. `links`: it follows them."""

    folder: str
    left_out: tuple[str, ...] = ()
    hidden: bool = True
    ignored: bool = True
    globs: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    links: bool = False

    def enters(self, name: str, ignored: bool | None) -> bool:
        parts = (part for glob in self.globs for part in glob.split("/"))
        shown = (glob.removesuffix("/") for glob in self.shown)
        # a pattern is read by the program in its own way: only a plain name is sure to leave out
        return not (name in self.left_out and _PLAIN_NAME.fullmatch(name)) and (
            _fits(name, parts) or self._sees(name, ignored) or _fits(name, shown)
        )

    def reads(self, name: str, ignored: bool | None) -> bool:
        """`ignored` is what .gitignore says: None, if it says nothing."""
        if self.globs:
            return _fits(name, (glob.rpartition("/")[2] for glob in self.globs))
        shown = (glob for glob in self.shown if not glob.endswith("/"))
        return self._sees(name, ignored) or _fits(name, shown)

    def _sees(self, name: str, ignored: bool | None) -> bool:
        if ignored is None or self.ignored:
            return self.hidden or not name.startswith(".")
        return not ignored


def _fits(name: str, globs: Iterable[str]) -> bool:
    """Whether `name` may fit a pattern, in whichever case and locale: what is not plain fits."""
    folded = name.lower()
    return any(
        not (_PLAIN_GLOB.fullmatch(glob) and name.isascii())
        or fnmatch.fnmatchcase(folded, glob.lower())
        for glob in globs
    )


def walks(argv: Sequence[str]) -> Iterator[Walk]:
    """The folders whose files a command reads that `judge` has let pass."""
    if argv[0] in _WALKS:
        row = PROGRAMS[argv[0]]
        found = parse_words(row, argv[1:])
        how = _WALKS[argv[0]](found)
        if how is None:
            return
        for folder in _operands(row, found) or (".",):
            yield replace(how, folder=folder)


def _walk_of_grep(found: ParsedWords) -> Walk | None:
    names = {name for name, _ in found.options}
    told = any(value.startswith("rec") for value in found.values("d", "directories"))
    if not (told or names & {"r", "recursive"}):
        return None
    # what fits neither is read where the first of both is one that leaves out
    only = () if "exclude" in names else found.values("include")
    return Walk("", tuple(found.values("exclude-dir")), globs=tuple(only))


def _walk_of_rg(found: ParsedWords) -> Walk | None:
    names = {name for name, _ in found.options}
    if names & {"files", "type-list"}:
        return None  # it says names
    all_of_it = bool(names & {"u", "unrestricted"}) or any(n.startswith("no-ignore") for n in names)
    globs = [one for one in found.values("g", "glob", "iglob") if not one.startswith("!")]
    # a file of a type that is asked for is read although it is hidden
    shown = [one.partition(":")[2] for one in found.values("type-add")]
    for name in found.values("t", "type"):
        shown += _TYPES.get(name, ("*",))
    hidden = all_of_it or bool(names & {"hidden", "."})
    return Walk("", (), hidden, all_of_it, tuple(globs), tuple(shown))


def _walk_of_diff(found: ParsedWords) -> Walk:
    return Walk("", links="no-dereference" not in {name for name, _ in found.options})


def _files(row: Spec, words: Sequence[str]) -> Iterator[str]:
    """The files among `words`."""
    found = parse_words(row, words)
    if len(found.operands) > row.most:
        raise Unknown("it has more words than it may have here")
    return iter((*found.files, *_operands(row, found)))


def read_operands(name: str, words: Sequence[str]) -> tuple[str, ...]:
    """The operands of the program `name` that are files. Raises Unknown."""
    if name not in PROGRAMS:
        raise Unknown(f"{name} may change something")
    return _operands(PROGRAMS[name], parse_words(PROGRAMS[name], words))


def _operands(row: Spec, found: ParsedWords) -> tuple[str, ...]:
    """The operands that are files."""
    if row.operands == "pattern" and not found.values("e", "f", "regexp", "file", "files"):
        return found.operands[1:]
    return found.operands if row.operands in ("paths", "pattern") else ()


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
            if not (is_value(words[at + 1]) or _FIND_MODE.fullmatch(words[at + 1])):
                raise Unknown(f"the value of its test {word} looks like an option")
            files += words[at + 1 : at + 2] if word in _FIND_PATHS else []
            at += 1
        elif word not in _FIND_FLAGS:
            raise Unknown(f"find with {word} may change something")
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
    rest, read = list(words), list[str]()
    while rest:
        word = rest.pop(0)
        if word == "--":
            read += [word, *rest]
            break
        if word not in _JQ_VALUES:
            read.append(word)
        for _ in range(_JQ_VALUES.get(word, 0)):
            take_value(rest, word)
    found = parse_words(_JQ_ROW, read)
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
_WALKS: Final[Mapping[str, Callable[[ParsedWords], Walk | None]]] = {
    **dict.fromkeys(("grep", "egrep", "fgrep"), _walk_of_grep),
    "rg": _walk_of_rg,
    "diff": _walk_of_diff,
}
"""How the programs go through folders that open what they find there; None: they do not."""
NAMES: Final = frozenset((*PROGRAMS, *_SPECIAL))
"""Of all programs that may only look."""
INERT: Final = word_set(
    """
    : arch b2sum basename cat cd cksum cmp column comm cut dir dirname du echo egrep false fgrep fold
    grep head jq ls md5sum nl nproc od paste pwd readlink realpath rev seq sha1sum sha224sum sha256sum
    sha384sum sha512sum sleep stat tac tail tr true type uname wc which whoami
    """
)
"""The strictest kind: they write nothing and start nothing, whatever options and words they get. So
they run beside what the person allows, which is in no sandbox, even if their row were wrong."""
