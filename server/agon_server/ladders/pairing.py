"""Pairing for all open ladders: opens blocks, queues their matches as slots come free, follows what becomes of them.

What is planned lives in the store, one open block each: a block is stored before anything of it is queued, and a place
is known to the queue by block, number and attempt. So a process may die anywhere: the next one finds the same blocks
and goes on, and no place is played twice.
"""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from agon_engine.core.chance import SEED_BYTES, Chance
from agon_engine.core.policy import RATED_TERMINATIONS, Termination
from agon_engine.core.record import Deals
from agon_ladder.errors import ScheduleError
from agon_ladder.fold import LadderState
from agon_ladder.pairing.blocks import OpenBlock, rotation
from agon_ladder.pairing.dispatch import Start
from agon_ladder.pairing.planner import Entrant, OpenLadder, Planner
from agon_ladder.pairing.players import deals_for
from agon_ladder.pairing.rests import Rests
from agon_ladder.pairing.slots import Slots
from agon_ladder.results import MatchResult
from agon_ladder.stats.interval import rough_plus_minus
from agon_server.accounts import Accounts
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.company import Company
from agon_server.ladders.definitions import LadderDef
from agon_server.ladders.fold import Fold
from agon_server.ladders.line_ups import read_meetings
from agon_server.ladders.resting import write_rests
from agon_server.ladders.tournaments import Tournaments
from agon_server.presence import Presence
from agon_server.queue.entry import MatchEntry, SeatEntry
from agon_server.queue.feed import Ended
from agon_server.queue.ids import new_id
from agon_server.queue.queue import Queue
from agon_server.queue.results import Batch, Kind
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import FencedError, StoreUnavailableError
from agon_server.trace import places

log = logging.getLogger(__name__)

ABSENT_MS = 600_000
"""How long a block waits for a bot that went offline before it is given up: ten minutes."""

LEFT_OUT_MS = 60_000
"""How long a ladder is not paired after something went wrong with it."""


def unix_ms() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def new_seed() -> str:
    """Return 128 secret random bits in hex."""
    return secrets.token_hex(SEED_BYTES)


