"""What is pasted: short text goes into the prompt, long text becomes a chip, the path of an image
one of an image."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Final

from agent_tui.present import wording
from agent_tui.protocol.answers import ClipboardImage, ImageFile
from agent_tui.protocol.ops import Query
from agent_tui.structures import chips
from agent_tui.structures.chips import Chip
from agent_tui.structures.visible import reveal_text, visible
from agent_tui.tui import commands
from agent_tui.tui.core.effects import Effect, Send, Type
from agent_tui.tui.core.memo import lazy
from agent_tui.tui.core.model import Model
from agent_tui.tui.core.msg import Pasted
from agent_tui.tui.core.regions import Span
from agent_tui.tui.core.step import Step, then, toast
from agent_tui.tui.prompt import composer
from agent_tui.tui.prompt.composer import MOST_EDITED

FOLDS: Final = frozenset(("deny", "say", "argument"))
"""What the prompt may be used for and still hold chips: words that the model gets."""
NOT_SENT: Final = "a new line, not sent: Enter came as part of a paste"
TYPED_AHEAD: Final = 60
"""Characters that somebody may have typed while the line was slow."""
NO_IMAGE: Final = "no image in the clipboard; paste text with the terminal's own key"
IMAGE: Final = "image"
CLIPBOARD: Final = "clipboard_image"


def on_paste(model: Model, msg: Pasted) -> Step:
    """Its line ends never submit, and whatever else is in it is only text. Where somebody may have
    typed it, on a slow line, that is said. What nobody sees in it is taken out, and that is said,
    too."""
    text, hidden = reveal_text(msg.text)
    step = _pasted(model, replace(msg, text=text))
    if hidden:
        said = f"{wording.count(hidden, 'hidden character')} removed from the paste"
        return then(step, toast(step[0], said, "warning"))
    if not msg.unmarked or len(msg.text) > TYPED_AHEAD or msg.text.strip("\n").count("\n") != 1:
        return step
    return then(step, toast(step[0], NOT_SENT))


def _pasted(model: Model, msg: Pasted) -> Step:
    text = msg.text
    purpose = model.composer.purpose
    if (purpose is None or purpose.kind in FOLDS) and is_long(model, text):
        model, chip = composer.new_chip(model, text)
        return model, (Type(chip.label),)
    if path := chips.dropped_image(text) if purpose is None else "":
        model, asked = _ask(model, text.strip(), path)
        return model, (Type(text.strip()), *asked)
    if len(text) > MOST_EDITED:
        model, expires = toast(
            model, f"only the first {MOST_EDITED:,} characters of this paste are used", "warning"
        )
        return model, (Type(text[:MOST_EDITED]), *expires)
    return model, (Type(text),) if text else ()


def is_long(model: Model, text: str) -> bool:
    """Whether `text` is folded; 0 in the settings: by that it never is."""
    lines, characters = model.look.paste_lines, model.look.paste_chars
    if len(text) > MOST_EDITED:
        return True
    return (0 < characters < len(text)) or (
        0 < lines < text.count("\n") + (not text.endswith("\n"))
    )


# -- images


def ask_about_images(model: Model) -> Step:
    """Ask what the images are that the draft names with `@`. Costs nothing where there is no
    `@`."""
    now = model.composer
    if "@" not in now.draft or now.purpose is not None or now.browsing >= 0 or model.gone:
        return model, ()
    effects: tuple[Effect, ...] = ()
    for raw, path in chips.mentioned_images(now.draft):
        if raw not in now.looked:
            model, asked = _ask(model, raw, path)
            effects += asked
    return model, effects


def _ask(model: Model, raw: str, path: str) -> Step:
    """What is the file `path`, which stands in the draft as `raw`?"""
    id = f"{IMAGE}-{model.queries + 1}"
    now = replace(model.composer, looked={**model.composer.looked, raw: id})
    return replace(model, composer=now, queries=model.queries + 1), (Send(Query(id, IMAGE, path)),)


def on_image_answer(model: Model, id: str, data: ImageFile) -> Model:
    """The engine has looked at an image: what names it in the draft becomes its chip. If it is
    none, all stays."""
    raw = next((raw for raw, asked in model.composer.looked.items() if asked == id), "")
    if not raw:
        return model
    if not data.problem:  # else it is not asked again
        looked = {known: asked for known, asked in model.composer.looked.items() if asked != id}
        model = replace(model, composer=replace(model.composer, looked=looked))
    draft, caret = model.composer.draft, model.composer.caret
    place = draft.find(raw)
    if place < 0 or data.problem or model.composer.purpose is not None:
        return model
    model, chip = _image(model, data)
    after = draft[place + len(raw) :]
    shown = chip.label + (
        " " if not after or after[0].isalnum() else ""
    )  # what is typed next is no part of it
    if caret >= place + len(raw):
        caret += len(shown) - len(raw)
    elif caret > place:
        caret = place + len(shown)
    return composer.write(model, draft[:place] + shown + after, caret=caret)


def paste_clipboard(model: Model) -> Step:
    """Ctrl+V: the image that the clipboard holds, or the text that was cut here."""
    if model.composer.purpose is not None or model.gone:
        return model, (Type("", "ctrl+v"),)
    return model, (Send(Query(CLIPBOARD, CLIPBOARD)),)


def clipboard_told(model: Model, data: ClipboardImage) -> Step:
    """The clipboard's image came, or the news that it has none."""
    if not data.path:
        if data.problem:
            return toast(model, data.problem, "warning")
        return then((model, (Type("", "ctrl+v"),)), toast(model, NO_IMAGE))
    model, chip = _image(model, data)
    draft, caret = model.composer.draft, model.composer.caret
    return model, (Type(chip.label if draft[caret : caret + 1].isspace() else f"{chip.label} "),)


def _image(model: Model, data: ImageFile | ClipboardImage) -> tuple[Model, Chip]:
    """The next image of this prompt. A label that stood for another file, and may come back with
    it, is not used."""
    known = {chip.label: chip.text for chip in model.composer.chips}
    path, width, height = data.path, data.width, data.height
    numbered = (
        chips.image(number, path, width, height)
        for number in count(chips.images(model.composer.draft) + 1)
    )
    chip = next(chip for chip in numbered if known.get(chip.label, chip.text) == chip.text)
    return composer.keep_chips(model, chip), chip


# -- the sheet that shows what a chip stands for


def on_chip_click(model: Model, label: str) -> Step:
    known = any(chip.label == label for chip in model.composer.chips)
    if not known or model.dialog is not None or model.composer.purpose is not None:
        return model, ()
    return commands.find("paste").run(model, label)


SHOWN_LINES: Final = 2_000
"""Lines that can be scrolled to."""
SHOWN_CHARS: Final = 400
"""Characters of each."""


@lazy
def text_lines(text: str) -> tuple[tuple[Span, ...], ...]:
    """The first lines of `text`, harmless."""
    found: list[tuple[Span, ...]] = []
    begin = 0
    while len(found) < SHOWN_LINES:
        end = text.find("\n", begin)
        stop = len(text) if end < 0 else end
        line = text[begin : min(stop, begin + SHOWN_CHARS)].expandtabs(4)
        found.append((Span(visible(line) + "…" * (stop - begin > SHOWN_CHARS)),))
        if end < 0:
            return tuple(found)
        begin = end + 1
    return (*found, (Span(f"… {text.count(chr(10), begin) + 1:,} more lines", "dim"),))
