"""The arena of a chaos run: a store, servers behind proxies, bots; what can be done to them, and what was, and when.

Everything is a real process of a `Site`, which ends it whatever happens.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from tests.chaos.plan import Blow
from tests.support.e2e import Process, ServerProcess, Site, until
from tests.support.own_store import OwnStore
from tests.support.proxy import Proxy

ROOT = Path(__file__).resolve().parents[2]
APART_SECONDS = 3.0
"""A store and a referee are not killed within this time of each other: what neither has on disk would be lost."""
NAMES = ("one", "two", "three", "four")


@dataclass(slots=True)
class Settings:
    """How an arena is built."""

    servers: int = 2
    bots: tuple[str, ...] = ("random", "random", "random", "greedy", "greedy", "raw", "raw")
    slots: int = 6
    think: float = 0.015
    lease: float = 3.0
    drain: float = 2.0
    ladders: tuple[str, ...] = ()
    """Those that stay open; none named: all."""


@dataclass(slots=True)
class Place:
    """A server's place: its process now, and the proxy through which all reach it."""

    name: str
    proxy: Proxy
    process: ServerProcess
    busy: bool = False
    """Something is being done to it."""

    @property
    def address(self) -> str:
        return self.proxy.address


@dataclass(slots=True)
class Player:
    """A bot's place."""

    name: str
    kind: str
    token: str
    process: Process
    busy: bool = False


P = TypeVar("P", Place, Player)


@dataclass(frozen=True, slots=True)
class Happened:
    """One thing that was done."""

    when: float
    """Seconds since 1970."""
    blow: Blow
    what: str
    """The server, bot or store."""
    until: float = 0.0
    """When it was over: the process serves again, or goes on."""


