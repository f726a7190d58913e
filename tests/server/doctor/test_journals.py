"""Faults of journals, each planted in a real store."""

from __future__ import annotations

import pytest
from tests.server.doctor.conftest import Look
from tests.support.ladder_store import Ladders
from tests.support.valkey import GAME

from agon.codec.admin import Condition, Symptom
from agon_engine.core.driver import UNTIMED
from agon_engine.registry import get_game
from agon_server.operations.doctor.store_look import look_at_store
from agon_server.queue.ids import new_id
from agon_server.referee.entries import Opening, choice_line, opening_line, tag_of
from agon_server.store import keys
from agon_server.store.connection import Store

ACTION = get_game(GAME).notation.codes[0]


def only(symptoms: list[Symptom]) -> Symptom:
    assert [symptom.check for symptom in symptoms] == ["journal"], symptoms
    return symptoms[0]


async def running(store: Store) -> str:
    """Return the match that runs."""
    return next(state.match for state in (await look_at_store(store)).states if state.owner)


def lines(match: str, choices: int) -> list[str]:
    """Return a journal of so many choices, which are not looked at."""
    tag, game = tag_of(match), get_game(GAME)
    opening = Opening(game.spec.version, "2030-01-31T12:00:00Z", ("1", "1"))
    made = [choice_line(number + 1, tag, number % 2, ACTION, 0, UNTIMED) for number in range(choices)]
    return [opening_line(tag, opening), *made]


async def test_a_journal_is_as_long_as_the_match_says_or_longer(healthy: Ladders, look: Look, store: Store) -> None:
    """Its referee tells now and then how far it is; entries come first."""
    match = await running(store)
    await store.command("RPUSH", keys.JOURNAL + match, *lines(match, 5))
    for progress in ("0", "5"):
        await store.command("HSET", keys.MATCH + match, "progress", progress)
        assert await look() == []

    await store.command("HSET", keys.MATCH + match, "progress", "6")
    symptom = only(await look())
    assert (symptom.condition, symptom.where) == (Condition.INCONSISTENT, match)
    assert "the journal has 5 decisions, and the match has made 6" in symptom.what


async def test_a_journal_that_has_lost_its_end_since_the_last_claim(healthy: Ladders, look: Look, store: Store) -> None:
    match = await running(store)
    await store.command("RPUSH", keys.JOURNAL + match, *lines(match, 5))
    await store.command("HSET", keys.MATCH + match, "journal", "7")

    assert "has 6 entries, and had 7 when the match was claimed" in only(await look()).what


async def test_a_journal_that_is_longer_than_any_match(healthy: Ladders, look: Look, store: Store) -> None:
    match = await running(store)
    longest = get_game(GAME).spec.max_decisions
    await store.command("RPUSH", keys.JOURNAL + match, *lines(match, longest + 1))

    assert f"and a match has {longest} at most" in only(await look()).what


async def test_a_journal_without_match(healthy: Ladders, look: Look, store: Store) -> None:
    match = new_id()
    await store.command("RPUSH", keys.JOURNAL + match, *lines(match, 1))

    symptom = only(await look())
    assert (symptom.condition, symptom.where) == (Condition.ORPHANED, match)
    assert symptom.remedy == f"in the store DEL agon:journal:{match}"


@pytest.mark.parametrize("damage", ["cut", "gap", "foreign"])
async def test_a_journal_that_does_not_parse(healthy: Ladders, look: Look, store: Store, damage: str) -> None:
    match = await running(store)
    good = lines(match, 3)
    bad = {"cut": [*good[:-1], good[-1][:-5]], "gap": [*good[:2], good[3]], "foreign": lines(new_id(), 3)}[damage]
    await store.command("RPUSH", keys.JOURNAL + match, *bad)

    symptom = only(await look())
    assert symptom.condition is Condition.INCONSISTENT
    assert "the journal cannot be followed: entry" in symptom.what
    assert ACTION not in symptom.what


async def test_a_journal_that_is_none(healthy: Ladders, look: Look, store: Store) -> None:
    match = await running(store)
    await store.command("SET", keys.JOURNAL + match, "x")

    assert "the journal is no list, but a string" in only(await look()).what
