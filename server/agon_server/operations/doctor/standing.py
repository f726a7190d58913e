"""Checks of what stands around the matches: results and their readers, ladders, dead letters, connected bots. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from agon.codec.admin import Condition
from agon_engine.core.options import GameFile
from agon_server.ladders.definitions import DefinitionError, LadderDef
from agon_server.ladders.tables import RERATED
from agon_server.operations.doctor.store_look import StoreLook
from agon_server.operations.doctor.suspicion import Suspicion
from agon_server.queue.results import KEEP, order
from agon_server.store import keys

_FOLDS_MS = 20_000
"""A result is folded within this time, also where the ladders have to find another server first."""


def check_standing(look: StoreLook) -> list[Suspicion]:
    """Return all that is suspicious about results, ladders and bots."""
    return [
        *dead_letters(look),
        *set_aside(look),
        *slow_readers(look),
        *ladder_lease(look),
        *ladder_cursor(look),
        *tables(look),
        *tournaments(look),
        *files(look),
        *presence(look),
    ]


def dead_letters(look: StoreLook) -> Iterator[Suspicion]:
    """Matches that nobody could play."""
    for letter in look.letters:
        remedy = f"`agon queue requeue {letter.match}` plays it as a new match, `agon queue discard` throws it away"
        yield Suspicion("dead letter", Condition.STUCK, f"could not be played: {letter.reason}", letter.match, remedy)


def set_aside(look: StoreLook) -> Iterator[Suspicion]:
    """Results that no ladder could take."""
    for item in look.set_aside:
        what = f"a result counts on no ladder: {item.reason}"
        remedy = f"`agon match show {item.match or 'ID'}`; `agon queue discard {item.id}` takes the note away"
        yield Suspicion("set aside", Condition.STUCK, what, item.id, remedy)


def slow_readers(look: StoreLook) -> Iterator[Suspicion]:
    """Readers of the results without which they cannot be trimmed."""
    standing = look.standing
    if standing.length > KEEP and standing.oldest:
        for reader, cursor in sorted(standing.readers.items()):
            if order(cursor) < order(standing.oldest):
                what = f"{standing.length} results stay in the store, since this reader has not taken the oldest"
                remedy = (
                    f"start the server that has it; if that is gone for good, in the store HDEL {keys.READERS} {reader}"
                )
                yield Suspicion("reader", Condition.STUCK, what, reader, remedy, cursor)
    for reader, cursor in sorted(standing.readers.items()):
        if order(cursor) > order(standing.last):
            what = f"this reader has taken results up to {cursor}, and the store knows none after {standing.last}"
            remedy = "the store has lost results: bring it back from its newest files; the archive still has them"
            yield Suspicion("reader", Condition.INCONSISTENT, what, reader, remedy, cursor)


def ladder_lease(look: StoreLook) -> Iterator[Suspicion]:
    """Whether somebody folds and pairs."""
    standing = look.standing
    if not look.servers:
        return
    if not standing.leader:
        what = "no server folds results and pairs bots"
        yield Suspicion("ladder lease", Condition.STUCK, what, keys.LADDER_LEASE, "look at the servers' logs")
    elif standing.leader not in look.servers:
        what = f"the ladders are led by server {standing.leader}, which is gone"
        remedy = f"another server leads them in {max(0, standing.lease_ms) / 1_000:.0f} s"
        yield Suspicion("ladder lease", Condition.ORPHANED, what, keys.LADDER_LEASE, remedy)


def ladder_cursor(look: StoreLook) -> Iterator[Suspicion]:
    """Whether results are folded."""
    standing = look.standing
    if order(standing.cursor) > order(standing.last):
        what = f"the ladders are folded up to {standing.cursor}, and the store knows no result after {standing.last}"
        remedy = "the store has lost results: bring it back from its newest files, or `agon ladder rebuild NAME`"
        yield Suspicion("ladder cursor", Condition.INCONSISTENT, what, standing.cursor, remedy)
    elif standing.waiting and standing.now_ms - order(standing.waiting)[0] > _FOLDS_MS:
        seconds = (standing.now_ms - order(standing.waiting)[0]) // 1_000
        what = f"results have waited for {seconds} s to be folded"
        remedy = "look at the log of the server that leads the ladders" if look.servers else "start a server"
        yield Suspicion("ladder cursor", Condition.STUCK, what, standing.waiting, remedy, standing.cursor)


def tables(look: StoreLook) -> Iterator[Suspicion]:
    """Ladders' definitions and tables."""
    for name, text in sorted(look.ladders.items()):
        try:
            LadderDef.from_json(text)
        except DefinitionError as error:
            what = f"the definition cannot be read, so the ladder is left out: {error}"
            yield Suspicion("ladder", Condition.INCONSISTENT, what, name, "install the version of Agon that made it")
    for table in look.tables:
        rebuild = f"`agon ladder rebuild {table.ladder}`"
        if table.ladder not in look.ladders:
            what = "a table belongs to no ladder"
            remedy = f"in the store DEL {keys.TABLE}{table.ladder} {keys.STANDING}{table.ladder}"
            yield Suspicion("table", Condition.ORPHANED, what, table.ladder, remedy)
        elif table.failed == RERATED and look.servers:
            continue  # a server is at it
        elif table.failed:
            yield Suspicion("table", Condition.STUCK, f"it is not folded: {table.failed}", table.ladder, rebuild)
        elif order(table.position) > order(look.standing.last):
            what = f"the table is at {table.position}, and the store knows no result after {look.standing.last}"
            yield Suspicion("table", Condition.INCONSISTENT, what, table.ladder, rebuild)


