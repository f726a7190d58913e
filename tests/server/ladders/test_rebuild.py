"""Rebuild and audit on a real store: equal where all is well, found and put right where it is not (X2, X4, C11)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence

import pytest
from tests.support.ladder_store import Ladders, by_chance, ladder, score

from agon_engine.core import Chance
from agon_ladder.audit import Finding
from agon_ladder.results import START, Position
from agon_ladder.rulings import Ruling
from agon_server.ladders.definitions import UnknownLadderError
from agon_server.ladders.fold import Fold
from agon_server.ladders.history import History, HistoryGapError
from agon_server.ladders.rebuild import Auditor
from agon_server.ladders.refold import Refold
from agon_server.queue.reading import Told, recorded
from agon_server.queue.results import Entry, Result, order
from agon_server.store import keys
from agon_server.store.connection import Store

NAME = "ephyran-3"


@pytest.fixture
async def played(ladders: Ladders) -> Ladders:
    """A ladder with some dozens of results, unrated ones and unfinished blocks among them."""
    await ladders.catalogue.create(ladder(3))
    await ladders.join("a", "b", "c", "d", slots=3)
    await ladders.lead()
    await ladders.play_rounds(9, by_chance(Chance(bytes(16))))
    assert (await ladders.tables.load(NAME, 3)).state.results > 20
    return ladders


async def canonical(ladders: Ladders) -> bytes:
    return (await ladders.tables.load(NAME, 3)).state.canonical()


async def test_the_live_table_equals_its_rebuild_bit_for_bit(played: Ladders) -> None:
    """X4."""
    before = await canonical(played)

    audit, rebuild = await played.auditor.audit(NAME), await played.auditor.rebuild(NAME)

    assert audit == rebuild
    assert audit.findings == ()
    assert audit.results == (await played.tables.load(NAME, 3)).state.results
    assert before == await canonical(played)
    assert (await played.tables.load(NAME, 3)).generation == 0


async def test_a_ladder_by_weng_lin_equals_its_rebuild_bit_for_bit_and_shows_sigma(ladders: Ladders) -> None:
    await ladders.catalogue.create(ladder(3, system="weng-lin"))
    await ladders.join("a", "b", "c", "d", slots=3)
    await ladders.lead()
    await ladders.play_rounds(4, by_chance(Chance(bytes(16))))

    report = await ladders.auditor.rebuild(NAME)
    shown = await ladders.standings.read(NAME)

    assert report.findings == ()
    assert report.results == shown.results > 8
    assert (await ladders.tables.load(NAME, 3)).state.system == "weng-lin"
    assert all(row.sigma is not None and 0 < row.sigma < 250_000 for row in shown.rows)


async def change_rating(store: Store) -> None:
    row = await store.command("HGET", keys.STANDING + NAME, "a")
    await store.command("HSET", keys.STANDING + NAME, "a", row.replace(b'"games":', b'"games":1'))


async def lose_a_bot(store: Store) -> None:
    await store.command("HDEL", keys.STANDING + NAME, "b")


async def garble_a_bot(store: Store) -> None:
    await store.command("HSET", keys.STANDING + NAME, "b", "{")


async def lose_a_row(store: Store) -> None:
    key = f"{keys.RATINGS}{NAME}:0"
    first = (await store.command("XRANGE", key, "-", "+", "COUNT", 1))[0][0]
    await store.command("XDEL", key, first)


async def garble_a_row(store: Store) -> None:
    await store.command("XADD", f"{keys.RATINGS}{NAME}:0", "*", "match", "x", "rows", "[[")
    await store.command("HSET", keys.TABLE + NAME, "position", "99999999999999-0")


async def lose_all_rows(store: Store) -> None:
    await store.command("DEL", f"{keys.RATINGS}{NAME}:0")


async def invent_a_block(store: Store) -> None:
    await store.command("HSET", keys.PARTIAL + NAME, "x", '{"began":1,"points":{"a":1},"places":1}')


async def lose_the_table(store: Store) -> None:
    await store.command("DEL", keys.TABLE + NAME)


async def lose_everything(store: Store) -> None:
    await store.command("DEL", keys.TABLE + NAME, keys.STANDING + NAME, keys.PARTIAL + NAME)
    await lose_all_rows(store)


@pytest.mark.parametrize(
    ("damage", "check"),
    [
        (change_rating, "table"),
        (lose_a_bot, "table"),
        (garble_a_bot, "table"),
        (lose_a_row, "rows"),
        (garble_a_row, "rows"),
        (lose_all_rows, "rows"),
        (invent_a_block, "table"),
        (lose_the_table, "table"),
        (lose_everything, "table"),
    ],
)
async def test_damage_is_found_by_an_audit_and_put_right_by_a_rebuild(
    played: Ladders, damage: Callable[[Store], Awaitable[None]], check: str
) -> None:
    whole = await canonical(played)
    await damage(played.store)

    audit = await played.auditor.audit(NAME)
    assert check in {finding.check for finding in audit.findings}
    if damage is not garble_a_bot:
        assert audit == await played.auditor.audit(NAME), "an audit changes nothing"

    rebuild = await played.auditor.rebuild(NAME)
    assert audit.findings == rebuild.findings
    assert whole == await canonical(played)
    assert (await played.auditor.audit(NAME)).findings == ()


async def test_the_fold_goes_on_from_a_rebuilt_table(played: Ladders) -> None:
    await lose_a_bot(played.store)
    await played.auditor.rebuild(NAME)

    await played.play_rounds(2, by_chance(Chance(b"another seed of 16 bytes"[:16])))

    assert (await played.tables.load(NAME, 3)).generation == 1
    assert (await played.auditor.audit(NAME)).findings == ()


async def test_rating_rows_are_kept_of_the_newest_results_and_audited(
    played: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in (played.fold, played.auditor):
        monkeypatch.setattr(part._tables, "rows_kept", 10)
    key = f"{keys.RATINGS}{NAME}:"
    await played.play_rounds(2, by_chance(Chance(b"another seed of 16 bytes"[:16])))
    assert await played.store.command("XLEN", f"{key}0") == 10
    assert (await played.auditor.audit(NAME)).findings == ()

    await lose_a_row(played.store)
    (finding,) = (await played.auditor.rebuild(NAME)).findings

    assert (finding.check, "3 are due" in finding.text) == ("rows", True)
    assert await played.store.command("XLEN", f"{key}1") == 10
    assert (await played.auditor.audit(NAME)).findings == ()


async def test_rows_that_go_while_an_audit_reads_are_not_missed(
    played: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in (played.fold, played.auditor):
        monkeypatch.setattr(part._tables, "rows_kept", 10)
    await played.play_rounds(2, by_chance(Chance(b"another seed of 16 bytes"[:16])))
    of_ladder = played.history.of_ladder

    async def fold_on(
        ladder: str, after: Position = START, until: Position | None = None
    ) -> AsyncIterator[list[Entry]]:
        async for chunk in of_ladder(ladder, after, until):
            await played.play_rounds(1, by_chance(Chance(bytes(16))))
            yield chunk

    monkeypatch.setattr(played.history, "of_ladder", fold_on)

    assert (await played.auditor.audit(NAME)).findings == ()


async def test_a_table_that_goes_on_while_it_is_rebuilt_is_caught_up_with(
    played: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The live fold takes a step between the rebuild's last look and its replacement, twice."""
    await lose_all_rows(played.store)
    steps = 2
    write = Refold.write_rows

    async def write_while_the_fold_goes_on(refold: Refold) -> None:
        nonlocal steps
        await write(refold)
        if steps:
            steps -= 1
            await played.end(score(1, 2, 3), "a", "b", "c")
            await played.take()

    await played.pairing.round()
    for claim in await played.claim_all():
        await played.finish(claim, score(1, 2, 3))
    await played.take()
    for bot in "abc":
        await played.come_back(bot, slots=50)
    monkeypatch.setattr(Refold, "write_rows", write_while_the_fold_goes_on)

    await played.auditor.rebuild(NAME)

    assert steps == 0
    assert (await played.auditor.audit(NAME)).findings == ()


