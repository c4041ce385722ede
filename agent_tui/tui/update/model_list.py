"""The list of models: favourites, those used last, the rest; what each can do and costs; the keys of the list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from agent_tui.protocol.ops import SetModel
from agent_tui.settings_kinds import entry
from agent_tui.tui.effects import WriteSetting
from agent_tui.tui.model import Model, Purpose
from agent_tui.tui.msg import KeyPressed
from agent_tui.tui.picker import Entry, Picker
from agent_tui.tui.update import composer, overlay, settings
from agent_tui.tui.update.session_lists import listed
from agent_tui.tui.update.step import Step, send
from agent_tui.tui.view import words

UNKNOWN: Final = "window not known: 128k assumed"
UNKNOWN_NEARBY: Final = "window not known"
ADDRESS: Final = "address"
SILENT: Final = "silent"
"""Stands for every server that did not answer: to choose one of them is to ask all again."""
KEY: Final = "the key of "
"""With the name of a provider: it wants one. No name of a model has spaces."""
UNSET: Final = "not set"
USED: Final = 5
"""So many of those used last have a place of their own."""
FAVOURITES: Final = "favourites"
IN_USE: Final = "In use"
"""The group of the model in use where its server does not list it."""


def entries(model: Model) -> Iterator[Entry]:
    data = model.transcript.answers.get("models")
    data = data if isinstance(data, Mapping) else {}
    offered = {str(one.get("name", "")): one for one in listed(data, "offered")}
    facts, used = data.get("facts"), data.get("used")
    facts = facts if isinstance(facts, Mapping) else {}
    aliases, now = _aliases(model), (str(data.get("model") or ""), model.transcript.effort)
    shown = set[str]()
    if now[0] and "offered" in data and now[0] not in offered:
        shown.add(now[0])
        yield replace(_entry(now[0], None, None, now, IN_USE), detail="in use · not listed")
    for alias, meant in aliases.items():
        known = _entry(meant, offered.get(meant), facts.get(meant), now, "Aliases")
        yield replace(known, id=alias, label=alias, detail=f"{meant} · {known.detail}" if known.detail else meant)
    groups = [("Favourites", favourites(model) if offered else ())]
    last = [str(name) for name in used] if isinstance(used, list | tuple) else []
    groups.append(("Used last", tuple(name for name in last if name in offered)[:USED]))
    for group, names in groups:
        for name in names:
            if name not in shown:
                shown.add(name)
                yield _entry(name, offered.get(name), facts.get(name), now, group)
    for name, one in offered.items():
        if name not in shown:
            yield _entry(name, one, facts.get(name), now, "All others" if shown or aliases else "")
    for one in listed(data, "tried"):
        what, result = str(one.get("what", "")), str(one.get("result", ""))
        if offered and result != UNSET:
            yield Entry(SILENT, what, "offers nothing now", f"{what}: {result}", "Without an answer", "warning")
    yield Entry(ADDRESS, "enter a server address", "Ollama or OpenAI's API")


def _aliases(model: Model) -> dict[str, str]:
    """The person's own names, and the models that they stand for."""
    data = model.transcript.answers.get("models")
    found = data.get("aliases") if isinstance(data, Mapping) else None
    return {str(alias): str(meant) for alias, meant in found.items()} if isinstance(found, Mapping) else {}


def narrowed(model: Model, query: str) -> str:
    """What is looked for: by the name of a provider its models, not all that has these letters."""
    data = model.transcript.answers.get("models")
    heads = {str(one.get("name", "")).partition("/")[0] for one in listed(data, "offered")}
    head = query.lower()
    return f"{head}/" if head in heads and query not in _aliases(model) else query


def beside(model: Model, picker: Picker) -> Picker:
    """With a row for what was typed, where that is no entry: its provider wants a key, else it can be used as a name,
    as not every server lists all that it has."""
    typed, asked = picker.query.strip(), model.overlay is not None and bool(model.overlay.query)
    if (wants := _wanting(model, typed.partition("/")[0])) is not None:
        label = str(wants.get("label", ""))
        row = Entry(f"{KEY}{wants['name']}", label, "needs a key: Enter gives it", str(wants.get("said", "")))
        return replace(picker, shown=(row, *picker.shown), at=0)
    bare = not typed or " " in typed or typed != typed.strip("/") or ("/" not in typed and picker.shown)
    if asked or bare or any(one.id.lower() == typed.lower() for one in picker.shown):
        return picker
    return replace(picker, shown=(*picker.shown, Entry(typed, f"use “{typed}”", "it is not listed")))


