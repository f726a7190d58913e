"""Reading a store for the doctor: one look at each family of keys, in pages, so that nobody else waits for it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from agon_engine.core.options import OptionValue
from agon_engine.registry import game_names, get_game
from agon_ladder.errors import LadderError
from agon_server.accounts import Accounts
from agon_server.ladders.definitions import DefinitionError, LadderDef
from agon_server.ladders.tournaments import read_progress
from agon_server.operations.awaited import Bar, barred
from agon_server.queue.claim import DeadLetter, SetAside
from agon_server.queue.desk import Desk
from agon_server.queue.entry import MatchEntry
from agon_server.retirements import Retirements
from agon_server.store import keys
from agon_server.store.checks import Weakness, parse_info, weakness
from agon_server.store.connection import Store
from agon_server.store.errors import QueueEntryError, StoreError

_PAGE = 50
"""Matches that one call reads, their entries too."""
_SCANNED = 500
_FAMILIES = (keys.MATCH, keys.JOURNAL, keys.RUNNING, keys.SERVER, keys.PRESENCE, keys.TABLE)


@dataclass(frozen=True, slots=True)
class Queued:
    """One entry of a queue, with its state at that moment."""

    stream: str
    id: str
    match: str
    entry: MatchEntry | None
    """None where it cannot be read."""
    consumer: str
    """The server to which it was delivered last; empty: to none yet."""
    idle_ms: int
    """Since its lease was renewed; -1: not delivered."""
    state: dict[str, str]
    """Empty: it has none."""


@dataclass(frozen=True, slots=True)
class State:
    """The state of one match, with what belongs to it at that moment."""

    match: str
    has_entry: bool
    running: tuple[str, ...]
    """By seat its entry of the index of running matches; empty: none."""
    fields: dict[str, str]

    @property
    def owner(self) -> str:
        return self.fields.get("owner", "")

    @property
    def epoch(self) -> str:
        return self.fields.get("epoch", "")

    @property
    def seats(self) -> list[str]:
        """By seat the bot's process."""
        try:
            places = json.loads(self.fields.get("seats", ""))
        except ValueError:
            return []
        return [place for place in places if isinstance(place, str)] if isinstance(places, list) else []


@dataclass(frozen=True, slots=True)
class Kept:
    """The journal of one match, as it is in the store."""

    match: str
    kind: str
    """The type of its key; a journal's is `list`."""
    has_state: bool
    progress: int
    """Decisions that its referee has reported."""
    known: int
    """Lines that it had when the match was claimed last."""
    lines: Sequence[bytes] = field(repr=False)
    """Secret while the match runs."""


@dataclass(frozen=True, slots=True)
class Consumer:
    """One server in the consumer group of a queue."""

    stream: str
    name: str
    idle_ms: int
    """Since it asked for a match or renewed one."""


@dataclass(frozen=True, slots=True)
class Slots:
    """Slots by bot process."""

    held: dict[str, int]
    """By matches that wait or run."""
    reserved: dict[str, int]


@dataclass(frozen=True, slots=True)
class PresentBot:
    """A bot process that is listed as connected, or of which something is left."""

    place: str
    expires_ms: int | None
    """When it counts as gone; None: it is not listed."""
    process: str
    """The lobby process that says it holds the stream; empty: it has no presence."""
    listeners: int
    """How many listen to that process's offers: its lobby does."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How the results, their readers and the ladders stand to each other."""

    now_ms: int
    length: int
    oldest: str
    """The id of the oldest result; empty with none."""
    last: str
    trimmed: str
    leader: str
    """The server with the ladder lease; empty: none."""
    lease_ms: int
    """How long the lease still holds."""
    cursor: str
    waiting: str
    """The id of the first result that is not folded; empty: none waits."""
    readers: dict[str, str]


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A ladder's table."""

    ladder: str
    failed: str
    position: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLook:
    """Everything that the checks of a store judge."""

    now_ms: int
    queued: Sequence[Queued] = ()
    states: Sequence[State] = ()
    journals: Sequence[Kept] = ()
    stray_running: Sequence[tuple[str, str]] = ()
    """Bot, and a name in the index of running matches that belongs to no match."""
    consumers: Sequence[Consumer] = ()
    servers: dict[str, str] = field(default_factory=dict)
    """Address by name."""
    slots: Slots = field(default_factory=lambda: Slots({}, {}))
    present: Sequence[PresentBot] = ()
    standing: Standing
    ladders: dict[str, str] = field(default_factory=dict)
    """Definition by name."""
    files: dict[str, str] = field(default_factory=dict, repr=False)
    """Text by hash, of the files that options in the queue and of ladders name; empty: there is none."""
    tables: Sequence[TableFacts] = ()
    barred: Mapping[str, Mapping[str, Bar]] = field(default_factory=dict)
    """By open tournament, the bots that it waits for and that get no matches of it."""
    letters: Sequence[DeadLetter] = ()
    set_aside: Sequence[SetAside] = ()
    weakness: Weakness | None = None
    """Why the store can lose what it was given."""