def tournaments(look: StoreLook) -> Iterator[Suspicion]:
    """Tournaments that cannot come to their end, since a bot of theirs gets no matches."""
    for name, bots in sorted(look.barred.items()):
        for bot, bar in sorted(bots.items()):
            yield Suspicion("tournament", Condition.STUCK, f"it waits for {bot}, {bar.why}", name, bar.remedy)


def files(look: StoreLook) -> Iterator[Suspicion]:
    """Files that options name, of each that the store does not have."""
    for file, text in sorted(look.files.items()):
        if text and GameFile.of(text).hash == file:
            continue
        what = "the store has something else under the hash of a file" if text else "the store lacks a file"
        what += " that options name: matches with it become dead letters, and bots cannot read it"
        remedy = "make a ladder with the same file anew: `agon ladder create`; then `agon queue requeue`"
        yield Suspicion("file", Condition.INCONSISTENT, what, file, remedy)


def presence(look: StoreLook) -> Iterator[Suspicion]:
    """Bot processes that are listed as connected, and are not."""
    for bot in look.present if look.servers else ():  # the next server takes out what is left of none
        if bot.expires_ms is None:
            what, remedy = (
                "something is left of a bot process that is gone",
                f"in the store DEL {keys.PRESENCE}{bot.place}",
            )
            yield Suspicion("presence", Condition.ORPHANED, what, bot.place, remedy)
        elif bot.expires_ms > look.now_ms and not bot.listeners:
            seconds = (bot.expires_ms - look.now_ms + 999) // 1_000
            what = f"it is listed as connected to {bot.process or 'nobody'}, which is gone"
            remedy = f"nothing: it counts as gone in {seconds} s, unless it comes back"
            yield Suspicion("presence", Condition.ORPHANED, what, bot.place, remedy)


def check_keeping(look: StoreLook, where: str) -> Iterator[Suspicion]:
    """Whether the store still keeps what it is given: it can be told otherwise while it runs."""
    if (weak := look.weakness) is not None:
        remedy = (
            f"in the store CONFIG SET {weak.setting} {weak.value}, and the same in its own settings; or allow it by "
            "--allow-volatile (AGON_ALLOW_VOLATILE=true)"
        )
        yield Suspicion("keeping", Condition.UNSAFE, f"the store {weak.what}", where, remedy)


def bots_of(look: StoreLook) -> int:
    """Return how many bot processes are connected: none without a server, whatever is left of them."""
    if not look.servers:
        return 0
    listed = [bot for bot in look.present if bot.expires_ms is not None and bot.expires_ms > look.now_ms]
    return sum(bot.listeners > 0 for bot in listed)


def leader_of(look: StoreLook) -> str:
    """Return the server that leads the ladders; empty where none does, whoever has the lease yet."""
    return look.standing.leader if look.standing.leader in look.servers else ""


def servers_of(look: StoreLook) -> tuple[str, ...]:
    """Return the servers as people are told of them."""
    return tuple(f"{name} at {address}" for name, address in sorted(look.servers.items()))
