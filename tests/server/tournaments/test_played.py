"""What a store has of a tournament is folded part by part, in the order of the schedule."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.support.tournaments import FORMAT_DEFS, FORMATS, drawn

from agon_ladder.errors import ResultError
from agon_ladder.pairing.blocks import Rotations
from agon_server.tournaments import played
from agon_server.tournaments.places import Place
from agon_server.tournaments.played import Reading, given_up_field, match_field
from agon_server.tournaments.progress import Progress
from agon_server.tournaments.schedule_def import ScheduleDef

SEATS = 2


def schedule(kind: str) -> ScheduleDef:
    return ScheduleDef(bots=tuple(f"bot-{number}" for number in range(5)), format=FORMAT_DEFS[kind], seed="7")


def stored(progress: Progress, matches: int) -> dict[str, bytes]:
    """Play so many matches, and give the first block up; return what a store has then."""
    fields = dict([given_up_field(Place(0, 0, 0))])
    progress.give_up(Place(0, 0, 0))
    while matches and (due := list(progress.due())[:matches]):
        for match in due:
            progress.take(match.place, match.bots, drawn(match))
            fields |= [match_field(match.place, drawn(match))]
        matches -= len(due)
    return {name: value.encode() for name, value in fields.items()}


def read(kind: str, fields: Mapping[str, bytes]) -> tuple[Progress, list[int]]:
    """Return how far it has come, and how many fields were asked for each time."""
    reading = Reading(schedule(kind), SEATS, Rotations.CYCLIC, len(fields))
    asked = []
    while names := reading.next_fields():
        asked.append(len(names))
        reading.take([fields.get(name) for name in names])
    return reading.progress, asked


@pytest.mark.parametrize("matches", [0, 1, 9, 100])
@pytest.mark.parametrize("at_once", [1, 7, 1_000])
@pytest.mark.parametrize("kind", FORMATS)
def test_parts_of_any_size_are_folded_to_the_same(
    kind: str, at_once: int, matches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(played, "AT_ONCE", at_once)
    whole = Progress(schedule(kind).schedule(SEATS), SEATS)
    fields = stored(whole, matches)

    found, asked = read(kind, fields)

    assert (found.done, found.lost, found.given_up, found.is_over) == (
        whole.done,
        whole.lost,
        whole.given_up,
        whole.is_over,
    )
    assert list(found.matches()) == list(whole.matches())
    assert max(asked) < at_once + 1 + SEATS


def test_no_more_is_asked_for_than_there_is() -> None:
    fields = stored(Progress(schedule("round robin").schedule(SEATS), SEATS), 1)

    _, asked = read("round robin", fields)

    assert len(asked) == 1


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", ["9.9.9", "1.1.3", "1.1.x", "x", ""])
def test_a_field_that_the_schedule_does_not_have_is_refused(kind: str, name: str) -> None:
    with pytest.raises(ResultError, match="of no match of its schedule: 1"):
        read(kind, {name: b"1,2"})


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ({"1.1": b"1,2"}, "block 1.1 has a result of its own"),
        ({"1.1.1": b"7,x"}, "match 1 of block 1.1 has placements that are no numbers"),
        ({"1.1.1": b""}, "no numbers"),
        ({"1.1.1": b"2,2"}, "no ranking"),
    ],
)
def test_a_value_that_cannot_be_is_refused(field: dict[str, bytes], why: str) -> None:
    with pytest.raises(ResultError, match=why):
        read("swiss", field)
