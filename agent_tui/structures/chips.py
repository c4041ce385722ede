"""Chips: what stands in the prompt for something long or invisible (`[Pasted text #1 · 120
lines]`), and its text.

A label is ordinary text of the prompt, written with no-break spaces: nothing that a person types
looks the same to
`spans`. What a chip stands for is put in its place by `sent`, once, before the prompt goes
anywhere. With the prompt goes where its pastes are (`Paste`): the transcript folds them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from agent_tui.structures import late, mention
from agent_tui.structures.frozen import frozen

_IMAGES: Final = "[Image\u00a0#"
_LABEL: Final = late.pattern("\\[(?:Pasted\u00a0text|Image)\u00a0#(\\d{1,9})\u00a0·[^\\[\\]\n]*\\]")
_UNWANTED: Final = late.pattern(r"[\[\]\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
NAME: Final = 40
"""Characters of a file's name in a label."""
MOST: Final = 1_000
"""Pastes of one prompt that are folded."""


@frozen
class Chip:
    """`label` is what the prompt shows, `text` what is sent in its place."""

    label: str
    text: str


@frozen
class Paste:
    """Characters `start` to `end` (not included) of a prompt: there chip `number` was in the
    editor."""

    start: int
    end: int
    number: int


def paste_chip(number: int, text: str) -> Chip:
    """The chip of a long paste."""
    lines = text.count("\n") + (not text.endswith("\n"))
    size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
    return Chip(_label(f"Pasted text #{number} · {size}"), text)


def image(number: int, path: str, width: int, height: int) -> Chip:
    """The chip of an image file; it is sent as a mention of the file, which the engine attaches. A
    copy has the name of what it is a copy of."""
    name = mention.original(path).rstrip("/").rpartition("/")[2]
    name = name if len(name) <= NAME else f"{name[: NAME // 2 - 1]}…{name[-NAME // 2 :]}"
    size = f" · {width}×{height}" if width and height else ""
    return Chip(
        _label(f"Image #{number} · {_UNWANTED.sub('_', name)}{size}"), mention.write_mention(path)
    )


def is_image(label: str) -> bool:
    """Whether `label` is that of an image."""
    return label.startswith(_IMAGES)


def _label(words: str) -> str:
    return f"[{words}]".replace(" ", "\u00a0")


def number(label: str) -> int:
    """The number in `label`."""
    match = _LABEL.match(label)
    return int(match.group(1)) if match is not None else 0


def images(text: str) -> int:
    """The highest number of an image in `text`."""
    labels = (text[begin:end] for begin, end in spans(text))
    return max((number(label) for label in labels if is_image(label)), default=0)


def spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where labels stand in `text`: begin and end of each."""
    return tuple(match.span() for match in _LABEL.finditer(text)) if "\u00a0#" in text else ()


def label_at(text: str, place: int) -> str:
    """The label at `place` (inside it, or at one of its ends); the last one of `text` where none is
    there."""
    found = spans(text)
    touched = [span for span in found if span[0] <= place <= span[1]] or list(found[-1:])
    return text[touched[0][0] : touched[0][1]] if touched else ""


def snap_outside(text: str, place: int, forward: bool) -> int:
    """`place`, moved out of a label that it is inside of."""
    for begin, end in spans(text):
        if begin < place < end:
            return end if forward else begin
    return place


def widen_range(text: str, begin: int, end: int) -> tuple[int, int]:
    """The range from `begin` to `end`, with every label whole that it has a part of."""
    for first, last in spans(text):
        if begin < last and first < end:
            begin, end = min(begin, first), max(end, last)
    return begin, end


def expand(text: str, chips: Iterable[Chip]) -> str:
    """`text` with every known chip's text in the place of its label."""
    return expand_chips(text, chips)[0]


def expand_chips(text: str, chips: Iterable[Chip]) -> tuple[str, tuple[Paste, ...]]:
    """`text` with every known chip's text in the place of its label, and where its pastes are. A
    file's name stands apart from the word before it, and one blank behind it is enough: the prompt
    puts one there, and who goes on typing often another."""
    known = {chip.label: chip.text for chip in chips}
    said, pastes = list[str](), list[Paste]()
    done = size = 0
    for begin, end in spans(text) if known else ():
        label = text[begin:end]
        found = known.get(label)
        if found is None:
            continue
        own, done = text[done:begin], end
        if is_image(label):
            before, after = text[begin - 1 : begin], text[end : end + 1]
            if before and not before.isspace():
                own += " "  # a mention behind a letter would be none
            if after and not after.isspace():
                found = mention.quote_mention(found)  # and what follows would be a part of it
            done += text.startswith("  ", end)
        else:
            start = size + len(own)
            pastes.append(Paste(start, start + len(found), number(label)))
        said += own, found
        size += len(own) + len(found)
    return ("".join((*said, text[done:])), tuple(pastes)) if said else (text, ())


