"""The doctor's way: look at a store and a data folder, look again where something seems wrong, tell what is.

Changes nothing. A system that runs moves between two reads, so what looks wrong once is told only where a second look,
a moment later, finds the same thing unmoved.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from agon.codec import admin
from agon.codec.admin import Condition
from agon_server.config import ServerConfig
from agon_server.operations.company import short_of_bots
from agon_server.operations.doctor.archive import check_archive, look_at_archive
from agon_server.operations.doctor.folder import check_folder, look_at_folder
from agon_server.operations.doctor.journals import check_journals
from agon_server.operations.doctor.matches import check_matches, running_and_waiting
from agon_server.operations.doctor.standing import bots_of, check_keeping, check_standing, leader_of, servers_of
from agon_server.operations.doctor.store_look import StoreLook, look_at_store
from agon_server.operations.doctor.suspicion import Suspicion, confirmed, told
from agon_server.operations.installation import Installation
from agon_server.queue.results import START
from agon_server.store.connection import Store, open_store
from agon_server.store.embedded import EmbeddedServer, Leftover
from agon_server.store.errors import DataFolderError, FolderInUseError, StoreError
from agon_server.store.folder import RECORDS, DataFolder
from agon_server.surroundings import is_stopped, reason_of

PAUSE_SECONDS = 2.0
"""Between the two looks: longer than anything healthy takes from one state to the next."""

Looked = tuple[list[Suspicion], admin.Vitals | None]


async def diagnose(installation: Installation, _: admin.DiagnoseRequest) -> admin.DiagnoseResponse:
    """Look at the store and the data folder of a server that runs."""
    answer = await _twice(lambda: _look(installation.config, installation.store), PAUSE_SECONDS)
    if answer.vitals is None:
        return answer

    try:
        return replace(answer, vitals=replace(answer.vitals, short_of_bots=await short_of_bots(installation)))
    except StoreError as error:
        # It went away in this moment: that is told, with what was seen before.
        return replace(answer, symptoms=(*answer.symptoms, *told([_no_store(error)])))


async def diagnose_folder(config: ServerConfig, _: admin.DiagnoseRequest) -> admin.DiagnoseResponse:
    """Look at a data folder on which no server runs, under its lock, and at its store or the one of the settings.

    Raise OSError where the folder cannot be read.
    """
    try:
        with DataFolder.open(config.data) as folder:
            return await _diagnose_locked(config, folder)
    except DataFolderError as error:
        return await _without_store(config, _no_folder(error, str(config.data)))


async def _diagnose_locked(config: ServerConfig, folder: DataFolder) -> admin.DiagnoseResponse:
    leftover = None
    if config.redis is None:
        if not (folder.path / "store").is_dir():
            what = "the data folder has no store of its own"
            remedy = "name the one that its servers share by AGON_REDIS=URL"
            return await _without_store(config, Suspicion("store", Condition.STUCK, what, str(folder.path), remedy))
        embedded = EmbeddedServer(folder)
        leftover = embedded.leftover()
    try:
        if leftover is not None and leftover.pid is not None:
            # It is asked as it is: to start another one would end it.
            store = Store(embedded.url)
        else:
            # It is only looked at; what it does not keep is told like the rest.
            store = await open_store(config.redis, folder, allow_volatile=True)
    except StoreError as error:
        return await _without_store(config, _no_store(error), leftover)

    try:
        if config.redis is not None:
            return await _twice(lambda: _look(config, store), PAUSE_SECONDS)
        # Whatever the store says of servers: this process has the folder's lock, so there is none, and nothing moves.
        return await _twice(lambda: _look(config, store, leftover, alone=True), 0.0)
    finally:
        await store.aclose()


async def _twice(look: Callable[[], Awaitable[Looked]], pause: float) -> admin.DiagnoseResponse:
    suspicions, vitals = await look()
    if suspicions:
        await asyncio.sleep(pause)
        again, vitals = await look()
        suspicions = confirmed(suspicions, again)
    return admin.DiagnoseResponse(told(suspicions), vitals)


async def _look(config: ServerConfig, store: Store, leftover: Leftover | None = None, *, alone: bool = False) -> Looked:
    """Look once at everything, the store before the archive, which is ahead of what is trimmed."""
    try:
        looked = await look_at_store(store)
        if alone:
            looked = replace(looked, servers={})
    except StoreError as error:
        return [_no_store(error), *await _look_at_disk(config, START, leftover)], None

    lease_ms = int(config.lease * 1_000)
    suspicions = [*check_matches(looked, lease_ms=lease_ms), *check_journals(looked), *check_standing(looked)]
    if not config.allow_volatile:
        suspicions += check_keeping(looked, store.shown_url)
    suspicions += await _look_at_disk(config, looked.standing.trimmed, leftover)
    return suspicions, _vitals(looked, store)


async def _look_at_disk(config: ServerConfig, trimmed: str, leftover: Leftover | None) -> list[Suspicion]:
    return await asyncio.to_thread(_disk, config, trimmed, leftover)


def _disk(config: ServerConfig, trimmed: str, leftover: Leftover | None) -> list[Suspicion]:
    try:
        archive = look_at_archive(config.data.expanduser() / RECORDS)
        suspicions = check_folder(look_at_folder(config, leftover))
    except OSError as error:
        remedy = "let the user of the server read it"
        what = f"the data folder cannot be read: {reason_of(error)}"
        return [Suspicion("folder", Condition.STUCK, what, str(error.filename or config.data), remedy)]
    return suspicions + (check_archive(archive, trimmed) if archive is not None else [])


async def _without_store(
    config: ServerConfig, why: Suspicion, leftover: Leftover | None = None
) -> admin.DiagnoseResponse:
    return admin.DiagnoseResponse(told([why, *await _look_at_disk(config, START, leftover)]), None)


def _no_folder(error: DataFolderError, where: str) -> Suspicion:
    if not isinstance(error, FolderInUseError):
        remedy = "let the user of the server use the folder; `agon doctor` then tells the rest"
        return Suspicion("lock", Condition.STUCK, str(error), where, remedy)

    pid = error.holder
    if pid is not None and is_stopped(pid):
        what = f"process {pid}, which has the data folder, is stopped and answers nobody"
        remedy = (
            f"kill -CONT {pid} lets it go on; or kill -KILL {pid} ends it, and `agon serve` goes on with its matches"
        )
        return Suspicion("lock", Condition.STUCK, what, where, remedy)

    what = f"the data folder is in use by process {pid or 'unknown'}, and no server answers there"
    remedy = (
        f"a command ends by itself: ask again in a while; a server may go on by kill -CONT {pid or 'PID'}, or ends by "
        f"kill -KILL {pid or 'PID'}, and `agon serve` goes on with its matches"
    )
    return Suspicion("lock", Condition.STUCK, what, where, remedy)


def _no_store(error: StoreError) -> Suspicion:
    remedy = "see that the store runs and can be reached and written to; `agon doctor` then tells the rest"
    return Suspicion("store", Condition.STUCK, f"the store cannot be read: {error}", "the store", remedy)


def _vitals(look: StoreLook, store: Store) -> admin.Vitals:
    running, waiting = running_and_waiting(look.queued)
    return admin.Vitals(
        servers=servers_of(look),
        leader=leader_of(look),
        waiting=waiting,
        running=running,
        bots=bots_of(look),
        results=look.standing.length,
        store=store.shown_url,
    )
