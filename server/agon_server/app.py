"""A whole server: puts store, queue, referee, lobby, ladders, archive, services and metrics together, starts them in
the order in which they need each other, and ends them in the opposite one. No logic of its own.

`lifetime` is what `agon serve` runs: a Server until a signal, then it drains.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from functools import partial
from types import TracebackType
from typing import Any, Self

from agon.address import Address
from agon.codec.rpc import SERVICES
from agon_server.accounts import Accounts
from agon_server.archive.archive import Archive
from agon_server.archive.aside import set_others_aside
from agon_server.archive.folder import ArchiveError
from agon_server.config import ConfigError, ServerConfig
from agon_server.exposition import Exposition
from agon_server.gauges import keep_gauges
from agon_server.held_name import HeldName
from agon_server.ladders.fold import Fold
from agon_server.ladders.history import History
from agon_server.ladders.lease import Lease
from agon_server.ladders.pairing import Pairing
from agon_server.ladders.role import LadderRole
from agon_server.ladders.worker import AuditProcess
from agon_server.launch.house import HouseBots, house_account
from agon_server.listening import listen
from agon_server.lobby.lobby import TOUCH_SECONDS, Lobby
from agon_server.metrics import Metrics
from agon_server.operations.finding import find_record
from agon_server.operations.installation import Installation, one_thread
from agon_server.presence import Presence
from agon_server.queue.desk import Desk
from agon_server.queue.queue import Queue
from agon_server.queue.results import Results
from agon_server.referee.clock import LoopClock
from agon_server.referee.referee import Referee
from agon_server.referee.tickets import Tickets
from agon_server.services.admin_file import write_admin_file
from agon_server.services.health import Health
from agon_server.services.play import PlayService
from agon_server.services.serving import Services
from agon_server.services.shown import Lost, Shown
from agon_server.store.connection import Store, open_store
from agon_server.store.errors import DataFolderError, StoreError
from agon_server.store.folder import RECORDS, DataFolder
from agon_server.store.revival import keep_running
from agon_server.store.state import Back
from agon_server.store_watch import StoreWatch
from agon_server.surroundings import SurroundingsError, ensure_files
from agon_server.trace import places

log = logging.getLogger(__name__)

STOP_SECONDS = 1.0
"""How long open calls may take to end once the server has stopped."""
FAREWELL_SECONDS = 3.0
"""How long streams may take to end once the store was emptied."""
HOUSE_SLOTS = 8
"""Matches at a time of each house bot."""


class Server:
    """One server process, from `start` to `stop`; an async context manager does both.

    While starting, the errors of what is started are raised (ConfigError, DataFolderError, StoreRefusedError,
    StoreUnavailableError, SurroundingsError), and what was started by then is ended again.
    """

    def __init__(self, config: ServerConfig, *, emptied: bool = False) -> None:
        """`emptied`: it is the successor of one whose store was emptied."""
        self.config = config
        self.metrics = Metrics()
        if emptied:
            self.metrics.store_back[Back.EMPTIED].inc()
        self.name = ""
        self.address: Address = config.listen
        """Where it really listens, once it has started."""
        self.metrics_address: Address = config.metrics
        self.store: Store
        self.accounts: Accounts
        self.queue: Queue
        self.lobby: Lobby
        self.referee: Referee
        self.installation: Installation
        self.ending = asyncio.Event()
        """Set when somebody asked for the end through AdminService, or a part of the server broke."""
        self.failure: BaseException | None = None
        """What broke."""
        self.was_emptied = False
        """The store has lost everything: a new Server has to begin anew on it."""
        self._health: Health
        self._ladder_role: LadderRole
        self._fold: Fold | None = None
        self._end_leading: Callable[[], Awaitable[None]]
        self._local: Address
        self._serving = False
        self._leaves_folder = True
        self._begins_anew = emptied
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start everything; return when bots and commands can connect."""
        try:
            await self._start()
        except BaseException as error:
            # One of the folder itself may name a file in it, such as the log of the store.
            self._leaves_folder = isinstance(error, DataFolderError)
            await self._stack.aclose()
            raise

    async def stop(self) -> None:
        """End everything at once. Running matches are handed over: this or another server goes on with them."""
        self._serving = False
        await self._stack.aclose()

    async def drain(self) -> None:
        """Take no new matches, tell the bots, and return when the running matches have ended and are archived."""
        self._serving = False
        await self._health.show()
        await self._end_leading()
        self.lobby.drain()
        await self.referee.drain()
        await self._ladder_role.catch_up()
        try:
            await self.installation.archive.drain()
        except (ArchiveError, StoreError) as error:
            log.warning("the last results are not archived before this server is started again: %s", error)

    # -- starting --------------------------------------------------------------------------------------------

    async def _start(self) -> None:
        config, stack = self.config, self._stack
        ensure_files(config.limits.streams)
        folder = stack.enter_context(await DataFolder.open_for_server(config.data, log.warning))
        stack.callback(self._leave, folder)
        self.name = config.name or folder.server_name()
        self.store = await open_store(config.redis, folder, allow_volatile=config.allow_volatile)
        stack.push_async_callback(self.store.aclose)
        if self.store.embedded is not None:
            self._run("the embedded store", keep_running(self.store.embedded))

        set_others_aside(folder, self.store)

        background = one_thread()
        stack.callback(background.shutdown, cancel_futures=True)
        # Bound before anything else is started, so that a port in use costs nothing.
        server, self.address, self._local = listen(config)
        stack.push_async_callback(server.stop, STOP_SECONDS)
        exposition = self._expose()
        stack.callback(exposition.close)

        clock = LoopClock(self.metrics.loop_lag_seconds.observe)
        clock.start()
        stack.callback(clock.stop)
        advertised = str(config.advertise or self.address)
        reachable = config.advertise is not None or not self.address.is_unspecified
        held = HeldName(self.store, self.name, folder=folder.identity, address=advertised)
        await held.take()
        stack.push_async_callback(held.free)
        self._run("the server's name", held.keep())
        self.accounts = Accounts(self.store, log_bytes=config.limits.log_bytes)
        presence = Presence(self.store, stale_ms=int(TOUCH_SECONDS * 3_000))
        self.queue = Queue(
            self.store,
            server=self.name,
            address=advertised,
            lease_ms=int(config.lease * 1_000),
            max_deliveries=config.deliveries,
        )
        stack.push_async_callback(self._leave_queue)
        desk, results = Desk(self.store), Results(self.store)
        archive = Archive(folder.sub(RECORDS), self.store, results)
        stack.callback(archive.close)
        tickets = Tickets(await self.store.secret("tickets"))
        self.installation = Installation(
            config=config,
            store=self.store,
            accounts=self.accounts,
            presence=presence,
            queue=self.queue,
            desk=desk,
            results=results,
            archive=archive,
            drain=self._ask_to_end,
            background=background,
            audits=AuditProcess(self.store.url, folder.sub(RECORDS)),
            tally=lambda ladder: self._fold.tally(ladder) if self._fold is not None else None,
        )

        self.referee = Referee(
            config,
            self.name,
            clock,
            self.queue,
            self.installation.files,
            self.accounts,
            tickets,
            self.metrics,
            partial(find_record, self.installation),
        )
        self.lobby = Lobby(
            f"{self.name}.{secrets.token_hex(4)}",
            self.name,
            advertised,
            presence,
            self.installation.retirements,
            self.queue,
            tickets,
            self.metrics,
            listed=reachable,
        )
        play = PlayService(config, clock, self.accounts, self.lobby, self.referee, self.metrics)
        limits = config.limits
        services = Services(
            self.installation,
            write_admin_file(folder.path, "").token,
            calls=limits.calls,
            watches=limits.watches,
        )
        self._health = Health(SERVICES, lambda: self.is_serving)
        self._health.add_to(server)
        shown = Shown(self.store.state, self._health, self.metrics)
        self._run("health", shown.run())
        # The referee first: it writes again what a restart of the store has lost.
        for listener in (self.referee, self.lobby):
            self.store.state.listen(listener)
        watch = StoreWatch(
            self.store, clock, allow_volatile=config.allow_volatile, show_safe=self.metrics.store_safe.set
        )
        self._run("the watch over the store", self._watch(watch))
        server.add_generic_rpc_handlers((play.handler(), *services.handlers()))

        self._run("the archive", archive.run())
        self._ladder_role = await self._ladders(presence, results, archive)
        stack.push_async_callback(self._ladder_role.leave)
        self._end_leading = self._run("the ladders", self._ladder_role.run())
        self._run("the gauges of the queue", keep_gauges(desk, self.metrics))
        stack.push_async_callback(self.lobby.stop)
        await self.lobby.start()
        self.referee.start(self.lobby)
        stack.push_async_callback(self.referee.stop)
        await server.start()
        write_admin_file(folder.path, str(self._local), str(self.metrics_address))
        stack.callback(write_admin_file, folder.path, "")
        await self._start_house()
        self._serving, self._begins_anew = True, False
        await self._health.show()

    def _leave(self, folder: DataFolder) -> None:
        """Take away the folder that a start has made which then failed."""
        if folder.is_new and not self._leaves_folder:
            folder.remove()

    def _expose(self) -> Exposition:
        try:
            exposition = Exposition(self.config.metrics, self.metrics.registry, lambda: self.why_not)
        except OSError as error:
            raise SurroundingsError(
                f"cannot serve metrics there ({error.strerror}); choose another address by --metrics, "
                f"not {str(self.config.metrics)!r}"
            ) from None

        self.metrics_address = exposition.address
        return exposition

    async def _ladders(self, presence: Presence, results: Results, archive: Archive) -> LadderRole:
        """Make the first ladders where there never were any; return the role that folds and pairs."""
        store, catalogue = self.store, self.installation.catalogue
        await catalogue.make_first(self.config.time, self.config.default_policy, house_games=self.config.house_games)
        history = History(results, archive)
        rerate = self.installation.auditor.rerate
        fold = self._fold = Fold(store, catalogue, history, self.metrics.rating_updates.inc, rerate)
        pairing = Pairing(store, catalogue, fold, self.queue, presence, self.accounts)
        lease = Lease(store, self.name, int(self.config.lease * 1_000))
        return LadderRole(store, results, lease, fold, pairing)

    async def _start_house(self) -> None:
        """Register the configured house bots where they are new, and start their processes."""
        if not self.config.house:
            return

        house = HouseBots(str(self._local), insecure=self.config.insecure)
        self._stack.push_async_callback(house.stop)
        for spec in self.config.house:
            # On a store that servers share each has accounts of its own, since an account has one token.
            name = spec if self.store.embedded is not None else house_account(spec, self.name)
            known = await self.accounts.get(name)
            if known is not None and not known.house:
                raise ConfigError(f"--house needs the bot's name, which {known.owner} has registered: {name!r}")
            if known is None:
                token = await self.accounts.register(name, house=True)
            else:
                token = await self.accounts.renew(name)
            house.start(spec, token, slots=HOUSE_SLOTS, is_sent_away=partial(self._is_sent_away, name))

    async def _is_sent_away(self, bot: str) -> bool:
        try:
            return await self.lobby.is_sent_away(bot)
        except StoreError:
            return True  # it was; whether it may come back is asked again

    # -- while it runs ---------------------------------------------------------------------------------------

    def _run(self, what: str, work: Coroutine[Any, Any, None]) -> Callable[[], Awaitable[None]]:
        """Run a loop for as long as the server; when one breaks, say so and let the server end.

        Return what ends it earlier.
        """
        task = asyncio.create_task(work)

        def done(ended: asyncio.Task[None]) -> None:
            if not ended.cancelled() and (error := ended.exception()) is not None:
                log.critical("%s broke, the server ends: %s", what, error if is_told(error) else places(error))
                self.failure = error
                self.ending.set()

        async def end() -> None:
            # Once, also where who waits here is cancelled: it may be giving something back.
            if not task.cancelling():
                task.cancel()
            await asyncio.wait([task])

        task.add_done_callback(done)
        self._stack.push_async_callback(end)
        return end

    async def _watch(self, watch: StoreWatch) -> None:
        """Watch the store; where it was emptied say what is lost, and let the server end."""
        lost = Lost(self.referee, self.lobby)
        self.store.state.listen(lost)
        await watch.run()
        log.error(
            "the store at %s was emptied, and this server begins anew: lost are all bots (%d were connected here), the "
            "ladders, the queue, %d matches that ran here, and results that no archive has taken",
            self.store.shown_url,
            lost.bots,
            lost.matches,
        )
        self.was_emptied = self._begins_anew = True
        with suppress(TimeoutError):  # the bots learn why
            async with asyncio.timeout(FAREWELL_SECONDS):
                await self.lobby.wait_empty()
        self.ending.set()

    @property
    def is_serving(self) -> bool:
        """Tell whether bots can play here: it has started, does not end, and has its store."""
        return not self.why_not

    @property
    def why_not(self) -> str:
        """Why bots cannot play here now; empty where they can."""
        if self._begins_anew:
            return "the store was emptied, and the server begins anew; its log says what is lost"
        return self.store.state.reason if self._serving else "the server starts or ends"

    def _ask_to_end(self) -> int:
        self.ending.set()
        return self.referee.running

    async def _leave_queue(self) -> None:
        try:
            await self.queue.leave()
        except StoreError as error:
            log.info("this server stays listed in the queue until it is started again: %s", error)


def is_told(error: BaseException) -> bool:
    """Tell whether an error was raised on purpose: the text of any other could name what is hidden."""
    return isinstance(error, ArchiveError | StoreError | SurroundingsError)
