"""Checks of the queue and of the matches in it: pure, on what was read."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

from agon.codec.admin import Condition
from agon_engine.registry import game_names, get_game
from agon_server.operations.doctor.store_look import Queued, State, StoreLook
from agon_server.operations.doctor.suspicion import Suspicion, some
from agon_server.store import keys

_ASKS_MS = 30_000
"""A server asks for matches more often than this, or renews those that it has."""
_LATE_MS = 5_000
"""So much later than it had to be a busy machine may do something."""


def check_matches(look: StoreLook, *, lease_ms: int) -> list[Suspicion]:
    """Return all that is suspicious about the matches that wait or run. `lease_ms` is the servers' setting."""
    return [
        *entries_without_state(look),
        *states_without_entry(look),
        *unclaimed(look, lease_ms=lease_ms),
        *owners_gone(look),
        *outlived(look, lease_ms=lease_ms),
        *running_index(look),
        *slots(look),
    ]


def entries_without_state(look: StoreLook) -> Iterator[Suspicion]:
    """A queue's entry that no state belongs to: nobody can play it."""
    for item in look.queued:
        if (item.state.get("stream"), item.state.get("id")) != (item.stream, item.id):
            what = f"an entry of {item.stream.removeprefix(keys.QUEUE)} has no state that is its own"
            remedy = "the next server that takes it makes it a dead letter; then `agon queue discard ID`"
            yield Suspicion("entry", Condition.INCONSISTENT, what, f"{item.match or '?'}@{item.id}", remedy)


def states_without_entry(look: StoreLook) -> Iterator[Suspicion]:
    """A match of which the queue knows nothing: nobody takes it, and it holds its slots."""
    for state in look.states:
        if not state.has_entry:
            cancel = f"`agon match cancel {state.match}`"
            if state.owner and state.owner not in look.servers:
                cancel = f"in the store HDEL {keys.MATCH}{state.match} owner, then {cancel}"
            what = "a match has a state but no entry in its queue"
            yield Suspicion("state", Condition.INCONSISTENT, what, state.match, cancel)
        elif not state.seats or any("/" not in place for place in state.seats):
            what = "the state of a match does not tell who plays"
            remedy = f"in the store XDEL {state.fields.get('stream')} {state.fields.get('id')} and DEL {keys.MATCH}" + (
                state.match
            )
            yield Suspicion("state", Condition.INCONSISTENT, what, state.match, remedy)


def unclaimed(look: StoreLook, *, lease_ms: int) -> Iterator[Suspicion]:
    """Matches that no server takes, though they wait or their lease has run out: of each queue one."""
    waiting: dict[str, list[Queued]] = defaultdict(list)
    expired: dict[str, list[Queued]] = defaultdict(list)
    for item in look.queued:
        if not item.state:
            continue
        if not item.state.get("owner"):
            waiting[item.stream].append(item)
        elif item.idle_ms > 2 * lease_ms + _LATE_MS:
            expired[item.stream].append(item)
    asking = {
        consumer.stream for consumer in look.consumers if consumer.idle_ms < _ASKS_MS and consumer.name in look.servers
    }
    for stream in sorted(waiting.keys() | expired.keys()):
        game, _, version = stream.removeprefix(keys.QUEUE).rpartition(":")
        stuck = expired[stream] + ([] if stream in asking else waiting[stream])
        if not stuck:
            continue
        if not look.servers:
            why, remedy = "no server runs", "start a server: `agon serve`"
        elif stream not in asking:
            why = f"no server has {game} in rules version {version}"
            remedy = f"start a server of an Agon version that has it, or `agon match cancel {stuck[0].match}`"
        else:
            why = "their leases have run out and no server has taken them"
            remedy = "look at the servers' logs, and restart the ones that say nothing"
        what = f"{len(stuck)} matches of {game} do not go on: {why}"
        mark = (stream, min(item.match for item in stuck))
        yield Suspicion("unclaimed", Condition.STUCK, what, some(item.match for item in stuck), remedy, mark)