def _wanting(model: Model, name: str) -> Mapping[str, Any] | None:
    """What the engine told of a provider that cannot be asked for its models yet."""
    data, name = model.transcript.answers.get("models"), name.lower()
    there = listed(data, "unset") if name else ()
    return next((one for one in there if name in (one.get("name"), str(one.get("label", "")).lower())), None)


def taken(model: Model, id: str) -> Step:
    """Enter: a model is used; what is still missing for one is asked for."""
    if id == ADDRESS:
        return composer.ask(model, Purpose("address", overlay.ADDRESS_LABEL)), ()
    if id.startswith(KEY):
        return overlay.set_up(model, _wanting(model, id.removeprefix(KEY)))
    return send(replace(model, overlay=None), SetModel(id))


def favourites(model: Model) -> tuple[str, ...]:
    known = entry(FAVOURITES)
    value = settings.value_of(model, known).value if known is not None else ()
    return tuple(value) if isinstance(value, list | tuple) else ()


def _entry(name: str, offered: Mapping[str, Any] | None, facts: Any, now: tuple[str, str], group: str) -> Entry:
    """`now`: the model in use, and how hard it thinks."""
    if offered is None:
        return Entry(name, name, "not listed now", "its server does not list it, or was not reached", group)
    facts = facts if isinstance(facts, Mapping) else {}
    window, tools = offered.get("window"), offered.get("tools")
    known, room = isinstance(window, int) and window > 0, offered.get("room")
    less = f", {room:,} of them used" if isinstance(room, int) else ""
    short = f"{words.window(window)} window" if isinstance(window, int) and window >= 1000 else ""
    can = [word for word in ("thinking", "images") if facts.get(word) is True]
    price, costs = _price(facts)
    efforts = facts.get("efforts")
    efforts = efforts if isinstance(efforts, list | tuple) else ()
    used = ("in use, effort " + now[1] if now[1] and efforts else "in use") if name and name == now[0] else ""
    said = (short, price, "no tools" if tools is False else "", *can, used)
    about = (
        f"a window of {window:,} tokens{less}" if known else UNKNOWN_NEARBY if name.startswith("ollama/") else UNKNOWN,
        "calls tools" if tools is True else "calls no tools: it can only talk" if tools is False else "tools: not said",
        {"thinking images": "thinks, and takes images", "thinking": "thinks", "images": "takes images"}.get(
            " ".join(can), ""
        ),
        f"effort: {', '.join(map(str, efforts))}" if efforts else "",
        costs,
        str(offered.get("where") or ""),
    )  # fmt: skip
    return Entry(name, name, " · ".join(filter(None, said)), " · ".join(filter(None, about)), group)


def _price(facts: Mapping[str, Any]) -> tuple[str, str]:
    """The price in a word, and in words; nothing where nobody looked it up."""
    if "price" not in facts:
        return "", ""
    price = facts["price"]
    if not isinstance(price, list | tuple) or len(price) != 2 or not all(isinstance(n, int | float) for n in price):
        return "", "no price is known"
    if not any(price):
        return "free", "costs nothing: it runs nearby"
    about = "" if facts.get("sure") else "≈ "
    read, written = (f"${number:,.2f}".removesuffix(".00") for number in price)
    return f"{about}{read}/{written}", f"{about}{read} for a million tokens read, {written} written"


def pressed(model: Model, picker: Picker, msg: KeyPressed) -> Step | None:
    """F2: a favourite, or none any more. F3: the model of this project. None: no key of the list's own."""
    chosen = picker.chosen
    if msg.key not in ("f2", "f3") or chosen is None or chosen.id in (ADDRESS, SILENT):
        return None
    if chosen.id.startswith(KEY):
        return taken(model, chosen.id) if msg.key == "f2" else (model, ())
    if msg.key == "f3":
        return model, (WriteSetting("model", chosen.id, project=True),)
    meant = _aliases(model).get(chosen.id, chosen.id)
    now = favourites(model)
    new = tuple(one for one in now if one != meant) if meant in now else (*now, meant)
    return model, (WriteSetting(FAVOURITES, new or None),)
