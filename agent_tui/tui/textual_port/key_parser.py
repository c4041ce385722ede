"""What a terminal sends, as keys, mouse events and pastes: Textual's parser, hardened against what
it does not expect.

Pastes are taken out before that parser sees them: an escape sequence in one would be keys to it,
Enter among them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import zip_longest
from time import monotonic
from typing import Final

from textual import constants, events
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.keys import Keys
from textual.message import Message

from agent_tui.structures.late import pattern
from agent_tui.structures.visible import is_text
from agent_tui.tui.textual_port.sequences import (
    BEGUN,
    ENDED,
    ENDLESS,
    KEY_ENDED,
    KEY_GOES_ON,
    MARK_BEGUN,
    MOUSE_REST,
    OPEN,
    PASTE_MARK,
    REPORTED,
    REST_ALONE,
    SURE,
    is_whole,
    may_be_answer,
    may_be_key,
)

LOST_SECONDS: Final = 1.0
"""After so long a silence inside a paste its end counts as lost: what came of it is there, and keys
are keys again."""
BURST_SECONDS: Final = 0.05
"""So soon after the text before it, the rest of a paste without marks comes."""
KEY_SECONDS: Final = 0.004
ALT_SECONDS: Final = 0.05
"""What comes later than that behind an ESC is no key with Alt held down: a terminal sends those two
at once. Esc was pressed, unless it is the rest of another key."""
TYPED_AHEAD: Final = 60  # characters that a person may have typed while the line was slow
TYPED_AT_ONCE: Final = (
    256  # characters of one read beyond which they are a paste, however slow the line was
)
FAST_READS: Final = 8
"""Reads in a row of a key or two, each so soon after the one before: nobody types like that."""
WIDEST: Final = 4096
"""Cells of a side that a terminal may report."""

_TEXT = pattern(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+")
_ENDS = pattern(r"\r\n?|\n")
_BROKEN = pattern(r"[^\r\n\\]\n*\r[\r\n]*[^\r\n]|\\\r[^\r\n]+[\r\n]|\A[\r\n]+[^\r\n]+[\r\n]")
"""A line end inside text, one behind a backslash and a last one, or one before it and a last one: a
person who types ahead presses Enter once."""
_ALT_ENTER = frozenset({"\x1b\r", "\x1b\n"})
_MODIFY_OTHER_KEYS = pattern(r"\x1b\[27;(\d+);(\d+)~")
_KITTY = pattern(r"\x1b\[([\d:]*)(?:;([\d:]*))?(;[\d:]*)?([u~A-FHPQRS])")
_MOUSE_OR_MODE = pattern(r"\x1b\[(?:\[|<?[-\d;]*[mM]|\?[\d;]*\$y)")
_COMPLETE = pattern(r"\x1b\[[0-?]*[ -/]*[@-~]")
_COMPLETE_SS3 = pattern(r"\x1bO[0-?]*[@-~]")
_REPLY = pattern(r"\x1b[]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]{28,}[ -/]*[@-~]")
"""An answer of the terminal to what some program asked it, or a sequence that is too long to be a
key."""
_NO_ANSWER = pattern(r"\x1b\[(?:[=>?]|<(?![Mm]))[@-~]|\x1b\[\?[\d;:]+\$?[^\d;:$RScnuyhl]")
"""What no terminal answers: nothing between the mark and the letter, or a letter that ends no
answer."""
_ALT = pattern(r"\x1b([^\x00-\x20\x7f\x1b\[O\]P_^X\\]|\](?!\d)|P(?![\d;!$+>])|_(?!G))")
"""Alt with a character that begins nothing else. Textual waits for more, and types `^b` where
another key follows."""
_WAY_OUT = pattern(r"(?:\x03|\x1b|\x1b\[99;5u|\x1b\[27(?:;1)?u|\x1b\[27;5;99~)+")
_PRESSED = pattern(r"(?s:.|(?:\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.))+)")
"""What pressing a key sends, and holding down one that types nothing."""
_GROUND = pattern(r"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_SCHEME = pattern(r"\x1b\[\?997;([12])n")
_REPORTS = pattern(
    r"(?:\x1b\[(?:<[\d;]+[Mm]|[IO]|\?[\d;]+\$?[a-z]|[\d;]+R)|\x1b[]P][^\x07\x1b]*(?:\x07|\x1b\\))*"
)
"""What a terminal may tell at any moment: the mouse, focus, answers."""
_ANSWER = pattern(r"\x1b[]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROLS = pattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)?|[^\t\r\n -~\xa0-\U0010ffff]")
_KEY_BEGUN = pattern(r"\x1b(?:\[[^?>=]|O)")
_NOTHING: Final = "[?0n"
"""After an ESC: a report, which is no key."""
OPEN_SECONDS: Final = 0.05
"""So long it is waited for what follows `ESC ]`, which Alt+] sends too."""
KEY_BEGUN_SECONDS: Final = 0.1
"""The same of `ESC [`, with which most keys begin."""
ANSWER_SECONDS: Final = 1.0
"""So long the rest of an answer is waited for, over slow lines. No part of one is ever a key."""
SILENT_SECONDS: Final = 0.4
"""A single letter after so long a silence was rather typed than sent as a part of an answer."""
BARE_SECONDS: Final = 2.0
"""So long after `ESC [` or `ESC O`, which Alt and a key send too, what goes on with it is rather
its rest; and so long after an Esc, what is all of a rest. The mark of a paste is one at any time:
keys that run commands would follow."""
AFTER_ESCAPE_SECONDS: Final = 0.1
"""So soon after an Esc, what begins like the rest of a sequence is it."""
KEY_OPEN_SECONDS: Final = 0.3
"""So long the rest of a key is waited for."""
HELD: Final = ("alt+", "ctrl+", "super+", "hyper+", "meta+")
"""How the names of keys begin that are held down with another."""
ASKED_SECONDS: Final = 3.0
"""So long after the terminal was asked, `ESC ]` is rather its answer."""


class Ground(Message):
    """The terminal told whether its ground is dark."""

    def __init__(self, dark: bool) -> None:
        super().__init__()
        self.dark = dark


class Unmarked(events.Paste):
    """Text that came at once, and that the terminal did not call a paste: perhaps somebody typed
    it."""


Unmarked.handler_name = events.Paste.handler_name  # it is handled as any other


def types(key: events.Key) -> bool:
    """Whether all that the terminal says of it is what it types."""
    return is_text(key.character or "") and "+" not in key.key


def text_of(key: events.Key) -> str:
    """What `key` types: nothing, where Alt or Ctrl is held down and the terminal says no text of
    its own."""
    return (
        key.character
        if key.character and is_text(key.character) and not key.key.startswith(HELD)
        else ""
    )


def dark_ground(red: str, green: str, blue: str) -> bool:
    """Whether letters on this ground had better be light; one to four hex digits a colour."""
    parts = (int(value, 16) / (16 ** len(value) - 1) for value in (red, green, blue))
    return bool(
        sum(weight * part for weight, part in zip((0.299, 0.587, 0.114), parts, strict=True)) < 0.5
    )


def _alt_seconds() -> float:
    return constants.ESCAPE_DELAY if os.environ.get("ESCDELAY") else ALT_SECONDS


class KeyParser(XTermParser):
    """Knows Alt+Enter (ESC CR), xterm's modifyOtherKeys and kitty's kinds of a key; what nobody
    knows types nothing."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pasted: list[str] | None = None
        """The pieces of a paste that has not ended."""
        self._tail = ""
        """The last characters that were pasted: the mark of its end may come in two pieces."""
        self._before = ""
        """The last characters that came, whatever they were taken for: so may the mark of its
        beginning."""
        self._came = monotonic()
        self._told: list[Ground] = []
        self._open, self._open_at = "", 0.0
        self._doubted = 0
        """Where in what is open that begins which somebody may have typed; 0: nowhere."""
        self._owes_escape = False
        """What is open, or comes now, is behind an Esc that is not told yet."""
        self._silence = 0.0
        self.asked = float("-inf")  # when the terminal was asked something last
        self._late = ""
        """The beginning of an answer whose rest has not come in time: it may come at any time."""
        self._late_last = False  # nothing has come since
        self._late_at = 0.0
        self._pieces: list[str] = []
        """What came in a row and is no typing: one paste, when nothing follows at once."""
        self._line_end = (
            ""  # the one that began that row, behind keys of a program: Enter, if it is alone
        )
        self._paste_ended = float("-inf")
        self._cut: str | None = None
        """The end of the last paste has not come, but for this beginning of it."""
        self._burst = False  # what came last was pasted text without its marks
        self._marks = False
        """The terminal has marked a paste: it marks all, though a program in between may not."""
        self._with_escape = (
            0  # characters that came in one read with the last ESC, that one among them
        )
        self._mark_begun = ""  # the first half of a mark, right behind a paste
        self._fast = 0  # reads of a key or two in a row that came faster than anybody types

    @property
    def patience(self) -> float | None:
        """Seconds until what came so far has to be decided (was it Esc?); None if nothing is
        open."""
        lost = self._came + LOST_SECONDS if self._pasted is not None else None
        row = self._came + BURST_SECONDS if self._pieces else None
        opened = self._open_at + self._open_for if self._open else None
        ends = [at for at in (self._timeout_time, opened, lost, row) if at]
        return max(0.0, min(ends) - monotonic()) if ends else None

    @property
    def _open_for(self) -> float:
        if self._doubted == 1 and not self._owes_escape:
            return BARE_SECONDS
        if self._owes_escape and may_be_answer(self._open):
            return KEY_OPEN_SECONDS
        if len(self._open) == 2 and not (self._open == "\x1b]" and self._awaits()):
            return KEY_BEGUN_SECONDS if self._open == "\x1b[" else OPEN_SECONDS
        return KEY_OPEN_SECONDS if _KEY_BEGUN.match(self._open) else ANSWER_SECONDS

    def _awaits(self) -> bool:
        return monotonic() - self.asked < ASKED_SECONDS

    def tick(self) -> Iterable[Message]:
        if self._pieces and monotonic() - self._came >= BURST_SECONDS:
            yield from self.end_row()
        if self._open and monotonic() - self._open_at >= self._open_for:
            data, typed, self._open, self._doubted = self._open, self._doubted, "", 0
            owed = self._owes_escape and may_be_answer(data)
            begun = data[:typed] if typed and not owed else data
            if BEGUN.fullmatch(begun):
                self._late, self._late_last, self._late_at = begun, True, monotonic()
            if typed:
                yield from self._owed_escape()
                yield from super().feed(data[typed:])
            elif len(data) == 2:  # Alt and a key
                yield from self._sequence_to_key_events(data[1], alt=True)
        if self._pasted is not None and monotonic() - self._came >= LOST_SECONDS:
            yield from self._give_up()
        yield from super().tick()

    def finish(self) -> Iterable[Message]:
        """Nothing more comes: what still waits for its end is all there is."""
        if self._doubted and (typed := self._open[self._doubted :]):
            self._open, self._doubted = "", 0
            yield from self._owed_escape()
            yield from super().feed(typed)
        yield from self.end_row()
        if self._pasted is not None:
            yield from self._give_up()

    def _give_up(self) -> Iterable[Message]:
        """The end of a paste has not come: insert what has, but for the beginning of its mark."""
        text = "".join(self._pasted or ())
        ends = (BRACKETED_PASTE_END[:n] for n in range(len(BRACKETED_PASTE_END) - 1, 0, -1))
        self._pasted, self._tail, self._cut = None, "", next(filter(text.endswith, ends), "")
        if kept := text.removesuffix(self._cut).replace("\0", ""):
            yield events.Paste(kept)

    def feed(self, data: str) -> Iterable[Message]:
        silence, self._came = monotonic() - self._came, monotonic()
        self._silence = silence
        if "\x1b" in data:
            self._with_escape = len(data) - data.rindex("\x1b")
        cut, self._cut = self._cut, None
        if cut is not None and (not _PRESSED.fullmatch(data) or BRACKETED_PASTE_END in cut + data):
            self._pasted, self._tail = (
                [cut],
                cut,
            )  # no key: it goes on after all, and its line ends must not send
        if self._pasted is not None and silence > LOST_SECONDS and _WAY_OUT.fullmatch(data):
            data = BRACKETED_PASTE_END
        before, self._before = self._before, (self._before + data)[1 - len(BRACKETED_PASTE_START) :]
        data = self._with_mark_begun(data, before)
        data = self._behind_escape(data, before) if self._pasted is None else data
        if not self._open:
            yield from self._owed_escape()
        if not data:
            return
        behind = self._is_behind() or (self._burst and silence < BURST_SECONDS)
        if self._pasted is None and self._is_burst(data, silence):
            self._pieces.append(data)
            self._paste_ended = monotonic() if self._is_behind() else self._paste_ended
            return
        while data := self._without_mark_begun(data):
            behind = behind and self._pasted is None
            if self._pasted is None and data.startswith(BRACKETED_PASTE_END):
                data, self._paste_ended = (
                    data[len(BRACKETED_PASTE_END) :],
                    monotonic(),
                )  # the real one
            elif self._pasted is None and self._is_behind() and (row := self._row_behind(data)):
                for answer in _ANSWER.findall(row):
                    yield from self._keys(answer)
                self._pieces.append(_CONTROLS.sub("", _ANSWER.sub("", row)))
                data, behind, self._paste_ended = data[len(row) :], True, monotonic()
            elif behind and (text := _TEXT.match(data)) and (self._pieces or _ENDS.search(text[0])):
                self._pieces.append(text[0])
                data = data[text.end() :]
            elif (
                self._pasted is None
                and BRACKETED_PASTE_END in data.partition(BRACKETED_PASTE_START)[0]
            ):
                yield from self.end_row()
                self._pasted, self._tail = [], ""  # this is the rest of one that was given up
            elif self._pasted is None:
                yield from self.end_row()
                behind = False
                head, mark, data = data.partition(BRACKETED_PASTE_START)
                yield from self._keys(head + mark)
                if mark:
                    self._pasted, self._tail = [], ""
                    for _ in super().feed(BRACKETED_PASTE_END):  # it has seen an empty paste
                        continue
            else:
                probe = self._tail + data
                end = probe.find(BRACKETED_PASTE_END)
                if end < 0:
                    self._pasted.append(data)
                    self._tail = probe[1 - len(BRACKETED_PASTE_END) :]
                    return
                whole = "".join((*self._pasted, data))
                end += len(whole) - len(probe)
                self._marks = True
                self._pasted, self._tail, data = None, "", whole[end + len(BRACKETED_PASTE_END) :]
                yield events.Paste(whole[:end].replace("\0", ""))
                behind, self._paste_ended = True, monotonic()

    def _with_mark_begun(self, data: str, before: str) -> str:
        """`data` behind the first half of the mark that it goes on with, however late it comes, and
        whatever that half
        was taken for."""
        begun, self._mark_begun = self._mark_begun, ""
        half = MARK_BEGUN.search(before) if self._pasted is None else None
        if half is not None and PASTE_MARK.match(half[0] + data):
            self._late, self._open = (
                self._late.removesuffix(half[0]),
                self._open.removesuffix(half[0]),
            )
            self._doubted = self._doubted if self._open else 0
            self._owes_escape &= self._doubted > 0
            self._forget_escape()
            return half[0] + data
        return begun + data if self._is_behind() or MARK_BEGUN.fullmatch(begun + data) else data

    def _forget_escape(self) -> None:
        """The ESC that came last is not Esc, but the first part of what comes now: it is closed, to
        be read anew."""
        if self._timeout_time is not None:
            for _ in super().feed(_NOTHING):
                continue

    def _without_mark_begun(self, data: str) -> str:
        """`data` but for the first half of a mark that may end it, right behind a paste: the other
        half is to come."""
        behind = self._pasted is None and self._is_behind() and BRACKETED_PASTE_START not in data
        begun = MARK_BEGUN.search(data) if behind else None
        self._mark_begun = begun[0] if begun is not None else self._mark_begun
        return data[: begun.start()] if begun is not None else data

    def _is_behind(self) -> bool:
        """Whether a paste has just ended: a line end so soon after it is none of a finger's, and
        sends nothing."""
        return monotonic() - self._paste_ended < BURST_SECONDS

    def _row_behind(self, data: str) -> str:
        """What of `data` belongs to a paste that seemed to end: text that was pasted may hold the
        mark of its end, and whatever follows it at once is none of a finger's, be it Ctrl+U, Alt+Y
        or Enter. Reports of the terminal are none of it."""
        row = data[: found.start()] if (found := PASTE_MARK.search(data)) else data
        if _TEXT.fullmatch(row) and not _ENDS.search(
            row
        ):  # words alone do nothing but stand in the prompt
            self._paste_ended = monotonic()
            return ""
        return "" if _REPORTS.fullmatch(row) else row

    def end_row(self) -> Iterable[Message]:
        """What came in a row is one paste; a line end alone, to which a program typed its line, is
        Enter."""
        text, self._pieces, typed, self._line_end = "".join(self._pieces), [], self._line_end, ""
        if typed and text == typed:
            yield from super().feed(text)
        elif text:
            yield Unmarked(text)

    def _keys(self, data: str) -> Iterable[Message]:
        """What was not pasted, up to where a paste may begin."""
        data = self._rejoined(data) if self._late else data
        data = self._held_back(data)
        parts = iter(_ALT.split(data))
        for keys, alt in zip_longest(parts, parts, fillvalue=""):
            for token in (
                super().feed(keys) if keys else ()
            ):  # nothing at all would be the end of the input
                if not isinstance(token, events.Resize) or self._possible(token):
                    yield token
            if alt:
                if keys.endswith("\x1b"):  # it comes before that, and is not of what follows
                    self._forget_escape()
                    yield events.Key("escape", "\x1b")
                yield from self._sequence_to_key_events(alt, alt=True)
        yield from self._told
        self._told = []

    def _rejoined(self, data: str) -> str:
        """`data` behind the beginning of an answer if it goes on with it: nobody types several of
        its characters at once, or its end. Nothing where that is still not the end."""
        whole = self._late + data
        ended = ENDED.match(whole) and (len(data) > 1 or data in "\x07\\")
        if ended or (
            REPORTED.match(whole) and (data[0] in "0123456789;$?>=" or SURE.match(self._late))
        ):
            self._late = ""
            return whole
        if self._late_last and (self._is_sure_key() or monotonic() - self._late_at <= BARE_SECONDS):
            if KEY_ENDED.match(whole):
                self._late = ""
                return whole
            if KEY_GOES_ON.fullmatch(whole):
                self._late, self._late_at = whole, monotonic()
                return ""
        if len(data) > 1 and (self._late_last or SURE.match(whole)) and BEGUN.fullmatch(whole):
            self._late = whole
            return ""
        if self._late_last and self._awaits() and SURE.match(self._late) and BEGUN.fullmatch(whole):
            self._open, self._open_at, self._doubted, self._late = (
                whole,
                monotonic(),
                len(self._late),
                "",
            )
            return ""  # a single character: of the answer, or typed
        self._late_last = False
        return data

    def _is_sure_key(self) -> bool:
        """Whether what is late is no Alt and a key."""
        return KEY_GOES_ON.match(self._late) is not None

    def _held_back(self, data: str) -> str:
        """What of `data`, and of what was open, can be keys by now."""
        typed = len(data) == 1 and self._silence > SILENT_SECONDS
        if typed and not self._doubted and self._open[1:2] != "[" and SURE.match(self._open):
            self._doubted, self._open_at = len(self._open), monotonic()
        data, self._open = self._open + data, ""
        if found := OPEN.search(data):
            data, self._open = data[: found.start()], found[0]
            self._open_at = self._open_at if self._doubted and not data else monotonic()
        whole = _REPLY.sub(self._replied, data)
        if self._doubted and data:
            whole, self._doubted = whole if whole != data else data[self._doubted :], 0
        return ENDLESS.sub("", whole)

    def _behind_escape(self, data: str, before: str) -> str:
        """`data` with the ESC that came last, where that began an answer; without the rest of a key
        or of a report whose ESC was told as Esc. Where the end of that rest has not come, it waits,
        and is text if none comes."""
        whole, after_escape = f"\x1b{data}", before.endswith("\x1b")
        if self._doubted == 1:
            whole, self._open, self._doubted = self._open + data, "", 0
            if self._owes_escape:
                return self._late_behind_escape(whole)
        elif after_escape and self._timeout_time is not None and self._silence > _alt_seconds():
            return self._late_behind_escape(whole)
        elif (
            after_escape
            and self._timeout_time is not None
            and data.startswith(("]", "P", "_", "[", "O"))
        ):
            self._forget_escape()
            return whole
        elif ENDED.match(whole) or (after_escape and (SURE.match(whole) or REPORTED.match(whole))):
            return whole  # Esc was told by now, or long ago
        elif self._silence > BARE_SECONDS or self._open or (self._late and self._late_last):
            return data
        elif before.endswith("\x1b[") and (rest := MOUSE_REST.match(data)):
            return data[rest.end() :]
        elif not after_escape or len(data) == 1:
            return data
        soon = self._silence < AFTER_ESCAPE_SECONDS
        if ended := (KEY_ENDED if soon else REST_ALONE).match(whole):
            return whole[ended.end() :]
        if KEY_GOES_ON.fullmatch(whole):
            self._open, self._doubted, self._open_at = whole, 1, monotonic()
            return ""
        return whole[1:]

    def _late_behind_escape(self, whole: str) -> str:
        """`whole`, an ESC and what came too late for Alt, if it is a key or an answer; else what is
        behind an Esc that was pressed. It waits as long as it may still become one of them."""
        self._forget_escape()
        self._owes_escape = not is_whole(whole)
        begun = may_be_key(whole) or (self._awaits() and may_be_answer(whole))
        if self._owes_escape and begun:
            self._open, self._doubted, self._open_at = whole, 1, monotonic()
            return ""
        return whole[self._owes_escape :]

    def _owed_escape(self) -> Iterable[events.Key]:
        if self._owes_escape:
            self._owes_escape = False
            yield events.Key("escape", "\x1b")

    def _is_burst(self, data: str, silence: float) -> bool:
        """Whether `data` is a paste of a terminal that does not say so: text with a line end
        inside, or what follows such text at once. A line end that comes last, after what a person
        can have typed, is Enter; so is a single one in a few letters (typed ahead on a slow line)
        where the terminal is known to mark what is pasted."""
        goes_on, self._burst = self._burst and silence < BURST_SECONDS, False
        fast, self._fast = self._fast, 0
        if not _TEXT.fullmatch(data):
            return False
        ends = len(_ENDS.findall(data))
        goes_on = goes_on or (ends > 0 and self._is_behind())
        ahead = self._marks and not goes_on and len(data) <= TYPED_AHEAD and ends == 1
        lines = (
            "\n" in data[:-1] and len(data) > TYPED_AHEAD
        )  # they send nothing, but each costs as much as a key
        if (
            goes_on
            or lines
            or (_BROKEN.search(data) and not ahead)
            or (not ends and len(data) > TYPED_AT_ONCE)
        ):
            self._burst = True
            return True
        self._fast = fast + 1 if silence < KEY_SECONDS and len(data) <= 4 else 0
        if (
            fast >= FAST_READS and self._fast and data in ("\r", "\n")
        ):  # it sends key by key, faster than anybody types
            self._fast, self._burst, self._line_end = fast, True, data
            return True
        return False

    def _replied(self, reply: re.Match[str]) -> str:
        """Answers are no keys."""
        if ground := _GROUND.match(reply[0]):
            self._told.append(Ground(dark_ground(*ground.groups())))
        return ""

    def _possible(self, report: events.Resize) -> bool:
        """Whether this is the size of a terminal; without one in pixels, the mouse is told in
        cells."""
        if not (self.terminal_pixel_size and all(self.terminal_pixel_size) and all(report.size)):
            self.mouse_pixels, self.terminal_pixel_size = False, None
        return 0 < report.size.width <= WIDEST and 0 < report.size.height <= WIDEST

    def _typed(self, sequence: str) -> str:
        """What somebody typed of what is no answer: all of it after Esc, else what did not come
        with its beginning."""
        begin = self._with_escape
        if len(sequence) > 4:
            return sequence[begin:] if begin == len(sequence) - 1 else ""
        return sequence if begin == 1 else sequence[begin if begin < 4 else 0 :]

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if sequence in _ALT_ENTER:
            return [events.Key("alt+enter", None)]
        if _NO_ANSWER.fullmatch(sequence) and (typed := self._typed(sequence)):
            return [
                key for letter in typed for key in XTermParser._sequence_to_key_events(self, letter)
            ]
        if match := _SCHEME.fullmatch(sequence):
            self._told.append(Ground(match[1] == "1"))
            return [events.Key(Keys.Ignore, sequence)]
        if match := _MODIFY_OTHER_KEYS.fullmatch(sequence):
            sequence = f"\x1b[{match[2]};{match[1]}u"
        if (match := _KITTY.fullmatch(sequence)) and ":" in sequence:
            modifiers, _, kind = (match[2] or "").partition(":")
            if kind.startswith("3"):
                return [events.Key(Keys.Ignore, sequence)]  # a key was released
            sequence = f"\x1b[{match[1].partition(':')[0]};{modifiers}{match[3] or ''}{match[4]}"
        try:
            found = list(super()._sequence_to_key_events(sequence, alt))
        except (ValueError, OverflowError):  # a number that is no character
            found = []
        if len(found) == 1:
            found = [_named(found[0], alt)]
        complete = _COMPLETE.fullmatch(sequence) or _COMPLETE_SS3.fullmatch(sequence)
        unknown = not found and complete and not _MOUSE_OR_MODE.fullmatch(sequence)
        return [events.Key(Keys.Ignore, sequence)] if unknown else found


def _named(key: events.Key, alt: bool) -> events.Key:
    """Of Alt and a mark, Textual forgets the Alt, so that it would type; of Ctrl+Shift+Z, xterm
    says the capital."""
    if alt and key.is_printable and not key.key.startswith("alt+"):
        return events.Key(f"alt+{key.key}", None)
    head, plus, last = key.key.rpartition("+")
    return (
        events.Key(f"{head}+{last.lower()}", None)
        if plus and len(last) == 1 and last.isupper()
        else key
    )