def owners_gone(look: StoreLook) -> Iterator[Suspicion]:
    """Matches that belong to a server which is gone: of each such server one."""
    lost: dict[str, list[Queued]] = defaultdict(list)
    for item in look.queued:
        owner = item.state.get("owner", "")
        if owner and owner not in look.servers:
            lost[owner].append(item)
    for owner, items in sorted(lost.items()):
        wait = "another server takes them when their leases have run out" if look.servers else "no other server runs"
        what = f"server {owner} has {len(items)} matches and is gone"
        remedy = f"start it again under its name (it goes on with them at once); {wait}"
        mark = (owner, min(item.match for item in items))
        yield Suspicion("owner", Condition.ORPHANED, what, some(item.match for item in items), remedy, mark)


def outlived(look: StoreLook, *, lease_ms: int) -> Iterator[Suspicion]:
    """Matches that are older than their clocks allow: a referee ends them before."""
    for item in look.queued:
        life_ms = _longest_ms(item)
        if life_ms is None or not item.state.get("owner"):
            continue
        entry = item.entry
        assert entry is not None
        # Each takeover gives the open decision its full time again, and the bots theirs to come.
        again_ms = 2 * lease_ms + (entry.time.connect + entry.time.ready + entry.time.move + entry.time.bank) // 1_000
        age_ms = look.now_ms - int(item.state.get("queued") or look.now_ms)
        allowed_ms = life_ms + int(item.state.get("epoch") or 1) * again_ms
        if age_ms > allowed_ms:
            what = (
                f"a match is {_duration(age_ms)} old, and can last {_duration(allowed_ms)}, pauses of the store apart"
            )
            remedy = f"`agon match cancel {item.match}` if the store was not away for long"
            yield Suspicion("outlived", Condition.STUCK, what, item.match, remedy)


def running_index(look: StoreLook) -> Iterator[Suspicion]:
    """The index by which bots that come back find their matches, against the matches."""
    for bot, name in look.stray_running:
        what = f"bot {bot} is said to play a match that does not run"
        remedy = f"in the store HDEL {keys.RUNNING}{bot} {name!r}"
        yield Suspicion("running", Condition.ORPHANED, what, f"{keys.RUNNING}{bot} {name}", remedy)
    for state in look.states:
        if not state.owner:
            continue
        wrong = [seat for seat, text in enumerate(state.running) if not _is_index_of(text, state)]
        if wrong:
            what = (
                f"the bots of seats {', '.join(map(str, wrong))} would not be offered their match when they come back"
            )
            remedy = "it is put right when the match is delivered again: restart its server, or let it end"
            yield Suspicion("running", Condition.INCONSISTENT, what, state.match, remedy, state.epoch)


def slots(look: StoreLook) -> Iterator[Suspicion]:
    """Slots that are reserved against those that matches hold."""
    held, reserved = look.slots.held, look.slots.reserved
    for place in sorted(held.keys() | reserved.keys()):
        one, other = held.get(place, 0), reserved.get(place, 0)
        if one == other:
            continue
        remedy = f"in the store HINCRBY {keys.RESERVED} {place!r} {one - other}"
        if other > one:
            what = f"{other} slots are reserved and matches hold {one}: it gets fewer matches than it could play"
            yield Suspicion("slots", Condition.ORPHANED, what, place, remedy, (one, other))
        else:
            what = f"matches hold {one} slots and {other} are reserved: it gets more matches than it asked for"
            yield Suspicion("slots", Condition.INCONSISTENT, what, place, remedy, (one, other))


def _longest_ms(item: Queued) -> int | None:
    """Return how long a match can last in milliseconds; None where its game is not known here."""
    entry = item.entry
    if entry is None or entry.game not in game_names():
        return None

    spec = get_game(entry.game).spec
    if entry.version != spec.version:
        return None
    return entry.time.longest_life(len(entry.seats), spec.max_decisions) // 1_000


def _is_index_of(text: str, state: State) -> bool:
    try:
        told = json.loads(text)
        return bool(told["owner"] == state.owner and str(told["epoch"]) == state.epoch)
    except (LookupError, TypeError, ValueError):
        return False


def _duration(milliseconds: int) -> str:
    """Return a time for people.

    >>> _duration(90_000), _duration(7_260_000)
    ('90 s', '121 min')
    """
    seconds = milliseconds // 1_000
    return f"{seconds} s" if seconds < 600 else f"{seconds // 60} min"


def running_and_waiting(queued: Sequence[Queued]) -> tuple[int, int]:
    """Return how many matches run and how many wait."""
    running = sum(bool(item.state.get("owner")) for item in queued)
    return running, len(queued) - running
