"""Operations that read all that a ladder has, on a real store: counts, records, trades, exports."""

from __future__ import annotations

import csv
import io
import json

import pytest
from tests.support.exports import exported, lines_of, table_of
from tests.support.ladder_store import Ladders, ladder, score, unrated
from tests.support.valkey import GAME

from agon.codec import ledger
from agon.codec.ledger import ExportFormat, ExportKind
from agon_engine.core.record import Deals, MatchRecord
from agon_ladder.audit import Tally
from agon_ladder.results import START, Position
from agon_server.ladders import exports
from agon_server.operations import audits
from agon_server.operations.errors import InvalidError, NotFoundError
from agon_server.operations.installation import Installation
from agon_server.queue.desk import Desk
from agon_server.queue.ids import new_id
from agon_server.store import keys

LADDER = f"{GAME}-2"


@pytest.fixture
async def played(arena: Ladders) -> Ladders:
    """A ladder with two true records, a match that nobody won, one that did not count, and one never played."""
    await arena.catalogue.create(ladder(2))
    await arena.join("a", "b", slots=50)
    await arena.lead()
    for _ in range(2):
        await arena.play_truly("a", "b")
    await arena.end(score(1, 1), "b", "a")
    await arena.end(unrated(2), "a", "b")
    cancelled = await arena.enqueue("a", "b")
    await Desk(arena.store).cancel(cancelled.match, "=it was planned twice")
    await arena.take()
    return arena


# -- counts and records ----------------------------------------------------------------------------------------


async def test_an_audit_counts_what_there_is(installation: Installation, played: Ladders) -> None:
    report = await audits.audit_ladder(installation, ledger.AuditLadderRequest(LADDER))

    assert report == ledger.AuditLadderResponse((), 3, ledger.AuditCounts(5, 4, 0, 3, 6, 0))


