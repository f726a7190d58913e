"""The verdicts of a chaos run find what they are for: each is given what contradicts it, and what does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.chaos import verdict
from tests.chaos.arena import Happened
from tests.chaos.plan import FULL, KILLS, Blow, Plan, counts_for
from tests.chaos.witness import Account, Saw, Witness, read
from tests.support.matches import played_record

from agon.codec.frames import Choose, Clock, Decide, Down, Over
from agon_engine.core.policy import Termination
from agon_engine.core.record import MatchRecord

SERVERS = {"1:1": "one", "2:2": "two"}


def saw(what: str, *more: object, when: float = 0.0, seat: int = 0, epoch: int = 1, address: str = "1:1") -> Saw:
    return Saw("bot", when, what, "m", seat, 0 if what == "chose" else epoch, address, more)


def asked(decision: int, *, epoch: int = 1, when: float = 0.0, address: str = "1:1", what: int = 7) -> Saw:
    return saw("asked", decision, decision * 10, what, epoch=epoch, when=when, address=address)


def account(*saws: Saw) -> Account:
    made = Account()
    for one in saws:
        made.add(one)
    return made


@pytest.fixture(scope="module")
def record() -> MatchRecord:
    return replace(played_record(), match="m", epoch=1)


def test_what_is_lost_or_there_twice() -> None:
    assert list(verdict.lost({"a", "b"}, ["a"])) == ["match b has no result"]
    assert list(verdict.lost({"a"}, ["a", "b"])) == []
    assert list(verdict.ended_twice(["a", "b", "a"])) == ["match a has 2 results"]
    assert list(verdict.rated_twice([("l", "a"), ("l", "a"), ("k", "a")])) == ["match a was rated 2 times on l"]


def test_two_referees_in_one_delivery() -> None:
    good = account(asked(1), asked(2, epoch=2, address="2:2"))
    bad = account(asked(1), asked(2, address="2:2"))

    assert list(verdict.two_referees(good, {}, SERVERS)) == []
    assert list(verdict.two_referees(bad, {}, SERVERS)) == ["delivery 1 of match m was played by one and two"]


def test_a_delivery_after_the_one_that_ended(record: MatchRecord) -> None:
    late = account(asked(1), asked(2, epoch=2))

    assert list(verdict.two_referees(late, {"m": replace(record, epoch=2)}, SERVERS)) == []
    assert list(verdict.two_referees(late, {"m": record}, SERVERS)) == [
        "match m ended in delivery 1, and bots played 2"
    ]


def test_what_bots_were_told_at_the_end(record: MatchRecord) -> None:
    placements = list(record.result.placements)
    good = account(saw("over", "score", placements, record.hash()), saw("over", "infrastructure", [1, 1], ""))

    assert list(verdict.told_otherwise(good, {"m": record})) == []
    for other in (
        saw("over", "score", [*placements, 9], record.hash()),
        saw("over", "score", placements, "another hash"),
    ):
        assert len(list(verdict.told_otherwise(account(other), {"m": record}))) == 1
    assert len(list(verdict.told_otherwise(good, {}))) == 1


def test_what_is_asked_again_after_its_consequence_was_seen() -> None:
    again = account(asked(1), asked(2), asked(2, epoch=2), asked(3, epoch=2), saw("over", "", [], "", epoch=2))
    dropped = account(asked(1), asked(2, epoch=2), asked(1, epoch=1))
    back = account(asked(1), asked(2), asked(1, epoch=2))
    after = account(saw("over", "", [], ""), asked(1, epoch=2))

    assert list(verdict.asked_again(again)) == []
    assert list(verdict.asked_again(dropped)) == []
    assert list(verdict.asked_again(back)) == ["seat 0 of match m was asked 1 after 2 (bot)"]
    assert list(verdict.asked_again(after)) == ["seat 0 of match m was asked 1 after its end (bot)"]
    assert verdict.stale(dropped) == 1


def test_what_is_asked_otherwise_than_before() -> None:
    assert list(verdict.asked_otherwise(account(asked(1), asked(1, epoch=2)))) == []
    assert len(list(verdict.asked_otherwise(account(asked(1), asked(1, epoch=2, what=8))))) == 1


def test_choices_that_a_record_lacks_or_nobody_made(record: MatchRecord) -> None:
    moves = [move for move in record.moves if move.seat == 0]
    saws: list[Saw] = []
    for decision, move in enumerate(moves, 1):
        saws += [asked(decision), saw("chose", decision, move.action)]

    assert list(verdict.choices_not_kept(account(*saws), {"m": record})) == []
    never = [*saws[:-1], saw("chose", len(moves), "something else")]
    [line] = verdict.choices_not_kept(account(*never), {"m": record})
    assert f"never chose {moves[-1].action!r}" in line
    further = [*saws, asked(len(moves) + 1), asked(len(moves) + 2)]
    [line] = verdict.choices_not_kept(account(*further), {"m": record})
    assert f"saw what followed move {len(moves) + 1}, and the record has {len(moves)}" in line


def test_the_time_to_the_next_decision_counts_what_nothing_else_disturbed() -> None:
    hit = Happened(10.0, Blow.SERVER_GONE, "one", 18.0)
    saws = [asked(1, when=9.0), asked(1, when=10.1), asked(1, epoch=2, when=13.5, address="2:2")]

    def waits(*happened: Happened, among: list[Saw] = saws) -> object:
        return verdict.waits(account(*among), happened, SERVERS)

    assert waits(hit) == ([(3.5, -4.5)], [], 0)
    assert waits(replace(hit, what="two")) == ([], [], 0)
    at_home = [*saws[:2], replace(saws[2], address="1:1", when=18.5)]
    assert waits(hit, among=at_home) == ([], [(8.5, 0.5)], 0)
    bot = Happened(11.0, Blow.BOT, "bot", 12.0)
    assert waits(hit, bot) == ([], [], 1)
    assert waits(hit, replace(bot, what="another bot")) == ([(3.5, -4.5)], [], 0)
    assert waits(hit, Happened(12.0, Blow.STORE, "store", 13.0)) == ([], [], 1)
    assert waits(hit, among=saws[:2]) == ([], [], 1)


def test_a_witness_is_read_as_it_wrote(tmp_path: Path) -> None:
    witness = Witness(tmp_path / "hector.jsonl")
    decide = Decide(3, 1, "build", (), None, full=True, actions=("a", "b"), clock=Clock(0, 0))  # type: ignore[arg-type]  # the view is not read
    end = Over(4, (), Termination.SCORE, (1, 2), (3, 1), (Termination.SCORE,) * 2, True, "hash", "", Clock(0, 0))
    witness.heard("1:1", Down("m", 0, 2, decide))
    witness.said("1:1", Choose(1, 1), "m", 0)
    witness.said("1:1", Choose(9, 0), "m", 0)  # an answer to what was not asked
    witness.heard("1:1", Down("m", 0, 2, end))

    found = read([tmp_path / "hector.jsonl"])
    assert [(one.bot, one.what, one.epoch) for one in found.of("m")] == [
        ("hector", "asked", 2),
        ("hector", "chose", 0),
        ("hector", "over", 2),
    ]
    [over] = found.all("over")
    assert over.more == ("score", [1, 2], "hash")
    [chose] = found.all("chose")
    assert (chose.decision, chose.more[1]) == (1, "b")


def test_a_plan_is_drawn_from_its_seed_and_spreads_the_kills_of_the_store() -> None:
    """The figures that a whole run owes: 30 kills of servers and bots, 3 of the store."""
    counts = counts_for(300)
    plan = Plan.drawn(7, counts)

    assert counts == FULL
    assert plan == Plan.drawn(7, counts)
    assert plan.blows != Plan.drawn(8, counts).blows
    assert plan.count(*KILLS) >= 30
    assert plan.count(Blow.STORE) == 3
    places = [place for place, blow in enumerate(plan.blows) if blow is Blow.STORE]
    third = len(plan.blows) / 3
    assert [int(place // third) for place in places] == [0, 1, 2]
    assert min(counts_for(15).values()) == 1
    assert counts_for(300, kills=40, stores=5)[Blow.STORE] == 5
    assert sum(counts_for(300, kills=40)[blow] for blow in KILLS) == 40
