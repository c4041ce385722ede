"""`/models`: favourites, those used last, the rest; what each can do and costs. The command
`/model` is in `commands/model.py`: the footer names its key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_tui.present.wording import cost
from agent_tui.protocol.answers import ModelFacts, Models, Offer
from agent_tui.protocol.messages import ModelInfo
from agent_tui.protocol.ops import SetModel
from agent_tui.protocol.transcript import Answers
from agent_tui.settings.schema import entry
from agent_tui.tui import commands
from agent_tui.tui.commands.base import command
from agent_tui.tui.commands.model import offered_models
from agent_tui.tui.core import words
from agent_tui.tui.core.effects import ReadSettings, WriteSetting
from agent_tui.tui.core.model import Model, Overlay
from agent_tui.tui.core.picker import Entry, Picker
from agent_tui.tui.core.prompt_state import Purpose
from agent_tui.tui.core.step import Step, send, then, toast
from agent_tui.tui.prompt import composer
from agent_tui.tui.screen import settings
from agent_tui.tui.screen.model_words import ADDRESS_LABEL, no_models
from agent_tui.tui.screen.setup_steps import ELSEWHERE
from agent_tui.tui.sheets import TAKES, Action, Lines, Sheet
from agent_tui.tui.sheets.opening import look_again, open_sheet

UNKNOWN: Final = "window not known: 128k assumed"
UNKNOWN_YET: Final = "window not known"
ADDRESS: Final = "address"
SILENT: Final = "silent"
"""Stands for every server that did not answer: to choose one of them is to ask all again."""
KEY: Final = "the key of "
"""With the name of a provider: it wants one. No name of a model has spaces."""
UNSET: Final = "not set"
USED: Final = 5
"""So many of those used last have a place of their own."""
FAVOURITES: Final = "favourites"
UNTOLD: Final = Models()
IN_USE: Final = "In use"
"""The group of the model in use where its server does not list it."""


def _rows(model: Model, _: Overlay) -> Iterator[Entry]:
    known = _told(model)
    offered, facts = {one.name: one for one in known.offered}, known.facts or {}
    aliases, now = known.aliases, (known.model, model.transcript.effort)
    shown = set[str]()
    if now[0] and now[0] not in offered:
        shown.add(now[0])
        yield replace(_entry(now[0], None, None, now, IN_USE), detail="not listed")
    for alias, meant in aliases.items():
        one = _entry(meant, offered.get(meant), facts.get(meant), now, "Aliases")
        yield replace(
            one, id=alias, label=alias, detail=f"{meant} · {one.detail}" if one.detail else meant
        )
    groups = [("Favourites", favourites(model) if offered else ())]
    groups.append(("Used last", tuple(name for name in known.used or () if name in offered)[:USED]))
    for group, names in groups:
        for name in names:
            if name not in shown:
                shown.add(name)
                yield _entry(name, offered.get(name), facts.get(name), now, group)
    for name, info in offered.items():
        if name not in shown:
            yield _entry(name, info, facts.get(name), now, "All others" if shown or aliases else "")
    for tried in known.tried if offered else ():
        if tried.result != UNSET:
            about = f"{tried.what}: {tried.result}"
            yield Entry(
                SILENT, tried.what, "offers no model now", about, "Without an answer", "warning"
            )
    yield Entry(ADDRESS, "enter a server address", "Ollama or OpenAI's API")


def _told(model: Model) -> Models:
    """What the engine told of the models last."""
    return model.transcript.answers.models or UNTOLD


def _narrowed(model: Model, query: str) -> str:
    """What is looked for: by the name of a provider its models, not all that has these letters."""
    known, head = _told(model), query.lower()
    heads = {one.name.partition("/")[0] for one in known.offered}
    return f"{head}/" if head in heads and query not in known.aliases else query


def _beside(model: Model, overlay: Overlay, picker: Picker) -> Picker:
    """With a row for what was typed, where that is no entry: its provider wants a key, else it can
    be used as a name, as not every server lists all that it has."""
    typed, asked = picker.query.strip(), bool(overlay.query)
    if (wants := _wanting(model, typed.partition("/")[0])) is not None:
        row = Entry(f"{KEY}{wants.name}", wants.label, "needs a key: press Enter", wants.said)
        return replace(picker, shown=(row, *picker.shown), at=0)
    bare = (
        not typed
        or " " in typed
        or typed != typed.strip("/")
        or ("/" not in typed and picker.shown)
    )
    if asked or bare or any(one.id.lower() == typed.lower() for one in picker.shown):
        return picker
    return replace(
        picker, shown=(*picker.shown, Entry(typed, f"use “{typed}”", "it is not listed"))
    )


def _wanting(model: Model, name: str) -> Offer | None:
    """What the engine told of a provider that cannot be asked for its models yet."""
    name = name.lower()
    unset = (_told(model).unset or ()) if name else ()
    return next((one for one in unset if name in (one.name, one.label.lower())), None)


def _take(model: Model, overlay: Overlay, row: Entry) -> Step:
    """A model is used; what is still missing for one is asked for."""
    if row.id == SILENT:
        return look_again(model, overlay)
    if row.id == ADDRESS and not model.transcript.model:  # the next start is to have one, too
        return commands.find("setup").run(model, ELSEWHERE)
    if row.id == ADDRESS:
        return composer.ask(model, Purpose("sheet", ADDRESS_LABEL, sends="use")), ()
    if row.id.startswith(KEY):
        return commands.find("setup").run(model, row.id.removeprefix(KEY))
    return send(replace(model, overlay=None), SetModel(row.id))


def favourites(model: Model) -> tuple[str, ...]:
    known = entry(FAVOURITES)
    value = settings.value_of(model, known).value if known is not None else ()
    return tuple(value) if isinstance(value, list | tuple) else ()


@command(keys=("f6",), rank=53)
def next_model(model: Model, _: str) -> Step:
    """Switch to the next of your favourite models, or of those used last."""
    names = tuple(dict.fromkeys((*favourites(model), *(_told(model).used or ())[:USED])))
    now = model.transcript.model
    if not set(names) - {now}:
        return commands.find("model").run(model, "")
    at = names.index(now) + 1 if now in names else 0
    return send(model, SetModel(names[at % len(names)]))


def _entry(
    name: str, offered: ModelInfo | None, facts: ModelFacts | None, now: tuple[str, str], group: str
) -> Entry:
    """`now`: the model in use, and how hard it thinks."""
    if offered is None:
        return Entry(
            name, name, "not listed now", "its server does not list it, or was not reached", group
        )
    window, tools = offered.window_max or offered.window, offered.tools
    less = f", {words.window(offered.window)} set (num_ctx)" if 0 < offered.window < window else ""
    short = f"{words.window(window)} window" if window >= 1000 else ""
    can = [
        word for word, able in (("thinking", offered.thinking), ("images", offered.images)) if able
    ]
    price, costs = _price(facts)
    efforts = facts.efforts if facts is not None else ()
    used = (
        ("in use, effort " + now[1] if now[1] and efforts else "in use")
        if name and name == now[0]
        else ""
    )
    said = (short, price, "no tools" if tools is False else "", *can, used)
    unknown = UNKNOWN_YET if facts is not None and facts.window_later else UNKNOWN
    about = (
        f"{words.window(window)} window{less}" if window > 0 else unknown,
        "calls tools"
        if tools is True
        else "no tools: it can only chat"
        if tools is False
        else "tools: unknown",
        {
            "thinking images": "thinks, accepts images",
            "thinking": "thinks",
            "images": "accepts images",
        }.get(" ".join(can), ""),
        f"effort: {', '.join(efforts)}" if efforts else "",
        costs,
        offered.where,
    )
    return Entry(name, name, " · ".join(filter(None, said)), " · ".join(filter(None, about)), group)


def _price(facts: ModelFacts | None) -> tuple[str, str]:
    """The price in a word, and in words; nothing where nobody looked it up."""
    if facts is None:
        return "", ""
    if facts.price is None:
        return "", "no price is known"
    if not any(facts.price):
        return "free", "free: it runs locally"
    about = "" if facts.sure else "≈ "
    read, written = (cost(number).removesuffix(".00") for number in facts.price)
    return f"{about}{read}/{written}", f"{about}{read} for a million tokens read, {written} written"


def _is_model(_: Model, __: Overlay, row: Entry) -> bool:
    return row.id not in (ADDRESS, SILENT) and not row.id.startswith(KEY)


def _wants_key(_: Model, __: Overlay, row: Entry) -> bool:
    return row.id.startswith(KEY)


def _favour(model: Model, _: Overlay, row: Entry) -> Step:
    """A favourite, or none any more."""
    meant = _told(model).aliases.get(row.id, row.id)
    now = favourites(model)
    new = tuple(one for one in now if one != meant) if meant in now else (*now, meant)
    return model, (WriteSetting(FAVOURITES, new or None),)


def _use_here(model: Model, _: Overlay, row: Entry) -> Step:
    return model, (WriteSetting("model", row.id, project=True),)


def _arrange(model: Model, overlay: Overlay, picker: Picker, typed: bool) -> Picker:
    narrow = picker.query if typed else _narrowed(model, picker.query)
    return _beside(model, overlay, picker if narrow == picker.query else picker.looked_up(narrow))


def _nothing_offered(model: Model, overlay: Overlay) -> Lines:
    """Why there is no model to choose."""
    entries = overlay.picker.entries if overlay.picker is not None else ()
    if overlay.query or any(one.id != ADDRESS and one.group != IN_USE for one in entries):
        return ()
    return no_models(model.transcript.answers.models)


def _begin_on(model: Model) -> str:
    known = model.transcript.answers.models
    return known.model if known is not None else model.transcript.model


def _groups(answers: Answers) -> tuple[str, ...]:
    providers = dict.fromkeys(name.partition("/")[0] for name in offered_models(answers))
    return (*providers, *(answers.models.aliases if answers.models is not None else ()))


@command(argument="[name]", choices=_groups, free=True, rank=52)
def models(model: Model, args: str) -> Step:
    """List the models that the servers offer. /models openrouter lists one provider, /models fast
    shows what your alias means."""
    return open_sheet(model, "model", args)


def _on_text(model: Model, text: str) -> Step:
    """The address of a server was typed."""
    address = text.strip()
    if not address:
        return toast(model, "type an address, or press Esc")
    model = replace(composer.leave(model), overlay=None)
    return then(send(model, SetModel("", base_url=address)), toast(model, f"asking {address} …"))


SHEET: Final = Sheet(
    "Models",
    _rows,
    (
        Action("take", TAKES, "use", _take, closes=False),
        Action("key", ("f2",), "type a key", _take, _wants_key, closes=False),
        Action("favour", ("f2",), "favourite", _favour, _is_model, closes=False),
        Action("project", ("f3",), "project", _use_here, _is_model, closes=False),
    ),
    (models, next_model),
    query="models",
    reads=(ReadSettings(),),
    about_lines=2,
    begin_on=_begin_on,
    refreshes=True,
    arrange=_arrange,
    instead=_nothing_offered,
    on_text=_on_text,
)
