"""Which model a session runs on: chosen at the start, changed by the person, told as events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from agent_tui.agent.config import EngineConfig
from agent_tui.agent.services import setup
from agent_tui.agent.services.session_admin import sessions
from agent_tui.agent.services.stored_keys import Fresh
from agent_tui.agent.session.record import Record
from agent_tui.protocol import answers
from agent_tui.protocol.answers import Efforts, ModelFacts, Offer
from agent_tui.protocol.events import Answered, ErrorRaised, ModelChanged, Notice
from agent_tui.protocol.messages import ModelInfo
from agent_tui.providers.base import Provider
from agent_tui.providers.choosing import choose
from agent_tui.providers.facts import effort, presets, prices
from agent_tui.providers.services import service_of
from agent_tui.settings.layers import unsuitable

WAYS = "/models lists the models, /setup adds a provider"
NO_TOOLS = "This model may not support tools: then it can only chat."


class Models:
    """The provider in use, and how to get another."""

    def __init__(self, config: EngineConfig) -> None:
        self.config = config
        self.provider: Provider | None = None
        self.info = ModelInfo("")
        self.tried: tuple[answers.Tried, ...] = ()
        self.offered: tuple[str, ...] = ()
        """What the servers had when they were asked last."""
        self.fresh: Fresh | None = None
        """The configuration with the keys that are stored now: one may have been kept meanwhile."""
        self.refreshing: Callable[[EngineConfig], Fresh] | None = None
        """Makes `fresh`, for another configuration."""
        self._missed: dict[str, bool] = {}
        """What was wrong with the stored keys, and whether the person was told."""

    def configure(self, config: EngineConfig) -> None:
        """From now on it is `config` that the keys are added to."""
        self.config = config
        if self.refreshing is not None:
            self.fresh = self.refreshing(config)

    async def first_choice(self, wanted: str) -> choose.Choice:
        """The model to start with: the one that is wanted, else what is there."""
        choice = await choose.choose(wanted, self.config, self.unlock)
        await self._take(choice)
        return choice

    async def unlock(self, names: Iterable[str] | None = None) -> EngineConfig:
        """The configuration with the stored keys of the providers `names`; None: of all."""
        if (fresh := self.fresh) is not None:
            config, missed = await fresh(names)
            self._missed = dict.fromkeys(missed, False) | self._missed
            if fresh is self.fresh:  # else a provider was set up meanwhile
                self.config = config
        return self.config

    def tell_missed(self, record: Record) -> None:
        """What was wrong with the stored keys, once."""
        for line in [line for line, told in self._missed.items() if not told]:
            self._missed[line] = True
            record.emit(Notice(line, "warning"))

    async def change(
        self,
        record: Record,
        name: str,
        base_url: str = "",
        on_failure: Callable[[], str] = lambda: "",
    ) -> bool:
        """Change to `name`, to what answers at `base_url`, or (neither given) look again. Whether
        that was found; a failure changes nothing. What `on_failure` returns is said with it."""
        before = self.info.name
        if base_url:
            choice = await choose.connect(base_url, await self.unlock(presets.FOUND))
        else:
            choice = await choose.choose(name, self.config, self.unlock)
        self.tell_missed(record)
        if choice.provider is None:
            named = {tried.what for tried in choice.tried}
            others = (
                [tried for tried in self.tried if tried.what not in named]
                if (name or base_url)
                else []
            )
            self.tried = choice.tried if before else (*choice.tried, *others)
            record.emit(self.answer_query("start"))
            more = on_failure()
            if before and (
                name or base_url
            ):  # without a model, the screen that `told` brings up says it
                said = "; ".join(f"{tried.what}: {tried.result}" for tried in choice.tried)
                hint = (
                    "" if service_of(said.partition("/")[0]).is_played else WAYS
                )  # no list mends a script
                said = f"Model not changed: {said}; your model is still {before}{more}"
                record.emit(ErrorRaised(said, "unknown_model", hint))
            return False
        if base_url:  # lists and questions on the side are to know the server that is in use
            self.configure(self._with_address(choice.provider))
        await self.adopt(record, choice if base_url else choice.with_note(self._unlisted(choice)))
        if base_url:
            await self._offer_others(record, choice.provider)
        return True

    async def _offer_others(self, record: Record, provider: Provider) -> None:
        """A server that was named by its address may have more models than the one that was taken:
        a person chooses."""
        offered, _ = await choose.collect_offers(self.config, only=provider.name)
        if len(offered) > 1:
            record.emit(self.answer_query("others", offered))

    def _with_address(self, provider: Provider) -> EngineConfig:
        return setup.attempt_configuration(
            setup.Attempt(provider.name, address=address_of(provider)), self.config
        )

    async def refusal(self, wanted: str) -> str:
        """Why a model that somebody else suggests cannot be used; empty: it can."""
        name = choose.resolve_alias(wanted, self.config)
        if why := unsuitable(name):
            return why
        config = await self.unlock((name.partition("/")[0],))
        if why := choose.describe_lack(name, config):
            return why
        try:
            provider = choose.make(name, config)
        except LookupError as error:  # a name alone may be one of Ollama's
            return str(error.args[0]) if "/" in name else ""
        await provider.close()
        return ""

    def _unlisted(self, choice: choose.Choice) -> str:
        """Said of a hosted model that its server did not offer when it was asked; one nearby, and
        any Ollama, is asked with each choice."""
        if choice.info is None or choice.provider is None:
            return ""
        if service_of(choice.provider.name).pulls or choose.is_near(address_of(choice.provider)):
            return ""
        head = f"{choice.provider.name}/"
        return choose.describe_unlisted(
            choice.info.name, [name for name in self.offered if name.startswith(head)]
        )

    async def adopt(self, record: Record, choice: choose.Choice) -> None:
        """The session runs on what was chosen, from the next request on."""
        before = self.info.name
        await self._take(choice)
        if self.info.name != before:
            record.emit(ModelChanged(self.info.name, self.info.window, self.info.window_assumed))
            self.tell_efforts(record)
            if self.info.note:
                record.emit(Notice(self.info.note))
            if self.info.tools is False:
                record.emit(Notice(NO_TOOLS, "warning"))
        if self.provider is not None:
            await self.provider.prepare()

    async def offer(self, record: Record, id: str) -> None:
        """Answer the query for what each server has."""
        offered, self.tried = await choose.collect_offers(await self.unlock())
        self.tell_missed(record)
        self.offered = tuple(one.name for one in offered)
        known, facts = self._known(offered), await facts_of(offered, self.config)
        used, unset = recently_used(self.config), providers_not_set_up(self.config)
        record.emit(Answered(id, replace(known, facts=facts, used=used, unset=unset)))

    def tell_efforts(self, record: Record) -> None:
        """How hard the model can be asked to think: the screen has to know it before a key is
        pressed."""
        if self.info.name:
            record.emit(Answered("start", efforts(self.info, self.config)))

    def answer_query(self, id: str, offered: tuple[ModelInfo, ...] = ()) -> Answered:
        return Answered(id, self._known(offered))

    def _known(self, offered: tuple[ModelInfo, ...]) -> answers.Models:
        aliases = self.config.settings.aliases
        return answers.Models(
            self.info.name, offered, self.tried, tuple(choose.KEY_VARIABLES), aliases
        )

    async def close(self) -> None:
        if self.provider is not None:
            await self.provider.close()

    async def _take(self, choice: choose.Choice) -> None:
        self.tried = choice.tried
        if choice.provider is None:
            return
        old, self.provider = self.provider, choice.provider
        self.info = choice.info or ModelInfo(f"{choice.provider.name}/{choice.provider.model}")
        if old is not None:
            await old.close()


def address_of(provider: Provider | None) -> str:
    """The address of a provider's server; empty for one without."""
    return str(getattr(provider, "base_url", ""))


