"""What must hold after a chaos run, whatever was done: pure checks of what bots saw against what is stored. Each one
yields what contradicts it, as lines for people."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tests.chaos.arena import Happened
from tests.chaos.plan import Blow
from tests.chaos.witness import Account, Saw

from agon_engine.core.record import MatchRecord
from agon_engine.core.record_rows import By
from agon_engine.core.replay import verify
from agon_engine.registry import get_game

Records = Mapping[str, MatchRecord]


def lost(asked: Iterable[str], results: Iterable[str]) -> Iterator[str]:
    """Matches that were queued or offered, and never ended."""
    for match in sorted(set(asked) - set(results)):
        yield f"match {match} has no result"


def ended_twice(results: Sequence[str]) -> Iterator[str]:
    """Matches with more than one result."""
    for match, count in Counter(results).items():
        if count > 1:
            yield f"match {match} has {count} results"


def rated_twice(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Matches that were rated more than once; rows are of ladder and match."""
    for (ladder, match), count in Counter(rows).items():
        if count > 1:
            yield f"match {match} was rated {count} times on {ladder}"


def two_referees(testimony: Account, records: Records, servers: Mapping[str, str]) -> Iterator[str]:
    """Deliveries of a match that two servers played, and records that no bot saw being made. `servers`: by address."""
    played: dict[tuple[str, int], set[str]] = defaultdict(set)
    for what in ("started", "asked"):
        for saw in testimony.all(what):
            played[saw.match, saw.epoch].add(servers.get(saw.address, saw.address))
    for (match, epoch), names in sorted(played.items()):
        if len(names) > 1:
            yield f"delivery {epoch} of match {match} was played by {' and '.join(sorted(names))}"
        record = records.get(match)
        if record is not None and record.epoch < epoch and _asked(testimony, match, epoch):
            yield f"match {match} ended in delivery {record.epoch}, and bots played {epoch}"


def _asked(testimony: Account, match: str, epoch: int) -> bool:
    return any(saw.what == "asked" and saw.epoch == epoch for saw in testimony.of(match))


def told_otherwise(testimony: Account, records: Records) -> Iterator[str]:
    """Ends of matches that bots were told and that are not what is stored."""
    for saw in testimony.all("over"):
        _, placements, record_hash = saw.more
        if not record_hash:
            continue  # a match that nobody could play
        record = records.get(saw.match)
        if record is None:
            yield f"{saw.bot} was told the end of match {saw.match}, which has no record"
        elif (tuple(placements), record_hash) != (tuple(record.result.placements), record.hash()):
            yield f"{saw.bot} was told {placements} of match {saw.match}, stored is {list(record.result.placements)}"


def current(saws: Iterable[Saw]) -> Iterator[Saw]:
    """Leave out what came of an earlier delivery than one that was seen: a bot drops it."""
    epoch = 0
    for saw in saws:
        if saw.epoch:
            if saw.epoch < epoch:
                continue
            epoch = saw.epoch
        yield saw


def asked_again(testimony: Account) -> Iterator[str]:
    """Decisions that a seat was asked although it had seen what followed from its answer: a later one, or the end."""
    for (match, seat), saws in sorted(testimony.by_seat.items()):
        latest = 0
        over = False
        for saw in current(saws):
            if saw.what == "over":
                over = True
            elif saw.what == "asked":
                if over:
                    yield f"seat {seat} of match {match} was asked {saw.decision} after its end ({saw.bot})"
                elif saw.decision < latest:
                    yield f"seat {seat} of match {match} was asked {saw.decision} after {latest} ({saw.bot})"
                latest = max(latest, saw.decision)


def asked_otherwise(testimony: Account) -> Iterator[str]:
    """Decisions that a seat was asked more than once, and not the same each time."""
    for (match, seat), saws in sorted(testimony.by_seat.items()):
        known: dict[int, tuple[int, int]] = {}
        for saw in current(saws):
            if saw.what != "asked":
                continue
            decision, sequence, what = saw.more
            if known.setdefault(decision, (sequence, what)) != (sequence, what):
                yield f"decision {decision} of seat {seat} of match {match} was not asked as before"
            # What was asked later before a takeover that lost nothing is asked again as it was.
            known[decision] = (sequence, what)