async def look_at_store(store: Store) -> StoreLook:
    """Read the store once. Raise StoreError where it does not answer."""
    names = await _scan(store)
    servers = {}
    for name in names[keys.SERVER]:
        address = await store.command("HGET", keys.SERVER + name, "address")
        if address is not None:
            servers[name] = address.decode()

    streams = sorted(name.decode() for name in await store.command("SMEMBERS", keys.QUEUES))
    queued = [item for stream in streams for item in await _queued(store, stream)]
    matches = sorted({*names[keys.MATCH], *(item.match for item in queued if item.match)})
    states = [item for page in _pages(matches) for item in map(_state, await store.script("look_states", *page))]
    journals: list[Kept] = []
    for page in _pages(sorted(names[keys.JOURNAL])):
        journals += map(_kept, await store.script("look_journals", *page))
    running: list[tuple[str, str]] = []
    for page in _pages(sorted(names[keys.RUNNING])):
        running += [(_text(bot), _text(name)) for bot, name in await store.script("look_running", *page)]
    desk = Desk(store)
    ladders = _texts(await store.command("HGETALL", keys.LADDERS))
    return StoreLook(
        now_ms=await store.now_ms(),
        queued=queued,
        states=states,
        journals=journals,
        stray_running=running,
        consumers=[item for stream in streams for item in await _consumers(store, stream)],
        servers=servers,
        slots=await _slots(store, states),
        present=await _present(store, names[keys.PRESENCE]),
        standing=await _standing(store),
        ladders=ladders,
        files=await _files(store, queued, ladders),
        tables=[await _table(store, name) for name in sorted(names[keys.TABLE])],
        barred=await _barred(store, ladders),
        letters=await desk.dead(),
        set_aside=await desk.set_aside(),
        weakness=weakness(parse_info(await store.command("INFO"))),
    )


async def _barred(store: Store, ladders: Mapping[str, str]) -> dict[str, dict[str, Bar]]:
    accounts, retirements = Accounts(store), Retirements(store)
    found = {}
    for name, text in ladders.items():
        try:
            ladder = LadderDef.from_json(text)
        except DefinitionError:
            continue  # another check tells it
        if ladder.schedule is None or not ladder.open:
            continue
        if bars := await barred(accounts, retirements, ladder.schedule.bots, ladder.deals):
            # Where what was played cannot be read, nothing goes on, and any of them may be waited for.
            with suppress(LadderError):
                due = (await read_progress(store, ladder)).bots_due()
                bars = {bot: bar for bot, bar in bars.items() if bot in due}
            found[name] = bars
    return found


async def _scan(store: Store) -> dict[str, set[str]]:
    """Return what stands behind each family's prefix in the names of the store's keys."""
    found: dict[str, set[str]] = defaultdict(set)
    cursor = b"0"
    while True:
        cursor, page = await store.command("SCAN", cursor, "MATCH", "agon:*", "COUNT", _SCANNED)
        for name in map(_text, page):
            for family in _FAMILIES:
                if name.startswith(family):
                    found[family].add(name.removeprefix(family))
        if cursor == b"0":
            return found


async def _queued(store: Store, stream: str) -> list[Queued]:
    found: list[Queued] = []
    cursor = "0-0"
    while page := await store.script("look_matches", stream, cursor, _PAGE):
        for entry_id, match, entry, consumer, idle, state in page:
            cursor = entry_id.decode()
            found.append(Queued(stream, cursor, _text(match), _entry(entry), _text(consumer), int(idle), _texts(state)))
    return found


def _entry(raw: bytes) -> MatchEntry | None:
    try:
        return MatchEntry.from_json(raw)
    except QueueEntryError:
        return None