async def test_a_result_that_was_set_aside_is_left_out_of_a_rebuild_too(played: Ladders) -> None:
    await played.store.command("XADD", keys.RESULTS, "*", "what", "ever")
    await played.end(score(1, 2), "a", "b", ladder=NAME)
    await played.take()

    assert (await played.auditor.audit(NAME)).findings == ()


async def test_a_block_that_was_rated_twice_is_found_and_no_reason_to_replace_the_table(played: Ladders) -> None:
    block = await played.end(score(1, 2, 3), "a", "b", "c")
    await played.end(score(1, 2, 3), "a", "b", "c", block=block.block, index=0, attempt=1)
    await played.take()

    report = await played.auditor.rebuild(NAME)

    assert report.findings == (Finding("blocks", block.block, "place 0 is rated more than once"),)
    assert (await played.tables.load(NAME, 3)).generation == 0


async def test_an_unknown_ladder_is_refused(played: Ladders) -> None:
    with pytest.raises(UnknownLadderError):
        await played.auditor.audit("x")
    with pytest.raises(UnknownLadderError):
        await played.auditor.rebuild("x")


# -- where the stream has been trimmed -------------------------------------------------------------------------


class Kept:
    """An archive in memory."""

    lacks = "0-0"

    def __init__(self, results: list[Result]) -> None:
        self.kept = results
        self.cursor = results[-1].id

    def rulings(self) -> list[Ruling]:
        return []

    def places(self, matches: Sequence[str]) -> dict[str, str]:
        return {result.match: result.id for result in self.kept if result.match in matches}

    def entries(self, after: str = "0-0", ladder: str = "") -> Iterator[Entry]:
        kept = (one for one in self.kept if one.ladder == ladder or not ladder)
        return (one for one in kept if one.order > tuple(map(int, after.split("-"))))

    def latest(self, count: int, *, before: str = "") -> list[Result]:
        return [one for one in reversed(self.kept) if one.order < order(before)][:count]

    def told(self, ladder: str, after: str = "0-0") -> Iterator[Told]:
        return (recorded(one) for one in self.entries(after, ladder))