def fitting_pastes(text: str, pastes: Iterable[Paste]) -> tuple[Paste, ...]:
    """Those of `pastes` that can be in `text`: not empty, not beyond its end, each behind the one
    before it. The others, and more than `MOST`, are left out: what they name counts as typed."""
    found, end = list[Paste](), 0
    for paste in pastes:
        if end <= paste.start < paste.end <= len(text) and len(found) < MOST:
            found.append(paste)
            end = paste.end
    return tuple(found)


def parts(text: str, pastes: Iterable[Paste]) -> Iterator[tuple[str, str]]:
    """What `text` is made of: of each part the label (empty: it was typed) and what it says."""
    done = 0
    for paste in fitting_pastes(text, pastes):
        if done < paste.start:
            yield "", text[done : paste.start]
        done = paste.end
        chip = paste_chip(paste.number, text[paste.start : done])
        yield chip.label, chip.text
    if done < len(text):
        yield "", text[done:]


def without_pastes(text: str, pastes: Iterable[Paste]) -> str:
    """`text` without its pastes; costs what that is long, however long they are."""
    found = fitting_pastes(text, pastes)
    begins, ends = (
        (0, *(paste.end for paste in found)),
        (*(paste.start for paste in found), len(text)),
    )
    return "".join(text[begin:end] for begin, end in zip(begins, ends, strict=True))


def fold_pastes(text: str, pastes: Iterable[Paste]) -> str:
    """`text` with labels in the place of its pastes."""
    return "".join(label or words for label, words in parts(text, pastes)) if pastes else text


def draft(text: str, pastes: Iterable[Paste]) -> tuple[str, tuple[Chip, ...]]:
    """What the prompt held when `text` was sent, and its chips; `text` itself, without any, if
    labels could not bring it back."""
    labels = fold_pastes(text, pastes)
    chips = tuple(Chip(label, words) for label, words in parts(text, pastes) if label)
    return (labels, chips) if expand(labels, chips) == text else (text, ())


def collapse(text: str, chips: Iterable[Chip]) -> str:
    """`text` with the labels of chips in the place of what they stand for: the way back of
    `expand`."""
    for chip in chips:
        begin, end = _image_at(text, chip.text) if is_image(chip.label) else _at(text, chip.text)
        if begin >= 0:
            text = text[:begin] + chip.label + text[end:]
    return text


def _at(text: str, part: str, start: int = 0) -> tuple[int, int]:
    place = text.find(part, start)
    return place, place + len(part)


def _image_at(text: str, named: str) -> tuple[int, int]:
    """Where an image is named: in quotes, or as a word of its own."""
    for part in dict.fromkeys((named, mention.quote_mention(named))):
        begin, end = _at(text, part)
        while begin >= 0:
            before, after = text[begin - 1 : begin], text[end : end + 1]
            if (not before or before.isspace()) and (
                part[-1] == '"' or not after or after.isspace()
            ):
                return begin, end
            begin, end = _at(text, part, end)
    return -1, -1


def chips_in(text: str, *known: Iterable[Chip]) -> tuple[Chip, ...]:
    """Those of the known chips whose labels stand in `text`; of two with one label the later."""
    there = {text[begin:end] for begin, end in spans(text)}
    found = (
        {chip.label: chip for some in known for chip in some if chip.label in there}
        if there
        else {}
    )
    return tuple(found.values())


_SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_IMAGE: Final = r"\.(?:png|jpe?g|gif|webp)"
_MENTIONED: Final = late.pattern(
    rf'(?<!\S)@(?:"(?:[^"\\\n]|\\.)+{_IMAGE}"|[^\s"@]+{_IMAGE})(?=\s)', 2
)
_ESCAPE: Final = late.pattern(r"\\(.)")
_PERCENT: Final = late.pattern(r"%([0-9A-Fa-f]{2})")


def dropped_image(text: str) -> str:
    """The path of an image file, if `text` is nothing else: as terminals paste what is dragged onto
    them."""
    line = text.strip()
    if not line or "\n" in line or len(line) > mention.LONGEST:
        return ""
    if line[0] in "'\"" and line[-1] == line[0] and len(line) > 2:
        line = line[1:-1]
    elif line.startswith("file://"):
        line = _decoded(line[7:])
        line = (
            line if line.startswith("/") else line[line.find("/") :]
        )  # a host's name may stand in front
    elif "\\" in line and line.startswith(("/", "~", ".")):
        line = _ESCAPE.sub(r"\1", line)
    elif any(map(str.isspace, line)) and not line.startswith(("/", "~/")):
        return ""
    return line if line.lower().endswith(_SUFFIXES) else ""


def mentioned_images(text: str) -> tuple[tuple[str, str], ...]:
    """Image files that `text` names with `@` and goes on after: each as it stands there, and its
    path."""
    if "@" not in text:
        return ()
    found = (match.group(0) for match in _MENTIONED.finditer(text))
    return tuple((raw, ways[0]) for raw in found for ways in mention.mentioned_files(raw)[:1])


def _decoded(text: str) -> str:
    """Percent signs and two digits as the bytes they stand for."""
    parts = _PERCENT.split(text)
    raw = b"".join(
        bytes.fromhex(part) if odd % 2 else part.encode("utf-8", "replace")
        for odd, part in enumerate(parts)
    )
    return raw.decode("utf-8", "replace")