class Arena:
    """Use as an async context manager within a site; `strike` does one thing, `calm` waits until all is well again."""

    def __init__(self, site: Site, settings: Settings, seed: int, tell: Callable[[str], None]) -> None:
        self.site = site
        self.settings = settings
        self.happened: list[Happened] = []
        self.began = time.time()
        self.places: list[Place] = []
        self.players: list[Player] = []
        self.store: OwnStore
        self._rng = random.Random(seed)
        self._tell = tell
        self._tasks: set[asyncio.Task[None]] = set()
        self._stack = AsyncExitStack()
        self._referee_hit = self._store_hit = 0.0
        """When the last kill or stop of a server, and of the store, was over."""
        self._no_store = asyncio.Lock()

    async def __aenter__(self) -> Self:
        self.store = await OwnStore.started(self.site, "everysec")
        names = NAMES[: self.settings.servers]
        proxies = [await self._stack.enter_async_context(Proxy("127.0.0.1:1")) for _ in names]
        processes = await asyncio.gather(*map(self._serve, names, proxies))
        self.places = list(map(Place, names, proxies, processes))
        one = self.places[0].process
        if self.settings.ladders:
            await one.close_ladders(*self.settings.ladders)
        for number, kind in enumerate(self.settings.bots):
            name = f"{kind}-{number}"
            token = await one.register(name)
            self.players.append(Player(name, kind, token, self._play(name, kind, token)))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.to_thread(self.site.end)
        await self._stack.aclose()

    # -- processes -------------------------------------------------------------------------------------------

    async def _serve(self, name: str, proxy: Proxy) -> ServerProcess:
        """Start a server of that name behind its proxy, and return when it serves."""
        settings = self.settings
        given = {
            "lease": settings.lease,
            "ping": 1,
            "deliveries": 50,
            "time.connect": 20,
            "time.move": 10,
            "house_games": 0,
        }
        arguments = ["--redis", self.store.url, "--name", name, "--advertise", proxy.address]
        arguments += ["--drain", f"{settings.drain:g}"]
        arguments += [item for key, value in given.items() for item in ("--set", f"{key}={value:g}")]
        process = await asyncio.to_thread(
            lambda: self.site.launch_server(*arguments, name=f"server-{name}", data=f"data-{name}")
        )
        proxy.target = process.address
        return process

    def _play(self, name: str, kind: str, token: str) -> Process:
        addresses = ",".join(place.address for place in self.places)
        arguments = ["-m", "tests.chaos.bots", kind, addresses, str(self.site.folder / f"{name}.jsonl")]
        arguments += ["--slots", str(self.settings.slots), "--think", f"{self.settings.think:g}"]
        return self.site.python(f"bot-{name}", arguments, AGON_TOKEN=token, PYTHONPATH=str(ROOT))

    @property
    def witnesses(self) -> list[Path]:
        """The files in which bots write what they see."""
        return sorted(self.site.folder.glob("*.jsonl"))

    def up(self) -> Place | None:
        """Return a server that nothing is being done to."""
        return next((place for place in self.places if not place.busy), None)

    # -- blows -----------------------------------------------------------------------------------------------

    async def strike(self, blow: Blow) -> None:
        """Do one thing; what has to be made good later is, beside what comes next."""
        if blow is Blow.STORE:
            await self._strike_store()
        elif blow is Blow.ROLLING:
            await self._free_places(len(self.places))
            self._spawn(self._roll())
        elif blow in (Blow.BOT, Blow.BOT_STILL):
            player = await self._free(self.players)
            self._spawn(self._kill_bot(player) if blow is Blow.BOT else self._still_bot(player))
        else:
            place = await self._free(self.places)
            work = {
                Blow.SERVER_BACK: self._kill_server,
                Blow.SERVER_GONE: self._lose_server,
                Blow.SERVER_STILL: self._still_server,
                Blow.CUT: self._cut,
            }
            self._spawn(work[blow](place))

    async def calm(self) -> None:
        """Return when everything that was begun is over. Raise what went wrong with it."""
        while self._tasks:
            done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                self._tasks.discard(task)
                task.result()

    def check(self) -> None:
        """Raise what went wrong in the making good of a blow."""
        for task in [task for task in self._tasks if task.done()]:
            self._tasks.discard(task)
            task.result()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.add(asyncio.create_task(work))

    async def _free(self, places: list[P]) -> P:
        """Return one that nothing is being done to, drawn by the seed, and mark it as busy."""
        await until(lambda: any(not place.busy for place in places), what="one is left alone")
        chosen = self._rng.choice([place for place in places if not place.busy])
        chosen.busy = True
        return chosen

    async def _free_places(self, count: int) -> None:
        await until(lambda: sum(not place.busy for place in self.places) >= count, what="all servers are left alone")
        for place in self.places:
            place.busy = True

    async def _apart(self, last: float) -> None:
        """Wait until a kill of the other kind is long enough ago."""
        await asyncio.sleep(max(0.0, last + APART_SECONDS - time.time()))

    def _note(self, blow: Blow, what: str, more: str = "") -> float:
        now = time.time()
        self._tell(f"{now - self.began:6.1f} s  {blow.name.lower().replace('_', ' '):<13} {what}{more}")
        return now

    async def _strike_store(self) -> None:
        async with self._no_store:
            await self._apart(self._referee_hit)
            away = self._rng.uniform(0.2, 2.5)
            when = self._note(Blow.STORE, "store", f", for {away:.1f} s")
            self.store.kill()
            await asyncio.sleep(away)
            await self.store.start()
            self._store_hit = time.time()
            self.happened.append(Happened(when, Blow.STORE, "store", self._store_hit))

    async def _hit_referee(self) -> None:
        """Wait until a referee may be killed or stopped."""
        async with self._no_store:
            await self._apart(self._store_hit)
            self._referee_hit = time.time()

    async def _kill_server(self, place: Place) -> None:
        await self._hit_referee()
        when = self._note(Blow.SERVER_BACK, place.name, ", back at once")
        place.process.kill()
        await self._again(place, when, Blow.SERVER_BACK)

    async def _lose_server(self, place: Place) -> None:
        await self._hit_referee()
        away = self.settings.lease + self._rng.uniform(2.5, 4.0)
        when = self._note(Blow.SERVER_GONE, place.name, f", away for {away:.1f} s")
        place.process.kill()
        await asyncio.sleep(away)
        await self._again(place, when, Blow.SERVER_GONE)

    async def _again(self, place: Place, when: float, blow: Blow) -> None:
        while True:
            try:
                place.process = await self._serve(place.name, place.proxy)
                break
            except AssertionError:
                # Its store was away just then; a person would start it again too.
                await asyncio.sleep(0.5)
        self.happened.append(Happened(when, blow, place.name, time.time()))
        place.busy = False

    async def _still_server(self, place: Place) -> None:
        await self._hit_referee()
        seconds = self.settings.lease + self._rng.uniform(1.0, 3.0)
        when = self._note(Blow.SERVER_STILL, place.name, f", for {seconds:.1f} s")
        place.process.signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        place.process.signal(signal.SIGCONT)
        self.happened.append(Happened(when, Blow.SERVER_STILL, place.name, time.time()))
        place.busy = False

    async def _cut(self, place: Place) -> None:
        when = self._note(Blow.CUT, place.name)
        await place.proxy.cut()
        self.happened.append(Happened(when, Blow.CUT, place.name, time.time()))
        place.busy = False

    async def _roll(self) -> None:
        for place in self.places:
            async with self._no_store:  # an ending referee is one that is gone, too
                await self._apart(self._store_hit)
                when = self._note(Blow.ROLLING, place.name)
                place.process.signal(signal.SIGTERM)
                code = await place.process.wait()
                self._referee_hit = time.time()
            assert code == 0, f"server {place.name} ended with {code}:\n{place.process.log[-2_000:]}"
            await self._again(place, when, Blow.ROLLING)
            place.busy = True
        for place in self.places:
            place.busy = False

    async def _kill_bot(self, player: Player) -> None:
        away = self._rng.choice((0.0, 0.0, 1.0, 2.0))
        when = self._note(Blow.BOT, player.name, f", away for {away:.1f} s" if away else "")
        player.process.kill()
        await asyncio.sleep(away)
        player.process = self._play(player.name, player.kind, player.token)
        self.happened.append(Happened(when, Blow.BOT, player.name, time.time()))
        player.busy = False

    async def _still_bot(self, player: Player) -> None:
        seconds = self._rng.uniform(1.0, 5.0)
        when = self._note(Blow.BOT_STILL, player.name, f", for {seconds:.1f} s")
        player.process.signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        player.process.signal(signal.SIGCONT)
        self.happened.append(Happened(when, Blow.BOT_STILL, player.name, time.time()))
        player.busy = False

    # -- the end ---------------------------------------------------------------------------------------------

    async def dismiss(self) -> None:
        """Let all bots end in peace, when nothing is left to play."""
        for player in self.players:
            player.process.signal(signal.SIGTERM)
        for player in self.players:
            await player.process.wait()

    def counts(self) -> Counter[Blow]:
        """Return how often each thing was done."""
        return Counter(done.blow for done in self.happened)

    def keep_logs(self, folder: Path) -> None:
        """Copy logs and bots' files to where they outlive the run."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in [*self.site.folder.glob("*.log"), *self.witnesses]:
            shutil.copy(file, folder)