async def test_an_archive_that_lacks_results_judges_no_ladder_and_replaces_none(played: Ladders) -> None:
    """C11: a server that joins late has not what was trimmed before; by what it has, every table would be wrong."""
    results = list((await played.results.after("0-0", 10_000)).results)
    await played.store.command("XTRIM", keys.RESULTS, "MINID", results[5].id)
    late = Kept(results[5:])
    late.lacks = results[4].id
    auditor = Auditor(played.store, played.catalogue, History(played.results, late))
    before = await played.store.command("HGETALL", keys.TABLE + NAME)

    for judge in (auditor.audit, auditor.rebuild):
        with pytest.raises(HistoryGapError, match=f"lacks results up to {results[4].id}"):
            await judge(NAME)
    assert await played.store.command("HGETALL", keys.TABLE + NAME) == before


async def test_what_the_stream_has_lost_comes_from_the_archive(played: Ladders) -> None:
    """C11: a rebuild re-rates from the records, the oldest of them archived only."""
    results = list((await played.results.after("0-0", 10_000)).results)
    middle = results[len(results) // 2]
    history = History(played.results, Kept(results[: len(results) // 2 + 5]))
    await played.store.command("XTRIM", keys.RESULTS, "MINID", middle.id)
    auditor = Auditor(played.store, played.catalogue, history)
    assert (await auditor.audit(NAME)).findings == ()

    await lose_everything(played.store)
    await auditor.rebuild(NAME)

    assert (await auditor.audit(NAME)).findings == ()
    assert (await played.auditor.audit(NAME)).findings != ()

    await played.store.command("HSET", keys.TABLE + NAME, "failed", "by hand", "position", "0-0", "results", 0)
    await played.store.command("DEL", keys.STANDING + NAME, keys.PARTIAL + NAME, f"{keys.RATINGS}{NAME}:1")
    fold = Fold(played.store, played.catalogue, history)
    token = await played.lease.acquire()
    assert token is not None
    await fold.begin(token)
    assert fold.failed == frozenset()
    assert (await auditor.audit(NAME)).findings == ()