class Pairing:
    """Pairs while its token is the newest. `begin` comes first, and again after any exception."""

    def __init__(
        self,
        store: Store,
        catalogue: Catalogue,
        fold: Fold,
        queue: Queue,
        presence: Presence,
        accounts: Accounts,
        *,
        chance: Chance | None = None,
        now_ms: Callable[[], int] = unix_ms,
    ) -> None:
        """`chance` (by default from the system's secrets) chooses line-ups. Seeds of matches never come from it: they
        are secrets of the system, or follow from that of their tournament."""
        self._store = store
        self._catalogue = catalogue
        self._fold = fold
        self._queue = queue
        self._now_ms = now_ms
        self._company = Company(store, presence, accounts, now_ms)
        self._planner = Planner(chance or Chance(secrets.token_bytes(SEED_BYTES)), new_id, new_seed)
        self._token = 0
        self._blocks: dict[str, OpenBlock] = {}
        """All open blocks, oldest first."""
        self._absent_since: dict[str, int] = {}
        self._left_out: dict[str, int] = {}
        self._rests = Rests()
        self._told_rests: dict[str, int] | None = None
        """What the store was told of them; None: nothing since `begin`."""
        self._tournaments = Tournaments(store)
        self._unrated: Counter[tuple[str, str]] = Counter()
        """By ladder and bot, games in unrated ladders since this object was made: no table counts them."""
        self._rated: set[str] = set()
        """The rated ladders, in which what is played short-handed does not count for anybody's turn."""
        self._changed: dict[str, OpenBlock] = {}
        """What is to be stored; a block that is over is to be removed there."""
        self.spent = 0.0
        """Processor seconds that the last round held the loop for."""

    async def begin(self, token: int) -> None:
        """Start under a new fencing token with the blocks that are open, and with whom bots met before."""
        self._token = token
        self._changed, self._absent_since, self._told_rests = {}, {}, None
        blocks = []
        ladders = await self._catalogue.list()
        self._rated = {ladder.name for ladder in ladders if ladder.rated}
        for ladder in ladders:
            if ladder.open and ladder.schedule is None:
                self._planner.recall(ladder.name, await read_meetings(self._store, ladder.name))
            flat = await self._store.command("HGETALL", keys.OPEN_BLOCKS + ladder.name)
            for block_id, text in zip(flat[::2], flat[1::2], strict=True):
                try:
                    blocks.append(OpenBlock.from_json(json.loads(text)))
                except (ScheduleError, ValueError) as error:
                    log.error(
                        "block %s of ladder %s cannot be read and is left:\n%s",
                        block_id.decode("utf-8", "replace"),
                        ladder.name,
                        places(error),
                    )
        self._blocks = {block.id: block for block in sorted(blocks, key=lambda block: (block.opened, block.id))}
        # Of those that are over nothing is asked any more, and there can be many.
        left = {block.ladder for block in blocks}
        await self._tournaments.begin(ladder for ladder in ladders if ladder.open or ladder.name in left)

    @property
    def blocks(self) -> Sequence[OpenBlock]:
        """The open blocks, oldest first."""
        return tuple(self._blocks.values())

    def due_in(self) -> int | None:
        """Return in how many milliseconds a round is due though nothing happens; None: never."""
        now = self._now_ms()
        times = [since + ABSENT_MS for since in self._absent_since.values()]
        times += [at for at in (self._planner.next_due(), self._rests.next_end(now)) if at is not None]
        return max(0, min(times) - now) if times else None

    # -- results ---------------------------------------------------------------------------------------------

    def take(self, batch: Batch[Ended]) -> None:
        """Note what became of matches. What was noted before changes nothing."""
        for ended in batch.results:
            block = self._blocks.get(ended.result.block)
            if block is not None:
                self._note(block, ended)

    def _note(self, block: OpenBlock, ended: Ended) -> None:
        result = ended.result
        try:
            if not block.awaits(result.place, result.attempt):
                return
            is_own = result.ladder == block.ladder and block.is_own(result.place, result.match, result.bots)
        except ScheduleError as error:
            log.error("result %s is passed over: %s", ended.id, error)
            return

        if not is_own:
            log.error("result %s is passed over: block %s has no such match, %r", ended.id, block.id, result.match)
            return
        # What no ladder folds is no result of a tournament either.
        counts = ended.kind is Kind.PLAYED and result.termination in RATED_TERMINATIONS and not ended.flaw
        if counts and block.scheduled and (why := self._tournaments.refusal(block, result)):
            log.error("result %s does not count: %s", ended.id, why)
            counts = False
        if ended.kind is not Kind.PLAYED:
            self._abandon(block, f"match {result.match} ended as {ended.kind.value}: {ended.reason}")
        elif result.termination is Termination.CANCELLED:
            self._abandon(block, f"match {result.match} was cancelled")
        elif not ended.flaw:
            self._note_who_came(result)
        gone_before = block.abandoned
        block.ended(result.place, result.attempt, counts=counts, again=ended.plays_again)
        self._changed[block.id] = block
        if counts and block.scheduled:
            self._tournaments.take(block, result)
        if block.abandoned and not gone_before:
            self._tell_given_up(block)
        if counts and block.ladder not in self._rated:
            self._unrated.update((block.ladder, bot) for bot in block.bots)

    def _note_who_came(self, result: MatchResult) -> None:
        for bot, termination in zip(result.bots, result.terminations, strict=True):
            if result.termination in RATED_TERMINATIONS:
                self._rests.came(bot)
            elif result.termination is Termination.NO_SHOW and termination is not Termination.CANCELLED:
                self._rests.missed(bot, self._now_ms())

    def _abandon(self, block: OpenBlock, reason: str) -> None:
        if not block.abandoned:
            block.abandon(reason)
            self._tell_given_up(block)
        self._changed[block.id] = block

    def _tell_given_up(self, block: OpenBlock) -> None:
        log.warning("block %s of ladder %s is given up: %s", block.id, block.ladder, block.abandoned)
        self._absent_since.pop(block.id, None)

    async def save(self, cursor: str = "") -> None:
        """Store what has changed, and how far the results are taken. Raise FencedError when nothing was written."""
        parts: list[str | int] = []
        for block in self._changed.values():
            if block.is_over:
                if block.scheduled and block.id in self._blocks and not block.is_complete:
                    self._tournaments.give_up(block)
                self._blocks.pop(block.id, None)
                self._absent_since.pop(block.id, None)
            text = "" if block.is_over else json.dumps(block.to_json(), separators=(",", ":"))
            # A block that was given up has places that nobody plays, so its deal does not open by itself.
            opens_deal = block.is_over and bool(block.abandoned) and block.deals is Deals.SHARED
            parts += (block.ladder, block.id, text, int(opens_deal))
        played = self._tournaments.to_store()
        if not (parts or played or cursor):
            return

        blocks = len(parts) // 4
        if await self._store.script("ladder_blocks", self._token, cursor, blocks, *parts, *played) == b"fenced":
            raise FencedError("another process pairs now")
        self._changed = {}
        self._tournaments.stored()

    # -- a round ---------------------------------------------------------------------------------------------

    async def round(self) -> bool:
        """Queue what can start now; return whether another round at once may find more.

        Raise FencedError when another process has the lease, StoreError when the store fails: then `begin` anew.
        """
        now = self._now_ms()
        ladders = {ladder.name: ladder for ladder in await self._catalogue.list()}
        self._rated = {ladder.name for ladder in ladders.values() if ladder.rated}
        playing = [ladder for ladder in ladders.values() if ladder.open and self._is_sound(ladder, now)]
        states: dict[str, LadderState] = {}
        for ladder in playing:
            with self._guarded(ladder, now):
                state = await self._fold.state(ladder.name)
                await self._tournaments.know(ladder)
                if self._tournaments.is_over(ladder.name):
                    await self._catalogue.close(ladder.name)
                    self._tournaments.forget(ladder.name)
                else:
                    states[ladder.name] = state
        await self._company.look()
        if (resting := self._rests.resting(now)) != self._told_rests:
            await write_rests(self._store, resting)
            self._told_rests = resting

        begun = time.thread_time()
        processes = self._company.processes([ladders[name] for name in states])
        slots = Slots(process for process in processes if not self._rests.rests(process.bot, now))
        self._give_up(ladders, states.keys(), slots, now)
        for name in states:
            with self._guarded(ladders[name], now):
                self._open_scheduled(ladders[name], slots, now)
        endless = [(ladders[name], state) for name, state in states.items() if ladders[name].schedule is None]
        open_ladders = [self._open_ladder(ladder, state) for ladder, state in endless]
        plan = self._planner.plan(self.blocks, open_ladders, slots, now)
        self.spent = time.thread_time() - begun

        for block in plan.opened:
            self._blocks[block.id] = self._changed[block.id] = block
        await self.save()
        starts: dict[str, list[Start]] = {}
        for start in plan.starts:
            starts.setdefault(start.block.ladder, []).append(start)
        for name, of_ladder in starts.items():
            with self._guarded(ladders[name], now):
                await self._queue_matches(ladders[name], of_ladder)
        await self.save()
        return plan.more

    def _is_sound(self, ladder: LadderDef, now: int) -> bool:
        return ladder.name not in self._fold.failed and now >= self._left_out.get(ladder.name, 0)

    @contextmanager
    def _guarded(self, ladder: LadderDef, now: int) -> Iterator[None]:
        """Leave a ladder out for a while where something about it alone goes wrong: the others go on (X15)."""
        try:
            yield
        except (FencedError, StoreUnavailableError):
            raise
        except Exception as error:
            log.error("ladder %s is not paired for %d s:\n%s", ladder.name, LEFT_OUT_MS // 1000, places(error))
            self._left_out[ladder.name] = now + LEFT_OUT_MS

    def _give_up(self, ladders: Mapping[str, LadderDef], playing: Collection[str], slots: Slots, now: int) -> None:
        """Give up blocks of closed ladders and of retired bots, those that have waited too long for an absent bot, and
        those whose shared deal would now be played by a bot that is no longer trusted with it."""
        for block in self.blocks:
            if not block.left() or block.scheduled:
                # A tournament waits, for its bots as for its organiser.
                self._absent_since.pop(block.id, None)
            elif distrusted := self._distrusted(block):
                self._abandon(block, f"{', '.join(distrusted)} is not trusted with its shared deal any more")
            elif block.ladder in ladders and not ladders[block.ladder].open:
                self._abandon(block, "its ladder was closed")
            elif retired := [bot for bot in block.bots if bot in self._company.retired]:
                self._abandon(block, f"{', '.join(retired)} is retired")
            else:
                absent = [bot for bot in block.bots if not slots.is_present(bot, block.ladder)]
                if not absent or block.ladder not in playing:
                    self._absent_since.pop(block.id, None)
                elif now - self._absent_since.setdefault(block.id, now) >= ABSENT_MS:
                    self._abandon(block, f"{', '.join(absent)} was away for {ABSENT_MS // 60_000} minutes")

    def _distrusted(self, block: OpenBlock) -> list[str]:
        if block.deals is not Deals.SHARED:
            return []

        known = [player for bot in block.bots if (player := self._company.maybe_player(bot)) is not None]
        return [player.bot for player in known if not player.may_share_deals]

    def _open_scheduled(self, ladder: LadderDef, slots: Slots, now: int) -> None:
        """Open what a tournament's schedule has next."""
        if ladder.schedule is None:
            return

        def is_here(bots: Sequence[str]) -> bool:
            return all(slots.is_present(bot, ladder.name) for bot in bots)

        blocks = [block for block in self._blocks.values() if block.ladder == ladder.name]
        for place, line_up in self._tournaments.next_blocks(ladder, blocks, is_here):
            deals = deals_for(ladder.deals, map(self._company.player, line_up))
            name, shared = place.block_id, deals is Deals.SHARED
            seed = self._tournaments.deal_seed(ladder.name, name, 0, 0, deals) if shared else ""
            block = OpenBlock(
                new_id(), ladder.name, line_up, deals, seed, now, rotations=ladder.rotations, scheduled=name
            )
            self._blocks[block.id] = self._changed[block.id] = block

    def _open_ladder(self, ladder: LadderDef, state: LadderState) -> OpenLadder:
        return OpenLadder(
            ladder.name,
            ladder.seats,
            ladder.deals,
            ladder.house_games,
            partial(self._entrant, state),
            ladder.rotations,
            ladder.fewest_seats if ladder.short_handed else None,
            partial(self._company.plays, ladder),
        )

    def _entrant(self, state: LadderState, bot: str) -> Entrant:
        system = state.rating_system
        known = state.bots.get(bot)
        return Entrant(
            player=self._company.player(bot),
            games=(known.games if known else 0) + self._unrated[state.ladder, bot],
            rating=system.value(known.rating if known else system.initial),
            uncertainty=rough_plus_minus(sum(known.blocks.values()) if known else 0),
        )

    def _fresh_seed(self, block: OpenBlock, place: int) -> str:
        if not block.scheduled:
            return new_seed()

        attempt = block.places[place].attempt
        return self._tournaments.deal_seed(block.ladder, block.scheduled, place, attempt, block.deals)

    async def _queue_matches(self, ladder: LadderDef, starts: Sequence[Start]) -> None:
        entries = [self._entry(ladder, start) for start in starts]
        matches = await self._queue.enqueue_many(entries, token=self._token)
        for start, match in zip(starts, matches, strict=True):
            if match:
                start.block.queued(start.place, match)
                self._changed[start.block.id] = start.block

    def _entry(self, ladder: LadderDef, start: Start) -> MatchEntry:
        block, place = start.block, start.block.places[start.place]
        instance_of = dict(zip(block.bots, start.instances, strict=True))
        return MatchEntry(
            match=new_id(),
            game=ladder.game,
            version=ladder.version,
            seats=tuple(
                SeatEntry(bot, self._company.player(bot).owner, instance_of[bot])
                for bot in rotation(block.bots, start.place)
            ),
            seed=block.seed or self._fresh_seed(block, start.place),
            options=ladder.options,
            ladder=ladder.name,
            rated=ladder.rated and len(block.bots) == ladder.seats,
            block=block.id,
            index=start.place,
            block_size=block.size,
            attempt=place.attempt,
            deals=block.deals,
            time=ladder.time,
            policy=ladder.policy,
        )