def choices_not_kept(testimony: Account, records: Records) -> Iterator[str]:
    """Moves in a record that their bot never chose; and choices whose consequence a bot saw, and the record lacks."""
    for (match, seat), saws in sorted(testimony.by_seat.items()):
        record = records.get(match)
        if record is None:
            continue
        moves = [move for move in record.moves if move.seat == seat]
        chosen: dict[int, set[str]] = defaultdict(set)
        last: dict[int, str] = {}
        followed = 0
        for saw in current(saws):
            if saw.what == "chose":
                chosen[saw.decision].add(saw.more[1])
                last[saw.decision] = saw.more[1]
            elif saw.what == "asked":
                followed = max(followed, saw.decision - 1)
        for decision, move in enumerate(moves, 1):
            if move.by is By.SEAT and move.action not in chosen[decision]:
                yield f"seat {seat} of match {match} never chose {move.action!r}, its move {decision}"
        if followed > len(moves):
            yield f"seat {seat} of match {match} saw what followed move {followed}, and the record has {len(moves)}"


def untrue(records: Records) -> Iterator[str]:
    """Records that do not replay to what they say."""
    for match, record in sorted(records.items()):
        try:
            verify(record, get_game(record.game))
        except Exception as error:
            yield f"the record of match {match} does not verify: {error}"


class Wait(NamedTuple):
    """How long a match waited for its next Decide, in seconds."""

    killed: float
    """Since its server was killed."""
    back: float
    """Since that server served again; below 0: it did not yet."""


# -- figures -----------------------------------------------------------------------------------------------------


def stale(testimony: Account) -> int:
    """Return how many frames came of an earlier delivery than one that was seen."""
    return sum(len(saws) - sum(1 for _ in current(saws)) for saws in testimony.by_seat.values())


def waits(
    testimony: Account, happened: Sequence[Happened], servers: Mapping[str, str]
) -> tuple[list[Wait], list[Wait], int]:
    """Return for each match that a killed server ran how long it was until its next Decide: of those that another
    server took over, of those that their own went on with, and how many are left out, since a bot of theirs, the store
    or the other server was away too in the meantime."""
    by_match: dict[str, list[Saw]] = defaultdict(list)
    for saws in testimony.by_seat.values():
        for saw in saws:
            by_match[saw.match].append(saw)
    for saws in by_match.values():
        saws.sort(key=lambda saw: saw.when)

    taken_over: list[Wait] = []
    own: list[Wait] = []
    left_out = 0
    for hit in (done for done in happened if done.blow in (Blow.SERVER_BACK, Blow.SERVER_GONE)):
        for saws in by_match.values():
            before = [saw for saw in saws if saw.when <= hit.when and saw.what in ("asked", "over")]
            if not before or before[-1].what == "over" or servers.get(before[-1].address) != hit.what:
                continue
            epoch = before[-1].epoch
            after = next(
                (saw for saw in saws if saw.when > hit.when and saw.what in ("asked", "over") and saw.epoch > epoch),
                None,
            )
            if after is None or after.what == "over":
                left_out += 1
                continue
            bots = {saw.bot for saw in saws}
            others = [done for done in happened if done is not hit and _disturbs(done, hit, bots)]
            if any(done.when - 1 <= after.when and done.until + 1 >= hit.when for done in others):
                left_out += 1
            else:
                waits = own if servers.get(after.address) == hit.what else taken_over
                waits.append(Wait(after.when - hit.when, after.when - hit.until))
    return taken_over, own, left_out


def _disturbs(done: Happened, hit: Happened, bots: set[str]) -> bool:
    if done.blow in (Blow.BOT, Blow.BOT_STILL):
        return done.what in bots
    return done.blow is not Blow.CUT or done.what != hit.what