async def test_what_the_metric_has_counted_is_what_the_results_give(
    installation: Installation, played: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The metric begins anew with a process; compared is what it has grown by since the table was loaded."""
    await played.end(score(1, 2), "a", "b")
    await played.take()
    tally = played.fold.tally(LADDER)
    assert tally is not None
    assert (tally.ratings, played.ratings) == (8, 8)

    assert (await installation.auditor.audit(LADDER, tally)).findings == ()
    (finding,) = (await installation.auditor.audit(LADDER, tally._replace(ratings=7))).findings
    assert (finding.check, finding.subject) == ("counts", LADDER)
    assert "agon_rating_updates_total grew by 7" in finding.text
    assert finding.text.endswith("the results give 8")
    replaced = Tally(START, Position(9, 9), 1, generation=5)
    assert (await installation.auditor.audit(LADDER, replaced)).findings == ()


async def test_records_are_played_again_and_what_differs_is_told(installation: Installation, played: Ladders) -> None:
    request = ledger.AuditRecordsRequest(LADDER)
    told = [each async for each in audits.audit_records(installation, request)]

    assert (told[-1].done, told[-1].skipped) == (4, 0)
    findings = [finding for each in told for finding in each.findings]
    assert {finding.check for finding in findings} == {"records"}
    assert len({finding.subject for finding in findings}) == 2


async def test_a_sample_is_bounded_and_a_ladder_there(installation: Installation, played: Ladders) -> None:
    with pytest.raises(InvalidError, match="at most 10000 records"):
        await anext(aiter(audits.audit_records(installation, ledger.AuditRecordsRequest(LADDER, 10_001))))
    for call in (
        anext(aiter(audits.audit_records(installation, ledger.AuditRecordsRequest("none")))),
        audits.find_trades(installation, ledger.FindTradesRequest("none")),
        anext(aiter(audits.export_ladder(installation, ledger.ExportLadderRequest("none", *KIND_AND_FORM)))),
    ):
        with pytest.raises(NotFoundError):
            await call


KIND_AND_FORM = (ExportKind.RESULTS, ExportFormat.CSV)


async def test_a_check_that_nobody_waits_for_ends(installation: Installation, played: Ladders) -> None:
    """Its processes too: the test would not end with them."""
    checking = audits.audit_records(installation, ledger.AuditRecordsRequest(LADDER))
    await anext(aiter(checking))

    await checking.aclose()  # type: ignore[attr-defined]  # an async generator


async def test_trades_are_looked_for_in_all_rated_matches(installation: Installation, arena: Ladders) -> None:
    """M9: one of four equal bots loses to one other whenever they meet."""
    await arena.catalogue.create(ladder(2))
    await arena.join("a", "b", "c", "d", slots=50)
    for number in range(24):
        await arena.end(score(2, 1), "a", "b")
        for one, other in ("ac", "ad", "bc", "bd", "cd"):
            await arena.end(score(1, 2) if number % 2 else score(2, 1), one, other)
    await arena.end(unrated(2), "a", "b")

    report = await audits.find_trades(installation, ledger.FindTradesRequest(LADDER))
    nothing = await audits.find_trades(installation, ledger.FindTradesRequest(LADDER, 25))

    (trade,) = report.trades
    assert (trade.loser, trade.winner, trade.matches, trade.score) == ("a", "b", 24, 0.0)
    assert trade.expected == pytest.approx(0.5, abs=0.01)
    assert (report.matches, report.bots, report.pairs) == (144, 4, 12)
    assert (nothing.trades, nothing.pairs) == ((), 0)


# -- exports ---------------------------------------------------------------------------------------------------


async def test_results_have_a_row_a_seat_and_one_for_what_was_not_played(
    installation: Installation, played: Ladders
) -> None:
    rows, lines = [await read(installation, LADDER, ExportKind.RESULTS) for read in (table_of, lines_of)]

    assert [(row["kind"], row["rated"], row["seat"], row["bot"], row["placement"]) for row in rows[4:]] == [
        ("played", "true", "0", "b", "1"),
        ("played", "true", "1", "a", "1"),
        ("played", "false", "0", "a", "1"),
        ("played", "false", "1", "b", "1"),
        ("cancelled", "false", "", "", ""),
    ]
    assert list(lines[0]) == list(rows[0]) == list(exports.RESULT_COLUMNS)
    assert [line["seat"] for line in lines] == [0, 1] * 4 + [None]
    assert lines[8]["reason"] == json.loads(rows[8]["reason"]) == "=it was planned twice"
    assert lines[0]["bot_version"] == json.loads(rows[0]["bot_version"]) == "=1.0"


async def test_no_cell_of_a_table_is_a_formula(installation: Installation, played: Ladders) -> None:
    text = "".join([await exported(installation, LADDER, kind, ExportFormat.CSV) for kind in ExportKind])
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]

    def is_number(cell: str) -> bool:
        try:
            float(cell)
        except ValueError:
            return False
        return True

    assert [cell for cell in cells if cell[:1] in tuple("=+-@\t\r") and cell and not is_number(cell)] == []


@pytest.mark.parametrize("text", ["", "plain", "7", "[x]", "=1", "@a", "-x", "\t=1", '"', "a\nb", "a\u202eb", "ä"])
def test_a_text_is_told_as_it_is_or_as_json(text: str) -> None:
    cell = exports._csv_cell(text)

    assert text == (json.loads(cell) if cell[:1] == '"' else cell)
    assert cell[:1] not in tuple("=+-@\t\r") or not cell
    assert cell.isprintable()


async def test_ratings_are_those_of_the_table_from_the_first_match_on(
    installation: Installation, played: Ladders
) -> None:
    rows, lines = [await read(installation, LADDER, ExportKind.RATINGS) for read in (table_of, lines_of)]
    state = (await played.tables.load(LADDER, 2)).state

    assert len(rows) == len(lines) == 6
    for row, line in zip(rows, lines, strict=True):
        assert [float(row[name]) for name in ("before", "after", "change")] == [
            line[name] for name in ("before", "after", "change")
        ]
        assert line["after"] == pytest.approx(line["before"] + line["change"])
    assert {line["sigma"] for line in lines} == {None}
    last = {line["bot"]: round(float(line["after"]) * 1000) for line in lines}
    assert last == {bot: known.rating[0] for bot, known in state.bots.items()}


async def test_records_are_told_as_they_are_and_beside_it_what_they_say(
    installation: Installation, played: Ladders
) -> None:
    told = await exported(installation, LADDER, ExportKind.RECORDS, ExportFormat.JSONL)
    rows = await table_of(installation, LADDER, ExportKind.RECORDS)

    records = [MatchRecord.from_line(line) for line in told.splitlines()]
    assert [record.to_line() for record in records] == [row["record"] for row in rows]
    assert [record.hash() for record in records] == [row["hash"] for row in rows]
    assert [(record.seed, str(len(record.moves))) for record in records] == [
        (row["seed"], row["moves"]) for row in rows
    ]


async def test_a_shared_deal_is_told_when_its_block_is_over(installation: Installation, arena: Ladders) -> None:
    await arena.catalogue.create(ladder(2))
    await arena.join("a", "b")
    facts = {"block": new_id(), "deals": Deals.SHARED, "seed": "0" * 32}
    await arena.end(score(1, 2), "a", "b", **facts)
    before = await table_of(installation, LADDER, ExportKind.RECORDS)
    await arena.end(score(1, 2), "b", "a", index=1, **facts)

    assert before == []
    assert len(await table_of(installation, LADDER, ExportKind.RECORDS)) == 2


async def test_a_damaged_record_is_told_as_it_lies_there(installation: Installation, played: Ladders) -> None:
    entries = await played.store.command("XRANGE", keys.RESULTS, "-", "+")
    fields = dict(zip(entries[0][1][::2], entries[0][1][1::2], strict=True))
    match = new_id()
    fields |= {b"record": b'{"x":\n1}', b"match": match.encode()}
    await played.store.command("XADD", keys.RESULTS, "*", *(part for item in fields.items() for part in item))

    *_, last = await lines_of(installation, LADDER, ExportKind.RECORDS)

    assert (last["match"], last["game"], last["record"]) == (match, None, '{"x":\n1}')
    assert (await table_of(installation, LADDER, ExportKind.RECORDS))[-1]["record"] == json.dumps('{"x":\n1}')


async def test_a_long_export_comes_in_pieces(
    installation: Installation, played: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await exported(installation, LADDER, ExportKind.RESULTS, ExportFormat.CSV)
    monkeypatch.setattr(exports, "PIECE", 1)
    request = ledger.ExportLadderRequest(LADDER, *KIND_AND_FORM)
    pieces = [piece.text async for piece in audits.export_ladder(installation, request)]

    assert whole == "".join(pieces)
    assert len(pieces) == 5
    assert all(piece.endswith("\n") for piece in pieces)