USED = 10


async def facts_of(offered: Sequence[ModelInfo], config: EngineConfig) -> dict[str, ModelFacts]:
    """What is known of each model, by name."""
    addresses: dict[str, str] = {}
    for info in offered:
        if (name := info.name.partition("/")[0]) not in addresses:
            addresses[name] = await _address(info.name, config)
    found: dict[str, ModelFacts] = {}
    for info in offered:
        provider, _, model = info.name.partition("/")
        price = prices.find_price(provider, model, addresses[provider], config.settings.prices)
        found[info.name] = ModelFacts(
            None if price is None else (price.input, price.output),
            price is not None and price.sure,
            effort.cycle(effort.levels(provider, model, info.thinking)),
            service_of(provider).pulls,
        )
    return found


def providers_not_set_up(config: EngineConfig) -> tuple[Offer, ...]:
    """The providers that cannot be asked what they offer, and what each needs before."""
    offers = setup.offers(config)
    return tuple(replace(one, said=choose.needs(one.name, config)) for one in offers if one.needs)


def efforts(info: ModelInfo, config: EngineConfig) -> Efforts:
    """What each level of effort means to a model, which of them the key goes through, and what it
    does unasked."""
    provider, _, model = info.name.partition("/")
    found = effort.levels(provider, model, info.thinking)
    known = config.settings.providers.get(provider)
    own = known.options.get("think") if known is not None else None
    auto = "thinks by its own default" if own is None else f"as `think` of {provider} says: {own}"
    return Efforts(info.name, auto, tuple(one.shown for one in found), effort.cycle(found))


async def _address(name: str, config: EngineConfig) -> str:
    try:
        provider = choose.make(name, config)
    except LookupError:
        return ""
    try:
        return str(getattr(provider, "base_url", ""))
    finally:
        await provider.close()


def recently_used(config: EngineConfig) -> tuple[str, ...]:
    """The models of the newest sessions, the last first."""
    newest = sorted(sessions(config).sessions, key=lambda one: -one.at)
    return tuple(dict.fromkeys(one.model for one in newest if one.model))[:USED]