def _state(row: Sequence[Any]) -> State:
    match, has_entry, running, flat = row
    return State(_text(match), bool(has_entry), tuple(map(_text, running)), _texts(flat))


def _kept(row: Sequence[Any]) -> Kept:
    match, kind, has_state, progress, known, *lines = row
    return Kept(_text(match), _text(kind), bool(has_state), int(progress), int(known), lines)


async def _consumers(store: Store, stream: str) -> list[Consumer]:
    try:
        rows = await store.command("XINFO", "CONSUMERS", stream, keys.GROUP)
    except StoreError:
        return []  # nobody has asked for a match yet
    told = [dict(zip(row[::2], row[1::2], strict=True)) for row in rows]
    return [Consumer(stream, _text(row[b"name"]), int(row[b"idle"])) for row in told]


async def _slots(store: Store, states: Sequence[State]) -> Slots:
    """Count slots: all at one moment where a count from single looks differs, as it does where matches come and go."""
    held: dict[str, int] = defaultdict(int)
    for state in states:
        for place in state.seats:
            held[place] += 1
    reserved = _counts(await store.command("HGETALL", keys.RESERVED))
    if held == reserved:
        return Slots(dict(held), reserved)

    without_entry = [state.match for state in states if not state.has_entry]
    exact = await store.script("look_slots", *without_entry)
    return Slots(*map(_counts, exact))


async def _present(store: Store, places: set[str]) -> list[PresentBot]:
    listed = {_text(place) for place in await store.command("ZRANGE", keys.ONLINE, 0, -1)}
    found: list[tuple[str, str, str]] = []
    for page in _pages(sorted(places | listed)):
        _, *flat = await store.script("look_presence", *page)
        found += zip(page, map(_text, flat[::2]), map(_text, flat[1::2]), strict=True)
    processes = sorted({process for _, _, process in found if process})
    listeners: dict[str, int] = {}
    for page in _pages(processes):
        flat = await store.command("PUBSUB", "NUMSUB", *(keys.OFFERS + process for process in page))
        listeners |= dict(zip(page, map(int, flat[1::2]), strict=True))
    return [
        PresentBot(place, int(float(score)) if score else None, process, listeners.get(process, 0))
        for place, score, process in found
        if score or process
    ]


async def _standing(store: Store) -> Standing:
    now, length, oldest, last, trimmed, lease, lease_ms, cursor, waiting, readers = await store.script("look_results")
    return Standing(
        now_ms=int(now),
        length=int(length),
        oldest=_text(oldest),
        last=_text(last),
        trimmed=_text(trimmed),
        leader=_text(lease).partition(" ")[2],
        lease_ms=int(lease_ms),
        cursor=_text(cursor),
        waiting=_text(waiting),
        readers=_texts(readers),
    )


def files_named(game: str, options: Mapping[str, OptionValue]) -> list[str]:
    """Return the hashes of the files that options name; none where the game is not known here."""
    return list(get_game(game).spec.files_of(options).values()) if game in game_names() else []


async def _files(store: Store, queued: Sequence[Queued], ladders: Mapping[str, str]) -> dict[str, str]:
    named = {file for item in queued if item.entry for file in files_named(item.entry.game, item.entry.options)}
    for text in ladders.values():
        with suppress(DefinitionError):
            ladder = LadderDef.from_json(text)
            named.update(files_named(ladder.game, ladder.options))
    found = {file: await store.command("HGET", keys.FILES, file) for file in sorted(named)}
    return {file: _text(raw or b"") for file, raw in found.items()}


async def _table(store: Store, ladder: str) -> TableFacts:
    failed, position = await store.command("HMGET", keys.TABLE + ladder, "failed", "position")
    return TableFacts(ladder, _text(failed or b""), _text(position or b"0-0"))


def _pages(names: Sequence[str]) -> list[Sequence[str]]:
    return [names[start : start + _PAGE] for start in range(0, len(names), _PAGE)]


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _texts(flat: Sequence[bytes]) -> dict[str, str]:
    return {_text(name): _text(value) for name, value in zip(flat[::2], flat[1::2], strict=True)}


def _counts(flat: Sequence[Any]) -> dict[str, int]:
    return {_text(place): int(count) for place, count in zip(flat[::2], flat[1::2], strict=True)}
